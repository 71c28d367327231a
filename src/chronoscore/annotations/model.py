"""What is annotated: spans with a type and features, documents of them, and what is counted."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from operator import add, attrgetter, sub
from typing import TypeAlias

from chronoscore.core.numbers import Whole
from chronoscore.core.reading import NUL

MOST_OFFSET = 10**12
"""Where a span may end: the spans of a million documents, laid end to end, must fit 64 bits."""
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
    """The annotations that one annotator or system made in one document."""

    id: str
    annotations: tuple[Annotation, ...]
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

    Touching spans don't overlap. An empty span overlaps what it lies strictly inside of, and never
    another empty span, not even its equal: ask for ``coextensive`` first.

    >>> empty = Annotation("1", "T", 5, 5)
    >>> [overlaps(empty, Annotation("2", "T", *span)) for span in ((3, 7), (5, 7), (5, 5))]
    [True, False, False]
    """
    return b.end > a.start and b.start < a.end


def overlap_length(a: Annotation, b: Annotation) -> int:
    """How many characters the spans share: ``max(0, min(ends) - max(starts))``."""
    return max(0, min(a.end, b.end) - max(a.start, b.start))


def overlapping(
    keys: Sequence[Annotation], responses: Sequence[Annotation]
) -> Iterable[tuple[int, int]]:
    """All (target, response) that overlap.

    Spans are opened by start, then end. What is open when another begins, and ends later, overlaps
    it; what has ended is dropped when it is met, and so met once. Empty spans are opened before the
    others that start there, which keeps the two apart, as ``overlaps`` wants it.
    """
    sides = (keys, responses)
    arrivals = sorted(
        (a.start, a.end, side, i) for side in (0, 1) for i, a in enumerate(sides[side])
    )
    still_open: list[list[int]] = [[], []]
    for start, _, side, i in arrivals:
        other = 1 - side
        still_open[other] = [j for j in still_open[other] if sides[other][j].end > start]
        for j in still_open[other]:
            yield (i, j) if side == 0 else (j, i)
        still_open[side].append(i)


def empty_at(
    keys: Sequence[Annotation], responses: Sequence[Annotation]
) -> Iterable[tuple[int, int]]:
    """All (target, response) where the response is empty and at the target's start."""
    empty: dict[int, list[int]] = defaultdict(list)
    for j, response in enumerate(responses):
        if response.start == response.end:
            empty[response.start].append(j)
    if empty:
        for i, key in enumerate(keys):
            for j in empty.get(key.start, ()):
                yield i, j


def written(value: FeatureValue) -> str:
    """A feature value as Java prints it: what GATE compares "as strings".

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


def by_id(annotation: Annotation) -> tuple[bool, int, str]:
    """Sort key of ids: whole numbers by size, as GATE's are, and before all other ids.

    >>> sorted((Annotation(name, "T", 0, 1) for name in ("e1", "10", "9")), key=by_id)[0].id
    '9'
    """
    return id_order(annotation.id)


def id_order(name: str) -> tuple[bool, int, str]:
    """Sort key of an id by itself."""
    number = _NUMBER.fullmatch(name)
    return number is None, int(name) if number else 0, name


def canonical(annotation: Annotation) -> tuple[object, ...]:
    """Sort key that is the annotation's own: start, end, type, features, id.

    Feature values are ordered by kind and then by how they print, since kinds don't compare.
    """
    features = features_order(annotation.features)
    return annotation.start, annotation.end, annotation.type, features, by_id(annotation)


def features_order(features: Mapping[str, FeatureValue]) -> list[tuple[str, str, str]]:
    """Sort key of features, whatever their kinds."""
    return sorted((k, type(v).__name__, repr(v)) for k, v in features.items())


@dataclass(frozen=True, slots=True)
class Counts:
    """What is counted of a matching. Counts add up over documents, groups and threshold steps.

    Strict pairs are coextensive, partial pairs only overlap, lenient means both. A correct pair has
    an equal response, an incorrect pair another one. ``single_correct`` are the correct pairs at
    whose target there is no unmatched response: the share that can't be raised by adding responses.
    ``targets_with_strict`` and ``targets_with_lenient`` count targets at which there is any
    coextensive response, or any response, matched or not.

    >>> one = Counts(targets=2, responses=1, correct_partial=1)
    >>> (one + one).missing_lenient, (one - one) == Counts()
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

    @property
    def correct_lenient(self) -> int:
        """Pairs that are equal, coextensive or not."""
        return self.correct_strict + self.correct_partial

    @property
    def incorrect_lenient(self) -> int:
        """Pairs that are not equal, coextensive or not."""
        return self.incorrect_strict + self.incorrect_partial

    @property
    def single_correct_lenient(self) -> int:
        """Correct pairs, strict or partial, without a further response at the target."""
        return self.single_correct_strict + self.single_correct_partial

    @property
    def missing_strict(self) -> int:
        """Targets without a strictly correct response."""
        return self.targets - self.correct_strict

    @property
    def missing_lenient(self) -> int:
        """Targets without a correct response."""
        return self.targets - self.correct_lenient

    @property
    def spurious_strict(self) -> int:
        """Responses that are not strictly correct."""
        return self.responses - self.correct_strict

    @property
    def spurious_lenient(self) -> int:
        """Responses that are not correct."""
        return self.responses - self.correct_lenient

    @property
    def true_missing_strict(self) -> int:
        """Targets that have no coextensive response, right or wrong, in the matching."""
        return self.missing_strict - self.incorrect_strict

    @property
    def true_missing_lenient(self) -> int:
        """Targets that were left unmatched."""
        return self.missing_lenient - self.incorrect_lenient

    @property
    def true_spurious_strict(self) -> int:
        """Responses that have no coextensive target, right or wrong, in the matching."""
        return self.spurious_strict - self.incorrect_strict

    @property
    def true_spurious_lenient(self) -> int:
        """Responses that were left unmatched."""
        return self.spurious_lenient - self.incorrect_lenient

    @property
    def true_missing_in_responses_strict(self) -> int:
        """Targets with a coextensive response nearby that are still not strictly correct."""
        return self.targets_with_strict - self.correct_strict

    @property
    def true_missing_in_responses_lenient(self) -> int:
        """Targets with a response nearby that are still not correct."""
        return self.targets_with_lenient - self.correct_lenient


COUNTERS: tuple[str, ...] = tuple(one.name for one in fields(Counts))
WHOLE_HITS = {
    "strict_f1": (("correct_strict",), "responses", "targets"),
    "lenient_f1": (("correct_strict", "correct_partial"), "responses", "targets"),
}
"""What these scores count: whole things, with the same hits on both sides."""
_values = attrgetter(*COUNTERS)
