"""The reading choices of events: those of dated texts, and what is done with repeats."""

from chronoscore.core.metric import Parameter
from chronoscore.elements.dated.options import OPTIONS as DATED_OPTIONS

_DATES = Parameter.choice(
    "dates",
    "What a date that is coarser than a day is, such as a month (default: an interval).",
    ("interval", "first-day", "error"),
)
OPTIONS = (
    *(
        _DATES if option.name == "dates" else option
        for option in DATED_OPTIONS
        if option.name != "golds"
    ),
    Parameter.choice(
        "duplicates",
        "What events with the same text, date and labels are (default: each is an event).",
        ("keep", "collapse"),
    ),
    Parameter.choice(
        "other_golds",
        "Whether the other golds of a topic are scored as if they were predictions (default: they "
        "are, where there are any).",
        ("", "hide"),
        offered=("hide",),
    ),
)
