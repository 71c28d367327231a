"""Documents that fit their schema and yet make no sense: refused or shown, never our fault."""

import copy
import json
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.made import FAMILIES
from workbench.bench import Bench
from workbench.results_made import document, files_of

from chronoscore.workbench.store import results as store_results

odd = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, -1, 1, 0.5, 1e300, 10**18, "", "x", "curve", "median", [], {}, [[]]]),
    st.text(max_size=6),
)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    made = Bench(tmp_path_factory.mktemp("fuzz"))
    for name in FAMILIES:
        made.owner.post("/results", files=list(files_of(name)))
    yield made
    made.store.close()


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """All places of a document; of long lists the first two."""
    yield way
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*way, key))
    elif isinstance(value, list):
        for at in range(min(len(value), 2)):
            yield from places(value[at], (*way, at))


@cache
def saved(family: str) -> tuple[Any, list[tuple[Any, ...]]]:
    """A document, and all its places."""
    made = json.loads(document(family))
    return made, [*places(made)][1:]


@given(data=st.data())
def test_a_document_with_odd_places_is_kept_and_shown_or_leaves_nothing(
    bench: Bench, data: Any
) -> None:
    name = data.draw(st.sampled_from(FAMILIES))
    whole, ways = saved(name)
    made = copy.deepcopy(whole)
    for way in data.draw(st.lists(st.sampled_from(ways), min_size=1, max_size=3)):
        place = made
        try:
            for part in way[:-1]:
                place = place[part]
            if data.draw(st.booleans()):
                place[way[-1]] = data.draw(odd)
            else:
                del place[way[-1]]
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away
    before = {one.id for one in store_results.stored(bench.store)}
    files = [("results", ("odd.json", json.dumps(made).encode()))]
    if data.draw(st.booleans()):
        beside = [file for file in files_of(name) if not file[1][0].endswith("run.json")]
        files += [("results", (n.replace("run", "odd"), content)) for _, (n, content) in beside]
    answer = bench.owner.post("/results", files=files)
    added = {one.id for one in store_results.stored(bench.store)} - before
    assert (answer.status_code, len(added)) in {(303, 1), (422, 0)}, answer.text
    assert answer.status_code == 303 or "odd.json" in answer.text
    for run in added:
        assert made == whole or "checksum" not in made
        other = data.draw(st.sampled_from(sorted(before)))
        for path in (
            f"/results/{run}",
            f"/results/{run}/cases/0",
            "/results",
            "/leaderboard",
            f"/compare?one={run}.0&two={other}.0",
            f"/compare?one={other}.0&two={run}.0",
        ):
            assert bench.owner.get(path).status_code < 500, path
        bench.owner.post(f"/results/{run}/delete", {"sure": "yes"})


@given(content=st.binary(max_size=60), name=st.text(max_size=12))
def test_any_bytes_under_any_name_are_refused(bench: Bench, content: bytes, name: str) -> None:
    before = len(store_results.stored(bench.store))
    answer = bench.owner.post("/results", files=[("results", (name or "x", content))])
    assert answer.status_code == 422
    assert len(store_results.stored(bench.store)) == before


def test_nothing_is_left_where_uploads_are_read(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for content in (b"{}", document()):
        bench.owner.post("/results", files=[("results", ("x.json", content))])
    assert not list(tmp_path.iterdir())
