"""From text to tokens, by name, so that a metric's name says how its text was read.

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

The other tokenisers are tilse's approximation (`reimpl`), plain words, and Snowball stems.
"""

import re
import string
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import Final

from chronoscore.elements.text.porter import nltk_stem, stem
from chronoscore.errors import UsageError

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
    text = " ".join([sentence.partition("<")[0] for sentence in sentences])
    text = text.replace("^", " circ ")
    # Half a surrogate pair has no bytes; as "?" it separates words like any other symbol.
    words = text.encode("utf-8", "replace").translate(_BYTE_TO_BYTE).decode("ascii").split()
    return [token for token in map(_token_or_none, words) if token is not None]


def token(word: str) -> str:
    """Return the token of a lower-case word, stop word or not: itself, its base form or its stem.

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
    letters, foreign = _letters(" ".join(sentences))
    return 2 * foreign > letters


def _letters(text: str) -> tuple[int, int]:
    """How many letters a text has, and how many of them are not ASCII."""
    if text.isascii():
        return 0, 0
    letters = sum(map(str.isalpha, text))
    return letters, letters - sum(map(ascii_letters.__contains__, text))


_ENGLISH_WORDS: Final = (
    "the of and to for that by with at from were are has have been after his it an"
)
_OTHER_WORDS: Final = (
    "de la el los las en que del por con una para se su "  # Spanish
    "di che il della delle per nel nella sono gli alla dei "  # Italian
    "le les des et du une dans est par pour sur au "  # French
    "der und das den von mit ist im dem auf ein eine nicht "  # German
    "da dos em com uma os ao "  # Portuguese
    "het een van zijn voor op met"  # Dutch
)
"""Words that are frequent in another language, and no words of English."""
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
    letters, accented = _letters(text)
    if accented >= _FEWEST_ACCENTED and accented > _MOST_ACCENTED * letters:
        return True
    words = Counter(text.lower().split())
    english, other = (
        sum(words[word] for word in frequent.split()) for frequent in (_ENGLISH_WORDS, _OTHER_WORDS)
    )
    return other >= _FEWEST_WORDS and other > english


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
    return files(__package__).joinpath("data", name).read_text(encoding="utf-8").splitlines()


_WORD = re.compile(r"\w+")
_REIMPL_DROPPED = frozenset('.,;:-"') | {"``", "''"}


def plain(sentences: Iterable[str]) -> list[str]:
    """Words of any script in lower case; no stemming, no stop words.

    >>> plain(["Café-Besitzer: 3,5 %", "Москва"])
    ['café', 'besitzer', '3', '5', 'москва']
    """
    return _WORD.findall(" ".join(sentences).lower())


def reimpl(sentences: Iterable[str]) -> list[str]:
    """Tokens as tilse's own Python route counts them: an approximation of ROUGE-1.5.5.

    White-space tokens; stop words and a few marks are dropped, all others are stemmed by NLTK's
    Porter stemmer with whatever punctuation is attached.

    >>> reimpl(["The parliaments agreed , finally !"])
    ['parliament', 'agre', 'final', '!']
    """
    words = " ".join(sentences).split()
    return [token for token in map(_reimpl_token, words) if token is not None]


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


Tokeniser = Callable[[Iterable[str]], list[str]]

NAMED: dict[str, Tokeniser] = {
    "rouge155": tokens,
    "reimpl": reimpl,
    "plain": plain,
}
SNOWBALL = "snowball-"
KNOWN = (*NAMED, f"{SNOWBALL}LANGUAGE")


@cache
def tokeniser(name: str) -> Tokeniser:
    """Return the tokeniser of a name: rouge155, reimpl, plain, or snowball-LANGUAGE."""
    if name in NAMED:
        return NAMED[name]
    if not name.startswith(SNOWBALL):
        raise UsageError(f"unknown text processing '{name}'; there are: {', '.join(KNOWN)}")
    try:
        import Stemmer  # noqa: PLC0415  # an extra: most never need it
    except ImportError:
        raise UsageError(
            f"text={name} needs a package: pip install 'chronoscore[stemmers]'"
        ) from None
    language = name.removeprefix(SNOWBALL)
    if language not in Stemmer.algorithms():
        raise UsageError(
            f"no stemmer for '{language}'; there are: {', '.join(sorted(Stemmer.algorithms()))}"
        )
    snowball = cache(Stemmer.Stemmer(language).stemWord)
    return lambda sentences: [snowball(word) for word in plain(sentences)]
