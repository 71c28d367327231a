"""Anchors may be any time; unknown ones are no error, and the official score reads none of them."""

import json
from collections import Counter
from pathlib import Path

import pytest
from ordering.test_event_metrics import scores, timeline
from readers.command_line import BAD_DATA, FINE, run
from vectors_home import free

from chronoscore import Time
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of
from chronoscore.ordering.formats import Collection, read_orders
from chronoscore.ordering.model import read_anchor

ANCHORS: dict[str, int] = free("time/occurring.json")["SemEval-2015 T4 anchors"]
TIMES = ("2011-01-25T13:45", "2011-W04", "2011-01/2011-03", "2007-10-XX", "-0043-03-15", "2011-Q1")


def read(path: Path, *, lenient: bool = False) -> tuple[Collection, Problems]:
    problems = Problems(ReadingOptions(lenient=lenient))
    return read_orders(source_of(path), problems), problems


def written(path: Path, *dates: str | None) -> Path:
    """A file of events with these dates, in this order."""
    events = [
        {"id": f"e{n}", "topic": "t", "date": date, "position": n, "mentions": [f"m{n}"]}
        for n, date in enumerate(dates, 1)
    ]
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    return path


def test_every_anchor_of_the_task_is_a_time_or_undated(tmp_path: Path) -> None:
    kinds: Counter[type[object]] = Counter()
    for anchor, number in ANCHORS.items():
        kinds[type(read_anchor(anchor))] += number
    assert kinds == {Time: 714, type(None): 223}
    rows = "".join(f"{n}\t{anchor}\tm{n}\n" for n, anchor in enumerate(ANCHORS, 1))
    (tmp_path / "t.txt").write_text(f"title\n{rows}", encoding="utf-8")
    collection, problems = read(tmp_path / "t.txt")
    assert not problems.problems
    assert not problems.notices
    (order,) = collection["t"].values()
    assert [row.anchor for row in order.rows] == list(ANCHORS), "as they are written"


def test_anchors_that_are_no_times_are_counted_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    anchors = ("PRESENT_REF", "2005-02-30", "2005", "PAST_REF")
    rows = (f"{n}\t{anchor}\tm{n}\n" for n, anchor in enumerate(anchors, 1))
    path.write_text(f"t\n{''.join(rows)}", encoding="utf-8")
    collection, problems = read(path)
    reference, no_day = (str(notice).removeprefix(str(path)) for notice in problems.notices)
    assert reference == (
        ":2: the time anchor 'PRESENT_REF' is a reference, not a time (and 1 more of this kind); "
        "anchors are compared as they are written"
    )
    assert no_day.startswith(":3: the time anchor '2005-02-30' is not in the calendar; anchors are")
    (order,) = collection["t"].values()
    assert order.rows[1].anchor == "2005-02-30"


@pytest.mark.parametrize("date", TIMES)
def test_the_date_of_an_event_is_any_time(date: str, tmp_path: Path) -> None:
    collection, problems = read(written(tmp_path / "e.jsonl", date))
    assert not problems.problems
    assert not problems.notices
    (order,) = collection["t"].values()
    assert order.rows[0].anchor == date


def test_undated_events_are_counted(tmp_path: Path) -> None:
    collection, problems = read(written(tmp_path / "e.jsonl", None, "XXXX-XX-XX", "2011", "XXXX"))
    assert not problems.problems
    assert [str(notice).partition(": ")[2] for notice in problems.notices] == [
        "2 dates unknown, first 'XXXX-XX-XX'"
    ]
    (order,) = collection["t"].values()
    assert [row.anchor for row in order.rows] == ["XXXX-XX-XX", "XXXX-XX-XX", "2011", "XXXX-XX-XX"]


def test_other_spellings_are_read_if_the_user_says_so(tmp_path: Path) -> None:
    path = written(tmp_path / "e.jsonl", "25 January 2011")
    _, problems = read(path)
    assert str(problems.problems[0]).endswith("YYYY-MM or YYYY (--lenient accepts it)")
    collection, problems = read(path, lenient=True)
    (order,) = collection["t"].values()
    assert order.rows[0].anchor == "2011-01-25"
    assert "in another spelling than ISO 8601" in str(problems.notices[0])


def test_the_official_score_compares_texts() -> None:
    gold, same, other = (timeline((1, text, "a")) for text in ("2011-01", "2011-01", "2011-01-XX"))
    assert scores("semeval2015", gold, same)["f1"] == 1
    assert scores("semeval2015", gold, other)["f1"] == 0
    unknown = timeline((1, "XXXX-XX-XX", "a"))
    assert scores("semeval2015", unknown, unknown)["f1"] == 1, "unknown is a time like others there"


@pytest.mark.parametrize(
    ("said", "true", "precision", "recall"),
    [
        ("2011-01-25T13:45", "2011-01-25T18:00", 1, 1),
        ("2011-01-25T13:45", "2011-01-26", 2 / 3, 2 / 3),
        ("2011-W04", "2011-01-25", 1, 2 / 3),
        ("2011-W05", "2011-01-31", 1, 1 / 3),
        ("2011-Q1", "2011-02", 1, 1 / 2),
        ("2011-01-03/2011-01-20", "2011-01-07", 1, 2 / 3),
        ("-0043-03-15", "-0043-03-16", 2 / 3, 2 / 3),
        ("2011-1-5", "2011-01-05", 1, 1),
        ("199X", "199X", 1, 1),
        ("199X", "1995", 0, 0),
    ],
)
def test_graded_credit_is_for_the_year_month_and_day_of_any_time(
    said: str, true: str, precision: float, recall: float
) -> None:
    found = scores("anchors(credit=graded)", timeline((1, true, "a")), timeline((1, said, "a")))
    assert found["precision"] == pytest.approx(precision)
    assert found["recall"] == pytest.approx(recall)


def test_validate_counts_the_undated(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("t\n1\tXXXX-XX-XX\ta\n2\t2011\tb\n", encoding="utf-8")
    done = run("validate", "--as", "ordering", tmp_path / "t.txt")
    assert done.code == FINE
    assert done.out.endswith("1 target, 2 rows, 1 of them undated\n")


def test_validate_takes_any_time_of_events(tmp_path: Path) -> None:
    done = run("validate", written(tmp_path / "e.jsonl", *TIMES, "XXXX-XX-XX"))
    assert done.code == FINE
    assert "1 date unknown" in done.out + done.err
    done = run("validate", written(tmp_path / "e.jsonl", "P3D"))
    assert done.code == BAD_DATA
    assert "'P3D' is a duration, not a time" in done.err
