"""A notice that counts: so many of something, and the first of them.

Where a file is read in parts, no part knows the whole number or the first by the order of the
file; so counts and names stay apart from the words until those who see all parts put them in.
"""

from collections.abc import Iterable

import msgspec

MOST_NAMED = 5
Place = tuple[int, int, str]
"""The file among several that make one, a line in it (0 if there is none), and a name."""


class Tally(msgspec.Struct, frozen=True):
    """So many of something in a file, and the names of the first.

    The message has `{count}` and may have `{first}` (the first name), `{some}` (the first names),
    `{place}` (the first line) and `{s}` (for plurals); other braces in it are doubled.
    """

    message: str
    path: str
    count: int
    first: tuple[Place, ...] = ()
    here: bool = False
    """Whether the notice stands at the first line, and not at the file as a whole."""

    def text(self, place: str = "") -> str:
        """The message with its numbers and names; `place` is the first line, as people know it."""
        names = [name for _, _, name in self.first]
        more = self.count - len(names)
        return self.message.format(
            count=self.count,
            first=names[0] if names else "",
            some=", ".join(names) + (f" and {more} more" if more > 0 else ""),
            place=place or (f"line {self.first[0][1]}" if self.first else ""),
            s="s" * (self.count != 1),
        )


def escaped(text: str) -> str:
    """Words from the data, so that their braces stay what they are in a message.

    >>> escaped("{x}").format()
    '{x}'
    """
    return text.replace("{", "{{").replace("}", "}}")


def earliest(found: Iterable[Place]) -> tuple[Place, ...]:
    """The first ones by file, line and name."""
    return tuple(sorted(found)[:MOST_NAMED])
