"""Random requests, valid and invalid, to every route: an answer, and never our fault."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workbench.bench import ADDRESS, BEST, Bench, Visitor, answer, judge_all
from workbench.results_made import files_of

from chronoscore.workbench.routes import ROUTES
from chronoscore.workbench.store import results as store_results


class World:
    """One workbench for all examples, with people and batches at every stage."""

    def __init__(self, folder: Path) -> None:
        self.bench = Bench(folder)
        project = self.bench.project()
        self.ana = self.bench.visitor("ana", project)
        done = self.bench.batch(project, "owner", "ana", kind="calibration", size=2)
        judge_all(self.bench.owner, done)
        judge_all(self.ana, done, {**BEST, "Eval_EventType": 0})
        self.bench.batch(project, "owner", "ana", overlap=2)
        self.stranger = Visitor(self.bench.app)
        self.bench.owner.post("/results", files=list(files_of()))
        self.run = store_results.stored(self.bench.store)[0].id


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("fuzz"))
    yield made
    made.bench.store.close()


odd = st.one_of(
    st.sampled_from(
        ["", "0", "1", "2", "3", "-1", "9" * 25, "1e3", "٣", "all", "zip", "csv", "'", "é"]
    ),
    st.text(max_size=12),
)
names = st.sampled_from(
    [
        *("name", "kind", "person", "overlap", "seed", "size", "version", "save", "comment"),
        *("flag", "chip", "then", "reason", "note", "sure", "show_score", "find", "page", "done"),
        *(
            "before",
            "action",
            "said",
            "published",
            "state",
            "one",
            "two",
            "changed",
            "system",
            *(f"value-{field}" for field in BEST),
        ),
    ]
)
likely = st.sampled_from(["main", "calibration", "retest", "yes", "stay", "other", "2024-03-07"])
forms = st.dictionaries(names, st.one_of(odd, likely, st.lists(odd, max_size=3)), max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
bodies = st.one_of(
    json_values,
    st.fixed_dictionaries(
        {
            "save": st.text(min_size=8, max_size=10),
            "version": st.integers(-1, 3),
            "values": st.dictionaries(
                st.sampled_from([*BEST, "other"]), st.none() | st.integers(-1, 4), max_size=6
            ),
        },
        optional={"comment": st.text(max_size=10), "flag": st.booleans()},
    ),
)


@given(data=st.data())
@settings(max_examples=150)
def test_no_request_is_answered_by_an_error_of_ours(world: World, data: Any) -> None:
    route = data.draw(st.sampled_from([d for d in ROUTES if d.path != "/leave"]))
    visitor = data.draw(st.sampled_from([world.bench.owner, world.ana, world.stranger]))
    path = route.path.replace("{result}", data.draw(st.sampled_from([world.run, "{result}"])))
    path = re.sub(r"{\w+}", lambda _: _quoted(data.draw(odd)), path)
    how = data.draw(st.sampled_from(["form", "json", "raw", "files", "get"]))
    if route.method == "GET" or how == "get":
        more = {"one": f"{world.run}.0", "two": f"{world.run}.1", "changed": world.run}
        known = data.draw(st.sampled_from([{}, more]))
        done = visitor.http.get(path, params={**known, **data.draw(forms)})
    elif how == "form":
        done = visitor.post(path, data.draw(forms))
    elif how == "json":
        done = visitor.http.post(
            path,
            content=_json(data.draw(bodies)),
            headers=_ours(visitor, "application/json"),
        )
    elif how == "files":
        content = data.draw(st.binary(max_size=60))
        field = data.draw(st.sampled_from(["events", "articles", "codebook", "sheets", "results"]))
        name = data.draw(st.text(min_size=1, max_size=10))
        done = visitor.post(path, data.draw(forms), files=[(field, (name, content))])
    else:
        kind = data.draw(
            st.sampled_from(
                [
                    "multipart/form-data; boundary=x",
                    "multipart/form-data",
                    "application/json",
                    "application/x-www-form-urlencoded; charset=utf-16",
                    "text/plain",
                    "",
                ]
            )
        )
        content = data.draw(st.binary(max_size=80) | st.just(b"--x\r\n\r\n--x--"))
        done = visitor.http.post(path, content=content, headers=_ours(visitor, kind))
    assert done.status_code < 500, (route.path, path, done.text)


def _quoted(text: str) -> str:
    from urllib.parse import quote

    return quote(text, safe="") or "x"


def _json(value: Any) -> bytes:
    import json

    return json.dumps(value).encode()


def _ours(visitor: Visitor, kind: str) -> dict[str, str]:
    return {"origin": ADDRESS, "x-csrf-token": visitor.csrf, "content-type": kind}


def test_half_characters_in_json_are_refused(world: World) -> None:
    body = _json(answer(comment="\ud800"))
    done = world.bench.owner.http.post(
        "/judge/2/1", content=body, headers=_ours(world.bench.owner, "application/json")
    )
    assert done.status_code == 400
