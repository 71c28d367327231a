"""Compare our numbers with those of other libraries on random inputs: `make peers`.

Each peer computes the same quantities as we do from the same inputs. Two numbers are equal, equal
within the stated tolerance, or a documented difference: an input on which the peer is undefined or
defines the quantity otherwise. Of a documented difference the campaign checks that it is exactly
the one that its reason describes. Anything else is unexplained, is printed with the input, and
makes the exit code 1. The same seed draws the same inputs.
"""

import argparse
import importlib
import json
import platform
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from peers.comparing import Check, Comparison, Outcome

from chronoscore import __version__

SEED = 20
SHOWN = 5
"""Unexplained differences that are printed for each quantity."""


@dataclass(frozen=True)
class Peer:
    """A library, by the name of its distribution, and where its checks are."""

    package: str
    """What Python imports."""
    checks: str
    """The module with the checks, which imports the package."""


PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        "krippendorff": Peer("krippendorff", "krippendorff_alpha"),
        "irrCAC": Peer("irrCAC", "irrcac_coefficients"),
        "pingouin": Peer("pingouin", "pingouin_icc"),
        "seqeval": Peer("seqeval", "seqeval_tags"),
        "nervaluate": Peer("nervaluate", "nervaluate_spans"),
        "coreference-eval": Peer("corefeval", "corefeval_clusters"),
        "scorch": Peer("scorch", "scorch_clusters"),
        "rouge-score": Peer("rouge_score", "rouge_score_counts"),
        "scipy": Peer("scipy", "scipy_statistics"),
        "statsmodels": Peer("statsmodels", "statsmodels_statistics"),
        "ppi-python": Peer("ppi_py", "ppi_py_mean"),
    }
)


@dataclass
class Report:
    """What the checks of one peer found."""

    peer: str
    version: str
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)
    """Unexplained differences with their inputs."""
    seconds: float = 0.0

    @property
    def unexplained(self) -> int:
        """How many differences have no reason."""
        return sum(one.unexplained for one in self.outcomes.values())


def load_checks(name: str) -> Sequence[Check]:
    """Import the checks of a peer; ImportError if its package is not installed."""
    peer = PEERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module(peer.package)
        checks: Sequence[Check] = importlib.import_module(f"peers.{peer.checks}").CHECKS
    return checks


def compare_with(name: str, seed: int, count: int | None = None) -> Report:
    """Run all checks of one peer."""
    checks = load_checks(name)
    report = Report(name, version(name))
    begin = time.process_time()
    for check in checks:
        run_check(check, seed, check.inputs if count is None else count, report)
    report.seconds = time.process_time() - begin
    return report


def run_check(check: Check, seed: int, count: int, report: Report) -> None:
    """Draw inputs, compare both sides on each, and count the outcomes by quantity."""
    for number in range(count):
        given = check.given(seed, number)
        for one in _compared(check, given):
            outcome = report.outcomes.setdefault(one.quantity, Outcome())
            outcome.add(number, one)
            if one.unexplained and outcome.unexplained <= SHOWN:
                report.findings.append(
                    f"{report.peer}, {one.quantity}: ours {one.ours!r}, theirs {one.theirs!r}"
                    f"{f', which is not: {one.reason}' if one.reason else ''}"
                    f"\n  seed {seed}, check '{check.name}', input {number}: {given!r:.1500}"
                )


def _compared(check: Check, given: Any) -> list[Comparison]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return list(check.compare(given))
        except Exception as error:  # an error that no check expects is a finding, not the end
            return [Comparison(check.name, "no error", f"{type(error).__name__}: {error}")]


HEAD = (
    *("peer", "version", "quantity", "inputs", "numbers", "equal", "within", "largest"),
    *("tolerance", "documented", "unexplained"),
)


def rows_of(reports: Sequence[Report]) -> list[dict[str, Any]]:
    """Return a record for each quantity of each peer."""
    return [
        {
            "peer": report.peer,
            "version": report.version,
            "quantity": quantity,
            "inputs": len(one.inputs),
            "numbers": one.numbers,
            "equal": one.exact,
            "within": one.within,
            "largest": one.largest,
            "tolerance": one.tolerance,
            "documented": sum(one.documented.values()),
            "unexplained": one.unexplained,
        }
        for report in reports
        for quantity, one in report.outcomes.items()
    ]


def differences_of(reports: Sequence[Report]) -> list[dict[str, Any]]:
    """Return a record for each documented difference that occurred."""
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for report in reports:
        for quantity, one in report.outcomes.items():
            for reason, number in one.documented.items():
                counts.setdefault((report.peer, reason), {})[quantity] = number
    return [
        {"peer": peer, "reason": reason, "numbers": sum(of.values()), "quantities": of}
        for (peer, reason), of in counts.items()
    ]


def document(
    reports: Sequence[Report], skipped: Mapping[str, str], seed: int, count: int | None
) -> dict[str, Any]:
    """Return the whole outcome of a campaign, as `--json` writes it."""
    return {
        "chronoscore": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "seed": seed,
        "count": count,
        "seconds": {report.peer: round(report.seconds, 1) for report in reports},
        "skipped": dict(skipped),
        "rows": rows_of(reports),
        "differences": differences_of(reports),
        "unexplained": sum(report.unexplained for report in reports),
    }


def print_table(found: Mapping[str, Any]) -> None:
    """Print a line for each quantity, then the documented differences."""
    rows = [[_cell(name, row[name]) for name in HEAD] for row in found["rows"]]
    total = {name: sum(row[name] for row in found["rows"]) for name in (*HEAD[4:7], *HEAD[9:])}
    last = ["all", *(_cell(name, total[name]) if name in total else "" for name in HEAD[1:])]
    lines = [list(HEAD), *rows, last]
    widths = [max(len(line[at]) for line in lines) for at in range(len(HEAD))]
    for line in lines:
        cells = [
            cell.ljust(width) if at < 3 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
    if found["differences"]:
        print("\nDocumented differences, and how many numbers they concern:")
    for one in found["differences"]:
        print(f"  {one['peer']}: {one['reason']} ({one['numbers']:,} numbers)")
    for peer, reason in found["skipped"].items():
        print(f"\nskipped: {peer}: {reason}")
    spent = sum(found["seconds"].values())
    print(f"\nseed {found['seed']}, {spent:.0f} s of CPU, unexplained: {found['unexplained']}")


def _cell(name: str, value: Any) -> str:
    if name in ("largest", "tolerance"):
        return f"{value:.0e}" if value else "0" if name == "largest" else "exact"
    return f"{value:,}" if isinstance(value, int) else str(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and run the campaign."""
    parser = argparse.ArgumentParser(prog="python -m peers", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, help="inputs of each check (default: its own number)")
    parser.add_argument("--seed", type=int, default=SEED, help="seed of the inputs")
    parser.add_argument("--only", default="", help="only peers with this in their name")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the outcome to a file")
    chosen = parser.parse_args(arguments)
    names = [name for name in PEERS if chosen.only.lower() in name.lower()]
    if not names:
        parser.error(f"no peer has {chosen.only!r} in its name: {', '.join(PEERS)}")
    reports, skipped = [], {}
    for name in names:
        try:
            reports.append(compare_with(name, chosen.seed, chosen.count))
            print(f"{name}: {reports[-1].seconds:.0f} s", file=sys.stderr, flush=True)
        except ImportError as error:
            skipped[name] = f"not installed ({error}); `make peers` installs it"
    found = document(reports, skipped, chosen.seed, chosen.count)
    print_table(found)
    for finding in (finding for report in reports for finding in report.findings):
        print(f"\nunexplained: {finding}")
    if chosen.json:
        chosen.json.parent.mkdir(parents=True, exist_ok=True)
        chosen.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 1 if found["unexplained"] else 0
