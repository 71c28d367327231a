# mypy: ignore-errors
"""evalica's side of agreement: alpha on four scales, and a bootstrap of the ordinal one."""

import json
import sys

import evalica
import pandas as pd

from benchmarks.stopwatch import drive


def work(folder):
    """From the frame of raters x units, None where there is no rating."""
    frame = pd.DataFrame(json.loads((folder / "matrix.json").read_text(encoding="utf-8")))
    numbers = {
        scale: evalica.alpha(frame, scale).alpha
        for scale in ("nominal", "ordinal", "interval", "ratio")
    }
    if "bootstrap" in sys.argv:
        number = int((folder / "resamples.txt").read_text(encoding="utf-8"))
        found = evalica.alpha_bootstrap(frame, "ordinal", n_resamples=number, random_state=0)
        assert found.low < numbers["ordinal"] < found.high
    return numbers


drive(work)
