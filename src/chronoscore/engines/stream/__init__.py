"""Files that are too large to hold: read in parts, measured in parts, united by id."""

from chronoscore.engines.stream.inputs import Inputs, can_stream
from chronoscore.engines.stream.running import Plan, Streamed, stream

__all__ = ["Inputs", "Plan", "Streamed", "can_stream", "stream"]
