"""The times of a file: wrong ones are problems, unknown and oddly written ones are counted."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source
from chronoscore.elements.time.reading import STRICT, Rules, read_time
from chronoscore.elements.time.refusal import UNDATED, TimeError
from chronoscore.elements.time.value import Reading, Time

UNKNOWN = "{count} date{s} unknown, first '{first}'"
UNREADABLE = "{count} date{s} left out as unreadable, first '{first}'"
Read = Callable[[str, Rules], Reading]


class FileTimes:
    """Reads the times of one file, or of one timeline in it.

    >>> from chronoscore.core.sources import source_of
    >>> problems = Problems()
    >>> times = FileTimes(source_of("events.jsonl"), problems)
    >>> str(times.read("2011-01-25T13:45", 1)), times.read("XXXX-XX-XX", 2)
    ('2011-01-25T13:45', None)
    >>> times.report()
    >>> print(problems.notices[0])
    events.jsonl: 1 date unknown, first 'XXXX-XX-XX'

    `ways` are other rules that the user may choose, and the words of a message that name them.
    `owner` is whose times they are, where problems should say so. Times `of_events` that can't be
    read are counted like unknown ones in lenient reading.
    """

    def __init__(
        self,
        source: Source | str,
        problems: Problems,
        read: Read = read_time,
        rules: Rules = STRICT,
        *,
        known: dict[str, Reading] | None = None,
        line_of: Callable[[str], int | None] = lambda _: None,
        ways: Sequence[tuple[Rules, str]] = (),
        owner: str = "",
        of_events: bool = False,
    ) -> None:
        self.source = source
        self.problems = problems
        self.rules = rules._replace(lenient=problems.options.lenient)
        self.known = {} if known is None else known
        """The times that were read before, since most are repeated."""
        self.line_of = line_of
        """Finds the line of a time in sources that have no line numbers."""
        self._read = read
        self._owner = f"{owner}: " if owner else ""
        self._of_events = of_events
        self._ways = (
            (self.rules, ""),  # it was read, and is refused for another reason
            (self.rules._replace(lenient=True), " (--lenient accepts it)"),
            *ways,
        )
        self._notes: dict[str, list[tuple[int, str]]] = {}

    def read(self, text: str, line: int | None) -> Time | None:
        """Read a time; None if it is written as unknown, or is wrong and was reported."""
        reading = self.known.get(text)
        if reading is None:
            try:
                reading = self._read(text, self.rules)
            except TimeError as refused:
                if refused.kind == UNDATED:
                    self._note(UNKNOWN, text, line)
                elif self._of_events and self.rules.lenient:
                    self._note(UNREADABLE, text, line)
                else:
                    message = f"{self._owner}{refused.problems[0].message}{self._hint(text)}"
                    self.problems.problem(message, self.source, line or self.line_of(text))
                return None
            self.known[text] = reading
        if reading.note:
            self._note(reading.note, text, line)
        return reading.time

    def _note(self, note: str, text: str, line: int | None) -> None:
        self._notes.setdefault(note, []).append((line or 0, text))

    def why_not(self, text: str) -> str:
        """Return why a text is no time by any rules that the user may choose; empty if it is one.

        >>> times = FileTimes("events.jsonl", Problems())
        >>> times.why_not("2011-02"), times.why_not("2011-02-30"), times.why_not("A title")
        ('', 'not in the calendar', 'not a date')
        """
        kinds = []
        for rules, _ in self._ways:
            try:
                read_time(text, rules)
            except TimeError as refused:
                kinds.append(refused.kind)
            else:
                return ""
        return kinds[0]

    def _hint(self, text: str) -> str:
        """Return what would let a refused time be read, if anything."""
        for rules, words in self._ways:
            with suppress(TimeError):
                read_time(text, rules)
                return words
        return " (--lenient keeps the event without a date)" * self._of_events

    def report(self) -> None:
        """Report how many times are unknown or written in an odd way, each kind once."""
        for note, places in self._notes.items():
            self.problems.count(note, places, self.source)
