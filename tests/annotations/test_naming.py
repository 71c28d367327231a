"""Names that the data does not have are refused: nothing against nothing is no perfect score."""

import json
from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run

import chronoscore

SPANS = [
    {"id": "1", "type": "Person", "start": 0, "end": 3, "features": {"kind": "a", "source": "x"}},
    {"id": "2", "type": "Person", "start": 5, "end": 8, "features": {"kind": "b", "source": "y"}},
    {"id": "3", "type": "Place", "start": 10, "end": 13, "set": "Key"},
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    spans = [{**one, "score": 0.5} for one in SPANS]
    for name, several in (("gold", SPANS), ("new", spans), ("old", spans[:1])):
        document = {"id": "d", "annotations": several}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(document) + "\n")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--type Persn", "no annotation has the type 'Persn'; there are: Person, Place"),
        ("--type Persn=Per", "no annotation has the type 'Persn=Per'"),
        ("-m spans(types=Persn)", "no annotation has the type 'Persn'"),
        ("--feature kin", "no annotation has the feature 'kin'; there are: kind, source"),
        ("--gold-set Ky", "the gold has no annotation set 'Ky'; there are: (default), Key"),
        ("--within Key:Person", "the gold has no 'Key:Person' to be within"),
        ("--by nothing", "no target has the feature 'nothing'"),
        ("--confusion-of nothing", "no target has the feature 'nothing'"),
    ],
)
def test_what_nobody_has_is_doubted(words: str, message: str) -> None:
    ran = run("annotations", "gold.jsonl", "new.jsonl", *words.split())
    assert ran.code == BAD_DATA
    assert any(message in problem for problem in ran.problems), ran.err
    lenient = run("annotations", "gold.jsonl", "new.jsonl", *words.split(), "--lenient")
    assert lenient.code == FINE
    assert any(message in notice for notice in lenient.notices)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--type Person=Per", "no prediction has an annotation of type 'Per'"),
        ("--type Per=Person", "the gold has no annotation of type 'Per'"),
        ("--predicted-set Ky", "the prediction has no annotation set 'Ky'"),
    ],
)
def test_what_one_side_lacks_is_said(words: str, message: str) -> None:
    ran = run("annotations", "gold.jsonl", "new.jsonl", *words.split())
    assert ran.code == FINE
    assert any(message in notice for notice in ran.notices), ran.err


@pytest.mark.parametrize("words", ["--list Lst", "--list Person --key Foo", "--element Foo"])
def test_lists_and_targets_that_are_not_there_are_doubted(words: str) -> None:
    assert run("candidates", "gold.jsonl", "new.jsonl", *words.split()).code == BAD_DATA


def test_by_takes_features_and_types_beside_tags() -> None:
    words = "--type Person --feature kind --by source --thresholds all --reference old.jsonl"
    ran = run("annotations", "gold.jsonl", "new.jsonl", *words.split())
    assert ran.code == FINE, ran.err
    assert "new: by source" in ran.out
    assert "old to new: counters" in ran.out
    same = run("annotations", "gold.jsonl", "new.jsonl", "--by-feature", "source").out
    assert run("annotations", "gold.jsonl", "new.jsonl", "--by", "source").out == same
    assert (
        "by type, source"
        in run("annotations", "gold.jsonl", "new.jsonl", "--by", "type", "--by", "source").out
    )
    assert "case=d" in run("annotations", "gold.jsonl", "new.jsonl", "--by", "case").out


def test_tables_are_kept_as_json_beside_the_result() -> None:
    words = "--by source --confusion --counts --reference old.jsonl -f json --tables t.json"
    ran = run("annotations", "gold.jsonl", "new.jsonl", *words.split())
    assert ran.code == FINE, ran.err
    assert json.loads(ran.out)["format"] == "chronoscore-result"
    tables = {one["caption"]: one for one in json.loads(Path("t.json").read_text())}
    assert tables["new: by source"]["rows"][0][:3] == ["x", 1, 1]
    assert {"all counts", "new: type of targets and their responses"} <= tables.keys()
    assert "spans, old to new: counters" in tables


def test_a_breakdown_is_part_of_the_result() -> None:
    for form, message in (("json", '"source": "x"'), ("plain", "Source: x")):
        ran = run("annotations", "gold.jsonl", "new.jsonl", "--by", "source", "-f", form)
        assert (ran.code, message in ran.out) == (FINE, True), ran.out


def test_tables_are_not_lost_silently() -> None:
    for words in ("--confusion", "--counts", "--reference old.jsonl"):
        for form in ("json", "plain"):
            ran = run("annotations", "gold.jsonl", "new.jsonl", *words.split(), "-f", form)
            assert ran.code == USAGE
            assert "--tables" in ran.err
    assert run("annotations", "gold.jsonl", "new.jsonl", "--tables", "t.json").code == USAGE
    ran = run("annotations", "gold.jsonl", "new.jsonl", "--counts", "--tables", "gold.jsonl/t.json")
    assert ran.code == USAGE


def test_a_run_in_parts_does_not_take_nothing_for_perfect() -> None:
    words = ("gold.jsonl", "new.jsonl", "--engine", "here", "--type", "Persn")
    ran = run("annotations", *words)
    assert ran.code == BAD_DATA
    assert "no annotation has the type 'Persn'" in ran.err
    assert run("annotations", *words, "--lenient").code == FINE


@pytest.mark.parametrize("words", ["--type Persn", "--feature kin", "--label kin"])
def test_annotators_are_asked_for_what_they_have(words: str) -> None:
    ran = run("annotators", "gold.jsonl", "new.jsonl", *words.split())
    assert ran.code == BAD_DATA
    assert run("annotators", "gold.jsonl", "new.jsonl", *words.split(), "--lenient").code == FINE


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("spans(types=Persn)", "no annotation has the type 'Persn'"),
        ("spans(gold_set=Ky,predicted_set=Ky)", "the gold has no annotation set 'Ky'"),
    ],
)
def test_what_nobody_has_is_doubted_whoever_asks(metric: str, message: str) -> None:
    ran = run("compare", "annotations", "gold.jsonl", "new.jsonl", "old.jsonl", "-m", metric)
    assert ran.code == BAD_DATA
    assert any(message in problem for problem in ran.problems), ran.err
    with pytest.raises(chronoscore.DataError, match=message):
        chronoscore.score("annotations", "gold.jsonl", {"new": "new.jsonl"}, metrics=[metric])


def test_thresholds_above_all_scores_are_told() -> None:
    ran = run("annotations", "gold.jsonl", "new.jsonl", "--thresholds", "0.7/0.9")
    assert ran.code == FINE
    assert (
        "new: no response reaches the threshold 0.7, the highest score is 0.5, so that its curve "
        "is undefined" in ran.notices
    )
    for reached in ("0.5/0.9", "all", "11", "rounded"):
        assert not run("annotations", "gold.jsonl", "new.jsonl", "--thresholds", reached).notices
