"""Reports of timelines say in words what each choice of a reading option means."""

import pytest

from chronoscore.elements.dated.options import OPTIONS
from chronoscore.reports.html.report import MISSING_MEANINGS
from chronoscore.timelines.pages import PAGES

CHOICES = [(option.name, choice) for option in OPTIONS for choice in option.choices or () if choice]


@pytest.mark.parametrize(("option", "choice"), CHOICES)
def test_every_choice_has_words(option: str, choice: str) -> None:
    assert {**MISSING_MEANINGS, **PAGES.option_meanings}[option, choice]
