"""The reading choices of events: those of dated texts, headers of sheets, and repeats."""

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
        "header",
        "Whether the first row of a CSV or TSV file names the columns (default: auto, only if it "
        "has names such as event and time); without a header, column 1 is the event and column 2 "
        "the time.",
        ("", "auto", "yes", "no"),
        offered=("auto", "yes", "no"),
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
