"""The lines of a brat standoff file (`.ann`): spans, events, attributes and relations, checked."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from chronoscore.core.problems import Problems
from chronoscore.core.records import whole_number
from chronoscore.core.sources import Source

_SPANS = re.compile(r"-?[0-9]+ -?[0-9]+(;-?[0-9]+ -?[0-9]+)*")


@dataclass(slots=True)
class BratMark:
    """A `T` or `E` line: its span, and the properties that other lines give it."""

    kind: str
    start: int
    end: int
    line: int
    covered: str | None = None
    fragments: Sequence[tuple[int, int]] = ()
    trigger: str = ""
    arguments: Sequence[tuple[str, str]] = ()
    features: dict[str, Any] = field(default_factory=dict)

    def fits(self, text: str) -> bool:
        """Whether the text of a `T` line is the text in its place."""
        if self.covered is None or not self.fragments:
            return True
        pieces = [text[start:end] for start, end in self.fragments]
        # brat writes a line break within a span as a blank.
        return on_one_line(" ".join(pieces)) == on_one_line(self.covered)


class BratRelation(NamedTuple):
    """An `R` line: a named relation of two marks."""

    kind: str
    source: str
    target: str
    line: int


@dataclass(slots=True)
class BratLines:
    """All lines of a file, by kind; `report` gets each problem and its line."""

    report: Callable[[str, int], None]
    marks: dict[str, BratMark] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)
    about: list[tuple[str, str, str | bool, int]] = field(default_factory=list)
    """The target, name and value of each attribute, norm or note, with its line."""
    refers: list[tuple[str, str, int]] = field(default_factory=list)
    """The line's id and the ids that it refers to."""
    relations: list[BratRelation] = field(default_factory=list)
    connections: int = 0
    """The number of `R` and `*` lines."""

    def read(self, source: Source, problems: Problems) -> None:
        """Enter all lines of a file, and give events the span of their trigger.

        A document without annotations has an empty file, which is no problem.
        """
        if not source.is_file or source.size:
            for number, line in source.lines(problems):
                if line.strip():
                    self.take(line, number)
        for name, mark in self.marks.items():
            trigger = self.marks.get(mark.trigger)
            if mark.trigger and (trigger is None or trigger.trigger):
                message = f"'{name}' has the trigger '{mark.trigger}', which is no T line"
                self.report(message, mark.line)
            elif trigger is not None:
                mark.start, mark.end = trigger.start, trigger.end
                mark.features.update(trigger.features)

    def check_references(self) -> None:
        """Report lines that refer to marks that are not in the file."""
        for name, target, number in self.refers:
            if target not in self.marks:
                self.report(f"'{name}' refers to '{target}', which is not there", number)

    def take(self, line: str, number: int) -> None:
        """Enter one line, or report what was expected in its place."""
        name, _, rest = line.partition("\t")
        body, tab, text = rest.partition("\t")
        kind = name[:1] if name[1:] else ""
        expected = ""
        if name in self.marks or name in self.others:
            self.report(f"the id '{name}' is used twice", number)
        elif kind == "T":
            expected = self._span(name, body, text if tab else None, number)
        elif kind == "E":
            expected = self._event(name, body, number)
        elif kind and kind in "AMN#":
            expected = self._remark(name, body, text, number)
        elif kind == "R" or name == "*":
            expected = self._relation(name, body, number)
        else:
            self.report(
                f"a line that begins with '{name[:20]}', expected T, E, A, M, N, R, * or #", number
            )
        if expected:
            self.report(f"'{name}' has '{body[:60]}', expected {expected}", number)

    def _span(self, name: str, body: str, text: str | None, number: int) -> str:
        kind, _, written = body.partition(" ")
        if not kind or not _SPANS.fullmatch(written):
            return "a type, a start and an end"
        pairs = [[whole_number(n) for n in pair.split(" ")] for pair in written.split(";")]
        fragments = [(a, b) for a, b in pairs if a is not None and b is not None]
        if len(fragments) < len(pairs):
            return "smaller offsets"
        start, end = fragments[0]  # unchanged, so that a reversed span is reported
        mark = self.marks[name] = BratMark(kind, start, end, number, text, fragments)
        if len(fragments) > 1:
            mark.start, mark.end = min(a for a, _ in fragments), max(b for _, b in fragments)
            mark.features["fragments"] = written
            if any(a > b for a, b in fragments):
                return "fragments that end after their start"
        return ""

    def _event(self, name: str, body: str, number: int) -> str:
        parts = [part.partition(":") for part in body.split()]
        if not parts or not all(role and target for role, _, target in parts):
            return "type:trigger role:id ..."
        (kind, trigger), *arguments = [(role, target) for role, _, target in parts]
        self.marks[name] = BratMark(kind, 0, 0, number, trigger=trigger, arguments=arguments)
        return ""

    def _remark(self, name: str, body: str, text: str, number: int) -> str:
        self.others.add(name)
        what, _, rest = body.partition(" ")
        target, _, value = rest.partition(" ")
        if not what or not target:
            return "a name and an id"
        if name[0] == "N" and not value:
            return "a type, an id, and what it is"
        self.about.append((target, what, text if name[0] == "#" else value or True, number))
        return ""

    def _relation(self, name: str, body: str, number: int) -> str:
        self.connections += 1
        kind, *members = body.split() or [""]
        if name != "*":  # many lines have the id *
            self.others.add(name)
            members = [part.partition(":")[2] for part in members]
        self.refers += [(name, other, number) for other in members if other]
        is_pair = len(members) == 2 and all(members)
        if name != "*" and is_pair:
            self.relations.append(BratRelation(kind, members[0], members[1], number))
        return "" if name == "*" or is_pair else "a type, Arg1:id and Arg2:id"

    def fitting(self, text: str | None) -> str | None:
        """Return the text that fits its spans better: as it is, or with `\\n` for line ends."""
        if text is None or "\r" not in text:
            return text
        versions = text, text.replace("\r\n", "\n").replace("\r", "\n")
        return max(versions, key=lambda version: sum(m.fits(version) for m in self.marks.values()))


def on_one_line(text: str) -> str:
    """Return a text with blanks for tabs and line ends, as brat writes it.

    >>> on_one_line("two\\nlines")
    'two lines'
    """
    return re.sub(r"[\r\n\t]", " ", text)
