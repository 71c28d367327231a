"""corefeval (coreference-eval): MUC, B-cubed, CEAF-e, LEA and their CoNLL mean."""

from collections.abc import Iterator
from typing import Any

from corefeval import Document as TheirDocument
from corefeval import metrics as theirs
from corefeval.metric import Metric

from peers.clusterings import Document, draw_document, our_scores, statistics_of, without_singletons
from peers.comparing import Chance, Check, Comparison, Raised, outcome

TOLERANCE = 1e-12
SINGLETONS = {
    "b3": "B-cubed: leaves clusters of one mention out on both sides; without them its value is ours",
    "lea": "LEA: leaves clusters of one mention out on both sides; without them its value is ours",
    "ceafe": (
        "CEAF-e: leaves clusters of one mention out of the prediction only; without them there its "
        "value is ours"
    ),
}
EMPTY = "CEAF-e: raises an error where a document has no cluster of two mentions on some side"
METRICS = {"muc": theirs.muc, "b3": theirs.b_cubed, "ceafe": theirs.ceafe, "lea": theirs.lea}
NAMES = {"muc": "MUC", "b3": "B-cubed", "ceafe": "CEAF-e", "lea": "LEA"}


def draw(chance: Chance) -> list[Document]:
    return [draw_document(chance) for _ in range(int(chance.integers(1, 4)))]


def their_answer(name: str, documents: list[Document]) -> Any:
    """Return precision, recall and F, with the counts that they come from."""

    def call() -> tuple[list[float], list[float]]:
        scorer = Metric(METRICS[name])
        for gold, predicted in documents:
            # Its mentions are lists, such as [start, end].
            sides = ([[[mention] for mention in one] for one in side] for side in (predicted, gold))
            scorer.update(TheirDocument(*sides))
        return [*map(float, scorer.get_prf())], [*map(float, scorer.get_counts())]

    return outcome(call)


def stripped(name: str, document: Document) -> Document:
    """Return what the package looks at: without singletons where it leaves them out."""
    gold, predicted = document
    if name == "muc":
        return document
    return gold if name == "ceafe" else without_singletons(gold), without_singletons(predicted)


def compare(documents: list[Document]) -> Iterator[Comparison]:
    conll: list[tuple[float, float]] = []
    for name, quantity in NAMES.items():
        answer, ours = their_answer(name, documents), our_scores(name, documents)
        seen = [stripped(name, one) for one in documents]
        if isinstance(answer, Raised):
            none = any(not all(one) for one in seen)
            yield Comparison(quantity, ours, answer, reason=EMPTY, holds=none)
            continue
        scores, counts = answer
        expected = our_scores(name, seen)
        conll.append((expected[2], scores[2]))
        for at, part in enumerate(("precision", "recall", "F")):
            label = f"{quantity} {part}"
            same = Comparison(label, ours[at], scores[at], TOLERANCE)
            if same.unexplained and name in SINGLETONS and seen != documents:
                holds = abs(expected[at] - scores[at]) <= TOLERANCE
                same = Comparison(
                    label, ours[at], scores[at], reason=SINGLETONS[name], holds=holds
                )
            yield same
        if name == "muc":
            sums = sum(statistics_of(name, one) for one in documents)
            yield Comparison("MUC counts", sums.tolist(), counts)
    if len(conll) == len(NAMES) and all(one == stripped("b3", one) for one in documents):
        ours_mean = our_scores("conll", documents)[2]
        yield Comparison("CoNLL F", ours_mean, sum(f for _, f in conll[:3]) / 3, TOLERANCE)


def draw_larger(chance: Chance) -> list[Document]:
    """Documents without clusters of one mention, on which all definitions agree."""
    documents = [tuple(map(without_singletons, one)) for one in draw(chance)]
    return documents  # type: ignore[return-value]


CHECKS = (
    Check("clusterings with singletons", draw, compare, 1500),
    Check("clusterings without singletons", draw_larger, compare, 1500),
)
