"""Annotations in files: the formats of annotation tools, recognised by name and content."""

from chronoscore.annotations.formats.documents import Collection
from chronoscore.annotations.formats.reading import (
    FORMATS,
    check_scores,
    read_columns,
    read_documents,
    scored_by,
)
from chronoscore.annotations.formats.writing import WRITTEN, write_documents

__all__ = [
    "FORMATS",
    "WRITTEN",
    "Collection",
    "check_scores",
    "read_columns",
    "read_documents",
    "scored_by",
    "write_documents",
]
