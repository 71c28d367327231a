"""seqeval: spans from tags by its default mode and by five schemes, and their strict scores."""

from collections.abc import Iterator
from typing import NamedTuple

from peers.comparing import Chance, Check, Comparison
from peers.spans import Spans, counts_and_scores, scores_by_type
from seqeval import scheme as theirs
from seqeval.metrics.sequence_labeling import get_entities, precision_recall_fscore_support
from seqeval.metrics.v1 import precision_recall_fscore_support as by_scheme

from chronoscore.annotations.formats.tags import REPAIRED, SCHEMES, Tag, parse_tag, token_spans

TOLERANCE = 1e-12
LETTERS = {"iob1": "BI", "iob2": "BI", "ioe2": "IE", "iobes": "BIES", "bilou": "BILU"}
CLASSES = {name: getattr(theirs, name.upper()) for name in LETTERS}
PARTS = ("precision", "recall", "f1")
Sentences = list[list[str]]


class Given(NamedTuple):
    """Tags of both sides by sentence, and the scheme of the strict mode."""

    gold: Sentences
    predicted: Sentences
    scheme: str


def tags(chance: Chance, length: int, letters: str) -> list[str]:
    """Draw tags that mostly continue what came before, and break the scheme now and then."""
    drawn: list[str] = []
    kinds = ["PER", "LOC", "ORG-X"]
    kind = kinds[0]
    for _ in range(length):
        if chance.random() < 0.5:
            kind = kinds[chance.integers(len(kinds))]
        outside = chance.random() < 0.35
        drawn.append("O" if outside else f"{letters[chance.integers(len(letters))]}-{kind}")
    return drawn


def draw(chance: Chance) -> Given:
    scheme = list(LETTERS)[chance.integers(len(LETTERS))]
    gold, predicted = [], []
    for _ in range(int(chance.integers(1, 4))):
        length = int(chance.integers(1, 12))
        gold.append(tags(chance, length, LETTERS[scheme]))
        other = tags(chance, length, LETTERS[scheme])
        kept = chance.random(length) < chance.choice([0.0, 0.8, 1.0])
        predicted.append([g if k else o for g, o, k in zip(gold[-1], other, kept, strict=True)])
    return Given(gold, predicted, scheme)


def spans_of(sentences: Sentences, scheme: str) -> list[Spans]:
    """Return our spans of tokens by sentence, strictly by a scheme or repaired."""
    rules = SCHEMES[scheme] if scheme else REPAIRED
    parsed = [[parse_tag(text) or Tag("O") for text in one] for one in sentences]
    return [[(*span,) for span in token_spans(one, rules)] for one in parsed]


def end_to_end(sentences: Sentences, spans: list[Spans]) -> Spans:
    """Shift the spans of sentences into one document, with a token between two sentences."""
    start, shifted = 0, []
    for sentence, found in zip(sentences, spans, strict=True):
        shifted += [(kind, start + first, start + end) for kind, first, end in found]
        start += len(sentence) + 1
    return shifted


def compare(given: Given) -> Iterator[Comparison]:
    sides = (given.gold, given.predicted)
    strict = [[sorted(one) for one in spans_of(side, given.scheme)] for side in sides]
    for side, spans in zip(sides, strict, strict=True):
        found = theirs.Entities(side, CLASSES[given.scheme]).entities
        other = [sorted((one.tag, one.start, one.end) for one in sentence) for sentence in found]
        yield Comparison("spans by a scheme", spans, other)
    shifted = [end_to_end(*pair) for pair in zip(sides, strict, strict=True)]
    answer = by_scheme(*sides, average="micro", scheme=CLASSES[given.scheme], zero_division=0)
    _, scores = counts_and_scores("spans", *shifted)
    for part, other in zip(PARTS, answer, strict=False):
        ours = scores[f"strict_{part}"]
        yield Comparison("strict scores by a scheme", ours, float(other), TOLERANCE)
    if given.scheme != "bilou":  # its default mode does not know L and U
        yield from compare_default(given)


def compare_default(given: Given) -> Iterator[Comparison]:
    """Compare spans and scores of the default mode, which repairs tags as conlleval does."""
    sides = (given.gold, given.predicted)
    repaired = [spans_of(side, "") for side in sides]
    for side, by_sentence in zip(sides, repaired, strict=True):
        for sentence, spans in zip(side, by_sentence, strict=True):
            other = [(kind, first, last + 1) for kind, first, last in get_entities(sentence)]
            yield Comparison("spans by default", spans, other)
    shifted = [end_to_end(*pair) for pair in zip(sides, repaired, strict=True)]
    _, scores = counts_and_scores("spans", *shifted)
    answer = precision_recall_fscore_support(*sides, average="micro", zero_division=0)
    for part, other in zip(PARTS, answer, strict=False):
        yield Comparison("strict scores", scores[f"strict_{part}"], float(other), TOLERANCE)
    by_type = scores_by_type("spans", *shifted)
    answer = precision_recall_fscore_support(*sides, average=None, zero_division=0)
    kinds = sorted({kind for side in shifted for kind, _, _ in side})
    for part, column in zip(PARTS, answer, strict=False):
        for kind, other in zip(kinds, column, strict=True):
            ours = by_type[kind][f"strict_{part}"]
            yield Comparison("strict scores by type", ours, float(other), TOLERANCE)
    if kinds:
        macro = precision_recall_fscore_support(*sides, average="macro", zero_division=0)
        for part, other in zip(PARTS, macro, strict=False):
            ours = sum(one[f"strict_{part}"] for one in by_type.values()) / len(by_type)
            yield Comparison("macro mean over types", ours, float(other), TOLERANCE)


CHECKS = (Check("tags", draw, compare, 1500),)
