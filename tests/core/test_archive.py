"""Results as archives: the same document as in JSON, and a clear error for any damage."""

import json
import struct
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import msgspec
import numpy as np
import pytest
from core.test_rows_text import KINDS, PLAIN, metric, result, row
from hypothesis import given
from hypothesis import strategies as st

import chronoscore
from chronoscore.core import result as results
from chronoscore.core.evidence import Row
from chronoscore.core.evidence_table import EvidenceTable, LedgerRows
from chronoscore.core.records import format_of
from chronoscore.core.result import (
    ResultDocument,
    decode,
    encode,
    is_archived,
    load,
    save,
)
from chronoscore.core.writing import sealed_document
from chronoscore.demo import home
from chronoscore.errors import DataError

HEAD = "chronoscore-result.json"
WORDS = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]) | st.sampled_from("aä東\n/"),
    max_size=6,
)
COUNTS = st.integers(0, 2**50)
REALS = st.floats(allow_nan=False, allow_infinity=False)
STEPS = st.lists(st.tuples(REALS, st.tuples(COUNTS, COUNTS)), max_size=3).map(tuple)


def encode_archive(made: ResultDocument) -> bytes:
    file = BytesIO()
    results._write_archive(made, file)
    return file.getvalue()


@st.composite
def rows_of(draw: st.DrawFn) -> list[Row]:
    """Rows as a run makes them: in the order of their cases, some without a tag or steps."""
    numbers = draw(st.sampled_from([COUNTS, REALS]))
    tags = draw(st.lists(WORDS, unique=True, max_size=3))
    has_parts = draw(st.booleans())
    rows = []
    for case in sorted(draw(st.sets(WORDS, max_size=6))):
        values = {tag: draw(st.none() | WORDS) for tag in tags}
        steps, pair = draw(STEPS), st.tuples(numbers, numbers)
        parts = draw(st.lists(st.tuples(WORDS, pair), max_size=3).map(tuple))
        rows.append(
            Row(
                case,
                {tag: value for tag, value in values.items() if value is not None},
                draw(st.sampled_from(["0123456789abcdef", "short", ""])),
                "fedcba9876543210",
                {"m": draw(st.tuples(COUNTS, REALS)), "n": draw(st.tuples(REALS, COUNTS))},
                {"m": steps} if steps else {},
                {"n": parts} if has_parts else {},
            )
        )
    return rows


@given(one=rows_of(), two=rows_of())
def test_an_archive_is_the_document_to_the_last_byte(one: list[Row], two: list[Row]) -> None:
    made = result(one, two)
    text, archive = encode(made), encode_archive(made)
    found = decode(archive)
    assert encode(found) == text
    assert encode_archive(found) == archive == encode_archive(decode(text))


@pytest.mark.parametrize("family", ["timelines", "ordering", "annotations", "rubric"])
def test_an_archive_keeps_what_every_family_counts(family: str) -> None:
    if family == "rubric":
        made = chronoscore.score("rubric", None, home() / "judgements.csv").document
    else:
        metrics, by = (
            (["spans", "spans-curve"], "type") if family == "annotations" else ([], "gold")
        )
        files = {name: home() / f"{name}.jsonl" for name in ("quick", "careful")}
        made = chronoscore.score(
            family, home() / "gold.jsonl", files, metrics=metrics, by=[by]
        ).document
    assert any(row.steps for row in made.systems[0].rows) == (family == "annotations")
    found = decode(encode_archive(made))
    assert found == made
    assert encode(found) == encode(made)
    assert encode_archive(decode(encode(made))) == encode_archive(made)


CHANGED = ("numbers whole and not", "backwards", "numbers that no float is")


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_columns_would_change_are_refused(kind: str) -> None:
    made = result(PLAIN, KINDS[kind])
    if kind in CHANGED:
        with pytest.raises(DataError, match=r"'s1' can't be kept as columns.*\.json"):
            encode_archive(made)
    else:
        assert encode(decode(encode_archive(made))) == encode(made)


def test_rows_of_an_archive_are_columns() -> None:
    (system,) = decode(encode_archive(result(PLAIN))).systems
    assert isinstance(system.rows, LedgerRows)


def test_numpy_reads_every_column() -> None:
    with ZipFile(BytesIO(encode_archive(result(KINDS["steps and parts"])))) as archive:
        for name in archive.namelist()[1:]:
            np.load(BytesIO(archive.read(name)), allow_pickle=False)
        assert np.load(BytesIO(archive.read("0/statistics/0.npy"))).shape == (50, 2)


@pytest.mark.parametrize(
    ("name", "rows", "archived"),
    [
        ("r.json", 9, False),
        ("r.JSON", 9, False),
        ("r.chronoscore", 0, True),
        ("r", 4, False),
        ("r", 5, True),
        ("r.result", 5, True),
    ],
)
def test_the_ending_or_else_the_number_of_rows_decides(
    name: str, rows: int, archived: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "ARCHIVED_ROWS", 5)
    made, path = result(PLAIN[:rows]), tmp_path / name
    save(made, (), path)
    assert is_archived(made, path) == archived
    assert path.read_bytes().startswith(b"PK" if archived else b"{")
    assert load(path) == made
    assert format_of(path) == "chronoscore-result"


def test_a_stream_is_json(capfd: pytest.CaptureFixture[str]) -> None:
    save(result(PLAIN[:2]), (), Path("/dev/stdout"))
    assert capfd.readouterr().out.startswith("{")


# Damage


Entries = dict[str, bytes]


def unpacked(data: bytes) -> Entries:
    with ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(entries: Entries, compression: int = ZIP_STORED) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w", compression) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return file.getvalue()


def sealed(entries: Entries) -> Entries:
    """The entries with the right checksums, so that only their content is wrong."""
    head = json.loads(entries[HEAD])
    digests = {name: sha256(data).hexdigest() for name, data in entries.items() if name != HEAD}
    head["archive"]["entries"] = digests
    return {**entries, HEAD: json.dumps(sealed_document(head)).encode()}


def npy(array: np.ndarray) -> bytes:
    file = BytesIO()
    np.save(file, array, allow_pickle=array.dtype.hasobject)
    return file.getvalue()


STEPPED = [
    msgspec.structs.replace(
        each, steps={"m": ((0.5, (1, 2)),)}, parts={"m": (("d", (1, 0)), ("e", (1, 1)))}
    )
    for each in PLAIN[:5]
]
GOOD = encode_archive(result(STEPPED))
ENTRIES = unpacked(GOOD)
NAMES = [*ENTRIES]


def refusal(data: bytes) -> str:
    with pytest.raises(DataError) as caught:
        decode(data, "r.chronoscore")
    assert all(problem.path == "r.chronoscore" for problem in caught.value.problems)
    return str(caught.value)


def test_a_good_archive_may_be_packed_by_another_program() -> None:
    assert decode(packed(sealed(ENTRIES))) == decode(GOOD)


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_changed_byte_names_its_entry(name: str) -> None:
    data = ENTRIES[name]
    changed = data[:-1] + bytes([data[-1] ^ 1])
    assert f"entry '{name}' is damaged: its SHA-256" in refusal(packed({**ENTRIES, name: changed}))
    place = GOOD.index(data) + len(data) - 1
    assert f"entry '{name}' is damaged" in refusal(GOOD[:place] + b"\xff" + GOOD[place + 1 :])


def test_a_changed_head_is_refused() -> None:
    head = ENTRIES[HEAD].replace(b'"s0"', b'"s9"')
    assert f"entry '{HEAD}' is damaged" in refusal(packed({**ENTRIES, HEAD: head}))


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_entry_is_named(name: str) -> None:
    entries = {other: data for other, data in ENTRIES.items() if other != name}
    assert f"'{name}'" in refusal(packed(entries)) or name == HEAD


def test_other_entries_than_those_of_a_result_are_refused() -> None:
    assert "'../x.npy' does not belong" in refusal(packed({**ENTRIES, "../x.npy": b""}))
    first, second = NAMES[1:3]
    swapped = {HEAD: ENTRIES[HEAD], second: ENTRIES[second], **ENTRIES}
    assert f"'{second}' is in the place of '{first}'" in refusal(packed(swapped))
    file = BytesIO(GOOD)
    with ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr(first, ENTRIES[first])
    assert f"'{first}' is there twice" in refusal(file.getvalue())


def test_a_packed_or_overlapping_entry_is_refused() -> None:
    bomb = sealed({**ENTRIES, "0/gold.npy": bytes(10**7)})
    assert "is compressed" in refusal(packed(bomb, ZIP_DEFLATED))
    # Every entry of the directory leads to the same bytes and claims all of them.
    size = struct.pack("<I", len(GOOD) - 400)
    record = bytearray(GOOD)
    start = GOOD.index(b"PK\x01\x02")
    while (start := record.find(b"PK\x01\x02", start)) >= 0:
        record[start + 20 : start + 28] = size * 2
        start += 46
    assert "larger than the archive" in refusal(bytes(record))


LONG = np.arange(5)
WRONG: dict[str, tuple[str, bytes, str]] = {
    "an object": ("0/gold.npy", npy(np.array([{}] * 5, object)), "is no .npy file of a column"),
    "no array": ("0/gold.npy", b"x", "is no .npy file of a column"),
    "a type": ("0/gold.npy", npy(np.zeros(5)), "holds '<f8', expected '|S'"),
    "an order": ("0/tags/0.at.npy", npy(np.zeros(5, ">i4")), "is no .npy file of a column"),
    "a length": ("0/gold.npy", npy(np.array([b"a"] * 4)), r"has the shape (4,), expected (5)"),
    "a shape": (
        "0/statistics/0.npy",
        npy(np.zeros((5, 3))),
        "has the shape (5, 3), expected (5, 2)",
    ),
    "a line": ("0/statistics/0.npy", npy(np.zeros(10)), "has the shape (10,), expected (5, 2)"),
    "a cut": ("0/statistics/0.npy", npy(np.zeros((5, 2)))[:-8], "72 bytes of numbers, expected 80"),
    "a claim": (
        "0/statistics/0.npy",
        npy(np.zeros((5, 2))).replace(b"(5, 2)", b"(5, 2)")[:-80],
        "0 bytes of numbers, expected 80",
    ),
    "a fraction": ("0/statistics/1.npy", npy(np.full((5, 2), 0.5)), "should be whole"),
    "no number": ("0/statistics/1.npy", npy(np.full((5, 2), np.nan)), "should be whole"),
    "a giant": ("0/statistics/1.npy", npy(np.full((5, 2), 1e300)), "should be whole"),
    "a text": ("0/cases.text.npy", npy(np.full(20, 255, np.uint8)), "is not UTF-8 at byte 1"),
    "a nul": ("0/cases.text.npy", npy(np.zeros(20, np.uint8)), "contains the character NUL"),
    "ends": ("0/cases.ends.npy", npy(LONG), "has ends that are not those of the text"),
    "no ends": ("0/cases.ends.npy", npy(LONG[:0]), "has ends that are not those of the text"),
    "falling ends": (
        "0/cases.ends.npy",
        npy(np.array([8, 4, 12, 16, 20])),
        "has ends that are not those of the text",
    ),
    "an id twice": (
        "0/cases.text.npy",
        npy(np.frombuffer(b"c000" * 5, np.uint8)),
        "has cases that are not in ascending order",
    ),
    "an index": ("0/tags/0.at.npy", npy(np.full(5, 99, np.int32)), "none of 5 names"),
    "a digest": ("0/gold.npy", npy(np.array([b"\xff"] * 5)), "is not plain ASCII"),
    "a gap": ("0/gold.npy", npy(np.array([b"a\0b"] * 5)), "is not plain ASCII"),
    "a case": ("0/steps/0.case.npy", npy(LONG + 1), "has cases that are not in their order"),
    "an order of cases": ("0/steps/0.case.npy", npy(LONG[::-1].copy()), "not in their order"),
    "a threshold": ("0/steps/0.threshold.npy", npy(np.full(5, np.inf)), "that is no number"),
    "a part": ("0/parts/0.at.npy", npy(np.full(10, -1, np.int32)), "has a part without a name"),
    "a change": ("0/steps/0.change.npy", npy(np.zeros((4, 2))), "has the shape (4, 2)"),
    "a wide change": ("0/steps/0.change.npy", npy(np.zeros((5, 3))), "has 3 statistics"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_column_that_can_not_be_is_refused(what: str) -> None:
    name, data, message = WRONG[what]
    shown = refusal(packed(sealed({**ENTRIES, name: data})))
    assert message in shown
    if "statistics" not in message:
        assert name.split(".")[0] in shown


def edited(edit: Callable[[dict[str, object]], object]) -> bytes:
    head = json.loads(ENTRIES[HEAD])
    edit(head["archive"])
    return packed({**ENTRIES, HEAD: json.dumps(sealed_document(head)).encode()})


def test_a_head_that_does_not_fit_its_columns_is_refused() -> None:
    assert "update chronoscore" in refusal(edited(lambda index: index.update(version=2)))
    assert "columns of 0 systems, not 1" in refusal(edited(lambda index: index.update(systems=[])))
    assert "archive.entries" in refusal(edited(lambda index: index.update(entries=3)))
    assert "checksums of other entries" in refusal(edited(lambda index: index.update(entries={})))
    twice = {"tags": ["topic", "topic"], "statistics": {}, "steps": [], "parts": []}
    assert "does not belong" in refusal(edited(lambda index: index.update(systems=[twice])))
    with pytest.raises(DataError, match="only the head of an archive"):
        decode(ENTRIES[HEAD])


@pytest.mark.parametrize("cut", [*accumulate([150] * 12), -1, -30])
def test_a_cut_archive_is_refused(cut: int) -> None:
    assert refusal(GOOD[:cut])


@pytest.mark.parametrize(
    ("entries", "compression"),
    [({}, ZIP_STORED), ({"x.txt": b"x"}, ZIP_STORED), ({"word/document.xml": b"x"}, ZIP_DEFLATED)],
)
def test_a_zip_of_another_program_is_no_result(
    tmp_path: Path, entries: Entries, compression: int
) -> None:
    path = tmp_path / "other.chronoscore"
    path.write_bytes(packed(entries, compression))
    with pytest.raises(DataError, match="this zip file is no saved result"):
        load(path)


@pytest.mark.parametrize("cut", [4, 40, len(GOOD) // 2])
def test_a_cut_archive_may_be_cut_anywhere(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut.chronoscore"
    path.write_bytes(GOOD[:cut])
    with pytest.raises(DataError, match="it may be cut"):
        load(path)


def test_the_metrics_of_columns_must_be_those_of_the_document() -> None:
    made = result(PLAIN)
    other = msgspec.structs.replace(made, metrics=(metric("m"), metric("o")))
    assert "unknown 'n'" in refusal(encode_archive(other))


def test_an_empty_table_and_missing_tags_are_kept() -> None:
    rows = [row("a", 1.0, 2.0, topic="t"), row("b", 1.0, 2.0, gold="g", topic="t")]
    for made in (
        result([]),
        result(rows),
        ResultDocument(
            family="timelines",
            protocol="",
            path="",
            undefined="zero",
            options={},
            metrics=(),
            systems=(),
        ),
    ):
        assert encode(decode(encode_archive(made))) == encode(made)
    assert [*EvidenceTable.of(rows).tags] == ["gold", "topic"]
