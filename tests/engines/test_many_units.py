"""Contrasts of systems with very many units: fewer draws, and that is said."""

import numpy as np
import pytest

from chronoscore.core.contrast import Contrast
from chronoscore.core.evidence import Row
from chronoscore.core.evidence_table import EvidenceTable
from chronoscore.engines.assemble import assemble
from chronoscore.engines.contrasting import Question, contrast
from chronoscore.engines.settings import Settings
from chronoscore.families import family
from chronoscore.reports.contrast import render_contrast
from chronoscore.statistics import drawing
from chronoscore.statistics.significance import clusters_needed

FAMILY = family("timelines")
TOPICS = 30


def compared(test: str = "permutation", average: str | None = None) -> Contrast:
    systems = {
        name: EvidenceTable.of(
            Row(
                f"t{topic:02}",
                {"gold": "1", "topic": f"t{topic:02}", "trial": "1"},
                "g",
                name,
                {"date-f1": (topic % (3 + better), 9, topic % (3 + better), 8)},
            )
            for topic in range(TOPICS)
        )
        for better, name in enumerate(("one", "two", "three"))
    }
    settings = Settings.make(FAMILY, metrics=["date-f1"], average=average)
    return contrast(FAMILY, [assemble(settings, systems)], Question(test=test))


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_fewer_draws_are_told(monkeypatch: pytest.MonkeyPatch, test: str) -> None:
    assert compared(test).notices == ()
    monkeypatch.setattr(drawing, "MOST_DRAWN", 1)
    found = compared(test)
    told = "1,000 ways were drawn, not 10,000, since there are 30 topics"
    assert [note.startswith(told) for note in found.notices] == [True]
    assert "±0.014" in found.notices[0]
    smallest = (1 if test == "permutation" else 2) / 1001
    assert {pair.smallest_p for pair in found.metrics[0].pairs} == {smallest}


def test_the_caption_tells_the_draws() -> None:
    assert "10,000 draws" in render_contrast(compared(), "text")


def test_units_come_by_the_size_of_their_difference_then_by_name() -> None:
    for pair in compared().metrics[0].pairs:
        order = [(-abs(swing.difference), swing.unit) for swing in pair.swings]
        assert order == sorted(order)
        assert len(order) == pair.wins + pair.ties + pair.losses == TOPICS


def test_the_units_needed_follow_from_the_differences_of_the_units() -> None:
    # The macro mean is linear, so a topic adds to it what it adds alone.
    for pair in compared(average="macro").metrics[0].pairs:
        differences = np.array([swing.difference for swing in pair.swings])
        assert len(differences) == TOPICS
        assert pair.units_needed == clusters_needed(differences, float(differences.mean()))
