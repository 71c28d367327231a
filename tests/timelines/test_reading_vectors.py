"""tilse texts and dates are read as the tables of both say; tilse's own reading is ours, too."""

import codecs
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from every import each
from vectors_home import free

from chronoscore.compat.tilse.data.timelines import Timeline as TilseTimeline
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.dated.reading import read_timelines
from chronoscore.elements.dated.tilse import days_of_text
from chronoscore.elements.dated.values import Policies
from chronoscore.elements.time import Time, TimeError
from chronoscore.elements.time.files import FileTimes
from chronoscore.elements.time.reading import Rules

CASES = free("collections/reading.json")
DATES = free("collections/dates.json")
KINDS = {
    "dashes": "dashes",
    "beside": "text beside dashes",
    "within": "date within a day",
    "open": "last day not ended",
    "outside": "text before a date",
}
"""The words of the vectors for the flaws of a text."""


every_case = each("case", CASES, ids=lambda case: case["name"])


def written(case: Any, tmp_path: Path) -> Path:
    path = tmp_path / "topic.txt"
    path.write_bytes(case["text"].encode())
    return path


def read(path: Path, *, lenient: bool = False, **options: str) -> tuple[Timeline, Problems]:
    problems = Problems(ReadingOptions(lenient=lenient))
    timelines = read_timelines(source_of(path), problems, options, "predicted")
    return timelines.get("topic", {}).get("1", Timeline()), problems


def merged(entries: Sequence[Any], policy: str) -> dict[str, list[str]]:
    days: dict[str, list[str]] = {}
    for day, _, texts in entries:
        days[day] = [*days.get(day, []), *texts] if policy == "join" else texts
    return days


def as_dict(timeline: Timeline) -> dict[str, list[str]]:
    return {str(day): [*texts] for day, texts in timeline.days}


@every_case
def test_strict_reading(case: Any, tmp_path: Path) -> None:
    path = written(case, tmp_path)
    _, problems = read(path)
    expected = case["ours"]["strict"]
    if expected == "read":
        assert not problems.problems
        return
    messages = [problem.message for problem in problems.problems]
    assert messages
    assert all("--dates" in message for message in messages) == (expected == "needs --dates")
    assert bool(read(path, dates="first-day")[1].problems) == (expected == "refused")


@every_case
@each("policy", ["last", "join"])
def test_lenient_reading(case: Any, tmp_path: Path, policy: str) -> None:
    path = written(case, tmp_path)
    timeline, problems = read(path, lenient=True, dates="first-day", repeated=policy)
    # The vectors that no day is left of are predictions without a day, which lenient accepts.
    assert not problems.problems
    assert as_dict(timeline) == merged(case["ours"]["lenient"], policy)


@every_case
def test_a_month_needs_a_choice_of_dates_even_leniently(case: Any, tmp_path: Path) -> None:
    path = written(case, tmp_path)
    months = [text for _, text in case["ours"]["notices"] if text.startswith("month")]
    messages = [problem.message for problem in read(path, lenient=True)[1].problems]
    assert len(messages) == len(months)
    assert all("--dates first-day or interval accepts it" in message for message in messages)


@every_case
def test_every_entry_and_every_flaw_with_its_line(case: Any) -> None:
    lines = enumerate(case["text"].removeprefix("\ufeff").splitlines(), 1)
    days, flaws = days_of_text(lines, FileTimes("text", Problems()).why_not)
    policies = Policies({"dates": "first-day"}, "gold")
    entries = [(policies.read(day.written, Rules()).time, day.texts) for day in days]
    expected = case["ours"]
    assert [[str(day), texts] for day, texts in entries] == [
        [day, texts] for day, _, texts in expected["lenient"]
    ]
    assert sum(flaw.kind == "date" for flaw in flaws) == expected["left_out"]
    named = [[f.line, KINDS.get(f.kind, f"bad date {f.text}")] for f in flaws]
    assert named == [n for n in expected["notices"] if not n[1].startswith("month")]


@every_case
def test_ours_is_that_of_tilse_where_the_last_day_of_a_date_counts(
    case: Any, tmp_path: Path
) -> None:
    path = written(case, tmp_path)
    if case["same_as_tilse_if_last"]:
        timeline, _ = read(path, lenient=True, dates="interval")
        days = {str(day): [*texts] for day, texts in timeline.days if day.is_day}
        assert days == {day: [t for t in texts if t] for day, texts in case["tilse"].items()}


@every_case
def test_the_drop_in_reads_as_tilse(case: Any, tmp_path: Path) -> None:
    path = written(case, tmp_path)
    with codecs.open(str(path), "r", "utf-8", "replace") as file:
        timeline = TilseTimeline.from_file(file)
    assert {str(day): texts for day, texts in timeline.dates_to_summaries.items()} == case["tilse"]


@each("case", DATES, ids=lambda case: repr(case["text"]))
def test_dates(case: Any) -> None:
    expected = case["ours"]
    try:
        time = Time.parse(case["text"])
    except TimeError:
        assert expected["kind"] == "bad"
        return
    assert time.resolution == expected["kind"]
    day = time.truncate("day") if time.is_moment else time
    assert str(Policies({"dates": "first-day"}, "gold").placed(day, "")) == expected["day"]


def test_a_line_ends_as_python_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "topic.txt"
    path.write_text(f"2011-02-11\u2028One .\x0cTwo .\x85{'-' * 32}\n", encoding="utf-8")
    assert as_dict(read(path)[0]) == {"2011-02-11": ["One .", "Two ."]}
