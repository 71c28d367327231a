"""The metrics of temporal links and all that follows from them, and of entities."""

from collections.abc import Collection, Hashable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from chronoscore.core.case import Case
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import USUAL_LAWS, BrokenLaw, Definition, Law, Parameter, Values
from chronoscore.ordering.awareness import inverse, meaning
from chronoscore.ordering.graph import TemporalGraph
from chronoscore.ordering.metrics import (
    ALL_PAIRS,
    CONTRADICTIONS,
    PAIR_RATIOS,
    LinkComparison,
    awareness_statistics,
    explain_awareness,
    measure_awareness,
)
from chronoscore.ordering.model import SIDES, Link, match_of
from chronoscore.ordering.pairwise import entity_pairs, pairwise
from chronoscore.ordering.timegraph import ToolkitGraph
from chronoscore.ordering.tlinks.model import VAGUE, Entity, Kind, LinkDocument
from chronoscore.statistics.ratios import Array, with_f

LINKS, TOOLKIT, LABELS, ENTITIES = "links", "toolkit", "labels", "entities"
_LONGEST_LABEL = 30


class EntityPair(NamedTuple):
    """An entity as each side has it; None on a side that lacks it."""

    gold: Entity | None
    system: Entity | None


class PairLabels(NamedTuple):
    """The labels that each side gives to pairs of entities, and the words behind each name."""

    gold: frozenset[Link]
    system: frozenset[Link]
    names: Mapping[str, str]


EntityComparison = dict[Kind, tuple[EntityPair, ...]]


def compare(
    case: Case[LinkDocument, LinkDocument], setting: Hashable
) -> LinkComparison | PairLabels | EntityComparison:
    """Compare the links of two documents, the labels of pairs as they are, or the entities."""
    if setting == ENTITIES:
        return {kind: _entities(case.gold, case.predicted, kind) for kind in ("event", "time")}
    labels = _labels(case.predicted, case.gold)
    if setting == LABELS:
        golds, systems = ((*side.links, *side.vague) for side in (case.gold, case.predicted))
        written = {link[:2] for link in golds}
        gold, system = (
            frozenset(_in_one_direction(link, written) for link in side)
            for side in (golds, systems)
        )
        return PairLabels(gold, system, labels)
    closure = ToolkitGraph if setting == TOOLKIT else TemporalGraph
    return LinkComparison.of(case.gold.links, case.predicted.links, labels, {}, closure)


def _entities(gold: LinkDocument, system: LinkDocument, kind: Kind) -> tuple[EntityPair, ...]:
    """Pair entities by their ids, which alignment has made equal for the same place."""
    golds, systems = (
        {e.id: e for e in document.entities if e.kind == kind and not e.is_creation_time}
        for document in (gold, system)
    )
    names = dict.fromkeys((*golds, *systems))
    return tuple(EntityPair(golds.get(name), systems.get(name)) for name in names)


def _labels(*documents: LinkDocument) -> dict[str, str]:
    """Return a label for each name: the words of its entity with the name, or the name alone."""
    labels = {name: name for document in documents for name in document.names()}
    for document in documents:
        for entity in document.entities:
            words = _words(entity)
            if words:
                shown = words if len(words) <= _LONGEST_LABEL else f"{words[:_LONGEST_LABEL]}..."
                for name in (entity.id, *entity.names):
                    labels[name] = f"{shown} ({name})"
    return labels


# Metrics of links: temporal awareness as TempEval-3 counts it, and all pairs

AWARENESS = Definition(
    name="awareness",
    meaning="temporal awareness: links that the other side says, or that follow from what it "
    "says; links are taken in the order of the file, and it matters",
    citation="UzZaman and Allen 2011, Temporal Evaluation, ACL; UzZaman et al. 2013, "
    "SemEval-2013 Task 1: TempEval-3",
    parameters=(
        Parameter(
            "method",
            "word",
            "default",
            "count what is left after reduction, or all links and their inverses (acl11)",
            ("default", "acl11"),
        ),
        Parameter(
            "closure",
            "word",
            "exact",
            "infer all that follows and nothing else, or what the TempEval-3 toolkit infers",
            ("exact", "toolkit"),
        ),
    ),
    statistics=awareness_statistics("that count"),
    setting=lambda values: TOOLKIT if values["closure"] == "toolkit" else LINKS,
    measure=measure_awareness,
    explain=explain_awareness,
    laws=lambda values: (
        frozenset({Law.SWAP, Law.EXPLAINED, Law.BOUNDED})
        | ({Law.IDENTITY} if values["closure"] == "exact" else set())
    ),
    broken=(
        BrokenLaw(
            Law.ITEM_ORDER,
            "Links are reduced in the order of the file: a BEFORE b, b BEFORE c, a BEFORE c are "
            "two links, and with a BEFORE c in the first place they are three.",
        ),
        BrokenLaw(
            Law.IDENTITY,
            "With closure=toolkit, a violated link that is not in capitals counts a second time, "
            "in capitals: of a AFTER b, a before b the gold verifies two of three links.",
        ),
    ),
)


def _pairs(comparison: LinkComparison, _: Values) -> Evidence:
    counts = pairwise(comparison.gold.original, comparison.system.original)
    return Evidence((*counts, *comparison.contradictions[2:]))


def _explain_pairs(comparison: LinkComparison, _: Values) -> Iterator[Match]:
    """Yield each entity's half of the pairs that it is in."""
    for name, counts in entity_pairs(comparison.gold.original, comparison.system.original).items():
        outcome = "all right" if counts.matched == max(counts[1:]) else f"{counts.matched} right"
        label = comparison.names[name]
        gold, predicted = (label if number else "" for number in (counts.gold, counts.system))
        for side, total in zip(SIDES, (counts.system, counts.gold), strict=True):
            if total:
                yield Match(side, outcome, counts.matched / 2, total / 2, gold, predicted)


PAIRWISE = Definition(
    name="pairwise",
    meaning="pairs of entities that both sides relate in the same way, in what follows from all "
    "their links",
    citation=ALL_PAIRS,
    statistics=(
        Statistic("matched", "integer", "pairs that both sides relate in the same way"),
        Statistic("system_pairs", "integer", "pairs that the system relates"),
        Statistic("gold_pairs", "integer", "pairs that the gold relates"),
        *CONTRADICTIONS[2:],
    ),
    setting=lambda _: LINKS,
    measure=_pairs,
    explain=_explain_pairs,
    ratio_table=PAIR_RATIOS,
    laws=lambda _: USUAL_LAWS,
)


# The labels of pairs, as classifiers of MATRES are scored


def _in_one_direction(link: Link, written: Collection[tuple[str, str]]) -> Link:
    """Return the link in the direction in which the gold has its pair.

    A pair that the gold has in both directions or in none is written from the name that comes
    first, so that a pair always has one direction.
    """
    source, target, relation = link
    here, turned = (source, target) in written, (target, source) in written
    link = link._replace(relation=meaning(relation))
    return inverse(link) if (turned if here != turned else target < source) else link


def _measure_labels(comparison: PairLabels, values: Values) -> Evidence:
    gold, system, _ = comparison
    clear, counted = (
        frozenset(link for link in side if link.relation != VAGUE) for side in (gold, system)
    )
    if values["vague"] == "skip":
        vague = {link[:2] for link in gold - clear} - {link[:2] for link in clear}
        gold, counted = clear, frozenset(link for link in counted if link[:2] not in vague)
    matched = len(counted & clear)
    return Evidence((matched, len(counted), len(clear), len(gold & system), len(gold)))


def _explain_labels(comparison: PairLabels, values: Values) -> Iterator[Match]:
    """Yield what each side says of each pair of the other; pairs that don't count are worth 0."""
    gold, system, names = comparison
    labels: list[dict[tuple[str, str], list[str]]] = [{}, {}]
    for by_pair, links in zip(labels, (gold, system), strict=True):
        for source, target, relation in sorted(links):
            by_pair.setdefault((source, target), []).append(relation)
    for side, links, others in zip(SIDES, (system, gold), labels, strict=True):
        for link in sorted(links):
            source, target, relation = link
            other = others.get((source, target), [])
            left_out = side == "precision" and values["vague"] == "skip" and other == [VAGUE]
            counts = relation != VAGUE and not left_out
            other_label = " and ".join(other)
            if relation in other:
                outcome = "same label"
            elif side == "precision":
                outcome = f"{relation} for {other_label}" if other_label else "not in the gold"
            else:
                outcome = f"{other_label} for {relation}" if other_label else "no label"
            item = f"{names[source]} {relation} {names[target]}"
            credit = float(counts and relation in other)
            yield match_of(side, item, other_label, outcome, credit, float(counts))


MATRES = Definition(
    name="matres",
    meaning="the label of each pair as it is, without closure: pairs of the same clear label on "
    "both sides; a label for a pair that is VAGUE in the gold costs precision, or is left out",
    citation="Ning et al. 2019, An Improved Neural Baseline for Temporal Relation Extraction, "
    "EMNLP (by its released outputs and logs)",
    parameters=(
        Parameter(
            "vague",
            "word",
            "count",
            "whether labels for pairs that are VAGUE in the gold count as wrong, or are left out",
            ("count", "skip"),
        ),
    ),
    statistics=(
        Statistic("matched", "integer", "pairs of the same clear label on both sides"),
        Statistic("system_pairs", "integer", "pairs with a clear label of the system that count"),
        Statistic("gold_pairs", "integer", "pairs with a clear label of the gold"),
        Statistic(
            "same_label", "integer", "pairs of the same label on both sides, VAGUE too if it counts"
        ),
        Statistic("annotated_pairs", "integer", "pairs of the gold, VAGUE ones too if they count"),
    ),
    setting=lambda _: LABELS,
    measure=_measure_labels,
    explain=_explain_labels,
    ratio_table={**PAIR_RATIOS, "accuracy": ({"same_label": 1.0}, "annotated_pairs")},
    laws=lambda values: USUAL_LAWS - ({Law.SWAP} if values["vague"] == "skip" else set()),
    broken=(
        BrokenLaw(
            Law.SWAP,
            "With vague=skip, only what is VAGUE in the gold is left out: a BEFORE b against "
            "a VAGUE b has nothing to count, and the other way round a recall of 0.",
        ),
    ),
)


# Metrics of entities: which events and times were found, and their attributes


EVENT_ATTRIBUTES = ("class", "tense", "aspect")
TIMEX_ATTRIBUTES = ("value", "type")


def _measure(
    kind: Kind, attributes: tuple[str, ...], comparison: EntityComparison, _: Values
) -> Evidence:
    pairs = comparison[kind]
    both = [(gold, system) for gold, system in pairs if gold and system]
    return Evidence(
        (
            sum(_words(gold) == _words(system) for gold, system in both),
            len(both),
            sum(pair.system is not None for pair in pairs),
            sum(pair.gold is not None for pair in pairs),
            *(sum(_agree(name, *pair) for pair in both) for name in attributes),
        )
    )


def _explain(
    kind: Kind, attributes: tuple[str, ...], comparison: EntityComparison, _: Values
) -> Iterator[Match]:
    for pair in comparison[kind]:
        outcome, credit = _outcome(pair, attributes), float(None not in pair)
        gold, predicted = map(_written, pair)
        for side, entity in zip(SIDES, (pair.system, pair.gold), strict=True):
            if entity is not None:
                yield Match(side, outcome, credit, 1.0, gold, predicted)


def _words(entity: Entity) -> str:
    return " ".join(entity.text.split())


def _agree(attribute: str, gold: Entity, system: Entity) -> bool:
    """Whether two entities have the same value of an attribute, or both none."""
    return gold.attributes.get(attribute, "") == system.attributes.get(attribute, "")


def _written(entity: Entity | None) -> str:
    if entity is None:
        return ""
    words = _words(entity)
    return f"{words} ({entity.id})" if words else entity.id


def _outcome(pair: EntityPair, attributes: tuple[str, ...]) -> str:
    gold, system = pair
    if gold is None or system is None:
        return "not found" if system is None else "not in the gold"
    outcome = ["same words" if _words(gold) == _words(system) else "overlaps"]
    for name in attributes:
        if not _agree(name, gold, system):
            expected, value = (side.attributes.get(name, "none") for side in (gold, system))
            outcome.append(f"{name} {value}, not {expected}")
    return "; ".join(outcome)


def _derive(components: Array, _: Values) -> Array:
    """Add F1, and the F1 of each attribute: its accuracy times the relaxed F1.

    Where nothing was matched, no accuracy is defined: the F1 of an attribute is the relaxed F1.
    """
    strict, relaxed = with_f(components[..., :2]), with_f(components[..., 2:4])
    accuracies = components[..., 4:]
    attributes = np.where(np.isnan(accuracies), 1.0, accuracies) * relaxed[..., 2:]
    return np.concatenate([strict, relaxed, attributes], axis=-1)


def _definition(
    metric: str, kind: Kind, what: str, attributes: tuple[str, ...], primary: str
) -> Definition:
    sides = {"precision": "system_total", "recall": "gold_total"}
    ratios = {
        f"{how}_{side}": ({f"{how}_matched": 1.0}, total)
        for how in ("strict", "relaxed")
        for side, total in sides.items()
    }
    f1 = tuple(f"{attribute}_f1" for attribute in attributes)
    return Definition(
        name=metric,
        meaning=f"{what} that were found: with the same words (strict) or overlapping (relaxed), "
        f"and with the right {', '.join(attributes)}",
        citation="UzZaman et al. 2013, SemEval-2013 Task 1: TempEval-3",
        statistics=(
            Statistic("strict_matched", "integer", f"{what} that both sides have, word for word"),
            Statistic("relaxed_matched", "integer", f"{what} that both sides have"),
            Statistic("system_total", "integer", f"{what} of the system"),
            Statistic("gold_total", "integer", f"{what} of the gold"),
            *(
                Statistic(f"{name}_matched", "integer", f"of both sides, with equal {name}")
                for name in attributes
            ),
        ),
        ratio_table={
            **ratios,
            **{
                f"{name}_accuracy": ({f"{name}_matched": 1.0}, "relaxed_matched")
                for name in attributes
            },
        },
        scores=(
            *("strict_precision", "strict_recall", "strict_f1"),
            *("relaxed_precision", "relaxed_recall", "relaxed_f1"),
            *f1,
        ),
        primary=primary,
        shown=("strict_f1", "relaxed_f1", *f1),
        setting=lambda _: ENTITIES,
        measure=partial(_measure, kind, attributes),
        explain=partial(_explain, kind, attributes),
        derive=_derive,
        laws=lambda _: USUAL_LAWS,
        hits={
            f"{how}_f1": ((f"{how}_matched",), "system_total", "gold_total")
            for how in ("strict", "relaxed")
        },
        explained={side: (("relaxed_matched",), (total,)) for side, total in sides.items()},
    )


EVENTS = _definition("events", "event", "events", EVENT_ATTRIBUTES, "class_f1")
TIMEXES = _definition("timexes", "time", "time expressions", TIMEX_ATTRIBUTES, "value_f1")
