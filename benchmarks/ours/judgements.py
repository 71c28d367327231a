"""Ours: a sheet of judgements, scored with intervals and agreement."""

from pathlib import Path

from benchmarks.stopwatch import drive
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import IntervalPlan, Settings
from chronoscore.rubric.family import FAMILY, read_cases


def work(folder: Path) -> dict[str, float]:
    """Read the sheet, score it, and ask how sure that is and how far evaluators agree."""
    problems = Problems()
    cases = read_cases([source_of(folder / "judgements.csv")], problems)
    problems.check()
    result = score(Settings.make(FAMILY, chance=IntervalPlan()), cases).result
    summary = result.systems[0].summaries[0]
    numbers = {"eqs": summary.scores["eqs"], "low": summary.intervals["eqs"].low}
    for row in result.agreement:
        numbers[f"{row.criterion} {row.coefficient}"] = row.value
    return {name: number for name, number in numbers.items() if number is not None}


if __name__ == "__main__":
    drive(work)
