"""The product called from Python: texts for paths, one name for a list, and wrong calls."""

from pathlib import Path
from typing import Any

import pytest

import chronoscore
from chronoscore.core.result import save
from chronoscore.demo import home
from chronoscore.errors import DataError, UsageError

GOLD, QUICK, CAREFUL = (home() / f"{name}.jsonl" for name in ("gold", "quick", "careful"))
SHEET = home() / "judgements.csv"


def test_a_saved_result_is_loaded_by_its_path_as_text(tmp_path: Path) -> None:
    result = chronoscore.score("timelines", GOLD, QUICK)
    save(result, [], tmp_path / "run.json")
    assert chronoscore.load(str(tmp_path / "run.json")) == result
    with pytest.raises(DataError, match="there is no such file"):
        chronoscore.load(str(tmp_path / "other.json"))


def test_one_metric_or_tag_needs_no_list() -> None:
    one = chronoscore.score("timelines", GOLD, QUICK, metrics="AR-1", by="topic")
    assert one == chronoscore.score("timelines", GOLD, QUICK, metrics=["AR-1"], by=["topic"])


def test_several_files_of_a_system_are_its_trials() -> None:
    made = chronoscore.score("timelines", GOLD, {"a": [QUICK, str(CAREFUL)]}, by=["trial"])
    assert {s.group.get("trial") for s in made.systems[0].summaries} == {None, "1", "2"}
    single = chronoscore.score("ordering", GOLD, {"quick": [QUICK]})
    assert single == chronoscore.score("ordering", GOLD, QUICK)


@pytest.mark.parametrize(
    ("family", "gold", "predicted", "words"),
    [
        ("timelines", GOLD, {}, "no file of any system was given"),
        ("timelines", GOLD, [], "no file of any system was given"),
        ("timelines", GOLD, {"a": []}, "there is no file of 'a'"),
        ("timelines", GOLD, None, "expected the path of a file, or a list of paths"),
        ("ordering", GOLD, {"a": {"2011-01-25": ["x"]}}, "expected the path of a file"),
        ("ordering", [GOLD], QUICK, "the gold is a list, expected the path of a file"),
        ("ordering", GOLD, {"a": [QUICK, CAREFUL]}, "ordering has no trials: give 'a' one file"),
        ("rubric", "x", SHEET, "not against a gold: give None"),
        ("ordering", None, QUICK, "scored against a gold"),
    ],
)
def test_a_wrong_call_is_told(family: str, gold: Any, predicted: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        chronoscore.score(family, gold, predicted)
