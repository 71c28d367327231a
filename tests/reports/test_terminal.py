"""Tables on a terminal: what is left out, wrapped and stacked, and how numbers are aligned."""

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.core.evidence import Match
from chronoscore.core.result import CaseMatches, CaseTexts, Interval
from chronoscore.elements.text import tokeniser
from chronoscore.reports.intervals import interval_cell
from chronoscore.reports.matches import matched_texts
from chronoscore.reports.rendering import comma_separated
from chronoscore.reports.table import Cell, Column, Several, Table
from chronoscore.reports.terminal import terminal, terminal_width, text_width, wrapped_lines

NAMES = st.text("abcdefgh-_ 时间系统", min_size=1, max_size=60)
NUMBERS = st.floats(-1000, 1000) | st.integers(-1000, 1000) | st.none()


def lines_of(table: Table, width: int, *, full: bool = False) -> list[str]:
    return terminal(table, width, full=full).splitlines()


def wide(columns: int, optional: int = 0) -> Table:
    heads = [Column("system"), *(Column(f"m{n}", optional=optional) for n in range(columns))]
    return Table.of("t", heads, [("ours", *[0.5] * columns), ("theirs", *[0.25] * columns)])


@given(
    names=st.lists(NAMES, min_size=1, max_size=4),
    heads=st.lists(
        st.tuples(NAMES, st.sampled_from(["", "AR-1", "date-f1(tolerance=3)"])), max_size=9
    ),
    values=st.data(),
    width=st.integers(40, 120),
)
def test_no_table_is_wider_than_the_terminal(
    names: list[str], heads: list[tuple[str, str]], values: st.DataObject, width: int
) -> None:
    rows = [[name, *(values.draw(NUMBERS) for _ in heads)] for name in names]
    table = Table.of("caption", [Column("system"), *(Column(*head) for head in heads)], rows)
    for line in lines_of(table, width):
        assert text_width(line) <= width


@given(columns=st.integers(1, 30), width=st.integers(40, 100))
def test_every_number_is_shown_once_however_narrow_the_terminal(columns: int, width: int) -> None:
    text = "\n".join(lines_of(wide(columns), width))
    assert text.count("0.500") == text.count("0.250") == columns
    assert text.count("ours") == text.count("theirs")


def test_optional_columns_are_left_out_only_where_there_is_no_room() -> None:
    heads = [Column("system"), Column("F1"), Column("P", optional=1), Column("count", optional=2)]
    table = Table.of("t", heads, [("a-system-with-a-name", 0.5, 0.25, 1234567)])
    assert lines_of(table, 60)[1].split() == ["system", "F1", "P", "count"]
    assert lines_of(table, 36)[1].split() == ["system", "F1", "P"]
    assert lines_of(table, 32)[1].split() == ["system", "F1"]
    assert "1234567" in "\n".join(lines_of(table, 32, full=True))


def test_a_line_names_the_columns_that_are_left_out_and_what_shows_them() -> None:
    heads = (Column("system"), *(Column(name, "AR-1", name != "F1") for name in ("F1", "P", "R")))
    table = Table.of("scores", heads, [("ours " * 6, 0.5, 0.25, 0.75)], ["remark"])
    left_out = "left out to fit the width: P, R; --full shows all scores"
    narrow = terminal(table, 40, full_option="--full")
    assert left_out in " ".join(narrow.split())
    assert narrow.endswith("remark\n")
    assert "left out" not in terminal(table, 100, full_option="--full")
    assert "left out" not in terminal(table, 40, full=True, full_option="--full")


def test_a_pipe_is_100_columns_wide_unless_columns_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "__stdout__", None)
    assert terminal_width() == 1000  # what the tests set
    monkeypatch.delenv("COLUMNS")
    assert terminal_width() == 100


def test_blocks_begin_with_the_names_and_keep_groups_together() -> None:
    heads = [Column("system"), *(Column(n, g) for g in ("AR-1", "AR-2", "AR-3") for n in "FPR")]
    table = Table.of("t", heads, [("ours", *[0.5] * 9)])
    lines = lines_of(table, 60)
    assert [line.split() for line in lines if "AR" in line] == [["AR-1", "AR-2"], ["AR-3"]]
    assert sum(line.startswith("ours") for line in lines) == 2


def test_every_block_names_what_its_rows_are_of() -> None:
    heads = [Column("system"), Column("event"), *(Column(f"metric{n}") for n in range(12))]
    rows = [("ours", f"an-event-with-a-long-name-{n}", *[0.5] * 12) for n in range(3)]
    lines = lines_of(Table.of("t", heads, rows), 60)
    headings = [line for line in lines if "system" in line]
    assert len(headings) > 1
    assert all("event" in line and "metric" in line for line in headings)


def test_points_are_below_each_other_and_words_end_with_the_numbers() -> None:
    rows: list[tuple[str, Cell]] = [("a", 9.5), ("b", -10.25), ("c", None), ("d", 7)]
    _, _, _, *cells = lines_of(Table.of("t", ("name", "mean"), rows), 60)
    assert [line[4:] for line in cells] == ["    9.500", "  -10.250", "   undef.", "    7"]


def test_an_interval_stands_beside_its_score_and_has_columns_in_csv() -> None:
    rows = [
        ("a", 0.5, interval_cell(Interval(0.25, 0.75, 0.95, "jackknife-t", 7))),
        ("b", 0.9, interval_cell(Interval(0.75, 1.0, 0.95, "jackknife-t", 7))),
        ("c", 0.125, interval_cell(None)),
    ]
    table = Table.of("t", ("system", "F1", "interval"), rows)
    assert [line.split(None, 1)[1] for line in lines_of(table, 60)[3:]] == [
        "0.500 ±.250",
        "0.900 [.750, 1]",
        "0.125",
    ]
    assert "F1,interval low,interval high" in comma_separated(table)


def test_only_what_is_strong_is_bold_and_only_if_styled() -> None:
    table = Table.of("t", ("system", "F1"), [("a", Several("0.500", (), True)), ("b", 0.25)])
    assert "\x1b" not in terminal(table, 60)
    styled = terminal(table, 60, styled=True)
    assert styled.count("\x1b[1m") == 2  # the caption, and the best
    assert "\x1b[1m0.500\x1b[0m" in styled


def test_what_a_table_holds_does_not_control_the_terminal() -> None:
    table = Table.of("t\x1b[2J", ("system\x07", "F1"), [("a\x1b[31m\nb", 0.25)], ["so\x1b[1m"])
    text = terminal(table, 60)
    assert not any(not character.isprintable() for character in text.replace("\n", ""))
    assert len(text.splitlines()) == 5


def test_a_path_is_not_broken() -> None:
    path = "/a/very/long/path/" + "x" * 60
    assert wrapped_lines(f"saved {path} here", 40) == ["saved", f"  {path}", "  here"]


@pytest.mark.parametrize(
    ("mode", "gold", "said", "expected"),
    [
        ("words", "缅甸军方实施", "军方宣布", "军方"),
        ("words", "เมืองไทย", "ชาวไทย", "ไทย"),
        ("stems-es", "Las elecciones", "La elección", "elecciones"),
        ("rouge155", "It rose <10% again", "rose again", "rose"),
        ("words", "Straße  gesperrt", "STRASSE offen", "Straße"),
    ],
)
def test_bold_words_are_those_that_the_metric_counts(
    mode: str, gold: str, said: str, expected: str
) -> None:
    match = Match("both", "same day", 1.0, 2.0, gold="2011-01-25", predicted="2011-01-25")
    texts = CaseTexts("s", "t", {"2011-01-25": (gold,)}, {"2011-01-25": (said,)})
    item = CaseMatches("s", "t", "align", (match,))
    _, line, _ = matched_texts(item, texts, tokeniser(mode), width=60, styled=True)
    assert re.findall("\x1b\\[1m(.*?)\x1b\\[0m", line) == [expected]


def test_shared_words_are_bold_but_stop_words_are_not() -> None:
    match = Match("both", "same day", 1.0, 2.0, gold="2011-01-25", predicted="2011-01-25")
    texts = CaseTexts(
        "s", "egypt", {"2011-01-25": ("The protests begin.",)}, {"2011-01-25": ("The protest.",)}
    )
    item = CaseMatches("s", "egypt", "align", (match,))
    read = tokeniser("rouge155")
    head, gold, predicted = matched_texts(item, texts, read, width=60, styled=True)
    assert head == "2011-01-25: same day; both 1 of 2"
    assert gold == "  gold       The \x1b[1mprotests\x1b[0m begin."
    assert predicted == "  predicted  The \x1b[1mprotest\x1b[0m."
    assert "\x1b" not in "".join(matched_texts(item, texts, read, width=60))


@pytest.mark.parametrize(
    ("unit", "names"),
    [("hour", ("-72", "2", "24", "~72", "1440")), ("", ("-0043-03-15", "0079-08", "1914/1918"))],
)
def test_matches_are_explained_in_the_order_of_time(unit: str, names: tuple[str, ...]) -> None:
    matches = [Match("recall", "missed date", 0.0, 1.0, gold=name) for name in sorted(names)]
    texts = CaseTexts("s", "t", dict.fromkeys(names, ("It began.",)), {})
    item = CaseMatches("s", "t", "date-f1", tuple(matches))
    lines = matched_texts(item, texts, None, width=60, unit=unit)
    assert [line.partition(": ")[0] for line in lines[::2]] == [*names]
