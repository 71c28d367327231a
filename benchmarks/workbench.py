"""`python -m benchmarks.workbench [--quick]`: how fast the workbench is, and whether it loses any.

Starts real servers on 127.0.0.1, in a folder that is removed at the end. Ends with exit code 1 if
an acknowledged answer was lost or any save failed; times are told, not enforced.
"""

import argparse
import random
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.frame import machine
from benchmarks.stopwatch import cpu
from benchmarks.workbench_load import (
    Evaluator,
    lost,
    page_times,
    prepare,
    save_for,
    save_until_killed,
    seconds_until,
    serving,
    start,
)

PEOPLE, EVENTS = 50, 5000
PAGES = (
    ("/", "first page"),
    ("/projects/1", "project"),
    ("/projects/1/events?page=100", "events, last page"),
    ("/projects/1/events?find=bridge+999", "events, search"),
    ("/projects/1/audit", "audit"),
    ("/projects/1/agreement", "agreement"),
    ("/projects/1/export", "export"),
    ("/batches/1", "batch"),
    ("/results", "results"),
    ("/leaderboard", "leaderboard"),
)
OWN_PAGES = (
    ("/", "an evaluator's first page"),
    ("/judge/1", "resume"),
    ("/judge/1/1", "judge page"),
    ("/judge/1/all", "an evaluator's overview"),
)


def ready(folder: Path, times: int) -> None:
    """How long it takes from the command to the first answer."""
    found, used = [], []
    for number in range(times):
        before = cpu()
        with serving(folder / f"start-{number}.db") as server:
            found.append(server.seconds)
        used.append(cpu() - before)
    print(
        f"ready after {statistics.median(found):.2f} s, at most {max(found):.2f} s "
        f"({times} starts, each {statistics.median(used):.2f} s of CPU; bar: 2 s)",
        flush=True,
    )


def load(database: Path, evaluators: list[Evaluator], seconds: float) -> list[str]:
    """All evaluators at once: how many answers, how long each took, what went wrong."""
    with serving(database) as server:
        begun = time.monotonic()
        save_for(evaluators, server, seconds)
        took = time.monotonic() - begun
    times = sorted(t for one in evaluators for t in one.times)
    errors = [error for one in evaluators for error in one.errors]
    missing = lost(database, evaluators)
    told = sum(len(one.told) for one in evaluators)
    print(
        f"{len(evaluators)} evaluators saving at once for {took:.0f} s: {told:,} answers "
        f"({told / took:.0f} a second), {len(errors)} errors, {len(missing)} lost\n"
        f"  a save took {_ms(times, 0.5)} (median), {_ms(times, 0.99)} (p99), "
        f"{_ms(times, 1)} (most)",
        flush=True,
    )
    return errors + missing


def _ms(times: list[float], share: float) -> str:
    return f"{1000 * times[min(len(times) - 1, int(share * len(times)))]:.0f} ms" if times else "-"


def pages(database: Path, owner: str, evaluator: str, times: int) -> None:
    """How long each page of the large project takes, after what was just saved."""
    print(f"pages of a project of {EVENTS:,} events (bar: 200 ms):")
    with serving(database) as server:
        asked = [(owner, *page) for page in PAGES] + [(evaluator, *page) for page in OWN_PAGES]
        for token, path, name in asked:
            status, found = page_times(server, token, path, times)
            first, rest = found[0], found[1:] or found
            print(
                f"  {name:26} {1000 * statistics.median(rest):6.1f} ms, first "
                f"{1000 * first:6.1f} ms, most {1000 * max(rest):6.1f} ms  ({status})",
                flush=True,
            )
        made = seconds_until(server, owner, "/projects/1/agreement", b"again.js")
        print(f"  the numbers on the page of agreement are there after {made:.1f} s", flush=True)


def kills(database: Path, evaluators: list[Evaluator], times: int) -> list[str]:
    """Kill the server under load again and again; what it had acknowledged must be there."""
    chance = random.Random(7)
    missing: list[str] = []
    port = 0
    for _ in range(times):
        server = start(database, port)
        port = server.port
        save_until_killed(evaluators, server, chance.uniform(0.5, 2.0))
        server.kill()
        with serving(database, port):  # a restart, as its owner would do
            missing += lost(database, evaluators)
    with serving(database, port) as server:
        save_for(evaluators, server, 1.0)  # what nobody had acknowledged is sent again
    missing += lost(database, evaluators)
    errors = [error for one in evaluators for error in one.errors]
    told = sum(len(one.told) for one in evaluators)
    print(
        f"killed {times} times under load (kill -9): {told:,} answers acknowledged, "
        f"{len(missing)} lost, {len(errors)} errors",
        flush=True,
    )
    return errors + missing


def main(arguments: list[str] | None = None) -> int:
    """Measure all of it; 1 if an answer was lost or refused."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.workbench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="about half a minute")
    quick = parser.parse_args(arguments).quick
    print(f"{machine().partition(' Ratio')[0]}\n", flush=True)
    with TemporaryDirectory(prefix="chronoscore-bench-") as name:
        folder = Path(name)
        ready(folder, 3 if quick else 10)
        database = folder / "load.db"
        owner, evaluators = prepare(database, PEOPLE, EVENTS)
        wrong = load(database, evaluators, 5 if quick else 60)
        pages(database, owner, evaluators[0].token, 5 if quick else 20)
        killed = folder / "kills.db"
        _, others = prepare(killed, PEOPLE, EVENTS)
        wrong += kills(killed, others, 3 if quick else 20)
    for line in wrong[:20]:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
