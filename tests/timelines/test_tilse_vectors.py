"""All five variants and the date score are those of tilse on both its routes."""

import json
from datetime import date
from functools import cache
from typing import Any

import numpy as np
import pytest
from vectors_home import free, real

from chronoscore.core.case import Case
from chronoscore.elements.dated.model import Timeline
from chronoscore.timelines.comparison import Setting, TimelineComparison, compare_many
from chronoscore.timelines.family import FAMILY

VARIANTS = {
    "concat": "concat",
    "agreement": "agreement",
    "align": "align_date_costs",
    "align+": "align_date_content_costs",
    "align+m:1": "align_date_content_costs_many_to_one",
}
TEXTS = {"rouge155": "original", "reimpl": "reimpl"}
MEASURES = {"1": "rouge_1", "2": "rouge_2"}
KEYS = ("precision", "recall", "f_score")
FREE = ("edge", "fuzz")
PUBLIC = ("crisis", "timeline17", "published_examples")


def timeline(days: dict[str, list[str]]) -> Timeline:
    return Timeline.of({date.fromisoformat(day): texts for day, texts in days.items()})


@cache
def compared_all(name: str, text: str) -> list[tuple[dict[str, Any], TimelineComparison]]:
    """Each vector of a file with its comparison, which all variants measure at once."""
    cases = [
        Case(
            vector["name"],
            tuple(timeline(reference) for reference in vector["references"]),
            timeline(vector["predicted"]),
        )
        for vector in load(name)
    ]
    return list(zip(load(name), compare_many(cases, Setting(text)), strict=True))


def scores(name: str, comparison: TimelineComparison) -> list[float]:
    metric = FAMILY.metric(name)
    linked = metric.link(np.array(metric.measure(comparison).statistics, dtype=float))
    return [float(score) for score in linked]


@cache
def load(name: str) -> list[dict[str, Any]]:
    if name in FREE:
        found: list[dict[str, Any]] = free(f"timelines/{name}.json")
        return found
    loaded: list[dict[str, Any]] = json.loads(
        real(f"timelines/{name}.json").read_text(encoding="utf-8")
    )
    return loaded


@pytest.mark.parametrize("variant", list(VARIANTS))
@pytest.mark.parametrize("text", list(TEXTS))
@pytest.mark.parametrize("name", [*FREE, *PUBLIC])
def test_every_number_and_alignment(name: str, text: str, variant: str) -> None:
    for vector, comparison in compared_all(name, text):
        expected = vector["results"][TEXTS[text]][VARIANTS[variant]]
        for n, measure in MEASURES.items():
            found = scores(f"{variant}(rouge={n},text={text})", comparison)
            if "error" in expected:
                # tilse raises if any denominator is 0, of either measure: it is undefined here.
                two = scores(f"{variant}(rouge=2,text={text})", comparison)
                assert np.isnan([*found, *two]).any(), vector["name"]
                continue
            expected_values = [expected[measure][key] for key in KEYS]
            assert np.nan_to_num(found) == pytest.approx(expected_values, abs=1e-12), vector["name"]
        alignment = vector["alignments"].get(VARIANTS[variant])
        if alignment is None or "error" in alignment:
            continue
        matches = FAMILY.metric(f"{variant}(text={text})").explain(comparison)
        for side, keys in (("precision", ("predicted", "gold")), ("recall", ("gold", "predicted"))):
            pairs = [
                [getattr(match, key) for key in keys]
                for match in matches
                if match.side == side and match.gold and match.predicted
            ]
            assert pairs == alignment[side], vector["name"]


@pytest.mark.parametrize("name", [*FREE, *PUBLIC])
def test_every_date_score(name: str) -> None:
    for vector, comparison in compared_all(name, "rouge155"):
        found = scores("Date-F1", comparison)
        if "error" in vector["date"]:
            assert np.isnan(found).any()
        else:
            expected_values = [vector["date"][key] for key in KEYS]
            assert np.nan_to_num(found) == pytest.approx(expected_values, abs=1e-12)
