"""Labels of the same spans: the metric of agreement, confusion, and agreement beyond chance.

An annotation counts only if no other annotation of its side has the same span, and exactly one of
the other side has it: only then is it certain which two labels belong together.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from chronoscore.annotations.metrics import integers, promise
from chronoscore.annotations.model import Annotation, Document, written
from chronoscore.core.evidence import Evidence, Match
from chronoscore.core.metric import Definition, Law, Parameter, Values


class LabelPair(NamedTuple):
    """Two annotations of one span, and the labels they give it."""

    gold: Annotation
    predicted: Annotation
    gold_label: str
    predicted_label: str

    @property
    def agrees(self) -> bool:
        """Whether both give the same label."""
        return self.gold_label == self.predicted_label


@dataclass(frozen=True)
class LabelConfusion:
    """How often each label of the first side meets each of the second. Adds up over documents.

    >>> two = LabelConfusion({("a", "a"): 3, ("a", "b"): 1}) + LabelConfusion({("b", "b"): 4})
    >>> two.labels, two.matrix, two.observed
    (['a', 'b'], [[3, 1], [0, 4]], 0.875)
    >>> round(two.cohen or 0, 3), round(two.scott or 0, 3), two.specific("b")
    (0.75, 0.746, (0.8888888888888888, 0.8571428571428571))
    """

    cells: Mapping[tuple[str, str], int]

    def __add__(self, other: "LabelConfusion") -> "LabelConfusion":
        return LabelConfusion(Counter(self.cells) + Counter(other.cells))

    @property
    def labels(self) -> list[str]:
        """The labels that occur on either side, in order."""
        return sorted({label for pair in self.cells for label in pair})

    @property
    def matrix(self) -> list[list[int]]:
        """The counts, a row for each label of the first side, a column for each of the second."""
        return [[self.cells.get((a, b), 0) for b in self.labels] for a in self.labels]

    @property
    def total(self) -> int:
        """The number of spans that both sides labelled."""
        return sum(self.cells.values())

    @property
    def agreed(self) -> int:
        """The number of spans with the same label on both sides."""
        return sum(n for (a, b), n in self.cells.items() if a == b)

    @property
    def observed(self) -> float | None:
        """The share of equal labels; None without a labelled span."""
        return _share(self.agreed, self.total)

    @property
    def cohen(self) -> float | None:
        """Cohen's kappa (1960): chance draws from each side's distribution."""
        rows, columns = self.margins()
        expected = sum(rows[label] * columns[label] for label in self.labels)
        return self._beyond(expected, self.total**2)

    @property
    def scott(self) -> float | None:
        """Scott's pi (1955), also Siegel and Castellan's kappa: chance pools both sides."""
        rows, columns = self.margins()
        expected = sum((rows[label] + columns[label]) ** 2 for label in self.labels)
        return self._beyond(expected, (2 * self.total) ** 2)

    def specific(self, label: str) -> tuple[float | None, float | None]:
        """Return the agreement on giving the label, and on not giving it: (positive, negative).

        2·both / (first gives + second gives), and the same of not giving. *Fleiss 1981, Statistical
        Methods for Rates and Proportions.*
        """
        rows, columns = self.margins()
        uses, both = rows[label] + columns[label], self.cells.get((label, label), 0)
        neither, withheld = self.total - uses + both, 2 * self.total - uses
        return _share(2 * both, uses), _share(2 * neither, withheld)

    def margins(self) -> tuple[Counter[str], Counter[str]]:
        """Count how often the first and the second side give each label."""
        rows, columns = Counter[str](), Counter[str]()
        for (a, b), n in self.cells.items():
            rows[a] += n
            columns[b] += n
        return rows, columns

    def _beyond(self, expected: int, possible: int) -> float | None:
        """Return agreement beyond chance, computed in integers where possible; 1 if chance is 1."""
        if not self.total:
            return None
        if expected == possible:
            return 1.0
        return (self.agreed * possible / self.total - expected) / (possible - expected)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def label_pairs(
    gold: Iterable[Annotation], predicted: Iterable[Annotation], feature: str, type_: str = ""
) -> list[LabelPair]:
    """Return the labels of spans that both sides have exactly once; ``type_`` empty means any type.

    Without a feature the type itself is the label. Labels are compared as text.
    """
    responses = _by_span(predicted, feature, type_)
    return [
        LabelPair(target, response, label, predicted_label)
        for span, ((target, label), *more) in sorted(_by_span(gold, feature, type_).items())
        if not more and len(responses.get(span, ())) == 1
        for response, predicted_label in responses[span]
    ]


def confusion(pairs: Iterable[LabelPair]) -> LabelConfusion:
    """Count pairs of labels."""
    return LabelConfusion(Counter((pair.gold_label, pair.predicted_label) for pair in pairs))


def _by_span(
    annotations: Iterable[Annotation], feature: str, type_: str
) -> dict[tuple[int, int], list[tuple[Annotation, str]]]:
    """Return the annotations that have a label, with the label, by span."""
    spans: dict[tuple[int, int], list[tuple[Annotation, str]]] = defaultdict(list)
    for annotation in annotations:
        label = annotation.features.get(feature) if feature else annotation.type
        if label is not None and type_ in ("", annotation.type):
            spans[annotation.start, annotation.end].append((annotation, written(label)))
    return spans


class LabelQuestion(NamedTuple):
    """Which feature of which type is the label; empty means the type itself, and any type."""

    feature: str
    type: str


class LabelComparison(NamedTuple):
    """The spans that both sides labelled, and how many targets there are to be labelled."""

    pairs: tuple[LabelPair, ...]
    targets: int


def compare_labels(gold: Document, predicted: Document, question: LabelQuestion) -> LabelComparison:
    """Pair the labels of a document."""
    pairs = label_pairs(gold.annotations, predicted.annotations, *question)
    targets = _by_span(gold.annotations, *question).values()
    return LabelComparison(tuple(pairs), sum(map(len, targets)))


def _measure(comparison: LabelComparison, _: Values) -> Evidence:
    agreed = sum(pair.agrees for pair in comparison.pairs)
    return Evidence((agreed, len(comparison.pairs), comparison.targets))


def _explain(comparison: LabelComparison, _: Values) -> list[Match]:
    return [
        Match(
            "both",
            "agreed" if pair.agrees else "another label",
            float(pair.agrees),
            1.0,
            gold=_shown(pair.gold, pair.gold_label),
            predicted=_shown(pair.predicted, pair.predicted_label),
        )
        for pair in comparison.pairs
    ]


def _shown(annotation: Annotation, label: str) -> str:
    return f"{annotation.id} {annotation.start}-{annotation.end}: {label}"


CLASSIFICATION = Definition(
    name="classification",
    meaning="the share of equal labels on spans that both sides have exactly once",
    citation="GATE (Cunningham et al. 2002), gate.util.ClassificationMeasures",
    parameters=(
        Parameter("feature", "word", "", "the feature that is the label; empty means the type"),
        Parameter("type", "word", "", "the type of annotations; empty means any"),
    ),
    statistics=integers(
        agreed="spans with the same label",
        labelled="spans that both sides labelled exactly once",
        targets="gold annotations with a label",
    ),
    ratio_table={"agreement": ({"agreed": 1.0}, "labelled")},
    setting=lambda values: LabelQuestion(str(values["feature"]), str(values["type"])),
    measure=_measure,
    explain=_explain,
    laws=promise(Law.IDENTITY, Law.ITEM_ORDER, Law.BOUNDED, Law.EXPLAINED),
    explained=dict.fromkeys(("precision", "recall"), (("agreed",), ("labelled",))),
)
