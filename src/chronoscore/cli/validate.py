"""`chronoscore validate`: is a file fit to be scored?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chronoscore.cli.options import (
    codebook_option,
    examples,
    make_reading,
    reading_options,
    tell,
)
from chronoscore.core.errors import DataError, Problem, UsageError

if TYPE_CHECKING:
    from chronoscore.core.reading import Reading
    from chronoscore.rubric import Codebook

KINDS = (
    *("events", "timelines", "ordering", "tlinks", "coreference", "annotations", "rubric"),
    *("articles", "result"),
)


@click.command(
    short_help="Check files without scoring them.",
    epilog=examples(
        "chronoscore validate demo/gold.jsonl demo/careful.jsonl",
        "chronoscore validate --as rubric demo/judgements.csv",
    ),
)
# Click would refuse what it may not read as wrong usage: it is told with the other problems.
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, readable=False))
@click.option(
    "--as",
    "kind",
    type=click.Choice(KINDS),
    help="What the files are (default: told by their names and first lines).",
)
@codebook_option
@reading_options
def command(
    files: tuple[Path, ...],
    kind: str | None,
    codebook_path: Path | None,
    encoding: str,
    max_line: int,
    lenient: bool,
) -> None:
    """Check files without scoring them: every problem is listed with its line.

    FILES are events, timelines, orders, temporal links, clusters, annotations, judgements or
    articles, in any format that the scoring verbs read. Saved results and evaluations are checked
    against themselves: the checksum, and whether all scores and intervals follow from the rows.
    """
    problems: list[Problem] = []
    kinds = [kind or _kind(path, make_reading(encoding, max_line, lenient)) for path in files]
    if codebook_path and not {"rubric", "result"} & {*kinds}:
        raise UsageError("--codebook is for judgements, and none of the files holds any")
    codebook = _codebook(codebook_path, make_reading(encoding, max_line, lenient))
    for path, chosen in zip(files, kinds, strict=True):
        reading = make_reading(encoding, max_line, lenient)
        if chosen == "rubric":
            summary = _rubric(path, reading, codebook)
        elif chosen == "result":
            summary = _result(path, reading, [codebook_path] if codebook_path else [])
        else:
            summary = _CHECKS[chosen](path, reading)
        for notice in reading.notices:
            tell(str(notice))
        problems += reading.problems
        if not reading.problems:
            click.echo(f"{path}: fine, {summary}")
    if problems:
        raise DataError(problems)


def _codebook(path: Path | None, reading: Reading) -> Codebook | None:
    if path is None:
        return None
    from chronoscore.rubric import load_codebook

    return load_codebook(path, reading)


def _kind(path: Path, reading: Reading) -> str:
    """Tell what a file is by what it says of itself, or by its name and its first lines."""
    from chronoscore.core.result import format_of

    if path.is_dir():
        raise UsageError(f"'{path}' is a folder: say with --as what is in it")
    path = reading.plain(path)
    return "result" if format_of(path).startswith("chronoscore-") else _kind_of_lines(path, reading)


def _kind_of_lines(path: Path, reading: Reading) -> str:
    trial = make_reading(reading.encoding, reading.max_line, True)
    told = (line for _, line in trial.lines(path) if line.strip())
    lines = [line for line, _ in zip(told, range(3), strict=False)]
    spans = _has_spans(path, lines)
    if spans or _has_links(path, lines):
        return "annotations" if spans else "tlinks"
    if _has_linked_rows(path, lines):
        return "coreference"
    sheet = path.suffix in (".csv", ".tsv")
    if sheet or _has_judgements(path, reading):
        return "timelines" if sheet and lines and "summary" in lines[0].lower() else "rubric"
    clusters = path.suffix in (".json", ".jsonl") and any('"clusters"' in line for line in lines)
    if clusters or path.suffix == ".conll" or (lines and lines[0].startswith("#begin document")):
        return "coreference"
    if path.suffix == ".txt":
        return "ordering" if any("\t" in line for line in lines) else "timelines"
    return _kind_of_records(lines[0] if lines else "{") if path.suffix == ".jsonl" else "timelines"


def _kind_of_records(first: str) -> str:
    """Tell what JSON lines are by the first."""
    from chronoscore.timelines.formats.structured import kind_of_lines

    if first.lstrip().startswith("{"):
        if '"annotations"' in first:
            return "annotations"
        if '"published"' in first and '"date"' not in first:
            return "articles"
    return "events" if kind_of_lines(first) == "events" else "timelines"


def _has_spans(path: Path, lines: list[str]) -> bool:
    """Whether a file is of an annotation tool; TimeML and bare columns may be others' as well."""
    first = lines[0] if lines else ""
    if path.suffix == ".tsv":
        return {"document", "start", "end"} <= set(first.split("\t"))
    spans = ('"spans"', '"ents"', '"entities"', '"_input_hash"')
    if path.suffix == ".jsonl" and '"text"' in first and any(name in first for name in spans):
        return True
    if path.suffix == ".conll":
        ends = [line.split()[-1] for line in lines if line.strip()]
        return any(end == "O" or end[:2] in ("B-", "I-") for end in ends)
    if path.suffix in (".xml", ".json"):
        return any("<GateDocument" in line or '"annotation_sets"' in line for line in lines)
    return path.suffix in (".ann", ".bdocjs", ".bio", ".iob", ".iob2", ".iobes", ".bilou")


def _has_judgements(path: Path, reading: Reading) -> bool:
    from chronoscore.rubric.formats.recognising import holds_judgements

    return holds_judgements(path, reading)


def _has_links(path: Path, lines: list[str]) -> bool:
    from chronoscore.elements.timeml import SUFFIXES
    from chronoscore.ordering.tlinks.formats.tables import looks_like_links

    if path.suffix == ".jsonl":
        return bool(lines) and '"relation"' in lines[0]
    table = path.suffix in (".tsv", ".txt") and looks_like_links(lines)
    return path.suffix in SUFFIXES or table


def _has_linked_rows(path: Path, lines: list[str]) -> bool:
    from chronoscore.ordering.coreference.formats.links import ROWS, looks_like_rows

    return path.suffix in ROWS and bool(lines) and looks_like_rows(lines[0])


def _events(path: Path, reading: Reading) -> str:
    from chronoscore.core.event import numbered_events
    from chronoscore.elements.dates import parse_partial

    numbered = numbered_events(path, reading)
    for line, event in numbered:
        try:
            if event.date is not None:
                parse_partial(event.date)
        except ValueError as error:
            reading.problem(str(error), path, line)
    events = [event for _, event in numbered]
    uses = {
        "timelines": sum(event.date is not None for event in events),
        "ordering": sum(event.position is not None for event in events),
        "annotations": sum(event.span is not None for event in events),
    }
    told = ", ".join(f"{count} for {name}" for name, count in uses.items())
    return f"{_number(events, 'event')} of {_number({e.topic for e in events}, 'topic')} ({told})"


def _timelines(path: Path, reading: Reading) -> str:
    from chronoscore.timelines import read_timelines

    found = read_timelines(path, reading)
    days = sum(len(t.days) for named in found.values() for t in named.values())
    timelines = sum(len(named) for named in found.values())
    return f"{_number(found, 'topic')}, {timelines} timelines, {days} days"


def _ordering(path: Path, reading: Reading) -> str:
    from chronoscore.ordering import check_names, read_orders

    check_names(path, reading)
    found = read_orders(path, reading)
    rows = [row for named in found.values() for t in named.values() for row in t.rows]
    return f"{_number(found, 'target')}, {_number(rows, 'row')}"


def _coreference(path: Path, reading: Reading) -> str:
    from chronoscore.ordering.coreference import read_clusterings

    found = [c for named in read_clusterings(path, reading).values() for c in named.values()]
    clusters = [cluster for clustering in found for cluster in clustering.clusters]
    mentions = [mention for cluster in clusters for mention in cluster]
    told = (_number(clusters, "cluster"), _number(mentions, "mention"))
    return f"{_number(found, 'document')}, {', '.join(told)}"


def _tlinks(path: Path, reading: Reading) -> str:
    from chronoscore.ordering.tlinks import read_links

    found = [d for named in read_links(path, reading).values() for d in named.values()]
    links = [link for document in found for link in document.links]
    entities = sum(len(document.entities) for document in found)
    marked = f", {entities} events and times" if entities else ""
    return f"{_number(found, 'document')}, {_number(links, 'link')}{marked}"


def _annotations(path: Path, reading: Reading) -> str:
    from chronoscore.annotations import read_documents

    found = read_documents(path, reading)
    total = sum(len(d.annotations) for named in found.values() for d in named.values())
    return f"{_number(found, 'document')}, {total} annotations"


def _articles(path: Path, reading: Reading) -> str:
    from chronoscore.rubric.formats import read_articles

    found = read_articles(path, reading)
    dated = sum(bool(article.published) for article in found)
    topics = {article.topic for article in found}
    return f"{_number(found, 'article')} of {_number(topics, 'topic')} ({dated} with their day)"


def _rubric(path: Path, reading: Reading, codebook: Codebook | None) -> str:
    from chronoscore.rubric import event_quality
    from chronoscore.rubric.formats import read_judgements

    judgements = read_judgements([path], codebook or event_quality(), reading)
    events = {(judgement.system, judgement.event) for judgement in judgements}
    evaluators = {judgement.evaluator for judgement in judgements}
    return (
        f"{_number(judgements, 'judgement')} of {_number(events, 'event')} "
        f"by {_number(evaluators, 'evaluator')}"
    )


def _result(path: Path, reading: Reading, codebooks: list[Path]) -> str:
    import json

    from chronoscore.cli.homes import families_of
    from chronoscore.core import result
    from chronoscore.core.sealing import FIELD
    from chronoscore.engines.verifying import check_numbers
    from chronoscore.evaluation import document

    try:
        if document.is_evaluation(path):
            results = document.load(path).results
        else:
            results = (result.load(path),)
            if result.matches_path(path).exists():
                result.load_matches(path, results[0])
            result.load_texts(path, results[0])
        known = document.Evaluation if document.is_evaluation(path) else result.Result
        fields = {*known.__struct_fields__, FIELD}
        for name in json.loads(path.read_bytes()).keys() - fields:
            reading.notice(f"unknown field '{name}' is ignored", path)
        homes = families_of([(path, one) for one in results], codebooks)
        for one, home in zip(results, homes, strict=True):
            for text in check_numbers(home, one, intervals=True):
                reading.problem(text, path)
    except DataError as error:
        for problem in error.problems:
            reading.problem(problem.message, problem.path or path, problem.line)
        return ""
    systems = [system for one in results for system in one.systems]
    rows = sum(len(system.rows) for system in systems)
    names = {system.name for system in systems}
    return f"{_number(results, 'result')} of {_number(names, 'system')} with {rows} rows"


def _number(items: Sized, what: str) -> str:
    return f"{len(items)} {what}{'s' if len(items) != 1 else ''}"


_CHECKS: Mapping[str, Callable[[Path, Reading], str]] = {
    "events": _events,
    "timelines": _timelines,
    "ordering": _ordering,
    "tlinks": _tlinks,
    "coreference": _coreference,
    "annotations": _annotations,
    "articles": _articles,
}
