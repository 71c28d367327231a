"""The data model: spans with a type and features, documents of them, and counts of a matching."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from operator import add, attrgetter, sub
from typing import TypeAlias

from chronoscore.core.event import MOST_OFFSET
from chronoscore.core.records import Whole
from chronoscore.core.sources import NUL

Scalar: TypeAlias = str | Whole | float | bool | None
FeatureValue: TypeAlias = Scalar | tuple[Scalar, ...]

_NUMBER = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Annotation:
    """A half-open span ``[start, end)`` of a document with a type and features.

    ``id`` is unique in its document. ``score`` is the confidence of a response; gold has none.
    ``set`` names the annotation set it is in, where a document has several.
    Features are part of equality but not of the hash, so that annotations can be set members.

    >>> Annotation("1", "EVENT", 3, 7).features
    {}
    >>> Annotation("1", "EVENT", 7, 3)
    Traceback (most recent call last):
    ValueError: annotation '1' ends at 3, before its start at 7
    """

    id: str
    type: str
    start: int
    end: int
    features: Mapping[str, FeatureValue] = field(default_factory=dict, hash=False)
    score: float | None = None
    set: str = ""

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(
                f"annotation {self.id!r} ends at {self.end}, before its start at {self.start}"
            )
        if self.end > MOST_OFFSET:
            raise ValueError(
                f"annotation {self.id!r} ends at {self.end}, expected at most {MOST_OFFSET}"
            )


@dataclass(frozen=True, slots=True)
class Document:
    """A text with the annotations of one annotator or system.

    >>> from chronoscore import score
    >>> gold = Document("d1", (Annotation("1", "EVENT", 3, 7), Annotation("2", "TIME", 9, 12)))
    >>> found = Document("d1", (Annotation("1", "EVENT", 3, 7),))
    >>> score("annotations", [gold], [found])["spans"].scores["strict_recall"]
    0.5
    """

    id: str
    annotations: Sequence[Annotation]
    text: str | None = None
    features: Mapping[str, FeatureValue] = field(default_factory=dict, hash=False)
    stored: str = ""
    """The name that the document has inside its file, where that is not its id."""

    def __post_init__(self) -> None:
        if self.text and "\0" in self.text:
            raise ValueError(f"the text of document {self.id!r} {NUL}")


def coextensive(a: Annotation, b: Annotation) -> bool:
    """Whether both spans start and end at the same places."""
    return a.start == b.start and a.end == b.end


def overlaps(a: Annotation, b: Annotation) -> bool:
    """Whether the spans share text: ``not (b.end <= a.start or b.start >= a.end)``.

    Touching spans don't overlap. An empty span overlaps a span that it lies strictly inside of, and
    never another empty span, not even its equal: ask for ``coextensive`` first.

    >>> empty = Annotation("1", "T", 5, 5)
    >>> [overlaps(empty, Annotation("2", "T", *span)) for span in ((3, 7), (5, 7), (5, 5))]
    [True, False, False]
    """
    return b.end > a.start and b.start < a.end


def overlap_length(a: Annotation, b: Annotation) -> int:
    """Return how many characters the spans share: ``max(0, min(ends) - max(starts))``."""
    return max(0, min(a.end, b.end) - max(a.start, b.start))


def in_range(annotation: Annotation, place: Annotation) -> bool:
    """Whether GATE's range query selects it: it overlaps, or is empty at the start of the place."""
    starts_in = place.start <= annotation.start < place.end
    return starts_in or annotation.start < place.start < annotation.end


def written(value: FeatureValue) -> str:
    """Return a feature value as Java prints it, which GATE compares "as strings".

    >>> [written(value) for value in ("1", 1, 1.0, True, None, 12345678.5, 0.0001)]
    ['1', '1', '1.0', 'true', 'null', '1.23456785E7', '1.0E-4']
    >>> written((1, 2.0, "x"))
    '[1, 2.0, x]'
    """
    if isinstance(value, tuple):
        return f"[{', '.join(map(written, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *rest = map(str, digits)
    power = len(rest) + int(exponent)
    return f"{'-' * sign}{first}.{''.join(rest) or '0'}E{power}"


def id_order(name: str) -> tuple[bool, int, str]:
    """Return the sort key of an id: whole numbers by size, as in GATE, before all other ids.

    >>> sorted(("e1", "10", "9"), key=id_order)
    ['9', '10', 'e1']
    """
    number = _NUMBER.fullmatch(name)
    return number is None, int(name) if number else 0, name


def canonical(annotation: Annotation) -> tuple[object, ...]:
    """Return a sort key that depends on the annotation alone: start, end, type, features, id.

    Feature values sort by kind, then as printed: values of different kinds have no order.
    """
    features = features_order(annotation.features)
    return annotation.start, annotation.end, annotation.type, features, id_order(annotation.id)


def features_order(features: Mapping[str, FeatureValue]) -> list[tuple[str, str, str]]:
    """Return a sort key of features with values of any kinds."""
    return sorted((k, type(v).__name__, repr(v)) for k, v in features.items())


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of a matching. They add up over documents, groups and threshold steps.

    Strict pairs are coextensive, partial pairs only overlap, lenient means both. A correct pair has
    an equal response, an incorrect pair another one. ``single_correct`` are the correct pairs at
    whose target there is no unmatched response, so that more responses cannot raise their number.
    ``targets_with_strict`` and ``targets_with_lenient`` count targets at which there is any
    coextensive response, or any response, matched or not.

    >>> counts = Counts(targets=2, responses=1, correct_partial=1)
    >>> (counts + counts).with_derived()["missing_lenient"], (counts - counts) == Counts()
    (2, True)
    """

    targets: int = 0
    responses: int = 0
    correct_strict: int = 0
    correct_partial: int = 0
    incorrect_strict: int = 0
    incorrect_partial: int = 0
    single_correct_strict: int = 0
    single_correct_partial: int = 0
    targets_with_strict: int = 0
    targets_with_lenient: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*map(add, self.values, other.values))

    def __sub__(self, other: "Counts") -> "Counts":
        return Counts(*map(sub, self.values, other.values))

    @property
    def values(self) -> tuple[int, ...]:
        """The counters in the order of their declaration."""
        return _values(self)

    def with_derived(self) -> dict[str, int]:
        """Return the counters by name, and the counts derived from them, each strict and lenient.

        Missing are targets without a correct response, true missing those without any matched
        response, true missing in responses those that are not correct although a response is
        nearby. Spurious are responses that are not correct, true spurious those without a target.
        """
        counts = dict(zip(COUNTERS, self.values, strict=True))
        for name in ("correct", "incorrect", "single_correct"):
            counts[f"{name}_lenient"] = counts[f"{name}_strict"] + counts[f"{name}_partial"]
        for name, (total, part) in _DIFFERENCES.items():
            for how in ("strict", "lenient"):
                counts[f"{name}_{how}"] = counts[total.format(how)] - counts[part.format(how)]
        return counts


_DIFFERENCES = {
    "missing": ("targets", "correct_{}"),
    "spurious": ("responses", "correct_{}"),
    "true_missing": ("missing_{}", "incorrect_{}"),
    "true_spurious": ("spurious_{}", "incorrect_{}"),
    "true_missing_in_responses": ("targets_with_{}", "correct_{}"),
}
"""Counts that are the difference of two counts."""
COUNTERS: tuple[str, ...] = tuple(counter.name for counter in fields(Counts))
_values = attrgetter(*COUNTERS)
