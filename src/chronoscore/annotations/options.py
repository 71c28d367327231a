"""The reading choices of annotations, declared once for settings, command line and help."""

from chronoscore.core.metric import Parameter

MISSING = Parameter.choice(
    "missing", "What a missing document is (default: empty).", ("empty", "skip", "error")
)
MATCH_BY = Parameter.choice(
    "match_by",
    "How documents of two folders are matched: by path in the folder (default), file name, the "
    "name stored inside, place in order, or text.",
    ("path", "name", "stored", "index", "digest"),
)
OPTIONS = (MISSING, MATCH_BY)
FORMATS = (
    *("jsonl", "events", "prodigy", "gate-xml", "bdoc", "brat", "timeml", "tsv"),
    *("conll", "conlleval", "iob1", "iob2", "ioe2", "iobes", "bilou"),
)
"""The formats that are read, by name."""
WRITTEN = ("bdoc", "brat", "jsonl")
"""The formats that are written."""
