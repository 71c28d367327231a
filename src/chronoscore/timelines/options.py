"""The reading choices of timelines, declared once for settings, command line and help."""

from chronoscore.core.metric import CommandOption, Parameter
from chronoscore.elements.text.languages import language_code
from chronoscore.elements.time.calendar import DATE_ORDERS, UNITS

FORMATS = {
    "tilse": "txt",
    "json": "json",
    "list": "json",
    "chronos": "json",
    "jsonl": "jsonl",
    "news-tls": "jsonl",
    "summaries": "jsonl",
    "days": "jsonl",
    "events": "jsonl",
    "csv": "csv",
    "tsv": "tsv",
}
"""The formats that are read, by name, and the ending by which the reader knows each."""
TOPICS = "topics"
"""The language where topics have different ones, as signatures state it."""
OPTIONS = (
    Parameter.choice(
        "golds",
        "Each gold of a topic alone (default), or all of a topic together.",
        ("each", "pooled"),
    ),
    Parameter.choice(
        "missing", "What a missing prediction is (default: empty).", ("empty", "skip", "error")
    ),
    Parameter.choice(
        "match",
        "Match names only as they are written, or also without affixes of either side (default: "
        "without affixes only if that leaves no name over).",
        ("", "exact", "affixes"),
        offered=("exact", "affixes"),
    ),
    Parameter.choice(
        "extra",
        "What a prediction without a gold is (default: error).",
        ("", "error", "skip"),
        offered=("error", "skip"),
    ),
    Parameter.choice(
        "repeated",
        "What a predicted date that occurs twice is (default: join; refused in tilse text).",
        ("auto", "join", "first", "last"),
        offered=("join", "first", "last"),
    ),
    Parameter.choice(
        "dates",
        "What a date that is coarser than the grain is, such as a month (default: error).",
        ("error", "first-day", "interval"),
    ),
    Parameter.choice(
        "time_unit",
        "The unit of dates that are numbers, such as hours from admission (default: dates are of "
        "the calendar).",
        ("", *UNITS),
        offered=tuple(UNITS),
    ),
    Parameter.choice(
        "date_order",
        "How 01/02/2011 is read (default: refused).",
        ("", *DATE_ORDERS),
        offered=DATE_ORDERS,
    ),
    Parameter(
        "language",
        "word",
        "",
        "the language of topics that name none, which text=stems and text=icu use",
        check=lambda word: word in ("", TOPICS) or language_code(word),
        tag="language",
        option=CommandOption(
            "The language of topics that name none in their field 'language', as a code such as "
            "es: for text=stems and text=icu.",
            metavar="CODE",
        ),
    ),
)
