"""The work folder: finished chunks under the digest of all they depend on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from chronoscore.core.errors import UsageError
from chronoscore.core.sealing import DamagedError, check_document, seal, sealed_document, unseal
from chronoscore.core.writing import write_file
from chronoscore.engines.stream.chunks import Done

_CHUNK = "chunk-2"


@dataclass(frozen=True)
class WorkFolder:
    """Where finished chunks are kept, so that a run that was stopped goes on."""

    home: Path
    damaged: list[Path] = field(default_factory=list)
    """Kept files that could not be used."""
    _inputs: dict[str, str] = field(default_factory=dict)
    """What is read in this run, until it is written down."""

    @classmethod
    def at(cls, home: Path) -> "WorkFolder":
        """Take the folder of this name; it is made when there is something to keep."""
        nearest = next((one for one in (home, *home.absolute().parents) if one.exists()), home)
        if nearest.exists() and not nearest.is_dir():
            raise UsageError(
                f"the work folder {home} can't be made: there is a file where it should be"
            )
        return cls(home)

    def kept(self, digest: str) -> Done | None:
        """A finished chunk; None if there is none, or it is damaged and must be measured again."""
        path = self._path(digest)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            self.damaged.append(path)
            return None
        try:
            done = msgspec.msgpack.decode(unseal(_CHUNK, data), type=Done)
            if done.digest == digest:
                return done
        except (DamagedError, msgspec.MsgspecError):
            pass
        self.damaged.append(path)
        return None

    def keep(self, done: Done) -> None:
        """Keep a finished chunk: whole, or not at all."""
        self.remember_inputs()
        write_file(self._path(done.digest), seal(_CHUNK, msgspec.msgpack.encode(done)))

    def _path(self, digest: str) -> Path:
        return self.home / "chunks" / f"{digest}.chunk"

    def remember_inputs(self) -> None:
        """Write down what is read, once."""
        if self._inputs:
            document = msgspec.json.encode(sealed_document({"inputs": dict(self._inputs)}))
            write_file(self._inputs_path, msgspec.json.format(document, indent=1) + b"\n")
            self._inputs.clear()

    @property
    def _inputs_path(self) -> Path:
        return self.home / "inputs.json"

    def note_inputs(self, inputs: Mapping[str, str]) -> list[str]:
        """Take note of what is read; give notices of files that are not what they were."""
        path = self._inputs_path
        before: dict[str, str] = {}
        notices: list[str] = []
        if path.exists():
            try:
                document = msgspec.json.decode(path.read_bytes())
                before = msgspec.convert(check_document(document)["inputs"], dict[str, str])
            except (OSError, ValueError, KeyError, RecursionError):
                notices.append(
                    f"{path} is damaged, or of an older version: whether the files have changed "
                    "since the last run is not known"
                )
        self._inputs.update(inputs)
        changed = [name for name, digest in inputs.items() if before.get(name, digest) != digest]
        return notices + [
            f"{name} has changed since the last run with {self.home}" for name in changed
        ]
