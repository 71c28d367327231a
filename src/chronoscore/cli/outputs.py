"""What a verb writes, declared so that it never lands on what the same call reads or writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from os.path import realpath
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from chronoscore.core.errors import UsageError

Function = TypeVar("Function", bound=Callable[..., Any])
Named = tuple[str, Path]


class Output(click.Path):
    """A file or folder that is written, and the names of all that goes beside it."""

    def __init__(self, beside: Sequence[str], apart: bool) -> None:
        """Take the endings of what goes beside it, and whether no input may be in the folder."""
        super().__init__(path_type=Path)
        self.beside = beside
        self.apart = apart


def output_option(
    *names: str, beside: Sequence[str] = (), apart: bool = False, **more: Any
) -> Callable[[Function], Function]:
    """Declare an option that names what is written; the verb starts only if nothing is lost.

    `beside` are endings of further files that get its name; `apart` is for folders in which many
    files are written, so that no input may be there.
    """
    option = click.option(*names, type=Output(beside, apart), **more)
    return lambda function: option(_checked(function))


@contextmanager
def written_last(write: Callable[[], None]) -> Iterator[None]:
    """Write after the block, also if a gate has failed there; a refused call writes nothing."""
    try:
        yield
    except SystemExit:
        write()
        raise
    write()


def output_argument(name: str) -> Callable[[Function], Function]:
    """Declare an argument that names a new file, or a folder for new files."""
    argument = click.argument(name, type=Output((), True))
    return lambda function: argument(_checked(function))


def _checked(function: Function) -> Function:
    @wraps(function)
    def check_first(*positional: Any, **named: Any) -> Any:
        refuse_overwriting(click.get_current_context())
        return function(*positional, **named)

    return cast("Function", check_first)


def refuse_overwriting(context: click.Context) -> None:
    """Refuse an output that is or lies in an input, that seems packed, and two in one file."""
    read = [*_inputs(context)]
    written: list[Named] = []
    for name, path, kind in _outputs(context):
        _refuse_packed(name, path)
        for other in read:
            if _same(path, other):
                raise UsageError(f"{name}: '{path}' is also read, and would be overwritten")
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
        for others, other in written:
            if others != name and _same(path, other):
                raise UsageError(f"{others} and {name} would both write '{path}'; name two files")
        written.append((name, path))


def _refuse_packed(name: str, path: Path) -> None:
    """Refuse the name of a packed file: it would be unpacked when it is read, and can't be."""
    from chronoscore.core.unpacking import is_packed

    if is_packed(path):
        raise UsageError(
            f"{name}: '{path}' is the name of a packed file, and files are written plain; "
            f"leave out '{path.suffix}'"
        )


def _holds(folder: Path, path: Path, kind: Output) -> bool:
    """Whether what is already there, and would be written, is in a folder that is read.

    A folder counts if all sorts of files go into it; others look after their folders themselves.
    """
    if not folder.is_dir() or not (path.is_file() or (kind.apart and path.is_dir())):
        return False
    # A link in the folder counts as well as a link into it.
    places = (_real(path), _real(path.parent) / path.name)
    return any(_real(folder) in place.parents for place in places)


def _outputs(context: click.Context) -> Iterator[tuple[str, Path, Output]]:
    for parameter in context.command.params:
        path = context.params.get(parameter.name or "")
        if isinstance(parameter.type, Output) and path is not None:
            name = parameter.opts[-1] if isinstance(parameter, click.Option) else "the target"
            yield name, path, parameter.type
            for ending in parameter.type.beside if path.name else ():
                yield name, path.with_suffix(ending), parameter.type


def _inputs(context: click.Context) -> Iterator[Path]:
    """Every path that was given to be read, NAME=PATH included."""
    for parameter in context.command.params:
        given = context.params.get(parameter.name or "")
        if isinstance(parameter.type, Output) or given is None:
            continue
        for value in given if isinstance(given, tuple) else (given,):
            if isinstance(value, Path):
                yield value
            elif isinstance(value, str):
                # A word may be the name of a folder by chance; arguments are mostly paths.
                folders = isinstance(parameter, click.Argument)
                for path in (Path(value), Path(value.partition("=")[2])):
                    if path.parts and _is_there(path, folders):
                        yield path


def _is_there(path: Path, folders: bool) -> bool:
    try:
        return path.is_file() or (folders and path.is_dir())
    except OSError:  # too long for a name: a signature, or the like
        return False


def _same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one place; what is no file, such as /dev/null, keeps nothing."""
    if one.exists() and other.exists():
        return (one.is_file() or one.is_dir()) and one.samefile(other)
    return _real(one) == _real(other)


def _real(path: Path) -> Path:
    """Where a path leads; `Path.resolve` fails where links form a loop."""
    return Path(realpath(path))
