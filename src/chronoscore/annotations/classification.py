"""Labels given to the same spans: confusion, agreement, and agreement beyond chance.

Only annotations count whose span no other annotation of their side has, and that exactly one of
the other side has too: of these it is certain which two labels belong together.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chronoscore.annotations.model import Annotation, written


@dataclass(frozen=True, slots=True)
class LabelPair:
    """Two annotations of one span, and the labels they give it."""

    gold: Annotation
    predicted: Annotation
    gold_label: str
    predicted_label: str


@dataclass(frozen=True)
class Confusion:
    """How often each label of the first side met each of the second. Adds up over documents.

    >>> two = Confusion({("a", "a"): 3, ("a", "b"): 1}) + Confusion({("b", "b"): 4})
    >>> two.labels, two.matrix, two.observed
    (['a', 'b'], [[3, 1], [0, 4]], 0.875)
    >>> round(two.cohen or 0, 3), round(two.scott or 0, 3), two.specific("b")
    (0.75, 0.746, (0.8888888888888888, 0.8571428571428571))
    """

    cells: Mapping[tuple[str, str], int]

    def __add__(self, other: "Confusion") -> "Confusion":
        return Confusion(Counter(self.cells) + Counter(other.cells))

    @property
    def labels(self) -> list[str]:
        """All labels of either side."""
        return sorted({label for pair in self.cells for label in pair})

    @property
    def matrix(self) -> list[list[int]]:
        """A row a label of the first side, a column a label of the second."""
        return [[self.cells.get((a, b), 0) for b in self.labels] for a in self.labels]

    @property
    def total(self) -> int:
        """How many spans both sides labelled."""
        return sum(self.cells.values())

    @property
    def agreed(self) -> int:
        """How many of them have the same label."""
        return sum(n for (a, b), n in self.cells.items() if a == b)

    @property
    def observed(self) -> float | None:
        """The share of equal labels; None where there is nothing to agree on."""
        return self.agreed / self.total if self.total else None

    @property
    def cohen(self) -> float | None:
        """Cohen's kappa (1960): chance has each side's own distribution of labels."""
        rows, columns = self._margins()
        expected = sum(rows[label] * columns[label] for label in self.labels)
        return self._beyond(expected, self.total**2)

    @property
    def scott(self) -> float | None:
        """Scott's pi (1955), also Siegel and Castellan's kappa: chance has one for both."""
        rows, columns = self._margins()
        expected = sum((rows[label] + columns[label]) ** 2 for label in self.labels)
        return self._beyond(expected, (2 * self.total) ** 2)

    def specific(self, label: str) -> tuple[float | None, float | None]:
        """How far both agree on giving the label, and on not giving it: (positive, negative).

        2·both / (one gives + other gives), and the same of not giving. *Fleiss 1981, Statistical
        Methods for Rates and Proportions.*
        """
        rows, columns = self._margins()
        given, both = rows[label] + columns[label], self.cells.get((label, label), 0)
        neither, withheld = self.total - given + both, 2 * self.total - given
        return (
            2 * both / given if given else None,
            2 * neither / withheld if withheld else None,
        )

    def _margins(self) -> tuple[Counter[str], Counter[str]]:
        rows, columns = Counter[str](), Counter[str]()
        for (a, b), n in self.cells.items():
            rows[a] += n
            columns[b] += n
        return rows, columns

    def _beyond(self, expected: int, whole: int) -> float | None:
        """Agreement beyond chance, in whole numbers as long as it goes; 1 where chance is 1."""
        if not self.total:
            return None
        if expected == whole:
            return 1.0
        return (self.agreed * whole / self.total - expected) / (whole - expected)


def label_pairs(
    gold: Iterable[Annotation], predicted: Iterable[Annotation], feature: str, type_: str = ""
) -> list[LabelPair]:
    """The labels of spans that both sides have exactly once; ``type_`` empty means any type.

    Without a feature the type itself is the label. Labels are compared as text.
    """
    ours, theirs = _by_span(gold, feature, type_), _by_span(predicted, feature, type_)
    return [
        LabelPair(one, other, _label(one, feature), _label(other, feature))
        for span, (one, *more) in sorted(ours.items())
        if not more and len(theirs.get(span, ())) == 1
        for other in theirs[span]
    ]


def confusion(pairs: Iterable[LabelPair]) -> Confusion:
    """Count pairs of labels."""
    return Confusion(Counter((pair.gold_label, pair.predicted_label) for pair in pairs))


def _by_span(
    annotations: Iterable[Annotation], feature: str, type_: str
) -> Mapping[tuple[int, int], Sequence[Annotation]]:
    found: dict[tuple[int, int], list[Annotation]] = {}
    for one in annotations:
        labelled = not feature or one.features.get(feature) is not None
        if type_ in ("", one.type) and labelled:
            found.setdefault((one.start, one.end), []).append(one)
    return found


def _label(annotation: Annotation, feature: str) -> str:
    return written(annotation.features[feature]) if feature else annotation.type
