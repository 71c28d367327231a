"""Your own kernels, costs and assignments: called, and what they give is looked at."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.errors import UsageError
from chronoscore.core.functions import allowed
from chronoscore.elements.ratios import Array


def own_kernel(name: str) -> Callable[[Array], Array]:
    """A kernel by name; its weights are from 0 to 1."""
    function = allowed(name)

    def kernel(distance: Array) -> Array:
        weight = _table(name, function, distance.shape, distance)
        if weight.size and (weight.min() < 0 or weight.max() > 1):
            odd = weight.min() if weight.min() < 0 else weight.max()
            raise UsageError(f"{name} gave {odd:g}, expected weights from 0 to 1")
        return weight

    return kernel


def own_cost(name: str) -> Callable[[Any, Array], Array]:
    """A cost by name; any finite numbers."""
    function = allowed(name)
    return lambda comparison, weight: _table(name, function, weight.shape, comparison, weight)


def own_assignment(name: str) -> Callable[[Array, Array], NDArray[np.intp]]:
    """An assignment by name; of each row a column, or -1."""
    function = allowed(name)

    def assign(cost: Array, distance: Array) -> NDArray[np.intp]:
        rows, width = cost.shape
        columns = _called(name, function, cost, distance)
        if columns.shape != (rows,) or columns.dtype.kind not in "iu":
            raise UsageError(
                f"{name} gave {_told(columns)}, expected a whole number for each of {rows} rows"
            )
        if rows and (columns.min() < -1 or columns.max() >= width):
            odd = columns.min() if columns.min() < -1 else columns.max()
            raise UsageError(f"{name} gave column {odd}, expected -1 to {width - 1}")
        return columns.astype(np.intp)

    return assign


def _table(
    name: str, function: Callable[..., Any], shape: tuple[int, ...], *arguments: object
) -> Array:
    table = _called(name, function, *arguments)
    if table.shape != shape or table.dtype.kind not in "biuf":
        wanted = " x ".join(map(str, shape))
        raise UsageError(f"{name} gave {_told(table)}, expected a table of {wanted} numbers")
    if not np.isfinite(table).all():
        raise UsageError(f"{name} gave a number that is not finite")
    return table.astype(np.float64)


def _called(name: str, function: Callable[..., Any], *arguments: object) -> NDArray[Any]:
    try:
        return np.asarray(function(*arguments))
    except UsageError:
        raise
    except (Exception, SystemExit) as error:  # someone else's function may fail in any way
        raise UsageError(f"{name} failed: {type(error).__name__}: {error}") from error


def _told(given: NDArray[Any]) -> str:
    """What was given, in words."""
    if not given.ndim:
        return f"{given.item()!r}"
    size = " x ".join(map(str, given.shape))
    return f"a table of {size}" if given.dtype.kind in "biuf" else f"a table of {size}, not numbers"
