"""What verbs print and write: notices, tables, pages, explanations, and the progress of a run.

Results go to standard output; everything else goes to standard error.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from chronoscore.core.case import some
from chronoscore.core.writing import json_text, sealed_document, write_file
from chronoscore.errors import UsageError, one_line
from chronoscore.reports.rendering import PAPER_FORMATS, render_tables
from chronoscore.reports.table import plural
from chronoscore.reports.terminal import terminal_width, wrapped_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from chronoscore.cli.options import Args
    from chronoscore.core.contrast import Contrast
    from chronoscore.core.family import Family
    from chronoscore.core.result import CaseMatches, CaseTexts, ResultDocument
    from chronoscore.engines.plan import Manifest, Progress
    from chronoscore.engines.scoring import Notify, Scored, Watch
    from chronoscore.reports.html.head import RunHead
    from chronoscore.reports.matrix import PublishedScores, ScoreMatrix
    from chronoscore.reports.table import Table

ALL_CASES = "all"
MOST_SHOWN = 20
"""The largest number of left-out cases, or of unreadable lines, that is printed."""
QUIET_SECONDS = 0.1
"""Seconds between two updates of the progress line; shorter work shows no line."""
_COLOURS = {"CS": "green", "CP": "cyan", "IS": "magenta", "IP": "yellow", "ML": "red", "SL": "blue"}
_PENDING: dict[str, None] = {}
"""Notices that are to be printed after the tables."""


def tell(notice: object) -> None:
    """Keep a notice for `print_notices`, so that it stands after the tables; equal ones once."""
    _PENDING[str(notice)] = None


def tell_all(notices: Iterable[object]) -> None:
    """Keep several notices."""
    for notice in notices:
        tell(notice)


def tell_of_other_files(folder: Path, written: Iterable[Path], advice: str) -> None:
    """Keep a notice on files of a folder that are of the same kind as those written, but are older.

    Whoever reads or publishes the folder would take them for files of this run.
    """
    paths = {*written}
    endings = {path.suffix for path in paths}
    found = folder.rglob("*") if folder.is_dir() else ()
    others = sorted(path for path in found if path.suffix in endings and path not in paths)
    if others:
        names = some([path.relative_to(folder).as_posix() for path in others])
        tell(f"{folder} also holds {plural(len(others), 'older file')} ({names}): {advice}")


def tell_now(notice: object) -> None:
    """Print a notice on standard error at once, since something is about to take long."""
    _print_message("notice", "yellow", str(notice))


def print_notices() -> None:
    """Print the notices that were kept; every verb ends with it."""
    notices = list(_PENDING)
    _PENDING.clear()
    for notice in notices:
        tell_now(notice)


def _print_message(label: str, colour: str, text: str) -> None:
    """Print a message on standard error, in lines that fit the terminal."""
    first, *others = wrapped_lines(text, terminal_width(), first=f"{label}: ")
    styled = first.replace(label, click.style(label, fg=colour), 1)
    click.echo("\n".join([styled, *others]), err=True)


def tables_as(
    output_format: str, tables: Sequence[Table], json: Callable[[], str], csv: slice = slice(None)
) -> str:
    """Render tables in a format; `csv` selects the tables of CSV, `json` renders the document."""

    return (
        json()
        if output_format == "json"
        else rendered(tables[csv] if output_format == "csv" else tables, output_format)
    )


def result_in_format(
    family: Family,
    result: ResultDocument,
    args: Args,
    contrast: Contrast | None = None,
    by_value: Sequence[Contrast] = (),
) -> str:
    """Render a result in the format of the call: one table in that of a paper, else all tables."""
    if args.output_format not in PAPER_FORMATS:
        from chronoscore.reports.result_text import render

        how, full = args.output_format, args.full
        return render(family, result, how, styled=is_styled(), full=full)
    from chronoscore.reports.paper import paper_table
    from chronoscore.reports.result_tables import FamilyTables, breakdown_tables, tables_of

    result = FamilyTables.of(family).visible(result)
    matrix = paper_matrix(result, args, contrast, by_value)
    table = paper_table(matrix, args.output_format, underline_second=args.underline_second)
    others = [] if contrast else breakdown_tables(family, result)
    others[:0] = tables_of(family, result)[1:] if contrast is None and args.full else []
    return "\n".join(filter(None, (table, render_tables(others, args.output_format))))


def paper_matrix(
    result: ResultDocument,
    args: Args,
    contrast: Contrast | None = None,
    by_value: Sequence[Contrast] = (),
) -> ScoreMatrix:
    """Make the matrix of the table of a paper, as the options of the call want it."""
    from chronoscore.core.names import split
    from chronoscore.reports.matrix import score_matrix

    return score_matrix(
        result,
        columns=[name.strip() for name in split(args.columns or "", ",")],
        # A test is of the main score alone.
        full=contrast is None and (args.full or len(result.metrics) == 1),
        contrast=contrast,
        by_value=by_value,
        published=args.published_rows,
        digits=args.digits or 3,
    )


def published_rows(
    name: str | None, result: ResultDocument, home: Family
) -> Sequence[PublishedScores]:
    """Return the published results that --published names: of a bundled collection, or a file.

    `result` has the metrics that the table will have, and `home` is its family.
    """
    if name is None:
        return ()
    from chronoscore.core.metric import Law
    from chronoscore.core.problems import Problems
    from chronoscore.core.sources import source_of
    from chronoscore.reports.paper import read_published
    from chronoscore.reports.result_tables import short
    from chronoscore.timelines.readings import PublishedChoice, collections, published_scores

    is_file = Path(name).is_file()
    if not is_file and result.family == "timelines":
        choice = PublishedChoice.parse(name)
        if choice.is_bundled:
            return published_scores(choice)
    if not is_file:
        bundled = ", ".join(collections()) if result.family == "timelines" else "none"
        raise UsageError(
            f"--published {name}: there is no such file, and no bundled results of that name; "
            f"bundled: {bundled}"
        )
    known = {
        f"{metric.label}.{name}": metric
        for metric in result.metrics
        for score in metric.scores
        for name in (score, short(score))
    }
    known |= {metric.label: metric for metric in result.metrics}
    bounded = {}
    for column, info in known.items():
        with suppress(UsageError):  # a metric of a codebook that the call does not name
            metric = home.metric(info.name)
            if Law.BOUNDED in metric.laws and not info.curve:  # thresholds of curves have no range
                bounded[column] = metric
    rows = read_published(source_of(Path(name)), Problems(), bounded)
    unknown = dict.fromkeys(name for row in rows for name in row.scores if name not in known)
    if unknown:
        tell(f"{name}: not scored here, and left out: {', '.join(unknown)}")
    return rows


def rendered(tables: Sequence[Table], output_format: str, *, full: bool = False) -> str:
    """Render tables to be printed."""
    return render_tables(tables, output_format, styled=is_styled(), full=full)


def is_styled() -> bool:
    """Whether tables may be printed in bold: on a terminal, unless the user wants none."""
    return colour() is None and sys.stdout.isatty()


def colour() -> bool | None:
    """Whether to print in colour: not if NO_COLOR says so; else where there is a terminal."""
    return False if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else None


def write_page(path: Path, page: str) -> None:
    """Write an HTML page, and print its path."""
    write_file(path, page)
    tell(f"the report is {path}")


def write_report_file(family: Family, scored: Scored, path: Path, head: RunHead) -> None:
    """Write the report of a result, and print its path."""
    from chronoscore.reports.html.report import report

    write_page(path, report(family, scored.result, scored.matches, scored.texts, head=head))


def without_documents(scored: Scored) -> Scored:
    """Leave the texts of documents out, as --no-texts asks; those of single items stay."""
    from msgspec.structs import replace

    from chronoscore.core.family import WHOLE_TEXT

    texts = [
        replace(item, gold={name: text for name, text in item.gold.items() if name != WHOLE_TEXT})
        for item in scored.texts
    ]
    return replace(scored, texts=[item for item in texts if item.gold or item.predicted])


def cases_to_explain(matches: Sequence[CaseMatches], names: Sequence[str]) -> list[str]:
    """Find the cases that --explain names; an empty list stands for all cases."""
    from chronoscore.reports.matches import cases_named

    cases = cases_named(matches, [name for name in names if name != ALL_CASES])
    return [] if ALL_CASES in names else cases


def explain(
    family: Family, scored: Scored, names: Sequence[str], output_format: str, *, full: bool = False
) -> None:
    """Print the matches of the cases that --explain names, and their texts if there are any."""
    if not names:
        return
    from chronoscore.reports.matches import explanation, matched_cases

    cases = cases_to_explain(scored.matches, names)
    if output_format == "text" and scored.result.family == "annotations":
        _show_in_text(scored.matches, scored.texts, cases)
    if output_format == "text":
        chosen = [item for item in scored.matches if not cases or item.case in cases]
        for lines in matched_cases(family, scored.result, chosen, scored.texts, styled=is_styled()):
            click.echo("\n".join(["", *lines]))
    tables = explanation(scored.result, scored.matches, cases)
    click.echo("\n" + rendered(tables, output_format, full=full), nl=False)


def _show_in_text(
    matches: Sequence[CaseMatches], texts: Sequence[CaseTexts], cases: Sequence[str]
) -> None:
    """Print texts with the gold above and the system below; empty `cases` stand for all.

    The colours mean the same as the letters, and are left out where there is no terminal.
    """
    from chronoscore.annotations.corpora import text_of
    from chronoscore.reports.marked_text import legend_of, marked_text

    text_by_case = {(item.system, item.case): text_of(item.gold) for item in texts}
    width = terminal_width()
    for item in matches:
        text = text_by_case.get((item.system, item.case))
        is_span = item.metric.partition("(")[0] == "spans"
        if text is None or not is_span or (cases and item.case not in cases):
            continue
        title = one_line(f"{item.system}, {item.case}")
        click.echo(f"\n{click.style(title, bold=True)}\n")
        for row in marked_text(text, item.matches, width):
            click.echo(
                "".join(click.style(piece.text, fg=_COLOURS.get(piece.code)) for piece in row)
            )
        codes = legend_of(item.matches)
        legend = ", ".join(f"{code} {outcome}" for code, outcome in codes)
        meaning = f"{legend}; the same number: a pair" if codes else "there are no annotations"
        text = "\n".join(wrapped_lines(meaning, width))
        for code, _ in codes:
            text = text.replace(f"{code} ", f"{click.style(code, fg=_COLOURS[code])} ", 1)
        click.echo(f"\n{text}")


@contextmanager
def watching(progress: str) -> Iterator[tuple[Notify, Watch]]:
    """Yield a function that prints the notices of a run, and one that prints its progress."""
    if progress == "json":
        yield lambda notice: _json_event("notice", text=notice), _json_progress
    elif progress == "auto" and sys.stderr.isatty():
        line = _ProgressLine()
        yield tell_now, line.show
        line.end()
    else:
        yield tell_now, lambda _: None


def report_run(scored: Scored, progress: str, work: Path | None) -> None:
    """Print which cases and lines were left out, and the manifest of a run in chunks."""
    if progress == "json":
        for case in scored.bad:
            _json_event("bad", case=case.case, reasons=case.reasons)
        for line in scored.unread:
            _json_event("unread", file=line.path, line=line.line, reason=line.message)
    else:
        reasons = [
            [f"{case.case or '(lines that name no case)'}: {reason}" for reason in case.reasons[:3]]
            for case in scored.bad
        ]
        _tell_first("left out", reasons, "bad cases")
        _tell_first("not read", [[str(line)] for line in scored.unread], "lines that can't be read")
    if scored.manifest is not None:
        _report_manifest(scored.manifest, progress, work)


def _tell_first(label: str, items: Sequence[Sequence[str]], noun: str) -> None:
    """Print the lines of the first items, and how many items there are."""
    for line in (line for lines in items[:MOST_SHOWN] for line in lines):
        _print_message(label, "red", line)
    if len(items) > MOST_SHOWN:
        tell(f"{MOST_SHOWN} of {len(items)} {noun} are shown")


def _report_manifest(manifest: Manifest, progress: str, work: Path | None) -> None:
    """Print the manifest of a run, and write it to the work folder if there is one."""
    document = msgspec.to_builtins(manifest)
    if work is not None:
        write_file(work / "manifest.json", json_text(sealed_document(document)))
    if progress == "json":
        _json_event("manifest", **document)
    elif progress == "auto":
        reused = f", {manifest.reused} of them from before" if manifest.reused else ""
        cases = f"{manifest.cases:,} case{'s' * (manifest.cases != 1)}"
        tell(
            f"{cases} in {plural(manifest.chunks, 'part')}{reused}, engine {manifest.engine}, "
            f"{plural(manifest.workers, 'worker')}, {manifest.seconds['total']:.1f} s, "
            f"{manifest.rate:,.0f} cases a second while measuring"
        )


class _ProgressLine:
    """A line on the terminal that shows the progress of a run."""

    def __init__(self) -> None:
        self._next = time.monotonic() + QUIET_SECONDS
        self._length = 0

    def show(self, progress: Progress) -> None:
        if (now := time.monotonic()) < self._next:
            return
        self._next = now + QUIET_SECONDS
        if progress.stage == "index":
            total = f" of {progress.of / 1e6:,.0f}" if progress.of else ""
            rate = f"{progress.rate / 1e6:,.0f} MB a second"
            text = f"reading, {progress.done / 1e6:,.0f}{total} MB, {rate}"
        else:
            text = f"{progress.done:,} of {progress.of:,} cases, {progress.rate:,.0f} a second"
        if progress.left is not None:
            text += f", {duration(progress.left)} left"
        self._length = max(self._length, len(text))
        click.echo(f"\r{text:{self._length}}", err=True, nl=False)

    def end(self) -> None:
        if self._length:
            click.echo(err=True)


def duration(seconds: float) -> str:
    """Write a duration for people.

    >>> duration(7.4), duration(200), duration(8000)
    ('7 s', '3 min 20 s', '2 h 13 min')
    """
    minutes, remainder = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {remainder} s" if minutes else f"{remainder} s"


def _json_progress(progress: Progress) -> None:
    rates = {"rate": progress.rate, "left": progress.left}
    _json_event("progress", **msgspec.to_builtins(progress), **rates)


def _json_event(name: str, **document: Any) -> None:
    """Print one line of JSON for machines."""
    click.echo(msgspec.json.encode({"event": name, **document}).decode(), err=True)
