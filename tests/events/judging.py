"""Small files of events of which people judged pairs."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

TOPICS = 6
WORDS = "event-f1(similarity=rouge-1,tokens=words)"
"""A metric by which the similarity of these events is the share of words that they share."""


def written(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def judged(
    tmp_path: Path, *, topics: int = TOPICS, odd: bool = True, by: str = "ana"
) -> tuple[Path, Path, Path]:
    """Two gold and two predicted events a topic: one pair is the same and shares more words.

    Of ten words, pairs that are the same share three, and the others two; in the odd topic both
    share one more.
    """
    golds, predicted, verdicts = [], [], []
    for topic in range(topics):
        more = int(odd and topic == 0)
        for at, (word, shared) in enumerate((("same", 3 + more), ("different", 2 + more))):
            name = f"t{topic}-{at}"
            words = [f"w{at}{place}" for place in range(10)]
            other = [*words[:shared], *(f"x{at}{place}" for place in range(10 - shared))]
            place = {"topic": f"t{topic}", "date": "2011-02-11"}
            golds.append({"id": f"g{name}", "text": " ".join(words), **place})
            predicted.append({"id": f"p{name}", "text": " ".join(other), **place})
            verdicts.append(
                {"gold": f"g{name}", "predicted": f"p{name}", "verdict": word, "by": by}
            )
    return (
        written(tmp_path / "gold.jsonl", golds),
        written(tmp_path / "quick.jsonl", predicted),
        written(tmp_path / "verdicts.jsonl", verdicts),
    )
