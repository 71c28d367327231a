"""Run the long checks, and keep what they print for the page of proof.

    python -m scripts.prove                list the checks, and whether their figures are up to date
    python -m scripts.prove fuzz kills     run these, and keep their output with the commit

Figures are up to date if the package and the check are those of the commit at which they were made;
pages of documentation may change afterwards.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
RECORDS = ROOT / "docs" / "proof"


@dataclass(frozen=True)
class Check:
    """A command, a pattern of the line at which its conclusion starts, and where its code is."""

    command: str
    conclusion: str
    home: str

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The files and folders on which the figures depend."""
        return "src", "constraints.txt", self.home


CHECKS = {
    "tests": Check("make test", "=+ short test summary", "tests"),
    "fuzz": Check("make fuzz COUNT=1000000 SECONDS=36000 SEED=24", "inputs by group", "tests/fuzz"),
    "mutation": Check("make mutation MUTANTS=320 SEED=24", "room", "tests/mutation"),
    "peers": Check("make peers", "peer", "tests/peers"),
    "intervals": Check(".venv/bin/python -m benchmarks.simulate", r"\*\*", "benchmarks"),
    "kills": Check(
        "make kills KILLS=1000 EVALUATORS=50 SEED=24", "kills of the server", "tests/kills"
    ),
    "bench": Check("make bench", "CPython", "benchmarks"),
    "judging": Check(".venv/bin/python -m benchmarks.judging", "CPython", "benchmarks"),
}
"""They take from three minutes to more than an hour."""


@dataclass(frozen=True)
class Record:
    """What a check printed, and where and when it ran."""

    command: str
    commit: str
    code: str
    """Digest of everything that the figures depend on."""
    date: str
    minutes: float
    machine: str
    output: str
    exit_code: int

    def markdown(self) -> str:
        """Write the command, its circumstances and its output as part of a page."""
        minutes = max(round(self.minutes), 1)
        passed = f"{minutes} minute{'' if minutes == 1 else 's'}"
        facts = f"`{self.command}`, commit {self.commit[:7]}, {self.date}, {passed}, {self.machine}"
        is_markdown = "\n| ---" in self.output
        return f"{facts}:\n\n" + (self.output if is_markdown else f"```text\n{self.output}\n```")


def recorded() -> dict[str, Record]:
    """The records that are kept, by the name of the check."""
    paths = {name: RECORDS / f"{name}.json" for name in CHECKS}
    found = {name: path for name, path in paths.items() if path.exists()}
    return {
        name: Record(**json.loads(path.read_text(encoding="utf-8"))) for name, path in found.items()
    }


def filled(text: str) -> str:
    """Fill in what the checks printed, between the marks of a page."""
    records = recorded()

    def fill(mark: re.Match[str]) -> str:
        name = mark["name"]
        missing = (
            f"Not recorded yet: `python -m scripts.prove {name}` runs it and records its output."
        )
        text = records[name].markdown() if name in records else missing
        return f"{mark['start']}\n\n{text}\n\n{mark['end']}"

    pattern = r"(?P<start><!-- proof: (?P<name>\w+) -->).*?(?P<end><!-- end -->)"
    return re.sub(pattern, fill, text, flags=re.DOTALL)


def run(name: str) -> Record:
    """Run a check, and keep what it printed at the end."""
    check, begun = CHECKS[name], time.monotonic()
    if _git("status", "--porcelain", "--", *check.depends_on):
        sys.exit("There are changes that are not committed: figures belong to a commit.")
    before = _digest(check)
    print(f"== {check.command}", flush=True)
    with subprocess.Popen(
        check.command,
        shell=True,
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
    ) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip())
    if _digest(check) != before:
        sys.exit("The code has changed while the check ran: nothing is kept.")
    record = Record(
        command=check.command.removeprefix(".venv/bin/"),
        commit=_git("rev-parse", "HEAD"),
        code=before,
        date=datetime.now(UTC).date().isoformat(),
        minutes=round((time.monotonic() - begun) / 60, 1),
        machine=f"{os.cpu_count()} cores, Python {platform.python_version()}",
        output=_conclusion(lines, check.conclusion),
        exit_code=process.returncode,
    )
    RECORDS.mkdir(exist_ok=True)
    text = json.dumps(asdict(record), indent=1, ensure_ascii=False)
    (RECORDS / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
    return record


def _conclusion(lines: list[str], start: str) -> str:
    """Leave out the progress that comes before the conclusion, and most of long rules."""
    places = (at for at, line in enumerate(lines) if re.match(start, line))
    text = "\n".join(lines[next(places, 0) :]).strip("\n")
    return re.sub("={11,}", "=" * 10, text)


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _digest(check: Check) -> str:
    """Return a digest of everything that the figures depend on, as it is committed."""
    return " ".join(_git("rev-parse", f"HEAD:{name}")[:12] for name in check.depends_on)


def main() -> int:
    """Run the named checks, or list all."""
    parser = argparse.ArgumentParser(prog="python -m scripts.prove", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("names", nargs="*", choices=[*CHECKS, []], metavar="CHECK")
    names = parser.parse_args().names
    codes = [run(name).exit_code for name in names]
    records = recorded()
    for name, check in CHECKS.items():
        state = "never run"
        if name in records:
            one = records[name]
            fresh = "up to date" if one.code == _digest(check) else "the code has changed since"
            state = f"{one.commit[:7]} of {one.date}, exit {one.exit_code}, {fresh}"
        print(f"{name:10} {check.command:52} {state}")
    return max(codes, default=0)


if __name__ == "__main__":
    sys.exit(main())
