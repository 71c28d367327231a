"""Change the source in many small ways and see which changes no test notices: `make mutation`.

    python -m mutation --count 300 --seed 1      draw mutants and try them
    python -m mutation                           go on with a campaign that was stopped

Each mutant is tried in a copy of the repository under `build/mutation`, never in the repository
itself. First a survey runs all tests once to learn which lines each of them runs; a mutant then
gets the tests that run its line, those of its room first, the quick ones first, for up to `SECONDS`
of testing. Killed means that a test failed; timeout, that the tests did not end, which kills it
too; survived, that all of them passed; not run, that no test runs the line.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from mutation.chosen import CHOSEN
from mutation.explained import EXPLAINED
from mutation.mutants import Mutant, draw
from mutation.survey import FOLDER

SECONDS = 30.0
"""Seconds of tests, as the survey measured them, that a mutant gets."""
LEFT_OUT = (
    *("tests/adapters", "tests/mutation", "tests/test_install.py", "tests/test_benchmarks.py"),
    *("tests/test_house.py", "tests/test_site.py", "tests/test_pictures.py"),
    *("tests/*/test_access.py", "tests/*/*browser.py"),
)
"""Tests that look at no behaviour of the package, or need a browser or a new environment."""
NEAR = {
    "ordering": ("ordering", "tlinks", "coreference"),
    "rubric": ("rubric", "judge"),
    "front": ("core", "readers"),
}
"""The folders of tests that are nearest to a room, where not the one of its name."""
STATES = ("killed", "timeout", "survived", "not run")


@dataclass(frozen=True)
class Tried:
    """What became of a mutant, and how many tests it was given."""

    mutant: Mutant
    state: str
    tests: int
    by: str = ""
    """The test that failed."""


class Campaign:
    """A folder with the plan, the survey, copies of the repository and the results so far."""

    def __init__(self, home: Path, repository: Path) -> None:
        self.home, self.repository = home, repository
        self.lock = threading.Lock()
        self.seconds: dict[str, float] = {}
        self.lines: dict[str, dict[int, list[str]]] = {}

    @property
    def results(self) -> Path:
        return self.home / "results.jsonl"

    def tree(self, number: int) -> Path:
        """The copy of the repository that a worker changes."""
        return self.home / f"tree-{number}"

    def begin(self, count: int, seed: int, only: str, workers: int) -> None:
        """Copy the repository and draw the mutants."""
        shutil.rmtree(self.home, ignore_errors=True)
        self.copy(workers)
        mutants = draw(self.tree(0) / "src" / "chronoscore", count, seed, only)
        plan = {"seed": seed, "only": only, "mutants": [asdict(one) for one in mutants]}
        (self.home / "plan.json").write_text(json.dumps(plan), encoding="utf-8")

    def copy(self, workers: int) -> None:
        """Copy the files of the repository, as they are now, for each worker."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self.repository,
            capture_output=True,
            text=True,
            check=True,
        )
        for number in range(workers):
            shutil.rmtree(self.tree(number), ignore_errors=True)
            for name in listed.stdout.split("\0"):
                source, target = self.repository / name, self.tree(number) / name
                if name and source.is_file():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(source, target)

    @property
    def plan(self) -> Any:
        return json.loads((self.home / "plan.json").read_text(encoding="utf-8"))

    def tried(self) -> dict[str, Tried]:
        """Read the results so far; of a mutant that was tried twice, the last."""
        found = {}
        if self.results.exists():
            for line in self.results.read_text(encoding="utf-8").splitlines():
                values = json.loads(line)
                one = Tried(Mutant(**values.pop("mutant")), **values)
                found[one.mutant.name] = one
        return found

    def survey(self, workers: int) -> None:
        """Run all tests once, unless that is done, and read which lines each test runs."""
        folder = self.home / "survey"
        if not (folder / "done").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            print("survey: all tests once, to learn which lines each of them runs", flush=True)
            only = self.plan["only"]
            tests = [f"tests/{name}" for name in NEAR.get(only, (only,))] if only else ["tests"]
            tests += ["src", *(f"--ignore-glob={name}" for name in LEFT_OUT)]
            words = ["-p", "mutation.survey", "-n", str(workers), *tests]
            with (folder / "log.txt").open("w", encoding="utf-8") as log:
                self.pytest(0, words, log, {FOLDER: str(folder)}, timeout=None)
            (folder / "done").touch()
        self._read_survey(folder)

    def _read_survey(self, folder: Path) -> None:
        from coverage import CoverageData

        failed: set[str] = set()
        for path in folder.glob("seconds.*.json"):
            notes = json.loads(path.read_text(encoding="utf-8"))
            self.seconds |= notes["seconds"]
            failed |= set(notes["failed"])
        for name in failed:
            del self.seconds[name]
            print(f"left out, since it fails without a mutant: {name}", flush=True)
        package = self.tree(0) / "src" / "chronoscore"
        for path in folder.glob("lines.*"):
            data = CoverageData(str(path))
            data.read()
            for measured in map(Path, data.measured_files()):
                if not measured.is_relative_to(package):
                    continue  # an example of a page, which is compiled under the page's name
                lines = self.lines.setdefault(measured.relative_to(package).as_posix(), {})
                for line, contexts in data.contexts_by_lineno(str(measured)).items():
                    lines.setdefault(line, []).extend(filter(None, contexts))

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Choose tests that run the line; where it is run on import, tests that run the module."""
        lines = self.lines.get(mutant.path, {})
        for within in (range(mutant.line, mutant.last + 1), range(mutant.statement, mutant.last)):
            names = {name for line in within for name in lines.get(line, ())}
            if names:
                break
        else:
            on_import = any(line in lines for line in range(mutant.statement, mutant.last + 1))
            names = {name for found in lines.values() for name in found} if on_import else set()
        return self._quick(self._tests(names), NEAR.get(mutant.room, (mutant.room,)))

    def _tests(self, names: set[str]) -> set[str]:
        """Replace the name of a file, which stands for a shared fixture, by all tests of it."""
        files = {name for name in names if "::" not in name}
        return {test for test in self.seconds if test in names or test.partition("::")[0] in files}

    def _quick(self, tests: set[str], near: tuple[str, ...]) -> list[str]:
        def rank(test: str) -> tuple[bool, float]:
            return not any(f"/{folder}/" in test for folder in near), self.seconds[test]

        chosen: list[str] = []
        total = 0.0
        for test in sorted(tests, key=rank):
            if chosen and total + self.seconds[test] > SECONDS:
                break
            total += self.seconds[test]
            chosen.append(test)
        return chosen

    def attempt(self, mutant: Mutant, worker: int) -> Tried:
        """Make the change in the worker's copy, run its tests there, and undo it."""
        tests = self.tests_of(mutant)
        if not tests:
            return Tried(mutant, "not run", 0)
        tree = self.tree(worker)
        path = tree / "src" / "chronoscore" / mutant.path
        source = path.read_bytes()
        chosen = self.home / f"chosen-{worker}.json"
        chosen.write_text(json.dumps(tests), encoding="utf-8")
        spent: dict[str, float] = {}
        for test in tests:
            file = test.partition("::")[0]
            spent[file] = spent.get(file, 0.0) + self.seconds[test]
        files = sorted(spent, key=spent.__getitem__)
        words = ["-x", "-n", "0", "-p", "mutation.chosen", "--tb=no", *files]
        unchanged = self.home / f"unchanged-{worker}.json"
        kept = {"path": str(path), "source": source.decode()}
        unchanged.write_text(json.dumps(kept), encoding="utf-8")
        try:
            path.write_bytes(mutant.applied(source))
            _forget(path)
            with (self.home / f"log-{worker}.txt").open("w+", encoding="utf-8") as log:
                limit = 120 + 5 * sum(spent.values())
                code = self.pytest(worker, words, log, {CHOSEN: str(chosen)}, timeout=limit)
                log.seek(0)
                text = log.read()
        finally:
            self.restore(worker)
        if code is None:
            return Tried(mutant, "timeout", len(tests))
        if code == 0:
            return Tried(mutant, "survived", len(tests))
        told = [line for line in text.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        return Tried(mutant, "killed", len(tests), told[0][:200] if told else f"exit code {code}")

    def restore(self, worker: int) -> None:
        """Undo the change in a worker's copy, also one that a stopped campaign left there."""
        unchanged = self.home / f"unchanged-{worker}.json"
        if unchanged.exists():
            kept = json.loads(unchanged.read_text(encoding="utf-8"))
            path = Path(kept["path"])
            path.write_bytes(kept["source"].encode())
            _forget(path)
            unchanged.unlink()

    def pytest(
        self, worker: int, words: list[str], log: Any, more: dict[str, str], timeout: float | None
    ) -> int | None:
        """Run tests in a copy of the repository; None where they did not end in time."""
        tree = self.tree(worker)
        found = os.environ.get("CHRONOSCORE_VECTORS")
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(str(tree / name) for name in ("src", "tests")),
            "CHRONOSCORE_VECTORS": found or str(self.repository.parent / "shared" / "vectors"),
            **more,
        }
        run = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
            cwd=tree,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return run.wait(timeout)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end(run)

    def go(self, mutants: list[Mutant], workers: int) -> None:
        """Try mutants in copies side by side and write down each as it ends."""
        waiting: SimpleQueue[Mutant] = SimpleQueue()
        for mutant in mutants:
            waiting.put(mutant)

        def work(worker: int) -> None:
            self.restore(worker)
            while True:
                try:
                    one = self.attempt(waiting.get_nowait(), worker)
                except Empty:
                    return
                with self.lock, self.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(one)) + "\n")
                print(f"{one.state:<9} {_described(one.mutant)}", flush=True)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _end(run: subprocess.Popen[bytes]) -> None:
    """End what the tests started, too: it is all in one group."""
    try:
        os.killpg(run.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    run.wait()


def _forget(path: Path) -> None:
    """Remove compiled code, which is told from old by size and second alone."""
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()


def _described(mutant: Mutant) -> str:
    before, after = (" ".join(text.split())[:120] for text in (mutant.before, mutant.after))
    return f"{mutant.path}:{mutant.line}: {mutant.kind}: {before}  ->  {after}"


def reason(mutant: Mutant, package: Path) -> str:
    """Return why nothing can notice a mutant, if that is known."""
    source = (package / mutant.path).read_bytes()
    first = source.rfind(b"\n", 0, mutant.start) + 1
    last = source.find(b"\n", mutant.start + len(mutant.before.encode()))
    left = len(source) - last
    changed = mutant.applied(source)
    line = " ".join(changed[first : len(changed) - left].decode().split())
    return EXPLAINED.get((mutant.path, line), "")


def report(tried: list[Tried], package: Path) -> Iterator[str]:
    """Give a table by room and by kind, then every mutant that lives, and why if that is known."""
    for title in ("room", "kind"):
        yield f"{title:<20}{'mutants':>9}" + "".join(f"{state:>10}" for state in STATES)
        counts: dict[str, Counter[str]] = {}
        for one in tried:
            counts.setdefault(getattr(one.mutant, title), Counter())[one.state] += 1
            counts.setdefault("~all", Counter())[one.state] += 1
        for name, count in sorted(counts.items()):
            states = "".join(f"{count[state]:>10}" for state in STATES)
            yield f"{name.lstrip('~'):<20}{count.total():>9}{states}"
        yield ""
    lived = [one for one in tried if one.state in {"survived", "not run"}]
    dead = len(tried) - len(lived)
    reasons = {one.mutant: reason(one.mutant, package) for one in lived}
    yield f"{dead} of {len(tried)} killed ({dead / max(1, len(tried)):.1%})"
    explained = sum(map(bool, reasons.values()))
    yield f"{explained} of the other {len(lived)} change nothing that can be observed:"
    for one in sorted(lived, key=lambda one: (one.mutant.path, one.mutant.line)):
        yield f"{one.state} ({one.tests} tests): {_described(one.mutant)}"
        if reasons[one.mutant]:
            yield f"    {reasons[one.mutant]}"


def main() -> int:
    """Read the command line and run a campaign, or go on with one."""
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, help="begin anew and draw this many mutants")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draw")
    parser.add_argument("--only", default="", metavar="ROOM", help="mutants and tests of one room")
    parser.add_argument("--workers", type=int, choices=(1, 2), default=2)
    parser.add_argument("--home", type=Path, default=Path("build/mutation"))
    chosen = parser.parse_args()
    campaign = Campaign(chosen.home.resolve(), Path(__file__).parents[2])
    if chosen.count is not None:
        campaign.begin(chosen.count, chosen.seed, chosen.only, chosen.workers)
    elif not (campaign.home / "plan.json").exists():
        parser.error("there is no campaign to go on with: begin one with --count")
    campaign.survey(chosen.workers)
    planned = [Mutant(**one) for one in campaign.plan["mutants"]]
    before = campaign.tried()
    campaign.go([one for one in planned if one.name not in before], chosen.workers)
    package = campaign.repository / "src" / "chronoscore"
    text = "\n".join(report([*campaign.tried().values()], package)) + "\n"
    (campaign.home / "report.txt").write_text(text, encoding="utf-8")
    print(f"\n{text}")
    return 0
