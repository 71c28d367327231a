"""All named runs. The first word of a name is its group, for `pytest -k`."""

from golden.running import Run
from golden.table_families import FAMILY_RUNS
from golden.table_verbs import VERB_RUNS
from golden.table_wrong import WRONG_RUNS

RUNS: list[Run] = [*FAMILY_RUNS, *VERB_RUNS, *WRONG_RUNS]
