"""What a scoring verb does: read, score, print, save, and judge by the gates."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import click
import msgspec

from chronoscore.cli.needs import flag, from_command_line
from chronoscore.cli.options import Chosen, explain, make_reading, tell, to_explain
from chronoscore.cli.streaming import in_parts, refuse_parts, score_in_parts
from chronoscore.core.errors import DataError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from chronoscore.core.case import Case
    from chronoscore.core.family import Family
    from chronoscore.core.result import CaseMatches, CaseTexts, Result
    from chronoscore.engines.files import Read
    from chronoscore.engines.scoring import Scored
    from chronoscore.engines.stream import Inputs
    from chronoscore.reports.table import Table

    More = Callable[[Scored], Sequence[Table]]
    Show = Callable[[Result, str], str]


BASELINE = "(baseline)"


def score_and_print(
    home: str | Family,
    read: Read,
    options: Mapping[str, str | None],
    *,
    show: Show | None = None,
    more: More | None = None,
    inputs: Inputs | None = None,
    **chosen: Unpack[Chosen],
) -> None:
    """Score, print, save and judge by the gates: the whole of a scoring verb.

    `options` are the family's own; those that were not given are None. `show` renders the result
    where the verb has more to say than the tables; `more` are tables from the matches.
    `inputs` are the files, where they can be read in parts.
    """
    from chronoscore.engines.files import score_files
    from chronoscore.families import family

    chosen_family = family(home) if isinstance(home, str) else home
    given = {name: value for name, value in options.items() if value is not None}
    if chosen["output_format"] == "plain" and not chosen["by"]:
        chosen["by"] = (chosen_family.levels[1],)  # plain lines are told part by part
    settings = make_settings(chosen_family, given, chosen)
    gates = _gates(settings, chosen["fail_under"])
    before = _baseline(settings, chosen["no_worse_than"])
    reading = make_reading(chosen["encoding"], chosen["max_line"], chosen["lenient"])
    wants = bool(more or chosen["explain"] or chosen["save"] or chosen["report"])
    partly = False
    try:
        if inputs is not None and in_parts(inputs, chosen):
            scored, partly = score_in_parts(settings, inputs, reading, chosen, explain=wants)
        else:
            refuse_parts(chosen)
            _tell_of_parts()
            scored = score_files(settings, read, reading, _progress, explain=wants)
        if not any(system.rows for system in scored.result.systems):  # no gate could fail
            raise DataError.of("there is nothing to score")
    except DataError:
        for item in reading.notices:  # they may tell why nothing is there to be scored
            tell(str(item))
        raise
    for notice in scored.result.notices:
        tell(notice)
    _compare_with_signature(scored.result, chosen["from_signature"])
    to_explain(scored.matches, chosen["explain"], chosen["output_format"])
    if chosen["save"]:
        _save(scored, chosen["save"])
    if chosen["report"]:
        write_report_file(scored.result, scored.matches, scored.texts, chosen["report"])
    _print(scored, show, more, chosen["output_format"])
    explain(scored.result, scored.matches, chosen["explain"], chosen["output_format"], scored.texts)
    failed = _failed(scored.result, gates, chosen["bound"])
    failed += _worse(settings, before, scored.result, chosen) if before else []
    for line in failed:
        click.echo(f"{click.style('below the gate', fg='red', bold=True)}: {line}", err=True)
    if failed:
        raise SystemExit(1)
    if partly:
        raise SystemExit(4)


_PARTS_ONLY = ("workers", "strict", "progress")


def _tell_of_parts() -> None:
    """Say which options do nothing where files are read as a whole; calls may be of any size."""
    context = click.get_current_context(silent=True)
    if context is None:
        return
    for name in from_command_line(context):
        if name in _PARTS_ONLY:
            tell(f"{flag(context, name)} does nothing here: the files are read as a whole")


def _print(scored: Scored, show: Show | None, more: More | None, output_format: str) -> None:
    """Print the result, and the tables that its matches make."""
    from chronoscore.reports import render, render_tables

    click.echo((show or render)(scored.result, output_format), nl=False)
    tables = more(scored) if more else ()
    if tables:
        click.echo("\n" + render_tables(tables, output_format), nl=False)


def _save(scored: Scored, path: Path) -> None:
    """Save the result, and say where it is."""
    from chronoscore.core.result import save

    save(scored.result, scored.matches, path, scored.texts)
    tell(f"saved {path}")


def make_settings(family: Any, options: Mapping[str, str], chosen: Chosen) -> Any:
    """The settings of a run; functions that a signature names must be allowed one by one."""
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
            chance=_chance(chosen),
        )
    clashing = [
        f"--{name}"
        for name in ("protocol", "metric", "average", "undefined", "interval", "unit", "strata")
        if chosen[name]
    ] + [f"--{name}" for name in options]
    if clashing:
        raise UsageError(f"--from-signature sets {', '.join(clashing)} already; leave that out")
    signature = Signature.parse(chosen["from_signature"])
    made = Settings.from_signature(family, signature, chosen["by"], chosen["allow_function"])
    made.allowed_functions()
    return made


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
        try:
            metric.check_limit(least, settings.family.label(metric))
        except UsageError as error:
            raise UsageError(f"--fail-under {text}: {error}") from None
        gates.append((str(metric), least))
    return gates


def _chance(chosen: Chosen) -> Any:
    """The plan for intervals, if any were asked for; a gate on the lower bound asks for them."""
    from chronoscore.engines.chance import Chance

    method = chosen["interval"] or ("auto" if chosen["bound"] == "lower" else None)
    if method is None:
        if chosen["unit"] or chosen["strata"]:
            raise UsageError("--unit and --strata are for intervals: add --interval auto")
        return None
    return Chance.checked(method, chosen["level"], chosen["seed"], chosen["unit"], chosen["strata"])


def write_report_file(
    result: Result, matches: Sequence[CaseMatches], texts: Sequence[CaseTexts], path: Path
) -> None:
    """Write the report and say where it is."""
    from chronoscore.reports.html import write_report

    write_report(result, matches, texts, path)
    tell(f"the report is {path}")


def _baseline(settings: Any, path: Path | None) -> Result | None:
    """The result that no system may be worse than; one that does not fit is told at once."""
    if path is None:
        return None
    from chronoscore.core.result import load
    from chronoscore.engines.contrasting import comparable
    from chronoscore.engines.scoring import assemble
    from chronoscore.engines.verifying import verify

    before = load(path)
    if len(before.systems) != 1:
        raise UsageError(
            f"--no-worse-than wants a result of one system, {path} has {len(before.systems)}"
        )
    comparable([before, assemble(settings, {})])
    verify(settings.family, before, path)
    renamed = msgspec.structs.replace(before.systems[0], name=BASELINE)
    return msgspec.structs.replace(before, systems=(renamed,))


def _worse(settings: Any, before: Result, result: Result, chosen: Chosen) -> list[str]:
    """Which systems are significantly worse than the baseline, by the paired test."""
    from chronoscore.engines.chance import Chance
    from chronoscore.engines.contrasting import Question, contrast

    chance = Chance.checked("auto", chosen["level"], chosen["seed"], chosen["unit"], "")
    made = contrast(settings.family, [before, result], Question(baseline=BASELINE, chance=chance))
    failed = []
    for metric in made.metrics:
        for pair in metric.pairs:
            first_is_old = pair.one == BASELINE
            ahead = pair.difference is not None and (
                pair.difference > 0 if first_is_old else pair.difference < 0
            )
            worse = ahead if metric.better == "higher" else not ahead
            if pair.one.startswith("(golds") or pair.two.startswith("(golds"):
                continue
            if worse and pair.p_corrected is not None and pair.p_corrected < 0.05:
                name = pair.two if first_is_old else pair.one
                failed.append(
                    f"{name}: {metric.label} is worse than the baseline's by "
                    f"{abs(pair.difference or 0):.4f} (p {pair.p_corrected:.4f})"
                )
    return failed


def _failed(result: Result, gates: Sequence[tuple[str, float]], bound: str) -> list[str]:
    failed = []
    for metric, least in gates:
        info = next(info for info in result.metrics if info.name == metric)
        for system in result.systems:
            if system.name.startswith("("):
                continue  # the golds themselves are shown for comparison, not judged
            for summary in system.summaries:
                if summary.metric == metric and not summary.group:
                    value = summary.scores[info.primary]
                    lower = info.better == "lower"
                    if bound == "lower":  # the end that is worse, where less is better the upper
                        sure = summary.intervals.get(info.primary)
                        value = (sure.high if lower else sure.low) if sure else None
                    if value is None or (value > least if lower else value < least):
                        got = "undefined" if value is None else f"{value:.6f}"
                        than = "less" if lower else "more"
                        what = info.label
                        if bound == "lower":
                            what = f"the {'upper' if lower else 'lower'} bound of {what}"
                        failed.append(f"{system.name}: {what} is {got}, not {least} or {than}")
    return failed


def _progress(name: str, cases: Sequence[Case[Any, Any]]) -> Iterable[Case[Any, Any]]:
    """Show a bar on a terminal, and nothing in a pipe or for work that is done at once."""
    if not sys.stderr.isatty() or len(cases) < 20:
        return cases
    return _bar(name, cases)


def _bar(name: str, cases: Sequence[Case[Any, Any]]) -> Iterator[Case[Any, Any]]:
    with click.progressbar(cases, label=name, file=sys.stderr, show_pos=True) as bar:
        yield from bar
