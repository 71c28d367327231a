"""`chronoscore convert` offers every format that can be written, and they read back the same."""

from pathlib import Path

import pytest
from readers.command_line import FINE, run

from chronoscore.cli.convert import FORMATS
from chronoscore.core.reading import Reading
from chronoscore.demo import home
from chronoscore.timelines import read_timelines
from chronoscore.timelines.formats.writing import FORMATS as WRITTEN

Days = tuple[tuple[object, tuple[str, ...]], ...]
ENDINGS = {"events": ".jsonl", "summaries": ".jsonl", "days": ".jsonl", "csv": ".csv"}


def timelines(path: Path) -> list[tuple[str, list[Days]]]:
    """Topics and the days of their timelines; a timeline that is alone loses its name."""
    found = read_timelines(path, Reading())
    return [(topic, [one.days for one in named.values()]) for topic, named in found.items()]


def test_every_format_that_is_written_is_offered() -> None:
    assert set(FORMATS) == set(WRITTEN)


def test_help_names_every_format() -> None:
    words = run("convert", "--help").out.replace(",", " ").split()
    assert set(FORMATS) <= set(words)


@pytest.mark.parametrize(("form", "ending"), ENDINGS.items())
def test_a_converted_file_reads_back_the_same(form: str, ending: str, tmp_path: Path) -> None:
    source, target = home() / "gold.jsonl", tmp_path / f"new{ending}"
    assert run("convert", source, target, "--to", form).code == FINE
    assert timelines(target) == timelines(source)
