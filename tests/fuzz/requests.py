"""Random requests to every route of a workbench, by its owner, an evaluator and a stranger."""

import csv
import io
import json
import random
import re
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.parse import quote

from fuzz.mutations import DEEP, PIECES, VALUES, change_value, mutate
from fuzz.targets import demo_files
from fuzz.trying import Finding
from workbench.bench import ADDRESS, BEST, Bench, Visitor, judge_all
from workbench.results_made import files_of

from chronoscore.workbench.routes import ROUTES
from chronoscore.workbench.store import results as store_results

TEXTS = ("", "0", "1", "2", "3", "-1", "9" * 25, "1e3", "٣", "all", "zip", "csv", "'", "é", "\0")
NAMES = (
    *("name", "kind", "person", "overlap", "seed", "size", "version", "save", "comment", "flag"),
    *("chip", "then", "reason", "note", "anyway", "show_score", "find", "page", "before", "action"),
    *("said", "published", "state", "one", "two", "changed", "system", "family", "title"),
    *(f"value-{field}" for field in BEST),
)
LIKELY = ("main", "calibration", "retest", "yes", "stay", "other", "2024-03-07", "owner", "ana")
ANSWER = {"save": "a" * 9, "version": 0, "values": BEST, "comment": "x", "flag": False}
CONTENT_TYPES = (
    *("multipart/form-data; boundary=x", "multipart/form-data", "application/json", "text/plain"),
    *("application/x-www-form-urlencoded; charset=utf-16", ""),
)
UPLOADS = ("events", "articles", "codebook", "sheets", "results", "gold")


MOST_REQUESTS = 300
"""Requests change a workbench: people are removed, projects added. A new one takes over then."""


class World:
    """A workbench with people and batches at every stage, shared by many requests."""

    def __init__(self, folder: Path) -> None:
        self.requests = 0
        folder.mkdir(parents=True, exist_ok=True)
        self.bench = Bench(Path(mkdtemp(dir=folder)))
        project = self.bench.project()
        ana = self.bench.visitor("ana", project)
        done = self.bench.batch(project, "owner", "ana", kind="calibration", size=2)
        judge_all(self.bench.owner, done)
        judge_all(ana, done, {**BEST, "Eval_EventType": 0})
        self.bench.batch(project, "owner", "ana", overlap=2)
        self.bench.owner.post("/results", files=list(files_of()))
        self.result = store_results.stored(self.bench.store)[0].id
        self.visitors = (self.bench.owner, ana, Visitor(self.bench.app))


_current: list[World] = []


def world(folder: Path) -> World:
    """Return the workbench of this process, or a new one after many requests."""
    if _current and _current[0].requests >= MOST_REQUESTS:
        _current.pop().bench.store.close()
    if not _current:
        _current.append(World(folder))
    _current[0].requests += 1
    return _current[0]


def request(seed: int, folder: Path) -> Finding | None:
    """Send one request; a finding if the answer is an error of the server."""
    rng = random.Random(seed)
    at = world(folder)
    route = rng.choice([one for one in ROUTES if one.path != "/leave"])
    visitor = rng.choice(at.visitors)
    path = route.path.replace("{result}", str(at.result))
    path = re.sub(r"{\w+}", lambda _: quote(rng.choice(("1", "2", _text(rng))) or "x", ""), path)
    if route.method == "GET":
        known = {"one": f"{at.result}.0", "two": f"{at.result}.1", "changed": str(at.result)}
        answer = visitor.http.get(path, params={**rng.choice(({}, known)), **_form(rng)})
    else:
        answer = _post(visitor, path, rng)
    if answer.status_code < 500:
        return None
    return Finding(
        "server error",
        f"{route.method} {route.path}",
        f"{path}\n{answer.status_code}\n{answer.text}",
    )


def _post(visitor: Visitor, path: str, rng: random.Random) -> Any:
    how = rng.randrange(4)
    if how == 0:
        return visitor.post(path, _form(rng))
    if how == 1:
        body = change_value(json.loads(json.dumps(ANSWER)), rng)
        content = json.dumps(body).encode()
        if rng.random() < 0.05:
            content = b"[" * DEEP * 100
        return visitor.http.post(path, content=content, headers=_headers(visitor, CONTENT_TYPES[2]))
    if how == 2:
        results = (("r.json", content) for _, (_, content) in files_of())
        name, data = rng.choice([*demo_files().items(), ("events.csv", _event_sheet()), *results])
        field = "events" if name == "events.csv" else rng.choice(UPLOADS)
        uploads = [(field, (name, mutate(name, data, rng).data))]
        if path == "/projects/pairs":  # a draw takes both sides
            others = {"gold": "gold.jsonl", "events": "quick.jsonl"}
            uploads += [(kind, (name, demo_files()[name])) for kind, name in others.items()]
        done = visitor.post(path, _form(rng), files=uploads)
        where = done.headers.get("location", "")
        return visitor.http.get(where) if where.startswith("/imports/") else done
    content = b"".join(rng.choices(PIECES, k=rng.randrange(6)))
    return visitor.http.post(
        path, content=content, headers=_headers(visitor, rng.choice(CONTENT_TYPES))
    )


@cache
def _event_sheet() -> bytes:
    """The bundled events of a system as a sheet, which waits until its columns are seen."""
    rows = [json.loads(line) for line in demo_files()["careful.jsonl"].splitlines()]
    columns = ("id", "date", "text", "article")
    sheet = io.StringIO()
    csv.writer(sheet).writerows([columns, *([row[name] for name in columns] for row in rows)])
    return sheet.getvalue().encode()


def _headers(visitor: Visitor, content_type: str) -> dict[str, str]:
    return {"origin": ADDRESS, "x-csrf-token": visitor.csrf, "content-type": content_type}


def _text(rng: random.Random) -> str:
    if rng.random() < 0.8:
        return rng.choice((*TEXTS, *LIKELY))
    return str(rng.choice(VALUES)).encode("utf-8", "replace").decode()


def _form(rng: random.Random) -> dict[str, Any]:
    return {
        rng.choice(NAMES): rng.choice((_text(rng), [_text(rng), _text(rng)]))
        for _ in range(rng.randrange(6))
    }
