"""A document as it is read: every annotation is checked before it is entered."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from chronoscore.annotations.model import MOST_OFFSET, Annotation, Document, FeatureValue
from chronoscore.core.reading import Reading

Collection = dict[str, dict[str, Document]]
"""Documents by id and, where there are several golds, by the gold's name."""

Found = tuple[str, Document]
"""The gold's name, and the document."""

Reader = Callable[[Path, str, Reading], Iterable[Found]]
"""Reads a file; the name is the document's where the file has none."""


@dataclass(slots=True)
class Book:
    """One document in the making. What is wrong is noted with its line and left out."""

    id: str
    path: Path
    reading: Reading
    text: str | None = None
    features: Mapping[str, FeatureValue] = field(default_factory=dict)
    stored: str = ""
    annotations: list[Annotation] = field(default_factory=list)
    taken: set[tuple[str, str]] = field(default_factory=set)

    def enter(
        self,
        name: str,
        kind: str,
        start: int,
        end: int,
        *,
        features: Mapping[str, FeatureValue] | None = None,
        score: float | None = None,
        group: str = "",
        line: int | None = None,
    ) -> None:
        """Enter an annotation under its id, or say what is wrong with it."""
        problem = self._problem(name, kind, start, end, score, group)
        if problem:
            self.reading.problem(f"document '{self.id}': {problem}", self.path, line)
            return
        self.taken.add((group, name))
        self.annotations.append(Annotation(name, kind, start, end, features or {}, score, group))

    def _problem(
        self, name: str, kind: str, start: int, end: int, score: float | None, group: str
    ) -> str:
        if (group, name) in self.taken:
            within = f" in the set '{group}'" if group else ""
            return f"annotation id '{name}' is used twice{within}"
        if not 0 <= start <= end:
            return f"annotation '{name}' is [{start}, {end}), expected 0 <= start <= end"
        most = MOST_OFFSET if self.text is None else len(self.text)
        if end > most:
            what = "expected at most" if self.text is None else "the text has"
            return f"annotation '{name}' ends at {end}, {what} {most} characters"
        if not kind.strip():
            return f"annotation '{name}' has no type"
        if score is not None and not math.isfinite(score):
            return f"annotation '{name}' has the score {score}, expected a finite number"
        return ""

    def document(self) -> Document:
        """The document with all that was entered."""
        return Document(
            self.id, tuple(self.annotations), self.text, dict(self.features), self.stored
        )


class Utf16:
    """Offsets in UTF-16 units, as Java and JavaScript count them, as offsets in characters.

    >>> offsets = Utf16("a😀b")
    >>> [offsets(place) for place in (0, 1, 2, 3, 4, 5)]
    [0, 1, None, 2, 3, None]
    """

    def __init__(self, text: str) -> None:
        self._plain = len(text) if text.isascii() or max(text) < "\U00010000" else None
        self._places: dict[int, int] = {}
        if self._plain is None:
            units = 0
            for place, character in enumerate(text):
                self._places[units] = place
                units += 2 if character >= "\U00010000" else 1
            self._places[units] = len(text)

    def __call__(self, units: int) -> int | None:
        """The offset in characters; None within a character, or outside of the text."""
        if self._plain is not None:
            return units if 0 <= units <= self._plain else None
        return self._places.get(units)
