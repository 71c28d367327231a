"""Columns of tokens and tags, as in CoNLL-2003: a token a line, a blank line after a sentence.

The text is made of the tokens, a blank between two of them and a line a sentence, so that spans
have offsets in characters, and tokens that differ between two sides are seen as texts that differ.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from chronoscore.annotations.formats.book import Book, Found, Reader
from chronoscore.annotations.formats.tags import (
    SCHEMES,
    Chunk,
    Tag,
    parse_tag,
    recognised,
    repaired,
    strict,
    unread,
)
from chronoscore.core.collection import ONLY
from chronoscore.core.reading import Reading

DOCUMENT = "-DOCSTART-"
SETS = ("gold", "predicted")
"""The annotation sets of a file with both columns, as conlleval reads it."""


@dataclass(slots=True)
class _Sentence:
    """Tokens with their lines, and a column of tags for every annotation set."""

    tokens: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    columns: list[list[Tag]] = field(default_factory=list)


def read_conll(path: Path, name: str, reading: Reading) -> Iterable[Found]:
    """Read the last column; tags that break their scheme are refused, or repaired if lenient."""
    return _read(path, name, reading, scheme=None, sets=("",))


def read_conlleval(path: Path, name: str, reading: Reading) -> Iterable[Found]:
    """Read the last two columns as the sets gold and predicted."""
    return _read(path, name, reading, scheme=None, sets=SETS)


def scheme_reader(scheme: str) -> Reader:
    """A reader of one scheme; tags that break it are refused, or left out if lenient."""
    return partial(_read, scheme=scheme, sets=("",))


def _read(
    path: Path, name: str, reading: Reading, *, scheme: str | None, sets: Sequence[str]
) -> Iterable[Found]:
    documents = _documents(path, len(sets), reading)
    books = []
    for place, sentences in enumerate(documents, 1):
        several = f"{name}/{place}" if name else str(place)
        lines = [" ".join(sentence.tokens) for sentence in sentences]
        book = Book(
            several if len(documents) > 1 else name or path.stem,
            path,
            reading,
            "".join(f"{line}\n" for line in lines),
        )
        books.append((book, sentences, _starts(lines)))
    for column, group in enumerate(sets):
        tags = [s.columns[column] for sentences in documents for s in sentences]
        form = scheme or recognised(tags)
        broken = []
        for book, sentences, starts in books:
            for sentence, start in zip(sentences, starts, strict=True):
                own = sentence.columns[column]
                followed = strict(own, SCHEMES[form])
                broken += [(own, place, sentence) for place in unread(own, followed)]
                chunks = followed if scheme else repaired(own)
                _enter(book, sentence, start, chunks, group)
        _tell(broken, form, path, reading, repair=scheme is None)
    return [(ONLY, book.document()) for book, _, _ in books]


def _documents(path: Path, columns: int, reading: Reading) -> list[list[_Sentence]]:
    """The sentences of all documents, tags read."""
    documents: list[list[_Sentence]] = [[]]
    sentence = _Sentence(columns=[[] for _ in range(columns)])
    width: int | None = None
    for number, line in reading.lines(path):
        fields = line.rstrip("\r\n").split("\t") if "\t" in line else line.split()
        starts_document = fields[:1] == [DOCUMENT]
        if not line.strip() or starts_document:
            if sentence.tokens:
                documents[-1].append(sentence)
                sentence = _Sentence(columns=[[] for _ in range(columns)])
            if starts_document and documents[-1]:
                documents.append([])
            continue
        if line.startswith("# ") and "=" in line:
            continue  # a comment, such as `# sent_id = 3`
        if len(fields) < 1 + columns:
            reading.problem(
                f"{len(fields)} columns, expected a token and {columns} of tags", path, number
            )
            continue
        if width not in (None, len(fields)):
            reading.problem(f"{len(fields)} columns, there were {width} before", path, number)
        width = width or len(fields)
        tags = [parse_tag(text.strip()) for text in fields[-columns:]]
        for text, tag in zip(fields[-columns:], tags, strict=True):
            if tag is None:
                reading.problem(
                    f"the tag '{text[:40]}', expected O or a letter of BIESLU and a type: B-EVENT",
                    path,
                    number,
                )
        sentence.tokens.append(fields[0])
        sentence.lines.append(number)
        for column, tag in zip(sentence.columns, tags, strict=True):
            column.append(tag or Tag("O"))
    if sentence.tokens:
        documents[-1].append(sentence)
    return [sentences for sentences in documents if sentences]


def _starts(lines: Sequence[str]) -> list[int]:
    starts, place = [], 0
    for line in lines:
        starts.append(place)
        place += len(line) + 1
    return starts


def _enter(
    book: Book, sentence: _Sentence, start: int, chunks: Iterable[Chunk], group: str
) -> None:
    begins = [start + place for place in _starts(sentence.tokens)]
    for chunk in chunks:
        last = chunk.end - 1
        book.enter(
            str(len(book.annotations) + 1),
            chunk.type,
            begins[chunk.start],
            begins[last] + len(sentence.tokens[last]),
            group=group,
            line=sentence.lines[chunk.start],
        )


def _tell(
    broken: Sequence[tuple[Sequence[Tag], int, _Sentence]],
    form: str,
    path: Path,
    reading: Reading,
    *,
    repair: bool,
) -> None:
    """Say where tags don't follow their scheme: each of them, or one for all if it is lenient."""
    done = "read as conlleval does" if repair else "left out"
    if broken and reading.lenient:
        lines = [sentence.lines[place] for _, place, sentence in broken]
        reading.notice(
            f"{len(broken)} tags don't follow {form.upper()} and are {done}, first in line "
            f"{min(lines)}",
            path,
        )
        return
    for tags, place, sentence in broken:
        before = f"after '{tags[place - 1]}'" if place else "at the start of a sentence"
        reading.doubt(
            f"'{tags[place]}' {before} does not follow {form.upper()}", path, sentence.lines[place]
        )
