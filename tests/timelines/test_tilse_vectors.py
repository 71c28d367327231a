"""AR-1, AR-2 and Date-F1 are those of tilse on ROUGE-1.5.5, and so are the alignments."""

import json
from datetime import date
from typing import Any

import numpy as np
import pytest
from vectors_home import free, real

from chronoscore.core.case import Case
from chronoscore.timelines.comparison import Comparison, compare
from chronoscore.timelines.family import FAMILY
from chronoscore.timelines.model import Timeline

VARIANT = "align_date_content_costs_many_to_one"
# tilse raises where a side is empty. Here that side's ratio is undefined, the other's is 0.
RAISES = {"d_empty_predicted_timeline", "d_empty_reference_timeline", "d_no_references"}


def timeline(days: dict[str, list[str]]) -> Timeline:
    return Timeline.of({date.fromisoformat(day): texts for day, texts in days.items()})


def compared(vector: dict[str, Any]) -> Comparison:
    references = tuple(timeline(reference) for reference in vector["references"])
    case = Case(vector["name"], references, timeline(vector["predicted"]))
    return compare(case, "rouge155")


def scores(name: str, comparison: Comparison) -> list[float]:
    metric = FAMILY.metric(name)
    linked = metric.link(np.array(metric.measure(comparison).statistics, dtype=float))
    return [float(score) for score in linked]


def assert_conforms(vector: dict[str, Any]) -> None:
    comparison = compared(vector)
    expected = vector["results"]["original"][VARIANT]
    if "error" in expected:
        assert vector["name"] in RAISES
        assert any(np.isnan(scores("AR-1", comparison)))
        return
    for name, measure in (("AR-1", "rouge_1"), ("AR-2", "rouge_2")):
        wanted = [expected[measure][key] for key in ("precision", "recall", "f_score")]
        assert np.nan_to_num(scores(name, comparison)) == pytest.approx(wanted, abs=1e-12)
        matches = FAMILY.metric(name).measure(comparison).matches
        alignment = vector["alignments"][VARIANT]
        assert [[m.predicted, m.gold] for m in matches if m.side == "precision"] == (
            alignment["precision"]
        )
        assert [[m.gold, m.predicted] for m in matches if m.side == "recall"] == alignment["recall"]


def assert_dates_conform(vector: dict[str, Any]) -> None:
    found = scores("Date-F1", compared(vector))
    if "error" in vector["date"]:
        assert np.isnan(found).any()
        return
    wanted = [vector["date"][key] for key in ("precision", "recall", "f_score")]
    assert np.nan_to_num(found) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("name", ["edge", "fuzz"])
def test_our_own_timelines(name: str) -> None:
    vectors = free(f"timelines/{name}.json")
    assert len(vectors) >= 59
    for vector in vectors:
        assert_conforms(vector)
        assert_dates_conform(vector)


@pytest.mark.parametrize("name", ["crisis", "timeline17", "published_examples"])
def test_public_timelines(name: str) -> None:
    path = real(f"timelines/{name}.json")
    for vector in json.loads(path.read_text(encoding="utf-8")):
        assert_conforms(vector)
        assert_dates_conform(vector)
