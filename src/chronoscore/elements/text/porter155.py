"""The Porter stemmer as ROUGE-1.5.5 runs it.

These are the rules of Porter (1980), *An algorithm for suffix stripping*, with the two that he
revised later (bli → ble, logi → log) and with a fourth step of ROUGE's own: there, ``-ment``,
``-ent`` and ``-ion`` are tried on what the other suffixes left, where Porter stops at the first
that fits. No stock Porter stemmer gives the same tokens, and so none gives the same scores.
"""

import re
from typing import Final

Rules = tuple[tuple[str, str], ...]


def _longest_first(rules: dict[str, str]) -> Rules:
    """A word is judged by its longest suffix: ``-ational`` hides ``-tional``."""
    return tuple(sorted(rules.items(), key=lambda rule: -len(rule[0])))


STEP_2: Final = _longest_first(
    {
        "ational": "ate",
        "tional": "tion",
        "enci": "ence",
        "anci": "ance",
        "izer": "ize",
        "bli": "ble",
        "alli": "al",
        "entli": "ent",
        "eli": "e",
        "ousli": "ous",
        "ization": "ize",
        "ation": "ate",
        "ator": "ate",
        "alism": "al",
        "iveness": "ive",
        "fulness": "ful",
        "ousness": "ous",
        "aliti": "al",
        "iviti": "ive",
        "biliti": "ble",
        "logi": "log",
    }
)
STEP_3: Final = _longest_first(
    {
        "icate": "ic",
        "ative": "",
        "alize": "al",
        "iciti": "ic",
        "ical": "ic",
        "ful": "",
        "ness": "",
    }
)
STEP_4: Final = _longest_first(
    {
        "al": "",
        "ance": "",
        "ence": "",
        "er": "",
        "ic": "",
        "able": "",
        "ible": "",
        "ant": "",
        "ement": "",
        "ou": "",
        "ism": "",
        "ate": "",
        "iti": "",
        "ous": "",
        "ive": "",
        "ize": "",
    }
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
    word = _without_past_or_progressive(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace(word, STEP_2, above=0)
    word = _replace(word, STEP_3, above=0)
    # ROUGE's cascade: each line works on what the one before has left. The s or t before -ion is
    # looked at but not removed, so it counts in the measure.
    word = _replace(word, STEP_4, above=1)
    word = _replace(word, MENT, above=1)
    word = _replace(word, ION if word.endswith(("sion", "tion")) else ENT, above=1)
    return _without_final_e_or_l(word)


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
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _without_past_or_progressive(word: str) -> str:
    """Step 1b: agreed → agree, plastered → plaster, hopping → hop, but feed and sing stay."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and _has_vowel(rest := word[: -len(suffix)]):
            return _mended(rest)
    return word


def _mended(rest: str) -> str:
    """What ``-ed`` or ``-ing`` had changed is put right: conflat → conflate, hopp → hop."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if rest[-2:-1] == rest[-1] and rest[-1] not in "aeiouylsz":
        return rest[:-1]
    return rest + "e" if _is_short(rest) else rest


def _without_final_e_or_l(word: str) -> str:
    """Step 5: probate → probat and cease → ceas, but rate stays; controll → control."""
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _is_short(rest)):
            word = rest
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word
