"""The page on the faults of the T2S2 scorer: every number that it quotes."""

import json
import re
from collections.abc import Iterable, Iterator
from math import log
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pytest
from vectors_home import real

from chronoscore.api import score
from chronoscore.compat.t2s2 import runs
from chronoscore.compat.t2s2.ours import SeriesScores, our_scores
from chronoscore.compat.t2s2.reading import read_series
from chronoscore.compat.t2s2.runs import system_runs
from chronoscore.errors import DataError
from chronoscore.interface.result import Result

WHOLE = (Path(__file__).parents[2] / "docs" / "faults.md").read_text(encoding="utf-8")
PAGE = WHOLE.partition("\n## T2S2\n")[2].partition("\n## ")[0]
PUBLISHED = "compare_outputs_sepsis40_greedy/summary_metrics.csv"


def table(title: str) -> list[list[str]]:
    """The rows of the table that has a column of this title."""
    lines = PAGE[PAGE.rindex("\n|", 0, PAGE.index(title)) :].lstrip().splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines[: lines.index("")]]
    return rows[2:]


CASES = table("it gives")


def numbers_in(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"(?<![\w.])[0-9]+(?:\.[0-9]+)?", text)]


def numbers_of(value: Any) -> Iterator[float]:
    for one in value if isinstance(value, Iterable) else [value]:
        yield from numbers_of(one) if isinstance(one, Iterable) else [float(one)]


def namespace() -> dict[str, Any]:
    """What a reader has who typed the first block and the first line of every case above."""
    names: dict[str, Any] = {}
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(block, names)
    return names


def typed(row: list[str]) -> tuple[str, str]:
    first, second = re.findall(r"`((?:[^`])*)`", row[1])
    return first, second


def test_every_case_gives_what_the_page_says() -> None:
    names, checked = namespace(), 0
    for row in CASES:
        first, second = typed(row)
        exec(first, names)
        if row[2] == "an error":
            with pytest.raises(DataError, match="the file is empty"):
                eval(second, names)
        else:
            values = [round(value, 4) for value in numbers_of(eval(second, names))]
            assert values == numbers_in(row[2]), row[0]
        checked += 1
    assert checked == 11


def credit(*errors: float | None) -> float:
    """The mean time credit; None is a time that can't be read."""
    return fmean(0 if e is None else max(0, 1 - log(1 + e) / log(1 + 8766)) for e in errors)


RIGHT = (
    [0 / 4],
    [4 / 7],
    [4 / 44],
    [credit(936, 900, 0, 0), credit(None, None, 0, 0)],
    [median((0, 5, 36)), credit(0, 5, 36)],
    [3 / 3, median((0, 0, 0))],
    [credit(8766.24, 8766.24)],
    [0 / 1],
    [2 / 2],
    [1 / 2],
    [0 / 4],
)


@pytest.mark.parametrize(("row", "right"), list(zip(CASES, RIGHT, strict=True)))
def test_every_right_number_follows_from_the_case(row: list[str], right: list[float]) -> None:
    assert numbers_in(row[3]) == [round(value, 4) for value in right]


MEANINGS = {
    "recall": "recall",
    "precision": "precision",
    "time credit": "credit",
    "median error": "median_error",
    "concordance": "concordance",
}
_SCORE = re.compile(
    rf"({'|'.join(MEANINGS)})(?: of the other three)? ([0-9.]+)(?:, then ([0-9.]+))?"
)


def test_the_events_family_gives_every_right_number() -> None:
    """The cases are typed again, with a scorer that keeps what it is asked and what we say."""
    names, answers = namespace(), list[SeriesScores]()

    def compare(
        gold: dict[str, str], predicted: dict[str, dict[str, str]], *further: Any, **options: Any
    ) -> Any:
        (run,) = system_runs(gold, predicted, *further, **options).values()
        every = {Path(file).stem: read_series(text, file) for file, text in gold.items()}
        missing = {name: rows for name, rows in every.items() if name not in run.gold}
        answers.append(our_scores(run, missing, 0.1))
        return runs.compare(gold, predicted, *further, **options)

    names["compare"] = compare
    checked = 0
    for row in CASES:
        first, second = typed(row)
        exec(first, names)
        if row[2] == "an error":
            continue
        answers.clear()
        eval(second, names)
        found = [
            (f"{getattr(answer, MEANINGS[name]):.4f}", f"{float(number):.4f}")
            for name, *numbers in _SCORE.findall(row[3])
            for number, answer in zip(filter(None, numbers), answers, strict=True)
        ]
        assert found, row[0]
        assert all(ours == quoted for ours, quoted in found), (row[0], found)
        checked += len(found)
    assert checked == 13


def test_an_empty_file_has_recall_zero_in_lenient_reading(tmp_path: Path) -> None:
    row, gold = CASES[-1], namespace()["gold"]
    assert (row[2], row[3].partition(";")[0]) == ("an error", "recall 0 with `--lenient`")
    for folder, text in (("gold", gold), ("s", "")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "d.csv").write_text(text, encoding="utf-8")
        (tmp_path / folder / "right.csv").write_text(gold, encoding="utf-8")

    def scored(*, lenient: bool) -> Result:
        paths, hours = (tmp_path / "gold", tmp_path / "s"), {"time_unit": "hour"}
        return score(
            "events", *paths, metrics="event-f1", options=hours, by="topic", lenient=lenient
        )

    with pytest.raises(DataError, match=r"d\.csv: the file is empty"):
        scored(lenient=False)
    result = scored(lenient=True)
    assert [result.score("event-f1", topic=name).recall for name in ("d", "right")] == [0, 1]


def figures() -> dict[str, Any]:
    path = real("clinical/t2s2_figures.json")
    if not path.is_file():
        pytest.skip("the figures of T2S2 are not among the public vectors")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def written(value: float, digits: int = 4) -> str:
    return f"{value:g}" if value >= 2 else f"{value:.{digits}f}"


def test_the_published_figures_are_those_of_the_release() -> None:
    rows = [
        [name.replace("  ", " "), *map(written, numbers)]
        for name, *numbers in (row.values() for row in figures()["published"][PUBLISHED])
    ]
    assert table("| count |") == rows
    assert sum(len(row) - 1 for row in rows) == 48


def test_our_figures_stand_beside_the_published_ones() -> None:
    found = figures()
    ours, rows = found["right_figures_sepsis40"]["systems"], []
    for published in found["published"][PUBLISHED]:
        right = ours[published["pilot.names"]]
        numbers = (
            published["match_rate"],
            *(right[name] for name in ("recall", "precision", "f1")),
            published["auc"],
            right["aultc_hours_unread_as_worst"],
            right["aultc_hours_over_all_gold"],
            right["within_24h"],
        )
        errors = f"{right['median_h']:g}, {right['mean_h']:.0f}"
        name = published["pilot.names"].replace("  ", " ")
        rows.append([name, *map(written, numbers), errors])
    assert table("match rate published") == rows


def test_what_the_page_says_about_the_figures() -> None:
    found = figures()
    ours = found["right_figures_sepsis40"]["systems"]
    published = {row["pilot.names"]: row for row in found["published"][PUBLISHED]}
    ratios = [right["mean_h"] / right["median_h"] for right in ours.values()]
    assert f"Mean errors are {min(ratios):.0f} to {max(ratios):.0f} times" in PAGE
    assert ours["L3.1 70B"]["f1"] > ours["Mixtral 8x7B"]["f1"]
    assert published["L3.1 70B"]["match_rate"] < published["Mixtral 8x7B"]["match_rate"]
    assert f"lacks {40 - ours['L3.1  8B']['documents']} of the 40 documents" in PAGE
    twin, r = found["python_twin_on_sepsis40_match_files"]["L3.1 70B"], published["L3.1 70B"]
    assert (
        f"its concordance is {twin['concordance']:.4f} (R: {r['concordance']:.4f}) and its AULTC "
        f"{twin['aultc']:.4f} (R: {r['auc']:.4f})"
    ) in PAGE
