"""Whatever the bytes of an annotation file are: data, notices or problems, and nothing else."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from annotations.format_samples import SAMPLES, Sample, put
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.annotations.formats.reading import read_columns, read_documents
from chronoscore.annotations.model import Document
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of

PIECES = [
    *(b"\0", b"\r", b"\n", b"\t", b'"', b"\\", b",", b"[", b"]", b"{", b"}", b"\xff\xfe", b"\xe9"),
    *(b"NaN", b"null", b"1e999", b"-", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\x1b[2J", b"9" * 30),
    *(b"<", b"/>", b"&a;", b"<!DOCTYPE x>", b"T1\t", b" ", b"O", b"I-X", b"-DOCSTART-\n", b";"),
]


def lines(text: str) -> list[str]:
    return [line for line in re.split(r"\r\n|\r|\n", text) if line.strip()]


def brat_marks(text: str) -> int:
    triggers = set(re.findall(r"^E[^\t]+\t[^\s:]+:(\S+)", text, re.MULTILINE))
    names = [line.split("\t")[0] for line in lines(text)]
    return sum(name[0] in "TE" and name not in triggers for name in names)


THERE: Mapping[str, Callable[[str], int]] = {
    "gate-xml": lambda t: len(re.findall(r"<Annotation\s", t)),
    "bdoc": lambda t: t.count('"start"'),
    "brat": brat_marks,
    "prodigy": lambda t: sum(x.count('"start"') for x in lines(t) if '"spans"' in x),
    "tsv": lambda t: len(lines(t)) - 1,
    "jsonl": lambda t: t.count('"start"'),
}
"""How much there is to find, counted in another way than the readers do."""


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """A good file that something happened to, one to three times."""
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(data)))
        whole = data.splitlines(keepends=True) or [b""]
        line = draw(st.integers(0, len(whole) - 1))
        data = draw(
            st.sampled_from(
                [
                    data[:place],
                    b"".join([*whole[:line], whole[line], *whole[line:]]),
                    b"".join([*whole[:line], *whole[line + 1 :]]),
                    b"".join([*whole[line:], *whole[:line]]),
                ]
            )
            | (st.sampled_from(PIECES) | st.binary(max_size=8)).map(
                lambda piece, data=data, place=place: data[:place] + piece + data[place:]  # type: ignore[misc]
            )
        )
    return data


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def look(
    folder: Path, sample: Sample, raw: bytes, *, lenient: bool
) -> tuple[list[Document], Problems]:
    path = put(folder, sample, raw)
    problems = Problems(ReadingOptions(lenient=lenient))
    found = read_documents(source_of(path), problems, sample.format)
    for problem in (*problems.problems, *problems.notices):
        assert problem.path == str(path)
        assert len(str(problem).splitlines()) == 1
    documents = [document for named in found.values() for document in named.values()]
    for document in documents:
        for one in document.annotations:
            assert 0 <= one.start <= one.end
            assert document.text is None or one.end <= len(document.text)
    return documents, problems


@pytest.mark.parametrize("name", SAMPLES)
@given(data=st.data(), lenient=st.booleans())
def test_a_file_that_is_read_without_a_word_gave_all_its_annotations(
    folder: Path, name: str, data: st.DataObject, lenient: bool
) -> None:
    raw = data.draw(damaged(SAMPLES[name].text.encode()))
    found, problems = look(folder, SAMPLES[name], raw, lenient=lenient)
    if not problems.problems and not problems.notices and name in THERE:
        count = sum(len(document.annotations) for document in found)
        assert count == THERE[name](raw.decode("utf-8-sig"))


RAW = [
    *(b"", b" \n\t\r", b"\xff\xfe", b"\xff\xfe\0\0", b"\xef\xbb\xbf\n", b"\x85\xe2\x80\xa8"),
    *(b"[" * 3000, b'{"annotations":' * 3000, b'"\r\r\n"', b"<a>" * 3000, b"{}", b"[]", b"<a/>"),
    *(b'{"annotation_sets":{"":{"annotations":[]}}}', b'{"annotation_sets":3}', b'{"text":3}'),
]


@pytest.mark.parametrize("name", SAMPLES)
@given(
    raw=st.sampled_from(RAW) | st.binary(max_size=200) | st.text(max_size=100).map(str.encode),
    lenient=st.booleans(),
)
def test_a_file_without_a_document_is_reported(
    folder: Path, name: str, raw: bytes, lenient: bool
) -> None:
    found, problems = look(folder, SAMPLES[name], raw, lenient=lenient)
    assert found or problems.problems or problems.notices


@given(data=st.data())
def test_columns_say_the_same_as_documents(folder: Path, data: st.DataObject) -> None:
    path = put(folder, SAMPLES["jsonl"], data.draw(damaged(SAMPLES["jsonl"].text.encode())))
    one, two = Problems(), Problems()
    found = read_documents(source_of(path), one)
    columns = read_columns(source_of(path), two)
    assert (one.problems, one.notices) == (two.problems, two.notices)
    documents = [document for named in found.values() for document in named.values()]
    assert columns.documents == tuple(document.id for document in documents)
    assert [columns.annotation(place) for place in range(len(columns))] == [
        one for document in documents for one in document.annotations
    ]
