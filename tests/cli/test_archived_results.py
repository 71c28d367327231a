"""Every verb that takes a saved result takes its archive, and answers the same."""

from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run
from workbench.bench import Bench

import chronoscore
from chronoscore.core import result as results
from chronoscore.core.result import load
from chronoscore.demo import SYSTEMS, home
from chronoscore.workbench.result_files import ResultsFolder, read_uploads
from chronoscore.workbench.store import results as store_results

GOLD, CAREFUL, QUICK = (home() / f"{name}.jsonl" for name in ("gold", "careful", "quick"))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results with matches, each as JSON in one folder and as an archive in another."""
    folder = tmp_path_factory.mktemp("saved")
    for kind in ("json", "chronoscore"):
        for path in (CAREFUL, QUICK):
            target = folder / kind / f"{path.stem}.{kind}"
            assert run("timelines", GOLD, path, "--save", target).code == FINE
        systems = (home() / f"{name}.jsonl" for name in SYSTEMS)
        assert (
            run("timelines", GOLD, *systems, "--save", folder / kind / f"all.{kind}").code == FINE
        )
    return folder


CALLS = (
    ("show", "@careful"),
    ("show", "@careful", "--format", "json"),
    ("show", "@careful", "--format", "plain"),
    ("show", "@careful", "--by", "topic"),
    ("show", "@careful", "--signature"),
    ("show", "@careful", "--explain", "all"),
    ("show", "@careful", "--compare", "@quick"),
    ("show", "@careful", "--compare", "@quick", "--decided", "careful", "quick"),
    ("cite", "@careful"),
    ("compare", "@careful", "@quick", "--details"),
    ("compare", "@careful", "@quick", "--changes"),
    ("merge", "@careful"),
    ("correlate", "@all", "--people", str(home() / "judgements.csv"), "--level", "system"),
    ("timelines", str(GOLD), str(QUICK), "--no-worse-than", "@careful"),
)


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_a_verb_answers_the_same_for_either_encoding(
    call: tuple[str, ...], saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = []
    for kind in ("json", "chronoscore"):
        monkeypatch.chdir(saved / kind)
        names = [f"{word[1:]}.{kind}" if word.startswith("@") else word for word in call]
        ran = run(*names)
        answers.append((ran.code, ran.out, ran.err))
    assert answers[0] == answers[1]
    assert answers[0][0] in {FINE, 1}


def test_both_encodings_are_validated(saved: Path) -> None:
    for kind in ("json", "chronoscore"):
        ran = run("validate", saved / kind / f"quick.{kind}")
        assert (ran.code, ran.out.endswith("fine, 1 result of 1 system with 10 rows\n")) == (
            0,
            True,
        )


def test_a_leaderboard_is_made_from_both(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "demo").mkdir()
    for name in ("json/careful.json", "chronoscore/quick.chronoscore"):
        (tmp_path / "demo" / Path(name).name).write_bytes((saved / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    for folder in (tmp_path, "."):
        ran = run("leaderboard", folder, "-o", "site")
        assert ran.out.startswith("demo: timelines, news-tls: 2 systems\n")


def test_convert_turns_one_into_the_other_with_its_matches(saved: Path, tmp_path: Path) -> None:
    one, two, three = tmp_path / "a.chronoscore", tmp_path / "b.json", tmp_path / "a.json"
    source = saved / "json" / "quick.json"
    ran = run("convert", source, one, "--to", "archive")
    assert ran.out == f"10 rows of 1 system are in {one}\n"
    assert one.read_bytes() == (saved / "chronoscore" / "quick.chronoscore").read_bytes()
    assert run("convert", one, two, "--to", "json").code == FINE
    assert two.read_bytes() == source.read_bytes()
    for ending in ("matches.jsonl", "texts.jsonl"):
        same = {(tmp_path / f"{name}.{ending}").read_bytes() for name in "ab"}
        assert same == {(saved / "json" / f"quick.{ending}").read_bytes()}
    assert run("convert", one, three, "--to", "json").code == FINE  # beside it, with its matches
    assert run("show", three, "--explain", "all").code == FINE


def test_convert_refuses_a_name_of_the_other_encoding_and_other_files(
    saved: Path, tmp_path: Path
) -> None:
    ran = run("convert", saved / "json" / "quick.json", tmp_path / "x.json", "--to", "archive")
    assert (ran.code, "NAME.chronoscore" in ran.err) == (USAGE, True)
    ran = run("convert", GOLD, tmp_path / "x.chronoscore", "--to", "archive")
    assert (ran.code, "is no saved result" in ran.err) == (USAGE, True)


def test_show_saves_a_result_again(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "again.chronoscore"
    ran = run("show", saved / "json" / "quick.json", "--by", "topic", "--save", path)
    assert ran.notices == [f"saved {path}"]
    assert load(path).systems[0].summaries[-1].group
    assert (tmp_path / "again.matches.jsonl").exists()
    document = (saved / "json" / "quick.json").read_text(encoding="utf-8")
    edited = tmp_path / "edited.json"
    edited.write_text(document.replace('"cases": 10', '"cases": 11', 1), encoding="utf-8")
    ran = run("show", edited, "--save", tmp_path / "new.json")
    assert (ran.code, (tmp_path / "new.json").exists()) == (BAD_DATA, False)
    assert any("checksum is wrong" in problem for problem in ran.problems)


def test_a_run_of_many_rows_writes_an_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "ARCHIVED_ROWS", 10)
    for name, start in (("run", b"PK"), ("run.json", b"{")):
        assert run("timelines", GOLD, QUICK, "--save", tmp_path / name).code == FINE
        assert (tmp_path / name).read_bytes().startswith(start)


def test_python_saves_and_loads_an_archive(tmp_path: Path) -> None:
    result = chronoscore.score("timelines", GOLD, QUICK)
    found = chronoscore.load(result.save(tmp_path / "run.chronoscore"))
    assert found == result
    assert str(found.explain()) == str(result.explain())


def test_a_damaged_archive_is_refused_by_its_entry(saved: Path, tmp_path: Path) -> None:
    data = (saved / "chronoscore" / "quick.chronoscore").read_bytes()
    start = data.index(b"\x93NUMPY", data.index(b"0/gold.npy\x93")) + 128
    path = tmp_path / "quick.chronoscore"
    path.write_bytes(data[:start] + b"~" + data[start + 1 :])
    for call in (("show", path), ("validate", path), ("compare", path, path)):
        ran = run(*call)
        assert (ran.code, ran.out) == (BAD_DATA, "")
        assert "entry '0/gold.npy' is damaged" in ran.err


def test_the_workbench_takes_archives(saved: Path, tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    path = saved / "chronoscore" / "quick.chronoscore"
    (uploaded,) = read_uploads([("file", path.name, path.read_bytes())])
    assert uploaded.parts["result"] == (saved / "json" / "quick.json").read_bytes()
    problems = ResultsFolder(saved / "chronoscore", patience=60).update(bench.store, 1)
    assert problems == []
    assert {one.name for one in store_results.stored(bench.store)} == {"all", "careful", "quick"}
    bench.store.close()


@pytest.mark.parametrize("folder", [".", "/"])
def test_a_folder_without_a_name_is_no_result(folder: str) -> None:
    ran = run("show", folder)
    assert (ran.code, ran.err) == (BAD_DATA, f"error: {folder}: is a folder, expected a file\n")
