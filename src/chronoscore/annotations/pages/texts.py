"""The texts of documents and the places of their annotations, as the board of cases shows them."""

from collections.abc import Iterable, Sequence
from typing import Any

from chronoscore.annotations.metrics import place_shown
from chronoscore.reports.html.cases import CaseView
from chronoscore.reports.html.explained import Explained, Items
from chronoscore.reports.html.marks import script_offsets
from chronoscore.reports.html.markup import Html, tag

LONG = 40_000
"""Characters up to which a text is on the page as a whole."""
MOST = 4_000_000
"""Characters of whole texts on one page; of further documents it has what is near annotations."""
NEAR = 400
"""Characters before and after an annotation that are on the page of any document."""
_KEYS = {
    "correct-strict": "correct strict (✓)",
    "correct-partial": "correct partial; dotted where only the gold is, dashed where it is not",
    "incorrect": "incorrect: the spans meet, type or features differ",
    "missing": "missing",
    "spurious": "spurious",
}
_NO_TEXTS = (
    "None of these documents has its text here. Texts come from the files that have them, or from "
    "those that --texts names: an articles.jsonl, or a folder of .txt."
)

Piece = tuple[int, int, str]
"""A stretch of a text: its beginning in units of a script and in characters; and itself."""
Places = dict[str, tuple[str, int, int]]
"""The type and the span of annotations, by the names that matches give them."""


def _data(explained: Explained, _: Sequence[str]) -> dict[str, Any]:
    """Return the texts of documents, and the spans of all annotations in units of a script."""
    types: dict[str, int] = {}
    documents: list[list[Piece] | None] = []
    gold: list[list[int]] = []
    predicted: list[list[list[int]]] = [[] for _ in explained.result.systems]
    room = MOST
    for case in explained.cases:
        text = explained.documents.get(case)
        sides = [
            explained.gold.get(case, {}),
            *(explained.predicted.get((one.name, case), {}) for one in explained.result.systems),
        ]
        if text is None:
            documents.append(None)
            numbers: list[list[int]] = [[] for _ in sides]
        else:
            places = [_places(items, len(text)) for items in sides]
            is_whole = len(text) <= min(LONG, room)
            room -= len(text) if is_whole else 0
            documents.append(_pieces(text, () if is_whole else places))
            numbers = [
                _spans(text, items, found, types)
                for items, found in zip(sides, places, strict=True)
            ]
        for column, spans in zip((gold, *predicted), numbers, strict=True):
            column.append(spans)
    return {
        "documents": documents,
        "sizes": [len(explained.documents.get(case, "")) for case in explained.cases],
        "types": [*types],
        "goldSpans": gold,
        "predictedSpans": predicted,
        "facts": False,
    }


def _places(items: Items, size: int) -> Places:
    """Return the places of those items that have one within the text."""
    places = ((name, place_shown(name)) for name in items)
    return {name: place for name, place in places if place and place[1] <= place[2] <= size}


def _spans(text: str, items: Items, places: Places, types: dict[str, int]) -> list[int]:
    """Return three numbers for each item: start, end and type; -1 where it has no place."""
    ends = script_offsets(text, [end for _, *span in places.values() for end in span])
    numbers = {
        name: (*ends[2 * at : 2 * at + 2], types.setdefault(kind, len(types)))
        for at, (name, (kind, *_)) in enumerate(places.items())
    }
    return [number for name in items for number in numbers.get(name, (-1, -1, -1))]


def _pieces(text: str, sides: Iterable[Places]) -> list[Piece]:
    """Return the stretches of a text near its annotations; the whole text if no sides are given.

    >>> [(start, len(piece)) for _, start, piece in _pieces("x" * 2000, [{"a": ("T", 900, 910)}])]
    [(500, 810)]
    """
    near = [(0, len(text))]
    if sides:
        spans = sorted({place[1:] for places in sides for place in places.values()})
        near = [(0, min(NEAR, len(text)))] if not spans else []
        for start, end in spans:
            first, last = max(start - NEAR, 0), min(end + NEAR, len(text))
            if near and first <= near[-1][1]:
                near[-1] = (near[-1][0], max(near[-1][1], last))
            else:
                near.append((first, last))
    starts = script_offsets(text, [first for first, _ in near])
    return [
        (unit, first, text[first:last]) for unit, (first, last) in zip(starts, near, strict=True)
    ]


def _legend(explained: Explained) -> Html:
    if not explained.documents:
        return tag("p", _NO_TEXTS, class_="note")
    keys = [
        tag("li", tag("span", "text", class_=f"under {kind}"), meaning)
        for kind, meaning in _KEYS.items()
    ]
    return tag("ul", keys, class_="legend", aria_label="How to read the texts")


VIEW = CaseView(
    "text",
    ("text.js",),
    "document",
    "Document by document",
    sided=False,
    legend=_legend,
    data=_data,
)
