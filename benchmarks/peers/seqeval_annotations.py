# mypy: ignore-errors
"""seqeval's side of annotations, from BIO tags; it knows strict scores only."""

import json
import sys

from seqeval.metrics.sequence_labeling import precision_recall_fscore_support

from benchmarks.stopwatch import drive


def read(folder):
    """The tags of both sides."""
    return json.loads((folder / "tags.json").read_text(encoding="utf-8"))


def scored(tags):
    """The micro average over all documents."""
    precision, recall, f1, _ = precision_recall_fscore_support(
        tags["gold"], tags["system"], average="micro"
    )
    return {
        "strict_precision": float(precision),
        "strict_recall": float(recall),
        "strict_f1": float(f1),
    }


if "memory" in sys.argv:
    drive(scored, read)
else:
    drive(lambda folder: scored(read(folder)))
