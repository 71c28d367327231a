"""Functions that users define, by name: `module:function` or `./file.py:function`.

A name is only text until the caller allows it. Names in the call itself are allowed; names that
were read from a file or a signature must be allowed one by one (`--allow-function`,
`allow_functions=`), since calling a function that a file names would run code of its author.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chronoscore.errors import UsageError

_NAME = re.compile(r"(?:[^\W\d]\w*(?:\.[^\W\d]\w*)*|[^:]+\.py):[^\W\d]\w*(?:\.[^\W\d]\w*)*")


class UserFunction(str):
    """A name that the caller allowed, with its function; equal to the name and hashed as it."""

    __slots__ = ("function",)
    function: Callable[..., Any]

    @classmethod
    def of(cls, name: str, function: Callable[..., Any]) -> "UserFunction":
        """Put a name and its function together."""
        user_function = cls(name)
        user_function.function = function
        return user_function


def is_name(text: str) -> bool:
    """Whether a text has the form of a function's name; nothing is imported to find out.

    >>> is_name("math:sqrt"), is_name("./own.py:week"), is_name("date+text"), is_name(r"C:\\models")
    (True, True, False, False)
    """
    return _NAME.fullmatch(text) is not None


def allowed(name: str) -> Callable[..., Any]:
    """Return the function of a name that the caller allowed; refuse any other name."""
    if isinstance(name, UserFunction):
        return name.function
    raise _refused(
        f"the metric names the function '{name}', and functions named in files or signatures are "
        f"not called unless you allow them; if you trust it, add: --allow-function '{name}' (in "
        f"Python: allow_functions=['{name}'])"
    )


def resolve(name: str) -> UserFunction:
    """Import the function of an allowed name, from a file or an installed module.

    Modules of the current directory are ignored: else whoever writes a file there decides what a
    name means.

    >>> resolve("math:sqrt").function(9.0)
    3.0
    """
    place, _, inside = name.rpartition(":")
    try:
        target: Any = _from_file(Path(place)) if place.endswith(".py") else _installed(place)
        for part in inside.split("."):
            target = getattr(target, part)
    except (ImportError, AttributeError, ValueError, OSError) as error:
        hint = "" if place.endswith(".py") else f"; for a file of your own: ./{place}.py:{inside}"
        raise _refused(f"there is no function '{name}': {error}{hint}") from None
    except (Exception, SystemExit) as error:  # a user's module may fail in any way
        raise _refused(f"'{place}' can't be imported: {type(error).__name__}: {error}") from error
    if not callable(target):
        raise _refused(f"'{name}' is not a function")
    return UserFunction.of(name, target)


def _refused(message: str) -> "UsageError":
    """Make the error; its module loads more than importing the package needs."""
    from chronoscore.errors import UsageError  # noqa: PLC0415

    return UsageError(message)


def _from_file(path: Path) -> ModuleType:
    import hashlib  # noqa: PLC0415 - few runs name a file, and every import of the package is here
    import importlib.util  # noqa: PLC0415

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
    original, current = sys.path[:], Path.cwd().resolve()
    sys.path[:] = [place for place in original if place and Path(place).resolve() != current]
    during = {*sys.path}
    try:
        return import_module(module)
    finally:  # a module may have added places
        sys.path[:] = [*original, *(place for place in sys.path if place not in during)]


def named(function: Callable[..., Any]) -> UserFunction:
    """Name a function so that `resolve` finds it again; refuse one that can't be found."""
    module = getattr(function, "__module__", None) or ""
    path = getattr(function, "__qualname__", None) or ""
    target: Any = sys.modules.get(module)
    for part in path.split("."):
        target = getattr(target, part, None)
    name = f"{module}:{path}"
    if target is not function or not is_name(name):
        raise _refused(
            f"{function!r} can't be found by name; define it at the top of a module, so that the "
            "number can be repeated"
        )
    return UserFunction.of(name, function)


# Imports on first use: the options of a family need neither metrics nor numpy.


def lazy_names(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Make a package's `__getattr__` from the names that each module gives.

    >>> find = lazy_names("chronoscore.core", {"chronoscore.core.names": ("parse", "write")})
    >>> find("write")("align", {"rouge": 2})
    'align(rouge=2)'
    """
    modules = {name: module for module, names in homes.items() for name in names}

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return getattr(import_module(modules[name]), name)

    return find


def late(name: str) -> Callable[[], Any]:
    """Return a function that imports `module:name` when it is called.

    >>> late("chronoscore.core.family:WHOLE_TEXT")()
    '(text)'
    """
    module, _, attribute = name.partition(":")
    return lambda: getattr(import_module(module), attribute)
