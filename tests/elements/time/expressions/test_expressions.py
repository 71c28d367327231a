"""What expressions of time can mean, and what a sentence says of its event's date."""

from datetime import date
from itertools import pairwise

import pytest
from every import each
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.elements.time.expressions.finding import find, resolve
from chronoscore.elements.time.expressions.lexicon import load_lexicon
from chronoscore.elements.time.expressions.sentences import assess

ENGLISH = load_lexicon("en")

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
    (
        "a week ago",
        "2024-03-01",
        ["2024-02-23", "2024-02-19..2024-02-25", "2024-02-20..2024-02-26"],
    ),
    (
        "two weeks ago",
        "2024-01-05",
        ["2023-12-22", "2023-12-18..2023-12-24", "2023-12-15..2023-12-29"],
    ),
    ("two months ago", "2024-01-31", ["2023-11-01..2023-11-30", "2023-10-30..2023-12-31"]),
    ("one month ago", "2024-03-31", ["2024-02-01..2024-02-29", "2024-02-14..2024-03-15"]),
    ("ten years ago", "2024-02-29", ["2014-01-01..2014-12-31", "2013-02-28..2015-02-28"]),
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
    ("the 19th century", "2016-07-27", ["1801-01-01..1900-12-31"]),
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
    ("over the weekend", "2011-02-14", ["2011-02-12..2011-02-13", "2011-02-19..2011-02-20"]),
    ("over the weekend", "2011-02-13", ["2011-02-12..2011-02-13", "2011-02-19..2011-02-20"]),
    ("last weekend", "2011-02-18", ["2011-02-12..2011-02-13", "2011-02-05..2011-02-06"]),
    ("next weekend", "2011-02-19", ["2011-02-26..2011-02-27"]),
    ("earlier this week", "2011-02-18", ["2011-02-14..2011-02-18", "2011-02-13..2011-02-18"]),
    ("later this month", "2011-02-18", ["2011-02-18..2011-02-28"]),
    ("Friday, Feb. 11", "2011-02-18", ["2011-02-11"]),
    ("Friday, Feb. 12", "2011-02-18", []),
    ("Friday of last week", "2011-02-18", ["2011-02-11"]),
    ("Tuesday 5/6/2012", "2012-06-18", ["2012-06-05"]),
    ("the 25th of January", "2011-02-18", ["2011-01-25", "2012-01-25"]),
    ("on the 11th", "2011-02-18", ["2011-02-11", "2011-03-11"]),
    ("the 11th and 12th", "2011-02-18", ["2011-02-11..2011-02-12", "2011-03-11..2011-03-12"]),
    ("2011/02/11", "2011-02-18", ["2011-02-11"]),
    ("11.2.11", "2011-02-18", ["2011-02-11", "2011-11-02"]),
    ("11-Feb-2011", "2011-02-18", ["2011-02-11"]),
    ("three days after the Jan. 25 rally", "2011-02-18", ["2011-01-28", "2012-01-28"]),
    ("a week before March 8, 2011", "2011-02-18", ["2011-02-26..2011-03-04"]),
    ("a year to the day after May 5, 2016", "2017-05-07", ["2017-05-05"]),
    ("three days after the rally", "2011-02-18", []),
    ("two days later", "2011-02-18", []),
    ("from 3 to 7 May", "2011-05-09", ["2011-05-03..2011-05-07", "2012-05-03..2012-05-07"]),
    ("Jan. 23 to Jan. 27, 2012", "2012-02-05", ["2012-01-23..2012-01-27"]),
    (
        "between Monday and Wednesday",
        "2011-02-18",
        ["2011-02-14..2011-02-16", "2011-02-21..2011-02-23"],
    ),
    ("since Monday", "2011-02-18", ["2011-02-14..2011-02-18", "2011-02-21.."]),
    ("by 4 May 2011", "2011-02-18", ["..2011-05-04"]),
    ("the past seven days", "2020-08-13", ["2020-08-05..2020-08-13"]),
    ("the end of June 2010", "2011-02-18", ["2010-06-16..2010-06-30"]),
    ("the final three months of 2018", "2019-03-17", ["2018-10-01..2018-12-31"]),
    ("the second quarter of 2010", "2011-02-18", ["2010-04-01..2010-06-30"]),
    ("the early 1990s", "2011-02-18", ["1990-01-01..1994-12-31"]),
    ("ten years ago to the day", "2011-09-15", ["2001-09-15"]),
    ("Christmas Day", "2017-12-28", ["2017-12-25", "2018-12-25", "2017-01-07", "2018-01-07"]),
    ("Good Friday", "2015-04-15", ["2015-04-03", "2016-03-25", "2015-04-10", "2016-04-29"]),
    ("Easter Monday", "2019-04-27", ["2019-04-22", "2020-04-13", "2018-04-09", "2019-04-29"]),
    ("half a year ago", "2011-02-18", []),
    ("more than two weeks ago", "2011-02-18", []),
    ("a week on Monday", "2011-02-18", []),
    ("the week before last", "2011-02-18", []),
    ("last summer", "2011-02-18", []),
    ("thirty-some days ago", "2011-02-18", []),
    ("some time ago", "2024-03-01", []),
    ("", "2024-03-01", []),
    ("yesterday", "0001-01-01", []),
    ("tomorrow", "9999-12-31", []),
]


@each(("expression", "published", "expected"), CASES)
def test_expressions_mean_these_days(expression: str, published: str, expected: list[str]) -> None:
    assert [str(c) for c in resolve(expression, date.fromisoformat(published), ENGLISH)] == expected


def test_the_table_is_long_enough() -> None:
    assert len(CASES) >= 40


SAID = sorted({expression for expression, _, expected in CASES if expected})


@given(st.sampled_from(SAID), st.dates())
def test_candidates_are_whole_distinct_and_have_a_reason(said: str, published: date) -> None:
    found = resolve(said, published, ENGLISH)
    assert all(candidate.first <= candidate.last for candidate in found)
    assert len({(candidate.first, candidate.last) for candidate in found}) == len(found)
    assert all(candidate.reading for candidate in found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("He came yesterday morning.", ["yesterday morning"]),
        ("It may happen; they march on.", []),
        ("May I? March on!", []),
        ("Rolled out on 20 May, eight weeks before.", ["20 May"]),
        ("By May 20, 1969 it was done in 1970.", ["By May 20, 1969", "1970"]),
        (
            "Since March the firm, last month and last March",
            ["Since March", "last month", "last March"],
        ),
        ("Three days ago, in two weeks", ["Three days ago", "in two weeks"]),
        ("this coming Sunday or next Friday", ["this coming Sunday", "next Friday"]),
        ("on 2011-01-25 and 03/04/2011", ["2011-01-25", "03/04/2011"]),
        ("in early March 2011", ["early March 2011"]),
    ],
)
def test_expressions_are_found_in_a_text(text: str, found: list[str]) -> None:
    day = date(2012, 6, 6)
    dates = [one for one in find(text, day, ENGLISH) if one.kind in ("date", "bound")]
    assert [one.text for one in dates] == found
    assert [resolve(one.text, day, ENGLISH) for one in dates] == [
        [*one.candidates] for one in dates
    ]


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("It happened recently.", ["recently"]),
        ("He left in the summer.", ["summer"]),
        ("It was the year of the flood.", ["year"]),
        ("May was warm; on Tuesdays it rained.", ["May", "Tuesdays"]),
        ("Case 12/11 of the June 9 Alliance", ["12/11", "the June 9 "]),
        ("They fled days later.", ["days", "later"]),
        ("On Bloody Sunday in 1972", ["Bloody Sunday"]),
        ("two days ago it was three degrees", []),
    ],
)
def test_time_words_that_are_not_understood_are_named(text: str, unknown: list[str]) -> None:
    found = find(text, date(2011, 2, 18), ENGLISH)
    assert [one.text for one in found if one.kind == "unknown"] == unknown


# The paper is of Friday, 18 February 2011.
VERDICTS: list[tuple[str, str, str]] = [
    ("Clashes over the weekend killed five, police said on Monday.", "2011-02-12", "supported"),
    ("Clashes over the weekend killed five, police said on Monday.", "2011-02-14", "contradicted"),
    ("Rebels took the town on Tuesday, the army said on Wednesday.", "2011-02-16", "contradicted"),
    ("Police said on Monday that a bank was robbed.", "2011-02-10", "open"),
    ("The firm reported on Monday a fall in sales.", "2011-01-15", "open"),
    ("Pictures taken on Monday show a burnt bridge.", "2011-02-01", "open"),
    ("A tornado earlier this week tore off a roof.", "2011-02-10", "contradicted"),
    ("He stepped down on Friday, Feb. 11.", "2011-02-18", "contradicted"),
    ("He stepped down on Friday, Feb. 12.", "2011-02-18", "open"),
    ("He stepped down on the 11th.", "2011-02-18", "contradicted"),
    ("Three days after the Jan. 25 rally the army moved in.", "2011-01-28", "supported"),
    ("Three days after the Jan. 25 rally the army moved in.", "2011-01-25", "supported"),
    ("Three days after the Jan. 25 rally the army moved in.", "2011-02-14", "contradicted"),
    ("Three days after the rally the army moved in.", "2011-02-14", "open"),
    ("The canal reopened on 29 January, six days after a ship got stuck.", "2011-01-23", "open"),
    ("A bear that had escaped was caught on Saturday.", "2011-02-03", "open"),
    ("A bear that had escaped was caught on Saturday.", "2011-02-17", "contradicted"),
    ("A man will appear in court on Monday charged with theft.", "2011-01-03", "open"),
    ("The minister resigned on Monday after an inquiry.", "2011-02-01", "open"),
    ("The minister resigned on Monday after an inquiry.", "2011-02-18", "contradicted"),
    ("The ship that ran aground on 1 February was pulled free.", "2011-02-17", "open"),
    ("Hunters chased an escaped lion on Monday.", "2011-02-10", "open"),
    ("The bridge was bombed on Monday. It has been repaired.", "2011-02-16", "open"),
    ("The three-day fair opened on Monday.", "2011-02-16", "open"),
    ("The launch, called off on Monday, went ahead.", "2011-02-16", "open"),
    ("The shots were fired on Monday night.", "2011-02-15", "supported"),
    ("The ground shook at 1 a.m. on Monday (2100 GMT).", "2011-02-13", "supported"),
    ('"We leave tomorrow," he said on Tuesday.', "2011-02-16", "supported"),
    ('"We leave tomorrow," he said.', "2011-02-16", "open"),
    ("Voters go to the polls on Sunday.", "2011-02-20", "supported"),
    ("Voters went to the polls on Sunday.", "2011-02-20", "contradicted"),
    ("The two sides agreed to sit down on Sunday.", "2011-02-20", "supported"),
    ("The debt must be paid by Wednesday.", "2011-02-24", "contradicted"),
    ("The tower was built in two years.", "2008-05-05", "open"),
    ("It was the worst storm in ten years, and struck on Monday.", "2011-02-18", "contradicted"),
    ("It rained.", "2011-02-18", "open"),
    ("Die Brücke fiel am Montag.", "2011-02-01", "open"),
    ("", "2011-02-18", "open"),
]


@pytest.mark.parametrize(("text", "day", "verdict"), VERDICTS)
def test_a_verdict_is_given_only_where_nothing_is_open(text: str, day: str, verdict: str) -> None:
    judged = date.fromisoformat(day)
    found = assess(text, date(2011, 2, 18), judged, judged, ENGLISH)
    assert found.verdict == verdict, found
    assert bool(found.reasons) == (verdict == "open")


def test_an_event_that_is_the_saying_is_left_open() -> None:
    text = "Rebels took the town on Tuesday, the army said on Wednesday."
    judged = date(2011, 2, 16)
    place = (text.index("said"), text.index("said") + 4)
    assert assess(text, date(2011, 2, 18), judged, judged, ENGLISH).verdict == "contradicted"
    assert assess(text, date(2011, 2, 18), judged, judged, ENGLISH, place).verdict == "open"


SENTENCES = [text for text, _, _ in VERDICTS]
WORDS = [
    *sorted({word for text in SENTENCES for word in text.split()}),
    *("week", "after", "before", "last", "9999", "0001-01-01", "99", "May", "31", "the", "of"),
    *("a hundred", "centuries", "ago", "since", "until", "first", "31/12/9999", "-", ",", "Feb."),
]


@given(
    st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)),
    st.dates(),
    st.dates(),
)
def test_what_is_found_in_a_text_stands_there_in_order(
    text: str, published: date, judged: date
) -> None:
    found = find(text, published, ENGLISH)
    assert [text[one.start : one.end] for one in found] == [one.text for one in found]
    assert all(one.end <= other.start for one, other in pairwise(found))
    days = [day for one in found for day in (*one.candidates, *resolve(one.text, judged, ENGLISH))]
    assert all(day.first <= day.last for day in days)


@given(
    st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)),
    st.dates(),
    st.dates(),
)
def test_no_sentence_raises(text: str, published: date, judged: date) -> None:
    assert assess(text, published, judged, judged, ENGLISH).verdict in (
        "supported",
        "contradicted",
        "open",
    )
    resolve(text, published, ENGLISH)


@given(
    st.sampled_from(SENTENCES),
    st.sampled_from(["recently", "lately", "Ramadan", "midweek", "summer", "jubilee"]),
    st.integers(0, 15),
    st.dates(date(2011, 1, 1), date(2011, 3, 31)),
)
def test_an_unknown_time_word_never_makes_a_contradiction(
    text: str, word: str, place: int, judged: date
) -> None:
    words = text.split()
    longer = " ".join([*words[:place], word, *words[place:]])
    assert assess(longer, date(2011, 2, 18), judged, judged, ENGLISH).verdict != "contradicted"
