"""The metrics of coreference, and matches that explain them: the pieces of each cluster."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple, cast

import numpy as np

from chronoscore.core.case import Case
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import USUAL_LAWS, BrokenLaw, Definition, Law, Parameter, Values
from chronoscore.core.names import Value
from chronoscore.elements.clusters import (
    ClusterOverlap,
    Shares,
    b_cubed,
    ceaf_e,
    ceaf_m,
    lea,
    links,
    mention_detection,
    muc,
    overlap_of,
    pairs,
    totals,
)
from chronoscore.ordering.coreference.model import KEYS, ONLY, Clustering
from chronoscore.ordering.model import SIDES, Side, match_of
from chronoscore.statistics.ratios import Array, f_measure, ratio

Pairs = Sequence[tuple[float, float]]
"""The credit of each cluster of a side, and the credit possible."""
_SHOWN = 8


class ClusterComparison(NamedTuple):
    """Two clusterings, and how their clusters overlap."""

    gold: Clustering
    predicted: Clustering
    overlap: ClusterOverlap


def compare(case: Case[Clustering, Clustering], setting: Hashable) -> ClusterComparison:
    """Intersect the clusters of both sides, which all metrics use."""
    key, only = cast("tuple[str, str]", setting or (KEYS[0], ONLY[0]))
    gold, predicted = (side.keyed(key, only) for side in (case.gold, case.predicted))
    return ClusterComparison(gold, predicted, overlap_of(gold.clusters, predicted.clusters))


def cluster_matches(
    comparison: ClusterComparison,
    shares: Shares,
    remarks: Mapping[tuple[Side, tuple[str, ...]], str] = MappingProxyType({}),
) -> Iterator[Match]:
    """Yield a match for every cluster of either side with possible credit, and its remark."""
    gold, predicted = comparison.gold.clusters, comparison.predicted.clusters
    sides = (predicted, gold, shares.predicted), (gold, predicted, shares.gold)
    for side, (clusters, others, credits) in zip(SIDES, sides, strict=True):
        other_cluster = {mention: cluster for cluster in others for mention in cluster}
        for cluster, (credit, possible) in zip(clusters, credits, strict=True):
            if not possible:
                continue
            pieces: dict[tuple[str, ...], list[str]] = {}
            for mention in cluster:
                if mention in other_cluster:
                    pieces.setdefault(other_cluster[mention], []).append(mention)
            missing = [mention for mention in cluster if mention not in other_cluster]
            item = _named(cluster) + remarks.get((side, cluster), "")
            split, outcome = _split(pieces, missing), _outcome(cluster, pieces, missing)
            yield match_of(side, item, split, outcome, float(credit), float(possible))


def averaged_matches(
    comparison: ClusterComparison, measures: Mapping[str, Shares]
) -> Iterator[Match]:
    """Yield a match for every cluster, with its share of the mean of several measures.

    Over a side, credit adds up to the mean of its precisions or recalls; a measure whose
    denominator is 0 adds nothing. A remark has the credit in the units of each measure.
    """
    by_side = list(zip(*measures.values(), strict=True))
    sides = (comparison.predicted.clusters, comparison.gold.clusters)
    remarks: dict[tuple[Side, tuple[str, ...]], str] = {}
    for side, clusters, credits in zip(SIDES, sides, by_side, strict=True):
        for cluster, *shares in zip(clusters, *credits, strict=True):
            named = zip(measures, shares, strict=True)
            earned = (f"{name} {credit:.3g} of {most:g}" for name, (credit, most) in named if most)
            remarks[side, cluster] = f"\n({', '.join(earned)})"
    return cluster_matches(comparison, Shares(*map(_means, by_side)), remarks)


def _means(measures: Sequence[Pairs]) -> list[tuple[float, float]]:
    totals_of = [len(measures) * sum(possible for _, possible in pairs) for pairs in measures]

    def mean(cluster: Pairs, at: int) -> float:
        return sum(
            pair[at] / total for pair, total in zip(cluster, totals_of, strict=True) if total
        )

    return [(mean(cluster, 0), mean(cluster, 1)) for cluster in zip(*measures, strict=True)]


def link_matches(comparison: ClusterComparison) -> Iterator[Match]:
    """Yield matches for the coreference links of each cluster, and one for all other links."""
    yield from cluster_matches(comparison, pairs(comparison.overlap))
    counts = links(comparison.overlap)
    item, credit = "pairs of mentions in different clusters", float(counts.other)
    for side, number in zip(SIDES, (counts.predicted_other, counts.gold_other), strict=True):
        if number:
            yield match_of(side, item, "", "non-coreference links", credit, float(number))


def _outcome(
    cluster: Sequence[str], pieces: dict[tuple[str, ...], list[str]], missing: list[str]
) -> str:
    if not pieces:
        return "not found"
    outcomes = [f"split in {len(pieces)}"] if len(pieces) > 1 else []
    if missing:
        outcomes.append(f"{len(missing)} not found")
    if len(pieces) == 1 and len(next(iter(pieces))) > len(cluster) - len(missing):
        outcomes.append("with others")
    return ", ".join(outcomes) or "the same"


def _split(pieces: dict[tuple[str, ...], list[str]], missing: list[str]) -> str:
    """Write the pieces of a cluster, each with the number of other mentions in its cluster."""
    texts = [
        _named(piece) + (f" (+{more})" if (more := len(whole) - len(piece)) else "")
        for whole, piece in pieces.items()
    ]
    if missing and pieces:
        texts.append(f"not found: {_named(missing)}")
    return " | ".join(texts)


def _named(mentions: Sequence[str]) -> str:
    shown = ", ".join(mentions[:_SHOWN])
    more = len(mentions) - _SHOWN
    return shown + (f" and {more} more" if more > 0 else "")


# The catalogue


_PRADHAN = "Pradhan et al. 2014, Scoring Coreference Partitions of Predicted Mentions, ACL"

_TAC = (
    "Ji et al. 2014, Overview of TAC-KBP2014 Entity Discovery and Linking Tasks; Hachey et al. "
    "2014, Cheap and easy entity evaluation, ACL"
)

_WHICH = (
    Parameter(
        "key",
        "word",
        KEYS[0],
        "what two mentions must have in common to be the same: their place, and the type and the "
        "KB id (any NIL is the same) that links give them",
        KEYS,
    ),
    Parameter(
        "only",
        "word",
        ONLY[0],
        "which mentions count: all, those that link to a KB id, or those that link to a NIL id",
        ONLY,
    ),
)


def _setting(values: Values) -> Hashable:
    return str(values["key"]), str(values["only"])


def _definition(
    name: str,
    shares: Callable[[ClusterOverlap], Shares],
    kind: Literal["integer", "real"],
    unit: str,
    meaning: str,
    citation: str,
    presets: Mapping[str, Mapping[str, Value]] = MappingProxyType({}),
) -> Definition:
    """Define a metric that gives each cluster a share, as all but BLANC do."""

    return Definition(
        name=name,
        meaning=meaning,
        citation=citation,
        parameters=_WHICH,
        presets=presets,
        setting=_setting,
        statistics=(
            Statistic("precision_earned", kind, f"{unit} of the prediction that the gold has"),
            Statistic("predicted_total", "integer", f"{unit} of the prediction"),
            Statistic("recall_earned", kind, f"{unit} of the gold that the prediction has"),
            Statistic("gold_total", "integer", f"{unit} of the gold"),
        ),
        measure=lambda comparison, _: Evidence(totals(shares(comparison.overlap))),
        explain=lambda comparison, _: cluster_matches(comparison, shares(comparison.overlap)),
        laws=lambda _: USUAL_LAWS,
    )


MENTIONS = _definition(
    "mentions",
    mention_detection,
    "integer",
    "mentions",
    "were the mentions found, whatever their clusters",
    f"{_PRADHAN}; with links: {_TAC}",
    {
        "strong_typed_mention_match": {"key": "span+type"},
        "strong_linked_mention_match": {"only": "linked"},
        "strong_all_match": {"key": "span+kbid"},
        "strong_link_match": {"key": "span+kbid", "only": "linked"},
        "strong_nil_match": {"only": "nil"},
        "strong_typed_all_match": {"key": "span+type+kbid"},
        "strong_typed_link_match": {"key": "span+type+kbid", "only": "linked"},
        "strong_typed_nil_match": {"key": "span+type", "only": "nil"},
    },
)
MUC = _definition(
    "muc",
    muc,
    "integer",
    "links (mentions less one of each cluster)",
    "the fewest links that make each cluster, and how many of them survive; singletons don't count",
    "Vilain et al. 1995, A Model-Theoretic Coreference Scoring Scheme, MUC-6",
)
B3 = _definition(
    "b3",
    b_cubed,
    "real",
    "mentions",
    "for each mention, the share of its cluster that is with it on the other side",
    f"Bagga and Baldwin 1998, Algorithms for Scoring Coreference Chains; {_PRADHAN}; B-cubed+: "
    "Ji et al. 2011, Overview of the TAC 2011 Knowledge Base Population Track",
    {"b_cubed_plus": {"key": "span+kbid"}},
)
CEAF_M = _definition(
    "ceafm",
    ceaf_m,
    "integer",
    "mentions",
    "mentions in common under the best one-to-one alignment of clusters",
    f"Luo 2005, On Coreference Resolution Performance Metrics, HLT-EMNLP; with links: {_TAC}",
    {
        "typed_mention_ceaf": {"key": "span+type"},
        "mention_ceaf_plus": {"key": "span+kbid"},
        "typed_mention_ceaf_plus": {"key": "span+type+kbid"},
    },
)
CEAF_E = _definition(
    "ceafe",
    ceaf_e,
    "real",
    "clusters",
    "similarity of clusters under the best one-to-one alignment, all clusters weighing the same",
    "Luo 2005, On Coreference Resolution Performance Metrics, HLT-EMNLP",
)
LEA = _definition(
    "lea",
    lea,
    "real",
    "mentions",
    "for each cluster, the share of its links that was found, weighted by its size",
    "Moosavi and Strube 2016, Which Coreference Evaluation Metric Do You Trust?, ACL",
)
PAIRS = _definition(
    "pairs",
    pairs,
    "integer",
    "pairs of mentions in one cluster",
    "pairs of mentions that corefer, found among those of the other side",
    "Luo et al. 2014, An Extension of BLANC to System Mentions, ACL: its coreference links",
)


def _blanc(statistics: Array, values: Values) -> Array:
    """Return precision, recall and F as means over coreference and non-coreference links.

    A kind of link that does not occur is left out of the means. The reference scorer looks for it
    in the gold alone, Luo et al. 2014 on both sides.
    """
    both, predicted, gold = (statistics[..., [place, place + 3]] for place in range(3))
    links_by_kind = gold if values["edges"] == "reference" else gold + predicted
    weights = (links_by_kind > 0).astype(np.float64)

    def mean(scores: Array, whole: Array) -> Array:
        # Where no kind of link counts, a side that has links scores 0.
        means = ratio((np.nan_to_num(scores) * weights).sum(-1), weights.sum(-1))
        return np.where(whole.sum(-1) > 0, np.nan_to_num(means), np.nan)

    precision = mean(ratio(both, predicted), predicted)
    recall = mean(ratio(both, gold), gold)
    f = mean(ratio(2 * both, predicted + gold), predicted + gold)
    return np.stack([precision, recall, f], axis=-1)


BLANC = Definition(
    name="blanc",
    meaning="pairs of mentions that corefer and pairs that don't, each kind scored, then averaged",
    citation="Luo et al. 2014, An Extension of BLANC to System Mentions, ACL; "
    "Recasens and Hovy 2011, BLANC: Implementing the Rand Index, NLE",
    parameters=(
        Parameter(
            "edges",
            "word",
            "reference",
            "when a kind of link is left out: the gold has none (as the reference scorer), or "
            "neither side has any (as Luo et al. 2014)",
            ("reference", "luo2014"),
        ),
        *_WHICH,
    ),
    setting=_setting,
    statistics=(
        Statistic("coreferent", "integer", "coreference links that both sides have"),
        Statistic("predicted_coreferent", "integer", "coreference links of the prediction"),
        Statistic("gold_coreferent", "integer", "coreference links of the gold"),
        Statistic("other", "integer", "non-coreference links that both sides have"),
        Statistic("predicted_other", "integer", "non-coreference links of the prediction"),
        Statistic("gold_other", "integer", "non-coreference links of the gold"),
    ),
    components=("precision", "recall", "f1"),
    measure=lambda comparison, _: Evidence(tuple(links(comparison.overlap))),
    explain=lambda comparison, _: link_matches(comparison),
    ratios=_blanc,
    laws=lambda values: USUAL_LAWS - ({Law.SWAP} if values["edges"] == "reference" else set()),
    broken=(
        BrokenLaw(
            Law.SWAP,
            "Gold {a} {b} {c}, prediction {a b} {c}: the gold has no coreference links, so only "
            "the others count and precision is 1. With the sides swapped both kinds count and "
            "recall is 1/2. blanc(edges=luo2014) obeys.",
        ),
    ),
    explained={
        "precision": (("coreferent", "other"), ("predicted_coreferent", "predicted_other")),
        "recall": (("coreferent", "other"), ("gold_coreferent", "gold_other")),
    },
)

_AVERAGED = {"MUC": (muc, MUC), "B3": (b_cubed, B3), "CEAF-e": (ceaf_e, CEAF_E)}


def _conll_scores(components: Array, _: Values) -> Array:
    precision, recall = components[..., 0::2], components[..., 1::2]
    f = f_measure(precision, recall)
    return np.stack([scores.mean(axis=-1) for scores in (precision, recall, f)], axis=-1)


CONLL = Definition(
    name="conll",
    meaning="the mean of MUC, B3 and CEAF-e; its F is the mean of their three F",
    citation="Pradhan et al. 2012, CoNLL-2012 Shared Task; Denis and Baldridge 2009",
    parameters=_WHICH,
    setting=_setting,
    statistics=tuple(
        Statistic(
            f"{each.name}_{statistic.name}", statistic.kind, f"{each.name}: {statistic.meaning}"
        )
        for _, each in _AVERAGED.values()
        for statistic in each.statistics
    ),
    ratio_table={
        f"{each.name}_{side}": ({f"{each.name}_{side}_earned": 1.0}, f"{each.name}_{total}")
        for _, each in _AVERAGED.values()
        for side, total in (("precision", "predicted_total"), ("recall", "gold_total"))
    },
    scores=("precision", "recall", "f1"),
    measure=lambda comparison, _: Evidence(
        tuple(
            number
            for _, each in _AVERAGED.values()
            for number in each().measure(comparison).statistics
        )
    ),
    explain=lambda comparison, _: averaged_matches(
        comparison, {label: shares(comparison.overlap) for label, (shares, _) in _AVERAGED.items()}
    ),
    derive=_conll_scores,
    # Matches add up to the scores, not to the counts.
    laws=lambda _: USUAL_LAWS - {Law.EXPLAINED},
)

DEFINITIONS = (MENTIONS, MUC, B3, CEAF_M, CEAF_E, PAIRS, BLANC, LEA, CONLL)
