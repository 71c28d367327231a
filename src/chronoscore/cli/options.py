"""Options and arguments as values: how each is spelled, what it takes, and when it is refused.

A verb lists these values, and `verb.py` runs the checks that they need. Options that several
verbs share are declared below, once. A group of them is passed on by name to the value that it
makes: `READING` to the reader, `INTERVALS` to the plan of intervals, `ENGINE` to the plan of a
run. A new option of a group is one line here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from chronoscore.cli.output import tell_all
from chronoscore.core.metric import FLAG
from chronoscore.statistics import INTERVAL_METHODS

if TYPE_CHECKING:
    from chronoscore.core.metric import Parameter
    from chronoscore.engines.settings import IntervalPlan
    from chronoscore.reports.matrix import PublishedScores
    from chronoscore.rubric.codebook import Codebook
    from chronoscore.rubric.formats import Article
    from chronoscore.rubric.judgements import Judgements

Plan = TypeVar("Plan")
_LONGEST_SPELLING = 72
"""Columns that an option with all its choices may take in the help."""


class Input(click.Path):
    """A file or folder that is read; its reader reports whether it can be read.

    `source` is true for files of data, which become sources; saved results stay paths.
    """

    def __init__(self, *, readable: bool = False, source: bool = True) -> None:
        super().__init__(readable=readable, path_type=Path)
        self.source = source


class Output(click.Path):
    """A file or folder that is written.

    `further_endings` are the endings of further files that are written under its name. `apart` is
    for folders in which many files are written, so that no input may be there.
    """

    def __init__(self, further_endings: Sequence[str] = (), apart: bool = False) -> None:
        super().__init__(path_type=Path)
        self.further_endings = further_endings
        self.apart = apart


class Option(click.Option):
    """An option, what it needs, and what a run must do for it.

    `needs`, `excludes` and `only_with` ignore parameters that a verb does not have.
    """

    hidden_names: Sequence[str] = ()
    """Names that are accepted, but not shown in the help."""
    needs: Sequence[str] = ()
    """Parameters of which at least one must be set, each as a name or as `name=value`."""
    excludes: Sequence[str] = ()
    """Parameters that may not be set together with this one."""
    only_with: Sequence[str] | None = None
    """The only parameters that may be set together with this one, which prints its tables in
    place of everything else."""
    not_printed_as: Sequence[str] = ()
    """Formats that have no place for what the option shows."""
    least: float | None = None
    """The least number that it takes."""
    asks_chunks: bool = False
    """Whether the engine must cut the files into chunks for it."""
    cases: bool = False
    """Whether it needs all cases at once, so that the files are read as a whole."""
    matches: bool = False
    """Whether it needs the matches that explain the scores."""
    reader: bool = False
    """Whether it is an argument of the family's reader."""

    def __init__(self, names: Sequence[str], **settings: Any) -> None:
        for name in Option.__annotations__.keys() & settings.keys():
            setattr(self, name, settings.pop(name))
        super().__init__([*names, *self.hidden_names], **settings)

    @property
    def flag(self) -> str:
        """The name of the option in messages."""
        return next((name for name in self.opts if name.startswith("--")), self.opts[0])

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the help of the option without its hidden names; many choices go into it."""
        visible = copy(self)
        visible.opts = [name for name in self.opts if name not in self.hidden_names]
        record = click.Option.get_help_record(visible, ctx)
        if record and len(record[0]) > _LONGEST_SPELLING and isinstance(self.type, click.Choice):
            visible.metavar = "NAME"
            visible.help = f"{self.help} One of: {', '.join(self.type.choices)}."
            record = click.Option.get_help_record(visible, ctx)
        return record


def option(
    spelling: str, help: str, kind: Any = None, *, name: str = "", **settings: Any
) -> Option:
    """Declare an option by its spelling in the help, such as `-m --metric NAME...`.

    Three dots mark an option that may be repeated; the help then says so. `kind` is a type of
    click, a tuple of choices, or bool for a flag. `name` is the name of the parameter, if it
    differs from the flag.
    """
    words = spelling.removesuffix("...").split()
    flags = [word for word in words if word.startswith("-")]
    if isinstance(kind, tuple):
        kind = click.Choice(kind)
    if settings.get("default", "") != "":
        settings["show_default"] = True
    if kind is bool:
        settings["is_flag"] = True
    repeated = spelling.endswith("...")
    if repeated and "repeated" not in help:
        help += " May be repeated."
    return Option(
        [*flags, name] if name else flags,
        help=help,
        type=kind,
        metavar=" ".join(words[len(flags) :]) or None,
        multiple=repeated,
        **settings,
    )


def of_parameter(parameter: Parameter, **settings: Any) -> Option:
    """Make the option for a metric's parameter or a family's choice, not set by default."""
    declared = parameter.option
    assert declared is not None
    name, repeated = parameter.name, parameter.kind == "words"
    flag = "--" + (name.removesuffix("s") if repeated else name).replace("_", "-")
    spelling = f"{flag} {declared.metavar or ''}{'...' * repeated}"
    choices = declared.choices or (parameter.choices if parameter.kind == "word" else ())
    kind = choices or {"number": float, "integer": int}.get(parameter.kind)
    if choices == FLAG:
        kind, settings = None, {**settings, "is_flag": True, "flag_value": FLAG[1]}
    help = declared.help or _help(parameter)
    return option(spelling, help, kind, name=name, needs=declared.needs, **settings)


def _help(parameter: Parameter) -> str:
    """Return the meaning of a parameter as a sentence, with its default."""
    sentence, default = parameter.meaning[0].upper() + parameter.meaning[1:], parameter.default
    default_text = f"{default:g}" if isinstance(default, float) else default
    return f"{sentence} (default: {default_text})." if default_text else f"{sentence}."


def family_choices(args: Args, parameters: Iterable[Parameter]) -> dict[str, str]:
    """Return what the user chose of a family's options, those that may be repeated in one text."""
    values = ((one.name, getattr(args, one.name, None)) for one in parameters)
    return {
        name: ",".join(value) if isinstance(value, tuple) else value
        for name, value in values
        if value is not None and value != ()
    }


def argument(
    spelling: str, kind: Any = None, *, required: bool = True, **settings: Any
) -> click.Argument:
    """Declare an argument; three dots mean one or more values, or any number if none is needed."""
    name, repeated = spelling.removesuffix("..."), spelling.endswith("...")
    number = -1 if repeated else 1
    return click.Argument([name], type=kind, nargs=number, required=required, **settings)


def is_set(value: object) -> bool:
    """Whether an option has a value; 0 and the empty text are values."""
    return value is not None and value is not False and value != ()


class Args(SimpleNamespace):
    """The call: the value of each argument and option, by name.

    Options on how files are read become `problems`, and paths of data become sources.
    """

    notices_printed = 0
    published_rows: Sequence[PublishedScores] = ()
    """The published results that --published names, for the table of a paper."""

    def of(self, group: Iterable[Option]) -> dict[str, Any]:
        """Return the values of a group of options by name."""
        return {name: getattr(self, name) for item in group if (name := item.name) is not None}

    def make(self, kind: type[Plan], **values: Any) -> Plan:
        """Make a dataclass whose fields have the names of options, such as the plan of a study."""
        names = {field.name for field in fields(kind)} - values.keys()  # type: ignore[arg-type]
        return kind(
            **{name: value for name, value in vars(self).items() if name in names}, **values
        )

    def tell_notices(self) -> None:
        """Print the notices that the readers have added since the last call."""
        notices = self.problems.notices
        tell_all(notices[self.notices_printed :])
        self.notices_printed = len(notices)

    def check_files(self) -> None:
        """Print the notices of the readers; stop if they found any problem."""
        self.tell_notices()
        self.problems.check()

    def read_articles(self) -> list[Article]:
        """Read the articles that --articles names, if it is set."""
        from chronoscore.rubric.formats import read_articles

        return read_articles(self.articles, self.problems) if self.articles else []

    def read_judgements(self) -> Judgements:
        """Read the judgements in the sheets of the call."""
        from chronoscore.rubric.formats import read_judgements

        return read_judgements(self.sheets, self.codebook, self.problems, evaluator=self.evaluator)

    def interval_plan(self, method: str, **values: Any) -> IntervalPlan:
        """Make the plan of intervals from the options of the call; `values` are put in their place.

        A verb that has no option for units or strata leaves them to the family.
        """
        from chronoscore.engines.settings import IntervalPlan

        named = {item.name: getattr(self, item.name or "", "") for item in INTERVALS}
        return IntervalPlan.checked(method, **{**named, **values})

    @cached_property
    def codebook(self) -> Codebook:
        """The codebook that --codebook names, or the one for the quality of events."""
        from chronoscore.rubric.codebook import read_codebook

        return read_codebook(self.codebook_path, self.problems)


# Options and arguments that several verbs have.

FOR_PROGRAMS = ("json", "plain")
"""Formats that print nothing but the result."""
TABLE_FORMATS = ("text", "markdown", "latex", "csv", "json")
_DRAWS = ("interval", "bound=lower", "no_worse_than")
LEVEL = option(
    "--level",
    "The confidence level of intervals.",
    float,
    hidden_names=("--confidence",),
    name="level",
    default=0.95,
    needs=_DRAWS,
)
SEED = option(
    "--seed",
    "Seed of the random number generator.",
    int,
    default=0,
    needs=(*_DRAWS, "weight_sensitivity", "floor"),
)
RESAMPLES = option(
    "--resamples N",
    "How many resamples bootstraps and tests draw (default: 10,000; 2,000 for correlations).",
    click.IntRange(min=1),
    needs=_DRAWS,
)
DRAWING = (LEVEL, SEED, RESAMPLES)
"""The options of verbs that draw at random or show intervals."""
_UNITS = ("interval", "bound=lower")
UNIT = option(
    "--unit TAG",
    "The tag of cases that are drawn together, such as topic.",
    default="",
    needs=_UNITS,
)
STRATA = option(
    "--strata TAG",
    "The tag of groups (strata) within which units are drawn.",
    default="",
    needs=_UNITS,
)
INTERVALS = (*DRAWING, UNIT, STRATA)
INTERVAL = option(
    "--interval",
    f"Show confidence intervals; auto is {INTERVAL_METHODS['auto']}.",
    tuple(INTERVAL_METHODS),
)
METRIC = option("-m --metric NAME...", "A metric (`chronoscore metrics` lists them).")
PROTOCOL = option("--protocol NAME", "The metrics and conventions of a publication.")
EXPLAIN = option(
    "--explain CASE...",
    "Show the matches of a case; 'all' for every case. For programs, --save writes them.",
    matches=True,
    not_printed_as=("json",),
)
SAVE = option(
    "--save FILE",
    "Save the result, and its matches next to it (.matches.jsonl): as JSON if FILE ends in .json, "
    "as an archive if it ends in .chronoscore, else as an archive from 100,000 rows on.",
    Output(further_endings=(".matches.jsonl", ".texts.jsonl")),
    matches=True,
)
REPORT = option("--report FILE", "Write an HTML report that opens offline.", Output(), matches=True)
NO_TEXTS = option(
    "--no-texts",
    "Leave the texts of documents out of the report, the saved result and --explain.",
    bool,
    excludes=("texts",),
)
ENGINE = (
    option(
        "--engine NAME",
        "Read large JSONL or Parquet in chunks: here, processes, dask, dask://HOST:PORT.",
        asks_chunks=True,
    ),
    option("--workers N", "Number of workers (default: one for each core).", click.IntRange(min=1)),
    option(
        "--dashboard HOST:PORT",
        "For --engine dask: where its dashboard listens. 127.0.0.1 is open to this machine only; "
        "port 0 takes any free port.",
        default="127.0.0.1:0",
        needs=("engine=dask",),
    ),
    option(
        "--work DIR",
        "Keep finished chunks in this folder, so that a run that was stopped can go on.",
        Output(),
        asks_chunks=True,
    ),
    option("--chunk CASES", "Number of cases in a chunk.", click.IntRange(min=1), asks_chunks=True),
    option(
        "--max-bad N",
        "Leave out up to N bad cases of JSONL or Parquet, and exit with 4 (default: bad data "
        "stop the run).",
        click.IntRange(min=0),
        name="most_bad",
        asks_chunks=True,
    ),
)
PROGRESS = option(
    "--progress",
    "How a run in chunks shows its progress.",
    ("auto", "json", "none"),
    default="auto",
)


def format_option(help: str, formats: tuple[str, ...]) -> Option:
    """Make the option for the format that a verb prints."""
    return option("-f --format", help, formats, name="output_format", default="text")


FORMAT = format_option(
    "How to print the result; plain has a block of lines for each topic, then their average.",
    (*TABLE_FORMATS, "plain"),
)
FULL = option(
    "--full",
    "Show all scores, the counts behind them, and whole signatures, however many lines it takes.",
    bool,
    not_printed_as=("csv", *FOR_PROGRAMS),
)
TABLE_FORMAT = format_option("How to print the tables.", TABLE_FORMATS)
_NO_PAPER = ("text", "csv", "json", "plain")
"""Formats that don't print the table of a paper."""
PUBLISHED = option(
    "--published NAME[,FILTER...]|FILE",
    "Add published results to the table of latex and markdown: of a collection such as crisis or "
    "timeline17,year=2024.. for timelines, or your own CSV or JSON.",
    not_printed_as=_NO_PAPER,
)
PAPER = (
    option(
        "--columns LIST",
        "For latex and markdown: the scores in their order, such as AR-1,AR-1.precision,Date-F1.",
        not_printed_as=_NO_PAPER,
    ),
    option(
        "--digits N",
        "For latex and markdown: decimal places (default: 3).",
        click.IntRange(min=1, max=9),
        not_printed_as=_NO_PAPER,
    ),
    option(
        "--underline-second",
        "For latex and markdown: underline the second best score of a column.",
        bool,
        not_printed_as=_NO_PAPER,
    ),
)
"""The options of the one table that latex and markdown print."""
VERBOSE = option("--verbose", "Show what was understood of the files.", bool)
VERDICT_COUNTS = (
    option(
        "--part",
        "What the verdict 'part' counts as.",
        ("same", "different", "skip"),
        default="same",
        needs=("verdicts",),
    ),
    option(
        "--unjudged",
        "What pairs without a verdict count as.",
        ("skip", "different"),
        name="rest",
        default="skip",
        needs=("verdicts",),
    ),
)
READING = (
    option("--encoding", "Encoding of the files.", default="utf-8"),
    option("--max-line BYTES", "Refuse longer lines.", int, default=16 * 1024 * 1024),
    option("--lenient", "Accept input that is not quite right, with a notice.", bool),
    option("--strict", "Refuse bytes that are not UTF-8 where they would be replaced.", bool),
)
SCORE = (
    PROTOCOL,
    METRIC,
    option("--average PATH", "How scores are averaged: micro, macro, or a path over the levels."),
    option(
        "--undefined POLICY", "What 0/0 counts as: skip, zero, one, agree (1 if both are empty)."
    ),
    option("--by TAG...", "Break down by a tag, or by case."),
    EXPLAIN,
    SAVE,
    option(
        "--fail-under [METRIC=]X...", "Exit with 1 if a system's score is below X (or undefined)."
    ),
    option(
        "--bound",
        "What --fail-under looks at: the score, or the lower end of its interval.",
        ("score", "lower"),
        default="score",
        needs=("fail_under",),
    ),
    option(
        "--no-worse-than RESULT",
        "Exit with 1 if a system is significantly worse than a saved result's.",
        Input(source=False),
    ),
    INTERVAL,
    *INTERVALS,
    REPORT,
    option("--from-signature SIG", "Take all settings from a result's signature."),
    option(
        "--allow-function NAME...",
        "A function that the signature names and may call, such as ./file.py:function.",
        needs=("from_signature",),
    ),
    *ENGINE,
    PROGRESS,
    VERBOSE,
    FULL,
    FORMAT,
    *PAPER,
)
"""The options of every verb that scores, before those on how files are read."""
REGROUP = option(
    "--by TAG...",
    "Break down by a tag or by case; or by a value, such as the type of annotations, if the "
    "result was saved with the same --by.",
)
CODEBOOK = option(
    "--codebook FILE",
    "Your own codebook (default: event quality).",
    Input(),
    name="codebook_path",
    needs=("judgements", "ask=judgements", "sheets"),
)
ARTICLES = option(
    "--articles FILE",
    "An articles.jsonl (id, published, title, text).",
    Input(),
    needs=("ask=judgements",),
)
EVALUATOR = option("--evaluator NAME", "Who judged, for sheets that don't say.", needs=("sheets",))
RENAME = option(
    "--rename A=B|FILE...",
    "Take prediction A as that of B: TOPIC, TOPIC/GOLD, or '-' to leave it out. A FILE has two "
    "columns (TSV or CSV), or is JSON.",
    reader=True,
)
GOLD = argument("gold", Input())
PREDICTED = argument("predicted...")
SHEETS = argument("sheets...", Input())


FILE_CHOICES = (
    "dates",
    "time_unit",
    "date_order",
    "repeated_gold",
    "column",
    "form",
    "lists",
)
"""The choices of timelines that say how the files of a gold are read."""


def file_choices(args: Args) -> dict[str, str]:
    """Return what the user chose about the reading of a gold's files."""
    from chronoscore.elements.dated.options import OPTIONS

    return family_choices(args, (one for one in OPTIONS if one.name in FILE_CHOICES))
