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
from collections.abc import Iterable, Mapping
from itertools import chain, count

import msgspec

from chronoscore.annotations.formats.documents import DocumentBuilder, NamedDocument
from chronoscore.annotations.model import Document, FeatureValue
from chronoscore.core.case import ONLY
from chronoscore.core.problems import Problems
from chronoscore.core.records import JsonError, parse_json
from chronoscore.core.sources import Source
from chronoscore.elements.brat import BratLines, BratMark, on_one_line

NOTE = "chronoscore"
_WORD = re.compile(r"[^\s:;|\x00-\x1f\x7f]+")
_NOT_IN_TYPES = re.compile(r"[\s:;\x00-\x1f\x7f]")
_ID = re.compile(r"T[0-9]+")


class BratNote(msgspec.Struct, omit_defaults=True):
    """The properties of an annotation that brat has no field for."""

    id: str = ""
    type: str = ""
    features: dict[str, FeatureValue] = {}
    set: str = ""
    score: float | None = None


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
    page = BratLines(builder.problem)
    page.read(marked, problems)
    notes = _give_features(page)
    builder.text = page.fitting(builder.text)
    # Triggers are checked, but not entered.
    aside = DocumentBuilder(builder.id, marked, problems, builder.text)
    triggers = {mark.trigger for mark in page.marks.values()}
    sound = {
        key
        for key, mark in page.marks.items()
        if not mark.trigger and _entered(key, mark, notes, aside if key in triggers else builder)
    }
    for key, mark in page.marks.items():
        if mark.trigger in sound:
            _entered(key, mark, notes, builder)
    if page.connections:
        message = "{count} relation{s} not read; `chronoscore tlinks` scores temporal ones"
        problems.count(message, (), marked, count=page.connections)
    return [(ONLY, builder.document())]


def _give_features(page: BratLines) -> dict[str, BratNote]:
    """Give marks the features that other lines hold; return the notes of Chronoscore by mark."""
    notes: dict[str, BratNote] = {}
    for name, mark in page.marks.items():
        for role, target in mark.arguments:
            filler = page.marks.get(target)
            if filler is None:
                page.refers.append((name, target, mark.line))
            else:
                _add(mark.features, role, f"{filler.kind} {filler.start}-{filler.end}")
    for target, what, value, number in page.about:
        if target in page.marks:
            note = _note(value) if what == NOTE else None
            if note:
                notes[target] = note
            for feature, item in (note.features if note else {what: value}).items():
                _add(page.marks[target].features, feature, item)
        elif target not in page.others:
            page.report(f"a line is about '{target}', which is not there", number)
    page.check_references()
    return notes


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


def _entered(
    key: str, mark: BratMark, notes: Mapping[str, BratNote], builder: DocumentBuilder
) -> bool:
    """Enter a mark, and return whether nothing is wrong with it."""
    note, line = notes.get(key, BratNote()), mark.line
    before = len(builder.problems.problems)
    place = note.id or key, note.type or mark.kind, mark.start, mark.end
    builder.enter(*place, mark.features, note.score, note.set, line)
    fits = mark.trigger or builder.text is None or mark.fits(builder.text)
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
        covered = on_one_line(text[item.start : item.end])
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
