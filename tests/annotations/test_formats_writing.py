"""What is written is read again as it was, and other tools can open it."""

import json
from pathlib import Path
from typing import Any

import pytest
from annotations.format_samples import SAMPLES, put, read
from hypothesis import given
from hypothesis import strategies as st
from vectors_home import free, real

from chronoscore.annotations.formats.writing import WRITTEN, write_documents
from chronoscore.annotations.model import Annotation, Document, Scalar
from chronoscore.errors import DataError, UsageError

words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).filter(
    lambda text: text.strip()
)
scalars: st.SearchStrategy[Scalar] = (
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
    | st.none()
)
features = st.dictionaries(words, scalars | st.lists(scalars, max_size=3).map(tuple), max_size=3)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """A document with a text, which may have line breaks and rare characters."""
    text = draw(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30))
    text = text.replace("\0", " ").replace("\ufeff", " ")  # no text begins with its own mark
    annotations = []
    for number in range(draw(st.integers(0, 4))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        name = draw(st.sampled_from([str(number), f"T{number + 1}", f"e {number}"]))
        score = draw(st.none() | st.floats(0, 1))
        group = draw(st.sampled_from(["", "Key", "my set"]))
        annotations.append(Annotation(name, draw(words), start, end, draw(features), score, group))
    return Document("a/b", tuple(annotations), text, draw(features), draw(st.just("") | words))


def same(one: Document, two: Document, form: str) -> None:
    def by_id(document: Document) -> list[Annotation]:
        return sorted(document.annotations, key=lambda a: (a.set, a.id))

    assert by_id(one) == by_id(two)
    kinds = [
        [{name: type(value) for name, value in a.features.items()} for a in by_id(document)]
        for document in (one, two)
    ]
    assert kinds[0] == kinds[1]
    assert one.text == two.text
    if form != "brat":  # which has no place for them
        assert one.features == two.features


@pytest.mark.parametrize("form", WRITTEN)
@given(document=documents())
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, form: str, document: Document
) -> None:
    folder = tmp_path_factory.mktemp("written")
    write_documents([document], folder, form)
    # A text of blanks is doubtful in a file of its own, but not here.
    found = read(folder, lenient=form == "brat")
    assert list(found) == ["a/b"]
    same(found["a/b"]["1"], document, form)


@pytest.mark.parametrize("source", [name for name in SAMPLES if name not in ("jsonl", "tsv")])
@pytest.mark.parametrize("form", WRITTEN)
def test_every_format_can_be_turned_into_those_that_are_written(
    tmp_path: Path, source: str, form: str
) -> None:
    before = read(put(tmp_path / "before", SAMPLES[source]))
    write_documents(before, tmp_path / "after", form)
    after = read(tmp_path / "after")
    assert set(after) == set(before)
    for key, named in before.items():
        same(after[key]["1"], named["1"], form)


def test_bdoc_is_as_gatenlp_has_it(tmp_path: Path) -> None:
    """Ids are whole numbers in each set, offsets count characters, sets know their next id."""
    one = Annotation("e1", "EVENT", 0, 1, {"n": 3}, 0.5, "Key")
    (file,) = write_documents([Document("d", (one,), "ab", {"k": 1})], tmp_path, "bdoc")
    assert file == tmp_path / "d.bdocjs"
    assert json.loads(file.read_text()) == {
        "annotation_sets": {
            "Key": {
                "name": "Key",
                "next_annid": 1,
                "annotations": [
                    {
                        "type": "EVENT",
                        "start": 0,
                        "end": 1,
                        "id": 0,
                        "features": {"n": 3, "_score": 0.5, "_id": "e1"},
                    }
                ],
            }
        },
        "text": "ab",
        "features": {"k": 1},
        "offset_type": "p",
        "name": "d",
    }


def test_bdoc_keeps_ids_that_only_look_like_numbers(tmp_path: Path) -> None:
    ids = ("007", "7", "8")
    marks = tuple(Annotation(id, "EVENT", at, at + 1) for at, id in enumerate(ids))
    (file,) = write_documents([Document("d", marks, "abc")], tmp_path, "bdoc")
    (written,) = json.loads(file.read_text())["annotation_sets"].values()
    assert [mark["features"].get("_id") for mark in written["annotations"]] == list(ids)


def test_brat_has_attributes_for_words_and_a_note_for_all_else(tmp_path: Path) -> None:
    one = Annotation("T1", "EVENT", 0, 2, {"tense": "past", "neg": True, "n": 3})
    text, marks = write_documents([Document("d", (one,), "ab")], tmp_path, "brat")
    assert text.read_text() == "ab"
    assert marks.read_text().splitlines() == [
        "T1\tEVENT 0 2\tab",
        "A1\ttense T1 past",
        "A2\tneg T1",
        '#1\tchronoscore T1\t{"features":{"n":3}}',
    ]


def test_brat_without_a_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="document 'd' has no text, and brat needs it"):
        write_documents([Document("d", ())], tmp_path, "brat")


@pytest.mark.parametrize("name", ["../../out", "/etc/out", "a\\..\\out", "..", "a\nb:c"])
def test_no_id_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "in"
    (file,) = write_documents([Document(name, (), "x")], folder, "bdoc")
    assert file.resolve().is_relative_to(folder.resolve())


def test_two_documents_are_never_written_to_one_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="documents 'a:b' and 'a_b' would be one file: a_b"):
        write_documents([Document("a:b", (), "x"), Document("a_b", (), "y")], tmp_path, "bdoc")
    assert not list(tmp_path.iterdir())


def test_several_golds_of_a_document_are_kept_apart(tmp_path: Path) -> None:
    golds = {"d": {"ana": Document("d", (), "x"), "ben": Document("d", (), "x")}}
    write_documents(golds, tmp_path / "all.jsonl", "jsonl")
    assert {key: list(named) for key, named in read(tmp_path / "all.jsonl").items()} == {
        "d": ["ana", "ben"]
    }
    files = write_documents(golds, tmp_path / "folder", "bdoc")
    assert [file.relative_to(tmp_path).as_posix() for file in files] == [
        "folder/d/ana.bdocjs",
        "folder/d/ben.bdocjs",
    ]


def test_a_format_that_is_not_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown format 'conll'; there are: jsonl, brat, bdoc"):
        write_documents([], tmp_path, "conll")


def corpus(data: list[dict[str, Any]]) -> list[Document]:
    """The documents of a file of vectors, each with all its sets."""
    return [
        Document(
            f"{number}/{document['name']}",
            tuple(
                Annotation(
                    str(one["id"]),
                    one["type"],
                    one["start"],
                    one["end"],
                    {k: tuple(v) if isinstance(v, list) else v for k, v in one["features"].items()},
                    set=name,
                )
                for name, items in document["sets"].items()
                for one in items
            ),
        )
        for number, vector in enumerate(data)
        for document in vector["documents"]
    ]


@pytest.mark.parametrize("form", ["jsonl", "bdoc"])
@pytest.mark.parametrize("name", ["corpora", "documents", "quirks", "lists"])
def test_our_corpora_come_back_as_they_were(tmp_path: Path, name: str, form: str) -> None:
    documents = corpus(free(f"annotations/{name}.json"))
    write_documents(documents, tmp_path, form)
    found = read(tmp_path)
    assert len(found) == len(documents)
    for document in documents:
        same(found[document.id]["1"], document, form)


@pytest.mark.parametrize("form", ["jsonl", "bdoc"])
@pytest.mark.parametrize("name", ["corp1", "corp2", "corp2_lists"])
def test_public_corpora_come_back_as_they_were(tmp_path: Path, name: str, form: str) -> None:
    documents = corpus(json.loads(real(f"annotations/{name}.json").read_text(encoding="utf-8")))
    write_documents(documents, tmp_path, form)
    found = read(tmp_path)
    for document in documents:
        same(found[document.id]["1"], document, form)
