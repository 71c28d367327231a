"""Run a campaign: `python -m kills`."""

import sys

from kills.campaign import main

if __name__ == "__main__":
    sys.exit(main())
