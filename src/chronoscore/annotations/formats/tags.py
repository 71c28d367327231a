"""Columns of tokens and tags, as in CoNLL-2003: one token on a line, a blank line after a sentence.

The text consists of the tokens, with a blank between two of them and a line for each sentence. So
spans have offsets in characters, and sides with different tokens are reported as different texts.

Tags (BIO and similar ones) become spans strictly by a scheme, or repaired as conlleval does. A
scheme is a set of transitions between neighbouring tags: which of them begin a span, which continue
it, and which end it. Read strictly, tags that do not begin and end by the scheme are no span, as in
seqeval's strict mode. Repaired, every run of tags of one type is a span, cut where a tag begins a
span or has ended one, as in conlleval and seqeval's default mode.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import accumulate
from typing import NamedTuple

from chronoscore.annotations.formats.documents import DocumentBuilder, NamedDocument, Reader
from chronoscore.core.case import ONLY
from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source

OUTSIDE = "O"
UNTYPED = "_"


class Tag(NamedTuple):
    """A tag: its letter, and the type of its span."""

    letter: str
    type: str = ""

    def __str__(self) -> str:
        return self.letter if self.type in ("", UNTYPED) else f"{self.letter}-{self.type}"


class TokenSpan(NamedTuple):
    """A span of tokens, the end not included."""

    type: str
    start: int
    end: int


class Scheme(NamedTuple):
    """Transitions, each as the letter before, the current letter, and whether types agree.

    A full stop stands for any letter; `=` is the same type, `!` another type, `*` any.
    """

    begin: tuple[str, ...]
    inside: tuple[str, ...]
    end: tuple[str, ...]


_ENDS = ("IO*", "II!", "IB*", "BO*", "BI!")
SCHEMES: Mapping[str, Scheme] = {
    "iob1": Scheme(("OI*", "II!", "BI*", "IB=", "BB="), ("BI=", "II="), (*_ENDS, "BB=")),
    "iob2": Scheme((".B*",), ("BI=", "II="), (*_ENDS, "BB*")),
    "ioe2": Scheme(("OI*", "OE*", "EI*", "EE*", "II!", "IE!"), ("IE=", "II="), ("E.*",)),
    "iobes": Scheme((".B*", ".S*"), ("BI=", "BE=", "II=", "IE="), ("S.*", "E.*")),
    "bilou": Scheme((".B*", ".U*"), ("BI=", "BL=", "II=", "IL="), ("U.*", "L.*")),
}


REPAIRED = Scheme(
    (
        *(".B*", ".S*", ".U*", ".I!", ".E!", ".L!"),
        *(f"{before}{letter}*" for before in "OESLU" for letter in "IEL"),
    ),
    ("BI=", "BE=", "BL=", "II=", "IE=", "IL="),
    ("..*",),
)
"""Every run of tags of one type is a span, cut where a tag begins a span or has ended one."""


@cache
def parse_tag(text: str) -> Tag | None:
    """Read `O`, `B-PER` or `B`; None if it is no tag of any scheme.

    >>> parse_tag("B-PER"), parse_tag("O"), parse_tag("I"), parse_tag("PER")
    (Tag(letter='B', type='PER'), Tag(letter='O', type=''), Tag(letter='I', type='_'), None)
    """
    letter, dash, kind = text[:1], text[1:2], text[2:]
    if text == OUTSIDE:
        return Tag(OUTSIDE)
    if letter not in set("BIESLU") or dash not in ("", "-") or (dash and not kind):
        return None
    return Tag(letter, kind or UNTYPED)


def token_spans(tags: Sequence[Tag], scheme: Scheme) -> list[TokenSpan]:
    """Return the spans that follow the scheme; other tags are no span.

    >>> tags = [Tag("B", "X"), Tag("I", "X"), Tag("O"), Tag("I", "X"), Tag("B", "Y")]
    >>> token_spans(tags, SCHEMES["iob2"])
    [TokenSpan(type='X', start=0, end=2), TokenSpan(type='Y', start=4, end=5)]
    >>> [(chunk.type, chunk.start, chunk.end) for chunk in token_spans(tags, REPAIRED)]
    [('X', 0, 2), ('X', 3, 4), ('Y', 4, 5)]
    """
    closed = [*tags, Tag(OUTSIDE)]
    chunks = []
    place = 0
    while place < len(closed):
        before = closed[place - 1] if place else Tag(OUTSIDE)
        if not _among(scheme.begin, before, closed[place]):
            place += 1
            continue
        start, place = place, place + 1
        while place < len(tags) and _among(scheme.inside, closed[place - 1], closed[place]):
            place += 1
        if _among(scheme.end, closed[place - 1], closed[place]):
            chunks.append(TokenSpan(closed[start].type, start, place))
    return chunks


def unread(tags: Sequence[Tag], chunks: Sequence[TokenSpan]) -> list[int]:
    """Return the first place of each run of tags, other than O, that are in no span."""
    covered = {place for chunk in chunks for place in range(chunk.start, chunk.end)}
    loose = [
        place for place, tag in enumerate(tags) if tag.letter != OUTSIDE and place not in covered
    ]
    before = {place + 1 for place in loose}
    return [place for place in loose if place not in before]


def scheme_of(sentences: Sequence[Sequence[Tag]]) -> str:
    """Return the scheme of these tags by their letters; IOB1 only if all of them follow it."""
    letters = {tag.letter for tags in sentences for tag in tags} - {OUTSIDE}
    if letters & set("LU"):
        return "bilou"
    if "S" in letters or ("E" in letters and "B" in letters):
        return "iobes"
    if "E" in letters:
        return "ioe2"

    def follow(name: str) -> bool:
        return not any(unread(tags, token_spans(tags, SCHEMES[name])) for tags in sentences)

    return "iob1" if not follow("iob2") and follow("iob1") else "iob2"


def _among(transitions: tuple[str, ...], before: Tag, tag: Tag) -> bool:
    return _any_allows(transitions, before.letter, tag.letter, before.type == tag.type)


@cache
def _any_allows(transitions: tuple[str, ...], before: str, letter: str, same: bool) -> bool:
    relation = "=" if same else "!"
    return any(
        rule[0] in (before, ".") and rule[1] in (letter, ".") and rule[2] in (relation, "*")
        for rule in transitions
    )


DOCUMENT = "-DOCSTART-"
CONLLEVAL_SETS = ("gold", "predicted")
"""The annotation sets of a file with both columns, as conlleval reads it."""


@dataclass(slots=True)
class _Sentence:
    """Tokens with their lines, and a column of tags for every annotation set."""

    columns: list[list[Tag]]
    tokens: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def read_tags(
    source: Source,
    name: str,
    problems: Problems,
    *,
    scheme: str | None = None,
    sets: Sequence[str] = ("",),
) -> Iterable[NamedDocument]:
    """Read the last columns, one for each set, as spans.

    Tags that break their scheme are a problem. Lenient reading leaves them out if the caller names
    the scheme, and repairs them otherwise.
    """
    documents = _documents(source, len(sets), problems)
    builders = []
    for place, sentences in enumerate(documents, 1):
        numbered = f"{name}/{place}" if name else str(place)
        lines = [" ".join(sentence.tokens) for sentence in sentences]
        text = "".join(f"{line}\n" for line in lines)
        key = numbered if len(documents) > 1 else name or source.stem
        builder = DocumentBuilder(key, source, problems, text)
        builders.append((builder, list(zip(sentences, _starts(lines), strict=True))))
    for column, group in enumerate(sets):
        form = scheme or scheme_of(
            [s.columns[column] for sentences in documents for s in sentences]
        )
        broken: list[tuple[list[Tag], int, int]] = []
        for builder, placed in builders:
            for sentence, start in placed:
                tags = sentence.columns[column]
                spans = token_spans(tags, SCHEMES[form])
                broken += [(tags, at, sentence.lines[at]) for at in unread(tags, spans)]
                begins = [start + place for place in _starts(sentence.tokens)]
                for kind, first, end in spans if scheme else token_spans(tags, REPAIRED):
                    last = begins[end - 1] + len(sentence.tokens[end - 1])
                    line = sentence.lines[first]
                    builder.enter(None, kind, begins[first], last, group=group, line=line)
        _report(broken, form, source, problems, "left out" if scheme else "read as conlleval does")
    return [(ONLY, builder.document()) for builder, _ in builders]


TAG_READERS: Mapping[str, Reader] = {
    "conll": read_tags,
    "conlleval": partial(read_tags, sets=CONLLEVAL_SETS),
    **{name: partial(read_tags, scheme=name) for name in SCHEMES},
}


def _documents(source: Source, columns: int, problems: Problems) -> list[list[_Sentence]]:
    """Return the sentences of each document, with parsed tags."""
    documents: list[list[_Sentence]] = [[]]
    sentence: _Sentence | None = None
    width: int | None = None
    for number, line in source.lines(problems):
        fields = line.rstrip("\r\n").split("\t") if "\t" in line else line.split()
        starts_document = fields[:1] == [DOCUMENT]
        if not line.strip() or starts_document:
            sentence = None
            if starts_document and documents[-1]:
                documents.append([])
            continue
        if line.startswith("# ") and "=" in line:
            continue  # a comment, such as `# sent_id = 3`
        if len(fields) < 1 + columns:
            problems.problem(
                f"{len(fields)} column{'s' * (len(fields) != 1)}, expected a token and {columns} "
                f"tag{'s' * (columns != 1)}",
                source,
                number,
            )
            continue
        if width not in (None, len(fields)):
            problems.problem(f"{len(fields)} columns, there were {width} before", source, number)
        width = width or len(fields)
        if sentence is None:
            sentence = _Sentence([[] for _ in range(columns)])
            documents[-1].append(sentence)
        sentence.tokens.append(fields[0])
        sentence.lines.append(number)
        for column, text in zip(sentence.columns, fields[-columns:], strict=True):
            tag = parse_tag(text.strip())
            if tag is None:
                problems.problem(
                    f"the tag '{text[:40]}', expected O or a letter of BIESLU and a type: B-EVENT",
                    source,
                    number,
                )
            column.append(tag or Tag(OUTSIDE))
    return [sentences for sentences in documents if sentences]


def _starts(lines: Sequence[str]) -> list[int]:
    return [0, *accumulate(len(line) + 1 for line in lines)][:-1]


def _report(
    broken: Sequence[tuple[Sequence[Tag], int, int]],
    form: str,
    source: Source,
    problems: Problems,
    treatment: str,
) -> None:
    """Report tags that break their scheme: each one, or their number if reading is lenient."""
    if broken and problems.options.lenient:
        first = min(line for _, _, line in broken)
        problems.notice(
            f"1 tag doesn't follow {form.upper()} and is {treatment}, in {source.refer(first)}"
            if len(broken) == 1
            else f"{len(broken)} tags don't follow {form.upper()} and are {treatment}, first in "
            f"{source.refer(first)}",
            source,
        )
        return
    for tags, place, line in broken:
        before = f"after '{tags[place - 1]}'" if place else "at the start of a sentence"
        problems.accept_or_report(
            f"'{tags[place]}' {before} does not follow {form.upper()}", source, line
        )
