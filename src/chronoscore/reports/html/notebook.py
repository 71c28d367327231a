"""Tables for a notebook: small HTML in the colours of the page, be it light or dark."""

import re
from collections.abc import Iterable, Sequence

from chronoscore.reports.html.markup import Child, Html, tag
from chronoscore.reports.matrix import BEST, DAGGER, SIGNIFICANT, ScoreCell, ScoreMatrix, ScoreRow
from chronoscore.reports.table import Table, shown

_LENGTH, _HEIGHT, _MARGIN = 96, 12, 4
MOST_ROWS = 60
"""Rows of a table, or tables, that a notebook draws by itself: its file keeps all that it drew."""
MOST_NOTICES = 10
_WRITTEN_NUMBER = re.compile(r"[<>+-]?\d+(\.\d+)?")
_PADDING = "padding: 0.2em 0.6em"
_NUMBERS = f"text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; {_PADDING}"
_WORDS = f"text-align: left; {_PADDING}"
_SMALL = "opacity: 0.7; font-size: 90%; max-width: 60em"


def matrix_html(matrix: ScoreMatrix, conventions: str, notices: Sequence[str] = ()) -> Html:
    """Draw systems in rows and metrics in columns, each score with its interval on a scale.

    Below it stand the conventions of the scores, what marks mean, and the first notices.
    """
    ends = [_ends(matrix, place) for place in range(len(matrix.columns))]
    has_parts = any(row.part for row in matrix.rows)
    heads = [_head("system"), *([_head("part")] if has_parts else [])]
    for column in matrix.columns:
        heads.append(_head(f"{column.metric.label} {column.label}", numbers=True))
    rows = [
        tag(
            "tr",
            tag("th", row.system, scope="row", style=_WORDS),
            [tag("td", row.part or "all", style=_WORDS)] if has_parts else [],
            [
                _score(cell, matrix.digits, scale)
                for cell, scale in zip(row.scores, ends, strict=True)
            ],
        )
        for row in matrix.rows
    ]
    lines = [f"notice: {notice}" for notice in notices[:MOST_NOTICES]]
    if len(notices) > MOST_NOTICES:
        lines.append(f"and {len(notices) - MOST_NOTICES} more notices")
    below = [conventions, *_meanings(matrix.rows)]
    return tag("div", _drawn(heads, rows, below), [_remarks([line]) for line in lines])


def _meanings(rows: Sequence[ScoreRow]) -> list[str]:
    """Say what the marks in the table mean, as far as there are any."""
    cells = [cell for row in rows for cell in row.scores]
    meanings = ["bold: the best"] if any(cell.place == BEST for cell in cells) else []
    intervals = [cell.interval for cell in cells if cell.interval]
    if intervals:
        first = intervals[0]
        meanings.append(f"line: {first.level:.0%} interval by {first.method}")
    marks = {cell.letters for cell in cells if cell.letters}
    if DAGGER in marks:
        meanings.append(f"{DAGGER}: differs from the baseline at {SIGNIFICANT}")
    elif marks:
        meanings.append(f"systems that share a letter do not differ at {SIGNIFICANT}")
    return meanings


def _ends(matrix: ScoreMatrix, place: int) -> tuple[float, float]:
    """The scale of a column: from 0 to 1, or as far as its scores and intervals go."""
    cells = [row.scores[place] for row in matrix.rows]
    values = [cell.value for cell in cells if cell.value is not None]
    for interval in (cell.interval for cell in cells if cell.interval):
        values += [interval.low, interval.high]
    return min([0.0, *values]), max([*values, 1.0])


def _score(cell: ScoreCell, digits: int, ends: tuple[float, float]) -> Html:
    number = "undef." if cell.value is None else f"{cell.value:.{digits}f}"
    text: Child = tag("b", number) if cell.place == BEST else number
    letters = [tag("sup", cell.letters)] if cell.letters else []
    drawing = [tag("br"), _interval(cell, ends)] if cell.interval else []
    return tag("td", text, letters, drawing, style=_NUMBERS, title=_in_words(cell, digits))


def _in_words(cell: ScoreCell, digits: int) -> str | None:
    if cell.interval is None:
        return None
    return f"{cell.interval.low:.{digits}f} to {cell.interval.high:.{digits}f}"


def _interval(cell: ScoreCell, ends: tuple[float, float]) -> Html:
    """The scale as a thin line, the interval as a thick one, the score as a dot."""
    assert cell.interval is not None
    start, end = ends

    def at(value: float) -> float:
        return round(_MARGIN + (value - start) / (end - start) * (_LENGTH - 2 * _MARGIN), 1)

    middle, stroke = _HEIGHT / 2, {"stroke": "currentColor"}
    low, high = at(cell.interval.low), at(cell.interval.high)
    marks = [
        tag("line", x1=at(start), x2=at(end), y1=middle, y2=middle, opacity=0.3, **stroke),
        tag("line", x1=low, x2=high, y1=middle, y2=middle, stroke_width=3, opacity=0.55, **stroke),
    ]
    if cell.value is not None:
        marks.append(tag("circle", cx=at(cell.value), cy=middle, r=3.5, fill="currentColor"))
    label = _in_words(cell, 3)
    return tag("svg", marks, width=_LENGTH, height=_HEIGHT, role="img", aria_label=label)


def table_html(table: Table) -> Html:
    """Draw any table with its caption and remarks; of a long one, the first rows."""
    numeric = [n or _is_written(table, place) for place, n in enumerate(table.numeric)]
    heads = [_head(c.full, numbers=n) for c, n in zip(table.columns, numeric, strict=True)]
    rows = [
        tag(
            "tr",
            [
                tag("td", shown(cell), style=_NUMBERS if n else _WORDS)
                for cell, n in zip(row, numeric, strict=True)
            ],
        )
        for row in table.rows[:MOST_ROWS]
    ]
    remarks = [*table.remarks]
    if len(table.rows) > MOST_ROWS:
        remarks.append(f"the first {MOST_ROWS} of {len(table.rows):,} rows; print shows all")
    return _drawn(heads, rows, remarks, tag("p", tag("b", table.caption)))


def _is_written(table: Table, place: int) -> bool:
    """Whether a column after the first holds numbers as texts, such as counts, and no words."""
    texts = [shown(row[place]) for row in table.rows if row[place] not in ("", "-")]
    return place > 0 and bool(texts) and all(map(_WRITTEN_NUMBER.fullmatch, texts))


def explanation_html(blocks: Sequence[str], tables: Sequence[Table]) -> Html:
    """Draw matched texts side by side, then the tables of matches; of many, the first."""
    hidden = max(0, len(blocks) - MOST_ROWS) + max(0, len(tables) - MOST_ROWS)
    more = [f"and {hidden:,} more tables; name a case, or print to see all"] if hidden else []
    return tag(
        "div",
        [tag("pre", block) for block in blocks[:MOST_ROWS]],
        [table_html(table) for table in tables[:MOST_ROWS]],
        _remarks(more),
    )


def _head(text: str, *, numbers: bool = False) -> Html:
    return tag("th", text, scope="col", style=_NUMBERS if numbers else _WORDS)


def _drawn(heads: Child, rows: Child, remarks: Iterable[str], caption: Child = "") -> Html:
    # Some pages give tables a colour of their own, which a dark theme does not change.
    parts = tag("thead", tag("tr", heads)), tag("tbody", rows)
    table = tag("table", *parts, style="color: inherit")
    return tag("div", caption, table, _remarks(remarks))


def _remarks(remarks: Iterable[str]) -> Html:
    text = "; ".join(remarks)
    return tag("p", text, style=_SMALL) if text else Html("")
