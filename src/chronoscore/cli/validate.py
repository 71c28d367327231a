"""`chronoscore validate`: what kind of file it is, what was understood of it, and what is wrong."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from chronoscore.cli import options
from chronoscore.cli.files import TIMES, flags_of, items_of
from chronoscore.cli.options import Args, Input, argument, of_parameter, option
from chronoscore.cli.output import tell_all
from chronoscore.cli.verb import verb
from chronoscore.core.functions import late
from chronoscore.core.problems import Problems, ReadingOptions, united_by_message
from chronoscore.core.sources import Source, source_of
from chronoscore.elements.dated.options import LAYOUT, OPTIONS
from chronoscore.errors import ChronoscoreError, DataError, Problem, UsageError
from chronoscore.families import NAMES
from chronoscore.reports.table import plural
from chronoscore.reports.terminal import terminal_width, wrapped_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from chronoscore.elements.dated.values import Role
    from chronoscore.rubric import Codebook

    Check = Callable[[Source, Problems], str]

_NO_RECORDS = ("readme", "licen")
_NO_DATA = (*_NO_RECORDS, "articles", "keywords")
"""How the names of files begin that hold no data."""
_RECORDS = (".csv", ".json", ".jsonl", ".tsv")
"""The endings of files that may be data sets on their own."""
_MOST_APART, _MOST_LISTED = 100, 6
_WORDS = {
    "rubric": "judgements",
    "ordering": "orders",
    "tlinks": "temporal links",
    "coreference": "clusters",
    "result": "saved results",
}
"""The names of kinds in messages."""
_CONTENTS = "contents"
"""The subject that states what the first line of `validate` has already."""


@verb(
    argument("files...", Input(source=False)),
    option(
        "--as",
        "What the files are (default: recognised by their names and first lines).",
        tuple(dict.fromkeys(("events", *NAMES, "articles", "result"))),
        name="kind",
    ),
    options.CODEBOOK,
    *(of_parameter(one) for one in OPTIONS if one.name == "dates"),
    *TIMES,
    options.VERBOSE,
    *options.READING,
)
def validate_verb(args: Args) -> None:
    """Check files, and show what was understood of folders.

    Every problem is listed with its line. FILES are events, timelines, orders, temporal links,
    clusters, annotations, judgements or articles, in any format that the scoring verbs read, or
    folders of them. Of a folder, and with --verbose of a file, the layout, topics, timelines, dates
    and languages are shown, what was repaired while reading, and what may be a mistake. Saved
    results and evaluations are checked against themselves: the checksum, and whether all scores and
    intervals follow from the rows.

    Examples:
    chronoscore validate demo/gold.jsonl demo/careful.jsonl --verbose
    chronoscore validate --as rubric demo/judgements.csv
    """
    refused: list[Problem] = []
    kinds = [args.kind or _kind(path, Problems(args.problems.options)) for path in args.files]
    if args.codebook_path and not {"rubric", "result"} & {*kinds}:
        raise UsageError(
            "--codebook is for judgements, and none of the files holds any: leave it out"
        )
    choices = options.file_choices(args)
    if choices and not {"events", "timelines"} & {*kinds}:
        raise UsageError(
            f"{flags_of(choices)}: for events and timelines, and none of the files holds any; "
            "leave it out"
        )
    if "rubric" in kinds:
        args.codebook  # noqa: B018 - a bad codebook stops everything
        args.check_files()
    for path, kind in zip(args.files, kinds, strict=True):
        problems = Problems(args.problems.options)
        summary = _summary(args, path, kind, problems, choices)
        advised = _advised(args, path, problems.problems, choices)
        refused += advised
        if len(advised) < len(problems.problems):
            continue
        if problems.problems or not (args.verbose or path.is_dir()):
            tell_all(problems.notices)
        if problems.problems:
            continue
        lines = wrapped_lines(f"{path}: fine, {summary}", terminal_width())
        if args.verbose or path.is_dir():
            about = description(source_of(path), kind, problems.options, choices)
            lines += description_lines(one for one in about if one[0] != _CONTENTS)
        click.echo("\n".join(lines))
    if refused:
        raise DataError(refused)


def _summary(
    args: Args, path: Path, kind: str, problems: Problems, choices: Mapping[str, str]
) -> str:
    """Read a file or folder, and say what is in it in a few words."""
    if kind == "result":
        return _check_result(path, problems, [*filter(None, [args.codebook_path])])
    if kind == "rubric":
        return _check_sheet(source_of(path), problems, args.codebook)
    if kind == "events":
        return _check_events(source_of(path), problems, choices)
    if kind == "timelines":
        return _check_timelines(source_of(path), problems, choices)
    return _CHECKS[kind](source_of(path), problems)


def _advised(
    args: Args, folder: Path, found: Sequence[Problem], choices: Mapping[str, str]
) -> Sequence[Problem]:
    """Return the problems of a folder, with what to type if it is no data set but its files are.

    They may be of several kinds, or the submissions of several systems. If each file is fine, only
    this is returned.
    """
    files = _files_apart(folder)
    if len(files) < 2 or not found:
        return found
    fine = True
    kinds: dict[str, list[Path]] = {}
    for path in files:
        alone = Problems(args.problems.options)
        kind = args.kind or _kind(path, alone)
        kinds.setdefault(_WORDS.get(kind, kind), []).append(path)
        try:
            _summary(args, path, kind, alone, choices)
        except ChronoscoreError:
            fine = False
        fine = fine and not alone.problems
    if len(kinds) == 1 and not fine:
        return found
    reason = f"each of its {len(files)} files is fine, but they do not go together"
    if len(kinds) > 1:
        reason = "its files are of several kinds"
    endings = dict.fromkeys(path.suffix for path in files)
    command = " ".join(
        ["chronoscore validate", *(f"{quote(str(folder))}/*{one}" for one in endings)]
    )
    advice = Problem(
        f"the folder is not one data set: {reason}",
        str(folder),
        details=(
            *(f"{kind}: {_listed(paths)}" for kind, paths in kinds.items()),
            *([] if len(kinds) > 1 else [f"the first problem: {found[0]}"]),
            f"to check each file on its own: {command}",
        ),
    )
    return [advice] if fine else [advice, *found]


def _files_apart(folder: Path) -> list[Path]:
    """Return the files of a folder if each may be a data set on its own."""
    if not folder.is_dir():
        return []
    paths = [path for path in sorted(folder.iterdir()) if _is_listed(path)]
    apart = len(paths) <= _MOST_APART and all(
        path.suffix in _RECORDS and path.is_file() for path in paths
    )
    return paths if apart else []


def _is_listed(path: Path) -> bool:
    return path.name[:1] != "." and not path.name.lower().startswith(_NO_RECORDS)


def _listed(paths: Sequence[Path]) -> str:
    names = ", ".join(path.name for path in paths[:_MOST_LISTED])
    more = len(paths) - _MOST_LISTED
    return f"{names} and {more} more" if more > 0 else names


def description(
    source: Source,
    kind: str,
    reading: ReadingOptions,
    choices: Mapping[str, str],
    role: Role = "gold",
    codebook: Codebook | None = None,
) -> Iterator[tuple[str, str]]:
    """Read a source, and yield what was understood of it: subjects, and what is to say of each."""
    problems, about = Problems(reading), []
    if kind in ("timelines", "events"):
        from chronoscore.elements.dated.reading import read_timelines
        from chronoscore.timelines.description import describe

        timelines = read_timelines(source, problems, {**choices, "moments": "keep"}, role)
        about = describe(timelines, problems.facts)
    elif kind == "rubric" and codebook is not None:
        about = [(_CONTENTS, _check_sheet(source, problems, codebook))]
    elif kind in _CHECKS:
        about = [(_CONTENTS, _CHECKS[kind](source, problems))]
    for (fact, *_, name), count in sorted(problems.facts.items()):
        if fact == LAYOUT:
            yield "layout", f"{name} ({plural(count, 'file')})"
    yield from about
    for notice in united_by_message(problems.findings.notices):
        yield "notice", str(notice).replace(f"{source.name}/", "")


def description_lines(about: Iterable[tuple[str, str]]) -> list[str]:
    """Return what was understood of a source in lines that fit the terminal."""
    return [
        line
        for subject, text in about
        for line in wrapped_lines(text, terminal_width(), indent=" " * 13, first=f"  {subject:11}")
    ]


def _kind(path: Path, problems: Problems) -> str:
    """Recognise the kind of a file by its `format` field, or by its name and first lines.

    The kind of a folder is that of the first file in it whose name does not speak against it.
    """
    from chronoscore.core.records import format_of

    if path.is_dir():
        files = (file for _, file in source_of(path).files() if _may_be_data(file))
        first = next(files, None)
        if first is None and not any(path.iterdir()):
            raise UsageError(f"the folder '{path}' is empty")
        if first is None:
            raise UsageError(f"'{path}' holds no file of a known ending: say with --as what it is")
        kind = next(_kinds_of_lines(first, problems))
        return "timelines" if kind == "events" else kind
    if format_of(path).startswith("chronoscore-"):
        return "result"
    return next(_kinds_of_lines(source_of(path), problems))


def _may_be_data(file: Source) -> bool:
    return file.file_name[:1] != "." and not file.file_name.lower().startswith(_NO_DATA)


def _kinds_of_lines(source: Source, problems: Problems) -> Iterator[str]:
    """Yield the kinds that a file may be of, the most likely first."""
    from chronoscore.elements.dated.sheets import looks_like_timelines
    from chronoscore.elements.timeml import SUFFIXES
    from chronoscore.ordering.coreference.formats import ROWS, looks_like_rows
    from chronoscore.ordering.tlinks.formats import looks_like_links
    from chronoscore.rubric.formats.reading import holds_judgements

    source.replaces_bytes = True  # a first look: whether they are refused is for the reader
    nonblank = (line for _, line in source.lines(problems.unreported()) if line.strip())
    lines = [line for line, _ in zip(nonblank, range(3), strict=False)]
    first, suffix = lines[0] if lines else "", source.suffix
    if _has_spans(suffix, lines):
        yield "annotations"
    if suffix in SUFFIXES or (suffix == ".jsonl" and '"relation"' in first):
        yield "tlinks"
    if suffix == ".output" or (suffix in (".tsv", ".txt") and looks_like_links(lines)):
        yield "tlinks"
    if suffix in ROWS and lines and looks_like_rows(first):
        yield "coreference"
    if suffix in (".csv", ".tsv"):
        yield "timelines" if looks_like_timelines(first) else "rubric"
    if holds_judgements(source, problems):
        yield "rubric"
    clusters = suffix in (".json", ".jsonl") and any('"clusters"' in line for line in lines)
    if clusters or suffix == ".conll" or first.startswith("#begin document"):
        yield "coreference"
    if suffix == ".txt" and any("\t" in line for line in lines):
        yield "ordering"
    yield _kind_of_records(first or "{") if suffix == ".jsonl" else "timelines"


def _kind_of_records(first: str) -> str:
    """Recognise the kind of a JSON lines file by its first line."""
    from chronoscore.elements.dated.reading import kind_of_lines

    if first.lstrip().startswith("{"):
        if '"annotations"' in first:
            return "annotations"
        if '"published"' in first and '"date"' not in first:
            return "articles"
    return "events" if kind_of_lines(first) == "events" else "timelines"


def _has_spans(suffix: str, lines: Sequence[str]) -> bool:
    """Whether a file comes from an annotation tool; TimeML and plain columns prove nothing."""
    first = lines[0] if lines else ""
    if suffix == ".tsv":
        return {"document", "start", "end"} <= set(first.split("\t"))
    if suffix == ".jsonl":
        spans = ('"spans"', '"ents"', '"entities"', '"_input_hash"')
        return '"text"' in first and any(name in first for name in spans)
    if suffix == ".conll":
        tags = [line.split()[-1] for line in lines]
        return any(tag == "O" or tag[:2] in ("B-", "I-") for tag in tags)
    if suffix in (".xml", ".json"):
        return any("<GateDocument" in line or '"annotation_sets"' in line for line in lines)
    return suffix in (".ann", ".bdocjs", ".bio", ".iob", ".iob2", ".iobes", ".bilou")


def _check_events(source: Source, problems: Problems, choices: Mapping[str, str]) -> str:
    from chronoscore.core.event import numbered_events
    from chronoscore.elements.dated.values import Policies
    from chronoscore.elements.time.files import FileTimes

    numbered = numbered_events(source, problems)
    policies = Policies(choices, "gold")
    times = FileTimes(source, problems, rules=policies.rules, ways=policies.ways)
    for line, event in numbered:
        if event.date is not None:
            times.read(event.date, line)
    times.report()
    events = [event for _, event in numbered]
    fields = {"timelines": "date", "ordering": "position", "annotations": "span"}
    uses = ", ".join(
        f"{sum(getattr(event, field) is not None for event in events)} for {name}"
        for name, field in fields.items()
    )
    topics = {event.topic for event in events}
    return f"{plural(len(events), 'event')} of {plural(len(topics), 'topic')} ({uses})"


def _check_orders(source: Source, problems: Problems) -> str:
    from chronoscore.ordering.formats import check_names, read_orders
    from chronoscore.ordering.model import read_anchor

    check_names(source, problems)
    orders = read_orders(source, problems)
    rows = [row for order in items_of(orders) for row in order.rows]
    undated = sum(read_anchor(row.anchor) is None for row in rows)
    counted = f"{plural(len(orders), 'target')}, {plural(len(rows), 'row')}"
    return f"{counted}, {undated} of them undated" if undated else counted


def _check_articles(source: Source, problems: Problems) -> str:
    from chronoscore.rubric.formats import read_articles

    articles = read_articles(source, problems)
    dated = sum(bool(article.published) for article in articles)
    topics = plural(len({article.topic for article in articles}), "topic")
    return f"{plural(len(articles), 'article')} of {topics} ({dated} with their day)"


def _check_sheet(source: Source, problems: Problems, codebook: Codebook) -> str:
    from chronoscore.rubric.formats import read_judgements

    judgements = read_judgements([source], codebook, problems)
    events = {(judgement.system, judgement.event) for judgement in judgements}
    evaluators = {judgement.evaluator for judgement in judgements}
    return (
        f"{plural(len(judgements), 'judgement')} of {plural(len(events), 'event')} "
        f"by {plural(len(evaluators), 'evaluator')}"
    )


def _check_by(reader: str, count: Callable[[Any, Sequence[Any]], str]) -> Check:
    """Make the check of a format whose reader returns items by case and gold: count the items."""

    def check(source: Source, problems: Problems) -> str:
        collection = late(reader)()(source, problems)
        return count(collection, items_of(collection))

    return check


def _count_links(_: Any, documents: Sequence[Any]) -> str:
    links = sum(len(document.links) for document in documents)
    entities = sum(len(document.entities) for document in documents)
    marked = f", {entities} events and times" if entities else ""
    return f"{plural(len(documents), 'document')}, {plural(links, 'link')}{marked}"


def _count_clusters(_: Any, documents: Sequence[Any]) -> str:
    clusters = [cluster for document in documents for cluster in document.clusters]
    mentions = plural(sum(map(len, clusters)), "mention")
    return f"{plural(len(documents), 'document')}, {plural(len(clusters), 'cluster')}, {mentions}"


def _check_timelines(source: Source, problems: Problems, choices: Mapping[str, str]) -> str:
    from chronoscore.elements.dated.reading import read_timelines

    topics = read_timelines(source, problems, {**choices, "moments": "keep"})
    timelines = items_of(topics)
    days = sum(len(timeline.days) for timeline in timelines)
    moments = any(day.is_moment for timeline in timelines for day in timeline.dates)
    counted = "offset" if "time_unit" in choices else "time" if moments else "day"
    counts = {"topic": len(topics), "timeline": len(timelines), counted: days}
    return ", ".join(plural(number, noun) for noun, number in counts.items())


def _count_annotations(names: Any, documents: Sequence[Any]) -> str:
    total = sum(len(document.annotations) for document in documents)
    return f"{plural(len(names), 'document')}, {plural(total, 'annotation')}"


_CHECKS: Mapping[str, Check] = {
    "ordering": _check_orders,
    "tlinks": _check_by("chronoscore.ordering.tlinks.formats:read_links", _count_links),
    "coreference": _check_by(
        "chronoscore.ordering.coreference.formats:read_clusterings", _count_clusters
    ),
    "annotations": _check_by(
        "chronoscore.annotations.formats.reading:read_documents", _count_annotations
    ),
    "articles": _check_articles,
}


def _check_result(path: Path, problems: Problems, codebooks: list[Path]) -> str:
    import json

    from chronoscore.cli.results import families_of
    from chronoscore.core import result
    from chronoscore.core.writing import FIELD
    from chronoscore.engines.verifying import check_numbers
    from chronoscore.evaluation import document

    try:
        if document.is_evaluation(path):
            struct: Any = document.EvaluationDocument
            results = document.load(path).results
        else:
            struct = result.ResultDocument
            results = (result.load(path),)
            if result.matches_path(path).exists():
                result.load_matches(path, results[0])
            result.load_texts(path, results[0])
        known = {*struct.__struct_fields__, FIELD, "archive"}
        for name in json.loads(result.head_of(path)).keys() - known:
            problems.notice(f"unknown field '{name}' is ignored", str(path))
        homes = families_of([(path, saved) for saved in results], codebooks)
        for saved, home in zip(results, homes, strict=True):
            for text in check_numbers(home, saved, intervals=True):
                problems.problem(text, str(path))
    except DataError as error:
        for problem in error.problems:
            problems.problem(problem.message, problem.path or str(path), problem.line)
        return ""
    systems = [system for saved in results for system in saved.systems]
    rows = sum(len(system.rows) for system in systems)
    names = plural(len({system.name for system in systems}), "system")
    return f"{plural(len(results), 'result')} of {names} with {rows} rows"
