"""Options that mean the same in every verb, and what a scoring verb does with them."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

import click

from chronoscore.core.errors import DataError, UsageError

if TYPE_CHECKING:
    from chronoscore.core.case import Case
    from chronoscore.core.reading import Reading
    from chronoscore.core.result import CaseMatches, Result
    from chronoscore.engines.files import Read

Function = TypeVar("Function", bound=Callable[..., Any])
FORMATS = ("text", "markdown", "csv", "json")
ALL_CASES = "all"


class Chosen(TypedDict):
    """What the common options of a scoring verb were set to."""

    protocol: str | None
    metric: tuple[str, ...]
    average: str | None
    undefined: str | None
    by: tuple[str, ...]
    output_format: str
    save: Path | None
    explain: tuple[str, ...]
    fail_under: tuple[str, ...]
    from_signature: str | None
    encoding: str
    max_line: int
    lenient: bool


_SCORING = [
    click.option("--protocol", metavar="NAME", help="Metrics and conventions of a publication."),
    click.option(
        "-m", "--metric", multiple=True, metavar="NAME", help="A metric; may be repeated."
    ),
    click.option("--average", metavar="PATH", help="micro, macro, or a path over the levels."),
    click.option(
        "--undefined",
        metavar="POLICY",
        help="What 0/0 counts as: skip, zero, one, or agree (1 if both sides are empty).",
    ),
    click.option("--by", multiple=True, metavar="TAG", help="Break down by a tag, or by case."),
    click.option(
        "--explain",
        multiple=True,
        metavar="CASE",
        help="Show the matches of a case; 'all' for every case.",
    ),
    click.option(
        "--save",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Save the result as JSON, its matches beside it.",
    ),
    click.option(
        "--fail-under",
        multiple=True,
        metavar="[METRIC=]X",
        help="Exit with 1 if a system's score is below X (or undefined).",
    ),
    click.option(
        "--from-signature", metavar="SIG", help="Take all settings from a result's signature."
    ),
]
_READING = [
    click.option("--encoding", default="utf-8", show_default=True, help="Encoding of the files."),
    click.option(
        "--max-line",
        type=int,
        default=16 * 1024 * 1024,
        show_default=True,
        metavar="BYTES",
        help="Refuse longer lines.",
    ),
    click.option("--lenient", is_flag=True, help="Accept doubtful input, with a notice."),
]
_FORMAT = click.option(
    "-f",
    "--format",
    "output_format",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="How to print the result.",
)


def _apply(options: Sequence[Callable[[Function], Function]], function: Function) -> Function:
    for option in reversed(options):
        function = option(function)
    return function


def reading_options(function: Function) -> Function:
    """Add the options on how files are read."""
    return _apply(_READING, function)


def scoring_options(function: Function) -> Function:
    """Add the options that all scoring verbs share."""
    return _apply([*_SCORING, _FORMAT, *_READING], function)


format_option = _FORMAT


def examples(*lines: str) -> str:
    """Write the end of a verb's help: examples that run after `chronoscore demo --data demo`."""
    listed = "\n".join(f"  {line}" for line in lines)
    return f"\b\nExamples (on the data of `chronoscore demo --data demo`):\n{listed}"


def make_reading(encoding: str, max_line: int, lenient: bool) -> Reading:
    """Prepare the reading of files."""
    from chronoscore.core.reading import Reading

    return Reading(encoding=encoding, max_line=max_line, lenient=lenient)


def named_paths(paths: Sequence[str]) -> dict[str, Path]:
    """Name systems after their files, or as told by NAME=PATH."""
    named: dict[str, Path] = {}
    for text in paths:
        name, equals, rest = text.partition("=")
        path = Path(rest) if equals and not Path(text).exists() else Path(text)
        name = name if path == Path(rest) and equals else path.stem if path.suffix else path.name
        if not name or (equals and not rest) or not text:
            raise UsageError(f"'{text}' does not name a system and its file; write NAME=PATH")
        if name in named:
            raise UsageError(
                f"two systems are named '{name}'; name them apart: first={named[name]} "
                f"second={path}"
            )
        named[name] = path
    return named


def score_and_print(
    family_name: str,
    read: Read,
    options: Mapping[str, str | None],
    **chosen: Unpack[Chosen],
) -> None:
    """Score, print, save and judge by the gates: the whole of a scoring verb.

    `options` are the family's own; those that were not given are None.
    """
    from chronoscore.core.result import save
    from chronoscore.engines.files import score_files
    from chronoscore.families import family
    from chronoscore.reports import render

    given = {name: value for name, value in options.items() if value is not None}
    settings = _settings(family(family_name), given, chosen)
    gates = _gates(settings, chosen["fail_under"])
    reading = make_reading(chosen["encoding"], chosen["max_line"], chosen["lenient"])
    try:
        scored = score_files(
            settings,
            read,
            reading,
            _progress,
            explain=bool(chosen["explain"] or chosen["save"]),
        )
        if not any(system.rows for system in scored.result.systems):  # no gate could fail
            raise DataError.of("there is nothing to score")
    except DataError:
        for item in reading.notices:  # they may tell why nothing is there to be scored
            tell(str(item))
        raise
    for notice in scored.result.notices:
        tell(notice)
    _compare_with_signature(scored.result, chosen["from_signature"])
    if chosen["save"]:
        try:
            save(scored.result, scored.matches, chosen["save"])
        except OSError as error:
            why = error.strerror or error
            raise UsageError(f"--save {chosen['save']}: can't be written: {why}") from None
        tell(f"saved {chosen['save']}")
    click.echo(render(scored.result, chosen["output_format"]), nl=False)
    explain(scored.result, scored.matches, chosen["explain"], chosen["output_format"])
    failed = _failed(scored.result, gates)
    for line in failed:
        click.echo(f"{click.style('below the gate', fg='red', bold=True)}: {line}", err=True)
    if failed:
        raise SystemExit(1)


def tell(notice: str) -> None:
    """Say something beside the result."""
    click.echo(f"{click.style('notice', fg='yellow')}: {notice}", err=True)


def explain(
    result: Result, matches: Sequence[CaseMatches], cases: Sequence[str], output_format: str
) -> None:
    """Print the matches of the cases that were asked for."""
    if not cases:
        return
    if output_format == "json":
        raise UsageError("--explain has no JSON form: --save writes the matches beside the result")
    from chronoscore.reports import render_tables
    from chronoscore.reports.tables import explanation

    known = {item.case for item in matches}
    for case in cases:
        if case not in known and case != ALL_CASES:
            raise UsageError(f"there is no case '{case}' to explain; --by case lists the cases")
    chosen = [] if ALL_CASES in cases else list(cases)
    click.echo("\n" + render_tables(explanation(result, matches, chosen), output_format), nl=False)


def _settings(family: Any, options: Mapping[str, str], chosen: Chosen) -> Any:
    from chronoscore.core.signature import Signature
    from chronoscore.engines.settings import Settings

    if chosen["from_signature"] is None:
        return Settings.make(
            family,
            protocol=chosen["protocol"],
            metrics=chosen["metric"],
            average=chosen["average"],
            undefined=chosen["undefined"],
            options=options,
            by=chosen["by"],
        )
    clashing = [
        f"--{name}" for name in ("protocol", "metric", "average", "undefined") if chosen[name]
    ] + [f"--{name}" for name in options]
    if clashing:
        raise UsageError(f"--from-signature sets {', '.join(clashing)} already; leave that out")
    return Settings.from_signature(family, Signature.parse(chosen["from_signature"]), chosen["by"])


def _compare_with_signature(result: Result, text: str | None) -> None:
    """Say where a repeated run is not the run that the signature was made by."""
    if text is None:
        return
    from chronoscore.core.signature import Signature

    wanted = Signature.parse(text)
    for system in result.systems:
        found = Signature.parse(system.signature)
        for name, before, now in (
            ("gold", wanted.gold, found.gold),
            ("prediction", wanted.predicted, found.predicted),
            ("version", wanted.version, found.version),
        ):
            if before and before != now:
                tell(f"{system.name}: the {name} is not the signature's ({now}, not {before})")


def _gates(settings: Any, texts: Sequence[str]) -> list[tuple[str, float]]:
    gates = []
    for text in texts:
        name, equals, number = text.rpartition("=")
        metric = settings.family.metric(name) if equals else settings.metrics[0]
        if metric not in settings.metrics:
            raise UsageError(f"--fail-under {text}: '{name}' is not among the metrics of this run")
        try:
            least = float(number)
        except ValueError:
            least = math.nan
        if not math.isfinite(least):  # nothing is below NaN: the gate would never fail
            raise UsageError(f"--fail-under {text}: '{number}' is not a number")
        gates.append((str(metric), least))
    return gates


def _failed(result: Result, gates: Sequence[tuple[str, float]]) -> list[str]:
    failed = []
    for metric, least in gates:
        info = next(info for info in result.metrics if info.name == metric)
        for system in result.systems:
            for summary in system.summaries:
                if summary.metric == metric and not summary.group:
                    value = summary.scores[info.primary]
                    if value is None or value < least:
                        got = "undefined" if value is None else f"{value:.6f}"
                        failed.append(f"{system.name}: {info.label} is {got}, not {least} or more")
    return failed


def _progress(name: str, cases: Sequence[Case[Any, Any]]) -> Iterable[Case[Any, Any]]:
    """Show a bar on a terminal, and nothing in a pipe or for work that is done at once."""
    if not sys.stderr.isatty() or len(cases) < 20:
        return cases
    return _bar(name, cases)


def _bar(name: str, cases: Sequence[Case[Any, Any]]) -> Iterator[Case[Any, Any]]:
    with click.progressbar(cases, label=name, file=sys.stderr, show_pos=True) as bar:
        yield from bar
