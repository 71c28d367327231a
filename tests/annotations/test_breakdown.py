"""Counts by type or by the values of a feature: what counts where, and that it adds up."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.cases import CASES, AnyCase, shuffled

from chronoscore.annotations.breakdown import TYPE, divided
from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.matching.comparing import SpanComparison, compare
from chronoscore.annotations.matching.strategies import match
from chronoscore.annotations.model import COUNTERS, Annotation, Document
from chronoscore.annotations.parameters import question_of
from chronoscore.cli.main import command
from chronoscore.core.case import Case
from chronoscore.core.evidence import NO_VALUE

unhurried = settings(deadline=None)  # machines differ

Spans = Sequence[tuple[str, int, int]]
Table = dict[str, dict[str, Any]]
VIEWS = st.sampled_from(["response", "target"])
METRICS = st.sampled_from(["spans", "spans(compare=span)", "spans(matching=gate)"])


def document(spans: Spans) -> Document:
    return Document("d", tuple(Annotation(str(n), *span) for n, span in enumerate(spans)))


def compared(case: AnyCase, name: str = "spans") -> tuple[SpanComparison, Any]:
    metric = FAMILY.metric(name)
    found = compare(case.gold, case.predicted, question_of(metric.values))
    return found, match(found, metric.values)


def counts(
    case: AnyCase, features: tuple[str, ...], view: Any, name: str = "spans"
) -> dict[tuple[str, ...], dict[str, int]]:
    """The counters of each value in one document."""
    (found,) = divided(*compared(case, name), features, view)
    return {value: dict(zip(COUNTERS, row, strict=True)) for value, row in found}


def by_type(gold: Spans, predicted: Spans, view: Any, name: str = "spans") -> dict[str, list[int]]:
    """Targets, responses, correct (strict and partial) and incorrect of each type."""
    case = Case("d", document(gold), document(predicted))
    made = counts(case, (TYPE,), view, name)
    return {kind: [*row.values()][:6] for (kind,), row in made.items()}


def printed(folder: Path, gold: Sequence[Spans], predicted: Sequence[Spans], *words: str) -> Table:
    """The table that the command makes, its rows by their first cell."""
    for name, side in (("gold", gold), ("tool", predicted)):
        lines = [
            {
                "id": f"d{n}",
                "annotations": [{"type": k, "start": s, "end": e} for k, s, e in spans],
            }
            for n, spans in enumerate(side)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    files = [str(folder / name) for name in ("gold.jsonl", "tool.jsonl", "tables.json")]
    call = ["annotations", *files[:2], "--by", "type", "--tables", files[2], *words]
    done = CliRunner().invoke(command, call)
    assert done.exit_code == 0, done.output
    (table,) = json.loads(Path(files[2]).read_text(encoding="utf-8"))
    return {row[0]: dict(zip(table["columns"], row, strict=True)) for row in table["rows"]}


ONE_OF_EACH = (("A", 0, 1), ("B", 2, 3))
Scores = tuple[float, float, float]
SEQEVAL: dict[str, tuple[Sequence[Spans], Sequence[Spans], dict[str, Scores], Scores]] = {
    "nine spurious": (
        [ONE_OF_EACH],
        [(*ONE_OF_EACH, *(("A", 4 + 2 * n, 5 + 2 * n) for n in range(9)))],
        {"A": (1 / 10, 1, 2 / 11), "B": (1, 1, 1)},
        (0.55, 1, 0.5909090909090909),
    ),
    "a type that is only predicted": (
        [[("A", 0, 2)], []],
        [[("A", 0, 2)], [("C", 3, 5), ("C", 6, 7)]],
        {"A": (1, 1, 1), "C": (0, 0, 0)},
        (0.5, 0.5, 0.5),
    ),
    "a type that is never predicted": (
        [[("A", 0, 2), ("B", 3, 5)]],
        [[("A", 0, 2)]],
        {"A": (1, 1, 1), "B": (0, 0, 0)},
        (0.5, 0.5, 0.5),
    ),
    "one type taken for the other": (
        [[("A", 0, 2), ("B", 3, 5), ("A", 6, 8)]],
        [[("B", 0, 2), ("B", 3, 5), ("A", 6, 8)]],
        {"A": (1, 0.5, 2 / 3), "B": (0.5, 1, 2 / 3)},
        (0.75, 0.75, 2 / 3),
    ),
    "other borders": (
        [[("A", 0, 3), ("B", 4, 6)]],
        [[("A", 0, 2), ("B", 4, 6), ("A", 7, 9)]],
        {"A": (0, 0, 0), "B": (1, 1, 1)},
        (0.5, 0.5, 0.5),
    ),
    "nothing predicted": (
        [[("A", 0, 2)], [("B", 1, 2)]],
        [[], []],
        {"A": (0, 0, 0), "B": (0, 0, 0)},
        (0, 0, 0),
    ),
    "nothing in the gold": (
        [[], []],
        [[("A", 0, 2)], [("B", 1, 2)]],
        {"A": (0, 0, 0), "B": (0, 0, 0)},
        (0, 0, 0),
    ),
    "two documents": (
        [[("A", 0, 1), ("B", 2, 4)], [("A", 5, 6)]],
        [[("A", 0, 1), ("A", 2, 4)], [("A", 5, 6), ("B", 7, 9)]],
        {"A": (2 / 3, 1, 0.8), "B": (0, 0, 0)},
        (1 / 3, 0.5, 0.4),
    ),
}
"""Gold, prediction, then precision, recall and F1 by type and their macro mean, as seqeval 1.2.2
prints them for these spans as BIO tags. It needs scikit-learn, and so is not among the packages of
the tests."""


@pytest.mark.parametrize("name", SEQEVAL)
def test_types_and_their_mean_are_those_of_seqeval(tmp_path: Path, name: str) -> None:
    gold, predicted, expected, macro = SEQEVAL[name]
    rows = printed(tmp_path, gold, predicted)
    found = {
        kind: tuple(row[f"strict {one}"] for one in ("precision", "recall", "f1"))
        for kind, row in rows.items()
        if kind != "all (micro)"
    }
    wanted = {**expected, "mean (macro)": macro}
    assert found.keys() == wanted.keys()
    for kind, scores in wanted.items():
        assert found[kind] == pytest.approx(scores, abs=1e-12), kind


@unhurried
@given(CASES["annotations"], VIEWS, METRICS)
def test_parts_add_up_to_the_whole(case: AnyCase, view: Any, name: str) -> None:
    found, _ = compared(case, name)
    whole = dict(zip(COUNTERS, FAMILY.metric(name).measure(found).statistics, strict=True))
    for features in ((TYPE,), ("id",), (TYPE, "id")):
        parts = counts(case, features, view, name).values()
        total = {counter: sum(part[counter] for part in parts) for counter in COUNTERS}
        for same in ("targets", "responses", "targets_with_strict", "targets_with_lenient"):
            assert total[same] == whole[same]
        for how in ("strict", "partial"):
            fewer = whole[f"correct_{how}"] - total[f"correct_{how}"]
            assert total[f"incorrect_{how}"] - whole[f"incorrect_{how}"] == fewer >= 0
            if view == "target" or (features == (TYPE,) and "span" not in name.partition("(")[2]):
                assert fewer == 0


@unhurried
@given(CASES["annotations"], VIEWS, METRICS)
def test_a_part_counts_what_has_its_value(case: AnyCase, view: Any, name: str) -> None:
    found, matched = compared(case, name)
    keys = [found.keys.annotation(n).type for n in range(len(found.keys))]
    own = [found.responses.annotation(n).type for n in range(len(found.responses))]
    pairs = [*zip(matched.key, matched.response, matched.value, strict=True)]
    if view == "target":
        own = [NO_VALUE] * len(own)
        for key, response, _ in pairs:
            own[response] = keys[key]
    made = counts(case, (TYPE,), view, name)
    assert {kind for (kind,) in made} == {*keys, *own}
    for (kind,), row in made.items():
        assert row["targets"] == keys.count(kind)
        assert row["responses"] == own.count(kind)
        right = [v for k, r, v in pairs if v >= 2 and keys[k] == own[r] == kind]
        assert (row["correct_strict"], row["correct_partial"]) == (right.count(3), right.count(2))
        met = sum(keys[k] == kind for k, _, _ in pairs)
        assert row["incorrect_strict"] + row["incorrect_partial"] == met - len(right)
        assert row["correct_strict"] + row["correct_partial"] <= min(
            row["targets"], row["responses"]
        )


@unhurried
@given(st.data(), VIEWS)
def test_the_order_of_annotations_changes_no_part(data: st.DataObject, view: Any) -> None:
    case = data.draw(CASES["annotations"])
    turned = shuffled("annotations", case, data.draw)
    assert counts(case, (TYPE, "id"), view) == counts(turned, (TYPE, "id"), view)


def test_a_response_counts_under_its_own_type_and_its_target_under_its_own() -> None:
    gold, predicted = [("B", 0, 4)], [("A", 0, 4)]
    # targets, responses, correct strict and partial, incorrect strict and partial
    assert by_type(gold, predicted, "response") == {
        "A": [0, 1, 0, 0, 0, 0],
        "B": [1, 0, 0, 0, 1, 0],
    }
    assert by_type(gold, predicted, "target") == {"B": [1, 1, 0, 0, 1, 0]}


def test_a_pair_of_two_types_is_correct_under_neither_where_types_are_not_compared() -> None:
    gold, predicted = [("B", 0, 4)], [("A", 0, 4)]
    assert by_type(gold, predicted, "response", "spans(compare=span)") == {
        "A": [0, 1, 0, 0, 0, 0],
        "B": [1, 0, 0, 0, 1, 0],
    }
    assert by_type(gold, predicted, "target", "spans(compare=span)") == {"B": [1, 1, 1, 0, 0, 0]}


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ([], [], {}),
        ([], [("A", 0, 4), ("B", 2, 6)], {"A": [0, 1, 0, 0, 0, 0], "B": [0, 1, 0, 0, 0, 0]}),
        ([("A", 0, 4)], [], {"A": [1, 0, 0, 0, 0, 0]}),
        # Two targets at one place and one response: the pair of the same type is taken.
        (
            [("A", 0, 4), ("B", 0, 4)],
            [("B", 0, 4)],
            {"A": [1, 0, 0, 0, 0, 0], "B": [1, 1, 1, 0, 0, 0]},
        ),
        # The same twice on both sides.
        ([("A", 0, 4)] * 2, [("A", 0, 4)] * 2, {"A": [2, 2, 2, 0, 0, 0]}),
        # One response over two targets goes to the one of its own type, though the other is longer.
        (
            [("A", 0, 6), ("B", 7, 9)],
            [("B", 0, 9)],
            {"A": [1, 0, 0, 0, 0, 0], "B": [1, 1, 0, 1, 0, 0]},
        ),
        # Nested spans, each taken for the other.
        (
            [("A", 0, 9), ("B", 2, 4)],
            [("B", 0, 9), ("A", 2, 4)],
            {"A": [1, 1, 0, 1, 0, 0], "B": [1, 1, 0, 1, 0, 0]},
        ),
    ],
)
def test_hard_cases_by_type(gold: Spans, predicted: Spans, expected: dict[str, list[int]]) -> None:
    assert by_type(gold, predicted, "response") == expected


def test_a_document_of_spurious_types_only_lowers_the_mean(tmp_path: Path) -> None:
    gold = [[("A", 0, 2)], []]
    found = printed(tmp_path, gold, [[("A", 0, 2)], [("X", 0, 1), ("Y", 5, 6)]])
    assert list(found) == ["A", "X", "Y", "all (micro)", "mean (macro)"]
    assert found["mean (macro)"]["strict f1"] == pytest.approx(1 / 3)
    assert found["X"]["responses"] == 1


def test_the_view_by_target_puts_spurious_responses_aside(tmp_path: Path) -> None:
    gold, predicted = [[("A", 0, 2)]], [[("A", 0, 2), ("A", 5, 6)]]
    found = printed(tmp_path, gold, predicted, "--by-side", "target")
    assert found["A"]["strict precision"] == 1
    assert found["(none)"]["responses"] == 1
    assert found["mean (macro)"]["strict f1"] == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "a response counts under its own value (--by-side response)"),
        (("--by-side", "target"), "a response counts under the value of its target"),
    ],
)
def test_the_table_names_the_view(tmp_path: Path, words: tuple[str, ...], expected: str) -> None:
    printed(tmp_path, [[("A", 0, 2)]], [[("A", 0, 2)]], *words)
    (table,) = json.loads((tmp_path / "tables.json").read_text(encoding="utf-8"))
    assert expected in " ".join(table["remarks"])


def test_a_feature_that_no_response_has_is_reported_with_the_way_out(tmp_path: Path) -> None:
    spans = {"type": "A", "start": 0, "end": 2}
    gold = {"id": "d", "annotations": [{**spans, "features": {"level": "hard"}}]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(gold), encoding="utf-8")
    predicted = {"id": "d", "annotations": [spans]}
    (tmp_path / "tool.jsonl").write_text(json.dumps(predicted), encoding="utf-8")
    call = ["annotations", str(tmp_path / "gold.jsonl"), str(tmp_path / "tool.jsonl")]
    done = CliRunner().invoke(command, [*call, "--by", "level"])
    assert "no response has a value of level: --by-side target" in done.output
    assert "correct pairs of two different values: 1" in done.output
    done = CliRunner().invoke(command, [*call, "--by", "level", "--by-side", "target"])
    assert "no response has a value" not in done.output
