"""Systems are compared by type as they are compared on the whole."""

import json
import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run

Spans = Sequence[tuple[str, int, int]]
A, B, LATE = ("A", 0, 4), ("B", 10, 14), ("A", 20, 24)
GOLD: list[Spans] = [[A, B], [A, LATE], [A, B], [A, B, LATE], [A]]
ONE: list[Spans] = [[A, B], [A, LATE], [A], [A, B], [A, ("B", 30, 34)]]
TWO: list[Spans] = [[A], [LATE, ("A", 30, 34)], [B], [A, B, LATE], [("A", 5, 9)]]


def write(path: Path, side: Sequence[Spans]) -> None:
    lines = [
        {"id": f"d{n}", "annotations": [{"type": k, "start": s, "end": e} for k, s, e in spans]}
        for n, spans in enumerate(side)
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, side in (("gold", GOLD), ("one", ONE), ("two", TWO)):
        write(tmp_path / f"{name}.jsonl", side)


def compared(*words: str) -> list[dict[str, Any]]:
    ran = run(
        "compare", "annotations", "gold.jsonl", "one.jsonl", "two.jsonl", *words, "-f", "json"
    )
    assert ran.code == FINE, ran.err
    found = json.loads(ran.out)
    return found if isinstance(found, list) else [found]


def macro(side: Sequence[Spans]) -> float:
    """The mean of strict F1 over the types, counted by hand."""
    scores = []
    for kind in "AB":
        right = sum(
            len({s for s in g if s[0] == kind} & {*p}) for g, p in zip(GOLD, side, strict=True)
        )
        both = sum(s[0] == kind for spans in (*GOLD, *side) for s in spans)
        scores.append(2 * right / both)
    return float(np.mean(scores))


def test_a_type_is_compared_as_if_it_were_alone() -> None:
    whole, a, *_ = compared("--by", "type")
    assert (whole["group"], a["group"]) == ({}, {"type": "A"})
    (alone,) = compared("-m", "spans(types=[A])")
    (ours,), (theirs,) = a["metrics"], alone["metrics"]
    assert (ours["pairs"], ours["ranking"]) == (theirs["pairs"], theirs["ranking"])
    assert ours["label"] == "spans, type=A"


def test_the_mean_over_types_has_the_exact_p_of_all_exchanges() -> None:
    mean = compared("--by", "type")[-1]
    assert mean["group"] == {"type": "mean (macro)"}
    assert mean["path"] == "gold+document:sum>type:mean-f"
    (pair,) = mean["metrics"][0]["pairs"]
    observed = macro(ONE) - macro(TWO)
    assert pair["difference"] == pytest.approx(observed)
    differences = []
    for swapped in product((False, True), repeat=len(GOLD)):
        pairs = [(t, o) if s else (o, t) for o, t, s in zip(ONE, TWO, swapped, strict=True)]
        differences.append(macro([o for o, _ in pairs]) - macro([t for _, t in pairs]))
    extreme = np.abs(differences) >= abs(observed) - 1e-12
    assert pair["exact"]
    assert pair["p"] == pytest.approx(float(extreme.mean()))


def test_saved_results_are_compared_by_type() -> None:
    call = ("annotations", "gold.jsonl", "one.jsonl", "two.jsonl")
    assert run(*call, "--by", "type", "--save", "both.json").code == FINE
    ran = run("compare", "both.json", "--by", "type", "-f", "json")
    assert json.loads(ran.out) == compared("--by", "type")
    assert "type,first,second" in run("compare", "both.json", "--by", "type", "-f", "csv").out
    shown = run("compare", "both.json", "--by", "type", "--details").out
    assert "spans, type=B: differences" in shown
    assert re.search(r"^B +one +\d\.\d{3} a", shown, re.MULTILINE)


def test_means_over_different_types_are_not_exchanged_but_drawn(tmp_path: Path) -> None:
    write(tmp_path / "two.jsonl", [[*spans, ("C", 50, 54)] for spans in TWO])
    ran = run("compare", "annotations", "gold.jsonl", "one.jsonl", "two.jsonl", "--by", "type")
    assert ran.code == FINE
    assert any("only 'two' has type=C" in notice for notice in ran.notices)
    assert "mean (macro)" not in ran.out
    assert compared("--by", "type", "--test", "bootstrap")[-1]["group"]["type"] == "mean (macro)"


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (
            ("annotations", "gold.jsonl", "one.jsonl", "two.jsonl", "--by", "document"),
            USAGE,
            "such",
        ),
        (("annotations", "gold.jsonl", "one.jsonl", "two.jsonl", "--by", "sex"), BAD_DATA, "'sex'"),
        (("timelines", "gold.jsonl", "one.jsonl", "two.jsonl", "--by", "type"), USAGE, "--by type"),
        (("plain.json", "--by", "type"), USAGE, "score spans with --by type"),
        (("sex.json", "--by", "sex"), USAGE, "are kept by type, not by sex"),
    ],
)
def test_what_can_not_be_compared_by_value_is_refused(
    words: tuple[str, ...], code: int, expected: str
) -> None:
    call = ("annotations", "gold.jsonl", "one.jsonl", "two.jsonl")
    run(*call, "--save", "plain.json")
    run(*call, "--by", "type", "--save", "sex.json")
    ran = run("compare", *words)
    assert (ran.code, expected in ran.err) == (code, True), ran.err
