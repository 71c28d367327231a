"""One test for all rows of a table, where a test for each costs more time than its check."""

import inspect
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

MOST_SHOWN = 5
"""Rows whose failure is shown whole; of more, the names."""


def _values(row: Any, number: int) -> tuple[Any, ...]:
    """The values of a row, also of one that `pytest.param` made."""
    if isinstance(row, ParameterSet):
        assert not row.marks, "a row has no marks of its own here"
        return tuple(row.values)
    return tuple(row) if number > 1 else (row,)


def each(
    names: str | Sequence[str],
    rows: Iterable[Any],
    ids: Callable[[Any], object] | Iterable[object] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call a test with each row, as `pytest.mark.parametrize` would, and tell all that fail.

    A folder of its own is made for each row where the test takes one; other fixtures are shared.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    given = [*rows]
    listed = [_values(row, len(arguments)) for row in given]
    if ids is None or callable(ids):
        label = ids or str
        named = [
            str(getattr(row, "id", "") or "-".join(str(label(value)) for value in values))[:100]
            for row, values in zip(given, listed, strict=True)
        ]
    else:
        named = [*map(str, ids)]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        def looped(**fixtures: Any) -> None:
            failed, skipped = {}, None
            for at, (name, row) in enumerate(zip(named, listed, strict=True)):
                if isinstance(fixtures.get("tmp_path"), Path):
                    own = {**fixtures, "tmp_path": fixtures["tmp_path"] / str(at)}
                    own["tmp_path"].mkdir()
                else:
                    own = fixtures
                try:
                    test(**own, **dict(zip(arguments, row, strict=True)))
                except pytest.skip.Exception as reason:
                    skipped = reason
                except (Exception, pytest.fail.Exception):
                    failed[f"{at}: {name}"] = traceback.format_exc()
            if failed:
                shown = "\n".join(
                    f"{name}\n{text}" for name, text in [*failed.items()][:MOST_SHOWN]
                )
                pytest.fail(f"{len(failed)} of {len(listed)}: {', '.join(failed)}\n{shown}", False)
            if skipped is not None:  # aloud, when the other rows are known to be right
                raise skipped

        known = inspect.signature(test)
        kept = [one for one in known.parameters.values() if one.name not in arguments]
        looped.__signature__ = known.replace(parameters=kept)  # type: ignore[attr-defined]
        looped.__name__, looped.__doc__ = test.__name__, test.__doc__
        looped.__module__, looped.__qualname__ = test.__module__, test.__qualname__
        for mark in getattr(test, "pytestmark", ()):
            getattr(pytest.mark, mark.name)(*mark.args, **mark.kwargs)(looped)
        return looped

    return decorate
