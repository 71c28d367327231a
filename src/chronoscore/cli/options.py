"""Options that mean the same in every verb, and what a scoring verb does with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import click

from chronoscore.cli.inputs import from_files
from chronoscore.cli.needs import SCORING, Aliased, needs
from chronoscore.cli.outputs import output_option
from chronoscore.core.errors import UsageError, one_line
from chronoscore.core.signature import INTERVAL_METHODS

if TYPE_CHECKING:
    from chronoscore.core.reading import Reading
    from chronoscore.core.result import CaseMatches, CaseTexts, Result

Function = TypeVar("Function", bound=Callable[..., Any])
TABLE_FORMATS = ("text", "markdown", "latex", "csv", "json")
FORMATS = (*TABLE_FORMATS, "plain")
ALL_CASES = "all"


class Chosen(TypedDict):
    """What the common options of a scoring verb were set to."""

    protocol: str | None
    metric: tuple[str, ...]
    average: str | None
    undefined: str | None
    by: tuple[str, ...]
    output_format: str
    save: Path | None
    explain: tuple[str, ...]
    fail_under: tuple[str, ...]
    bound: str
    no_worse_than: Path | None
    interval: str | None
    level: float
    seed: int
    unit: str
    strata: str
    report: Path | None
    from_signature: str | None
    allow_function: tuple[str, ...]
    engine: str | None
    workers: int | None
    dashboard: str
    work: Path | None
    chunk: int | None
    strict: bool
    most_bad: int | None
    progress: str
    encoding: str
    max_line: int
    lenient: bool


level_option = click.option(
    *("--level", "--confidence", "level"),
    cls=Aliased,
    type=float,
    default=0.95,
    show_default=True,
    help="How often intervals hold the true value.",
)
_SCORING = [
    click.option("--protocol", metavar="NAME", help="Metrics and conventions of a publication."),
    click.option(
        "-m", "--metric", multiple=True, metavar="NAME", help="A metric; may be repeated."
    ),
    click.option("--average", metavar="PATH", help="micro, macro, or a path over the levels."),
    click.option(
        "--undefined",
        metavar="POLICY",
        help="What 0/0 counts as: skip, zero, one, or agree (1 if both sides are empty).",
    ),
    click.option("--by", multiple=True, metavar="TAG", help="Break down by a tag, or by case."),
    click.option(
        "--explain",
        multiple=True,
        metavar="CASE",
        help="Show the matches of a case; 'all' for every case.",
    ),
    output_option(
        "--save",
        beside=(".matches.jsonl", ".texts.jsonl"),
        metavar="FILE",
        help="Save the result as JSON, its matches beside it.",
    ),
    click.option(
        "--fail-under",
        multiple=True,
        metavar="[METRIC=]X",
        help="Exit with 1 if a system's score is below X (or undefined).",
    ),
    click.option(
        "--bound",
        type=click.Choice(["score", "lower"]),
        default="score",
        show_default=True,
        help="What --fail-under looks at: the score, or the lower end of its interval.",
    ),
    click.option(
        "--no-worse-than",
        type=click.Path(readable=False, path_type=Path),
        metavar="RESULT",
        help="Exit with 1 if a system is significantly worse than a saved result's.",
    ),
    click.option(
        "--interval",
        type=click.Choice(list(INTERVAL_METHODS)),
        help=f"Show how sure the scores are; auto is {INTERVAL_METHODS['auto']}.",
    ),
    level_option,
    click.option("--seed", type=int, default=0, show_default=True, help="For what is drawn."),
    click.option("--unit", default="", metavar="TAG", help="What is drawn as a whole, e.g. topic."),
    click.option("--strata", default="", metavar="TAG", help="Groups to draw units within."),
    output_option(
        "--report",
        metavar="FILE",
        help="Write an HTML report: one file that opens offline.",
    ),
    click.option(
        "--from-signature", metavar="SIG", help="Take all settings from a result's signature."
    ),
    click.option(
        "--allow-function",
        multiple=True,
        metavar="NAME",
        help="A function that the signature names and may call, such as ./file.py:function; may be "
        "repeated.",
    ),
]
_SCALE = [
    click.option(
        "--engine",
        metavar="NAME",
        help="Read large JSONL or Parquet in parts: here, processes, dask, dask://HOST:PORT.",
    ),
    click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Default: one a core."),
    click.option(
        "--dashboard",
        default="127.0.0.1:0",
        show_default=True,
        metavar="HOST:PORT",
        help="For --engine dask: where its dashboard listens. 127.0.0.1 is open to this machine "
        "only; port 0 takes any free port.",
    ),
    output_option(
        "--work",
        metavar="DIR",
        help="Keep finished parts here: a run that was stopped goes on.",
    ),
    click.option("--chunk", type=click.IntRange(min=1), metavar="CASES", help="Cases a part."),
    click.option("--strict", is_flag=True, help="Stop at a bad case instead of leaving it out."),
    click.option(
        "--max-bad",
        "most_bad",
        type=click.IntRange(min=0),
        metavar="N",
        help="Stop when more cases are bad.",
    ),
    click.option(
        "--progress",
        type=click.Choice(["auto", "json", "none"]),
        default="auto",
        show_default=True,
        help="How a run in parts tells how far it is.",
    ),
]
_READING = [
    click.option("--encoding", default="utf-8", show_default=True, help="Encoding of the files."),
    click.option(
        "--max-line",
        type=int,
        default=16 * 1024 * 1024,
        show_default=True,
        metavar="BYTES",
        help="Refuse longer lines.",
    ),
    click.option("--lenient", is_flag=True, help="Accept doubtful input, with a notice."),
]
_FORMAT = click.option(
    "-f",
    "--format",
    "output_format",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="How to print the result; plain has a block of lines for each topic, then their average.",
)


def _apply(options: Sequence[Callable[[Function], Function]], function: Function) -> Function:
    for option in reversed(options):
        function = option(function)
    return function


def reading_options(function: Function) -> Function:
    """Add the options on how files are read."""
    return _apply(_READING, from_files(function))


def scoring_options(function: Function) -> Function:
    """Add the options that all scoring verbs share."""
    options = [*_SCORING, *_SCALE, _FORMAT, *_READING]
    return _apply(options, needs(SCORING)(from_files(function)))


format_option = _FORMAT
table_format_option = click.option(
    "-f",
    "--format",
    "output_format",
    type=click.Choice(TABLE_FORMATS),
    default="text",
    show_default=True,
    help="How to print it.",
)
regroup_option = click.option(
    "--by",
    multiple=True,
    metavar="TAG",
    help="Break down by a tag or by case; or by a value, such as the type of annotations, if the "
    "result was saved with the same --by.",
)
codebook_option = click.option(
    "--codebook",
    "codebook_path",
    type=click.Path(readable=False, path_type=Path),
    metavar="FILE",
    help="Your own codebook (default: event quality).",
)


def examples(*lines: str) -> str:
    """Write the end of a verb's help: examples that run after `chronoscore demo --data demo`."""
    listed = "\n".join(f"  {line}" for line in lines)
    return f"\b\nExamples (on the data of `chronoscore demo --data demo`):\n{listed}"


def make_reading(encoding: str, max_line: int, lenient: bool) -> Reading:
    """Prepare the reading of files."""
    from chronoscore.core.reading import Reading

    reading = Reading(encoding=encoding, max_line=max_line, lenient=lenient)
    context = click.get_current_context(silent=True)
    if context is not None:
        context.call_on_close(reading.close)
    return reading


def named_paths(paths: Sequence[str]) -> dict[str, Path]:
    """Name systems after their files, or as told by NAME=PATH."""
    named = named_trials(paths)
    for name, (first, *others) in named.items():
        if others:
            raise UsageError(
                f"two systems are named '{name}'; name them apart: first={first} second={others[0]}"
            )
    return {name: path for name, (path,) in named.items()}


def named_trials(paths: Sequence[str]) -> dict[str, list[Path]]:
    """Name systems after their files, or as told by NAME=PATH; the same NAME is another trial."""
    named: dict[str, list[Path]] = {}
    told: set[str] = set()
    for text in paths:
        name, equals, rest = text.partition("=")
        explicit = bool(equals) and not Path(text).exists()
        path = Path(rest) if explicit else Path(text)
        if not explicit:
            name = _stem(path)
        if not name or (equals and not rest) or not text:
            raise UsageError(f"'{text}' does not name a system and its file; write NAME=PATH")
        if name in named and not (explicit and name in told):
            raise UsageError(
                f"two systems are named '{name}'; name them apart: first={named[name][0]} "
                f"second={path}"
            )
        if explicit:
            told.add(name)
        named.setdefault(name, []).append(path)
    return named


def _stem(path: Path) -> str:
    """A file's name without its endings: that of its packing, and that of its format."""
    packed = path.suffix.lower() in (".gz", ".zst") and Path(path.stem).suffix
    return Path(path.stem).stem if packed else path.stem


def tell(notice: str) -> None:
    """Print a notice in one line of standard error, whatever a saved result made of it."""
    click.echo(f"{click.style('notice', fg='yellow')}: {one_line(notice)}", err=True)


def explain(
    result: Result,
    matches: Sequence[CaseMatches],
    cases: Sequence[str],
    output_format: str,
    texts: Sequence[CaseTexts] = (),
) -> None:
    """Print the matches of the cases that were asked for, in their texts where these are known."""
    if not cases:
        return
    from chronoscore.reports import render_tables
    from chronoscore.reports.match_tables import explanation

    chosen = to_explain(matches, cases, output_format)
    if output_format == "text" and result.family == "annotations":
        from chronoscore.cli.annotation_explain import show_in_text

        show_in_text(matches, texts, chosen)
    click.echo("\n" + render_tables(explanation(result, matches, chosen), output_format), nl=False)


def to_explain(
    matches: Sequence[CaseMatches], cases: Sequence[str], output_format: str
) -> list[str]:
    """Find the cases that were asked for, none for all; refuse before anything is printed."""
    if cases and output_format == "json":
        raise UsageError("--explain has no JSON form: --save writes the matches beside the result")
    known = dict.fromkeys(item.case for item in matches)
    chosen: list[str] = []
    for name in cases:
        # A topic stands for all its golds and trials: topic/gold, topic@trial.
        found = [
            case for case in known if case == name or case.startswith((f"{name}/", f"{name}@"))
        ]
        if not found and name != ALL_CASES:
            raise UsageError(f"there is no case '{name}' to explain; --by case lists the cases")
        chosen += found
    return [] if ALL_CASES in cases else chosen
