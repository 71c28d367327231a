"""brat standoff: a text (`.txt`) and beside it what is marked in it (`.ann`).

- `T` lines are annotations. A discontinuous one becomes the span from its first to its last
  character, and its fragments the feature `fragments`.
- `E` lines are annotations with the span of their trigger, which is then none of its own. Their
  arguments are features: the role, and the type and span of what fills it, since ids differ from
  annotator to annotator. Several of one role are a list.
- `A` and `M` lines are features of what they are about (true if they have no value), so are `N`
  lines (`Wikipedia:534366`) and the notes of `#` lines.
- `R` and `*` lines connect annotations. They are checked, counted and not read.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from chronoscore.annotations.formats.book import Book, Found
from chronoscore.annotations.formats.brat_notes import NOTE, unpacked
from chronoscore.annotations.model import FeatureValue
from chronoscore.core.collection import ONLY
from chronoscore.core.numbers import whole_number
from chronoscore.core.reading import Reading

_SPANS = re.compile(r"-?[0-9]+ -?[0-9]+(;-?[0-9]+ -?[0-9]+)*")


@dataclass(slots=True)
class _Mark:
    """A `T` or `E` line: where it is, and what other lines say about it."""

    kind: str
    start: int
    end: int
    line: int
    covered: str | None = None
    fragments: list[tuple[int, int]] = field(default_factory=list)
    trigger: str = ""
    arguments: list[tuple[str, str]] = field(default_factory=list)
    features: dict[str, FeatureValue] = field(default_factory=dict)


@dataclass(slots=True)
class _Page:
    """All lines of a file, by what they are."""

    path: Path
    reading: Reading
    marks: dict[str, _Mark] = field(default_factory=dict)
    others: dict[str, int] = field(default_factory=dict)
    about: list[tuple[str, str, FeatureValue, int]] = field(default_factory=list)
    refers: list[tuple[str, str, int]] = field(default_factory=list)
    connections: int = 0

    def problem(self, message: str, line: int) -> None:
        """Note what is wrong in a line."""
        self.reading.problem(message, self.path, line)

    def take(self, line: str, number: int) -> None:
        """Enter one line."""
        name, _, rest = line.partition("\t")
        body, _, text = rest.partition("\t")
        kind = name[:1]
        if name == "*":
            self.connections += 1
            for other in body.split()[1:]:
                self.refers.append((name, other, number))
            return
        if name in self.marks or name in self.others:
            self.problem(f"the id '{name}' is used twice", number)
        elif kind == "T" and name[1:]:
            self._span(name, body, text if "\t" in rest else None, number)
        elif kind == "E" and name[1:]:
            self._event(name, body, number)
        elif kind in ("A", "M", "N", "#") and name[1:]:
            self._remark(name, body, text, number)
        elif kind == "R" and name[1:]:
            self._relation(name, body, number)
        else:
            self.problem(
                f"a line that begins with '{name[:20]}', expected T, E, A, M, N, R, * or #", number
            )

    def _span(self, name: str, body: str, text: str | None, number: int) -> None:
        kind, _, written = body.partition(" ")
        if not kind or not _SPANS.fullmatch(written):
            self.problem(f"'{name}' has '{body[:60]}', expected a type, a start and an end", number)
            return
        pairs = [[whole_number(n) for n in pair.split(" ")] for pair in written.split(";")]
        fragments = [(a, b) for a, b in pairs if a is not None and b is not None]
        if len(fragments) < len(pairs):
            self.problem(f"'{name}' has an offset that is too large: {written[:60]}", number)
            return
        if any(a > b for a, b in fragments[:-1]):
            self.problem(f"'{name}' has a fragment that ends before it starts: {written}", number)
            return
        start, end = min(a for a, _ in fragments), max(b for _, b in fragments)
        if len(fragments) == 1:
            start, end = fragments[0]  # as it stands, so that a reversed one is told
        mark = _Mark(kind, start, end, number, text, fragments)
        if len(fragments) > 1:
            mark.features["fragments"] = written
        self.marks[name] = mark

    def _event(self, name: str, body: str, number: int) -> None:
        parts = [part.partition(":") for part in body.split()]
        if not parts or not all(role and target for role, _, target in parts):
            self.problem(f"'{name}' has '{body[:60]}', expected type:trigger role:id ...", number)
            return
        kind, _, trigger = parts[0]
        self.marks[name] = _Mark(kind, 0, 0, number, trigger=trigger)
        for role, _, target in parts[1:]:
            self.marks[name].arguments.append((role, target))

    def _remark(self, name: str, body: str, text: str, number: int) -> None:
        self.others[name] = number
        what, _, rest = body.partition(" ")
        target, _, value = rest.partition(" ")
        if not what or not target:
            self.problem(f"'{name}' has '{body[:60]}', expected a name and an id", number)
        elif name[0] == "#":
            self.about.append((target, what, text, number))
        elif name[0] == "N" and not value:
            self.problem(
                f"'{name}' has '{body[:60]}', expected a type, an id, and what it is", number
            )
        else:
            self.about.append((target, what, value or True, number))

    def _relation(self, name: str, body: str, number: int) -> None:
        self.others[name] = number
        self.connections += 1
        arguments = [part.partition(":")[2] for part in body.split()[1:]]
        if len(arguments) != 2 or not all(arguments):
            self.problem(
                f"'{name}' has '{body[:60]}', expected a type, Arg1:id and Arg2:id", number
            )
        self.refers += [(name, other, number) for other in arguments if other]


def read_brat(path: Path, name: str, reading: Reading) -> Iterable[Found]:
    """Read a `.ann` and the `.txt` beside it; each span must have the text that it says."""
    if path.suffix not in (".ann", ".txt"):
        reading.problem("is not brat's: that is a .ann, beside the .txt with the text", path)
        return []
    marked, plain = path.with_suffix(".ann"), path.with_suffix(".txt")
    text = None
    if plain.is_file():
        text = reading.exact_text(plain)
    else:
        reading.notice("there is no .txt beside it, so the spans are not checked", path)
    page = _Page(marked, reading)
    # A file without annotations is empty, and is meant to be.
    if not marked.is_file() or marked.stat().st_size:
        for number, line in reading.lines(marked):
            if line.strip():
                page.take(line, number)
    _settle(page)
    text = _fitting(page, text)
    book = Book(name or path.stem, marked, reading, text)
    aside = Book(book.id, marked, reading, text)  # triggers are checked, but not entered
    triggers = {mark.trigger for mark in page.marks.values()}
    sound = {
        key
        for key, mark in page.marks.items()
        if not mark.trigger and _entered(key, mark, aside if key in triggers else book)
    }
    for key, mark in page.marks.items():
        if mark.trigger in sound:
            _entered(key, mark, book)
    if page.connections:
        reading.notice(f"{page.connections} relations are not read", marked)
    return [(ONLY, book.document())]


def _settle(page: _Page) -> None:
    """Give events the span of their trigger, and marks what other lines say about them."""
    for name, mark in page.marks.items():
        if mark.trigger:
            _pull(page, name, mark)
    for name, mark in page.marks.items():
        for role, target in mark.arguments:
            filler = page.marks.get(target)
            if filler is None:
                page.problem(f"'{name}' refers to '{target}', which is not there", mark.line)
            else:
                _add(page, name, role, f"{filler.kind} {filler.start}-{filler.end}", mark.line)
    for target, what, value, number in page.about:
        if target in page.marks:
            for feature, said in unpacked(what, value).items():
                _add(page, target, feature, said, number)
        elif target not in page.others:
            page.problem(f"a line is about '{target}', which is not there", number)
    for name, target, number in page.refers:
        if target not in page.marks:
            page.problem(f"'{name}' refers to '{target}', which is not there", number)


def _pull(page: _Page, name: str, mark: _Mark) -> None:
    trigger = page.marks.get(mark.trigger)
    if trigger is None or trigger.trigger:
        page.problem(f"'{name}' has the trigger '{mark.trigger}', which is no T line", mark.line)
        return
    mark.start, mark.end = trigger.start, trigger.end
    mark.covered, mark.fragments = trigger.covered, trigger.fragments
    mark.features.update(trigger.features)


def _add(page: _Page, name: str, feature: str, value: FeatureValue, line: int) -> None:
    """Give a feature to a mark; what is said twice becomes a list."""
    features = page.marks[name].features
    if feature not in features:
        features[feature] = value
        return
    before = features[feature]
    more = value if isinstance(value, tuple) else (value,)
    features[feature] = (*(before if isinstance(before, tuple) else (before,)), *more)


def _fitting(page: _Page, text: str | None) -> str | None:
    """The text as its spans count it: with its line ends, or with each of them as one character."""
    if text is None or "\r" not in text:
        return text
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    wrong = [sum(not _fits(mark, one) for mark in page.marks.values()) for one in (text, plain)]
    return plain if wrong[1] < wrong[0] else text


def _fits(mark: _Mark, text: str) -> bool:
    if mark.covered is None or not mark.fragments:
        return True
    pieces = [text[start:end] for start, end in mark.fragments]
    # brat writes a line break within a span as a blank.
    return _flat(" ".join(pieces)) == _flat(mark.covered)


def _flat(text: str) -> str:
    return re.sub(r"[\r\n\t]", " ", text)


def _entered(key: str, mark: _Mark, book: Book) -> bool:
    """Enter a mark, and say whether nothing is wrong with it."""
    features = dict(mark.features)
    own = {name: features.pop(f"{NOTE}.{name}", None) for name in ("id", "type", "set", "score")}
    score = own["score"]
    before = len(book.reading.problems)
    book.enter(
        str(own["id"] or key),
        str(own["type"] or mark.kind),
        mark.start,
        mark.end,
        features=features,
        score=float(score) if isinstance(score, int | float) else None,
        group=str(own["set"] or ""),
        line=mark.line,
    )
    fits = mark.trigger or book.text is None or _fits(mark, book.text)
    if len(book.reading.problems) == before and not fits:
        found = " ".join((book.text or "")[start:end] for start, end in mark.fragments)
        book.reading.problem(
            f"'{key}' says that its text is '{(mark.covered or '')[:60]}', "
            f"but there it is '{found[:60]}'",
            book.path,
            mark.line,
        )
    return len(book.reading.problems) == before
