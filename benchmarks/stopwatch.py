"""What all drivers share: a trial, the timed work, the answer."""

import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path


def drive(work: Callable[[Path], dict[str, float]]) -> None:
    """Do the work and time it: cold, or after a trial on tiny data that loads everything."""
    folder, how = Path(sys.argv[1]), sys.argv[2]
    if how == "warm":
        work(folder / "trial")
    before = cpu()
    numbers = work(folder)
    json.dump({"work": cpu() - before, "numbers": numbers}, sys.stdout)
    print()


def cpu() -> float:
    """CPU seconds so far, of this process and of the children it waited for."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
