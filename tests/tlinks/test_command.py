"""The command: vectors as files, explanations that give reasons, options that say what they do."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run
from vectors_home import HERE, free

from chronoscore.core.case import Case
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.ordering.model import Link
from chronoscore.ordering.tlinks.family import FAMILY
from chronoscore.ordering.tlinks.formats import MOST_ENTITIES, read_links
from chronoscore.ordering.tlinks.model import LinkDocument

TIMEML = HERE / "ordering" / "timeml"


def table(path: Path, documents: dict[str, list[list[str]]]) -> Path:
    lines = ["\t".join((name, *link)) for name, links in documents.items() for link in links]
    path.write_text("\n".join(["document\tsource\ttarget\trelation", *lines, ""]), encoding="utf-8")
    return path


def lists(path: Path, documents: dict[str, list[list[str]]]) -> Path:
    names = ("source", "target", "relation")
    records = [
        {"document": name, **dict(zip(names, link, strict=True))}
        for name, links in documents.items()
        for link in links
    ]
    path.write_bytes(b"\n".join(map(msgspec.json.encode, records)) + b"\n")
    return path


def scored(*arguments: object) -> dict[str, Any]:
    ran = run("tlinks", *arguments, "--format", "json")
    assert ran.code == FINE, ran.err
    found = json.loads(ran.out)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_lists_of_relations_as_files_have_exact_counts(tmp_path: Path, form: str) -> None:
    """The lists with small letters and unknown words too, which only a lenient reading takes.

    VAGUE is one of these words, and counts only where it is kept.
    """
    vectors = [v for v in free("ordering/relations.json") if v["gold"] and v["system"]]
    write = table if form == "tsv" else lists
    gold = write(tmp_path / f"gold.{form}", {v["id"]: v["gold"] for v in vectors})
    system = write(tmp_path / f"system.{form}", {v["id"]: v["system"] for v in vectors})
    strict = run("tlinks", gold, system)
    assert strict.code == BAD_DATA
    assert "(--lenient accepts it)" in strict.err
    methods = {"default": "awareness", "acl11": "awareness(method=acl11)"}
    both = [word for name in methods.values() for word in ("-m", name)]
    result = scored(gold, system, *both, "--lenient", "--vague", "keep")
    rows = {row["case"]: row["statistics"] for row in result["systems"][0]["rows"]}
    for vector in vectors:
        for method, name in methods.items():
            assert rows[vector["id"]][name][:4] == vector["exact_closure"][method]


def test_pooled_scores_are_the_folders() -> None:
    expected = json.loads((TIMEML / "expected.json").read_text(encoding="utf-8"))
    matched, system, found, gold = expected["folder_exact_closure"]["default"]
    result = scored(TIMEML / "gold", TIMEML / "system", "--by", "document")
    summaries = result["systems"][0]["summaries"]
    (pooled,) = [s for s in summaries if s["metric"] == "awareness" and not s.get("group")]
    assert pooled["scores"]["precision"] == pytest.approx(matched / system)
    assert pooled["scores"]["recall"] == pytest.approx(found / gold)
    assert sum(s["metric"] == "awareness" for s in summaries) == 1 + 42


LINKS = {"d": [["a", "b", "BEFORE"], ["b", "c", "BEFORE"], ["c", "x", "INCLUDES"]]}
SYSTEM = {
    "d": [
        *(["c", "a", "BEFORE"], ["a", "c", "BEFORE"], ["b", "z", "AFTER"], ["x", "a", "ENDS"]),
        ["b", "a", "AFTER"],
    ]
}


def test_an_unverified_link_is_told_what_the_other_side_says() -> None:
    metric = FAMILY.metric("awareness")

    def told(gold: list[list[str]], system: list[list[str]]) -> list[tuple[str, ...]]:
        one, two = (LinkDocument(tuple(Link(*link) for link in side)) for side in (gold, system))
        matches = metric.explain(FAMILY.compare(Case("d", one, two), metric.setting))
        return [
            (m.side, *(" ".join(text.split()) for text in (m.gold, m.predicted)), m.outcome)
            for m in matches
        ]

    assert told(LINKS["d"], SYSTEM["d"]) == [
        ("precision", "c AFTER a, by a BEFORE b, b BEFORE c", "c BEFORE a", "contradicted"),
        ("precision", "", "a BEFORE c (violated: against c BEFORE a)", "inferred"),
        ("precision", "has no z", "b AFTER z", "entity missing"),
        (
            "precision",
            "x AFTER a, by a BEFORE b, b BEFORE c, c INCLUDES x",
            "x ENDS a",
            "contradicted",
        ),
        ("precision", "", "b AFTER a", "literal"),
        ("recall", "a BEFORE b", "", "literal"),
        ("recall", "b BEFORE c", "b AFTER c, by c BEFORE a, b AFTER a", "contradicted"),
        ("recall", "c INCLUDES x", "c BEFORE x, by c BEFORE a, x ENDS a", "contradicted"),
    ]
    gold = [["a", "b", "BEFORE"], ["c", "b", "BEFORE"]]
    unknown = ("precision", "says nothing of the two", "a BEFORE c", "unknown")
    assert told(gold, [["a", "c", "BEFORE"]])[0] == unknown


def test_the_command_explains_a_document(tmp_path: Path) -> None:
    gold, system = table(tmp_path / "g.tsv", LINKS), table(tmp_path / "s.tsv", SYSTEM)
    ran = run("tlinks", gold, system, "-m", "TempEval-3", "--explain", "d")
    assert ran.code == FINE
    assert "by a BEFORE b" in ran.out
    assert run("tlinks", gold, system, "--explain", "x").code == USAGE


def test_contradictions_are_counted_beside_the_scores(tmp_path: Path) -> None:
    gold, system = table(tmp_path / "g.tsv", LINKS), table(tmp_path / "s.tsv", SYSTEM)
    (row,) = scored(gold, system)["systems"][0]["rows"]
    assert row["statistics"]["awareness"][4:] == [1, 0, 1, 0]


def test_a_missing_document_is_empty_or_skipped(tmp_path: Path) -> None:
    both = {**LINKS, "e": [["a", "b", "BEFORE"]]}
    gold, system = table(tmp_path / "g.tsv", both), table(tmp_path / "s.tsv", LINKS)
    recalls = []
    for missing in ("empty", "skip"):
        summaries = scored(gold, system, "--missing", missing)["systems"][0]["summaries"]
        recalls.append(summaries[0]["scores"]["recall"])
    assert recalls == [0.75, 1]
    assert "no prediction for 1 document, counted as empty: e" in run("tlinks", gold, system).err
    assert run("tlinks", gold, system, "--missing", "error").code == BAD_DATA


def test_macro_is_the_mean_over_documents(tmp_path: Path) -> None:
    both = {**LINKS, "e": [["a", "b", "BEFORE"]]}
    half = {**LINKS, "e": [["a", "b", "AFTER"]]}
    gold, system = table(tmp_path / "g.tsv", both), table(tmp_path / "s.tsv", half)
    scores = {
        average: scored(gold, system, "--average", average)["systems"][0]["summaries"][0]["scores"]
        for average in ("micro", "macro")
    }
    assert scores["micro"]["f1"] == 0.75
    assert scores["macro"]["f1"] == 0.5


def test_method_is_a_protocol() -> None:
    assert scored(TIMEML / "gold", TIMEML / "gold", "--method", "acl11")["protocol"] == (
        "tempeval3-acl11"
    )
    ran = run("tlinks", TIMEML / "gold", TIMEML / "gold", "--method", "acl11", "-m", "pairwise")
    assert ran.code == USAGE


def test_two_events_without_a_tense_have_the_same(tmp_path: Path) -> None:
    result = scored(TIMEML / "gold", TIMEML / "gold", "--protocol", "tempeval3-entities")
    for summary in result["systems"][0]["summaries"]:
        assert set(summary["scores"].values()) == {1}


def test_relations_of_too_many_entities_are_refused_once_and_in_words(tmp_path: Path) -> None:
    path = tmp_path / "large.tsv"
    names = 2 * MOST_ENTITIES
    block = "".join(f"d\te{n}\te{n + 1}\tBEFORE\n" for n in range(names))
    path.write_text(block * 3, encoding="utf-8")
    problems = Problems()
    read_links(source_of(path), problems)
    (problem,) = problems.problems
    assert f"links {names + 1} entities, more than the {MOST_ENTITIES}" in problem.message


def test_a_large_file_of_relations_is_scored(tmp_path: Path) -> None:
    lines = [f"d{n // 500}\te{n * 7919 % 97}\te{97 + n % 101}\tBEFORE\n" for n in range(10_000)]
    path = tmp_path / "many.tsv"
    path.write_text("".join(lines), encoding="utf-8")
    (summary, *_) = scored(path, path)["systems"][0]["summaries"]
    assert summary["scores"]["f1"] == 1
