"""The report of annotations: their texts, precision over recall, and ROC."""

from functools import cache

import pytest
from reports.made import report

from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.model import Annotation, Document
from chronoscore.annotations.pages.report import MOST, RankingPoint, _precisions
from chronoscore.core.case import Case
from chronoscore.engines.scoring import Scored, score
from chronoscore.engines.settings import Settings

TEXT = "A <b>ship</b> ran aground & was freed."


def scored(documents: int = 1, text: str | None = TEXT) -> Scored:
    gold = (Annotation("1", "EVENT", 14, 17), Annotation("2", "EVENT", 32, 37))
    predicted = (
        Annotation("1", "EVENT", 14, 17, score=0.9),
        Annotation("2", "<i>", 5, 9, score=0.4),
    )
    cases = [
        Case(
            f"d{n}",
            Document(f"d{n}", gold, text),
            Document(f"d{n}", predicted),
            {"document": f"d{n}", "gold": "1"},
        )
        for n in range(documents)
    ]
    settings = Settings.make(FAMILY, metrics=("spans", "spans-curve"))
    return score(settings, {"new": cases}, explain=True)


@cache
def page(documents: int = 1, text: str | None = TEXT) -> str:
    done = scored(documents, text)
    return report(done.result, done.matches, done.texts)


def test_the_text_is_there_with_both_sides_and_is_only_text() -> None:
    assert "A &lt;b&gt;ship&lt;/b&gt; ran aground &amp; was freed." in page()
    assert '<b class="cs">CS1 EVENT</b>' in page()
    assert '<b class="ml">ML EVENT</b>' in page()
    assert '<b class="sl">SL &lt;i&gt;</b>' in page()
    assert "1 correct strict, 1 missing, 1 spurious" in page()


def test_without_texts_there_is_no_such_section() -> None:
    assert 'id="texts"' not in page(text=None)


def test_the_text_is_not_in_the_data_again() -> None:
    data = page().partition('type="application/json"')[2]
    assert "ran aground" not in data


def test_of_many_documents_some_texts_are_left_out_and_counted() -> None:
    many = page(MOST + 3)
    assert many.count('class="timeline document"') == MOST
    assert "Of 3 more documents" in many


def test_both_curves_are_drawn_with_their_best_points() -> None:
    assert "precision over recall" in page()
    assert "strict: best F1 0.667 at 0.900" in page()
    assert "ROC of the scored responses" in page()
    assert "strict: area 1.000" in page()


def test_roc_of_one_kind_of_responses_is_said_to_be_undefined() -> None:
    gold = (Annotation("1", "EVENT", 0, 3),)
    predicted = (Annotation("1", "EVENT", 0, 3, score=0.9),)
    case = Case("d", Document("d", gold), Document("d", predicted), {"document": "d", "gold": "1"})
    done = score(Settings.make(FAMILY, metrics=("spans-curve",)), {"new": [case]})
    assert "strict: undefined, all responses are of one kind" in report(done.result)


def test_precision_bends_between_two_points() -> None:
    points = [RankingPoint(0.9, 1, 1, 2), RankingPoint(0.5, 4, 2, 2)]
    drawn = dict(_precisions(points))
    assert drawn[0.0] == drawn[0.5] == 1.0
    assert drawn[0.75] == pytest.approx(1.5 / 2.5)  # a straight line would have 0.75
    assert drawn[1.0] == 0.5
