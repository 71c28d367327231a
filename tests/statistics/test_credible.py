"""Bayesian intervals: only of the number that is printed, and of whole counts."""

from typing import Any

import pytest
import scipy.stats

import chronoscore
from chronoscore.core.evidence import Row
from chronoscore.core.evidence_table import EvidenceTable
from chronoscore.core.result import ResultDocument, Summary
from chronoscore.demo import home
from chronoscore.engines.assemble import assemble
from chronoscore.engines.settings import IntervalPlan, Settings
from chronoscore.errors import UsageError
from chronoscore.families import family
from chronoscore.reports.html.report import interval_described
from chronoscore.reports.result_text import render
from chronoscore.statistics import drawing
from chronoscore.statistics.intervals import bayes

TIMELINES = family("timelines")
BAYES = IntervalPlan("bayes")


def result(
    *counts: tuple[int, int, int], chance: IntervalPlan = BAYES, **more: Any
) -> ResultDocument:
    """Topics with these hits, predicted and gold dates, pooled."""
    rows = EvidenceTable.of(
        Row(
            f"t{at}",
            {"gold": "1", "topic": f"t{at}", "trial": "1"},
            "g",
            "p",
            {"date-f1": (hits, predicted, hits, gold)},
        )
        for at, (hits, predicted, gold) in enumerate(counts)
    )
    how = {"metrics": ["date-f1"], "average": "micro", "chance": chance, **more}
    return assemble(Settings.make(TIMELINES, **how), {"one": rows})


def summary(found: ResultDocument) -> Summary:
    return found.systems[0].summaries[0]


def test_the_interval_is_that_of_the_pooled_counts() -> None:
    found = summary(result((1, 1, 1), (0, 100, 100)))
    wanted = bayes(1, 101, 101, 0.95)
    for name, (low, high) in zip(("precision", "recall", "f1"), wanted, strict=True):
        own = found.intervals[name]
        assert (own.low, own.high) == pytest.approx((low, high))
        assert own.low <= (found.scores[name] or 0) <= own.high


@pytest.mark.parametrize(
    "average", ["macro", "gold+topic:mean-pr>trial:mean-f", "gold:sum>topic:mean-f>trial:mean-f"]
)
def test_a_mean_of_scores_is_another_number_and_is_refused(average: str) -> None:
    with pytest.raises(UsageError, match="is a mean of scores, which is another number"):
        result((1, 1, 1), (0, 100, 100), average=average)


def test_the_remark_is_true() -> None:
    found = result((1, 1, 1), (0, 100, 100))
    text = render(TIMELINES, found, "text")
    assert "bayes from the pooled counts" in text
    assert "over 2" not in text
    own = summary(found).intervals["f1"]
    assert own.clusters == 0
    assert "Bayesian from the pooled counts" in interval_described(own, "topic")


def test_nothing_counted_has_no_interval() -> None:
    found = summary(result((0, 0, 4))).intervals
    assert found.keys() == {"recall", "f1"}
    assert not summary(result((0, 0, 0), undefined="agree")).intervals


def test_of_all_f_only_f1_has_a_known_posterior() -> None:
    tags = {"gold": "1", "topic": "t", "trial": "1"}
    ledger = EvidenceTable.of([Row("t", tags, "g", "p", {"date-f1(beta=2.0)": (3, 4, 3, 5)})])
    settings = Settings.make(TIMELINES, metrics=["date-f1(beta=2)"], average="micro", chance=BAYES)
    found = summary(assemble(settings, {"one": ledger}))
    assert found.intervals.keys() == {"precision", "recall"}


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize("counts", [(0, 3, 4), (3, 4, 5), (7, 7, 9), (40, 90, 60)])
def test_precision_and_recall_have_beta_posteriors(
    counts: tuple[int, int, int], level: float
) -> None:
    hits, predicted, gold = counts
    found = summary(result(counts, chance=IntervalPlan("bayes", level))).intervals
    for name, total in (("precision", predicted), ("recall", gold)):
        posterior = scipy.stats.beta(hits + 0.5, total - hits + 0.5)
        assert (found[name].low, found[name].high) == pytest.approx(posterior.interval(level))


def test_tables_show_the_interval_of_each_score() -> None:
    found = result((3, 4, 5))
    header = render(TIMELINES, found, "csv").splitlines()[0]
    for name in ("P interval low", "R interval high", "interval low"):
        assert f"Date-F1 {name}" in header.split(",")
    low, high = bayes(3, 4, 5, 0.95)[1]
    text = render(TIMELINES, found, "text")
    assert f"[{low:.3f}, {high:.3f}]".replace("0.", ".") in text
    assert text.count("[.") == 3  # of F1, P and R
    drawn = render(TIMELINES, result((3, 4, 5), (2, 4, 4), chance=IntervalPlan()), "text")
    assert drawn.count("±") + drawn.count(" [") == 1


@pytest.mark.parametrize(
    ("name", "metric", "counts", "shares"),
    [
        # F1 has an interval only where hits are things that both sides have.
        ("ordering", "SemEval-full", (3, 5, 3, 6), {"precision": (3, 5), "recall": (3, 6)}),
        ("tlinks", "awareness", (3, 5, 4, 6), {"precision": (3, 5), "recall": (4, 6)}),
        (
            "coreference",
            "mentions",
            (3, 5, 3, 6),
            {"precision": (3, 5), "recall": (3, 6), "f1": ()},
        ),
        (
            "tlinks",
            "events",
            (2, 3, 5, 6),
            {
                **{"strict_precision": (2, 5), "strict_recall": (2, 6), "strict_f1": ()},
                **{"relaxed_precision": (3, 5), "relaxed_recall": (3, 6), "relaxed_f1": ()},
            },
        ),
    ],
)
def test_every_precision_of_whole_counts_has_an_interval(
    name: str, metric: str, counts: tuple[int, ...], shares: dict[str, tuple[int, ...]]
) -> None:
    home = family(name)
    settings = Settings.make(home, metrics=[metric], average="micro", chance=BAYES)
    (made,) = settings.metrics
    statistics = (*counts, *[0] * 9)[: len(made.definition.statistics)]
    tags = dict.fromkeys(home.levels, "1")
    rows = EvidenceTable.of([Row("c", tags, "g", "p", {str(made): statistics})])
    found = summary(assemble(settings, {"one": rows})).intervals
    assert found.keys() == shares.keys()
    for score, share in shares.items():
        if share:
            hits, total = share
            posterior = scipy.stats.beta(hits + 0.5, total - hits + 0.5)
            bounds = (found[score].low, found[score].high)
            assert bounds == pytest.approx(posterior.interval(0.95))


def test_nothing_is_drawn_so_nothing_can_be_said_of_it() -> None:
    for text in ("bayes(unit=gold)", "bayes(strata=topic)"):
        with pytest.raises(UsageError, match="leave out --unit and --strata"):
            IntervalPlan.parse(text)


def test_strict_and_lenient_spans_count_whole_things() -> None:
    made = chronoscore.score(
        "annotations", home() / "gold.jsonl", {"quick": home() / "quick.jsonl"}
    ).document
    settings = Settings.make(family("annotations"), metrics=["spans"], chance=BAYES)
    found = summary(assemble(settings, {"quick": EvidenceTable.of(made.systems[0].rows)}))
    counts = dict(zip([s.name for s in made.metrics[0].statistics], found.statistics, strict=True))
    strict, partial = counts["correct_strict"], counts["correct_partial"]
    for how, hits in (("strict", strict), ("lenient", strict + partial)):
        wanted = bayes(hits, counts["responses"], counts["targets"], 0.95)
        for name, bounds in zip(("precision", "recall", "f1"), wanted, strict=True):
            own = found.intervals[f"{how}_{name}"]
            assert (own.low, own.high) == pytest.approx(tuple(bounds))
    assert "average_f1" not in found.intervals


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("timelines", "AR-1"),
        ("timelines", "date-period"),
        ("timelines", "date-distance"),
        ("ordering", "pairwise"),
        ("annotations", "error-rate"),
    ],
)
def test_what_has_no_such_counts_is_refused(name: str, metric: str) -> None:
    with pytest.raises(UsageError, match="whole counts of hits"):
        Settings.make(family(name), metrics=[metric], average="micro", chance=BAYES)


def test_fewer_resamples_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = [(at % 3, 4, 5) for at in range(6)]
    usual = result(*counts, chance=IntervalPlan("bootstrap"))
    assert summary(usual).intervals["f1"].draws is None
    assert "resamples" not in render(TIMELINES, usual, "text")
    monkeypatch.setattr(drawing, "MOST_DRAWN", 1)
    fewer = result(*counts, chance=IntervalPlan("bootstrap"))
    own = summary(fewer).intervals["f1"]
    assert own.draws == 1000
    assert "of 1,000 resamples, since there are many units" in render(TIMELINES, fewer, "text")
    assert "of 1,000 resamples" in interval_described(own, "topic")
    assert summary(result(*counts, chance=IntervalPlan())).intervals["f1"].draws is None


def one_topic(*counts: int) -> ResultDocument:
    tags = {"gold": "1", "topic": "t", "trial": "1"}
    rows = EvidenceTable.of([Row("t", tags, "g", "p", {"date-f1": counts})])
    settings = Settings.make(TIMELINES, metrics=["date-f1"], average="micro", chance=BAYES)
    return assemble(settings, {"one": rows})


def test_f1_has_no_interval_where_hits_differ_between_the_sides() -> None:
    assert summary(one_topic(1, 2, 2, 2)).intervals.keys() == {"precision", "recall"}


def test_counts_that_are_no_hits_are_refused() -> None:
    with pytest.raises(UsageError, match="whole counts"):
        one_topic(3, 2, 2, 2)
