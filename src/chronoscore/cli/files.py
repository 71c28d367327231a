"""Verbs on data files: `chronoscore validate`, `convert`, `tlinks convert`, `rubric convert`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chronoscore.cli import options
from chronoscore.cli.options import Args, Input, Output, argument, of_parameter, option
from chronoscore.cli.output import tell, tell_all
from chronoscore.cli.verb import verb
from chronoscore.core.functions import late
from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source, source_of
from chronoscore.errors import DataError, Problem, UsageError
from chronoscore.families import NAMES
from chronoscore.reports.table import plural
from chronoscore.reports.terminal import terminal_width, wrapped_lines
from chronoscore.timelines.formats.writing import FORMATS, has_languages, write_timelines
from chronoscore.timelines.options import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from chronoscore.rubric import Codebook

    Check = Callable[[Source, Problems], str]

ORDERS = ("semeval", "timeml")
BY_DAY = ("events", "summaries", "csv", "tsv")
"""Formats that name a timeline only where they name one of its days."""
DOCUMENTS = {"documents": "jsonl", "brat": "brat", "bdoc": "bdoc"}
"""Formats of annotated documents, and the names that `write_documents` has for them."""
SHEET_FORMATS = ("csv", "tsv", "xlsx", "jsonl", "label-studio")
TIMES = [of_parameter(one) for one in OPTIONS if one.name in options.FILE_CHOICES[1:]]
"""The options that say how the files of timelines are written."""
SOURCE, TARGET = argument("source", Input()), argument("target", Output(apart=True))


@verb(
    SOURCE,
    TARGET,
    option("--to", "The new format.", (*FORMATS, *ORDERS, *DOCUMENTS), required=True),
    option(
        "--dates",
        "What a date that is only a month or a year becomes; interval keeps it as it is.",
        ("error", "first-day", "interval"),
        default="interval",
    ),
    *TIMES,
    *options.READING,
)
def convert_verb(args: Args) -> str:
    """Convert timelines, orders or annotations between formats.

    Timelines in any format and layout that `chronoscore timelines` reads, and orders of events,
    become:

    \b
    tilse      a text file for each timeline, as in Timeline17
    json       {date: [sentence, ...]} for each timeline
    list       [{"date": ..., "summary": ...}, ...] for each timeline
    chronos    a CHRONOS result for each timeline
    news-tls   a folder for each topic with timelines.jsonl
    events     events.jsonl with all topics
    summaries  JSONL of {topic, date, summary}
    days       JSONL of {topic, days: {date: [sentence, ...]}}
    csv, tsv   a sheet with topic, timeline, date and summary
    semeval    orders of events: the tab format of SemEval-2015, a file a target
    timeml     orders of events as graphs of TLINKs; they can be read back

    Annotations of text, in any format that `chronoscore annotations` reads, become:

    \b
    documents  JSONL of {id, text, annotations}
    brat       a .txt and an .ann file for each document
    bdoc       a .bdocjs file for each document, for GATE

    Judgements are converted by `chronoscore rubric convert`, and temporal links by
    `chronoscore tlinks convert`.

    Examples:
    chronoscore convert demo/gold.jsonl golds --to tilse
    chronoscore convert demo/gold.jsonl spans --to bdoc
    """
    choices = options.file_choices(args)
    if len(choices) > 1 and args.to in (*ORDERS, *DOCUMENTS):
        named = _flags(name for name in choices if name != "dates")
        raise UsageError(f"{named}: for timelines, not for '{args.to}'")
    if args.to in ORDERS:
        return _convert_orders(args)
    if args.to in DOCUMENTS:
        return _convert_documents(args)
    from chronoscore.timelines.family import languages_of
    from chronoscore.timelines.formats.reading import read_timelines

    choices["moments"] = "keep"
    collection = read_timelines(args.source, args.problems.unreported(), choices)
    if any(day.is_moment for timeline in _items(collection) for day in timeline.dates):
        choices["midnight"] = "time"  # among other times of day
    collection = read_timelines(args.source, args.problems, choices)
    args.check_files()
    languages = languages_of(collection, args.problems)
    paths = write_timelines(collection, args.target, args.to, languages)
    if languages and not has_languages(args.to):
        tell(f"'{args.to}' has no place for the languages of topics: they are lost")
    number = len(_items(collection))
    empty = sum(not timeline.days for timeline in _items(collection))
    if empty and args.to in BY_DAY:
        reason = f"'{args.to}' has no place for them: they are lost"
        tell(f"{empty} timelines have no days, and {reason}")
    files = f"({len(paths)} files)\n" if len(paths) > 1 else ""
    return f"{number} timelines of {len(collection)} topics are in {args.target}\n{files}"


def _items(collection: Mapping[str, Mapping[str, Any]]) -> list[Any]:
    """Return the items of a collection, which has them by case and gold."""
    return [item for golds in collection.values() for item in golds.values()]


def _convert_documents(args: Args) -> str:
    from chronoscore.annotations.formats.reading import read_documents
    from chronoscore.annotations.formats.writing import write_documents

    documents = read_documents(args.source, args.problems)
    args.check_files()
    paths = write_documents(documents, args.target, DOCUMENTS[args.to])
    number = sum(len(document.annotations) for document in _items(documents))
    files = f" ({len(paths)} files)" if len(paths) > 1 else ""
    return f"{number} annotations of {len(documents)} documents are in {args.target}{files}\n"


def _flags(names: Iterable[str]) -> str:
    return " and ".join(f"--{name.replace('_', '-')}" for name in names)


def _convert_orders(args: Args) -> str:
    from chronoscore.ordering.formats import read_any, write_orders

    orders = read_any(args.source, args.problems)
    if not orders:
        args.problems.problem("there is no order of events to convert", args.source)
    args.check_files()
    paths = write_orders(orders, args.target, args.to)
    return f"{len(paths)} timelines of {len(orders)} targets are in {args.target}\n"


@verb(
    SOURCE,
    TARGET,
    option("--to", "The new format.", ("tsv", "jsonl", "timeml"), name="form", required=True),
    option("--vague", "Leave out VAGUE links, or keep them.", ("skip", "keep"), default="skip"),
    *options.READING,
)
def tlinks_convert_verb(args: Args) -> str:
    """Convert temporal links between formats.

    Any format that `chronoscore tlinks` reads becomes one of these:

    \b
    tsv     a table with document, source, target and relation
    jsonl   the same as JSON lines
    timeml  a folder with a TimeML file for each document

    Only TimeML keeps texts and the attributes of events and times.

    Examples:
    chronoscore tlinks convert demo/gold.jsonl links.tsv --to tsv
    chronoscore tlinks convert demo/gold.jsonl timeml --to timeml
    """
    from chronoscore.ordering.tlinks.formats import read_links, write_links

    collection = read_links(args.source, args.problems, {"vague": args.vague})
    args.check_files()
    write_links(collection, args.target, args.form)
    documents = _items(collection)
    links = sum(len(document.links) for document in documents)
    return f"{links} links of {len(documents)} documents are in {args.target}\n"


@verb(
    options.SHEETS,
    option(
        "--to",
        "The new format (default: that of the new file's ending).",
        SHEET_FORMATS,
        name="form",
    ),
    option(
        "-o --output FILE|DIR", "The new file; a folder for Label Studio.", Output(), required=True
    ),
    options.EVALUATOR,
    option(
        "--articles FILE",
        "An articles.jsonl to show in Label Studio.",
        Input(),
        needs=["form=label-studio"],
    ),
    options.CODEBOOK,
    *options.READING,
)
def rubric_convert_verb(args: Args) -> str:
    """Convert judgements between formats.

    Any files that `chronoscore rubric` reads become one new file:

    \b
    csv, tsv, xlsx  a sheet with a row for each judgement
    jsonl           a judgement on each line
    label-studio    a folder with config.xml and tasks.json (annotations)

    All rounds are kept. Files that already exist are not overwritten.

    Examples:
    chronoscore rubric convert demo/judgements.csv -o judgements.jsonl
    chronoscore rubric convert demo/judgements.csv --to label-studio -o project --articles
        demo/articles.jsonl
    """
    from chronoscore.rubric.formats import write_judgements
    from chronoscore.rubric.formats.label_studio import write_judged_project

    target, codebook = args.output, args.codebook
    form = args.form or target.suffix.lower().removeprefix(".")
    if form not in SHEET_FORMATS:
        raise UsageError(
            f"the name '{target.name}' does not say its format: give --to {'|'.join(SHEET_FORMATS)}"
        )
    if form != "label-studio" and target.suffix.lower() != f".{form}":
        raise UsageError(f"--to {form} writes a file that ends in .{form}, not '{target.name}'")
    for path in (target / "config.xml", target / "tasks.json", target):
        if path.is_file():
            raise UsageError(f"{path} already exists: name another file, or move it away")
    judgements, articles = args.read_judgements(), args.read_articles()
    args.check_files()
    if not judgements:
        raise DataError.of("there are no judgements")
    if form == "label-studio":
        write_judged_project(target, judgements, codebook, articles)
        models = sum(judgement.kind == "llm" for judgement in judgements)
        if models:
            tell(f"{models} judgements of models are predictions of their tasks")
    else:
        write_judgements(judgements, target, codebook)
    return f"{len(judgements)} judgements are in {target}\n"


@verb(
    argument("files...", Input(source=False)),
    option(
        "--as",
        "What the files are (default: recognised by their names and first lines).",
        ("events", *NAMES, "articles", "result"),
        name="kind",
    ),
    options.CODEBOOK,
    *(of_parameter(one) for one in OPTIONS if one.name == "dates"),
    *TIMES,
    *options.READING,
)
def validate_verb(args: Args) -> None:
    """Check files without scoring them.

    Every problem is listed with its line. FILES are events, timelines, orders, temporal links,
    clusters, annotations, judgements or articles, in any format that the scoring verbs read. Saved
    results and evaluations are checked against themselves: the checksum, and whether all scores and
    intervals follow from the rows.

    Examples:
    chronoscore validate demo/gold.jsonl demo/careful.jsonl
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
            f"{_flags(choices)}: for events and timelines, and none of the files holds any; leave "
            "it out"
        )
    if "rubric" in kinds:
        args.codebook  # noqa: B018 - a bad codebook stops everything
        args.check_files()
    for path, kind in zip(args.files, kinds, strict=True):
        problems = Problems(args.problems.options)
        if kind == "result":
            summary = _check_result(path, problems, [*filter(None, [args.codebook_path])])
        elif kind == "rubric":
            summary = _check_sheet(source_of(path), problems, args.codebook)
        elif kind == "events":
            summary = _check_events(source_of(path), problems, choices)
        elif kind == "timelines":
            summary = _check_timelines(source_of(path), problems, choices)
        else:
            summary = _CHECKS[kind](source_of(path), problems)
        tell_all(problems.notices)
        refused += problems.problems
        if not problems.problems:
            lines = wrapped_lines(f"{path}: fine, {summary}", terminal_width())
            click.echo("\n".join(lines))
    if refused:
        raise DataError(refused)


def _kind(path: Path, problems: Problems) -> str:
    """Recognise the kind of a file by its `format` field, or by its name and first lines."""
    from chronoscore.core.records import format_of

    if path.is_dir():
        raise UsageError(f"'{path}' is a folder: say with --as what is in it")
    if format_of(path).startswith("chronoscore-"):
        return "result"
    return next(_kinds_of_lines(source_of(path), problems))


def _kinds_of_lines(source: Source, problems: Problems) -> Iterator[str]:
    """Yield the kinds that a file may be of, the most likely first."""
    from chronoscore.elements.timeml import SUFFIXES
    from chronoscore.ordering.coreference.formats import ROWS, looks_like_rows
    from chronoscore.ordering.tlinks.formats import looks_like_links
    from chronoscore.rubric.formats.reading import holds_judgements

    nonblank = (line for _, line in source.lines(problems.unreported()) if line.strip())
    lines = [line for line, _ in zip(nonblank, range(3), strict=False)]
    first, suffix = lines[0] if lines else "", source.suffix
    if _has_spans(suffix, lines):
        yield "annotations"
    if suffix in SUFFIXES or (suffix == ".jsonl" and '"relation"' in first):
        yield "tlinks"
    if suffix in (".tsv", ".txt") and looks_like_links(lines):
        yield "tlinks"
    if suffix in ROWS and lines and looks_like_rows(first):
        yield "coreference"
    if suffix in (".csv", ".tsv"):
        yield "timelines" if "summary" in first.lower() else "rubric"
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
    from chronoscore.timelines.formats.reading import kind_of_lines

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
    from chronoscore.elements.time.files import FileTimes
    from chronoscore.timelines.formats.values import Policies

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
    rows = [row for order in _items(orders) for row in order.rows]
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
        return count(collection, _items(collection))

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
    from chronoscore.timelines.formats.reading import read_timelines

    topics = read_timelines(source, problems, {**choices, "moments": "keep"})
    timelines = _items(topics)
    days = sum(len(timeline.days) for timeline in timelines)
    moments = any(day.is_moment for timeline in timelines for day in timeline.dates)
    counted = "offsets" if "time_unit" in choices else "times" if moments else "days"
    return f"{plural(len(topics), 'topic')}, {len(timelines)} timelines, {days} {counted}"


def _count_annotations(names: Any, documents: Sequence[Any]) -> str:
    total = sum(len(document.annotations) for document in documents)
    return f"{plural(len(names), 'document')}, {total} annotations"


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
        for name in json.loads(path.read_bytes()).keys() - {*struct.__struct_fields__, FIELD}:
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
