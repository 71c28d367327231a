"""Timeline metrics by hand: dates, sequences, own functions, meaning."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reports.made import timelines_of

from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.elements.dated.model import Timeline
from chronoscore.engines.plan import Inputs, Plan
from chronoscore.engines.scoring import score_sources
from chronoscore.engines.settings import Settings
from chronoscore.errors import UsageError
from chronoscore.statistics.ratios import Array
from chronoscore.timelines import evaluate, evaluate_all
from chronoscore.timelines.comparison import TimelineComparison
from chronoscore.timelines.family import FAMILY

GOLD = {"2011-01-01": ["alpha beta gamma"], "2011-01-10": ["delta epsilon"]}
PARAPHRASES = Path(__file__).parents[1] / "elements" / "paraphrases.json"
PREDICTED = {"2011-01-03": ["alpha gamma beta"], "2011-01-10": ["delta"], "2011-02-01": ["zeta"]}


def scores(
    metric: str, gold: Any = GOLD, predicted: Any = PREDICTED, **more: Any
) -> dict[str, Any]:
    return (
        evaluate(gold, predicted, metrics=[metric], **more).document.systems[0].summaries[0].scores
    )


def test_dates_within_a_tolerance() -> None:
    assert scores("date-f1")["f1"] == pytest.approx(2 * 1 / (3 + 2))
    assert scores("date-f1(tolerance=1)")["f1"] == pytest.approx(2 * 1 / (3 + 2))
    assert scores("date-f1(tolerance=2)")["f1"] == pytest.approx(2 * 2 / (3 + 2))


def test_a_date_is_matched_once() -> None:
    gold = {"2011-01-02": ["x"]}
    predicted = {f"2011-01-0{day}": ["x"] for day in (1, 2, 3)}
    assert scores("date-f1(tolerance=1)", gold, predicted)["precision"] == pytest.approx(1 / 3)


def test_distance_to_the_nearest_date() -> None:
    values = scores("date-distance", undefined="skip")
    assert values == {"from_predicted": pytest.approx((2 + 0 + 22) / 3), "from_gold": 1.0}
    median = scores("date-distance-median", average="micro")
    assert median == {"from_predicted": 2.0, "from_gold": 1.0}


def test_coverage_of_the_gold_period() -> None:
    values = scores("date-period")
    assert values["recall"] == pytest.approx(8 / 10)  # 3 to 10 January of 1 to 10 January
    assert values["precision"] == pytest.approx(8 / 30)


def test_a_month_meets_its_days() -> None:
    gold = {"2011-01": ["x"]}
    whole = {"options": {"dates": "interval"}}
    assert scores("date-f1", gold, {"2011-01-17": ["x"]}, **whole)["f1"] == 1
    assert scores("date-f1", gold, {"2011-02-01": ["x"]}, **whole)["f1"] == 0
    assert scores("date-distance", gold, {"2011-02-03": ["x"]}, **whole)["from_gold"] == 3


def test_longest_common_sequence() -> None:
    values = scores("concat(rouge=L,text=plain)")
    assert values["precision"] == pytest.approx(3 / 5)  # alpha, beta or gamma, delta
    assert values["recall"] == pytest.approx(3 / 5)
    same_day = scores("agreement(rouge=L,text=plain)")
    assert same_day["precision"] == pytest.approx(1 / 5)


def test_f_is_the_recall_where_beta_is_beyond_all_numbers() -> None:
    values = scores("align+m:1(beta=1e308)")
    assert values["f1e+308"] == pytest.approx(values["recall"])


def test_any_beta() -> None:
    values = scores("align+m:1(beta=2)")
    p, r = values["precision"], values["recall"]
    assert values["f2"] == pytest.approx(5 * p * r / (4 * p + r))
    assert "f1" not in values


def test_longer_ngrams() -> None:
    assert scores("concat(rouge=3,text=plain)", GOLD, GOLD)["f1"] == 1


def week_kernel(distance: Array) -> Array:
    return np.asarray(np.maximum(0.0, 1 - distance / 7))


def free(comparison: TimelineComparison, weight: Array) -> Array:
    return np.zeros_like(weight)


def test_own_functions_are_parameters() -> None:
    metric = FAMILY.definitions[0](kernel=week_kernel, cost=free, assign="many-to-one")
    name = str(metric)
    assert "week_kernel" in name
    assert FAMILY.metric(name) == metric
    # Everything costs nothing, so each day takes the first of the other side.
    expected = (5 / 7 * 3 + 0 + 0) / 5
    assert scores(name)["precision"] == pytest.approx(expected)


def test_functions_that_can_not_be_named_are_refused() -> None:
    with pytest.raises(UsageError, match="can't be found by name"):
        FAMILY.definitions[0](kernel=lambda distance: distance)
    with pytest.raises(UsageError, match=r"no function 'no\.such:thing'"):
        FAMILY.metric("align(cost=no.such:thing)").allowing(["no.such:thing"])


def test_published_names_are_presets_of_one_metric() -> None:
    assert FAMILY.metric("align(cost=date+text,assign=many-to-one)") == FAMILY.metric("AR-1")
    assert str(FAMILY.metric("align(cost=date+text,assign=many-to-one,rouge=2)")) == (
        "align+m:1(rouge=2)"
    )
    assert str(FAMILY.metric("align(assign=same-day)")) == "agreement"


@pytest.mark.parametrize(
    "text", ["words", "stems-ru", "chars", "icu-ru", "plain", "snowball-russian"]
)
def test_other_scripts_have_their_own_text_processing(text: str) -> None:
    gold = {"2011-01-01": ["Протесты начались в Каире"]}
    assert scores("AR-1", gold, gold)["f1"] == 0
    assert scores(f"align+m:1(text={text})", gold, gold)["f1"] == 1
    result = evaluate(gold, gold, metrics=["AR-1"])
    assert any("mostly not ASCII" in notice for notice in result.notices)


SPANISH = {"2011-01-01": ["El presidente anuncia la retirada de las tropas en la frontera."] * 5}
RUSSIAN = {"2011-01-01": ["Протесты начались в Каире"]}
THAI = {"2011-01-01": ["ผมรักเมืองไทย", "日本語のテキスト"]}
NEWER = {"2011-01-01": ["Kawi writes \U00011f04."]}
JOSE = {
    "2011-01-01": ["José flies from Zürich to Rio de Janeiro and meets the mayor of the city."] * 5
}


@pytest.mark.parametrize(
    ("gold", "metrics", "words"),
    [
        (SPANISH, ["AR-1"], "does not look English"),
        (SPANISH, ["AR-1", "concat(text=plain)"], "does not look English"),
        (SPANISH, ["align+m:1(text=plain)", "Date-F1"], ""),
        (SPANISH, ["align+m:1(text=words)", "concat(text=stems-es)"], ""),
        (SPANISH, ["align+m:1(text=snowball-spanish)", "Date-F1"], "old name"),
        (SPANISH, ["align+m:1(text=reimpl)"], "use text=words, or text=stems-XX"),
        (SPANISH, ["concat(text=content)"], "reads it as English; use text=words, or"),
        (
            SPANISH,
            ["concat(text=content)", "concat(text=words)"],
            "text=content reads it as English",
        ),
        (RUSSIAN, ["concat(text=content)"], "does not look English, and text=content"),
        (NEWER, ["concat(text=content)"], "newer than Unicode 14"),
        (SPANISH, ["Date-F1"], ""),
        (SPANISH, ["exact-date"], ""),
        (RUSSIAN, ["concat"], "mostly not ASCII"),
        (RUSSIAN, ["concat(text=reimpl)"], "mostly not ASCII"),
        (RUSSIAN, ["concat(text=plain)", "Date-F1"], ""),
        (RUSSIAN, ["concat"], "see only fragments of it; use text=words"),
        (THAI, ["concat(text=words)", "concat(text=chars)"], ""),
        (NEWER, ["concat(text=words)"], "newer than Unicode 14"),
        (NEWER, ["exact-date"], ""),
        (JOSE, ["AR-1"], ""),
    ],
)
def test_a_text_that_the_chosen_processing_cuts_gets_a_notice(
    gold: Any, metrics: list[str], words: str, tmp_path: Path
) -> None:
    class Copy:
        def run(self, topic: Any, /) -> Any:
            return gold

    lines = tmp_path / "gold.jsonl"
    lines.write_text(json.dumps({"topic": "t", "days": gold}) + "\n", encoding="utf-8")
    streamed = score_in_parts(lines, metrics)
    for result in (
        evaluate(gold, gold, metrics=metrics),
        evaluate_all(Copy(), {"t": {"gold_timelines": [gold]}}, metrics=metrics).result,
        streamed,
    ):
        notices = [notice for notice in result.notices if "text" in notice]
        assert len(notices) == bool(words), result.notices
        assert all(words in notice for notice in notices)


def test_no_notice_recommends_what_was_chosen() -> None:
    for gold in (SPANISH, RUSSIAN):
        alone, both = (
            evaluate(gold, gold, metrics=metrics).notices[0]
            for metrics in (["concat"], ["concat", "concat(text=words)"])
        )
        assert alone.startswith(f"{both}; use text=words")


def score_in_parts(path: Path, metrics: list[str]) -> Any:
    settings = Settings.make(FAMILY, metrics=metrics)
    inputs = Inputs(source_of(path), {"copy": [source_of(path)]})
    return score_sources(settings, inputs, Problems(), Plan(engine="here")).result


def test_unknown_text_processing_is_told() -> None:
    with pytest.raises(UsageError, match="there are: rouge155, reimpl, words"):
        FAMILY.metric("concat(text=bert)")
    with pytest.raises(UsageError, match="no stemmer for 'klingon'"):
        FAMILY.metric("concat(text=snowball-klingon)")


def test_the_same_event_in_other_words_beats_another_event() -> None:
    pytest.importorskip("wordllama", reason="weights for overlaps of meaning are not installed")
    items = json.loads(PARAPHRASES.read_text(encoding="utf-8"))
    said = {
        key: [Timeline.of({date(2010, 4, 20): [item[key]]}) for item in items]
        for key in ("event", "same", "other")
    }
    pairs = {
        key: {f"t{at:03}": pair for at, pair in enumerate(zip(said["event"], texts, strict=True))}
        for key, texts in said.items()
    }
    found = timelines_of(pairs, metrics=["align(overlap=meaning)"], by=["topic"]).result
    gold, same, other = (
        [summary.scores["f1"] or 0.0 for summary in system.summaries if summary.group]
        for system in found.systems
    )
    assert len(gold) == len(items)
    assert gold == pytest.approx([1] * len(items))
    right = sum(one > two for one, two in zip(same, other, strict=True))
    assert right >= 0.95 * len(items)


def test_meaning_aligns_days_that_share_no_word() -> None:
    pytest.importorskip("wordllama", reason="weights for overlaps of meaning are not installed")
    gold = {
        "2010-04-20": ["The oil platform exploded and workers lost their lives."],
        "2010-04-22": ["Parliament passed the new budget after a long debate."],
    }
    predicted = {"2010-04-21": ["A blast on the drilling rig killed several crew members."]}
    result = evaluate(gold, predicted, metrics=["align(cost=date+meaning,assign=many-to-one)"])
    metric = FAMILY.metric(result.document.metrics[0].name)
    from chronoscore.core.case import Case
    from chronoscore.timelines import timeline

    case = Case("c", (timeline(gold),), timeline(predicted))
    matches = metric.explain(FAMILY.compare(case, metric.setting))
    assert [m.gold for m in matches if m.side == "precision"] == ["2010-04-20"]


def test_exact_date_refuses_the_longest_subsequence() -> None:
    with pytest.raises(UsageError, match="give rouge as a number"):
        FAMILY.metric("exact-date(rouge=L)")
