"""Timeline summaries: what does it say, on which dates?"""

from chronoscore.timelines.family import FAMILY, read_cases
from chronoscore.timelines.formats import read_timelines
from chronoscore.timelines.model import Timeline

__all__ = ["FAMILY", "Timeline", "read_cases", "read_timelines"]
