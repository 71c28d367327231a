"""Start-up and installed size: what an import, a command and an install cost."""

import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.environments import MissingError, megabytes
from benchmarks.frame import Bench, Cost, FailedError, Group, Row, Scale, measure

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


def own_commands(python: Path) -> dict[str, tuple[str, ...]]:
    """What is compared with a Python that does nothing."""
    return {
        "import chronoscore": (str(python), "-c", "import chronoscore"),
        "chronoscore --help": (str(python), "-m", "chronoscore", "--help"),
    }


def start(command: Sequence[str], scale: Scale) -> Cost:
    """The median cost of a command."""
    runs = [measure(command) for _ in range(RUNS[scale])]
    return Cost(
        process=statistics.median(seconds for seconds, _, _ in runs),
        megabytes=statistics.median(megabytes for _, megabytes, _ in runs),
    )


def rows(bench: Bench) -> Iterator[Row]:
    """Start-up against nothing, imports against peers, sizes."""
    try:
        yield from _rows(bench)
    except (MissingError, FailedError) as error:
        yield Row("start-up and size", "all", remark=f"our side failed: {error}", wrong=True)


def _rows(bench: Bench) -> Iterator[Row]:
    python = bench.own_python()
    measure((str(python), "-m", "chronoscore", "--help"))  # writes what bytecode pip did not
    bare = start((str(python), "-c", "pass"), bench.scale)
    for what, command in own_commands(python).items():
        yield Row(what, "python -c pass", start(command, bench.scale), bare)
    for own, peer, other in IMPORTS:
        yield _imports(bench, python, own, peer, other)
    yield from _sizes(bench, python)


def _imports(bench: Bench, python: Path, own: str, peer: str, other: str) -> Row:
    ours = start((str(python), "-c", f"import {own}"), bench.scale)
    try:
        command = (str(bench.python(peer)), "-c", f"import {other}")
        measure(command)
        theirs = start(command, bench.scale)
    except (MissingError, FailedError) as error:
        return Row(f"import {own}", f"import {other}", ours, remark=f"peer not run: {error}")
    return Row(f"import {own}", f"import {other}", ours, theirs)


def _sizes(bench: Bench, python: Path) -> Iterator[Row]:
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


GROUP = Group("start", "import, --help and installed size against bare Python and peers", rows)
