"""How far the answers to one event are apart, and the queue that this makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chronoscore.rubric.codebook import Codebook
from chronoscore.workbench.store.agreed import Agreed
from chronoscore.workbench.store.judgements import Values


@dataclass(frozen=True, slots=True)
class Waiting:
    """An event that several judged, with all values that were given and agreed on."""

    event: int
    values: tuple[Values, ...]
    spread: float
    criteria: tuple[int, ...]
    """Places of the criteria that they differ on."""
    agreed: Agreed | None


def spread(answers: Sequence[Values], codebook: Codebook) -> float:
    """Sum over criteria of the variance of values, each scale taken from 0 to 1."""
    return _spread(answers, _widths(codebook))


def _widths(codebook: Codebook) -> list[int]:
    return [criterion.allowed[-1] - criterion.allowed[0] for criterion in codebook.criteria]


def _spread(answers: Sequence[Values], widths: Sequence[int]) -> float:
    number, total = len(answers), 0.0
    for given, width in zip(zip(*answers, strict=True), widths, strict=True):
        values = [value or 0 for value in given]
        # Whole numbers until the last step, so that equal spreads are equal.
        squares = number * sum(value * value for value in values) - sum(values) ** 2
        total += squares / (number * (number - 1) * width * width)
    return round(total, 12)


def queue(
    answers: Mapping[int, Sequence[Values]], agreed: Mapping[int, Agreed], codebook: Codebook
) -> list[Waiting]:
    """Events that two or more judged, the greatest disagreement first."""
    widths, found = _widths(codebook), []
    for event, own in answers.items():
        if len(own) < 2:
            continue
        differ = tuple(at for at, said in enumerate(zip(*own, strict=True)) if len({*said}) > 1)
        apart = _spread(own, widths) if differ else 0.0
        found.append(Waiting(event, tuple(own), apart, differ, agreed.get(event)))
    return sorted(found, key=lambda one: (-one.spread, one.event))
