"""Files that are too large to hold: read in parts, measured in parts, united by id.

Names are imported when they are asked for: a worker needs only what measures a chunk.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chronoscore.engines.stream.inputs import Inputs, can_stream
    from chronoscore.engines.stream.measuring import Plan
    from chronoscore.engines.stream.running import Streamed, stream

__all__ = ["Inputs", "Plan", "Streamed", "can_stream", "stream"]
_HOMES = {
    "Inputs": "inputs",
    "can_stream": "inputs",
    "Plan": "measuring",
    "Streamed": "running",
    "stream": "running",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
