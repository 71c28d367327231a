"""Documents with many rows: the same text and the same rows, piece by piece."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from chronoscore.core import evidence_table
from chronoscore.core import result as rows_text
from chronoscore.core.evidence import Row, Statistic
from chronoscore.core.evidence_table import EvidenceTable, LedgerRows
from chronoscore.core.result import (
    MetricInfo,
    ResultDocument,
    SystemResult,
    decode,
    encode,
    load,
    save,
    without_checksum,
)
from chronoscore.errors import DataError
from chronoscore.statistics.labels import Labels, grouped


def row(case: str, *values: float, **tags: str) -> Row:
    both = (*values, 0.5)[:2]
    return Row(case, tags, "0123456789abcdef", "fedcba9876543210", {"m": both, "n": (1, 2)})


def metric(name: str) -> MetricInfo:
    counts = tuple(Statistic(count, "real", "") for count in ("hits", "all"))
    return MetricInfo(name, name, "", ("f1",), "f1", counts, ("f1",))


SIGNATURE = "family=timelines|metrics=m;n|path=gold+topic+trial:sum|undefined=zero|version=0"


def result(*systems: list[Row]) -> ResultDocument:
    return ResultDocument(
        family="timelines",
        protocol="",
        path="gold+topic+trial:sum",
        undefined="zero",
        options={'a "rows": []': "\n"},
        metrics=(metric("m"), metric("n")),
        systems=tuple(
            SystemResult(f"s{place}", SIGNATURE, (), rows) for place, rows in enumerate(systems)
        ),
    )


PLAIN = [row(f"c{place:03}", place, place / 3, topic=f"t{place % 7}") for place in range(50)]
STEPPED = [
    msgspec.structs.replace(each, steps={"m": ((0.5, (1, 2)),)}, parts={"m": (("d", (1, 0)),)})
    for each in PLAIN
]
GAPS = [each if place % 3 else row(each.case, 1, 0.5) for place, each in enumerate(PLAIN)]
MIXED = [row(f"c{place:03}", place if place > 30 else place / 4) for place in range(50)]
LATE = [*PLAIN[:40], row("c998", 1, 0.5, gold="x", topic="t"), row("c999", 1, 0.5, gold="x")]
BACKWARDS = PLAIN[::-1]
LARGE = [row(f"c{place:03}", 2**53 + place) for place in range(50)]
KINDS = {
    "plain": PLAIN,
    "steps and parts": STEPPED,
    "tags that some lack": GAPS,
    "numbers whole and not": MIXED,
    "another tag later": LATE,
    "backwards": BACKWARDS,
    "numbers that no float is": LARGE,
    "none": [],
    "one": PLAIN[:1],
}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of a few rows."""
    monkeypatch.setattr(rows_text, "AT_ONCE", 7)
    monkeypatch.setattr(evidence_table, "AT_ONCE", 3)
    monkeypatch.setattr(rows_text, "_PIECE", 1500)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("kind", KINDS)
def test_pieces_are_the_whole_text(kind: str) -> None:
    made = result(KINDS[kind], PLAIN)
    whole = msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n"
    assert without_checksum(encode(made)) == whole


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_written_is_read_without_a_change(kind: str, tmp_path: Path) -> None:
    made = result(KINDS[kind], PLAIN)
    save(made, (), tmp_path / "r.json")
    for found in (load(tmp_path / "r.json"), decode(encode(made))):
        assert found == made
        assert encode(found) == encode(made)  # 1 and 1.0 are equal, and not the same


@pytest.mark.usefixtures("small")
def test_many_rows_become_columns() -> None:
    found = decode(encode(result(PLAIN)))
    assert isinstance(found.systems[0].rows, LedgerRows)
    assert isinstance(decode(encode(result(PLAIN[:5]))).systems[0].rows, list)


@pytest.mark.usefixtures("small")
def test_another_writing_is_read_too() -> None:
    made = result(PLAIN, STEPPED)
    turned = json.dumps(json.loads(encode(made)), sort_keys=True).encode()
    assert b"checksum" in turned
    for text in (
        msgspec.json.encode(made),
        turned,
        encode(made).replace(b'"case": ', b'"case":  '),
    ):
        assert decode(text) == made


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("kind", KINDS)
def test_a_number_that_was_changed_is_found(kind: str) -> None:
    made = result(PLAIN, KINDS[kind])
    text = encode(made)
    for old, new in ((b'"c011"', b'"c0110"'), (b'"s1"', b'"s2"'), (b"      2", b"      3")):
        assert old in text
        with pytest.raises(DataError, match="checksum is wrong"):
            decode(text.replace(old, new, 1))
        with pytest.raises(DataError, match="checksum is wrong"):
            decode(json.dumps(json.loads(text.replace(old, new, 1))).encode())
    doubts: list[str] = []
    decode(text.replace(b'"s1"', b'"s2"'), "r.json", doubts.append)
    assert [doubt.partition(": the checksum")[0] for doubt in doubts] == ["r.json"]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("case", ["c003", "c033"])
def test_a_key_that_is_there_twice_is_refused_in_any_piece(case: str) -> None:
    text = encode(result(PLAIN))
    own = f'"case": "{case}",'.encode()
    assert own in text
    with pytest.raises(DataError, match="twice"):
        decode(text.replace(own, own + b'\n     "case": "other",'))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("cut", [100, 2000, 5000, -40, -3])
def test_a_torn_document_is_told(cut: int) -> None:
    with pytest.raises(DataError):
        decode(encode(result(PLAIN))[:cut])


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("rows", [PLAIN, STEPPED, GAPS])
def test_rows_made_together_are_those_made_one_by_one(rows: list[Row]) -> None:
    kept = EvidenceTable.of(rows)
    assert [*kept.rows] == kept.rows[:] == [kept.rows[at] for at in range(len(kept))] == rows
    assert kept.rows[5:2] == []
    assert kept.rows[1:9:3] == rows[1:9:3]
    assert kept.rows[-2:] == rows[-2:]


def test_only_words_that_occur_are_kept() -> None:
    column = Labels.of(["b", None, "d", "a", "c"]).take(np.array([2, 1, 0, 2]))
    assert column.compact.names == ("b", "d")
    assert column.compact.words() == column.words() == ["d", None, "b", "d"]
    full = Labels.of(["b", "a"])
    assert full.compact is full


def test_more_words_move_no_row() -> None:
    column = Labels.of(["b", None, "d"])
    more = column.among(["a", "c", "d"])
    assert more.names == ("a", "b", "c", "d")
    assert more.words() == column.words()
    assert column.among(["b"]) is column.among(()) is column


def test_joined_tags_tell_apart_what_any_of_them_does() -> None:
    named = [("1", "b"), ("1", "a"), ("2", "a"), ("1", "b")]
    rows = [row(str(at), 1, gold=gold, topic=topic) for at, (gold, topic) in enumerate(named)]
    joined = EvidenceTable.of(rows).joined(["gold", "topic"])
    assert joined.words() == ["1\0b", "1\0a", "2\0a", "1\0b"]
    assert joined.names == ("1\0a", "1\0b", "2\0a")


def test_groups_are_the_same_for_rows_in_order_and_not() -> None:
    places = np.array([2, 0, 1, 0, 2, 2])
    found, ordered = grouped([places], 6), grouped([np.sort(places)], 6)
    assert found.order.tolist() == [1, 3, 2, 0, 4, 5]
    assert ordered.order.tolist() == [*range(6)]
    assert found.starts.tolist() == ordered.starts.tolist() == [0, 2, 3]
