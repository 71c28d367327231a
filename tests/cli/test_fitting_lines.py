"""What verbs print by default fits a terminal, and is short enough to be read."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from readers.command_line import call

from chronoscore.cli.main import VERBS, find_verb
from chronoscore.demo import data_files
from chronoscore.reports.terminal import text_width

WIDTH = 80
GOLD = "demo/gold.jsonl"
SYSTEMS = "demo/careful.jsonl demo/quick.jsonl demo/lead.jsonl"
ALL = f"{GOLD} {SYSTEMS}"
EVENTS = "--events demo/careful.jsonl --events demo/quick.jsonl --events demo/lead.jsonl"
MORE = (
    f"timelines {ALL} --interval auto",
    f"timelines {ALL} --by topic --interval bootstrap",
    f"timelines {ALL} --full",
    f"timelines {ALL} -m date-distance -m AR-1",
    f"timelines {ALL} --all-variants",
    f"timelines {ALL} --published crisis --counts",
    f"timelines {ALL} --explain all --save saved/timelines.json",
    f"ordering {ALL} --interval auto --explain chernobyl",
    f"tlinks {ALL} --interval auto --explain chernobyl",
    f"coreference {ALL} --interval auto",
    f"coreference {ALL} --interval auto --full",
    f"annotations {ALL} --interval auto --thresholds 11 --by type --confusion --counts",
    f"annotations {ALL} --also error-rate --also span-loss --reference demo/quick.jsonl"
    if False
    else f"annotations {ALL} --also error-rate --also span-loss",
    "candidates demo/places.jsonl demo/linked.jsonl --feature link --cut rank --matches",
    f"annotators {ALL} --labels",
    "rubric demo/judgements.csv demo/judge.csv --interval auto --by evaluator",
    "rubric demo/judgements.csv --full",
    f"rubric dates demo/judgements.csv {EVENTS} --articles demo/articles.jsonl",
    "agreement demo/judgements.csv demo/judge.csv --by article --windows 2",
    "calibrate demo/judgements.csv demo/judge.csv --judge model-j",
    f"correlate saved/timelines.json --people demo/judgements.csv {EVENTS} --level event",
    "correlate saved/timelines.json --people demo/judgements.csv",
    f"compare timelines {ALL}",
    f"compare timelines {ALL} --details",
    f"compare coreference {ALL} --baseline quick",
    f"compare annotations {ALL} --by type",
    "compare rubric demo/judgements.csv",
    f"evaluate {ALL} --judgements demo/judgements.csv --interval auto",
    f"evaluate {ALL} --judgements demo/judgements.csv --by-event --full --save saved/all.json",
    "show saved/timelines.json --by topic",
    "show saved/timelines.json --compare saved/timelines.json" if False else "show saved/all.json",
    "merge saved/timelines.json",
    "leaderboard saved/timelines.json -o site",
    f"metric-tests {GOLD}",
    "validate demo/gold.jsonl",
    "metrics --family annotations",
    "metrics AR-1",
    "demo",
)
"""Commands beyond the examples of the help, in the order in which they build on each other."""
RAW = ("judge", "completion", "convert", "rubric convert", "tlinks convert")
"""Verbs that print what other programs or models are given, which must not be wrapped."""


def examples(name: str) -> Iterator[str]:
    """The commands in the help of a verb."""
    epilog = (find_verb(name).epilog or "").replace("\\\n", " ")
    for line in epilog.splitlines():
        if line.startswith("  chronoscore "):
            yield line.removeprefix("  chronoscore ")


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the data of the demo, and a terminal of the usual width."""
    (tmp_path / "demo").mkdir()
    (tmp_path / "saved").mkdir()
    for source in data_files():
        (tmp_path / "demo" / source.name).write_bytes(source.read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    return tmp_path


def too_wide(text: str, width: int = WIDTH) -> list[str]:
    """The lines that a terminal would wrap, but those of one word that can't be broken."""
    lines = [line for line in text.splitlines() if text_width(line) > width]
    return [line for line in lines if not re.fullmatch(r"\s*\S*[/=]\S*", line)]


def printed(command: str) -> str:
    ran = call(*shlex.split(command))
    assert ran.code == 0, (command, ran.err)
    return ran.out + ran.err


def test_no_line_of_any_verb_is_wider_than_the_terminal(demo: Path) -> None:
    for name in VERBS:
        assert too_wide(printed(f"{name} --help")) == [], name
        for command in examples(name):
            if not name.startswith(("serve", "demo")):
                text = printed(command)
                assert name in RAW or too_wide(text) == [], command
    for command in MORE:
        assert too_wide(printed(command)) == [], command
