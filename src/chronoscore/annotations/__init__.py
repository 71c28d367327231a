"""Annotations of text: which events and times were found?"""

from typing import TYPE_CHECKING

from chronoscore.core.functions import lazy_names

if TYPE_CHECKING:
    from chronoscore.annotations.family import FAMILY as FAMILY
    from chronoscore.annotations.family import read_cases as read_cases
    from chronoscore.annotations.formats.reading import read_columns as read_columns
    from chronoscore.annotations.formats.reading import read_documents as read_documents
    from chronoscore.annotations.formats.writing import write_documents as write_documents
    from chronoscore.annotations.model import Annotation as Annotation
    from chronoscore.annotations.model import Document as Document

__getattr__ = lazy_names(
    __name__,
    {
        "chronoscore.annotations.family": ("FAMILY", "read_cases"),
        "chronoscore.annotations.formats.reading": ("read_columns", "read_documents"),
        "chronoscore.annotations.formats.writing": ("write_documents",),
        "chronoscore.annotations.model": ("Annotation", "Document"),
    },
)
