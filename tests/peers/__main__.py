"""Compare our numbers with those of other libraries: `python -m peers`."""

import sys

from peers.campaign import main

if __name__ == "__main__":
    sys.exit(main())
