"""Annotations: nervaluate 1.2.1 from spans, seqeval 1.2.2 from BIO tags."""

import json
import random
from pathlib import Path

from benchmarks.frame import Comparison, Scale, group

SEED = 23
TOKENS = 100
DOCUMENTS: dict[Scale, int] = {"tiny": 3, "quick": 200, "full": 2000}
TYPES = ("EVENT", "TIMEX", "PLACE", "ACTOR")

Span = tuple[int, int, str]


def documents(folder: Path, scale: Scale) -> str:
    """Flat documents, as spans of tokens and as BIO tags."""
    _documents(folder / "trial", 2)
    _documents(folder, DOCUMENTS[scale])
    return f"{DOCUMENTS[scale]:,} flat documents of {TOKENS} tokens"


def _documents(folder: Path, count: int) -> None:
    source = random.Random(SEED)
    pairs = [_document(source) for _ in range(count)]
    folder.mkdir(parents=True, exist_ok=True)
    tags = {}
    for side, name in enumerate(("gold", "system")):
        lines = [
            json.dumps(
                {
                    "id": f"d{number:05}",
                    "annotations": [{"start": s, "end": e, "type": t} for s, e, t in pair[side]],
                }
            )
            for number, pair in enumerate(pairs)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        tags[name] = [_tags(pair[side]) for pair in pairs]
    (folder / "tags.json").write_text(json.dumps(tags), encoding="utf-8")


def _document(source: random.Random) -> tuple[list[Span], list[Span]]:
    """Gold spans with gaps, and predictions: right, of wrong type or length, lost or invented.

    A prediction meets one gold span at most; where it meets two, the tools choose differently.
    """
    gold, predicted = [], []
    place = source.randrange(4)
    while place < TOKENS - 6:
        end = place + source.randint(1, 4)
        kind, luck = source.choice(TYPES), source.random()
        if luck < 0.9:
            gold.append((place, end, kind))
        if luck < 0.6 or luck >= 0.9:
            predicted.append((place, end, kind))
        elif luck < 0.7:
            predicted.append((place, end, source.choice(TYPES)))
        elif luck < 0.8:
            predicted.append((place, end + 1, kind))
        place = end + source.randint(2, 8)
    return gold, predicted


def _tags(spans: list[Span]) -> list[str]:
    tags = ["O"] * TOKENS
    for start, end, kind in spans:
        tags[start:end] = [f"B-{kind}", *[f"I-{kind}"] * (end - start - 1)]
    return tags


GROUP = group(
    "annotations",
    "strict and lenient scores of spans against nervaluate and seqeval",
    Comparison(
        what="strict and lenient F1",
        make=documents,
        ours="annotations.py",
        theirs="nervaluate_annotations.py",
        peer="nervaluate",
        label="nervaluate 1.2.1",
        note="it always runs 4 schemes, over all and by type",
    ),
    Comparison(
        what="strict F1",
        make=documents,
        ours="annotations_strict.py",
        theirs="seqeval_annotations.py",
        peer="seqeval",
        label="seqeval 1.2.2",
        note="it has no lenient score; ours is computed here too",
    ),
)
