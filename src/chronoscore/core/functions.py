"""Functions by name, so that a metric that uses one can still be written, parsed and repeated."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from chronoscore.core.errors import UsageError


def resolve(name: str) -> Callable[..., Any]:
    """Import the function that `module:function` names.

    >>> resolve("math:sqrt")(9.0)
    3.0
    """
    module, _, inside = name.partition(":")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))  # where people keep their own functions
    try:
        found: Any = import_module(module)
        for part in inside.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"there is no function '{name}' to import: {error}") from None
    except (Exception, SystemExit) as error:  # whatever a module of one's own does
        raise UsageError(
            f"'{module}' can't be imported: {type(error).__name__}: {error}"
        ) from error
    if not callable(found):
        raise UsageError(f"'{name}' is not a function")
    return found  # type: ignore[no-any-return]


def name_of(function: Callable[..., Any]) -> str:
    """Name a function so that `resolve` finds it again; one that can't be found is refused."""
    name = f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', '')}"
    if "<" in name or resolve(name) is not function:
        raise UsageError(
            f"{function!r} can't be found by name; define it at the top of a module, so that the "
            "number can be repeated"
        )
    return name
