"""Temporal links: how do events and times stand to each other?"""

from chronoscore.ordering.tlinks.family import FAMILY, read_cases
from chronoscore.ordering.tlinks.formats import read_links, write_links
from chronoscore.ordering.tlinks.model import Document, Entity

__all__ = ["FAMILY", "Document", "Entity", "read_cases", "read_links", "write_links"]
