"""Damages of entries: what each does, and how metrics of events react to it on public golds."""

import json
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pytest
from click.testing import CliRunner
from every import each
from vectors_home import real

from chronoscore.cli import timelines as verbs
from chronoscore.core.case import Case
from chronoscore.demo import home
from chronoscore.elements.dated.cases import TimelineCase
from chronoscore.elements.dated.damages import ENTRIES, HEADER, add_foreign
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.time import Time
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.errors import UsageError
from chronoscore.evaluation.metric_tests import (
    METRICS,
    REACTIONS,
    REWRITE,
    SEED,
    UNHARMED,
    Outcome,
    Report,
    run,
)
from chronoscore.families import family

DEMO = home() / "gold.jsonl"
Days = dict[str, list[str]]


def timeline(days: Days) -> Timeline:
    return Timeline.of({Time.parse(day): texts for day, texts in days.items()})


def damaged(test: str, days: Days, seed: int = SEED) -> Days | None:
    harmed = ENTRIES[test](timeline(days), Random(seed))
    return None if harmed is None else {str(day): list(texts) for day, texts in harmed.days}


def entries(days: Days) -> list[tuple[str, str]]:
    return sorted((day, text) for day, texts in days.items() for text in texts)


# What each damage does

FOUR = {
    "2011-01-25": ["Protests begin in Cairo.", "Police use water cannon on 3 of 1,200 marchers."],
    "2011-01-26": ["The army will move."],
    "2011-02-11": ["President Hosni Mubarak of Egypt resigns after eighteen days of protest."],
}


def test_a_fifth_of_the_entries_is_dropped_and_at_least_one() -> None:
    days = {f"2011-01-{day:02}": [f"Event {day}."] for day in range(1, 11)}
    for seed in range(5):
        left = damaged("drop_a_fifth", days, seed)
        assert left is not None
        assert len(left) == 8
        assert left.items() <= days.items()
        four = damaged("drop_a_fifth", FOUR, seed)
        assert four is not None
        assert len(entries(four)) == 3


def test_the_earlier_half_is_kept() -> None:
    assert damaged("drop_later_half", FOUR) == {"2011-01-25": FOUR["2011-01-25"]}


def test_the_first_entry_of_each_day_is_kept() -> None:
    assert damaged("keep_one_a_day", FOUR) == {**FOUR, "2011-01-25": ["Protests begin in Cairo."]}


def test_entries_are_repeated_on_the_next_or_the_same_day() -> None:
    for seed in range(5):
        nearby, same = (damaged(f"repeat_{word}_day", FOUR, seed) for word in ("next", "same"))
        assert nearby is not None
        assert same is not None
        (added,) = {*entries(nearby)} - {*entries(FOUR)}
        (source,) = [entry for entry in entries(FOUR) if entry[1] == added[1]]
        assert Time.parse(added[0]).cells()[0] == Time.parse(source[0]).cells()[0] + 1
        assert {*entries(same)} == {*entries(FOUR)}
        assert len(entries(same)) == 5


def test_foreign_texts_are_added_on_days_of_the_gold() -> None:
    assert damaged("add_foreign", FOUR) is None  # there is no other topic
    harmed = add_foreign(timeline(FOUR), Random(SEED), texts=["An oil rig burns."])
    assert harmed is not None
    days = {str(day): list(texts) for day, texts in harmed.days}
    ((day, text),) = {*entries(days)} - {*entries(FOUR)}
    assert day in FOUR
    assert text == "An oil rig burns."


def test_a_header_row_is_added_on_the_first_day() -> None:
    assert damaged("add_header", FOUR) == {**FOUR, "2011-01-25": [HEADER, *FOUR["2011-01-25"]]}


def test_entries_of_eight_words_are_cut_in_the_middle() -> None:
    assert damaged("split_in_halves", FOUR) == {
        **FOUR,
        "2011-01-25": [
            "Protests begin in Cairo.",
            "Police use water cannon",
            "on 3 of 1,200 marchers.",
        ],
        "2011-02-11": [
            "President Hosni Mubarak of Egypt",
            "resigns after eighteen days of protest.",
        ],
    }
    assert (
        damaged("split_in_halves", {"2011-01-25": ["One two three four five six seven."]}) is None
    )


def test_neighbours_are_joined_two_by_two_on_the_earlier_day() -> None:
    harmed = damaged("merge_by_two", FOUR)
    assert harmed == {
        "2011-01-25": [
            "Police use water cannon on 3 of 1,200 marchers. Protests begin in Cairo.",
        ],
        "2011-01-26": [f"The army will move. {FOUR['2011-02-11'][0]}"],
    }
    turned = {**FOUR, "2011-01-25": FOUR["2011-01-25"][::-1]}
    assert damaged("merge_by_two", turned) == harmed  # the order of a file changes nothing


def test_the_names_that_stand_furthest_apart_are_exchanged() -> None:
    assert damaged("swap_names", FOUR) == {
        **FOUR,
        "2011-02-11": ["Egypt Hosni Mubarak of President resigns after eighteen days of protest."],
    }
    one = {"2011-01-25": ["Cairo sees Tanks of Al Cairo"]}  # equal words change nothing
    assert damaged("swap_names", one) == {"2011-01-25": ["Cairo sees Cairo of Al Tanks"]}


def test_every_entry_is_denied() -> None:
    assert damaged("negate", FOUR) == {
        "2011-01-25": [f"It is not true that {text}" for text in FOUR["2011-01-25"]],
        "2011-01-26": ["The army will not move."],
        "2011-02-11": [f"It is not true that {FOUR['2011-02-11'][0]}"],
    }


def test_every_number_in_digits_is_another_one() -> None:
    harmed = damaged("change_numbers", FOUR)
    assert harmed is not None
    assert harmed["2011-01-25"][1] == "Police use water cannon on 16 of 10,607 marchers."
    assert damaged("change_numbers", {"2011-01-25": ["Eighteen days."]}) is None


def test_the_words_of_two_entries_are_mixed_into_one_or_two() -> None:
    words = sorted(" ".join(FOUR["2011-01-25"]).split())
    one, two = damaged("mix_into_one", FOUR), damaged("mix_into_two", FOUR)
    assert one is not None
    assert two is not None
    (text,) = one["2011-01-25"]
    assert sorted(text.split()) == words
    assert text.split() != " ".join(FOUR["2011-01-25"]).split()
    assert [len(text.split()) for text in two["2011-01-25"]] == [4, 9]
    assert sorted(" ".join(two["2011-01-25"]).split()) == words


def test_texts_are_shuffled_among_dates() -> None:
    for seed in range(5):
        harmed = damaged("shuffle_texts", FOUR, seed)
        assert harmed is not None
        assert entries(harmed) != entries(FOUR)
        assert {day: len(texts) for day, texts in harmed.items()} == {
            day: len(texts) for day, texts in FOUR.items()
        }
        assert sorted(text for _, text in entries(harmed)) == sorted(
            text for _, text in entries(FOUR)
        )
    assert damaged("shuffle_texts", {"2011-01-25": ["A.", "B."]}) is None
    assert damaged("shuffle_texts", {"2011-01-25": ["A."], "2011-01-26": ["A."]}) is None


def test_dates_are_reversed_over_entries() -> None:
    last, _, second, first = (text for _, text in entries(FOUR))
    assert damaged("reverse_dates", FOUR) == {
        "2011-01-25": [second, first],
        "2011-01-26": ["Protests begin in Cairo."],
        "2011-02-11": [last],
    }


@each("test", ENTRIES)
@each(
    "days",
    [
        {},
        {"2011-01-25": [""]},
        {"2011-01-25": [], "2011-01": ["One."], "2011-01-25/..": ["Two."]},
        {"9999-12-31": ["One."], "-0044-03-15": ["Two."]},
    ],
    ids=["nothing", "no text", "long times", "far times"],
)
def test_odd_timelines_are_damaged_or_left_out(test: str, days: Days) -> None:
    harmed = damaged(test, days)
    assert harmed is None or harmed != days
    if not days:
        assert harmed is None


def test_days_without_a_text_stay() -> None:
    days = {"2011-01-25": [""], "2011-01-26": ["The army will move."]}
    assert damaged("negate", days) == {"2011-01-25": [], "2011-01-26": ["The army will not move."]}


# The runner


def test_metrics_of_both_families_are_tested_at_once() -> None:
    report = run({"egypt": {"1": timeline(FOUR)}}, ["event-timed", "AR-1"])
    assert report.damages == "entries"
    assert [*report.labels.values()] == ["AR-1", "event-timed"]
    assert [name.partition("(")[0] for name in report.unharmed] == ["align+m:1", "event-timed"]
    found = outcomes(report)
    assert found["event-timed", "f1", "shift_5_days"].mean == pytest.approx(1 / 6)
    assert found["align+m:1", "f1", "swap_names"].mean == 1
    assert found["align+m:1", "f1", "swap_names"].passed is None  # nothing is asked of it


def test_events_are_entries_unless_the_metric_says_otherwise() -> None:
    golds = {"egypt": {"1": timeline({"2011-01-25": ["Protests begin. Police watch them all."]})}}
    report = run(golds, ["event-f1", "event-f1(unit=sentence)"])
    names = [*report.unharmed]
    assert ["unit=entry" in name for name in names] == [True, False]
    assert [*report.labels.values()] == ["event-f1", "event-f1"]


def test_the_set_of_damages_can_be_named() -> None:
    golds = {"egypt": {"1": timeline(FOUR)}}
    days = run(golds, ["event-f1"], damages="days")
    assert {row.test for row in days.outcomes} >= {"remove", "duplicate"}
    assert {row.test for row in run(golds, ["align"], damages="entries").outcomes} == {
        UNHARMED,
        *ENTRIES,
    }
    with pytest.raises(UsageError, match="unknown damages 'weeks', expected one of: days, entries"):
        run(golds, damages="weeks")
    with pytest.raises(UsageError, match="rewrites are compared with damage of entries"):
        run(golds, damages="days", rewrites=golds)


def test_a_metric_of_another_family_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown metric 'tau'"):
        run({}, ["tau"])
    with pytest.raises(UsageError, match="did you mean 'event-timed'"):
        run({}, ["event-time"])
    with pytest.raises(UsageError, match="threshold"):
        run({}, ["event-f1(threshold=2)"])


def test_one_damage_more_or_a_topic_more_changes_no_draw_of_the_others() -> None:
    golds = {name: {"1": timeline(FOUR)} for name in ("a", "b")}
    rows = {len(some): outcomes(run(some, ["event-f1"])) for some in (golds, {"a": golds["a"]})}
    key = ("event-f1", "f1", "drop_a_fifth")
    assert rows[1][key].mean == rows[2][key].mean
    assert rows[1]["event-f1", "f1", "add_foreign"].skipped == 1
    assert rows[2]["event-f1", "f1", "add_foreign"].skipped == 0


REWRITTEN = {
    "2011-01-25": [
        "In Cairo the first protests begin.",
        "The police use water cannon on three of 1,200 marchers.",
    ],
    "2011-01-26": ["The army is about to move."],
    "2011-02-11": ["After eighteen days of protest Hosni Mubarak resigns as president of Egypt."],
}


def test_a_rewrite_with_right_dates_outranks_a_copy_that_is_a_day_late() -> None:
    golds = {"egypt": {"1": timeline(FOUR)}}
    metrics = ("event-timed", "event-date", "event-f1", "text-quality", "AR-1")
    found = outcomes(run(golds, metrics, rewrites={"egypt": {"ana": timeline(REWRITTEN)}}))
    for metric in ("event-timed", "event-date"):
        rewritten, late = (found[metric, "f1", test].mean for test in (REWRITE, "shift_1_day"))
        assert rewritten is not None
        assert late is not None
        assert rewritten > late
    assert found["event-f1", "f1", REWRITE].passed is True
    assert found["event-timed", "f1", REWRITE].passed is True
    assert found["text-quality", "mean", REWRITE].passed is True
    assert found["align+m:1", "f1", REWRITE].moved  # no damage, and yet it falls


def test_each_rewrite_is_compared_with_every_other_gold_of_its_topic() -> None:
    golds = {"egypt": {"ana": timeline(FOUR), "ben": timeline(REWRITTEN)}}
    found = outcomes(run(golds, ["event-f1", "text-quality"], rewrites=golds))
    assert found["event-f1", "f1", REWRITE].golds == 2  # a gold is no rewrite of itself
    with pytest.raises(UsageError, match="rewrites of the topic 'libya', but no gold of it"):
        run({"egypt": golds["egypt"]}, ["event-f1"], rewrites={"libya": golds["egypt"]})


# The command


def command(*arguments: object) -> str:
    done = CliRunner().invoke(
        verbs.metric_tests_verb, [str(a) for a in arguments], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_command_shows_means_and_reactions() -> None:
    shown = command(DEMO, "-m", "event-f1", "-m", "AR-1", "-m", "event-rates", "-m", "event-order")
    assert "Mean score after damage of entries on 10 golds of 7 topics, seed 23" in shown
    lines = [line.split() for line in shown.splitlines()]
    assert ["shift", "5", "days", "10", "0.159", "1.000", "(0)"] in [line[:7] for line in lines]
    assert "Do the scores of events react as they must?" in shown
    assert ["drop", "a", "fifth", "pass", "pass"] in lines


def test_a_failed_reaction_names_the_score(tmp_path: Path) -> None:
    gold = tmp_path / "gold.json"
    days = [["2011-01-25", ["Protests."]], ["2011-02-11", ["Mubarak resigns."]]]
    gold.write_text(json.dumps(days), encoding="utf-8")
    shown = command(gold, "-m", "event-f1(threshold=0.9)", "-m", "event-date(threshold=0.9)")
    assert "FAIL: event-f1(threshold=0.9) f1 (1 of 1)" in " ".join(shown.split())


def test_json_and_csv_have_every_score(tmp_path: Path) -> None:
    rewrites = tmp_path / "rewrites.json"
    gold = tmp_path / "gold.json"
    for path, days in ((gold, FOUR), (rewrites, REWRITTEN)):
        path.write_text(json.dumps([*days.items()]), encoding="utf-8")
    words = (gold, "-m", "event-timed", "--rewrites", rewrites)
    rows = json.loads(command(*words, "-f", "json"))["rows"]
    assert [*rows[0]][:4] == ["metric", "score", "test", "expected"]
    assert {row["score"] for row in rows} == {"precision", "recall", "f1"}
    assert {row["test"] for row in rows} == {UNHARMED, *ENTRIES, REWRITE}
    (row,) = [row for row in rows if (row["score"], row["test"]) == ("f1", "shift_1_day")]
    assert (row["expected"], row["passed"]) == ("fall by degrees", True)
    lines = command(*words, "-f", "csv").splitlines()
    assert lines[0].endswith("noticed,golds,skipped,undefined,mean,moved")
    assert len(lines) == len(rows) + 1


def test_every_reaction_is_of_a_score_that_exists() -> None:
    known = {
        f"{metric.definition.name} {score}"
        for name in {key.split()[0] for table in REACTIONS.values() for key in table}
        for metric in [family("events").metric(name)]
        for score in metric.scores
    }
    assert {key for table in REACTIONS.values() for key in table} <= known
    assert {*REACTIONS} == {*ENTRIES, REWRITE}
    assert all(family_of(name) for name in METRICS["entries"])


def family_of(name: str) -> str:
    return "events" if name.startswith(("event-", "text-")) else "timelines"


# The table on public golds

COLUMNS = (
    ("event-f1", "f1"),
    ("event-timed", "f1"),
    ("event-soft", "f1"),
    ("event-date", "f1"),
    ("event-order", "f1"),
    ("event-similarity", "mean"),
    ("text-quality", "mean"),
    ("time-off", "mean"),
    ("event-grouped", "f1"),
    ("event-rates", "repeat"),
    ("event-rates", "split"),
    ("event-rates", "merge"),
    ("portions", "mean"),
    ("event-rates", "reused"),
)
FURTHER = ("concordance", "date-accuracy")
TABLE: Mapping[str, str] = {
    UNHARMED: "1 1 1 1 1 1 1 0 1 0 0 0 1 0",
    "drop_a_fifth": ".889 .889 .889 .889 .778 1 1 0 .889 0 0 0 1 0",
    "drop_later_half": ".674 .674 .674 .674 .394 1 1 0 .674 0 0 0 1 0",
    "keep_one_a_day": ".736 .736 .736 .736 .546 1 1 0 .736 0 0 0 1 0",
    "repeat_next_day": ".909 .909 .909 .909 .815 1 1 0 .909 .166 0 0 1 0",
    "repeat_same_day": ".909 .909 .909 .909 .821 1 1 0 .909 .166 0 0 1 0",
    "add_foreign": ".909 .909 .909 .909 .822 1 1 0 .909 .001 0 0 1 0",
    "add_header": ".986 .986 .986 .986 .973 1 1 0 .986 0 0 0 1 0",
    "split_in_halves": ".680 .680 .485 .680 .419 .776 .735 0 .998 .004 .481 0 1.935 0",
    "merge_by_two": ".674 .650 .461 .637 .407 .769 .735 .80 .914 0 0 .337 .610 0",
    "swap_names": "1 1 1 1 1 1 .942 0 1 0 0 0 1 0",
    "negate": ".998 .998 .963 .998 .997 .973 .917 0 .998 0 0 0 1 0",
    "change_numbers": "1 1 .951 1 1 .962 .974 0 1 0 0 0 1 0",
    "mix_into_one": ".863 .863 .791 .863 .734 .933 .852 0 .906 0 0 .068 .917 0",
    "mix_into_two": ".992 .992 .756 .992 .984 .815 .744 0 .997 .003 .005 .004 1.002 0",
    "shift_1_day": "1 .5 .679 0 1 1 1 1 1 0 0 0 1 0",
    "shift_5_days": "1 .167 .466 0 1 1 1 5 1 0 0 0 1 0",
    "shift_30_days": "1 .032 .380 0 1 1 1 30 1 0 0 0 1 0",
    "shuffle_texts": "1 .127 .440 .059 .503 1 1 110.34 1 0 0 0 1 0",
    "reverse_dates": "1 .076 .408 .029 .012 1 1 161.12 1 0 0 0 1 0",
}
"""Means over 38 golds, as found once with another program."""
CAMPAIGN = pytest.mark.campaign
LOTS = (
    *("drop_a_fifth", "repeat_next_day", "repeat_same_day", "add_foreign"),
    *("mix_into_one", "mix_into_two", "shuffle_texts"),
)
"""Damages that are drawn at random."""


def outcomes(report: Report) -> dict[tuple[str, str, str], Outcome]:
    return {(row.metric.partition("(")[0], row.score, row.test): row for row in report.outcomes}


@cache
def public_golds() -> dict[str, dict[str, Timeline]]:
    """Golds of Crisis (22) and Timeline17 (16) with up to 110 entries, by subject."""
    golds: dict[str, dict[str, Timeline]] = {}
    for name in ("crisis", "timeline17"):
        vectors: list[dict[str, Any]] = json.loads(
            real(f"timelines/{name}.json").read_text(encoding="utf-8")
        )
        for vector in vectors:
            words = vector["name"].split("_")
            if words[-1] == "bestds" and "allrefs" not in words:
                (days,) = vector["references"]
                if sum(map(len, days.values())) <= 110:
                    golds.setdefault(words[2], {})[vector["name"]] = timeline(days)
    return golds


@cache
def public_report() -> Report:
    names = dict.fromkeys(metric for metric, _ in COLUMNS)
    return run(public_golds(), [*names, *FURTHER])


@pytest.mark.parametrize("test", [test for test in TABLE if test not in LOTS])
def test_means_on_public_golds(test: str) -> None:
    found = outcomes(public_report())
    assert len(public_report().golds) == 38
    for (metric, name), text in zip(COLUMNS, TABLE[test].split(), strict=True):
        outcome = found[metric, name, test]
        assert outcome.golds == (37 if test == "change_numbers" else 38)
        digit = 0.0055 if metric == "time-off" else 0.00055
        assert outcome.mean == pytest.approx(float(text), abs=digit), (metric, name)


@pytest.mark.parametrize(
    ("seeds", "wider"), [((SEED, 1), 2), pytest.param((SEED, *range(1, 6)), 1, marks=CAMPAIGN)]
)
def test_means_of_what_is_drawn_on_public_golds(seeds: Sequence[int], wider: int) -> None:
    """Two seeds, whose means stray further than those of the six that a campaign draws."""
    means = drawn_means(seeds)
    for test in LOTS:
        for column, text in zip(COLUMNS, TABLE[test].split(), strict=True):
            limit = 0.015 if (test, column[0]) == ("shuffle_texts", "event-order") else 0.006
            limit = 3 if (test, column[0]) == ("shuffle_texts", "time-off") else limit
            if (test, column[0]) == ("mix_into_one", "portions"):
                limit = 0.008  # the published mean is of one seed, and single seeds stray as far
            assert means[test][column] == pytest.approx(float(text), abs=wider * limit), (
                test,
                column,
            )


def drawn_means(seeds: Sequence[int]) -> dict[str, dict[tuple[str, str], float]]:
    """The means over golds and seeds; for each seed one generator draws each damage."""
    golds = public_golds()
    foreign = {
        topic: [
            text
            for other, named in golds.items()
            if other != topic
            for gold in named.values()
            for texts in gold.texts
            for text in texts
        ]
        for topic in golds
    }
    systems: dict[str, list[TimelineCase]] = {}
    for test in LOTS:
        for seed in seeds:
            generator = Random(f"{seed} {test}")
            cases: list[TimelineCase] = []
            for topic, named in sorted(golds.items()):
                harm = ENTRIES[test]
                if harm is add_foreign:
                    harm = partial(add_foreign, texts=foreign[topic])
                for name, gold in named.items():
                    harmed = harm(gold, generator)
                    assert harmed is not None
                    tags = {"topic": name, "gold": name, "trial": "1"}
                    cases.append(Case(name, (gold,), harmed, tags))
            systems[f"{test} {seed}"] = cases
    metrics = [f"{name}(unit=entry)" for name in dict.fromkeys(metric for metric, _ in COLUMNS)]
    settings = Settings.make(family("events"), metrics=metrics, average="macro", undefined="zero")
    values: dict[str, dict[tuple[str, str], list[float]]] = {test: {} for test in LOTS}
    for system in score(settings, systems).result.systems:
        test = system.name.partition(" ")[0]
        for summary in system.summaries:
            for name, value in summary.scores.items():
                column = (summary.metric.partition("(")[0], name)
                values[test].setdefault(column, []).append(value or 0.0)
    return {
        test: {column: fmean(several) for column, several in columns.items()}
        for test, columns in values.items()
    }


def test_scores_react_as_they_must_on_every_public_gold() -> None:
    judged = [row for row in public_report().outcomes if row.passed is not None]
    assert len(judged) > 100
    failed = {
        (row.test, row.metric.partition("(")[0], row.score, len(row.moved))
        for row in judged
        if not row.passed
    }
    # A denial takes very short events for others: on three golds.
    assert failed == {
        ("negate", metric, "f1", 3) for metric in ("event-f1", "event-date", "event-order")
    }


def test_grouping_sees_through_other_portions_on_most_public_golds() -> None:
    found = outcomes(public_report())
    unmoved = {
        test: 38 - len(found["event-grouped", "f1", test].moved)
        for test in ("split_in_halves", "merge_by_two")
    }
    assert unmoved == {"split_in_halves": 27, "merge_by_two": 3}


def test_a_shift_is_graded_on_every_public_gold() -> None:
    found = outcomes(public_report())
    for test, expected in (
        ("shift_1_day", 1 / 2),
        ("shift_5_days", 1 / 6),
        ("shift_30_days", 1 / 31),
    ):
        outcome = found["event-timed", "f1", test]
        assert outcome.passed is True
        assert outcome.expected == "fall by degrees"
        assert outcome.mean == pytest.approx(expected, abs=1e-9)
