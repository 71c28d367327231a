"""The metrics of coreference, as rows of a catalogue."""

from collections.abc import Callable, Hashable, Mapping
from types import MappingProxyType
from typing import Literal

import numpy as np

from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import BrokenLaw, Definition, Law, Parameter, Values
from chronoscore.core.names import Value
from chronoscore.elements.clusters import (
    Overlap,
    Shares,
    b_cubed,
    ceaf_e,
    ceaf_m,
    lea,
    links,
    mention_detection,
    muc,
    pairs,
    totals,
)
from chronoscore.elements.ratios import Array, f_measure, precision_recall, ratio, with_f
from chronoscore.ordering.coreference.explaining import (
    Comparison,
    averaged_matches,
    cluster_matches,
    link_matches,
)
from chronoscore.ordering.coreference.model import KEYS, ONLY

LAWS = frozenset({Law.IDENTITY, Law.SWAP, Law.ITEM_ORDER, Law.EXPLAINED, Law.BOUNDED})
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
    shares: Callable[[Overlap], Shares],
    kind: Literal["integer", "real"],
    unit: str,
    meaning: str,
    citation: str,
    presets: Mapping[str, Mapping[str, Value]] = MappingProxyType({}),
) -> Definition:
    """A metric that gives each cluster a share, which all but BLANC do."""

    def measure(comparison: Comparison, _: Values) -> Evidence:
        return Evidence(tuple(totals(shares(comparison.overlap))))

    def explain(comparison: Comparison, _: Values) -> list[Match]:
        return cluster_matches(comparison, shares(comparison.overlap))

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
        components=("precision", "recall"),
        scores=("precision", "recall", "f1"),
        primary="f1",
        measure=measure,
        explain=explain,
        ratios=precision_recall,
        derive=lambda components, _: with_f(components),
        laws=lambda _: LAWS,
        explained={
            "precision": (("precision_earned",), ("predicted_total",)),
            "recall": (("recall_earned",), ("gold_total",)),
        },
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
    "for each cluster, the share of its links that was found, weighed by its size",
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
    """Precision, recall and F as means over coreference and non-coreference links.

    A kind of link that is not there is left out of the means. The reference scorer looks for it in
    the gold alone, Luo et al. 2014 on both sides.
    """
    both, predicted, gold = (statistics[..., [place, place + 3]] for place in range(3))
    there = gold if values["edges"] == "reference" else gold + predicted
    weights = (there > 0).astype(np.float64)

    def mean(scores: Array, whole: Array) -> Array:
        # Without links of any kind to go by, what the side has was all found in vain.
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
    scores=("precision", "recall", "f1"),
    primary="f1",
    measure=lambda comparison, _: Evidence(tuple(links(comparison.overlap))),
    explain=lambda comparison, _: link_matches(comparison),
    ratios=_blanc,
    laws=lambda values: LAWS - {Law.SWAP} if values["edges"] == "reference" else LAWS,
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

_LABELS = {"muc": "MUC", "b3": "B3", "ceafe": "CEAF-e"}
_AVERAGED = {"muc": (muc, MUC), "b3": (b_cubed, B3), "ceafe": (ceaf_e, CEAF_E)}


def _conll_ratios(statistics: Array, values: Values) -> Array:
    parts = [precision_recall(statistics[..., at : at + 4], values) for at in (0, 4, 8)]
    return np.concatenate(parts, axis=-1)


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
        Statistic(f"{name}_{statistic.name}", statistic.kind, f"{name}: {statistic.meaning}")
        for name, (_, definition) in _AVERAGED.items()
        for statistic in definition.statistics
    ),
    components=tuple(f"{name}_{side}" for name in _AVERAGED for side in ("precision", "recall")),
    scores=("precision", "recall", "f1"),
    primary="f1",
    measure=lambda comparison, _: Evidence(
        tuple(
            value
            for shares, _ in _AVERAGED.values()
            for value in totals(shares(comparison.overlap))
        )
    ),
    explain=lambda comparison, _: averaged_matches(
        comparison,
        {_LABELS[name]: shares(comparison.overlap) for name, (shares, _) in _AVERAGED.items()},
    ),
    ratios=_conll_ratios,
    derive=_conll_scores,
    laws=lambda _: LAWS - {Law.EXPLAINED},  # matches add up to its scores, and not to its counts
)

DEFINITIONS = (MENTIONS, MUC, B3, CEAF_M, CEAF_E, PAIRS, BLANC, LEA, CONLL)
