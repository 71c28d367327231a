"""Pairs of a target and a response, in columns."""

from dataclasses import dataclass

from chronoscore.annotations.columns import Flags, Integers


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs that may be taken, by the places of target and response.

    ``value`` is 3 for strict correct (coextensive and equal), 2 partial correct, 1 strict
    incorrect, 0 partial incorrect; ``overlap`` is the number of characters shared.
    """

    key: Integers
    response: Integers
    value: Integers
    overlap: Integers

    def __len__(self) -> int:
        return len(self.key)

    def take(self, places: Integers | Flags) -> "Pairs":
        """Some of the pairs."""
        return Pairs(
            self.key[places], self.response[places], self.value[places], self.overlap[places]
        )


@dataclass(frozen=True, eq=False)
class Conflict:
    """Pairs that get in each other's way, their items numbered in an order of their own.

    The number of a target or response is its rank by document, start, end and id (``best`` puts
    type and features before the id, so that ids decide only between annotations that are alike).
    """

    pairs: Pairs
    alike: bool
    """Whether equality is symmetric and transitive: then equal spans can stand for each other."""
    key_id: Integers
    """The rank of each pair's target by its id alone."""
    response_id: Integers
