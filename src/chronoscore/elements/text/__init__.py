"""Text as ROUGE-1.5.5 sees it: a document's sentences in, its tokens out."""

from chronoscore.elements.text.porter155 import stem
from chronoscore.elements.text.rouge155 import mostly_foreign, token, tokens

__all__ = ["mostly_foreign", "stem", "token", "tokens"]
