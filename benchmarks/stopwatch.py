"""What all drivers share: a trial, the timed work, the answer."""

import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def drive(
    work: Callable[[Any], dict[str, float]], read: Callable[[Path], Any] = lambda folder: folder
) -> None:
    """Do the work and time it: cold, or after a trial on tiny data that loads everything.

    The work starts from the folder of the data, or from what `read` makes of it, untimed.
    """
    folder, how = Path(sys.argv[1]), sys.argv[2]
    if how == "warm":
        work(read(folder / "trial"))
    data = read(folder)
    before = cpu()
    numbers = work(data)
    json.dump({"work": cpu() - before, "numbers": numbers}, sys.stdout)
    print()


def cpu() -> float:
    """CPU seconds so far, of this process and of the children it waited for."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
