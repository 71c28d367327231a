"""Time: one value for days, times of day, periods and offsets; how it is read and compared."""

from chronoscore.elements.time.refusal import TimeError
from chronoscore.elements.time.value import Time

__all__ = ["Time", "TimeError"]
