"""JSON lines of spaCy and Prodigy: a text a line, with labelled spans.

`spans` (Prodigy), `ents` (spaCy's `Doc.to_json`) and `entities` (spaCy's old training data, as
`[start, end, label]`) are read; a `spans` that is an object has a group of spans a name, and each
is an annotation set. A task that was not accepted is left out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from chronoscore.annotations.formats.book import Book, Found
from chronoscore.annotations.model import FeatureValue
from chronoscore.core.collection import ONLY
from chronoscore.core.numbers import real_number
from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, parse_json

SPANS = ("spans", "ents", "entities")
MARKS = (*SPANS, "_input_hash", "_task_hash")
_NAMES = ("id", "_input_hash")
_OWN = ("start", "end", "label", "id", "score", "token_start", "token_end", "text", "source")
_BY = ("_annotator_id", "_session_id")


def read_prodigy(path: Path, name: str, reading: Reading) -> Iterable[Found]:
    """Read tasks; several of one text are the golds of several annotators."""
    found: list[Found] = []
    unused: Counter[str] = Counter()
    taken: set[tuple[str, str]] = set()
    place = 0
    for number, line in reading.lines(path):
        if not line.strip():
            continue
        try:
            raw = parse_json(line)
        except JsonError as error:
            reading.problem(str(error), path, number)
            continue
        place += 1
        if not isinstance(raw, dict) or not isinstance(raw.get("text"), str):
            reading.problem("expected an object with a 'text' and 'spans'", path, number)
            continue
        if raw.get("answer", "accept") != "accept":
            unused[str(raw["answer"])] += 1
            continue
        key = _id(raw, f"{name}/{place}" if name else str(place))
        by = next((str(raw[b]) for b in _BY if isinstance(raw.get(b), str | int)), ONLY) or ONLY
        if (key, by) in taken:
            reading.problem(f"document '{key}' is there twice", path, number)
            continue
        taken.add((key, by))
        book = Book(key, path, reading, raw["text"])
        for group, item in _items(raw, path, number, reading):
            _enter(book, group, item, number)
        found.append((by, book.document()))
    for answer, count in unused.items():
        reading.notice(f"{count} tasks with the answer '{answer}' are left out", path)
    return found


def _id(raw: dict[str, Any], otherwise: str) -> str:
    meta = raw.get("meta")
    places = [raw.get("id"), meta.get("id") if isinstance(meta, dict) else None]
    places.append(raw.get("_input_hash"))
    for value in places:
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value)
    return otherwise


def _items(
    raw: dict[str, Any], path: Path, number: int, reading: Reading
) -> Iterator[tuple[str, Any]]:
    for name in SPANS:
        value = raw.get(name)
        groups = value if isinstance(value, dict) and name == "spans" else {"": value}
        for group, items in groups.items():
            if isinstance(items, list):
                yield from ((group, item) for item in items)
            elif items is not None:
                reading.problem(f"{name} is not a list", path, number)


def _enter(book: Book, group: str, item: Any, number: int) -> None:
    if isinstance(item, list) and len(item) == 3:
        item = dict(zip(("start", "end", "label"), item, strict=True))
    if not isinstance(item, dict):
        book.reading.problem("a span is not an object with start, end, label", book.path, number)
        return
    start, end, label = item.get("start"), item.get("end"), item.get("label")
    if type(start) is not int or type(end) is not int or not isinstance(label, str):
        book.reading.problem(
            "a span has no start and end (whole numbers) and label (text)", book.path, number
        )
        return
    score = item.get("score")
    if score is not None and (isinstance(score, str) or real_number(score) is None):
        book.reading.problem("the score of a span is not a number", book.path, number)
        return
    features: dict[str, FeatureValue] = {
        name: value
        for name, value in item.items()
        if name not in _OWN and isinstance(value, str | int | float | bool) and value != ""
    }
    own = item.get("id")
    has_own = isinstance(own, str | int) and not isinstance(own, bool) and own != ""
    book.enter(
        str(own) if has_own else str(len(book.annotations) + 1),
        label,
        start,
        end,
        features=features,
        score=score,
        group=group,
        line=number,
    )
