"""Packed files where all is read at once: the digits of the plain file, or a clear message."""

import gc
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, FINE, run

import chronoscore
from chronoscore.core.problems import Problems
from chronoscore.core.result import encode
from chronoscore.core.sources import source_of
from chronoscore.demo import home
from chronoscore.engines.resume import PREFIX
from chronoscore.rubric import event_quality
from chronoscore.rubric.formats import read_judgements, write_judgements

PACKINGS = (".jsonl.gz", ".jsonl.zst", ".parquet")
Pack = Callable[[Path, str], Path]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Temporary folders are made here, so that what stays is seen."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    """Packs a file of lines under its own name."""

    def packed(path: Path, packing: str) -> Path:
        data, target = path.read_bytes(), tmp_path / f"{path.stem}{packing}"
        if packing.endswith(".gz"):
            target.write_bytes(gzip.compress(data))
        elif packing.endswith(".zst"):
            target.write_bytes(pytest.importorskip("zstandard").compress(data))
        else:
            rows = [json.loads(line) for line in data.splitlines()]
            names = dict.fromkeys(name for row in rows for name in row)
            columns = {name: [row.get(name) for row in rows] for name in names}
            arrow = pytest.importorskip("pyarrow")
            pytest.importorskip("pyarrow.parquet").write_table(arrow.table(columns), target)
        return target

    return packed


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "sheet.jsonl"
    found = read_judgements([source_of(home() / "judgements.csv")], event_quality(), Problems())
    write_judgements(found, path, event_quality())
    return path


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("more", [(), ("--windows", 2), ("--adjudicated", "ana")])
def test_agreement_of_a_packed_sheet(
    packing: str, more: tuple[object, ...], sheet: Path, pack: Pack, place: Path
) -> None:
    plain, packed = run("agreement", sheet, *more), run("agreement", pack(sheet, packing), *more)
    assert plain.code == packed.code == FINE
    assert (packed.out, packed.err) == (plain.out, plain.err)
    assert not list(place.iterdir())


@pytest.mark.parametrize("packing", PACKINGS)
def test_annotators_of_packed_files(packing: str, pack: Pack, place: Path) -> None:
    sets = [home() / f"{name}.jsonl" for name in ("careful", "quick")]
    plain = run("annotators", *sets)
    packed = run("annotators", *(pack(path, packing) for path in sets))
    assert plain.code == packed.code == FINE
    assert packed.out == plain.out
    assert not list(place.iterdir())


def test_evaluate_of_packed_files(sheet: Path, pack: Pack, place: Path) -> None:
    files = [home() / f"{name}.jsonl" for name in ("gold", "careful", "quick")]
    plain = run("evaluate", *files, "--judgements", sheet, "--by-event")
    for packing in PACKINGS:
        *packed, judged = (pack(path, packing) for path in (*files, sheet))
        ran = run("evaluate", *packed, "--judgements", judged, "--by-event")
        assert plain.code == ran.code == FINE
        assert ran.out == plain.out, packing
        assert PREFIX not in ran.err  # messages name the files that were given
        assert not list(place.iterdir())


@pytest.mark.parametrize("packing", PACKINGS)
def test_rubric_prints_the_same_of_a_packed_sheet(packing: str, sheet: Path, pack: Pack) -> None:
    plain, packed = run("rubric", sheet), run("rubric", pack(sheet, packing), "--progress", "none")
    assert plain.code == packed.code == FINE
    assert (packed.out, packed.err) == (plain.out, plain.err)


def test_a_packed_sheet_beside_another_kind_is_unpacked(sheet: Path, tmp_path: Path) -> None:
    packed = tmp_path / "people.csv.gz"
    packed.write_bytes(gzip.compress((home() / "judgements.csv").read_bytes()))
    files = ("judgements.csv", "judge.csv")
    plain = run("rubric", *(home() / name for name in files))
    assert run("rubric", packed, home() / "judge.csv").out == plain.out
    assert run("rubric", sheet, home() / "judge.csv").out == plain.out


def test_problems_name_the_packed_file(sheet: Path, pack: Pack, place: Path) -> None:
    sheet.write_text(sheet.read_text().replace('"Eval_Relevance":3', '"Eval_Relevance":9', 1))
    packed = pack(sheet, ".jsonl.gz")
    ran = run("agreement", packed)
    assert ran.code == BAD_DATA
    assert [line.startswith(f"{packed}:") for line in ran.problems] == [True]
    assert not list(place.iterdir())


@pytest.mark.parametrize("verb", ["rubric", "agreement", "annotators", "evaluate"])
@pytest.mark.parametrize("packing", PACKINGS)
def test_a_damaged_file_is_a_clear_stop(verb: str, packing: str, tmp_path: Path) -> None:
    if packing != ".jsonl.gz":
        pytest.importorskip({".parquet": "pyarrow", ".jsonl.zst": "zstandard"}[packing])
    damaged = tmp_path / f"damaged{packing}"
    damaged.write_bytes(b"this is neither of them" * 20)
    ran = run(verb, damaged, *([home() / "quick.jsonl"] if verb != "rubric" else []))
    assert ran.code == BAD_DATA
    (problem,) = ran.problems
    assert problem.startswith(f"{damaged}: is no readable")


CALLS = (
    "timelines GOLD QUICK --ceiling",
    "timelines GOLD QUICK --counts",
    "ordering GOLD QUICK",
    "coreference GOLD QUICK",
    "tlinks GOLD QUICK",
    "annotations GOLD QUICK --by type",
    "annotations GOLD QUICK --confusion",
    "annotations GOLD QUICK --counts",
    "annotations GOLD CAREFUL --reference QUICK",
    "annotations GOLD QUICK --texts ARTICLES",
    "candidates PLACES LINKED",
    "compare timelines GOLD QUICK CAREFUL",
    "compare annotations GOLD QUICK CAREFUL",
    "metric-tests GOLD -m align -m date-f1",
    "validate GOLD QUICK ARTICLES",
    "convert GOLD OUT --to json",
    "convert GOLD OUT --to bdoc",
    "convert GOLD OUT --to semeval",
)


@pytest.mark.parametrize("call", CALLS)
def test_every_verb_reads_packed_files_as_plain_ones(
    call: str, pack: Pack, place: Path, tmp_path: Path
) -> None:
    outcomes = {}
    for how in (None, *PACKINGS):
        paths = {"OUT": tmp_path / f"written{how}" / "out"}
        for path in home().glob("*.jsonl"):
            if path.stem.upper() in call:
                paths[path.stem.upper()] = pack(path, how) if how else path
        ran = run(*(paths.get(word, word) for word in call.split()))
        assert ran.code == FINE, ran.err
        assert PREFIX not in ran.err  # messages name the files that were given
        assert not list(place.iterdir())
        out = ran.out
        for word, path in paths.items():
            out = out.replace(str(path), word)
        outcomes[how] = out, _texts(paths["OUT"].parent)
    for packing in PACKINGS:
        assert outcomes[packing] == outcomes[None], packing


def _texts(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("verb", ["calibrate", "correlate", "rubric convert"])
def test_verbs_on_judgements_read_packed_sheets(
    verb: str, sheet: Path, pack: Pack, place: Path, tmp_path: Path
) -> None:
    judged = tmp_path / "judge.jsonl"
    found = read_judgements([source_of(home() / "judge.csv")], event_quality(), Problems())
    write_judgements(found, judged, event_quality())
    saved, target = tmp_path / "saved.json", tmp_path / "out.csv"
    files = [home() / f"{name}.jsonl" for name in ("gold", "careful", "quick", "lead")]
    if verb == "correlate":
        assert run("timelines", *files, "--save", saved).code == FINE
    outcomes = {}
    for how in (None, *PACKINGS):
        own = [pack(path, how) if how else path for path in (sheet, judged)]
        given = {
            "calibrate": ["calibrate", *own],
            "correlate": ["correlate", saved, "--people", own[0]],
            "rubric convert": ["rubric", "convert", own[0], "-o", target],
        }[verb]
        ran = run(*given)
        assert ran.code == FINE, ran.err
        written = target.read_text() if target.exists() else ""
        target.unlink(missing_ok=True)
        outcomes[how] = ran.out, written
    for packing in PACKINGS:
        assert outcomes[packing] == outcomes[None], packing
    assert not list(place.iterdir())


@pytest.mark.parametrize("packing", PACKINGS)
def test_python_reads_packed_files(packing: str, pack: Pack, place: Path) -> None:
    gold, quick = home() / "gold.jsonl", home() / "quick.jsonl"
    plain = chronoscore.score("timelines", gold, quick)
    packed = chronoscore.score("timelines", pack(gold, packing), {"quick": pack(quick, packing)})
    assert encode(packed.document) == encode(plain.document)
    gc.collect()
    assert not list(place.iterdir())


def test_a_packed_file_without_topics_is_named_after_its_plain_name(
    pack: Pack, tmp_path: Path
) -> None:
    def only(name: str, topic: str) -> Path:
        path = tmp_path / f"{name}.jsonl"
        lines = map(json.loads, (home() / f"{name}.jsonl").read_text().splitlines())
        own = [line | {"topic": topic} for line in lines if line["topic"] == "apollo-11"]
        path.write_text("".join(json.dumps(line) + "\n" for line in own))
        return path

    gold, quick = only("gold", "apollo-11"), only("quick", "")
    plain = run("timelines", gold, quick, "--ceiling")
    packed = run("timelines", gold, pack(quick, ".jsonl.gz"), "--ceiling")
    assert plain.code == FINE
    assert packed.out == plain.out
    assert packed.err == plain.err.replace("quick.jsonl", "quick.jsonl.gz")


def test_a_system_is_named_without_the_endings_of_its_file(pack: Pack) -> None:
    files = [home() / f"{name}.jsonl" for name in ("gold", "quick")]
    plain = run("timelines", *files)
    packed = run("timelines", *(pack(path, ".jsonl.gz") for path in files))
    assert packed.out == plain.out
