"""Our own scores beside those of T2S2: they are those of the events family."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from chronoscore.api import score
from chronoscore.compat.t2s2.match_files import read_matches
from chronoscore.compat.t2s2.ours import our_scores
from chronoscore.compat.t2s2.runs import MatchedSystem, system_runs

SETTING = "unit=entry,similarity=exact,closeness=log(unit=hour,horizon=1y),time_weight=0.0"
METRICS = {
    name: f"{name}({SETTING},threshold=0.9)"
    for name in ("event-f1", "event-timed", "event-order", "concordance", "time-off")
} | {
    "within a day": f"event-date({SETTING},threshold=0.9,tolerance=24)",
    "median": f"time-off-median({SETTING},threshold=0.9)",
}
WORDS = ["fever", "rash", "shock", "edema", "cough"]


def series(rows: Sequence[tuple[str, str]]) -> str:
    return "".join(f"{event},{time}\n" for event, time in (("event", "time"), *rows))


def documents(seed: int) -> tuple[dict[str, str], dict[str, str]]:
    """Gold documents, and predictions of which one is missing and some have no readable time."""
    draw = random.Random(seed)

    def rows(times: Sequence[str]) -> str:
        return series(
            [(draw.choice(WORDS), draw.choice(times)) for _ in range(draw.randint(5, 12))]
        )

    hours = ["-36", "-1.5", "0", "0.25", "5", "48", "9000"]
    gold = {f"d{at}.csv": rows(hours) for at in range(4)}
    return gold, {name: rows([*hours, "unknown"]) for name in [*gold][:3]}


def write(folder: Path, files: Mapping[str, str]) -> Path:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("seed", range(8))
def test_our_scores_are_those_of_the_family_for_the_same_files(seed: int, tmp_path: Path) -> None:
    gold, predicted = documents(seed)
    run = system_runs(gold, {"s": predicted})["s"]
    missing = {"d3": system_runs(gold, {"s": gold})["s"].gold["d3"]}
    ours = our_scores(run, missing, 0.1)
    folders = write(tmp_path / "gold", gold), write(tmp_path / "s", predicted)
    result = score(
        "events",
        *folders,
        metrics=METRICS.values(),
        average="gold+topic:sum>trial:sum",
        by="topic",
        options={"time_unit": "hour"},
        lenient=True,
    )
    found, timed, ordered = (
        result[METRICS[name]] for name in ("event-f1", "event-timed", "event-order")
    )
    orders = [result.score(METRICS["concordance"], topic=f"d{at}") for at in range(4)]
    expected = {
        "precision": found.precision,
        "recall": found.recall,
        "f1": found.f1,
        "order_precision": ordered.precision,
        "order_recall": ordered.recall,
        "concordance": median(float(one) for one in orders if not np.isnan(one)),
        "median_error": float(result[METRICS["median"]]),
        "mean_error": float(result[METRICS["time-off"]]),
        "credit": timed.recall / found.recall,
        "credit_over_gold": timed.recall,
    }
    scores = asdict(ours)
    assert {name: scores[name] for name in expected} == pytest.approx(expected)
    assert 0 < found.f1 < 1


def test_a_day_is_the_limit_of_the_share_within_a_day() -> None:
    gold = {"d.csv": series([("fever", "0"), ("rash", "0")])}
    run = system_runs(gold, {"s": {"d.csv": series([("fever", "24"), ("rash", "24.001")])}})["s"]
    assert our_scores(run, {}, 0.1).within_day == 0.5


def test_a_pair_without_a_gold_time_is_asked_for_none() -> None:
    gold = {"d.csv": series([("fever", "unknown"), ("rash", "0"), ("edema", "5")])}
    told = {"d.csv": series([("fever", "7"), ("rash", "0"), ("edema", "unknown")])}
    scores = our_scores(system_runs(gold, {"s": told})["s"], {}, 0.1)
    assert (scores.recall, scores.credit, scores.credit_over_gold) == (1, 1 / 2, 1 / 3)


def test_given_matches_are_the_possible_pairs() -> None:
    gold = {"d.csv": "fever,0\nrash,5\n"}
    run = system_runs(gold, {"s": {"d.csv": "hot,0\nred,5\nrash,5\n"}})["s"]
    text = "common.bns,idx,match.idx,error.rate\nd,1,1,0.05\nd,2,2,0.3\n"
    given = MatchedSystem(
        run.gold, run.predicted, read_matches(text, Path("m.csv"), run.gold, run.predicted)
    )
    scores = our_scores(given, {}, 0.1)
    assert (scores.precision, scores.recall) == (1 / 3, 1 / 2)
