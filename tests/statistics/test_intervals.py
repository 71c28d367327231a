"""Intervals of log odds and the effective number of units, from arrays to documents and tables."""

from math import exp, inf, log
from pathlib import Path

import msgspec
import numpy as np
import pytest
from averaging_paths import row_a_topic
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.cli.main import command
from chronoscore.core.problems import Problems
from chronoscore.core.result import Interval, decode, encode, without_checksum
from chronoscore.core.sources import source_of, sources_of
from chronoscore.demo import home
from chronoscore.engines.contrasting import Question, contrast
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import IntervalPlan, Settings
from chronoscore.errors import DataError, UsageError
from chronoscore.families import family
from chronoscore.reports.html.report import interval_described as interval_in_html
from chronoscore.reports.intervals import few_units
from chronoscore.statistics import INTERVAL_METHODS
from chronoscore.statistics.averaging import Path as AveragingPath
from chronoscore.statistics.intervals import Bounds, effective, interval, logit
from chronoscore.timelines.family import read_cases

TIMELINES = family("timelines")
GOLD, QUICK = home() / "gold.jsonl", home() / "quick.jsonl"


def test_logit_by_hand() -> None:
    # A score of 2 between 0 and 8 is a share of 1/4: odds 1/3, and 1/(θ(1-θ)) is 16/3.
    bounds = Bounds(np.array([1.0]), np.array([3.0]), "jackknife-t")
    found = logit(bounds, np.array([2.0]), np.array([0.0]), np.array([8.0]))
    low, high = (8 / (1 + exp(-(log(1 / 3) + side * 16 / 3 / 8))) for side in (-1, 1))
    assert (found.low[0], found.high[0]) == pytest.approx((low, high))
    assert found.method == "jackknife-logit"


@given(st.floats(0.001, 0.999), st.floats(1e-6, 50))
def test_logit_bounds_stay_inside_and_hold_the_score(value: float, reach: float) -> None:
    bounds = Bounds(np.array([value - reach]), np.array([value + reach]), "jackknife-t")
    found = logit(bounds, np.array([value]), np.array([0.0]), np.array([1.0]))
    assert 0 <= found.low[0] <= value <= found.high[0] <= 1


@pytest.mark.parametrize(("value", "most"), [(0.0, 1.0), (1.0, 1.0), (0.5, inf)])
def test_logit_is_undefined_at_an_end_and_without_one(value: float, most: float) -> None:
    bounds = Bounds(np.array([value - 0.1]), np.array([value + 0.1]), "jackknife-t")
    found = logit(bounds, np.array([value]), np.array([0.0]), np.array([most]))
    assert np.isnan(found.low).all()
    assert np.isnan(found.high).all()


def test_logit_gives_more_room_on_the_wider_side() -> None:
    rows = row_a_topic([[1, 10, 1, 10], [2, 10, 2, 10], [0, 10, 0, 10], [1, 10, 1, 10]], "macro")
    estimate = rows.scores(np.ones((1, 4)))[0]
    plain, odds = (interval(rows, estimate, method=how) for how in ("jackknife", "logit"))
    assert odds.low[2] > plain.low[2]
    assert odds.high[2] - estimate[2] > estimate[2] - odds.low[2]


def test_logit_is_refused_for_a_score_without_ends() -> None:
    distance = TIMELINES.metric("date-distance")
    path = AveragingPath.parse("macro", TIMELINES.levels)
    with pytest.raises(UsageError, match="use --interval auto"):
        IntervalPlan("logit").check([distance], path)
    IntervalPlan("auto").check([distance], path)


@given(st.lists(st.floats(0.01, 1e6), min_size=1, max_size=20))
def test_effective_units_are_between_one_and_all(sizes: list[float]) -> None:
    found = float(effective(np.array(sizes)))
    assert 1 - 1e-9 <= found <= len(sizes) + 1e-9


def test_effective_units_by_hand() -> None:
    assert effective(np.array([3.0, 3.0, 3.0, 3.0])) == 4
    assert effective(np.array([9.0, 1.0, 0.0])) == pytest.approx(100 / 82)
    assert np.isnan(effective(np.zeros(3)))


def test_a_mean_weighs_topics_alike_and_a_pooled_score_by_size() -> None:
    rows = [[9.0, 90.0, 9.0, 90.0], [1.0, 10.0, 1.0, 10.0], [1.0, 10.0, 1.0, 10.0]]
    assert effective(row_a_topic(rows, "macro").sizes) == pytest.approx(3)
    assert effective(row_a_topic(rows, "micro").sizes) == pytest.approx(11**2 / 83)


def scored(average: str, method: str = "auto") -> Interval:
    chance = IntervalPlan(method)  # type: ignore[arg-type]
    settings = Settings.make(TIMELINES, metrics=["Date-F1"], average=average, chance=chance)
    cases = read_cases(source_of(GOLD), {"quick": source_of(QUICK)}, Problems(), settings.options)
    return score(settings, cases).result.systems[0].summaries[0].intervals["f1"]


@pytest.mark.parametrize("method", ["auto", "logit", "bootstrap"])
def test_the_result_says_how_many_units_its_interval_rests_on(method: str) -> None:
    found = scored("gold:mean-f>topic:mean-f>trial:mean-f", method)
    assert found.n_eff == pytest.approx(found.clusters)
    pooled = scored("micro", method)
    assert pooled.n_eff is not None
    assert 1 < pooled.n_eff < pooled.clusters
    assert scored("micro", "bayes").n_eff is None


def test_documents_without_n_eff_load_and_those_with_it_come_back() -> None:
    settings = Settings.make(TIMELINES, metrics=["Date-F1"], chance=IntervalPlan())
    cases = read_cases(source_of(GOLD), {"quick": source_of(QUICK)}, Problems(), settings.options)
    result = score(settings, cases).result
    assert decode(encode(result)) == result
    plain = msgspec.json.decode(without_checksum(encode(result)))
    for one in plain["systems"][0]["summaries"][0]["intervals"].values():
        del one["n_eff"]
    older = decode(msgspec.json.encode(plain)).systems[0].summaries[0].intervals["f1"]
    assert older.n_eff is None
    assert older.low == result.systems[0].summaries[0].intervals["f1"].low
    for one in plain["systems"][0]["summaries"][0]["intervals"].values():
        one["n_eff"] = 99.0
    with pytest.raises(DataError, match=r"an n_eff of 99\.0 of 7 units"):
        decode(msgspec.json.encode(plain))


def test_a_comparison_says_it_too() -> None:
    settings = Settings.make(TIMELINES, metrics=["Date-F1"], average="micro")
    files = {"quick": QUICK, "lead": home() / "lead.jsonl"}
    cases = read_cases(source_of(GOLD), sources_of(files), Problems(), settings.options)
    (metric,) = contrast(TIMELINES, [score(settings, cases).result], Question()).metrics
    sure = metric.pairs[0].interval
    assert sure is not None
    assert sure.n_eff is not None
    assert sure.n_eff < 7
    assert all(one.interval and one.interval.n_eff for one in metric.ranking)


def of(n_eff: float | None, coverage: float | None = None) -> Interval:
    return Interval(0.2, 0.4, 0.95, "jackknife-t", 9, coverage=coverage, n_eff=n_eff)


def test_few_effective_units_are_warned_of_from_below_six() -> None:
    assert few_units([("a", of(6.0)), ("b", of(None)), ("c", None)]) == []
    (told,) = few_units([("a", of(5.9)), ("b", of(2.34)), ("c", of(8.0))])
    assert told.startswith("warning: n_eff is below 6 (2.3 for b and 1 more)")


def test_a_report_says_how_many_units_an_interval_rests_on() -> None:
    assert "over 9 topics (n_eff 8.0)" in interval_in_html(of(8.0), "topic")
    assert interval_in_html(of(8.0), "topic").endswith("(n_eff 8.0)")
    assert "rests on a few large ones" in interval_in_html(of(3.0), "topic")


def run(*words: object) -> str:
    done = CliRunner().invoke(command, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("method", [name for name in INTERVAL_METHODS if name != "bayes"])
def test_every_method_can_be_asked_for_and_says_its_units(method: str) -> None:
    text = run("timelines", GOLD, QUICK, "-m", "Date-F1", "--interval", method)
    assert "over 7 topics (n_eff " in text


def timeline(path: Path, *days: str) -> Path:
    """A file with an event on each of these days in each of two topics."""
    line = '{{"id": "{0}{1}", "topic": "{0}", "date": "{1}", "text": "it fell"}}\n'
    text = "".join(line.format(topic, day) for topic in "ab" for day in days)
    path.write_text(text, encoding="utf-8")
    return path


def test_two_topics_that_score_the_same_are_no_certainty(tmp_path: Path) -> None:
    gold = timeline(tmp_path / "gold.jsonl", "2001-01-01")
    system = timeline(tmp_path / "system.jsonl", "2001-01-01", "2002-01-01")
    text = run("timelines", gold, system, "-m", "Date-F1", "--interval", "auto")
    assert "0.667 ±0 " in text
    assert "covers" not in text
    assert "has no width, since all units score the same" in text
    assert "n_eff is below 6 (2.0 for system Date-F1)" in text


def test_a_perfect_score_has_no_logit_interval_and_says_why(tmp_path: Path) -> None:
    gold = timeline(tmp_path / "gold.jsonl", "2001-01-01")
    system = timeline(tmp_path / "system.jsonl", "2001-01-01")
    text = run("timelines", gold, system, "-m", "Date-F1", "--interval", "logit")
    assert "no logit interval of a score at an end of its range: system Date-F1" in text
    assert "two units" not in text
