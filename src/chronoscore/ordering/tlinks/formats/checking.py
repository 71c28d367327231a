"""What is looked at in every link, whatever the format: told by line, and not a million times."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from chronoscore.core.reading import Reading
from chronoscore.ordering.awareness import relation_problem
from chronoscore.ordering.model import Link

MOST_TOLD = 20
"""How many lines of one kind of trouble are told before the others are only counted."""

_DOUBTS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "case": (
            "{}",
            "relations that are not in capitals",
            "they are understood where links are put together, and only the same letters match",
        ),
        "unknown": (
            "{}",
            "relations that are unknown",
            "nothing follows from them, and only the same word matches",
        ),
        "fields": (
            "{}, expected {}; the line is left out",
            "lines with too few or too many fields",
            "they are left out",
        ),
        "spaces": (
            "no tabs; fields are taken apart at spaces",
            "lines without tabs",
            "their fields are taken apart at spaces",
        ),
    }
)
_NOTICES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "self": ("links from an entity to itself", "only that it equals itself can be so"),
        "double": ("links that are there twice", "acl11 counts them twice, the others once"),
        "vague": ("pairs that are VAGUE", "they say nothing and are left out"),
    }
)


class Tally:
    """Counts what is doubtful in files, and tells it when all are read."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._found: dict[str, tuple[Path, int | None, int]] = {}  # kind -> where first, number
        self._seen: set[tuple[str, Link]] = set()

    def link(self, document: str, link: Link, path: Path, line: int | None) -> None:
        """Look at one link."""
        if problem := relation_problem(link.relation):
            upper = link.relation.upper()
            self.doubt("unknown" if relation_problem(upper) else "case", path, line, problem)
        if link.source == link.target:
            self.notice("self", path, line)
        if (document, link) in self._seen:
            self.notice("double", path, line)
        self._seen.add((document, link))

    def doubt(self, kind: str, path: Path, line: int | None, *words: object) -> None:
        """Count something that a strict reading refuses."""
        self.notice(kind, path, line)
        if not self._reading.lenient and self._found[kind][2] <= MOST_TOLD:
            self._reading.doubt(_DOUBTS[kind][0].format(*words), path, line)

    def notice(self, kind: str, path: Path, line: int | None) -> None:
        """Count something that is only told."""
        first, at, number = self._found.get(kind, (path, line, 0))
        self._found[kind] = (first, at, number + 1)

    def tell(self) -> None:
        """Tell what was counted, one line a kind."""
        for kind, (path, line, number) in self._found.items():
            what, why = _NOTICES[kind] if kind in _NOTICES else _DOUBTS[kind][1:]
            if kind in _NOTICES or self._reading.lenient:
                message = f"{what}: {{count}}, the first here; {why}"
                first = [(line or 0, "")]
                self._reading.tally(message, first, path, count=number, here=True)
            elif number > MOST_TOLD:
                self._reading.doubt(f"{what}: {number - MOST_TOLD} more", path)
