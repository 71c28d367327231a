"""What is asked: at which level, about which criterion, by which coefficients."""

from dataclasses import dataclass

from chronoscore.core.errors import UsageError
from chronoscore.statistics.correlation import DEFAULTS, coefficient

LEVELS = ("system", "topic", "event")
UNITS = {"system": "system", "topic": "topic", "event": "article"}
"""What is drawn as a whole at each level."""


@dataclass(frozen=True)
class Plan:
    """The settings of one study."""

    level: str = "system"
    criterion: str = "EQS"
    coefficients: tuple[str, ...] = ()
    confidence: float = 0.95
    seed: int = 0

    @property
    def shown(self) -> tuple[str, ...]:
        """The coefficients to show; tests are of the first."""
        return self.coefficients or DEFAULTS

    @property
    def unit(self) -> str:
        """What is drawn as a whole for the intervals."""
        return UNITS[self.level]

    def check(self) -> None:
        """Refuse what can't be computed, before anything is read."""
        if self.level not in LEVELS:
            raise UsageError(f"no level '{self.level}'; there are: {', '.join(LEVELS)}")
        if not 0 < self.confidence < 1:
            raise UsageError(f"--confidence is {self.confidence}, expected one between 0 and 1")
        for name in self.coefficients:
            coefficient(name)
