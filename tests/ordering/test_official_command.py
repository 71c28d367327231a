"""`python -m chronoscore.compat.semeval2015` prints and leaves what the official scripts do."""

import json
import shutil
from pathlib import Path

import pytest
from vectors_home import free, real

from chronoscore.compat.semeval2015 import file_line, final_line, main, micro, printed_scores

README = """\
steve_jobs.txt\tFSCORE\t61.1223\tPRECISION\t97.4684\tRECALL\t44.5205
ipod.txt\tFSCORE\t81.4815\tPRECISION\t68.75\tRECALL\t100.0
iphone_3g.txt\tFSCORE\t72.7273\tPRECISION\t100.0\tRECALL\t57.1429
itunes_store.txt\tFSCORE\t77.135\tPRECISION\t87.5\tRECALL\t68.9655
beatles_apple_corps.txt\tFSCORE\t92.3077\tPRECISION\t94.7368\tRECALL\t90.0
iphone_4.txt\tFSCORE\t84.4444\tPRECISION\t90.4762\tRECALL\t79.1667
\tMICRO-FSCORE\t71.022233145\tMICRO-PRECISION\t92.0732\tMICRO-RECALL\t57.8059
"""
COUNTS = {
    "steve_jobs.txt": (77, 79, 65, 146),
    "ipod.txt": (11, 16, 11, 11),
    "iphone_3g.txt": (5, 5, 4, 7),
    "itunes_store.txt": (21, 24, 20, 29),
    "beatles_apple_corps.txt": (18, 19, 18, 20),
    "iphone_4.txt": (19, 21, 19, 24),
}
TITLE = "title\n"


def test_the_example_of_the_task_is_printed_to_the_last_digit() -> None:
    lines = [file_line(name, printed_scores(counts)) for name, counts in COUNTS.items()]
    lines.append(final_line(micro(COUNTS.values())))
    assert "\n".join(lines) + "\n" == README


@pytest.mark.parametrize("ordered", [False, True], ids=["full", "order"])
@pytest.mark.parametrize("corpus", ["trial", "corpus_1"])
def test_official_data_give_the_official_print_out(
    corpus: str, ordered: bool, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    home = real("ordering/semeval2015")
    expected = json.loads((home / "expected.json").read_text(encoding="utf-8"))
    for total in expected["micro"]:
        if (total["corpus"], total["ord"]) != (corpus, ordered):
            continue
        answers = f"{home / corpus}/sys_{total['system']}"
        rows = [
            row
            for row in expected["per_file"]
            if all(row[key] == total[key] for key in ("corpus", "ord", "system"))
        ]
        lines = []
        for row in sorted(rows, key=lambda row: str(row["file"])):
            if "skipped" in row:
                lines.append(f"No answer file found {answers}/{row['file']}")
                lines.append("Skipping the evaluation of it. Fscore set at 0")
            else:
                lines.append(file_line(row["file"], (row["F"], row["P"], row["R"])))
        lines.append(final_line((total["F"], total["P"], total["R"])))
        options = ["--ord"] if ordered else []
        assert main([*options, str(home / corpus / "gold"), answers]) == 0
        assert capfdbinary.readouterr().out.decode() == "\n".join(lines) + "\n", total


def folder(home: Path, **files: str) -> Path:
    home.mkdir()
    for name, text in files.items():
        (home / f"{name}.txt").write_text(text, encoding="utf-8")
    return home


ROWS = "1\t2003\thit\n2\t2007\trun\n"


def test_files_are_sorted_by_name_and_odd_names_are_ordinary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = folder(tmp_path / "g", **{"s&p 500": TITLE + ROWS, "b": TITLE + ROWS, "a": TITLE + ROWS})
    answers = folder(tmp_path / "a", **{"s&p 500": TITLE + ROWS, "b": TITLE})
    assert main([str(gold), str(answers)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"No answer file found {answers}/a.txt",
        "Skipping the evaluation of it. Fscore set at 0",
        "b.txt\tFSCORE\t0.0\tPRECISION\t0.0\tRECALL\t0.0",
        "s&p 500.txt\tFSCORE\t100.0\tPRECISION\t100.0\tRECALL\t100.0",
        "\tMICRO-FSCORE\t66.6666666667\tMICRO-PRECISION\t100.0\tMICRO-RECALL\t50.0",
    ]


def test_nothing_right_at_all_is_a_bare_zero_as_in_the_original(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = folder(tmp_path / "g", a=TITLE + ROWS)
    answers = folder(tmp_path / "a", a="title\n1\t1999\tfall\n")
    assert main([str(gold), str(answers)]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "\tMICRO-FSCORE\t0\tMICRO-PRECISION\t0.0\tMICRO-RECALL\t0.0"


def test_no_answer_at_all_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = folder(tmp_path / "g", a=TITLE + ROWS)
    assert main([str(gold), str(folder(tmp_path / "a"))]) == 3
    told = capsys.readouterr()
    assert "No answer file found" in told.out
    assert "MICRO" not in told.out
    assert "nothing was scored" in told.err


def test_a_bad_position_is_an_error_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = folder(tmp_path / "g", a=TITLE + ROWS)
    answers = folder(tmp_path / "a", a=TITLE + "1\t2003\thit\nsecond\t2007\trun\n")
    assert main([str(gold), str(answers)]) == 3
    assert "a.txt:3: position is 'second'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [[], ["one"], ["a", "b", "c"], ["--single", "a", "b"], ["no", "where"]]
)
def test_wrong_calls_say_what_was_expected(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_one_timeline_leaves_its_score_and_its_graphs(tmp_path: Path) -> None:
    home = folder(tmp_path / "d", gold=ROWS, sys="2\t2003\thit\n1\t2007\trun\n")
    assert main(["--single", str(home), "gold.txt", "sys.txt"]) == 0
    assert (home / "tmp.out").read_text(encoding="utf-8") == (
        "66.6667\t66.6667\t66.6667\t2\t3\t2\t3\n"
    )
    assert sorted(path.name for path in home.iterdir()) == [
        "gold.txt",
        "gold.txt_gold.tml",
        "sys.txt",
        "sys.txt_sys.tml",
        "tmp.out",
    ]
    assert main(["--ord", "--single", str(home), "gold.txt", "sys.txt"]) == 0
    assert (home / "tmp.out").read_text(encoding="utf-8") == "0.0\t0.0\t0.0\t0\t1\t0\t1\n"
    assert "TIMEX3" not in (home / "gold.txt_gold.tml").read_text(encoding="utf-8")


def test_a_missing_file_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--single", str(tmp_path), "no.txt", "no.txt"]) == 3
    assert "no.txt: No such file" in capsys.readouterr().err


def test_fuzzed_timelines_leave_the_official_line(tmp_path: Path) -> None:
    for number, vector in enumerate(free("ordering/timelines_fuzz.json")[::40]):
        home = tmp_path / str(number)
        home.mkdir()
        for name in ("gold", "sys"):
            text = vector[name].split("\n", 1)[1]  # the script of all files drops the title
            (home / name).write_bytes(text.encode("latin-1"))
        options = ["--ord"] if vector["ord"] else []
        assert main([*options, "--single", str(home), "gold", "sys"]) == 0
        line = (home / "tmp.out").read_text(encoding="utf-8").rstrip("\n").split("\t")
        assert line == [*vector["fpr"], *map(str, vector["counts"])]
        shutil.rmtree(home)
