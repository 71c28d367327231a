"""Saved results of a team's own codebook: compared, merged, on a board, with the codebook."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from chronoscore.cli.main import command
from chronoscore.demo import home
from chronoscore.errors import ChronoscoreError

SCALE = [{"value": 0, "label": "no"}, {"value": 1, "label": "yes"}]


def codebook(path: Path, *, version: str = "1", weight: str = "1") -> Path:
    criteria = [
        {"field": "Good", "name": "good", "weight": weight, "scale": "nominal"},
        {"field": "Fun", "name": "fun", "weight": "2", "scale": "nominal"},
    ]
    whole = {
        "name": "tiny",
        "version": version,
        "title": "Tiny",
        "source": "us",
        "score": "TQ",
        "comment": "Note",
        "criteria": [{**one, "question": "?", "values": SCALE} for one in criteria],
    }
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


def sheet(path: Path, *systems: str) -> Path:
    rows = [
        f"{system}{at},{who},{system},a{at},{int(at % 3 > 0)},{int(at % 2)}"
        for system in systems
        for at in range(6)
        for who in "pq"
    ]
    lines = ["event_id,evaluator,system,article_id,Good,Fun", *rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words])


def scored(folder: Path, name: str, book: Path, *systems: str) -> Path:
    saved = folder / f"{name}.json"
    own = sheet(folder / f"{name}.csv", *systems)
    done = run("rubric", own, "--codebook", book, "--save", saved)
    assert done.exit_code == 0, done.output
    return saved


def told(done: Result) -> str:
    assert isinstance(done.exception, ChronoscoreError), done.output
    assert done.stdout == ""
    return str(done.exception)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return codebook(tmp_path / "book.txt")


def commands(folder: Path, saved: Path) -> dict[str, list[object]]:
    return {
        "compare": ["compare", saved],
        "merge": ["merge", saved],
        "leaderboard": ["leaderboard", saved, "-o", folder / "site"],
    }


@pytest.mark.parametrize("verb", ["compare", "merge", "leaderboard"])
def test_results_of_an_own_codebook_need_it_and_then_work(
    verb: str, book: Path, tmp_path: Path
) -> None:
    words = commands(tmp_path, scored(tmp_path, "one", book, "A", "B"))[verb]
    assert "is of a team's own codebook (tiny): give it by --codebook FILE" in told(run(*words))
    done = run(*words, "--codebook", book)
    assert done.exit_code == 0, done.output


def test_show_compares_results_of_an_own_codebook(book: Path, tmp_path: Path) -> None:
    one, two = (scored(tmp_path, name, book, name) for name in ("A", "B"))
    assert "give it by --codebook" in told(run("show", one, "--compare", two))
    done = run("show", one, "--compare", two, "--codebook", book)
    assert "rubric: 2 systems on 6 articles, the best first" in done.stdout, done.output


def test_show_prints_with_the_codebook_what_the_verb_printed(book: Path, tmp_path: Path) -> None:
    saved = scored(tmp_path, "one", book, "A", "B")
    done = run("rubric", tmp_path / "one.csv", "--codebook", book)
    assert run("show", saved, "--codebook", book).stdout == done.stdout


def test_sheets_are_compared_by_an_own_codebook(book: Path, tmp_path: Path) -> None:
    own = sheet(tmp_path / "own.csv", "A", "B")
    done = run("compare", "rubric", own, "--codebook", book)
    saved = run("compare", scored(tmp_path, "one", book, "A", "B"), "--codebook", book)
    assert done.exit_code == 0, done.output
    assert done.stdout == saved.stdout


def test_another_codebook_of_the_same_name_is_refused(book: Path, tmp_path: Path) -> None:
    other = codebook(tmp_path / "other.txt", weight="3")
    one, two = scored(tmp_path, "one", book, "A"), scored(tmp_path, "two", other, "B")
    assert "is of another codebook (tiny)" in told(run("compare", one, two, "--codebook", book))
    both = ["--codebook", book, "--codebook", other]
    done = run("leaderboard", one, two, "-o", tmp_path / "site", *both)
    assert "the results differ in what is counted" in told(done)


def test_a_board_does_not_mix_versions_of_a_codebook(book: Path, tmp_path: Path) -> None:
    newer = codebook(tmp_path / "newer.txt", version="2")
    one, two = scored(tmp_path, "one", book, "A"), scored(tmp_path, "two", newer, "B")
    done = run("leaderboard", one, two, "-o", tmp_path / "site", "--codebook", book)
    assert "was not scored like" in told(done)
    assert "\n  codebook: " in told(done)


def test_a_codebook_is_refused_where_nothing_was_judged(book: Path, tmp_path: Path) -> None:
    gold, quick = home() / "gold.jsonl", home() / "quick.jsonl"
    saved = tmp_path / "quick.json"
    run("timelines", gold, quick, "--save", saved)
    assert "here are none" in told(run("compare", saved, "--codebook", book))
    done = run("compare", "timelines", gold, quick, quick, "--codebook", book)
    assert "--codebook is for judgements" in told(done)


def test_boards_of_both_codebooks_stand_side_by_side(book: Path, tmp_path: Path) -> None:
    own = scored(tmp_path, "one", book, "A", "B")
    usual = tmp_path / "usual.json"
    run("rubric", home() / "judgements.csv", "--save", usual)
    done = run("leaderboard", own, usual, "-o", tmp_path / "site", "--codebook", book)
    assert done.exit_code == 0, done.output
    assert "rubric, tiny: 2 systems" in done.stdout
    assert "rubric, event-quality: 3 systems" in done.stdout
