"""The pytest plugin: the fixture `score_timelines`, there wherever chronoscore is installed.

Every run of pytest imports this, so all else is imported when a test asks for the fixture.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from chronoscore.interface.result import Result


@pytest.fixture
def score_timelines(request: pytest.FixtureRequest) -> Callable[..., Result]:
    """Score a prediction against golds, as `chronoscore.timelines.score`.

    Takes paths, {date: [sentences]} or {topic: ...}; a path that is not absolute is looked up
    in the folder of the test's file.
    """
    from chronoscore.timelines import score

    folder = request.path.parent

    def located(value: Any) -> Any:
        return folder / value if isinstance(value, str | PathLike) else value

    def scored(gold: Any, predicted: Any, **settings: Any) -> Result:
        return score(located(gold), located(predicted), **settings)

    return scored
