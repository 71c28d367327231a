"""The reading choices of orders, links and clusters, declared once for settings and help."""

from chronoscore.core.metric import Parameter

_MISSING = ("empty", "skip", "error")
ORDER_FORMATS = {"semeval": "txt", "jsonl": "jsonl", "events": "jsonl"}
"""The formats that are read, by name, and the ending by which the reader knows each."""
LINK_FORMATS = {
    "timeml": "tml",
    "brat": "ann",
    "tsv": "tsv",
    "matres": "output",
    "jsonl": "jsonl",
    "events": "jsonl",
}
CLUSTER_FORMATS = {
    "conll": "conll",
    "json": "json",
    "jsonl": "jsonl",
    "events": "jsonl",
    "semeval": "txt",
    "tsv": "tsv",
}
ORDERS = (
    Parameter.choice(
        "missing",
        "What a missing answer is (default: empty; the official script skips it, and so does "
        "--protocol semeval2015).",
        _MISSING,
    ),
)
LINKS = (
    Parameter.choice("missing", "What a missing document is (default: empty).", _MISSING),
    Parameter.choice(
        "align",
        "What makes two entities one: their place in the text or their ids (default: the place, "
        "where both sides have the same text).",
        ("auto", "offsets", "ids"),
    ),
    Parameter.choice(
        "vague",
        "Whether pairs that are VAGUE are left out (default; matres counts them), or VAGUE is a "
        "relation. NONE in TimeML is VAGUE.",
        ("skip", "keep"),
    ),
)
CLUSTERS = (
    Parameter.choice(
        "missing",
        "What a missing document is (default: empty, as in the reference scorer).",
        _MISSING,
    ),
    Parameter.choice(
        "singletons",
        "Whether clusters of one mention count, on both sides (default: keep).",
        ("keep", "drop"),
    ),
)
