"""Run a command and print what it cost, as a last line of JSON. Imports next to nothing.

On Linux the peak memory of a new process starts with that of its parent, so the parent has to be
small: this script, not the frame.
"""

import os
import sys


def main() -> int:
    command = sys.argv[1:]
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    unit = 2**20 if sys.platform == "darwin" else 2**10  # bytes there, kilobytes elsewhere
    seconds, megabytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit
    print(f'{{"seconds": {seconds}, "megabytes": {megabytes}}}')
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
