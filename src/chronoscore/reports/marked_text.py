"""The text of a document, wrapped, with what the gold has above and what a system has below.

Every annotation is a bar along its text and a label: its outcome in two letters, the number of its
pair, and its type. So colours only repeat what is written. Where annotations get in each other's
way they go to further lanes.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from chronoscore.core.evidence import Match
from chronoscore.reports.terminal import character_width, text_width

CODES: Mapping[str, str] = MappingProxyType(
    {
        "correct strict": "CS",
        "correct partial": "CP",
        "incorrect strict": "IS",
        "incorrect partial": "IP",
        "missing": "ML",
        "spurious": "SL",
    }
)
"""Outcomes in two letters, as differences are marked elsewhere."""
_BARS = {"CS": "=", "CP": "~", "IS": "x", "IP": "+", "ML": ".", "SL": "."}
_SHOWN = re.compile(r"\S+ (.*) (\d+)-(\d+)", re.DOTALL)
GUTTER = 6
AROUND = 1
"""Lines without annotations that are shown before and after one with some."""


class Piece(NamedTuple):
    """Some characters of a row, and the outcome that they show, if any."""

    text: str
    code: str = ""


Row = tuple[Piece, ...]


class TextMark(NamedTuple):
    """An annotation to be drawn."""

    start: int
    end: int
    code: str
    label: str


class _Drawn(NamedTuple):
    """The part of a mark that is in one line, in columns."""

    bar: int
    length: int
    label: str
    at: int
    code: str

    @property
    def left(self) -> int:
        return min(self.bar, self.at) if self.label else self.bar

    @property
    def right(self) -> int:
        return max(self.bar + self.length, self.at + text_width(self.label))


def marks_of(matches: Iterable[Match]) -> tuple[list[TextMark], list[TextMark]]:
    """What is drawn above and below the text; pairs have a number."""
    gold: list[TextMark] = []
    predicted: list[TextMark] = []
    pairs = 0
    for match in sorted(matches, key=_place):
        code = CODES.get(match.outcome)
        if code is None:
            continue
        both = bool(match.gold and match.predicted)
        pairs += both
        for side, text in ((gold, match.gold), (predicted, match.predicted)):
            found = _SHOWN.fullmatch(text)
            if found:
                number = str(pairs) if both else ""
                label = _printable(f"{code}{number} {found[1]}")
                side.append(TextMark(int(found[2]), int(found[3]), code, label))
    return gold, predicted


def _place(match: Match) -> tuple[int, int]:
    """Where a match is in the text: pairs are numbered from its beginning."""
    found = _SHOWN.fullmatch(match.gold or match.predicted)
    return (int(found[2]), int(found[3])) if found else (0, 0)


def marked_text(text: str, matches: Sequence[Match], width: int) -> list[Row]:
    """Rows of at most `width` columns; lines far from any annotation are left out, and counted."""
    gold, predicted = marks_of(matches)
    room = max(width - GUTTER, 20)
    lines = wrapped(text, room)
    above, below = (_drawn(text, lines, side, room) for side in (gold, predicted))
    busy = above.keys() | below.keys()
    near = {place + d for place in busy for d in range(-AROUND, AROUND + 1)}
    rows: list[Row] = []
    for shown, several in groupby(range(len(lines)), key=near.__contains__):
        places = list(several)
        if not shown and len(places) > 1:
            rows.append((Piece(f"{'':{GUTTER}}... {len(places)} lines without annotations"),))
            continue
        for place in places:
            start, end = lines[place]
            if place in above and rows and rows[-1]:
                rows.append(())
            rows += _rows(above.get(place, ()), "gold", up=True)
            line = _printable(text[start:end]).rstrip()
            rows.append((Piece(f"{'text':{GUTTER}}{line}".rstrip()),))
            rows += _rows(below.get(place, ()), "pred", up=False)
            if place in busy:
                rows.append(())
    while rows and not rows[-1]:
        rows.pop()
    return rows


def legend_of(matches: Iterable[Match]) -> list[tuple[str, str]]:
    """The letters that were used, and what they mean."""
    met = {match.outcome for match in matches}
    return [(code, outcome) for outcome, code in CODES.items() if outcome in met]


def wrapped(text: str, width: int) -> list[tuple[int, int]]:
    """The lines of a text as (start, end): every character is in exactly one of them.

    >>> wrapped("one two three", 8), wrapped("", 8), wrapped("abcdef", 4)
    ([(0, 8), (8, 13)], [(0, 0)], [(0, 4), (4, 6)])
    """
    lines: list[tuple[int, int]] = []
    start, column, blank = 0, 0, 0
    for place, character in enumerate(text):
        size = character_width(character)
        if column + size > width and not character.isspace():
            end = blank if blank > start else place
            if end > start:
                lines.append((start, end))
                start = end
                column = text_width(text[start:place])
        column += size
        if character == "\n":
            lines.append((start, place + 1))
            start, column = place + 1, 0
        elif character.isspace():
            blank = place + 1
    if start < len(text) or not lines:
        lines.append((start, len(text)))
    return lines


def _drawn(
    text: str, lines: Sequence[tuple[int, int]], marks: Sequence[TextMark], room: int
) -> dict[int, list[_Drawn]]:
    """The parts of marks that are in each line. Labels stand where a mark begins."""
    found: dict[int, list[_Drawn]] = {}
    starts = [start for start, _ in lines]
    for mark in marks:
        place = max(bisect_right(starts, mark.start) - 1, 0)
        while place < len(lines):
            start, end = lines[place]
            first, past = max(mark.start, start), min(mark.end, end)
            bar = min(text_width(text[start:first]), room - 1)
            length = max(1, min(text_width(text[first:past].rstrip("\n")), room - bar))
            label = _cut(mark.label, room) if mark.start >= start else ""
            at = max(0, min(bar, room - text_width(label)))
            found.setdefault(place, []).append(_Drawn(bar, length, label, at, mark.code))
            place += 1
            if mark.end <= end:
                break
    return found


def _rows(drawn: Sequence[_Drawn], side: str, *, up: bool) -> list[Row]:
    """Two rows a lane, the bars next to the text."""
    lanes: list[list[_Drawn]] = []
    for one in sorted(drawn, key=lambda one: (one.left, -one.right)):
        lane = next((lane for lane in lanes if lane[-1].right < one.left), None)
        if lane is None:
            lanes.append([one])
        else:
            lane.append(one)
    rows: list[Row] = []
    for lane in lanes:
        bars = [(one.bar, _BARS[one.code] * one.length, one.code) for one in lane]
        labels = [(one.at, one.label, one.code) for one in lane if one.label]
        rows.append(_row(f"{'':{GUTTER}}", bars))
        if labels:
            rows.append(_row(f"{side:{GUTTER}}", labels))
    return rows[::-1] if up else rows


def _row(gutter: str, placed: Sequence[tuple[int, str, str]]) -> Row:
    pieces = [Piece(gutter)]
    column = 0
    for at, text, code in placed:
        if at > column:
            pieces.append(Piece(" " * (at - column)))
        pieces.append(Piece(text, code))
        column = at + text_width(text)
    return tuple(pieces)


def _printable(text: str) -> str:
    """What a terminal may be given: a text can't steer it."""
    return "".join(character if character.isprintable() else " " for character in text)


def _cut(label: str, room: int) -> str:
    while text_width(label) > room:
        label = label[:-1]
    return label
