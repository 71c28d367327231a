"""Judgements of dates that contradict what the article's own words allow.

Only the sentence that the event's span lies in is looked at, and only two things are called a
contradiction: a date judged right that no expression in the sentence can mean, and a date judged
wrong although the sentence has one expression with one meaning, which is that very day. Where the
sentence has no expression there is no verdict: the date may come from elsewhere in the article.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from chronoscore.core.errors import UsageError
from chronoscore.core.event import Event
from chronoscore.elements.dates import parse_day
from chronoscore.elements.periods import Period
from chronoscore.rubric.codebook import Codebook, event_quality
from chronoscore.rubric.dates.expressions import Candidate, expressions, resolve
from chronoscore.rubric.formats.articles import Article
from chronoscore.rubric.judgement import Judgement

Verdict = Literal["judged right, not allowed", "judged wrong, but stated"]
_END = re.compile(r"[.!?][\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9])|\n+")
_NO_END = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Gen|Col|Sen|Rep|Gov|No|vs|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?"
    r"|Oct|Nov|Dec)|\b[A-Z])\.\s+$"
)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One judgement of a date against the words of the article."""

    judgement: Judgement
    event: Event
    published: date
    sentence: str
    found: tuple[tuple[str, tuple[Candidate, ...]], ...]
    """Each expression in the sentence and what it can mean."""
    verdict: Verdict

    def __str__(self) -> str:
        """Say it in one line, with all that it rests on."""
        means = "; ".join(
            f"'{text}' means {' or '.join(map(str, candidates))}" for text, candidates in self.found
        )
        return (
            f"event '{self.event.id}' by {self.judgement.evaluator}: {self.event.date} is "
            f"{self.verdict} (published {self.published}: {means})"
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
    names = [known.name for known in codebook.criteria]
    if criterion not in names:
        raise UsageError(f"no criterion '{criterion}' for dates; there are: {', '.join(names)}")
    place = names.index(criterion)
    wrong, right = codebook.criteria[place].allowed[0], codebook.criteria[place].allowed[-1]
    allowed = {event.id: found for event, found in _checkable(events, articles)}
    contradicted = []
    for judgement in sorted(judgements, key=lambda judgement: judgement.key):
        if judgement.event not in allowed:
            continue
        event, published, sentence, found = allowed[judgement.event]
        days = Period.parse(event.date or "")
        meanings = [candidate for _, candidates in found for candidate in candidates]
        fits = any(days.first <= m.last and m.first <= days.last for m in meanings)
        certain = len(meanings) == 1 and (meanings[0].first, meanings[0].last) == (
            days.first,
            days.last,
        )
        verdict: Verdict | None = None
        if judgement.values[place] == right and not fits:
            verdict = "judged right, not allowed"
        elif judgement.values[place] == wrong and certain and days.is_day:
            verdict = "judged wrong, but stated"
        if verdict:
            made = Contradiction(judgement, event, published, sentence, found, verdict)
            contradicted.append(made)
    return contradicted


def checkable(events: Iterable[Event], articles: Iterable[Article]) -> frozenset[str]:
    """The ids of events whose date the article's words say anything about."""
    return frozenset(event.id for event, _ in _checkable(events, articles))


Checked = tuple[Event, date, str, tuple[tuple[str, tuple[Candidate, ...]], ...]]


def _checkable(
    events: Iterable[Event], articles: Iterable[Article]
) -> Iterator[tuple[Event, Checked]]:
    """Events with a date and a span in a dated article, in whose sentence dates are expressed.

    Where two events share an id but not the rest, it can't be told which was judged: neither is.
    """
    texts = {article.id: article for article in articles}
    by_id: dict[str, Event | None] = {}
    for event in events:
        by_id[event.id] = event if by_id.get(event.id, event) == event else None
    for known in by_id.values():
        if known is None or not known.date or known.span is None or known.article not in texts:
            continue
        article = texts[known.article]
        try:
            published = parse_day(article.published)
            Period.parse(known.date)
        except ValueError:
            continue  # their own readers tell of it
        sentence = sentence_of(article.text, *known.span)
        found = tuple(
            (text, tuple(candidates))
            for text in expressions(sentence)
            if (candidates := resolve(text, published))
        )
        if found:
            yield known, (known, published, sentence, found)


def sentence_of(text: str, start: int, end: int) -> str:
    """Give the sentence, or sentences, that a span lies in; nothing if it is not in the text.

    >>> sentence_of("He left. Mr. Smith came on Monday. She left.", 19, 23)
    'Mr. Smith came on Monday.'
    """
    if not 0 <= start < end <= len(text):
        return ""
    ends = [
        match.end()
        for match in _END.finditer(text)
        if "\n" in match[0] or not _NO_END.search(text, max(0, match.start() - 8), match.end())
    ]
    first = max((place for place in ends if place <= start), default=0)
    last = min((place for place in ends if place >= end), default=len(text))
    return text[first:last].strip()
