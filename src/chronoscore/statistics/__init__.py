"""Arrays in, arrays out: averages, resampling, intervals, tests, agreement, correlation.

Nothing here knows files, cases or families; every other room may build on it.
"""

from collections.abc import Mapping
from typing import Literal

Undefined = Literal["skip", "zero", "one", "agree"]
"""What 0/0 counts as: nothing, 0, 1, or 1 where both sides are empty and 0 elsewhere."""
IntervalMethod = Literal["auto", "jackknife", "logit", "bootstrap", "bayes"]
INTERVAL_METHODS: Mapping[IntervalMethod, str] = {
    "auto": "the jackknife",
    "jackknife": "Student's t around the score, its error from leaving out each unit in turn",
    "logit": "the jackknife on the scale of log odds, for scores near an end of their range",
    "bootstrap": "the middle of the scores of resampled units",
    "bayes": "from pooled whole counts; nothing is drawn",
}
"""How intervals of scores are made, for the parser, the help and the documentation."""
