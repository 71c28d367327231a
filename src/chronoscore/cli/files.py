"""Verbs that convert data files: `chronoscore convert`, `tlinks convert`, `rubric convert`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronoscore.cli import options
from chronoscore.cli.options import Args, Input, Output, argument, of_parameter, option
from chronoscore.cli.output import tell, tell_of_other_files
from chronoscore.cli.verb import verb
from chronoscore.core.problems import Problems
from chronoscore.core.records import format_of
from chronoscore.core.sources import Source
from chronoscore.elements.dated.options import OPTIONS
from chronoscore.elements.dated.writing import FORMATS, has_languages, write_timelines
from chronoscore.errors import DataError, UsageError
from chronoscore.reports.table import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Check = Callable[[Source, Problems], str]

ORDERS = ("semeval", "timeml")
BY_DAY = ("events", "summaries", "csv", "tsv")
"""Formats that name a timeline only where they name one of its days."""
RESULTS = {"archive": ".chronoscore", "json": ".json"}
"""The encodings of saved results, and the endings of their names."""
DOCUMENTS = {"documents": "jsonl", "brat": "brat", "bdoc": "bdoc"}
"""Formats of annotated documents, and the names that `write_documents` has for them."""
_MIXED = "whoever reads the folder reads them, too; delete them, or name a new folder"
SHEET_FORMATS = ("csv", "tsv", "xlsx", "jsonl", "label-studio")
TIMES = [of_parameter(one) for one in OPTIONS if one.name in options.FILE_CHOICES[1:]]
"""The options that say how the files of timelines are written."""
SOURCE, TARGET = argument("source", Input()), argument("target", Output(apart=True))


@verb(
    SOURCE,
    TARGET,
    option("--to", "The new format.", (*FORMATS, *ORDERS, *DOCUMENTS, "archive"), required=True),
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
    """Convert timelines, orders, annotations or results between formats.

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
    semeval    orders of events as in SemEval-2015: one file for each target
    timeml     orders of events as graphs of TLINKs; they can be read back

    Annotations of text, in any format that `chronoscore annotations` reads, become:

    \b
    documents  JSONL of {id, text, annotations}
    brat       a .txt and an .ann file for each document
    bdoc       a .bdocjs file for each document, for GATE

    Saved results, with their matches and texts, become:

    \b
    archive    columns in a zip file, for very many rows (NAME.chronoscore)
    json       one JSON document (NAME.json)

    Judgements are converted by `chronoscore rubric convert`, and temporal links by
    `chronoscore tlinks convert`.

    Examples:
    chronoscore convert demo/gold.jsonl golds --to tilse
    chronoscore convert demo/gold.jsonl spans --to bdoc
    """
    choices = options.file_choices(args)
    if len(choices) > 1 and args.to in (*ORDERS, *DOCUMENTS):
        named = flags_of(name for name in choices if name != "dates")
        raise UsageError(f"{named}: for timelines, not for '{args.to}'")
    if args.to in RESULTS and format_of(Path(args.source.name)) == "chronoscore-result":
        return _convert_result(args)
    if args.to == "archive":
        raise UsageError(f"{args.source} is no saved result: --to archive is for those")
    if args.to in ORDERS:
        return _convert_orders(args)
    if args.to in DOCUMENTS:
        return _convert_documents(args)
    from chronoscore.elements.dated.cases import languages_of
    from chronoscore.elements.dated.reading import read_timelines

    choices["moments"] = "keep"
    collection = read_timelines(args.source, args.problems.unreported(), choices)
    if any(day.is_moment for timeline in items_of(collection) for day in timeline.dates):
        choices["midnight"] = "time"  # among other times of day
    collection = read_timelines(args.source, args.problems, choices)
    args.check_files()
    languages = languages_of(collection, args.problems)
    paths = write_timelines(collection, args.target, args.to, languages)
    tell_of_other_files(args.target, paths, _MIXED)
    if languages and not has_languages(args.to):
        tell(f"'{args.to}' has no place for the languages of topics: they are lost")
    number = len(items_of(collection))
    empty = sum(not timeline.days for timeline in items_of(collection))
    if empty and args.to in BY_DAY:
        reason = f"'{args.to}' has no place for them: they are lost"
        tell(f"{empty} timelines have no days, and {reason}")
    files = f"({len(paths)} files)\n" if len(paths) > 1 else ""
    counted = f"{plural(number, 'timeline')} of {plural(len(collection), 'topic')}"
    return f"{counted} {_be(number)} in {args.target}\n{files}"


def items_of(collection: Mapping[str, Mapping[str, Any]]) -> list[Any]:
    """Return the items of a collection, which has them by case and gold."""
    return [item for golds in collection.values() for item in golds.values()]


def _convert_documents(args: Args) -> str:
    from chronoscore.annotations.formats.reading import read_documents
    from chronoscore.annotations.formats.writing import write_documents

    documents = read_documents(args.source, args.problems)
    args.check_files()
    paths = write_documents(documents, args.target, DOCUMENTS[args.to])
    tell_of_other_files(args.target, paths, _MIXED)
    number = sum(len(document.annotations) for document in items_of(documents))
    files = f" ({len(paths)} files)" if len(paths) > 1 else ""
    annotations, texts = plural(number, "annotation"), plural(len(documents), "document")
    return f"{annotations} of {texts} {_be(number)} in {args.target}{files}\n"


def _convert_result(args: Args) -> str:
    from chronoscore.core.result import load, save_again

    ending = RESULTS[args.to]
    if args.target.suffix.lower() != ending:
        raise UsageError(f"name the target with the ending of --to {args.to}: NAME{ending}")
    path = Path(args.source.name)
    result = load(path)
    save_again(result, path, args.target)
    number = sum(len(system.rows) for system in result.systems)
    rows, systems = plural(number, "row"), plural(len(result.systems), "system")
    return f"{rows} of {systems} {_be(number)} in {args.target}\n"


def flags_of(names: Iterable[str]) -> str:
    """Write the options of these names as they are typed."""
    return " and ".join(f"--{name.replace('_', '-')}" for name in names)


def _be(count: int) -> str:
    """Choose the verb that agrees with a count."""
    return "is" if count == 1 else "are"


def _convert_orders(args: Args) -> str:
    from chronoscore.ordering.formats import read_any, write_orders

    orders = read_any(args.source, args.problems)
    if not orders:
        args.problems.problem("there is no order of events to convert", args.source)
    args.check_files()
    paths = write_orders(orders, args.target, args.to)
    tell_of_other_files(args.target, paths, _MIXED)
    timelines, targets = plural(len(paths), "timeline"), plural(len(orders), "target")
    return f"{timelines} of {targets} {_be(len(paths))} in {args.target}\n"


@verb(
    SOURCE,
    TARGET,
    option("--to", "The new format.", ("tsv", "jsonl", "timeml"), name="form", required=True),
    option("--vague", "Keep VAGUE links (default), or leave them out.", ("keep", "skip")),
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
    from chronoscore.ordering.tlinks.formats import read_links
    from chronoscore.ordering.tlinks.writing import write_links

    collection = read_links(args.source, args.problems, {"vague": args.vague or "keep"})
    args.check_files()
    paths = write_links(collection, args.target, args.form)
    tell_of_other_files(args.target, paths, _MIXED)
    documents = items_of(collection)
    count = sum(len(document.links) for document in documents)
    links = plural(count, "link")
    return f"{links} of {plural(len(documents), 'document')} {_be(count)} in {args.target}\n"


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
