"""What the commands of the drop-ins share: an error ends in a message and an exit code."""

import sys
from collections.abc import Callable

from chronoscore.errors import ChronoscoreError, DataError


def exit_code_of(run: Callable[[], None]) -> int:
    """Run a command; return 0, 2 for wrong usage, or 3 for data that can't be scored or read."""
    try:
        run()
    except ChronoscoreError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    except OSError as error:
        sys.stderr.write(f"error: {error.filename}: {error.strerror}\n")
        return DataError.exit_code
    return 0
