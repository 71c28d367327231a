"""What expressions of dates can mean, and which judgements they contradict."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronoscore.core.errors import UsageError
from chronoscore.core.event import Event
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.dates import contradictions, expressions, resolve
from chronoscore.rubric.formats import Article
from chronoscore.rubric.judgement import Judgement

# 2024-03-01 is a Friday after a leap day; 2024-01-01 a Monday; 2023-12-31 a Sunday.
CASES: list[tuple[str, str, list[str]]] = [
    ("today", "2024-03-01", ["2024-03-01"]),
    ("this morning", "2024-03-01", ["2024-03-01"]),
    ("yesterday", "2024-03-02", ["2024-03-01"]),
    ("yesterday", "2024-03-01", ["2024-02-29"]),
    ("yesterday", "2023-03-01", ["2023-02-28"]),
    ("Yesterday", "2024-01-01", ["2023-12-31"]),
    ("yesterday morning", "1969-07-17", ["1969-07-16"]),
    ("last night", "2024-03-01", ["2024-02-29", "2024-03-01"]),
    ("tomorrow", "2023-12-31", ["2024-01-01"]),
    ("tomorrow", "2024-02-28", ["2024-02-29"]),
    ("tomorrow", "2023-02-28", ["2023-03-01"]),
    ("the day before yesterday", "2024-03-01", ["2024-02-28"]),
    ("the day after tomorrow", "2023-12-30", ["2024-01-01"]),
    ("3 days ago", "2024-03-01", ["2024-02-27"]),
    ("three  days ago", "2024-01-02", ["2023-12-30"]),
    ("a day ago", "2024-03-01", ["2024-02-29"]),
    ("365 days ago", "2024-03-01", ["2023-03-02"]),
    ("in two days", "2024-02-28", ["2024-03-01"]),
    ("a week ago", "2024-03-01", ["2024-02-23", "2024-02-19..2024-02-25"]),
    ("two weeks ago", "2024-01-05", ["2023-12-22", "2023-12-18..2023-12-24"]),
    ("two months ago", "2024-01-31", ["2023-11-01..2023-11-30"]),
    ("one month ago", "2024-03-31", ["2024-02-01..2024-02-29"]),
    ("ten years ago", "2024-02-29", ["2014-01-01..2014-12-31"]),
    (
        "last week",
        "2024-01-03",
        ["2023-12-25..2023-12-31", "2023-12-24..2023-12-30", "2023-12-27..2024-01-02"],
    ),
    (
        "last week",
        "2023-12-31",
        ["2023-12-18..2023-12-24", "2023-12-24..2023-12-30"],
    ),
    (
        "next week",
        "2024-02-28",
        ["2024-03-04..2024-03-10", "2024-03-03..2024-03-09", "2024-02-29..2024-03-06"],
    ),
    ("this week", "2024-01-01", ["2024-01-01..2024-01-07", "2023-12-31..2024-01-06"]),
    ("on Monday", "2024-03-01", ["2024-02-26", "2024-03-04"]),
    ("Monday", "2024-01-01", ["2024-01-01", "2023-12-25", "2024-01-08"]),
    ("on Friday", "2024-03-01", ["2024-03-01", "2024-02-23", "2024-03-08"]),
    ("on Sunday", "2024-01-01", ["2023-12-31", "2024-01-07"]),
    ("on Sunday afternoon", "1969-07-22", ["1969-07-20", "1969-07-27"]),
    ("last Monday", "2024-03-01", ["2024-02-26", "2024-02-19"]),
    ("last Friday", "2024-03-01", ["2024-02-23"]),
    ("last Saturday", "2024-03-01", ["2024-02-24"]),
    ("last Monday", "2024-01-01", ["2023-12-25"]),
    ("next Friday", "2024-03-01", ["2024-03-08"]),
    ("next Friday", "2024-02-27", ["2024-03-01", "2024-03-08"]),
    ("next Sunday", "2023-12-30", ["2023-12-31", "2024-01-07"]),
    ("this Friday", "2024-02-27", ["2024-03-01"]),
    ("this Monday", "2024-03-01", ["2024-03-04", "2024-02-26"]),
    ("this coming Sunday", "1969-07-17", ["1969-07-20"]),
    ("last month", "2024-01-15", ["2023-12-01..2023-12-31"]),
    ("last month", "2024-03-31", ["2024-02-01..2024-02-29"]),
    ("next month", "2023-12-31", ["2024-01-01..2024-01-31"]),
    ("this month", "2023-02-10", ["2023-02-01..2023-02-28"]),
    ("last year", "2024-01-01", ["2023-01-01..2023-12-31"]),
    ("in March", "2024-03-01", ["2024-03-01..2024-03-31"]),
    ("in December", "2024-03-01", ["2023-12-01..2023-12-31", "2024-12-01..2024-12-31"]),
    ("February", "2024-01-31", ["2023-02-01..2023-02-28", "2024-02-01..2024-02-29"]),
    ("last March", "2024-03-20", ["2023-03-01..2023-03-31"]),
    ("last January", "2024-03-20", ["2024-01-01..2024-01-31", "2023-01-01..2023-01-31"]),
    ("next May", "2024-03-20", ["2024-05-01..2024-05-31", "2025-05-01..2025-05-31"]),
    ("March 2011", "2024-03-01", ["2011-03-01..2011-03-31"]),
    ("in Feb. 2012", "2024-03-01", ["2012-02-01..2012-02-29"]),
    ("on 20 May", "1969-07-17", ["1969-05-20", "1970-05-20"]),
    ("May 20", "1969-05-20", ["1969-05-20", "1970-05-20"]),
    ("31 December", "2024-01-01", ["2023-12-31", "2024-12-31"]),
    ("29 February", "2023-06-01", ["2020-02-29", "2024-02-29"]),
    ("Feb 29", "1900-03-01", ["1896-02-29", "1904-02-29"]),
    ("29 February 2023", "2023-06-01", []),
    ("the 30th of February", "2023-06-01", []),
    ("20th of May 1969", "2024-03-01", ["1969-05-20"]),
    ("Sept. 11, 2001", "2024-03-01", ["2001-09-11"]),
    ("2011-01-25", "2024-03-01", ["2011-01-25"]),
    ("2011-01", "2024-03-01", ["2011-01-01..2011-01-31"]),
    ("2011-13", "2024-03-01", []),
    ("in 1969", "2024-03-01", ["1969-01-01..1969-12-31"]),
    ("03/04/2011", "2024-03-01", ["2011-04-03", "2011-03-04"]),
    ("31/12/2011", "2024-03-01", ["2011-12-31"]),
    ("05/05/2011", "2024-03-01", ["2011-05-05"]),
    ("31/31/2011", "2024-03-01", []),
    ("some time ago", "2024-03-01", []),
    ("", "2024-03-01", []),
    ("yesterday", "0001-01-01", []),
    ("tomorrow", "9999-12-31", []),
]


@pytest.mark.parametrize(("expression", "published", "expected"), CASES)
def test_expressions_mean_these_days(expression: str, published: str, expected: list[str]) -> None:
    assert [str(c) for c in resolve(expression, date.fromisoformat(published))] == expected


def test_the_table_is_long_enough() -> None:
    assert len(CASES) >= 40


SAID = sorted({expression for expression, _, expected in CASES if expected})


@settings(max_examples=300, derandomize=True, deadline=None, database=None)
@given(st.sampled_from(SAID), st.dates())
def test_candidates_are_whole_distinct_and_have_a_reason(said: str, published: date) -> None:
    found = resolve(said, published)
    assert all(candidate.first <= candidate.last for candidate in found)
    assert len({(candidate.first, candidate.last) for candidate in found}) == len(found)
    assert all(candidate.reading for candidate in found)


@settings(max_examples=300, derandomize=True, deadline=None, database=None)
@given(st.text(max_size=30), st.dates())
def test_any_text_has_candidates_or_none(text: str, published: date) -> None:
    resolve(text, published)
    for expression in expressions(text):
        resolve(expression, published)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("He came yesterday morning.", ["yesterday morning"]),
        ("It may happen; they march on.", []),
        ("May I? March on!", []),
        ("Rolled out on 20 May, eight weeks before.", ["20 May"]),
        ("By May 20, 1969 it was done in 1970.", ["May 20, 1969", "in 1970"]),
        (
            "Since March the firm, last month and last March",
            ["Since March", "last month", "last March"],
        ),
        ("Three days ago, in two weeks", ["Three days ago", "in two weeks"]),
        ("this coming Sunday or next Friday", ["this coming Sunday", "next Friday"]),
        ("on 2011-01-25 and 03/04/2011", ["2011-01-25", "03/04/2011"]),
        ("in early March 2011", ["in early March 2011"]),
    ],
)
def test_expressions_are_found_in_a_text(text: str, found: list[str]) -> None:
    assert expressions(text) == found
    assert all(resolve(one, date(2012, 6, 6)) for one in found)


TEXT = "A bomb exploded in Kabul on Monday. Mr. Hill died yesterday. The talks go on. He spoke."
ARTICLE = Article(id="a", published="2024-03-01", text=TEXT)


def event(word: str, day: str | None) -> Event:
    start = TEXT.index(word)
    return Event(id="e", article="a", span=(start, start + len(word)), date=day)


def verdicts(word: str, day: str | None, judged: int) -> list[str]:
    made = [Judgement("e", "ana", (judged, 1, 1, 3, 3))]
    return [str(one.verdict) for one in contradictions(made, [event(word, day)], [ARTICLE])]


@pytest.mark.parametrize(
    ("word", "day", "judged", "expected"),
    [
        ("exploded", "2024-02-26", 1, []),
        ("exploded", "2024-03-04", 1, []),
        ("exploded", "2024-02-27", 1, ["judged right, not allowed"]),
        ("exploded", "2024-02-27", 0, []),
        ("exploded", "2024-02-26", 0, []),
        ("exploded", "2024-02", 1, []),
        ("exploded", "2023", 1, ["judged right, not allowed"]),
        ("died", "2024-02-29", 1, []),
        ("died", "2024-02-29", 0, ["judged wrong, but stated"]),
        ("died", "2024-03-01", 1, ["judged right, not allowed"]),
        ("talks", "2024-03-01", 1, []),
        ("died", None, 1, []),
        ("died", "soon", 1, []),
    ],
)
def test_only_clear_contradictions_are_told(
    word: str, day: str | None, judged: int, expected: list[str]
) -> None:
    assert verdicts(word, day, judged) == expected


def test_a_contradiction_explains_itself() -> None:
    made = [Judgement("e", "ana", (1, 1, 1, 3, 3))]
    (found,) = contradictions(made, [event("died", "2024-03-01")], [ARTICLE])
    assert found.sentence == "Mr. Hill died yesterday."
    assert str(found) == (
        "event 'e' by ana: 2024-03-01 is judged right, not allowed "
        "(published 2024-03-01: 'yesterday' means 2024-02-29)"
    )


def test_what_can_not_be_checked_is_left_alone() -> None:
    made = [Judgement("e", "ana", (1, 1, 1, 3, 3)), Judgement("other", "ana", (1, 1, 1, 3, 3))]
    wrong = event("died", "2024-03-01")
    for events, articles in (
        ([wrong], []),
        ([wrong], [Article(id="a", text=TEXT)]),
        ([wrong], [Article(id="a", published="2024-03-01", text="Short.")]),
        ([Event(id="e", article="a", date="2024-03-01")], [ARTICLE]),
        ([wrong, event("died", "2024-02-29")], [ARTICLE]),
    ):
        assert contradictions(made, events, articles) == []


def test_a_codebook_without_dates_is_refused() -> None:
    with pytest.raises(UsageError, match="no criterion 'day'"):
        contradictions([], [], [], event_quality(), criterion="day")
