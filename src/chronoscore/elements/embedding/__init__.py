"""Text as vectors: how near two texts are in meaning, from weights on this machine alone."""

from chronoscore.elements.embedding.loading import Embed, load

__all__ = ["Embed", "load"]
