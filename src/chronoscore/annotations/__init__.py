"""Annotations of text: which events and times were found?"""

from chronoscore.annotations.family import FAMILY, read_cases
from chronoscore.annotations.formats import read_columns, read_documents, write_documents
from chronoscore.annotations.model import Annotation, Document

__all__ = [
    "FAMILY",
    "Annotation",
    "Document",
    "read_cases",
    "read_columns",
    "read_documents",
    "write_documents",
]
