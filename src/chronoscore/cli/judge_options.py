"""The options of `chronoscore judge`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict, TypeVar

import click

from chronoscore.cli.outputs import output_option

DEFAULT_KEY = "OPENAI_API_KEY"
Function = TypeVar("Function", bound=Callable[..., Any])


class Chosen(TypedDict):
    """What the options were set to."""

    articles: Path | None
    without_articles: bool
    model: str
    base_url: str
    key_variable: str
    headers: tuple[str, ...]
    output: Path
    evaluator: str | None
    system: str
    per_criterion: bool
    samples: int
    temperature: float
    max_tokens: int
    seed: int | None
    parameters: tuple[str, ...]
    jobs: int
    timeout: float
    retries: int
    max_wait: float
    cache: Path | None
    replay: bool
    retry_failed: bool
    price_in: float | None
    price_out: float | None
    dry_run: bool
    codebook_path: Path | None
    output_format: str
    encoding: str
    max_line: int
    lenient: bool


_OPTIONS = [
    click.option(
        "--articles",
        type=click.Path(readable=False, path_type=Path),
        metavar="FILE",
        help="An articles.jsonl (id, published, title, text), to judge the events by.",
    ),
    click.option(
        "--without-articles", is_flag=True, help="Judge events whose article is missing without it."
    ),
    click.option(
        "--model", required=True, metavar="NAME", help="The model, as its server names it."
    ),
    click.option(
        "--base-url",
        required=True,
        metavar="URL",
        help="An OpenAI-compatible server, such as http://127.0.0.1:8000/v1.",
    ),
    click.option(
        "--key-variable",
        default=DEFAULT_KEY,
        show_default=True,
        metavar="NAME",
        help="The environment variable that holds the key.",
    ),
    click.option(
        "--header",
        "headers",
        multiple=True,
        metavar="NAME=VALUE",
        help="A header; may be repeated.",
    ),
    output_option(
        "-o",
        "--output",
        default=Path("judgements.jsonl"),
        show_default=True,
        metavar="FILE",
        help="The judgements (.jsonl, .csv, .tsv, .xlsx); failures and manifest go beside it.",
    ),
    click.option(
        "--evaluator", metavar="NAME", help="What to call the judge, before its prompt's digest."
    ),
    click.option(
        "--system", default="", metavar="NAME", help="Whose events; the judge is not told."
    ),
    click.option("--per-criterion", is_flag=True, help="Ask for each criterion by itself."),
    click.option("--samples", default=1, show_default=True, help="Judgements of each event."),
    click.option(
        "--temperature", default=0.0, show_default=True, help="How freely a model chooses."
    ),
    click.option("--max-tokens", default=2048, show_default=True, help="The longest reply."),
    click.option(
        "--seed", type=int, help="Sent to the server; the next samples get the next ones."
    ),
    click.option(
        "--parameter",
        "parameters",
        multiple=True,
        metavar="NAME=JSON",
        help="Another parameter of the request; null leaves one out. May be repeated.",
    ),
    click.option("--jobs", default=4, show_default=True, help="Requests at the same time."),
    click.option("--timeout", default=120.0, show_default=True, help="Seconds for an answer."),
    click.option("--retries", default=5, show_default=True, help="Further tries of a request."),
    click.option(
        "--max-wait",
        default=60.0,
        show_default=True,
        help="The most seconds to wait before a further try, whatever the server says.",
    ),
    output_option(
        "--cache",
        metavar="DIR",
        help="Where answers are kept (default: beside the output).",
    ),
    click.option("--replay", is_flag=True, help="Answer from the cache alone; ask no server."),
    click.option(
        "--retry-failed", is_flag=True, help="Ask anew where kept answers were of no use."
    ),
    click.option("--price-in", type=float, metavar="X", help="Price of a million tokens sent."),
    click.option(
        "--price-out", type=float, metavar="X", help="Price of a million tokens received."
    ),
    click.option("--dry-run", is_flag=True, help="Show the first prompt and ask nothing."),
]


def judge_options(function: Function) -> Function:
    """Add the options on what is judged, who is asked and how."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
