"""The clauses of a sentence: whose date an expression is, and in which tense a clause speaks.

There is no parser behind it: punctuation and the words that open a clause divide a sentence, and
verbs are known by the tables of the lexicon and by the ending "-ed".
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

from chronoscore.rubric.dates.expressions import Expression
from chronoscore.rubric.dates.lexicon import (
    AUXILIARIES,
    BEFORE_NOUNS,
    CLAUSE_OPENERS,
    IRREGULAR_PASTS,
    LOOKING_BACK,
    MAYBE_REPORTING,
    NO_PASTS,
)

_WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
_CLAUSE = re.compile(
    rf"[,;:()\"“”—]|\s[–-]\s|\b(?i:{'|'.join(CLAUSE_OPENERS)})\b|[.!?](?=\s+[\"“]?[A-Z])"
)
_NO_CLAUSE = re.compile(r"\b(?:[A-Z]|[A-Z][a-z]{1,3})$")  # before a full stop: Mr., Feb., J.


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence, what opens it, and its words with their places, in lower case."""

    start: int
    end: int
    opener: str
    words: tuple[tuple[int, str], ...]

    def has(self, words: Collection[str]) -> bool:
        """Whether it has one of the words."""
        return any(word in words for _, word in self.words)


def split_clauses(sentence: str) -> list[Clause]:
    """Cut a text at punctuation and at words that open a clause."""
    cuts = [(0, "")]
    for match in _CLAUSE.finditer(sentence):
        if match[0] != "." or not _NO_CLAUSE.search(sentence[: match.start()]):
            cuts.append((match.start(), match[0].strip().lower()))
    ends = [start for start, _ in cuts[1:]] + [len(sentence)]
    return [
        Clause(
            start,
            end,
            opener,
            tuple(
                (start + word.start(), word[0].lower().replace("’", "'"))
                for word in _WORD.finditer(sentence[start:end])
            ),
        )
        for (start, opener), end in zip(cuts, ends, strict=True)
    ]


def clause_of(one: Expression, clauses: list[Clause]) -> Clause:
    """The clause that an expression ends in."""
    return next(clause for clause in clauses if clause.start < one.end <= clause.end)


def is_past_form(word: str) -> bool:
    """Whether a word has the form of a past tense or a past participle."""
    return word in IRREGULAR_PASTS or (
        word.endswith("ed") and len(word) > 3 and word not in NO_PASTS
    )


def past_verbs(clause: Clause) -> list[str]:
    """The verbs in the past tense, without participles that stand before a noun."""
    words = [word for _, word in clause.words]
    return [
        word
        for word, before in zip(words, ["", *words], strict=False)
        if word in ("was", "were")
        or (is_past_form(word) and before not in BEFORE_NOUNS and word not in LOOKING_BACK)
    ]


def verbs_before(clause: Clause, end: int) -> int:
    """Count the auxiliaries and past forms before a place; "had been seen" is one verb."""
    words = [word for place, word in clause.words if place < end]
    return sum(
        (word in AUXILIARIES or is_past_form(word)) and before not in AUXILIARIES
        for word, before in zip(words, ["", *words], strict=False)
    )


def is_possessive(sentence: str, one: Expression) -> bool:
    """Whether an expression belongs to a noun: Friday's vote."""
    return sentence[one.end : one.end + 2] in ("'s", "’s")


def is_saying(
    sentence: str, one: Expression, clauses: list[Clause], verbs: Collection[str]
) -> bool:
    """Whether a date is that of a verb of saying: no other verb stands between the two."""
    clause = clause_of(one, clauses)
    places = [place for place, word in clause.words if word in verbs]
    if not places or is_possessive(sentence, one):
        return False
    before = [place for place in places if place < one.start]
    between = [word for place, word in clause.words if before and before[-1] < place < one.start]
    return not any(
        (word in AUXILIARIES or is_past_form(word)) and word not in MAYBE_REPORTING
        for word in between
    )
