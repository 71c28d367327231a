"""Verdicts of people and models on pairs of events, as a similarity."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from io import BytesIO

import numpy as np

from chronoscore.core.case import OTHER_GOLDS
from chronoscore.core.named_files import read_named, with_digest
from chronoscore.core.problems import Problems
from chronoscore.core.sources import PipeSource
from chronoscore.elements.dated.model import DatedEvent
from chronoscore.elements.similarity import Array
from chronoscore.elements.verdicts import PairVerdict, agreed, read_verdicts

_WHAT = "the file of verdicts"
_MOST_BYTES = 1_000_000_000


def verdict_file(path: str) -> str:
    """Name a file of verdicts together with a digest of its content."""
    return with_digest(path, _WHAT, _MOST_BYTES)


@lru_cache(maxsize=4)
def verdicts_of(name: str) -> tuple[Sequence[PairVerdict], Sequence[str]]:
    """Read a file of verdicts, and return what is to be said of it; a problem is an error."""
    problems = Problems()
    content = read_named(name, _WHAT, _MOST_BYTES).encode()
    path = name.rpartition("@")[0] or name
    source = PipeSource(path, lambda: BytesIO(content), "jsonl")
    rows = read_verdicts(source, problems)
    problems.check()
    return tuple(verdict for _, verdict in rows), tuple(map(str, problems.notices))


def table_of(
    name: str, topic: str, predicted: Sequence[DatedEvent], gold: Sequence[DatedEvent]
) -> tuple[Array, Array]:
    """Return the similarity that verdicts give, NaN without one, and where they contradict."""
    values = np.full((len(predicted), len(gold)), np.nan)
    wrong = np.zeros(values.shape)
    columns = {event.id: at for at, event in enumerate(gold) if event.id}
    for row, event in enumerate(predicted):
        if not event.id:
            continue
        for gold_id, verdict in _by_predicted(name, topic, event.system).get(event.id, {}).items():
            if gold_id in columns:
                values[row, columns[gold_id]] = verdict.value
                wrong[row, columns[gold_id]] = verdict.verdict == "contradicts"
    return values, wrong


def _by_predicted(name: str, topic: str, system: str) -> Mapping[str, Mapping[str, PairVerdict]]:
    """Return the verdicts on each predicted event by the id of the gold event."""
    return _decided(name, topic if topic in _by_topic(name) else "", system, bool(topic))


@lru_cache(maxsize=4)
def _by_topic(name: str) -> Mapping[str, Sequence[PairVerdict]]:
    """Return the verdicts of each topic; those that name none are under the empty name."""
    groups: dict[str, list[PairVerdict]] = {"": []}
    for verdict in verdicts_of(name)[0]:
        groups.setdefault(verdict.topic, []).append(verdict)
    return groups


@lru_cache(maxsize=256)
def _decided(
    name: str, topic: str, system: str, of_topic: bool
) -> Mapping[str, Mapping[str, PairVerdict]]:
    groups = _by_topic(name)
    verdicts = (
        [*groups[""], *(groups[topic] if topic else ())] if of_topic else verdicts_of(name)[0]
    )
    if system == OTHER_GOLDS:  # only what names them is on them: ids may be those of a system
        verdicts = [row for row in verdicts if row.system == system]
    found: dict[str, dict[str, PairVerdict]] = {}
    for (gold, predicted), verdict in agreed(verdicts, system=system).items():
        found.setdefault(predicted, {})[gold] = verdict
    return found
