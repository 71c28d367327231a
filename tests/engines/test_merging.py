"""Partial results of several machines are united, or refused in words."""

import json
from pathlib import Path

import msgspec
import pytest
from engines import runs

from chronoscore.core.result import ResultDocument, encode
from chronoscore.demo import home
from chronoscore.engines.merging import merge
from chronoscore.engines.settings import IntervalPlan
from chronoscore.errors import DataError
from chronoscore.families import family


def scored(
    name: str,
    gold: Path,
    metrics: tuple[str, ...] = (),
    by: tuple[str, ...] = (),
    chance: IntervalPlan | None = IntervalPlan(),  # noqa: B008  # it never changes
) -> ResultDocument:
    options = {"extra": "skip"} if name in ("timelines", "events") else {}
    settings = {"metrics": metrics, "by": by, "chance": chance, "options": options}
    paths = {"quick": home() / "quick.jsonl", "careful": home() / "careful.jsonl"}
    return runs.scored(name, gold, paths, settings=settings).result


def halves(tmp_path: Path, field: str) -> tuple[Path, Path]:
    """Two golds that have every other topic, or article, each."""
    lines = home().joinpath("gold.jsonl").read_text().splitlines()
    names = sorted({json.loads(line).get(field, "") for line in lines})
    paths = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    for at, path in enumerate(paths):
        own = [line for line in lines if names.index(json.loads(line).get(field, "")) % 2 == at]
        path.write_text("\n".join(own) + "\n")
    return paths


@pytest.mark.parametrize(
    ("name", "field"), [("timelines", "topic"), ("events", "topic"), ("annotations", "article")]
)
def test_parts_united_are_the_whole(name: str, field: str, tmp_path: Path) -> None:
    one, two = halves(tmp_path, field)
    parts = [("two", scored(name, two)), ("one", scored(name, one))]
    united = msgspec.structs.replace(merge(family(name), parts), notices=())
    whole = msgspec.structs.replace(scored(name, home() / "gold.jsonl"), notices=())
    assert encode(united) == encode(whole)


def test_a_case_in_two_parts_is_refused(tmp_path: Path) -> None:
    one, _ = halves(tmp_path, "topic")
    part = scored("timelines", one)
    with pytest.raises(DataError, match="is there twice"):
        merge(family("timelines"), [("a", part), ("b", part)])


def test_other_settings_are_refused(tmp_path: Path) -> None:
    one, two = halves(tmp_path, "topic")
    parts = [("a", scored("timelines", one)), ("b", scored("timelines", two, ("AR-1",)))]
    with pytest.raises(DataError, match="has another signature: metrics"):
        merge(family("timelines"), parts)


def test_settings_that_are_not_set_are_named_in_words(tmp_path: Path) -> None:
    one, two = halves(tmp_path, "topic")
    parts = [("a", scored("timelines", one)), ("b", scored("timelines", two, chance=None))]
    with pytest.raises(DataError, match="interval is none, not "):
        merge(family("timelines"), parts)


@pytest.mark.parametrize(
    ("name", "field", "by"),
    [("timelines", "topic", ("topic", "gold")), ("annotations", "article", ("document", "case"))],
)
def test_groups_are_those_of_the_whole(
    name: str, field: str, by: tuple[str, ...], tmp_path: Path
) -> None:
    one, two = halves(tmp_path, field)
    parts = [("two", scored(name, two, by=by)), ("one", scored(name, one, by=by))]
    united = msgspec.structs.replace(merge(family(name), parts), notices=())
    whole = msgspec.structs.replace(scored(name, home() / "gold.jsonl", by=by), notices=())
    assert any(summary.group for summary in united.systems[0].summaries)
    assert encode(united) == encode(whole)


def test_parts_with_other_groups_are_told_and_have_all_of_them(tmp_path: Path) -> None:
    one, two = halves(tmp_path, "topic")
    parts = [("a", scored("timelines", one, by=("topic",))), ("b", scored("timelines", two))]
    united = merge(family("timelines"), parts)
    (told,) = [notice for notice in united.notices if "broken down" in notice]
    assert "a: topic; b: by nothing" in told
    topics = {s.group["topic"] for s in united.systems[0].summaries if s.group}
    assert topics == {row.tags["topic"] for row in united.systems[0].rows}
