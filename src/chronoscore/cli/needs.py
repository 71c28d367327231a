"""Options that only mean something beside another: given alone, they are refused."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import click
from click.core import ParameterSource

from chronoscore.core.errors import UsageError

Function = TypeVar("Function", bound=Callable[..., Any])
Needs = Mapping[str, Sequence[str]]
"""Of a parameter, the others of which it needs one: `name`, or `name=value`."""

_INTERVALS = ("interval", "bound=lower", "no_worse_than")
SCORING: Needs = {
    "level": _INTERVALS,
    "seed": _INTERVALS,
    "bound": ("fail_under",),
    "allow_function": ("from_signature",),
    "dashboard": ("engine=dask",),
}
"""What the options that all scoring verbs share need."""


def needs(table: Needs) -> Callable[[Function], Function]:
    """Refuse options of a verb that were given without what they are for."""

    def declared(function: Function) -> Function:
        @wraps(function)
        def check_first(*positional: Any, **named: Any) -> Any:
            refuse_alone(click.get_current_context(), table)
            return function(*positional, **named)

        return cast("Function", check_first)

    return declared


def refuse_alone(context: click.Context, table: Needs) -> None:
    """Refuse what was given on the command line and would be ignored."""
    for name in from_command_line(context):
        wanted = table.get(name, ())
        if wanted and not any(_is_set(context, want) for want in wanted):
            others = " or ".join(_shown(context, want) for want in wanted)
            raise UsageError(f"{flag(context, name)} is for {others}: add that, or leave it out")


def refuse_beside(context: click.Context, name: str, kept: Collection[str], why: str) -> None:
    """Refuse all that was given on the command line beside an option, but for what it keeps."""
    others = [other for other in from_command_line(context) if other not in {name, *kept}]
    ignored = [flag(context, other) for other in others]
    if ignored:
        raise UsageError(f"{flag(context, name)} {why}: leave out {', '.join(ignored)}")


def from_command_line(context: click.Context) -> list[str]:
    """The parameters that were given on the command line, in the order of the help."""
    return [
        name
        for parameter in context.command.params
        if (name := parameter.name or "")
        and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]


def flag(context: click.Context, name: str) -> str:
    """How a parameter is written on the command line."""
    for parameter in context.command.params:
        if parameter.name == name:
            return _long(parameter) if isinstance(parameter, click.Option) else name
    return f"--{name.replace('_', '-')}"


class Aliased(click.Option):
    """An option whose first name is shown, and whose other names are accepted."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Show the first name only."""
        names, self.opts = self.opts, self.opts[:1]
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = names


def _long(option: click.Option) -> str:
    return next((name for name in option.opts if name.startswith("--")), option.opts[0])


def _is_set(context: click.Context, want: str) -> bool:
    name, _, value = want.partition("=")
    found = context.params.get(name)
    return found == value if value else found not in (None, False, ())


def _shown(context: click.Context, want: str) -> str:
    name, _, value = want.partition("=")
    return f"{flag(context, name)} {value}".rstrip()
