"""EQS by event, evaluator, kind, article and type, and the texts that go with a judgement."""

from pathlib import Path

import pytest
from hypothesis import given
from rubric.judging import BEST, BOOK, WORST, cases_of, row, sheet
from rubric.test_formats import judgement

from chronoscore.core.case import Case
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.reports.result_tables import tables_of
from chronoscore.rubric.family import FAMILY, read_cases
from chronoscore.rubric.judgements import Judgement
from chronoscore.rubric.metrics import event_texts, texts_of


def test_people_and_models_are_told_apart(tmp_path: Path) -> None:
    rows = [
        row("e1", "ana", BEST),
        row("e1", "gpt", WORST, evaluator_kind="llm"),
        row("e2", "gpt", WORST, evaluator_kind="llm"),
    ]
    cases = read_cases([source_of(sheet(tmp_path / "sheet.csv", rows))], Problems())
    result = score(Settings.make(FAMILY, by=["kind"]), cases).result
    found = {s.group["kind"]: s for s in result.systems[0].summaries if s.group}
    assert found["person"].scores["eqs"] == 1
    assert found["llm"].scores["eqs"] == 0
    assert found["llm"].units == {"judgement": 2, "event": 2}


@pytest.mark.parametrize("tag", ["event", "evaluator", "article", "type", "kind"])
def test_the_number_of_events_stands_beside_every_score(tag: str) -> None:
    judgements = [
        Judgement(event, who, BEST, article="a1", type="attack")
        for event in ("e1", "e2", "e3")
        for who in ("ana", "ben")
    ]
    table = tables_of(FAMILY, score(Settings.make(FAMILY, by=[tag]), cases_of(judgements)).result)[
        0
    ]
    names = [column.name for column in table.columns]
    groups = {"event": 1, "evaluator": 3, "article": 3, "type": 3, "kind": 3}
    assert table.rows[0][names.index("events")] == 3
    assert {line[names.index("events")] for line in table.rows[1:]} == {groups[tag]}


def test_one_event_has_its_number_too() -> None:
    found = score(Settings.make(FAMILY), cases_of([Judgement("e", "a", BEST)]))
    table = tables_of(FAMILY, found.result)[0]
    assert [column.name for column in table.columns][-2:] == ["judgements", "events"]
    assert table.rows[0][-2:] == (1, 1)


@given(made=judgement)
def test_texts_come_back_as_they_were(made: Judgement) -> None:
    gold, predicted = texts_of(Case("c", BOOK.name, made))
    assert gold == {}
    found = event_texts(made.event, predicted)
    for part in ("text", "article", "date", "type", "comment"):
        said = getattr(made, part)
        assert getattr(found, part) == (said if said.strip() else "")


def test_the_sidecar_has_event_article_and_comment() -> None:
    made = Judgement("e1", "ana", BEST, article="a1", text="It rained.", comment="where?")
    (texts,) = score(Settings.make(FAMILY), cases_of([made]), explain=True).texts
    assert texts.predicted == {
        "e1": ("It rained.",),
        "e1/article": ("a1",),
        "e1/comment": ("where?",),
    }
