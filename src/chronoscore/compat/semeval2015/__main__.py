"""`python -m chronoscore.compat.semeval2015`: the official command, without Python 2."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from chronoscore.compat.semeval2015.scripts import evaluate_folders, evaluate_single
from chronoscore.core.errors import ChronoscoreError, UsageError
from chronoscore.ordering.semeval import Mode


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 2 for wrong usage and 3 for data that can't be scored."""
    chosen = _parser().parse_args(arguments)
    try:
        _run(chosen)
    except ChronoscoreError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    except OSError as error:
        sys.stderr.write(f"error: {error.filename}: {error.strerror}\n")
        return 3
    return 0


def _run(chosen: argparse.Namespace) -> None:
    mode: Mode = "order" if chosen.ord else "full"
    if len(chosen.paths) != (3 if chosen.single else 2):
        wanted = "--single DIR GOLD SYSTEM" if chosen.single else "GOLD_DIR ANSWER_DIR"
        raise UsageError(f"{len(chosen.paths)} names were given, expected {wanted}")
    for folder in chosen.paths[: 1 if chosen.single else 2]:
        if not Path(folder).is_dir():
            raise UsageError(f"'{folder}' is no folder")
    if chosen.single:
        folder, gold, system = chosen.paths
        evaluate_single(Path(folder), gold, system, mode)
        return
    gold, answers = chosen.paths
    for line in evaluate_folders(Path(gold), answers, mode):
        sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape") + b"\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m chronoscore.compat.semeval2015",
        description="Score timelines as the scripts of SemEval-2015 Task 4 do.",
    )
    parser.add_argument("--ord", action="store_true", help="order alone, without time anchors")
    parser.add_argument(
        "--single",
        action="store_true",
        help="one timeline: the score goes to DIR/tmp.out, the graphs to DIR/*_gold.tml, *_sys.tml",
    )
    parser.add_argument("paths", nargs="*", metavar="GOLD_DIR ANSWER_DIR", help="two folders")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
