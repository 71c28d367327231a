"""What a work folder and a cache keep is believed only if it is what was kept."""

import random
from pathlib import Path

import msgspec
import pytest

from chronoscore.core.errors import DataError
from chronoscore.core.reading import Reading
from chronoscore.core.result import encode
from chronoscore.core.sealing import DamagedError, check_document, seal, sealed_document, unseal
from chronoscore.demo import home
from chronoscore.engines.settings import Settings
from chronoscore.engines.stream import Inputs, Plan, stream
from chronoscore.families import family
from chronoscore.rubric.judge.cache import Entry, keep, look_up, place

FLIPS = 200


def flipped(data: bytes, bit: int) -> bytes:
    """The bytes with one bit turned."""
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    """A few events of two topics."""
    for name in ("gold", "quick"):
        lines = home().joinpath(f"{name}.jsonl").read_text().splitlines()
        (tmp_path / f"{name}.jsonl").write_text("\n".join([*lines[:3], *lines[-3:]]) + "\n")
    return Inputs(
        "timelines", tmp_path / "gold.jsonl", {"quick": [tmp_path / "quick.jsonl"]}, trials=True
    )


def run(inputs: Inputs, work: Path, *, explain: bool = False) -> tuple[bytes, list[str]]:
    told: list[str] = []
    settings = Settings.make(family("timelines"), metrics=["date-f1"])
    plan = Plan("here", chunk=1, work=work)
    made = stream(settings, inputs, Reading(), plan, tell=told.append, explain=explain)
    matches = b"".join(map(msgspec.json.encode, made.scored.matches))
    return encode(made.scored.result) + matches, told


def test_no_flipped_bit_of_a_work_folder_changes_a_result(inputs: Inputs, tmp_path: Path) -> None:
    work = tmp_path / "work"
    right, _ = run(inputs, work, explain=True)
    assert run(inputs, work, explain=True) == (right, [])
    kept = {path: path.read_bytes() for path in sorted(work.rglob("*")) if path.is_file()}
    assert len(kept) > 2
    bits = [(path, bit) for path, data in kept.items() for bit in range(8 * len(data))]
    for path, bit in random.Random(0).sample(bits, FLIPS):
        path.write_bytes(flipped(kept[path], bit))
        found, told = run(inputs, work, explain=True)
        assert found == right, (path.name, bit)
        assert len(told) == 1, (path.name, bit)
        assert "damaged" in told[0]
        assert path.read_bytes() == kept[path], "it is mended"


@pytest.mark.parametrize("spoilt", [b"", b"chronoscore-chunk-1\n", b"\x00" * 100])
def test_a_chunk_that_is_cut_or_old_is_measured_again(
    spoilt: bytes, inputs: Inputs, tmp_path: Path
) -> None:
    right, _ = run(inputs, tmp_path / "work")
    for path in (tmp_path / "work" / "chunks").iterdir():
        path.write_bytes(spoilt)
    found, (notice,) = run(inputs, tmp_path / "work")
    assert found == right
    assert "finished parts were damaged, or of an older version, and measured again" in notice


def test_matches_that_are_gone_when_they_are_read_are_an_error(
    inputs: Inputs, tmp_path: Path
) -> None:
    settings = Settings.make(family("timelines"))
    plan = Plan("here", chunk=1, work=tmp_path / "work")
    made = stream(settings, inputs, Reading(), plan, explain=True)
    path = next((tmp_path / "work" / "chunks").iterdir())
    path.write_bytes(flipped(path.read_bytes(), 999))
    with pytest.raises(DataError, match="run the command again"):
        list(made.scored.matches)


def test_no_flipped_bit_of_an_answer_changes_it(tmp_path: Path) -> None:
    entry = Entry(
        key="ab" * 32,
        endpoint="http://there",
        model="m",
        sample=1,
        turn=0,
        mode="json",
        content='{"relevance": 2}',
        tokens_in=7,
    )
    keep(tmp_path, entry)
    path = place(tmp_path, entry.key)
    data = path.read_bytes()
    assert look_up(tmp_path, entry.key) == entry
    for bit in range(0, 8 * len(data), 3):
        path.write_bytes(flipped(data, bit))
        assert look_up(tmp_path, entry.key) in (None, entry), bit


def test_an_answer_of_an_older_version_is_taken(tmp_path: Path) -> None:
    entry = Entry(
        key="cd" * 32, endpoint="", model="m", sample=1, turn=0, mode="json", content="{}"
    )
    keep(tmp_path, entry)
    place(tmp_path, entry.key).write_bytes(msgspec.json.encode(entry))
    assert look_up(tmp_path, entry.key) == entry


def test_every_flipped_bit_of_sealed_bytes_is_found() -> None:
    data = seal("chunk", b"some content\nof two lines")
    for bit in range(8 * len(data)):
        with pytest.raises(DamagedError):
            unseal("chunk", flipped(data, bit))
    with pytest.raises(DamagedError):
        unseal("index", data)


def test_a_checksum_does_not_depend_on_the_order_of_keys() -> None:
    document = sealed_document({"a": 1, "b": {"c": 2.5, "d": None}})
    turned = {"checksum": document["checksum"], "b": {"d": None, "c": 2.5}, "a": 1}
    assert check_document(turned) == {"a": 1, "b": {"c": 2.5, "d": None}}
    with pytest.raises(DamagedError):
        check_document({**turned, "a": 2})
    with pytest.raises(DamagedError):
        check_document({"a": 1})
