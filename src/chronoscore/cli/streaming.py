"""Scoring in parts from the command: when it is done, and how it tells how far it is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
import msgspec

from chronoscore.cli.options import Chosen, tell
from chronoscore.core.errors import UsageError
from chronoscore.core.sealing import sealed_document
from chronoscore.core.writing import write_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chronoscore.core.errors import Problem
    from chronoscore.core.reading import Reading
    from chronoscore.engines.scoring import Scored
    from chronoscore.engines.stream import Inputs
    from chronoscore.engines.stream.chunks import Bad
    from chronoscore.engines.stream.manifest import Manifest, Progress

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
        workers=chosen["workers"] or 0,
        dashboard=chosen["dashboard"],
        work=chosen["work"],
        chunk=chosen["chunk"] or 0,
        strict=chosen["strict"],
        most_bad=chosen["most_bad"],
    )
    on_terminal = chosen["progress"] == "auto" and sys.stderr.isatty()
    in_json = chosen["progress"] == "json"
    told = _line_progress if on_terminal else _silent
    streamed = stream(
        settings,
        inputs,
        reading,
        plan,
        explain=explain,
        tell=_json_notice if in_json else tell,
        watch=_json_progress if in_json else told,
    )
    if on_terminal:
        click.echo(err=True)
    _tell_bad(streamed.bad, chosen)
    _tell_unread(streamed.unread, chosen)
    _tell_manifest(streamed.manifest, chosen)
    return streamed.scored, bool(streamed.bad or streamed.unread)


def _tell_bad(bad: Sequence[Bad], chosen: Chosen) -> None:
    """Name the cases that were left out: all of them to machines, the first ones to people."""
    if chosen["progress"] == "json":
        for one in bad:
            _json_event("bad", {"case": one.case, "reasons": one.reasons})
        return
    for one in bad[:MOST_SHOWN]:
        for reason in one.reasons[:3]:
            name = one.case or "(lines that name no case)"
            click.echo(f"{click.style('left out', fg='red')}: {name}: {reason}", err=True)
    if bad:
        more = f" ({MOST_SHOWN} of {len(bad)} are shown)" if len(bad) > MOST_SHOWN else ""
        tell(f"--strict stops at a bad case instead of leaving it out{more}")


def _tell_unread(unread: Sequence[Problem], chosen: Chosen) -> None:
    """Name the lines that can't be read: all of them to machines, the first ones to people."""
    if chosen["progress"] == "json":
        for one in unread:
            _json_event("unread", {"file": one.path, "line": one.line, "reason": one.message})
        return
    for one in unread[:MOST_SHOWN]:
        click.echo(f"{click.style('not read', fg='red')}: {one}", err=True)
    if unread:
        more = f" ({MOST_SHOWN} of {len(unread)} are shown)" if len(unread) > MOST_SHOWN else ""
        tell(f"--strict stops at a line that can't be read instead of going on without it{more}")


def _tell_manifest(manifest: Manifest, chosen: Chosen) -> None:
    """Say what the run was; a work folder keeps it."""
    if chosen["work"] is not None:
        path = chosen["work"] / "manifest.json"
        document = msgspec.json.encode(sealed_document(msgspec.to_builtins(manifest)))
        write_file(path, msgspec.json.format(document, indent=1) + b"\n")
    if chosen["progress"] == "json":
        _json_event("manifest", msgspec.to_builtins(manifest))
    elif chosen["progress"] == "auto":
        reused = f", {manifest.reused} of them from before" if manifest.reused else ""
        workers = f"{manifest.workers} worker{'s' if manifest.workers > 1 else ''}"
        cases = f"{manifest.cases:,} case{'s' if manifest.cases != 1 else ''}"
        parts = f"{manifest.chunks} part{'s' if manifest.chunks != 1 else ''}"
        tell(
            f"{cases} in {parts}{reused}, engine "
            f"{manifest.engine}, {workers}, {manifest.seconds['total']:.1f} s, "
            f"{manifest.rate:,.0f} cases a second while measuring"
        )


def _silent(_: Progress) -> None:
    """Nothing is told in a pipe."""


def _line_progress(progress: Progress) -> None:
    if progress.stage == "index":
        megabytes = f"{progress.done / 1e6:,.0f}"
        whole = f" of {progress.of / 1e6:,.0f}" if progress.of else ""
        text = f"reading, {megabytes}{whole} MB, {progress.rate / 1e6:,.0f} MB a second"
    else:
        text = f"{progress.done:,} of {progress.of:,} cases, {progress.rate:,.0f} a second"
    if progress.left is not None:
        text += f", {duration(progress.left)} left"
    click.echo(f"\r{text:70}", err=True, nl=False)


def duration(seconds: float) -> str:
    """Say how long something takes.

    >>> duration(7.4), duration(200), duration(8000)
    ('7 s', '3 min 20 s', '2 h 13 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _json_progress(progress: Progress) -> None:
    more = {"rate": progress.rate, "left": progress.left}
    _json_event("progress", {**msgspec.to_builtins(progress), **more})


def _json_notice(notice: str) -> None:
    _json_event("notice", {"text": notice})


def _json_event(name: str, document: Mapping[str, Any]) -> None:
    """One line of JSON for machines."""
    click.echo(msgspec.json.encode({"event": name, **document}).decode(), err=True)
