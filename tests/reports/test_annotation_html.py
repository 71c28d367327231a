"""The report of annotations: the data of their texts, precision over recall, and ROC."""

import json
from functools import cache
from typing import Any

import pytest
from reports.made import report

from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.model import Annotation, Document
from chronoscore.annotations.pages.report import RankingPoint, _precisions
from chronoscore.annotations.pages.texts import LONG, NEAR
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


def data(done: Scored) -> dict[str, Any]:
    """What the board of the page is drawn from."""
    whole = report(done.result, done.matches, done.texts)
    block = whole.partition('<script type="application/json" id="data">')[2]
    found: dict[str, Any] = json.loads(block.partition("</script>")[0])["cases"]
    return found


def spanned(text: str, *spans: tuple[int, int], features: str = "") -> Scored:
    """A document whose spans are all missing."""
    gold = tuple(
        Annotation(str(n), "EVENT", *span, features={"class": "red", "other": 1})
        for n, span in enumerate(spans)
    )
    case = Case("d", Document("d", gold, text), Document("d", ()), {"document": "d", "gold": "1"})
    settings = Settings.make(FAMILY, metrics=(f"spans({features})" if features else "spans",))
    return score(settings, {"new": [case]}, explain=True)


def in_units(text: str, start: int, end: int) -> str:
    """The part of a text between two places as a script counts them."""
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


def test_the_text_of_a_document_is_in_the_data_and_is_only_text() -> None:
    assert data(scored())["documents"] == [[[0, 0, TEXT]]]
    assert "<b>ship" not in page()


def test_spans_stand_with_their_types_in_the_order_of_the_items() -> None:
    found = data(scored())
    assert found["types"] == ["EVENT", "<i>"]
    assert found["gold"][0] == [["1 EVENT 14-17"], ["2 EVENT 32-37"]]
    assert found["goldSpans"] == [[14, 17, 0, 32, 37, 0]]
    assert found["predictedSpans"] == [[[14, 17, 0, 5, 9, 1]]]


@pytest.mark.parametrize("text", ["\U0001f680 rose \U0001f600", "غادرت \U0001f680 السفينة", "a\nb"])
def test_places_are_those_of_a_script(text: str) -> None:
    last = len(text) - 1
    done = spanned(text, (0, 1), (last, len(text)), (len(text), len(text)))
    (numbers,) = data(done)["goldSpans"]
    places = [(numbers[at], numbers[at + 1]) for at in range(0, 9, 3)]
    assert [in_units(text, *place) for place in places] == [text[0], text[last], ""]


def test_a_report_without_texts_says_how_to_have_them() -> None:
    assert data(scored(text=None))["documents"] == [None]
    assert "--texts" in page(text=None).partition('id="data"')[0]


def test_a_long_text_is_on_the_page_near_its_annotations() -> None:
    text = "\U0001f680" + "x" * (2 * LONG)
    far = LONG + 5
    ((first, second),) = data(spanned(text, (0, 1), (far, far + 2)))["documents"]
    assert first == [0, 0, text[: 1 + NEAR]]
    assert second == [far - NEAR + 1, far - NEAR, text[far - NEAR : far + 2 + NEAR]]


def test_all_texts_of_a_page_together_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chronoscore.annotations.pages.texts.MOST", 2 * len(TEXT) + 1)
    monkeypatch.setattr("chronoscore.annotations.pages.texts.NEAR", 1)
    texts = [[piece for *_, piece in pieces] for pieces in data(scored(3))["documents"]]
    assert texts[:2] == [[TEXT], [TEXT]]
    assert texts[2] == [TEXT[4:10], TEXT[13:18], TEXT[31:38]]


def test_an_annotation_beyond_its_text_has_no_place() -> None:
    assert data(spanned("short", (2, 9), (0, 5)))["goldSpans"] == [[-1, -1, -1, 0, 5, 0]]


def test_features_are_there_where_they_are_compared() -> None:
    assert data(spanned("text", (0, 4)))["gold"] == [[["0 EVENT 0-4"]]]
    found = data(spanned("text", (0, 4), features="features=class"))
    assert [[name, *map(found["texts"].__getitem__, at)] for name, *at in found["gold"][0]] == [
        ["0 EVENT 0-4", "class: red"]
    ]


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


def test_the_curve_goes_from_point_to_point_in_equal_steps_of_recall() -> None:
    points = [RankingPoint(0.9, 1, 1, 2), RankingPoint(0.5, 4, 2, 2)]
    recalls = [recall for recall, _ in _precisions(points)]
    assert recalls == [0.0, *(0.5 + step / 16 for step in range(9))]
