"""Ours: a sheet of judgements, scored with intervals and agreement."""

from pathlib import Path

from benchmarks.stopwatch import drive
from chronoscore.core.reading import Reading
from chronoscore.engines.chance import Chance
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.rubric import FAMILY, read_cases


def work(folder: Path) -> dict[str, float]:
    """Read the sheet, score it, and ask how sure that is and how far evaluators agree."""
    reading = Reading()
    cases = read_cases([folder / "judgements.csv"], reading)
    reading.check()
    result = score(Settings.make(FAMILY, chance=Chance()), cases).result
    summary = result.systems[0].summaries[0]
    numbers = {"eqs": summary.scores["eqs"], "low": summary.intervals["eqs"].low}
    for row in result.agreement:
        numbers[f"{row.criterion} {row.coefficient}"] = row.value
    return {name: number for name, number in numbers.items() if number is not None}


if __name__ == "__main__":
    drive(work)
