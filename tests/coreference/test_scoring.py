"""Coreference from files to tables: pooling, what is undefined, explanations, options."""

import json
import random
from itertools import permutations
from pathlib import Path

import pytest
from every import each
from readers.command_line import FINE, USAGE, run

import chronoscore
from chronoscore.elements.clusters import Partition, b_cubed, ceaf_e, ceaf_m, overlap_of, totals

KEY = '{"id": "1", "clusters": [["a"], ["b", "c"], ["d", "e", "f"]]}\n'
SECOND = '{"id": "2", "clusters": [["a", "b"]]}\n'


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    path.write_text(KEY + SECOND, encoding="utf-8")
    return path


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    path = tmp_path / "ours.jsonl"
    text = '{"id": "1", "clusters": [["a"], ["b", "c", "x"], ["d", "y"], ["z"]]}\n'
    path.write_text(text + '{"id": "2", "clusters": [["a", "b"]]}\n', encoding="utf-8")
    return path


def f1(gold: Path, ours: Path, metric: str, **chosen: str) -> float | None:
    result = chronoscore.score("coreference", gold, ours, metrics=[metric], **chosen)  # type: ignore[arg-type]
    return result.document.systems[0].summaries[0].scores["f1"]


def test_numerators_and_denominators_are_pooled(gold: Path, ours: Path) -> None:
    assert f1(gold, ours, "muc", average="micro") == pytest.approx(2 * 2 / (4 + 4))
    assert f1(gold, ours, "muc", average="macro") == pytest.approx((1 / 3 + 1) / 2)


def test_a_missing_document_counts_as_empty(gold: Path, ours: Path) -> None:
    ours.write_text(SECOND, encoding="utf-8")
    assert f1(gold, ours, "ceafm") == pytest.approx(2 * 2 / (8 + 2))
    ran = run("coreference", gold, ours, "--missing", "skip", "-m", "ceafm", "--fail-under", "1")
    assert ran.code == FINE
    assert "no prediction for 1 document, left out of the score: 1" in ran.err


def test_without_links_muc_is_undefined_and_zero_by_protocol(tmp_path: Path) -> None:
    path = tmp_path / "ones.jsonl"
    path.write_text('{"id": "1", "clusters": [["a"], ["b"]]}\n', encoding="utf-8")
    assert f1(path, path, "muc", undefined="skip") is None
    assert f1(path, path, "conll", undefined="skip") is None
    assert f1(path, path, "muc") == 0
    assert f1(path, path, "conll") == pytest.approx(2 / 3)
    assert f1(path, path, "b3", undefined="skip") == 1


def test_singletons_may_be_dropped_on_both_sides(gold: Path, ours: Path) -> None:
    result = chronoscore.score(
        "coreference", gold, ours, metrics=["mentions"], options={"singletons": "drop"}
    )
    (row, _) = result.document.systems[0].rows
    assert row.statistics["mentions"] == (3, 5, 3, 5)


def test_the_explanation_shows_how_clusters_were_split(gold: Path, ours: Path) -> None:
    shown = run("coreference", gold, ours, "-m", "b3", "--explain", "1").out
    assert "d (+1) | not found: e, f" in shown
    assert "2 not found, with others" in shown
    assert "the same" in shown
    assert "recall: 3.333 of 6" in shown
    split = '{"id": "1", "clusters": [["d", "e"], ["f"]]}\n'
    ours.write_text(split, encoding="utf-8")
    assert "d, e | f" in run("coreference", gold, ours, "-m", "lea", "--explain", "1").out


def test_the_explanation_of_conll_adds_up_to_its_precision_and_recall(
    gold: Path, ours: Path
) -> None:
    ran = run("coreference", gold, ours, "-m", "conll", "--by", "case", "--explain", "1")
    assert "b, c, x" in ran.out
    assert "(MUC 1 of 2, B3 1.33 of 3, CEAF-e 0.8 of 1)" in ran.out
    row = next(line.split() for line in ran.out.splitlines() if "case=1 " in line)
    assert f"precision: {row[3]} of 1" in ran.out
    assert f"recall: {row[4]} of 1" in ran.out


def test_the_explanation_of_conll_is_without_a_measure_that_is_undefined(tmp_path: Path) -> None:
    path = tmp_path / "ones.jsonl"
    path.write_text('{"id": "1", "clusters": [["a"], ["b"]]}\n', encoding="utf-8")
    ran = run("coreference", path, path, "-m", "conll", "--explain", "1")
    assert "(B3 1 of 1, CEAF-e 1 of 1)" in ran.out
    assert "precision: 0.667 of 0.666667" in ran.out


def test_protocols(gold: Path, ours: Path) -> None:
    for name in ("conll2012", "reference-scorer", "document-means"):
        ran = run("coreference", gold, ours, "--protocol", name, "--format", "json")
        assert ran.code == FINE
        labels = [metric["label"] for metric in json.loads(ran.out)["metrics"]]
        assert labels[0] == "CoNLL"
    assert run("coreference", gold, ours, "--singletons", "nope").code == USAGE


def test_systems_are_compared(gold: Path, ours: Path) -> None:
    ran = run("compare", "coreference", gold, f"a={ours}", f"b={gold}", "-m", "LEA")
    assert ran.code == FINE


def at_random(chance: random.Random) -> Partition:
    clusters: dict[int, list[int]] = {}
    for mention in chance.sample(range(9), chance.randint(1, 9)):
        clusters.setdefault(chance.randrange(5), []).append(mention)
    return list(clusters.values())


def by_trying_all(gold: Partition, predicted: Partition, *, entities: bool) -> float:
    """The best total of any one-to-one alignment."""
    less, more = sorted((list(map(set, gold)), list(map(set, predicted))), key=len)

    def similarity(one: set[object], two: set[object]) -> float:
        common = len(one & two)
        return 2 * common / (len(one) + len(two)) if entities else common

    return max(sum(map(similarity, less, chosen)) for chosen in permutations(more, len(less)))


@each("seed", range(60))
def test_the_alignment_is_the_best_of_all(seed: int) -> None:
    chance = random.Random(seed)
    gold, predicted = at_random(chance), at_random(chance)
    overlap = overlap_of(gold, predicted)
    best = by_trying_all(gold, predicted, entities=False)
    assert totals(ceaf_m(overlap))[2] == best
    best = by_trying_all(gold, predicted, entities=True)
    assert totals(ceaf_e(overlap))[2] == pytest.approx(best, abs=1e-12)


def test_large_components_are_aligned_as_by_the_full_matrix() -> None:
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    chance = random.Random(5)
    sides: list[list[list[int]]] = []
    for _ in range(2):
        clusters: dict[int, list[int]] = {}
        for mention in chance.sample(range(1500), 1200):
            clusters.setdefault(int(chance.random() ** 2 * 400), []).append(mention)
        sides.append(list(clusters.values()))
    overlap = overlap_of(*sides)
    assert min(len(overlap.gold), len(overlap.predicted)) > 200
    gold, predicted = overlap.gold, overlap.predicted
    for measure, similar in (
        (ceaf_m, [(i, j, float(n)) for i, j, n in overlap.shared]),
        (ceaf_e, [(i, j, 2 * n / (gold[i] + predicted[j])) for i, j, n in overlap.shared]),
    ):
        matrix = np.zeros((len(gold), len(predicted)))
        for i, j, value in similar:
            matrix[i, j] = value
        best = matrix[linear_sum_assignment(matrix, maximize=True)].sum()
        assert totals(measure(overlap))[0] == pytest.approx(best, abs=1e-9)


def test_the_order_of_clusters_changes_no_digit() -> None:
    chance = random.Random(3)
    gold = [[number + 40 * part for part in range(number % 7 + 1)] for number in range(40)]
    predicted = [[*range(start, start + 9)] for start in range(0, 200, 9)]
    before = totals(b_cubed(overlap_of(gold, predicted)))
    chance.shuffle(gold)
    assert totals(b_cubed(overlap_of(gold, predicted[::-1]))) == before


@pytest.mark.parametrize("wrong", [["ab", "bc"], ["aa"], ["a", ""]])
def test_what_is_no_partition_is_refused(wrong: Partition) -> None:
    with pytest.raises(ValueError, match="mention"):
        overlap_of(wrong, ["a"])
    with pytest.raises(ValueError, match="mention"):
        overlap_of(["a"], wrong)
