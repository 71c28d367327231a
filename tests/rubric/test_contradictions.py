"""Which judgements of dates the article's words contradict, and where there is no verdict."""

import pytest

from chronoscore.core.event import Event
from chronoscore.errors import UsageError
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.contradictions import Contradiction, check_events, contradictions
from chronoscore.rubric.formats import Article
from chronoscore.rubric.judgements import Judgement

TEXT = "A bomb exploded in Kabul on Monday. Mr. Hill died yesterday. The talks go on. He spoke."
ARTICLE = Article(id="a", published="2024-03-01", text=TEXT)


def found_in(judgements: list[Judgement], events: list[Event]) -> list[Contradiction]:
    return contradictions(judgements, check_events(events, [ARTICLE]))


def event(word: str, day: str | None) -> Event:
    start = TEXT.index(word)
    return Event(id="e", article="a", span=(start, start + len(word)), date=day)


def verdicts(word: str, day: str | None, judged: int) -> list[str]:
    made = [Judgement("e", "ana", (judged, 1, 1, 3, 3))]
    return [str(one.kind) for one in found_in(made, [event(word, day)])]


@pytest.mark.parametrize(
    ("word", "day", "judged", "expected"),
    [
        ("exploded", "2024-02-26", 1, []),
        ("exploded", "2024-03-04", 1, ["judged right, but contradicted"]),
        ("exploded", "2024-02-27", 1, ["judged right, but contradicted"]),
        ("exploded", "2024-02-27", 0, []),
        ("exploded", "2024-02-26", 0, []),
        ("exploded", "2024-02", 1, []),
        ("exploded", "2023", 1, ["judged right, but contradicted"]),
        ("died", "2024-02-29", 1, []),
        ("died", "2024-02-29", 0, ["judged wrong, but stated"]),
        ("died", "2024-03-01", 1, ["judged right, but contradicted"]),
        ("talks", "2024-03-01", 1, []),
        ("died", None, 1, []),
        ("died", "soon", 1, []),
    ],
)
def test_only_clear_contradictions_are_told(
    word: str, day: str | None, judged: int, expected: list[str]
) -> None:
    assert verdicts(word, day, judged) == expected


def test_a_contradiction_explains_itself() -> None:
    made = [Judgement("e", "ana", (1, 1, 1, 3, 3))]
    (found,) = found_in(made, [event("died", "2024-03-01")])
    assert found.checked.sentence == "Mr. Hill died yesterday."
    assert str(found) == (
        "event 'e' by ana: 2024-03-01 is judged right, but contradicted "
        "(published 2024-03-01: 'yesterday' means 2024-02-29)"
    )


def test_what_can_not_be_checked_is_left_alone() -> None:
    made = [Judgement("e", "ana", (1, 1, 1, 3, 3)), Judgement("other", "ana", (1, 1, 1, 3, 3))]
    wrong = event("died", "2024-03-01")
    for events, articles in (
        ([wrong], []),
        ([wrong], [Article(id="a", text=TEXT)]),
        ([wrong], [Article(id="a", published="2024-03-01", text="Short.")]),
        ([Event(id="e", article="a", date="2024-03-01")], [ARTICLE]),
        ([wrong, event("died", "2024-02-29")], [ARTICLE]),
    ):
        assert contradictions(made, check_events(events, articles)) == []


def test_a_codebook_without_dates_is_refused() -> None:
    with pytest.raises(UsageError, match="no criterion 'day'"):
        contradictions([], {}, event_quality(), criterion="day")


GERMAN = Article(id="de", published="2024-03-01", text="Herr Hill starb yesterday.", language="de")
SPANISH = Article(
    id="es",
    published="2024-03-01",
    text="El gobierno anuncia la retirada de las tropas en la frontera. " * 6
    + "Hill died yesterday.",
)


@pytest.mark.parametrize("article", [GERMAN, SPANISH], ids=["by its field", "by its text"])
def test_there_is_no_verdict_on_an_article_in_another_language(article: Article) -> None:
    start = article.text.index("yesterday")
    wrong = Event(id="e", article=article.id, span=(start, start + 9), date="2024-03-01")
    (checked,) = check_events([wrong], [article]).values()
    assert checked.assessment.verdict == "open"
    assert checked.assessment.reasons == ("the article is not in English",)
    (checked,) = check_events([wrong], [article], "en").values()
    assert checked.assessment.verdict == "contradicted"
    (checked,) = check_events([wrong], [article], "fr-CA").values()
    assert checked.assessment.verdict == "open"
