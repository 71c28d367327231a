"""TimeML files: links and entities counted as the toolkit of TempEval-3 counts them."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from vectors_home import HERE, real

from chronoscore.compat.tempeval3 import main, printout
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.ordering.tlinks.family import FAMILY, read_cases

FREE = HERE / "ordering" / "timeml"
EXPECTED = json.loads((FREE / "expected.json").read_text(encoding="utf-8"))
METHODS = ("default", "acl11")
OPTIONS = FAMILY.default_options


@cache
def read(gold: Path, system: Path, **options: str) -> Sequence[Any]:
    """The pairs of files in two folders, which several tests count."""
    problems = Problems()
    sources = {"s": source_of(system)}
    cases = read_cases(source_of(gold), sources, problems, {**OPTIONS, **options})["s"]
    problems.check()
    return cases


def counted(gold: Path, system: Path, metric: str, **options: str) -> dict[str, list[int]]:
    cases = read(gold, system, **options)
    made = FAMILY.metric(metric)
    measured = {c.id: made.measure(FAMILY.compare(c, made.setting)).statistics for c in cases}
    return {case: [int(number) for number in row] for case, row in measured.items()}


def pooled(rows: dict[str, list[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows.values(), strict=True)]


@pytest.mark.parametrize("method", METHODS)
def test_free_files_have_the_counts_of_an_exact_closure(method: str) -> None:
    rows = counted(FREE / "gold", FREE / "system", f"awareness(method={method})")
    assert len(rows) == 42
    for name, vector in EXPECTED["files"].items():
        found = rows[name.removesuffix(".tml")][:4]
        assert found == vector["exact_closure"][method], name
        if vector["agrees"]:
            assert found == vector[method]["counts"], name
    assert pooled(rows)[:4] == EXPECTED["folder_exact_closure"][method]


@pytest.mark.parametrize("method", METHODS)
def test_free_files_have_the_toolkits_counts_with_its_closure(method: str) -> None:
    name = f"awareness(method={method},closure=toolkit)"
    rows = counted(FREE / "gold", FREE / "system", name)
    for file, vector in EXPECTED["files"].items():
        assert rows[file.removesuffix(".tml")][:4] == vector[method]["counts"], file


PREDICTIONS = ("pred_table3_SP+ILP", "pred_20_0.01_0.0")


@pytest.mark.parametrize("name", PREDICTIONS)
def test_published_numbers_of_tempeval3_are_printed_to_the_digit(name: str) -> None:
    (row,) = [
        row for row in json.loads(real("reproduce.json").read_bytes())
        if row.get("file") == f"real/tempeval3/{name}"
    ]  # fmt: skip
    home = real("tempeval3")
    rows = counted(home / "gold", home / name, "awareness(closure=toolkit)")
    assert {case: counts[:4] for case, counts in rows.items()} == {
        case: document["original"] for case, document in row["documents"].items()
    }
    problems = Problems()
    printed = printout(home / "gold", home / name, problems).splitlines()
    assert printed[-3] == "\t\t" + "\t".join(row["published"]) + "\t"
    assert any("with an exact closure, F1 is" in notice.message for notice in problems.notices)


@pytest.mark.parametrize("metric", ["awareness", "awareness(method=acl11)", "pairwise", "events"])
def test_a_copy_of_the_gold_is_all_right(metric: str) -> None:
    for counts in counted(FREE / "gold", FREE / "gold", metric).values():
        totals = {"pairwise": 3, "events": 4}.get(metric, 4)
        assert len(set(counts[:totals])) == 1


@cache
def entities() -> dict[str, Any]:
    home = real("ordering/timeml_entities")
    found = json.loads((home / "entities_expected.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def folders(name: str) -> list[tuple[Path, Path]]:
    """Files as they were given, and with ids that the toolkit's normaliser made equal."""
    home = real("ordering/timeml_entities")
    normal = f"norm_{name.replace('/', '_')}"
    found = [(home / f"{normal}_gold", home / f"{normal}_system")]
    if name.startswith("platinum8"):
        found.append((home / "gold", home / f"sys_{name.split('/')[1]}"))
    return found


NAMES = [
    *(f"platinum8/{change}" for change in ("identical", "renumber", "drop", "attrs", "shrink")),
    *("platinum8/relnoise", "platinum8/all", "easy_checking", "sample"),
]


@pytest.mark.parametrize("name", NAMES)
def test_real_files_have_the_toolkits_links(name: str) -> None:
    expected = entities()[name]["relations"]
    for gold, system in folders(name):
        for method in METHODS:
            found = pooled(counted(gold, system, f"awareness(method={method})"))[:4]
            toolkit = expected[method]["counts"]
            own = pooled(counted(gold, system, f"awareness(method={method},closure=toolkit)"))
            assert own[:4] == toolkit
            if name == "sample":  # the toolkit verifies links that do not follow
                assert found[1::2] == toolkit[1::2]
                assert (np.array(found) <= toolkit).all()
            else:
                assert found == toolkit


@pytest.mark.parametrize("name", NAMES)
def test_real_files_have_the_toolkits_blocks_of_entities(name: str) -> None:
    toolkit = entities()[name]["entities_stdout"]
    wanted = toolkit[toolkit.index("=== Event Performance ===") :].strip()
    for gold, system in folders(name):
        ours = printout(gold, system, Problems())
        assert ours.partition("=== Temporal Awareness Score ===")[0].strip() == wanted


@pytest.mark.parametrize("method", METHODS)
def test_the_block_of_links_has_the_toolkits_numbers(method: str) -> None:
    gold, system = folders("platinum8/all")[1]
    last = printout(gold, system, Problems(), method).splitlines()[-4:]
    f1, precision, recall = entities()["platinum8/all"]["relations"][method]["FPR"]
    assert last[0] == "Temporal Score\tF1\tP\tR"
    assert last[1] == f"\t\t{f1}\t{precision}\t{recall}\t"
    assert last[2] == f"Overall Temporal Awareness Score (F1 score): {f1}"


def test_ids_are_not_matched_by_place_where_that_is_not_wanted() -> None:
    home = real("ordering/timeml_entities")
    by_id = counted(home / "gold", home / "sys_renumber", "awareness", align="ids")
    assert pooled(by_id)[0] < 30
    by_place = pooled(counted(home / "gold", home / "sys_renumber", "awareness"))
    assert by_place[:4] == [304] * 4


def test_the_module_runs_as_the_toolkit_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(FREE / "gold"), str(FREE / "system")]) == 0
    shown = capsys.readouterr()
    assert "notice: " in shown.err
    assert shown.out.count("===") == 6
    assert shown.out.endswith("\n\n")
    assert main([str(FREE / "none"), str(FREE / "system")]) == 3
    assert "no such file or folder" in capsys.readouterr().err
