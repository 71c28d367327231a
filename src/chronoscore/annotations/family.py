"""The annotations family: its cases, catalogue and protocols."""

from collections.abc import Mapping
from pathlib import Path

from chronoscore.annotations.formats import read_documents
from chronoscore.annotations.metrics import DEFINITIONS, compare
from chronoscore.annotations.model import Document
from chronoscore.core.case import Case
from chronoscore.core.collection import paired_cases
from chronoscore.core.family import Family, Protocol
from chronoscore.core.reading import Reading


def read_cases(
    gold: Path, predictions: Mapping[str, Path], reading: Reading, options: Mapping[str, str]
) -> dict[str, list[Case[Document, Document]]]:
    """Read gold documents and each system's, and bring them together by document id."""
    golds = read_documents(gold, reading)
    read = {name: read_documents(path, reading) for name, path in predictions.items()}
    reading.check()
    return paired_cases(
        golds, read, reading, options, level="document", empty=lambda key: Document(key, ())
    )


FAMILY = Family(
    name="annotations",
    question="Which events and times were found in the text?",
    levels=("gold", "document"),
    compare=compare,
    cluster="document",
    definitions=DEFINITIONS,
    aliases={},
    protocols=(
        Protocol(
            name="spans",
            meaning="best matching, counts pooled over documents",
            citation="the development notes of the GATE Evaluation plugin",
            metrics=("spans",),
            path="gold+document:sum",
            undefined="agree",
        ),
        Protocol(
            name="gate",
            meaning="the matching of the GATE Evaluation plugin, its bugs removed",
            citation="GATE Evaluation plugin (gate.ac.uk), Petrak",
            metrics=("spans(matching=gate)",),
            path="gold+document:sum",
            undefined="agree",
        ),
    ),
    options={"missing": ("empty", "skip", "error")},
)
