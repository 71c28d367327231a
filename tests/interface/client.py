"""A user's program, which type checkers accept in their strictest mode."""

import sys
from pathlib import Path

import chronoscore
from chronoscore import Comparison, Result, ScoreValue, timelines


def best(result: Result, metric: str) -> tuple[str, float]:
    """The best system under a metric."""
    scores: list[ScoreValue] = [result[system, metric] for system in result.systems]
    top = max(scores)
    return top.system, top.f1


def main(folder: Path) -> str:
    """Score, look up, compare, save and load."""
    gold = {"2011-01-25": ["Protests begin in Cairo."], "2011-02-11": ["Mubarak resigns."]}
    ours = {"2011-01-26": ["Protests began in Cairo."], "2011-02-11": ["Mubarak resigns."]}
    topics = {"egypt": gold, "libya": {"2011-02-15": ["Protests begin in Benghazi."]}}
    result = chronoscore.score(
        "timelines",
        topics,
        {"ours": {"egypt": ours}, "theirs": topics},
        metrics=["AR-1", "Date-F1"],
        interval="bootstrap(level=0.9)",
        by=["topic"],
        protocol="tilse",
    )
    name, value = best(result, "AR-1")
    score = result["ours", "AR-1"]
    low = score.interval.low if score.interval is not None else 0.0
    total: float = score + score.precision + score.recall + low + result.score("AR-1", name)
    comparison: Comparison = result.compare(baseline="theirs")
    difference = comparison["ours", "theirs", "AR-1"].difference or 0.0
    again: Result = chronoscore.load(result.save(folder / "run.json"))
    rows = [row["score"] for row in again.per_case()]
    single = timelines.score(gold, ours)
    many = timelines.score_many(gold, [ours, gold], metrics=["AR-1"])
    texts = (f"{value:.3f}", f"{total:.3f}", f"{difference:.3f}", str(len(rows)))
    return " ".join((name, *texts, f"{single['AR-1']:.3f}", str(many[0]["AR-1"])))


if __name__ == "__main__":
    sys.stdout.write(main(Path.cwd()))
