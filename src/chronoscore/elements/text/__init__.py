"""Text as scorers see it: sentences in, tokens out."""

from chronoscore.elements.text.porter155 import stem
from chronoscore.elements.text.rouge155 import mostly_foreign, not_english, token, tokens
from chronoscore.elements.text.tokenisers import Tokeniser, tokeniser

__all__ = ["Tokeniser", "mostly_foreign", "not_english", "stem", "token", "tokeniser", "tokens"]
