"""Two Porter stemmers: the one that ROUGE-1.5.5 runs, and the one of NLTK.

Both have the rules of Porter (1980), *An algorithm for suffix stripping*, with the two that he
revised later (bli → ble, logi → log).

ROUGE-1.5.5 has a fourth step of its own: there, ``-ment``, ``-ent`` and ``-ion`` are tried on what
the other suffixes left, where Porter stops at the first that fits. No stock Porter stemmer gives
the same tokens, and so none gives the same scores.

NLTK adds extensions by default, on which `reimpl` rests: irregular words are looked up, words of up
to two letters stay, -ies and -ied of four-letter words become -ie, y becomes i only after a
consonant that is not the first letter, -alli is followed by another step 2, there are -fulli and
-logi, and a word of a vowel and a consonant counts as short. (Facts of NLTK 3.)
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Final

Rules = tuple[tuple[str, str], ...]


def _rules(text: str) -> Rules:
    """Read endings and what they become; a word is judged by its longest ending.

    >>> _rules("tional→tion ative→ ational→ate")
    (('ational', 'ate'), ('tional', 'tion'), ('ative', ''))
    """
    rules = (rule.split("→") for rule in text.split())
    return tuple(sorted(((old, new) for old, new in rules), key=lambda rule: -len(rule[0])))


STEP_1A: Final = _rules("sses→ss ies→i ss→ss s→")
STEP_2: Final = _rules(
    "ational→ate tional→tion enci→ence anci→ance izer→ize bli→ble alli→al entli→ent eli→e "
    "ousli→ous ization→ize ation→ate ator→ate alism→al iveness→ive fulness→ful ousness→ous "
    "aliti→al iviti→ive biliti→ble logi→log"
)
STEP_3: Final = _rules("icate→ic ative→ alize→al iciti→ic ical→ic ful→ ness→")
STEP_4: Final = _rules(
    "al→ ance→ ence→ er→ ic→ able→ ible→ ant→ ement→ ou→ ism→ ate→ iti→ ous→ ive→ ize→"
)
MENT: Final = (("ment", ""),)
ENT: Final = (("ent", ""),)
ION: Final = (("ion", ""),)

CONSONANTS_VOWEL_CONSONANT: Final = re.compile("c+vc")


def stem(word: str) -> str:
    """The stem of a lower-case ASCII word; digits count as consonants.

    >>> [stem(word) for word in ("relational", "hopping", "sunday", "is")]
    ['relat', 'hop', 'sundai', 'is']

    Where ROUGE's fourth step goes further than Porter's, or elsewhere:

    >>> [stem(word) for word in ("agreement", "epicenter", "conditionally")]
    ['agreem', 'epic', 'condit']
    """
    if len(word) < 3:
        return word
    word = _without_plural(word)
    word = _without_past_or_progressive(word, _restored)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace(word, STEP_2, above=0)
    word = _replace(word, STEP_3, above=0)
    # ROUGE's cascade: each line works on what the one before has left. The s or t before -ion is
    # looked at but not removed, so it counts in the measure.
    word = _replace(word, STEP_4, above=1)
    word = _replace(word, MENT, above=1)
    word = _replace(word, ION if word.endswith(("sion", "tion")) else ENT, above=1)
    return _without_final_e_or_l(word, _is_short)


def _shape(word: str) -> str:
    """The word in c's and v's. A y is a vowel after a consonant only, never at the beginning.

    >>> _shape("yearly"), _shape("toy"), _shape("syzygy")
    ('cvvccv', 'cvc', 'cvcvcv')
    """
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """Porter's m: how often a vowel is followed by a consonant.

    >>> [_measure(word) for word in ("tree", "trouble", "oaten")]
    [0, 1, 2]
    """
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _is_short(word: str) -> bool:
    """Porter's ``*o`` on the whole of a word: hop and fil, but not how, fail or envelop."""
    return word[-1:] not in ("w", "x", "y") and bool(
        CONSONANTS_VOWEL_CONSONANT.fullmatch(_shape(word))
    )


def _replace(word: str, rules: Rules, *, above: int) -> str:
    """Apply the first rule whose suffix fits, if the measure of what precedes it is ``above``.

    If it is not, the step is over all the same: shorter suffixes are not tried.
    """
    for suffix, replacement in rules:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + replacement if _measure(rest) > above else word
    return word


def _without_plural(word: str) -> str:
    """Step 1a: caresses → caress, ponies → poni, cats → cat, but caress stays."""
    return _replace(word, STEP_1A, above=-1)


def _without_past_or_progressive(word: str, restored: Callable[[str], str]) -> str:
    """Step 1b: agreed → agree, plastered → plaster, hopping → hop, but feed and sing stay."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and _has_vowel(rest := word[: -len(suffix)]):
            return restored(rest)
    return word


def _restored(rest: str) -> str:
    """Undo what ``-ed`` or ``-ing`` changed: conflat → conflate, hopp → hop."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if rest[-2:-1] == rest[-1] and rest[-1] not in "aeiouylsz":
        return rest[:-1]
    return rest + "e" if _is_short(rest) else rest


def _without_final_e_or_l(word: str, is_short: Callable[[str], bool]) -> str:
    """Step 5: probate → probat and cease → ceas, but rate stays; controll → control."""
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not is_short(rest)):
            word = rest
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word


# NLTK's extensions

_IRREGULAR = dict(
    _rules(
        "sky→sky skies→sky dying→die lying→lie tying→tie news→news innings→inning inning→inning "
        "outings→outing outing→outing cannings→canning canning→canning howe→howe "
        "proceed→proceed exceed→exceed succeed→succeed"
    )
)
# Porter's own endings; here -logi has a rule of its own, and -fulli is added.
_STEP_2 = (*(rule for rule in STEP_2 if rule[0] != "logi"), ("fulli", "ful"))
_STEP_4 = (*STEP_4, *MENT, *ENT, *ION)


@cache
def nltk_stem(word: str) -> str:
    """Stem a word as NLTK's PorterStemmer does.

    >>> [nltk_stem(word) for word in ("geology", "logic", "apology")]
    ['geolog', 'logic', 'apolog']
    >>> [nltk_stem(word) for word in ("Flies", "dies", "enjoyment", "happily", "dying", "by")]
    ['fli', 'die', 'enjoy', 'happili', 'die', 'by']
    """
    word = word.lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = word[:-1] if word.endswith("ies") and len(word) == 4 else _without_plural(word)
    if word.endswith("ied"):
        word = word[:-1] if len(word) == 4 else word[:-2]
    else:
        word = _without_past_or_progressive(word, _nltk_restored)
    rest = word[:-1]
    if word.endswith("y") and len(rest) > 1 and _shape(rest)[-1] == "c":
        word = rest + "i"
    word = _nltk_step_2(word)
    word = _replace(word, STEP_3, above=0)
    if not word.endswith("ion") or word.endswith(("sion", "tion")):
        word = _replace(word, _STEP_4, above=1)
    return _without_final_e_or_l(word, _ends_short)


def _nltk_step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _nltk_step_2(word[:-4] + "al")
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replace(word, _STEP_2, above=0)


def _ends_short(word: str) -> bool:
    """Consonant, vowel, consonant other than w, x and y; or a vowel and a consonant alone."""
    shape = _shape(word)
    return (shape.endswith("cvc") and word[-1] not in "wxy") or shape == "vc"


def _nltk_restored(rest: str) -> str:
    """Restore the e that -ed and -ing removed, or drop the letter that they doubled."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) >= 2 and rest[-1] == rest[-2] and _shape(rest)[-1] == "c":
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest
