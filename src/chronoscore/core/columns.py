"""The names of columns and fields: those that are not known, and those that are misspelt."""

from collections.abc import Collection, Iterable

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
    header: Iterable[str],
    known: Collection[str],
    reading: Reading,
    path: object,
    *,
    line: int | None = None,
    where: str = "",
    others: str = "columns not read",
) -> None:
    """Refuse columns that are misspelt, and name all other unknown ones in one notice.

    `others` begins that notice; it is empty where columns of any name are read.
    """
    header = list(header)
    meant = misspelt(header, known)
    for name, other in meant.items():
        reading.doubt(
            f"{where}unknown column '{name}'; did you mean '{other}'? Rename the column", path, line
        )
    unknown = [name for name in header if name not in known and name not in meant]
    if unknown and others:
        reading.notice(f"{where}{others}: {', '.join(unknown)}", path)
