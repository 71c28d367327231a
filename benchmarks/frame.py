"""The frame: a comparison has a data maker, our driver and a peer's driver, and becomes a row."""

import json
import math
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    """Run the peer once and without a trial: it takes minutes, against which loading is nothing."""
    heavy: bool = False
    """In a full run, run both sides once and without a trial."""
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
    warm: bool = True
    """Run drivers also after a trial; without, the work of the cold run counts."""

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
        command = (self.own_python(), HERE / "ours" / script, folder, arguments)
        return median([drive(*command, warm=self.warm) for _ in range(self.repeats)])


@dataclass(frozen=True)
class Group:
    """What is run under one name: comparisons, then what gives rows in its own way."""

    name: str
    about: str
    comparisons: tuple[Comparison, ...] = ()
    others: tuple[Callable[[Bench], Iterable[Row]], ...] = ()

    def rows(self, bench: Bench) -> Iterator[Row]:
        """Run everything; what fails on our side becomes a row that says so."""
        yield from (compare(comparison, bench) for comparison in self.comparisons)
        for other in self.others:
            try:
                yield from other(bench)
            except (MissingError, FailedError) as error:
                what = f"{self.name}: {other.__name__.replace('_', ' ')}"
                yield Row(what, "–", remark=f"our side failed: {error}", wrong=True)


def compare(comparison: Comparison, bench: Bench) -> Row:
    """Make the data, run both sides in turn, and check that they give the same numbers."""
    folder = bench.folder(comparison.make.__name__)
    what = f"{comparison.what}, {comparison.make(folder, bench.scale)}"
    full = bench.scale == "full"
    late = comparison.full_only and not full
    why_not = "only in a full run" if late else comparison.unavailable()
    once = comparison.heavy and full
    ours: list[Cost] = []
    theirs: list[Cost] = []
    for turn in range(1 if once else bench.repeats):
        warm = bench.warm and not once
        try:
            script = HERE / "ours" / comparison.ours
            ours.append(
                drive(bench.own_python(), script, folder, comparison.own_arguments, warm=warm)
            )
        except (MissingError, FailedError) as error:
            return Row(what, comparison.label, remark=f"our side failed: {error}", wrong=True)
        if why_not or (turn and comparison.once):
            continue
        try:
            python, script = bench.python(comparison.peer), HERE / "peers" / comparison.theirs
            warm = warm and not comparison.once
            theirs.append(drive(python, script, folder, comparison.arguments, warm=warm))
        except (MissingError, FailedError) as error:
            why_not = str(error)
    try:
        own, other = median(ours), median(theirs)
    except FailedError as error:
        return Row(what, comparison.label, remark=str(error), wrong=True)
    if why_not:
        return Row(what, comparison.label, own, remark=f"peer not run: {why_not}")
    remark, wrong = same_numbers(own.numbers, other.numbers, comparison.difference)
    remark += f"; {comparison.note}" if comparison.note else ""
    return Row(what, comparison.label, own, other, remark, wrong)


def growth(
    what: str, unit: str, sizes: Sequence[int], run: Callable[[int], Cost], bar: str = ""
) -> Row:
    """Our cost at the largest size, and by which power of the size our work grows."""
    costs = {size: run(size) for size in sizes}
    power = slope({size: cost.work or math.nan for size, cost in costs.items()})
    remark = f"grows with {unit} to the power of {power:.2f}{bar and '; bar: '}{bar}"
    label = f"growth: {what}, {sizes[0]:,} to {sizes[-1]:,} {unit}"
    return Row(label, "none", costs[sizes[-1]], remark=remark)


def slope(seconds: Mapping[int, float]) -> float:
    """The slope of time over size, both in logarithms: 1 is linear, 2 is quadratic."""
    sizes, times = map(math.log, seconds), map(math.log, seconds.values())
    return statistics.linear_regression(list(sizes), list(times)).slope


def limit(what: str, label: str, ours: Cost, theirs: Cost, bar: str = "") -> Row:
    """A row against what can't be avoided: how many times as much we take."""
    pairs = (ours.work, theirs.work), (ours.process, theirs.process)
    own, other = next(pair for pair in pairs if None not in pair)
    times = (own or 0) / (other or math.inf)
    remark = f"{times:.{1 if times < 100 else 0}f} times {label}"
    return Row(what, label, ours, theirs, f"{remark}{bar and '; bar: '}{bar}")


class FailedError(Exception):
    """A driver or command ended badly."""


def drive(
    python: Path, script: Path, folder: Path, arguments: Sequence[str] = (), *, warm: bool = True
) -> Cost:
    """Run a driver cold and after a trial; without a trial, both costs are of the cold run."""
    command = [str(python), str(script), str(folder)]
    runs = [measure([*command, how, *arguments]) for how in ("cold", "warm")[: 1 + warm]]
    answers = [json.loads(output.splitlines()[-1]) for _, _, output in runs]
    if answers[0]["numbers"] != answers[-1]["numbers"]:
        raise FailedError("two runs gave different numbers")
    seconds, megabytes, _ = runs[0]
    return Cost(seconds, answers[-1]["work"], megabytes, answers[0]["numbers"])


def median(costs: Sequence[Cost]) -> Cost:
    """The median of each cost of several runs, which must give the same numbers; of none, none."""
    if any(cost.numbers != costs[0].numbers for cost in costs):
        raise FailedError("two runs gave different numbers")
    if not costs:
        return Cost()
    middle = [
        None if None in values else statistics.median(values)
        for values in zip(*((c.process, c.work, c.megabytes) for c in costs), strict=True)
    ]
    return Cost(*middle, numbers=costs[0].numbers)  # type: ignore[misc, arg-type]


def start(command: Sequence[str], runs: int) -> Cost:
    """The median cost of a command as a whole process."""
    measured = [measure(command) for _ in range(runs)]
    return median([Cost(seconds, None, megabytes) for seconds, megabytes, _ in measured])


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
