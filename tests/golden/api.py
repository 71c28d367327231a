"""The Python interface on small values: each result printed as its `repr`."""

from datetime import date
from types import SimpleNamespace as Of
from typing import Any

import chronoscore
from chronoscore import timelines
from chronoscore.compat import sunset
from chronoscore.compat.tilse.data.timelines import GroundTruth, Timeline
from chronoscore.compat.tilse.evaluation import dates, rouge
from chronoscore.compat.tilse.evaluation.scores import Scores

GOLD = {"2011-01-25": ["Protests begin in Cairo."], "2011-02-11": ["Mubarak resigns."]}
OTHER = {"2011-01-25": ["Crowds gather."], "2011-02-12": ["Mubarak leaves."]}
MINE = {"2011-01-26": ["Protests began in Cairo."], "2011-02-11": ["Mubarak resigned."]}
PREDICTED = Of(entries=[Of(date="2011-02-11", summary="Mubarak resigned at last.")])


def show(title: str, value: Any) -> None:
    """Print a value under a title."""
    print(f"{title}: {value!r}")  # noqa: T201


def told(call: Any, *arguments: Any, **more: Any) -> Any:
    """What a call returns, or its error."""
    try:
        return call(*arguments, **more)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


class Pipeline:
    """Says the same of every topic."""

    def run(self, data: Any) -> Any:
        """A timeline."""
        return MINE


def tilse_of(days: dict[str, list[str]]) -> Timeline:
    """A timeline of the drop-in."""
    return Timeline({date.fromisoformat(day): texts for day, texts in days.items()})


def main() -> None:
    """Print everything."""
    show("all", sorted(chronoscore.__all__))
    show("metric", str(chronoscore.metric("AR-2")))
    show("metric as text", str(chronoscore.metric("align(rouge=L,beta=2)")))
    for protocol in ("news-tls", "tilse", "sunset", "chronos", "llm-tls"):
        result = timelines.evaluate([GOLD, OTHER], MINE, protocol=protocol)
        for system in result.document.systems:
            for summary in system.summaries:
                show(f"{protocol} {summary.metric} {summary.group}", summary.scores)
    show("result", timelines.evaluate(GOLD, MINE))
    show("text of a result", str(timelines.evaluate(GOLD, MINE)))
    scored = chronoscore.score("timelines", GOLD, {"mine": MINE, "gold": GOLD}, by=["topic"])
    show("score", scored)
    many = timelines.score_many(GOLD, [MINE, GOLD, OTHER], metrics=["AR-1", "Date-F1"])
    show("score_many", many)
    show("unknown metric", told(chronoscore.metric, "nonsense"))
    show("unknown family", told(chronoscore.score, "nonsense", GOLD, {"mine": MINE}))
    show("bad date", told(timelines.evaluate, GOLD, {"yesterday": ["x"]}))
    show("month", told(timelines.evaluate, GOLD, {"2011-01": ["x"]}))
    show(
        "months", told(timelines.evaluate, GOLD, {"2011-01": ["x"]}, options={"dates": "interval"})
    )
    show("no file", told(chronoscore.load, "none.json"))
    for family in ("timelines", "ordering", "annotations"):
        found = chronoscore.score(family, "demo/gold.jsonl", {"quick": "demo/quick.jsonl"})
        show(family, found.document.systems[0].summaries)
    show(
        "rubric",
        chronoscore.score("rubric", None, ["demo/judgements.csv"]).document.systems[0].summaries,
    )
    show("evaluate_all", told(timelines.evaluate_all, Pipeline(), {"egypt": GOLD}))
    truth = GroundTruth([tilse_of(GOLD), tilse_of(OTHER)])
    for route in ("original", "reimpl"):
        evaluator = rouge.TimelineRougeEvaluator(["rouge_1", "rouge_2"], rouge_computation=route)
        for name in sorted(name for name in dir(evaluator) if name.startswith("evaluate_")):
            show(f"tilse {route} {name}", told(getattr(evaluator, name), tilse_of(MINE), truth))
            show(
                f"tilse {route} {name} of nothing",
                told(getattr(evaluator, name), Timeline({}), truth),
            )
    show("tilse dates", dates.evaluate_dates(tilse_of(MINE), truth))
    show("tilse timeline", str(tilse_of(MINE)))
    show("tilse Scores", Scores.__name__)
    show("sunset", sunset.evaluate(PREDICTED, GOLD))
    show("sunset by tilse", sunset.evaluate_with_tilse(PREDICTED.entries, GOLD))
    show("sunset golds", told(sunset.evaluate_multi_gold, PREDICTED, [GOLD, OTHER]))
    show("sunset rouge", sunset.rouge_n("Mubarak resigned at last", "Mubarak resigns at last", 1))
    show("sunset dates", told(sunset.compute_date_f1, PREDICTED, GOLD))
    show("sunset alignment", told(sunset.compute_alignment_rouge, PREDICTED, GOLD, 1))


if __name__ == "__main__":
    main()
