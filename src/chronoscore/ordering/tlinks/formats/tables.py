"""Tables of relations, one a line: our own, that of TimeBank-Dense, and that of MATRES."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from sys import intern
from typing import NamedTuple

from chronoscore.core.columns import check_columns, misspelt, refuse_header_only
from chronoscore.core.reading import Reading
from chronoscore.ordering.awareness import KNOWN
from chronoscore.ordering.model import Link
from chronoscore.ordering.tlinks.formats.checking import Tally

VAGUE = "VAGUE"
COLUMNS = ("document", "source", "target", "relation")
DENSE = {
    "a": "AFTER",
    "b": "BEFORE",
    "i": "INCLUDES",
    "ii": "IS_INCLUDED",
    "s": "SIMULTANEOUS",
    "v": VAGUE,
}
MATRES = {"BEFORE": "BEFORE", "AFTER": "AFTER", "EQUAL": "SIMULTANEOUS", VAGUE: VAGUE}
_LOOKED_AT = 50
_EIID = re.compile(r"(?:ei)?[0-9]+")

Links = dict[str, list[Link]]
_Make = Callable[[list[str]], "tuple[str, Link] | str"]


class Table(NamedTuple):
    """A kind of table: its number of fields, and what makes a link, or words, of them."""

    fields: int
    expected: str
    make: _Make
    titled: bool = False
    vague: bool = False
    """Whether VAGUE is a word of the table, and not just an unknown relation."""


def read_table(path: Path, reading: Reading, tally: Tally, options: Mapping[str, str]) -> Links:
    """Read the links of a table by document, in the order of the lines.

    VAGUE in the tables of TimeBank-Dense and MATRES says that no relation can be told. Such pairs
    are left out with a notice, or kept where the option ``vague`` is ``keep``.
    """
    table = _table(path, reading)
    keep_vague = options.get("vague") == "keep"
    found: Links = {}
    lines = ((number, line) for number, line in reading.lines(path) if line.strip())
    if table.titled and not _fits(next(lines), path, reading):
        return found
    header_only = table.titled
    for number, line in lines:
        header_only = False
        fields = line.split("\t")
        if len(fields) == 1 and len(line.split()) == table.fields:
            tally.doubt("spaces", path, number)
            fields = line.split()
        if len(fields) != table.fields:
            many = f"{len(fields)} field{'s' * (len(fields) != 1)}"
            tally.doubt("fields", path, number, many, table.expected)
            continue
        made = table.make([field.strip() for field in fields])
        if isinstance(made, str):
            reading.problem(made, path, number)
            continue
        document, link = made
        if not (document and link.source and link.target and link.relation):
            reading.problem(f"a field is empty, expected {table.expected}", path, number)
        elif table.vague and link.relation == VAGUE:
            links = found.setdefault(document, [])
            if keep_vague:
                links.append(link)
            else:
                tally.notice("vague", path, number)
        else:
            tally.link(document, link, path, number)
            found.setdefault(document, []).append(link)
    if header_only:
        refuse_header_only("relation", reading, path)
    return found


def looks_like_links(lines: Iterable[str]) -> bool:
    """Whether these first lines of a file are those of a table of relations."""
    rows = [line.rstrip().split("\t") for line in lines if line.strip()]
    known = KNOWN | DENSE.keys() | MATRES.keys()
    titled = bool(rows) and _is_title([field.strip().lower() for field in rows[0]])
    return titled or (
        bool(rows) and all(len(row) in (3, 4, 6) and row[-1].strip() in known for row in rows)
    )


def _table(path: Path, reading: Reading) -> Table:
    """Tell the kind of a table by its first lines."""
    trial = Reading(encoding=reading.encoding, max_line=reading.max_line, lenient=True)
    looked = zip(range(_LOOKED_AT), trial.lines(path), strict=False)
    rows = [line.split("\t" if "\t" in line else None) for _, (_, line) in looked if line.strip()]
    rows = [[field.strip() for field in row] for row in rows]
    if not rows:
        return OWN
    title = [field.lower() for field in rows[0]]
    if _is_title(title):
        return _titled(title, path.stem)
    if _mostly(len(row) == 6 and row[5] in MATRES for row in rows):
        return Table(6, "document, verb, verb, eiid, eiid, relation", _matres, vague=True)
    if _mostly(len(row) == 4 and row[3] in DENSE for row in rows):
        return Table(4, "document, source, target and a, b, i, ii, s or v", _dense, vague=True)
    if len(rows[0]) == 3:
        return _titled(list(COLUMNS[1:]), path.stem)._replace(titled=False)
    return OWN


def _fits(first: tuple[int, str], path: Path, reading: Reading) -> bool:
    """Check the names of the columns."""
    number, line = first
    title = [field.strip().lower() for field in line.split("\t" if "\t" in line else None)]
    return check_columns(title, reading, path, needed=COLUMNS[1:], optional=COLUMNS, line=number)


def _is_title(fields: list[str]) -> bool:
    """Whether a row names the columns; one of them may be misspelt."""
    names = {"source", "target", "relation"}
    return len(names & {*fields, *misspelt(fields, names).values()}) == len(names)


def _mostly(told: Iterable[bool]) -> bool:
    """Whether more than half are so: one wrong line does not make another kind of table."""
    found = list(told)
    return 2 * sum(found) > len(found)


def _own(fields: list[str]) -> tuple[str, Link]:
    document, source, target, relation = map(intern, fields)
    return document, Link(source, target, relation)


OWN = Table(4, ", ".join(COLUMNS), _own)


def _titled(title: list[str], stem: str) -> Table:
    places = [title.index(name) if name in title else None for name in COLUMNS]

    def make(fields: list[str]) -> tuple[str, Link]:
        return _own([stem if place is None else fields[place] for place in places])

    return Table(len(title), ", ".join(title), make, titled=True)


def _dense(fields: list[str]) -> tuple[str, Link] | str:
    document, source, target, letter = fields
    if letter not in DENSE:
        return f"relation is '{letter[:40]}', expected one of {', '.join(DENSE)}"
    return _own([document, source, target, DENSE[letter]])


def _matres(fields: list[str]) -> tuple[str, Link] | str:
    document, _, _, source, target, relation = fields
    if relation not in MATRES:
        return f"relation is '{relation[:40]}', expected one of {', '.join(MATRES)}"
    for name in (source, target):
        if not _EIID.fullmatch(name):
            return f"'{name[:40]}' is not the number of an event instance"
    names = [f"ei{name.removeprefix('ei')}" for name in (source, target)]
    return _own([document, *names, MATRES[relation]])
