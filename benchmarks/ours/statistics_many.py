"""Ours: summaries of very many cases, from columns that are there; what, as the argument says."""

import sys
from pathlib import Path

import numpy as np

import chronoscore
from benchmarks.stopwatch import drive
from chronoscore.core.evidence_table import EvidenceTable
from chronoscore.core.result import ResultDocument, save
from chronoscore.engines.assemble import assemble
from chronoscore.engines.contrasting import Question, contrast
from chronoscore.engines.settings import IntervalPlan, Settings
from chronoscore.families import family
from chronoscore.statistics.labels import Labels

TIMELINES = family("timelines")
METRICS = ("date-f1", "align+m:1", "align+m:1(rouge=2)")
SEED = 11
KINDS = 10
WHAT, CASES, TOPICS, ENDING = sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), sys.argv[6]


def ledgers(cases: int, topics: int) -> dict[str, EvidenceTable]:
    """Two systems on the same cases: three metrics, of which one counts whole things."""
    source = np.random.default_rng(SEED)
    each = cases // topics
    topic = np.repeat(np.arange(topics, dtype=np.int32), each)
    tags = {
        "gold": Labels(_words("g", each), np.tile(np.arange(each, dtype=np.int32), topics)),
        "topic": Labels(_words("t", topics), topic),
        "trial": Labels(("1",), np.zeros(cases, np.int32)),
        "kind": Labels(_words("k", KINDS), (np.arange(cases) % KINDS).astype(np.int32)),
    }
    gold = source.integers(5, 50, cases)
    digests = np.array([f"{place:016x}".encode() for place in range(cases)], "S16")
    made = {}
    for place, name in enumerate(("one", "two")):
        predicted = source.integers(5, 50, cases)
        hits = source.binomial(np.minimum(gold, predicted), 0.4 + 0.0002 * place)
        statistics = {}
        for number, metric in enumerate(METRICS):
            credit = hits * (1 - source.uniform(0, 0.5, cases) * (number > 0))
            statistics[metric] = np.stack([credit, predicted, credit, gold], axis=1).astype(float)
        whole = {metric: (metric == "date-f1", True) * 2 for metric in METRICS}
        made[name] = EvidenceTable(_words("c", cases), tags, digests, digests, statistics, whole)
    return made


def _words(letter: str, number: int) -> tuple[str, ...]:
    return tuple(f"{letter}{place:07}" for place in range(number))


def read(folder: Path) -> tuple[Path, dict[str, EvidenceTable]]:
    """The columns; a trial has few."""
    return folder, ledgers(*((40, 20) if folder.name == "trial" else (CASES, TOPICS)))


def summarise(data: tuple[Path, dict[str, EvidenceTable]]) -> dict[str, float]:
    """Averages and intervals of one system, in all and for each of ten kinds."""
    settings = Settings.make(TIMELINES, metrics=METRICS, chance=IntervalPlan(), by=["kind"])
    result = assemble(settings, {"one": data[1]["one"]})
    return {
        f"{summary.metric} {summary.group.get('kind', 'all')}": summary.scores["f1"] or 0.0
        for summary in result.systems[0].summaries
    }


def compare(data: tuple[Path, dict[str, EvidenceTable]]) -> dict[str, float]:
    """Differences, intervals, permutation tests and ranks of two systems."""
    found = contrast(TIMELINES, [_scored(data[1])], Question())
    return {each.name: each.pairs[0].p or 0.0 for each in found.metrics}


def save_both(data: tuple[Path, dict[str, EvidenceTable]]) -> dict[str, float]:
    """Two results, each written to a file."""
    folder, systems = data
    folder.mkdir(exist_ok=True)
    for name, rows in systems.items():
        save(_scored({name: rows}), (), folder / f"{name}{ENDING}")
    return {"files": 2.0}


def load_one(folder: Path) -> dict[str, float]:
    """A saved result, checked as it is for every use."""
    result = chronoscore.load(folder / f"one{ENDING}")
    return {name: float(result[name]) for name in METRICS}


def _scored(systems: dict[str, EvidenceTable]) -> ResultDocument:
    return assemble(Settings.make(TIMELINES, metrics=METRICS), systems)


if __name__ == "__main__":
    if WHAT == "load":
        drive(load_one)
    else:
        drive({"summarise": summarise, "compare": compare, "save": save_both}[WHAT], read)
