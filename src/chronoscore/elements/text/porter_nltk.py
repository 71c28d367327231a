"""The Porter stemmer with the extensions that NLTK adds by default, on which `reimpl` rests.

It differs from Porter's own algorithm, and from the one in ROUGE-1.5.5, in a handful of rules:
irregular words are looked up, words of up to two letters stay, -ies and -ied of four-letter words
become -ie, y becomes i only after a consonant that is not the first letter, -alli is followed by
another step 2, there are -fulli and -logi, and a word of a vowel and a consonant counts as short.
(Porter, 1980, *An algorithm for suffix stripping*; the extensions are facts of NLTK 3.)
"""

from collections.abc import Callable, Iterable
from functools import cache

from chronoscore.elements.text.porter155 import STEP_2, STEP_3

_IRREGULAR = {
    "sky": "sky",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}
# Porter's own endings; here -logi has a rule of its own, and -fulli is added.
_STEP_2 = (*(rule for rule in STEP_2 if rule[0] != "logi"), ("fulli", "ful"))
_STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion"),
    *("ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)


@cache
def stem(word: str) -> str:
    """Stem a word as NLTK's PorterStemmer does.

    >>> [stem(word) for word in ("Flies", "dies", "enjoyment", "happily", "dying", "by")]
    ['fli', 'die', 'enjoy', 'happili', 'die', 'by']
    """
    word = word.lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    for step in (_step_1a, _step_1b, _step_1c, _step_2, _step_3, _step_4, _step_5):
        word = step(word)
    return word


def _shape(word: str) -> str:
    """Write consonants as c and vowels as v; y is a vowel after a consonant."""
    shape = ""
    for place, letter in enumerate(word):
        vowel = letter in "aeiou" or (letter == "y" and place > 0 and shape[-1] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Consonant, vowel, consonant other than w, x and y; or a vowel and a consonant alone."""
    shape = _shape(word)
    return (shape.endswith("cvc") and word[-1] not in "wxy") or shape == "vc"


def _replaced(
    word: str, rules: Iterable[tuple[str, str]], holds: Callable[[str], bool]
) -> str | None:
    """Apply the first rule whose ending the word has, if its stem allows; None if it has none."""
    for ending, replacement in rules:
        if word.endswith(ending):
            rest = word.removesuffix(ending)
            return rest + replacement if holds(rest) else word
    return None


def _step_1a(word: str) -> str:
    if word.endswith("ies") and len(word) == 4:
        return word[:-1]
    rules = (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", ""))
    return _replaced(word, rules, lambda _: True) or word


def _step_1b(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        rest = word.removesuffix(ending)
        if rest != word and "v" in _shape(rest):
            return _mended(rest)
    return word


def _mended(rest: str) -> str:
    """Give back what -ed and -ing took from a word, or what they doubled."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) >= 2 and rest[-1] == rest[-2] and _shape(rest)[-1] == "c":
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _step_1c(word: str) -> str:
    rest = word[:-1]
    after_consonant = len(rest) > 1 and _shape(rest)[-1] == "c"
    return rest + "i" if word.endswith("y") and after_consonant else word


def _step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _step_2(word[:-4] + "al")
    replaced = _replaced(word, _STEP_2, lambda rest: _measure(rest) > 0)
    if replaced is None and word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return word if replaced is None else replaced


def _step_3(word: str) -> str:
    replaced = _replaced(word, STEP_3, lambda rest: _measure(rest) > 0)
    return word if replaced is None else replaced


def _step_4(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            rest = word.removesuffix(ending)
            fits = _measure(rest) > 1 and (ending != "ion" or rest[-1:] in ("s", "t"))
            return rest if fits else word
    return word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
