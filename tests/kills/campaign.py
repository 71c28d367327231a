"""Kill the server while people judge, 1,000 times: `make kills`, or `python -m kills --kills 50`.

Evaluators save, change, undo, submit and take back as fast as `chronoscore serve` answers. It is
killed (SIGKILL) at random moments: while it starts, some time later, right after something was
sent, right after something was acknowledged. Then it is started again, with the same database and
port, and the clients go on; what was on its way is sent again under the same token. After each
kill what was acknowledged is looked up in the database, after each tenth every row of it is
compared. A start that brings an old database up to date, and a backup, are killed as well.

The seed is printed; the same seed draws the same moments and answers, as far as the machine runs
at the same speed. A campaign that finds something exits with 1 and keeps the database.
"""

import argparse
import asyncio
import random
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

from kills import victims
from kills.checks import Findings, check_all, check_fresh
from kills.evaluators import HOST, PAUSE, Client, Signals, team

from benchmarks.workbench_load import exchange, prepare, request_bytes
from chronoscore.workbench.store import Store
from chronoscore.workbench.store.schema import STEPS

EVENTS_EACH = 10
COLD = 20
"""Each so manieth start is that of a new interpreter."""
EVERYTHING = 10
"""After each so manieth kill every row is compared."""
WHILE_STARTING, AFTER_SENDING, AFTER_ANSWER = 0.15, 0.4, 0.65
"""Where the shares of the moments end; the rest is killed after some time."""
LONGEST = 0.5
"""Seconds of judging before a kill, at most."""
PATIENCE = 60.0


@dataclass
class Campaign:
    """What was killed, and what was found afterwards."""

    seed: int
    home: Path
    clients: list[Client]
    findings: Findings = field(default_factory=Findings)
    kills: int = 0
    starts: int = 0
    """Kills before the server had answered anything."""
    migrations: int = 0
    backups: int = 0
    recoveries: list[float] = field(default_factory=list)
    """Seconds from a kill to the first answer of the next server."""
    seconds: float = 0.0

    @property
    def database(self) -> Path:
        """The database of the server."""
        return self.home / "workbench.db"

    def table(self) -> Iterator[str]:
        """What is printed at the end."""
        clients = self.clients
        rows: dict[str, object] = {
            "kills of the server": self.kills,
            "  of these while it started": self.starts,
            "kills of a start with an old database": self.migrations,
            "kills of a backup": self.backups,
            "evaluators": len(clients),
            "acknowledged saves": sum(one.done["save"] for one in clients),
            "acknowledged undos": sum(one.done["undo"] for one in clients),
            "shares submitted": sum(one.done["submit"] for one in clients),
            "shares taken back": sum(one.done["reopen"] for one in clients),
            "sent again after a lost connection": sum(one.resent for one in clients),
            "sent again after the answer": sum(one.repeated for one in clients),
            "told to come back later": sum(one.waits for one in clients),
            "lost": len(self.findings.lost),
            "doubled": len(self.findings.doubled),
            "anything else wrong": len(self.findings.broken),
            "recovery in seconds, median": f"{median(self.recoveries or [0]):.2f}",
            "recovery in seconds, longest": f"{max(self.recoveries or [0]):.2f}",
            "minutes": f"{self.seconds / 60:.1f}",
            "seed": self.seed,
        }
        for name, value in rows.items():
            yield f"{name:<40}{value if isinstance(value, str) else f'{value:,}':>12}"


def campaign(
    home: Path, kills: int, evaluators: int, seed: int, say: Callable[[str], None]
) -> Campaign:
    """Kill the server so many times, then starts and backups a twentieth as often."""
    begun = time.monotonic()
    database = home / "workbench.db"
    _, people = prepare(database, evaluators, EVENTS_EACH * evaluators)
    state = Campaign(seed, home, team(people, victims.free_port(), seed))
    asyncio.run(_kill_servers(state, kills, say))
    dice = random.Random(f"{seed}/others")
    others = max(3, kills // 20)
    _kill_migrations(state, others, dice)
    _kill_backups(state, others, dice)
    state.seconds = time.monotonic() - begun
    return state


async def _kill_servers(state: Campaign, kills: int, say: Callable[[str], None]) -> None:
    dice, signals = random.Random(state.seed), Signals()
    port = state.clients[0].port
    work = [asyncio.create_task(one.judge_on(signals)) for one in state.clients]
    killed_at, last = time.monotonic(), time.monotonic()
    server = victims.serve(state.database, port)
    try:
        while state.kills < kills and not state.findings:
            moment = dice.random()
            if moment < WHILE_STARTING and state.kills:
                await asyncio.sleep(dice.uniform(0, 2 * min(state.recoveries or [0.1])))
                state.starts += 1
            else:
                await _until_answered(server, port)
                state.recoveries.append(time.monotonic() - killed_at)
                await _wait_for_moment(moment, dice, signals)
            for one in work:
                if one.done():
                    one.result()  # an evaluator never ends: show the error
            server.kill()
            state.kills += 1
            killed_at = time.monotonic()
            server = victims.serve(state.database, port, cold=state.kills % COLD == 0)
            if dice.random() < 0.5:  # else the database is opened before the server has mended it
                await _until_answered(server, port)
            state.findings.add(check_fresh(state.database, state.clients))
            if state.kills % EVERYTHING == 0:
                state.findings.add(check_all(state.database, state.clients))
            if time.monotonic() - last > 30:
                last = time.monotonic()
                saves = sum(one.done["save"] for one in state.clients)
                say(f"{state.kills:,} kills, {saves:,} saves")
        signals.stop.set()
        await asyncio.wait_for(asyncio.gather(*work), PATIENCE)
    finally:
        for one in work:
            one.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        server.kill()
    state.findings.add(check_fresh(state.database, state.clients))
    state.findings.add(check_all(state.database, state.clients))


async def _until_answered(server: victims.Victim, port: int) -> None:
    request = request_bytes("GET", "/health", HOST, port, "")
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends and not server.ended:
        with suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection(HOST, port)
            try:
                await exchange(reader, writer, request)
                return
            finally:
                writer.close()
        await asyncio.sleep(PAUSE)
    raise RuntimeError("the server did not start: its log is beside the database")


async def _wait_for_moment(moment: float, dice: random.Random, signals: Signals) -> None:
    """Wait for the moment of a kill: some time, or until something is sent or acknowledged."""
    await asyncio.sleep(dice.uniform(0, LONGEST))
    if moment < AFTER_ANSWER:
        signal = signals.sent if moment < AFTER_SENDING else signals.acknowledged
        signal.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(signal.wait(), PATIENCE)
        if moment < AFTER_SENDING:
            await asyncio.sleep(dice.uniform(0, 0.01))


def _kill_migrations(state: Campaign, times: int, dice: random.Random) -> None:
    """Kill starts with an old database: it is as it was, or of the last version, never between."""
    old = state.home / "old.db"
    victims.old_database(old)
    before = victims.shape(old)
    path = state.home / "migrated.db"
    _fresh_copy(old, path)
    duration = _seconds_of(victims.check_start(path))
    after = victims.shape(path)
    versions = before.version, after.version
    if versions != (len(STEPS) - 1, len(STEPS)) or before.answers != after.answers or after.damages:
        state.findings.broken.append(f"an old database was not brought to version {len(STEPS)}")
    for _ in range(times):
        _fresh_copy(old, path)
        victim = victims.check_start(path)
        time.sleep(dice.uniform(0, duration))
        victim.kill()
        state.migrations += 1
        if victims.shape(path) not in (before, after):
            state.findings.broken.append("a start with an old database was killed: it is neither")
        Store(path).close()
        if victims.shape(path) != after:
            state.findings.broken.append("a start after a killed one did not finish its work")


def _kill_backups(state: Campaign, times: int, dice: random.Random) -> None:
    """Kill backups: there is the whole copy or none, and the next backup succeeds."""
    expected = victims.shape(state.database)
    copy = state.home / "copy.db"
    duration = _seconds_of(victims.back_up(state.database, copy))
    if expected.damages or victims.shape(copy) != expected:
        state.findings.broken.append(f"a backup is not as its database: {expected.damages}")
    for _ in range(times):
        copy.unlink(missing_ok=True)
        victim = victims.back_up(state.database, copy)
        time.sleep(dice.uniform(0, duration))
        victim.kill()
        state.backups += 1
        if copy.exists() and victims.shape(copy) != expected:
            state.findings.broken.append("a backup was killed: its file is not whole")
    if victims.shape(state.database) != expected:
        state.findings.broken.append("killed backups have changed their database")
    copy.unlink(missing_ok=True)
    _seconds_of(victims.back_up(state.database, copy))
    if not copy.exists() or victims.shape(copy) != expected:
        state.findings.broken.append("a backup after killed ones failed")


def _seconds_of(victim: victims.Victim) -> float:
    """Wait until a process has ended by itself: how long it took."""
    begun = time.monotonic()
    while not victim.ended and time.monotonic() - begun < PATIENCE:
        time.sleep(PAUSE)
    seconds = time.monotonic() - begun
    victim.kill()
    return seconds


def _fresh_copy(old: Path, path: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    shutil.copy(old, path)


def main() -> int:
    """Read the command line and run a campaign."""
    parser = argparse.ArgumentParser(prog="python -m kills", description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000, help="how often the server is killed")
    parser.add_argument("--evaluators", type=int, default=50, help="how many judge at once")
    parser.add_argument("--seed", type=int, help="seed of the moments (default: a new one)")
    chosen = parser.parse_args()
    if sys.platform == "win32":
        parser.error("there is no SIGKILL on Windows")
    seed = secrets.randbelow(2**32) if chosen.seed is None else chosen.seed
    home = Path(tempfile.mkdtemp(prefix="kills-"))
    say = partial(print, flush=True)
    say(f"seed {seed}, {chosen.kills:,} kills, {chosen.evaluators} evaluators, in {home}")
    state = campaign(home, chosen.kills, chosen.evaluators, seed, say)
    print("\n".join(["", *state.table()]))
    if not state.findings:
        shutil.rmtree(home, ignore_errors=True)
        return 0
    for kind in ("lost", "doubled", "broken"):
        for line in getattr(state.findings, kind)[:20]:
            print(f"{kind}: {line}")
    print(f"Everything is kept in {home}. Again: make kills SEED={seed}")
    return 1
