"""`chronoscore convert` offers every format that can be written, and they read back the same."""

import json
from pathlib import Path

import pytest
from readers.command_line import FINE, run

from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.demo import home
from chronoscore.timelines.formats.reading import read_timelines
from chronoscore.timelines.formats.writing import FORMATS

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
