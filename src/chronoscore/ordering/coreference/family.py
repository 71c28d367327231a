"""The coreference family: its cases, catalogue and protocols."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from chronoscore.core.case import Case
from chronoscore.core.collection import named_alike, paired_cases
from chronoscore.core.family import Family, Protocol
from chronoscore.core.reading import Reading
from chronoscore.core.sharding import by_clusters
from chronoscore.ordering.coreference.explaining import compare
from chronoscore.ordering.coreference.formats import read_clusterings
from chronoscore.ordering.coreference.metrics import DEFINITIONS
from chronoscore.ordering.coreference.model import Clustering


def read_cases(
    gold: Path, predictions: Mapping[str, Path], reading: Reading, options: Mapping[str, str]
) -> dict[str, list[Case[Clustering, Clustering]]]:
    """Read gold clusters and each system's, and bring them together by document."""
    golds = read_clusterings(gold, reading)
    read = {
        name: named_alike(golds, read_clusterings(path, reading), gold, path, reading)
        for name, path in predictions.items()
    }
    reading.check()
    cases = paired_cases(
        golds, read, reading, options, level="document", empty=lambda _: Clustering(())
    )
    if options["singletons"] == "drop":
        return {
            name: [_without_singletons(case) for case in found] for name, found in cases.items()
        }
    return cases


def _without_singletons(case: Case[Clustering, Clustering]) -> Case[Clustering, Clustering]:
    return replace(
        case, gold=case.gold.without_singletons(), predicted=case.predicted.without_singletons()
    )


_PRADHAN = "Pradhan et al. 2014, Scoring Coreference Partitions of Predicted Mentions, ACL"

FAMILY = Family(
    name="coreference",
    question="Which mentions are of the same event?",
    levels=("gold", "document"),
    sharding=by_clusters,
    compare=compare,
    cluster="document",
    definitions=DEFINITIONS,
    aliases={
        "Mentions": "mentions",
        "MUC": "muc",
        "B3": "b3",
        "CEAF-m": "ceafm",
        "CEAF-e": "ceafe",
        "BLANC": "blanc",
        "LEA": "lea",
        "CoNLL": "conll",
    },
    protocols=(
        Protocol(
            name="conll2012",
            meaning="the mean of MUC, B3 and CEAF-e, numerators and denominators pooled over all "
            "documents",
            citation=f"Pradhan et al. 2012, CoNLL-2012 Shared Task; {_PRADHAN}",
            metrics=("CoNLL", "MUC", "B3", "CEAF-e", "Mentions"),
            path="gold+document:sum",
            undefined="zero",
        ),
        Protocol(
            name="reference-scorer",
            meaning="all that the reference scorer prints, pooled over all documents, and LEA",
            citation=_PRADHAN,
            metrics=("CoNLL", "MUC", "B3", "CEAF-m", "CEAF-e", "BLANC", "LEA", "Mentions"),
            path="gold+document:sum",
            undefined="zero",
        ),
        Protocol(
            name="document-means",
            meaning="as conll2012, but scored document by document and averaged, each weighing the "
            "same; documents where a score is undefined are left out of it",
            citation=_PRADHAN,
            metrics=("CoNLL", "MUC", "B3", "CEAF-e", "Mentions"),
            path="gold+document:mean-f",
            undefined="skip",
        ),
    ),
    options={"missing": ("empty", "skip", "error"), "singletons": ("keep", "drop")},
)
