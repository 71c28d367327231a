"""Lists of analyses, and the tables that the verb shows when asked."""

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from annotations.test_gate_corpora import asked
from click.testing import CliRunner, Result
from vectors_home import free

from chronoscore.annotations.analyses import each_type, read_evaluation
from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.matching import comparing
from chronoscore.annotations.matching.comparing import count
from chronoscore.annotations.matching.strategies import match_by
from chronoscore.cli.main import command
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.errors import UsageError
from chronoscore.statistics.averaging import scores_of

MACRO = {
    "precisionStrict": "strict_precision",
    "recallStrict": "strict_recall",
    "F1Strict": "strict_f1",
    "precisionLenient": "lenient_precision",
    "recallLenient": "lenient_recall",
    "F1Lenient": "lenient_f1",
}
CORPORA = [entry for entry in free("annotations/corpora.json") if "macro" in entry["oracle"]]


@pytest.mark.parametrize("entry", CORPORA, ids=lambda entry: entry["name"])
def test_the_mean_over_types_is_the_macro_average_of_the_plugin(entry: Any) -> None:
    expected = entry.get("fixed", entry["oracle"])["macro"]
    metric = FAMILY.metric("spans")
    rows = []
    for analysis in each_type(entry["params"]["types"]).analyses:
        found = asked(entry, analysis.name, "respSet")
        counted = count(found, match_by(found, "gate")).sum(axis=0)
        rows.append(scores_of(metric, counted.astype(np.float64), "agree"))
    means = dict(zip(metric.scores, np.mean(rows, axis=0), strict=True))
    for theirs, ours in MACRO.items():
        assert means[ours] == pytest.approx(expected[theirs], abs=1e-12), theirs


def written(folder: Path, name: str, annotations: list[dict[str, Any]]) -> Path:
    path = folder / name
    path.write_text(json.dumps({"id": "d", "annotations": annotations}), encoding="utf-8")
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A gold and a system whose names for sets, types and features differ."""
    written(
        tmp_path,
        "gold.jsonl",
        [
            {"type": "Person", "start": 0, "end": 4, "features": {"sex": "f"}, "set": "Key"},
            {"type": "Person", "start": 6, "end": 9, "features": {"sex": "m"}, "set": "Key"},
            {"type": "Place", "start": 10, "end": 14, "set": "Key"},
            {"type": "Place", "start": 90, "end": 94, "set": "Other"},
        ],
    )
    written(
        tmp_path,
        "tool.jsonl",
        [
            {"type": "Per", "start": 0, "end": 4, "features": {"gender": "f"}, "score": 0.9},
            {"type": "Per", "start": 6, "end": 9, "features": {"gender": "f"}, "score": 0.4},
            {"type": "Place", "start": 10, "end": 14, "score": 0.7},
            {"type": "Place", "start": 20, "end": 24, "score": 0.1},
        ],
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(words: str) -> Result:
    return CliRunner().invoke(
        command, ["annotations", "gold.jsonl", "tool.jsonl", *shlex.split(words)]
    )


EVALUATION = {
    "title": "Who and where",
    "description": "with gender, where there is one",
    "average": "macro",
    "analyses": [
        {
            "name": "people",
            "gold": {"set": "Key", "type": "Person", "features": ["sex"]},
            "predicted": {"type": "Per", "features": ["gender"]},
        },
        {"gold": {"set": "Key", "type": "Place"}},
    ],
}


def test_analyses_may_differ_on_both_sides(home: Path) -> None:
    (home / "list.json").write_text(json.dumps(EVALUATION), encoding="utf-8")
    done = run("--evaluation list.json")
    assert done.exit_code == 0, done.output
    lines = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line.split()}
    assert lines["people"][1:5] == ["2", "2", "1", "0"]
    assert lines["Place"][1:5] == ["1", "2", "1", "0"]
    assert "with gender, where there is one" in done.stdout
    assert "the evaluation asks for mean (macro)" in done.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "JSON"),
        ('{"analyses": []}', "there is no analysis"),
        ('{"analyses": [{}, {"name": "analysis 1"}]}', "two analyses are named 'analysis 1'"),
        (
            '{"analyses": [{"gold": {"features": ["a"]}, "predicted": {"features": ["b", "c"]}}]}',
            "1",
        ),
        ('{"analyses": [{"predicted": {"type": "A"}}]}', "none of the gold"),
        ('{"analyses": [{"gold": {"kind": "A"}}]}', "kind"),
    ],
)
def test_what_is_wrong_in_an_evaluation_is_told(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "list.json"
    path.write_text(content, encoding="utf-8")
    problems = Problems()
    read_evaluation(source_of(path), problems)
    assert message in "\n".join(map(str, problems.problems))


def test_tables_are_shown_when_asked(home: Path) -> None:
    done = run("--gold-set Key --type Person=Per --type Place --by-type --confusion --counts")
    assert done.exit_code == 0, done.output
    assert "tool: by type" in done.stdout
    assert "(spurious)" in done.stdout
    assert "true spurious lenient" in done.stdout


def test_a_confusion_is_summed_over_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, types in (("gold.jsonl", "ABACB"), ("tool.jsonl", "AABCC")):
        documents = [
            {"id": f"d{place}", "annotations": [{"type": kind, "start": place % 2, "end": 4}]}
            for place, kind in enumerate(types)
        ]
        (tmp_path / name).write_text("\n".join(map(json.dumps, documents)), encoding="utf-8")
    whole = run("--confusion").stdout
    monkeypatch.setattr(comparing, "SPANS_AT_ONCE", 2)
    assert "type of targets and their responses" in whole
    assert run("--confusion").stdout == whole


def test_a_feature_is_broken_down_on_either_side(home: Path) -> None:
    for view, expected in (
        ("response", {"f": ["1", "2"], "m": ["1", "0"]}),
        ("target", {"f": ["1", "1"], "m": ["1", "1"]}),
    ):
        done = run(f"--type Person=Per --feature sex=gender --by-feature sex --by-side {view}")
        rows = {line.split()[0]: line.split()[1:3] for line in done.stdout.splitlines() if line}
        assert {value: rows[value] for value in expected} == expected


def test_each_type_is_matched_alone(home: Path) -> None:
    done = run("--gold-set Key --type Person=Per --type Place --each-type")
    assert done.exit_code == 0, done.output
    assert "tool: each type" in done.stdout
    assert isinstance(run("--each-type").exception, UsageError)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--counts -f json", "add --tables FILE"),
        ("--beta 2 --metric spans", "give --metric or --protocol"),
        ("--within Sentence", "is not set:type"),
        ("--thresholds few", "thresholds are 'few'"),
        ("--matching scored --candidates all --thresholds all", "a curve is of pairs that overlap"),
        ("--type A --type A", "named twice"),
        ("--loss nowhere:nothing", "there is no function"),
    ],
)
def test_a_wrong_call_is_told(home: Path, words: str, message: str) -> None:
    done = run(words)
    assert isinstance(done.exception, UsageError), done.output
    assert message in str(done.exception)


def test_every_option_makes_a_metric_that_parses_back(home: Path) -> None:
    done = run(
        "--gold-set Key --predicted-set '' --type Person=Per --type Place "
        "--feature Person:sex=gender --compare text "
        "--matching gate --beta 2 --min-overlap 12.5 --thresholds 0.5/0.9 --also error-rate "
        "--also target-accuracy --loss lenient-0-1 --nil absent --nil-value '' -f json"
    )
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    for info in result["metrics"]:
        assert str(FAMILY.metric(info["name"])) == info["name"]
    assert len(result["metrics"]) == 5
