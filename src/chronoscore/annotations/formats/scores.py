"""Scores that stand in a feature, in formats that have no other place for them."""

from dataclasses import replace
from pathlib import Path

from chronoscore.annotations.formats.book import Collection
from chronoscore.annotations.model import Annotation, Document
from chronoscore.core.numbers import real_number
from chronoscore.core.reading import Reading

SCORED = "scored"
"""What is counted in parts of files: annotations whose score stands in the feature."""


def scored_by(documents: Collection, feature: str, path: Path, reading: Reading) -> Collection:
    """The same documents, each annotation with the number in this feature as its score.

    The feature may be a text that is a number, as GATE takes it. Where it is absent, the score
    stays what it was; a value that is no number is a problem.
    """
    number = 0

    def scored(document: Document, annotation: Annotation) -> Annotation:
        nonlocal number
        if annotation.features.get(feature) is None:
            return annotation
        number += 1
        score = real_number(annotation.features[feature])
        if score is None:
            reading.problem(
                f"document '{document.id}': annotation '{annotation.id}' has "
                f"{annotation.features[feature]!r} as its '{feature}', expected a finite number",
                path,
            )
        rest = {name: value for name, value in annotation.features.items() if name != feature}
        return replace(annotation, features=rest, score=score)

    found = {
        key: {
            name: replace(
                document, annotations=tuple(scored(document, one) for one in document.annotations)
            )
            for name, document in named.items()
        }
        for key, named in documents.items()
    }
    reading.counts[SCORED] += number
    if not number and not reading.partial:
        reading.notice(
            f"no annotation has the feature '{feature}', which was to be its score", path
        )
    return found
