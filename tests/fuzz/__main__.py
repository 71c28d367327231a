"""Run a campaign: `python -m fuzz`."""

import sys

from fuzz.campaign import main

if __name__ == "__main__":
    sys.exit(main())
