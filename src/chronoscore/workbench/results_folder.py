"""A folder of saved results: what is new in it is taken in whenever the results are looked at."""

import threading
import time
from pathlib import Path

from chronoscore.core.errors import DataError
from chronoscore.workbench.results_reading import SIDECARS, read_saved
from chronoscore.workbench.results_showing import check
from chronoscore.workbench.security import LARGE
from chronoscore.workbench.store import Store
from chronoscore.workbench.store import results as store_results

MOST_FILES = 1000
Mark = tuple[tuple[int, int], ...]


class Folder:
    """Looks for saved results; a file is read again only when it, or what is beside it, changed."""

    def __init__(self, path: Path, patience: float = 3.0) -> None:
        self.path = path
        self.patience = patience
        """Seconds after which a page is shown with what was read by then."""
        self._seen: dict[Path, Mark] = {}
        self._problems: dict[Path, list[str]] = {}
        self._lock = threading.Lock()

    def take_in(self, store: Store, by: int) -> list[str]:
        """Keep what is new; what can't be read is told, and kept out of nothing else's way.

        A result that was deleted here stays so, although its file is still there.
        """
        with self._lock:
            files, told = self._files()
            for file in [file for file in self._seen if file not in files]:
                del self._seen[file]
                self._problems.pop(file, None)
            ends = time.monotonic() + self.patience
            changed = [file for file in files if self._seen.get(file) != _mark(file)]
            for place, file in enumerate(changed):
                if place and time.monotonic() > ends:
                    told.append(f"{len(changed) - place} more files are new: open the page again")
                    break
                self._seen[file] = _mark(file)
                self._problems[file] = self._read(store, by, file)
            return told + [line for file in files for line in self._problems.get(file, [])]

    def _files(self) -> tuple[list[Path], list[str]]:
        if not self.path.is_dir():
            return [], [f"there is no folder {self.path}"]
        found = sorted(f for f in self.path.rglob("*.json") if f.is_file() and not f.is_symlink())
        told = []
        if len(found) > MOST_FILES:
            told.append(f"{self.path}: the first {MOST_FILES} of {len(found)} files were read")
        return found[:MOST_FILES], told

    def _read(self, store: Store, by: int, file: Path) -> list[str]:
        inside = file.relative_to(self.path)
        if sum(size for size, _ in _mark(file)) > LARGE:
            return [f"{inside}: is larger than {LARGE // 2**20} MB, left out"]
        try:
            found = read_saved(file)
            new = found.new(_name(file), "/".join(inside.parent.parts))
            known = store_results.one(store, new.id)
            if known is None or not (known.gone or store_results.has(store, new)):
                check(found, str(file))
                store_results.keep(store, by, new)
        except DataError as error:
            if "not a Chronoscore result" in str(error):
                return []  # other files may lie here too
            return str(error).replace(f"{self.path}/", "").splitlines()
        return []


def _name(file: Path) -> str:
    seen = "".join(c if c.isprintable() else " " for c in file.stem)
    return seen.strip()[:120] or "result"


def _mark(file: Path) -> Mark:
    """Changes when a file, or one of its sidecars, does."""
    marks = []
    for path in (file, *(file.with_suffix(ending) for ending in SIDECARS)):
        try:
            found = path.stat()
            marks.append((found.st_size, found.st_mtime_ns))
        except OSError:
            marks.append((-1, 0))
    return tuple(marks)
