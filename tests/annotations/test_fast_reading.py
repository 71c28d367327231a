"""The fast reader of JSON lines returns what the careful one does, and leaves problems to it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.annotations.columns import Columns, document_digest
from chronoscore.annotations.formats import json as format_json
from chronoscore.annotations.formats.json import read_carefully, read_jsonl
from chronoscore.annotations.model import Document
from chronoscore.core.case import digest
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of

WORDS = st.sampled_from(["T", "EVENT", "a:b", '"x": 1', "é", "1", "x\\u0000"])
SCALARS = st.sampled_from([1, 1.0, True, None, "1", -0.0, 0.0, 2**62])
PLAIN_SPANS = st.fixed_dictionaries(
    {"type": WORDS, "start": st.integers(0, 3), "end": st.integers(3, 6)},
    optional={
        "features": st.dictionaries(WORDS, SCALARS | st.lists(SCALARS, max_size=2), max_size=3),
        "score": st.sampled_from([0.5, 1, -0.0, None]),
        "set": st.sampled_from(["", "Key"]),
    },
)
ODD_SPANS = st.fixed_dictionaries(
    {"type": st.sampled_from(["T", "", " ", 3]), "start": st.sampled_from([0, -1, 7, "0", 0.0])},
    optional={
        "end": st.sampled_from([1, 2, 10**12, 10**13, 10**30]),
        "id": st.sampled_from(["1", 1, 2, None, "", 2**63, True]),
        "features": st.sampled_from([{"n": 10**25}, {"n": [2**63]}, {"n": {"m": 1}}, [], None]),
        "score": st.sampled_from([10**25, 1e300, "1", None]),
        "set": st.sampled_from(["", "Key", None]),
        "unknown": st.just(1),
    },
)


def documents(spans: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {"id": st.sampled_from(["d", "e", "f"]), "annotations": st.lists(spans, max_size=4)},
        optional={
            "text": st.sampled_from([None, "six on", 'a "b": c', "ab"]),
            "features": st.dictionaries(WORDS, SCALARS, max_size=2),
            "stored": st.sampled_from(["", "s"]),
            "timeline": st.sampled_from(["", "ana", "ben"]),
        },
    )


def written(records: list[Any], separators: tuple[str, str]) -> str:
    return "\n".join(json.dumps(record, separators=separators) for record in records)


SEPARATORS = st.sampled_from([(", ", ": "), (",", ":"), (", ", " : ")])
FILES = st.builds(written, st.lists(documents(PLAIN_SPANS), max_size=3), SEPARATORS)
ODD_FILES = st.builds(written, st.lists(documents(ODD_SPANS | PLAIN_SPANS), max_size=3), SEPARATORS)
DAMAGE = st.sampled_from(
    [
        *(("\n", "\r\n"), ("\n", "\r"), ("\n", "\n \n\f\n"), ("\n", "\n\x1c\n"), ("}\n", "}")),
        *(('"type"', '"type":"T","type"'), ('"id"', '"author":"x","id"'), ("{", "\ufeff{")),
        *(('"start"', '"start":1,"start"'), ("1", "1" * 25), ("T", "\\u0000"), ("T", "\\ud800")),
        *(("[", "[["), ("}", ""), ('"e"', '"d"'), ("T", "\0"), (" ", "\t"), ("", "")),
    ]
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fast") / "x.jsonl"


def both(path: Path, options: ReadingOptions | None = None) -> Iterator[tuple[Any, Problems]]:
    for reader in (lambda *arguments: read_jsonl(arguments[0], "", arguments[1]), read_carefully):
        problems = Problems(options)
        yield [*reader(source_of(path), problems)], problems


def check(path: Path, options: ReadingOptions | None = None) -> None:
    (fast, found), (careful, wanted) = both(path, options)
    assert found.findings == wanted.findings
    assert fast == careful
    assert repr(fast) == repr(careful)  # -0.0, 1 and True, the order of features
    assert [document_digest(d) for _, d in fast] == [digest(d) for _, d in careful]
    ours, theirs = (Columns.of([document for _, document in side]) for side in (fast, careful))
    assert (ours.documents, ours.labels, ours.ids) == (theirs.documents, theirs.labels, theirs.ids)
    for name in ("document", "start", "end", "label", "score"):
        assert repr(getattr(ours, name).tolist()) == repr(getattr(theirs, name).tolist())


@given(text=FILES | ODD_FILES, damage=DAMAGE, encoding=st.sampled_from(["utf-8", "latin-1"]))
def test_both_readers_return_and_report_the_same(
    path: Path, text: str, damage: tuple[str, str], encoding: str
) -> None:
    path.write_bytes(text.replace(*damage).encode())
    check(path, ReadingOptions(encoding=encoding))


@given(text=FILES, most=st.integers(1, 200))
def test_both_readers_refuse_the_same_long_lines(path: Path, text: str, most: int) -> None:
    path.write_text(text, encoding="utf-8")
    check(path, ReadingOptions(max_line=most))


@given(text=FILES)
def test_a_file_that_is_cut_into_blocks_is_read_the_same(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(format_json, "_BLOCK", 1)
        check(path)


def test_bytes_that_are_not_utf_8_are_left_to_the_careful_reader(path: Path) -> None:
    path.write_bytes(b'{"id":"d","stored":"\xff","annotations":[]}\n')
    check(path)


def test_keys_that_are_there_twice_are_found_whether_or_not_annotations_have_ids(
    path: Path,
) -> None:
    for name in ("", '"id":"x",'):
        twice = f'{{{name}"type":"T","type":"T","start":0,"start":0,"end":1}}'
        path.write_text(f'{{"id":"d","annotations":[{twice}]}}\n', encoding="utf-8")
        check(path)
        problems = Problems()
        read_jsonl(source_of(path), "", problems)
        assert len(problems.problems) == 1


def test_plain_files_are_read_fast(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text(
        '{"id": "d", "annotations": [{"type": "T", "start": 0, "end": 1}]}\r\n\r\n'
        '{"id": "e", "text": "ab: c", "features": {}, "annotations": [{"id": 3, "type": "T", '
        '"start": 0, "end": 1, "score": null, "features": {"n": [1]}}]}\n',
        encoding="utf-8",
    )
    monkeypatch.setattr(format_json, "read_carefully", None)
    (_, first), (_, second) = read_jsonl(source_of(path), "", Problems())
    assert [a.id for document in (first, second) for a in document.annotations] == ["1", "3"]


def test_a_document_that_was_changed_has_another_digest(path: Path) -> None:
    path.write_text('{"id": "d", "annotations": [{"type": "T", "start": 0, "end": 1}]}')
    ((_, read),) = read_jsonl(source_of(path), "", Problems())
    moved = Document("e", read.annotations)
    assert document_digest(moved) == digest(Document("e", tuple(read.annotations)))
    assert document_digest(moved) != document_digest(read)
