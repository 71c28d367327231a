"""The names of columns and fields: those that are not known, and those that are misspelt."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from chronoscore.core.reading import Reading

_SHORTEST = 4
"""Of shorter names too many other words are one letter away."""


def misspelt(names: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """Find names that are one edit away from a known name that is not among them.

    An edit adds, drops or changes one letter, or swaps two neighbours. Case does not count.

    >>> misspelt(["topc", "date", "dates", "source"], ["topic", "date", "summary"])
    {'topc': 'topic'}
    """
    names = list(dict.fromkeys(names))
    absent = [name for name in known if name not in names and len(name) >= _SHORTEST]
    unknown = [name for name in names if name not in known]
    meant = {
        name: next((other for other in absent if _one_edit(name.lower(), other.lower())), "")
        for name in unknown
    }
    return {name: other for name, other in meant.items() if other}


def _one_edit(one: str, other: str) -> bool:
    if len(one) > len(other):
        one, other = other, one
    if len(other) - len(one) > 1:
        return False
    start = 0
    while start < len(one) and one[start] == other[start]:
        start += 1
    if len(one) < len(other):
        return one[start:] == other[start + 1 :]
    if one[start + 1 :] == other[start + 1 :]:
        return True
    swapped = other[start : start + 2][::-1]
    return one[start : start + 2] == swapped and one[start + 2 :] == other[start + 2 :]


def check_columns(
    header: Sequence[str],
    reading: Reading,
    path: object,
    *,
    needed: Sequence[str],
    optional: Sequence[str],
    line: int | None = None,
    where: str = "",
    hints: Mapping[str, str] | None = None,
    features: bool = False,
) -> bool:
    """Check the header of a table; False if the rows below it can't be read.

    A column that is needed and absent, or there twice, is a problem; one that is misspelt is
    refused unless the reading is lenient; all others are named in one notice, unless they are
    `features`, which are read under any name. `hints` are ways out, by the needed column.
    """
    known = (*needed, *optional)
    meant = misspelt(header, known)
    wanted = {other: name for name, other in meant.items()}
    absent = [name for name in needed if name not in header]
    doubled = sorted({name for name in header if name and header.count(name) > 1})
    for name in absent:
        if name in wanted:
            message = f"; '{wanted[name]}' is one letter off: did you mean '{name}'? Rename it"
        else:
            message = f"{(hints or {}).get(name, '')}; there are: {', '.join(header)}"
        message = f"{where}there is no column '{name}'{message}"
        reading.problem(message, path, line, code="missing", field=name)
    for name in doubled:
        reading.problem(f"{where}the column '{name}' is there twice", path, line)
    refuse_misspelt({n: o for n, o in meant.items() if o not in absent}, reading, path, line, where)
    others = [name for name in header if name not in known and name not in meant]
    if others and not features:
        reading.notice(f"{where}columns not read: {', '.join(others)}", path)
    return not absent and not doubled


def refuse_misspelt(
    meant: Mapping[str, str],
    reading: Reading,
    path: object,
    line: int | None = None,
    where: str = "",
) -> None:
    """Refuse columns that are misspelt, unless the reading is lenient."""
    for name, other in meant.items():
        message = f"{where}unknown column '{name}'; did you mean '{other}'? Rename it"
        reading.doubt(message, path, line)


def refuse_header_only(what: str, reading: Reading, path: object, where: str = "") -> None:
    """Refuse a table without rows, as an empty file is refused."""
    reading.doubt(f"{where}there is a header but no {what} below it; is the file cut?", path)
