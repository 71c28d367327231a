"""Words of English that carry content: the rule `content.1`, by which events are compared.

Words are those of the rule `words.1` without the stop words of SMART, and stemmed. Negations stay
although SMART lists them, since "resigns" and "does not resign" are two events. An auxiliary verb
with ``n't``, or an ``n't`` that stands alone as in tokenised text, is one token, ``n't``: the rule
`words.1` would leave ``didn`` of "didn't", and nothing of "can't".
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from chronoscore.elements.text.conflicts import NEGATIONS
from chronoscore.elements.text.languages import stemmer
from chronoscore.elements.text.rouge155 import stop_words
from chronoscore.elements.text.tokeniser import Token, Tokeniser
from chronoscore.elements.text.words import words

_NEGATION: Final = "n't"
_APOSTROPHE: Final = "['’‘ʼʻ′`´]"
_MAY_BE_NEGATED: Final = re.compile(f"[nN]{_APOSTROPHE}[tT]")
_NO_WORD: Final = r"\s!-/:-@\[-`{-~“”„‘’‚«»‹›–—…"
"""What may stand beside a contraction: marks and other letters would make it another word."""
_NEGATED: Final = re.compile(
    rf"(?<![^{_NO_WORD}])(?:ai|are|ca|could|dare|did|do|does|had|has|have|is|may|might|must|need|"
    rf"ought|sha|should|was|were|wo|would)?+n{_APOSTROPHE}t(?![^{_NO_WORD}])",
    re.I,
)


@cache
def content() -> Tokeniser:
    """Return the tokeniser of the rule.

    >>> content()(["The minister didn't resign, and won't.", "Nobody was hurt in 12 attacks."])
    ['minist', "n't", 'resign', "n't", 'nobodi', 'hurt', '12', 'attack']
    """
    read = Tokeniser(_spans, _quick)
    ignored = frozenset(read(stop_words())) - NEGATIONS
    return read.without(ignored).mapped(stemmer("en"))


def _quick(sentences: Iterable[str]) -> list[str]:
    text, read = " ".join(sentences), words()
    if not _MAY_BE_NEGATED.search(text):
        return read([text])
    first, *others = _NEGATED.split(text)
    tokens = read([first])
    for part in others:
        tokens += [_NEGATION, *read([part])]
    return tokens


def _spans(text: str) -> Iterator[Token]:
    end = 0
    for found in _NEGATED.finditer(text):
        yield from _spans_between(text, end, found.start())
        end = found.end()
        yield Token(_NEGATION, found.start(), end)
    yield from _spans_between(text, end, len(text))


def _spans_between(text: str, start: int, end: int) -> Iterator[Token]:
    for token in words().spans(text[start:end]):
        yield Token(token.text, start + token.start, start + token.end)
