"""`chronoscore events threshold`: chosen from golds alone, or from people's verdicts on pairs."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from events.judging import WORDS, judged, written
from readers.command_line import Ran, run
from vectors_home import real

from chronoscore.core.case import OTHER_GOLDS
from chronoscore.elements.dated.cases import ceiling_cases
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.text.conflicts import NEGATIONS
from chronoscore.elements.text.languages import stemmer
from chronoscore.elements.text.rouge155 import stop_words
from chronoscore.elements.text.tokeniser import Token, Tokeniser
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.errors import DataError, UsageError
from chronoscore.events import comparison
from chronoscore.events.family import FAMILY
from chronoscore.events.threshold import MOST_COPIED, ChanceStudy, ThresholdPlan, chance_study

TIMED = FAMILY.metric("event-timed(unit=entry)")
PLAN = ThresholdPlan(draws=1)
Golds = dict[str, dict[str, Timeline]]


# The golds of two collections, between newspapers

MOST_EVENTS = 110
PUBLISHED = {0.18: (423, 29), 0.2: (394, 19), 0.22: (366, 15), 0.25: (330, 10), 0.3: (261, 4)}
"""Matches within three days, and by chance, as published for tokens of another cut."""
PRODUCT = {0.18: 423, 0.2: 394, 0.22: 366, 0.25: 329, 0.3: 262}
"""The same by the tokens of `content.1`, which cut words of letters and digits otherwise."""
_CUT = re.compile(r"n't|\d+(?:[.,]\d+)*|[a-z]+(?=n't)|[a-z]+")


def newspapers() -> Golds:
    """Golds of Crisis and Timeline17 with up to 110 entries, both collections in one topic."""
    golds: Golds = {}
    for collection in ("crisis", "timeline17"):
        path = real(f"timelines/{collection}.json")
        for case in json.loads(path.read_text(encoding="utf-8")):
            _, _, topic, *name, system = case["name"].split("_")
            (days,) = case["references"] if len(case["references"]) == 1 else ({},)
            if system == "bestds" and 0 < sum(map(len, days.values())) <= MOST_EVENTS:
                timeline = Timeline.of({date.fromisoformat(day): days[day] for day in days})
                golds.setdefault(topic, {})["_".join((collection, *name))] = timeline
    assert sum(map(len, golds.values())) == 38
    return golds


@pytest.fixture
def _published_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut numbers with points and commas in one piece, and keep what stop words have before '."""

    def spans(text: str) -> Iterator[Token]:
        plain = text.lower().replace("’", "'")
        return (Token(found[0], *found.span()) for found in _CUT.finditer(plain))

    ignored = frozenset(stop_words()) - NEGATIONS
    tokens = Tokeniser(spans).without(ignored).mapped(stemmer("en"))
    monkeypatch.setattr(comparison, "tokeniser", lambda _: tokens)


def rows_of(study: ChanceStudy) -> dict[float, tuple[int, float]]:
    return {row.threshold: (row.matches, row.chance) for row in study.rows}


@pytest.mark.usefixtures("_published_tokens")
def test_matches_between_newspapers_are_the_published_ones() -> None:
    plan = ThresholdPlan(lowest=0.18, highest=0.3, draws=3)
    study = chance_study(newspapers(), TIMED, plan)
    assert (study.pairs, study.topics) == (97, 6)
    found = rows_of(study)
    assert {at: found[at][0] for at in PUBLISHED} == {at: n for at, (n, _) in PUBLISHED.items()}
    for at, (_, drawn) in PUBLISHED.items():  # that was one draw, of one side
        assert abs(found[at][1] - drawn) <= 2 * sqrt(drawn)
    assert "9 pairs of golds left out, since more than 30% of the texts" in study.notices[0]


def test_tokens_of_the_product_match_nearly_as_much_between_newspapers() -> None:
    study = chance_study(newspapers(), TIMED, replace(PLAN, lowest=0.18, highest=0.3))
    assert {at: rows_of(study)[at][0] for at in PRODUCT} == PRODUCT
    assert study.threshold is not None
    assert 0.18 <= study.threshold <= 0.22


def copied(one: Timeline, other: Timeline) -> float:
    texts = [{text for day in side.texts for text in day} for side in (one, other)]
    return max(len(texts[0] & texts[1]) / len(side) for side in texts)


def ceilings(cases: Sequence[Any]) -> dict[str, float]:
    metrics = ("event-f1", "event-timed", "event-date", "event-soft")
    settings = Settings.make(FAMILY, metrics=[f"{name}(unit=entry)" for name in metrics])
    (system,) = score(settings, {OTHER_GOLDS: cases}).result.systems
    found = [summary.scores["f1"] or 0.0 for summary in system.summaries]
    return {name: round(value, 4) for name, value in zip(metrics, found, strict=True)}


@pytest.mark.usefixtures("_published_tokens")
def test_other_golds_without_copies_are_the_published_ones() -> None:
    cases = [
        case
        for case in ceiling_cases(newspapers())
        if copied(case.gold[0], case.predicted) <= MOST_COPIED
    ]
    assert len(cases) == 2 * 97
    assert ceilings(cases) == {
        "event-f1": 0.0925,
        "event-timed": 0.0756,
        "event-date": 0.0694,
        "event-soft": 0.0244,
    }


def test_other_golds_count_copies_too() -> None:
    assert ceilings(ceiling_cases(newspapers())) == {
        "event-f1": 0.1279,
        "event-timed": 0.1113,
        "event-date": 0.1052,
        "event-soft": 0.0609,
    }


# Made golds

BEGIN = date(2011, 1, 1)
EVENTS = 6


def record(topic: str, timeline: str, at: int, words: str, **fields: object) -> dict[str, object]:
    day = BEGIN + timedelta(days=40 * at)
    return {
        "id": f"{topic}-{timeline}-{at}",
        "topic": topic,
        "timeline": timeline,
        "date": day.isoformat(),
        "text": words,
        **fields,
    }


def told(topic: str, timeline: str, own: str) -> list[dict[str, object]]:
    """Tell events by four words, two of which every timeline of the topic has."""
    return [
        record(topic, timeline, at, f"name{at} place{at} {own}{at} {own}more{at}")
        for at in range(EVENTS)
    ]


@pytest.fixture
def golds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [row for topic in "st" for name in "ab" for row in told(topic, name, name)]
    return written(tmp_path / "golds.jsonl", rows)


def document(ran: Ran) -> dict[str, Any]:
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_the_smallest_threshold_with_little_chance_is_named(golds: Path) -> None:
    found = document(run("events", "threshold", golds, "-f", "json"))
    assert [row["matches"] for row in found["rows"]] == [2 * EVENTS] * 31
    assert [row["chance"] for row in found["rows"]] == [0.0] * 31
    assert (found["threshold"], found["name"]) == (0.1, "event-timed(threshold=0.1)")
    assert (found["pairs"], found["golds"], found["topics"]) == (2, 4, 2)
    ran = run("events", "threshold", golds)
    assert "To score with it: -m 'event-timed(threshold=0.1)'" in ran.out
    assert "the threshold rests on 12 matches" in ran.err


def test_a_metric_decides_what_is_tried(golds: Path) -> None:
    metric = "event-f1(similarity=rouge-1,tokens=words)"
    ran = run("events", "threshold", golds, "-m", metric, "--highest", "0.6", "-f", "json")
    found = document(ran)
    assert found["name"] == "event-f1(similarity=rouge-1,tokens=words,threshold=0.1)"
    by_threshold = {row["threshold"]: row["matches"] for row in found["rows"]}
    assert (by_threshold[0.49], by_threshold[0.5]) == (2 * EVENTS, 0)  # two words of four


def test_dates_far_apart_are_no_match_of_golds(golds: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in golds.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        if row["timeline"] == "b":
            row["date"] = (date.fromisoformat(row["date"]) + timedelta(days=4)).isoformat()
    moved = written(tmp_path / "moved.jsonl", rows)
    found = document(run("events", "threshold", moved, "-f", "json"))
    assert {row["matches"] for row in found["rows"]} == {0}
    assert (found["threshold"], found["name"]) == (None, "")
    found = document(run("events", "threshold", moved, "--near", "4", "-f", "json"))
    assert found["rows"][0]["matches"] == 2 * EVENTS


def test_texts_that_all_tell_alike_match_by_chance(tmp_path: Path) -> None:
    rows = [
        record("s", name, at, f"protest in cairo {name}{at}") for name in "ab" for at in range(8)
    ]
    path = written(tmp_path / "golds.jsonl", rows)
    metric = "event-f1(similarity=rouge-1,tokens=words)"
    ran = run("events", "threshold", path, "-m", metric, "-f", "json")
    found = document(ran)
    assert found["rows"][0]["share"] == 1.0
    assert found["threshold"] is None
    assert (
        "No threshold up to 0.4 has a share of at most 0.05"
        in run("events", "threshold", path, "-m", metric).out
    )


def test_a_seed_repeats_the_draws_whatever_the_order_of_the_file(tmp_path: Path) -> None:
    rows = [
        record("s", name, at, f"word{at % 3} word{at % 5} {name}{at}")
        for name in "abc"
        for at in range(15)
    ]
    outputs = []
    for order, seed in ((rows, 1), (rows[::-1], 1), (rows, 2)):
        path = written(tmp_path / "golds.jsonl", order)
        outputs.append(document(run("events", "threshold", path, "--seed", seed, "-f", "json")))
    assert outputs[0] == outputs[1]
    chances = [[row["chance"] for row in found["rows"]] for found in outputs]
    assert chances[0] != chances[2]


def test_copies_are_left_out_and_named(golds: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in golds.read_text(encoding="utf-8").splitlines()]
    rows += [{**row, "timeline": "c", "id": f"{row['id']}c"} for row in rows[:EVENTS]]
    ran = run("events", "threshold", written(tmp_path / "more.jsonl", rows), "-f", "json")
    assert document(ran)["pairs"] == 3
    assert "1 pair of golds left out, since more than 30%" in ran.err
    assert "s: a and c" in ran.err


def test_one_gold_a_topic_is_not_enough(tmp_path: Path) -> None:
    path = written(tmp_path / "golds.jsonl", [*told("s", "a", "a"), *told("t", "a", "a")])
    ran = run("events", "threshold", path)
    assert ran.code == 3
    assert "no topic has two golds with events (2 topics)" in ran.err
    assert "--verdicts FILE PREDICTED..." in " ".join(ran.err.split())


def test_golds_of_a_short_time_need_a_smaller_distance(tmp_path: Path) -> None:
    rows = [
        {**row, "date": (BEGIN + timedelta(days=at % EVENTS)).isoformat()}
        for at, row in enumerate((*told("s", "a", "a"), *told("s", "b", "b")))
    ]
    path = written(tmp_path / "golds.jsonl", rows)
    ran = run("events", "threshold", path)
    assert ran.code == 3
    assert "give a smaller number of days by --far" in " ".join(ran.err.split())
    found = document(run("events", "threshold", path, "--near", 0, "--far", 2, "-f", "json"))
    assert found["rows"][0]["matches"] == EVENTS


def test_undated_events_are_no_match_of_golds(tmp_path: Path) -> None:
    rows = [*told("s", "a", "a"), *told("s", "b", "b")]
    rows[0].pop("date")
    path = written(tmp_path / "golds.jsonl", rows)
    ran = run("events", "threshold", path, "-f", "json")
    assert document(ran)["rows"][0]["matches"] == EVENTS - 1
    assert "have no text of their gold 30 days away" in " ".join(ran.err.split())


def test_a_declared_language_other_than_english_asks_for_words(golds: Path) -> None:
    ran = run("events", "threshold", golds, "--language", "es", "-f", "json")
    assert document(ran)["name"] == "event-timed(tokens=words,threshold=0.1)"
    assert "tokens=words, since the declared language is es" in ran.err
    ran = run("events", "threshold", golds, "--language", "en", "-f", "json")
    assert document(ran)["name"] == "event-timed(threshold=0.1)"


def test_predictions_are_refused_without_verdicts(golds: Path) -> None:
    ran = run("events", "threshold", golds, golds)
    assert ran.code == 2
    assert "predictions are for --verdicts FILE" in ran.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--lowest", "0.5"), "the lowest first"),
        (("--highest", "1"), "from 0 to below 1"),
        (("--step", "0"), "--step is 0, expected one above 0"),
        (("--step", "0.0001"), "at most 1000 thresholds"),
        (("--chance", "5"), "--chance is 5, expected a share between 0 and 1"),
        (("--near", "40"), "more of them for --far"),
        (("--draws", "0"), "--draws is 0, expected 1 or more"),
        (("--part", "skip"), "--part is for --verdicts"),
        (("-m", "AR-1"), "unknown metric 'AR-1' in events"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    golds: Path, options: tuple[str, str], message: str
) -> None:
    ran = run("events", "threshold", golds, *options)
    assert ran.code == 2
    assert message in " ".join(ran.err.split())


def test_a_metric_of_verdicts_has_no_threshold_of_texts(golds: Path, tmp_path: Path) -> None:
    row = {"gold": "s-a-0", "predicted": "s-b-0", "verdict": "same", "by": "ana"}
    file = written(tmp_path / "verdicts.jsonl", [row])
    ran = run("events", "threshold", golds, "-m", f"event-f1(verdicts={file})")
    assert ran.code == 2
    assert "leave it out of the metric" in " ".join(ran.err.split())


@pytest.mark.parametrize(
    ("form", "first"),
    [
        ("csv", "threshold,matches,chance,share"),
        ("markdown", "| threshold | matches | chance | share |"),
    ],
)
def test_tables_are_printed_in_every_format(golds: Path, form: str, first: str) -> None:
    ran = run("events", "threshold", golds, "-f", form)
    assert ran.code == 0
    lines = [re.sub(r"\s+", " ", line) for line in ran.out.splitlines()]
    assert first in lines


# Verdicts


def by_verdicts(files: tuple[Path, Path, Path], *options: object) -> Ran:
    gold, predicted, verdicts = files
    return run(
        "events", "threshold", gold, "--verdicts", verdicts, predicted, "-m", WORDS, *options
    )


def test_the_threshold_of_best_f1_is_the_middle_of_the_best(tmp_path: Path) -> None:
    found = document(by_verdicts(judged(tmp_path), "-f", "json"))
    by_threshold = {row["threshold"]: row["f1"] for row in found["rows"]}
    assert by_threshold[0.19] == pytest.approx(2 / 3)
    assert by_threshold[0.2] == by_threshold[0.29] == pytest.approx((5 + 2 / 3) / 6)
    assert by_threshold[0.3] == pytest.approx(1 / 6)
    assert (found["threshold"], found["f1"]) == (0.25, by_threshold[0.25])
    assert found["name"] == "event-f1(similarity=rouge-1,tokens=words,threshold=0.25)"
    assert found["people"] == ["ana"]


def test_each_topic_is_scored_by_the_threshold_of_the_others(tmp_path: Path) -> None:
    found = document(by_verdicts(judged(tmp_path, topics=2), "-f", "json"))
    odd, usual = found["topics"]
    assert (odd["threshold"], odd["matched"], odd["right"]) == (0.25, 2, 1)
    assert (usual["threshold"], usual["matched"], usual["right"], usual["f1"]) == (0.35, 0, 0, 0)
    assert found["left_out"] == pytest.approx(1 / 3)
    assert found["left_out"] < found["f1"]


def test_intervals_resample_topics_and_take_five(tmp_path: Path) -> None:
    found = document(by_verdicts(judged(tmp_path), "-f", "json"))
    bounds = found["left_out_interval"]
    assert bounds["unit"] == "topic"
    assert bounds["low"] < found["left_out"] <= bounds["high"]
    assert found["interval"]["low"] <= 0.25 <= found["interval"]["high"]
    ran = by_verdicts(judged(tmp_path, topics=4), "-f", "json")
    assert document(ran)["left_out_interval"] is None
    assert "no intervals: they need at least 5 topics" in ran.err


def test_one_topic_gives_a_threshold_that_nothing_checks(tmp_path: Path) -> None:
    ran = by_verdicts(judged(tmp_path, topics=1, odd=False))
    assert ran.code == 0
    assert "The threshold of the best F1: 0.25" in ran.out
    assert "each topic by the threshold of the others" not in ran.out


def test_pairs_without_a_verdict_count_as_asked(tmp_path: Path) -> None:
    files = judged(tmp_path, odd=False)
    rows = [json.loads(line) for line in files[2].read_text(encoding="utf-8").splitlines()]
    written(files[2], [row for row in rows if row["verdict"] == "same"])
    skipped = document(by_verdicts(files, "-f", "json"))
    assert skipped["rows"][0]["f1"] == 1
    counted = document(by_verdicts(files, "--unjudged", "different", "-f", "json"))
    assert counted["rows"][0]["f1"] == pytest.approx(2 / 3)


def test_a_best_threshold_at_the_end_of_those_tried_is_reported(tmp_path: Path) -> None:
    ran = by_verdicts(judged(tmp_path), "--highest", "0.2", "-f", "json")
    assert document(ran)["threshold"] == 0.2
    assert "the best threshold is the last one tried: see also --highest" in ran.err


def test_thresholds_that_match_none_of_peoples_pairs_are_refused(tmp_path: Path) -> None:
    ran = by_verdicts(judged(tmp_path), "--lowest", "0.5", "--highest", "0.6")
    assert ran.code == 3
    assert "no threshold from 0.5 to 0.6 matches a pair that people call the same" in ran.err


def test_parts_count_as_asked(tmp_path: Path) -> None:
    files = judged(tmp_path, odd=False)
    text = files[2].read_text(encoding="utf-8")
    files[2].write_text(text.replace("different", "part"), encoding="utf-8")
    for part, matches in (("same", 1.0), ("different", 2 / 3), ("skip", 1.0)):
        found = document(by_verdicts(files, "--part", part, "-f", "json"))
        assert found["rows"][0]["f1"] == pytest.approx(matches)


def test_verdicts_of_models_choose_no_threshold(tmp_path: Path) -> None:
    ran = by_verdicts(judged(tmp_path, by="small@5e1f0a2b"))
    assert ran.code == 3
    assert "no verdict is by a person" in ran.err


def test_verdicts_need_predictions(tmp_path: Path) -> None:
    gold, _, verdicts = judged(tmp_path)
    ran = run("events", "threshold", gold, "--verdicts", verdicts)
    assert ran.code == 2
    assert "--verdicts needs the predictions whose events people judged" in " ".join(
        ran.err.split()
    )
    ran = run("events", "threshold", gold, "--verdicts", verdicts, "--chance", "0.1")
    assert ran.code == 2
    assert "--chance does not go with --verdicts" in ran.err


def test_events_without_ids_have_no_verdicts(tmp_path: Path) -> None:
    files = judged(tmp_path)
    for path in files[:2]:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        days = "".join(f"{row['date']}\n{row['text']}\n{'-' * 32}\n" for row in rows[:1])
        path.with_suffix(".txt").write_text(days, encoding="utf-8")
    gold, predicted = (path.with_suffix(".txt") for path in files[:2])
    ran = run("events", "threshold", gold, "--verdicts", files[2], predicted, "-m", WORDS)
    assert ran.code == 3
    assert "no event has an id, and verdicts name events by their ids" in ran.err


def test_verdicts_on_unknown_events_are_reported(tmp_path: Path) -> None:
    files = judged(tmp_path)
    stranger = {"gold": "nobody", "predicted": "pt0-0", "verdict": "same", "by": "ana"}
    rows = [json.loads(line) for line in files[2].read_text(encoding="utf-8").splitlines()]
    written(files[2], [*rows, stranger])
    ran = by_verdicts(files, "-f", "json")
    assert document(ran)["threshold"] == 0.25
    assert "1 pair with a verdict whose events are in no file left out: nobody pt0-0" in " ".join(
        ran.err.split()
    )
    written(files[2], [stranger])
    ran = by_verdicts(files)
    assert ran.code == 3
    assert "no verdict is on two events of the files" in ran.err


def test_topics_in_which_nothing_is_the_same_are_left_out(tmp_path: Path) -> None:
    files = judged(tmp_path, topics=3, odd=False)
    text = files[2].read_text(encoding="utf-8")
    first, rest = text.split("\n", 1)
    files[2].write_text(first.replace("same", "different") + "\n" + rest, encoding="utf-8")
    ran = by_verdicts(files, "-f", "json")
    assert [topic["topic"] for topic in document(ran)["topics"]] == ["t1", "t2"]
    assert "1 topic in which people call no pair the same left out: t0" in " ".join(ran.err.split())
    files[2].write_text(text.replace("same", "different"), encoding="utf-8")
    assert "people call no pair the same" in by_verdicts(files).err


# In Python


def test_golds_in_memory_are_compared_too() -> None:
    days = {BEGIN + timedelta(days=40 * at): [f"name{at} place{at}"] for at in range(4)}
    more = {day: [f"{texts[0]} again further"] for day, texts in days.items()}
    golds = {"s": {"a": Timeline.of(days), "b": Timeline.of(more)}}
    assert rows_of(chance_study(golds, TIMED, PLAN))[0.2] == (4, 0.0)
    with pytest.raises(DataError, match="every two golds of one topic are copies"):
        chance_study({"s": {name: Timeline.of(days) for name in "ab"}}, TIMED, PLAN)
    with pytest.raises(UsageError, match="no way 'half' to count parts"):
        chance_study(golds, TIMED, replace(PLAN, part="half"))
