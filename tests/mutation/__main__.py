"""Run a campaign: `python -m mutation`."""

import sys

from mutation.campaign import main

if __name__ == "__main__":
    sys.exit(main())
