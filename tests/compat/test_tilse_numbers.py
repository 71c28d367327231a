"""Every number of tilse on both its routes: equal in value and in kind, and the same errors."""

import json
from datetime import date
from functools import cache
from typing import Any

import pytest
from vectors_home import free, real

from chronoscore.compat.tilse.data.timelines import GroundTruth, Timeline
from chronoscore.compat.tilse.evaluation.dates import evaluate_dates
from chronoscore.compat.tilse.evaluation.rouge import TimelineRougeEvaluator

FREE = ("edge", "fuzz")
PUBLIC = ("crisis", "timeline17", "published_examples")
ROUTES = ("original", "reimpl")
VARIANTS = (
    "concat",
    "agreement",
    "align_date_costs",
    "align_date_content_costs",
    "align_date_content_costs_many_to_one",
)


@cache
def load(name: str) -> list[dict[str, Any]]:
    if name in FREE:
        own: list[dict[str, Any]] = free(f"timelines/{name}.json")
        return own
    text = real(f"timelines/{name}.json").read_text(encoding="utf-8")
    others: list[dict[str, Any]] = json.loads(text)
    return others


def timeline(days: dict[str, list[str]]) -> Timeline:
    return Timeline({date.fromisoformat(day): texts for day, texts in days.items()})


def sides(vector: dict[str, Any]) -> tuple[Timeline, GroundTruth]:
    references = [timeline(reference) for reference in vector["references"]]
    return timeline(vector["predicted"]), GroundTruth(references)


def scores_or_error(score: Any, *arguments: Any) -> Any:
    """Return what a vector holds: the scores, or the error."""
    try:
        return score(*arguments)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def kinds(scores: Any) -> Any:
    """Scores written so that the integer 0 is not 0.0, in the order in which they stand."""
    return json.dumps(scores)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("name", [*FREE, *PUBLIC])
def test_every_score_and_every_error(name: str, route: str, variant: str) -> None:
    evaluator = TimelineRougeEvaluator(["rouge_1", "rouge_2"], rouge_computation=route)
    score = getattr(evaluator, f"evaluate_{variant}")
    for vector in load(name):
        found = scores_or_error(score, *sides(vector))
        assert kinds(found) == kinds(vector["results"][route][variant]), vector["name"]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("name", [*FREE, "published_examples"])
def test_all_at_once_are_the_five_in_order_or_the_first_error(name: str, route: str) -> None:
    evaluator = TimelineRougeEvaluator(["rouge_1", "rouge_2"], rouge_computation=route)
    for vector in load(name):
        results = vector["results"][route]
        failed = [results[variant] for variant in VARIANTS if "error" in results[variant]]
        expected = failed[0] if failed else {variant: results[variant] for variant in VARIANTS}
        found = scores_or_error(evaluator.evaluate_all, *sides(vector))
        assert kinds(found) == kinds(expected), vector["name"]


@pytest.mark.parametrize("name", [*FREE, *PUBLIC])
def test_every_date_score(name: str) -> None:
    for vector in load(name):
        assert kinds(scores_or_error(evaluate_dates, *sides(vector))) == kinds(vector["date"]), (
            vector["name"]
        )


def test_some_vectors_have_several_references() -> None:
    numbers = {len(vector["references"]) for name in FREE for vector in load(name)}
    assert max(numbers) > 2
