"""Runs of events: engines, saved results and what is made of them, with several golds a topic."""

import json
from pathlib import Path

import pytest
from readers.command_line import FINE, run

from chronoscore.demo import home

GATE_FAILED = 1
CAREFUL, QUICK = home() / "careful.jsonl", home() / "quick.jsonl"
OTHERS = "(other golds)"
LOG = "event-timed(closeness=log(unit=hour,horizon=1y),time_weight=0)"


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two golds a topic: that of the demo, and two events of three in other words."""
    rows = [json.loads(line) for line in (home() / "gold.jsonl").read_text().splitlines()]
    first = [{**row, "timeline": "a"} for row in rows]
    second = [
        {**row, "id": f"{row['id']}-b", "timeline": "b", "text": row["text"].replace("the", "a")}
        for at, row in enumerate(rows)
        if at % 3
    ]
    path = tmp_path_factory.mktemp("golds") / "gold.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in first + second))
    return path


@pytest.fixture(scope="module")
def saved(gold: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "r.json"
    ran = run("events", gold, CAREFUL, QUICK, "--interval", "auto", "--by", "topic", "--save", path)
    assert ran.code == FINE, ran.err
    return path


def signature_of(path: Path) -> str:
    """The whole signature of the first system of a result."""
    lines = run("show", path, "--signature").out.splitlines()
    return next(line for line in lines if line.startswith("family="))


@pytest.mark.parametrize(
    "engine",
    [
        ("here", "--chunk", 1),
        ("processes", "--workers", 2, "--chunk", 3),
        ("dask", "--workers", 1, "--chunk", 4),
    ],
)
def test_every_engine_saves_the_same_bytes(
    engine: tuple[object, ...], gold: Path, saved: Path, tmp_path: Path
) -> None:
    if "dask" in engine:
        pytest.importorskip("distributed")
    path = tmp_path / "r.json"
    settings = ("--interval", "auto", "--by", "topic", "--progress", "none", "--engine", *engine)
    ran = run("events", gold, CAREFUL, QUICK, "--save", path, *settings)
    assert ran.code == FINE, ran.err
    assert path.read_bytes() == saved.read_bytes()


def test_intervals_are_over_topics(saved: Path) -> None:
    shown = run("show", saved).out
    assert "over 7 topics" in shown
    assert "topic=apollo-11" in shown


def test_other_golds_are_shown_and_neither_ranked_nor_judged(
    gold: Path, saved: Path, tmp_path: Path
) -> None:
    assert OTHERS in run("show", saved).out
    compared = run("compare", saved)
    assert compared.code == FINE
    assert OTHERS not in compared.out
    assert run("leaderboard", saved, "-o", tmp_path / "site").code == FINE
    assert "other golds" not in (tmp_path / "site/leaderboard.json").read_text()
    ran = run("events", gold, CAREFUL, "--fail-under", "event-timed=0.99")
    assert ran.code == GATE_FAILED
    gate = [line for line in ran.err.splitlines() if "gate failed" in line]
    assert len(gate) == 1
    assert "careful: event-timed is" in gate[0]
    ran = run("events", gold, CAREFUL, "--fail-under", "event-timed=0.99", "--other-golds", "hide")
    assert OTHERS not in ran.out


def test_an_archive_has_what_the_document_has(saved: Path, tmp_path: Path) -> None:
    archive = tmp_path / "r.chronoscore"
    assert run("merge", saved, "--save", archive).code == FINE
    documents = [run("show", path, "-f", "json").out for path in (saved, archive)]
    assert documents[0] == documents[1]
    for path in (saved, archive):
        assert run("validate", path).code == FINE


def test_topics_that_were_scored_apart_merge_into_the_whole(
    gold: Path, saved: Path, tmp_path: Path
) -> None:
    lines = gold.read_text().splitlines()
    topics = sorted({json.loads(line)["topic"] for line in lines})
    parts = []
    for at in (0, 1):
        part = tmp_path / f"gold{at}.jsonl"
        own = [line for line in lines if topics.index(json.loads(line)["topic"]) % 2 == at]
        part.write_text("\n".join(own) + "\n")
        result = tmp_path / f"r{at}.json"
        settings = ("--interval", "auto", "--by", "topic", "--extra", "skip", "--save", result)
        assert run("events", part, CAREFUL, QUICK, *settings).code == FINE
        parts.append(result)
    merged = run("merge", *parts, "-f", "json")
    assert merged.code == FINE, merged.err
    whole = json.loads(saved.read_text())
    ran = json.loads(merged.out)
    for system, again in zip(whole["systems"], ran["systems"], strict=True):
        assert sorted(system["rows"], key=str) == sorted(again["rows"], key=str)
        assert system["summaries"] == again["summaries"]


def test_explained_matches_are_saved_and_shown(gold: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    metric = ("-m", "event-timed")
    ran = run("events", gold, QUICK, *metric, "--explain", "apollo-11/a", "--save", path)
    assert ran.code == FINE, ran.err
    assert "recall: 6.611 of 16" in ran.out
    shown = run("show", path, "--explain", "apollo-11/a")
    assert shown.code == FINE
    assert "recall: 6.611 of 16" in shown.out


def test_a_signature_gives_the_scores_again(gold: Path, tmp_path: Path) -> None:
    path, again = tmp_path / "r.json", tmp_path / "again.json"
    ran = run("events", gold, QUICK, "-m", LOG, "-m", "event-f1(unit=entry)", "--save", path)
    assert ran.code == FINE, ran.err
    signature = signature_of(path)
    assert "log(unit=hour,horizon=1y)" in signature
    ran = run("events", gold, QUICK, "--from-signature", signature, "--save", again)
    assert ran.code == FINE, ran.err
    assert again.read_bytes() == path.read_bytes()


def test_a_signature_names_verdicts_by_their_content(gold: Path, tmp_path: Path) -> None:
    told = json.loads(QUICK.read_text().splitlines()[0])
    asked = next(
        row
        for row in map(json.loads, gold.read_text().splitlines())
        if row["topic"] == told["topic"] and row["timeline"] == "a"
    )
    verdict = {"gold": asked["id"], "predicted": told["id"], "verdict": "contradicts", "by": "ana"}
    verdicts = tmp_path / "verdicts.jsonl"
    verdicts.write_text(json.dumps(verdict) + "\n")
    path, again = tmp_path / "r.json", tmp_path / "again.json"
    ran = run("events", gold, QUICK, "-m", f"event-strict(verdicts={verdicts})", "--save", path)
    assert ran.code == FINE, ran.err
    assert run("validate", path).code == FINE
    signature = signature_of(path)
    assert f"verdicts={verdicts}@" in signature
    ran = run("events", gold, QUICK, "--from-signature", signature, "--save", again)
    assert ran.code == FINE, ran.err
    assert again.read_bytes() == path.read_bytes()


# Budgets


def written(path: Path, texts: list[str]) -> Path:
    rows = (
        {"id": f"e{at}", "topic": "t", "date": "2011-02-11", "text": text}
        for at, text in enumerate(texts)
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


BAD_DATA = 3


def test_too_many_events_are_refused_before_memory_is(tmp_path: Path) -> None:
    path = written(tmp_path / "many.jsonl", ["The storm hits."] * 20_000)
    ran = run("events", path, path)
    assert ran.code == BAD_DATA
    assert "case 't' makes tables of 400,000,000 cells" in ran.err
    assert "CHRONOSCORE_MAX_MEMORY=" in ran.err


def test_too_many_pairs_of_facts_are_refused_before_memory_is(tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    event = {"id": "e", "topic": "t", "date": "2011-02-11", "text": "The storm hits."}
    path.write_text(json.dumps({**event, "facts": ["It hits."] * 20_000}) + "\n")
    ran = run("events", path, path, "-m", "event-facts")
    assert ran.code == BAD_DATA
    assert "400,000,000 pairs of facts are compared" in ran.err


def test_sentences_count_for_the_budget_though_a_day_is_one_entry(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    text = " ".join(f"Storm {number} hits." for number in range(10_000))
    path.write_text(json.dumps([["2011-02-11", [text]]]) + "\n")
    ran = run("events", path, path)
    assert ran.code == BAD_DATA
    assert "makes tables of 100,000,000 cells" in ran.err


def test_dots_that_end_nothing_do_not_count_for_the_budget(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    text = "It costs " + "3.5 " * 20_000 + "in all."
    path.write_text(json.dumps([["2011-02-11", [text]]]) + "\n")
    assert run("events", path, path, "-m", "event-f1").code == FINE


def test_a_text_of_a_hundred_thousand_words_matches_its_copy(tmp_path: Path) -> None:
    path = written(tmp_path / "long.jsonl", [" ".join(f"w{at}" for at in range(100_000))])
    ran = run("events", path, path, "-m", "event-f1", "-m", "text-quality", "-f", "json")
    assert ran.code == FINE, ran.err
    (system,) = json.loads(ran.out)["systems"]
    assert [*system["rows"][0]["statistics"].values()] == [[1, 1, 1], [1.0, 1]]


def test_a_sequence_of_too_many_different_words_is_refused(tmp_path: Path) -> None:
    words = [f"w{at}" for at in range(150_000)]
    paths = [
        written(tmp_path / f"{name}.jsonl", [" ".join(some)])
        for name, some in (("gold", words), ("told", [*words[1:], *words[:1]]))
    ]
    assert run("events", *paths, "-m", "event-f1").code == FINE
    ran = run("events", *paths, "-m", "text-quality")
    assert ran.code == BAD_DATA
    assert "the longest common sequence of a text of 150,000 words" in ran.err
    assert "cut the text into shorter entries" in ran.err


def test_results_of_two_systems_are_merged_with_the_golds_once(gold: Path, tmp_path: Path) -> None:
    paths = [tmp_path / "one.json", tmp_path / "two.json"]
    for path, system in zip(paths, (CAREFUL, QUICK), strict=True):
        assert run("events", gold, system, "-m", "event-f1", "--save", path).code == FINE
    ran = run("merge", *paths, "--save", tmp_path / "both.json")
    assert ran.code == FINE, ran.err
    systems = json.loads((tmp_path / "both.json").read_text())["systems"]
    assert [system["name"] for system in systems] == ["careful", OTHERS, "quick"]


def test_other_golds_are_the_last_row_of_a_table_of_several_results(tmp_path: Path) -> None:
    paths = [tmp_path / "one.json", tmp_path / "two.json"]
    for path, system in zip(paths, (CAREFUL, QUICK), strict=True):
        words = ("events", home() / "gold.jsonl", system, "-m", "event-f1", "--save", path)
        assert run(*words).code == FINE
    table = run("compare", *paths, "-f", "markdown").out
    rows = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| ")]
    assert rows == ["| System", "| careful", "| quick", f"| {OTHERS}"]


def test_a_baseline_of_several_golds_is_a_gate(gold: Path, tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    assert run("events", gold, CAREFUL, "-m", "event-f1", "--save", base).code == FINE
    call = ("-m", "event-f1", "--no-worse-than", base)
    assert run("events", gold, CAREFUL, *call).code == FINE
    assert run("events", gold, f"careful={QUICK}", *call).code == GATE_FAILED


def test_systems_without_a_topic_are_compared(gold: Path, tmp_path: Path) -> None:
    part, saved = tmp_path / "part.jsonl", tmp_path / "r.json"
    part.write_text("\n".join(QUICK.read_text().splitlines()[:4]) + "\n")
    assert run("events", gold, CAREFUL, part, "--save", saved).code == FINE
    ran = run("compare", saved)
    assert ran.code == FINE, ran.err
