"""Static embeddings: a table of token vectors, and a text is the mean of its tokens' rows."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.errors import UsageError
from chronoscore.elements.embedding.files import ModelFiles, Tensors, as_float

# model2vec's name, and the one of sentence-transformers and WordLlama.
TABLES = ("embeddings", "embedding.weight")
STEPS = {"StaticEmbedding", "Normalize"}


def recognises(tensors: Tensors) -> bool:
    """Whether these are the tensors of a static model."""
    return any(name in tensors and tensors[name].ndim == 2 for name in TABLES)


def model(files: ModelFiles, tensors: Tensors) -> Callable[[str], NDArray[np.float32]]:
    """A text's vector: ``(1/n) Σ weights[t] · table[mapping[t]]`` over its n known tokens t.

    As in model2vec (Tulkens and van Dongen 2024): tokens without the special ones; what the
    vocabulary does not know is left out. ``weights`` (a number a token) and ``mapping`` (tokens
    that share a row) are optional tensors. Unlike there, a long text is not cut.
    """
    files.refuse_steps_beyond(STEPS)
    table = next(tensors[name] for name in TABLES if name in tensors)
    weights, mapping = tensors.get("weights"), tensors.get("mapping")
    if (
        mapping is not None
        and mapping.size
        and not 0 <= mapping.min() <= mapping.max() < len(table)
    ):
        raise UsageError(f"{files.weights}: its mapping names rows that its table does not have")
    rows = len(table if mapping is None else mapping)
    if weights is not None and len(weights) < rows:
        raise UsageError(f"{files.weights}: {len(weights)} weights for {rows} tokens")
    tokenizer, unknown = files.load_tokenizer(None, rows), files.unknown_token()
    width = table.shape[1]

    def vector(text: str) -> NDArray[np.float32]:
        encoded = tokenizer.encode(text, add_special_tokens=False).ids
        ids = np.array([token for token in encoded if token != unknown], dtype=np.intp)
        if not ids.size:
            return np.zeros(width, dtype=np.float32)
        vectors = as_float(table[ids if mapping is None else mapping[ids]])
        if weights is not None:
            vectors *= as_float(weights[ids])[:, np.newaxis]
        mean: NDArray[np.float32] = vectors.mean(axis=0)
        return mean

    return vector
