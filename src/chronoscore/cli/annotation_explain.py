"""`--explain` of annotations: the document's text with the gold above and the system below."""

from __future__ import annotations

from collections.abc import Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from chronoscore.core.result import CaseMatches, CaseTexts

_COLOURS = {
    "CS": "green",
    "CP": "cyan",
    "IS": "magenta",
    "IP": "yellow",
    "ML": "red",
    "SL": "blue",
}
_FALLBACK = (100, 24)
"""The width in a pipe, which has none."""


def show_in_text(
    matches: Sequence[CaseMatches], texts: Sequence[CaseTexts], cases: Sequence[str]
) -> None:
    """Print the texts of cases with their annotations; no cases given means all.

    Colours repeat the letters, and are left out where there is no terminal.
    """
    from chronoscore.annotations.texts import text_of
    from chronoscore.reports.marked_text import legend_of, marked_text

    known = {(one.system, one.case): text_of(one.gold) for one in texts}
    width = get_terminal_size(_FALLBACK).columns
    for item in matches:
        text = known.get((item.system, item.case))
        if (
            text is None
            or item.metric.partition("(")[0] != "spans"
            or (cases and item.case not in cases)
        ):
            continue
        click.echo(f"\n{click.style(f'{item.system}, {item.case}', bold=True)}\n")
        for row in marked_text(text, item.matches, width):
            pieces = (
                click.style(one.text, fg=_COLOURS[one.code]) if one.code else one.text
                for one in row
            )
            click.echo("".join(pieces))
        met = legend_of(item.matches)
        if met:
            told = ", ".join(
                f"{click.style(code, fg=_COLOURS[code])} {outcome}" for code, outcome in met
            )
            click.echo(f"\n{told}; the same number: a pair")
        else:
            click.echo("\nthere are no annotations")
