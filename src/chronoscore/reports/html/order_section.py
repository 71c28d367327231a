"""Timeline by timeline: the order that the gold has and the order that each system has."""

from chronoscore.reports.html.data import Explained
from chronoscore.reports.html.markup import Html, joined, tag
from chronoscore.reports.html.order_picture import columns, legend, picture

FEW = 3
"""Timelines up to which all pictures are open at once."""


def order_section(explained: Explained) -> Html:
    """A picture for each timeline and system; empty where no events were kept with the result."""
    systems = [system.name for system in explained.result.systems]
    blocks: list[Html] = []
    for case in explained.cases:
        gold = explained.gold.get(case, {})
        drawn = [
            (system, columns(gold, explained.predicted[system, case]))
            for system in systems
            if (system, case) in explained.predicted
        ]
        pictures = [picture(found, system) for system, found in drawn if found.gold or found.system]
        if pictures:
            wrong = max(len(found.moved) for _, found in drawn)
            blocks.append(
                tag(
                    "details",
                    tag(
                        "summary",
                        tag("span", case, class_="name"),
                        tag("span", _told(wrong, len(drawn)), class_="value"),
                    ),
                    pictures,
                    class_="timeline",
                    open=len(explained.cases) <= FEW,
                )
            )
    return joined(legend(), blocks) if blocks else Html("")


def _told(wrong: int, systems: int) -> str:
    most = "at most " if systems > 1 and wrong else ""
    return f"{most}{wrong} out of order" if wrong else "all matched events in order"
