"""The formats on the command line: scored against each other, checked, converted, written."""

import json
from pathlib import Path

import pytest
from annotations.format_samples import BRAT, SAMPLES, TEXT, put, read
from readers.command_line import BAD_DATA, FINE, USAGE, run

from chronoscore.annotations import corpora, parameters
from chronoscore.annotations.formats.reading import FORMATS
from chronoscore.annotations.formats.writing import WRITTEN
from chronoscore.cli.files import DOCUMENTS


def f1(*arguments: object) -> float:
    ran = run("annotations", *arguments, "--format", "json")
    assert ran.code == FINE, ran.err
    scores = json.loads(ran.out)["systems"][0]["summaries"][0]["scores"]
    return float(scores["strict_f1"])


def test_the_options_name_all_that_there_is() -> None:
    """They are written out there so that help does not have to load the readers."""
    assert set(parameters.FORMATS) == set(FORMATS)
    assert parameters.MATCH_BY.choices == corpora.MATCH_BY
    assert set(parameters.WRITTEN) == set(DOCUMENTS.values()) == set(WRITTEN)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_format_agrees_with_itself(tmp_path: Path, name: str) -> None:
    path = put(tmp_path, SAMPLES[name])
    assert f1(path, path) == 1.0
    assert f1(path, path, "--input-format", name) == 1.0


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "timeml"])
def test_every_format_is_known_to_validate(tmp_path: Path, name: str) -> None:
    ran = run("validate", put(tmp_path, SAMPLES[name]))
    assert ran.code == FINE, ran.err
    assert "annotations" in ran.out


def test_gold_and_prediction_may_have_two_formats(tmp_path: Path) -> None:
    gate = put(tmp_path / "gate", SAMPLES["gate-xml"]).parent
    assert run("convert", gate, tmp_path / "brat", "--to", "brat").code == FINE
    assert run("convert", gate, tmp_path / "all.jsonl", "--to", "documents").code == FINE
    assert f1(gate, tmp_path / "brat") == 1.0
    assert f1(gate, tmp_path / "all.jsonl") == 1.0


def test_two_sets_of_one_document_are_scored(tmp_path: Path) -> None:
    path = tmp_path / "out.conll"
    path.write_text("a B-X B-X\nb I-X I-X\nc B-X O\n")
    sets = ("--gold-set", "gold", "--predicted-set", "predicted")
    assert f1(path, path, "--input-format", "conlleval", *sets) == pytest.approx(2 / 3)


def test_two_files_of_one_document_are_matched_whatever_they_are_called(tmp_path: Path) -> None:
    gold = put(tmp_path / "gold", SAMPLES["gate-xml"])
    other = gold.with_name("mine.xml")
    other.write_text(SAMPLES["gate-xml"].text, encoding="utf-8")
    assert f1(gold, other) == 1.0


@pytest.mark.parametrize("match_by", ["name", "stored", "index", "digest"])
def test_folders_are_matched_as_asked(tmp_path: Path, match_by: str) -> None:
    gold, inner = tmp_path / "gold", tmp_path / "mine" / "deep"
    put(gold, SAMPLES["bdoc"])
    inner.parent.mkdir()
    put(inner, SAMPLES["bdoc"])
    assert run("annotations", gold, inner.parent).code == BAD_DATA
    assert f1(gold, inner.parent, "--match-by", match_by) == 1.0


def test_texts_that_differ_are_refused(tmp_path: Path) -> None:
    gold, mine = put(tmp_path / "gold", SAMPLES["brat"]), put(tmp_path / "mine", SAMPLES["brat"])
    mine.with_suffix(".txt").write_text(TEXT.replace(".\n", "!\n"), encoding="utf-8", newline="")
    ran = run("annotations", gold.parent, mine.parent)
    assert ran.code == BAD_DATA
    assert ran.problems == [
        "mine: document 'ship' has another text than the gold: "
        "at character 26 the gold has '.\\nThe café crew 😀 fr', here is '!\\nThe café crew 😀 fr'"
    ]


@pytest.mark.parametrize("form", WRITTEN)
def test_differences_are_written_even_if_a_gate_fails(tmp_path: Path, form: str) -> None:
    gold = put(tmp_path / "gold", SAMPLES["brat"])
    mine = put(tmp_path / "mine", SAMPLES["brat"], BRAT.replace("44 49\tfreed", "44 46\tfr"))
    out = tmp_path / "out"
    ran = run(
        "annotations",
        *(gold.parent, mine.parent, "--fail-under", "0.99"),
        *("--write-differences", out, "--write-format", form),
    )
    assert ran.code == 1
    assert ran.notices == [f"the differences of mine are in {out}"]
    (document,) = (named["1"] for named in read(out).values())
    marks = {one.type for one in document.annotations if one.set == "Differences_Res"}
    assert marks == {"TIMEX3_CS", "EVENT_CS", "EVENT_CP"}
    if form != "brat":
        name = "evaluateTagging.response.mine.Response.EVENT.CorrectPartial"
        assert document.features[name] == 1


def test_each_of_several_systems_has_a_folder(tmp_path: Path) -> None:
    gold = put(tmp_path / "gold", SAMPLES["brat"]).parent
    ran = run(
        "annotations", gold, f"a={gold}", f"b={gold}", "--write-differences", tmp_path / "out"
    )
    assert ran.code == FINE
    assert sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.bdocjs")) == [
        "out/a/ship.bdocjs",
        "out/b/ship.bdocjs",
    ]


def test_nothing_is_written_where_the_data_are_wrong(tmp_path: Path) -> None:
    gold = put(tmp_path / "gold", SAMPLES["brat"])
    mine = put(tmp_path / "mine", SAMPLES["brat"])
    mine.with_suffix(".txt").write_text(TEXT + "!", encoding="utf-8", newline="")
    ran = run("annotations", gold.parent, mine.parent, "--write-differences", tmp_path / "out")
    assert ran.code == BAD_DATA
    assert not (tmp_path / "out").exists()


def test_differences_need_a_metric_that_matches(tmp_path: Path) -> None:
    path = put(tmp_path, SAMPLES["brat"])
    ran = run("annotations", path, path, "-m", "target-accuracy", "--write-differences", tmp_path)
    assert ran.code == USAGE


def test_a_feature_may_hold_the_score(tmp_path: Path) -> None:
    table = SAMPLES["tsv"].text.replace("\tscore\t", "\tsure\t")
    gold, mine = tmp_path / "gold", tmp_path / "mine"
    one, two = put(gold, SAMPLES["tsv"]), put(mine, SAMPLES["tsv"], table.replace("\t\t", "\t1\t"))
    asked = (one, two, "--thresholds", "all")
    assert run("annotations", *asked).code == BAD_DATA  # a curve needs scores
    assert run("annotations", *asked, "--score-feature", "sure").code == FINE
    ran = run("annotations", *asked, "--score-feature", "tense")
    assert ran.code == BAD_DATA
    assert "has 'past' as its 'tense', expected a finite number" in ran.problems[0]
    ran = run("annotations", one, two, "--score-feature", "none")
    assert "no annotation has the feature 'none', which was to be its score" in ran.notices[0]


def test_a_feature_that_holds_scores_is_not_said_to_be_missing(tmp_path: Path) -> None:
    line = {"id": "d", "annotations": [{"type": "T", "start": 0, "end": 1, "features": {"p": 0.5}}]}
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps(line))
    ran = run("annotations", path, path, "--score-feature", "p")
    assert ran.code == FINE
    assert "no annotation has the feature" not in ran.err


def test_differences_are_those_of_the_metric_that_is_scored(tmp_path: Path) -> None:
    """The plugin's greedy passes over an exact response here, the optimum does not."""
    gold, mine = tmp_path / "gold.jsonl", tmp_path / "mine.jsonl"
    for path, others in ((gold, ((3, 7), (3, 4))), (mine, ((4, 6), (3, 7)))):
        items = [{"type": "T", "start": start, "end": end} for start, end in others]
        path.write_text(json.dumps({"id": "d", "annotations": items}))
    for protocol, wanted in (("spans", ["T_CS", "T_ML", "T_SL"]), ("gate", ["T_CP", "T_CP"])):
        out = tmp_path / protocol
        ran = run("annotations", gold, mine, "--protocol", protocol, "--write-differences", out)
        assert ran.code == FINE, ran.err
        marks = [a.type for a in read(out)["d"]["1"].annotations if a.set == "Differences_Res"]
        assert marks == wanted


def test_changes_from_an_older_system_are_marked(tmp_path: Path) -> None:
    gold = put(tmp_path / "gold", SAMPLES["brat"]).parent
    short = BRAT.replace("44 49\tfreed", "44 46\tfr")
    old = put(tmp_path / "old", SAMPLES["brat"], short).parent
    out = tmp_path / "out"
    ran = run("annotations", gold, gold, "--reference", old, "--write-differences", out)
    assert ran.code == FINE, ran.err
    document = read(out)["ship"]["1"]
    changes = [a for a in document.annotations if a.set == "Differences_Diff"]
    assert [(a.type, a.features["_eval.change"]) for a in changes] == [("EVENT_CP_CS", "+")]
    assert sum(name.startswith("evaluateTagging.reference.") for name in document.features) == 54
