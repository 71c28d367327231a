"""Candidate lists: as the GATE plugin counts them, without its bugs."""

import json
import math
from typing import Any

import numpy as np
import pytest
from annotations.gate_documents import document, expected, found, selection
from annotations.plain_matching import candidate_pairs, counts, gate
from every import each
from hypothesis import given
from hypothesis import strategies as st
from laws.cases import CASES, AnyCase
from vectors_home import free, real, real_home

from chronoscore.annotations.candidate_metrics import rank_levels
from chronoscore.annotations.candidates import (
    By,
    Candidates,
    candidate_curve,
    candidate_lists,
    compare_candidates,
    count_lists,
    disambiguation,
    first_matches,
    match_lists,
    rank_histogram,
)
from chronoscore.annotations.curves import thresholds
from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.model import Annotation, Counts, Document
from chronoscore.annotations.pages.tables import first_match_table
from chronoscore.annotations.parameters import Selection
from chronoscore.core.case import Case
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.errors import DataError, UsageError

GRIDS: Any = {
    "USE_TH_ALL": "all",
    "USE_TH_ALLROUNDED": "rounded",
    "USE_TH11FROM0TO1": "11",
    "USE_TH21FROM0TO1": "21",
    "USE_RANKS_ALL": "all",
    "USE_RANKS_11FROM0T10": "11",
    "USE_RANKS_11FROM0TO50": "51",
    "USE_RANKS_11FROM0TO100": "101",
}


def of_mode(vectors: list[dict[str, Any]], mode: str) -> list[Any]:
    return [pytest.param(v, id=v["name"]) for v in vectors if v["mode"] == mode]


FREE = of_mode(free("annotations/lists.json"), "pr_lists") + of_mode(
    free("annotations/quirks.json"), "pr_lists"
)
PUBLIC = ("annotations/corp2_lists.json", "annotations/unit.json")


def compared(vector: dict[str, Any]) -> list[Candidates]:
    params = vector["params"]
    chosen = selection(params)
    return [
        compare_candidates(
            document(raw, *{params["keySet"], chosen.within.partition(":")[0]}),
            document(raw, params["respSet"]),
            chosen,
        )
        for raw in vector["documents"]
    ]


LAST = -float(2147483647 + 1)
"""The level of the plugin's highest rank."""


def levels_of(vector: dict[str, Any], one: Candidates) -> list[float]:
    """The plugin's levels in one document: its grid or single limit, and all of the list."""
    params = vector["params"]
    if "byRank" in vector["oracle"]:
        if "which" in params:
            longest = max((len(item.candidates) for item in one.lists), default=0)
            return [*rank_levels(GRIDS[params["which"]], longest), LAST]
        limit = params["rankThreshold"]
        return [LAST] if limit == "max" else [-float(int(limit) + 1), LAST]
    if "which" not in params:
        return [float(params["scoreThreshold"]), -math.inf]
    scores = [s for item in one.lists for s in item.scores]
    return [*thresholds(GRIDS[params["which"]], scores), -math.inf]


def first_choices(one: Candidates, chosen: Selection) -> Counts:
    """The counts if each list's first candidate is the response."""
    firsts = [item.candidates[0] for item in one.lists]
    pairs = candidate_pairs(one.keys, firsts, chosen.features, chosen.compare)
    return counts(pairs, gate(pairs, one.keys, firsts), one.keys, firsts)


def counts_at(one: Candidates, strategy: str, by: By, level: float) -> Counts:
    """The counts if only candidates at this level or above it are seen."""
    seen = {j: sum(at >= level for at in item.levels(by)) for j, item in enumerate(one.lists)}
    return count_lists(one, match_lists(one, strategy, seen))


def check(vector: dict[str, Any]) -> None:
    answer = vector.get("fixed", vector["oracle"])
    documents = compared(vector)
    chosen = selection(vector["params"])
    firsts = [first_choices(one, chosen) for one in documents]
    assert found(firsts, single=True) == expected(answer["listBest"], single=True)

    by: By = "score" if "byThreshold" in answer else "rank"
    curves = [candidate_curve(one, "gate", by, levels_of(vector, one)) for one in documents]
    for key, block in answer["byThreshold" if by == "score" else "byRank"].items():
        # The plugin itself counts single correct ones only where all candidates are seen.
        single = "fixed" in vector or key in ("-Inf", "2147483647")
        limit = float(key.replace("Inf", "inf")) if by == "score" else -float(int(key) + 1)
        reached = [change for steps in curves for at, change in steps if at >= limit]
        assert found(reached, single=single) == expected(block, single=single), key
        if vector["params"].get("which") != "USE_TH_ALLROUNDED":
            seen = [counts_at(one, "gate", by, limit) for one in documents]
            assert found(seen, single=single) == expected(block, single=single), key

    steps = [step for one in documents for step in disambiguation(one)]
    for key, block in answer["disamb"].items():
        reached = [change for at, change in steps if at >= -float(int(key) + 1)]
        assert found(reached, single=True) == expected(block, single=True), key

    firsts_found = [first for one in documents for first in first_matches(one)]
    assert answer["lists"] == {
        "nrListAnns": len(firsts_found),
        "nrListAnnsWithKeys": sum(one.targets > 0 for one in firsts_found),
        "nrListAnnsWithoutKeys": sum(one.targets == 0 for one in firsts_found),
        "nrListAnnsNoMatch": sum(one.targets > 0 and one.lenient is None for one in firsts_found),
        "nrListAnnsMatchLenient": sum(one.lenient is not None for one in firsts_found),
        "nrListAnnsMatchStrict": sum(one.strict is not None for one in firsts_found),
        "nrListAnnsMatchPartial": sum(one.partial is not None for one in firsts_found),
        "nrListAnnsMatchStrictAt0": sum(one.strict == 0 for one in firsts_found),
        "nrListAnnsMatchPartialAt0": sum(one.partial == 0 for one in firsts_found),
    }


@each("vector", FREE)
def test_counts_are_the_plugins_without_its_bugs(vector: dict[str, Any]) -> None:
    check(vector)


@pytest.mark.skipif(real_home() is None, reason="public vectors not found")
@pytest.mark.parametrize("path", PUBLIC)
def test_counts_of_public_documents_are_the_plugins(path: str) -> None:
    vectors = json.loads(real(path).read_text(encoding="utf-8"))
    lists = [vector for vector in vectors if vector["mode"] == "pr_lists"]
    assert lists
    for vector in lists:
        check(vector)


@given(CASES["annotations"], st.sampled_from(["best", "gate"]), st.sampled_from(["score", "rank"]))
def test_steps_add_up_to_what_is_counted_at_each_level(
    case: AnyCase, matching: str, by: By
) -> None:
    chosen = Selection("List", "ids", "score", features=("id",))
    one = compare_candidates(case.gold, case.predicted, chosen)
    levels = sorted({level for item in one.lists for level in item.levels(by)})
    steps = candidate_curve(one, matching, by, levels)
    for level in (*levels, math.inf):
        reached = sum((change for at, change in steps if at >= level), Counts())
        assert reached == counts_at(one, matching, by, level)


def spans(*items: tuple[str, str, int, int, dict[str, Any]]) -> Document:
    return Document("d", tuple(Annotation(*item) for item in items))


GOLD = spans(("k", "M", 0, 5, {"id": "x"}))
LISTED = spans(
    ("1", "M", 0, 5, {"id": "y", "s": 0.9}),
    ("2", "M", 0, 4, {"id": "x", "s": 0.5}),
    ("3", "M", 0, 5, {"id": "x", "s": 0.3}),
    ("l", "L", 0, 5, {"ids": ("3", "2", "1")}),
)
CHOSEN = Selection("L", "ids", "s", features=("id",))


def test_candidates_are_ranked_by_score_or_as_they_stand() -> None:
    (by_score,) = candidate_lists(LISTED, CHOSEN)
    assert [one.id for one in by_score.candidates] == ["1", "2", "3"]
    (as_listed,) = candidate_lists(LISTED, Selection("L", "ids"))
    assert [one.id for one in as_listed.candidates] == ["3", "2", "1"]


def test_ids_may_be_written_as_text() -> None:
    written = spans(*((a.id, a.type, a.start, a.end, dict(a.features)) for a in LISTED.annotations))
    *rest, holder = written.annotations
    holder.features["ids"] = "3; 2, 1"  # type: ignore[index]
    (found_list,) = candidate_lists(Document("d", (*rest, holder)), CHOSEN)
    assert [one.id for one in found_list.candidates] == ["1", "2", "3"]


def test_features_may_have_other_names_in_the_prediction() -> None:
    gold = spans(("k", "M", 0, 5, {"key": "x"}))
    chosen = Selection("L", "ids", "s", features=("key=id",))
    (first,) = first_matches(compare_candidates(gold, LISTED, chosen))
    assert (first.strict, first.partial) == (2, 1)
    without = Selection("L", "ids", "s", features=("key=id",), nil="absent", nil_value="x")
    assert compare_candidates(gold, LISTED, without).keys == ()
    (kept,) = candidate_lists(LISTED, without)
    assert [one.id for one in kept.candidates] == ["1"]


def test_where_the_answer_stands() -> None:
    one = compare_candidates(GOLD, LISTED, CHOSEN)
    (first,) = first_matches(one)
    assert (first.strict, first.partial, first.lenient) == (2, 1, 1)
    (row,) = first_match_table("s", [(one, [first])]).rows
    assert row == ("d", "l", "0-5", 1, 3, 2, 0.3, 0.5)
    assert rank_histogram([first.strict]) == [0, 0, 1]


def test_a_better_candidate_never_worsens_a_list() -> None:
    one = compare_candidates(GOLD, LISTED, CHOSEN)
    seen = [counts_at(one, "best", "rank", -float(rank)) for rank in (0, 1, 2, 3)]
    assert [item.responses for item in seen] == [0, 1, 1, 1]
    assert [item.incorrect_strict for item in seen] == [0, 1, 0, 0]
    assert [item.correct_partial for item in seen] == [0, 0, 1, 0]
    assert [item.correct_strict for item in seen] == [0, 0, 0, 1]
    assert all(item.targets == 1 for item in seen)


def result_of(*metrics: str) -> dict[str, Any]:
    """The scores, and the points of curves, of one case through the engine."""
    case = Case("d", GOLD, LISTED, {"gold": "1", "document": "d"})
    made = score(Settings.make(FAMILY, metrics=metrics), {"s": [case]}, explain=True)
    (system,) = made.result.systems
    return {summary.metric.partition("(")[0]: summary for summary in system.summaries}


WITH = "(list=L,score=s,features=[id])"


def test_reciprocal_rank_through_the_engine() -> None:
    whole = result_of(f"candidates-rank{WITH}")["candidates-rank"].scores
    assert whole["lenient_mrr"] == pytest.approx(1 / 2)
    assert whole["strict_mrr"] == pytest.approx(1 / 3)
    assert (whole["strict_first"], whole["strict_anywhere"]) == (0, 1)


def test_curves_name_the_fewest_candidates_that_suffice() -> None:
    curve = result_of(f"candidates-curve(by=rank,{WITH[1:]}")["candidates-curve"]
    assert curve.scores["threshold"] == -3
    assert [point.threshold for point in curve.curve] == [-1, -2, -3]
    accuracy = result_of(f"candidates-accuracy{WITH}")["candidates-accuracy"]
    assert [point.scores["lenient_accuracy"] for point in accuracy.curve] == [0, 1, 1]
    by_score = result_of(f"candidates-curve{WITH}")["candidates-curve"]
    assert by_score.scores["threshold"] == 0.3


def test_limits_by_rank_and_by_score_can_be_combined() -> None:
    for limits, wanted in (("first=2", 0), ("first=3", 1), ("first=3,least=0.4", 0)):
        metric = f"candidates({limits},{WITH[1:]}"
        assert result_of(metric)["candidates"].scores["strict_f1"] == wanted, limits


@pytest.mark.parametrize(
    ("feature", "value", "message"),
    [
        ("ids", ("1", "9"), "names the candidate '9'"),
        ("ids", None, "no feature 'ids'"),
        ("ids", 1.5, "1.5 as the feature 'ids'"),
    ],
)
def test_a_wrong_list_is_told(feature: str, value: Any, message: str) -> None:
    *rest, holder = LISTED.annotations
    wrong = Annotation(holder.id, holder.type, holder.start, holder.end, {feature: value})
    with pytest.raises(DataError, match=message):
        candidate_lists(Document("d", (*rest, wrong)), CHOSEN)


@pytest.mark.parametrize("value", [math.nan, math.inf, "high", None, True])
def test_a_score_that_is_no_number_is_told(value: Any) -> None:
    first, *rest = LISTED.annotations
    wrong = Annotation(first.id, first.type, first.start, first.end, {"id": "y", "s": value})
    with pytest.raises(DataError, match="candidate '1' of list 'l' has"):
        candidate_lists(Document("d", (wrong, *rest)), CHOSEN)


def test_all_problems_of_a_document_are_told_at_once() -> None:
    wrong = spans(("l", "L", 0, 5, {"ids": ("8", "9")}), ("m", "L", 0, 5, {}))
    with pytest.raises(DataError) as error:
        candidate_lists(wrong, CHOSEN)
    assert len(error.value.problems) == 3


def test_a_limit_by_score_needs_scores() -> None:
    with pytest.raises(UsageError, match="needs scores"):
        result_of("candidates-curve(list=L,score=none)")
    with pytest.raises(UsageError, match="expected a score"):
        FAMILY.metric("candidates(least=high)")


def test_no_lists_leave_all_targets_missing() -> None:
    one = compare_candidates(GOLD, Document("d", ()), CHOSEN)
    assert counts_at(one, "best", "rank", -1.0) == Counts(targets=1)
    scores = FAMILY.metric("candidates-rank(list=L)")
    statistics = np.array(scores.measure(one).statistics, dtype=float)
    assert np.isnan(scores.link(statistics)).all()
