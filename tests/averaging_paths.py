"""A metric of timelines and the ways its rows are averaged, for tests of statistics."""

from chronoscore.families import family

DATE_F1 = family("timelines").metric("date-f1")
LEVELS = family("timelines").levels
PATHS = (
    "micro",
    "macro",
    "gold+topic:mean-pr>trial:mean-f",
    "gold:mean-f>topic:mean-f>trial:mean-f",
    "gold:sum>topic:mean-f>trial:mean-f",
)
