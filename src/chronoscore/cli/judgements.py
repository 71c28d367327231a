"""Studies of judgements: `chronoscore agreement`, `calibrate` and `correlate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chronoscore.cli import options
from chronoscore.cli.options import Args, Input, Output, argument, option
from chronoscore.cli.output import tables_as, tell_all, write_page, write_report_file
from chronoscore.cli.verb import named_paths, verb
from chronoscore.core.event import read_events
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.core.writing import json_text
from chronoscore.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronoscore.rubric.correlation import EventPlaces, ScoredResult
    from chronoscore.rubric.judgements import Judgement, Judgements

ROUNDS = "rounds"


@verb(
    options.SHEETS,
    options.EVALUATOR,
    option(
        "--coefficient NAME...",
        "A coefficient for every criterion; 'all' for those that suit each scale.",
        name="coefficients",
    ),
    option("--by ...", "Break agreement down.", ("article", "type", "system")),
    option(
        "--windows N|rounds",
        "Agreement, and each evaluator, over time: in N parts of the work, or in each round.",
    ),
    option(
        "--adjudicated NAME|SHEET",
        "Compare evaluators with agreed values: an evaluator's in the sheets, or another sheet's.",
    ),
    option("--threshold", "List criteria of a lower alpha to discuss.", float, default=0.667),
    option("--most", "How many events to list for discussion.", click.IntRange(min=0), default=10),
    option(
        "--interval",
        "The method for intervals over articles; auto is the jackknife.",
        ("auto", "jackknife", "bootstrap"),
        name="method",
        default="auto",
    ),
    *options.DRAWING,
    option("--report FILE", "Write an HTML report of the scores and of agreement.", Output()),
    options.CODEBOOK,
    options.TABLE_FORMAT,
    *options.READING,
)
def agreement_verb(args: Args) -> str:
    """Measure how far evaluators agree.

    Agreement is measured on each criterion, with intervals over articles. Each SHEET is a file of
    judgements, as `chronoscore rubric` reads them. The coefficients are followed by the criteria
    that are not agreed on well enough, and the events to discuss after a calibration batch with all
    values and comments; then each pair of evaluators, and how generous each one is. JSON holds
    everything in one document, CSV the coefficients alone.

    Examples:
    chronoscore agreement demo/judgements.csv --windows 3
    chronoscore agreement demo/judgements.csv --by article --coefficient 'alpha nominal'
    """
    from chronoscore.rubric import read_cases, read_judgements
    from chronoscore.rubric.agreement.coefficients import AgreementPlan
    from chronoscore.rubric.agreement.over_time import over_time
    from chronoscore.rubric.agreement.study import study
    from chronoscore.rubric.formats.reading import row_order
    from chronoscore.rubric.pages.agreement import reliability_tables

    plan = args.make(AgreementPlan)
    plan.check()
    number = _number_of(args.windows)
    codebook, sheets, evaluator = args.codebook, args.sheets, args.evaluator
    cases = read_cases(sheets, args.problems, evaluator=evaluator, codebook=codebook)
    systems: dict[str, Judgements] = {system: batch.columns for system, batch in cases.items()}
    agreed = None
    if args.adjudicated is not None:
        systems, agreed = _adjudicated(args, systems)
    args.check_files()
    if not any(map(len, systems.values())):
        raise DataError.of("there are no judgements")
    notices = [str(notice) for notice in args.problems.notices]
    if args.report is not None:
        _write_report(args, systems, notices)
    windowed = None
    if args.windows is not None:
        # Read the sheets once more: windows need all rounds and the order of the rows.
        second_problems = Problems(args.problems.options)
        judgements = read_judgements(sheets, codebook, second_problems, evaluator=evaluator)
        names = [name for name in judgements.words["evaluator"].used() if name != args.adjudicated]
        order = row_order(sheets, codebook, second_problems, evaluator)
        windowed = over_time(judgements.by(names), order, codebook, number, plan)
    agreement = study(systems, codebook, plan, over_time=windowed, agreed=agreed, notices=notices)
    tables = reliability_tables(agreement)
    return tables_as(args.output_format, tables, lambda: json_text(agreement), slice(1))


def _number_of(windows: str | None) -> int | None:
    """Return the number of windows, or None for rounds."""
    if windows is None or windows == ROUNDS:
        return None
    if not (windows.isascii() and windows.isdecimal() and int(windows) >= 2):
        raise UsageError(f"--windows is '{windows}', expected 2 or more, or {ROUNDS}")
    return int(windows)


def _adjudicated(
    args: Args, systems: dict[str, Judgements]
) -> tuple[dict[str, Judgements], dict[str, Judgement]]:
    """Separate the evaluators' judgements from the agreed values that --adjudicated names."""
    from chronoscore.rubric import read_cases
    from chronoscore.rubric.agreement.adjudication import agreed_values

    name, problems = args.adjudicated, args.problems
    people = {
        person for judgements in systems.values() for person in judgements.words["evaluator"].used()
    }
    if name in people:
        agreed = {system: judgements.by([name]) for system, judgements in systems.items()}
        without_agreed = {
            system: judgements.by(people - {name}) for system, judgements in systems.items()
        }
        systems = {
            system: judgements for system, judgements in without_agreed.items() if len(judgements)
        }
        problems.notice(f"{name}: the agreed values, not counted among the evaluators")
    elif Path(name).exists():
        sheet = [source_of(name)]
        cases = read_cases(sheet, problems, evaluator="agreed", codebook=args.codebook)
        agreed = {system: batch.columns for system, batch in cases.items()}
    else:
        names = ", ".join(sorted(people))
        raise UsageError(f"--adjudicated {name} is neither a file nor an evaluator: {names}")
    return systems, agreed_values(agreed, systems, problems)


def _write_report(args: Args, systems: dict[str, Judgements], notices: Sequence[str]) -> None:
    from chronoscore.engines.scoring import score
    from chronoscore.engines.settings import Settings
    from chronoscore.rubric.family import make_cases, rubric_family

    cases = {
        system: make_cases(judgements, args.codebook) for system, judgements in systems.items()
    }
    home = rubric_family(args.codebook)
    scored = score(Settings.make(home), cases, notices=notices, explain=True)
    write_report_file(home, scored, args.report)


@verb(
    options.SHEETS,
    option("--judge NAME", "The judge (default: the only evaluator of kind llm)."),
    option("--people NAME...", "A person (default: all evaluators that are people)."),
    option(
        "--difference A B...", "Two systems to compare (default: all pairs).", name="pairs", nargs=2
    ),
    option("--unit", "What is independent of each other.", ("article", "event"), default="article"),
    option("--force", "Correct with fewer than 20 labelled events too.", bool),
    options.EVALUATOR,
    options.LEVEL,
    options.SEED,
    options.CODEBOOK,
    options.TABLE_FORMAT,
    *options.READING,
)
def calibrate_verb(args: Args) -> str:
    """Compare a judge model with people, and correct it.

    The correction estimates what people would say of all events. Each SHEET is a file of
    judgements, as `chronoscore rubric` reads them; people and the judge may share a sheet or not.
    The judge judges all events, people a random sample of them. The tables show each system's means
    by people, by the judge, and by the judge corrected by people; the differences of systems; where
    the judge errs; and how far it agrees with each person.

    Examples:
    chronoscore calibrate demo/judgements.csv demo/judge.csv --judge model-j
    chronoscore calibrate demo/judgements.csv demo/judge.csv --difference careful quick
    """
    from chronoscore.rubric.calibration import FEWEST_LABELS, CalibrationPlan, both_sides, calibrate
    from chronoscore.rubric.pages.calibration import render_calibration

    plan = args.make(CalibrationPlan, fewest=0 if args.force else FEWEST_LABELS)
    plan.check()
    codebook, problems = args.codebook, args.problems
    judgements = args.read_judgements()
    problems.check()
    sides = both_sides(judgements, codebook, problems, judge=args.judge, people=args.people)
    problems.check()
    notices = [str(notice) for notice in problems.notices]
    calibration = calibrate(sides, codebook, plan, notices)
    tell_all(calibration.notices)
    return render_calibration(calibration, args.output_format)


class Items(click.Choice[str]):
    """What `correlate` compares; a number, as `--level` takes elsewhere, is refused with a hint."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word, or fail with the name of the option that takes a number."""
        if str(value).replace(".", "", 1).isdigit():
            message = "here it is what is compared; for the level of intervals: --confidence"
            self.fail(message, param, ctx)
        return super().convert(value, param, ctx)


@verb(
    argument("results...", Input(source=False)),
    option("--people SHEET...", "A file of judgements.", Input(), name="sheets", required=True),
    option(
        "--level",
        "What is compared: systems, topics of systems, or single events.",
        Items(["system", "topic", "event"]),
        default="system",
    ),
    option("--events [NAME=]FILE...", "A system's events.jsonl, which says their topics."),
    option("--criterion NAME", "A criterion (default: the codebook's score)."),
    option(
        "--coefficient NAME...",
        "A coefficient. Tests are of the first. "
        "[pearson, spearman, tau-a, tau-b, tau-c, acc-eq, acc-eq*]",
        name="coefficients",
    ),
    option("--confidence", "The confidence level of intervals.", float, default=0.95),
    options.SEED,
    options.RESAMPLES,
    options.EVALUATOR,
    option("--report FILE", "Write an HTML page with a picture for each metric.", Output()),
    options.CODEBOOK,
    options.TABLE_FORMAT,
    *options.READING,
)
def correlate_verb(args: Args) -> str:
    """Correlate metrics with people's judgements.

    Shown are correlations, their intervals, and tests between metrics. RESULTS are saved results of
    any family (of --save). People's value of an event is the mean over people; judge models don't
    count. Systems are matched by their names, events by their ids.

    Examples:
    chronoscore timelines demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl demo/lead.jsonl --save
        scored.json
    chronoscore correlate scored.json --people demo/judgements.csv --level event --events
        demo/careful.jsonl --events demo/quick.jsonl --events demo/lead.jsonl
    """
    from chronoscore.rubric.correlation import CorrelationPlan, correlations, judged_by_people
    from chronoscore.rubric.pages.correlation import correlation_page, render_correlations

    codebook, problems = args.codebook, args.problems
    plan = args.make(CorrelationPlan, criterion=args.criterion or codebook.score)
    plan.check()
    saved = _loaded(args)
    judgements = args.read_judgements()
    places = _places(args, saved)
    problems.check()
    judged = judged_by_people(judgements, codebook, plan.criterion)
    notices = [str(notice) for notice in problems.notices]
    document = correlations(saved, judged, places, plan, notices)
    tell_all(document.notices)
    if args.report is not None:
        write_page(args.report, correlation_page(document))
    return render_correlations(document, args.output_format)


def _loaded(args: Args) -> list[ScoredResult]:
    from chronoscore.cli.results import verified_families
    from chronoscore.core.result import load, load_matches
    from chronoscore.rubric.correlation import ScoredResult

    loaded = []
    for path in args.results:
        result = load(path)
        if result.family == "rubric":
            raise UsageError(f"{path} holds judgements, not a metric: give their sheet by --people")
        matches = load_matches(path, result) if args.level == "event" else ()
        (home,) = verified_families([(path, result)], ())
        loaded.append(ScoredResult(result, home, matches))
    return loaded


def _places(args: Args, saved: Sequence[ScoredResult]) -> EventPlaces:
    """Read the topics of the events of --events; each file must be of a scored system."""
    from chronoscore.rubric.correlation import EventPlaces

    paths = named_paths(args.events)
    scored = dict.fromkeys(
        system.name for saved_result in saved for system in saved_result.result.systems
    )
    for name in paths.keys() - scored.keys():
        names = ", ".join(scored)
        raise UsageError(
            f"--events {paths[name]}: no result is of a system '{name}'; name it with NAME=FILE, "
            f"of: {names}"
        )
    return EventPlaces.of(
        {name: read_events(source_of(path), args.problems) for name, path in paths.items()}
    )
