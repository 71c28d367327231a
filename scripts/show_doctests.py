"""Show the doctests of docstrings as code in the API reference, which reads them as Markdown.

mkdocs.yml names this file as an extension of griffe.
"""

import re
from typing import Any

import griffe

_DOCTEST = re.compile(r"(?:^|(?<=\n))>>> .*(?:\n(?!\n).*)*")
"""From the first prompt to the next blank line."""


def fenced(text: str) -> str:
    r"""Put doctests into code blocks.

    >>> fenced("Adds.\n\n>>> 1 + 1\n2\n\nMore.")
    'Adds.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore.'
    """
    return _DOCTEST.sub(lambda found: f"```pycon\n{found[0]}\n```", text)


class Doctests(griffe.Extension):
    """Changes every docstring that is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Put the doctests of an object into code blocks."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
