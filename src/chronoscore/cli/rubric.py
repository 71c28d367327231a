"""`chronoscore rubric`, and what comes before it: `rubric template` and `rubric dates`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from chronoscore.cli import options
from chronoscore.cli.options import Args, Input, Output, argument, option
from chronoscore.cli.output import rendered, tables_as, tell, tell_all
from chronoscore.cli.scoring import Run, render_result, scoring_verb
from chronoscore.cli.verb import verb
from chronoscore.core.event import read_events
from chronoscore.core.sources import source_of
from chronoscore.engines.plan import Inputs
from chronoscore.errors import UsageError

if TYPE_CHECKING:
    from chronoscore.core.family import Family
    from chronoscore.rubric.templates import Form


def _family(run: Run) -> Family:
    from chronoscore.rubric.family import rubric_family

    codebook = run.args.codebook
    run.args.tell_notices()
    return rubric_family(codebook)


def _inputs(run: Run) -> Inputs:
    """Return the sheets, and the ids of the events that may be judged."""
    from chronoscore.rubric.family import reader_words

    problems = run.args.problems
    words: dict[str, Any] = {**reader_words(run.args.codebook, run.args.evaluator)}
    if run.args.events:
        judged = [event.id for source in run.args.events for event in read_events(source, problems)]
        # If some events could not be read, a judgement of an unknown event may be valid.
        if not problems.problems:
            words["events"] = frozenset(judged)
    return Inputs(None, {"": run.args.sheets}, words)


@scoring_verb(
    options.EVALUATOR,
    option(
        "--events FILE...",
        "An events.jsonl that was judged; judgements of other events are refused.",
        Input(),
    ),
    option(
        "--weight-sensitivity",
        "Show, in place of the scores, how far the ranking depends on the codebook's weights.",
        bool,
        not_printed_as=("plain",),
        excludes=("by",),
    ),
    options.CODEBOOK,
    family="rubric",
    formats={name: name for name in ("csv", "tsv", "xlsx", "jsonl", "json")},
    arguments=(options.SHEETS,),
    make_family=_family,
    inputs=_inputs,
)
def rubric_verb(run: Run) -> list[str]:
    """Score judgements of events, and agreement.

    The scores are EQS and the means of its criteria. Each SHEET is a file of judgements: CSV, TSV,
    XLSX, JSONL (plain, gz or zst), Parquet, or an export of Label Studio or Argilla. Each system
    gets the mean over events of the mean over evaluators. --by event, evaluator, kind (person or
    llm), article or type breaks it down; every score comes with the number of events it rests on.
    Frequent comments of the codebook are counted where there are any. `chronoscore agreement` says
    more about the evaluators.

    Examples:
    chronoscore rubric demo/judgements.csv
    chronoscore rubric demo/judgements.csv --by evaluator --fail-under 0.2
    """
    from chronoscore.rubric.family import comment_counts
    from chronoscore.rubric.pages.agreement import comments_table

    output_format = run.args.output_format
    if run.args.weight_sensitivity:
        return [_weights(run)]
    systems = [system.name for system in run.scored.result.systems]
    comments = comment_counts(systems, run.args.codebook, run.scored.facts)
    texts = render_result(run)
    has_comments = any(sum(counts.values()) for counts in comments.values())
    if has_comments and output_format not in ("csv", "json", "plain"):
        texts.append(rendered([comments_table(comments)], output_format))
    return texts


def _weights(run: Run) -> str:
    """Render how far the ranking depends on the weights."""
    from chronoscore.core.writing import json_text
    from chronoscore.rubric.pages.weights import weight_tables
    from chronoscore.rubric.weights import weight_sensitivity

    document = weight_sensitivity(run.scored.result, run.args.codebook, run.args.seed)
    tell_all(document.notices)
    tables = weight_tables(document)
    return tables_as(run.args.output_format, tables, lambda: json_text(document), slice(1))


@verb(
    argument("events", Input()),
    options.ARTICLES,
    option("--evaluator NAME...", "Who judges.", name="evaluators", required=True),
    option(
        "--overlap", "How many judge an article (default: 2, or 1 if there is one evaluator).", int
    ),
    option("--calibration", "About how many events all evaluators judge first.", default=0),
    option("--seed", "Seed of the random distribution of articles.", default=0),
    options.CODEBOOK,
    option(
        "--to",
        "Workbooks with guidance and lists to choose from (default, if openpyxl is installed), or "
        "plain sheets.",
        ("xlsx", "csv"),
        name="form",
    ),
    option("-o --output DIR", "The folder for the sheets.", Output(), name="folder", required=True),
    *options.READING,
)
def rubric_template_verb(args: Args) -> str:
    """Make a sheet for each evaluator.

    The sheets are ready to fill in, with guidance and the allowed answers. EVENTS is an
    events.jsonl. The events of an article stay together, and each article goes to two evaluators,
    so that their agreement can be measured. With --calibration all evaluators judge the same first
    batch, to be discussed before the rest.

    Examples:
    chronoscore rubric template demo/quick.jsonl --articles demo/articles.jsonl --evaluator ana
        --evaluator ben --to csv -o sheets
    chronoscore rubric template demo/quick.jsonl --evaluator ana --evaluator ben --evaluator cleo
        --overlap 2 --calibration 10 --seed 7 --to csv -o more-sheets
    """
    from chronoscore.rubric.templates import make_templates, write_templates

    codebook = args.codebook
    articles = args.read_articles()
    events = read_events(args.events, args.problems)
    args.problems.check()
    sheets = make_templates(
        events,
        articles,
        codebook,
        args.evaluators,
        overlap=args.overlap,
        calibration=args.calibration,
        seed=args.seed,
        problems=args.problems,
    )
    args.check_files()
    form = args.form or _best_form()
    paths = write_templates(sheets, args.folder, codebook, articles, form=form)
    return "".join(f"{path}\n" for path in paths)


def _best_form() -> Form:
    """Return xlsx if openpyxl is installed; otherwise print a notice and return csv."""
    from importlib.util import find_spec

    if find_spec("openpyxl"):
        return "xlsx"
    tell(
        "plain sheets are written, since workbooks need a package: pip install 'chronoscore[xlsx]'"
    )
    return "csv"


@verb(
    argument("subjects...", metavar="EXPRESSION|SHEET..."),
    option("--published DATE", "When the article was published.", excludes=("events", "articles")),
    option("--events FILE...", "The events that were judged.", Input()),
    options.ARTICLES,
    option(
        "--language CODE",
        "The language of the expressions or articles, such as en (default: what an article's "
        "field language says, else whether the text looks English).",
    ),
    options.EVALUATOR,
    options.CODEBOOK,
    *options.READING,
)
def rubric_dates_verb(args: Args) -> str:
    """Resolve 'last Monday'; check judged dates.

    With --published each EXPRESSION ("yesterday", "over the weekend", "Friday, Feb. 11", "three
    days after Jan. 25") is resolved, with all its readings. With --events and --articles each
    SHEET of judgements is checked against the sentences of the articles: dates judged right that
    a sentence contradicts, and dates judged wrong that it states. Where a sentence leaves the date
    open there is no verdict, and the reasons are counted. Only English is known: there is no
    verdict on events of other articles, and they are counted.

    Examples:
    chronoscore rubric dates 'last Monday' --published 2010-04-21
    chronoscore rubric dates demo/judgements.csv --events demo/quick.jsonl --events
        demo/careful.jsonl --events demo/lead.jsonl --articles demo/articles.jsonl
    """
    if args.published is not None:
        lines = _resolve(args.subjects, args.published, args.language or "")
    elif args.events and args.articles:
        lines = _check_dates(args)
    else:
        raise UsageError("give --published for an expression, or --events and --articles")
    return "".join(f"{line}\n" for line in lines)


def _resolve(expressions: tuple[str, ...], published: str, language: str) -> list[str]:
    from chronoscore.elements.time import TimeError
    from chronoscore.elements.time.expressions.finding import resolve
    from chronoscore.elements.time.expressions.lexicon import known_names, lexicon_for
    from chronoscore.elements.time.reading import read_day
    from chronoscore.reports.table import joined_by_and

    try:
        day = read_day(published)
    except TimeError as error:
        raise UsageError(f"--published: {error}") from None
    lexicons = {expression: lexicon_for(expression, language) for expression in expressions}
    resolved = {
        expression: resolve(expression, day, lexicon) if lexicon else []
        for expression, lexicon in lexicons.items()
    }
    unknown = [f"'{name}'" for name, candidates in resolved.items() if not candidates]
    if unknown:
        verb_form, each = ("are", " each") if len(unknown) > 1 else ("is", "")
        raise UsageError(
            f"{joined_by_and(unknown)} {verb_form} not understood; expected one {known_names()} "
            f"expression of a date{each}, such as 'last Monday'"
        )
    return [
        f"{expression}\t{candidate}\t{candidate.reading}"
        for expression, candidates in resolved.items()
        for candidate in candidates
    ]


def _check_dates(args: Args) -> list[str]:
    from chronoscore.elements.time.expressions.lexicon import known_names
    from chronoscore.rubric.contradictions import check_events, contradictions, unknown_language

    codebook, problems = args.codebook, args.problems
    events = [event for source in args.events for event in read_events(source, problems)]
    articles = args.read_articles()
    args.sheets = [*map(source_of, args.subjects)]
    judgements = args.read_judgements()
    event_ids = {event.id for event in events}
    unknown = [judgement for judgement in judgements if judgement.event not in event_ids]
    if unknown and len(unknown) == len(judgements):
        places = ", ".join(map(str, args.events))
        problems.problem(
            f"none of the judged events is in {places}; there is no '{unknown[0].event}', say"
        )
    elif unknown:
        problems.notice(
            f"{len(unknown)} judgements are of events that --events has not, and are not checked, "
            f"first '{unknown[0].event}'"
        )
    args.check_files()
    checked = check_events(events, articles, args.language or "")
    wrong = contradictions(judgements, checked, codebook)
    judged = {judgement.event for judgement in judgements}
    unread = sum(checked[one].assessment is unknown_language() for one in judged & checked.keys())
    reasons: Counter[str] = Counter()
    decided = 0
    for judgement in judgements:
        if judgement.event not in event_ids:
            continue
        date_check = checked.get(judgement.event)
        if date_check is None:
            reasons["no date, or no place in a dated article"] += 1
        elif date_check.assessment.verdict == "open":
            reasons.update(date_check.assessment.reasons[:1])
        else:
            decided += 1
    elsewhere = f"{unread} events are in articles that are not in {known_names()}"
    return [
        *map(str, wrong),
        f"{len(wrong)} of {decided} judgements contradict the article's words",
        *([f"{reasons.total()} more are left open:"] if reasons else []),
        *(f"{count:6}  {reason}" for reason, count in reasons.most_common()),
        *([f"{elsewhere}, where dates in words are not resolved"] if unread else []),
    ]
