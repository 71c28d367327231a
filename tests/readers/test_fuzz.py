"""Whatever the bytes are: a reader ends in data, notices or problems, and in nothing else.

A file that was read without a word must have given all that stands in it. How much that is, is
counted here in another way than the readers do.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from readers.command_line import BAD_DATA, FINE, run
from readers.samples import (
    CLUSTERS,
    CONLL,
    DASHES,
    DOCUMENTS,
    EVENTS,
    JSON,
    NEWS,
    SHEET,
    TAB,
    TILSE,
)

from chronoscore.annotations.formats.reading import read_documents
from chronoscore.core.event import read_events
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.result import load
from chronoscore.core.sources import source_of
from chronoscore.elements.dated.reading import read_timelines
from chronoscore.errors import ChronoscoreError
from chronoscore.ordering.coreference.formats import read_clusterings
from chronoscore.ordering.formats import read_orders
from chronoscore.rubric import event_quality
from chronoscore.rubric.formats import read_judgements


@dataclass(frozen=True)
class Reader:
    """A reader: the good file to start from, how much it finds, how much there is to find."""

    file: str
    text: str
    found: Callable[[Path, Problems], int]
    there: Callable[[str], int]


def sentences(path: Path, problems: Problems) -> int:
    read = read_timelines(source_of(path), problems)
    timelines = [timeline for named in read.values() for timeline in named.values()]
    return sum(len(texts) for timeline in timelines for _, texts in timeline.days)


def days(path: Path, problems: Problems) -> int:
    read = read_timelines(source_of(path), problems)
    return sum(len(timeline.days) for named in read.values() for timeline in named.values())


def rows(path: Path, problems: Problems) -> int:
    read = read_orders(source_of(path), problems)
    return sum(len(timeline.rows) for named in read.values() for timeline in named.values())


def mentions(path: Path, problems: Problems) -> int:
    read = read_clusterings(source_of(path), problems)
    found = [clustering for named in read.values() for clustering in named.values()]
    return sum(len(cluster) for clustering in found for cluster in clustering.clusters)


def annotations(path: Path, problems: Problems) -> int:
    read = read_documents(source_of(path), problems)
    return sum(len(found.annotations) for named in read.values() for found in named.values())


def judgements(path: Path, problems: Problems) -> int:
    return len(read_judgements([source_of(path)], event_quality(), problems))


def lines(text: str) -> int:
    return sum(bool(line.strip()) for line in re.split(r"\r\n|\r|\n", text))


TEXT = re.compile(r'"(?:[^"\\]|\\.)*"(\s*:)?')  # with the colon if it is a key
SPAN = re.compile(r"\[\s*-?\d")


def mentions_there(text: str) -> int:
    names = TEXT.findall(text).count("") - text.count('"id"')
    return names + len(SPAN.findall(TEXT.sub("", text)))


READERS = {
    "events": Reader("x.jsonl", EVENTS, lambda p, r: len(read_events(source_of(p), r)), lines),
    "events as timelines": Reader("x.jsonl", EVENTS, sentences, lines),
    "events as an order": Reader("x.jsonl", EVENTS, rows, lines),
    "events as annotations": Reader("x.jsonl", EVENTS, annotations, lines),
    "tilse text": Reader("x.txt", TILSE, days, lambda t: t.count(DASHES)),
    "JSON timeline": Reader("x.json", JSON, sentences, lambda t: TEXT.findall(t).count("")),
    "news-tls lines": Reader("x.jsonl", NEWS, days, lambda t: t.count('",[')),
    "tab file": Reader("x.txt", TAB, rows, lambda t: lines(re.split(r"[\r\n]", t, maxsplit=1)[1])),
    "CoNLL": Reader("x.conll", CONLL, mentions, lambda t: len(re.findall(r"\(\d", t))),
    "JSON clusters": Reader("x.jsonl", CLUSTERS, mentions, mentions_there),
    "events as clusters": Reader("x.jsonl", EVENTS, mentions, lines),
    "documents": Reader("x.jsonl", DOCUMENTS, annotations, lambda t: t.count('"start"')),
    "sheet": Reader("x.csv", SHEET, judgements, lambda t: lines(t) - 1),
}
every_reader = pytest.mark.parametrize("reader", READERS)


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """A good file that something happened to, one to three times."""
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, max(0, len(data) - 1)))
        whole = data.splitlines(keepends=True) or [b""]
        line = draw(st.integers(0, len(whole) - 1))
        happened = draw(st.sampled_from(["cut", "flip", "insert", "double", "drop", "move"]))
        if happened == "cut":
            data = data[:place]
        elif happened == "flip":
            data = data[:place] + draw(st.binary(min_size=1, max_size=1)) + data[place + 1 :]
        elif happened == "insert":
            piece = draw(st.sampled_from(PIECES) | st.binary(max_size=8))
            data = data[:place] + piece + data[place:]
        elif happened == "double":
            data = b"".join([*whole[:line], whole[line], *whole[line:]])
        elif happened == "drop":
            data = b"".join([*whole[:line], *whole[line + 1 :]])
        else:
            data = b"".join([*whole[line:], *whole[:line]])
    return data


PIECES = [
    *(b"\0", b"\r", b"\n", b"\t", b'"', b"\\", b",", b"[", b"]", b"{", b"}", b"\xff\xfe", b"\xe9"),
    *(b"NaN", b"null", b"1e999", b"-", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\x1b[2J", b"9" * 30),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def look(
    folder: Path, reader: Reader, data: bytes, *, lenient: bool = False
) -> tuple[int, Problems]:
    path = folder / reader.file
    path.write_bytes(data)
    problems = Problems(ReadingOptions(lenient=lenient))
    found = reader.found(path, problems)  # raises nothing: problems are noted
    for problem in (*problems.problems, *problems.notices):
        assert problem.path == str(path)
        assert len(str(problem).splitlines()) == 1
    return found, problems


@every_reader
@given(data=st.data())
def test_a_file_that_is_read_without_a_word_gave_all_that_is_in_it(
    folder: Path, reader: str, data: st.DataObject
) -> None:
    it = READERS[reader]
    raw = data.draw(damaged(it.text.encode()))
    found, problems = look(folder, it, raw)
    if not problems.problems and not problems.notices:
        there = it.there(raw.decode("utf-8-sig"))
        assert found == there or (reader == "sheet" and 0 < found <= there)


RAW = [
    *(b"", b" \n\t\r", b"\xff\xfe", b"\xff\xfe\0\0", b"\xef\xbb\xbf\n", b"\x85\xe2\x80\xa8"),
    *(b"[" * 3000, b'{"annotations":' * 3000, b'"\r\r\n"'),
]


@every_reader
@given(
    raw=st.sampled_from(RAW) | st.binary(max_size=200) | st.text(max_size=100).map(str.encode),
    lenient=st.booleans(),
)
def test_a_file_that_gives_nothing_is_reported(
    folder: Path, reader: str, raw: bytes, lenient: bool
) -> None:
    found, problems = look(folder, READERS[reader], raw, lenient=lenient)
    assert found or problems.problems or problems.notices


ENCODINGS = ["latin-1", "cp1252", "utf-16", "utf-32-be", "utf-7", "shift_jis", "gb18030", "cp037"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(raw=st.binary(min_size=1, max_size=60), lenient=st.booleans())
@example(raw=b"+2AA-", lenient=True)
def test_any_encoding_gives_text_that_can_be_written_again(
    folder: Path, encoding: str, raw: bytes, lenient: bool
) -> None:
    path = folder / "x.txt"
    path.write_bytes(raw)
    problems = Problems(ReadingOptions(encoding=encoding, lenient=lenient))
    numbers = []
    for number, line in source_of(path).lines(problems):
        numbers.append(number)
        assert line.encode().decode() == line
        assert not {"\n", "\r", "\0"} & set(line)
    assert numbers == sorted(set(numbers))
    assert numbers or problems.problems or problems.notices  # a lone byte order mark is told so


SCORED = {
    "timelines": "events",
    "ordering": "tab file",
    "coreference": "CoNLL",
    "annotations": "documents",
}


@pytest.mark.parametrize("verb", SCORED)
@given(data=st.data())
def test_what_the_command_saves_of_a_damaged_file_is_shown_again_and_a_refusal_saves_nothing(
    folder: Path, verb: str, data: st.DataObject
) -> None:
    it = READERS[SCORED[verb]]
    gold, predicted = folder / "gold" / it.file, folder / "predicted" / it.file
    for path in (gold, predicted):
        path.parent.mkdir(exist_ok=True)
    gold.write_text(it.text, encoding="utf-8")
    predicted.write_bytes(data.draw(damaged(it.text.encode())))
    saved = folder / "saved.json"
    saved.unlink(missing_ok=True)
    ran = run(verb, gold, predicted, "--format", "json", "--save", saved)
    if ran.code == FINE:
        assert run("show", saved, "--format", "json").out == ran.out
        assert not ran.problems
    else:
        assert (ran.code, ran.out, saved.exists()) == (BAD_DATA, "", False)
        assert ran.problems
        # A text that differs is a problem of both sides, and named by its document.
        sides = (str(predicted), f"{predicted.stem}: document 'a1' has another text than the gold")
        assert all(problem.startswith(sides) for problem in ran.problems), ran.err


@given(data=st.data())
def test_a_damaged_result_that_is_read_is_the_one_that_was_saved(
    folder: Path, data: st.DataObject
) -> None:
    good, path = folder / "good.json", folder / "result.json"
    if not good.exists():
        (folder / "events.jsonl").write_text(EVENTS, encoding="utf-8")
        events = folder / "events.jsonl"
        assert run("timelines", events, events, "--save", good).code == FINE
    path.write_bytes(data.draw(damaged(good.read_bytes())))
    try:
        result = load(path)
    except ChronoscoreError as error:
        refused = str(error)
        assert refused.startswith(f"{path}:")
    else:
        assert result == load(good)
