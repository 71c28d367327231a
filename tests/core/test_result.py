"""The result document: schema, versions, sidecar."""

import json
from pathlib import Path

import jsonschema
import msgspec
import pytest

import chronoscore
from chronoscore.core.result import (
    VERSION,
    CaseMatches,
    ResultDocument,
    decode,
    encode,
    load,
    load_matches,
    save,
    schema,
)
from chronoscore.demo import SYSTEMS, home
from chronoscore.errors import DataError

ROOT = Path(__file__).parents[2]
SYSTEM_FILES = {name: home() / f"{name}.jsonl" for name in SYSTEMS}


@pytest.fixture(scope="module", params=["timelines", "ordering", "annotations", "rubric"])
def result(request: pytest.FixtureRequest) -> ResultDocument:
    """The bundled data, scored by a family."""
    if request.param == "rubric":
        return chronoscore.score("rubric", None, home() / "judgements.csv").document
    metrics = ["spans", "spans-curve"] if request.param == "annotations" else ()
    gold = home() / "gold.jsonl"
    return chronoscore.score(
        request.param, gold, SYSTEM_FILES, by=["gold"], metrics=metrics
    ).document


def test_documents_fit_the_published_schema(result: ResultDocument) -> None:
    jsonschema.Draft202012Validator(schema()).validate(json.loads(encode(result)))


def test_documents_round_trip(result: ResultDocument) -> None:
    assert decode(encode(result)) == result
    assert encode(decode(encode(result))) == encode(result)


def test_published_schema_is_the_one_in_force() -> None:
    published = ROOT / "docs" / "result.schema.json"
    assert json.loads(published.read_text(encoding="utf-8")) == schema()


def test_first_version_stays_readable() -> None:
    old = Path(__file__).parent / "result-v1.json"
    result = decode(old.read_bytes())
    assert result.systems[0].summaries[0].scores["f1"] == pytest.approx(0.276, abs=1e-3)


def test_newer_version_asks_for_an_update() -> None:
    newer = {"format": "chronoscore-result", "version": VERSION + 1}
    with pytest.raises(DataError, match="update chronoscore"):
        decode(json.dumps(newer).encode())


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff\xfe", b'{"format": "other"}'])
def test_what_is_no_result(data: bytes) -> None:
    with pytest.raises(DataError):
        decode(data, "x.json")


def test_matches_are_saved_beside_the_result(result: ResultDocument, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "run.json"
    matches = [CaseMatches("quick", "c", "date-f1", ())]
    save(result, matches, path)
    assert load(path) == result
    assert load_matches(path) == matches
    (tmp_path / "deep" / "run.matches.jsonl").unlink()
    with pytest.raises(DataError, match=r"run\.matches\.jsonl"):
        load_matches(path)


def test_numbers_survive_to_the_last_digit() -> None:
    value = 0.1 + 0.2
    assert msgspec.json.decode(msgspec.json.encode(value)) == value
