"""The metric of labels given to the same spans; kappas need the whole table of labels."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from chronoscore.annotations.classification import LabelPair, label_pairs
from chronoscore.annotations.model import Annotation, Document
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import Definition, Law, Parameter, Values
from chronoscore.elements.ratios import Array, ratio


@dataclass(frozen=True, slots=True)
class Labels:
    """Which feature of which type is the label; empty means the type itself, and any type."""

    feature: str
    type: str


@dataclass(frozen=True)
class Labelled:
    """The spans that both sides labelled, and how many targets there are to be labelled."""

    pairs: tuple[LabelPair, ...]
    targets: int


def compare_labels(gold: Document, predicted: Document, chosen: Labels) -> Labelled:
    """Pair the labels of a document."""
    pairs = label_pairs(gold.annotations, predicted.annotations, chosen.feature, chosen.type)
    wanted = (
        one
        for one in gold.annotations
        if chosen.type in ("", one.type)
        and (not chosen.feature or one.features.get(chosen.feature) is not None)
    )
    return Labelled(tuple(pairs), sum(1 for _ in wanted))


def _setting(values: Values) -> Hashable:
    return Labels(str(values["feature"]), str(values["type"]))


def _measure(found: Labelled, _: Values) -> Evidence:
    agreed = sum(pair.gold_label == pair.predicted_label for pair in found.pairs)
    return Evidence((agreed, len(found.pairs), found.targets))


def _explain(found: Labelled, _: Values) -> list[Match]:
    return [
        Match(
            "both",
            "agreed" if pair.gold_label == pair.predicted_label else "another label",
            float(pair.gold_label == pair.predicted_label),
            1.0,
            gold=_shown(pair.gold, pair.gold_label),
            predicted=_shown(pair.predicted, pair.predicted_label),
        )
        for pair in found.pairs
    ]


def _shown(annotation: Annotation, label: str) -> str:
    return f"{annotation.id} {annotation.start}-{annotation.end}: {label}"


def _ratios(statistics: Array, _: Values) -> Array:
    return np.stack([ratio(statistics[..., 0], statistics[..., 1])], axis=-1)


CLASSIFICATION = Definition(
    name="classification",
    meaning="the share of equal labels on spans that both sides have exactly once",
    citation="GATE, gate.util.ClassificationMeasures",
    parameters=(
        Parameter("feature", "word", "", "the feature that is the label; empty means the type"),
        Parameter("type", "word", "", "the type of annotations; empty means any"),
    ),
    statistics=(
        Statistic("agreed", "integer", "spans with the same label"),
        Statistic("labelled", "integer", "spans that both sides labelled exactly once"),
        Statistic("targets", "integer", "gold annotations with a label"),
    ),
    components=("agreement",),
    scores=("agreement",),
    primary="agreement",
    setting=_setting,
    measure=_measure,
    explain=_explain,
    ratios=_ratios,
    laws=lambda _: frozenset({Law.IDENTITY, Law.ITEM_ORDER, Law.BOUNDED, Law.EXPLAINED}),
    explained={
        "precision": (("agreed",), ("labelled",)),
        "recall": (("agreed",), ("labelled",)),
    },
)

DEFINITIONS = (CLASSIFICATION,)
