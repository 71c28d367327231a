"""Matching of spans: the plugin's answers, the notes' identities, and what an optimum must obey."""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, TypeAlias

import pytest
import scipy.optimize  # noqa: F401 - or the first example pays for the import
from annotations import plain_matching as matching
from annotations.plain_matching import MATCHERS, Pair, best, candidate_pairs, equal, gate
from every import each
from hypothesis import given, settings
from hypothesis import strategies as st
from vectors_home import free, real

from chronoscore.annotations.candidates import CountSteps
from chronoscore.annotations.columns import Columns
from chronoscore.annotations.curves import difference_curve, thresholds
from chronoscore.annotations.matching.comparing import compare_columns
from chronoscore.annotations.matching.strategies import match_by
from chronoscore.annotations.model import (
    Annotation,
    Counts,
    Document,
    coextensive,
    overlap_length,
    overlaps,
)
from chronoscore.annotations.parameters import FeatureComparison, SpanQuestion

unhurried = settings(deadline=None)  # machines differ

Spans: TypeAlias = list[Annotation]
Both: TypeAlias = tuple[Spans, Spans]
How: TypeAlias = FeatureComparison

HOW: dict[str, How] = {
    "FEATURE_EQUALITY": "equal",
    "FEATURE_EQUALITY_AS_STRING": "text",
    "FEATURE_SUBSUMPTION": "subsumes",
}
DOCUMENTS = free("annotations/documents.json")
STRATEGIES = free("annotations/strategies.json")["vectors"]
PLUGIN_FAILED = {"syn040", "syn076", "syn178"}  # ClassCastException; `fixed` has the answer


def kind(name: str) -> Any:
    """``USE_ALLROUNDED`` is "rounded", ``USE_51FROM0TO1`` is "51"."""
    return {"ALL": "all", "ALLROUNDED": "rounded"}.get(name[4:], name[4:6])


def snake(name: str) -> str:
    words = "".join("_" + c.lower() if c.isupper() else c for c in name)
    return words if "missing" in words else words.replace("_responses", "")


def same(found: Counts, stats: dict[str, Any]) -> None:
    """All counters of a stat block; its ratios belong to the metrics."""
    expected = {snake(name): value for name, value in stats.items() if isinstance(value, int)}
    assert len(expected) == 23
    assert found.with_derived() == expected


def annotations(document: Any, name: str, score: str | None = None) -> Spans:
    return [
        Annotation(
            str(a["id"]), a["type"], a["start"], a["end"], f, float(f[score]) if score else None
        )
        for a in document["sets"].get(name, ())
        for f in [a["features"]]
    ]


def count(keys: Spans, responses: Spans, params: Any, matcher: matching.Matcher) -> Counts:
    features, how = tuple(params["features"] or ()), HOW[params["fcmp"]]
    pairs = candidate_pairs(keys, responses, features, how)
    return matching.counts(pairs, matcher(pairs, keys, responses), keys, responses)


def curve(keys: Spans, responses: Spans, params: Any, strategy: str, which: str) -> CountSteps:
    """The steps of a document's curve, from +infinity."""
    question = SpanQuestion(features=tuple(params["features"] or ()), compare=HOW[params["fcmp"]])
    gold, predicted = (Columns.of([Document("d", tuple(side))]) for side in (keys, responses))
    found = compare_columns(gold, predicted, question)
    steps = difference_curve(found, lambda one: match_by(one, strategy), which)[0]
    changes = [(t, Counts(*(int(n) for n in change))) for t, change in steps]
    return [(math.inf, Counts(targets=len(keys))), *changes]


def at(steps: CountSteps, threshold: float) -> Counts:
    """The counts at a threshold: all changes down to it."""
    return sum((change for t, change in steps if t >= threshold), Counts())


def with_leftovers(matches: list[Pair], keys: Spans, responses: Spans) -> set[tuple[Any, ...]]:
    """Matches by id, and what is left over with None in place of the other side, as in vectors."""
    used = {p.key for p in matches}, {p.response for p in matches}
    return (
        {(int(keys[i].id), int(responses[j].id), value) for i, j, value in matches}
        | {(int(k.id), None, 0) for i, k in enumerate(keys) if i not in used[0]}
        | {(None, int(r.id), 0) for j, r in enumerate(responses) if j not in used[1]}
    )


def check_diff(entry: Any, repaired: bool = True) -> None:
    """Counts and pairs of each document, the totals, and the totals at each threshold.

    Unless repaired, the plugin leaves its counts of single correct pairs at 0 for thresholds.
    """
    params, expected = entry["params"], entry.get("fixed", entry["oracle"])
    features, how = tuple(params["features"] or ()), HOW[params["fcmp"]]
    total, reference, levels, curves = Counts(), Counts(), {math.inf}, list[CountSteps]()
    for document, answer in zip(entry["documents"], expected["docs"], strict=True):
        assert document["name"] == answer["name"]
        keys = annotations(document, params["keySet"])
        responses = annotations(document, params["respSet"], params.get("score"))
        pairs = candidate_pairs(keys, responses, features, how)
        found = with_leftovers(gate(pairs, keys, responses), keys, responses)
        assert found == {(i, j, value) for i, j, value, _ in answer["pairs"]}
        counted = count(keys, responses, params, gate)
        same(counted, answer["stats"])
        total += counted
        if "refSet" in params:
            counted = count(keys, annotations(document, params["refSet"]), params, gate)
            same(counted, answer["refStats"])
            reference += counted
        if "thresholds" in params:
            own = thresholds(kind(params["thresholds"]), [r.score or 0.0 for r in responses])
            levels.update(own)
            which = kind(params["thresholds"])
            curves.append(curve(keys, responses, params, "gate", which))
    same(total, expected["total"])
    if "refSet" in params:
        same(reference, expected["refTotal"])
    if "thresholds" in params:
        assert levels == {float(t) for t in expected["byThreshold"]}
        for t, stats in expected["byThreshold"].items():
            found_at = sum((at(steps, float(t)) for steps in curves), Counts())
            if not repaired:
                found_at = replace(found_at, single_correct_strict=0, single_correct_partial=0)
            same(found_at, stats)


def check_corpus(entry: Any, matcher: matching.Matcher) -> None:
    """Corpus counts of the pass over all types and of each type, responses and reference."""
    params = entry["params"]
    key_type = {spec.split("=")[-1]: spec.split("=")[0] for spec in params["types"]}
    sides = {
        side: [annotations(document, params[side]) for document in entry["documents"]]
        for side in ("keySet", "respSet", "refSet")
        if side in params
    }
    for spec, answer in entry["oracle"]["types"].items():
        types = {spec.split("=")[0]} if spec else set(key_type.values())
        for side, block in (("respSet", "stats"), ("refSet", "refStats")):
            assert (side in params) == (block in answer)
            if side not in params:
                continue
            total = Counts()
            for all_keys, all_responses in zip(sides["keySet"], sides[side], strict=True):
                keys = [k for k in all_keys if k.type in types]
                responses = [
                    Annotation(r.id, key_type[r.type], r.start, r.end, r.features)
                    for r in all_responses
                    if key_type.get(r.type) in types
                ]
                total += count(keys, responses, params, matcher)
            same(total, answer[block])


@each("entry", DOCUMENTS, ids=lambda entry: entry["name"])
def test_gate_matches_as_the_plugin(entry: Any) -> None:
    check_diff(entry)


def test_every_document_has_an_answer() -> None:
    assert {e["name"] for e in DOCUMENTS if "error" in e["oracle"]} == PLUGIN_FAILED
    assert not [e["name"] for e in DOCUMENTS if "error" in e.get("fixed", e["oracle"])]
    assert len(DOCUMENTS) == len(STRATEGIES) == 100


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("gate", "gate"),
        ("best", "optimal_lexicographic"),
        ("response-order", "notes_response_order"),
    ],
)
def test_strategies_count_as_stored(name: str, column: str) -> None:
    entries = {entry["name"]: entry for entry in DOCUMENTS}
    for answer in STRATEGIES:
        entry = entries[answer["name"]]
        keys, responses = (annotations(entry["documents"][0], side) for side in ("Key", "Resp"))
        counted = count(keys, responses, entry["params"], MATCHERS[name])
        assert list(counted.values[2:6]) == answer[column], answer["name"]


def test_gate_matches_as_the_plugin_on_its_own_test_documents() -> None:
    entries = json.loads(real("annotations/unit.json").read_text(encoding="utf-8"))
    diffs = [entry for entry in entries if entry["mode"] == "diff"]
    assert len(diffs) == 10
    for entry in diffs:
        check_diff(entry, repaired=False)


@pytest.mark.parametrize("name", ["corp1", "corp2"])
@pytest.mark.parametrize("matcher", ["best", "gate", "response-order"])
def test_public_corpora_count_as_the_plugin(name: str, matcher: str) -> None:
    for entry in json.loads(real(f"annotations/{name}.json").read_text(encoding="utf-8")):
        check_corpus(entry, MATCHERS[matcher])


@st.composite
def both_sides(draw: st.DrawFn, most: int = 7) -> Both:
    """Targets and responses that are close together, some empty, some alike but for the id."""
    spans = st.tuples(st.integers(0, 7), st.integers(0, 4), st.sampled_from("AB"))
    values, scores = st.sampled_from([None, 1, 1.0, "1", True]), st.sampled_from([0.1, 0.5, 0.937])
    ids = iter(draw(st.permutations([str(n) for n in range(2 * most)])))
    keys, responses = (
        [
            Annotation(next(ids), type_, start, start + length, {"n": value}, score)
            for (start, length, type_), value, score in side
        ]
        for side in draw(
            st.tuples(*2 * [st.lists(st.tuples(spans, values, scores), max_size=most)])
        )
    )
    return keys, responses


def all_matchings(pairs: list[Pair]) -> Iterator[list[Pair]]:
    yield []
    for n, p in enumerate(pairs):
        apart = [q for q in pairs[n + 1 :] if q.key != p.key and q.response != p.response]
        yield from ([p, *more] for more in all_matchings(apart))


def worth(matches: list[Pair], keys: Spans, responses: Spans) -> tuple[int, ...]:
    by_value = (sum(p.value == value for p in matches) for value in (3, 2, 1, 0))
    return (*by_value, sum(overlap_length(keys[p.key], responses[p.response]) for p in matches))


@unhurried
@given(both_sides(), st.sampled_from(sorted(HOW.values())))
def test_the_sweep_finds_what_looking_at_all_pairs_finds(both: Both, how: How) -> None:
    assert candidate_pairs(*both, ("n",), how) == [
        Pair(i, j, 2 * equal(k, r, ("n",), how) + coextensive(k, r))
        for i, k in enumerate(both[0])
        for j, r in enumerate(both[1])
        if coextensive(k, r) or overlaps(k, r)
    ]


@unhurried
@given(both_sides(), st.sampled_from(sorted(MATCHERS)))
def test_the_eight_identities_of_the_notes(both: Both, name: str) -> None:
    pairs = candidate_pairs(*both, ("n",), "equal")
    matches = MATCHERS[name](pairs, *both)
    c = matching.counts(pairs, matches, *both).with_derived()
    kinds = [f"{true}{{}}_{how}" for true in ("", "true_") for how in ("strict", "lenient")]
    missing, spurious = (tuple(c[k.format(w)] for k in kinds) for w in ("missing", "spurious"))
    for side, size, lost in ((0, c["targets"], missing), (1, c["responses"], spurious)):
        # Counted anew as the notes define them, so that the identities are not true by definition.
        everyone = set(range(len(both[side])))
        of = {value: {p[side] for p in matches if p.value == value} for value in range(4)}
        anew = everyone - of[3], everyone - of[3] - of[2], everyone - of[3] - of[1]
        assert lost == (*map(len, anew), len(everyone.difference(*of.values())))
        correct = c["correct_strict"], c["correct_lenient"]
        assert size == len(everyone) == correct[0] + lost[0] == correct[1] + lost[1]
        assert size == correct[0] + c["incorrect_strict"] + lost[2]
        assert size == correct[1] + c["incorrect_lenient"] + lost[3]
    assert min(c.values()) >= 0


@unhurried
@given(both_sides(), st.sampled_from(sorted(MATCHERS)))
def test_single_correct_has_no_unmatched_response_in_range(both: Both, name: str) -> None:
    keys, responses = both
    pairs = candidate_pairs(*both, ("n",), "equal")
    matches = MATCHERS[name](pairs, *both)
    left = [r for j, r in enumerate(responses) if j not in {p.response for p in matches}]
    single = [
        value
        for k, value in ((keys[p.key], p.value) for p in matches)
        if not any(r.start < k.start < r.end or k.start <= r.start < k.end for r in left)
    ]
    c = matching.counts(pairs, matches, *both)
    assert (c.single_correct_strict, c.single_correct_partial) == (single.count(3), single.count(2))


@unhurried
@given(both_sides(most=4), st.sampled_from(sorted(HOW.values())))
def test_best_is_the_lexicographic_optimum(both: Both, how: How) -> None:
    pairs = candidate_pairs(*both, ("n",), how)
    assert worth(best(pairs, *both), *both) == max(worth(m, *both) for m in all_matchings(pairs))


@unhurried
@given(both_sides(), st.randoms(use_true_random=False), st.sampled_from(sorted(MATCHERS)))
def test_the_order_of_the_input_changes_nothing(both: Both, random: Random, name: str) -> None:
    found = []
    for _ in range(2):
        pairs = candidate_pairs(*both, ("n",), "equal")
        random.shuffle(pairs)
        matches = MATCHERS[name](pairs, *both)
        found.append((with_leftovers(matches, *both), matching.counts(pairs, matches, *both)))
        for side in both:
            random.shuffle(side)
    assert found[0] == found[1]


@unhurried
@given(
    both_sides(),
    st.sampled_from(["all", "rounded", "11", "51", "0.1/0.6"]),
    st.sampled_from(sorted(MATCHERS)),
)
def test_a_curve_sums_to_a_new_matching_at_each_threshold(
    both: Both, which: Any, name: str
) -> None:
    keys, responses = both
    levels = thresholds(which, [r.score or 0.0 for r in responses])
    params = {"features": ["n"], "fcmp": "FEATURE_EQUALITY"}
    steps = curve(keys, responses, params, name, which)
    assert steps[0] == (math.inf, Counts(targets=len(keys)))
    for threshold in [math.inf, *levels]:
        visible = [r for r in responses if (r.score or 0.0) >= threshold]
        assert at(steps, threshold) == count(keys, visible, params, MATCHERS[name])


def test_a_span_over_the_whole_document_does_not_make_the_rest_one_problem() -> None:
    spans = [(0, 40_000), *((n, n + 3) for n in range(0, 40_000, 4))]
    keys = [Annotation(str(n), "T", *span) for n, span in enumerate(spans)]
    pairs = candidate_pairs(keys, keys, (), "equal")
    assert len(pairs) == 30_001
    assert best(pairs, keys, keys) == [Pair(n, n, 3) for n in range(10_001)]
