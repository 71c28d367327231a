"""What was found, missed and added, as annotations to look at in one's own tool.

Each annotation is copied with its outcome after its type (``Person_CS``): correct strict and
partial, incorrect strict and partial (CS, CP, IS, IP: the responses), missing (ML: the targets) and
spurious (SL: the responses). Against an older system, changes are marked too (``Person_CS_ML``).
Scores go into features of the document, under the names that the GATE Evaluation plugin gives them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from chronoscore.annotations.matching import Pair
from chronoscore.annotations.model import Annotation, Counts, Document, FeatureValue
from chronoscore.annotations.reference import OUTCOMES, Outcomes, change_annotations

PREFIX = "Differences"
TARGET = "_eval.target"
"""The feature of a response that names the target that it was matched with."""
ALL = "[ALL]"
_BY_VALUE = ("IP", "IS", "CP", "CS")


def difference_annotations(
    keys: Sequence[Annotation],
    responses: Sequence[Annotation],
    matches: Iterable[Pair],
    group: str = f"{PREFIX}_Res",
) -> list[Annotation]:
    """A copy of every response, and of every missing target, with its outcome after its type.

    >>> keys = [Annotation("1", "T", 0, 4), Annotation("2", "T", 6, 9)]
    >>> responses = [Annotation("1", "T", 0, 3), Annotation("2", "T", 20, 23)]
    >>> marked = difference_annotations(keys, responses, [Pair(0, 0, 2)])
    >>> [(one.type, one.start, one.end) for one in marked]
    [('T_CP', 0, 3), ('T_ML', 6, 9), ('T_SL', 20, 23)]
    """
    found: dict[str, list[Annotation]] = {name: [] for name in OUTCOMES}
    left, right = set(range(len(keys))), set(range(len(responses)))
    for i, j, value in sorted(matches):
        left.discard(i)
        right.discard(j)
        response = responses[j]
        features = {**response.features, TARGET: keys[i].id}
        found[_BY_VALUE[value]].append(replace(response, features=features))
    found["ML"] = [keys[i] for i in sorted(left)]
    found["SL"] = [responses[j] for j in sorted(right)]
    return _numbered(
        (
            replace(one, type=f"{one.type}_{outcome}")
            for outcome, several in found.items()
            for one in several
        ),
        group,
    )


def changed_annotations(
    old: Outcomes,
    new: Outcomes,
    features: tuple[str, ...] = (),
    group: str = f"{PREFIX}_Diff",
) -> list[Annotation]:
    """What changed from an older system to a newer one, in a set of its own."""
    return _numbered(change_annotations(old, new, features), group)


def _numbered(annotations: Iterable[Annotation], group: str) -> list[Annotation]:
    """Targets and responses have the same ids, so copies of both get new ones."""
    return [replace(one, id=str(n), set=group) for n, one in enumerate(annotations, 1)]


def score_features(
    counts: Counts, evaluation: str, group: str, kind: str = ALL, role: str = "response"
) -> dict[str, FeatureValue]:
    """The scores of a document as the plugin stores them: 0/0 is 1, and n/0 is 0.

    >>> features = score_features(Counts(targets=2, responses=1, correct_strict=1), "e", "Shef")
    >>> features["evaluateTagging.response.e.Shef.[ALL].RecallStrict"]
    0.5
    """
    values: dict[str, FeatureValue] = {}
    for how, correct, single in (
        ("Strict", counts.correct_strict, counts.single_correct_strict),
        ("Lenient", counts.correct_lenient, counts.single_correct_lenient),
    ):
        precision = _share(correct, counts.responses, counts.targets)
        recall = _share(correct, counts.targets, counts.responses)
        both = precision + recall
        values[f"FMeasure{how}"] = 2 * precision * recall / both if both else 0.0
        values[f"Precision{how}"] = precision
        values[f"Recall{how}"] = recall
        values[f"SingleCorrectAccuracy{how}"] = single / counts.targets if counts.targets else 0.0
    values |= {
        "CorrectStrict": counts.correct_strict,
        "CorrectPartial": counts.correct_partial,
        "IncorrectStrict": counts.incorrect_strict,
        "IncorrectPartial": counts.incorrect_partial,
        "TrueMissingStrict": counts.true_missing_strict,
        "TrueMissingLenient": counts.true_missing_lenient,
        "TrueSpuriousStrict": counts.true_spurious_strict,
        "TrueSpuriousLenient": counts.true_spurious_lenient,
        "Targets": counts.targets,
        "Responses": counts.responses,
    }
    before = f"evaluateTagging.{role}.{evaluation}.{group}.{kind}"
    return {f"{before}.{name}": value for name, value in values.items()}


def _share(part: int, whole: int, other: int) -> float:
    return part / whole if whole else float(not other)


def marked_document(
    gold: Document,
    predicted: Document,
    differences: Iterable[Annotation],
    scores: Mapping[str, FeatureValue],
    *,
    gold_set: str = "Key",
    predicted_set: str = "Response",
) -> Document:
    """The gold's document with both sides in sets of their own, the differences, and the scores.

    Sets that annotations are in already keep their names where the two sides don't share one.
    """
    shared = {a.set for a in gold.annotations} & {a.set for a in predicted.annotations} | {""}

    def placed(annotation: Annotation, otherwise: str) -> Annotation:
        return replace(annotation, set=otherwise) if annotation.set in shared else annotation

    return Document(
        gold.id,
        (
            *(placed(one, gold_set) for one in gold.annotations),
            *(placed(one, predicted_set) for one in predicted.annotations),
            *differences,
        ),
        gold.text if gold.text is not None else predicted.text,
        {**gold.features, **scores},
        gold.stored,
    )
