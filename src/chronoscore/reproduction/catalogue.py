"""The catalogue of released outputs: where each one is, how it was scored, and what was printed."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec

from chronoscore.errors import UsageError

Sums = Literal["", "left to right", "statistics.mean"]
"""How means were added up: as we do, term by term in the order of the golds, or exactly."""


class PrintedNumber(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number as its source prints it, and the score of ours that it is."""

    name: str
    metric: str
    score: str
    printed: str
    case: tuple[str, str] | None = None
    """The topic and the name of the gold, for the score of one gold."""


class ReleasedOutput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An output that its authors released, and the numbers that they printed for it."""

    name: str
    what: str
    family: str
    repository: str = ""
    """The owner and the name on GitHub."""
    commit: str = ""
    licence: str = ""
    gold: str = ""
    """The path in the repository; `{topic}` stands for each topic where every topic has a file."""
    output: str = ""
    printed_in: str = ""
    """The file of the repository that has the numbers."""
    protocol: str = ""
    sums: Sums = ""
    average: str = ""
    """The averaging path, where it is not that of the protocol."""
    options: dict[str, str] = {}
    topics: tuple[str, ...] = ()
    program: Literal["", "tempeval3"] = ""
    """The drop-in that prints the numbers, where it is not a protocol that scores them."""
    inside: int = 0
    """How many numbers are inside the output itself, if it is a result file of news-tls."""
    numbers: tuple[PrintedNumber, ...] = ()

    @property
    def folder(self) -> str:
        """The name of the folder that `git clone` makes."""
        return self.repository.partition("/")[2]

    @property
    def clone(self) -> str:
        """The commands that fetch the repository as it was."""
        return (
            f"git clone https://github.com/{self.repository}; "
            f"git -C {self.folder} checkout {self.commit}"
        )

    def find(self, root: Path) -> tuple[Path, Path] | None:
        """Return the paths of gold and output below a folder of clones, or of this clone."""
        for home in (*self._clones(root), root):
            if not any(self._missing(home)):
                return home / self.gold, home / self.output
        return None

    def missing_file(self, root: Path) -> Path | None:
        """Return the first file that is not in the clone below a folder, or in this clone."""
        here = root.resolve()
        homes = [here] if here in self._clones(here.parent) else self._clones(root)
        clones = (home for home in homes if home.is_dir())
        return next((path for home in clones for path in self._missing(home)), None)

    def _clones(self, root: Path) -> tuple[Path, ...]:
        """Return where a clone may be below a folder."""
        owner, _, name = self.repository.partition("/")
        return root / owner / name, root / f"{owner}-{name}", root / name

    def _missing(self, home: Path) -> Iterator[Path]:
        """Yield the files of gold and output that a clone does not have."""
        stated = (home / self.gold, home / self.output)
        paths = (path_of(path, topic) for path in stated for topic in self.each_topic)
        return (path for path in paths if not path.exists())

    @property
    def each_topic(self) -> Sequence[str]:
        """The topics that have files of their own, or one empty name."""
        return self.topics or ("",)


def path_of(path: Path, topic: str) -> Path:
    """Return the path of a topic's file; a path without `{topic}` is the same for all.

    >>> path_of(Path("gold/{topic}.txt"), "egypt").as_posix()
    'gold/egypt.txt'
    """
    return path.parent / path.name.replace("{topic}", topic)


@cache
def catalogue() -> dict[str, ReleasedOutput]:
    """Return the released outputs by name.

    >>> catalogue()["flan-t5-t17"].numbers[0].printed
    '0.11222478774058764'
    """
    data = files("chronoscore.reproduction").joinpath("data", "catalogue.json").read_bytes()
    outputs = msgspec.json.decode(data, type=tuple[ReleasedOutput, ...])
    return {output.name: output for output in outputs}


def chosen(names: Sequence[str]) -> list[ReleasedOutput]:
    """Return the outputs of these names, or all of them."""
    outputs = catalogue()
    for name in names:
        if name not in outputs:
            raise UsageError(
                f"no released output is named '{name}'; there are: {', '.join(outputs)}"
            )
    return [outputs[name] for name in names or outputs]
