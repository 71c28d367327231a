"""`chronoscore judge`: let a model judge events."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chronoscore.cli import options
from chronoscore.cli.options import Args, Input, Output, argument, option
from chronoscore.cli.output import tables_as, tell
from chronoscore.cli.verb import verb
from chronoscore.core.event import read_events
from chronoscore.core.sources import source_of
from chronoscore.core.writing import json_text
from chronoscore.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronoscore.rubric.judge.asking import JudgeRun
    from chronoscore.rubric.judge.client import Endpoint, RetryPolicy
    from chronoscore.rubric.judge.judge import Judge, JudgeQuestion, PlannedJudgement

PARTLY = 4
_CHARACTERS_A_TOKEN = 4
DEFAULT_KEY = "OPENAI_API_KEY"


@verb(
    argument("events", Input(source=False)),
    options.ARTICLES,
    option("--without-articles", "Judge events whose article is missing without it.", bool),
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
        "The judgements (.jsonl, .csv, .tsv, .xlsx); failures and manifest are written next to it.",
        Output(),
        default=Path("judgements.jsonl"),
    ),
    option("--evaluator NAME", "The name of the judge, to which its prompt's digest is added."),
    option("--system NAME", "Whose events these are; the judge does not see it.", default=""),
    option("--per-criterion", "Ask for each criterion in a request of its own.", bool),
    option("--samples", "Number of judgements of each event.", default=1),
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
    option("--price-in X", "Price of a million tokens sent.", float, least=0),
    option("--price-out X", "Price of a million tokens received.", float, least=0),
    option("--dry-run", "Show the first prompt and ask nothing.", bool),
    options.CODEBOOK,
    options.TABLE_FORMAT,
    *options.READING,
)
def judge_verb(args: Args) -> None:
    """Let a model judge events.

    It judges by the codebook, as one more evaluator (of kind llm). EVENTS is an events.jsonl. One
    request for each event is sent with the codebook, the article and the event, never the system's
    name; replies are checked, and what is wrong after one repair is a recorded failure, never a
    score. Answers are kept in the cache: started again, the same command asks only what is missing.
    Check a judge against people before its scores are used (`chronoscore agreement`, `chronoscore
    calibrate`).

    Examples:
    chronoscore judge demo/quick.jsonl --articles demo/articles.jsonl --model any --base-url
        http://127.0.0.1:1 --dry-run
    chronoscore judge demo/quick.jsonl --articles demo/articles.jsonl --model any --base-url
        http://127.0.0.1:1 --per-criterion --samples 3 --dry-run
    """
    from chronoscore.rubric.judge import client, outcome
    from chronoscore.rubric.judge.judge import distinct_questions
    from chronoscore.rubric.pages.judge import judge_tables

    if args.articles is None and not args.without_articles:
        raise UsageError("give --articles FILE, or --without-articles to judge events alone")
    if args.evaluator is not None and not args.evaluator.strip():
        raise UsageError("--evaluator is empty: give a name, or leave it out")
    files = outcome.files_of(args.output, args.cache)
    policy = client.RetryPolicy(args.timeout, args.retries, args.max_wait)
    policy.check()
    key = client.key_from(args.key_variable)
    endpoint = client.make_endpoint(args.base_url, key=key, headers=args.headers)
    judge, planned = _plan(args, endpoint.shown)
    questions = distinct_questions(planned)
    if args.dry_run:
        _show(judge, questions, files.cache)
        return
    outcome.check_files(files, judge, args.events.name)
    if not key and not args.replay:
        if args.key_variable != DEFAULT_KEY:
            raise UsageError(
                f"--key-variable {args.key_variable}: the environment has no such variable"
            )
        tell(f"{DEFAULT_KEY} is not set: asking without a key")
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
    if judged.failures:
        tell(f"failures are in {files.failures}")
    if run.stopped:
        tell(f"not everything was asked: {run.stopped}; the same command goes on from here")
    tell(f"judgements are in {files.judgements}, answers in {files.cache}")
    if judged.failures or judged.not_asked:
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


def _show(judge: Judge, questions: Sequence[JudgeQuestion], cache: Path) -> None:
    """Print the first prompt, and how many requests would be sent."""
    from chronoscore.rubric.judge.asking import look_up
    from chronoscore.rubric.judge.prompt import messages, new_marker

    prompts = [
        messages(question.codebook, question.about, "json_schema", new_marker(question.about))
        for question in questions
    ]
    for message in prompts[0]:
        click.echo(f"----- {message['role']}\n{message['content']}")
    characters = sum(len(message["content"]) for prompt in prompts for message in prompt)
    cached = sum(look_up(cache, question.turn_key(0)) is not None for question in questions)
    click.echo(
        f"-----\n{len(questions)} requests by {judge.id}, {cached} of them answered in the cache; "
        f"about {characters // _CHARACTERS_A_TOKEN} tokens to send. Nothing was asked."
    )


def _ask(
    judge: Judge,
    questions: Sequence[JudgeQuestion],
    cache: Path,
    endpoint: Endpoint,
    policy: RetryPolicy,
    args: Args,
) -> JudgeRun:
    """Ask the server, or only the cache, and show the progress on a terminal."""
    from functools import partial
    from threading import Event as Flag

    from chronoscore.rubric.judge.asking import JudgeSession, add_cached, ask, run_questions
    from chronoscore.rubric.judge.client import connection, post

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
            say=tell,
        )
    if session.damaged:
        number = len(session.damaged)
        were = "1 answer in the cache was" if number == 1 else f"{number} answers in the cache were"
        tell(f"{were} damaged and asked for again (first {session.damaged[0]})")
    if run.stopped:
        return add_cached(run, questions, partial(ask, JudgeSession(judge, cache)))
    return run
