"""`chronoscore timelines`, and `metric-tests`: does a metric notice a damaged timeline?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from chronoscore.cli import options
from chronoscore.cli.options import Args, Input, Output, argument, of_parameter, option
from chronoscore.cli.output import published_rows, rendered, tables_as, write_page
from chronoscore.cli.scoring import (
    Run,
    gold_and_predictions,
    no_result,
    render_result,
    scoring_verb,
)
from chronoscore.cli.verb import verb
from chronoscore.core.sources import source_of
from chronoscore.core.writing import json_text
from chronoscore.elements.dated.options import FORMATS, OPTIONS
from chronoscore.elements.text import LOCALISED
from chronoscore.engines.plan import Inputs
from chronoscore.errors import DataError, UsageError
from chronoscore.reports.rendering import PAPER_FORMATS


def _prepare(run: Run) -> None:
    """Read the user's map of names; then the published results, or print every variant of AR."""
    args = run.args
    if args.rename:
        from chronoscore.core.name_matching.renaming import read_renaming

        args.rename = read_renaming(args.rename, args.problems)
    if args.published and args.output_format in PAPER_FORMATS:
        args.published_rows = published_rows(args.published, no_result(run), run.family)
    elif args.published:
        from chronoscore.timelines.readings import PublishedChoice

        args.published_choice = PublishedChoice.parse(args.published)
        args.published_choice.rows()  # refused before anything is scored
    if args.all_variants:
        _print_variants(run)
    if args.check_scores:
        _check_scores(run)
    texts = {str(metric.values.get("text", "")) for metric in run.settings.metrics}
    if args.language and texts.isdisjoint(LOCALISED):
        raise UsageError("--language is for text=stems and text=icu, and no metric has them")


def _inputs(run: Run) -> Inputs:
    """Return the sources of the run, and for --floor the articles and the seed."""
    inputs, articles = gold_and_predictions(run), run.args.floor
    words = {**inputs.words, "floor": (articles, run.args.seed)} if articles else inputs.words
    return replace(inputs, words=words)


def _print_variants(run: Run) -> None:
    """Print every variant of AR in place of the result."""
    from chronoscore.core.name_matching.systems import folder_of, match_systems
    from chronoscore.elements.dated.cases import named_as_golds, read_prediction
    from chronoscore.elements.dated.reading import read_timelines
    from chronoscore.elements.dated.values import REPAIRED, REPEATED_DATES
    from chronoscore.timelines.readings import all_readings, readings_table

    args, problems = run.args, run.args.problems
    choices = options.family_choices(args, OPTIONS)
    systems = {name: [*map(source_of, paths)] for name, paths in run.systems.items()}
    golds, rename = read_timelines(args.gold, problems, choices), args.rename or {}
    predicted = {
        name: [read_prediction(golds, one, args.gold, problems, choices, rename) for one in sources]
        for name, sources in systems.items()
    }
    problems.check()
    folders = {name: [*map(folder_of, sources)] for name, sources in systems.items()}
    matches = match_systems(golds, predicted, problems, choices, folders, args.rename)
    args.check_files()
    named = named_as_golds(golds, predicted, matches)
    readings = all_readings(golds, named, choices)
    if problems.facts[REPAIRED, "gold", REPEATED_DATES] and not args.repeated_gold:
        joined = {**choices, "repeated_gold": "join"}
        golds = read_timelines(args.gold, problems.unreported(), joined)
        readings += [
            replace(one, golds=f"{one.golds}, joined", used_by="")
            for one in all_readings(golds, named, choices)
        ]
    table = readings_table(readings)
    click.echo(tables_as(args.output_format, [table], lambda: json_text(readings)), nl=False)
    raise SystemExit(0)


def _check_scores(run: Run) -> None:
    """Compare the scores inside result files with ours, in place of the result."""
    from chronoscore.cli.reproduce import print_rechecked
    from chronoscore.reproduction.catalogue import ReleasedOutput

    gold = Path(run.args.gold.name)
    choices = options.family_choices(run.args, OPTIONS)
    print_rechecked(
        [
            (
                ReleasedOutput(
                    name,
                    f"the scores inside {path}",
                    "timelines",
                    protocol="news-tls",
                    sums="left to right",
                    options=choices,
                    inside=1,
                ),
                gold,
                path,
            )
            for name, paths in run.systems.items()
            for path in paths
        ],
        run.args,
    )
    raise SystemExit(0)


_ABOUT_NAMES = [one.name for one in OPTIONS].index("repeated")
"""How many options come before those about repeated dates; the last ones are about names."""


@scoring_verb(
    *map(of_parameter, OPTIONS[:_ABOUT_NAMES]),
    options.RENAME,
    *map(of_parameter, OPTIONS[_ABOUT_NAMES:]),
    option("--ceiling", "Score golds against each other as well.", bool, cases=True, reader=True),
    option(
        "--floor ARTICLES",
        "Score two baselines as well, made from articles: frequent dates with first sentences, and "
        "random ones (--seed). ARTICLES is an articles.jsonl, one of news-tls, or a folder of "
        "topics with such files or InputDocs/DATE/*.txt.",
        Input(),
        cases=True,
    ),
    option(
        "--all-variants",
        "Print every published variant of AR, and who uses which.",
        bool,
        only_with=(
            *("gold", "predicted", "missing", "match", "extra", "rename"),
            *options.FILE_CHOICES,
            *("repeated", "output_format", "encoding", "max_line", "lenient", "strict"),
        ),
        not_printed_as=("plain",),
    ),
    option(
        "--check-scores",
        "Compare the scores inside result files of news-tls with ours, digit by digit; the exit "
        "code is 1 if one differs.",
        bool,
        only_with=(
            *("gold", "predicted", "repeated"),
            *options.FILE_CHOICES,
            *("output_format", "full", "encoding", "max_line", "lenient", "strict"),
        ),
        not_printed_as=("plain", "latex"),
    ),
    option(
        "--published NAME[,FILTER...]|FILE",
        "Print published results as well, of crisis, crisis-without-libya, entities or timeline17, "
        "all or some, as in timeline17,metric=AR-1,year=2024..; in latex and markdown also your "
        "own CSV or JSON, as rows of the table.",
        not_printed_as=options.FOR_PROGRAMS,
    ),
    option("--counts", "Also print one line of precision, recall and F1 for each metric.", bool),
    family="timelines",
    formats=FORMATS,
    trials=True,
    prepare=_prepare,
    inputs=_inputs,
)
def timelines_verb(run: Run) -> list[str]:
    """Score timeline summaries: texts and dates.

    GOLD and each PREDICTED are an events.jsonl, a tilse text, JSON, a news-tls
    timelines.jsonl, a CSV with date and summary, or a folder of topics with such files. Name a
    system with NAME=PATH; the same NAME again is another trial of it.

    Examples:
    chronoscore timelines demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl
    chronoscore timelines demo/gold.jsonl demo/quick.jsonl -m AR-1 --by topic --explain
        suez-canal-blockage
    """
    result, output_format = run.scored.result, run.args.output_format
    counts, published = run.args.counts, run.args.published
    if not counts and not published:
        return render_result(run)
    from chronoscore.reports.result_tables import plain
    from chronoscore.timelines.readings import counts_lines, counts_text, published_table

    if output_format == "plain":
        return [plain(run.family, result, counts_lines)]
    texts = render_result(run)
    if counts and output_format in ("text", "markdown"):
        texts.append(counts_text(result))
    if published and output_format not in PAPER_FORMATS:
        choice, for_people = run.args.published_choice, output_format != "csv"
        table = published_table(result, choice, for_people=for_people)
        texts.append(rendered([table], output_format))
    return texts


SEED = 23
"""The seed of `metric_tests`, repeated here since importing that module slows the help."""


@verb(
    argument("gold", Input(readable=True)),
    option(
        "-m --metric NAME...",
        "A metric of timelines or of events (default: eight, by the damages).",
    ),
    option(
        "--damages",
        "What is damaged: whole days, as published, or single entries, as if an event were split, "
        "joined, dated or worded differently (default: days; entries if a metric of events is "
        "named).",
        ("days", "entries"),
    ),
    option(
        "--rewrites FILE",
        "Timelines of the same topics that tell the same in other words, where scores should stay; "
        "with --damages entries.",
        Input(readable=True),
    ),
    option("--seed", "Seed of the random number generator.", int, default=SEED),
    option(
        "--report FILE",
        "Write an HTML page that shows how far each score falls by each damage.",
        Output(),
    ),
    options.format_option(
        "How to print the report; csv and json have one row for each metric and test.",
        ("text", "markdown", "csv", "json"),
    ),
    *(of_parameter(one) for one in OPTIONS if one.name in options.FILE_CHOICES),
    *options.READING,
)
def metric_tests_verb(args: Args) -> str:
    """Test which metrics notice a damaged timeline.

    Each timeline of GOLD is damaged and scored against itself. With --damages days a day is
    removed, added, merged with the next, all days are shifted, and so on, in nine ways; a metric
    passes a test if its score falls on every gold. With --damages entries events are dropped,
    repeated, split, merged, denied, moved and so on, in 19 ways; for metrics of events the report
    says which scores must fall and which must not move. GOLD is what `chronoscore timelines`
    reads.

    Examples:
    chronoscore metric-tests demo/gold.jsonl -m AR-2 -m 'date-f1(tolerance=3)' --seed 7
    chronoscore metric-tests demo/gold.jsonl --damages entries
    """
    from chronoscore.core.case import named_alike
    from chronoscore.elements.dated.cases import count_languages
    from chronoscore.elements.dated.reading import read_timelines
    from chronoscore.elements.time.calendar import GRAINS
    from chronoscore.evaluation.metric_tests import (
        METRICS,
        chosen_damages,
        chosen_metrics,
        render_metric_tests,
        run,
    )

    problems = args.problems
    rewritten = args.rewrites is not None
    damages = chosen_damages(args.metric, args.damages, rewritten=rewritten)
    names = args.metric or METRICS[damages]
    choices = options.file_choices(args)
    metrics = chosen_metrics(names)
    grains = {family.reader_options(several)["grain"] for family, several in metrics}
    choices["grain"] = next(grain for grain in GRAINS if grain in grains)
    golds = read_timelines(args.gold, problems, choices)
    rewrites = None
    if rewritten:
        read = read_timelines(args.rewrites, problems, choices, "predicted")
        rewrites = named_alike(golds, read, args.gold, args.rewrites, problems)
    problems.check()
    count_languages(golds, problems)
    for family, several in metrics:
        if family.check_names:
            family.check_names(several, problems.facts, problems, ())
    args.check_files()
    if not any(golds.values()):
        raise DataError.of("there is no timeline to test with", args.gold)
    report = run(golds, names, args.seed, damages, rewrites)
    if args.report is not None:
        from chronoscore.cli.heads import head_of_files
        from chronoscore.evaluation.metric_tests_page import metric_tests_page

        write_page(args.report, metric_tests_page(report, head_of_files(args.gold, ())))
    return render_metric_tests(report, args.output_format)
