# mypy: ignore-errors
"""ROUGE-1 and 2 of pairs by the package named as an argument, with its stemmer."""

import json
import sys
from importlib import import_module

from benchmarks.stopwatch import drive

PACKAGE = sys.argv[3]
scorer = import_module(f"{PACKAGE}.rouge_scorer").RougeScorer(
    ["rouge1", "rouge2"], use_stemmer=True
)


def read(folder):
    """Gold texts and predicted ones."""
    return json.loads((folder / "pairs.json").read_text(encoding="utf-8"))


def work(data):
    """Mean precision and mean recall over pairs."""
    if PACKAGE == "rouge_score_rs":
        scores = scorer.score_batch(*data)
    else:
        scores = list(map(scorer.score, *data))
    return {
        f"ROUGE-{n} {name}": sum(getattr(one[f"rouge{n}"], name) for one in scores) / len(scores)
        for n in (1, 2)
        for name in ("precision", "recall")
    }


drive(work, read)
