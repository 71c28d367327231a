"""Baselines that every system should beat, made from the articles of a topic.

They know two things about a gold, its number of dates and of sentences a date, as it is usual for
systems in this field, and never see its dates or texts. Nothing depends on the order of articles.

>>> topic = {
...     "articles": [
...         {"published": "2011-02-12", "text": "Mubarak has resigned. Crowds cheered."},
...         {"published": "2011-02-12", "text": "Egypt celebrates."},
...         {"published": "2011-01-26", "text": "Protests began in Cairo."},
...     ],
...     "gold_timelines": {"2011-02-11": ["Mubarak resigns.", "The army takes over."]},
... }
>>> [(str(day), texts) for day, texts in FrequentDates().run(topic).days]
[('2011-02-12', ('Egypt celebrates.', 'Mubarak has resigned.'))]
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import sha256
from itertools import chain, count, islice, zip_longest
from os import PathLike
from typing import Any, ClassVar, NamedTuple

from chronoscore.core.case import digest, some
from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source, source_of
from chronoscore.elements.articles import Article, CutArticle, articles_of, read_topics
from chronoscore.elements.dated.model import References, Timeline
from chronoscore.elements.dated.values import Policies, Values, topic_field
from chronoscore.elements.time import TimeError
from chronoscore.elements.time.expressions.lexicon import load_lexicon
from chronoscore.elements.time.expressions.sentences import split_sentences
from chronoscore.elements.time.reading import read_day
from chronoscore.errors import DataError


class Size(NamedTuple):
    """How long a timeline is."""

    dates: int
    sentences: int
    """How many sentences each date has."""

    @classmethod
    def of(cls, golds: References) -> "Size":
        """Return the mean size of some golds, rounded as news-tls does, to even if it is halfway.

        >>> Size.of((Timeline.of({date(2011, 1, 25): ["a", "b"], date(2011, 2, 11): ["c"]}),))
        Size(dates=2, sentences=2)
        """
        days = [len(texts) for gold in golds for _, texts in gold.days]
        if not days:
            return cls(0, 0)
        return cls(round(len(days) / len(golds)), max(1, round(sum(days) / len(days))))


class DatedArticle(NamedTuple):
    """An article that baselines can use: its day, and at least one sentence."""

    day: date
    sentences: tuple[str, ...]


Predict = Callable[[Size], Timeline]
"""Makes the timeline of a topic in a given size."""


@dataclass(frozen=True)
class Baseline:
    """A pipeline for `evaluate_all`: `run` takes a topic with `articles` and `gold_timelines`.

    `size` is that of the timelines; without it, a timeline is as long as the golds are on average.
    """

    size: Size | None = None
    name: ClassVar[str]
    """What tables call it."""

    def run(self, topic: Any, /) -> Timeline:
        """Make the timeline of a topic."""
        size = self.size
        if size is None:
            problems = Problems()
            values = Values(problems, Policies({"dates": "interval"}, "gold"))
            golds = values.golds(topic_field(topic, "gold_timelines"), "gold")
            problems.check()
            size = Size.of(tuple(golds.values()))
        articles = topic_field(topic, "articles")
        if isinstance(articles, str | PathLike):
            problems = Problems()
            articles = chain(*read_topics(source_of(articles), problems).values())
            problems.check()
        return self.predictor(dated(articles_of(articles)))(size)

    def predictor(self, articles: Sequence[DatedArticle]) -> Predict:
        """Prepare the timelines of a topic, so that one can be made for each of its golds."""
        raise NotImplementedError


@dataclass(frozen=True)
class FrequentDates(Baseline):
    """The days with the most articles, the earlier of equally frequent ones, with lead sentences.

    A day has the first sentence of each of its articles, in alphabetical order, then the second
    ones, and so on.

    >>> articles = [{"published": "2011-02-12", "text": "Mubarak has resigned. Crowds cheered."}]
    >>> gold = {"2011-02-11": ["Mubarak resigns."]}
    >>> FrequentDates().run({"articles": articles, "gold_timelines": gold}).days[0][1]
    ('Mubarak has resigned.',)
    """

    name = "(frequent dates)"

    def predictor(self, articles: Sequence[DatedArticle]) -> Predict:
        """Rank the days of a topic by their articles."""
        by_day: dict[date, list[tuple[str, ...]]] = {}
        for day, sentences in articles:
            by_day.setdefault(day, []).append(sentences)
        ranked = sorted(by_day, key=lambda day: (-len(by_day[day]), day))

        def lead(day: date, most: int) -> Iterable[str]:
            by_place = zip_longest(*sorted(by_day[day]), fillvalue="")
            return islice(dict.fromkeys(filter(None, chain(*by_place))), most)

        return lambda size: Timeline.of(
            {day: lead(day, size.sentences) for day in ranked[: size.dates]}
        )


@dataclass(frozen=True)
class RandomDates(Baseline):
    """Days drawn uniformly between the first and the last article, with sentences of any article.

    Draws are hashes of the seed and the articles, so that they depend on nothing else.

    >>> articles = [{"published": f"2011-02-{day}", "text": "Crowds cheered."} for day in (12, 28)]
    >>> topic = {"articles": articles, "gold_timelines": {"2011-02-11": ["Mubarak resigns."]}}
    >>> RandomDates(seed=7).run(topic) == RandomDates(seed=7).run(topic)
    True
    """

    seed: int = 0
    name = "(random)"

    def predictor(self, articles: Sequence[DatedArticle]) -> Predict:
        """Put the days and the sentences of a topic in random order."""
        salt = digest(sorted((day.isoformat(), *sentences) for day, sentences in articles))

        def drawn(text: object) -> int:
            return int.from_bytes(sha256(f"{self.seed} {salt} {text}".encode()).digest())

        days = [day for day, _ in articles]
        span = (max(days) - min(days)).days + 1 if days else 0
        every = {text for _, sentences in articles for text in sentences}
        sentences = sorted(every, key=lambda text: (drawn(text), text))

        def predict(size: Size) -> Timeline:
            chosen: dict[int, None] = {}
            draws = count()
            while len(chosen) < min(size.dates, span):
                chosen[drawn(next(draws)) % span] = None
            most = min(size.sentences, len(sentences))
            return Timeline.of(
                {
                    min(days) + timedelta(day): [
                        sentences[(place * most + at) % len(sentences)] for at in range(most)
                    ]
                    for place, day in enumerate(chosen)
                }
            )

        return predict


def dated(articles: Iterable[Article], problems: Problems | None = None) -> list[DatedArticle]:
    """Return the articles that have a day and a text, cut into sentences; count the others.

    Texts are cut as in English; those of another language only at lines, unless they are cut.
    """
    lexicon = load_lexicon("en")
    usable, others = [], []
    for article in articles:
        try:
            day = read_day(article.published) if article.published else None
        except TimeError as error:
            raise DataError.of(f"the article '{article.id}' has no day: {error}") from None
        cut = article.sentences if isinstance(article, CutArticle) else ()
        texts = cut or split_sentences(article.text, lexicon)
        sentences = tuple(filter(None, (" ".join(text.split()) for text in texts)))
        if day and sentences:
            usable.append(DatedArticle(day, sentences))
        else:
            others.append((0, article.id))
    if problems:
        problems.count("{count} article{s} without a day or a text left out: {some}", others)
    return usable


def articles_by_topic(
    topics: Collection[str], source: Source, problems: Problems
) -> dict[str, list[Article]]:
    """Read the articles of topics; those that name no topic are of the only one."""
    articles = read_topics(source, problems)
    if [*articles] == [""] and len(topics) == 1:
        return dict(zip(topics, articles.values(), strict=True))
    if articles and articles.keys().isdisjoint(topics):
        names = some(sorted(filter(None, articles))) or "no topic"
        problems.problem(
            f"the articles are of {names}, the golds of {some(sorted(topics))}: expected the same "
            "names, as the field 'topic' or as folders",
            source,
        )
    return articles


def predictions(
    references: Mapping[str, Mapping[str, References]],
    source: Source,
    seed: int,
    problems: Problems,
) -> dict[str, dict[str, dict[str, Timeline]]]:
    """Return what each baseline predicts for the golds of each topic, as long as they are."""
    articles = articles_by_topic(references, source, problems)
    problems.check()
    usable = {topic: dated(articles[topic], problems) for topic in references if topic in articles}
    if not any(usable.values()):
        problems.problem("no article of any topic has a date and a text to predict from", source)
        problems.check()
    predicted: dict[str, dict[str, dict[str, Timeline]]] = {}
    for baseline in (FrequentDates(), RandomDates(seed=seed)):
        topics = predicted[baseline.name] = {}
        for topic, several in usable.items():
            predict = baseline.predictor(several)
            topics[topic] = {n: predict(Size.of(gold)) for n, gold in references[topic].items()}
    problems.notice(
        f"{FrequentDates.name} has the days with the most articles and their first sentences, "
        f"{RandomDates.name} random days and sentences (seed {seed}); both have at most as many "
        "dates, and sentences a date, as the gold",
        source,
    )
    return predicted
