"""Wrong data and wrong words about events: each is named, and nothing is scored in silence."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, call, run

from chronoscore.events.verdicts import verdicts_of

Line = dict[str, Any]


def line(number: int, **more: Any) -> Line:
    return {
        "id": f"e{number}",
        "topic": "t",
        "date": f"2011-02-{10 + number}",
        "text": f"The number {number} train leaves for town {number} at last.",
        **more,
    }


def without(one: Line, *names: str) -> Line:
    return {name: value for name, value in one.items() if name not in names}


def written(path: Path, lines: Iterable[Line | str]) -> Path:
    texts = (one if isinstance(one, str) else json.dumps(one) for one in lines)
    path.write_text("".join(f"{text}\n" for text in texts))
    return path


GOOD = [line(1), line(2)]
FACTS = [line(1, facts=["A train leaves."]), line(2)]
VERDICT = {"gold": "e1", "predicted": "e1", "verdict": "same", "by": "ana"}


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return written(tmp_path / "good.jsonl", GOOD)


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    return written(tmp_path / "facts.jsonl", FACTS)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (line(2, facts="abc"), "facts is text, expected a list"),
        (line(2, facts=[1]), "facts[0] is a whole number, expected text"),
        (line(2, facts=[" ", ""]), "2 of 2 facts are blank: remove them"),
        (line(2, weight=0), "weight is 0, expected a number above 0, up to 1e+09"),
        (line(2, weight=-1), "weight is -1, expected a number above 0"),
        (line(2, weight=1e308), "weight is 1e+308, expected a number above 0, up to 1e+09"),
        (line(2, weight="heavy"), "weight is text, expected a number"),
        ('{"id": "e2", "topic": "t", "weight": NaN}', "not JSON: NaN and Infinity are no numbers"),
        (line(2, labels="begins-on"), "labels is text, expected a list"),
        (line(2, labels=[1]), "labels[0] is a whole number, expected text"),
        (line(2, id="e1"), "event id 'e1' is used twice, first in line 1"),
        (line(2, date="12"), "'12' is not a date"),
    ],
)
def test_a_wrong_field_is_refused_on_either_side(
    wrong: Line | str, message: str, good: Path, tmp_path: Path
) -> None:
    path = written(tmp_path / "wrong.jsonl", [line(1), wrong])
    for sides in ((good, path), (path, good)):
        ran = run("events", *sides)
        assert ran.code == BAD_DATA
        assert f"{path}:2: {message}" in ran.err


def test_dates_and_offsets_do_not_mix(good: Path, tmp_path: Path) -> None:
    hours = written(tmp_path / "hours.jsonl", [line(1, date="12"), line(2, date="13")])
    ran = run("events", good, hours, "--time-unit", "hour")
    assert ran.code == BAD_DATA
    assert f"{good}:1: '2011-02-11' is not a number of h" in ran.err
    ran = run(
        *("events", hours, hours, "--time-unit", "hour"),
        *("-m", "event-timed(closeness=level(month))"),
    )
    assert (ran.code, "needs a calendar" in ran.err) == (USAGE, True)


def test_facts_on_one_side_only_are_refused(good: Path, facts: Path) -> None:
    for sides, owner in (((facts, good), "event of good"), ((good, facts), "gold event")):
        ran = run("events", *sides, "-m", "event-facts")
        assert ran.code == BAD_DATA
        assert f"no {owner} has facts, and event-facts compares them" in ran.err
        assert run("events", *sides).code == FINE


def test_events_without_facts_beside_some_with_are_noticed(facts: Path) -> None:
    ran = run("events", facts, facts, "-m", "event-facts")
    assert ran.code == FINE
    assert "the gold: 1 event has no facts" in ran.notices
    assert "facts: 1 event has no facts" in ran.notices


def test_facts_of_other_makers_are_noticed(facts: Path, tmp_path: Path) -> None:
    made = [line(1, facts=["A train leaves."], facts_by="small@5e1f0a2b"), line(2)]
    ran = run("events", facts, written(tmp_path / "made.jsonl", made), "-m", "event-facts")
    assert ran.code == FINE
    assert "facts of made are by small@5e1f0a2b, those of the gold by given" in ran.err


def test_events_without_a_date_are_noticed(good: Path, tmp_path: Path) -> None:
    undated = written(tmp_path / "undated.jsonl", [without(one, "date") for one in GOOD])
    asked = "2 events of the gold have no date: their dates are not scored"
    earned = (
        "2 events of undated have no date: they earn no credit for time where the gold has a date"
    )
    for sides, words in (
        ((good, undated), {earned}),
        ((undated, good), {asked}),
        ((undated, undated), {asked, earned}),
    ):
        ran = run("events", *sides)
        assert ran.code == FINE
        assert words == {asked, earned} & {*ran.notices}


@pytest.mark.parametrize(
    "silent", [line(2, text=""), line(2, text=" \n"), without(line(2), "text")]
)
def test_events_without_a_text_are_noticed(silent: Line, good: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "silent.jsonl", [line(1), silent])
    ran = run("events", good, path)
    assert ran.code == FINE
    assert "silent: 1 event has no text, and can match only events without one" in ran.notices


def test_a_file_without_events_is_refused(good: Path, tmp_path: Path) -> None:
    empty = written(tmp_path / "empty.jsonl", [])
    for sides in ((empty, empty), (empty, good), (good, empty)):
        ran = run("events", *sides)
        assert ran.code == BAD_DATA
        assert f"{empty}: the file is empty" in ran.err


def test_a_topic_without_a_gold_or_without_a_prediction_is_reported(
    good: Path, tmp_path: Path
) -> None:
    more = written(tmp_path / "more.jsonl", [*GOOD, line(3, topic="u")])
    ran = run("events", good, more)
    assert ran.code == BAD_DATA
    assert "u" in ran.err
    ran = run("events", more, good)
    assert ran.code == FINE
    assert any("u" in notice.split() for notice in ran.notices)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("event-timed(closeness=nonsense)", "closeness is 'nonsense', expected one of: near"),
        ("event-timed(closeness=log(horizon=0h))", "the horizon must be above 0"),
        ("event-timed(closeness=within)", "expected a length, as in within(3)"),
        ("event-timed(closeness=within(-3))", "'-3' is no length of time"),
        ("event-timed(closeness=near(unit=eon))", "no unit 'eon'"),
        ("event-f1(threshold=1)", "'threshold' is 1.0, expected 0 or more and below 1"),
        ("event-f1(threshold=-1)", "'threshold' is -1.0, expected 0 or more"),
        ("event-f1(threshold=nan)", "'threshold' is 'nan', expected number"),
        ("event-f1(time_weight=2)", "'time_weight' is 2.0, expected 0 to 1"),
        ("event-f1(similarity=unknown)", "'similarity' is 'unknown', expected one of: rarity"),
        ("event-f1(tokens=unknown)", "unknown text processing 'unknown'"),
        ("event-f1(unit=week)", "'unit' is 'week', expected one of: sentence, day, entry"),
        ("event-rouge(rouge=0)", "'rouge' is '0', expected 1 to 99, or L"),
        ("event-date(tolerance=-1)", "'tolerance' is -1.0, expected 0 or more"),
        ("event-f1(zone=bogus)", "'bogus' is no zone"),
        ("event-strict", "event-strict needs verdicts=FILE"),
        ("event-f1(verdicts=nofile.jsonl)", "the file of verdicts nofile.jsonl does not exist"),
    ],
)
def test_wrong_parameters_are_refused(metric: str, message: str, good: Path) -> None:
    ran = run("events", good, good, "-m", metric)
    assert ran.code == USAGE
    assert message in ran.err


FUNCTIONS = """
def shape(some, others):
    return [[1.0]] * (len(some) + 1)

def nothing(some, others):
    return [[float("nan")] * len(others) for _ in some]

def large(some, others):
    return [[2.0] * len(others) for _ in some]

def words(some, others):
    return "alike"

def fails(some, others):
    raise KeyError("some word")

def uneven(some, others):
    return [[float(one < other) for other in others] for one in some]
"""


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("shape", "returned an array of shape (3, 1), expected (2, 2)"),
        ("nothing", "returned values that are not between 0 and 1"),
        ("large", "returned values that are not between 0 and 1"),
        ("words", "returned str, expected a table of numbers"),
        ("fails", "failed: KeyError: 'some word'"),
        ("missing", "there is no function"),
    ],
)
def test_a_wrong_function_of_the_user_is_refused(
    function: str, message: str, good: Path, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(FUNCTIONS)
    ran = call("events", good, good, "-m", f"event-f1(similarity={tmp_path}/own.py:{function})")
    assert ran.code == USAGE
    assert message in ran.err


def test_a_function_that_is_not_symmetric_is_made_so(good: Path, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(FUNCTIONS)
    other = written(tmp_path / "other.jsonl", [line(1, text="A"), line(2, text="Z")])
    found = []
    for sides in ((good, other), (other, good)):
        name = f"event-similarity(similarity={tmp_path}/own.py:uneven,time_weight=0)"
        ran = run("events", *sides, "-m", name, "-f", "json")
        assert ran.code == FINE, ran.err
        (system,) = json.loads(ran.out)["systems"]
        found.append(system["rows"][0]["statistics"])
    assert found[0] == found[1]
    assert [*found[0].values()] == [[1.0, 2]]


# Verdicts


def test_verdicts_on_unknown_events_are_refused(good: Path, tmp_path: Path) -> None:
    for side in ("gold", "predicted"):
        path = written(tmp_path / f"{side}.jsonl", [VERDICT, {**VERDICT, side: "x"}])
        ran = run("events", good, good, "-m", f"event-f1(verdicts={path})")
        assert ran.code == BAD_DATA
        assert f"{path}: 1 verdict on {side} events that no file has: x" in ran.err


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({**VERDICT, "verdict": "maybe"}, "verdict is 'maybe', expected one of: same"),
        ({**VERDICT, "predicted": "e2", "probability": 2}, "probability is 2.0, expected 0 to 1"),
        (VERDICT, "'ana' judges the pair of gold 'e1' and predicted 'e1' twice"),
        ({**VERDICT, "predicted": "e2", "by": ""}, "by is empty"),
        ('{"gold": "e1"', "the JSON ends too early"),
        (without({**VERDICT}, "gold"), "gold"),
    ],
)
def test_a_wrong_verdict_is_refused(
    wrong: Line | str, message: str, good: Path, tmp_path: Path
) -> None:
    path = written(tmp_path / "verdicts.jsonl", [VERDICT, wrong])
    ran = run("events", good, good, "-m", f"event-f1(verdicts={path})")
    assert ran.code == BAD_DATA
    assert f"{path}:2: " in ran.err
    assert message in ran.err


def test_verdicts_that_changed_after_the_signature_are_refused(good: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "verdicts.jsonl", [VERDICT])
    saved = tmp_path / "r.json"
    ran = run("events", good, good, "-m", f"event-strict(verdicts={path})", "--save", saved)
    assert ran.code == FINE, ran.err
    again = "--from-signature", run("show", saved, "--signature").out.strip()
    assert run("events", good, good, *again).code == FINE
    written(path, [{**VERDICT, "verdict": "contradicts"}])
    verdicts_of.cache_clear()  # what a process has read once stays as it was
    ran = run("events", good, good, *again)
    assert ran.code == USAGE
    assert "is not the one of this name: its content changed" in ran.err


# Languages

CHINESE = [line(1, text="总统辞职。"), line(2, text="军队接管首都。")]


def test_content_tokens_of_text_that_is_not_english_are_noticed(tmp_path: Path) -> None:
    chinese = written(tmp_path / "zh.jsonl", CHINESE)
    ran = run("events", chinese, chinese)
    assert ran.code == FINE
    assert "the text of t does not look English, and tokens=content reads it" in ran.err
    declared = run("events", chinese, chinese, "--language", "zh")
    assert declared.code == FINE
    assert "English" not in declared.err
    assert "of words" in declared.out
