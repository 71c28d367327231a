"""Findings of readers: problems stop a run, notices go with its result, facts describe the data.

A reader reports to `Problems`, which gives `Findings`, a value. The findings of two chunks are
added like their evidence: equal messages are kept once, counts are added, and a counted notice
names the earliest places of all. So the findings do not depend on how the work was cut.
"""

import codecs
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec

from chronoscore.errors import DataError, Problem, UsageError

if TYPE_CHECKING:
    from chronoscore.core.sources import Source

DEFAULT_MAX_LINE = 16 * 1024 * 1024
MOST_NAMED = 5
NO_SOURCE = 1 << 30
"""The order of notices that are about no source: behind those that are."""

Fact: TypeAlias = tuple[str, ...]
"""What occurs in the data, such as `("type", "gold", "Person")`; the first word says what kind."""


class ReadingOptions(msgspec.Struct, frozen=True):
    """How the user wants files to be read."""

    encoding: str = "utf-8"
    max_line: int = DEFAULT_MAX_LINE
    """The most bytes that a line may have."""
    lenient: bool = False
    """Whether data that would be refused are accepted with a notice where that is possible."""
    strict: bool = False
    """Whether bytes that are not valid UTF-8 are refused by readers that would replace them."""

    def __post_init__(self) -> None:
        """Refuse an encoding that does not exist, and an impossible line length."""
        try:
            name = codecs.lookup(self.encoding).name
            "\n".encode(name)  # some codecs, such as hex, are not for text
        except (LookupError, ValueError):
            raise UsageError(
                f"unknown encoding '{self.encoding}'; try utf-8, latin-1 or cp1252"
            ) from None
        if self.max_line < 1:
            raise UsageError(f"the longest line allowed must be at least 1, got {self.max_line}")
        msgspec.structs.force_setattr(self, "encoding", name)


class Place(NamedTuple):
    """Where a counted notice found something; places are compared in the order of the source."""

    file: int
    """The file among several that make one source."""
    line: int
    """0 if there is none."""
    name: str
    """What was found there."""
    file_name: str = ""
    """The file's name, where the source has several."""


class Notice(msgspec.Struct, frozen=True):
    """Something that the reader of the result should know, or how many there are of it.

    The message of a counted notice has `{count}` and may have `{first}` (the first name), `{some}`
    (the first names), `{place}` (the first line) and `{s}` (for plurals); `escaped` protects
    braces of the data.
    """

    message: str
    path: str = ""
    line: int | None = None
    count: int = 0
    """0 for a notice that does not count."""
    first: tuple[Place, ...] = ()
    at_first: bool = False
    """Whether the notice names the first line, and not the source as a whole."""
    order: int = NO_SOURCE
    """The order of its source in the run."""
    code: Fact = ()
    """By which the notice can be withdrawn."""

    @property
    def some(self) -> str:
        """The first names, and how many more there are."""
        more = self.count - len(self.first)
        names = ", ".join(place.name for place in self.first)
        return names + (f" and {more} more" if more > 0 else "")

    def problem(self) -> Problem:
        """The notice in words, with its place."""
        if not self.count:
            return Problem(self.message, self.path, self.line)
        place, path, line = "", self.path, None
        if self.first:
            file, number = self.first[0].file_name, self.first[0].line
            place = f"{file}:{number}" if file and number else f"line {number}"
            if self.at_first:
                path, line = file or self.path, number or None
        message = self.message.format(
            count=self.count,
            first=self.first[0].name if self.first else "",
            some=self.some,
            place=place,
            s="s" * (self.count != 1),
        )
        return Problem(message, path, line)

    def __str__(self) -> str:
        """Write as ``file:line: message``."""
        return str(self.problem())


def escaped(text: str) -> str:
    """Escape the braces of text from the data, for the message of a counted notice.

    >>> escaped("{x}").format()
    '{x}'
    """
    return text.replace("{", "{{").replace("}", "}}")


class Findings(msgspec.Struct, frozen=True):
    """The problems, notices and facts of some sources, as a value that can be added."""

    problems: tuple[Problem, ...] = ()
    notices: tuple[Notice, ...] = ()
    facts: dict[Fact, int] = {}

    def __add__(self, other: "Findings") -> "Findings":
        """Return the findings of both."""
        return united((self, other))


def united(all_findings: Iterable[Findings]) -> Findings:
    """Unite the findings of chunks: keep equal ones once, add counts, name the earliest places."""
    problems: dict[Problem, None] = {}
    notices: dict[object, Notice] = {}
    facts: Counter[Fact] = Counter()
    for findings in all_findings:
        problems.update(dict.fromkeys(findings.problems))
        facts.update(findings.facts)
        for notice in findings.notices:
            key = (notice.order, notice.path, notice.message) if notice.count else notice
            earlier = notices.setdefault(key, notice)
            if notice.count and earlier is not notice:
                notices[key] = _added(earlier, notice)
    return Findings(tuple(problems), tuple(notices.values()), dict(facts))


def _added(earlier: Notice, later: Notice) -> Notice:
    places = _earliest((*earlier.first, *later.first))
    return msgspec.structs.replace(later, count=earlier.count + later.count, first=places)


def _earliest(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple(sorted(places)[:MOST_NAMED])


class Problems:
    """Collects the problems, notices and facts of one run, or of one chunk of it.

    A *problem* stops the run once everything was read (`check`); a *notice* is shown with
    the result.
    """

    def __init__(self, options: ReadingOptions | None = None, *, partial: bool = False) -> None:
        self.options = options or ReadingOptions()
        self.partial = partial
        """Whether only a chunk is read: whoever sees all chunks reports what is missing."""
        self.problems: list[Problem] = []
        self._notices: list[Notice] = []
        self._counted: dict[object, int] = {}
        """Where the counted notices are in the list."""
        self.facts: Counter[Fact] = Counter()

    def problem(
        self,
        message: str,
        source: "Source | str" = "",
        line: int | None = None,
        *,
        code: str = "",
        field: str = "",
        details: Iterable[str] = (),
    ) -> None:
        """Report something that makes the data unfit for scoring."""
        self.problems.append(Problem(message, *_placed(source, line), code, field, tuple(details)))

    def notice(self, message: str, source: "Source | str" = "", line: int | None = None) -> None:
        """Report something that the reader of the result should know."""
        self._notices.append(Notice(message, *_placed(source, line), order=_order(source)))

    def count(
        self,
        message: str,
        occurrences: Sequence[tuple[int, str]],
        source: "Source | str" = "",
        *,
        count: int | None = None,
        at_first: bool = False,
        code: Fact = (),
    ) -> None:
        """Report how often something occurs, each occurrence with its line (or 0) and name.

        No occurrence is no notice; a message that the source already has is counted on, so that it
        is shown once for each source. `count` is the number, where not all occurrences are listed;
        `at_first` puts the notice at the line of the first; `withdraw` finds it by its `code`.
        See `Notice` for the message.
        """
        number = len(occurrences) if count is None else count
        if not number:
            return
        if isinstance(source, str):
            places = [Place(0, line, name) for line, name in occurrences]
        else:
            places = [source.position(line, name) for line, name in occurrences]
        path, _ = _placed(source, None)
        notice = Notice(
            message, path, None, number, _earliest(places), at_first, _order(source), code
        )
        key = (message, path, notice.order, code)
        at = len(self._notices)
        if not isinstance(source, str):  # the values of several systems have one name
            at = self._counted.setdefault(key, at)
        if at < len(self._notices):
            self._notices[at] = _added(self._notices[at], notice)
        else:
            self._notices.append(notice)

    def accept_or_report(
        self, message: str, source: "Source | str" = "", line: int | None = None
    ) -> None:
        """Report a problem that lenient reading accepts: then it is a notice."""
        if self.options.lenient:
            self.notice(message, source, line)
        else:
            self.problem(f"{message} (--lenient accepts it)", source, line)

    @property
    def notices(self) -> list[Problem]:
        """All notices in words, in the order in which they were reported."""
        return [notice.problem() for notice in self._notices]

    @property
    def reported(self) -> int:
        """How many problems and notices there are so far."""
        return len(self.problems) + len(self._notices)

    @property
    def findings(self) -> Findings:
        """Return the findings so far, as a value."""
        return Findings(tuple(self.problems), tuple(self._notices), dict(self.facts))

    def add(self, findings: Findings) -> None:
        """Add findings that were collected elsewhere."""
        self.problems += findings.problems
        self._notices += findings.notices
        self.facts.update(findings.facts)

    def drop_notices(self) -> None:
        """Forget all notices, where no output will show them."""
        self._notices.clear()
        self._counted.clear()

    def withdraw(self, code: Fact) -> list[Notice]:
        """Take back the notices that have this code, and return them."""
        withdrawn = [notice for notice in self._notices if notice.code == code]
        self._notices = [notice for notice in self._notices if notice.code != code]
        self._counted.clear()
        return withdrawn

    def unreported(self) -> "Problems":
        """Return an independent collector, for a first look at a source that may fail."""
        return Problems(msgspec.structs.replace(self.options, lenient=True), partial=self.partial)

    def check(self) -> None:
        """Raise all problems as one error, if there are any."""
        if self.problems:
            raise DataError(self.problems)


def united_by_message(notices: Iterable[Notice]) -> list[Notice]:
    """Unite the notices of many files that have the same message; the first place is named.

    >>> odd = Notice("{count} odd line{s}", "a.txt", count=2), Notice("no end", "a.txt", 7)
    >>> more = Notice("{count} odd line{s}", "b.txt", count=1), Notice("no end", "b.txt", 9)
    >>> for notice in united_by_message((*odd, *more)):
    ...     print(notice)
    3 odd lines (in 2 files, first a.txt)
    a.txt:7: no end (and 1 more)
    """
    by_message: dict[str, list[Notice]] = {}
    for notice in notices:
        by_message.setdefault(notice.message, []).append(notice)
    united = []
    for message, same in by_message.items():
        first, paths = same[0], {notice.path for notice in same}
        if first.count and len(paths) > 1:
            words = f"{message} (in {len(paths)} files, first {escaped(first.path)})"
            count = sum(notice.count for notice in same)
            first = msgspec.structs.replace(first, message=words, path="", count=count)
        elif len(same) > 1:
            first = msgspec.structs.replace(first, message=f"{message} (and {len(same) - 1} more)")
        united.append(first)
    return united


def _placed(source: "Source | str", line: int | None) -> tuple[str, int | None]:
    if isinstance(source, str):
        return source, line
    return (source.name, None) if line is None else source.place(line)


def _order(source: "Source | str") -> int:
    return NO_SOURCE if isinstance(source, str) else source.order
