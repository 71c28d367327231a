"""Judgements by a model, and studies of them: `judge`, `agreement`, `calibrate`, `correlate`."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chronoscore.cli import options
from chronoscore.cli.options import Args, Input, Output, argument, option
from chronoscore.cli.output import (
    tables_as,
    tell,
    tell_all,
    tell_now,
    write_page,
    write_report_file,
)
from chronoscore.cli.verb import named_paths, verb
from chronoscore.core.event import numbered_events, read_events
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.core.writing import json_text
from chronoscore.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronoscore.evaluation.event_pairs import ScoredEvents
    from chronoscore.rubric.correlation import EventPlaces, ScoredResult
    from chronoscore.rubric.judge.asking import AskedModel, JudgeRun, ModelQuestion
    from chronoscore.rubric.judge.client import Endpoint, RetryPolicy
    from chronoscore.rubric.judge.facts import FactsFiles, FactsOutcome
    from chronoscore.rubric.judge.judge import Judge, PlannedJudgement
    from chronoscore.rubric.judge.outcome import RunFiles, RunOutcome
    from chronoscore.rubric.judgements import Judgement, Judgements

ROUNDS = "rounds"
PARTLY = 4
_CHARACTERS_A_TOKEN = 4
DEFAULT_KEY = "OPENAI_API_KEY"
PAIRED_FAMILY = "events"
"""The family whose matches are pairs of events."""


_JUDGING = ("ask=judgements",)


@verb(
    argument("events", Input(source=False)),
    option(
        "--ask",
        "What is asked: judgements by the codebook, or the facts that each text states.",
        ("judgements", "facts"),
        default="judgements",
    ),
    options.ARTICLES,
    option(
        "--without-articles",
        "Judge events whose article is missing without it.",
        bool,
        needs=_JUDGING,
    ),
    option("--model NAME", "The model, as its server names it.", required=True),
    option(
        "--base-url URL",
        "An OpenAI-compatible server, such as http://127.0.0.1:8000/v1.",
        required=True,
    ),
    option("--key-variable NAME", "Environment variable that holds the key.", default=DEFAULT_KEY),
    option("--header NAME=VALUE...", "A header of requests.", name="headers"),
    option(
        "-o --output FILE",
        "The judgements (.jsonl, .csv, .tsv, .xlsx), or a copy of EVENTS with the facts; failures "
        "and manifest are written next to it (default: judgements.jsonl, or NAME.facts.jsonl).",
        Output(),
    ),
    option("--evaluator NAME", "The name of the judge, to which its prompt's digest is added."),
    option(
        "--system NAME",
        "Whose events these are; the judge does not see it.",
        default="",
        needs=_JUDGING,
    ),
    option(
        "--per-criterion", "Ask for each criterion in a request of its own.", bool, needs=_JUDGING
    ),
    option("--samples", "Number of judgements of each event.", default=1, needs=_JUDGING),
    option("--temperature", "The sampling temperature of the model.", default=0.0),
    option("--max-tokens", "The longest reply, in tokens.", default=2048),
    option("--seed", "A seed for the server; each further sample gets the next number.", int),
    option("--parameter NAME=JSON...", "A further parameter of requests; null leaves one out."),
    option("--jobs", "Number of requests at the same time.", default=4, least=1),
    option("--timeout", "Seconds to wait for an answer.", default=120.0),
    option("--retries", "How often a failed request is sent again.", default=5),
    option("--max-wait", "The most seconds to wait before a request is sent again.", default=60.0),
    option("--cache DIR", "Where answers are kept (default: next to the output).", Output()),
    option("--replay", "Answer from the cache, ask no server.", bool, excludes=["retry_failed"]),
    option("--retry-failed", "Ask again where the kept answers could not be used.", bool),
    option(
        "--again", "Ask for the facts of events that have some too.", bool, needs=("ask=facts",)
    ),
    option("--price-in X", "Price of a million tokens sent.", float, least=0),
    option("--price-out X", "Price of a million tokens received.", float, least=0),
    option("--dry-run", "Show the first prompt and ask nothing.", bool),
    options.CODEBOOK,
    options.TABLE_FORMAT,
    *options.READING,
)
def judge_verb(args: Args) -> None:
    """Let a model judge events, or list the facts in their texts.

    It judges by the codebook, as one more evaluator (of kind llm). EVENTS is an events.jsonl. One
    request for each event is sent with the codebook, the article and the event, never the system's
    name; replies are checked, and what is wrong after one repair is a recorded failure, never a
    score. Answers are kept in the cache: started again, the same command asks only what is missing.
    Check a judge against people before its scores are used (`chronoscore agreement`, `chronoscore
    calibrate`).

    With --ask facts the model is shown the text of each event and nothing else, and replies with
    the facts that it states, as sentences that stand alone. The output is a copy of EVENTS with
    `facts`, and with `facts_by`, which names the model and its prompt; events that have facts
    keep them. Let the same model make the facts of the gold and of every system.

    Examples:
    chronoscore judge demo/quick.jsonl --articles demo/articles.jsonl --model any --base-url
        http://127.0.0.1:1 --dry-run
    chronoscore judge demo/gold.jsonl --ask facts --model any --base-url http://127.0.0.1:1
        --dry-run
    """
    if args.evaluator is not None and not args.evaluator.strip():
        raise UsageError("--evaluator is empty: give a name, or leave it out")
    if args.ask == "facts":
        _make_facts(args)
    else:
        _judge(args)


def _judge(args: Args) -> None:
    """Ask for judgements, and write them."""
    from chronoscore.rubric.judge import outcome
    from chronoscore.rubric.judge.judge import distinct_questions
    from chronoscore.rubric.pages.judge import judge_tables

    if args.articles is None and not args.without_articles:
        raise UsageError("give --articles FILE, or --without-articles to judge events alone")
    files = outcome.files_of(args.output or Path("judgements.jsonl"), args.cache)
    policy, endpoint = _connection(args)
    judge, planned = _plan(args, endpoint.shown)
    questions = distinct_questions(planned)
    if args.dry_run:
        _show(judge.id, questions, files.cache)
        return
    outcome.check_files(files, judge, args.events.name)
    run = _ask(judge, questions, files.cache, endpoint, policy, args)
    judged = outcome.outcome_of(judge, planned, run, args.system)
    manifest = outcome.make_manifest(
        judge,
        judged,
        run,
        events=len({judgement.event.id for judgement in planned}),
        events_file=args.events.name,
        system=args.system,
        header_names=endpoint.header_names,
        price_in=args.price_in,
        price_out=args.price_out,
    )
    outcome.write_files(files, judged, manifest, judge.codebook)
    tables = judge_tables(manifest, judged, judge.codebook)
    click.echo(tables_as(args.output_format, tables, lambda: json_text(manifest)), nl=False)
    _end(run, judged, files, f"judgements are in {files.judgements}")


def _make_facts(args: Args) -> None:
    """Ask for the facts of each text, and write them into a copy of the events."""
    from chronoscore.rubric.judge import facts
    from chronoscore.rubric.judge.judge import make_parameters
    from chronoscore.rubric.pages.judge import facts_tables

    files = facts.facts_files(args.events, args.output, args.cache)
    policy, endpoint = _connection(args)
    parameters = make_parameters(args.temperature, args.max_tokens, args.seed, args.parameter)
    judge = facts.FactsJudge(endpoint.shown, args.model.strip(), parameters, args.evaluator or "")
    judge.check()
    problems, source = args.problems, source_of(args.events)
    events = numbered_events(source, problems)
    if not events and not problems.problems:
        problems.problem("there are no events to take apart", source)
    plan = facts.plan_facts(judge, source, events, problems, again=args.again)
    args.check_files()
    if args.dry_run:
        _show(judge.id, plan.distinct, files.cache)
        return
    facts.check_facts_files(files, judge, args.events.name)
    run = _ask(judge, plan.distinct, files.cache, endpoint, policy, args)
    outcome = facts.facts_outcome(judge, plan, run)
    manifest = facts.facts_manifest(
        judge,
        plan,
        outcome,
        run,
        events_file=args.events.name,
        header_names=endpoint.header_names,
        price_in=args.price_in,
        price_out=args.price_out,
    )
    lines = facts.copied_lines(plan, outcome, judge)
    facts.write_facts_files(files, lines, outcome, manifest)
    tables = facts_tables(manifest, outcome)
    click.echo(tables_as(args.output_format, tables, lambda: json_text(manifest)), nl=False)
    _end(run, outcome, files, f"events with facts are in {files.events}")


def _connection(args: Args) -> tuple[RetryPolicy, Endpoint]:
    """Check how the server is to be asked; nothing is sent."""
    from chronoscore.rubric.judge import client

    policy = client.RetryPolicy(args.timeout, args.retries, args.max_wait)
    policy.check()
    key = client.key_from(args.key_variable)
    return policy, client.make_endpoint(args.base_url, key=key, headers=args.headers)


def _end(
    run: JudgeRun, outcome: RunOutcome | FactsOutcome, files: RunFiles | FactsFiles, message: str
) -> None:
    """Say where everything is, and end with the code for a part if anything is missing."""
    if outcome.failures:
        tell(f"failures are in {files.failures}")
    if run.stopped:
        tell(f"not everything was asked: {run.stopped}; the same command goes on from here")
    tell(f"{message}, answers in {files.cache}")
    if outcome.failures or outcome.not_asked:
        raise SystemExit(PARTLY)


def _plan(args: Args, endpoint: str) -> tuple[Judge, list[PlannedJudgement]]:
    """Read all files and report their problems, before any request is sent."""
    from chronoscore.rubric.judge import judge as judging

    problems = args.problems
    judge = judging.Judge(
        endpoint,
        args.model.strip(),
        args.codebook,
        judging.make_parameters(args.temperature, args.max_tokens, args.seed, args.parameter),
        args.per_criterion,
        args.samples,
        args.evaluator or "",
    )
    judge.check()
    if args.without_articles and any(criterion.quoted for criterion in judge.codebook.criteria):
        raise UsageError(
            f"the codebook {judge.codebook.name} asks for words of the article: leave out "
            "--without-articles"
        )
    articles = {article.id: article for article in args.read_articles()}
    events = read_events(source_of(args.events), problems)
    if not events and not problems.problems:
        problems.problem("there are no events to judge", str(args.events))
    if not args.without_articles and not problems.problems:
        judging.check_articles(events, articles, problems, str(args.events))
    if args.samples > 1 and not judge.parameters.get("temperature"):
        problems.notice("at temperature 0 samples are hardly different: give --temperature")
    args.check_files()
    return judge, judging.plan_judgements(judge, events, articles)


def _show(judge: str, questions: Sequence[ModelQuestion], cache: Path) -> None:
    """Print the first prompt, and how many requests would be sent."""
    from chronoscore.rubric.judge.asking import look_up, turn_key

    prompts = [question.messages("json_schema") for question in questions]
    for message in prompts[0] if prompts else ():
        click.echo(f"----- {message['role']}\n{message['content']}")
    characters = sum(len(message["content"]) for prompt in prompts for message in prompt)
    cached = sum(look_up(cache, turn_key(question, 0)) is not None for question in questions)
    click.echo(
        f"-----\n{len(questions)} requests by {judge}, {cached} of them answered in the cache; "
        f"about {characters // _CHARACTERS_A_TOKEN} tokens to send. Nothing was asked."
    )


def _ask(
    judge: AskedModel,
    questions: Sequence[ModelQuestion],
    cache: Path,
    endpoint: Endpoint,
    policy: RetryPolicy,
    args: Args,
) -> JudgeRun:
    """Ask the server, or only the cache, and show the progress on a terminal."""
    from threading import Event as Flag

    from chronoscore.rubric.judge.asking import JudgeSession, add_cached, ask, run_questions
    from chronoscore.rubric.judge.client import connection, key_from, post

    if not args.replay and not key_from(args.key_variable):
        if args.key_variable != DEFAULT_KEY:
            raise UsageError(
                f"--key-variable {args.key_variable}: the environment has no such variable"
            )
        tell_now(f"{DEFAULT_KEY} is not set: asking without a key")
    stop = Flag()
    with ExitStack() as stack:
        send: Any = None
        if not args.replay:
            client = stack.enter_context(connection(policy, args.jobs))

            def send(body: dict[str, object], salt: str) -> Any:
                return post(client, endpoint, body, policy, salt=salt, pause=stop.wait)

        session = JudgeSession(judge, cache, send, retry_failed=args.retry_failed)
        hidden = not sys.stderr.isatty()
        bar = stack.enter_context(
            click.progressbar(
                length=len(questions), label="judging", file=sys.stderr, hidden=hidden
            )
        )
        run = run_questions(
            questions,
            partial(ask, session),
            jobs=args.jobs,
            stop=stop,
            offline=args.replay,
            advance=lambda: bar.update(1),
            say=tell_now,
        )
    if session.damaged:
        number = len(session.damaged)
        were = "1 answer in the cache was" if number == 1 else f"{number} answers in the cache were"
        tell(f"{were} damaged and asked for again (first {session.damaged[0]})")
    if run.stopped:
        return add_cached(run, questions, partial(ask, JudgeSession(judge, cache)))
    return run


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
    option(
        "--threshold",
        "List the criteria whose alpha is below this, for discussion.",
        float,
        default=0.667,
    ),
    option(
        "--most N", "How many events to list for discussion.", click.IntRange(min=0), default=10
    ),
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
    values and comments; then each pair of evaluators, and how generous each one is. If two or more
    people judged, judge models do not count here; agreement with them follows. JSON holds
    everything in one document, CSV the coefficients alone.

    Examples:
    chronoscore agreement demo/judgements.csv --windows 3
    chronoscore agreement demo/judgements.csv --by article --coefficient 'alpha nominal'
    """
    from chronoscore.rubric.agreement.coefficients import AgreementPlan
    from chronoscore.rubric.agreement.over_time import over_time
    from chronoscore.rubric.agreement.study import study
    from chronoscore.rubric.family import read_cases
    from chronoscore.rubric.formats import read_judgements
    from chronoscore.rubric.formats.reading import row_order
    from chronoscore.rubric.judgements import people_apart
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
        everyone = judgements.words["evaluator"].used()
        names = [name for name in everyone if name != args.adjudicated]
        names = people_apart([judgements.by(names)]) or names
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
    from chronoscore.rubric.agreement.study import agreed_values
    from chronoscore.rubric.family import read_cases

    name, problems = args.adjudicated, args.problems
    people = {
        person for judgements in systems.values() for person in judgements.words["evaluator"].used()
    }
    if name in people:
        agreed = {system: judgements.by([name]) for system, judgements in systems.items()}
        others = people - {name}
        systems = {
            system: rest
            for system, judgements in systems.items()
            if len(rest := judgements.by(others))
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
    from chronoscore.cli.heads import head_of_files
    from chronoscore.engines.scoring import score
    from chronoscore.engines.settings import Settings
    from chronoscore.rubric.family import make_cases, rubric_family

    cases = {
        system: make_cases(judgements, args.codebook) for system, judgements in systems.items()
    }
    home = rubric_family(args.codebook)
    scored = score(Settings.make(home), cases, notices=notices, explain=True)
    write_report_file(home, scored, args.report, head_of_files(None, args.sheets))


@verb(
    options.SHEETS,
    option("--judge NAME", "The judge (default: the only evaluator of kind llm)."),
    option("--people NAME...", "A person (default: all evaluators that are people)."),
    option(
        "--difference A B...", "Two systems to compare (default: all pairs).", name="pairs", nargs=2
    ),
    option("--unit", "What is treated as independent.", ("article", "event"), default="article"),
    option(
        "--shares",
        "Estimate the share of events with the highest value of each criterion, and of all, in "
        "place of means.",
        bool,
    ),
    option("--force", "Correct with fewer than 20 labelled events too.", bool),
    options.EVALUATOR,
    options.LEVEL,
    options.SEED,
    option(
        "--report FILE",
        "Write an HTML page with people and the judge side by side, and the events on which they "
        "differ most.",
        Output(),
    ),
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
    from chronoscore.rubric.calibration import (
        FEWEST_LABELS,
        CalibrationPlan,
        both_sides,
        calibrate,
        highest_values,
    )
    from chronoscore.rubric.pages.calibration import calibration_page, calibration_tables

    plan = args.make(CalibrationPlan, fewest=0 if args.force else FEWEST_LABELS)
    plan.check()
    codebook, problems = args.codebook, args.problems
    judgements = args.read_judgements()
    problems.check()
    if args.shares:
        judgements, codebook = highest_values(judgements, codebook)
    sides = both_sides(judgements, codebook, problems, judge=args.judge, people=args.people)
    problems.check()
    notices = [str(notice) for notice in problems.notices]
    calibration = calibrate(sides, codebook, plan, notices)
    tell_all(calibration.notices)
    if any(one.corrected.method == "refused" for one in calibration.levels):
        tell_all([f"fewer than {FEWEST_LABELS} labelled events: --force corrects all the same"])
    if args.report is not None:
        from chronoscore.cli.heads import head_of_files

        head = head_of_files(None, args.sheets)
        write_page(args.report, calibration_page(calibration, head))
    tables = calibration_tables(calibration)
    return tables_as(args.output_format, tables, lambda: json_text(calibration), slice(1))


class Items(click.Choice[str]):
    """What `correlate` compares; a number, as `--level` takes elsewhere, is refused with a hint."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word, or fail with the name of the option that takes a number."""
        if str(value).replace(".", "", 1).isdigit():
            message = "here it is what is compared; for the level of intervals: --confidence"
            self.fail(message, param, ctx)
        return super().convert(value, param, ctx)


_PEOPLE = ("sheets",)


@verb(
    argument("results...", Input(source=False)),
    option("--people SHEET...", "A file of judgements.", Input(), name="sheets"),
    option(
        "--verdicts FILE",
        "People's verdicts on pairs of events (JSON lines), instead of judgements.",
        Input(),
        excludes=["sheets"],
    ),
    option(
        "-m --metric NAME...",
        "A metric of events; RESULTS are then GOLD and PREDICTED, which are scored first.",
        needs=("verdicts",),
    ),
    *options.VERDICT_COUNTS,
    option(
        "--level",
        "What is compared: systems, topics of systems, or single events.",
        Items(["system", "topic", "event"]),
        default="system",
        needs=_PEOPLE,
    ),
    option(
        "--events [NAME=]FILE...",
        "A system's events.jsonl, which says their topics.",
        needs=_PEOPLE,
    ),
    option("--criterion NAME", "A criterion (default: the codebook's score).", needs=_PEOPLE),
    option(
        "--coefficient NAME...",
        "A coefficient. Tests are of the first. "
        "[pearson, spearman, tau-a, tau-b, tau-c, acc-eq, acc-eq*]",
        name="coefficients",
        needs=_PEOPLE,
    ),
    option("--confidence", "The confidence level of intervals.", float, default=0.95),
    options.SEED,
    options.RESAMPLES,
    options.EVALUATOR,
    option(
        "--report FILE",
        "Write an HTML page with a picture for each metric.",
        Output(),
        needs=_PEOPLE,
    ),
    options.CODEBOOK,
    options.TABLE_FORMAT,
    *options.READING,
)
def correlate_verb(args: Args) -> str:
    """Correlate metrics with people's judgements.

    Shown are correlations, their intervals, and tests between metrics. RESULTS are saved results of
    any family (of --save). People's value of an event is the mean over people; judge models don't
    count. Systems are matched by their names, events by their ids.

    With --verdicts, people say of pairs of a gold and a predicted event whether both are the same,
    and the pairs of metrics are compared with theirs; RESULTS are then results of events, saved
    with their matches and texts, or with -m the files: GOLD PREDICTED...

    Examples:
    chronoscore timelines demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl demo/lead.jsonl --save
        scored.json
    chronoscore correlate scored.json --people demo/judgements.csv --level event --events
        demo/careful.jsonl --events demo/quick.jsonl --events demo/lead.jsonl
    """
    if args.verdicts is not None:
        return _correlate_pairs(args)
    if not args.sheets:
        raise UsageError("give --people SHEET, or --verdicts FILE for verdicts on pairs of events")
    from chronoscore.rubric.correlation import CorrelationPlan, correlations, judged_by_people
    from chronoscore.rubric.pages.correlation import correlation_page, correlation_tables

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
        from chronoscore.cli.heads import head_of_files

        write_page(args.report, correlation_page(document, head_of_files(None, args.results)))
    tables = correlation_tables(document)
    return tables_as(args.output_format, tables, lambda: json_text(document), slice(1))


def _correlate_pairs(args: Args) -> str:
    """Compare the pairs of metrics with people's verdicts on pairs."""
    from chronoscore.elements.verdicts import read_verdicts
    from chronoscore.rubric.pages.pairs import pair_tables
    from chronoscore.rubric.pairs import PairPlan, study_pairs

    plan = args.make(PairPlan)
    plan.check()
    verdicts = [verdict for _, verdict in read_verdicts(args.verdicts, args.problems)]
    args.problems.check()
    events = _scored_files(args) if args.metric else _saved_events(args)
    if not events.matches:
        raise UsageError("these metrics make no pairs of events: choose one that does, as event-f1")
    judged = {(verdict.gold, verdict.predicted) for verdict in verdicts}
    metrics = events.pairs(judged if plan.rest == "skip" else None)
    notices = [*map(str, args.problems.notices), *events.notices]
    study = study_pairs(metrics, verdicts, plan, notices)
    tell_all(study.notices)
    tables = pair_tables(study)
    return tables_as(args.output_format, tables, lambda: json_text(study), slice(1))


def _scored_files(args: Args) -> ScoredEvents:
    """Score the files of the call, each gold event against each predicted event."""
    from chronoscore.cli.scoring import measure, run_of
    from chronoscore.evaluation.event_pairs import ScoredEvents

    if len(args.results) < 2:
        raise UsageError("-m scores files: name a gold and a prediction, as GOLD PREDICTED")
    scoring_options = {"metric": args.metric, "explain": ("all",), "other_golds": "hide"}
    run = run_of(PAIRED_FAMILY, args.results, **scoring_options, **args.of(options.READING))
    measure(run)
    scored, events = run.scored, ScoredEvents()
    tell_all(scored.result.notices)
    events.add(scored.result, scored.matches, scored.texts, run.settings.metrics)
    return events


def _saved_events(args: Args) -> ScoredEvents:
    """Load the results of events, with their matches and texts."""
    from chronoscore.core.result import load, load_matches, load_texts
    from chronoscore.evaluation.event_pairs import ScoredEvents

    events = ScoredEvents()
    for path in args.results:
        result = load(path)
        if result.family != PAIRED_FAMILY:
            raise UsageError(
                f"{path} is a result of {result.family}: verdicts are on pairs of events; give a "
                f"result of {PAIRED_FAMILY}"
            )
        matches, texts = load_matches(path, result), load_texts(path, result)
        if twice := events.add(result, matches, texts):
            raise UsageError(f"{path}: another result has the system '{twice}' too; leave one out")
    return events


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
