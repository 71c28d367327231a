"""Chronoscore scores event timelines.

>>> import chronoscore
>>> str(chronoscore.metric("AR-2"))
'align+m:1(rouge=2)'

Names are loaded when they are first used: importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from chronoscore.api import metric, score
    from chronoscore.core.errors import ChronoscoreError, DataError, UsageError
    from chronoscore.core.event import Event
    from chronoscore.core.metric import Metric
    from chronoscore.core.result import Result, load

_HOMES = {
    "score": "api",
    "metric": "api",
    "load": "core.result",
    "Result": "core.result",
    "Metric": "core.metric",
    "Event": "core.event",
    "ChronoscoreError": "core.errors",
    "DataError": "core.errors",
    "UsageError": "core.errors",
}

__all__ = [
    "ChronoscoreError",
    "DataError",
    "Event",
    "Metric",
    "Result",
    "UsageError",
    "__version__",
    "load",
    "metric",
    "score",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"chronoscore.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'chronoscore' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
