"""Try many random inputs: `make fuzz`, or `python -m fuzz --count 1000 --only saved`.

Fails on a traceback, a hang, too much memory, a server error, temporary files that stay, an exit
code without a message, and an exit code 0 although something in the input was dropped in silence.
The seed is printed; the same seed tries the same inputs. Each finding is made smaller and written
to `build/fuzz`, from where it can be tried again (`--replay FILE`) and, once mended, moved to
`tests/fuzz/corpus`.
"""

import argparse
import logging
import multiprocessing
import os
import secrets
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from fuzz.recorded import dump, load
from fuzz.targets import Input, draw, targets
from fuzz.trying import SECONDS, Finding, limit_memory, shrink, try_input

PATIENCE = 3 * SECONDS
"""Seconds after which a worker that does not answer is stopped."""


def work(pipe: Connection, seed: int, only: str, folder: Path) -> None:
    """Try the inputs whose numbers come in, one by one, and send back what was found."""
    limit_memory()
    logging.disable()  # the workbench logs every request that it refuses
    with suppress(EOFError):
        while (number := pipe.recv()) is not None:
            given = draw(seed, number, only)
            pipe.send((number, given.target, try_input(given, folder)))


@dataclass
class Worker:
    """A process that tries inputs, the input it is at, and since when."""

    process: BaseProcess
    pipe: Connection
    number: int = -1
    since: float = 0.0

    @classmethod
    def start(cls, seed: int, only: str, home: Path) -> "Worker":
        """Start a process that waits for numbers and works in a folder of its own below `home`."""
        folder = Path(tempfile.mkdtemp(dir=home)) / "input"
        spawn = multiprocessing.get_context("spawn")
        here, there = spawn.Pipe()
        process = spawn.Process(target=work, args=(there, seed, only, folder), daemon=True)
        process.start()
        there.close()
        return cls(process, here)

    def give(self, number: int) -> None:
        """Let it try an input."""
        self.number, self.since = number, time.monotonic()
        self.pipe.send(number)


@dataclass
class Campaign:
    """What was tried and what was found."""

    seed: int
    only: str
    home: Path
    tried: Counter[str]
    findings: dict[str, tuple[Input, Finding]]
    counts: Counter[str]

    def note(self, number: int, target: str, finding: Finding | None) -> None:
        """Count an input; keep the first input of each finding."""
        self.tried[target] += 1
        if finding is None:
            return
        self.counts[finding.name] += 1
        if finding.name not in self.findings:
            self.findings[finding.name] = (draw(self.seed, number, self.only), finding)
            print(f"finding: {finding.name} (input {number}, {target})", flush=True)


def campaign(
    count: int, seconds: float, seed: int, only: str, workers: int, home: Path
) -> Campaign:
    """Try inputs until so many were tried or the time is up."""
    found = Campaign(seed, only, home, Counter(), {}, Counter())
    begin = last = time.monotonic()
    crew = [Worker.start(seed, only, home) for _ in range(workers)]
    numbers = iter(range(count))
    for worker in crew:
        worker.give(next(numbers))
    busy = list(crew)
    while busy:
        ready = wait([worker.pipe for worker in busy], timeout=1)
        now = time.monotonic()
        for worker in list(busy):
            if worker.pipe in ready:
                try:
                    found.note(*worker.pipe.recv())
                except (EOFError, ConnectionError):
                    _lost(found, worker, "died")
            elif now - worker.since > PATIENCE + 60 * (worker.number < workers):
                _lost(found, worker, "hang")
            else:
                continue
            number = next(numbers, None) if now - begin < seconds else None
            if number is None:
                worker.process.kill()
                busy.remove(worker)
            else:
                worker.give(number)
        if now - last > 30:
            last = now
            total = sum(found.tried.values())
            print(f"{total:,} inputs, {total / (now - begin):.0f} a second", flush=True)
    return found


def _lost(found: Campaign, worker: Worker, how: str) -> None:
    given = draw(found.seed, worker.number, found.only)
    place = f"{given.target} {given.call[0]}"
    found.note(worker.number, given.target, Finding(how, place, "the process had to be replaced"))
    worker.process.kill()
    fresh = Worker.start(found.seed, found.only, found.home)
    worker.process, worker.pipe = fresh.process, fresh.pipe


def report(found: Campaign, kept: Path) -> None:
    """Print what was tried and found; write a small input for each finding."""
    print(f"\n{'target':<34}{'inputs':>9}")
    for name, count in sorted(found.tried.items()):
        print(f"{name:<34}{count:>9,}")
    groups: Counter[str] = Counter()
    for name, count in found.tried.items():
        groups[targets()[name].group] += count
    print(f"\n{'inputs by group':<34}")
    for name, count in groups.most_common():
        print(f"{name:<34}{count:>9,}")
    print(f"{'all':<34}{sum(groups.values()):>9,}   seed {found.seed}")
    for name, (given, finding) in found.findings.items():
        small = given
        if finding.kind not in {"hang", "died", "memory"}:
            small = shrink(given, finding, found.home / "small")
        path = kept / ("".join(x if x.isalnum() else "-" for x in name)[:100] + ".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dump(small, finding), encoding="utf-8")
        print(f"\n{finding.name}: {found.counts[name]} inputs; {path}\n  {finding.details[-1500:]}")
    print(f"\n{len(found.findings)} findings")


def replay(path: Path) -> int:
    """Try one recorded input again."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as home:
        finding = try_input(load(path), Path(home) / "input")
    print(finding.details if finding else "nothing wrong")
    return 1 if finding else 0


def memory_folder() -> str | None:
    """Return a folder in memory, where there is one: most inputs are files of a few kilobytes."""
    folder = "/dev/shm"
    return folder if os.access(folder, os.W_OK) else None


def main() -> int:
    """Read the command line and run a campaign, or one input."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20_000, help="inputs to try")
    parser.add_argument("--seconds", type=float, default=900, help="stop after this time")
    parser.add_argument("--seed", type=int, help="seed of the inputs (default: a new one)")
    parser.add_argument("--only", default="", help="only targets with this in their name")
    parser.add_argument("--workers", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--replay", type=Path, metavar="FILE", help="try a recorded input again")
    chosen = parser.parse_args()
    if chosen.replay:
        return replay(chosen.replay)
    seed = secrets.randbelow(2**32) if chosen.seed is None else chosen.seed
    known = [name for name in targets() if chosen.only in name]
    if not known:
        parser.error(f"no target has {chosen.only!r} in its name: {', '.join(targets())}")
    print(
        f"seed {seed}, up to {chosen.count:,} inputs or {chosen.seconds:g} s, {len(known)} targets"
    )
    with tempfile.TemporaryDirectory(
        prefix="fuzz-", dir=memory_folder(), ignore_cleanup_errors=True
    ) as home:
        found = campaign(
            chosen.count, chosen.seconds, seed, chosen.only, chosen.workers, Path(home)
        )
        report(found, Path("build/fuzz"))
    return 1 if found.findings else 0
