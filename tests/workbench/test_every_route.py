"""Every page there is, asked by everyone who should learn nothing from it.

Two workbenches are alike but for what one evaluator answered. Whoever is blind gets the same from
both, byte for byte, at every address; so what is compared needs no list of what could leak.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from workbench import test_pairs
from workbench.bench import BEST, WORST, Bench, Visitor, answer, judge_all

from chronoscore.workbench.routes import ROUTES

QUERIES = ("", "?page=1&names=yes&done={done}&kind=main&person-1=yes&criterion=Date-Correct")
SHIFTING = (
    r"[0-9a-f]{64}",  # tokens of forms
    r"\d{4}-\d\d-\d\d[T ]\d\d:[\d:.]+(\+00:00|Z)?",  # times
    r"(?<=name=\"save\" value=\")[\w-]+",
    r"(?<=-pace\">).*?</td>",
    r"just now|\d+ minutes? ago",
)
"""What differs between two workbenches that are alike."""


def numbers(bench: Bench, name: str) -> list[str]:
    """What a part of an address can be."""
    asked = {
        "project": "SELECT id FROM projects",
        "batch": "SELECT id FROM batches",
        "person": "SELECT id FROM people",
        "event": "SELECT number FROM events",
        "place": "SELECT DISTINCT place FROM tasks",
    }
    fixed = {
        "form": ["csv", "tsv", "jsonl", "xlsx", "zip", "verdicts.jsonl", "agreed-verdicts.jsonl"]
    }
    if name in asked:
        return [str(row[0]) for row in bench.store.rows(asked[name])]
    return fixed.get(name, ["x"])


def addresses(bench: Bench) -> Iterator[str]:
    """Every address of a page, with all that its parts can be."""
    done = bench.store.value("SELECT max(id) FROM audit")
    for route in ROUTES:
        if route.method != "GET" or route.path.startswith("/static"):
            continue
        paths = [route.path]
        while "{" in paths[0]:
            name = re.findall(r"{(\w+)}", paths[0])[0]
            paths = [
                path.replace(f"{{{name}}}", one, 1)
                for path in paths
                for one in numbers(bench, name)
            ]
        for path in paths:
            for query in QUERIES:
                yield path + query.format(done=done)


def content(got: Any) -> str:
    """All that an answer says, without what differs from one asking to the next."""
    kind = got.headers.get("content-type", "")
    text = got.text
    if kind == "application/zip" or "spreadsheet" in kind:
        with zipfile.ZipFile(io.BytesIO(got.content)) as archive:
            parts = [f"{name}\n{archive.read(name).decode()}" for name in archive.namelist()]
        text = "\n".join(parts)
    for pattern in SHIFTING:
        text = re.sub(pattern, "…", text)
    return f"{got.status_code} {got.headers.get('location', '')}\n{text}"


def everything(bench: Bench, visitor: Visitor) -> dict[str, str]:
    return {path: content(visitor.get(path)) for path in addresses(bench)}


def differing(one: dict[str, str], two: dict[str, str]) -> list[str]:
    assert one.keys() == two.keys()
    return [path for path in one if one[path] != two[path]]


def being_judged(bench: Bench, hers: Any) -> dict[str, Visitor]:
    """Ana has submitted; the owner and ben have not."""
    project = bench.project()
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", "owner", overlap=3)
    bench.owner.send(f"/judge/{batch}/1", answer())
    ben.send(f"/judge/{batch}/1", answer())
    judge_all(ana, batch, hers)
    return {"ben": ben, "owner": bench.owner, "nobody": Visitor(bench.app)}


def given_back(bench: Bench, hers: Any) -> dict[str, Visitor]:
    """A batch was closed and reopened; ana has her share back and answers anew."""
    project = bench.project()
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    batch, sure = bench.batch(project, "ana", "ben", "owner", overlap=3), {"sure": "yes"}
    for one in (ana, ben, bench.owner):
        judge_all(one, batch, BEST)
    bench.owner.post(f"/batches/{batch}/finish", sure)
    bench.owner.post(f"/batches/{batch}/reopen", sure)
    path = f"/batches/{batch}/people/{bench.person('ana').id}/give-back"
    assert bench.owner.post(path, sure).status_code == 303
    for place in range(1, 5):
        flagged = {**BEST, "Eval_EventAmbiguity": 1 if hers == WORST else 2}
        sent = answer(flagged, 1, save=f"anew-{place:06}")
        assert ana.send(f"/judge/{batch}/{place}", sent).status_code == 200
    return {"ben": ben, "owner": bench.owner, "nobody": Visitor(bench.app)}


def watched(bench: Bench, hers: Any) -> dict[str, Visitor]:
    """Few events, and a lead who does not judge: numbers of few answers would be the answers."""
    project = bench.project()
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", overlap=2)
    ben.send(f"/judge/{batch}/1", answer())
    judge_all(ana, batch, hers)
    return {"ben": ben, "owner": bench.owner}


def of_pairs(bench: Bench, hers: Any) -> dict[str, Visitor]:
    """Pairs are judged by ana, who has submitted, by ben and by the owner."""
    project = test_pairs.made(bench)
    ana, ben = test_pairs.evaluators(bench, project, "ana", "ben")
    batch = bench.batch(project, "ana", "ben", "owner", overlap=3)
    test_pairs.judge(ana, bench, batch, 1 if hers == BEST else 4)
    for one in (ben, bench.owner):
        one.send(f"/judge/{batch}/1", answer({"Verdict": 1}))
    return {"ben": ben, "owner": bench.owner}


def in_an_archive(bench: Bench, hers: Any) -> dict[str, Visitor]:
    people = being_judged(bench, hers)
    assert bench.owner.post("/projects/1/archive", {"sure": "yes"}).status_code == 303
    return people


@pytest.mark.parametrize("scene", [being_judged, given_back, in_an_archive, watched, of_pairs])
def test_no_address_tells_someone_who_judges_what_another_answered(
    tmp_path: Path, scene: Any
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one, two = Bench(tmp_path / "one"), Bench(tmp_path / "two")
    first, second = scene(one, BEST), scene(two, WORST)
    for name in first:
        seen = everything(one, first[name])
        assert len(seen) > 60
        assert differing(seen, everything(two, second[name])) == [], name


def test_the_same_comparison_finds_what_a_lead_may_see(tmp_path: Path) -> None:
    """Once all have submitted the owner sees answers: then the pages must differ."""
    benches = []
    for name, values in (("one", BEST), ("two", WORST)):
        (tmp_path / name).mkdir()
        bench = Bench(tmp_path / name)
        people = being_judged(bench, values)
        for place in range(1, 5):
            for who in ("ben", "owner"):
                people[who].send(f"/judge/1/{place}", answer(save=f"rest-{place:06}"))
        for who in ("ben", "owner"):
            assert people[who].post("/judge/1/submit", {"sure": "yes"}).status_code == 303
        benches.append((bench, people))
    (one, first), (two, second) = benches
    found = differing(everything(one, first["owner"]), everything(two, second["owner"]))
    for path in ("agreement", "differences", "export/csv", "export/zip"):
        assert f"/projects/1/{path}" in found
    assert "/batches/1" in found
    assert "/batches/1/events/1" in found
    assert differing(everything(one, first["ben"]), everything(two, second["ben"])) == []
