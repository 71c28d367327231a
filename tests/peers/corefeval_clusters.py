"""corefeval (coreference-eval): MUC, B-cubed, CEAF-e, LEA and their CoNLL mean."""

from collections.abc import Iterator

import numpy as np
from corefeval import Document as TheirDocument
from corefeval import metrics as theirs
from corefeval.metric import Metric
from peers.clusterings import Document, draw_document, our_scores, statistics_of, without_singletons
from peers.comparing import Chance, Check, Comparison

TOLERANCE = 1e-12
BOTH = "leaves clusters of one mention out on both sides; without them its value is ours"
SINGLETONS = {
    "b3": f"B-cubed: {BOTH}",
    "lea": f"LEA: {BOTH}",
    "ceafe": (
        "CEAF-e: leaves clusters of one mention out of the prediction only; without them there its "
        "value is ours"
    ),
}
METRICS = {"muc": theirs.muc, "b3": theirs.b_cubed, "ceafe": theirs.ceafe, "lea": theirs.lea}
NAMES = {"muc": "MUC", "b3": "B-cubed", "ceafe": "CEAF-e", "lea": "LEA"}


def draw(chance: Chance) -> list[Document]:
    return [draw_document(chance) for _ in range(int(chance.integers(1, 4)))]


def their_answer(name: str, documents: list[Document]) -> tuple[list[float], list[float]]:
    """Return precision, recall and F, and the counts that they come from."""
    scorer = Metric(METRICS[name])
    for gold, predicted in documents:
        # Its mentions are lists, such as [start, end].
        sides = ([[[mention] for mention in one] for one in side] for side in (predicted, gold))
        scorer.update(TheirDocument(*sides))
    return [*map(float, scorer.get_prf())], [*map(float, scorer.get_counts())]


def stripped(name: str, document: Document) -> Document:
    """Return what the package looks at: without singletons where it leaves them out."""
    gold, predicted = document
    if name == "muc":
        return document
    return gold if name == "ceafe" else without_singletons(gold), without_singletons(predicted)


def compare(documents: list[Document]) -> Iterator[Comparison]:
    conll: list[tuple[float, float]] = []
    for name, quantity in NAMES.items():
        (scores, counts), ours = their_answer(name, documents), our_scores(name, documents)
        seen = [stripped(name, one) for one in documents]
        expected = our_scores(name, seen)
        conll.append((expected[2], scores[2]))
        for at, part in enumerate(("precision", "recall", "F")):
            label = f"{quantity} {part}"
            same = Comparison(label, ours[at], scores[at], TOLERANCE)
            if same.unexplained and name in SINGLETONS and seen != documents:
                holds = abs(expected[at] - scores[at]) <= TOLERANCE
                same = Comparison(label, ours[at], scores[at], reason=SINGLETONS[name], holds=holds)
            yield same
        if name == "muc":
            sums = np.sum([statistics_of(name, one) for one in documents], axis=0)
            yield Comparison("MUC counts", sums.tolist(), counts)
    if all(one == stripped("b3", one) for one in documents):
        ours_mean = our_scores("conll", documents)[2]
        yield Comparison("CoNLL F", ours_mean, sum(f for _, f in conll[:3]) / 3, TOLERANCE)


def draw_larger(chance: Chance) -> list[Document]:
    """Documents without clusters of one mention, on which all definitions agree."""
    return [(without_singletons(gold), without_singletons(other)) for gold, other in draw(chance)]


CHECKS = (
    Check("clusterings with singletons", draw, compare, 1500),
    Check("clusterings without singletons", draw_larger, compare, 1500),
)
