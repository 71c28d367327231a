"""Recorded inputs: written by the fuzz, kept in `tests/fuzz/corpus`, tried by every test run."""

import base64
import json
from pathlib import Path
from typing import Any

from fuzz.targets import Input, targets
from fuzz.trying import Finding

HOME = Path(__file__).parent / "corpus"


def dump(given: Input, finding: Finding) -> str:
    """Write an input with what it once did; files that the target has anyway are left out."""
    good = targets()[given.target].files
    return json.dumps(
        {
            "target": given.target,
            "call": given.call,
            "finding": finding.name,
            "must_report": given.must_report,
            "files": {
                name: _packed(data) for name, data in given.files.items() if data != good[name]
            },
        },
        indent=1,
    )


def load(path: Path) -> Input:
    """Read a recorded input."""
    record = json.loads(path.read_text(encoding="utf-8"))
    changed = {name: _unpacked(data) for name, data in record["files"].items()}
    files = {**targets()[record["target"]].files, **changed}
    return Input(record["target"], tuple(record["call"]), files, record["must_report"])


def _packed(data: bytes) -> Any:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _unpacked(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else base64.b64decode(value["base64"])
