"""Build documents while files are read: each annotation is checked before it is entered."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from chronoscore.annotations.model import Annotation, Document, FeatureValue
from chronoscore.core.event import MOST_OFFSET
from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source

Collection = dict[str, dict[str, Document]]
"""Documents by id, then by the name of the gold, since a document can have several golds."""

NamedDocument = tuple[str, Document]
"""The gold's name, and the document."""

Reader = Callable[[Source, str, Problems], Iterable[NamedDocument]]
"""Reads a file; the name is the id of a document that the file does not name."""


@dataclass(slots=True)
class DocumentBuilder:
    """Builds one document; reports wrong annotations with their line and leaves them out."""

    id: str
    source: Source
    problems: Problems
    text: str | None = None
    features: dict[str, FeatureValue] = field(default_factory=dict)
    stored: str = ""
    annotations: list[Annotation] = field(default_factory=list)
    used_ids: set[tuple[str, str]] = field(default_factory=set)

    def enter(
        self,
        name: str | int | None,
        kind: str,
        start: int,
        end: int,
        features: Mapping[str, FeatureValue] | None = None,
        score: float | None = None,
        group: str = "",
        line: int | None = None,
    ) -> None:
        """Enter an annotation, or report what is wrong with it.

        An annotation without an id gets its number in the document.
        """
        name = str(len(self.annotations) + 1 if name is None else name)
        if wrong := self._wrong(name, kind, start, end, score, group):
            return self.problem(f"document '{self.id}': {wrong}", line)
        self.used_ids.add((group, name))
        self.annotations.append(Annotation(name, kind, start, end, features or {}, score, group))
        return None

    def problem(self, message: str, line: int | None = None) -> None:
        """Report a problem of the file."""
        self.problems.problem(message, self.source, line)

    def _wrong(
        self, name: str, kind: str, start: int, end: int, score: float | None, group: str
    ) -> str:
        if (group, name) in self.used_ids:
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
        """Return the document with all entered annotations."""
        return Document(
            self.id, tuple(self.annotations), self.text, dict(self.features), self.stored
        )
