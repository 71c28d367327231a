"""The coreference family: its cases, catalogue and protocols."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from chronoscore.core.case import Case
from chronoscore.core.collection import named_alike, paired_cases
from chronoscore.core.event import Event
from chronoscore.core.family import Family, Protocol
from chronoscore.core.reading import Reading
from chronoscore.core.sharding import by_clusters
from chronoscore.ordering.coreference.explaining import compare
from chronoscore.ordering.coreference.formats import LINK_FEATURE, read_clusterings
from chronoscore.ordering.coreference.formats.records import Document as Record
from chronoscore.ordering.coreference.metrics import DEFINITIONS
from chronoscore.ordering.coreference.model import Clustering


def read_cases(
    gold: Path,
    predictions: Mapping[str, Path],
    reading: Reading,
    options: Mapping[str, str],
    link_feature: str = LINK_FEATURE,
) -> dict[str, list[Case[Clustering, Clustering]]]:
    """Read gold clusters and each system's, and bring them together by document."""
    golds = read_clusterings(gold, reading, link_feature)
    read = {
        name: named_alike(golds, read_clusterings(path, reading, link_feature), gold, path, reading)
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
    columns=frozenset({*Event.__struct_fields__, *Record.__struct_fields__}),
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
        "strong_mention_match": "mentions",
        "b_cubed": "b3",
        "mention_ceaf": "ceafm",
        "entity_ceaf": "ceafe",
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
        Protocol(
            name="tac2014",
            meaning="entity linking as in TAC 2014: mentions, links and NILs found, and clusters "
            "across all documents; the measures of neleval's set tac14",
            citation="Ji et al. 2014, Overview of TAC-KBP2014 Entity Discovery and Linking Tasks",
            metrics=(
                "typed_mention_ceaf",
                "CEAF-m",
                "B3",
                "b_cubed_plus",
                "Mentions",
                "strong_typed_mention_match",
                "strong_link_match",
                "strong_nil_match",
                "strong_all_match",
                "strong_typed_all_match",
            ),
            path="gold+document:sum",
            undefined="zero",
        ),
    ),
    options={"missing": ("empty", "skip", "error"), "singletons": ("keep", "drop")},
)
