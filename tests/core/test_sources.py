"""Sources: the same lines and the same messages, wherever the data come from."""

import gzip
import os
import tempfile
import threading
from pathlib import Path

import numpy as np
import pytest

from chronoscore.annotations.formats.reading import read_documents
from chronoscore.core.event import numbered_events
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import (
    FileSource,
    Lines,
    PipeSource,
    SliceSource,
    Source,
    ValueSource,
    source_of,
    sources_of,
)
from chronoscore.elements.dated.reading import read_timelines
from chronoscore.errors import DataError

TEXT = "one\r\ntwo\n\nfour\rfive"
NUMBERED = [(1, "one"), (2, "two"), (3, ""), (4, "four"), (5, "five")]


def lines_of(*files: Path) -> Lines:
    """All lines of some files, as an index of them has it."""
    found: list[tuple[int, int, int, int]] = []
    for at, file in enumerate(files):
        offset = 0
        for number, line in enumerate(file.read_bytes().splitlines(keepends=True), 1):
            found.append((at, offset, len(line), number))
            offset += len(line)
    columns = np.array(found).T
    return Lines(
        files,
        tuple(map(str, files)),
        columns[0].astype(np.int32),
        columns[1].astype(np.int64),
        columns[2].astype(np.int32),
        columns[3].astype(np.int32),
        np.zeros(len(found), np.uint64),
        np.zeros(len(found), np.int32),
    )


def event(name: str, more: str = "") -> str:
    return f'{{"id": "{name}", "topic": "t", "date": "2011-01-25", "text": "x"{more}}}\n'


@pytest.fixture
def shards(tmp_path: Path) -> tuple[Path, Path]:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_text(event("a") + event("b", ', "odd": 1'))
    two.write_text(event("c", ', "odd": 1') + event("a"))
    return one, two


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_gives_numbered_lines_with_any_line_end(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / ("x.txt.gz" if packed else "x.txt")
    path.write_bytes(gzip.compress(TEXT.encode()) if packed else TEXT.encode())
    problems, source = Problems(), source_of(path)
    assert list(source.lines(problems)) == NUMBERED
    assert (source.file_name, source.suffix, source.stem) == ("x.txt", ".txt", "x")
    assert source.exact_text(problems) == TEXT
    assert source.size == len(TEXT)
    assert not problems.reported


def test_a_packed_file_is_read_without_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "temporary"
    empty.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(empty))
    path = tmp_path / "gold.jsonl.gz"
    path.write_bytes(gzip.compress(event("a").encode()))
    lines = source_of(path).lines(Problems())
    assert next(lines)[0] == 1
    assert not list(empty.iterdir())


def test_a_packed_file_that_is_gone_is_not_read_as_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl.gz"
    path.write_bytes(gzip.compress(event("a").encode()))
    source = FileSource(path)
    path.unlink()
    with pytest.raises(DataError, match=r"gold\.jsonl\.gz: can't be unpacked: No such file"):
        source.data()


def test_wide_encodings_are_read_packed_too(tmp_path: Path) -> None:
    path = tmp_path / "x.txt.gz"
    path.write_bytes(gzip.compress(TEXT.encode("utf-16")))
    assert list(source_of(path).lines(Problems())) == NUMBERED


def test_messages_about_a_slice_name_the_shard_and_line(shards: tuple[Path, Path]) -> None:
    one, two = shards
    problems = Problems()
    source = SliceSource(lines_of(one, two), "shards.jsonl")
    numbered_events(source, problems)
    assert [str(problem) for problem in problems.problems] == [
        f"{two}:2: event id 'a' is used twice, first in {one}:1"
    ]
    assert [str(notice) for notice in problems.notices] == [
        f"{one.parent}: unknown field 'odd' is ignored (2 records, first in {one}:2)"
    ]


def test_a_slice_of_one_file_speaks_as_the_file_does(shards: tuple[Path, Path]) -> None:
    path, _ = shards
    path.write_text("\n" + event("b", ', "odd": 1') + event("a") + event("a"))
    whole, sliced = Problems(), Problems()
    numbered_events(source_of(path), whole)
    lines = lines_of(path)
    numbered_events(SliceSource(lines.take(np.arange(1, len(lines))), path.name), sliced)
    assert whole.problems == sliced.problems
    assert whole.notices == sliced.notices
    assert "first in line 3" in whole.problems[0].message


@pytest.mark.parametrize("raw", [b"fine\nb\xe4d\n", b"fine\nb\0d\n", b"x\n+2AA-\n"])
def test_a_slice_refuses_the_lines_that_its_file_does(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(raw)
    options = ReadingOptions(encoding="utf-7" if b"+2AA-" in raw else "utf-8")
    whole, sliced = Problems(options), Problems(options)
    list(source_of(path).lines(whole))
    list(SliceSource(lines_of(path), "x.jsonl").lines(sliced))
    assert [p.line for p in sliced.problems] == [p.line for p in whole.problems] == [2]
    assert sliced.problems == whole.problems


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def filled(pipe: Path, text: str, format: str) -> Source:
    writer = threading.Thread(target=pipe.write_text, args=(text,))
    writer.start()
    source = source_of(pipe, format=format)
    assert isinstance(source, PipeSource)
    assert source.size == len(text)  # it is read here, and again by the reader
    writer.join()
    return source


def test_a_pipe_is_read_as_the_format_that_is_named(pipe: Path) -> None:
    problems = Problems()
    source = filled(pipe, "date,summary\n2011-01-25,It began.\n", "csv")
    (found,) = read_timelines(source, problems).values()
    assert [str(day) for one in found.values() for day in one.dates] == ["2011-01-25"]
    assert not problems.reported


def test_annotations_take_the_format_of_their_source(pipe: Path) -> None:
    problems = Problems()
    (found,) = read_documents(filled(pipe, "Ana B-PER\nsaw O\n", "conll"), problems).values()
    assert [item.type for document in found.values() for item in document.annotations] == ["PER"]


def test_a_pipe_without_a_format_is_refused(pipe: Path) -> None:
    problems = Problems()
    assert source_of(pipe).text(problems) is None
    assert "a pipe is read once only" in problems.problems[0].message


def test_a_source_is_made_of_a_path_a_value_or_itself(tmp_path: Path) -> None:
    made = sources_of({"file": tmp_path / "x.jsonl", "trials": [tmp_path, tmp_path], "value": {}})
    assert isinstance(made["file"], FileSource)
    assert [one.is_folder for one in made["trials"]] == [True, True]
    assert isinstance(made["value"], ValueSource)
    assert source_of(made["file"]) is made["file"]


def test_a_folder_lists_its_files_with_their_paths_from_it(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for name in ("b.txt", "inner/a.txt", "c.jsonl.gz"):
        (tmp_path / name).write_bytes(b"")
    folder = source_of(tmp_path)
    assert [str(inside) for inside, _ in folder.files()] == ["b.txt", "c.jsonl.gz", "inner/a.txt"]
    assert [child.packing for child in folder.children()] == ["", ".gz", ""]
