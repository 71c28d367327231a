"""Public collections of relations as they are published: TimeBank-Dense, TimeSET, MATRES."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run
from readers.samples import BRAT, PAIRS, SCORED_PAIRS
from vectors_home import real

from chronoscore.core.case import ONLY
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.ordering.model import Link
from chronoscore.ordering.tlinks.family import FAMILY, read_cases
from chronoscore.ordering.tlinks.formats import read_links
from chronoscore.ordering.tlinks.model import LinkDocument

TEXT = "A ship runs cafés."


def expected(name: str) -> Any:
    return json.loads(real(f"collections/{name}/expected.json").read_bytes())["expected"]


def documents(path: Path, **options: str) -> dict[str, LinkDocument]:
    problems = Problems()
    found = read_links(source_of(path), problems, options)
    problems.check()
    return {name: named[ONLY] for name, named in found.items()}


def written(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def scores(*arguments: object) -> dict[str, dict[str, float]]:
    ran = run("tlinks", *arguments, "--format", "json")
    assert ran.code == FINE, ran.err
    (system,) = json.loads(ran.out)["systems"]
    return {summary["metric"]: summary["scores"] for summary in system["summaries"]}


LAYOUTS = ("timebank-dense-tml/dev", "timeset-brat/brat", "matres-output/testset-temprel.xml")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_gold_against_itself_is_one(layout: str) -> None:
    path = real("collections") / layout
    for choice in ((), ("--protocol", "matres"), ("--closure", "toolkit"), ("--vague", "keep")):
        for found in scores(path, path, *choice).values():
            assert set(found.values()) == {1}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("form", ["tsv", "jsonl", "timeml"])
def test_writing_a_collection_changes_no_score(layout: str, form: str, tmp_path: Path) -> None:
    path = real("collections") / layout
    again = tmp_path / ("links" if form == "timeml" else f"links.{form}")
    assert run("tlinks", "convert", path, again, "--to", form).code == FINE
    before, after = documents(path), documents(again)
    assert {name: (d.links, d.vague) for name, d in before.items()} == {
        name: (d.links, d.vague) for name, d in after.items()
    }


# TimeBank-Dense


def test_none_in_timeml_is_vague() -> None:
    (document,) = documents(real("collections/timebank-dense-tml/dev")).values()
    counted = Counter(link.relation for link in document.links)
    counted["NONE"] = len(document.vague)
    assert counted == expected("timebank-dense-tml")["links"]


def test_vague_is_left_out_or_a_relation_in_every_format(tmp_path: Path) -> None:
    pair = "<TLINK relType='{}' eventInstanceID='e1' relatedToEventInstance='e2'/>"
    marks = "<EVENT eid='e1'>a</EVENT><EVENT eid='e2'>b</EVENT>"
    files = {
        "none.tml": f"<TimeML>{marks}{pair.format('NONE')}</TimeML>",
        "vague.tml": f"<TimeML>{marks}{pair.format('VAGUE')}</TimeML>",
        "table.tsv": "table\te1\te2\tVAGUE\n",
        "lines.jsonl": '{"document":"lines","source":"e1","target":"e2","relation":"VAGUE"}\n',
    }
    link = Link("e1", "e2", "VAGUE")
    for name, document in documents(written(tmp_path, files)).items():
        assert (document.links, document.vague) == ((), (link,)), name
    for name, document in documents(tmp_path, vague="keep").items():
        assert (document.links, document.vague) == ((link,), ()), name


def test_vague_pairs_change_only_matres(tmp_path: Path) -> None:
    gold = "d\te1\te2\tBEFORE\nd\te2\te3\tVAGUE\n"
    path = written(tmp_path, {"gold.tsv": gold, "system.tsv": gold.replace("VAGUE", "AFTER")})
    pair = (path / "gold.tsv", path / "system.tsv")
    chosen = ("-m", "matres", "-m", "matres(vague=skip)", "-m", "TempEval-3")
    found = scores(*pair, *chosen)
    assert found["matres"] == {"precision": 0.5, "recall": 1, "f1": 2 / 3, "accuracy": 0.5}
    assert set(found["matres(vague=skip)"].values()) == {1}
    assert found["awareness"]["precision"] == 0.5


# TimeSET, in brat


def test_relations_of_brat_are_read_and_its_texts_are_passed_over() -> None:
    wanted = expected("timeset-brat")
    (document,) = documents(real("collections/timeset-brat/brat")).values()
    assert len(document.links) == wanted["relations"]
    assert len(document.entities) == wanted["events"]
    # Misappropriation, creation, release, letter: each comes after the one before it.
    order = [("E2", "E3"), ("E3", "E4"), ("E4", "E1")]
    assert document.links == tuple(Link(*pair, "BEFORE") for pair in order)
    words = {entity.id: entity.text for entity in document.entities}
    assert words == {"E1": "sent", "E2": "misappropriation", "E3": "create", "E4": "release"}


def test_words_of_timeset_are_said_to_be_read(tmp_path: Path) -> None:
    lines = BRAT.replace("BEFORE", "AFTER") + "R2\tCOEX Arg1:E2 Arg2:E1\n"
    path = written(tmp_path, {"a.ann": lines, "a.txt": TEXT})
    problems = Problems()
    (named,) = read_links(source_of(path), problems).values()
    links = named[ONLY].links
    assert links == (Link("E1", "E2", "BEFORE"), Link("E2", "E1", "SIMULTANEOUS"))
    notices = [notice.message.partition(":")[0] for notice in problems.notices]
    assert notices == ["AFTER in brat", "COEX in brat"]


def test_events_of_brat_are_matched_by_their_places(tmp_path: Path) -> None:
    other = BRAT.replace("E1", "E7").replace("T1", "T9")
    for side, lines in (("gold", BRAT), ("system", other)):
        (tmp_path / side).mkdir()
        written(tmp_path / side, {"a.ann": lines, "a.txt": TEXT})
    assert scores(tmp_path / "gold", tmp_path / "system")["awareness"]["f1"] == 1
    (tmp_path / "system" / "a.txt").unlink()
    assert scores(tmp_path / "gold", tmp_path / "system")["awareness"]["f1"] == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("runs", "walks"), "a.ann:2: the text of 'E1' is not 'walks' there"),
        (("7 11", "70 110"), "a.ann:2: the text of 'E1' is not 'runs' there"),
        (("Arg2:E2", "Arg2:E5"), "a.ann:5: 'R1' refers to 'E5', which is not there"),
        (("BEFORE", "CAUSE"), "a.ann:5: relation is 'CAUSE', expected one of AFTER"),
        (("event:T1", "event:T8"), "a.ann:2: 'E1' has the trigger 'T8', which is no T line"),
    ],
)
def test_wrong_lines_of_brat_are_reported(
    tmp_path: Path, change: tuple[str, str], why: str
) -> None:
    path = written(tmp_path, {"a.ann": BRAT.replace(*change), "a.txt": TEXT})
    ran = run("tlinks", path, path)
    assert ran.code == BAD_DATA
    assert why in ran.err


# MATRES: outputs of classifiers, and the protocol


OUTPUTS = (
    "collections/matres-output/proposed_elmo_lr0.001_seed102",
    "matres/proposed_elmo_lr0.001_seed102_noCSE",
    "matres/proposed_elmo_lr0.001_seed103",
    "matres/proposed_elmo_lr0.001_seed103_noCSE",
)
LABELS = ("BEFORE", "AFTER", "SIMULTANEOUS", "VAGUE")


def confusion(gold: Path, output: Path) -> list[list[int]]:
    """The labels of the gold in rows and those of the system in columns, from the explanation."""
    options = FAMILY.default_options
    (cases,) = read_cases(source_of(gold), {"s": source_of(output)}, Problems(), options).values()
    metric = FAMILY.metric("matres")
    table = np.zeros((4, 4), dtype=int)
    for case in cases:
        for match in metric.explain(FAMILY.compare(case, metric.setting)):
            if match.side == "recall":
                label = match.gold.split()[1]
                table[LABELS.index(label), LABELS.index(match.predicted)] += 1
    return [[int(number) for number in row] for row in table]


@pytest.mark.parametrize("name", OUTPUTS)
def test_published_numbers_of_matres_come_out_to_the_digit(name: str) -> None:
    output, gold = real(f"{name}.matres.output"), real(LAYOUT)
    (row,) = [
        row for row in json.loads(real("reproduce.json").read_bytes())
        if row.get("file") == f"real/{name}.matres.output"
    ]  # fmt: skip
    found = scores(gold, output, "--protocol", "matres")
    for score in ("accuracy", "precision", "recall", "f1"):
        assert f"{found['matres'][score]:.4f}" == row["published"][score]
    assert confusion(gold, output) == row["confusion"]


LAYOUT = "collections/matres-output/testset-temprel.xml"


def test_both_readings_of_vague_are_side_by_side() -> None:
    output = real(f"{OUTPUTS[0]}.matres.output")
    ran = run("tlinks", real(LAYOUT), output, "--protocol", "matres")
    assert ran.out.splitlines()[1].split() == ["matres", "matres(vague=skip)"]
    found = scores(real(LAYOUT), output, "-m", "matres", "-m", "matres(vague=skip)",
                   "-m", "TempEval-3", "-m", "TempEval-3-acl11")  # fmt: skip
    digits = [f"{values['f1']:.4f}" for values in found.values()]
    assert digits[:2] == ["0.7482", "0.8025"]
    assert [digit[:5] for digit in digits[2:]] == ["0.721", "0.749"]


def test_the_largest_score_decides(tmp_path: Path) -> None:
    path = written(tmp_path, {"a.output": SCORED_PAIRS + "suez,E5,E6,3,.1,.2,.3,.4\n"})
    (document,) = documents(path).values()
    assert [link.relation for link in document.links] == ["BEFORE", "AFTER", "SIMULTANEOUS"]
    assert document.vague == (Link("E5", "E6", "VAGUE"),)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("suez,E5,E6,3,.1,.2,.3,x", "the score of VAGUE is 'x', not a number"),
        ("suez,E5,E6,3,.1,.2,nan,.4", "the score of EQUAL is 'nan', not a number"),
        ("suez,E5,,3,.1,.2,.3,.4", "a field is empty"),
        ("suez,E5,E6,3,.1", "5 fields, expected document, source, target, index, BEFORE"),
    ],
)
def test_wrong_scores_are_refused(tmp_path: Path, line: str, why: str) -> None:
    path = written(tmp_path, {"a.output": f"{SCORED_PAIRS}{line}\n"})
    ran = run("tlinks", path / "a.output", path / "a.output")
    assert ran.code == BAD_DATA
    assert f"a.output:4: {why}" in ran.err.replace("\n  ", " ")


def test_a_pair_that_is_vague_and_clear_counts_once(tmp_path: Path) -> None:
    gold = "d\ta\tb\tBEFORE\nd\tb\ta\tVAGUE\nd\tb\tc\tVAGUE\n"
    path = written(tmp_path, {"gold.tsv": gold})
    found = scores(path / "gold.tsv", path / "gold.tsv", "--protocol", "matres")
    assert {score for values in found.values() for score in values.values()} == {1}


def test_a_pair_may_be_written_from_either_end(tmp_path: Path) -> None:
    gold, system = "d\ta\tb\tBEFORE\n", "d\tb\ta\tAFTER\n"
    path = written(tmp_path, {"gold.tsv": gold, "system.tsv": system})
    found = scores(path / "gold.tsv", path / "system.tsv", "--protocol", "matres")
    assert {score for values in found.values() for score in values.values()} == {1}


def test_xml_of_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, {"a.xml": PAIRS.replace("LABEL", "REL")})
    ran = run("tlinks", path / "a.xml", path / "a.xml")
    assert ran.code == BAD_DATA
    assert "XML of an unknown kind: 'DATA' holds no tags of TimeML" in ran.err


def test_a_label_that_is_not_of_matres_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, {"a.xml": PAIRS.replace("AFTER", "SOON")})
    ran = run("tlinks", path / "a.xml", path / "a.xml")
    assert ran.code == BAD_DATA
    assert "a.xml:3: relation is 'SOON', expected one of BEFORE, AFTER, EQUAL, VAGUE" in ran.err


def test_a_pair_without_an_end_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, {"a.xml": PAIRS.replace('TARGET="E2"', 'TO="E2"')})
    ran = run("tlinks", path / "a.xml", path / "a.xml")
    assert ran.code == BAD_DATA
    assert "a.xml:2: a field is empty, expected document, source, target" in ran.err


@pytest.mark.parametrize("lenient", [(), ("--lenient",)])
@pytest.mark.parametrize("line", ["d,e1,e2,0,0.1,0.7,0.2", "d;e1;e2;0;0.1;0.7;0.1;0.1"])
def test_an_output_without_a_readable_line_is_never_scored(
    tmp_path: Path, line: str, lenient: tuple[str, ...]
) -> None:
    gold, output = tmp_path / "gold.xml", tmp_path / "a.output"
    gold.write_text(PAIRS)
    output.write_text(f"{line}\n{line}\n")
    for ran in (
        run("tlinks", gold, output, "--protocol", "matres", *lenient),
        run("validate", output, *lenient),
    ):
        assert ran.code == BAD_DATA
        assert "document, source, target, index, BEFORE, AFTER, EQUAL, VAGUE" in ran.problems[-1]


def test_the_outputs_are_recognised(tmp_path: Path) -> None:
    path = written(tmp_path, {"a.output": SCORED_PAIRS, "b.xml": PAIRS})
    ran = run("validate", path / "a.output", path / "b.xml")
    assert ran.out.count("fine, 1 document") == 2


# The toolkit's closure


def test_the_toolkits_closure_stands_beside_the_exact_one(tmp_path: Path) -> None:
    links = "d\ta\tb\tBEGUN_BY\nd\tb\ta\tBEGINS\n"
    path = written(tmp_path, {"gold.tsv": links, "system.tsv": links.splitlines()[0] + "\n"})
    for method in ((), ("--method", "acl11")):
        ran = run("tlinks", path / "gold.tsv", path / "system.tsv", "--closure", "toolkit", *method)
        assert ran.code == FINE
        assert "-toolkit" in ran.out.splitlines()[1]
    chosen = ("--closure", "toolkit", "-m", "pairwise")
    assert run("tlinks", path / "gold.tsv", path / "gold.tsv", *chosen).code == USAGE
