"""The labelled sentences about event dates are consistent in themselves."""

import json
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "date_sentences"
SPLITS = ("development", "held_out")
FIELDS = {"id", "published", "text", "event", "date", "label", "kind", "resolved"}


def read(split: str) -> list[dict[str, str]]:
    lines = (FOLDER / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def is_compatible(day: str, resolved: str) -> bool:
    """Whether a day lies within a day or an interval, or the date is open."""
    if resolved == "..":
        return True
    first, _, last = resolved.partition("/")
    start, end = date.fromisoformat(first), date.fromisoformat(last or first)
    assert start <= end
    return start <= date.fromisoformat(day) <= end


@pytest.mark.parametrize("split", SPLITS)
def test_every_item_has_exactly_the_documented_fields(split: str) -> None:
    for item in read(split):
        assert set(item) == FIELDS
        assert all(isinstance(value, str) and value.strip() for value in item.values())
        date.fromisoformat(item["published"])


@pytest.mark.parametrize("split", SPLITS)
def test_half_of_the_items_are_right(split: str) -> None:
    assert Counter(item["label"] for item in read(split)) == {"right": 100, "wrong": 100}


@pytest.mark.parametrize("split", SPLITS)
def test_labels_follow_from_the_resolved_date(split: str) -> None:
    disagreeing = [
        item["id"]
        for item in read(split)
        if (item["label"] == "right") != is_compatible(item["date"], item["resolved"])
    ]
    assert disagreeing == []


def test_no_id_and_no_sentence_occurs_twice() -> None:
    items = [item for split in SPLITS for item in read(split)]
    assert len({item["id"] for item in items}) == len(items)
    assert len({item["text"] for item in items}) == len(items)
