"""Documents with what a metric matched in them, as annotations and features to look at."""

from dataclasses import replace

from chronoscore.annotations.columns import Columns
from chronoscore.annotations.counting import Compared, count
from chronoscore.annotations.differences import (
    PREFIX,
    changed_annotations,
    difference_annotations,
    marked_document,
    score_features,
)
from chronoscore.annotations.matching import Pair
from chronoscore.annotations.model import Annotation, Counts, Document, FeatureValue
from chronoscore.annotations.pairs import Pairs
from chronoscore.annotations.parameters import matched_by, question_of
from chronoscore.annotations.question import EVERY_SET, Question
from chronoscore.annotations.reference import outcomes_of
from chronoscore.annotations.spans import compare
from chronoscore.core.case import Case
from chronoscore.core.metric import Values


def marked(
    case: Case[Document, Document],
    values: Values,
    evaluation: str,
    older: Case[Document, Document] | None = None,
    prefix: str = PREFIX,
) -> Document:
    """The document of a case with its differences, by the parameters of a metric of spans.

    The differences are those of the matching that the metric counts. Scores are given for all
    types, and for each of several, where only annotations of that type are matched. With the same
    case of an older system, its own differences and what changed are marked too.
    """
    question = question_of(values)
    found = compare(case, question)
    taken = matched_by(found, values)
    group = "Response" if question.predicted_set in ("", EVERY_SET) else question.predicted_set
    marks = _marks(found, taken, f"{prefix}_Res")
    scores = _scores(case, values, question, evaluation, group)
    if older is not None:
        before = compare(older, question)
        taken_before = matched_by(before, values)
        marks += _marks(before, taken_before, f"{prefix}_Ref")
        (old,), (new,) = outcomes_of(before, taken_before), outcomes_of(found, taken)
        marks += changed_annotations(old, new, question.features, f"{prefix}_Diff")
        scores |= _scores(older, values, question, evaluation, group, "reference")
    return marked_document(
        replace(case.gold, annotations=_side(found.keys)),
        replace(case.predicted, annotations=_side(found.responses)),
        marks,
        scores,
        predicted_set=group,
    )


def _marks(found: Compared, taken: Pairs, group: str) -> list[Annotation]:
    table = zip(taken.key.tolist(), taken.response.tolist(), taken.value.tolist(), strict=True)
    matches = [Pair(*one) for one in table]
    return difference_annotations(_side(found.keys), _side(found.responses), matches, group)


def _side(columns: Columns) -> tuple[Annotation, ...]:
    return tuple(columns.annotation(place) for place in range(len(columns)))


def _scores(
    case: Case[Document, Document],
    values: Values,
    question: Question,
    evaluation: str,
    group: str,
    role: str = "response",
) -> dict[str, FeatureValue]:
    def counted(asked: Question) -> Counts:
        found: Compared = compare(case, asked)
        (row,) = count(found, matched_by(found, values)).tolist()
        return Counts(*row)

    scores = score_features(counted(question), evaluation, group, role=role)
    sides = (*case.gold.annotations, *case.predicted.annotations)
    kinds = question.types or tuple(sorted({one.type for one in sides}))
    if len(kinds) > 1:
        for kind in kinds:
            # A type that the specification can't name, such as one with '=', has no scores alone.
            if question.types or "=" not in kind:
                one = counted(replace(question, types=(kind,)))
                scores |= score_features(one, evaluation, group, kind, role)
    return scores
