"""Pausing the search for cycles, which is dear while many objects are made and few are cyclic."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collector() -> Iterator[None]:
    """Look for no cycles meanwhile; afterwards all is as it was."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
