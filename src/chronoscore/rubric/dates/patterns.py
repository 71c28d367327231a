"""The patterns of expressions of time, and the rule that reads each of them.

A pattern finds the core of an expression in a text: names of days and months need their capital
there. The longest match wins, then the first in the table. `LEFT` words change the core that
follows them ("since", "early", "the end of").
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from chronoscore.rubric.dates import readings
from chronoscore.rubric.dates.holidays import holiday
from chronoscore.rubric.dates.lexicon import (
    DAYS,
    EASTER_HOLIDAYS,
    FIXED_HOLIDAYS,
    MONTHS,
    NAMING_WORDS,
    NUMBERS,
    PARTS_OF_DAY,
    RELATIVE_DAYS,
    SHORT_MONTHS,
    SUPERLATIVE,
)

Kind = Literal["date", "bound", "offset", "duration", "started", "ignored", "unknown"]


@dataclass(frozen=True, slots=True)
class Core:
    """A pattern, what it finds, the rule that reads it, and the words that must stand before it."""

    pattern: re.Pattern[str]
    kind: Kind
    rule: readings.Rule | None = None
    before: re.Pattern[str] | None = None


def _any(words: Iterable[str]) -> str:
    escaped = (re.escape(word) for word in sorted(words, key=len, reverse=True))
    return "|".join(escaped).replace("'", "['’]")


_SHORT = _any(name.title() for name in SHORT_MONTHS if name != "may")
_MONTH = rf"(?P<month>(?:{_any(name.title() for name in MONTHS)})\b|(?:{_SHORT})(?:\.|\b))"
_DAYS = _any(name.title() for name in DAYS)
_YEAR = r"(?P<year>1[0-9]{3}|20[0-9]{2})\b"
_NTH = r"(?:st|nd|rd|th)"
_DATE = rf"(?P<date>[0-3]?[0-9]){_NTH}?\b"
_LIST = "(?:, [0-9]{1,2})*,? (?:to|through|until|till|and) (?:the )?"
_TO = rf"(?: ?[-–—] ?|{_LIST})(?P<to>[0-3]?[0-9]){_NTH}?\b"
_ONES = _any(word for word in NUMBERS if NUMBERS[word] < 10 and word not in ("a", "an"))
_TENS = _any(word for word in NUMBERS if word.endswith("ty"))
_PLAIN = _any(word for word in NUMBERS if "-" not in word and not word.endswith("ty"))
_NUMBER = rf"(?P<number>[0-9]{{1,4}}|(?:{_TENS})(?:-(?:{_ONES}))?|{_PLAIN})"
_LONG = "day|week|fortnight|month|year|decade|century"
_UNIT = f"(?P<unit>{_LONG})s?"
_ANY_UNIT = f"(?P<unit>minute|hour|night|{_LONG})s?"
_STEP = "(?P<step>this past|this coming|last|past|previous|this|next|coming)"
_PARTS = "|".join(PARTS_OF_DAY)
_WAY = "later|earlier|after|before|prior|following|from"
_ABOUT = "(?:(?:about|almost|nearly|some|more than|over) )?"
_CLOCK = r"[0-9]{1,2}(?:[:.][0-9]{2})? ?(?:a\.m\.|p\.m\.|[ap]m\b)|[0-2]?[0-9]:[0-5][0-9]\b"
_STOP = r"(?=[,.;:)]|$| (?:and|but|when|as|while|after|before|at|in|by|to|with|from)\b)"

_TAKES_MONTH = re.compile(
    r"\b(?i:in|of|since|during|by|until|till|from|to|through|for|before|after|between|early|late"
    r"|mid)[ -]$"
)
_TAKES_YEAR = re.compile(r"\b(?i:in|since|during|until|till|early|late|mid|year|between)[ -]$")
_TAKES_LAST_YEAR = re.compile(r"\b(?i:of|by|from|to|through|before|after|and)[ -]$")
_NO_ARTICLE = re.compile(
    r"(?<!\bthe )(?<!\ba )(?<!\bevery )(?<!\beach )(?<!\bone )(?<!\bthat )(?<!\bsome )"
    r"$",
    re.IGNORECASE,
)
_RANKED = re.compile(rf"\b(?i:{SUPERLATIVE})\b[^,;]{{0,80}}(?<!\bhas )(?<!\bhave )(?<!\bhad )$")


_ALONE = re.compile(r"(?!)")  # in a text 2009-10 may be two years
_WHOLE = re.compile(
    r"(?<!\bhalf )(?<!\bof )(?<!\band )(?<!\bthan )(?<!\bover )(?<!\bleast )(?<!\bunder )"
    r"(?<!\babout )(?<!\baround )(?<!\balmost )(?<!\bnearly )(?<!\broughly )(?<!\bsome )"
    r"(?<!\bbarely )(?<!\bto )(?<!\bor )$",
    re.IGNORECASE,
)


def _core(
    pattern: str,
    kind: Kind,
    rule: readings.Rule | None = None,
    before: re.Pattern[str] | None = None,
) -> Core:
    return Core(re.compile(pattern), kind, rule, before)


CORES = (
    # Ranks, which date nothing: the worst in ten years, the third since 2020.
    _core(rf"(?i:(?:in|for) {_ABOUT}(?:{_NUMBER} )?{_ANY_UNIT})\b", "ignored", None, _RANKED),
    _core(rf"(?i:since)(?: {_YEAR}|(?= [a-z]))", "ignored", None, _RANKED),
    # Dates in figures.
    _core(r"(?P<year>[12][0-9]{3})-(?P<mm>[0-9]{2})-(?P<dd>[0-9]{2})\b", "date", readings.iso),
    _core(r"(?P<year>[12][0-9]{3})-(?P<mm>[0-9]{2})\b", "date", readings.iso, _ALONE),
    _core(
        r"(?P<year>[12][0-9]{3})[/.](?P<mm>[0-9]{1,2})[/.](?P<dd>[0-9]{1,2})\b",
        "date",
        readings.iso,
    ),
    _core(
        r"(?P<one>[0-9]{1,2})(?P<mark>[/.-])(?P<two>[0-9]{1,2})(?P=mark)"
        r"(?P<year>[12][0-9]{3}|[0-9]{2})\b",
        "date",
        readings.slashes,
    ),
    _core(rf"{_YEAR}(?![-/.:][0-9])", "date", readings.iso, _TAKES_YEAR),
    _core(rf"{_YEAR}{_STOP}", "date", readings.iso, _TAKES_LAST_YEAR),
    # Days of a month, months, weekdays.
    _core(
        rf"(?:the )?{_DATE}(?:{_TO})?[ -](?:of )?{_MONTH}(?:,?[ -]{_YEAR})?",
        "date",
        readings.day_of_month,
    ),
    _core(
        rf"{_MONTH} (?:the )?{_DATE}(?:{_TO})?(?![/:][0-9])(?:,? {_YEAR})?",
        "date",
        readings.day_of_month,
    ),
    _core(rf"(?i:the) {_MONTH} {_DATE} (?=[A-Z][a-z])", "unknown"),  # a name: the May 4 Movement
    _core(rf"(?i:the )(?P<date>[0-3]?[0-9]){_NTH}\b(?:{_TO})?{_STOP}", "date", readings.day_number),
    _core(rf"{_MONTH},? (?:of )?{_YEAR}", "date", readings.month),
    _core(rf"(?i:(?P<step>last|next|this)) {_MONTH}(?! [0-9])", "date", readings.month),
    _core(rf"{_MONTH}(?! [0-9])", "date", readings.month, _TAKES_MONTH),
    _core(
        rf"(?P<weekday>{_DAYS})\b(?: (?i:{_PARTS})\b)?",
        "date",
        readings.weekday,
        _NO_ARTICLE,
    ),
    _core(
        rf"(?i:{_STEP}) (?P<weekday>{_DAYS})\b(?: (?i:{_PARTS})\b)?",
        "date",
        readings.weekday,
    ),
    _core(rf"(?:{'|'.join(NAMING_WORDS)}) (?:{_DAYS})\b", "unknown"),
    _core(rf"(?i:the) (?:{_DAYS}) (?=[A-Z][a-z])", "ignored"),  # a name: the Sunday Times
    _core(
        rf"(?i:(?P<word>{_any([*FIXED_HOLIDAYS, *EASTER_HOLIDAYS])}))(?!\w)",
        "date",
        holiday,
    ),
    _core(rf"(?<=[a-z,] )[A-Z][a-z]+ (?:{_DAYS})\b", "unknown"),  # a name: Super Bowl Sunday
    # Counted from publication.
    _core(rf"(?i:(?P<word>{_any(RELATIVE_DAYS)}))\b", "date", readings.relative_day),
    _core(r"(?i:last night|overnight)\b", "date", readings.last_night),
    _core(
        rf"(?i:{_NUMBER} {_UNIT} (?P<ago>ago)"
        r"(?: (?P<near>to the day|today|this week|this weekend|this month))?)\b",
        "date",
        readings.distance,
        _WHOLE,
    ),
    _core(rf"(?i:in {_NUMBER} {_UNIT}(?:['’]? time| from now)?)\b", "date", readings.distance),
    _core(
        rf"(?i:(?:the )?(?P<step>last|past|next|coming) {_NUMBER} {_ANY_UNIT})\b",
        "date",
        readings.past_span,
    ),
    _core(
        r"(?i:(?P<the>the )?(?P<step>last|past|previous|this|next|coming)(?: calendar)? "
        r"(?P<unit>week|month|quarter|year))\b",
        "date",
        readings.period,
    ),
    _core(rf"(?i:(?:the |{_STEP} )?weekend)\b", "date", readings.weekend),
    # Parts of years and longer.
    _core(
        r"(?i:(?P<part>first|second|third|fourth|last|final|1st|2nd|3rd|4th) quarter)\b",
        "date",
        readings.quarter,
    ),
    _core(r"(?:the )?(?P<year>[12][0-9]{2}0)s\b", "date", readings.decade),
    _core(rf"(?i:(?:the )?(?P<date>[0-9]{{1,2}}){_NTH}[ -]century)\b", "date", readings.century),
    # Counted from another date of the sentence.
    _core(rf"(?i:{_NUMBER} {_ANY_UNIT}(?P<exact> to the day)? (?P<way>{_WAY}))\b", "offset"),
    _core(r"(?i:the (?P<unit>day|week|month|year) (?P<way>after|before))\b", "offset"),
    _core(r"(?i:(?:on )?the (?P<way>eve) of)\b", "offset"),
    _core(
        rf"(?i:(?:the|that)(?: very)? (?P<way>next|following|previous|same) "
        rf"(?:(?P<unit>week|month|year|weekend)|(?P<weekday>{_any(DAYS)})|day|date|{_PARTS}))\b",
        "offset",
    ),
    _core(rf"(?i:that (?:(?P<unit>week|month|year|weekend)|day|{_PARTS}))\b", "offset"),
    _core(r"(?i:on the same date)\b", "offset"),
    # How long something lasted, which may lie between two events.
    _core(rf"(?i:(?:(?:for|after|within|during) {_ABOUT})?{_NUMBER}[ -]{_ANY_UNIT})\b", "duration"),
    # What dates nothing: ages, ranks, the time of day.
    _core(rf"(?i:{_NUMBER}[ -]{_ANY_UNIT}[ -]olds?)\b", "ignored"),
    _core(r"(?i:before last|after next|but one)\b", "unknown"),
    _core(rf"(?i:(?:a|its|their|his|her) {SUPERLATIVE} {_ANY_UNIT})\b", "started"),
    _core(_CLOCK, "ignored"),
    _core(r"[0-2][0-9][0-5][0-9](?= (?:GMT|UTC|hours)\b)", "ignored"),
    _core(
        r"(?i:(?:(?:shortly|just|soon) )?(?:before|after) (?:dawn|midnight|noon|dark|sunrise"
        r"|sunset|nightfall))\b",
        "ignored",
    ),
    _core(r"(?i:(?:small|early) hours)\b", "ignored"),
    _core(r"(?i:(?:shortly|just|soon|moments|minutes|hours) (?:before|after))\b", "ignored"),
)

_FILLER = (
    r"\s+(?:(?:the|on|in|at|only|about|around|late|early|very|(?:the )?(?:night|evening|morning"
    r"|afternoon|(?:small|early) hours) of)\s+)*$"
)
_PART_OF = r"(?:at |in |by |from |on )?(?:the )?"
LEFT: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(?i:mid)[- ]$"), "mid"),
    *(
        (re.compile(rf"\b(?i:{words}){_FILLER}"), operation)
        for words, operation in (
            (r"earlier(?: in)?", "earlier"),
            (r"later(?: in)?", "later"),
            (rf"(?:early(?: in)?|{_PART_OF}(?:start|beginning|opening|first half) of)", "early"),
            (rf"(?:late(?: in)?|{_PART_OF}(?:end|close|second half) of)", "late"),
            (rf"{_PART_OF}middle of", "mid"),
            (rf"{_PART_OF}(?P<part>first|last|final) {_NUMBER} {_UNIT} of", "fraction"),
            (r"since|starting|beginning|effective|as of", "since"),
            (r"until|till|through|by|before|ahead of|prior to|no later than|up to", "until"),
            (r"after|following", "after"),
            (r"from", "from"),
        )
    ),
)
