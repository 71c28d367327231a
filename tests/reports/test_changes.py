"""Two systems on the same gold, as tables and in the report."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from laws.cases import DOCUMENTS
from reports.made import report

from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.model import Annotation, Document
from chronoscore.annotations.pages.tables import reference_tables
from chronoscore.cli.main import command
from chronoscore.core.case import Case
from chronoscore.core.contrast import changes
from chronoscore.demo import home
from chronoscore.engines.scoring import Scored, score
from chronoscore.engines.settings import Settings
from chronoscore.errors import UsageError
from chronoscore.reports.matches import changes_between, saved_change_tables


def scored(**systems: tuple[Document, Document]) -> Scored:
    """Score one document by each system; the gold is the first of its two."""
    cases: dict[str, Any] = {
        name: [Case("d", gold, predicted, {"gold": "1", "document": "d"})]
        for name, (gold, predicted) in systems.items()
    }
    return score(Settings.make(FAMILY), cases, explain=True)


def spans(*items: tuple[str, int, int]) -> Document:
    return Document("d", tuple(Annotation(str(n), *item) for n, item in enumerate(items)))


GOLD = spans(("A", 0, 4), ("A", 10, 14), ("B", 20, 24))
OLD = spans(("A", 0, 4), ("B", 20, 23))
NEW = spans(("A", 10, 14), ("B", 20, 24), ("B", 30, 34))


@given(DOCUMENTS, DOCUMENTS, DOCUMENTS)
def test_every_target_is_in_the_table_once(gold: Document, one: Document, two: Document) -> None:
    made = scored(old=(gold, one), new=(gold, two))
    found = changes_between(made.matches, "spans", "old", "new")
    assert len(found) == len(gold.annotations)
    turned = changes_between(made.matches, "spans", "new", "old")
    assert {c.outcomes for c in found} == {c.outcomes[::-1] for c in turned}
    tables = reference_tables(made.result, made.matches, "old")
    if found:
        assert sum(int(str(row[-1])) for row in tables[1].rows) == len(found)


@given(DOCUMENTS, DOCUMENTS)
def test_a_system_has_not_changed_from_itself(gold: Document, one: Document) -> None:
    made = scored(old=(gold, one), new=(gold, one))
    counters, *_ = reference_tables(made.result, made.matches, "old")
    assert {row[3] for row in counters.rows} == {"no change"}
    found = changes_between(made.matches, "spans", "old", "new")
    assert all(c.outcomes[0] == c.outcomes[1] and c.sense == "other" for c in found)


def test_differences_are_told_in_words() -> None:
    made = scored(old=(GOLD, OLD), new=(GOLD, NEW))
    counters, outcomes, right = reference_tables(made.result, made.matches, "old")
    told = {row[0]: row[3] for row in counters.rows}
    assert told["correct strict"] == "1 more correct strict"
    assert told["correct partial"] == "1 fewer correct partial"
    assert told["true missing lenient"] == "no change"
    assert told["true spurious lenient"] == "1 more true spurious lenient"
    assert outcomes.remarks == ("3 of 3 targets changed; 2 are better now, 1 worse",)
    strict, lenient = right.rows
    assert strict[:5] == ("strict", 0, 1, 2, 0)
    assert lenient[:5] == ("lenient", 1, 1, 1, 0)
    assert strict[5:] == (1.0, 0.625)


def test_a_reference_must_be_among_the_systems() -> None:
    made = scored(new=(GOLD, NEW))
    with pytest.raises(UsageError, match="no system 'old'"):
        reference_tables(made.result, made.matches, "old")


def test_targets_that_only_one_was_scored_on_are_left_out() -> None:
    made = scored(old=(GOLD, OLD), new=(spans(("A", 0, 4)), NEW))
    by_system = {item.system: [item] for item in made.matches}
    assert len(changes(by_system["old"], by_system["new"])) == 1


def test_saved_results_tell_the_same() -> None:
    one, two = scored(old=(GOLD, OLD)), scored(new=(GOLD, NEW))
    apart = saved_change_tables(FAMILY, [one.result, two.result], [*one.matches, *two.matches])
    both = scored(old=(GOLD, OLD), new=(GOLD, NEW))
    assert apart == reference_tables(both.result, both.matches, "old")


def test_numbers_of_the_report_lead_to_examples_and_cases() -> None:
    made = scored(old=(GOLD, OLD), new=(GOLD, NEW))
    page = report(made.result, made.matches, made.texts)
    section = page[page.index('<section id="changes"') :]
    section = section[: section.index("</section>")]
    ids = set(re.findall(r'id="([^"]+)"', page))
    links = set(re.findall(r'href="#([^"]+)"', section))
    case = made.result.systems[0].rows[0].case
    assert any(link.startswith("change-") for link in links)
    assert {link for link in links if link not in ids} == {f"cases?open={case}&amp;shows=new"}


def test_one_system_has_no_changes_in_the_report() -> None:
    made = scored(new=(GOLD, NEW))
    assert 'id="changes"' not in report(made.result, made.matches, made.texts)


def run(*arguments: str) -> str:
    done = CliRunner().invoke(command, list(arguments))
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_command_compares_with_a_reference(tmp_path: Path) -> None:
    gold, careful, quick = (str(home() / f"{n}.jsonl") for n in ("gold", "careful", "quick"))
    said = run("annotations", gold, careful, "--reference", quick)
    assert "fewer missing lenient" in said
    assert "strict, alone" in said
    files = []
    for name in (quick, careful):
        files.append(str(tmp_path / f"{Path(name).stem}.json"))
        run("annotations", gold, name, "--save", files[-1])
    saved = run("compare", *files, "--changes")
    assert "spans, quick to careful: targets by outcome" in saved


def test_documents_that_only_one_system_has_are_left_out(tmp_path: Path) -> None:
    lines = {
        name: json.dumps({"id": name, "annotations": [{"type": "T", "start": 0, "end": 4}]}) + "\n"
        for name in ("a", "b")
    }
    for name, text in (("gold", "ab"), ("old", "ab"), ("new", "b")):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(lines[one] for one in text), encoding="utf-8")
    gold, old, new = (str(tmp_path / f"{name}.jsonl") for name in ("gold", "old", "new"))
    said = run("annotations", gold, new, "--reference", old, "--missing", "skip")
    rows = [line.split() for line in said.splitlines() if line.startswith("strict")]
    assert rows[-2:] == [
        ["strict", "1", "0", "0", "0", "1.000", "1.000"],
        ["strict,", "alone", "1", "0", "0", "0", "1.000", "1.000"],
    ]


def test_targets_are_counted_alone_only_where_a_metric_matches_spans() -> None:
    gold, careful, quick = (str(home() / f"{n}.jsonl") for n in ("gold", "careful", "quick"))
    said = run("annotations", gold, careful, "--reference", quick, "-m", "target-accuracy")
    assert "target-accuracy, quick to careful: targets by outcome" in said
    assert "alone" not in said


def test_a_reference_has_no_json_form() -> None:
    gold, quick = (str(home() / f"{name}.jsonl") for name in ("gold", "quick"))
    line = ["annotations", gold, quick, "--reference", f"old={quick}", "--format", "json"]
    done = CliRunner().invoke(command, line)
    assert isinstance(done.exception, UsageError)
