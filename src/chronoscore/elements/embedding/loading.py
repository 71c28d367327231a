"""From a model's name to a function that embeds texts: loaded once, remembering its vectors."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import lru_cache
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.errors import UsageError
from chronoscore.core.functions import allowed, is_name
from chronoscore.elements.embedding import bert, static
from chronoscore.elements.embedding.files import ModelFiles, find

Vectors: TypeAlias = NDArray[np.float32]
Embed: TypeAlias = Callable[[Sequence[str]], Vectors]
"""Texts in, unit-length rows [n, d] out; a text that says nothing known has a row of zeros."""

MOST_TEXTS_REMEMBERED = 100_000
MODELS_KEPT = 4


def load(name: str) -> Embed:
    """Find a model by its name; the same name gives the same function.

    A name is the path of a folder with ``model.safetensors`` and ``tokenizer.json``, the name of
    an installed package that carries such files (its code is never run), or an allowed function
    from texts to rows of numbers (`core.functions`). By the names of its tensors, a model is read
    as a BERT (MiniLM and its kin) or as a static one (model2vec, WordLlama). No network, no torch,
    no pickled weights.

    A text's vector depends on nothing but the text: texts are run one by one, not padded into
    batches, so that the order of a file and the number of workers change no digit.
    """
    if is_name(name):
        return _from_function(name, allowed(name))
    return _from_files(find(name))


@lru_cache(maxsize=MODELS_KEPT)
def _from_files(files: ModelFiles) -> Embed:
    tensors = files.tensors()
    for kind in (bert, static):
        if kind.recognises(tensors):
            return remembering(_one_by_one(kind.model(files, tensors)), str(files.weights.parent))
    some = ", ".join(sorted(tensors)[:3])
    raise UsageError(
        f"{files.weights}: neither a BERT nor a static embedding model; it has {some}, ..."
    )


def _one_by_one(vector: Callable[[str], Vectors]) -> Embed:
    return lambda texts: np.stack([vector(text) for text in texts])


@lru_cache(maxsize=MODELS_KEPT)
def _from_function(name: str, function: Callable[..., Any]) -> Embed:
    def embed(texts: Sequence[str]) -> Vectors:
        speaking = [i for i, text in enumerate(texts) if text.strip()]
        # The width is known from an answer only, and so nothing but blanks costs one question.
        asked = [texts[i] for i in speaking] or ["text"]
        try:
            rows = np.asarray(function(asked), dtype=np.float32)
        except Exception as error:  # a function of someone else's may fail in any way
            why = f"{type(error).__name__}: {error}"
            raise UsageError(f"embedding '{name}' failed: {why}") from error
        if rows.ndim != 2 or len(rows) != len(asked):
            raise UsageError(
                f"embedding '{name}' gave an array of shape {rows.shape} for {len(asked)} texts; "
                "one row of numbers a text is needed"
            )
        out = np.zeros((len(texts), rows.shape[1]), dtype=np.float32)
        out[speaking] = rows[: len(speaking)]
        return out

    return remembering(embed, name)


def remembering(embed: Embed, name: str, size: int = MOST_TEXTS_REMEMBERED) -> Embed:
    """Make rows unit length and keep those of the texts last asked for, up to a number of texts."""
    known: OrderedDict[str, Vectors] = OrderedDict()
    lock = Lock()

    def remembered(texts: Sequence[str]) -> Vectors:
        if not texts:
            return remembered([""])[:0]
        with lock:
            rows = {text: known[text] for text in texts if text in known}
            for text in rows:
                known.move_to_end(text)
        new = [text for text in dict.fromkeys(texts) if text not in rows]
        if new:
            fresh = dict(zip(new, unit(embed(new), name), strict=True))
            rows |= fresh
            with lock:
                known.update(fresh)
                while len(known) > size:
                    known.popitem(last=False)
        return np.stack([rows[text] for text in texts])

    return remembered


def unit(rows: Vectors, name: str) -> list[Vectors]:
    """Each row at length 1; a row of zeros stays one.

    >>> unit(np.array([[3, 4], [0, 0]], dtype=np.float32), "name")
    [array([0.6, 0.8], dtype=float32), array([0., 0.], dtype=float32)]
    """
    if not np.isfinite(rows).all():
        raise UsageError(f"embedding '{name}' gave a vector that is not of finite numbers")
    wide = rows.astype(np.float64)  # squares of float32 can overflow
    lengths = np.linalg.norm(wide, axis=1)
    lengths[lengths == 0] = 1
    # One array a row, since a view would keep all its batch in memory.
    return [(row / length).astype(np.float32) for row, length in zip(wide, lengths, strict=True)]
