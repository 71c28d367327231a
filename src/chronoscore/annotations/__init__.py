"""Annotations of text: which events and times were found?"""

from typing import TYPE_CHECKING

from chronoscore.core.functions import lazy_names

if TYPE_CHECKING:
    from chronoscore.annotations.model import Annotation, Document

__all__ = ["Annotation", "Document"]

if not TYPE_CHECKING:  # checkers see the names above, and no others
    __getattr__ = lazy_names(__name__, {"chronoscore.annotations.model": __all__})


def __dir__() -> list[str]:
    return __all__
