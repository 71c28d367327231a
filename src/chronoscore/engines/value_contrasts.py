"""Systems compared by the values of items: every type of annotation, and the mean over types."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from msgspec import structs

from chronoscore.core.contrast import Contrast
from chronoscore.core.family import Family
from chronoscore.core.ledger import Ledger
from chronoscore.core.result import Result
from chronoscore.engines.contrasting import Question, comparable, contrast_rows
from chronoscore.engines.item_values import MEAN, ItemValues, divisible, of_values
from chronoscore.statistics.averaging import Path


def value_contrasts(
    family: Family, results: Sequence[Result], question: Question, by: Sequence[str]
) -> list[Contrast]:
    """Compare the systems on each value that a gold or a prediction has, then on the mean.

    On a value, units are the documents in which some system or the gold has it.
    """
    first, ledgers = comparable(results)
    question.check(list(ledgers))
    path = Path.parse(first.path, family.levels)
    metrics = [family.metric(info.name) for info in first.metrics if not info.curve]
    made = []
    for metric in divisible(metrics, by, *ledgers.values()):
        name = str(metric)
        values = {system: of_values(rows, name, by) for system, rows in ledgers.items()}
        for group, rows in _each(ledgers, values, name):
            found = contrast_rows(family, first, rows, path, question)
            made.append(_labelled(found, group))
        if question.test == "permutation" and (lacking := _lacking(values)):
            made[-1] = structs.replace(made[-1], notices=(lacking,))
            continue
        mean = {system: own.named() for system, own in values.items()}
        over = next(iter(values.values())).mean_path(path)
        found = contrast_rows(family, first, mean, over, question)
        told = f"{path}>{'+'.join(by)}:mean-f"
        made.append(structs.replace(_labelled(found, dict.fromkeys(by, MEAN)), path=told))
    return made


def _labelled(found: Contrast, group: Mapping[str, str]) -> Contrast:
    label = _words(group)
    metrics = (structs.replace(one, label=f"{one.label}, {label}") for one in found.metrics)
    return structs.replace(found, group=dict(group), metrics=tuple(metrics))


def _each(
    ledgers: Mapping[str, Ledger], values: Mapping[str, ItemValues], metric: str
) -> Iterator[tuple[dict[str, str], dict[str, Ledger]]]:
    """Each value with the rows of all systems; one that lacks it somewhere counted nothing there.

    Gold and unit are the same for all systems, so that rows are paired by case.
    """
    groups = {name: group for own in values.values() for name, group in own.groups.items()}
    for name, group in groups.items():
        of = {system: own.lines(name) for system, own in values.items()}
        cases = {case for lines in of.values() for case in lines}
        rows = {}
        for system, ledger in ledgers.items():
            taken = ledger.take(
                np.array([at for at, case in enumerate(ledger.cases) if case in cases], np.int64)
            )
            nothing = (0.0,) * ledger.statistics[metric].shape[1]
            lines = np.array([of[system].get(case, nothing) for case in taken.cases], np.float64)
            rows[system] = replace(taken, statistics={metric: lines}, steps={}, parts={})
        yield group, rows


def _lacking(values: Mapping[str, ItemValues]) -> str:
    """Why systems can't change places in the mean over values; empty if they can."""
    (one, first), *others = values.items()
    for two, other in others:
        apart = first.names() ^ other.names()
        if apart:
            group = {**first.groups, **other.groups}[min(apart)]
            only = one if min(apart) in first.groups else two
            return (
                f"the means over values are not compared: only '{only}' has "
                f"{_words(group)}, so that '{one}' and '{two}' can't change places; "
                "--test bootstrap compares them"
            )
    return ""


def _words(group: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in group.items())
