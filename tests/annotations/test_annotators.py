"""Agreement of annotators on spans: F1 between each two of them."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from laws.cases import DOCUMENTS

from chronoscore.annotations.annotators import mean_f1, pairwise, pooled_f1
from chronoscore.annotations.metrics import SPANS
from chronoscore.annotations.model import Annotation, Document
from chronoscore.cli.main import command


@given(DOCUMENTS, DOCUMENTS)
def test_the_order_of_annotators_does_not_matter(one: Document, two: Document) -> None:
    (there,) = pairwise({"a": {"d": one}, "b": {"d": two}})
    (back,) = pairwise({"b": {"d": two}, "a": {"d": one}})
    assert np.array_equal(pooled_f1([there]).f1, pooled_f1([back]).f1, equal_nan=True)
    strict, lenient = pooled_f1([there]).f1
    if not np.isnan(strict):
        assert 0 <= strict <= lenient <= 1


@given(DOCUMENTS)
def test_who_writes_the_same_agrees_fully(document: Document) -> None:
    pairs = pairwise({name: {"d": document} for name in "abc"})
    assert [(pair.one, pair.other) for pair in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    expected = [1, 1] if document.annotations else [np.nan, np.nan]
    for found in (mean_f1(pairs), pooled_f1(pairs)):
        assert np.array_equal(found.f1, expected, equal_nan=True)


def spans(*places: tuple[int, int]) -> Document:
    return Document("d", tuple(Annotation(str(n), "T", *at) for n, at in enumerate(places)))


SETS = {
    "a": {"1": spans((0, 4), (6, 9)), "2": spans((0, 2))},
    "b": {"1": spans((0, 4), (6, 8)), "2": spans((0, 2))},
    "c": {"1": spans((0, 4)), "3": spans((0, 2))},
}


def test_pairs_mean_and_pool_by_hand() -> None:
    pairs = pairwise(SETS)
    assert [pair.documents for pair in pairs] == [("1", "2"), ("1",), ("1",)]
    found = [score for pair in pairs for score in pooled_f1([pair]).f1.tolist()]
    assert found == pytest.approx([2 * 2 / 6, 2 * 3 / 6, 2 / 3, 2 / 3, 2 / 3, 2 / 3])
    assert mean_f1(pairs).f1.tolist() == pytest.approx([2 / 3, (1 + 2 / 3 + 2 / 3) / 3])
    assert pooled_f1(pairs).f1.tolist() == pytest.approx([2 * 4 / 12, 2 * 5 / 12])


def test_one_document_has_no_interval_and_two_have_one() -> None:
    double, single, _ = pairwise(SETS)
    assert np.isnan(pooled_f1([single]).bounds.low).all()
    assert not np.isnan(pooled_f1([double]).bounds.low).any()


def test_intervals_are_those_of_the_jackknife() -> None:
    sets = {
        name: {str(n): spans((0, 4), (6, 6 + (n + shift) % 3)) for n in range(8)}
        for shift, name in enumerate("ab")
    }
    (pair,) = pairwise(sets)
    found = pooled_f1([pair])
    rest = [
        2 * np.delete(pair.counts[:, 0], n).sum() / np.delete(pair.counts[:, 2:], n, axis=0).sum()
        for n in range(8)
    ]
    spread = np.sqrt(7 / 8 * ((np.array(rest) - np.mean(rest)) ** 2).sum())
    assert found.bounds.high[0] - found.f1[0] == pytest.approx(2.3646242515927 * spread)


def test_features_can_be_asked_for() -> None:
    one = Document("d", (Annotation("1", "T", 0, 4, {"id": "x"}),))
    two = Document("d", (Annotation("1", "T", 0, 4, {"id": "y"}),))
    sets = {"a": {"d": one}, "b": {"d": two}}
    (by_type,), (by_feature,) = pairwise(sets), pairwise(sets, SPANS(features=("id",)))
    assert pooled_f1([by_type]).f1.tolist() == [1, 1]
    assert pooled_f1([by_feature]).f1.tolist() == [0, 0]


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(command, ["annotators", *arguments])
    if code:
        assert isinstance(done.exception, Exception | SystemExit)
        return str(done.exception)
    assert done.exit_code == 0, done.output
    return done.stdout


def written(path: Path, name: str, sets: dict[str, list[tuple[int, int]]]) -> Path:
    document = {
        "id": name,
        "annotations": [
            {"type": "T", "start": start, "end": end, "set": set_, "features": {"kind": set_[:1]}}
            for set_, places in sets.items()
            for start, end in places
        ],
    }
    path.write_text(json.dumps(document) + "\n", encoding="utf-8")
    return path


def test_the_sets_of_one_file_are_annotators(tmp_path: Path) -> None:
    path = written(tmp_path / "all.jsonl", "d", {"ana": [(0, 4)], "ben": [(0, 4), (5, 7)]})
    out = run(str(path), "--label", "kind")
    assert "ana  ben            1   0.667" in out
    assert "Cohen's" in out
    assert "ana  a  b\n---  -  -\na    0  1\n" in out  # the values of the label, not the types


def test_files_without_a_common_document_are_refused(tmp_path: Path) -> None:
    one = written(tmp_path / "one.jsonl", "d", {"": [(0, 4)]})
    two = written(tmp_path / "two.jsonl", "e", {"": [(0, 4)]})
    assert "no document in common" in run(str(one), str(two), code=3)
    assert "needs two annotators" in run(str(one), code=2)


def test_json_can_be_read_back(tmp_path: Path) -> None:
    path = written(tmp_path / "all.jsonl", "d", {"ana": [(0, 4)], "ben": [(0, 4)]})
    (table,) = json.loads(run(str(path), "--format", "json"))
    assert table["rows"][0][:4] == ["ana", "ben", 1, 1.0]
