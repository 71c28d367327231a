"""English text as the programs of published scores read it: ROUGE-1.5.5, tilse, and plain words.

`rouge155` is what ROUGE-1.5.5 compares: the steps and their order are those of
``ROUGE-1.5.5.pl -m -s`` behind pyrouge, the set-up of tilse and of the timeline papers that follow
it (Lin, 2004, *ROUGE: A package for automatic evaluation of summaries*; Martschat and Markert,
2017, *Improving ROUGE for timeline summarization*). It works on bytes and knows ASCII only. Its
quirks are kept, since published scores contain them:

- ``^`` becomes the word ``circ``, and a ``<`` hides the rest of its sentence;
- whatever is not an ASCII letter or digit separates words: ``café`` is ``caf``;
- stop words go first, so ``US`` is lost as ``us`` is, while ``don't`` leaves ``don``;
- words of up to three letters are kept as they are, WordNet's irregular forms (``children``) are
  looked up, and only the others are stemmed.

`reimpl` is tilse's approximation of it, `raw` the tokens that tilse aligns days by, and `plain`
the words of the evaluation notes of SUnSET.
"""

import re
import string
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import Final

from chronoscore.elements.text.porter import nltk_stem, stem
from chronoscore.elements.text.tokeniser import Token, Tokeniser, folded

LONGEST_UNCHANGED: Final = 3

# str.lower would turn letters such as the Kelvin sign into ASCII ones, which a byte-wise
# program does not: every byte is mapped by itself to its lower case, or else to a space.
_WORD_BYTES: Final = (ascii_letters + digits).encode()
_BYTE_TO_BYTE: Final = bytes(
    byte if byte in _WORD_BYTES else ord(" ") for byte in range(256)
).translate(bytes.maketrans(ascii_uppercase.encode(), ascii_lowercase.encode()))
_ASCII_WORD: Final = re.compile(r"[A-Za-z0-9]+|\^")
_WORD: Final = re.compile(r"\w+")
_BLANK_SEPARATED: Final = re.compile(r"\S+")
_CARET: Final = "circ"
_HIDING: Final = "<"
_REIMPL_DROPPED: Final = frozenset('.,;:-"') | {"``", "''"}


def rouge155(sentences: Iterable[str]) -> list[str]:
    """The tokens of a document, in order and across its sentences, as ROUGE-1.5.5 counts them.

    >>> rouge155(["The parliaments agreed: a café-owner can't.", "Profit <10% of last year"])
    ['parliam', 'agre', 'caf', 'owner', 'profit']
    """
    text = " ".join([sentence.partition(_HIDING)[0] for sentence in sentences])
    text = text.replace("^", f" {_CARET} ")
    # Half a surrogate pair has no bytes; as "?" it separates words like any other symbol.
    words = text.encode("utf-8", "replace").translate(_BYTE_TO_BYTE).decode("ascii").split()
    return [token for token in map(_token_or_none, words) if token is not None]


def _rouge155_spans(text: str) -> Iterator[Token]:
    for found in _ASCII_WORD.finditer(text.partition(_HIDING)[0]):
        counted = _token_or_none(_CARET if found[0] == "^" else found[0].lower())
        if counted is not None:
            yield Token(counted, *found.span())


def token(word: str) -> str:
    """Return the token of a lower-case word, stop word or not: itself, its base form or its stem.

    >>> [token(word) for word in ("gas", "children", "comics", "parliament")]
    ['gas', 'child', 'comic_strip', 'parliam']
    """
    if len(word) <= LONGEST_UNCHANGED:
        return word
    base = _exceptions().get(word)
    return stem(word) if base is None else base


@cache
def _token_or_none(word: str) -> str | None:
    """The token of a word, None for a stop word. Equal tokens are one object, quick to count."""
    return None if word in stop_words() else sys.intern(token(word))


@cache
def stop_words() -> frozenset[str]:
    """Return the stop words: the SMART list as ROUGE-1.5.5 has it."""
    return frozenset(_data("smart_stop_words.txt"))


@cache
def _exceptions() -> dict[str, str]:
    """Irregular forms to base forms, as in WordNet 2.0."""
    return dict(line.split() for line in _data("wordnet_exceptions.txt"))


def _data(name: str) -> list[str]:
    return (Path(__file__).parent / "data" / name).read_text(encoding="utf-8").splitlines()


def plain(sentences: Iterable[str]) -> list[str]:
    r"""Lower-case runs of `\w`; no stemming, no stop words.

    Vowel signs of Hindi cut its words, and Chinese clauses are not cut at all: `words` reads other
    languages.

    >>> plain(["Café-Besitzer: 3,5 %", "Москва"])
    ['café', 'besitzer', '3', '5', 'москва']
    """
    return _WORD.findall(" ".join(sentences).lower())


def _plain_spans(text: str) -> Iterator[Token]:
    lower = folded(text, str.lower)
    return (lower.token(*found.span()) for found in _WORD.finditer(lower.text))


def reimpl(sentences: Iterable[str]) -> list[str]:
    """Tokens as tilse's own Python route counts them: an approximation of ROUGE-1.5.5.

    White-space tokens; stop words and a few marks are dropped, all others are stemmed by NLTK's
    Porter stemmer with whatever punctuation is attached.

    >>> reimpl(["The parliaments agreed , finally !"])
    ['parliament', 'agre', 'final', '!']
    """
    words = " ".join(sentences).split()
    return [token for token in map(_reimpl_token, words) if token is not None]


def _reimpl_spans(text: str) -> Iterator[Token]:
    for found in _BLANK_SEPARATED.finditer(text):
        counted = _reimpl_token(found[0])
        if counted is not None:
            yield Token(counted, *found.span())


@cache
def _reimpl_token(token: str) -> str | None:
    lower = token.lower()
    if lower in stop_words() or lower in _REIMPL_DROPPED:
        return None
    return nltk_stem(token)


def raw(sentences: Iterable[str]) -> list[str]:
    """White-space tokens as they stand, without those that are a part of the punctuation marks.

    tilse drops a token that is found in the string of all marks, so that ``()`` goes and ``--``
    stays.

    >>> raw(['"I" -- said ()', "..."])
    ['"I"', '--', 'said', '...']
    """
    marks = string.punctuation
    return [token for token in " ".join(sentences).split() if token not in marks]


def _raw_spans(text: str) -> Iterator[Token]:
    for found in _BLANK_SEPARATED.finditer(text):
        if found[0] not in string.punctuation:
            yield Token(found[0], *found.span())


ROUGE155: Final = Tokeniser(_rouge155_spans, rouge155, hides_from=_HIDING)
REIMPL: Final = Tokeniser(_reimpl_spans, reimpl)
PLAIN: Final = Tokeniser(_plain_spans, plain)
RAW: Final = Tokeniser(_raw_spans, raw)
