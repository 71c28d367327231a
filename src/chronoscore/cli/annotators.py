"""`chronoscore annotators`: how far do annotators agree on spans and labels?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from chronoscore.cli.options import (
    examples,
    level_option,
    make_reading,
    named_paths,
    reading_options,
    table_format_option,
    tell,
)
from chronoscore.cli.packed import unpacked
from chronoscore.core.errors import DataError, UsageError

if TYPE_CHECKING:
    from chronoscore.annotations.model import Document
    from chronoscore.core.reading import Reading


@click.command(
    short_help="Say how far annotators agree on spans and labels.",
    epilog=examples(
        "chronoscore annotators demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl",
        "chronoscore annotators ana=demo/careful.jsonl ben=demo/quick.jsonl --labels",
    ),
)
@click.argument("sets", nargs=-1, required=True)
@click.option(
    "--feature",
    "features",
    multiple=True,
    metavar="NAME",
    help="A feature that must agree beside the type; may be repeated.",
)
@click.option(
    "--type", "types", multiple=True, metavar="NAME", help="Only this type; may be repeated."
)
@click.option(
    "--label",
    metavar="FEATURE",
    help="Also the agreement on this feature's values where spans are the same.",
)
@click.option("--labels", "types_are_labels", is_flag=True, help="The same, of the types.")
@level_option
@table_format_option
@reading_options
def command(
    sets: tuple[str, ...],
    features: tuple[str, ...],
    types: tuple[str, ...],
    label: str | None,
    types_are_labels: bool,
    level: float,
    output_format: str,
    encoding: str,
    max_line: int,
    lenient: bool,
) -> None:
    """Say how far annotators agree on spans: F1 between each two, with intervals over documents.

    Each SET is what one annotator wrote, in any form that `chronoscore annotations` reads; name it
    with NAME=PATH. A single file is taken apart by its annotation sets. Only documents that both
    annotators of a pair have are compared. With --label or --labels also the confusion of labels,
    Cohen's kappa and Scott's pi.
    """
    from chronoscore.annotations.annotators import pairwise
    from chronoscore.annotations.classification import Confusion, confusion, label_pairs
    from chronoscore.annotations.metrics import SPANS
    from chronoscore.annotations.naming import doubt_among
    from chronoscore.reports import render_tables
    from chronoscore.reports.annotators import annotator_tables, label_tables
    from chronoscore.reports.tables_json import tables_json

    if not 0 < level < 1:
        raise UsageError(f"--level is {level}, expected a number between 0 and 1")
    if label and types_are_labels:
        raise UsageError("give --label FEATURE or --labels, not both")
    reading = make_reading(encoding, max_line, lenient)
    read = _annotators(sets, reading)
    metric = SPANS(**({"features": features} if features else {}), **_only(types))
    every = (a for several in read.values() for one in several.values() for a in one.annotations)
    doubt_among(metric, every, reading, by=(label,) if label else ())
    reading.check()
    pairs = pairwise(read, metric)
    for pair in pairs:
        if not pair.documents:
            raise DataError.of(f"{pair.one} and {pair.other} have no document in common")
        left = len(read[pair.one]) + len(read[pair.other]) - 2 * len(pair.documents)
        if left:
            reading.notice(f"{pair.one} and {pair.other}: {left} documents are only one's")
    for notice in reading.notices:
        tell(str(notice))
    tables = annotator_tables(pairs, level)
    if label or types_are_labels:
        found = {}
        for pair in pairs:
            whole = Confusion({})
            for name in pair.documents:
                one, two = (
                    [a for a in read[who][name].annotations if not types or a.type in types]
                    for who in (pair.one, pair.other)
                )
                whole += confusion(label_pairs(one, two, label or ""))
            found[pair.one, pair.other] = whole
        tables += label_tables(found, label or "")
    if output_format == "json":
        click.echo(tables_json(tables), nl=False)
        return
    click.echo(render_tables(tables, output_format), nl=False)


def _only(types: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {"types": types} if types else {}


def _annotators(sets: tuple[str, ...], reading: Reading) -> dict[str, dict[str, Document]]:
    """The documents of each annotator: a file each, or the annotation sets of a single one."""
    from dataclasses import replace

    from chronoscore.annotations import read_documents

    read: dict[str, dict[str, Document]] = {}
    for name, path in named_paths(sets).items():
        (plain,) = unpacked([path], reading)
        found = read_documents(plain, reading)
        read[name] = {
            key if len(golds) == 1 else f"{key}/{gold}": document
            for key, golds in found.items()
            for gold, document in golds.items()
        }
    reading.check()
    if len(read) > 1:
        return read
    (whole,) = read.values()
    names = sorted({one.set for document in whole.values() for one in document.annotations})
    if len(names) < 2:
        raise UsageError(
            "agreement needs two annotators: give two files, or one with several annotation sets"
        )
    return {
        name or "(default)": {
            key: replace(
                document,
                annotations=tuple(one for one in document.annotations if one.set == name),
            )
            for key, document in whole.items()
        }
        for name in names
    }
