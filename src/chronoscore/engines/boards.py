"""Leaderboards: saved results sorted by data set and protocol, never mixed where they differ."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chronoscore.core.contrast import Contrast
from chronoscore.core.evidence_table import EvidenceTable
from chronoscore.core.family import Family
from chronoscore.core.names import Signature
from chronoscore.core.result import ResultDocument, SystemResult
from chronoscore.engines.contrasting import Question, contrast
from chronoscore.errors import DataError, Problem

_METRICS = "metrics"
_WORDS = {"path": "average"}
"""What people call a part of a signature, where that is another word."""


@dataclass(frozen=True)
class Entry:
    """A saved result: its path, and the folder that names its data set.

    Paths tell entries apart. Where a file holds results of several families, the path of each is
    followed by its family.
    """

    path: str
    folder: str
    result: ResultDocument
    home: Family | None = None
    """Its family, where that is not the one of its name: a team's own codebook makes one."""
    name: str = ""
    """What its report is called; as its file, where this is empty."""


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
        """The title of the board."""
        return f"{self.data}: {self.family}, {self.protocol or 'no protocol'}"


def boards(
    entries: Sequence[Entry], families: Mapping[str, Family], question: Question
) -> list[Board]:
    """Sort results into boards by gold and protocol; other differences are refused."""
    groups: dict[tuple[str, str, str], list[Entry]] = {}
    problems: list[Problem] = []
    for entry in entries:
        signatures = [Signature.parse(system.signature) for system in _ranked(entry)]
        # People judge the events of each system, so the systems share no gold.
        judged = bool(entry.result.agreement)
        golds = {"judgements"} if judged else {signature.gold for signature in signatures}
        if len(golds) != 1:
            text = "its systems were not scored against the same gold" if golds else "has no system"
            problems.append(Problem(text, entry.path))
            continue
        key = (next(iter(golds)), entry.result.family, entry.result.protocol)
        groups.setdefault(key, []).append(entry)
    result_boards = []
    for (gold, family, protocol), board_entries in sorted(groups.items()):
        common = {
            (_shared(system, judged=bool(entry.result.agreement)), entry.path)
            for entry in board_entries
            for system in _ranked(entry)
        }
        kinds = sorted({signature for signature, _ in common})
        labels = _labels(board_entries)
        for other in kinds[1:]:
            paths = {kind: next(p for s, p in sorted(common) if s == kind) for kind in kinds}
            problems.append(
                Problem(
                    f"was not scored like {paths[kinds[0]]}, for the same data and protocol",
                    paths[other],
                    details=(
                        *_difference_lines(_parts(kinds[0]), _parts(other), labels),
                        "score both alike, or keep them in different folders and make a board of "
                        "each",
                    ),
                )
            )
        twice = _names_twice(board_entries)
        problems += twice
        if len(kinds) > 1 or twice:
            continue
        folders = {entry.folder for entry in board_entries}
        data = folders.pop() if len(folders) == 1 else ""
        ranked = sum(len(_ranked(entry)) for entry in board_entries)
        results = [entry.result for entry in board_entries]
        home = board_entries[0].home or families[family]
        result_boards.append(
            Board(
                data=data or f"gold {gold}",
                gold=gold,
                family=family,
                protocol=protocol,
                signature=kinds[0],
                entries=tuple(board_entries),
                contrast=contrast(home, results, question) if ranked > 1 else None,
            )
        )
    if problems:
        raise DataError(problems)
    return result_boards


def _ranked(entry: Entry) -> list[SystemResult]:
    """Return the systems of a result, without golds and baselines."""
    return [system for system in entry.result.systems if system.is_ranked]


def _shared(system: SystemResult, *, judged: bool) -> str:
    """Return a signature without the parts that differ by system or change no score.

    The gold of a judged event is the codebook of its judgement.
    """
    shared = [
        part
        for part in system.signature.split("|")
        if not part.startswith(("predicted=", "interval=", "gold="))
    ]
    golds = np.unique(EvidenceTable.of(system.rows).gold).astype(str).tolist() if judged else []
    return "|".join([*shared, *(f"codebook={codebook}" for codebook in golds)])


def _names_twice(entries: Sequence[Entry]) -> list[Problem]:
    """Report systems that are in two files of one board."""
    first: dict[str, str] = {}
    problems = []
    for entry in entries:
        for system in _ranked(entry):
            first_path = first.setdefault(system.name, entry.path)
            if first_path != entry.path:
                text = f"the system '{system.name}' is in {first_path} too: leave one out"
                problems.append(Problem(text, entry.path))
    return problems


def _labels(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the label of each metric by its name in signatures; labels of several are left out."""
    labels = {metric.name: metric.label for entry in entries for metric in entry.result.metrics}
    times = Counter(labels.values())
    return {name: label for name, label in labels.items() if times[label] == 1}


def _difference_lines(
    first: Mapping[str, str], second: Mapping[str, str], labels: Mapping[str, str]
) -> Iterator[str]:
    """Say in a line for each part of a signature what the second has and the first has not."""
    for name in sorted({**first, **second}):
        before, after = first.get(name, "none"), second.get(name, "none")
        if before == after:
            continue
        if name == _METRICS:
            before, after = (
                ", ".join(labels.get(metric, metric) for metric in part.split(";"))
                for part in (before, after)
            )
        yield f"{_WORDS.get(name, name).replace('option.', 'option ')}: {after}, not {before}"


def _parts(signature: str) -> dict[str, str]:
    return dict(part.partition("=")[::2] for part in signature.split("|"))
