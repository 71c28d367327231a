"""The command of the original: its options and its print-out."""

import argparse
import sys
from collections.abc import Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from chronoscore.compat.chemotimelines.dates import TODAY
from chronoscore.compat.chemotimelines.faults import comparison, ours
from chronoscore.compat.chemotimelines.scoring import (
    ChemoScores,
    Mode,
    YearOfScores,
    check,
    over_the_year,
    score,
)
from chronoscore.compat.commands import exit_code_of
from chronoscore.core.records import JsonError, parse_json
from chronoscore.core.sources import plain_ends
from chronoscore.errors import ChronoscoreError, DataError, one_line
from chronoscore.reports.table import plural


def printout(scores: ChemoScores, mode: Mode, predicted: int, gold: int, ids: int) -> str:
    """Return what the original prints for numbers of predicted and gold patients and of ids."""
    lines = [
        "Evaluation code for ChemoTimelines Shared Task. Version: v20240305",
        "Reading from files...",
        f"predicted output: {predicted}, gold annotation: {gold}, all ids: {ids}",
        "",
        "Micro average metrics",
        f"Micro precision: {scores.micro.precision}",
        f"Micro recall: {scores.micro.recall}",
        f"Micro f1: {scores.micro.f1}",
        "",
        "Macro average metrics",
    ]
    for name, word, means in (
        ("Type A", "including", scores.type_a),
        ("Type B", "excluding", scores.type_b),
    ):
        lines += [
            f"{name} evaluation: {word} the notes with no true relations",
            f"[{name}] Macro precision: {means.precision}",
            f"[{name}] Macro recall: {means.recall}",
            f"[{name}] Macro f1:  {means.f1}",
            "",
        ]
    lines.append(
        "Official Score: Arithmetic mean of two types of Macro F1, type A and B, in 'relaxed to "
        "month' setting will be used for the leaderboard. "
    )
    lines.append(
        f"Official Score:  {scores.official}"
        if mode == "month"
        else "To see the official score, please run without --strict flag, and set 'relaxed to "
        "month' setting by --relaxed_to=month "
    )
    return "\n".join((*lines, "Evaluation completed!", ""))


def read_text(path: Path) -> str:
    """Read a text in UTF-8 with plain line ends."""
    data = path.read_bytes()
    try:
        return plain_ends(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = plain_ends(data[: error.start].decode("latin-1")).count("\n") + 1
        message = f"a byte (0x{data[error.start]:02x}) is not UTF-8: save the file in UTF-8"
        raise DataError.of(message, path, line) from None


def read_timelines(path: Path) -> Any:
    """Read a file of timelines; a patient who is there twice is refused."""
    try:
        return parse_json(read_text(path))
    except JsonError as error:
        raise DataError.of(str(error), path, error.line) from None


def read_ids(path: Path) -> list[str]:
    """Read ids, one a line; a blank line is an id, as in the original."""
    text = read_text(path)
    return text.removesuffix("\n").split("\n") if text else []


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise argparse.ArgumentTypeError(f"'{text}' is not a day, expected YYYY-MM-DD")
    return day


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 2 for wrong usage and 3 for data that the original can't score."""
    parser = argparse.ArgumentParser(
        prog="python -m chronoscore.compat.chemotimelines",
        description="Score chemotherapy timelines as eval_timeline.py (v20240305) does.",
    )
    parser.add_argument("--gold_path", required=True, type=Path, help="gold timelines, JSON")
    parser.add_argument("--pred_path", required=True, type=Path, help="predicted timelines, JSON")
    parser.add_argument(
        "--all_id_path", required=True, type=Path, help="ids of all patients, one a line"
    )
    parser.add_argument("--gold_id_path", type=Path, help="ids of the patients to score")
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--strict", action="store_true", help="equal tuples")
    mode.add_argument("--relaxed_to", choices=["day", "month", "year"], help="equal dates of this")
    parser.add_argument(
        "--today", type=_day, help=f"the day on which the original runs (default: {TODAY})"
    )
    options = parser.parse_args(arguments)
    return exit_code_of(partial(_run, options))


def _run(options: argparse.Namespace) -> None:
    mode: Mode = "strict" if options.strict else options.relaxed_to
    gold, predicted = read_timelines(options.gold_path), read_timelines(options.pred_path)
    all_ids = read_ids(options.all_id_path)
    gold_ids = None if options.gold_id_path is None else read_ids(options.gold_id_path)
    names = {
        "gold": str(options.gold_path),
        "predicted": str(options.pred_path),
        "all_ids": str(options.all_id_path),
        "gold_ids": str(options.gold_id_path),
    }
    patients = check(gold, predicted, all_ids=all_ids, gold_ids=gold_ids, names=names)
    scores = score(
        patients, mode, options.today or TODAY, absent=len(gold.keys() - predicted.keys())
    )
    sys.stdout.write(printout(scores, mode, len(predicted), len(gold), len(all_ids)))
    sys.stdout.flush()
    year = over_the_year(patients, mode)
    if year.moved and options.today is None:
        sys.stderr.write(f"notice: {_clock_notice(year)}\n")
    faults = {"clock": year.moved, **scores.faults} if year.moved else scores.faults
    our_numbers = None
    try:
        our_numbers = ours(gold, predicted, mode)
    except ChronoscoreError as error:
        sys.stderr.write(f"notice: our own numbers are left out: {error}\n")
    lines = comparison(scores, our_numbers, faults)
    sys.stderr.writelines(f"{one_line(line)}\n" for line in lines)


def _clock_notice(year: YearOfScores) -> str:
    lowest, highest = min(year.officials.values()), max(year.officials.values())
    silent = 366 - len(year.officials)
    none = f", and {plural(silent, 'day')} without a score (a division by zero)" if silent else ""
    return (
        "the original's answer depends on the day on which it runs: over a year, the lowest "
        f"official score (mean of both F1) is {lowest} and the highest {highest}{none}; these are "
        f"the numbers of {TODAY}, --today YYYY-MM-DD gives those of another day"
    )


if __name__ == "__main__":
    raise SystemExit(main())
