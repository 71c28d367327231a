"""A folder with events and articles, and the command in it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judge.stub import Stub
from readers.command_line import Ran, run

EVENTS = [
    {"id": f"zeta-{n}", "date": "2011-01-25", "type": "protest", "text": text, "article": article}
    for n, (text, article) in enumerate(
        [("Crowds fill the square.", "a1"), ("Police use gas.", "a1"), ("A ban is lifted.", "a2")],
        1,
    )
]
ARTICLES = [
    {"id": "a1", "published": "2011-01-26", "title": "Unrest", "text": "Crowds came yesterday."},
    {"id": "a2", "published": "2011-02-01", "title": "Calm", "text": "The ban was lifted today."},
]
Judging = Callable[..., Ran]


def write_lines(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to be in; no key and no proxy is set."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    write_lines(tmp_path / "events.jsonl", EVENTS)
    write_lines(tmp_path / "articles.jsonl", ARTICLES)
    return tmp_path


@pytest.fixture
def judging(folder: Path) -> Judging:
    """The command on these events; waits are cut to nothing."""

    def call(stub: Stub | str, *options: object) -> Ran:
        url = stub if isinstance(stub, str) else stub.url
        return run(
            *("judge", "events.jsonl", "--articles", "articles.jsonl", "--model", "stub"),
            *("--base-url", url, "--max-wait", 0, "--jobs", 1, *options),
        )

    return call
