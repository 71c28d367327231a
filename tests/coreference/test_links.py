"""Entity linking: clusters are the KB ids and NIL ids of mentions, across all documents."""

import collections
import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from every import each
from readers.command_line import BAD_DATA, FINE, USAGE, run

from chronoscore.core.case import Case
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.ordering.coreference.family import FAMILY
from chronoscore.ordering.coreference.formats import read_clusterings
from chronoscore.statistics.averaging import scores_of

Row = tuple[str, int, int, str, str]
"""Document, first and last character, id, type."""

OURS = {
    "strong_mention_match": "mentions",
    "strong_typed_mention_match": "mentions(key=span+type)",
    "strong_linked_mention_match": "mentions(only=linked)",
    "strong_link_match": "mentions(key=span+kbid,only=linked)",
    "strong_nil_match": "mentions(only=nil)",
    "strong_all_match": "mentions(key=span+kbid)",
    "strong_typed_link_match": "mentions(key=span+type+kbid,only=linked)",
    "strong_typed_nil_match": "mentions(key=span+type,only=nil)",
    "strong_typed_all_match": "mentions(key=span+type+kbid)",
    "muc": "muc",
    "b_cubed": "b3",
    "b_cubed_plus": "b3(key=span+kbid)",
    "entity_ceaf": "ceafe",
    "mention_ceaf": "ceafm",
    "mention_ceaf_plus": "ceafm(key=span+kbid)",
    "typed_mention_ceaf": "ceafm(key=span+type)",
    "typed_mention_ceaf_plus": "ceafm(key=span+type+kbid)",
    "pairwise": "pairs",
}
"""The measures of neleval, and what they are here."""


def written(path: Path, rows: Sequence[Row]) -> Path:
    lines = [f"{d}\t{first}\t{last}\t{link}\t1.0\t{kind}\n" for d, first, last, link, kind in rows]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def annotated(path: Path, rows: Sequence[Row], feature: str = "kbid") -> Path:
    documents: dict[str, list[dict[str, Any]]] = {}
    for document, first, last, link, kind in rows:
        documents.setdefault(document, []).append(
            {"type": kind, "start": first, "end": last + 1, "features": {feature: link}}
        )
    lines = [json.dumps({"id": name, "annotations": found}) for name, found in documents.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def at_random(chance: random.Random) -> list[Row]:
    """Some of thirty places, with ids of the knowledge base and NILs, and types."""
    places = [(f"d{n % 3}", 10 * n, 10 * n + 4) for n in range(30)]
    ids = ["Q1", "Q2", "Q3", "NIL1", "NIL2", "NIL3"]
    chosen = sorted(chance.sample(places, chance.randint(1, 30)))
    return [(*place, chance.choice(ids), chance.choice(["PER", "ORG"])) for place in chosen]


@pytest.fixture(scope="module")
def neleval() -> Iterator[Callable[[Path, Path], dict[str, Any]]]:
    """What neleval says of two files; it asks for names that Python and numpy no longer have."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collections, "Sequence", Sequence, raising=False)
        patch.setattr(np, "int", int, raising=False)
        from neleval.document import Reader
        from neleval.evaluate import Evaluate

        def evaluate(gold: Path, predicted: Path) -> dict[str, Any]:
            sides = [
                list(Reader(path.read_text(encoding="utf-8").splitlines()))
                for path in (predicted, gold)
            ]
            found: dict[str, Any] = Evaluate(*sides, measures=list(OURS), fmt="none")()
            return found

        yield evaluate


def ours(metric: str, gold: Path, predicted: Path) -> tuple[float, float, float]:
    found = FAMILY.metric(metric)
    one, two = (
        read_clusterings(source_of(path), Problems())["collection"]["1"]
        for path in (gold, predicted)
    )
    statistics = found.measure(FAMILY.compare(Case("c", one, two), found.setting)).statistics
    linked = scores_of(found, np.array(statistics, dtype=float), "zero")
    return float(linked[0]), float(linked[1]), float(linked[2])


@pytest.mark.filterwarnings("ignore:Strict P/R defaulting")  # 0 for 0/0
@each("seed", range(60))
def test_scores_are_those_of_neleval(
    neleval: Callable[[Path, Path], dict[str, Any]], seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    gold = written(tmp_path / "gold.tsv", at_random(chance))
    predicted = written(tmp_path / "ours.tsv", at_random(chance))
    theirs = neleval(gold, predicted)
    for measure, metric in OURS.items():
        expected = [theirs[measure][name] for name in ("precision", "recall", "fscore")]
        assert ours(metric, gold, predicted) == pytest.approx(expected, abs=1e-12), measure


def test_the_names_of_neleval_are_understood() -> None:
    for measure, metric in OURS.items():
        if measure != "pairwise":
            assert FAMILY.metric(measure) == FAMILY.metric(metric)


GOLD: list[Row] = [
    ("d1", 0, 3, "Q1", "PER"),
    ("d2", 0, 3, "Q1", "PER"),
    ("d1", 5, 9, "NIL1", "PER"),
    ("d2", 7, 9, "Q2", "ORG"),
]
PREDICTED: list[Row] = [
    ("d1", 0, 3, "Q1", "PER"),
    ("d2", 0, 3, "Q3", "PER"),
    ("d1", 5, 9, "NIL7", "ORG"),
    ("d2", 7, 9, "Q2", "ORG"),
]


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        # Q1 is split in two, and one of its halves keeps its partner.
        ("mention_ceaf", (3 / 4, 3 / 4)),
        ("typed_mention_ceaf", (2 / 4, 2 / 4)),
        ("b_cubed", (4 / 4, 3 / 4)),
        ("b_cubed_plus", (3 / 4, 2.5 / 4)),
        ("strong_link_match", (2 / 3, 2 / 3)),
        ("strong_nil_match", (1, 1)),
    ],
)
def test_scores_by_hand(metric: str, expected: tuple[float, float], tmp_path: Path) -> None:
    gold, predicted = written(tmp_path / "a.tsv", GOLD), written(tmp_path / "b.tsv", PREDICTED)
    assert ours(metric, gold, predicted)[:2] == pytest.approx(expected)


def test_annotations_and_rows_are_the_same_mentions(tmp_path: Path) -> None:
    rows = written(tmp_path / "rows.tsv", GOLD)
    tac = tmp_path / "tac.tab"
    tac.write_text(
        "".join(
            f"run\tm{n}\tthe text\t{d}:{first}-{last}\t{link}\t{kind}\tNAM\t1.0\n"
            for n, (d, first, last, link, kind) in enumerate(GOLD)
        ),
        encoding="utf-8",
    )
    found = [
        read_clusterings(source_of(path), Problems())
        for path in (rows, tac, annotated(tmp_path / "a.jsonl", GOLD))
    ]
    assert found[0] == found[1] == found[2]
    assert len(found[0]["collection"]["1"].clusters) == 3


def test_of_several_candidates_the_highest_score_counts(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(
        'd\t0\t3\tQ1\t0.2\tPER\tQ2\t0.9\t{"type": "ORG"}\nd\t5\t6\tQ2\nd\t8\t9\tQ3\t1\n',
        encoding="utf-8",
    )
    (found,) = read_clusterings(source_of(path), Problems())["collection"].values()
    assert found.clusters == (("d 0:4", "d 5:7"), ("d 8:10",))
    assert found.keyed("span+type", "all").clusters[0] == ("d 0:4 ORG", "d 5:7")


def test_the_command_scores_links_as_tac_does(tmp_path: Path) -> None:
    gold = annotated(tmp_path / "gold.jsonl", GOLD, "inst")
    predicted = annotated(tmp_path / "ours.jsonl", PREDICTED, "inst")
    asked = ("--link-feature", "inst", "--protocol", "tac2014")
    whole = run("coreference", gold, predicted, *asked)
    assert whole.code == FINE
    assert "protocol tac2014" in whole.out
    parts = run("coreference", gold, predicted, *asked, "--engine", "here", "--chunk", "1")
    assert parts.out == whole.out


def test_a_folder_of_links_is_one_collection(tmp_path: Path) -> None:
    (tmp_path / "gold").mkdir()
    written(tmp_path / "gold" / "1.tsv", GOLD[:2])
    annotated(tmp_path / "gold" / "2.jsonl", GOLD[2:])
    found = read_clusterings(source_of(tmp_path / "gold"), Problems())
    assert found == read_clusterings(source_of(written(tmp_path / "all.tsv", GOLD)), Problems())


WRONG = {
    "columns": ("d\t0\t3\n", 1, "3 columns, expected document, start, end, id"),
    "place": ("d\tx\t3\tQ1\n", 1, "the span is 'x' to '3', expected"),
    "empty span": ("d\t4\t3\tQ1\n", 1, "the span 4 to 3 of 'd' has no text"),
    "before the text": ("d\t-1\t3\tQ1\n", 1, "the span -1 to 3 of 'd' has no text"),
    "digits of another script": ("d\t\u0661\t3\tQ1\n", 1, "the span is '\u0661' to '3', expected"),
    "no id": ("d\t0\t3\t\t1\tPER\n", 1, "the id is empty"),
    "no document": ("\t0\t3\tQ1\n", 1, "the document is empty"),
    "score": ("d\t0\t3\tQ1\thigh\tPER\n", 1, "the score is 'high', expected a number"),
    "candidates": ("d\t0\t3\tQ1\t1\tPER\tQ2\n", 1, "4 columns after the span"),
    "type": ("d\t0\t3\tQ1\t1\t{x\n", 1, "the type is no JSON"),
    "twice": ("d\t0\t3\tQ1\nd\t0\t3\tQ2\n", 2, "mention 'd 0:4' is in two clusters"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_row_is_refused_with_its_line(what: str, tmp_path: Path) -> None:
    text, line, words = WRONG[what]
    path = tmp_path / "x.tsv"
    path.write_text(text, encoding="utf-8")
    ran = run("coreference", path, path)
    assert ran.code == BAD_DATA
    assert f"x.tsv:{line}: " in ran.err
    assert words in ran.err


def test_a_feature_that_no_annotation_has_is_refused_with_those_there_are(tmp_path: Path) -> None:
    path = annotated(tmp_path / "x.jsonl", GOLD, "inst")
    ran = run("coreference", path, path)
    assert ran.code == BAD_DATA
    assert "no annotation has the feature 'kbid'" in ran.err
    assert "there are: inst (--link-feature NAME chooses one)" in ran.err


def test_annotations_without_a_link_are_counted_aloud(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    annotations = [
        {"type": "PER", "start": 0, "end": 3, "features": {"kbid": "NIL"}},
        {"type": "Token", "start": 0, "end": 3},
    ]
    path.write_text(json.dumps({"id": "d", "annotations": annotations}), encoding="utf-8")
    ran = run("coreference", path, path)
    assert ran.code == FINE
    assert "1 annotations have no feature 'kbid' and are not scored, first 'd 0:3'" in ran.err
    assert "1 mentions have the id 'NIL' without more, and make one cluster" in ran.err


@pytest.mark.parametrize("value", ["[1]", "true", "1.5", '""', '{"a": 1}'])
def test_a_link_that_is_no_id_is_refused(value: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"id":"d","annotations":[{"start":0,"end":3,"features":{"kbid":' + value + "}}]}",
        encoding="utf-8",
    )
    ran = run("coreference", path, path)
    assert ran.code == BAD_DATA
    assert "x.jsonl:1: feature 'kbid' is " in ran.err


def test_clusters_without_links_have_no_types_to_ask_for(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": "1", "clusters": [["a", "b"]]}\n', encoding="utf-8")
    ran = run("coreference", path, path, "-m", "typed_mention_ceaf")
    assert ran.code == USAGE
    assert "use key=span" in ran.err
    untyped = tmp_path / "x.tsv"
    untyped.write_text("d\t0\t3\tQ1\n", encoding="utf-8")
    ran = run("coreference", untyped, untyped, "-m", "typed_mention_ceaf")
    assert ran.code == USAGE
    assert "no mention has one" in ran.err
