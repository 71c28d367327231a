"""The outcome of every annotation: correct, missing or spurious, and changes since an older system.

Outcomes of responses are correct strict and partial, incorrect strict and partial (CS, CP, IS, IP)
and spurious (SL); a target is missing (ML). For a look in an annotation tool, each annotation is
copied with its outcome after its type (``Person_CS``), and one whose outcome changed since an older
system with both (``Person_CS_ML``). Scores go into features of the document, under the names of the
GATE Evaluation plugin.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from chronoscore.annotations.matching.comparing import (
    SpanComparison,
    compare,
    count,
    unmatched_nearby,
)
from chronoscore.annotations.matching.meetings import SpanPairs
from chronoscore.annotations.matching.strategies import match
from chronoscore.annotations.model import (
    Annotation,
    Counts,
    Document,
    FeatureValue,
    coextensive,
    in_range,
)
from chronoscore.annotations.parameters import EVERY_SET, SpanQuestion, profiler, question_of
from chronoscore.core.case import Case
from chronoscore.core.metric import Values

OUTCOMES = ("CS", "CP", "IS", "IP", "ML", "SL")
_BY_VALUE = ("IP", "IS", "CP", "CS")
PREFIX = "Differences"
TARGET_FEATURE, CHANGE_FEATURE = "_eval.target", "_eval.change"
"""Features that name the target a response is matched with, and say how an outcome changed."""
ALL_TYPES = "[ALL]"


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of a document: its responses and missing targets by outcome.

    ``target_of`` is the target of each matched response, by the response's set and id. ``alone``
    are the strict and the partial correct responses at whose target no response is unmatched:
    GATE's single correct.
    """

    targets: list[Annotation] = field(default_factory=list)
    by_outcome: dict[str, list[Annotation]] = field(
        default_factory=lambda: {name: [] for name in OUTCOMES}
    )
    target_of: dict[tuple[str, str], str] = field(default_factory=dict)
    alone: tuple[list[Annotation], list[Annotation]] = field(default_factory=lambda: ([], []))


def outcomes_of(comparison: SpanComparison, matched: SpanPairs) -> list[Outcomes]:
    """Return the outcomes of each document of a comparison."""
    nearby = unmatched_nearby(comparison, matched)
    keys, responses = comparison.keys, comparison.responses
    outcomes = [Outcomes() for _ in keys.documents]
    for i, j, value in matched.rows():
        document, response = outcomes[keys.document[i]], responses.annotation(j)
        document.by_outcome[_BY_VALUE[value]].append(response)
        document.target_of[response.set, response.id] = keys.ids[i]
        if value >= 2 and not nearby[i]:
            document.alone[3 - value].append(response)
    matched_keys, matched_responses = set(matched.key.tolist()), set(matched.response.tolist())
    for i, at in enumerate(keys.document.tolist()):
        target = keys.annotation(i)
        outcomes[at].targets.append(target)
        if i not in matched_keys:
            outcomes[at].by_outcome["ML"].append(target)
    for j, at in enumerate(responses.document.tolist()):
        if j not in matched_responses:
            outcomes[at].by_outcome["SL"].append(responses.annotation(j))
    return outcomes


def right_alone(outcomes: Outcomes, *, strict: bool) -> list[bool]:
    """Return for each target whether it is right and no response at it is unmatched, as the plugin.

    Strict: a coextensive response is single correct, whatever its type. Lenient: or a partial one
    lies at the target.
    """
    exact, partial = outcomes.alone
    spans = {(response.start, response.end) for response in exact}
    return [
        (target.start, target.end) in spans
        or (not strict and any(in_range(response, target) for response in partial))
        for target in outcomes.targets
    ]


def contingency(
    pairs: Iterable[tuple[Outcomes, Outcomes]], *, strict: bool
) -> tuple[int, int, int, int]:
    """Count the targets that both systems, only the old, only the new and neither have right alone.

    Each target of a document counts once, however many types there are.
    """
    counts = Counter[tuple[bool, bool]]()
    for old, new in pairs:
        sides = right_alone(old, strict=strict), right_alone(new, strict=strict)
        counts.update(zip(*sides, strict=True))
    return counts[True, True], counts[True, False], counts[False, True], counts[False, False]


_WRONG = ("IS", "IP", "ML")
CHANGES: Mapping[tuple[str, str], str] = {
    **{("CS", after): "-" for after in ("CP", *_WRONG)},
    ("CP", "CS"): "+",
    **{("CP", after): "-" for after in _WRONG},
    **{(before, after): "+" for before in _WRONG for after in ("CS", "CP")},
    **{(before, after): "+-" for before in _WRONG for after in _WRONG if before != after},
}
"""Whether a change of outcome is better (+), worse (-) or undecided (+-)."""


def change_annotations(
    old: Outcomes, new: Outcomes, features: tuple[str, ...] = ()
) -> list[Annotation]:
    """Mark where the new system differs: ``Type_CS_ML`` was strictly correct and is now missing.

    For each annotation of an old outcome, each annotation of another outcome in its range is
    copied, unless the old system has an equal one (same span, type and features). The
    feature ``_eval.change`` is ``+``, ``-`` or ``+-``. One annotation can be marked several times.
    A spurious response that is gone is ``SL_A``, and a new one ``A_SL``.
    """
    profile = profiler(SpanQuestion(features=features))

    def identity(annotation: Annotation) -> object:
        return annotation.start, annotation.end, profile(annotation.type, annotation.features)

    old_identities = {*map(identity, chain.from_iterable(old.by_outcome.values()))}
    changes = [
        _marked(after, change, mark)
        for change, mark in CHANGES.items()
        for before in old.by_outcome[change[0]]
        for after in new.by_outcome[change[1]]
        if in_range(after, before) and identity(after) not in old_identities
    ]
    sides = old.by_outcome["SL"], new.by_outcome["SL"]
    for (responses, others), change in ((sides, ("SL", "A")), (sides[::-1], ("A", "SL"))):
        changes += [
            _marked(response, change, "+-")
            for response in responses
            # An empty span is not in its own range.
            if not any(in_range(o, response) or coextensive(o, response) for o in others)
        ]
    return changes


def _marked(annotation: Annotation, change: tuple[str, str], mark: str) -> Annotation:
    return replace(
        annotation,
        type=f"{annotation.type}_{'_'.join(change)}",
        features={**annotation.features, CHANGE_FEATURE: mark},
    )


def difference_annotations(outcomes: Outcomes, group: str) -> list[Annotation]:
    """Copy every response, and every missing target, with its outcome after its type."""
    copies = []
    for outcome, annotations in outcomes.by_outcome.items():
        for annotation in annotations:
            features = dict(annotation.features)
            if outcome not in ("ML", "SL"):
                features[TARGET_FEATURE] = outcomes.target_of[annotation.set, annotation.id]
            type_ = f"{annotation.type}_{outcome}"
            copies.append(replace(annotation, type=type_, features=features))
    return _numbered(copies, group)


def _numbered(annotations: Iterable[Annotation], group: str) -> list[Annotation]:
    """Number the copies and put them into a set: targets and responses may have equal ids."""
    return [
        replace(annotation, id=str(n), set=group) for n, annotation in enumerate(annotations, 1)
    ]


def score_features(
    counts: Counts, evaluation: str, group: str, kind: str = ALL_TYPES, role: str = "response"
) -> dict[str, FeatureValue]:
    """Return the scores of a document as the plugin stores them: 0/0 is 1, and n/0 is 0.

    >>> features = score_features(Counts(targets=2, responses=1, correct_strict=1), "e", "Shef")
    >>> features["evaluateTagging.response.e.Shef.[ALL].RecallStrict"]
    0.5
    """
    derived = counts.with_derived()
    targets, responses = counts.targets, counts.responses
    values: dict[str, FeatureValue] = {}
    for how in ("strict", "lenient"):
        correct, single = derived[f"correct_{how}"], derived[f"single_correct_{how}"]
        precision, recall = _share(correct, responses, targets), _share(correct, targets, responses)
        total = precision + recall
        values[f"FMeasure{how.title()}"] = 2 * precision * recall / total if total else 0.0
        values[f"Precision{how.title()}"] = precision
        values[f"Recall{how.title()}"] = recall
        values[f"SingleCorrectAccuracy{how.title()}"] = single / targets if targets else 0.0
    for name in _STORED_COUNTS:
        values[name.title().replace("_", "")] = derived[name]
    prefix = f"evaluateTagging.{role}.{evaluation}.{group}.{kind}"
    return {f"{prefix}.{name}": value for name, value in values.items()}


_STORED_COUNTS = (
    *("correct_strict", "correct_partial", "incorrect_strict", "incorrect_partial"),
    *("true_missing_strict", "true_missing_lenient"),
    *("true_spurious_strict", "true_spurious_lenient", "targets", "responses"),
)


def _share(part: int, whole: int, other: int) -> float:
    return part / whole if whole else float(not other)


def marked_document(
    case: Case[Document, Document],
    values: Values,
    evaluation: str,
    older: Case[Document, Document] | None = None,
) -> Document:
    """Return the document of a case with its differences, by the parameters of a metric of spans.

    The differences are those of the matching that the metric counts. Scores are of all types
    together, and of each type if there are several, matched without the others. With the same case
    of an older system, the differences of that system and the changes are marked too.
    """
    question = question_of(values)
    comparison = compare(case.gold, case.predicted, question)
    (new,) = outcomes_of(comparison, match(comparison, values))
    group = "Response" if question.predicted_set in ("", EVERY_SET) else question.predicted_set
    marks = difference_annotations(new, f"{PREFIX}_Res")
    scores = _scores(case, values, question, evaluation, group)
    if older is not None:
        before = compare(older.gold, older.predicted, question)
        (old,) = outcomes_of(before, match(before, values))
        marks += difference_annotations(old, f"{PREFIX}_Ref")
        marks += _numbered(change_annotations(old, new, question.features), f"{PREFIX}_Diff")
        scores |= _scores(older, values, question, evaluation, group, "reference")
    sides = comparison.keys.annotations(), comparison.responses.annotations()
    return Document(
        case.gold.id,
        (*_in_sets(*sides, group), *marks),
        case.gold.text if case.gold.text is not None else case.predicted.text,
        {**case.gold.features, **scores},
        case.gold.stored,
    )


def _in_sets(
    gold: Sequence[Annotation], predicted: Sequence[Annotation], group: str
) -> list[Annotation]:
    """Put each side into its own set; sets that the two don't share keep their names."""
    shared = {target.set for target in gold} & {response.set for response in predicted} | {""}
    return [
        replace(annotation, set=name) if annotation.set in shared else annotation
        for side, name in ((gold, "Key"), (predicted, group))
        for annotation in side
    ]


def _scores(
    case: Case[Document, Document],
    values: Values,
    question: SpanQuestion,
    evaluation: str,
    group: str,
    role: str = "response",
) -> dict[str, FeatureValue]:
    def counts_of(question: SpanQuestion) -> Counts:
        comparison = compare(case.gold, case.predicted, question)
        (row,) = count(comparison, match(comparison, values)).tolist()
        return Counts(*row)

    scores = score_features(counts_of(question), evaluation, group, role=role)
    sides = (*case.gold.annotations, *case.predicted.annotations)
    kinds = question.types or tuple(sorted({annotation.type for annotation in sides}))
    for kind in kinds if len(kinds) > 1 else ():
        # A type that the specification can't name, such as one with '=', has no scores alone.
        if question.types or "=" not in kind:
            counts = counts_of(replace(question, types=(kind,)))
            scores |= score_features(counts, evaluation, group, kind, role)
    return scores
