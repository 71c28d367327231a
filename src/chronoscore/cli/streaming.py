"""Scoring in parts from the command: when it is done, and how it tells how far it is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
import msgspec

from chronoscore.cli.options import Chosen, tell
from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from chronoscore.core.reading import Reading
    from chronoscore.engines.scoring import Scored
    from chronoscore.engines.stream import Inputs
    from chronoscore.engines.stream.running import Manifest, Progress

MOST_SHOWN = 20


def _asked(chosen: Chosen) -> list[str]:
    given = {
        "--engine": chosen["engine"],
        "--work": chosen["work"],
        "--chunk": chosen["chunk"],
        "--max-bad": chosen["most_bad"] is not None,
    }
    return [name for name, value in given.items() if value]


def in_parts(inputs: Inputs, chosen: Chosen) -> bool:
    """Whether files are read in parts: where it was asked for, or they are packed or large."""
    from chronoscore.engines.stream.inputs import must_stream

    return bool(_asked(chosen)) or must_stream(inputs)


def refuse_parts(chosen: Chosen) -> None:
    """Say that a verb or its options need all of the files at once."""
    if asked := _asked(chosen):
        raise UsageError(f"{asked[0]} is for files that are read in parts; here all are read")


def score_in_parts(
    settings: Any, inputs: Inputs, reading: Reading, chosen: Chosen, *, explain: bool
) -> tuple[Scored, bool]:
    """Score in parts; also whether only a part could be scored."""
    from chronoscore.engines.stream import Plan, stream

    plan = Plan(
        engine=chosen["engine"] or "auto",
        workers=chosen["workers"],
        work=chosen["work"],
        chunk=chosen["chunk"],
        strict=chosen["strict"],
        most_bad=chosen["most_bad"],
    )
    on_terminal = chosen["progress"] == "auto" and sys.stderr.isatty()
    told = _line_progress if on_terminal else _silent
    watch = _json_progress if chosen["progress"] == "json" else told
    streamed = stream(settings, inputs, reading, plan, explain=explain, tell=tell, watch=watch)
    if on_terminal:
        click.echo(err=True)
    for bad in streamed.bad[:MOST_SHOWN]:
        for reason in bad.reasons[:3]:
            click.echo(f"{click.style('left out', fg='red')}: {bad.case}: {reason}", err=True)
    if streamed.bad:
        more = f" ({MOST_SHOWN} are shown)" if len(streamed.bad) > MOST_SHOWN else ""
        tell(
            f"cases left out since they are bad: {len(streamed.bad)}{more}; --strict stops instead"
        )
    _tell_manifest(streamed.manifest, chosen)
    return streamed.scored, bool(streamed.bad)


def _tell_manifest(manifest: Manifest, chosen: Chosen) -> None:
    """Say what the run was; a work folder keeps it."""
    if chosen["work"] is not None:
        document = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        (chosen["work"] / "manifest.json").write_bytes(document + b"\n")
    if chosen["progress"] == "json":
        click.echo(msgspec.json.encode(manifest), err=True)
    elif chosen["progress"] == "auto":
        reused = f", {manifest.reused} of them from before" if manifest.reused else ""
        tell(
            f"{manifest.cases} cases in {manifest.chunks} parts{reused}, engine {manifest.engine}, "
            f"workers {manifest.workers}, {manifest.rate:,.0f} cases a second"
        )


def _silent(_: Progress) -> None:
    """Nothing is told in a pipe."""


def _line_progress(progress: Progress) -> None:
    left = (progress.of - progress.cases) / progress.rate if progress.rate else 0
    text = (
        f"{progress.cases:,} of {progress.of:,} cases, {progress.rate:,.0f} a second, "
        f"{left:.0f} s left"
    )
    click.echo(f"\r{text:70}", err=True, nl=False)


def _json_progress(progress: Progress) -> None:
    document = {**msgspec.to_builtins(progress), "rate": progress.rate}
    click.echo(msgspec.json.encode(document), err=True)
