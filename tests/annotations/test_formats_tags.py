"""Columns of tags: spans by every scheme, strictly or repaired, and what breaks a scheme."""

from pathlib import Path

import pytest
from annotations.format_samples import CONLL, SAMPLES, only, problems, put, read, spans
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.annotations.formats.reading import read_documents
from chronoscore.annotations.formats.tags import (
    REPAIRED,
    SCHEMES,
    Tag,
    parse_tag,
    scheme_of,
    token_spans,
    unread,
)
from chronoscore.annotations.formats.tags import TokenSpan as Span
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of


def tags(text: str) -> list[Tag]:
    found = [parse_tag(one) for one in text.split()]
    return [tag for tag in found if tag is not None]


@st.composite
def spans_of_tokens(draw: st.DrawFn) -> list[tuple[str, int]]:
    """A sentence as pieces: a type and a length, or nothing of a length."""
    return draw(st.lists(st.tuples(st.sampled_from(["", "X", "Y"]), st.integers(1, 4)), max_size=6))


def written(pieces: list[tuple[str, int]], scheme: str) -> list[Tag]:
    """The tags that say where the pieces are."""
    made: list[Tag] = []
    for kind, length in pieces:
        if not kind:
            made += [Tag("O")] * length
            continue
        letters = ["I"] * length
        after_same = bool(made) and made[-1].type == kind
        if scheme in ("iob2", "iobes", "bilou") or (scheme == "iob1" and after_same):
            letters[0] = "B"
        if scheme in ("ioe2", "iobes", "bilou"):
            letters[-1] = "L" if scheme == "bilou" else "E"
        if length == 1 and scheme in ("iobes", "bilou"):
            letters = ["U" if scheme == "bilou" else "S"]
        made += [Tag(letter, kind) for letter in letters]
    return made


def chunks(pieces: list[tuple[str, int]]) -> list[Span]:
    found, place = [], 0
    for kind, length in pieces:
        if kind:
            found.append(Span(kind, place, place + length))
        place += length
    return found


@pytest.mark.parametrize("scheme", SCHEMES)
@given(pieces=spans_of_tokens())
def test_well_written_tags_give_back_their_spans(
    scheme: str, pieces: list[tuple[str, int]]
) -> None:
    made = written(pieces, scheme)
    assert token_spans(made, SCHEMES[scheme]) == chunks(pieces)
    assert token_spans(made, REPAIRED) == chunks(pieces)
    assert unread(made, chunks(pieces)) == []


@given(
    st.lists(
        st.builds(Tag, st.sampled_from("BIESLU"), st.sampled_from("XY")) | st.just(Tag("O")),
        max_size=12,
    )
)
def test_repaired_spans_cover_all_that_is_marked_once(sequence: list[Tag]) -> None:
    covered = [
        place
        for chunk in token_spans(sequence, REPAIRED)
        for place in range(chunk.start, chunk.end)
    ]
    assert covered == [place for place, tag in enumerate(sequence) if tag.letter != "O"]
    for chunk in token_spans(sequence, REPAIRED):
        assert {tag.type for tag in sequence[chunk.start : chunk.end]} == {chunk.type}


BROKEN = {
    # tags: (strict by the scheme, repaired), as seqeval gives them in its two modes
    ("iob2", "O I-X I-X O"): ([], [Span("X", 1, 3)]),
    ("iob2", "B-X I-Y"): ([Span("X", 0, 1)], [Span("X", 0, 1), Span("Y", 1, 2)]),
    ("iobes", "B-X I-X O"): ([], [Span("X", 0, 2)]),
    ("iobes", "S-X I-X E-X"): (
        [Span("X", 0, 1)],
        [Span("X", 0, 1), Span("X", 1, 3)],
    ),
    ("iobes", "B-X E-X E-X"): (
        [Span("X", 0, 2)],
        [Span("X", 0, 2), Span("X", 2, 3)],
    ),
    ("iob1", "O B-X I-X"): ([Span("X", 2, 3)], [Span("X", 1, 3)]),
    ("ioe2", "I-X I-X O"): ([], [Span("X", 0, 2)]),
    ("bilou", "B-X L-Y"): ([], [Span("X", 0, 1), Span("Y", 1, 2)]),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_tags_are_none_if_strict_and_mended_if_lenient(case: tuple[str, str]) -> None:
    scheme, text = case
    assert (token_spans(tags(text), SCHEMES[scheme]), token_spans(tags(text), REPAIRED)) == BROKEN[
        case
    ]


KNOWN = {
    "B-X I-X O": "iob2",
    "I-X I-X B-X O": "iob1",
    "I-X I-X O": "iob1",
    "B-X E-X S-X": "iobes",
    "S-X O": "iobes",
    "I-X E-X": "ioe2",
    "B-X L-X U-Y": "bilou",
    "O O": "iob2",
}


@pytest.mark.parametrize("text", KNOWN)
def test_the_scheme_is_told_by_its_tags(text: str) -> None:
    assert scheme_of([tags(text)]) == KNOWN[text]


def test_spans_are_offsets_in_the_text_of_the_tokens(tmp_path: Path) -> None:
    document = only(read(put(tmp_path, SAMPLES["conll"])))
    assert document.text == "A ship ran aground in 2021\nThe café crew freed it\n"
    assert [(a.type, document.text[a.start : a.end]) for a in document.annotations] == [
        ("SHIP", "ship"),
        ("EVENT", "ran aground"),
        ("TIME", "2021"),
        ("CREW", "crew"),
        ("EVENT", "freed"),
    ]


def test_documents_of_one_file_are_numbered(tmp_path: Path) -> None:
    path = put(tmp_path, SAMPLES["conll"], CONLL + "\n" + CONLL)
    assert list(read(path)) == ["1", "2"]
    assert list(read(tmp_path)) == ["ship/1", "ship/2"]


def test_gold_and_predicted_columns_are_two_sets(tmp_path: Path) -> None:
    path = put(tmp_path, SAMPLES["conll"], "a B-X B-X\nb I-X O\n")
    document = only(read(path, "conlleval"))
    assert [(a.set, a.start, a.end) for a in document.annotations] == [
        ("gold", 0, 3),
        ("predicted", 0, 1),
    ]


def test_comments_are_no_tokens(tmp_path: Path) -> None:
    path = put(tmp_path, SAMPLES["conll"], "# sent_id = 1\n# O\nb B-X\n")
    assert only(read(path)).text == "# b\n"


MIXED = "a B-X\nb I-Y\nc O\n\nd I-X\n"


def test_a_broken_scheme_is_refused_with_every_line(tmp_path: Path) -> None:
    assert problems(put(tmp_path, SAMPLES["conll"], MIXED)) == [
        "ship.conll:2: 'I-Y' after 'B-X' does not follow IOB2 (--lenient accepts it)",
        "ship.conll:5: 'I-X' at the start of a sentence does not follow IOB2 "
        "(--lenient accepts it)",
    ]


def test_a_lenient_reading_mends_or_leaves_out_and_says_so(tmp_path: Path) -> None:
    path = put(tmp_path, SAMPLES["conll"], MIXED)
    for name, done, number in (("conll", "read as conlleval does", 3), ("iob2", "left out", 1)):
        problems = Problems(ReadingOptions(lenient=True))
        document = only(read_documents(source_of(path), problems, name))
        assert len(spans(document)) == number
        (notice,) = problems.notices
        assert f"2 tags don't follow IOB2 and are {done}, first in line 2" in str(notice)


WRONG = {
    "a\n": "1: 1 column, expected a token and 1 tag",
    "a O\nb c O\n": "2: 3 columns, there were 2 before",
    "a PER\n": "1: the tag 'PER', expected O or a letter of BIESLU and a type: B-EVENT",
    "a B-\n": "1: the tag 'B-', expected O",
}


@pytest.mark.parametrize("text", WRONG)
def test_lines_that_are_no_tokens_with_tags_are_told(tmp_path: Path, text: str) -> None:
    (message,) = problems(put(tmp_path, SAMPLES["conll"], text))
    assert message.startswith(f"ship.conll:{WRONG[text]}")
