"""Intervals and contrasts, from rows to documents."""

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

import chronoscore
from chronoscore.core.contrast import Contrast
from chronoscore.core.evidence_table import EvidenceTable, unite
from chronoscore.core.names import Signature
from chronoscore.core.problems import Problems
from chronoscore.core.result import ResultDocument, encode
from chronoscore.core.sources import source_of, sources_of
from chronoscore.core.writing import json_text
from chronoscore.demo import SYSTEMS, home
from chronoscore.engines.assemble import assemble
from chronoscore.engines.chunks import measure
from chronoscore.engines.contrasting import Question, contrast
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import IntervalPlan, Settings
from chronoscore.errors import DataError, UsageError
from chronoscore.families import NAMES, family
from chronoscore.timelines.family import read_cases

FILES = {name: home() / f"{name}.jsonl" for name in SYSTEMS}
FAMILY = family("timelines")


def scored(metrics: list[str] | None = None, **more: object) -> ResultDocument:
    settings = Settings.make(FAMILY, metrics=metrics or [], **more)  # type: ignore[arg-type]
    cases = read_cases(
        source_of(home() / "gold.jsonl"), sources_of(FILES), Problems(), settings.options
    )
    return score(settings, cases).result


@pytest.mark.parametrize(
    "text", ["auto", "jackknife", "bootstrap(seed=7)", "auto(level=0.9,unit=gold,strata=topic)"]
)
def test_plans_parse_back(text: str) -> None:
    assert str(IntervalPlan.parse(text)) == text
    assert IntervalPlan.parse(str(IntervalPlan.parse(text))) == IntervalPlan.parse(text)


@pytest.mark.parametrize("text", ["magic", "auto(level=2)", "auto(seed=x)", "auto(colour=red)"])
def test_wrong_plans_are_told(text: str) -> None:
    with pytest.raises(UsageError):
        IntervalPlan.parse(text)


def test_the_signature_names_the_interval_and_repeats_it() -> None:
    settings = Settings.make(FAMILY, chance=IntervalPlan("bootstrap", 0.9, 3))
    signature = Signature.parse(str(settings.signature(EvidenceTable.of(()))))
    assert signature.interval == "bootstrap(level=0.9,seed=3)"
    assert Settings.from_signature(FAMILY, signature) == settings
    assert settings.protocol == "news-tls"


@pytest.mark.parametrize("method", ["jackknife", "bootstrap"])
@pytest.mark.parametrize("average", ["micro", "macro", "gold+topic:mean-pr>trial:mean-f"])
def test_intervals_hold_the_score_and_tell_their_units(method: str, average: str) -> None:
    chance = IntervalPlan(method)  # type: ignore[arg-type]
    for system in scored(["AR-1", "Date-F1"], average=average, chance=chance).systems:
        for summary in system.summaries:
            for name, interval in summary.intervals.items():
                value = summary.scores[name]
                assert value is not None
                assert 0 <= interval.low <= value <= interval.high <= 1
                assert interval.clusters == 7


def test_golds_are_more_units_than_topics() -> None:
    topics = scored(["AR-1"], chance=IntervalPlan())
    golds = scored(["AR-1"], chance=IntervalPlan(unit="gold"))
    assert topics.systems[0].summaries[0].intervals["f1"].clusters == 7
    assert golds.systems[0].summaries[0].intervals["f1"].clusters == 10


def test_strata_are_drawn_within() -> None:
    result = scored(["AR-1"], chance=IntervalPlan(unit="gold", strata="topic"))
    interval = result.systems[0].summaries[0].intervals["f1"]
    whole = (
        scored(["AR-1"], chance=IntervalPlan(unit="gold")).systems[0].summaries[0].intervals["f1"]
    )
    assert interval.high - interval.low != whole.high - whole.low


def test_an_unknown_unit_is_told() -> None:
    with pytest.raises(UsageError, match="they have: "):
        scored(["AR-1"], chance=IntervalPlan(unit="colour"))


def test_few_units_come_with_what_they_really_cover() -> None:
    settings = Settings.make(FAMILY, metrics=["Date-F1"], chance=IntervalPlan())
    cases = read_cases(
        source_of(home() / "gold.jsonl"), sources_of(FILES), Problems(), settings.options
    )["quick"]
    four = [case for case in cases if case.tags["topic"] < "f"]
    few = score(settings, {"quick": four}).result.systems[0].summaries[0].intervals["f1"]
    assert few.clusters == 3
    assert few.coverage is not None
    one = [case for case in cases if case.tags["topic"] == "apollo-11"]
    assert not score(settings, {"quick": one}).result.systems[0].summaries[0].intervals


def test_credible_intervals_need_whole_counts() -> None:
    made = scored(["Date-F1"], average="micro", chance=IntervalPlan("bayes"))
    interval = made.systems[0].summaries[0].intervals["f1"]
    assert interval.method == "bayes"
    with pytest.raises(UsageError, match="whole counts"):
        scored(["AR-1"], chance=IntervalPlan("bayes"))


@pytest.mark.parametrize("name", NAMES)
def test_every_family_has_intervals(name: str) -> None:
    if name == "rubric":
        result = chronoscore.score(name, None, home() / "judgements.csv").document
    else:
        result = chronoscore.score(name, home() / "gold.jsonl", FILES).document
    settings = Settings.make(family(name), chance=IntervalPlan())
    rows = {system.name: unite(system.rows) for system in result.systems}
    again = assemble(settings, rows)
    assert all(summary.intervals for system in again.systems for summary in system.summaries)


def test_order_and_shards_change_no_digit_of_an_interval() -> None:
    settings = Settings.make(FAMILY, metrics=["AR-1"], chance=IntervalPlan("bootstrap", seed=1))
    cases = read_cases(
        source_of(home() / "gold.jsonl"), sources_of(FILES), Problems(), settings.options
    )["quick"]
    rows = [row for row, _ in measure(FAMILY, cases, settings.metrics)]
    whole = encode(assemble(settings, {"s": unite(rows)}))
    assert encode(assemble(settings, {"s": unite(rows[4:][::-1], rows[:4])})) == whole


def contrasted(**more: object) -> Contrast:
    question = Question(**more)  # type: ignore[arg-type]
    return contrast(FAMILY, [scored(["AR-1", "Date-F1"])], question)


def test_the_better_comes_first_and_pairs_are_signed() -> None:
    made = contrasted()
    assert [ranked.system for ranked in made.metrics[0].ranking] == ["careful", "quick", "lead"]
    for metric in made.metrics:
        scores = {ranked.system: ranked.score or 0 for ranked in metric.ranking}
        for pair in metric.pairs:
            assert pair.difference == pytest.approx(scores[pair.one] - scores[pair.two])
            assert pair.interval is not None
            assert pair.interval.low <= (pair.difference or 0) <= pair.interval.high
            assert pair.wins + pair.ties + pair.losses == made.units == 7
            assert (pair.p or 0) >= pair.smallest_p == 2 / 2**7
            assert (pair.p_corrected or 0) >= (pair.p or 0)
            sizes = [abs(swing.difference) for swing in pair.swings]
            assert sizes == sorted(sizes, reverse=True)


def test_a_system_does_not_differ_from_itself() -> None:
    result = scored(["AR-1"])
    one = msgspec.structs.replace(result, systems=result.systems[:1])
    twin = msgspec.structs.replace(result.systems[0], name="twin")
    two = msgspec.structs.replace(result, systems=(twin,))
    made = contrast(FAMILY, [one, two], Question())
    (pair,) = made.metrics[0].pairs
    assert pair.difference == 0
    assert pair.p == 1
    assert {ranked.letters for ranked in made.metrics[0].ranking} == {"a"}


def test_only_the_baseline_is_compared_with() -> None:
    made = contrasted(baseline="lead")
    assert {frozenset((pair.one, pair.two)) for pair in made.metrics[0].pairs} == {
        frozenset(("careful", "lead")),
        frozenset(("quick", "lead")),
    }
    with pytest.raises(UsageError, match="there are: careful"):
        contrasted(baseline="nobody")


def test_results_that_were_scored_differently_are_not_compared() -> None:
    one = scored(["AR-1"])
    with pytest.raises(DataError, match="differ in average"):
        contrast(FAMILY, [one, scored(["AR-1"], average="macro")], Question())
    with pytest.raises(DataError, match="score one as OTHER=PATH"):
        contrast(FAMILY, [one, one], Question())
    rows = tuple(msgspec.structs.replace(row, gold="other") for row in one.systems[0].rows)
    other = msgspec.structs.replace(one.systems[0], name="other", rows=rows)
    with pytest.raises(DataError, match=r"gold of .* is not the same"):
        contrast(FAMILY, [one, msgspec.structs.replace(one, systems=(other,))], Question())


def test_it_takes_two() -> None:
    result = scored(["AR-1"])
    alone = msgspec.structs.replace(result, systems=result.systems[:1])
    with pytest.raises(UsageError, match="it takes two"):
        contrast(FAMILY, [alone], Question())


def test_the_contrast_is_the_same_from_saved_results(tmp_path: Path) -> None:
    result = scored(["AR-1"])
    parts = []
    for system in result.systems:
        path = tmp_path / f"{system.name}.json"
        path.write_bytes(encode(msgspec.structs.replace(result, systems=(system,))))
        parts.append(chronoscore.load(path).document)
    whole = contrast(FAMILY, [result], Question())
    assert json_text(contrast(FAMILY, parts, Question())) == json_text(whole)
    assert json.loads(json_text(whole))["format"] == "chronoscore-contrast"


def test_other_corrections_and_tests() -> None:
    plain = contrasted(correction="none").metrics[0].pairs
    assert all(pair.p == pair.p_corrected for pair in plain)
    bootstrap = contrasted(test="bootstrap").metrics[0].pairs
    assert all(not pair.exact for pair in bootstrap)
    assert all(np.isfinite(pair.p or 0) for pair in bootstrap)
    assert replace(Question(), test="bootstrap").correction == "holm"


def test_days_add_up_and_speak_of_these_topics_only() -> None:
    result = scored(["AR-1", "Date-F1"], chance=IntervalPlan(unit="day"))
    for row in result.systems[0].rows:
        for name, parts in row.parts.items():
            sums = np.sum([values for _, values in parts], axis=0)
            assert sums == pytest.approx(np.array(row.statistics[name]))
    days = result.systems[0].summaries[0].intervals["f1"]
    assert days.unit == "day"
    assert days.clusters > 7
    value = result.systems[0].summaries[0].scores["f1"]
    assert value is not None
    assert days.low <= value <= days.high
    with pytest.raises(UsageError, match="score with --unit day"):
        contrast(FAMILY, [scored(["AR-1"])], Question(chance=IntervalPlan(unit="day")))
    made = contrast(
        FAMILY,
        [scored(["AR-1"], chance=IntervalPlan(unit="day"))],
        Question(chance=IntervalPlan(unit="day")),
    )
    assert made.metrics[0].ranking[0].system == "careful"


def score_orders_by_day() -> None:
    from chronoscore.ordering.family import read_cases as read_orders

    settings = Settings.make(family("ordering"), chance=IntervalPlan(unit="day"))
    score(
        settings,
        read_orders(
            source_of(home() / "gold.jsonl"), sources_of(FILES), Problems(), settings.options
        ),
    )


def test_what_has_no_days_is_told() -> None:
    with pytest.raises(UsageError, match="concat does not speak of days"):
        scored(["concat"], chance=IntervalPlan(unit="day"))
    with pytest.raises(UsageError, match="leave out --strata"):
        scored(["AR-1"], chance=IntervalPlan(unit="day", strata="topic"))
    with pytest.raises(UsageError, match="semeval2015 does not speak of days"):
        score_orders_by_day()
    settings = Settings.make(family("annotations"), chance=IntervalPlan(unit="day"))
    from chronoscore.annotations.family import read_cases as read_documents

    cases = read_documents(
        source_of(home() / "gold.jsonl"), sources_of(FILES), Problems(), settings.options
    )
    with pytest.raises(UsageError, match="does not speak of days"):
        score(settings, cases)
