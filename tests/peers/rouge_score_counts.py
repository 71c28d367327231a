"""rouge_score: ROUGE-1 to 3 and ROUGE-L of whole timelines, from the same tokens."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from peers.comparing import Chance, Check, Comparison
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import DefaultTokenizer, Tokenizer

from chronoscore.core.case import Case
from chronoscore.elements.text import tokeniser
from chronoscore.elements.text.porter import nltk_stem
from chronoscore.timelines.family import FAMILY
from chronoscore.timelines.library import timeline

TYPES = {"1": "rouge1", "2": "rouge2", "3": "rouge3", "L": "rougeL"}
MODES = ("rouge155", "words", "plain", "stems-en", "reimpl")
WORDS = (
    *("police", "protests", "Protesters", "protested", "children", "Children", "the", "of", "in"),
    *("U.S.", "army", "armies", "agreed", "agreement", "nation", "nations", "national", "2011"),
    *("café", "naïve", "Москва", "don't", "re-elected", "^", "x", "<b>", "kill", "killing"),
)
Days = dict[str, list[str]]


class Given(NamedTuple):
    """Two timelines, and how their texts are read."""

    gold: Days
    predicted: Days
    mode: str


def days(chance: Chance) -> Days:
    """Draw one to three days with sentences from few words, so that many repeat; some are empty."""
    count = int(chance.choice([2, 6, len(WORDS)]))
    return {
        f"2011-01-{day:02}": [
            " ".join(chance.choice(WORDS[:count], size=int(chance.integers(0, 15))).tolist())
            for _ in range(int(chance.integers(1, 4)))
        ]
        for day in range(1, 1 + int(chance.integers(1, 4)))
    }


def draw(chance: Chance) -> Given:
    gold = days(chance)
    predicted = gold if chance.random() < 0.1 else days(chance)
    return Given(gold, predicted, str(chance.choice(MODES)))


class OurTokens(Tokenizer):  # type: ignore[misc]
    """Splits a text that consists of tokens with a mark between them."""

    MARK = "\x1f"

    def tokenize(self, text: str) -> list[str]:
        return text.split(self.MARK) if text else []


SCORER = RougeScorer([*TYPES.values()], tokenizer=OurTokens())


def joined(side: Days, mode: str) -> str:
    """Return our tokens of all days as one text."""
    read = tokeniser(mode)
    return OurTokens.MARK.join(token for day in side.values() for token in read(day))


def compare(given: Given) -> Iterator[Comparison]:
    theirs = SCORER.score(*(joined(side, given.mode) for side in given[:2]))
    gold, predicted = map(partial(timeline), given[:2])
    for rouge, name in TYPES.items():
        metric = FAMILY.metric(f"concat(rouge={rouge},text={given.mode})")
        case = Case("c", (gold,), predicted)
        row = metric.measure(FAMILY.compare(case, metric.setting)).statistics
        scores = np.nan_to_num(metric.link(np.array(row, np.float64)))
        named = dict(zip(metric.scores, scores.tolist(), strict=True))
        other = theirs[name]
        yield Comparison(f"ROUGE-{rouge} precision", named["precision"], float(other.precision))
        yield Comparison(f"ROUGE-{rouge} recall", named["recall"], float(other.recall))
        yield Comparison(f"ROUGE-{rouge} F", named["f1"], float(other.fmeasure), 1e-15)


def draw_word(chance: Chance) -> str:
    """Draw a lower-case word with endings that stemmers know."""
    letters = "".join(chance.choice([*"abcdeiostyulnrk"], size=int(chance.integers(1, 8))).tolist())
    endings = ["", "s", "es", "ies", "ed", "ing", "ational", "fulness", "ement", "ly", "izer", "y"]
    return letters + str(chance.choice(endings))


def compare_word(word: str) -> Iterator[Comparison]:
    """Compare the stems of our `reimpl` with theirs, which stem words of four letters or more."""
    theirs = DefaultTokenizer(use_stemmer=True).tokenize(word)
    ours = nltk_stem(word) if len(word) > 3 else word
    yield Comparison("Porter stems", [ours], theirs)


CHECKS = (
    Check("whole timelines", draw, compare, 2000),
    Check("stems", draw_word, compare_word, 3000),
)
