"""How long to wait before asking again: what the server says, or longer each time."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

from chronoscore.core.errors import UsageError

FIRST_WAIT = 1.0


@dataclass(frozen=True)
class Patience:
    """How long an answer may take, how often to ask again, and the longest wait between."""

    timeout: float = 120.0
    retries: int = 5
    max_wait: float = 60.0

    def check(self) -> None:
        """Refuse what can't be waited for."""
        if not (isfinite(self.timeout) and self.timeout > 0):
            raise UsageError(f"--timeout is {self.timeout}, expected seconds above 0")
        if self.retries < 0:
            raise UsageError(f"--retries is {self.retries}, expected 0 or more")
        if not (isfinite(self.max_wait) and self.max_wait >= 0):
            raise UsageError(f"--max-wait is {self.max_wait}, expected 0 seconds or more")

    def wait(self, tries: int, salt: str, told: str | None, now: datetime | None = None) -> float:
        """Give the seconds to wait after so many tries; `told` is the header Retry-After.

        >>> Patience(max_wait=10).wait(1, "", "3"), Patience(max_wait=10).wait(1, "", "3600")
        (3.0, 10)
        """
        asked = retry_after(told, now or datetime.now(UTC))
        return min(self.max_wait, back_off(tries, salt) if asked is None else asked)


def retry_after(told: str | None, now: datetime) -> float | None:
    """Read Retry-After: seconds, or a date; None if it says nothing that can be read."""
    text = (told or "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            then = parsedate_to_datetime(text)
        except (ValueError, IndexError, TypeError):
            return None
        then = then if then.tzinfo else then.replace(tzinfo=UTC)
        return max(0.0, (then - now).total_seconds())
    return max(0.0, seconds) if isfinite(seconds) else None


def back_off(tries: int, salt: str) -> float:
    """Double the wait with each try, times 0.5 to 1.5.

    The factor is hashed from the request, so that many that failed together don't come back
    together, and a run is the same when it is repeated.

    >>> back_off(1, "a") == back_off(1, "a") != back_off(1, "b")
    True
    """
    drawn = int.from_bytes(hashlib.sha256(f"{salt}/{tries}".encode()).digest()[:4]) / 2**32
    return FIRST_WAIT * 2.0 ** min(tries - 1, 20) * (0.5 + drawn)
