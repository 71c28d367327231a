"""Timelines in files: every layout in use is read and written."""

from chronoscore.timelines.formats.days import Collection
from chronoscore.timelines.formats.reading import read_timelines
from chronoscore.timelines.formats.writing import FORMATS, write_timelines

__all__ = ["FORMATS", "Collection", "read_timelines", "write_timelines"]
