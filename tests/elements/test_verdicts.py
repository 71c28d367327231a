"""Verdicts on pairs of events: how a file is read, and which verdict counts."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random

import msgspec
import pytest
from fuzz.mutations import mutate
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.elements.verdicts import VALUES, PairVerdict, agreed, read_verdicts

GOOD = {"gold": "g1", "predicted": "p1", "verdict": "same", "by": "ana"}
ROWS = st.builds(
    PairVerdict,
    gold=st.sampled_from(["g1", "g2"]),
    predicted=st.sampled_from(["p1", "p2"]),
    verdict=st.sampled_from(sorted(VALUES)),
    probability=st.none() | st.floats(0, 1),
    chance=st.none() | st.floats(0, 1, exclude_min=True),
    by=st.sampled_from(["ana", "ben", "cem", "small@5e1f", "large@77a0"]),
    topic=st.sampled_from(["", "suez", "apollo"]),
    system=st.sampled_from(["", "quick", "careful"]),
)


def verdict(word: str, by: str = "ana", **more: object) -> PairVerdict:
    return PairVerdict(**{**GOOD, "verdict": word, "by": by, **more})  # type: ignore[arg-type]


def read(
    folder: Path, rows: Iterable[Mapping[str, object] | str]
) -> tuple[list[tuple[int, PairVerdict]], Problems]:
    path = folder / "verdicts.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    problems = Problems()
    return read_verdicts(source_of(path), problems), problems


def messages(folder: Path, *rows: Mapping[str, object] | str) -> list[str]:
    _, problems = read(folder, rows)
    return [f"{problem.line}: {problem.message}" for problem in problems.problems]


def notices(folder: Path, *rows: Mapping[str, object] | str) -> list[str]:
    _, problems = read(folder, rows)
    assert problems.problems == []
    return [notice.message for notice in problems.notices]


@given(st.lists(ROWS, min_size=1))
def test_written_rows_are_read_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, rows: list[PairVerdict]
) -> None:
    unique = {(r.gold, r.predicted, r.by, r.topic, r.system): r for r in rows}
    path = tmp_path_factory.mktemp("verdicts") / "verdicts.jsonl"
    path.write_bytes(msgspec.json.Encoder().encode_lines([*unique.values()]))
    problems = Problems()
    assert read_verdicts(source_of(path), problems) == [*enumerate(unique.values(), 1)]
    assert problems.problems == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {**GOOD, "verdict": "Same"},
            "verdict is 'Same', expected one of: same, part, different, ",
        ),
        ({**GOOD, "verdict": 1}, "verdict is a whole number, expected text"),
        ({**GOOD, "gold": " "}, "gold is empty"),
        ({**GOOD, "predicted": ""}, "predicted is empty"),
        ({**GOOD, "predicted": 3}, "predicted is a whole number, expected text"),
        ({**GOOD, "by": ""}, "by is empty"),
        ({**GOOD, "by": "ana@lab.example.org"}, "by is 'ana@lab.example.org', an e-mail address"),
        ({**GOOD, "probability": 1.5}, "probability is 1.5, expected 0 to 1"),
        ({**GOOD, "probability": -0.1}, "probability is -0.1, expected 0 to 1"),
        ({**GOOD, "chance": 0}, "chance is 0.0, expected above 0, up to 1"),
        ({**GOOD, "chance": 1.5}, "chance is 1.5, expected above 0, up to 1"),
        ({**GOOD, "probability": "0.5"}, "probability is text, expected a number"),
        ({"gold": "g1", "predicted": "p1", "verdict": "same"}, "there is no 'by'"),
        ({"gold": "g1", "verdict": "same", "by": "ana"}, "there is no 'predicted'"),
        ('{"gold": "g1", "gold": "g2"}', "the key 'gold' is there twice"),
        ('["g1", "p1", "same"]', "the line is a list, expected an object"),
        ('{"gold": "g1"', "the JSON ends too early"),
        ('{"gold": "g1", "probability": NaN}', "not JSON: NaN and Infinity are no numbers"),
    ],
)
def test_a_wrong_row_is_reported_with_its_line(
    tmp_path: Path, row: Mapping[str, object] | str, message: str
) -> None:
    first, *_ = messages(tmp_path, {**GOOD, "gold": "g0"}, row)
    assert first.startswith(f"2: {message}")


def test_all_faults_of_a_row_are_reported(tmp_path: Path) -> None:
    row = {**GOOD, "gold": "", "by": " ", "probability": 2}
    assert messages(tmp_path, row) == [
        "1: gold is empty",
        "1: by is empty",
        "1: probability is 2.0, expected 0 to 1",
    ]


def test_an_unknown_field_is_named_with_the_one_that_was_meant(tmp_path: Path) -> None:
    (notice,) = notices(tmp_path, {**GOOD, "probabilty": 0.5})
    assert notice.endswith("did you mean 'probability'?")


def test_a_second_verdict_of_the_same_person_is_refused_even_if_it_is_the_same(
    tmp_path: Path,
) -> None:
    (message,) = messages(tmp_path, GOOD, {**GOOD, "gold": "g2"}, GOOD)
    assert message == (
        "3: 'ana' judges the pair of gold 'g1' and predicted 'p1' twice, first in line 1: keep one"
    )


def test_verdicts_of_another_system_or_topic_are_no_second_ones(tmp_path: Path) -> None:
    rows = [GOOD, {**GOOD, "system": "quick"}, {**GOOD, "topic": "suez"}]
    assert messages(tmp_path, *rows) == []


def test_people_who_disagree_are_reported(tmp_path: Path) -> None:
    rows = [{**GOOD, "by": by, "verdict": word} for by, word in (("a", "same"), ("b", "part"))]
    assert notices(tmp_path, *rows) == [
        "1 pair with as many verdicts for one word as for another, left out: g1 p1"
    ]
    third = {**GOOD, "by": "c", "verdict": "part"}
    assert notices(tmp_path, *rows, third) == [
        "1 pair with different verdicts, the most frequent counts: g1 p1"
    ]


def test_a_model_that_disagrees_with_people_is_set_aside_and_no_disagreement(
    tmp_path: Path,
) -> None:
    model = {**GOOD, "by": "small@5e1f", "verdict": "different"}
    assert notices(tmp_path, GOOD, model) == [
        "1 verdict of models set aside, since people judged the same pairs: g1 p1"
    ]


def test_a_probability_that_contradicts_its_verdict_is_reported(tmp_path: Path) -> None:
    sure_of_different = {**GOOD, "verdict": "different", "probability": 0.95}
    unlikely_same = {**GOOD, "gold": "g2", "probability": 0.4}
    fine = [
        {**GOOD, "gold": "g3", "verdict": "different", "probability": 0.1},
        {**GOOD, "gold": "g4", "verdict": "part", "probability": 0.9},
        {**GOOD, "gold": "g5", "verdict": "contradicts", "probability": 0.9},
        {**GOOD, "gold": "g6", "probability": 0.5},
    ]
    (notice,) = notices(tmp_path, *fine, sure_of_different, unlikely_same)
    assert notice.startswith("2 verdicts and probability do not fit each other, first in line 5")
    assert notices(tmp_path, *fine) == []


def test_an_empty_file_is_a_problem(tmp_path: Path) -> None:
    assert messages(tmp_path) == ["None: the file is empty (--lenient accepts it)"]


@given(st.integers(0, 1000))
def test_a_damaged_file_raises_nothing(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rows = [{**GOOD, "gold": f"g{at}", "probability": at / 9} for at in range(9)]
    good = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path = tmp_path_factory.mktemp("verdicts") / "verdicts.jsonl"
    path.write_bytes(mutate(path.name, good, Random(seed)).data)
    problems = Problems()
    for line, row in read_verdicts(source_of(path), problems):
        assert line >= 1
        assert row.gold.strip()
        assert 0 <= row.value <= 1


# Which verdict counts


@pytest.mark.parametrize(
    ("word", "value"), [("same", 1.0), ("part", 0.5), ("different", 0.0), ("contradicts", 1.0)]
)
def test_a_word_has_a_value_unless_there_is_a_probability(word: str, value: float) -> None:
    assert verdict(word).value == value
    assert verdict(word, probability=0.25).value == 0.25
    assert verdict(word, probability=0.0).value == 0.0


def test_one_person_wins_over_any_number_of_models() -> None:
    models = [verdict("same", f"model{at}@5e1f") for at in range(3)]
    assert agreed([*models, verdict("different")])["g1", "p1"].verdict == "different"
    assert agreed(models)["g1", "p1"].verdict == "same"


def test_a_tie_of_people_is_left_out_even_if_a_model_has_a_verdict() -> None:
    rows = [verdict("same", "ana"), verdict("part", "ben"), verdict("part", "small@5e1f")]
    assert agreed(rows) == {}
    assert agreed(rows[1:])["g1", "p1"].verdict == "part"


def test_the_most_frequent_verdict_counts_with_the_mean_of_its_values() -> None:
    rows = [
        verdict("same", "ben", probability=0.75),
        verdict("different", "cem", probability=0.0),
        verdict("same", "ana"),
    ]
    (found,) = agreed(rows).values()
    assert (found.verdict, found.probability, found.by) == ("same", 0.875, "ana, ben")
    assert not found.by_model


def test_without_probabilities_agreed_verdicts_have_none() -> None:
    (found,) = agreed([verdict("part", "ana"), verdict("part", "ben")]).values()
    assert found.probability is None
    assert found.value == 0.5


def test_a_verdict_of_one_system_or_topic_is_not_used_for_another() -> None:
    rows = [
        verdict("same", system="quick", topic="suez"),
        verdict("part", gold="g2"),
    ]
    assert agreed(rows, system="quick", topic="suez").keys() == {("g1", "p1"), ("g2", "p1")}
    assert agreed(rows, system="careful").keys() == {("g2", "p1")}
    assert agreed(rows, topic="apollo").keys() == {("g2", "p1")}
    assert agreed(rows).keys() == {("g1", "p1"), ("g2", "p1")}


@given(st.lists(ROWS), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_verdict(rows: list[PairVerdict], random: Random) -> None:
    shuffled = random.sample(rows, len(rows))
    first, second = agreed(rows), agreed(shuffled)
    assert first.keys() == second.keys()
    for pair, row in first.items():
        assert (row.verdict, row.value, row.by) == (
            second[pair].verdict,
            second[pair].value,
            second[pair].by,
        )
