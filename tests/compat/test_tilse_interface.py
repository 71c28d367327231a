"""tilse's own habits: how it reads, what it returns for nothing, which exceptions it raises.

What is expected here was seen in tilse 0.2.1 with scipy 1.17 and Python 3.11.
"""

import io
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.compat.tilse.data import timelines
from chronoscore.compat.tilse.data.timelines import GroundTruth, Timeline
from chronoscore.compat.tilse.evaluation import dates, rouge, scores, util

DASHES = "-" * 32
ONE, TWO, THREE = date(2010, 1, 1), date(2010, 1, 2), date(2010, 1, 3)
NOON = datetime(2010, 1, 1, 12)  # noqa: DTZ001  # as callers have them
POLICE = "Police clash with protesters in Cairo ."
ARMY = "The army is deployed ."
BOTH = Timeline({ONE: [POLICE], THREE: [ARMY]})
NOTHING = Timeline({})
ALIGNED = (
    "align_date_costs",
    "align_date_content_costs",
    "align_date_content_costs_many_to_one",
)
VARIANTS = ("concat", "agreement", *ALIGNED)


def evaluate(
    variant: str, predicted: Timeline, *golds: Timeline, measures: Any = ("rouge_1",), **more: Any
) -> Any:
    evaluator = rouge.TimelineRougeEvaluator(measures=measures, **more)
    return getattr(evaluator, f"evaluate_{variant}")(predicted, GroundTruth(list(golds)))


FILES: dict[str, tuple[str, dict[Any, list[str]]]] = {
    "days in any order": (f"2010-01-03\na b .\nc\n{DASHES}\n2010-01-01\nd\n{DASHES}\n",
                          {THREE: ["a b .", "c"], ONE: ["d"]}),
    "a last day without dashes is lost": (f"2010-01-01\na\n{DASHES}\n2010-01-02\nb\n",
                                          {ONE: ["a"]}),
    "a repeated date replaces": (f"2010-01-01\na\n{DASHES}\n2010-01-01\nb\n{DASHES}\n",
                                 {ONE: ["b"]}),
    "two separators make a day None": (f"2010-01-01\na\n{DASHES}\n{DASHES}\n",
                                       {ONE: ["a"], None: [""]}),
    "a byte order mark hides the date": (f"\ufeff2010-01-01\na\n{DASHES}\n",
                                         {None: ["\ufeff2010-01-01", "a"]}),
    "a time hides the date": (f"2010-01-01T00:00:00\na\n{DASHES}\n",
                              {None: ["2010-01-01T00:00:00", "a"]}),
    "an impossible date is a sentence": (f"2010-02-30\na\n{DASHES}\n", {None: ["2010-02-30", "a"]}),
    "a date inside a day replaces its date": (f"2010-01-01\na\n2010-01-02\nb\n{DASHES}\n",
                                              {TWO: ["a", "b"]}),
    "text before the date belongs to it": (f"a\n2010-01-01\nb\n{DASHES}\n", {ONE: ["a", "b"]}),
    "an empty day has one empty sentence": (f"2010-01-01\n{DASHES}\n", {ONE: [""]}),
    "blank lines stay only inside": (f"2010-01-01\n\na\n\nb\n\n{DASHES}\n", {ONE: ["a", "", "b"]}),
    "short months and days are dates": (f"2010-1-3\na\n{DASHES}\n", {THREE: ["a"]}),
    "31 dashes are a sentence": (f"2010-01-01\n{DASHES[1:]}\n{DASHES}\n", {ONE: [DASHES[1:]]}),
    "33 dashes are a sentence": (f"2010-01-01\n{DASHES}-\n{DASHES}\n", {ONE: [f"{DASHES}-"]}),
    "white space around lines is nothing": (f" 2010-01-01 \r\n\ta \r\n {DASHES} \r\n",
                                            {ONE: ["a"]}),
    "an empty file is an empty timeline": ("", {}),
}  # fmt: skip


@pytest.mark.parametrize(("text", "days"), FILES.values(), ids=FILES)
def test_from_file(tmp_path: Path, text: str, days: dict[Any, list[str]]) -> None:
    path = tmp_path / "timeline.txt"
    path.write_bytes(text.encode())
    with path.open(encoding="utf-8") as file:
        timeline = timelines.Timeline.from_file(file)
    assert timeline.dates_to_summaries == days
    assert timeline.filename == str(path)


def test_from_file_needs_a_file_with_a_name() -> None:
    with pytest.raises(AttributeError):
        Timeline.from_file(io.StringIO(""))


SENTENCES = st.lists(st.sampled_from(["a", "b c", "quake"]), min_size=1, max_size=3).map(" ".join)


@given(
    st.dictionaries(
        st.dates(min_value=date(1000, 1, 1)),
        st.lists(SENTENCES, min_size=1, max_size=4),
        max_size=4,
    )
)
def test_what_is_written_is_read_back(days: dict[date, list[str]]) -> None:
    file = io.StringIO(str(Timeline(days)))
    file.name = "written"
    assert Timeline.from_file(file) == Timeline(days)


def test_a_timeline() -> None:
    timeline = Timeline({THREE: [" c "], ONE: ["a", " b"]}, "file")
    assert timeline.dates_to_summaries == {THREE: ["c"], ONE: ["a", "b"]}
    assert (timeline[ONE], timeline[TWO]) == (["a", "b"], "")
    assert (list(timeline), len(timeline)) == ([THREE, ONE], 2)
    assert timeline.get_dates() == {ONE, THREE}
    assert timeline.get_number_of_sentences() == 3
    assert str(timeline) == f"2010-01-01\na\nb\n{DASHES}\n2010-01-03\nc\n{DASHES}\n"
    assert timeline == Timeline({ONE: ["a", "b"], THREE: ["c"]})
    assert timeline < Timeline({TWO: []})
    assert Timeline({ONE: "ab"}) == Timeline({ONE: ["a", "b"]}), "a text is read by character"
    assert Timeline.from_sent_objects({ONE: [1, "b "]})[ONE] == ["1", "b"]
    with pytest.raises(TypeError):
        hash(timeline)
    with pytest.raises(AttributeError):
        _ = timeline == 3


def test_several_references() -> None:
    truth = GroundTruth([Timeline({ONE: ["a"]}), Timeline({ONE: ["b"], TWO: ["c"]})])
    assert truth.get_dates() == {ONE, TWO}
    assert truth[ONE] == {"0": ["a"], "1": ["b"]}
    assert truth[TWO] == {"0": "", "1": ["c"]}
    first, second = truth.timelines
    assert str(truth) == f"0\n\n{first}\n\n1\n\n{second}\n\n"


def test_a_reference_without_a_day_still_counts_in_precision() -> None:
    (found,) = evaluate("agreement", BOTH, BOTH, NOTHING).values()
    assert found == {"precision": 0.5, "recall": 1.0, "f_score": 2 / 3}


ERRORS: dict[str, tuple[Any, type[Exception], str]] = {
    "one word has no bigram, and so no unigrams either": (
        lambda: evaluate("concat", Timeline({ONE: ["Cairo"]}), BOTH,
                         measures=["rouge_1", "rouge_2"]),
        ZeroDivisionError, "division by zero"),
    "no prediction, concat": (
        lambda: evaluate("concat", NOTHING, BOTH), ZeroDivisionError, "division by zero"),
    "no dates": (
        lambda: dates.evaluate_dates(NOTHING, GroundTruth([BOTH])),
        ZeroDivisionError, "division by zero"),
    "no references": (
        lambda: dates.evaluate_dates(BOTH, GroundTruth([])), ZeroDivisionError, "division by zero"),
    "no prediction, many to one": (
        lambda: evaluate(ALIGNED[2], NOTHING, BOTH), ValueError, "attempt to get argmin"),
    "nothing at all, one to one": (
        lambda: evaluate(ALIGNED[0], NOTHING, NOTHING), ValueError, "expected a matrix"),
    "days of different kinds": (
        lambda: evaluate("concat", Timeline({ONE: [POLICE], NOON: [ARMY]}), BOTH),
        TypeError, "can't compare|not supported between"),  # as Python words it
    "a day None beside others": (
        lambda: evaluate(ALIGNED[0], BOTH, Timeline({ONE: [], None: []})),
        TypeError, "not supported"),
    "a day None alone": (
        lambda: evaluate(ALIGNED[0], Timeline({None: [POLICE]}), BOTH),
        AttributeError, "toordinal"),
    "average of nothing": (lambda: scores.Scores({}, {}), IndexError, "out of range"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), ERRORS.values(), ids=ERRORS)
def test_errors(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as raised:
        call()
    assert raised.type is error


@pytest.mark.parametrize("variant", ALIGNED)
@pytest.mark.parametrize("golds", [(NOTHING,), ()], ids=["empty", "none"])
def test_nothing_to_align_with_is_an_error(variant: str, golds: tuple[Timeline, ...]) -> None:
    with pytest.raises(ValueError, match=r"expected a matrix|attempt to get argmin"):
        evaluate(variant, BOTH, *golds)


@pytest.mark.parametrize("variant", [*VARIANTS, "all"])
@pytest.mark.parametrize(
    ("measures", "key"), [("rouge_1", "r_h_count"), (["rouge_L"], "rouge_L_h_count")]
)
def test_a_wrong_measure_is_a_key_error(variant: str, measures: Any, key: str) -> None:
    with pytest.raises(KeyError) as raised:
        evaluate(variant, BOTH, BOTH, measures=measures)
    assert raised.value.args == (key,)


@pytest.mark.parametrize("variant", [*VARIANTS, "all"])
def test_a_misspelt_computation_is_noticed_at_first_use(variant: str) -> None:
    evaluator = rouge.TimelineRougeEvaluator(rouge_computation="reimplementation")
    with pytest.raises(AttributeError, match="rouge"):
        getattr(evaluator, f"evaluate_{variant}")(BOTH, GroundTruth([BOTH]))


@pytest.mark.parametrize("variant", ["agreement", ALIGNED[2]])
def test_nothing_on_both_sides_is_zero_and_never_looks_at_measures(variant: str) -> None:
    found = evaluate(variant, NOTHING, NOTHING, measures=["any"], rouge_computation="any")
    assert repr(found) == "{'any': {'precision': 0, 'recall': 0, 'f_score': 0}}"


def test_datetimes_never_equal_dates_but_are_aligned() -> None:
    at_noon = Timeline({NOON: [POLICE]})
    gold = Timeline({ONE: [POLICE]})
    assert dates.evaluate_dates(at_noon, GroundTruth([gold]))["f_score"] == 0
    assert evaluate("agreement", at_noon, gold)["rouge_1"]["f_score"] == 0
    for variant in ("concat", *ALIGNED):
        assert evaluate(variant, at_noon, gold)["rouge_1"]["f_score"] == 1


def test_agreement_and_concat_never_look_at_what_a_day_is() -> None:
    odd = Timeline({None: [POLICE]})
    for variant in ("concat", "agreement"):
        assert evaluate(variant, odd, odd)["rouge_1"]["f_score"] == 1


def test_beta_and_the_defaults() -> None:
    half = Timeline({ONE: [POLICE]})
    (plain,) = evaluate("concat", half, BOTH).values()
    (weighed,) = evaluate("concat", half, BOTH, beta=2).values()
    assert weighed["f_score"] == util.get_f_score(plain["precision"], plain["recall"], beta=2)
    assert weighed["f_score"] < plain["f_score"]
    evaluator = rouge.TimelineRougeEvaluator()
    assert (evaluator.measures, evaluator.beta) == ({"rouge_1"}, 1)
    assert rouge.TimelineRougeEvaluator(["rouge_2"], "reimpl", 2).beta == 2


SENTENCE = ["The", "Parliaments", "agreed", ",", "finally", "!"]
REIMPLEMENTED = {
    (True, True): 4,  # parliament agre final !
    (True, False): 5,  # the parliament agre final !
    (False, True): 4,
    (False, False): 5,
}


@pytest.mark.parametrize(("settings", "tokens"), REIMPLEMENTED.items())
def test_the_reimplementation_by_itself(settings: tuple[bool, bool], tokens: int) -> None:
    count = rouge.RougeReimplementation(*settings).score_summary
    found = count([SENTENCE], {"0": [["parliament", "agree"]], "1": [[""]]})
    stem, _ = settings
    assert found == {
        "rouge_1_h_count": 2 if stem else 0,
        "rouge_1_p_count": 2 * tokens,
        "rouge_1_m_count": 3,
        "rouge_2_h_count": 1 if stem else 0,
        "rouge_2_p_count": 2 * (tokens - 1),
        "rouge_2_m_count": 1,
    }


def test_other_settings_of_the_reimplementation_are_refused_where_days_are_aligned() -> None:
    evaluator = rouge.TimelineRougeEvaluator(rouge_computation="reimpl")
    evaluator.rouge = rouge.RougeReimplementation(stem=False)
    assert evaluator.evaluate_concat(BOTH, GroundTruth([BOTH]))["rouge_1"]["f_score"] == 1
    with pytest.raises(NotImplementedError):
        evaluator.evaluate_align_date_costs(BOTH, GroundTruth([BOTH]))


def test_the_quick_rouge_is_an_integer_zero_for_nothing() -> None:
    for predicted, golds in (([], [["a"]]), (["a"], []), (["a"], [["b"]]), (["."], [["."]])):
        assert repr(util.compute_rouge_approximation(predicted, golds)) == "0"
    # 1 of 2 x 2 predicted and 1 of 3 gold tokens: 2PR / (P + R) = 2/7
    two = util.compute_rouge_approximation(["a b"], [["a c"], ["d ."]])
    assert two == pytest.approx(2 / 7, abs=1e-15)


def prf(precision: float, recall: float) -> dict[str, float]:
    return {"precision": precision, "recall": recall, "f_score": 99.0}


PRINTED = """\
date selection
\tBp             P: 1.000 R: 0.000 F: 99.000
\tegypt          P: 0.000 R: 1.000 F: 99.000
\t-------------
\taverage_score  P: 0.500 R: 0.500 F: 0.500

rouge_1
concat
\tBp             P: 1.000 R: 0.500 F: 99.000
\tegypt          P: 0.000 R: 0.500 F: 99.000
\t-------------
\taverage_score  P: 0.500 R: 0.500 F: 0.500

"""


def test_the_average_is_the_f_of_mean_precision_and_mean_recall() -> None:
    texts: dict[str, Any] = {
        "egypt": {"concat": {"rouge_1": prf(0.0, 0.5)}},
        "Bp": {"concat": {"rouge_1": prf(1.0, 0.5)}},
    }
    days: dict[str, Any] = {"egypt": prf(0.0, 1.0), "Bp": prf(1.0, 0.0)}
    made = scores.Scores(texts, days)
    mean = {"precision": 0.5, "recall": 0.5, "f_score": 0.5}
    assert made.mapping is texts
    assert texts["average_score"] == {"concat": {"rouge_1": mean}}
    assert made.date_mapping is not None
    assert made.date_mapping["average_score"] == mean
    assert str(made) == PRINTED
    assert str(scores.Scores(texts, days)) == PRINTED, "a second time, where tilse fails"
    without = str(scores.Scores(texts))
    assert without == PRINTED[PRINTED.index("rouge_1") :], "dates left out, where tilse fails"
