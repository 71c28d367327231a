"""`chronoscore convert` offers every format that can be written, and they read back the same."""

import json
from pathlib import Path

import pytest
from readers.command_line import FINE, USAGE, run

from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.demo import home
from chronoscore.elements.dated.reading import read_timelines
from chronoscore.elements.dated.writing import FORMATS
from chronoscore.elements.time import Time

Days = tuple[tuple[object, tuple[str, ...]], ...]
ENDINGS = {
    **{"events": ".jsonl", "summaries": ".jsonl", "days": ".jsonl"},
    **{"csv": ".csv", "tsv": ".tsv"},
}


def timelines(path: Path) -> list[tuple[str, list[Days]]]:
    """Topics and the days of their timelines; a timeline that is alone loses its name."""
    found = read_timelines(source_of(path), Problems())
    return [(topic, [one.days for one in named.values()]) for topic, named in found.items()]


def test_help_names_every_format() -> None:
    words = run("convert", "--help").out.replace(",", " ").split()
    assert set(FORMATS) <= set(words)


@pytest.mark.parametrize(("form", "ending"), ENDINGS.items())
def test_a_converted_file_reads_back_the_same(form: str, ending: str, tmp_path: Path) -> None:
    source, target = home() / "gold.jsonl", tmp_path / f"new{ending}"
    assert run("convert", source, target, "--to", form).code == FINE
    assert timelines(target) == timelines(source)


@pytest.mark.parametrize("form", FORMATS)
def test_a_day_without_sentences_is_kept(form: str, tmp_path: Path) -> None:
    source, target = tmp_path / "t.jsonl", tmp_path / f"new{ENDINGS.get(form, '')}"
    days = {"2011-01-01": ["x y z words"], "2011-02-03": []}
    source.write_text(json.dumps({"topic": "t", "days": days}), encoding="utf-8")
    ran = run("convert", source, target, "--to", form)
    assert (ran.code, ran.notices) == (FINE, [])
    assert timelines(target) == timelines(source)
    ((_, (found,)),) = timelines(target)
    assert [texts for _, texts in found] == [("x y z words",), ()]


@pytest.mark.parametrize("form", ["events", "summaries", "csv", "tsv"])
def test_timelines_that_a_format_has_no_place_for_are_counted(form: str, tmp_path: Path) -> None:
    source = tmp_path / "t.jsonl"
    lines = [{"topic": "a", "days": {"2011-01-01": ["x"]}}, {"topic": "b", "days": {}}]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    ran = run("convert", source, tmp_path / f"new{ENDINGS[form]}", "--to", form)
    assert ran.code == FINE
    assert f"1 timelines have no days, and '{form}' has no place for them: they are lost" in ran.err
    assert run("convert", source, tmp_path / "all.jsonl", "--to", "days").notices == []


@pytest.mark.parametrize("form", ["tilse", "json", "news-tls"])
@pytest.mark.parametrize("topic", ["../../outside", "/outside", "a/../../../outside"])
def test_no_topic_leads_out_of_the_folder(form: str, topic: str, tmp_path: Path) -> None:
    """The name of a topic is data, and a path of data is never followed."""
    source = tmp_path / "deep" / "source.jsonl"
    source.parent.mkdir()
    lines = [
        {"id": str(n), "topic": one, "date": "2011-01-01", "text": "x"}
        for n, one in enumerate((topic, "inside"))
    ]
    source.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    target = tmp_path / "deep" / "target"
    ran = run("convert", source, target, "--to", form)
    assert ran.code == FINE, ran.err
    assert {path for path in tmp_path.rglob("*") if path.is_file()} - {source} == {
        path for path in target.rglob("*") if path.is_file()
    }


TIMES = (
    *("-0043-03-15", "1914-07-28/1918-11-11", "1984?", "1985/..", "199X", "2001-21"),
    *("2024-03-01T00:00", "2024-03-01T10:04+01:00", "2024-03-01T12:00/2024-03-01T13:30"),
)


def written(dates: tuple[str, ...], path: Path) -> Path:
    records = [{"topic": "a", "date": one, "summary": f"Event {one}"} for one in dates]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


@pytest.mark.parametrize("form", FORMATS)
def test_every_time_survives_a_conversion(form: str, tmp_path: Path) -> None:
    source, target = written(TIMES, tmp_path / "a.jsonl"), tmp_path / f"new{ENDINGS.get(form, '')}"
    ran = run("convert", source, target, "--to", form)
    assert (ran.code, ran.err) == (FINE, "")
    assert run("convert", target, tmp_path / "back.jsonl", "--to", "summaries").code == FINE
    back = [json.loads(line) for line in (tmp_path / "back.jsonl").read_text().splitlines()]
    rules = {"dates": "interval", "grain": "tick"}
    (first,) = read_timelines(source_of(source), Problems(), rules)["a"].values()
    assert {Time.parse(one["date"]): (one["summary"],) for one in back} == dict(first.days)


def test_a_day_that_is_written_as_midnight_is_converted_as_a_day(tmp_path: Path) -> None:
    source = written(("2011-01-25T00:00:00", "2011-01-26T00:00:00"), tmp_path / "a.jsonl")
    run("convert", source, tmp_path / "new.csv", "--to", "csv")
    assert "a,,2011-01-25,Event" in (tmp_path / "new.csv").read_text()


def test_offsets_and_dates_of_a_known_order_are_converted(tmp_path: Path) -> None:
    target = tmp_path / "new.csv"
    source = written(("-72", "1440", "24/48"), tmp_path / "a.jsonl")
    assert run("convert", source, target, "--to", "csv", "--time-unit", "hour").code == FINE
    assert [line.split(",")[2] for line in target.read_text().splitlines()[1:]] == [
        *("-72", "24/48", "1440")
    ]
    source = written(("25/01/2011",), tmp_path / "a.jsonl")
    assert run("convert", source, target, "--to", "csv", "--date-order", "dmy").code == FINE
    assert "a,,2011-01-25," in target.read_text()
    ran = run("convert", source, target, "--to", "semeval", "--date-order", "dmy")
    assert ran.code == USAGE
    assert "--date-order: for timelines, not for 'semeval'" in ran.err


def test_one_annotation_is_counted_in_the_singular(tmp_path: Path) -> None:
    source = tmp_path / "one.jsonl"
    source.write_text('{"id": "d", "annotations": [{"type": "A", "start": 0, "end": 2}]}\n')
    target = tmp_path / "folder"
    assert run("convert", str(source), str(target), "--to", "bdoc").out == (
        f"1 annotation of 1 document is in {target}\n"
    )
    checked = run("validate", str(source), "--as", "annotations")
    assert checked.out == f"{source}: fine, 1 document, 1 annotation\n"


def test_a_single_link_or_timeline_is_announced_in_the_singular(tmp_path: Path) -> None:
    (tmp_path / "one.tsv").write_text("d\te1\te2\tBEFORE\n", encoding="utf-8")
    ran = run("tlinks", "convert", tmp_path / "one.tsv", tmp_path / "one.jsonl", "--to", "jsonl")
    assert ran.out.startswith("1 link of 1 document is in ")
    (tmp_path / "x.txt").write_text("x\n1\t2008-01-01\ta\n", encoding="utf-8")
    ran = run("convert", tmp_path / "x.txt", tmp_path / "graphs", "--to", "timeml")
    assert ran.out.startswith("1 timeline of 1 target is in ")


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("convert", "tilse"),
        ("convert", "bdoc"),
        ("convert", "semeval"),
        ("tlinks convert", "timeml"),
    ],
)
def test_older_files_of_the_folder_are_named(verb: str, form: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    words = (*verb.split(), home() / "gold.jsonl", folder, "--to", form)
    first = run(*words)
    assert first.code == FINE, first.err
    assert "older" not in first.err
    assert "older" not in run(*words).err
    one = min(path for path in folder.rglob("*") if path.is_file())
    (folder / f"withdrawn{one.suffix}").write_bytes(one.read_bytes())
    (folder / "notes.md").write_text("not a timeline", encoding="utf-8")
    again = run(*words)
    assert f"holds 1 older file (withdrawn{one.suffix}): whoever reads the folder" in again.err
