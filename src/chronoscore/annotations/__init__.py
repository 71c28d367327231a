"""Annotations of text: which events and times were found?"""

from chronoscore.annotations.family import FAMILY, read_cases
from chronoscore.annotations.formats import read_columns, read_documents, write_documents
from chronoscore.annotations.model import Annotation, Document
from chronoscore.annotations.parts import doubt_parts, read_part

__all__ = [
    "FAMILY",
    "Annotation",
    "Document",
    "doubt_parts",
    "read_cases",
    "read_columns",
    "read_documents",
    "read_part",
    "write_documents",
]
