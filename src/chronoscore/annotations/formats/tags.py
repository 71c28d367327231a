"""Tags of tokens (BIO and its kin) as spans: strictly by a scheme, or repaired as conlleval does.

A scheme is a set of transitions between neighbouring tags: which of them begin a span, which go on
with it, and which end it. Strictly read, a span that does not begin or end by the scheme is none,
as in seqeval's strict mode. Repaired, every run of tags of one type is a span, cut where a tag says
that another begins or that one has ended, as in conlleval and seqeval's default mode.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

OUTSIDE = "O"
UNTYPED = "_"


class Tag(NamedTuple):
    """A tag: its letter, and the type of its span."""

    letter: str
    type: str = ""

    def __str__(self) -> str:
        return self.letter if self.type in ("", UNTYPED) else f"{self.letter}-{self.type}"


class Chunk(NamedTuple):
    """A span of tokens, the end not included."""

    type: str
    start: int
    end: int


class Scheme(NamedTuple):
    """Transitions, each as the letter before, the letter here, and whether types agree.

    A full stop stands for any letter; `=` is the same type, `!` another type, `*` any.
    """

    letters: str
    begin: tuple[str, ...]
    inside: tuple[str, ...]
    end: tuple[str, ...]


_ENDS = ("IO*", "II!", "IB*", "BO*", "BI!")
SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {
        "iob1": Scheme("IOB", ("OI*", "II!", "BI*", "IB=", "BB="), ("BI=", "II="), (*_ENDS, "BB=")),
        "iob2": Scheme("IOB", (".B*",), ("BI=", "II="), (*_ENDS, "BB*")),
        "ioe2": Scheme("IOE", ("OI*", "OE*", "EI*", "EE*", "II!", "IE!"), ("IE=", "II="), ("E.*",)),
        "iobes": Scheme("IOBES", (".B*", ".S*"), ("BI=", "BE=", "II=", "IE="), ("S.*", "E.*")),
        "bilou": Scheme("BILOU", (".B*", ".U*"), ("BI=", "BL=", "II=", "IL="), ("U.*", "L.*")),
    }
)


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


def strict(tags: Sequence[Tag], scheme: Scheme) -> list[Chunk]:
    """The spans that follow the scheme; all else is no span.

    >>> tags = [Tag("B", "X"), Tag("I", "X"), Tag("O"), Tag("I", "X"), Tag("B", "Y")]
    >>> strict(tags, SCHEMES["iob2"])
    [Chunk(type='X', start=0, end=2), Chunk(type='Y', start=4, end=5)]
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
            chunks.append(Chunk(closed[start].type, start, place))
    return chunks


def repaired(tags: Sequence[Tag]) -> list[Chunk]:
    """Every run of tags of one type, cut where a tag begins a span or has ended one.

    >>> tags = [Tag("O"), Tag("I", "X"), Tag("I", "Y"), Tag("B", "Y"), Tag("E", "Y"), Tag("I", "Y")]
    >>> [(chunk.type, chunk.start, chunk.end) for chunk in repaired(tags)]
    [('X', 1, 2), ('Y', 2, 3), ('Y', 3, 5), ('Y', 5, 6)]
    """
    chunks: list[Chunk] = []
    open_since: int | None = None
    before = Tag(OUTSIDE)
    for place, tag in enumerate([*tags, Tag(OUTSIDE)]):
        begins = tag.letter != OUTSIDE and (
            tag.letter in "BSU" or before.letter in "OESLU" or tag.type != before.type
        )
        if open_since is not None and (begins or tag.letter == OUTSIDE):
            chunks.append(Chunk(before.type, open_since, place))
            open_since = None
        if begins:
            open_since = place
        before = tag
    return chunks


def unread(tags: Sequence[Tag], chunks: Sequence[Chunk]) -> list[int]:
    """Where tags that mark something begin to be in no span."""
    covered = {place for chunk in chunks for place in range(chunk.start, chunk.end)}
    loose = [
        place for place, tag in enumerate(tags) if tag.letter != OUTSIDE and place not in covered
    ]
    before = {place + 1 for place in loose}
    return [place for place in loose if place not in before]


def recognised(sentences: Sequence[Sequence[Tag]]) -> str:
    """The scheme of these tags by their letters; IOB1 only where all of them follow it."""
    letters = {tag.letter for tags in sentences for tag in tags} - {OUTSIDE}
    if letters & set("LU"):
        return "bilou"
    if "S" in letters or ("E" in letters and "B" in letters):
        return "iobes"
    if "E" in letters:
        return "ioe2"

    def follow(name: str) -> bool:
        return not any(unread(tags, strict(tags, SCHEMES[name])) for tags in sentences)

    return "iob1" if not follow("iob2") and follow("iob1") else "iob2"


def _among(transitions: tuple[str, ...], before: Tag, tag: Tag) -> bool:
    return _listed(transitions, before.letter, tag.letter, before.type == tag.type)


@cache
def _listed(transitions: tuple[str, ...], before: str, here: str, same: bool) -> bool:
    relation = "=" if same else "!"
    return any(
        one[0] in (before, ".") and one[1] in (here, ".") and one[2] in (relation, "*")
        for one in transitions
    )
