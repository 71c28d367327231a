"""Metrics of entities: which events and time expressions were found, and what is said of them."""

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np

from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import Definition, Law, Values
from chronoscore.elements.ratios import Array, f_measure, ratio
from chronoscore.ordering.tlinks.comparison import ENTITIES, EntityComparison, EntityPair
from chronoscore.ordering.tlinks.model import Entity, Kind

_COUNTS = 4
_RATIOS = 4
EVENT_ATTRIBUTES = ("class", "tense", "aspect")
TIMEX_ATTRIBUTES = ("value", "type")


def _measure(
    kind: Kind, attributes: tuple[str, ...]
) -> Callable[[EntityComparison, Values], Evidence]:
    def measure(found: EntityComparison, _: Values) -> Evidence:
        pairs = found[kind]
        return Evidence(
            (
                sum(pair.strict for pair in pairs),
                sum(pair.relaxed for pair in pairs),
                sum(pair.system is not None for pair in pairs),
                sum(pair.gold is not None for pair in pairs),
                *(sum(pair.agrees(name) for pair in pairs) for name in attributes),
            )
        )

    return measure


def _explain(
    kind: Kind, attributes: tuple[str, ...]
) -> Callable[[EntityComparison, Values], list[Match]]:
    def matches(found: EntityComparison) -> Iterator[Match]:
        for pair in found[kind]:
            sides: tuple[tuple[Literal["precision", "recall"], Entity | None], ...] = (
                ("precision", pair.system),
                ("recall", pair.gold),
            )
            for side, own in sides:
                if own is not None:
                    yield Match(
                        side=side,
                        outcome=_outcome(pair, attributes),
                        credit=float(pair.relaxed),
                        possible=1.0,
                        gold=_told(pair.gold),
                        predicted=_told(pair.system),
                    )

    return lambda found, _: list(matches(found))


def _told(entity: Entity | None) -> str:
    if entity is None:
        return ""
    words = " ".join(entity.text.split())
    return f"{words} ({entity.id})" if words else entity.id


def _outcome(pair: EntityPair, attributes: tuple[str, ...]) -> str:
    if pair.gold is None or pair.system is None:
        return "not found" if pair.system is None else "not in the gold"
    told = ["same words" if pair.strict else "overlaps"]
    for name in attributes:
        if not pair.agrees(name):
            one, two = (side.attributes.get(name, "none") for side in (pair.gold, pair.system))
            told.append(f"{name} {two}, not {one}")
    return "; ".join(told)


def _ratios(statistics: Array, _: Values) -> Array:
    """Strict and relaxed precision and recall, then the accuracy of each attribute."""
    strict, relaxed, system, gold = (statistics[..., at] for at in range(_COUNTS))
    parts = [
        ratio(strict, system),
        ratio(strict, gold),
        ratio(relaxed, system),
        ratio(relaxed, gold),
    ]
    parts += [ratio(statistics[..., at], relaxed) for at in range(_COUNTS, statistics.shape[-1])]
    return np.stack(parts, axis=-1)


def _derive(components: Array, _: Values) -> Array:
    """Add F1, and that of each attribute: its accuracy times the relaxed F1.

    Where nothing was matched, no attribute was wrong or right: its F1 is then the relaxed one.
    """
    strict = f_measure(components[..., 0], components[..., 1])
    relaxed = f_measure(components[..., 2], components[..., 3])
    accuracies = components[..., _RATIOS:]
    known = np.where(np.isnan(accuracies), 1.0, accuracies)
    found = [components[..., 0], components[..., 1], strict, components[..., 2], components[..., 3]]
    return np.concatenate(
        [np.stack([*found, relaxed], axis=-1), known * relaxed[..., np.newaxis]], axis=-1
    )


def _definition(
    name: str, kind: Kind, what: str, attributes: tuple[str, ...], primary: str
) -> Definition:
    found = ("strict_precision", "strict_recall", "relaxed_precision", "relaxed_recall")
    return Definition(
        name=name,
        meaning=f"{what} that were found: with the same words (strict) or overlapping (relaxed), "
        f"and with the right {', '.join(attributes)}",
        citation="UzZaman et al. 2013, SemEval-2013 Task 1: TempEval-3",
        statistics=(
            Statistic("strict_matched", "integer", f"{what} that both sides have, word for word"),
            Statistic("relaxed_matched", "integer", f"{what} that both sides have"),
            Statistic("system_total", "integer", f"{what} of the system"),
            Statistic("gold_total", "integer", f"{what} of the gold"),
            *(
                Statistic(
                    f"{attribute}_matched", "integer", f"of both sides, with equal {attribute}"
                )
                for attribute in attributes
            ),
        ),
        components=(*found, *(f"{attribute}_accuracy" for attribute in attributes)),
        scores=(
            *("strict_precision", "strict_recall", "strict_f1"),
            *("relaxed_precision", "relaxed_recall", "relaxed_f1"),
            *(f"{attribute}_f1" for attribute in attributes),
        ),
        primary=primary,
        shown=("strict_f1", "relaxed_f1", *(f"{attribute}_f1" for attribute in attributes)),
        setting=lambda _: ENTITIES,
        measure=_measure(kind, attributes),
        explain=_explain(kind, attributes),
        ratios=_ratios,
        derive=_derive,
        laws=lambda _: frozenset(
            {Law.IDENTITY, Law.SWAP, Law.ITEM_ORDER, Law.EXPLAINED, Law.BOUNDED}
        ),
        hits={
            f"{how}_f1": ((f"{how}_matched",), "system_total", "gold_total")
            for how in ("strict", "relaxed")
        },
        explained={
            "precision": (("relaxed_matched",), ("system_total",)),
            "recall": (("relaxed_matched",), ("gold_total",)),
        },
    )


EVENTS = _definition("events", "event", "events", EVENT_ATTRIBUTES, "class_f1")
TIMEXES = _definition("timexes", "time", "time expressions", TIMEX_ATTRIBUTES, "value_f1")
