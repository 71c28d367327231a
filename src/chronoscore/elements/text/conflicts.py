"""Conflicts: signs that two English texts tell the same event differently.

They explain a pair of texts and no score reads them. Without a model most of them are false alarms:
one writer gives a number that the other leaves out for another.
"""

import re
from collections import Counter
from typing import Final

NEGATIONS: Final = frozenset(
    {
        *("no", "not", "never", "none", "nor", "neither", "without", "cannot", "nobody"),
        *("nothing", "nowhere", "n't"),
    }
)
"""The English words that turn what a text says into its opposite."""

_UNITS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS: Final = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES: Final = {
    **{"zero": 0, "hundred": 100},
    **{word: value for value, word in enumerate((*_UNITS, *_TEENS), 1)},
    **{word: 10 * tens for tens, word in enumerate(_TENS, 2)},
}

_LETTER: Final = r"[^\W\d_]"
_DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)*+")
_WORDS: Final = re.compile(
    rf"n't(?!{_LETTER})|(?:(?!n't(?!{_LETTER})){_LETTER})++|{_DIGITS.pattern}", re.I
)


def _whole(*words: str) -> str:
    return rf"(?:{'|'.join(words)})(?!{_LETTER})"


_BETWEEN: Final = r"(?:\s++|-)"
_UNIT: Final = _whole(*_UNITS)
_REST: Final = rf"(?:{_whole(*_TENS)}(?:{_BETWEEN}{_UNIT})?+|{_whole(*_TEENS)}|{_UNIT})"
_NUMBER_WORDS: Final = re.compile(
    rf"(?<!{_LETTER})(?:(?:(?P<hundreds>{_UNIT}){_BETWEEN})?+{_whole('hundred')}"
    rf"(?:{_BETWEEN}(?:and{_BETWEEN})?+(?P<rest>{_REST}))?+|(?P<alone>{_REST}|{_whole('zero')}))"
)
_MAY_BE_NUMBER_WORD: Final = re.compile("[a-z]{3,9}")
_LARGE: Final = re.compile(rf"{_BETWEEN}{_whole('(?:thousand|million|billion|trillion)s?')}")
_NEARLY_THE_SAME: Final = 0.8


def conflicts(a: str, b: str) -> tuple[str, ...]:
    """Return the conflicts of two texts, among number, negation and roles.

    - number: each text has a number that the other lacks;
    - negation: one of two texts of nearly the same words is negated;
    - roles: the same words, with the capitalised ones in another order.

    >>> conflicts("Israel attacks Syria.", "Syria attacks Israel.")
    ('roles',)
    >>> conflicts("12 of 20 men could leave.", "11 of 20 men couldn't leave.")
    ('number', 'negation')
    """
    one, two = numbers(a), numbers(b)
    words = _words(a), _words(b)
    found = {
        "number": bool(one - two and two - one),
        "negation": _differ_by_negation(*words),
        "roles": _differ_by_roles(*words),
    }
    return tuple(name for name, is_found in found.items() if is_found)


def numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text as digits: its runs of digits, and number words up to 999.

    A number before thousand, million, billion or trillion is left out, and so is a lone `one`.

    >>> sorted(numbers("Two hundred and six of 1,500 left one town; 3 million stay."))
    ['1500', '206']
    """
    lower = text.lower()
    found = [(_digits(number), number.end()) for number in _DIGITS.finditer(lower)]
    if not _VALUES.keys().isdisjoint(_MAY_BE_NUMBER_WORD.findall(lower)):
        found += [(_spelled(number), number.end()) for number in _NUMBER_WORDS.finditer(lower)]
    return frozenset(number for number, end in found if number and not _LARGE.match(lower, end))


def _digits(number: re.Match[str]) -> str:
    return number[0].replace(",", "").replace(".", "")


def _spelled(number: re.Match[str]) -> str:
    """Return number words as digits; nothing for a lone `one`, which is seldom a number."""
    hundreds, rest, alone = number.groups()
    if alone:
        return "" if alone == "one" else str(_value(alone))
    return str(100 * _value(hundreds or "one") + _value(rest or ""))


def _value(words: str) -> int:
    return sum(_VALUES[word] for word in words.replace("-", " ").split())


def _words(text: str) -> list[str]:
    """Return runs of letters, `n't` by itself, and numbers.

    >>> _words("He didn’t take 1,500.")
    ['He', 'did', "n't", 'take', '1,500']
    """
    return _WORDS.findall(text.replace("’", "'"))


def _differ_by_negation(a: list[str], b: list[str]) -> bool:
    one, two = ([word.lower() for word in words] for words in (a, b))
    negations = sum(map(NEGATIONS.__contains__, one + two))
    if negations % 2 == 0:
        return False
    shared = Counter(one) & Counter(two)
    common = sum(times for word, times in shared.items() if word not in NEGATIONS)
    return 2 * common >= _NEARLY_THE_SAME * (len(one) + len(two) - negations)


def _differ_by_roles(a: list[str], b: list[str]) -> bool:
    one, two = ([word for word in words if word[0].isupper()] for words in (a, b))
    return one != two and sorted(one) == sorted(two) and _lowered(a) == _lowered(b)


def _lowered(words: list[str]) -> list[str]:
    return sorted(map(str.lower, words))
