"""A system against an older one on the same gold: what changed at which target."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from chronoscore.annotations.candidates import in_range
from chronoscore.annotations.columns import Columns
from chronoscore.annotations.counting import Compared, compared, crowded
from chronoscore.annotations.matching import equal
from chronoscore.annotations.model import Annotation, Document, coextensive
from chronoscore.annotations.pairs import Pairs
from chronoscore.annotations.question import FeatureComparison, Question
from chronoscore.statistics.significance import mcnemar

OUTCOMES = ("CS", "CP", "IS", "IP", "ML", "SL")
"""Correct strict and partial, incorrect strict and partial, missing, spurious."""
_BY_VALUE = ("IP", "IS", "CP", "CS")
_BETTER, _WORSE, _OTHER = "+", "-", "+-"
CHANGE_FEATURE = "_eval.change"


@dataclass(frozen=True)
class Outcomes:
    """What became of every annotation of a document: responses by their outcome, missing targets.

    ``alone`` are the strict and the partial correct responses at whose target there is no response
    that was left over: GATE's single correct.
    """

    targets: tuple[Annotation, ...]
    by_outcome: Mapping[str, tuple[Annotation, ...]]
    of_target: tuple[str, ...]
    alone: tuple[tuple[Annotation, ...], tuple[Annotation, ...]]


def outcomes(
    keys: Sequence[Annotation],
    responses: Sequence[Annotation],
    features: tuple[str, ...] = (),
    how: FeatureComparison = "equal",
    matching: str = "best",
) -> Outcomes:
    """Match one document and sort its annotations by what became of them."""
    gold, predicted = (Columns.of([Document("", tuple(side))]) for side in (keys, responses))
    found = compared(gold, predicted, Question(features=features, compare=how))
    (only,) = outcomes_of(found, found.matched(matching))
    return only


def outcomes_of(found: Compared, matched: Pairs) -> list[Outcomes]:
    """What became of the annotations of each document of a comparison."""
    shared = crowded(found, matched)
    documents = range(len(found.keys.documents))
    by_outcome: list[dict[str, list[Annotation]]] = [
        {name: [] for name in OUTCOMES} for _ in documents
    ]
    alone: list[tuple[list[Annotation], list[Annotation]]] = [([], []) for _ in documents]
    of_key = dict(zip(matched.key.tolist(), matched.value.tolist(), strict=True))
    rows = zip(matched.key.tolist(), matched.response.tolist(), strict=True)
    for i, j in sorted(rows):
        value, at = of_key[i], int(found.keys.document[i])
        response = found.responses.annotation(j)
        by_outcome[at][_BY_VALUE[value]].append(response)
        if value >= 2 and not shared[i]:
            alone[at][3 - value].append(response)
    targets: list[list[Annotation]] = [[] for _ in documents]
    of_target: list[list[str]] = [[] for _ in documents]
    for i, at in enumerate(found.keys.document.tolist()):
        key = found.keys.annotation(i)
        targets[at].append(key)
        of_target[at].append(_BY_VALUE[of_key[i]] if i in of_key else "ML")
        if i not in of_key:
            by_outcome[at]["ML"].append(key)
    used = set(matched.response.tolist())
    for j, at in enumerate(found.responses.document.tolist()):
        if j not in used:
            by_outcome[at]["SL"].append(found.responses.annotation(j))
    return [
        Outcomes(
            tuple(targets[at]),
            {name: tuple(several) for name, several in by_outcome[at].items()},
            tuple(of_target[at]),
            (tuple(alone[at][0]), tuple(alone[at][1])),
        )
        for at in documents
    ]


@dataclass(frozen=True, slots=True)
class Contingency:
    """Targets by whether the old and the new system are right. Adds up over documents.

    >>> table = Contingency(5, 1, 6, 2)
    >>> table.old_right, table.new_right, table.p, round(table.mid_p, 4)
    (6, 11, 0.125, 0.0703)
    """

    both: int = 0
    only_old: int = 0
    only_new: int = 0
    neither: int = 0

    def __add__(self, other: "Contingency") -> "Contingency":
        return Contingency(
            self.both + other.both,
            self.only_old + other.only_old,
            self.only_new + other.only_new,
            self.neither + other.neither,
        )

    @classmethod
    def of(cls, old: Iterable[bool], new: Iterable[bool]) -> "Contingency":
        """Count targets, given for each whether the one and the other is right."""
        cells = [0, 0, 0, 0]
        for before, after in zip(old, new, strict=True):
            cells[2 * (not before) + (not after)] += 1
        return cls(*cells)

    @property
    def old_right(self) -> int:
        """How often the old system is right."""
        return self.both + self.only_old

    @property
    def new_right(self) -> int:
        """How often the new system is right."""
        return self.both + self.only_new

    @property
    def p(self) -> float:
        """McNemar's exact test: could the targets on which they differ be by chance?"""
        return mcnemar(self.only_old, self.only_new)

    @property
    def mid_p(self) -> float:
        """The same, less careful: the exact test is right too often (Fagerland et al. 2013)."""
        return mcnemar(self.only_old, self.only_new, mid=True)


def right_alone(found: Outcomes, *, strict: bool) -> list[bool]:
    """For each target whether it is right and has nothing beside it, as the GATE plugin asks it.

    Strict: a coextensive response is single correct, whatever its type. Lenient: or a partial one
    lies at the target.
    """
    exact, partial = found.alone
    spans = {(one.start, one.end) for one in exact}
    return [
        (target.start, target.end) in spans
        or (not strict and any(in_range(one, target) for one in partial))
        for target in found.targets
    ]


def contingency(old: Outcomes, new: Outcomes, *, strict: bool) -> Contingency:
    """The 2x2 table of a document's targets; each counts once, however many types there are."""
    return Contingency.of(right_alone(old, strict=strict), right_alone(new, strict=strict))


CHANGES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        **{("CS", after): _WORSE for after in ("CP", "IS", "IP", "ML")},
        ("CP", "CS"): _BETTER,
        **{("CP", after): _WORSE for after in ("IS", "IP", "ML")},
        **{(before, after): _BETTER for before in ("IS", "IP", "ML") for after in ("CS", "CP")},
        **{
            (before, after): _OTHER
            for before in ("IS", "IP", "ML")
            for after in ("IS", "IP", "ML")
            if before != after
        },
    }
)
"""Whether a change of outcome is for the better, for the worse, or neither can be said."""
GONE, NEW = ("SL", "A"), ("A", "SL")
"""A spurious response that is absent now, and one that was absent before."""


def change_annotations(
    old: Outcomes, new: Outcomes, features: tuple[str, ...] = ()
) -> list[Annotation]:
    """Annotations that mark where the new system differs: ``Type_CS_ML`` was right, now missing.

    For each annotation of an old outcome, each annotation of another outcome in its range is
    copied, unless the old system had the very same one (same span, type and features). The
    feature ``_eval.change`` is ``+``, ``-`` or ``+-``. One annotation can be marked several times.
    """
    had = [one for several in old.by_outcome.values() for one in several]
    same_span: dict[tuple[int, int], list[Annotation]] = {}
    for one in had:
        same_span.setdefault((one.start, one.end), []).append(one)

    def is_new(annotation: Annotation) -> bool:
        before = same_span.get((annotation.start, annotation.end), ())
        return not any(equal(one, annotation, features, "equal") for one in before)

    made = [
        _marked(after, change, mark)
        for change, mark in CHANGES.items()
        for before in old.by_outcome[change[0]]
        for after in new.by_outcome[change[1]]
        if in_range(after, before) and is_new(after)
    ]
    old_spurious, new_spurious = old.by_outcome["SL"], new.by_outcome["SL"]
    made += [
        _marked(one, GONE, _OTHER)
        for one in old_spurious
        if not any(_met(other, one) for other in new_spurious)
    ]
    made += [
        _marked(one, NEW, _OTHER)
        for one in new_spurious
        if not any(_met(other, one) for other in old_spurious)
    ]
    return made


def _marked(annotation: Annotation, change: tuple[str, str], mark: str) -> Annotation:
    return replace(
        annotation,
        type=f"{annotation.type}_{'_'.join(change)}",
        features={**annotation.features, CHANGE_FEATURE: mark},
    )


def _met(annotation: Annotation, place: Annotation) -> bool:
    """In range, or the same: an empty span is not in its own range."""
    return in_range(annotation, place) or coextensive(annotation, place)
