"""What a work folder and a cache keep is believed only if it is what was kept."""

import random
from pathlib import Path

import msgspec
import pytest
from engines.runs import inputs_of

from chronoscore.core.problems import Problems
from chronoscore.core.result import encode
from chronoscore.core.writing import DamagedError, check_document, seal, sealed_document, unseal
from chronoscore.demo import home
from chronoscore.engines.plan import Inputs, Plan
from chronoscore.engines.scoring import score_sources
from chronoscore.engines.settings import Settings
from chronoscore.errors import DataError
from chronoscore.families import family
from chronoscore.rubric.judge.asking import CachedAnswer, cache_path, keep, look_up

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
    return inputs_of(tmp_path / "gold.jsonl", {"quick": tmp_path / "quick.jsonl"})


def run(inputs: Inputs, work: Path, *, explain: bool = False) -> tuple[bytes, list[str]]:
    told: list[str] = []
    settings = Settings.make(family("timelines"), metrics=["date-f1"], options={"extra": "skip"})
    plan = Plan("here", chunk=1, work=work)
    made = score_sources(settings, inputs, Problems(), plan, notify=told.append, explain=explain)
    matches = b"".join(map(msgspec.json.encode, made.matches))
    return encode(made.result) + matches, told


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


def test_a_chunk_that_was_refused_is_measured_again(
    inputs: Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says how to allow more memory, so that must help in the same work folder."""
    settings = Settings.make(family("timelines"), options={"extra": "skip"})
    wanted = score_sources(settings, inputs, Problems()).result
    for most_bad in (None, 0):
        plan = Plan("here", chunk=1, work=tmp_path / f"work-{most_bad}", most_bad=most_bad)
        with monkeypatch.context() as patch:
            patch.setenv("CHRONOSCORE_MAX_MEMORY", "1")
            with pytest.raises(DataError, match="CHRONOSCORE_MAX_MEMORY"):
                score_sources(settings, inputs, Problems(), plan)
        made = score_sources(settings, inputs, Problems(), plan).result
        assert made.systems == wanted.systems


def test_matches_that_are_gone_when_they_are_read_are_an_error(
    inputs: Inputs, tmp_path: Path
) -> None:
    settings = Settings.make(family("timelines"), options={"extra": "skip"})
    plan = Plan("here", chunk=1, work=tmp_path / "work")
    made = score_sources(settings, inputs, Problems(), plan, explain=True)
    path = next((tmp_path / "work" / "chunks").iterdir())
    path.write_bytes(flipped(path.read_bytes(), 999))
    with pytest.raises(DataError, match="run the command again"):
        list(made.matches)


def test_no_flipped_bit_of_an_answer_changes_it(tmp_path: Path) -> None:
    entry = CachedAnswer(
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
    path = cache_path(tmp_path, entry.key)
    data = path.read_bytes()
    assert look_up(tmp_path, entry.key) == entry
    for bit in range(0, 8 * len(data), 3):
        path.write_bytes(flipped(data, bit))
        assert look_up(tmp_path, entry.key) in (None, entry), bit


def test_an_answer_of_an_older_version_is_taken(tmp_path: Path) -> None:
    entry = CachedAnswer(
        key="cd" * 32, endpoint="", model="m", sample=1, turn=0, mode="json", content="{}"
    )
    keep(tmp_path, entry)
    cache_path(tmp_path, entry.key).write_bytes(msgspec.json.encode(entry))
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
