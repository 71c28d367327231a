"""The coreference family: its cases, catalogue and protocols."""

from collections.abc import Mapping
from functools import partial

from msgspec import UNSET, Raw, UnsetType
from msgspec.structs import replace

from chronoscore.core.case import Case, CaseKeys, TopicLine, text_or_empty
from chronoscore.core.event import Event
from chronoscore.core.family import Family, Protocol
from chronoscore.core.functions import late
from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source
from chronoscore.ordering.coreference.formats import (
    COLLECTION,
    LINK_FEATURE,
    ClusterRecord,
    read_clusterings,
)
from chronoscore.ordering.coreference.metrics import DEFINITIONS, compare
from chronoscore.ordering.coreference.model import Clustering
from chronoscore.ordering.formats import read_pairs
from chronoscore.ordering.options import CLUSTERS


def read_cases(
    gold: Source,
    predictions: Mapping[str, Source],
    problems: Problems,
    options: Mapping[str, str],
    link_feature: str = LINK_FEATURE,
) -> dict[str, list[Case[Clustering, Clustering]]]:
    """Read gold clusters and each system's, and pair them by document."""
    read = partial(read_clusterings, problems=problems, link_feature=link_feature)
    empty = Clustering(())
    cases = read_pairs(read, gold, predictions, problems, options, "document", empty)
    if options["singletons"] == "keep":
        return cases
    return {
        name: [_without_singletons(case) for case in system_cases]
        for name, system_cases in cases.items()
    }


def _without_singletons(case: Case[Clustering, Clustering]) -> Case[Clustering, Clustering]:
    return replace(
        case, gold=case.gold.without_singletons(), predicted=case.predicted.without_singletons()
    )


_pooled = partial(Protocol, path="gold+document:sum", undefined="zero")
_PRADHAN = "Pradhan et al. 2014, Scoring Coreference Partitions of Predicted Mentions, ACL"


class _ClusterLine(TopicLine, gc=False):
    """The fields of a line that identify the case of clusters, links or an event."""

    annotations: Raw | UnsetType = UNSET
    clusters: Raw | UnsetType = UNSET


def _case_of(line: _ClusterLine) -> str:
    """Return the case of a line: its id for clusters, one case for links, the topic of an event."""
    if line.annotations is not UNSET and line.clusters is UNSET:
        return COLLECTION
    return text_or_empty(line.id if line.clusters is not UNSET else line.topic)


def _event_of(line: _ClusterLine) -> object:
    return line.id if line.annotations is UNSET and line.clusters is UNSET else None


FAMILY = Family(
    name="coreference",
    home="chronoscore.ordering.coreference.family:FAMILY",
    question="Which mentions are of the same event?",
    levels=("gold", "document"),
    case_keys=CaseKeys(_ClusterLine, _case_of, event=_event_of),
    columns=frozenset({*Event.__struct_fields__, *ClusterRecord.__struct_fields__}),
    read_cases=read_cases,
    compare=compare,
    cluster="document",
    pages=late("chronoscore.ordering.pages:LINK_PAGES"),
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
        _pooled(
            name="conll2012",
            meaning="the mean of MUC, B3 and CEAF-e, numerators and denominators pooled over all "
            "documents",
            citation=f"Pradhan et al. 2012, CoNLL-2012 Shared Task; {_PRADHAN}",
            metrics=("CoNLL", "MUC", "B3", "CEAF-e", "Mentions"),
        ),
        _pooled(
            name="reference-scorer",
            meaning="all that the reference scorer prints, pooled over all documents, and LEA",
            citation=_PRADHAN,
            metrics=("CoNLL", "MUC", "B3", "CEAF-m", "CEAF-e", "BLANC", "LEA", "Mentions"),
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
        _pooled(
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
        ),
    ),
    options=CLUSTERS,
)
