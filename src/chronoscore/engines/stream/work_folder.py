"""The work folder: finished chunks under the digest of all they depend on."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from chronoscore.core.errors import DataError, UsageError
from chronoscore.engines.stream.chunks import Done

_FORMAT = b"chronoscore-chunk-1\n"


@dataclass(frozen=True)
class WorkFolder:
    """Where finished chunks are kept, so that a run that was stopped goes on."""

    home: Path

    @classmethod
    def at(cls, home: Path) -> "WorkFolder":
        """Make the folder, or take the one that is there."""
        try:
            (home / "chunks").mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise UsageError(
                f"the work folder {home} can't be made: there is a file where it should be"
            ) from None
        except OSError as error:
            raise DataError.of(f"can't be made: {error.strerror or error}", home) from None
        return cls(home)

    def kept(self, digest: str) -> Done | None:
        """A finished chunk; None if there is none, or it can't be read."""
        path = self._path(digest)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        if not data.startswith(_FORMAT):
            return None
        try:
            done = msgspec.msgpack.decode(data[len(_FORMAT) :], type=Done)
        except msgspec.MsgspecError:
            return None
        return done if done.digest == digest else None

    def keep(self, done: Done) -> None:
        """Keep a finished chunk: whole, or not at all."""
        path = self._path(done.digest)
        draft = path.with_suffix(f".{os.getpid()}.draft")
        try:
            with draft.open("wb") as file:
                file.write(_FORMAT + msgspec.msgpack.encode(done))
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise DataError.of(
                f"can't keep a finished chunk: {error.strerror or error}; what was kept before is "
                "there for the next run",
                self.home,
            ) from None

    def _path(self, digest: str) -> Path:
        return self.home / "chunks" / f"{digest}.chunk"

    def note_inputs(self, inputs: Mapping[str, str]) -> list[str]:
        """Remember what was read, and name the files that are not what they were."""
        path = self.home / "inputs.json"
        before: Any = {}
        if path.exists():
            try:
                before = msgspec.json.decode(path.read_bytes(), type=dict[str, str])
            except (OSError, msgspec.MsgspecError):
                before = {}
        try:
            path.write_bytes(msgspec.json.format(msgspec.json.encode(dict(inputs)), indent=1))
        except OSError as error:
            raise DataError.of(f"can't be written: {error.strerror or error}", path) from None
        return [name for name, digest in inputs.items() if before.get(name, digest) != digest]
