"""The metrics of timelines."""

from chronoscore.timelines.date_metrics import (
    DATE_DISTANCE,
    DATE_DISTANCE_MEDIAN,
    DATE_F1,
    DATE_PERIOD,
)
from chronoscore.timelines.exact_date import EXACT_DATE
from chronoscore.timelines.rouge_metrics import ALIGN, CONCAT

DEFINITIONS = (
    ALIGN,
    CONCAT,
    EXACT_DATE,
    DATE_F1,
    DATE_PERIOD,
    DATE_DISTANCE,
    DATE_DISTANCE_MEDIAN,
)
