"""Judgements of dates that contradict what the article's own words allow.

Only the sentence that the event's span lies in is looked at, and only two things are called a
contradiction: a date judged right that the sentence contradicts, and a date judged wrong although
the sentence has one expression with one meaning, which is that very day. Where the sentence leaves
the date open there is no verdict.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from chronoscore.core.event import Event
from chronoscore.elements.dates import Period, parse_day
from chronoscore.errors import UsageError
from chronoscore.rubric.codebook import Codebook, event_quality
from chronoscore.rubric.dates.sentences import Assessment, assess
from chronoscore.rubric.formats.articles import Article
from chronoscore.rubric.judgements import Judgement

Kind = Literal["judged right, but contradicted", "judged wrong, but stated"]
_END = re.compile(r"[.!?][\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9])|\n+")
_NO_END = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Gen|Col|Sen|Rep|Gov|No|vs|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?"
    r"|Oct|Nov|Dec)|\b[A-Z])\.\s+$"
)


@dataclass(frozen=True, slots=True)
class CheckedEvent:
    """An event whose date was compared with the sentence of its article."""

    event: Event
    published: date
    sentence: str
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
    events: Iterable[Event],
    articles: Iterable[Article],
    codebook: Codebook | None = None,
    *,
    criterion: str = "date",
) -> list[Contradiction]:
    """Find judgements of dates that the article's words contradict, in their order by event.

    `criterion` is the name of the codebook's criterion for dates; its lowest value is "wrong"
    and its highest "right".
    """
    codebook = codebook or event_quality()
    names = [item.name for item in codebook.criteria]
    if criterion not in names:
        raise UsageError(f"no criterion '{criterion}' for dates; there are: {', '.join(names)}")
    place = names.index(criterion)
    wrong, *_, right = codebook.criteria[place].allowed
    checked = check_events(events, articles)
    found = []
    for judgement in sorted(judgements, key=lambda judgement: judgement.key):
        compared, value = checked.get(judgement.event), judgement.values[place]
        if compared and value == right and compared.assessment.verdict == "contradicted":
            found.append(Contradiction(judgement, compared, "judged right, but contradicted"))
        elif compared and value == wrong and _is_stated(compared):
            found.append(Contradiction(judgement, compared, "judged wrong, but stated"))
    return found


def _is_stated(checked: CheckedEvent) -> bool:
    days = Period.parse(checked.event.date or "")
    meanings = [day for each in checked.assessment.expressions for day in each.candidates]
    return checked.assessment.stated and all(
        day.first == day.last == days.first == days.last for day in meanings
    )


def check_events(events: Iterable[Event], articles: Iterable[Article]) -> dict[str, CheckedEvent]:
    """Compare the date of each event with its sentence, by the event's id.

    An event needs a date and a span in an article with a publication date. Events that share an
    id but nothing else are left out, since a judgement does not say which of them it means.
    """
    texts = {article.id: article for article in articles}
    by_id: dict[str, Event | None] = {}
    for event in events:
        by_id[event.id] = event if by_id.get(event.id, event) == event else None
    checked = {}
    for candidate in by_id.values():
        article = texts.get(candidate.article) if candidate else None
        if candidate is None or article is None or not candidate.date or candidate.span is None:
            continue
        try:
            published, days = parse_day(article.published), Period.parse(candidate.date)
        except ValueError:
            continue  # the readers of both files report it
        first, last = sentence_span(article.text, *candidate.span)
        sentence = article.text[first:last]
        place = (candidate.span[0] - first, candidate.span[1] - first)
        assessment = assess(sentence, published, days.first, days.last, place)
        checked[candidate.id] = CheckedEvent(candidate, published, sentence, assessment)
    return checked


def sentence_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Find the sentence, or sentences, that a span lies in; (0, 0) if it is not in the text.

    >>> text = "He left. Mr. Smith came on Monday. She left."
    >>> text[slice(*sentence_span(text, 19, 23))]
    'Mr. Smith came on Monday.'
    """
    if not 0 <= start < end <= len(text):
        return 0, 0
    ends = [
        match.end()
        for match in _END.finditer(text)
        if "\n" in match[0] or not _NO_END.search(text, max(0, match.start() - 8), match.end())
    ]
    first = max((place for place in ends if place <= start), default=0)
    last = min((place for place in ends if place >= end), default=len(text))
    return first, first + len(text[first:last].rstrip())
