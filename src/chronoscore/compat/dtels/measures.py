"""The three measures of DTELS, and their mean for a topic."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from itertools import accumulate
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from chronoscore.core.records import misfits
from chronoscore.core.sources import odd_character
from chronoscore.elements.assignment import minimum_assignment
from chronoscore.elements.text.segmenters import jieba
from chronoscore.elements.text.sequences import longest_common, places
from chronoscore.errors import DataError, Problem

Id = str | int
Tokens = Callable[[str], Sequence[str]]
"""Cuts a text into tokens; blanks and marks are tokens too."""
WHOLE_GOLD = "N"
"""The level that is the gold timeline itself."""
_SEGMENT = 256
_SHORTEST_SEGMENT = 20
_DAYS_AROUND = 60
_BEST = 3
_STABLE_UP_TO = 16
"""So many segments the original sorts stably, on a processor without vector sorting."""
_NO_EDGE = 1e-6
_LEAST_EDGE = 1e-5
_NO_LINES = "ValueError: Collections must contain at least 1 sentence."
_LINE_END = re.compile(r"(?:[。！？?]|\.{6}|…{2})(?=[^”’])|[。！？?][”’](?=[^，。！？?])")


class DtelsNode(msgspec.Struct, frozen=True):
    """A node of a timeline; in a prediction it may name the topic whose articles it is from."""

    id: Id = ""
    time: str = ""
    summary: str = ""
    atoms: tuple[str, ...] = ()
    topic_id: Id | None = None


class DtelsArticle(msgspec.Struct, frozen=True):
    """An article of a topic."""

    time: str = ""
    title: str = ""
    content: str = ""


class DtelsLevel(msgspec.Struct, frozen=True):
    """A coarser timeline of a gold."""

    timeline: tuple[DtelsNode, ...] = ()


class DtelsTopic(msgspec.Struct, frozen=True, kw_only=True):
    """The gold of a topic; without `timeline` or `meta_timeline` it only lends its articles."""

    docs: tuple[DtelsArticle, ...]
    timeline: tuple[DtelsNode, ...] | UnsetType = UNSET
    meta_timeline: dict[str, DtelsLevel] | UnsetType = UNSET

    def nodes(self, level: str = WHOLE_GOLD) -> tuple[DtelsNode, ...]:
        """Return the nodes of a level; those of the whole gold, if there is no such level."""
        return self.levels.get(level, self.levels[WHOLE_GOLD])

    @property
    def levels(self) -> dict[str, tuple[DtelsNode, ...]]:
        """The nodes of the gold and of each level, in the order of the file."""
        whole = () if self.timeline is UNSET else self.timeline
        meta = {} if self.meta_timeline is UNSET else self.meta_timeline
        levels = {name: level.timeline for name, level in meta.items() if name != WHOLE_GOLD}
        return {WHOLE_GOLD: whole, **levels}

    @property
    def is_scored(self) -> bool:
        """Whether the original scores it."""
        return self.timeline is not UNSET and self.meta_timeline is not UNSET


Nodes = Sequence[DtelsNode | Mapping[str, Any]]
_Kind = TypeVar("_Kind")


class DroppedTopicError(ValueError):
    """Says what makes the original raise an exception, so that it leaves the topic out."""

    def __init__(self, reason: str, original: str = "") -> None:
        super().__init__(reason)
        self.original = original
        """The exception of the original, where it is known."""


# Entailment


def jieba_tokens(text: str) -> Sequence[str]:
    """Return the tokens of jieba 0.42.1.

    >>> jieba_tokens("警方在开罗恢复了供电")
    ['警方', '在', '开罗', '恢复', '了', '供电']
    """
    try:
        return jieba()([text])
    except UnicodeEncodeError:
        raise DataError.of(f"the text {text[:20]!r} {odd_character(text)}") from None


def entailment(text: str, atom: str, tokens: Tokens = jieba_tokens) -> float:
    """Return how much of an atom a text says: longest common subsequence / tokens of the atom.

    >>> entailment("警方未在开罗恢复供电", "警方在开罗恢复了供电")
    0.8333333333333334
    """
    said, asked = _sequence(text, tokens), _sequence(atom, tokens)
    return longest_common(places(asked), len(asked), said) / len(asked)


@lru_cache(maxsize=1 << 14)
def _sequence(text: str, tokens: Tokens) -> tuple[str, ...]:
    """Return what the original compares: the tokens, and an empty one for each blank line."""
    broken = _LINE_END.sub(r"\g<0>\n", " ".join(tokens(text))).rstrip()
    lines = [line.split() or [""] for line in broken.split("\n") if line]
    if not lines:
        raise DroppedTopicError(f"{text[:20]!r} has no words", _NO_LINES)
    return tuple(token for line in lines for token in line)


# Informativeness


@dataclass(frozen=True)
class Informativeness:
    """The score, and the pairs of a predicted and a gold node with what each adds to it."""

    score: float
    matches: tuple[tuple[int, int, float], ...] = ()


def ordinal(time: str) -> int:
    """Return the day of a time in the calendar of the original; 0 if it reads none.

    >>> ordinal("2012-01-01") - ordinal("2011-12-26"), ordinal("2011-12"), ordinal("")
    (0, 0, 0)
    """
    try:
        year, month, day = map(int, time.partition("T")[0].split("-"))
    except ValueError:
        return 0
    return year * 366 + month * 31 + day


def _closeness(predicted: Iterable[DtelsNode], gold: Iterable[DtelsNode]) -> NDArray[np.float64]:
    days = [ordinal(node.time) for node in gold]
    rows = [[1 / (abs(ordinal(node.time) - day) + 1) for day in days] for node in predicted]
    return np.array(rows, dtype=np.float64)


def informativeness(
    predicted: Nodes, gold: Nodes, tokens: Tokens = jieba_tokens
) -> Informativeness:
    """Match predicted and gold nodes, and divide what the matches add by the predicted nodes.

    >>> node = {"time": "2011-12-26", "atoms": ["警方在开罗恢复了供电"]}
    >>> informativeness([{**node, "time": "2012-01-01"}], [node, {**node, "atoms": ["医生罢工"]}])
    Informativeness(score=1.0, matches=((0, 0, 1.0),))
    """
    rows, columns = nodes_of(predicted), nodes_of(gold)
    if not rows or not columns:
        return Informativeness(0.0)
    told = np.array([[_told(row, column, tokens) for column in columns] for row in rows])
    credits = told * _closeness(rows, columns)
    pairs = minimum_assignment(-credits)
    matches = [
        (int(i), int(j), float(credits[i, j])) for i, j in zip(*pairs, strict=True) if credits[i, j]
    ]
    return Informativeness(float(credits[pairs].sum() / len(rows)), tuple(matches))


def _told(predicted: DtelsNode, gold: DtelsNode, tokens: Tokens) -> float:
    asked = not_blank(gold.atoms)
    if not predicted.atoms or not asked:
        return 0.0
    text = joined(predicted.atoms)
    if not text:
        raise DroppedTopicError(f"node {predicted.id!r} has only blank atoms", _NO_LINES)
    return float(np.mean([entailment(text, atom, tokens) for atom in asked]))


def not_blank(atoms: Iterable[str]) -> list[str]:
    """Return the atoms that are not blank."""
    return [atom for atom in atoms if atom.strip()]


def joined(atoms: Iterable[str]) -> str:
    """Return the atoms as one text, as the original joins them."""
    return "。".join(not_blank(atoms))


# Granularity


@dataclass(frozen=True)
class Granularity:
    """The score, which is that of the whole gold, and what it is computed from."""

    score: float
    levels: Mapping[str, float] = field(default_factory=dict)
    matched_edges: int = 0
    gold_edges: int = 0


def granularity(
    predicted: Nodes,
    gold: DtelsTopic | Mapping[str, Any],
    matches: Sequence[tuple[int, int, float]],
    level: str = WHOLE_GOLD,
) -> Granularity:
    """Assign neighbours among the matched nodes to neighbours among the gold nodes.

    `matches` are those of the informativeness at the same level.
    """
    if len(matches) < 2:
        return Granularity(0.0)
    topic = _topic(gold)
    rows = [nodes_of(predicted)[i] for i, _, _ in matches]
    columns = [node for nodes in topic.levels.values() for node in nodes]
    ids, asked = [node.id for node in columns], topic.nodes(level)
    base = np.full((len(rows), len(columns)), _NO_EDGE)
    for row, (_, j, credit) in enumerate(matches):
        base[row, ids.index(asked[j].id)] = credit + _NO_EDGE
    base *= _closeness(rows, columns)
    edges = np.zeros_like(base)
    edges[:-1, :-1] = base[:-1, :-1] + base[1:, 1:]
    last = [end - 1 for end in accumulate(map(len, topic.levels.values()))]
    edges[:, last] = 0
    assigned = minimum_assignment(-edges)
    free = set(map(int, assigned[1]))
    most, before, scores = len(rows) - 1, 0, {}
    for name, end in zip(topic.levels, last, strict=True):
        free.discard(end)
        count = sum(column < end for column in free)
        scores[name] = min(count - before, most) / max(1, most)
        before = count
    matched = int((edges[assigned] > _LEAST_EDGE).sum())
    return Granularity(scores[WHOLE_GOLD], scores, matched, len(columns) - 1)


# Factuality


@dataclass(frozen=True)
class Factuality:
    """The score, the verdict on each atom of each node by its id, and where ties decide."""

    score: float
    facts: Mapping[Id, Mapping[int, bool]] = field(default_factory=dict)
    ties: tuple[Id, ...] = ()
    """Nodes for which the three best segments depend on the processor in the original."""


def factuality(
    predicted: Nodes,
    articles: Mapping[Id, Sequence[DtelsArticle | Mapping[str, Any]]],
    topic: Id = "",
    tokens: Tokens = jieba_tokens,
) -> Factuality:
    """Look for each atom in the three segments of articles that rank best for its node.

    `articles` are those of all topics, since a node may name another topic than its own.
    """
    facts: dict[Id, Mapping[int, bool]] = {}
    ties: dict[Id, None] = {}
    for node in nodes_of(predicted):
        home = topic if node.topic_id is None else node.topic_id
        if home not in articles:
            raise DroppedTopicError(f"node {node.id!r} names the unknown topic {home!r}")
        segments = _segments(node, converted(tuple(articles[home]), tuple[DtelsArticle, ...]))
        if not segments or not node.atoms:
            continue
        scores = bm25(segments, node.summary or joined(node.atoms))
        order = np.argsort(scores, kind="stable")[::-1]
        best = [segments[place] for place in order[:_BEST]]
        if _depends_on_processor(scores[order]):
            ties[node.id] = None
        facts[node.id] = {
            place: bool(atom.strip()) and any(entailment(text, atom, tokens) > 0.5 for text in best)
            for place, atom in enumerate(node.atoms)
        }
    shares = [sum(node.values()) / len(node) for id_, node in facts.items() if id_ != "fact_score"]
    return Factuality(_sum(shares) / len(shares) if shares else 0.0, facts, tuple(ties))


def _sum(numbers: Iterable[float]) -> float:
    """Add from left to right; from Python 3.12 on, `sum` rounds in another way."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def _depends_on_processor(descending: NDArray[np.float64]) -> bool:
    """Whether numpy's own sorting may put other segments among the best three.

    Without vector sorting it is stable for few segments, with AVX2 only where all scores are equal.
    """
    if len(descending) <= _BEST or descending[_BEST - 1] != descending[_BEST]:
        return False
    return len(descending) > _STABLE_UP_TO or bool(descending[0] != descending[-1])


def _segments(node: DtelsNode, articles: Sequence[DtelsArticle]) -> list[str]:
    """Cut the articles of the days around a node; all articles if there are none of those days."""
    day = day_of(node.time)
    near = [article for article in articles if _is_near(day, day_of(article.time))]
    texts = [f"{article.title}\n{article.content}" for article in near or articles]
    segments = [text[at : at + _SEGMENT] for text in texts for at in range(0, len(text), _SEGMENT)]
    return [segment for segment in segments if len(segment.strip()) > _SHORTEST_SEGMENT]


def day_of(time: str) -> date | None:
    """Return the day of a time in the real calendar, or None if it has none."""
    try:
        return date(*map(int, time.partition("T")[0].split("-")))
    except (ValueError, TypeError, OverflowError):
        return None


def _is_near(one: date | None, other: date | None) -> bool:
    return one is not None and other is not None and abs((one - other).days) <= _DAYS_AROUND


def bm25(segments: Sequence[str], query: str) -> NDArray[np.float64]:
    """Return the rank scores of segments, whose words are cut at white space.

    ``Σ idf(q) · f (k + 1) / (f + k (1 - b + b · length / mean length))`` over the words q of the
    query, f times in the segment; k = 1.5, b = 0.75, ``idf(q) = ln(N - n + 0.5) - ln(n + 0.5)`` for
    n of N segments; where that is negative, a quarter of the mean idf (Robertson et al. 1995;
    the operations are in the order of rank-bm25 0.2.2, so that rounding is the same).

    >>> bm25(["a b", "a c", "a d"], "a b").round(3).tolist()
    [0.485, -0.026, -0.026]
    """
    words = [Counter(segment.split()) for segment in segments]
    lengths = np.array([count.total() for count in words])
    mean_length = int(lengths.sum()) / len(words)
    found = Counter(word for count in words for word in count)
    idf = {
        word: math.log(len(words) - number + 0.5) - math.log(number + 0.5)
        for word, number in found.items()
    }
    floor = 0.25 * (_sum(idf.values()) / len(idf))
    scores = np.zeros(len(words))
    for word in query.split():
        weight = idf.get(word, 0.0)
        times = np.array([count[word] for count in words])
        shares = times * 2.5 / (times + 1.5 * (0.25 + 0.75 * lengths / mean_length))
        scores += (floor if weight < 0 else weight) * shares
    return scores


# Topics and collections


@dataclass(frozen=True)
class DtelsScore:
    """The three numbers of a topic, or of a collection, and their mean."""

    informativeness: float
    granularity: float
    factuality: float
    score: float


@dataclass(frozen=True)
class DtelsTopicScore:
    """The numbers of a topic, with what they are computed from."""

    informativeness: Informativeness
    granularity: Granularity
    factuality: Factuality

    @property
    def numbers(self) -> DtelsScore:
        """The three numbers and their mean."""
        three = (self.informativeness.score, self.granularity.score, self.factuality.score)
        return DtelsScore(*three, _sum(three) / 3)


def score_topic(
    predicted: Nodes,
    gold: DtelsTopic | Mapping[str, Any],
    level: str = WHOLE_GOLD,
    *,
    articles: Mapping[Id, Sequence[DtelsArticle | Mapping[str, Any]]] | None = None,
    topic: Id = "",
    tokens: Tokens = jieba_tokens,
) -> DtelsTopicScore:
    """Score the nodes of one topic against its gold, as the original does.

    `articles` are those of other topics, by topic, for nodes that name one. Raises a
    `DroppedTopicError` where the original leaves the topic out.
    """
    whole, nodes = _topic(gold), nodes_of(predicted)
    told = informativeness(nodes, whole.nodes(level), tokens)
    return DtelsTopicScore(
        told,
        granularity(nodes, whole, told.matches, level),
        factuality(nodes, {**(articles or {}), topic: whole.docs}, topic, tokens),
    )


def _topic(gold: DtelsTopic | Mapping[str, Any]) -> DtelsTopic:
    return gold if isinstance(gold, DtelsTopic) else converted(gold, DtelsTopic)


def nodes_of(nodes: Nodes) -> tuple[DtelsNode, ...]:
    """Return nodes of any form as values."""
    return converted(tuple(nodes), tuple[DtelsNode, ...])


def converted(value: Any, kind: type[_Kind]) -> _Kind:
    """Return records as values of their type; what does not fit is an error in words."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise DataError(map(Problem, misfits(value, kind))) from None
