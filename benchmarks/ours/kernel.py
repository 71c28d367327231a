"""Tokens of texts and the n-grams that pairs share: what any ROUGE does, without the rest of us."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from chronoscore.elements.text import rouge155


def tokenised(texts: Sequence[str]) -> list[list[str]]:
    """The tokens of each text."""
    return [rouge155([text]) for text in texts]


def ratios(gold: Sequence[str], predicted: Sequence[str]) -> dict[str, float]:
    """Mean precision and mean recall of ROUGE-1 and 2 over pairs."""
    sides = tokenised(gold), tokenised(predicted)
    sums: dict[str, float] = defaultdict(float)
    for pair in zip(*sides, strict=True):
        for n in (1, 2):
            golds, found = (Counter(side if n == 1 else pairwise(side)) for side in pair)
            shared = (golds & found).total()
            sums[f"ROUGE-{n} precision"] += shared / found.total()
            sums[f"ROUGE-{n} recall"] += shared / golds.total()
    return {name: value / len(gold) for name, value in sums.items()}
