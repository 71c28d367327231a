"""Layouts of SemEval timelines: files, folders, corpora, several runs; and what is refused."""

from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run

from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.ordering import formats, metrics
from chronoscore.ordering.formats import read_orders

ITUNES = (
    "iTunes\n"
    "0\tXXXX-XX-XX\t11778-9-rumoured\n"
    "1\t2003\t11778-3-launch\t11778-4-launch\n"
    "2\t2007\t11778-4-pass\n"
    "3\t2008-01\t11778-7-hold\n"
    "4\t2008-02\t11778-2-pass\t11778-5-pass\n"
    "4\t2008-02\t11778-3-accounts_for\n"
)
SWAPPED = ITUNES.replace("2\t2007", "9\t2007")


def put(path: Path, text: str = ITUNES) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_example_of_the_task_is_read(tmp_path: Path) -> None:
    problems = Problems()
    ((timeline,),) = (
        named.values()
        for named in read_orders(source_of(put(tmp_path / "itunes.txt")), problems).values()
    )
    assert [row.position for row in timeline.rows] == [0, 1, 2, 3, 4, 4]
    assert timeline.rows[1].mentions == ("11778-3-launch", "11778-4-launch")
    assert timeline.rows[5].mentions == ("11778-3-accounts_for",)
    assert not problems.problems
    assert not problems.notices


def test_every_run_of_a_folder_is_a_system(tmp_path: Path) -> None:
    put(tmp_path / "gold" / "itunes.txt")
    put(tmp_path / "runs" / "ORG_1" / "itunes.txt")
    put(tmp_path / "runs" / "ORG_2" / "itunes.txt", SWAPPED)
    done = run("ordering", tmp_path / "gold", tmp_path / "runs", "-m", "tau")
    assert done.code == FINE, done.err
    assert "\nORG_1   1.000" in done.out
    assert "\nORG_2   0." in done.out


def test_corpora_are_folders_of_targets_and_can_be_told_apart(tmp_path: Path) -> None:
    for corpus in ("corpus_1", "corpus_2"):
        put(tmp_path / "gold" / corpus / "itunes.txt")
        put(tmp_path / "runs" / "ORG_1" / corpus / "itunes.txt")
    put(tmp_path / "runs" / "ORG_2" / "corpus_2" / "itunes.txt", SWAPPED)
    done = run("ordering", tmp_path / "gold", tmp_path / "runs", "-m", "pairwise", "--by", "corpus")
    assert done.code == FINE, done.err
    assert "ORG_2: no prediction for 1 target, counted as empty: corpus_1/itunes" in done.err
    lines = [line.split()[:2] for line in done.out.splitlines() if line.startswith("ORG_")]
    assert ["ORG_2", "corpus=corpus_1"] in lines
    single = run("ordering", tmp_path / "gold", tmp_path / "runs" / "ORG_1", "-m", "pairwise")
    assert single.code == FINE
    assert "\nORG_1   1.000  1.000  1.000" in single.out


def test_names_of_files_are_checked(tmp_path: Path) -> None:
    put(tmp_path / "steve jobs.txt")
    put(tmp_path / "iTunes.txt")
    put(tmp_path / "s&p_500.txt")
    done = run("validate", "--as", "ordering", tmp_path)
    assert done.code == BAD_DATA
    assert len(done.problems) == 2
    assert "iTunes.txt" in done.problems[0]
    assert "expected 'steve_jobs.txt'" in done.problems[1]
    assert run("validate", "--as", "ordering", tmp_path, "--lenient").code == FINE


def test_more_rows_than_are_read_are_refused_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "MOST_ROWS", 500)  # in place of a hundred thousand
    path = tmp_path / "long.txt"
    with path.open("w", encoding="utf-8") as file:
        file.write("title\n")
        file.writelines(f"{number}\t2001\t{number}-1-x\n" for number in range(1, 509))
    done = run("ordering", path, path)
    assert done.code == BAD_DATA
    assert "long.txt:502: there are more than 500 rows" in done.err


def test_a_timeline_too_long_for_its_closure_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "MOST_EVENTS", 200)  # in place of twenty thousand
    rows = "".join(f"{number}\t2001\t{number}-1-x\n" for number in range(1, 203))
    path = put(tmp_path / "long.txt", f"title\n{rows}")
    done = run("ordering", path, path)
    assert done.code == BAD_DATA
    assert "long: the gold has 202 events, expected 200 or fewer" in done.err
    assert run("ordering", path, path, "-m", "tau").code == FINE


def test_graphs_of_both_sides_are_written(tmp_path: Path) -> None:
    gold, one = put(tmp_path / "g" / "itunes.txt"), put(tmp_path / "a" / "itunes.txt", SWAPPED)
    done = run("ordering", gold.parent, one.parent, "--write-graphs", tmp_path / "graphs")
    assert done.code == FINE
    names = sorted(path.name for path in (tmp_path / "graphs").iterdir())
    assert names == ["itunes_gold.tml", "itunes_sys.tml"]
    assert "relatedToTime" in (tmp_path / "graphs" / names[0]).read_text(encoding="utf-8")
    both = run(
        *("ordering", gold.parent, one.parent, gold.parent, "--no-anchors"),
        *("--write-graphs", tmp_path / "more"),
    )
    assert both.code == FINE
    assert sorted(path.name for path in (tmp_path / "more").iterdir()) == ["a", "g"]
    told = (tmp_path / "more" / "a" / names[1]).read_text(encoding="utf-8")
    assert "relatedToTime" not in told


def test_without_anchors_only_the_order_is_scored(tmp_path: Path) -> None:
    gold = put(tmp_path / "g" / "itunes.txt")
    undated = "\n".join(
        "\t".join([cells[0], "ZZZZ", *cells[2:]]) if len(cells) > 1 else line
        for line in ITUNES.splitlines()
        for cells in [line.split("\t")]
    )
    system = put(tmp_path / "a" / "itunes.txt", undated)
    done = run("ordering", gold.parent, system.parent, "--no-anchors")
    assert done.code == FINE
    (row, *_) = (line.split() for line in done.out.splitlines() if line.startswith("a "))
    assert row[1:7] == ["1.000"] * 6
    assert run("ordering", gold, system, "--no-anchors", "-m", "tau").code == USAGE


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_every_metric_can_be_averaged_and_broken_down(tmp_path: Path, average: str) -> None:
    for name in ("itunes", "ipod"):
        put(tmp_path / "g" / f"{name}.txt")
        put(tmp_path / "a" / f"{name}.txt", SWAPPED if name == "ipod" else ITUNES)
    metrics = [
        part
        for name in ("SemEval-full", "pairwise", "tau", "anchors", "anchors(credit=graded)")
        for part in ("-m", name)
    ]
    done = run(
        *("ordering", tmp_path / "g", tmp_path / "a", *metrics),
        *("--average", average, "--by", "target"),
    )
    assert done.code == FINE, done.err
    assert "target=ipod" in done.out


def test_a_gold_that_repeats_a_mention_apart_is_noticed(tmp_path: Path) -> None:
    words = ("hit", "run", "fall", "hit", "hit")
    rows = "".join(f"{at}\t2003\t{word}\n" for at, word in enumerate(words, 1))
    repeating, plain = put(tmp_path / "game.txt", f"game\n{rows}"), put(tmp_path / "plain.txt")
    done = run("ordering", repeating, repeating)
    assert done.code == FINE, done.err
    assert "game: hit occurs three or more times apart" in done.err
    assert "three or more times" not in run("ordering", plain, plain).err
