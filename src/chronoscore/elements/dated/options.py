"""The reading choices of timelines, declared once for settings, command line and help."""

from chronoscore.core.metric import FLAG, CommandOption, Parameter
from chronoscore.elements.text.languages import language_code
from chronoscore.elements.time.calendar import DATE_ORDERS, UNITS
from chronoscore.errors import UsageError

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
FORMS = ("jsonl", "json", "txt", "csv", "tsv")
"""The forms of one timeline; of equal ones the first is read."""
LAYOUT = "layout"
"""The fact that files have a layout, by role and name."""
REPEATED = ("join", "first", "last", "error")
"""What the entries of a repeated date are."""
TOPICS = "topics"
"""The language where topics have different ones, as signatures state it."""


def check_column(pair: str) -> bool:
    """Refuse what is no name of a column with its meaning.

    >>> check_column("text=Headline")
    True
    """
    meaning, _, name = pair.partition("=")
    if meaning not in ("date", "text") or not name.strip():
        raise UsageError(f"--column is '{pair}', expected text=NAME or date=NAME")
    return True


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
        "Which entries of a predicted date count if it has several (default: the last where an "
        "entry is a whole day, as in tilse text; else all are joined).",
        ("auto", *REPEATED),
        offered=REPEATED,
    ),
    Parameter.choice(
        "repeated_gold",
        "Which entries of a gold date count if it has several (default: the last where an entry is "
        "a whole day; else all are joined).",
        ("", *REPEATED),
        offered=REPEATED,
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
        "column",
        "words",
        "",
        "the columns of a sheet that have dates and texts, where their names don't say so",
        check=lambda pairs: all(map(check_column, filter(None, pairs.split(",")))),
        option=CommandOption(
            "The column of a CSV or TSV file that has the dates or the texts, as in text=Headline.",
            metavar="date=NAME|text=NAME",
        ),
    ),
    Parameter.choice(
        "form",
        "Which form to read if a folder has the same timelines in several forms (default: refused "
        "if they differ).",
        ("", *FORMS),
        offered=FORMS,
    ),
    Parameter.choice(
        "lists",
        "Split sentences of tilse text that are written as Python lists.",
        FLAG,
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

_REPEATED = {
    "join": "all texts are joined",
    "first": "the first entry counts",
    "last": "the last entry counts",
    "error": "none is accepted",
}
OPTION_MEANINGS = {
    ("golds", "each"): "each gold is compared alone",
    ("golds", "pooled"): "all golds of a topic are compared together",
    ("repeated", "auto"): "of a repeated date the last entry counts where an entry is a whole "
    "day, else all are joined",
    **{
        (option, choice): f"{whose} {effect}"
        for option, whose in (
            ("repeated", "of a date that is predicted several times"),
            ("repeated_gold", "of a date with several entries in the gold"),
        )
        for choice, effect in _REPEATED.items()
    },
    ("dates", "error"): "a date that is coarser than the grain, such as a month, is refused",
    ("dates", "first-day"): "a date that is coarser than the grain stands for its first day",
    ("dates", "interval"): "a date that is coarser than the grain stands for all its days",
    **{("time_unit", unit): f"dates are numbers of {unit}s" for unit in UNITS},
    ("date_order", "dmy"): "01/02/2011 is 1 February",
    ("date_order", "mdy"): "01/02/2011 is January 2",
    ("match", "exact"): "names are matched only as they are written",
    ("match", "affixes"): "names are matched without the affixes of either side",
    ("extra", "skip"): "predictions without a gold are left out",
    ("extra", "error"): "predictions without a gold are refused",
    **{("form", form): f"timelines in several forms are read as {form}" for form in FORMS},
    ("lists", "yes"): "sentences that are written as lists are split",
}
"""What a value of an option means, in words for a report."""
