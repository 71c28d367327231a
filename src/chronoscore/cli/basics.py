"""`chronoscore evaluate`, `demo`, `metrics` and `completion`: all questions, and how to begin."""

import os
import sys
from pathlib import Path

import click

from chronoscore.cli import options
from chronoscore.cli.options import Args, Input, Output, argument, of_parameter, option
from chronoscore.cli.output import (
    is_styled,
    print_notices,
    tables_as,
    tell,
    tell_all,
    write_page,
    write_report_file,
)
from chronoscore.cli.verb import named_paths, verb
from chronoscore.core.sources import sources_of
from chronoscore.core.writing import write_file
from chronoscore.elements.dated.options import OPTIONS
from chronoscore.errors import UsageError
from chronoscore.reports.terminal import command_lines, terminal_width
from chronoscore.statistics import INTERVAL_METHODS

_FOLDER = click.Path(path_type=Path)
QUESTIONS = ("timelines", "events", "ordering", "annotations", "rubric")
HEADLINES = {"events": ("event-timed", "event-f1", "text-quality")}
"""The metrics that the demo shows of a question whose default table is longer than a screen."""
NEXT = (
    "chronoscore demo --data demo",
    "chronoscore timelines demo/gold.jsonl demo/quick.jsonl --explain chernobyl",
    "chronoscore compare timelines demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl",
    "chronoscore annotations demo/gold.jsonl demo/quick.jsonl --texts demo/articles.jsonl "
    "--report quick.html",
)
"""Commands that the demo ends with; the first one writes the files of the others."""


@verb(
    options.GOLD,
    options.PREDICTED,
    option("--judgements SHEET...", "Judgements by people or a judge model.", Input()),
    options.CODEBOOK,
    option(
        "--articles FILE",
        "Look for each predicted event in its article: an articles.jsonl, or a folder of topics.",
        Input(),
    ),
    option(
        "--verdicts FILE...",
        "Whether articles support events, by people or a judge model: JSON lines, or sheets of "
        "--codebook support.",
        Input(),
        needs=("articles",),
    ),
    option(
        "--scope",
        "The sentences that say how rare a word is: those of the article, or of all articles.",
        ("article", "collection"),
        default="article",
        needs=("articles",),
    ),
    option("--only FAMILY...", f"Ask only this question ({', '.join(QUESTIONS)})."),
    *(of_parameter(one) for one in OPTIONS if one.name == "dates"),
    option("--by-event", "Show what each predicted event earned.", bool),
    option(
        "--full",
        "Also print the tables of each question's own verb; JSON always contains them.",
        bool,
        not_printed_as=("csv", "json"),
    ),
    option(
        "--interval",
        f"Show confidence intervals; auto is {INTERVAL_METHODS['auto']}.",
        tuple(name for name in INTERVAL_METHODS if name != "bayes"),
    ),
    *options.DRAWING,
    option("--save FILE", "Save all of it as JSON.", Output()),
    option("--report FILE", "Write an HTML report with a panel for each question.", Output()),
    option(
        "--no-texts",
        "Leave whole articles out of the report; sentences with an event in them stay.",
        bool,
        needs=("report",),
    ),
    options.TABLE_FORMAT,
    *options.READING,
)
def evaluate_verb(args: Args) -> str:
    """Ask every question that a file of events permits.

    The answers are joined by event. GOLD and each PREDICTED are an events.jsonl; name a system with
    NAME=PATH. Dates and texts make timelines, positions and mentions an order, spans annotations;
    sheets of judgements are given with --judgements. With --articles each event and its date are
    looked for in its article: they are mentioned or not found, and supported only by --verdicts.
    Questions that the file does not permit are
    listed, with the reason. The numbers are those of the questions' own verbs.

    Examples:
    chronoscore evaluate demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl --judgements
        demo/judgements.csv
    chronoscore evaluate demo/gold.jsonl demo/quick.jsonl --by-event --articles
        demo/articles.jsonl
    """
    from chronoscore.evaluation import evaluate, save
    from chronoscore.evaluation.document import encode
    from chronoscore.evaluation.pages import evaluation_report
    from chronoscore.evaluation.tables import evaluation_tables
    from chronoscore.reports.result_text import render

    evaluated = evaluate(
        args.gold,
        sources_of(named_paths(args.predicted)),
        args.problems,
        judgements=args.judgements,
        codebook=args.codebook,
        chance=args.interval_plan(args.interval) if args.interval else None,
        only=args.only,
        dates=args.dates or "error",
        articles=args.articles,
        verdicts=args.verdicts,
        scope=args.scope,
        texts=not args.no_texts,
    )
    document = evaluated.document
    tell_all(document.notices)
    if args.save is not None:
        save(document, args.save)
        tell(f"saved {args.save}")
    if args.report is not None:
        from chronoscore.cli.heads import head_of_files

        head = head_of_files(args.gold, named_paths(args.predicted).values())
        write_page(args.report, evaluation_report(evaluated, head))
    in_text = args.output_format == "text"
    tables = evaluation_tables(
        document,
        by_event=args.by_event,
        full=args.full and not in_text,
        in_text=in_text,
        counts=args.output_format != "csv",
    )
    last = slice(-1, None)  # CSV holds one table: the events where they were asked for
    text = tables_as(args.output_format, tables, lambda: encode(document).decode(), last)
    further = document.results if args.full and in_text else ()
    texts = (
        render(evaluated.home(one.family), one, "text", styled=is_styled(), full=True)
        for one in further
    )
    return "\n".join([text, *texts])


@verb(
    option("--data DIR", "Only copy the bundled data into a new folder.", _FOLDER),
    option("--report DIR", "Also write an HTML report of each question into a folder.", _FOLDER),
    option("--open", "Open the first report, where there is a display.", bool, name="show"),
)
def demo_verb(args: Args) -> None:
    """Ask all questions of bundled data.

    There are three systems on seven topics of public history.

    Examples:
    chronoscore demo
    chronoscore demo --data demo-copy
    """
    if args.data is not None:
        _copy(args.data)
        return
    from chronoscore.cli.heads import head_of_inputs
    from chronoscore.cli.scoring import measure, run_of
    from chronoscore.demo import SYSTEMS, home
    from chronoscore.reports.result_text import render

    reports: list[Path] = []
    events = [home() / f"{name}.jsonl" for name in ("gold", *SYSTEMS)]
    for name in QUESTIONS:
        files = [home() / "judgements.csv"] if name == "rubric" else events
        path = args.report / f"{name}.html" if args.report else None
        metrics = HEADLINES.get(name, ())
        texts = {"texts": home() / "articles.jsonl"} if name == "annotations" and path else {}
        run = run_of(name, files, interval="auto", report=path, metric=metrics, **texts)
        click.secho(f"{run.family.question}", bold=True)
        names = " ".join(f"demo/{file.name}" for file in files)
        further = "".join(f" -m {metric}" for metric in metrics)
        further += "".join(f" --texts demo/{file.name}" for file in texts.values())
        _print_command(f"chronoscore {name} {names} --interval auto{further}")
        measure(run)
        click.echo(render(run.family, run.scored.result, "text", styled=is_styled()), nl=False)
        tell_all(notice.replace(str(home()), "demo") for notice in run.scored.result.notices)
        if path is not None:
            write_report_file(run.family, run.scored, path, head_of_inputs(run.verb.inputs(run)))
            reports.append(path)
        print_notices()
        click.echo()
    can_open = args.show and reports and _has_display()
    opened = can_open and click.launch(str(reports[0].resolve())) == 0
    click.secho("What to try next", bold=True)
    for command in NEXT:
        _print_command(command)
    if reports and not opened:
        names = ", ".join(path.name for path in reports)
        click.echo(f"\nThe reports are in {args.report}; open them in a browser: {names}")


def _print_command(command: str) -> None:
    """Print a command as one would type it."""
    click.echo("\n".join(command_lines(command, terminal_width(), "$ ")))


def _has_display() -> bool:
    """Whether a report can be opened here: on a desktop, not on a build machine."""
    if os.environ.get("CI"):
        return False
    return sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def _copy(folder: Path) -> None:
    from chronoscore.demo import data_files

    if folder.exists():
        raise UsageError(f"'{folder}' already exists; name a new folder")
    folder.mkdir(parents=True)
    for file in data_files():
        write_file(folder / file.name, file.read_bytes())
    click.echo(f"{len(data_files())} files are now in {folder}")


@verb(
    click.Argument(["name"], required=False),
    option("--family NAME", "Only the metrics of one family.", name="family_name"),
)
def metrics_verb(args: Args) -> str:
    """List the metrics and protocols, or describe one metric.

    NAME is a metric, with parameters in brackets if wanted, or a short name such as AR-1.

    Examples:
    chronoscore metrics
    chronoscore metrics 'align+m:1(rouge=2)'
    """
    from chronoscore.families import NAMES, family, metric
    from chronoscore.reports.catalogue import catalogue, description

    names = [args.family_name] if args.family_name else NAMES
    if args.name is None:
        return "\n".join(catalogue(family(name)) for name in names)
    if args.family_name:
        return description(family(args.family_name), family(args.family_name).metric(args.name))
    return description(*metric(args.name))


@verb(
    argument("shell", click.Choice(["bash", "zsh", "fish"])),
)
def completion_verb(args: Args) -> str:
    """Print the script that completes verbs and options in a shell.

    bash: put eval "$(chronoscore completion bash)" into ~/.bashrc; zsh likewise into ~/.zshrc;
    fish: chronoscore completion fish > ~/.config/fish/completions/chronoscore.fish

    Examples:
    chronoscore completion bash
    chronoscore completion fish
    """
    from click.shell_completion import get_completion_class

    from chronoscore.cli.main import command

    maker = get_completion_class(args.shell)
    assert maker is not None
    return f"{maker(command, {}, 'chronoscore', '_CHRONOSCORE_COMPLETE').source()}\n"
