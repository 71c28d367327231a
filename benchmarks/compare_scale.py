"""Scale: short timelines by the hundred thousand, read in parts on one process and on two."""

import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

from benchmarks.environments import BASE
from benchmarks.frame import (
    Bench,
    Comparison,
    Cost,
    Group,
    Row,
    Scale,
    compare,
    growth,
    limit,
    measure,
)

SEED = 47
CASES: dict[Scale, int] = {"tiny": 40, "quick": 2_000, "full": 200_000}
MEMORY: dict[Scale, tuple[int, int]] = {
    "tiny": (40, 80),
    "quick": (2_000, 8_000),
    "full": (50_000, 200_000),
}
DAYS = 10
_WORDS = [f"{a}{b}" for a in "bdfgklmnprst" for b in ("ador", "esto", "imon", "ulta", "orin")]


def _write(folder: Path, cases: int) -> tuple[Path, Path]:
    """Two files of timelines: ten days each, of which about half are the same days."""
    source = random.Random(SEED)
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / "gold.jsonl", folder / "predicted.jsonl"
    with paths[0].open("w") as gold, paths[1].open("w") as predicted:
        for case in range(cases):
            first = date(2000, 1, 1) + timedelta(days=source.randrange(8000))
            for file in (gold, predicted):
                days = {
                    str(first + timedelta(days=day)): [
                        " ".join(source.choices(_WORDS, k=source.randint(5, 10)))
                    ]
                    for day in sorted(source.sample(range(20), DAYS))
                }
                file.write(json.dumps({"topic": f"t{case:06}", "days": days}) + "\n")
    return paths


def timelines(folder: Path, scale: Scale) -> str:
    """As many as the scale says."""
    _write(folder / "trial", 20)
    size = sum(path.stat().st_size for path in _write(folder, CASES[scale])) / 1e6
    return f"{CASES[scale]:,} timelines of {DAYS} days, {size:,.0f} MB"


COMPARISON = Comparison(
    what="AR-1, AR-2 and Date-F1 from JSONL",
    make=timelines,
    ours="scale.py",
    theirs="../ours/scale.py",
    peer=BASE,
    label=BASE.replace("-", " at "),
    note="bar: 3 times our work",
    heavy=True,
)
LIMITS = {
    "reading the lines alone": ("lines", ""),
    "decoding the JSON alone (msgspec)": ("decode", ""),
    "our tokenising alone": ("tokens", "at most 4"),
}


def whole_and_limits(bench: Bench) -> Iterator[Row]:
    """The whole way against that of an earlier commit, and against what can't be avoided."""
    row = compare(COMPARISON, bench)
    speed = f"{CASES[bench.scale] / (row.ours.work or math.inf):,.0f} cases a second of CPU"
    yield replace(row, remark=f"{row.remark}; {speed}")
    folder = bench.folder(timelines.__name__)
    for label, (what, bar) in LIMITS.items():
        alone = bench.drive_ours("limits.py", folder, (what,))
        yield limit(row.what, label, row.ours, alone, bar)


def growth_in_lines(bench: Bench) -> Iterator[Row]:
    """Reading: Date-F1 takes no texts."""

    def run(cases: int) -> Cost:
        folder = bench.folder(f"lines_{cases}")
        _write(folder / "trial", 20)
        _write(folder, cases)
        return bench.drive_ours("scale.py", folder, ("Date-F1",))

    most = MEMORY[bench.scale][0]
    yield growth("reading, Date-F1 alone", "timelines", (most // 4, most // 2, most), run)


def two_processes(bench: Bench) -> Iterator[Row]:
    """The command on one process and on two, by the clock; and the memory a case takes."""
    timelines(folder := bench.folder("timelines"), bench.scale)
    command = _command(bench, folder)
    one, one_clock, shown = _run([*command, "--engine", "here"])
    two, two_clock, again = _run([*command, "--engine", "processes", "--workers", "2"])
    yield Row(
        f"{CASES[bench.scale]:,} timelines, two processes, clock instead of CPU",
        "one process",
        Cost(process=two_clock, megabytes=two.megabytes),
        Cost(process=one_clock, megabytes=one.megabytes),
        remark=f"{'the same tables' if shown == again else 'OTHER TABLES'}; bar 1.7",
        wrong=shown != again,
    )


def memory_of_parent(bench: Bench) -> Iterator[Row]:
    """What a case costs the process that unites the rows, from its peaks at two sizes."""
    few, many = MEMORY[bench.scale]
    low, high = (_parent_peak(bench, cases) for cases in (few, many))
    yield Row(
        f"memory of the parent: {many:,} timelines, two worker processes",
        f"the same with {few:,}",
        Cost(megabytes=high / 2**20),
        Cost(megabytes=low / 2**20),
        remark=f"{(high - low) / (many - few):,.0f} bytes a case (3 metrics, 2 lines)",
    )


def _parent_peak(bench: Bench, cases: int) -> int:
    """The peak that the manifest reports: of the parent alone, as its workers come and go."""
    folder = bench.folder(f"scale-memory-{cases}")
    _write(folder, cases)
    work = folder / "work"
    command = [*_command(bench, folder), "--engine", "processes", "--workers", "2"]
    measure([*command, "--work", str(work)])
    return int(json.loads((work / "manifest.json").read_text())["memory"])


def _command(bench: Bench, folder: Path) -> list[str]:
    python, paths = str(bench.own_python()), (folder / "gold.jsonl", folder / "predicted.jsonl")
    return [python, "-m", "chronoscore", "timelines", *map(str, paths), "--progress", "none"]


def _run(command: Sequence[str]) -> tuple[Cost, float, str]:
    started = time.perf_counter()
    seconds, megabytes, output = measure(command)
    return Cost(process=seconds, megabytes=megabytes), time.perf_counter() - started, output


GROUP = Group(
    "scale",
    "many timelines against an earlier commit, the limits, one process and two",
    others=(whole_and_limits, growth_in_lines, two_processes, memory_of_parent),
)
