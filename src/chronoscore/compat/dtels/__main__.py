"""Run the command: ``python -m chronoscore.compat.dtels``."""

from chronoscore.compat.dtels.command import main

raise SystemExit(main())
