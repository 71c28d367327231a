"""Start-up and installed size: what an import, a command and an install cost."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.environments import MissingError, megabytes
from benchmarks.frame import (
    Bench,
    Cost,
    FailedError,
    Group,
    Row,
    Scale,
    limit,
    measure,
    median,
    start,
)
from chronoscore.demo import SYSTEMS, home

RUNS: dict[Scale, int] = {"tiny": 1, "quick": 3, "full": 10}
NUMERIC = ("numpy", "scipy")

IMPORTS = (
    ("chronoscore.timelines", "tilse", "tilse.evaluation.rouge"),
    ("chronoscore.annotations", "nervaluate", "nervaluate"),
    ("chronoscore.annotations", "seqeval", "seqeval.metrics"),
    ("chronoscore.statistics.agreement", "krippendorff", "krippendorff"),
    ("chronoscore.ordering", "tieval", "tieval.evaluate"),
)
"""What has to be imported to score. Bare `import tilse` and `import chronoscore` load nothing."""


def own_commands(python: Path, folder: Path) -> dict[str, tuple[str, tuple[str, ...], str]]:
    """What is run, Python code that it is compared with, and the most it may take."""
    demo = tuple(str(home() / f"{name}.jsonl") for name in ("gold", *SYSTEMS))
    run, score = (str(python), "-m", "chronoscore"), ("timelines", *demo)
    needed = "import numpy, click, msgspec"
    return {
        "import chronoscore": ("pass", (str(python), "-c", "import chronoscore"), ""),
        "chronoscore --help": ("pass", (*run, "--help"), ""),
        "chronoscore timelines, demo": (needed, (*run, *score), "at most 1.8"),
        "chronoscore timelines --report, demo": (
            needed,
            (*run, *score, "--report", str(folder / "report.html")),
            "at most 3",
        ),
        "import chronoscore.annotations": (
            "import numpy",
            (str(python), "-c", "import chronoscore.annotations"),
            "at most 1",
        ),
    }


def commands(bench: Bench) -> Iterator[Row]:
    """Start-up against what it can't do without."""
    python, runs = bench.own_python(), RUNS[bench.scale]
    for what, (code, command, bar) in own_commands(python, bench.folder("start")).items():
        bare = (str(python), "-c", code)
        measure(command)  # writes what bytecode pip did not
        measure(bare)
        pairs = [
            (start(command, 1), start(bare, 1)) for _ in range(runs)
        ]  # in turn: noise is shared
        ours, theirs = (median(side) for side in zip(*pairs, strict=True))
        yield limit(what, f"python -c '{code}'", ours, theirs, bar)


def imports(bench: Bench) -> Iterator[Row]:
    """What has to be imported to score, ours and theirs."""
    python, runs = bench.own_python(), RUNS[bench.scale]
    for own, peer, other in IMPORTS:
        ours = start((str(python), "-c", f"import {own}"), runs)
        try:
            command = (str(bench.python(peer)), "-c", f"import {other}")
            measure(command)
            theirs, remark = start(command, runs), ""
        except (MissingError, FailedError) as error:
            theirs, remark = Cost(), f"peer not run: {error}"
        yield Row(f"import {own}", f"import {other}", ours, theirs, remark)


def sizes(bench: Bench) -> Iterator[Row]:
    """What an install brings."""
    python = bench.own_python()
    for what, without in (("installed size", ()), ("without numpy and scipy", NUMERIC)):
        ours = Cost(megabytes=megabytes(python, without))
        if bench.scale != "full":
            yield Row(what, "pip install tilse", ours, remark="peer not run: only in a full run")
            continue
        try:
            size = megabytes(bench.python("tilse-full"), without)
        except MissingError as error:
            yield Row(what, "pip install tilse", ours, remark=f"peer not run: {error}")
        else:
            times = f"its size is {size / (ours.megabytes or 1):.1f} times ours"
            yield Row(what, "pip install tilse", ours, Cost(megabytes=size), times)


GROUP = Group(
    "start",
    "import, --help, one command and installed size against bare Python and peers",
    others=(commands, imports, sizes),
)
