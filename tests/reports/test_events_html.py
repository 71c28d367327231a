"""The report of events: pairs with their dates, numbers and conflicts, and what became of others."""

import json
import re
from collections.abc import Sequence
from functools import cache
from html import unescape
from pathlib import Path

import pytest
from reports.made import report

from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.engines.plan import Inputs
from chronoscore.engines.scoring import Scored, score_sources
from chronoscore.engines.settings import Settings
from chronoscore.events.family import FAMILY

Told = tuple[str, str, str]
"""The id, the date and the text of an event."""
GOLD: dict[str, Sequence[Told]] = {
    "harbour": (
        (
            "g1",
            "2019-03-04",
            "The harbour office closes the northern dock after a crane collapses "
            "and two barges sink beside the customs house.",
        ),
        ("g2", "2019-03-06", "Divers recover the engine of the tug Marigold."),
        ("g3", "2019-03-06", "Insurers send surveyors to inspect the broken crane."),
        ("g4", "2019-03-09", "Police say 14 dockers were injured on the quay."),
        ("g5", "2019-03-12", "The minister resigns over the harbour inquiry."),
        ("g6", "2019-04", "Varga sues Olsen over the lease of the warehouse."),
        ("g7", "", "Fishermen blame the dredging company for the silt."),
        ("g8", "2019-05-20", "A ferry line to the islands opens again."),
        ("g9", "2019-05-21", "A ferry line to the mainland opens again."),
        ("g10", "2019-06-01", "Schoolchildren paint a mural on the sea wall."),
    ),
    "洪水": (
        ("z1", "2020-07-01", "暴雨引发洪水，三座桥梁被冲毁"),
        ("z2", "2020-07-05", "军队抵达灾区运送饮用水"),
    ),
}
PREDICTED: dict[str, Sequence[Told]] = {
    "harbour": (
        (
            "p1",
            "2019-03-04",
            "The harbour office closes the northern dock after a crane collapses.",
        ),
        ("p2", "2019-03-04", "Two barges sink beside the customs house."),
        ("p3", "2019-03-05", "The harbour office closes the northern dock."),
        (
            "p4",
            "2019-03-06",
            "Divers recover the engine of the tug Marigold and insurers send "
            "surveyors to inspect the broken crane.",
        ),
        ("p5", "2019-03-10", "Police say 41 dockers were injured on the quay."),
        ("p6", "2019-03-12", "The minister does not resign over the harbour inquiry."),
        ("p7", "2019-04-10", "Olsen sues Varga over the lease of the warehouse."),
        ("p8", "2019-05-02", "Fishermen blame the dredging company for the silt."),
        ("p9", "2019-05-20", "A ferry line opens again."),
        ("p10", "2019-05-21", "A ferry line opens again."),
        ("p11", "", "A brewery moves into the old <b>fish market</b>."),
    ),
    "洪水": (
        ("y1", "2020-07-01", "暴雨造成洪水，三座桥梁被毁"),
        ("y2", "2020-07-02", "学校停课"),
    ),
}


def lines(timelines: dict[str, Sequence[Told]]) -> str:
    return "".join(
        json.dumps({"id": name, "topic": topic, "text": text, **({"date": date} if date else {})})
        + "\n"
        for topic, events in timelines.items()
        for name, date, text in events
    )
