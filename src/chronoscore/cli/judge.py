"""`chronoscore judge`: what does a model think of it?"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from chronoscore.cli.judge_options import DEFAULT_KEY, Chosen, judge_options
from chronoscore.cli.options import (
    codebook_option,
    examples,
    make_reading,
    reading_options,
    table_format_option,
    tell,
)
from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chronoscore.core.event import Event
    from chronoscore.rubric.formats import Article
    from chronoscore.rubric.judge import Endpoint, Judge, Patience, Run
    from chronoscore.rubric.judge.files import Files
    from chronoscore.rubric.judge.judge import Asked

PARTLY = 4
_CHARACTERS_A_TOKEN = 4


@click.command(
    short_help="Let a model judge events.",
    epilog=examples(
        "chronoscore judge demo/quick.jsonl --articles demo/articles.jsonl --model any "
        "--base-url http://127.0.0.1:1 --dry-run",
        "chronoscore judge demo/quick.jsonl --articles demo/articles.jsonl --model any "
        "--base-url http://127.0.0.1:1 --per-criterion --samples 3 --dry-run",
    ),
)
@click.argument("events", type=click.Path(readable=False, path_type=Path))
@judge_options
@codebook_option
@table_format_option
@reading_options
def command(events: Path, **chosen: Unpack[Chosen]) -> None:
    """Let a model judge events by the codebook, as one more evaluator (of kind llm).

    EVENTS is an events.jsonl. One request an event is sent with the codebook, the article and
    the event, never the system's name; replies are checked, and what is wrong after one repair is
    a recorded failure, never a score. Answers are kept in the cache: started again, the same
    command asks only what is missing. Check a judge against people before its scores are used
    (`chronoscore agreement`, `chronoscore calibrate`).
    """
    from chronoscore.rubric.judge import check_files, files_of, key_from, make_endpoint

    _check(chosen)
    files = files_of(chosen["output"], chosen["cache"])
    patience = _patience(chosen)
    key = key_from(chosen["key_variable"])
    endpoint = make_endpoint(chosen["base_url"], key=key, headers=chosen["headers"])
    judge, judged, known = _prepared(events, endpoint.shown, chosen)
    asked = _asked(judge, judged, known)
    if chosen["dry_run"]:
        _show(judge, asked, files)
        return
    check_files(files, judge, events.name)
    if not key and not chosen["replay"]:
        _tell_no_key(chosen)
    run = _run(judge, asked, files, endpoint, patience, chosen)
    _finish(judge, asked, run, files, endpoint, events, chosen)


def _check(chosen: Chosen) -> None:
    if chosen["articles"] is None and not chosen["without_articles"]:
        raise UsageError("give --articles FILE, or --without-articles to judge events alone")
    if chosen["replay"] and chosen["retry_failed"]:
        raise UsageError("--replay asks nothing, --retry-failed asks again: choose one")
    for name in ("price_in", "price_out"):
        price = chosen[name]
        if price is not None and not 0 <= price < float("inf"):
            raise UsageError(f"--{name.replace('_', '-')} is {price}, expected 0 or more")
    if chosen["jobs"] < 1:
        raise UsageError(f"--jobs is {chosen['jobs']}, expected 1 or more")
    if chosen["evaluator"] is not None and not chosen["evaluator"].strip():
        raise UsageError("--evaluator is empty")


def _patience(chosen: Chosen) -> Patience:
    from chronoscore.rubric.judge import Patience

    patience = Patience(chosen["timeout"], chosen["retries"], chosen["max_wait"])
    patience.check()
    return patience


def _prepared(
    events: Path, endpoint: str, chosen: Chosen
) -> tuple[Judge, list[Event], dict[str, Article]]:
    """Read all files and say what is wrong with them, before anything is asked."""
    from chronoscore.core.event import read_events
    from chronoscore.rubric.codebook import event_quality, load_codebook
    from chronoscore.rubric.formats import read_articles
    from chronoscore.rubric.judge import Judge, check_articles, make_parameters

    reading = make_reading(chosen["encoding"], chosen["max_line"], chosen["lenient"])
    path = chosen["codebook_path"]
    judge = Judge(
        endpoint,
        chosen["model"].strip(),
        load_codebook(path, reading) if path else event_quality(),
        make_parameters(
            chosen["temperature"], chosen["max_tokens"], chosen["seed"], chosen["parameters"]
        ),
        chosen["per_criterion"],
        chosen["samples"],
        chosen["evaluator"] or "",
    )
    judge.check()
    known = read_articles(chosen["articles"], reading) if chosen["articles"] else []
    by_id = {article.id: article for article in known}
    judged = read_events(events, reading)
    if not judged and not reading.problems:
        reading.problem("there are no events to judge", events)
    if not chosen["without_articles"] and not reading.problems:
        check_articles(judged, by_id, reading, events)
    if chosen["samples"] > 1 and not judge.parameters.get("temperature"):
        reading.notice("at temperature 0 samples are hardly different: give --temperature")
    reading.check()
    for notice in reading.notices:
        tell(str(notice))
    return judge, judged, by_id


def _asked(judge: Judge, events: Sequence[Event], articles: Mapping[str, Article]) -> list[Asked]:
    from chronoscore.rubric.judge import ask_all

    return ask_all(judge, events, articles)


def _tell_no_key(chosen: Chosen) -> None:
    variable = chosen["key_variable"]
    if variable != DEFAULT_KEY:
        raise UsageError(f"--key-variable {variable}: the environment has no such variable")
    tell(f"{variable} is not set: asking without a key")


def _show(judge: Judge, asked: Sequence[Asked], files: Files) -> None:
    """Print the first prompt, and how much would be asked."""
    from chronoscore.rubric.judge import distinct, messages, new_marker
    from chronoscore.rubric.judge.cache import look_up

    questions = distinct(asked)
    characters = 0
    for number, question in enumerate(questions):
        sent = messages(
            question.codebook, question.about, "json_schema", new_marker(question.about)
        )
        characters += sum(len(message["content"]) for message in sent)
        if number == 0:
            for message in sent:
                click.echo(f"----- {message['role']}\n{message['content']}")
    kept = sum(look_up(files.cache, question.turn(0)) is not None for question in questions)
    click.echo(
        f"-----\n{len(questions)} requests by {judge.id}, {kept} of them answered in the cache; "
        f"about {characters // _CHARACTERS_A_TOKEN} tokens to send. Nothing was asked."
    )


def _run(
    judge: Judge,
    asked: Sequence[Asked],
    files: Files,
    endpoint: Endpoint,
    patience: Patience,
    chosen: Chosen,
) -> Run:
    from functools import partial
    from threading import Event as Flag

    from chronoscore.rubric.judge import Desk, connection, distinct, post, run, settle, with_kept

    stop = Flag()
    questions = distinct(asked)
    with ExitStack() as stack:
        send: Any = None
        if not chosen["replay"]:
            client = stack.enter_context(connection(patience, chosen["jobs"]))

            def send(body: dict[str, object], salt: str) -> Any:
                return post(client, endpoint, body, patience, salt=salt, pause=stop.wait)

        desk = Desk(judge, files.cache, send, again=chosen["retry_failed"])
        bar = None
        if sys.stderr.isatty():
            bar = stack.enter_context(
                click.progressbar(length=len(questions), label="judging", file=sys.stderr)
            )
        done = run(
            questions,
            partial(settle, desk),
            jobs=chosen["jobs"],
            stop=stop,
            offline=chosen["replay"],
            advance=(lambda: bar.update(1)) if bar is not None else (lambda: None),
            say=tell,
        )
    if desk.damaged:
        number = len(desk.damaged)
        were = "1 answer in the cache was" if number == 1 else f"{number} answers in the cache were"
        tell(f"{were} damaged and asked for again (first {desk.damaged[0]})")
    if done.stopped:
        return with_kept(done, questions, partial(settle, Desk(judge, files.cache)))
    return done


def _finish(
    judge: Judge,
    asked: Sequence[Asked],
    run: Run,
    files: Files,
    endpoint: Endpoint,
    events: Path,
    chosen: Chosen,
) -> None:
    """Write what there is, say what it took and how to get the rest."""
    import msgspec

    from chronoscore.cli.judge_tables import judge_tables
    from chronoscore.reports import render_tables
    from chronoscore.rubric.judge import make_manifest, outcome_of, write_files

    outcome = outcome_of(judge, asked, run.verdicts, chosen["system"])
    manifest = make_manifest(
        judge,
        outcome,
        run.verdicts,
        events=len({one.event.id for one in asked}),
        events_file=events.name,
        system=chosen["system"],
        stopped=run.stopped,
        header_names=endpoint.header_names,
        price_in=chosen["price_in"],
        price_out=chosen["price_out"],
    )
    write_files(files, outcome, manifest, judge.codebook)
    if chosen["output_format"] == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(manifest), indent=1).decode())
    else:
        tables = judge_tables(manifest, outcome, judge.codebook)
        click.echo(render_tables(tables, chosen["output_format"]), nl=False)
    if outcome.failures:
        tell(f"failures are in {files.failures}")
    if run.stopped:
        tell(f"not everything was asked: {run.stopped}; the same command goes on from here")
    tell(f"judgements are in {files.judgements}, answers in {files.cache}")
    if outcome.failures or outcome.not_asked:
        raise SystemExit(PARTLY)
