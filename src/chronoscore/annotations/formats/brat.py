"""brat standoff: a text (`.txt`) and a file with its annotations (`.ann`).

- `T` lines are annotations. A discontinuous one becomes the span from its first to its last
  character, and its fragments the feature `fragments`.
- `E` lines are annotations with the span of their trigger, which is then no annotation itself.
  Their arguments are features: the role, and the type and span of its filler, since ids differ
  from annotator to annotator. Several fillers of one role are a list.
- `A` and `M` lines are features of the annotation that they name (true if they have no value), and
  so are `N` lines (`Wikipedia:534366`) and the notes of `#` lines.
- `R` and `*` lines connect annotations. They are checked, counted and not read.

The writer turns a feature into an attribute if brat can hold it. All else (numbers, texts with
blanks, ids, scores, sets) goes into a note `#1 chronoscore T1 {...}`, which the reader reads.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, count

import msgspec

from chronoscore.annotations.formats.documents import DocumentBuilder, NamedDocument
from chronoscore.annotations.model import Document, FeatureValue
from chronoscore.core.case import ONLY
from chronoscore.core.problems import Problems
from chronoscore.core.records import JsonError, parse_json, whole_number
from chronoscore.core.sources import Source

NOTE = "chronoscore"
_WORD = re.compile(r"[^\s:;|\x00-\x1f\x7f]+")
_NOT_IN_TYPES = re.compile(r"[\s:;\x00-\x1f\x7f]")
_ID = re.compile(r"T[0-9]+")
_SPANS = re.compile(r"-?[0-9]+ -?[0-9]+(;-?[0-9]+ -?[0-9]+)*")


class BratNote(msgspec.Struct, omit_defaults=True):
    """The properties of an annotation that brat has no field for."""

    id: str = ""
    type: str = ""
    features: dict[str, FeatureValue] = {}
    set: str = ""
    score: float | None = None


@dataclass(slots=True)
class _Mark:
    """A `T` or `E` line: its span, and the properties that other lines give it."""

    kind: str
    start: int
    end: int
    line: int
    covered: str | None = None
    fragments: Sequence[tuple[int, int]] = ()
    trigger: str = ""
    arguments: Sequence[tuple[str, str]] = ()
    features: dict[str, FeatureValue] = field(default_factory=dict)
    note: BratNote = field(default_factory=BratNote)


@dataclass(slots=True)
class _BratLines:
    """All lines of a file, by kind."""

    builder: DocumentBuilder
    marks: dict[str, _Mark] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)
    about: list[tuple[str, str, FeatureValue, int]] = field(default_factory=list)
    refers: list[tuple[str, str, int]] = field(default_factory=list)
    connections: int = 0

    def take(self, line: str, number: int) -> None:
        """Enter one line, or report what was expected in its place."""
        name, _, rest = line.partition("\t")
        body, tab, text = rest.partition("\t")
        kind = name[:1] if name[1:] else ""
        expected = ""
        if name in self.marks or name in self.others:
            self.builder.problem(f"the id '{name}' is used twice", number)
        elif kind == "T":
            expected = self._span(name, body, text if tab else None, number)
        elif kind == "E":
            expected = self._event(name, body, number)
        elif kind and kind in "AMN#":
            expected = self._remark(name, body, text, number)
        elif kind == "R" or name == "*":
            expected = self._relation(name, body, number)
        else:
            self.builder.problem(
                f"a line that begins with '{name[:20]}', expected T, E, A, M, N, R, * or #", number
            )
        if expected:
            self.builder.problem(f"'{name}' has '{body[:60]}', expected {expected}", number)

    def _span(self, name: str, body: str, text: str | None, number: int) -> str:
        kind, _, written = body.partition(" ")
        if not kind or not _SPANS.fullmatch(written):
            return "a type, a start and an end"
        pairs = [[whole_number(n) for n in pair.split(" ")] for pair in written.split(";")]
        fragments = [(a, b) for a, b in pairs if a is not None and b is not None]
        if len(fragments) < len(pairs):
            return "smaller offsets"
        start, end = fragments[0]  # unchanged, so that a reversed span is reported
        mark = self.marks[name] = _Mark(kind, start, end, number, text, fragments)
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
        self.marks[name] = _Mark(kind, 0, 0, number, trigger=trigger, arguments=arguments)
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
        members = body.split()[1:]
        if name != "*":  # many lines have the id *
            self.others.add(name)
            members = [part.partition(":")[2] for part in members]
        self.refers += [(name, other, number) for other in members if other]
        is_pair = len(members) == 2 and all(members)
        return "" if name == "*" or is_pair else "a type, Arg1:id and Arg2:id"


def read_brat(source: Source, name: str, problems: Problems) -> Iterable[NamedDocument]:
    """Read a `.ann` and its `.txt`; the text of each span must be the text in its line."""
    if source.file_suffix not in (".ann", ".txt"):
        problems.problem("is not brat's: that is a .ann, beside the .txt with the text", source)
        return []
    marked, plain = (
        source if source.file_suffix == suffix else source.beside(suffix)
        for suffix in (".ann", ".txt")
    )
    builder = DocumentBuilder(name or source.stem, marked, problems)
    if plain.is_file:
        builder.text = plain.exact_text(problems)
    else:
        problems.notice("there is no .txt beside it, so the spans are not checked", source)
    page = _BratLines(builder)
    # A document without annotations has an empty file, which is no problem.
    if not marked.is_file or marked.size:
        for number, line in marked.lines(problems):
            if line.strip():
                page.take(line, number)
    _give_triggers(page)
    _give_features(page)
    builder.text = _fitting(page, builder.text)
    # Triggers are checked, but not entered.
    aside = DocumentBuilder(builder.id, marked, problems, builder.text)
    triggers = {mark.trigger for mark in page.marks.values()}
    sound = {
        key
        for key, mark in page.marks.items()
        if not mark.trigger and _entered(key, mark, aside if key in triggers else builder)
    }
    for key, mark in page.marks.items():
        if mark.trigger in sound:
            _entered(key, mark, builder)
    if page.connections:
        problems.notice(f"{page.connections} relations are not read", marked)
    return [(ONLY, builder.document())]


def _give_triggers(page: _BratLines) -> None:
    """Give events the span of their trigger."""
    for name, mark in page.marks.items():
        trigger = page.marks.get(mark.trigger)
        if mark.trigger and (trigger is None or trigger.trigger):
            message = f"'{name}' has the trigger '{mark.trigger}', which is no T line"
            page.builder.problem(message, mark.line)
        elif trigger is not None:
            mark.start, mark.end = trigger.start, trigger.end
            mark.features.update(trigger.features)


def _give_features(page: _BratLines) -> None:
    """Give marks the features that other lines hold."""
    for name, mark in page.marks.items():
        for role, target in mark.arguments:
            filler = page.marks.get(target)
            if filler is None:
                page.refers.append((name, target, mark.line))
            else:
                _add(mark.features, role, f"{filler.kind} {filler.start}-{filler.end}")
    for target, what, value, number in page.about:
        if target in page.marks:
            mark = page.marks[target]
            note = _note(value) if what == NOTE else None
            mark.note = note or mark.note
            for feature, item in (note.features if note else {what: value}).items():
                _add(mark.features, feature, item)
        elif target not in page.others:
            page.builder.problem(f"a line is about '{target}', which is not there", number)
    for name, target, number in page.refers:
        if target not in page.marks:
            page.builder.problem(f"'{name}' refers to '{target}', which is not there", number)


def _note(value: FeatureValue) -> BratNote | None:
    """Return a note of Chronoscore; None if another program or a person wrote it."""
    try:
        return msgspec.convert(parse_json(str(value)), BratNote)
    except (JsonError, msgspec.ValidationError):
        return None


def _add(features: dict[str, FeatureValue], name: str, value: FeatureValue) -> None:
    """Add a feature; several values of one name become a list."""
    if name in features:
        both = (item if isinstance(item, tuple) else (item,) for item in (features[name], value))
        value = tuple(chain.from_iterable(both))
    features[name] = value


def _fitting(page: _BratLines, text: str | None) -> str | None:
    """Return the text that fits its spans better: as it is, or with `\\n` for all line ends."""
    if text is None or "\r" not in text:
        return text
    versions = text, text.replace("\r\n", "\n").replace("\r", "\n")
    return max(versions, key=lambda version: sum(_fits(m, version) for m in page.marks.values()))


def _fits(mark: _Mark, text: str) -> bool:
    if mark.covered is None or not mark.fragments:
        return True
    pieces = [text[start:end] for start, end in mark.fragments]
    # brat writes a line break within a span as a blank.
    return _flat(" ".join(pieces)) == _flat(mark.covered)


def _flat(text: str) -> str:
    return re.sub(r"[\r\n\t]", " ", text)


def _entered(key: str, mark: _Mark, builder: DocumentBuilder) -> bool:
    """Enter a mark, and return whether nothing is wrong with it."""
    note, line = mark.note, mark.line
    before = len(builder.problems.problems)
    place = note.id or key, note.type or mark.kind, mark.start, mark.end
    builder.enter(*place, mark.features, note.score, note.set, line)
    fits = mark.trigger or builder.text is None or _fits(mark, builder.text)
    if len(builder.problems.problems) == before and not fits:
        covered = " ".join((builder.text or "")[start:end] for start, end in mark.fragments)
        builder.problem(
            f"'{key}' says that its text is '{(mark.covered or '')[:60]}', "
            f"but there it is '{covered[:60]}'",
            line,
        )
    return len(builder.problems.problems) == before


def written_brat(document: Document) -> tuple[str, str]:
    """Return a document with a text as brat standoff: the text, and the lines of the `.ann`."""
    text = document.text or ""
    lines: list[str] = []
    attributes, notes = count(1), count(1)
    ids = [item.id for item in document.annotations]
    used = {name for name in ids if _ID.fullmatch(name)}
    unique = len(set(ids)) == len(ids)
    free = (name for number in count(1) if (name := f"T{number}") not in used)
    for item in document.annotations:
        note = BratNote(set=item.set, score=item.score)
        name = item.id if unique and item.id in used else next(free)
        if name != item.id:
            note.id = item.id
        kind = _NOT_IN_TYPES.sub("_", item.type)
        if kind != item.type:
            note.type = item.type
        covered = _flat(text[item.start : item.end])
        lines.append(f"{name}\t{kind} {item.start} {item.end}\t{covered}")
        for feature, value in item.features.items():
            if _is_attribute(feature, value):
                written = "" if value is True else f" {value}"
                lines.append(f"A{next(attributes)}\t{feature} {name}{written}")
            else:
                note.features[feature] = value
        if note != BratNote():
            json = msgspec.json.encode(note).decode()
            lines.append(f"#{next(notes)}\t{NOTE} {name}\t{json}")
    return text, "".join(f"{line}\n" for line in lines)


def _is_attribute(name: str, value: FeatureValue) -> bool:
    """Whether brat can hold a feature as an attribute: a word, or a name and a word."""
    is_word = value is True or (isinstance(value, str) and _WORD.fullmatch(value) is not None)
    return is_word and name != NOTE and _WORD.fullmatch(name) is not None
