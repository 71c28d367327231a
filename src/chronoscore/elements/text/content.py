"""Words of English that carry content: the rule `content.1`, by which events are compared.

Words are those of the rule `words.1` without the stop words of SMART, and stemmed. Negations stay
although SMART lists them, since "resigns" and "does not resign" are two events. An auxiliary verb
with ``n't``, or an ``n't`` that stands alone as in tokenised text, is one token, ``n't``: the rule
`words.1` would leave ``didn`` of "didn't", and nothing of "can't". A number with points or commas
inside, such as 1,200 or 3.5, is one token as well.
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
_MAY_BE_WHOLE: Final = re.compile(f"[nN]{_APOSTROPHE}[tT]|[0-9][.,][0-9]")
_NO_WORD: Final = r"\s!-/:-@\[-`{-~“”„‘’‚«»‹›–—…"
"""What may stand beside a contraction: marks and other letters would make it another word."""
_WHOLE: Final = re.compile(
    rf"([0-9]++(?:[.,][0-9]++)++)|(?<![^{_NO_WORD}])"
    r"(?:ai|are|ca|could|dare|did|do|does|had|has|have|is|may|might|must|need|"
    rf"ought|sha|should|was|were|wo|would)?+n{_APOSTROPHE}t(?![^{_NO_WORD}])",
    re.I,
)


@cache
def content() -> Tokeniser:
    """Return the tokeniser of the rule.

    >>> content()(["The minister didn't resign, and won't.", "Nobody was hurt in 1,200 attacks."])
    ['minist', "n't", 'resign', "n't", 'nobodi', 'hurt', '1,200', 'attack']
    """
    ignored = frozenset(stop_words()) - NEGATIONS
    return Tokeniser(_spans, _quick).without(ignored).mapped(stemmer("en"))


def _quick(sentences: Iterable[str]) -> list[str]:
    text, read = " ".join(sentences), words()
    if not _MAY_BE_WHOLE.search(text):
        return read([text])
    tokens, end = [], 0
    for found in _WHOLE.finditer(text):
        tokens += [*read([text[end : found.start()]]), found[1] or _NEGATION]
        end = found.end()
    return [*tokens, *read([text[end:]])]


def _spans(text: str) -> Iterator[Token]:
    end = 0
    for found in _WHOLE.finditer(text):
        yield from _spans_between(text, end, found.start())
        end = found.end()
        yield Token(found[1] or _NEGATION, found.start(), end)
    yield from _spans_between(text, end, len(text))


def _spans_between(text: str, start: int, end: int) -> Iterator[Token]:
    for token in words().spans(text[start:end]):
        yield Token(token.text, start + token.start, start + token.end)
