"""`python -m chronoscore` is the command."""

from chronoscore.cli.main import main

main()
