"""What a verb reads must be files: a pipe can be read once only, and has no ending to tell by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from chronoscore.cli.outputs import Output
from chronoscore.core.errors import UsageError
from chronoscore.core.reading import PIPE, is_pipe

Function = TypeVar("Function", bound=Callable[..., Any])


def from_files(function: Function) -> Function:
    """Refuse pipes and `-` before a verb opens anything."""

    @wraps(function)
    def check_first(*positional: Any, **named: Any) -> Any:
        refuse_pipes(click.get_current_context())
        return function(*positional, **named)

    return cast("Function", check_first)


def refuse_pipes(context: click.Context) -> None:
    """Refuse inputs that are no files, and say what to do instead."""
    for text in _read(context):
        if text == "-" or is_pipe(Path(text)):
            what = "standard input" if text == "-" else text
            raise UsageError(f"{what} {PIPE}")


def _read(context: click.Context) -> Iterator[str]:
    """What may be the path of an input, as it was given, NAME=PATH included."""
    for parameter in context.command.params:
        given = context.params.get(parameter.name or "")
        if isinstance(parameter.type, Output):
            continue
        for value in given if isinstance(given, tuple) else (given,):
            if isinstance(value, Path) or (
                isinstance(value, str) and isinstance(parameter, click.Argument)
            ):
                text = str(value)
                yield text if isinstance(value, Path) or "=" not in text else text.partition("=")[2]
