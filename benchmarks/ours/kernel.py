"""Tokens of texts and the n-grams that pairs share: what any ROUGE does, without the rest of us."""

from collections.abc import Sequence

import numpy as np

from chronoscore.elements.text import tokeniser
from chronoscore.elements.text.columns import (
    Documents,
    TokenColumns,
    ngram_totals,
    shared_ngrams,
    vocabulary,
)

TOGETHER = 400
"""Texts that are read at once, as blocks of cases are."""


def tokenised(texts: Sequence[str], text: str = "rouge155") -> TokenColumns:
    """The tokens of each text, as columns."""
    return vocabulary(tokeniser(text)).read(Documents([(text,) for text in texts]))


def ratios(gold: Sequence[str], predicted: Sequence[str]) -> dict[str, float]:
    """Mean precision and mean recall of ROUGE-1 and 2 over pairs."""
    sums = dict.fromkeys(
        (f"ROUGE-{n} {name}" for n in (1, 2) for name in ("precision", "recall")), 0.0
    )
    for first in range(0, len(gold), TOGETHER):
        golds = tokenised(gold[first : first + TOGETHER])
        found = tokenised(predicted[first : first + TOGETHER])
        pairs = np.arange(len(golds.sizes))
        for n in (1, 2):
            (shared,) = shared_ngrams(found, golds, n, pairs, pairs)
            hits = np.bincount(shared.gold, shared.times, minlength=len(pairs))
            for name, side in (("precision", found), ("recall", golds)):
                sums[f"ROUGE-{n} {name}"] += float((hits / ngram_totals(side, n)).sum())
    return {name: total / len(gold) for name, total in sums.items()}
