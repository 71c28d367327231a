"""`--resamples` is one option of everything that draws."""

import re

import pytest
from readers.command_line import run

from chronoscore.demo import home
from chronoscore.engines.settings import IntervalPlan
from chronoscore.errors import UsageError


@pytest.mark.parametrize(
    "words",
    [
        ("timelines", "gold.jsonl", "careful.jsonl", "--interval", "bootstrap"),
        ("agreement", "judgements.csv", "--interval", "bootstrap"),
    ],
    ids=lambda words: words[0],
)
def test_another_number_of_resamples_gives_other_bounds(words: tuple[str, ...]) -> None:
    verb, *rest = words
    paths = [str(home() / word) if "." in word else word for word in rest]
    few, many, usual = (
        re.findall(r'"(?:low|high)": [^,]*', run(verb, *paths, "-f", "json", *more).out)
        for more in (("--resamples", "50"), ("--resamples", "10000"), ())
    )
    assert few != many
    assert many == usual


def test_the_number_of_resamples_is_in_the_name_of_the_plan() -> None:
    plan = IntervalPlan("bootstrap", resamples=500)
    assert str(plan) == "bootstrap(resamples=500)"
    assert IntervalPlan.parse(str(plan)) == plan
    with pytest.raises(UsageError, match="expected 1 or more"):
        IntervalPlan.parse("bootstrap(resamples=0)")
