"""Leaderboards: saved results sorted by data set and protocol, never mixed where they differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chronoscore.core.contrast import Contrast
from chronoscore.core.errors import DataError, Problem
from chronoscore.core.family import Family
from chronoscore.core.ledger import Ledger
from chronoscore.core.result import Result, SystemResult
from chronoscore.core.signature import Signature
from chronoscore.engines.contrasting import Question, contrast


@dataclass(frozen=True)
class Entry:
    """A saved result: where it was found, and the folder that names its data set."""

    path: str
    folder: str
    result: Result
    home: Family | None = None
    """Its family, where that is not the one of its name: a team's own codebook makes one."""


@dataclass(frozen=True)
class Board:
    """Results of one data set under one protocol, and how their systems rank."""

    data: str
    """The data set's name, or the digest of its gold."""
    gold: str
    family: str
    protocol: str
    signature: str
    """What all of them have in common."""
    entries: tuple[Entry, ...]
    contrast: Contrast | None
    """None where there is one system only."""

    @property
    def title(self) -> str:
        """What the board is called."""
        return f"{self.data}: {self.family}, {self.protocol or 'no protocol'}"


def boards(
    entries: Sequence[Entry], families: Mapping[str, Family], question: Question
) -> list[Board]:
    """Sort results into boards by gold and protocol; other differences are refused."""
    groups: dict[tuple[str, str, str], list[Entry]] = {}
    problems: list[Problem] = []
    for entry in entries:
        signatures = [Signature.parse(system.signature) for system in entry.result.systems]
        # People judge each system's own events: there is no gold that could be the same.
        judged = bool(entry.result.agreement)
        golds = {"judgements"} if judged else {one.gold for one in signatures}
        if len(golds) != 1:
            text = "its systems were not scored against the same gold" if golds else "has no system"
            problems.append(Problem(text, entry.path))
            continue
        key = (next(iter(golds)), entry.result.family, entry.result.protocol)
        groups.setdefault(key, []).append(entry)
    made = []
    for (gold, family, protocol), found in sorted(groups.items()):
        common = {
            (_shared(system, judged=bool(entry.result.agreement)), entry.path)
            for entry in found
            for system in entry.result.systems
        }
        kinds = sorted({signature for signature, _ in common})
        for other in kinds[1:]:
            where = {kind: next(p for s, p in sorted(common) if s == kind) for kind in kinds}
            problems.append(
                Problem(
                    f"has another signature than {where[kinds[0]]} for the same data and protocol: "
                    f"{_differences(kinds[0], other)}; score both alike, or keep them in "
                    "different folders and make a board of each",
                    where[other],
                )
            )
        twice = _names_twice(found)
        problems += twice
        if len(kinds) > 1 or twice:
            continue
        folders = {entry.folder for entry in found}
        data = folders.pop() if len(folders) == 1 else ""
        systems = sum(len(entry.result.systems) for entry in found)
        results = [entry.result for entry in found]
        home = found[0].home or families[family]
        made.append(
            Board(
                data=data or f"gold {gold}",
                gold=gold,
                family=family,
                protocol=protocol,
                signature=kinds[0],
                entries=tuple(found),
                contrast=contrast(home, results, question) if systems > 1 else None,
            )
        )
    if problems:
        raise DataError(problems)
    return made


def _shared(system: SystemResult, *, judged: bool) -> str:
    """A signature without what is each system's own, and without what changes no score.

    The gold of a judged event is the codebook that it was judged by.
    """
    kept = [
        part
        for part in system.signature.split("|")
        if not part.startswith(("predicted=", "interval=", "gold="))
    ]
    golds = np.unique(Ledger.of(system.rows).gold).astype(str).tolist() if judged else []
    return "|".join([*kept, *(f"codebook={one}" for one in golds)])


def _names_twice(found: Sequence[Entry]) -> list[Problem]:
    """A system may be on a board once; say which files have it."""
    first: dict[str, str] = {}
    problems = []
    for entry in found:
        for system in entry.result.systems:
            before = first.setdefault(system.name, entry.path)
            if before != entry.path:
                text = f"the system '{system.name}' is in {before} too: leave one out"
                problems.append(Problem(text, entry.path))
    return problems


def _differences(one: str, two: str) -> str:
    first, second = (dict(p.partition("=")[::2] for p in text.split("|")) for text in (one, two))
    names = [name for name in {**first, **second} if first.get(name) != second.get(name)]
    return ", ".join(
        f"{name} is {second.get(name, 'not given')}, not {first.get(name, 'not given')}"
        for name in names
    )
