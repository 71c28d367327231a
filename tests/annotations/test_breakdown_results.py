"""Scores by type are part of a result: saved, merged, shown, with intervals, in every engine."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run

import chronoscore
from chronoscore.core.result import Summary, load
from chronoscore.statistics.intervals import jackknife_t

Spans = Sequence[tuple[str, int, int]]
GOLD: list[Spans] = [
    [("A", 0, 4), ("B", 10, 14)],
    [("A", 0, 4), ("A", 20, 24)],
    [("B", 0, 4)],
    [],
]
TOOL: list[Spans] = [
    [("A", 0, 4), ("B", 10, 15), ("A", 30, 34)],
    [("A", 0, 4), ("B", 20, 24)],
    [("B", 0, 4), ("B", 6, 8)],
    [("C", 0, 4)],
]


def write(path: Path, side: Sequence[Spans], first: int = 0) -> Path:
    lines = [
        {
            "id": f"d{number}",
            "annotations": [
                {"type": k, "start": s, "end": e, "features": {"document": k.lower()}}
                for k, s, e in spans
            ],
        }
        for number, spans in enumerate(side, first)
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "gold.jsonl", GOLD)
    write(tmp_path / "tool.jsonl", TOOL)
    return tmp_path


def scored(*words: str) -> dict[str, Any]:
    ran = run("annotations", "gold.jsonl", "tool.jsonl", *words, "-f", "json")
    assert ran.code == FINE, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def by_type(summaries: Sequence[Summary], score: str = "strict_f1") -> dict[str, float | None]:
    return {s.group["type"]: s.scores[score] for s in summaries if s.kind != "cases"}


def f1(correct: int, responses: int, targets: int) -> float:
    return 2 * correct / (responses + targets)


EXPECTED = {"A": f1(2, 3, 3), "B": f1(1, 4, 2), "C": 0.0}
EXPECTED["mean (macro)"] = sum(EXPECTED.values()) / 3


def test_a_python_call_has_the_scores_by_type() -> None:
    result = chronoscore.score("annotations", "gold.jsonl", "tool.jsonl", by=["type"])
    assert by_type(result.document.systems[0].summaries) == pytest.approx(EXPECTED)
    result = chronoscore.score("annotations", "gold.jsonl", "tool.jsonl", by="target:type")
    groups = [s.group for s in result.document.systems[0].summaries if s.kind == "value"]
    assert groups == [{"target:type": "A"}, {"target:type": "B"}, {"target:type": "(none)"}]


def test_parts_of_files_give_the_result_of_the_whole() -> None:
    whole = scored("--by", "type", "--interval", "bootstrap")
    parts = scored("--by", "type", "--interval", "bootstrap", "--engine", "here", "--chunk", "1")
    assert parts == {**whole, "notices": parts["notices"]}


def test_a_saved_result_is_shown_and_merged_with_its_breakdown(home: Path) -> None:
    whole = run("annotations", "gold.jsonl", "tool.jsonl", "--by", "type", "--save", "whole.json")
    for name, first, last in (("one", 0, 2), ("two", 2, 4)):
        write(home / "g.jsonl", GOLD[first:last], first)
        write(home / "tool.jsonl", TOOL[first:last], first)
        ran = run("annotations", "g.jsonl", "tool.jsonl", "--by", "type", "--save", f"{name}.json")
        assert ran.code == FINE, ran.err
    assert run("show", "whole.json").out == whole.out
    assert run("merge", "one.json", "two.json", "--save", "both.json").out == whole.out
    assert load("both.json").systems == load("whole.json").systems
    assert "A response counts" not in whole.out
    assert whole.out.endswith("a response counts under its own value (--by-side response)\n")


@pytest.mark.parametrize("names", [("type",), ("document",), ("document", "type"), ("case",)])
def test_a_saved_result_is_broken_down_anew(names: tuple[str, ...]) -> None:
    asked = [word for name in names for word in ("--by", name)]
    call = ("annotations", "gold.jsonl", "tool.jsonl", "--interval", "jackknife")
    run(*call, "--by", "type", "--save", "saved.json")
    expected = run(*call, *asked).out
    assert run("show", "saved.json", *asked).out == expected
    assert run("merge", "saved.json", *asked).out == expected


@pytest.mark.parametrize(
    ("saved", "name", "expected"),
    [
        ("type", "document2", "are kept by type, not by document2"),
        ("type", "target:type", "are kept by type, not by target:type"),
        ("document", "type", "are not kept by type"),
    ],
)
def test_a_saved_result_has_only_the_values_it_was_scored_by(
    saved: str, name: str, expected: str
) -> None:
    run("annotations", "gold.jsonl", "tool.jsonl", "--by", saved, "--save", "saved.json")
    for verb in ("show", "merge"):
        ran = run(verb, "saved.json", "--by", name)
        assert (ran.code, expected in ran.err) == (USAGE, True), ran.err


def test_parts_that_are_broken_down_differently_are_not_merged(home: Path) -> None:
    for name, first, last, words in (("one", 0, 2, ("--by", "type")), ("two", 2, 4, ())):
        write(home / "g.jsonl", GOLD[first:last], first)
        write(home / "tool.jsonl", TOOL[first:last], first)
        run("annotations", "g.jsonl", "tool.jsonl", *words, "--save", f"{name}.json")
    ran = run("merge", "one.json", "two.json")
    assert ran.code == BAD_DATA
    assert (
        "two.json: the scores are broken down by no value, those of other parts by type" in ran.err
    )


def test_a_part_without_any_annotation_is_merged(home: Path) -> None:
    run("annotations", "gold.jsonl", "tool.jsonl", "--by", "type", "--save", "one.json")
    empty: list[Spans] = [[]]
    write(home / "gold.jsonl", empty, 9)
    write(home / "tool.jsonl", empty, 9)
    ran = run(
        "annotations", "gold.jsonl", "tool.jsonl", "--by", "type", "--lenient", "--save", "two.json"
    )
    assert ran.code == FINE, ran.err
    assert run("merge", "one.json", "two.json").code == FINE


def scores_without(left_out: int | None, kinds: Sequence[str]) -> list[float]:
    """Strict F1 by type and their mean over the documents but one, counted by hand."""
    chosen = [n for n in range(len(GOLD)) if n != left_out]
    found = {}
    for kind in sorted({k for n in chosen for k, _, _ in (*GOLD[n], *TOOL[n])}):
        right = sum(len({s for s in GOLD[n] if s[0] == kind} & {*TOOL[n]}) for n in chosen)
        both = sum(s[0] == kind for n in chosen for s in (*GOLD[n], *TOOL[n]))
        found[kind] = 2 * right / both
    return [*(found.get(kind, np.nan) for kind in kinds), float(np.mean([*found.values()]))]


def test_the_mean_over_types_has_the_interval_of_the_jackknife() -> None:
    result = scored("--by", "type", "--interval", "jackknife")
    (mean,) = (s for s in result["systems"][0]["summaries"] if s.get("kind") == "mean")
    left = np.array([scores_without(n, ())[-1:] for n in range(4)])
    estimate = np.array(scores_without(None, ())[-1:])
    assert mean["scores"]["strict_f1"] == pytest.approx(estimate[0])
    # What the documents weigh sets the degrees of freedom: all counters of all values added up.
    rows = result["systems"][0]["rows"]
    sizes = np.array([sum(sum(line) for _, line in row["parts"]["spans"]) for row in rows], float)
    bounds = jackknife_t(left, estimate, 0.95, (), sizes)
    interval = mean["intervals"]["strict_f1"]
    assert interval["clusters"] == 4
    assert interval["low"] == pytest.approx(max(0.0, bounds.low[0]))
    assert interval["high"] == pytest.approx(min(1.0, bounds.high[0]))


def test_a_type_has_the_interval_of_the_documents_that_have_it() -> None:
    result = scored("--by", "type", "--interval", "jackknife")
    found = {
        s["group"]["type"]: s.get("intervals", {})
        for s in result["systems"][0]["summaries"]
        if s.get("kind") == "value"
    }
    assert found["A"]["strict_f1"]["clusters"] == 2
    assert found["B"]["strict_f1"]["clusters"] == 3
    assert not found["C"]  # one document says nothing of the spread


def test_documents_may_be_averaged_within_a_type() -> None:
    result = scored("--by", "type", "--average", "macro")
    found = {
        s["group"]["type"]: s["scores"]["strict_f1"]
        for s in result["systems"][0]["summaries"]
        if s.get("kind", "cases") != "cases"
    }
    assert found["A"] == pytest.approx((f1(1, 2, 1) + f1(1, 1, 2)) / 2)
    assert found["mean (macro)"] == pytest.approx((found["A"] + found["B"] + found["C"]) / 3)


def test_the_report_has_the_breakdown_and_names_the_view() -> None:
    ran = run("annotations", "gold.jsonl", "tool.jsonl", "--by", "type", "--report", "r.html")
    assert ran.code == FINE, ran.err
    page = Path("r.html").read_text(encoding="utf-8")
    assert "tool: by type" in page
    assert "a response counts under its own value" in page


def test_the_view_by_target_has_two_spellings() -> None:
    short, long, both = (
        scored("--by", "target:type"),
        scored("--by-type", "--by-side", "target"),
        scored("--by", "target:type", "--by-side", "target"),
    )
    assert short == long == both


def test_a_feature_of_the_name_of_a_level_is_told_apart() -> None:
    result = scored("--by-feature", "document", "--by", "document")
    groups = [s["group"] for s in result["systems"][0]["summaries"]]
    assert {"document": "d0"} in groups
    assert {"feature:document": "a"} in groups


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("-m", "target-accuracy", "--by", "type"), "target-accuracy are not kept by type"),
        (("--by", "type", "--by", "target:document"), "before each name, or before none"),
    ],
)
def test_a_breakdown_that_can_not_be_made_is_refused(words: tuple[str, ...], expected: str) -> None:
    ran = run("annotations", "gold.jsonl", "tool.jsonl", *words)
    assert (ran.code, expected in ran.err) == (USAGE, True), ran.err


def test_a_feature_that_no_part_has_is_refused() -> None:
    ran = run("annotations", "gold.jsonl", "tool.jsonl", "--by", "sex", "--engine", "here")
    assert ran.code == BAD_DATA
    assert "no target has the feature 'sex'; there are: document" in ran.err
