"""Judgements of events: what do people think of it?"""

from typing import TYPE_CHECKING

from chronoscore.core.functions import lazy_names

if TYPE_CHECKING:
    from chronoscore.rubric.codebook import Codebook, event_quality

__all__ = ["Codebook", "event_quality"]

if not TYPE_CHECKING:  # checkers see the names above, and no others
    __getattr__ = lazy_names(__name__, {"chronoscore.rubric.codebook": __all__})


def __dir__() -> list[str]:
    return __all__
