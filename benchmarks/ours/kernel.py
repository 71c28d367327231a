"""Tokens of texts and the n-grams that pairs share: what any ROUGE does, without the rest of us."""

from collections.abc import Sequence

import numpy as np

from chronoscore.elements.text import tokeniser
from chronoscore.elements.text.columns import (
    TokenColumns,
    ngram_totals,
    shared_ngrams,
    vocabulary,
)


def tokenised(texts: Sequence[str]) -> TokenColumns:
    """The tokens of each text, as columns."""
    return vocabulary(tokeniser("rouge155")).read([(text,) for text in texts])


def ratios(gold: Sequence[str], predicted: Sequence[str]) -> dict[str, float]:
    """Mean precision and mean recall of ROUGE-1 and 2 over pairs."""
    golds, found = tokenised(gold), tokenised(predicted)
    pairs = np.arange(len(gold))
    numbers = {}
    for n in (1, 2):
        shared = shared_ngrams(found, golds, n, pairs, pairs)
        hits = np.bincount(shared.gold, shared.times, minlength=len(gold))
        for name, side in (("precision", found), ("recall", golds)):
            numbers[f"ROUGE-{n} {name}"] = float((hits / ngram_totals(side, n)).mean())
    return numbers
