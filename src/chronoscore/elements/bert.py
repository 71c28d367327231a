"""BERT's forward pass in numpy (Devlin et al. 2019), pooled as in Sentence-BERT (Reimers 2019)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.embedding import BERT_WORDS, ModelFiles, Tensors, as_float
from chronoscore.errors import UsageError

Array: TypeAlias = NDArray[np.float32]

STEPS = {"Transformer", "Pooling", "Normalize"}
POOLINGS = {"mean", "mean_tokens", "cls", "cls_token"}
_TABLES = ("word", "position", "token_type")
_PARTS = (
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)
"""The parts of a layer beside the attention itself, each with a `weight` and a `bias`."""


@dataclass(frozen=True, slots=True)
class Bert:
    """An encoder: its embeddings, and all other weights by their names in the file.

    Matrices are [in, out]: in the saved order, [out, in], short texts take a tenth longer.
    """

    words: Array
    positions: Array
    first_type: Array
    weights: Mapping[str, Array]
    layers: int
    heads: int
    epsilon: float

    def __call__(self, ids: list[int]) -> Array:
        """Compute the last layer's vectors [tokens, width] of one text."""
        x = self.words[ids] + self.positions[: len(ids)] + self.first_type
        x = self._normalised("embeddings.LayerNorm", x)
        for number in range(self.layers):
            x = self._layer(f"encoder.layer.{number}", x)
        return x

    def _layer(self, name: str, x: Array) -> Array:
        """Attention and a feed-forward net, each added to its input and normalised."""
        length, width = x.shape
        split = self._affine(f"{name}.attention.self", x).reshape(length, 3, self.heads, -1)
        query, key, value = split.transpose(1, 2, 0, 3)
        scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(width // self.heads))
        mixed = (softmax(scores) @ value).transpose(1, 0, 2).reshape(length, width)
        attended = self._affine(f"{name}.attention.output.dense", mixed)
        x = self._normalised(f"{name}.attention.output.LayerNorm", x + attended)
        widened = gelu(self._affine(f"{name}.intermediate.dense", x))
        narrowed = self._affine(f"{name}.output.dense", widened)
        return self._normalised(f"{name}.output.LayerNorm", x + narrowed)

    def _affine(self, name: str, x: Array) -> Array:
        """``x W + b``."""
        return x @ self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def _normalised(self, name: str, x: Array) -> Array:
        """Each row at mean 0 and variance 1, then scaled and shifted."""
        centred: Array = x - x.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        deviation: Array = np.sqrt(variance + np.float32(self.epsilon))
        return centred / deviation * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def softmax(scores: Array) -> Array:
    """``exp(s) / Σ exp(s)`` along the last axis."""
    powers: Array = np.exp(scores - scores.max(axis=-1, keepdims=True))
    total: Array = powers.sum(axis=-1, keepdims=True)
    return powers / total


def gelu(x: Array) -> Array:
    """``x Φ(x)`` (Hendrycks and Gimpel 2016), as ``max(x, 0) - |x| erfc(|x| / √2) / 2``.

    erfc by Abramowitz and Stegun 7.1.26, which errs by at most 1.5e-7, the grain of float32;
    scipy's takes as long as all matrix products of a layer.

    >>> gelu(np.array([-1, 0, 2], dtype=np.float32)).round(4)
    array([-0.1587,  0.    ,  1.9545], dtype=float32)
    """
    size: Array = np.abs(x)
    z: Array = size * np.float32(np.sqrt(0.5))
    t: Array = np.reciprocal(1 + np.float32(0.3275911) * z)
    tail: Array = np.full_like(t, 1.061405429)
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail *= t
        tail += np.float32(coefficient)
    tail *= t
    tail *= np.exp(-np.square(z))
    positive: Array = np.maximum(x, 0)
    return positive - size * tail * np.float32(0.5)


def bert_model(files: ModelFiles, tensors: Tensors) -> Callable[[str], Array]:
    """Make the function from a text to its vector: the mean of its tokens', or the first one's.

    A text beyond the model's length is cut there, as sentence-transformers does. A model that needs
    another forward pass is refused, since it would run and give wrong numbers. Where other work
    shares the machine, ``OPENBLAS_NUM_THREADS=1`` is several times faster; the command sets it
    unless the environment names a number. The last digits of a vector depend on that number.
    """
    files.refuse_steps_beyond(STEPS)
    config, sentence = files.settings("config.json"), files.settings("sentence_bert_config.json")
    pooling = _pooling(files)
    _refuse_others(files, config, sentence, pooling)
    bert = _read(files, config, tensors)
    most = len(bert.positions)
    declared = files.settings("tokenizer_config.json").get("model_max_length", most)
    longest = min(int(sentence.get("max_seq_length") or declared), most)
    tokenizer, unknown = files.load_tokenizer(longest, len(bert.words)), files.unknown_token()

    def vector(text: str) -> Array:
        encoded = tokenizer.encode(text)
        words = zip(encoded.ids, encoded.special_tokens_mask, strict=True)
        if all(special or token == unknown for token, special in words):
            return np.zeros(bert.words.shape[1], dtype=np.float32)
        last = bert(encoded.ids)
        pooled: Array = last[0] if pooling.startswith("cls") else last.mean(axis=0)
        return pooled

    return vector


def _pooling(files: ModelFiles) -> str:
    """Return how the model pools vectors, in either spelling of sentence-transformers."""
    settings = files.settings("1_Pooling/config.json")
    prefix = "pooling_mode_"
    modes = [
        key.removeprefix(prefix) for key in settings if key.startswith(prefix) and settings[key]
    ]
    return "+".join(modes) or str(settings.get("pooling_mode", "mean"))


def _refuse_others(
    files: ModelFiles, config: Mapping[str, Any], sentence: Mapping[str, Any], pooling: str
) -> None:
    if "num_attention_heads" not in config:
        place = files.weights.parent / "config.json"
        raise UsageError(f"{place}: num_attention_heads is needed to run a BERT")
    supported = {
        "model_type": config.get("model_type", "bert") == "bert",
        "hidden_act": config.get("hidden_act", "gelu") == "gelu",
        "position_embedding_type": config.get("position_embedding_type", "absolute") == "absolute",
        "do_lower_case": not sentence.get("do_lower_case"),
        f"pooling {pooling}": pooling in POOLINGS,
    }
    unsupported = [
        f"{name} {config[name]}" if name in config else name
        for name, is_supported in supported.items()
        if not is_supported
    ]
    if unsupported:
        raise UsageError(f"{files.weights.parent}: no support for {'; '.join(unsupported)}")


def _read(files: ModelFiles, config: Mapping[str, Any], tensors: Tensors) -> Bert:
    prefix = next(name for name in tensors if name.endswith(BERT_WORDS)).removesuffix(BERT_WORDS)

    def get(name: str) -> Array:
        if prefix + name not in tensors:
            raise UsageError(
                f"{files.weights}: not a whole BERT: tensor {prefix + name} is missing"
            )
        return as_float(tensors[prefix + name])

    start = f"{prefix}encoder.layer."
    layers = {
        name.removeprefix(start).partition(".")[0] for name in tensors if name.startswith(start)
    }
    words, positions, types = (get(f"embeddings.{name}_embeddings.weight") for name in _TABLES)
    weights = {}
    for kind in ("weight", "bias"):
        weights[f"embeddings.LayerNorm.{kind}"] = get(f"embeddings.LayerNorm.{kind}")
        for layer in (f"encoder.layer.{number}" for number in range(len(layers))):
            attention = f"{layer}.attention.self"
            three = [get(f"{attention}.{part}.{kind}") for part in ("query", "key", "value")]
            weights[f"{attention}.{kind}"] = np.concatenate(three)
            for name in (f"{layer}.{part}.{kind}" for part in _PARTS):
                weights[name] = get(name)
    heads = int(config["num_attention_heads"])
    if heads < 1 or words.shape[1] % heads:
        raise UsageError(f"{files.weights}: {heads} heads can't share a width of {words.shape[1]}")
    return Bert(
        words=words,
        positions=positions,
        first_type=types[0],
        weights={name: as_float(weight.T) for name, weight in weights.items()},
        layers=len(layers),
        heads=heads,
        epsilon=config.get("layer_norm_eps", 1e-12),
    )
