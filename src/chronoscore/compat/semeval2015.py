r"""The scorer of SemEval-2015 Task 4: its numbers, its print-out and its command.

    python -m chronoscore.compat.semeval2015 [--ord] GOLD_DIR ANSWER_DIR
    python -m chronoscore.compat.semeval2015 [--ord] --single DIR GOLD SYSTEM

The scorer runs under Python 2, where ``round`` takes halves away from zero and ``str`` of a float
has 12 significant digits. So 1/128 = 0.0078125 is 0.007813 there and 0.007812 in Python 3, and
published tables need the former. A file's scores are each rounded to 6 digits and given per cent.
The last line pools the four counts over files, rounds P and R, and computes F *from the rounded
values* without rounding it (Minard et al. 2015, "SemEval-2015 Task 4: TimeLine: Cross-Document
Event Ordering"):

    P = 100 round(sum precision_matched / sum system_total, 6),  R likewise,  F = 2PR / (P + R)

Counts are the four numbers of `chronoscore.ordering.awareness.LinkCounts`, in that order. 0/0 is
printed as 0.0, for the last line too, where the original divides by zero and stops. Where P and R
are both 0, the last line's F is a bare ``0``.

Files are read as the scripts do it: as bytes, without the first line, and rows with too few fields
or with position 0 are skipped without a message. One difference: where a position is no number, the
original counts the previous file once more; here that is an error.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from pathlib import Path

from chronoscore.compat.commands import exit_code_of
from chronoscore.core.result import ResultDocument
from chronoscore.core.writing import write_file
from chronoscore.errors import DataError, Problem, UsageError
from chronoscore.ordering.awareness import awareness
from chronoscore.ordering.model import TargetTimeline, TimelineRow
from chronoscore.ordering.semeval import Mode, links, timeml

FileCounts = Sequence[int]
"""The four counts of a file."""
Printed = tuple[str, str, str]
"""F, P and R."""

_SIX_DIGITS = Decimal("0.000001")
_POSITION = re.compile(r"[ \t\r\v\f]*[+-]?[0-9]{1,18}[ \t\r\v\f]*")
_SPACE = " \t\n\r\v\f"
_ENCODING = "latin-1"  # one character for each byte: nothing is lost, and decoding cannot fail


def percent(x: float) -> str:
    """Return a share as Python 2 prints ``100*round(x, 6)``.

    >>> percent(1 / 128), percent(2 / 3), percent(1.0), percent(0.0)
    ('0.7813', '66.6667', '100.0', '0.0')
    """
    return _str(_rounded(x))


def printed_scores(counts: FileCounts) -> Printed:
    """Return F, P and R of one file.

    >>> printed_scores((5, 7, 3, 4))
    ('73.1707', '71.4286', '75.0')
    """
    precision, recall = ratio(counts[0], counts[1]), ratio(counts[2], counts[3])
    return percent(f1_of(precision, recall)), percent(precision), percent(recall)


def micro(counts: Iterable[FileCounts]) -> Printed:
    """Return F, P and R of the last line, from the counts of the scored files.

    >>> micro([(5, 7, 3, 4), (1, 2, 1, 3)])
    ('61.5385005917', '66.6667', '57.1429')
    """
    rows = list(counts)
    correct, system, recalled, gold = (sum(row[column] for row in rows) for column in range(4))
    precision, recall = _rounded(ratio(correct, system)), _rounded(ratio(recalled, gold))
    nothing_right = system and gold and not precision + recall
    f1 = "0" if nothing_right else _str(f1_of(precision, recall))
    return f1, _str(precision), _str(recall)


def single_line(counts: FileCounts) -> str:
    r"""Return what the scorer of one timeline writes to ``tmp.out``: F, P, R and the four counts.

    >>> single_line((5, 7, 3, 4))
    '73.1707\t71.4286\t75.0\t5\t7\t3\t4'
    """
    return "\t".join((*printed_scores(counts), *map(str, counts)))


def file_line(name: str, scores: Printed) -> str:
    r"""Return the line of a file.

    >>> file_line("ipod.txt", ("81.4815", "68.75", "100.0"))
    'ipod.txt\tFSCORE\t81.4815\tPRECISION\t68.75\tRECALL\t100.0'
    """
    return "{}\tFSCORE\t{}\tPRECISION\t{}\tRECALL\t{}".format(name, *scores)


def missing_lines(answers: str, name: str) -> tuple[str, str]:
    """Return the two lines for a gold file without an answer in the folder ``answers``.

    The second line is not true: the file is left out, and adds nothing to the gold total.

    >>> missing_lines("run1", "ipod.txt")[0]
    'No answer file found run1/ipod.txt'
    """
    return (
        f"No answer file found {answers}/{name}",
        "Skipping the evaluation of it. Fscore set at 0",
    )


def final_line(scores: Printed) -> str:
    r"""Return the last line, with the pooled scores.

    >>> final_line(("71.022233145", "92.0732", "57.8059"))
    '\tMICRO-FSCORE\t71.022233145\tMICRO-PRECISION\t92.0732\tMICRO-RECALL\t57.8059'
    """
    return "\tMICRO-FSCORE\t{}\tMICRO-PRECISION\t{}\tMICRO-RECALL\t{}".format(*scores)


def ratio(part: float, whole: float) -> float:
    """Return part / whole, or 0 for 0/0."""
    return part / whole if whole else 0.0


def f1_of(precision: float, recall: float) -> float:
    """Return the harmonic mean of P and R, or 0 if both are 0."""
    return ratio(2 * precision * recall, precision + recall)


def _rounded(x: float) -> float:
    # Decimal(x) is the exact value of the float, so that only true halves count as halves.
    return 100 * float(Decimal(x).quantize(_SIX_DIGITS, ROUND_HALF_UP))


def _str(x: float) -> str:
    text = f"{x:.12g}"
    return text if any(mark in text for mark in ".en") else f"{text}.0"


def printout(result: ResultDocument, metric: str) -> str:
    """Return what ``evaluation_all.py`` prints, for one system after the other."""
    lines = []
    for system in result.systems:
        counts = {row.case: list(map(int, row.statistics[metric][:4])) for row in system.rows}
        lines += [file_line(f"{case}.txt", printed_scores(four)) for case, four in counts.items()]
        lines.append(final_line(micro(counts.values())))
    return "\n".join(lines) + "\n"


def evaluate_folders(gold: Path, answers: str, mode: Mode) -> Iterator[str]:
    """Yield the lines that ``evaluation_all.py`` prints, files sorted by name.

    If no file is scored, an error replaces the last line; the original divides by zero.
    """
    scored: list[FileCounts] = []
    for file in sorted(file for file in gold.iterdir() if file.is_file()):
        reference, answer = read(file, titled=True), Path(answers) / file.name
        if not answer.is_file():
            yield from missing_lines(answers, file.name)
            continue
        counts = _counts(reference, read(answer, titled=True), mode)
        scored.append(counts)
        yield file_line(file.name, printed_scores(counts))
    if not scored:
        raise DataError.of(f"nothing was scored: no file of {gold} has an answer in {answers}")
    yield final_line(micro(scored))


def evaluate_single(folder: Path, gold: str, system: str, mode: Mode) -> None:
    """Write ``tmp.out`` and the two graph files to the folder, as ``evaluation_timeline.py`` does.

    Both timelines are in the folder. No title is dropped: it has too few fields to be a row.
    """
    gold_timeline, answer = (read(folder / name, titled=False) for name in (gold, system))
    graphs = timeml(gold_timeline, answer, mode)
    _write(folder / f"{gold}_gold.tml", graphs[0])
    _write(folder / f"{system}_sys.tml", graphs[1])
    _write(folder / "tmp.out", single_line(_counts(gold_timeline, answer, mode)) + "\n")


def read(path: Path, *, titled: bool) -> TargetTimeline:
    """Read a timeline as the original does; the first line of a `titled` file is dropped."""
    lines = path.read_bytes().decode(_ENCODING).split("\n")
    rows: list[TimelineRow] = []
    problems: list[Problem] = []
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip(_SPACE)
        fields = line.split("\t")
        if len(fields) < 3 or (titled and number == 1):
            continue
        if _POSITION.fullmatch(fields[0]):
            rows.append(TimelineRow(int(fields[0]), fields[1], tuple(fields[2:]), line))
        else:
            message = f"position is '{fields[0][:30]}', expected 0, 1, 2, ..."
            problems.append(Problem(message, str(path), number))
    if problems:
        raise DataError(problems)
    return TargetTimeline(tuple(rows))


def _counts(gold: TargetTimeline, system: TargetTimeline, mode: Mode) -> FileCounts:
    graphs = links(gold, system, mode)
    return awareness(graphs.gold, graphs.system).counts


def _write(path: Path, text: str) -> None:
    write_file(path, text.encode(_ENCODING))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 2 for wrong usage and 3 for data that can't be scored."""
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
    options = parser.parse_args(arguments)
    mode: Mode = "order" if options.ord else "full"
    return exit_code_of(partial(_run, options.paths, mode, single=options.single))


def _run(paths: Sequence[str], mode: Mode, *, single: bool) -> None:
    names, folders = ("--single DIR GOLD SYSTEM", 1) if single else ("GOLD_DIR ANSWER_DIR", 2)
    if len(paths) != (3 if single else 2):
        raise UsageError(f"{len(paths)} names were given, expected {names}")
    for folder in paths[:folders]:
        if not Path(folder).is_dir():
            raise UsageError(f"'{folder}' is not a folder, expected {names}")
    if single:
        evaluate_single(Path(paths[0]), paths[1], paths[2], mode)
        return
    for line in evaluate_folders(Path(paths[0]), paths[1], mode):
        sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape") + b"\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
