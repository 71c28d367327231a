"""Every number that the page on faults quotes for ChemoTimelines, given and right."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from every import each
from vectors_home import free

from chronoscore.api import score
from chronoscore.compat.chemotimelines import evaluate
from chronoscore.compat.chemotimelines.faults import ours
from chronoscore.elements.time import Time
from chronoscore.errors import DataError

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
Timeline = Sequence[tuple[str, str, str]]
WITHOUT_GOLD = {
    "days-49",
    "bad_date_without_gold_is_fine",
    "no_gold_predicted",
    "no_gold_none_predicted",
    "nobody_has_gold_raises",
    "all_none_raises",
}
"""Vectors in which no patient has a gold tuple: there is nothing to score against."""
UNREADABLE = {
    "week_00",
    "week_with_two_digit_day_raises",
    "season_raises",
    "quarter",
    "empty_timex_raises",
    "bad_day_raises",
    "present_ref_raises",
    "tuple_of_two_raises",
    "bad_date_without_gold_is_fine_beside_a_right_patient",
}
"""Vectors with times or tuples that can't be read."""


class Row(NamedTuple):
    fault: str
    case: str
    gives: str
    right: str


def rows() -> list[Row]:
    page = PAGE.read_text(encoding="utf-8")
    section = page.partition("\n## ChemoTimelines\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [Row(*line.strip("| ").split(" | ")) for line in lines[1:]]


ROWS = rows()


def answer(case: str, scorer: Callable[..., Any]) -> list[float]:
    """What the two lines of a case give with a scorer."""
    setting, question = re.findall(r"`([^`]+)`", case)
    names: dict[str, Any] = {"date": date, "evaluate": scorer}
    exec(setting, names)
    value = eval(question, names)
    return value if isinstance(value, list) else [value]


def shown(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.3f}".rstrip("0").rstrip(".") for value in values)


def test_the_page_has_a_case_for_each_fault() -> None:
    assert len(ROWS) == 20
    assert len({row.case for row in ROWS}) == 20
    (by_definition,) = [row for row in ROWS if row.gives == row.right]
    assert "by its definition" in by_definition.fault


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.fault[:40])
def test_a_case_gives_what_the_page_says(row: Row) -> None:
    if row.gives == "`DataError`":
        with pytest.raises(DataError):
            answer(row.case, evaluate)
    else:
        assert shown(answer(row.case, evaluate)) == row.gives


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.fault[:40])
def test_one_to_one_matching_gives_what_the_page_calls_right(row: Row) -> None:
    assert shown(answer(row.case, one_to_one)) == row.right


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.fault[:40])
def test_the_events_family_gives_what_the_page_calls_right(row: Row) -> None:
    assert shown(answer(row.case, by_the_family)) == row.right


def by_the_family(
    gold: Mapping[str, Timeline], predicted: Mapping[str, Timeline], mode: Any, **_: Any
) -> Any:
    """The scores of the family, under the names that cases ask for."""
    scores = ours(gold, predicted, mode)
    micro = {name: scores[f"micro {name}"] for name in ("precision", "recall", "f1")}
    return SimpleNamespace(
        micro=SimpleNamespace(**micro),
        type_a=SimpleNamespace(f1=scores["type A f1"]),
        type_b=SimpleNamespace(f1=scores["type B f1"]),
        official=scores["mean of both F1"],
    )


VECTORS = [
    pytest.param(vector, mode, protocol, id=f"{vector['name']}-{mode}")
    for name in ("days", "duplicates", "large", "mixed", "quirks", "weeks")
    for vector in free(f"clinical/chemo_{name}.json")
    if vector["name"] not in WITHOUT_GOLD | UNREADABLE
    for mode, protocol in (("month", "chemotimelines-2024"), ("strict", "chemotimelines-2025"))
]


def test_the_vectors_are_nearly_all_compared() -> None:
    assert len(VECTORS) == 418


def tuples(side: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, list[tuple[str, ...]]]:
    return {patient: [*map(tuple, timeline)] for patient, timeline in side.items()}


SOME = [*VECTORS[::8], *VECTORS[1::8]]


@each(("vector", "mode", "protocol"), SOME)
def test_a_protocol_is_one_to_one_matching_on_files(
    vector: dict[str, Any], mode: Any, protocol: str, tmp_path: Path
) -> None:
    """Each fourth vector of every file, by both protocols."""
    check_files(vector, mode, protocol, tmp_path)


@pytest.mark.campaign
@each(("vector", "mode", "protocol"), [one for one in VECTORS if one not in SOME])
def test_a_protocol_is_one_to_one_matching_on_all_other_files(
    vector: dict[str, Any], mode: Any, protocol: str, tmp_path: Path
) -> None:
    check_files(vector, mode, protocol, tmp_path)


def check_files(vector: dict[str, Any], mode: Any, protocol: str, tmp_path: Path) -> None:
    gold, predicted = vector["gold"], vector["predicted"]
    predicted = {patient: predicted[patient] for patient in gold if patient in predicted}
    paths = tmp_path / "gold.json", tmp_path / "predicted.json"
    for path, side in zip(paths, (gold, predicted), strict=True):
        path.write_text(json.dumps(side), encoding="utf-8")
    result = score("events", *paths, protocol=protocol)
    types = [result[f"chemo-{protocol[-4:]}-{letter}"].f1 for letter in "AB"]
    right: Any = one_to_one(tuples(gold), tuples(predicted), mode)  # type: ignore[arg-type]
    assert types == pytest.approx([right.type_a.f1, right.type_b.f1])
    ours_of = ours(gold, predicted, mode)
    assert types == [ours_of["type A f1"], ours_of["type B f1"]]


@pytest.mark.parametrize("name", sorted(UNREADABLE - {"tuple_of_two_raises"}))
def test_a_time_that_can_not_be_read_names_the_file_and_the_patient(
    name: str, tmp_path: Path
) -> None:
    (vector,) = (one for one in free("clinical/chemo_quirks.json") if one["name"] == name)
    paths = tmp_path / "gold.json", tmp_path / "predicted.json"
    for path, side in zip(paths, (vector["gold"], vector["predicted"]), strict=True):
        path.write_text(json.dumps(side), encoding="utf-8")
    with pytest.raises(DataError, match=r"(gold|predicted)\.json(:1)?: patient 'p1': "):
        score("events", *paths, protocol="chemotimelines-2024")


# The right answer in a few plain lines, without a clock.


def one_to_one(
    gold: Mapping[str, Timeline], predicted: Mapping[str, Timeline], mode: str, **_: Any
) -> Any:
    counts = []
    for patient, timeline in gold.items():
        said, asked = [*dict.fromkeys(predicted.get(patient, ()))], [*dict.fromkeys(timeline)]
        counts.append((most_pairs(asked, said, mode), len(said), len(asked)))
    silent = scores(1, 1, 1)
    by_patient = [scores(*row) if row[1] or row[2] else silent for row in counts]
    with_gold = [scores(*row) for row in counts if row[2]]
    pooled = scores(*(sum(column) for column in zip(*counts, strict=True)))
    type_a, type_b = mean(by_patient), mean(with_gold)
    official = (type_a.f1 + type_b.f1) / 2
    return SimpleNamespace(micro=pooled, type_a=type_a, type_b=type_b, official=official)


def scores(pairs: int, predicted: int, gold: int) -> SimpleNamespace:
    return SimpleNamespace(
        precision=pairs / predicted if predicted else float("nan"),
        recall=pairs / gold if gold else float("nan"),
        f1=2 * pairs / (predicted + gold),
    )


def mean(patients: Sequence[SimpleNamespace]) -> SimpleNamespace:
    return SimpleNamespace(f1=sum(one.f1 for one in patients) / len(patients))


def most_pairs(gold: Timeline, predicted: Timeline, mode: str) -> int:
    """The size of the largest matching, by augmenting paths."""
    owner: dict[int, int] = {}

    def place(number: int, tried: set[int]) -> bool:
        for at, item in enumerate(gold):
            if at not in tried and agree(item, predicted[number], mode):
                tried.add(at)
                if at not in owner or place(owner[at], tried):
                    owner[at] = number
                    return True
        return False

    return sum(place(number, set()) for number in range(len(predicted)))


def agree(gold: tuple[str, str, str], predicted: tuple[str, str, str], mode: str) -> bool:
    relations = {gold[1], predicted[1]}
    compatible = relations in ({"contains-1", "begins-on"}, {"contains-1", "ends-on"})
    drugs = gold[0].casefold(), predicted[0].casefold()
    if drugs[0] != drugs[1] or (len(relations) > 1 and (mode == "strict" or not compatible)):
        return False
    times = [Time.parse(item[2].upper()) for item in (gold, predicted)]
    if mode == "strict":
        times = [time.truncate("day") if time.is_moment else time for time in times]
    if times[0] == times[1] or mode == "strict":
        return times[0] == times[1]
    cells = [time.cells(mode) for time in times]
    if any(time.resolution == "week" for time in times):
        return cells[0][0] <= cells[1][1] and cells[1][0] <= cells[0][1]
    return cells[0] == cells[1] and cells[0][0] == cells[0][1] and fine(times, mode)


def fine(times: Sequence[Time], mode: str) -> bool:
    """Whether no time is coarser than the mode's level."""
    return all(time.truncate(mode).resolution == mode for time in times)
