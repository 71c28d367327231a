"""The command ``python -m chronoscore.compat.t2s2``."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from chronoscore.compat.commands import exit_code_of
from chronoscore.compat.t2s2.differences import beside
from chronoscore.compat.t2s2.match_files import read_distances, read_matches
from chronoscore.compat.t2s2.measures import printout
from chronoscore.compat.t2s2.reading import (
    SUFFIXES,
    as_numeric,
    check_times_of_gold,
    read_series,
    read_text,
    series_files,
)
from chronoscore.compat.t2s2.runs import (
    DEFAULT_THRESHOLD,
    Documents,
    MatchedSystem,
    matched_run,
    valid_threshold,
)
from chronoscore.errors import (
    DataError,
    Problem,
    UsageError,
    one_line,
    similar_name,
)

DESCRIPTION = """\
Score textual time series as compare_tts.r of T2S2 does, and print summary_metrics.csv.

A folder has a file for each document, DOCUMENT.csv (or .bsv, with bars for commas), with an event
and a time in hours a line. Documents of gold and of a system are joined by name.

--matches reads the scorer's own match files (best_matches*.csv): a line for each gold row, with the
columns common.bns (the document), idx (the gold row, from 1), match.idx (the predicted row, or NA)
and error.rate (their distance). Where it has v1 and v2, they must be the events of these rows.

--distances reads, from a folder, a file DOCUMENT.csv for each document: a line for each gold row,
with the distance to each predicted row, separated by commas and without a header. Rows are matched
greedily, or with --lap as an assignment in which a row without a match costs 0.6; where several
assignments are best, R may choose another one.

The first line of a file is a row, 'event,time' too, as in all published results; --header says that
it names the columns. What makes these numbers differ from the right ones goes to stderr.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 2 for wrong usage and 3 for data that can't be scored."""
    return exit_code_of(partial(_run, _parser().parse_args(arguments)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m chronoscore.compat.t2s2",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("gold", metavar="GOLD_DIR", help="the folder of gold files")
    parser.add_argument(
        "systems", nargs="+", metavar="NAME=PRED_DIR", help="a system and the folder of its files"
    )
    known = parser.add_mutually_exclusive_group(required=True)
    known.add_argument("--matches", nargs="+", metavar="NAME=FILE", help="a match file a system")
    known.add_argument(
        "--distances", nargs="+", metavar="NAME=DIR", help="a folder of distances a system"
    )
    parser.add_argument(
        "--threshold",
        type=_threshold,
        default=DEFAULT_THRESHOLD,
        metavar="X",
        help="matches below this distance are kept (%(default)s)",
    )
    parser.add_argument("--header", action="store_true", help="the first line names the columns")
    parser.add_argument("--lap", action="store_true", help="match as an assignment, not greedily")
    return parser


def _threshold(text: str) -> float:
    """Read the option; a number outside 0 to 1 is left to the scorer."""
    value = as_numeric(text)
    if value is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number, expected one from 0 to 1")
    return value


def _run(options: argparse.Namespace) -> None:
    systems = _named(options.systems, "NAME=PRED_DIR")
    option = "--matches" if options.matches else "--distances"
    known = _named(options.matches or options.distances, f"{option} NAME=PATH")
    _check_names(systems, known, option)
    if options.lap and options.matches:
        raise UsageError("--lap matches rows anew: give --distances, not --matches")
    for folder in (Path(options.gold), *systems.values()):
        if not folder.is_dir():
            raise UsageError(f"'{folder}' is not a folder, expected GOLD_DIR NAME=PRED_DIR...")
    threshold = valid_threshold(options.threshold)
    if threshold != options.threshold:
        _say(
            f"warning: the threshold is {options.threshold}, expected 0 to 1: {threshold} is used, "
            "as in the original"
        )
    gold_files = series_files(Path(options.gold))
    files = {name: series_files(folder) for name, folder in systems.items()}
    used = {
        n: path for n, path in gold_files.items() if any(n in found for found in files.values())
    }
    if not used:
        raise DataError.of(
            f"no system has a document of this folder: expected {' or '.join(SUFFIXES)} files of "
            "the same names",
            options.gold,
        )
    gold = _read_all(used, header=options.header)
    runs = {name: _system_run(gold, found, known[name], options) for name, found in files.items()}
    if option == "--distances":
        check_times_of_gold([(str(used[n]), rows) for n, rows in gold.items()])
    found = {name: run.summary(threshold) for name, run in runs.items()}
    summaries = {name: summary for name, summary in found.items() if summary is not None}
    sys.stdout.buffer.write(printout(summaries).encode("utf-8", "surrogateescape"))
    sys.stdout.flush()
    unused = {n: path for n, path in gold_files.items() if n not in used}
    everything = {**gold, **_read_what_can_be_read(unused, header=options.header)}
    for name, run in runs.items():
        if name not in summaries:
            _say(f"{name}: no row takes part, so that it has no line")
        missing = {n: rows for n, rows in everything.items() if n not in run.gold}
        for line in beside(name, run, missing, threshold):
            _say(line)


def _system_run(
    gold: Documents, files: Mapping[str, Path], known: Path, options: argparse.Namespace
) -> MatchedSystem:
    """Read what a system predicted, and match it or read how it is matched."""
    common = {n: rows for n, rows in gold.items() if n in files}
    predicted = _read_all({n: files[n] for n in common}, header=options.header)
    if options.matches:
        matches = read_matches(read_text(known), known, common, predicted)
        lost = sum(map(len, common.values())) - sum(map(len, matches.values()))
        if lost:
            _say(f"warning: {known}: gold rows left out, since the file lacks them: {lost}")
        return MatchedSystem(common, predicted, matches)
    problems: list[Problem] = []
    matrices = {}
    for name, rows in common.items():
        path = known / f"{name}.csv"
        with _collected(problems):
            matrices[name] = read_distances(read_text(path), path, len(rows), len(predicted[name]))
    if problems:
        raise DataError(problems)
    return matched_run(common, predicted, matrices, use_lap=options.lap)


def _read_all(files: Mapping[str, Path], *, header: bool) -> Documents:
    """Read all files, and report all problems at once."""
    problems: list[Problem] = []
    documents = {}
    for name, path in files.items():
        with _collected(problems):
            documents[name] = read_series(read_text(path), str(path), header=header)
    if problems:
        raise DataError(problems)
    return documents


def _read_what_can_be_read(files: Mapping[str, Path], *, header: bool) -> Documents:
    """Read the files that can be read; no number of the scorer depends on the others."""
    documents = {}
    for name, path in files.items():
        with _collected([]):
            documents[name] = read_series(read_text(path), str(path), header=header)
    return documents


@contextmanager
def _collected(problems: list[Problem]) -> Iterator[None]:
    """Add the problems of a file to those of the others."""
    try:
        yield
    except DataError as error:
        problems.extend(error.problems)
    except OSError as error:
        problems.append(Problem(error.strerror or str(error), str(error.filename)))


def _named(words: Iterable[str], form: str) -> dict[str, Path]:
    """Read words such as ``NAME=PATH``."""
    paths: dict[str, Path] = {}
    for word in words:
        name, sign, path = word.partition("=")
        if not name or not sign or not path:
            raise UsageError(f"'{word}' has no name or no path, expected {form}")
        if name in paths:
            raise UsageError(f"there are two paths for '{name}', expected one {form} for each name")
        paths[name] = Path(path)
    return paths


def _check_names(systems: Mapping[str, Path], known: Mapping[str, Path], option: str) -> None:
    for name in known:
        if name not in systems:
            meant = similar_name(name, systems)
            advice = f"; did you mean '{meant}'?" if meant else ""
            raise UsageError(f"{option} names '{name}', but no system has this name{advice}")
    for name in systems:
        if name not in known:
            raise UsageError(f"there are no matches for '{name}': add {option} {name}=PATH")


def _say(line: str) -> None:
    sys.stderr.write(f"{one_line(line)}\n")


if __name__ == "__main__":
    raise SystemExit(main())
