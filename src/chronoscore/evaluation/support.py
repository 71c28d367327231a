"""Whether what an event says, and its date, are in its article, and in which sentence.

No model reads anything here, so the words are `mentioned`, `unsure` and `not found`: an article
that denies an event mentions it. `supported` comes from verdicts alone (`evaluation.verdicts`).

**Evidence.** The coverage of an event by a sentence is the share of the event's content words that
the sentence has, weighted by log((n + 1) / (df + 0.5)) over the n sentences of the article, and
averaged with the same over the sentence and its two neighbours. The sentence with the largest
coverage is the evidence; if no sentence has any of the words, there is none.

**What** is `mentioned` if the coverage is at least 0.6 and the article has every number of the
event, `not found` if it is below 0.35 or a number is missing, else `unsure`.

**When** is `mentioned` if an expression of time in the evidence, counted from the day of
publication, can mean the event's date, and `not found` if the evidence gives no date. If it gives
other dates only, it is `contradicted` as long as the coverage is at least 0.6 and every expression
is understood, else `unsure`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import chain, pairwise
from math import fsum, log
from typing import Literal

from chronoscore.core.event import Event
from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source
from chronoscore.elements.articles import Article, CutArticle
from chronoscore.elements.text import language_code, tokeniser
from chronoscore.elements.text.conflicts import numbers
from chronoscore.elements.text.quotations import is_quoted
from chronoscore.elements.text.sentences import sentences
from chronoscore.elements.time import Time, TimeError
from chronoscore.elements.time.expressions.finding import Expression, count_from, find
from chronoscore.elements.time.expressions.lexicon import Lexicon, known_names, lexicon_for
from chronoscore.elements.time.expressions.meanings import distinct
from chronoscore.elements.time.reading import read_day
from chronoscore.elements.time.refusal import UNDATED
from chronoscore.errors import UsageError
from chronoscore.evaluation.document import CriterionSupport, EventSupport, Outcome

MENTIONED_FROM = 0.6
"""The coverage from which an event is mentioned, and its date may be contradicted."""
FOUND_FROM = 0.35
"""The coverage below which an event is not found."""
_PLACES = 12
Scope = Literal["article", "collection"]
SCOPES: tuple[Scope, ...] = ("article", "collection")
"""The sentences that say how rare a word is."""
Weigh = Callable[[str], float]
_NO_TEXT = "the event has no text"
_NO_WORDS = "the event has no words that could be looked for"
_NO_ARTICLE = "there is no article with a text"
_NO_SENTENCE = "no sentence of the article has any of its words"
_NO_DATE = "the event has no date"
_NOT_ENGLISH = f"the article is not in {known_names()}"
_UNPUBLISHED = "it is not known when the article was published"
UNASKED = frozenset({_NO_TEXT, _NO_WORDS, _NO_ARTICLE, _NO_DATE, _NOT_ENGLISH, _UNPUBLISHED})
"""Reasons why a criterion could not be asked of an event; they are counted in notices."""
_RANK: Mapping[Outcome, int] = {"mentioned": 3, "unsure": 2, "contradicted": 1, "not found": 0}


@dataclass(frozen=True, eq=False)
class SearchedArticle:
    """An article, cut into sentences and their words."""

    article: Article

    @cached_property
    def text(self) -> str:
        """The text; that of an article which is cut already is its sentences."""
        cut = self.article.sentences if isinstance(self.article, CutArticle) else ()
        return self.article.text if self.article.text.strip() else "\n".join(cut)

    @cached_property
    def mode(self) -> str:
        """How words are read: as English, unless the article names another language."""
        is_english = language_code(self.article.language or "en") == "en"
        return "content" if is_english else "words"

    @cached_property
    def sentences(self) -> list[str]:
        """The sentences, by the rule `sentences.1`."""
        return sentences(self.text)

    @cached_property
    def words(self) -> list[frozenset[str]]:
        """The words of each sentence."""
        read = tokeniser(self.mode)
        return [frozenset(read([sentence])) for sentence in self.sentences]

    @cached_property
    def windows(self) -> list[frozenset[str]]:
        """The words of each sentence and its neighbours."""
        padded = [frozenset[str](), *self.words, frozenset[str]()]
        pairs = [one | two for one, two in pairwise(padded)]
        return [before | after for before, after in pairwise(pairs)]

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers of its sentences."""
        return frozenset[str]().union(*map(numbers, self.sentences))

    @cached_property
    def lexicon(self) -> Lexicon | None:
        """What is known of dates in words in its language; None if that is nothing."""
        return lexicon_for(self.text, self.article.language)

    @cached_property
    def published(self) -> date | None:
        """The day from which relative dates are counted; None if it is not known."""
        try:
            return read_day(self.article.published) if self.article.published else None
        except TimeError:  # not from a file, where days are checked
            return None

    @cached_property
    def weigh(self) -> Weigh:
        """The weight of a word among its sentences."""
        return weights(self.words)

    @cached_property
    def spans(self) -> list[tuple[int, int] | None]:
        """Where in the text each sentence stands; None where the text is not in NFC."""
        start, spans = 0, list[tuple[int, int] | None]()
        for sentence in self.sentences:
            words = re.compile(r"\s+".join(map(re.escape, sentence.split())))
            match = words.search(self.text, start)
            spans.append(match.span() if match else None)
            start = match.end() if match else start
        return spans

    def quotes(self, quotation: str) -> bool:
        """Whether a quotation is in its title or its text."""
        return any(is_quoted(quotation, text) for text in (self.article.title, self.text))


def weights(sentences: Sequence[frozenset[str]]) -> Weigh:
    """Return the weight of a word, the higher the fewer sentences have it; it is always above 0.

    >>> weigh = weights([frozenset({"moon", "eagle"}), frozenset({"moon"})])
    >>> [round(weigh(word), 3) for word in ("moon", "eagle", "mars")]
    [0.182, 0.693, 1.792]
    """
    frequency = Counter(word for words in sentences for word in words)
    number = len(sentences) + 1
    return lambda word: log(number / (frequency[word] + 0.5))


@dataclass(frozen=True, eq=False)
class Library:
    """The articles that events are looked for in."""

    by_topic: Mapping[str, Sequence[SearchedArticle]]
    """Where articles name no topic, all of them are under the empty name."""
    scope: Scope = "article"

    @classmethod
    def of(cls, topics: Mapping[str, Iterable[Article]], scope: str = "article") -> "Library":
        """Make the library of the articles of each topic, in whatever order they come."""
        if scope not in SCOPES:
            raise UsageError(f"scope is '{scope}', expected one of: {', '.join(SCOPES)}")
        by_topic = {
            topic: [
                SearchedArticle(article)
                for article in sorted(articles, key=lambda one: (one.id, one.published, one.text))
            ]
            for topic, articles in sorted(topics.items())
        }
        return cls(by_topic, "collection" if scope == "collection" else "article")

    @cached_property
    def articles(self) -> list[SearchedArticle]:
        """The articles of all topics."""
        return [*chain.from_iterable(self.by_topic.values())]

    @cached_property
    def _by_id(self) -> dict[tuple[str, str], list[SearchedArticle]]:
        """The articles of an id within a topic, and under the topic "*" in all of them."""
        named: dict[tuple[str, str], list[SearchedArticle]] = {}
        for topic, several in self.by_topic.items():
            for one in several:
                for place in (topic, "*"):
                    named.setdefault((place, one.article.id), []).append(one)
        return named

    @cached_property
    def _weigh(self) -> Weigh:
        """The weight of a word among the sentences of all articles."""
        return weights([words for one in self.articles for words in one.words])

    def weigh(self, article: SearchedArticle) -> Weigh:
        """Return the weights of words for an article, by the scope."""
        return article.weigh if self.scope == "article" else self._weigh

    def candidates(self, event: Event) -> Sequence[SearchedArticle]:
        """Return the event's article; or all articles of its topic, if it names none.

        Some collections use an id in several topics, or for several days: that of the event's
        topic comes first, and there may be several.
        """
        if event.article:
            of_topic = self._by_id.get((event.topic, event.article), [])
            return of_topic or self._by_id.get(("*", event.article), [])
        return self.by_topic.get(event.topic, self.by_topic.get("", ()))

    def article_of(self, found: EventSupport, topic: str) -> SearchedArticle | None:
        """Return the article that the evidence of an event is from; None if there is none."""
        of_topic = self._by_id.get((topic, found.article), [])
        for one in of_topic or self._by_id.get(("*", found.article), []):
            if one.sentences[found.place - 1 : found.place] == [found.sentence]:
                return one
        return None


@dataclass(frozen=True)
class EvidenceSentence:
    """The sentence of an article that covers most of an event."""

    article: SearchedArticle
    place: int
    coverage: float
    what: CriterionSupport

    @property
    def sentence(self) -> str:
        """The sentence."""
        return self.article.sentences[self.place]


def time_of(event: Event) -> Time | None:
    """Return the time of an event; None if it has no date, or one that is written as unknown.

    The reading is lenient: it reads what the strict one reads, equally, and the rest was refused.
    """
    try:
        return None if event.date is None else Time.parse(event.date, lenient=True)
    except TimeError as refused:
        if refused.kind == UNDATED:
            return None
        raise


def support(event: Event, library: Library) -> EventSupport:
    """Say whether an event and its date are mentioned, and by which sentence.

    >>> text = "The drivers began a strike on Monday. Nobody expected the unions to settle."
    >>> article = Article(id="a", published="2024-03-06", text=text)
    >>> library = Library.of({"": [article]})
    >>> event = Event(id="e", date="2024-03-04", text="Drivers strike.", article="a")
    >>> found = support(event, library)
    >>> found.what.outcome, found.when.outcome, found.sentence
    ('mentioned', 'mentioned', 'The drivers began a strike on Monday.')
    """
    searched = (evidence(event, article, library) for article in library.candidates(event))
    found = [one for one in searched if one is not None]
    if not found:
        reason = _NO_ARTICLE if event.text.strip() else _NO_TEXT
        missing = CriterionSupport("not found", reason)
        return EventSupport(missing, missing)
    best = max((_RANK[one.what.outcome], one.coverage) for one in found)
    first = [one for one in found if (_RANK[one.what.outcome], one.coverage) == best]
    dated = [(one, when(event, one)) for one in first]
    # Of equal articles the one that has the date counts, then the first by its id.
    chosen, date_support = max(dated, key=lambda pair: _RANK[pair[1].outcome])
    if not chosen.coverage:
        return EventSupport(chosen.what, date_support, article=event.article)
    return EventSupport(
        chosen.what,
        date_support,
        article=chosen.article.article.id,
        sentence=chosen.sentence,
        place=chosen.place + 1,
        span=chosen.article.spans[chosen.place],
        coverage=chosen.coverage,
    )


def evidence(event: Event, article: SearchedArticle, library: Library) -> EvidenceSentence | None:
    """Find the sentence of an article that covers most of an event; the first of equals.

    None if the event has no words, or the article no sentences.
    """
    words = sorted({*tokeniser(article.mode)([event.text])})
    if not article.sentences or not event.text.strip():
        return None
    weight = {word: library.weigh(article)(word) for word in words}
    total = 2 * fsum(weight.values())

    def share(place: int) -> float:
        both = (article.words[place], article.windows[place])
        shared = fsum(weight[word] for found in both for word in words if word in found)
        return round(shared / total, _PLACES) if total else 0.0

    coverage, place = max((share(place), -place) for place in range(len(article.sentences)))
    return EvidenceSentence(article, -place, coverage, _what(event, article, coverage, bool(words)))


def _what(
    event: Event, article: SearchedArticle, coverage: float, has_words: bool
) -> CriterionSupport:
    missing = sorted(
        numbers(event.text) - article.numbers, key=lambda digits: (len(digits), digits)
    )
    if missing:
        return CriterionSupport("not found", f"the article does not have {', '.join(missing)}")
    if not has_words:
        return CriterionSupport("not found", _NO_WORDS)
    if coverage >= MENTIONED_FROM:
        return CriterionSupport("mentioned")
    if coverage >= FOUND_FROM:
        return CriterionSupport("unsure")
    return CriterionSupport("not found", "" if coverage else _NO_SENTENCE)


def when(event: Event, found: EvidenceSentence) -> CriterionSupport:
    """Say whether the evidence gives the date of an event."""
    try:
        time = time_of(event)
    except TimeError as error:
        return CriterionSupport("not found", f"the date can't be read: {error}")
    if time is None:
        return CriterionSupport("not found", _NO_DATE)
    article = found.article
    if not found.coverage:
        return CriterionSupport("not found", _NO_SENTENCE)
    if article.lexicon is None or article.published is None:
        return CriterionSupport("unsure", _UNPUBLISHED if article.lexicon else _NOT_ENGLISH)
    return _compare(time, found, find(found.sentence, article.published, article.lexicon))


def _compare(
    time: Time, found: EvidenceSentence, expressions: Sequence[Expression]
) -> CriterionSupport:
    """Compare a time with what the expressions of its evidence can mean.

    A bound, such as "since 1971" or "before Friday", gives no date; but it contradicts none that
    it holds.
    """
    dated, unresolved = _resolved(expressions)
    meanings = [f"'{one.text}' means {' or '.join(map(str, one.candidates))}" for one in dated]
    meanings = meanings or ["the sentence gives no date"]
    reason = "; ".join([*meanings, *(f"not resolved: '{one.text}'" for one in unresolved)])
    holding = {
        one.kind
        for one in dated
        if any(day.overlaps(time.first, time.last) for day in one.candidates)
    }
    outcome: Outcome = "contradicted"
    if not dated:
        outcome = "not found"
    elif holding - {"bound"}:
        outcome = "mentioned"
    elif holding or unresolved or found.coverage < MENTIONED_FROM:
        outcome = "unsure"
    return CriterionSupport(outcome, reason)


def _resolved(expressions: Sequence[Expression]) -> tuple[list[Expression], list[Expression]]:
    """Return the expressions that mean days, and those that could, but are not understood.

    "Three days later" is counted from every date of the sentence.
    """
    dated = [one for one in expressions if one.is_dated]
    anchors = tuple(day for one in dated if one.kind == "date" for day in one.candidates)
    unresolved = [one for one in expressions if one.kind == "unknown"]
    for one in expressions:
        if one.kind == "offset":
            counted = distinct(count_from(anchors, *one.count))
            (dated if counted else unresolved).append(replace(one, candidates=counted))
    return dated, unresolved


def check_articles(
    events: Iterable[Event], library: Library, problems: Problems, source: Source
) -> None:
    """Report the events of a file that can't be looked for, since there is no article.

    Lenient reading accepts them; they are then not found.
    """
    found: dict[str, list[str]] = {}
    for event in events:
        candidates = library.candidates(event)
        if any(one.sentences for one in candidates):
            continue
        if not event.article:
            kind = "without an article, of topics that have no article with a text"
        elif candidates:
            kind = "whose article has no text"
        else:
            kind = "that name an article which is not given"
        name = f"'{event.id}' ({event.article})" if event.article else f"'{event.id}'"
        found.setdefault(kind, []).append(name)
    for kind, names in found.items():
        problems.accept_or_report(f"events {kind}: {len(names)}, first {names[0]}", source)
