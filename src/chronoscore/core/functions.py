"""Functions of the user's own, by name: `module:function` or `./file.py:function`.

A name is only text until the caller allows it. Names that the call itself gives are allowed; names
that were read from a file or a signature are allowed one by one (`--allow-function`,
`allow_functions=`), since calling a function that a file names would run what its author wants.
"""

import hashlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from chronoscore.core.errors import UsageError

_NAME = re.compile(r"(?:[^\W\d]\w*(?:\.[^\W\d]\w*)*|[^:]+\.py):[^\W\d]\w*(?:\.[^\W\d]\w*)*")


class UserFunction(str):
    """A name that the caller allowed, with its function; equal to the name and hashed as it."""

    __slots__ = ("function",)
    function: Callable[..., Any]

    @classmethod
    def of(cls, name: str, function: Callable[..., Any]) -> "UserFunction":
        """Put a name and its function together."""
        made = cls(name)
        made.function = function
        return made


def is_name(text: str) -> bool:
    """Whether a text has the form of a function's name; nothing is imported to find out.

    >>> is_name("math:sqrt"), is_name("./own.py:week"), is_name("date+text"), is_name(r"C:\\models")
    (True, True, False, False)
    """
    return _NAME.fullmatch(text) is not None


def allowed(name: str) -> Callable[..., Any]:
    """The function of a name that the caller allowed; any other name is refused."""
    if isinstance(name, UserFunction):
        return name.function
    raise UsageError(
        f"the metric names the function '{name}', and functions named in files or signatures are "
        f"not called unless you allow them; if you trust it, add: --allow-function '{name}' (in "
        f"Python: allow_functions=['{name}'])"
    )


def resolve(name: str) -> UserFunction:
    """Import the function of an allowed name, from a file or an installed module.

    Modules of the current directory are not looked at: whoever writes a file there would decide
    what a name means.

    >>> resolve("math:sqrt").function(9.0)
    3.0
    """
    place, _, inside = name.rpartition(":")
    try:
        found: Any = _from_file(Path(place)) if place.endswith(".py") else _installed(place)
        for part in inside.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError, OSError) as error:
        hint = "" if place.endswith(".py") else f"; for a file of your own: ./{place}.py:{inside}"
        raise UsageError(f"there is no function '{name}': {error}{hint}") from None
    except (Exception, SystemExit) as error:  # a user's module may fail in any way
        raise UsageError(f"'{place}' can't be imported: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise UsageError(f"'{name}' is not a function")
    return UserFunction.of(name, found)


def _from_file(path: Path) -> ModuleType:
    key = f"chronoscore_user_file_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]}"
    if key in sys.modules:
        return sys.modules[key]
    if not path.is_file():
        raise ImportError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(key, path)
    assert spec is not None  # the path ends in .py
    assert spec.loader is not None
    module = sys.modules[key] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[key]
        raise
    return module


def _installed(module: str) -> ModuleType:
    with _without_current_directory():
        return import_module(module)


@contextmanager
def _without_current_directory() -> Iterator[None]:
    before, here = sys.path[:], Path.cwd().resolve()
    sys.path[:] = [place for place in before if place and Path(place).resolve() != here]
    during = {*sys.path}
    try:
        yield
    finally:  # a module may add places of its own
        sys.path[:] = [*before, *(place for place in sys.path if place not in during)]


def named(function: Callable[..., Any]) -> UserFunction:
    """Name a function so that `resolve` finds it again; one that can't be found is refused."""
    module = getattr(function, "__module__", None) or ""
    path = getattr(function, "__qualname__", None) or ""
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    name = f"{module}:{path}"
    if found is not function or not is_name(name):
        raise UsageError(
            f"{function!r} can't be found by name; define it at the top of a module, so that the "
            "number can be repeated"
        )
    return UserFunction.of(name, function)
