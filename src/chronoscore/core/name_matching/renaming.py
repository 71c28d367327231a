"""The user's own map of names, as it is written on a command line or in a file."""

import csv
from collections.abc import Iterable
from pathlib import Path

import msgspec

from chronoscore.core.problems import Problems
from chronoscore.core.records import JsonError, parse_json
from chronoscore.core.sources import Source, source_of
from chronoscore.errors import DataError, UsageError


def read_renaming(words: Iterable[str], problems: Problems) -> dict[str, str]:
    """Read the user's map of names: pairs A=B, and files with two columns or of JSON.

    >>> read_renaming(["run1=egypt", "README=-"], Problems())
    {'run1': 'egypt', 'README': '-'}
    """
    rename: dict[str, str] = {}
    for word in words:
        path = Path(word)
        name, _, to = word.partition("=")
        if path.is_file():
            pairs = _read_map(source_of(path), problems)
        elif name and to:
            pairs = [(name, to)]
        else:
            raise UsageError(f"--rename {word}: there is no such file; or write PREDICTION=TOPIC")
        for name, to in pairs:
            if rename.setdefault(name, to) != to:
                raise UsageError(f"--rename has '{name}' twice: as '{rename[name]}' and as '{to}'")
    return rename


def _read_map(source: Source, problems: Problems) -> list[tuple[str, str]]:
    """Read a file with a name and what it becomes in each row, or in a JSON object."""
    lines = [(number, line) for number, line in source.lines(problems) if line.strip()]
    problems.check()
    if source.suffix == ".json":
        text = "\n".join(line for _, line in lines)
        try:
            return [*msgspec.convert(parse_json(text), dict[str, str]).items()]
        except JsonError as error:
            raise DataError.of(str(error), source, error.line) from None
        except msgspec.ValidationError:
            raise DataError.of('expected a JSON object such as {"name": "topic"}', source) from None
    pairs = []
    for number, line in lines:
        cells = next(csv.reader([line], delimiter="\t" if "\t" in line else ","))
        if len(cells) != 2 or not all(cell.strip() for cell in cells):
            raise DataError.of(
                "expected two columns: the name of a prediction, and the gold's", source, number
            )
        pairs.append((cells[0].strip(), cells[1].strip()))
    return pairs
