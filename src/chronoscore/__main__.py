"""`python -m chronoscore` is the command."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the current directory, whose files are not to be imported by name

from chronoscore.cli.main import main

main()
