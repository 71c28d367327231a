"""Judgements of dates that contradict what the article's own words allow.

Only the sentence that the event's span lies in is looked at, and only two things are called a
contradiction: a date judged right that the sentence contradicts, and a date judged wrong although
the sentence has one expression with one meaning, which is that very day. Where the sentence leaves
the date open, or dates in words are not known in the article's language, there is no verdict.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal

from chronoscore.core.event import Event
from chronoscore.elements.articles import Article
from chronoscore.elements.time import Time, TimeError
from chronoscore.elements.time.expressions.lexicon import Lexicon, known_names, lexicon_for
from chronoscore.elements.time.expressions.sentences import Assessment, assess, sentence_span
from chronoscore.elements.time.reading import read_day
from chronoscore.errors import UsageError
from chronoscore.rubric.codebook import Codebook, event_quality
from chronoscore.rubric.judgements import Judgement

Kind = Literal["judged right, but contradicted", "judged wrong, but stated"]


@dataclass(frozen=True, slots=True)
class CheckedEvent:
    """An event whose date was compared with the sentence of its article."""

    event: Event
    published: date
    sentence: str
    """Empty where dates in words are not known in the article's language."""
    assessment: Assessment


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One judgement of a date against the words of the article."""

    judgement: Judgement
    checked: CheckedEvent
    kind: Kind

    def __str__(self) -> str:
        """Say it in one line, with all that it rests on."""
        return (
            f"event '{self.checked.event.id}' by {self.judgement.evaluator}: "
            f"{self.checked.event.date} is {self.kind} "
            f"(published {self.checked.published}: {self.checked.assessment.meanings})"
        )


def contradictions(
    judgements: Iterable[Judgement],
    checked: Mapping[str, CheckedEvent],
    codebook: Codebook | None = None,
    *,
    criterion: str = "date",
) -> list[Contradiction]:
    """Find judgements of dates that the article's words contradict, in their order by event.

    `checked` are the events that `check_events` compared. `criterion` is the name of the
    codebook's criterion for dates; its lowest value is "wrong" and its highest "right".
    """
    codebook = codebook or event_quality()
    names = [item.name for item in codebook.criteria]
    if criterion not in names:
        raise UsageError(f"no criterion '{criterion}' for dates; there are: {', '.join(names)}")
    place = names.index(criterion)
    wrong, *_, right = codebook.criteria[place].allowed
    found = []
    for judgement in sorted(judgements, key=lambda judgement: judgement.key):
        compared, value = checked.get(judgement.event), judgement.values[place]
        if compared and value == right and compared.assessment.verdict == "contradicted":
            found.append(Contradiction(judgement, compared, "judged right, but contradicted"))
        elif compared and value == wrong and _is_stated(compared):
            found.append(Contradiction(judgement, compared, "judged wrong, but stated"))
    return found


def _is_stated(checked: CheckedEvent) -> bool:
    days = Time.parse(checked.event.date or "")
    meanings = [day for each in checked.assessment.expressions for day in each.candidates]
    return checked.assessment.stated and all(
        day.first == day.last == days.first == days.last for day in meanings
    )


@cache
def unknown_language() -> Assessment:
    """The verdict on events whose article is in a language that has no lexicon.

    >>> unknown_language().reasons
    ('the article is not in English',)
    """
    return Assessment("open", (), (f"the article is not in {known_names()}",))


def check_events(
    events: Iterable[Event], articles: Iterable[Article], language: str = ""
) -> dict[str, CheckedEvent]:
    """Compare the date of each event with its sentence, by the event's id.

    An event needs a date and a span in an article with a publication date. Events that share an
    id but nothing else are left out, since a judgement does not say which of them it means.
    `language` overrides what the articles say of theirs, or what their texts look like.
    """
    texts = {article.id: article for article in articles}
    by_id: dict[str, Event | None] = {}
    for event in events:
        by_id[event.id] = event if by_id.get(event.id, event) == event else None
    lexicons: dict[str, Lexicon | None] = {}
    checked = {}
    for candidate in by_id.values():
        article = texts.get(candidate.article) if candidate else None
        if candidate is None or article is None or not candidate.date or candidate.span is None:
            continue
        try:
            published, days = read_day(article.published), Time.parse(candidate.date)
        except TimeError:
            continue  # the readers of both files report it
        if article.id not in lexicons:
            lexicons[article.id] = lexicon_for(article.text, language or article.language)
        lexicon = lexicons[article.id]
        if lexicon is None:
            checked[candidate.id] = CheckedEvent(candidate, published, "", unknown_language())
            continue
        first, last = sentence_span(article.text, *candidate.span, lexicon)
        sentence = article.text[first:last]
        place = (candidate.span[0] - first, candidate.span[1] - first)
        assessment = assess(sentence, published, days.first, days.last, lexicon, place)
        checked[candidate.id] = CheckedEvent(candidate, published, sentence, assessment)
    return checked
