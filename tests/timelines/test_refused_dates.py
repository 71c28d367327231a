"""The message of a refused date names the option that reads it, and no option that does not."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of
from chronoscore.elements.dated.reading import read_timelines


def read(date: str, options: Mapping[str, str], folder: Path, *, lenient: bool = False) -> Problems:
    path = folder / "a.jsonl"
    path.write_text(json.dumps({"topic": "a", "date": date, "summary": "It began."}))
    problems = Problems(ReadingOptions(lenient=lenient))
    read_timelines(source_of(path), problems, options)
    return problems


@pytest.mark.parametrize(
    ("date", "options", "hint"),
    [
        ("25/01/2011", {}, "; --date-order dmy or mdy reads it"),
        ("01/25/2011", {}, "; --date-order mdy reads it"),
        ("25/01/2011", {"date_order": "mdy"}, "; --date-order dmy reads it"),
        ("72", {}, "; --time-unit hour reads numbers as hours"),
        ("2011-01-25", {"time_unit": "hour"}, "are read without --time-unit"),
        ("25 January 2011", {"time_unit": "hour"}, "are read without --time-unit"),
        ("~72", {"time_unit": "hour"}, "(--lenient accepts it)"),
        ("NA", {"time_unit": "hour"}, "is not a number of h"),
        ("2011-01-25", {"grain": "hour"}, "expected an hour (grain=hour); --dates first-day or "),
    ],
)
def test_the_hint_is_an_option_that_reads_the_date(
    date: str, options: dict[str, str], hint: str, tmp_path: Path
) -> None:
    (problem,) = read(date, options, tmp_path).problems
    assert problem.line == 1
    assert hint in problem.message
    assert problem.message.count("--") == hint.count("--")


def test_a_lenient_reading_of_an_offset_is_counted(tmp_path: Path) -> None:
    (notice,) = read("~72", {"time_unit": "hour"}, tmp_path, lenient=True).notices
    assert notice.message == "1 offset in another spelling than a number, first '~72'"
    assert not read("72", {"time_unit": "hour"}, tmp_path, lenient=True).notices
