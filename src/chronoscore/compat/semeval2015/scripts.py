"""What ``evaluation_all.py`` and ``evaluation_timeline.py`` of SemEval-2015 Task 4 do.

Files are read as they do it: bytes, a first line that is dropped, rows with too few fields and with
position 0 passed over in silence. One habit is not kept: where a position is no number, the
original counts the file before once more, and here that is an error.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from chronoscore.compat.semeval2015.printing import (
    FileCounts,
    file_line,
    final_line,
    micro,
    missing_lines,
    printed_scores,
    single_line,
)
from chronoscore.core.errors import DataError, Problem
from chronoscore.core.writing import write_file
from chronoscore.ordering.awareness import awareness
from chronoscore.ordering.graphs import timeml
from chronoscore.ordering.model import Row, Timeline
from chronoscore.ordering.semeval import Mode, links

_POSITION = re.compile(r"[ \t\r\v\f]*[+-]?[0-9]{1,18}[ \t\r\v\f]*")
_SPACE = " \t\n\r\v\f"
_ENCODING = "latin-1"  # a character a byte, so that nothing is lost and nothing can fail


def evaluate_folders(gold: Path, answers: str, mode: Mode) -> Iterator[str]:
    """The lines that ``evaluation_all.py`` prints; files come sorted by name.

    Where no file was scored there is no last line but an error; the original divides by zero.
    """
    scored: list[FileCounts] = []
    for file in sorted(file for file in gold.iterdir() if file.is_file()):
        reference = read(file, titled=True)
        if not (Path(answers) / file.name).is_file():
            yield from missing_lines(answers, file.name)
            continue
        counts = _counts(reference, read(Path(answers) / file.name, titled=True), mode)
        scored.append(counts)
        yield file_line(file.name, printed_scores(counts))
    if not scored:
        raise DataError.of(f"nothing was scored: no file of {gold} has an answer in {answers}")
    yield final_line(micro(scored))


def evaluate_single(folder: Path, gold: str, system: str, mode: Mode) -> None:
    """Leave ``tmp.out`` and the two graph files in the folder, as ``evaluation_timeline.py`` does.

    Both files are in the folder, and no title is dropped: it has too few fields to be a row.
    """
    ours, theirs = (read(folder / name, titled=False) for name in (gold, system))
    graphs = timeml(ours, theirs, mode)
    _write(folder / f"{gold}_gold.tml", graphs[0])
    _write(folder / f"{system}_sys.tml", graphs[1])
    _write(folder / "tmp.out", single_line(_counts(ours, theirs, mode)) + "\n")


def read(path: Path, *, titled: bool) -> Timeline:
    """Read a timeline as the original does; `titled` if its first line is to be dropped."""
    lines = path.read_bytes().decode(_ENCODING).split("\n")
    rows: list[Row] = []
    problems: list[Problem] = []
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip(_SPACE)
        fields = line.split("\t")
        if len(fields) < 3 or (titled and number == 1):
            continue
        if _POSITION.fullmatch(fields[0]):
            rows.append(Row(int(fields[0]), fields[1], tuple(fields[2:]), line))
        else:
            message = f"position is '{fields[0][:30]}', expected 0, 1, 2, ..."
            problems.append(Problem(message, str(path), number))
    if problems:
        raise DataError(problems)
    return Timeline(tuple(rows))


def _counts(gold: Timeline, system: Timeline, mode: Mode) -> FileCounts:
    made = links(gold, system, mode)
    return awareness(made.gold, made.system).counts


def _write(path: Path, text: str) -> None:
    write_file(path, text.encode(_ENCODING))
