"""Annotations in files: the formats of annotation tools, told apart by name and content."""

from chronoscore.annotations.formats.book import Collection
from chronoscore.annotations.formats.fast import read_columns
from chronoscore.annotations.formats.reading import FORMATS, read_documents
from chronoscore.annotations.formats.scores import scored_by
from chronoscore.annotations.formats.writing import WRITTEN, write_documents

__all__ = [
    "FORMATS",
    "WRITTEN",
    "Collection",
    "read_columns",
    "read_documents",
    "scored_by",
    "write_documents",
]
