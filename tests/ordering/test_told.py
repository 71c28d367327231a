"""What could pass for a measured zero, or for all there was to read, is said aloud."""

import json
from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, FINE, run

GOLD = "title\n1\t2008-01-01\ta\n2\t2008-01-02\tb\n2\t2008-01-02\tc\n"


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return written(tmp_path / "gold" / "x.txt", GOLD).parent


def test_a_prediction_of_other_events_is_told(gold: Path, tmp_path: Path) -> None:
    ours = written(tmp_path / "ours" / "x.txt", "title\n1\t2008-01-01\tz\n").parent
    told = "ours: no mention is also in the gold, so that nothing can match: x"
    assert told in run("ordering", gold, ours).err
    assert told not in run("ordering", gold, gold).err


def test_a_row_without_an_anchor_is_told(gold: Path, tmp_path: Path) -> None:
    ours = written(tmp_path / "ours" / "x.txt", "title\n1\t\ta\n").parent
    assert "x.txt:2: there is no time anchor; write an unknown one as" in (
        run("ordering", gold, ours).err
    )


def test_an_empty_mention_is_refused(gold: Path, tmp_path: Path) -> None:
    ours = written(tmp_path / "ours" / "x.txt", "title\n1\t2008\ta\t\tb\n").parent
    ran = run("ordering", gold, ours)
    assert ran.code == BAD_DATA
    assert "x.txt:2: a mention is empty" in ran.err
    assert run("ordering", gold, ours, "--lenient").code == FINE


def test_a_mention_that_is_twice_in_a_row_is_told(gold: Path, tmp_path: Path) -> None:
    ours = written(tmp_path / "ours" / "x.txt", "title\n1\t2008\ta\ta\n").parent
    assert "x.txt:2: 'a' is there twice in the row" in run("ordering", gold, ours).err


def test_folders_beside_timelines_are_told(gold: Path, tmp_path: Path) -> None:
    written(tmp_path / "runs" / "ORG_1" / "x.txt", GOLD)
    written(tmp_path / "runs" / "x.txt", GOLD)
    assert "those in the folders are not read: ORG_1/x" in (
        run("ordering", gold, tmp_path / "runs").err
    )


def test_contradictions_are_shown_however_scores_are_averaged(tmp_path: Path) -> None:
    text = "title\n1\t2008\ta\n2\t2008\tb\n3\t2009\tc\n"
    gold = written(tmp_path / "gold" / "x.txt", text).parent
    words = ("ordering", gold, gold, "--average", "macro", "-m", "semeval2015")
    assert "some relations contradict each other (SemEval-full)" in run(*words).out
    ran = run(*words, "--full")
    assert "SemEval-full: contradictions, all cases together" in ran.out
    assert ran.out.splitlines()[-1].split() == ["gold", "1", "1", "1", "1"]
    others = run("ordering", gold, gold, "-m", "tau", "--average", "macro", "--full").out
    assert "contradict" not in others


def test_timeml_is_no_timeline(gold: Path, tmp_path: Path) -> None:
    ours = written(tmp_path / "x.tml", "<TimeML/>")
    ran = run("ordering", gold / "x.txt", ours)
    assert ran.code == BAD_DATA
    assert "chronoscore tlinks" in ran.err
    assert "convert --to semeval" in ran.err


def test_one_row_is_not_many(gold: Path, tmp_path: Path) -> None:
    ours = written(tmp_path / "x.txt", "title\n1\t2008\ta\n")
    assert "1 target, 1 row\n" in run("validate", "--as", "ordering", ours).out


@pytest.fixture
def half(tmp_path: Path) -> tuple[Path, Path]:
    """A gold of two timelines and an answer that has only the first, without a mistake."""
    for file in ("gold/x.txt", "gold/y.txt", "ours/x.txt"):
        written(tmp_path / file, GOLD)
    return tmp_path / "gold", tmp_path / "ours"


def test_the_default_counts_a_missing_answer_and_says_so(half: tuple[Path, Path]) -> None:
    ran = run("ordering", *half, "-m", "SemEval-full")
    assert "protocol semeval2015-complete: " in ran.out
    assert ran.out.splitlines()[4].split()[1:4] == ["0.667", "1.000", "0.500"]


@pytest.mark.parametrize(
    "asked",
    [
        ("--protocol", "semeval2015"),
        ("--protocol", "semeval2015-original"),
        ("--missing", "skip"),
    ],
)
def test_the_official_protocol_skips_a_missing_answer(
    half: tuple[Path, Path], asked: tuple[str, str]
) -> None:
    ran = run("ordering", *half, "-m", "SemEval-full", *asked)
    assert "protocol semeval2015\n" in ran.out
    assert ran.out.splitlines()[4].split()[1:4] == ["1.000", "1.000", "1.000"]


def test_the_official_protocol_prints_what_the_drop_in_command_prints(
    half: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    from chronoscore.compat.semeval2015 import main

    main([str(path) for path in half])
    assert "MICRO-FSCORE\t100.0\t" in capsys.readouterr().out


def test_ord_is_no_anchors(gold: Path) -> None:
    ran = run("ordering", gold, gold, "--ord", "--protocol", "semeval2015")
    assert "protocol semeval2015\n" in ran.out
    assert "SemEval-full" not in ran.out
    assert run("ordering", gold, gold, "--ord").out == (
        run("ordering", gold, gold, "--no-anchors").out
    )


def test_an_old_signature_of_the_default_is_repeated_under_its_new_name(
    half: tuple[Path, Path], tmp_path: Path
) -> None:
    saved = tmp_path / "run.json"
    run("ordering", *half, "--save", saved)
    old = saved.read_text(encoding="utf-8").replace("semeval2015-complete", "semeval2015")
    saved.write_text(old, encoding="utf-8")
    assert "missing: empty" in run("show", saved).out
    signature = json.loads(old)["systems"][0]["signature"]
    assert "protocol=semeval2015|" in signature
    ran = run("ordering", *half, "--from-signature", signature)
    assert "protocol semeval2015-complete: " in ran.out
