"""Scale: short timelines by the hundred thousand, read in parts on one process and on two."""

import json
import random
import time
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path

from benchmarks.environments import MissingError
from benchmarks.frame import Bench, Cost, FailedError, Group, Row, Scale, measure

SEED = 47
CASES: dict[Scale, int] = {"tiny": 40, "quick": 5_000, "full": 200_000}
MEMORY: dict[Scale, tuple[int, int]] = {
    "tiny": (40, 80),
    "quick": (5_000, 20_000),
    "full": (50_000, 200_000),
}
DAYS = 10
_WORDS = [f"{a}{b}" for a in "bdfgklmnprst" for b in ("ador", "esto", "imon", "ulta", "orin")]
_READ = "import sys; print(sum(len(line) for path in sys.argv[1:] for line in open(path, 'rb')))"


def _write(folder: Path, cases: int) -> tuple[Path, Path]:
    """Two files of timelines: ten days each, of which about half are the same days."""
    source = random.Random(SEED)
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


def rows(bench: Bench) -> Iterator[Row]:
    """Reading alone, one process, two processes; and the memory a case takes."""
    cases = CASES[bench.scale]
    gold, predicted = _write(bench.folder("scale"), cases)
    size = (gold.stat().st_size + predicted.stat().st_size) / 1e6
    what = f"{cases:,} timelines of {DAYS} days, {size:,.0f} MB"
    try:
        python = str(bench.own_python())
    except MissingError as error:
        yield Row(what, "-", remark=f"our side failed: {error}", wrong=True)
        return
    command = [python, "-m", "chronoscore", "timelines", str(gold), str(predicted)]
    command += ["--progress", "none"]
    try:
        read, _, _ = _run([python, "-c", _READ, str(gold), str(predicted)])
        one, one_clock, shown = _run([*command, "--engine", "here"])
        two, two_clock, again = _run([*command, "--engine", "processes", "--workers", "2"])
    except FailedError as error:
        yield Row(what, "-", remark=f"our side failed: {error}", wrong=True)
        return
    yield Row(
        f"{what}, one process",
        "reading the lines alone",
        one,
        read,
        remark=f"{cases / (one.process or 1):,.0f} cases a second of CPU (bar 1,500), "
        f"{(one.process or 0) / (read.process or 1):,.0f} times reading alone",
    )
    yield Row(
        f"{what}, two processes, clock instead of CPU",
        "one process",
        Cost(process=two_clock, megabytes=two.megabytes),
        Cost(process=one_clock, megabytes=one.megabytes),
        remark=f"{'the same tables' if shown == again else 'OTHER TABLES'}; bar 1.7",
        wrong=shown != again,
    )
    yield _memory_row(bench, python)


def _memory_row(bench: Bench, python: str) -> Row:
    """What a case costs the process that unites the rows, from its peaks at two sizes."""
    few, many = MEMORY[bench.scale]
    what = f"memory of the parent: {many:,} timelines, two worker processes"
    peaks = []
    try:
        for cases in (few, many):
            peaks.append(_parent_peak(bench.folder(f"scale-memory-{cases}"), python, cases))
    except FailedError as error:
        return Row(what, "-", remark=f"our side failed: {error}", wrong=True)
    low, high = peaks
    return Row(
        what,
        f"the same with {few:,}",
        Cost(megabytes=high / 2**20),
        Cost(megabytes=low / 2**20),
        remark=f"{(high - low) / (many - few):,.0f} bytes a case (3 metrics, 2 lines)",
    )


def _parent_peak(folder: Path, python: str, cases: int) -> int:
    """The peak that the manifest tells: of the parent alone, as its workers come and go."""
    gold, predicted = _write(folder, cases)
    work = folder / "work"
    command = [python, "-m", "chronoscore", "timelines", str(gold), str(predicted)]
    command += ["--progress", "none", "--engine", "processes", "--workers", "2"]
    measure([*command, "--work", str(work)])
    return int(json.loads((work / "manifest.json").read_text())["memory"])


def _run(command: Sequence[str]) -> tuple[Cost, float, str]:
    started = time.perf_counter()
    seconds, megabytes, output = measure(command)
    return Cost(process=seconds, megabytes=megabytes), time.perf_counter() - started, output


GROUP = Group("scale", "large files read in parts, on one process and on two", rows)
