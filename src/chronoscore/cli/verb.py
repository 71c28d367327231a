"""A verb of the command: its options, the checks that they need, and the names of systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import cleandoc
from math import inf
from os.path import realpath
from pathlib import Path
from typing import Any, cast

import click
from click.core import ParameterSource

from chronoscore.cli.options import READING, Args, Input, Option, Output, is_set
from chronoscore.cli.output import print_notices
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import PIPE, is_pipe, packing_of, source_of, stem_of
from chronoscore.engines.plan import check_system_name
from chronoscore.errors import UsageError
from chronoscore.reports.terminal import command_lines

EXAMPLES = "\n\nExamples:\n"
"""What parts the examples of a verb from the rest of its docstring."""
_HELP_WIDTH = 78
"""Columns of an example in the help: a terminal's 80 less what click leaves free."""


class Verb(click.Command):
    """A command that checks its call before it does anything, and prints what its function returns.

    `formats` maps the names of input formats to the reader's names for them.
    """

    formats: Mapping[str, str] = {}

    def __init__(
        self, run: Callable[[Args], str | None], parameters: Sequence[click.Parameter], doc: str
    ) -> None:
        """Make a verb. Its docstring is the help, and ends with examples.

        The examples run after `chronoscore demo --data demo`. A line that is indented goes on
        with the example above it.
        """
        text, _, examples = cleandoc(doc).partition(EXAMPLES)
        commands = examples.replace("\n    ", " ").splitlines()
        lines = (line for each in commands for line in command_lines(each, _HELP_WIDTH, "  "))
        super().__init__(
            None,
            callback=run,
            params=list(parameters),
            help=text,
            short_help=text.partition("\n")[0],
            epilog="\b\nExamples (on the data of `chronoscore demo --data demo`):\n"
            + "\n".join(lines),
        )

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Make a new help option: click would reuse that of the first context and its names."""
        self._help_option = None
        return super().get_help_option(ctx)

    def invoke(self, ctx: click.Context) -> Any:
        """Refuse a call that contradicts itself; then run the function and print its text."""
        refuse_overwriting(ctx)
        refuse_useless(ctx)
        if READING[0] in self.params:
            refuse_pipes(ctx)
        assert self.callback is not None
        try:
            click.echo(self.callback(self.make_args(ctx.params)) or "", nl=False)
        finally:
            print_notices()

    def make_args(self, values: Mapping[str, Any]) -> Args:
        """Make the arguments of the verb's function from the values of the call."""
        args = Args(**values)
        if READING[0] not in self.params:
            return args
        args.problems = Problems(ReadingOptions(**args.of(READING)))
        input_format = self.formats.get(values.get("input_format") or "", "")
        for parameter in self.params:
            name = parameter.name or ""
            if isinstance(parameter.type, Input) and parameter.type.source and values[name]:
                format = input_format if isinstance(parameter, click.Argument) else ""
                sources = [source_of(path, format=format) for path in several(values[name])]
                setattr(args, name, sources if isinstance(values[name], tuple) else sources[0])
        return args


def verb(*parameters: click.Parameter) -> Callable[[Callable[[Args], str | None]], Verb]:
    """Make a verb of a function: its docstring is the help, and the text it returns is printed."""
    return lambda run: Verb(run, parameters, run.__doc__ or "")


def named_paths(paths: Sequence[str]) -> dict[str, Path]:
    """Name systems after their files, or as NAME=PATH says."""
    return {name: path for name, (path,) in named_systems(paths).items()}


def named_systems(paths: Sequence[str], *, trials: bool = False) -> dict[str, list[Path]]:
    """Name systems after their files, or as NAME=PATH says; for trials the same NAME may return."""
    systems: dict[str, list[Path]] = {}
    explicit: set[str] = set()
    for text in paths:
        name, equals, path_text = text.partition("=")
        is_named = bool(equals) and not Path(text).exists()
        path = Path(path_text) if is_named else Path(text)
        if not is_named:
            name = stem_of(path)
        if not name or (equals and not path_text) or not text:
            raise UsageError(f"'{text}' does not name a system and its file; write NAME=PATH")
        if is_named:
            check_system_name(name)
        if name in systems and not (trials and is_named and name in explicit):
            raise UsageError(
                f"two systems are named '{name}'; name them apart: first={systems[name][0]} "
                f"second={path}"
            )
        if is_named:
            explicit.add(name)
        systems.setdefault(name, []).append(path)
    return systems


def several(value: Any) -> tuple[Any, ...]:
    """Return a parameter's values as a tuple, whether it has one value or several."""
    return value if isinstance(value, tuple) else (value,)


def on_command_line(context: click.Context) -> list[click.Parameter]:
    """Return the parameters that the command line sets, in the order of the help."""
    return [
        parameter
        for parameter in context.command.params
        if context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
    ]


def flag(parameter: click.Parameter) -> str:
    """Return the name of a parameter in messages."""
    return parameter.flag if isinstance(parameter, Option) else parameter.name or ""


def refuse_useless(context: click.Context) -> None:
    """Refuse an option whose needed option is missing, or that is set with one it excludes."""
    parameters = {parameter.name: parameter for parameter in context.command.params}
    set_parameters = on_command_line(context)
    for parameter in set_parameters:
        if not isinstance(parameter, Option):
            continue
        needs = [need.partition("=") for need in parameter.needs]
        needs = [(name, equals, value) for name, equals, value in needs if name in parameters]
        if needs and not any(
            context.params[name] == value if value else is_set(context.params[name])
            for name, _, value in needs
        ):
            flags = " or ".join(f"{flag(parameters[name])} {v}".rstrip() for name, _, v in needs)
            raise UsageError(f"{parameter.flag} is for {flags}: add that, or leave it out")
        clashing = [flag(other) for other in set_parameters if other.name in parameter.excludes]
        if clashing:
            raise UsageError(f"{parameter.flag} does not go with {clashing[0]}: leave one out")
        if parameter.only_with is not None:
            allowed = {parameter.name, *parameter.only_with}
            ignored = [flag(other) for other in set_parameters if other.name not in allowed]
            if ignored:
                listed = ", ".join(ignored)
                raise UsageError(f"{parameter.flag} only prints its tables: leave out {listed}")
        value = context.params[parameter.name or ""]
        if parameter.least is not None and not parameter.least <= value < inf:
            raise UsageError(f"{parameter.flag} is {value}, expected {parameter.least} or more")
        if context.params.get("output_format") in parameter.not_printed_as:
            choices = cast("click.Choice[str]", parameters["output_format"].type).choices
            formats = [name for name in choices if name not in parameter.not_printed_as]
            listed = " or ".join(filter(None, (", ".join(formats[:-1]), formats[-1])))
            raise UsageError(
                f"{parameter.flag} is for --format {listed}, not {context.params['output_format']}"
            )


def refuse_pipes(context: click.Context) -> None:
    """Refuse inputs that are not files, and say what to do instead.

    A pipe's name does not tell its format, so a scoring verb reads a pipe only if the call names
    the format.
    """
    pipes = []
    for parameter, path in _read_paths(context):
        if _is_pipe(path):
            name = "standard input" if str(path) == "-" else str(path)
            pipes.append(name)
            if not isinstance(parameter, click.Argument) or "input_format" not in context.params:
                raise UsageError(f"{name} {PIPE}")
            if context.params["input_format"] is None:
                raise UsageError(f"{name} {PIPE}, or name its format with --input-format")
    if len(pipes) > 1:
        raise UsageError(
            f"{pipes[0]} and {pipes[1]}: only one input may be a pipe; save the other as a file"
        )


def refuse_overwriting(context: click.Context) -> None:
    """Refuse an output that is an input or lies in one, seems packed, or is named twice."""
    inputs = [*(path for _, path in _read_paths(context)), *_sidecars(context)]
    outputs: list[tuple[str, Path]] = []
    for name, path, kind in _outputs(context):
        if packing_of(path):  # a reader would try to unpack what is written plain
            raise UsageError(
                f"{name}: '{path}' is the name of a packed file, and files are written plain; "
                f"leave out '{path.suffix}'"
            )
        for other in inputs:
            if _same(path, other):
                raise UsageError(
                    f"{name}: '{path}' is also read, and would be overwritten; name another file"
                )
            if kind.apart and path.is_dir() and _real(path) in _real(other).parents:
                raise UsageError(
                    f"{name}: '{other}', which is read, is in '{path}' and might be overwritten; "
                    "name another folder"
                )
            if _holds(other, path, kind):
                raise UsageError(
                    f"{name}: '{path}' is in '{other}', which is read, and would be overwritten; "
                    "name another place"
                )
        for other_name, other in outputs:
            if other_name != name and _same(path, other):
                raise UsageError(
                    f"{other_name} and {name} would both write '{path}'; name two files"
                )
        outputs.append((name, path))


def _holds(folder: Path, path: Path, kind: Output) -> bool:
    """Whether a folder that is read holds a file, or a folder of many files, to be written."""
    if not folder.is_dir() or not (path.is_file() or (kind.apart and path.is_dir())):
        return False
    # A link in the folder counts as well as a link into it.
    places = (_real(path), _real(path.parent) / path.name)
    return any(_real(folder) in place.parents for place in places)


def _outputs(context: click.Context) -> Iterator[tuple[str, Path, Output]]:
    """Yield every file and folder that the verb writes, with the further files of that name."""
    for parameter in context.command.params:
        path = context.params.get(parameter.name or "")
        if isinstance(parameter.type, Output) and path is not None:
            name = parameter.opts[-1] if isinstance(parameter, click.Option) else "the target"
            yield name, path, parameter.type
            for ending in parameter.type.further_endings if path.name else ():
                yield name, path.with_suffix(ending), parameter.type


def _read_paths(context: click.Context) -> Iterator[tuple[click.Parameter, Path]]:
    """Yield every path that the verb reads, also those written as NAME=PATH."""
    for parameter in context.command.params:
        if isinstance(parameter.type, Output):
            continue
        for value in several(context.params.get(parameter.name or "")):
            if isinstance(value, Path):
                yield parameter, value
            elif isinstance(value, str):
                paths = (Path(value), Path(value.partition("=")[2]))
                is_argument = isinstance(parameter, click.Argument)
                yield from ((parameter, path) for path in paths if _is_there(path, is_argument))


def _sidecars(context: click.Context) -> list[Path]:
    """Return the files of matches and texts that belong to the results that a verb reads."""
    paths = _read_paths(context)
    results = [path for parameter, path in paths if parameter.name in ("result", "results")]
    endings = (".matches.jsonl", ".texts.jsonl")
    sidecars = [path.with_suffix(ending) for path in results if path.name for ending in endings]
    return [path for path in sidecars if path.is_file()]


def _is_there(path: Path, is_argument: bool) -> bool:
    """Whether a word names an existing path; folders and pipes count for arguments only."""
    try:
        exists = path.is_file() or (is_argument and (path.is_dir() or _is_pipe(path)))
    except OSError:  # too long for a name: a signature, or the like
        return False
    return bool(path.parts) and exists


def _is_pipe(path: Path) -> bool:
    return str(path) == "-" or is_pipe(path)


def _same(first: Path, second: Path) -> bool:
    """Whether two paths lead to the same file or folder; a device such as /dev/null is neither."""
    if first.exists() and second.exists():
        return (first.is_file() or first.is_dir()) and first.samefile(second)
    return _real(first) == _real(second)


def _real(path: Path) -> Path:
    """Return where a path leads; `Path.resolve` fails where links form a loop."""
    return Path(realpath(path))
