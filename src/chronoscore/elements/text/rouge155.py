"""What ROUGE-1.5.5 compares: the tokens of a document, with stop words removed and stemmed.

The steps and their order are those of ``ROUGE-1.5.5.pl -m -s`` behind pyrouge, the set-up of tilse
and of the timeline papers that follow it (Lin, 2004, *ROUGE: A package for automatic evaluation
of summaries*; Martschat and Markert, 2017, *Improving ROUGE for timeline summarization*). It works
on bytes and knows ASCII only. Its quirks are kept, since published scores contain them:

- ``^`` becomes the word ``circ``, and a ``<`` hides the rest of its sentence;
- whatever is not an ASCII letter or digit separates words: ``café`` is ``caf``;
- stop words go first, so ``US`` is lost as ``us`` is, while ``don't`` leaves ``don``;
- words of up to three letters are kept as they are, WordNet's irregular forms (``children``) are
  looked up, and only the others are stemmed.
"""

import sys
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import Final

from chronoscore.elements.text.porter155 import stem

LONGEST_UNCHANGED: Final = 3

# str.lower would turn letters such as the Kelvin sign into ASCII ones, which a byte-wise
# program does not: every byte is mapped by itself to its lower case, or else to a space.
_WORD_BYTES: Final = (ascii_letters + digits).encode()
_BYTE_TO_BYTE: Final = bytes(
    byte if byte in _WORD_BYTES else ord(" ") for byte in range(256)
).translate(bytes.maketrans(ascii_uppercase.encode(), ascii_lowercase.encode()))


def tokens(sentences: Iterable[str]) -> list[str]:
    """The tokens of a document, in order and across its sentences, as ROUGE-1.5.5 counts them.

    >>> tokens(["The parliaments agreed: a café-owner can't.", "Profit <10% of last year"])
    ['parliam', 'agre', 'caf', 'owner', 'profit']
    """
    given = tuple(sentences)
    text = " ".join(given)
    if "<" in text:
        text = " ".join([sentence.partition("<")[0] for sentence in given])
    text = text.replace("^", " circ ")
    # Half a surrogate pair has no bytes; as "?" it separates words like any other symbol.
    words = text.encode("utf-8", "replace").translate(_BYTE_TO_BYTE).decode("ascii").split()
    return [kept for kept in map(_kept, words) if kept is not None]


def token(word: str) -> str:
    """What a lower-case word becomes, stop word or not: itself, its base form or its stem.

    >>> [token(word) for word in ("gas", "children", "comics", "parliament")]
    ['gas', 'child', 'comic_strip', 'parliam']
    """
    if len(word) <= LONGEST_UNCHANGED:
        return word
    base = _exceptions().get(word)
    return stem(word) if base is None else base


def mostly_foreign(sentences: Iterable[str]) -> bool:
    """Whether more than half of the letters are not ASCII, so that few or no tokens are left.

    >>> mostly_foreign(["Москва, 9 мая"]), mostly_foreign(["Le café fermé à Orléans"])
    (True, False)
    """
    text = " ".join(sentences)
    if text.isascii():
        return False
    letters = sum(map(str.isalpha, text))
    return 2 * (letters - sum(map(ascii_letters.__contains__, text))) > letters


_FREQUENT: Final = {
    "English": "the of and to for that by with at from were are has have been after his it an",
    "Spanish": "de la el los las en que del por con una para se su",
    "Italian": "di che il della delle per nel nella sono gli alla dei",
    "French": "le les des et du une dans est par pour sur au",
    "German": "der und das den von mit ist im dem auf ein eine nicht",
    "Portuguese": "da dos em com uma os ao",
    "Dutch": "het een van zijn voor op met",
}
"""Words that are frequent in one language, and no words of English unless it is that."""
_MOST_ACCENTED: Final = 0.03
_FEWEST_ACCENTED: Final = 10
_FEWEST_WORDS: Final = 5


def not_english(sentences: Iterable[str]) -> bool:
    """Whether a text seems to be of another language in Latin letters, which is cut or not stemmed.

    It is where more than 3 % of its letters, and at least 10, are not ASCII, or where frequent
    words of Spanish, Italian, French, German, Portuguese and Dutch (at least 5) outnumber those
    of English.

    >>> not_english(["El gobierno anuncia la retirada de las tropas en la frontera."])
    True
    >>> not_english(["José flew from Zürich to São Paulo, and met the mayor of the city."])
    False
    """
    text = " ".join(sentences)
    if not text.isascii():
        letters = sum(map(str.isalpha, text))
        accented = letters - sum(map(ascii_letters.__contains__, text))
        if accented >= _FEWEST_ACCENTED and accented > _MOST_ACCENTED * letters:
            return True
    english, other = _frequent()
    words = text.lower().split()
    found = sum(map(other.__contains__, words))
    return found >= _FEWEST_WORDS and found > sum(map(english.__contains__, words))


@cache
def _frequent() -> tuple[frozenset[str], frozenset[str]]:
    """The frequent words of English, and those of the other languages."""
    others = " ".join(words for language, words in _FREQUENT.items() if language != "English")
    return frozenset(_FREQUENT["English"].split()), frozenset(others.split())


@cache
def _kept(word: str) -> str | None:
    """The token of a word, None for a stop word. Equal tokens are one object, quick to count."""
    return None if word in stop_words() else sys.intern(token(word))


@cache
def stop_words() -> frozenset[str]:
    """The words that say nothing: the SMART list as ROUGE-1.5.5 has it."""
    return frozenset(_data("smart_stop_words.txt"))


@cache
def _exceptions() -> dict[str, str]:
    """Irregular forms to base forms, as in WordNet 2.0."""
    return dict(line.split() for line in _data("wordnet_exceptions.txt"))


def _data(name: str) -> list[str]:
    return files(__package__).joinpath("data", name).read_text(encoding="utf-8").splitlines()
