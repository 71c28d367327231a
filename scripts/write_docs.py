"""Write the pages that come from the code: commands, catalogue, schemas, tables of simulations.

Run as `make reference` after a change; a test fails while they are out of date.
"""

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import click

from benchmarks.simulation.record import load
from chronoscore.cli.main import VERBS, command
from chronoscore.core.records import json_schema
from chronoscore.core.result import schema
from chronoscore.families import NAMES, family
from chronoscore.reports.catalogue import description
from chronoscore.rubric.codebook import Codebook
from scripts.prove import filled
from scripts.run_examples import DOCS, run_command

_HELP_WIDTH, _WIDTH = 78, 100
"""Columns of the help and of other texts, whatever the terminal."""


def _codebook_schema() -> dict[str, Any]:
    """The JSON schema of a codebook's file."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Chronoscore codebook",
    }
    return head | json_schema(Codebook)


def _example(command: str, lines: int) -> list[str]:
    """A command with the first lines that it prints, as `scripts.run_examples` writes it."""
    with tempfile.TemporaryDirectory() as folder:
        _, output = run_command(command, Path(folder))
    comment = f"<!-- shows: first {lines} lines -->"
    shown = [line.rstrip() for line in output.splitlines()[:lines]]
    return [comment, "```console", f"$ {command}", *shown, "...", "```"]


def commands() -> str:
    """The help of every verb, and a table of them."""
    table, helps = ["| command | what it does |", "|---|---|"], []
    with click.Context(command, info_name="chronoscore", terminal_width=_HELP_WIDTH) as top:
        for verb in VERBS:
            made = command.get_command(top, verb)
            assert made is not None
            with click.Context(
                made, info_name=verb, parent=top, terminal_width=_HELP_WIDTH
            ) as context:
                link = f"[`{verb}`](#{verb.replace(' ', '-')})"
                table.append(f"| {link} | {made.get_short_help_str(limit=_WIDTH)} |")
                helps += [f"## {verb}", "", "```text", made.get_help(context), "```", ""]
    parts = ["# Commands", "", *_example("chronoscore --help", 8), "", *table, ""]
    parts += ["Below is the help of each command, as `chronoscore COMMAND --help` prints it.", ""]
    return "\n".join([*parts, *helps])


def catalogue() -> str:
    """All that is known of every metric."""
    parts = ["# Catalogue", "", *_example("chronoscore metrics date-f1", 9), ""]
    parts += [
        "`chronoscore metrics` lists all metrics and protocols. Below is what is known of each.",
        "",
    ]
    for name in NAMES:
        home = family(name)
        parts += [f"## {name}", "", f"*{home.question}*", ""]
        for protocol in home.protocols:
            told = f"**Protocol `{protocol.name}`** ({', '.join(protocol.metrics)}; "
            told += f"average `{protocol.path}`; undefined: {protocol.undefined}): "
            names = f" Also called {', '.join(protocol.aliases)}." if protocol.aliases else ""
            parts += [f"{told}{protocol.meaning}. Source: {protocol.citation}.{names}", ""]
        for definition in home.definitions:
            text = description(home, definition(), _WIDTH)
            parts += [f"### {definition.name}", "", "```text", text.rstrip(), "```", ""]
    return "\n".join(parts)


def statistics() -> str:
    """The page of statistics, with the tables that the simulation recorded."""
    recorded = load()

    def fill(mark: re.Match[str]) -> str:
        lines = recorded[mark["name"]].lines()
        return "\n".join([mark["start"], "", *lines, "", mark["end"]])

    pattern = r"(?P<start><!-- simulated: (?P<name>.*?) -->).*?(?P<end><!-- end -->)"
    text = (DOCS / "statistics.md").read_text(encoding="utf-8")
    return re.sub(pattern, fill, text, flags=re.DOTALL)


def pages() -> dict[Path, str]:
    """Every generated page and what it should say."""
    return {
        DOCS / "commands.md": commands(),
        DOCS / "catalogue.md": catalogue(),
        DOCS / "statistics.md": statistics(),
        DOCS / "proof.md": filled((DOCS / "proof.md").read_text(encoding="utf-8")),
        DOCS / "result.schema.json": json.dumps(schema(), indent=1) + "\n",
        DOCS / "codebook.schema.json": json.dumps(_codebook_schema(), indent=1) + "\n",
    }


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8", newline="\n")
        click.echo(f"wrote {path}")
