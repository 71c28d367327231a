"""Scoring, comparing and reporting open no connection."""

import re
import socket
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from chronoscore.cli.main import command

LINES = (
    "evaluate demo/gold.jsonl demo/careful.jsonl --judgements demo/judgements.csv"
    " --articles demo/articles.jsonl --report evaluated.html",
    "timelines demo/gold.jsonl demo/careful.jsonl --interval auto --report timelines.html"
    " --save run.json",
    "events demo/gold.jsonl demo/careful.jsonl",
    "compare timelines demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl --report compared.html",
    "rubric demo/judgements.csv --report rubric.html",
    "agreement demo/judgements.csv",
    "calibrate demo/judgements.csv demo/judge.csv",
    "show run.json",
    "validate run.json",
    "leaderboard run.json -o board",
    "metrics AR-1",
)
LOADED = re.compile(r"(?:src=|url\(|@import )[\"' ]*(?:https?:)?//|<link[^>]*(?:https?:)?//")
"""Addresses that a page loads when it is opened; links to follow are none."""


def test_no_command_opens_a_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []

    def refuse(*words: Any, **_: Any) -> None:
        opened.append(words)
        raise OSError("no network here")

    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(command, ["demo", "--data", "demo"])
    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for line in LINES:
        done = CliRunner().invoke(command, line.split())
        assert done.exit_code == 0, (line, done.output)
    assert not opened
    pages = [*tmp_path.rglob("*.html")]
    assert len(pages) == 6
    for page in pages:
        assert not LOADED.search(page.read_text(encoding="utf-8")), page.name
