"""Why a text is no time: one error, with a kind that programs can tell apart."""

from chronoscore.errors import DataError, Problem

_MOST_QUOTED = 40
NOT_A_DATE = "not a date"
NOT_IN_CALENDAR = "not in the calendar"
NOT_A_TIME = "not a time of day"
NO_BOUND = "an interval without a bound"
REVERSED = "the interval ends before it begins"
BEYOND_AXIS = "beyond the axis"
REFERENCE = "a reference, not a time"
DURATION = "a duration, not a time"
UNDATED = "undated"
EMPTY = "empty"
NO_YEAR_0 = "there is no year 0 before Christ"
NO_DATE_ORDER = "the order of day and month is not stated"
NO_FIXED_LENGTH = "months and years have no fixed length"
LEVEL_2 = "EDTF level 2"
_HINTS = {
    NOT_A_DATE: ", expected YYYY-MM-DD, YYYY-MM or YYYY",
    LEVEL_2: ", and only levels 0 and 1 are read",
    "several dates": ": write one entry for each",
}
_SENTENCES = (
    "the interval",
    "there is",
    "day or month",
    "months and",
    "a leap second",
    "a year of",
)
"""How kinds begin that are whole sentences."""


class TimeError(DataError):
    """A text that is not a time, or could mean several; `kind` gives the reason.

    >>> from chronoscore.elements.time import Time
    >>> try:
    ...     Time.parse("2011-02-30")
    ... except TimeError as error:
    ...     print(error.kind, "|", error)
    not in the calendar | '2011-02-30' is not in the calendar
    """

    @classmethod
    def because(cls, kind: str, text: str, hint: str = "") -> "TimeError":
        """Make the refusal of a text; the hint is for people, and no part of the kind."""
        quoted = f"'{text[:_MOST_QUOTED]}{'...' * (len(text) > _MOST_QUOTED)}'"
        verb = ":" if kind.startswith(_SENTENCES) else " is"
        message = f"{quoted}{verb} {kind}{hint or _HINTS.get(kind, '')}"
        if kind == EMPTY:
            message = "the date is empty, expected YYYY-MM-DD"
        return cls([Problem(message, code=kind)])

    @property
    def kind(self) -> str:
        """The reason, in the same words for all texts."""
        return self.problems[0].code
