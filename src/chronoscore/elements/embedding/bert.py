"""BERT's forward pass in numpy (Devlin et al. 2019), pooled as in Sentence-BERT (Reimers 2019)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.errors import UsageError
from chronoscore.elements.embedding.files import ModelFiles, Tensors, as_float

Array: TypeAlias = NDArray[np.float32]

WORDS = "embeddings.word_embeddings.weight"
STEPS = {"Transformer", "Pooling", "Normalize"}
POOLINGS = {"mean", "mean_tokens", "cls", "cls_token"}


@dataclass(frozen=True, slots=True)
class Affine:
    """``x W + b``, with W [in, out]: short texts take a tenth longer the way it is saved."""

    weight: Array
    bias: Array

    def __call__(self, x: Array) -> Array:
        """Map each row."""
        return x @ self.weight + self.bias


@dataclass(frozen=True, slots=True)
class Norm:
    """Each row at mean 0 and variance 1, then scaled and shifted."""

    weight: Array
    bias: Array
    epsilon: float

    def __call__(self, x: Array) -> Array:
        """Map each row."""
        centred: Array = x - x.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        deviation: Array = np.sqrt(variance + np.float32(self.epsilon))
        return centred / deviation * self.weight + self.bias


@dataclass(frozen=True, slots=True)
class Layer:
    """One block: attention and a feed-forward net, each added to its input and normalised."""

    query_key_value: Affine
    attended: Affine
    attention_norm: Norm
    widen: Affine
    narrow: Affine
    output_norm: Norm

    def __call__(self, x: Array, heads: int) -> Array:
        """Map the rows of one text [tokens, width] together."""
        length, width = x.shape
        split = self.query_key_value(x).reshape(length, 3, heads, width // heads)
        query, key, value = split.transpose(1, 2, 0, 3)
        scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(width // heads))
        mixed = (softmax(scores) @ value).transpose(1, 0, 2).reshape(length, width)
        x = self.attention_norm(x + self.attended(mixed))
        return self.output_norm(x + self.narrow(gelu(self.widen(x))))


@dataclass(frozen=True, slots=True)
class Bert:
    """The weights of an encoder."""

    words: Array
    positions: Array
    first_type: Array
    norm: Norm
    layers: tuple[Layer, ...]
    heads: int

    def __call__(self, ids: list[int]) -> Array:
        """The last layer's vectors [tokens, width] of one text."""
        x = self.norm(self.words[ids] + self.positions[: len(ids)] + self.first_type)
        for layer in self.layers:
            x = layer(x, self.heads)
        return x


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


def recognises(tensors: Tensors) -> bool:
    """Whether these are the tensors of a BERT, under whatever name it was saved."""
    return any(name.endswith(WORDS) for name in tensors)


def model(files: ModelFiles, tensors: Tensors) -> Callable[[str], Array]:
    """A text's vector: the mean of its tokens' (or its first token's, if the model says so).

    A text beyond the model's length is cut there, as sentence-transformers does. What would need
    another forward pass is refused, since it would run and give wrong numbers. Where other work
    shares the machine, ``OPENBLAS_NUM_THREADS=1`` is several times faster, to the same digits.
    """
    files.refuse_steps_beyond(STEPS)
    config, sentence = files.settings("config.json"), files.settings("sentence_bert_config.json")
    pooling = _pooling(files)
    _refuse_others(files, config, sentence, pooling)
    bert = _read(files, config, tensors)
    most = len(bert.positions)
    said = files.settings("tokenizer_config.json").get("model_max_length", most)
    longest = min(int(sentence.get("max_seq_length") or said), most)
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
    """How the model makes one vector of many, in either spelling of sentence-transformers."""
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
    wanted = {
        "model_type": config.get("model_type", "bert") == "bert",
        "hidden_act": config.get("hidden_act", "gelu") == "gelu",
        "position_embedding_type": config.get("position_embedding_type", "absolute") == "absolute",
        "do_lower_case": not sentence.get("do_lower_case"),
        f"pooling {pooling}": pooling in POOLINGS,
    }
    strange = [
        f"{name} {config[name]}" if name in config else name
        for name, fine in wanted.items()
        if not fine
    ]
    if strange:
        raise UsageError(f"{files.weights.parent}: no support for {'; '.join(strange)}")


def _read(files: ModelFiles, config: Mapping[str, Any], tensors: Tensors) -> Bert:
    prefix = next(name for name in tensors if name.endswith(WORDS)).removesuffix(WORDS)

    def get(name: str) -> Array:
        if prefix + name not in tensors:
            raise UsageError(
                f"{files.weights}: not a whole BERT: tensor {prefix + name} is missing"
            )
        return as_float(tensors[prefix + name])

    def affine(*names: str) -> Affine:
        weights, biases = ([get(f"{name}.{part}") for name in names] for part in ("weight", "bias"))
        return Affine(as_float(np.concatenate(weights).T), np.concatenate(biases))

    def norm(name: str) -> Norm:
        return Norm(get(f"{name}.weight"), get(f"{name}.bias"), config.get("layer_norm_eps", 1e-12))

    def layer(name: str) -> Layer:
        attention = f"{name}.attention"
        return Layer(
            affine(*(f"{attention}.self.{part}" for part in ("query", "key", "value"))),
            affine(f"{attention}.output.dense"),
            norm(f"{attention}.output.LayerNorm"),
            affine(f"{name}.intermediate.dense"),
            affine(f"{name}.output.dense"),
            norm(f"{name}.output.LayerNorm"),
        )

    start = f"{prefix}encoder.layer."
    numbers = {
        name.removeprefix(start).partition(".")[0] for name in tensors if name.startswith(start)
    }
    words, heads = get(WORDS), int(config["num_attention_heads"])
    if heads < 1 or words.shape[1] % heads:
        raise UsageError(f"{files.weights}: {heads} heads can't share a width of {words.shape[1]}")
    return Bert(
        words=words,
        positions=get("embeddings.position_embeddings.weight"),
        first_type=get("embeddings.token_type_embeddings.weight")[0],
        norm=norm("embeddings.LayerNorm"),
        layers=tuple(layer(f"encoder.layer.{number}") for number in range(len(numbers))),
        heads=heads,
    )
