"""The frame: a comparison has a data maker, our driver and a peer's driver, and becomes a row."""

import json
import math
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from benchmarks.environments import HERE, ROOT, WORK, MissingError, clean_environ, environment

Scale = Literal["tiny", "quick", "full"]
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Cost:
    """What one side took, and the numbers it gave. Seconds are CPU, user and system."""

    process: float | None = None
    """The whole process with its children, from start to end."""
    work: float | None = None
    """From the data files to the numbers, after a trial on tiny data that loads everything."""
    megabytes: float | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    what: str
    peer: str
    ours: Cost = Cost()
    theirs: Cost = Cost()
    remark: str = ""
    wrong: bool = False


@dataclass(frozen=True)
class Comparison:
    """Two drivers on the same data.

    Drivers are scripts in `ours/` and `peers/`. They get the folder of the data, 'cold' or
    'warm', and their arguments, and print JSON: the CPU seconds of the work and the numbers.
    """

    what: str
    make: Callable[[Path, Scale], str]
    """Writes the data into a folder and says what it is, such as '100 days'."""
    ours: str
    theirs: str
    peer: str
    label: str
    """How the peer is called in the table."""
    arguments: tuple[str, ...] = ()
    """Given to the peer's driver."""
    own_arguments: tuple[str, ...] = ()
    """Given to our driver."""
    note: str = ""
    """What the peer does more or less than we do."""
    difference: str = ""
    """Why numbers differ, where they must; empty where they must be equal."""
    once: bool = False
    """Run the peer once and without a trial: it takes minutes, beside which loading is nothing."""
    full_only: bool = False
    """Run the peer in a full run only."""
    unavailable: Callable[[], str] = lambda: ""
    """Why the peer can't run here although it can be installed; empty if it can."""


@dataclass(frozen=True)
class Bench:
    """One run: its scale and where it works."""

    scale: Scale
    work: Path = WORK
    install: bool = True

    def python(self, peer: str) -> Path:
        """The interpreter of a peer's own environment; raises `MissingError` with the reason."""
        return environment(peer, self.work, install=self.install)

    def own_python(self) -> Path:
        """Ours: a fresh install of this checkout, one snapshot for the whole run."""
        return self.python("chronoscore") if self.install else Path(sys.executable)

    @property
    def repeats(self) -> int:
        """How often each side runs."""
        return 3 if self.scale == "full" else 1

    def folder(self, name: str) -> Path:
        """Where data of this name and scale go."""
        folder = self.work / "data" / name / self.scale
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def drive_ours(self, script: str, folder: Path, arguments: Sequence[str] = ()) -> Cost:
        """Run a driver of ours."""
        return drive(self.own_python(), HERE / "ours" / script, folder, self.repeats, arguments)


@dataclass(frozen=True)
class Group:
    """What is run under one name."""

    name: str
    about: str
    rows: Callable[[Bench], Iterator[Row]]
    comparisons: tuple[Comparison, ...] = ()


def group(name: str, about: str, *comparisons: Comparison) -> Group:
    """Make a group whose rows are comparisons."""
    return Group(name, about, lambda bench: (compare(c, bench) for c in comparisons), comparisons)


def compare(comparison: Comparison, bench: Bench) -> Row:
    """Make the data, run both sides, and check that they give the same numbers."""
    folder = bench.folder(comparison.make.__name__)
    what = f"{comparison.what}, {comparison.make(folder, bench.scale)}"
    try:
        ours = bench.drive_ours(comparison.ours, folder, comparison.own_arguments)
    except (MissingError, FailedError) as error:
        return Row(what, comparison.label, remark=f"our side failed: {error}", wrong=True)
    try:
        late = comparison.full_only and bench.scale != "full"
        why_not = "only in a full run" if late else comparison.unavailable()
        if why_not:
            raise MissingError(why_not)
        theirs = drive(
            bench.python(comparison.peer),
            HERE / "peers" / comparison.theirs,
            folder,
            0 if comparison.once else bench.repeats,
            comparison.arguments,
        )
    except (MissingError, FailedError) as error:
        return Row(what, comparison.label, ours, remark=f"peer not run: {error}")
    remark, wrong = same_numbers(ours.numbers, theirs.numbers, comparison.difference)
    remark += f"; {comparison.note}" if comparison.note else ""
    return Row(what, comparison.label, ours, theirs, remark, wrong)


class FailedError(Exception):
    """A driver or command ended badly."""


def drive(
    python: Path, script: Path, folder: Path, repeats: int, arguments: Sequence[str] = ()
) -> Cost:
    """Run a driver some times, cold and after a trial; the median of each cost.

    With no repeats it runs once, cold, and both costs are of this run.
    """
    command = [str(python), str(script), str(folder)]
    cold = [measure([*command, "cold", *arguments]) for _ in range(repeats or 1)]
    warm = [measure([*command, "warm", *arguments]) for _ in range(repeats)]
    answers = [json.loads(output.splitlines()[-1]) for _, _, output in (*cold, *warm)]
    if any(answer["numbers"] != answers[0]["numbers"] for answer in answers):
        raise FailedError("two runs gave different numbers")
    return Cost(
        process=statistics.median(seconds for seconds, _, _ in cold),
        work=statistics.median(answer["work"] for answer in answers[repeats:]),
        megabytes=statistics.median(megabytes for _, megabytes, _ in cold),
        numbers=answers[0]["numbers"],
    )


def measure(command: Sequence[str]) -> tuple[float, float, str]:
    """CPU seconds and peak megabytes of a command with its children, and what it printed."""
    meter = [sys.executable, "-I", "-S", str(HERE / "meter.py"), *command]
    environ = clean_environ() | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
    done = subprocess.run(meter, capture_output=True, text=True, env=environ, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise FailedError(lines[-1][:200])
    output, _, last = done.stdout.rstrip("\n").rpartition("\n")
    cost = json.loads(last)
    return cost["seconds"], cost["megabytes"], output


def same_numbers(
    ours: Mapping[str, float], theirs: Mapping[str, float], difference: str
) -> tuple[str, bool]:
    """Say how the numbers of two sides agree, and whether that is wrong."""
    if ours.keys() != theirs.keys() or not ours:
        odd = sorted(ours.keys() ^ theirs.keys())
        return f"NOT COMPARABLE: {', '.join(odd[:3]) or 'no numbers'}", True
    apart = max(abs(ours[name] - theirs[name]) for name in ours)
    if apart <= TOLERANCE:
        return f"{len(ours)} equal to 1e-12", False
    if difference and not math.isnan(apart):
        return f"no: up to {apart:.2g} apart, {difference}", False
    return f"NO: up to {apart:.2g} apart", True


def failures(rows: Sequence[Row]) -> list[Row]:
    """Rows that speak against us: numbers that differ and should not, or our side broken."""
    return [row for row in rows if row.wrong]


def machine() -> str:
    """One line on what the numbers were taken with, and how to read ratios."""
    return (
        f"{platform.python_implementation()} {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}, {os.cpu_count()} cores. Ratio: theirs / ours, above 1 we take less."
    )


HEADER = (
    *("what", "peer", "ours CPU s", "theirs CPU s", "ratio"),
    *("ours, work only", "theirs, work only", "ratio"),
    *("ours MB", "theirs MB", "same numbers?"),
)


def table(rows: Sequence[Row]) -> str:
    """The Markdown table. Ratios are theirs over ours: above 1, we take less."""
    lines = [HEADER, ("---", "---", *["---:"] * 8, "---")]
    for row in rows:
        ours, theirs = row.ours, row.theirs
        cells = (
            *(row.what, row.peer),
            *(_seconds(ours.process), _seconds(theirs.process)),
            _ratio(ours.process, theirs.process),
            *(_seconds(ours.work), _seconds(theirs.work), _ratio(ours.work, theirs.work)),
            *(_number(ours.megabytes), _number(theirs.megabytes), row.remark.replace("|", "/")),
        )
        lines.append(cells)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def _ratio(ours: float | None, theirs: float | None) -> str:
    if not ours or theirs is None:
        return "–"
    return f"{theirs / ours:.1f}" if theirs < 100 * ours else f"{theirs / ours:.0f}"
