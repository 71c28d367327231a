"""What a run in parts tells: how far it is, how long it will take, and at the end what it was."""

import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engines.runs import manifest_of, scored
from readers.command_line import FINE, run

from chronoscore import __version__
from chronoscore.cli.output import duration
from chronoscore.core.writing import check_document
from chronoscore.demo import home
from chronoscore.engines.plan import Manifest, Plan, Progress, versions

GOLD, QUICK = home() / "gold.jsonl", home() / "quick.jsonl"
STAGES = ["index", "cut", "measure", "unite", "summarise", "total"]


def manifest(plan: Plan, watched: list[Progress] | None = None) -> Manifest:
    seen: list[Progress] = [] if watched is None else watched
    return manifest_of(scored("timelines", GOLD, {"quick": QUICK}, plan, watch=seen.append))


def events(err: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in err.splitlines() if line.startswith("{")]


def test_time_left_is_what_is_left_at_the_rate_so_far() -> None:
    assert Progress("measure", 50, 200, 10.0).left == 30.0
    assert Progress("measure", 200, 200, 10.0).left == 0.0
    assert Progress("measure", 0, 200, 10.0).left is None
    assert Progress("index", 50, 0, 10.0).left is None


def test_progress_ends_with_all_of_it() -> None:
    seen: list[Progress] = []
    made = manifest(Plan("here", chunk=2), seen)
    for stage, whole in (("index", made.bytes), ("measure", made.cases)):
        own = [one for one in seen if one.stage == stage]
        assert [one.done for one in own] == sorted(one.done for one in own)
        assert {one.of for one in own} == {whole}
        assert own[-1].done == whole
        assert own[-1].left == 0.0


def test_a_manifest_names_versions_counts_times_and_rates() -> None:
    made = manifest(Plan("here", chunk=2))
    assert made.version == made.versions["chronoscore"] == __version__
    assert made.versions["python"] == platform.python_version()
    assert made.versions["numpy"] == np.__version__
    assert made.versions["platform"]
    assert list(made.seconds) == STAGES
    assert sum(made.seconds.values()) == pytest.approx(2 * made.seconds["total"])
    assert made.rates["measure"] == made.rate == pytest.approx(made.cases / made.seconds["measure"])
    assert made.bytes == GOLD.stat().st_size + QUICK.stat().st_size
    assert made.lines == sum(len(path.read_text().splitlines()) for path in (GOLD, QUICK))
    assert made.memory is None or made.memory > made.bytes
    assert made.dashboard == ""


def test_only_what_is_used_is_named() -> None:
    plain = versions("processes", ["", ".gz"])
    assert not {"distributed", "pyarrow", "zstandard"} & plain.keys()
    assert "distributed" in versions("dask://host:8786", [])
    packed = versions("here", [".zst", ".parquet"])
    assert packed["pyarrow"] == version("pyarrow")
    assert packed["zstandard"] == version("zstandard")


def test_what_was_kept_is_no_part_of_the_rate(tmp_path: Path) -> None:
    plan = Plan("here", chunk=2, work=tmp_path / "work")
    assert manifest(plan).rate > 0
    again = manifest(plan)
    assert again.reused == again.chunks
    assert again.rate == 0


def test_a_dask_run_tells_its_dashboard_and_its_version() -> None:
    pytest.importorskip("distributed")
    told: list[str] = []
    plan = Plan("dask", workers=1, chunk=4)
    made = manifest_of(scored("timelines", GOLD, {"quick": QUICK}, plan, notify=told.append))
    assert made.dashboard.startswith("http://")
    assert told == [f"the Dask dashboard is {made.dashboard}"]
    assert made.versions["distributed"] == version("distributed")


def test_machines_get_a_line_of_json_for_each_thing_told(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(QUICK.read_text().replace("1969-07-16", "1969-13-45", 1))
    work = tmp_path / "work"
    cut = ("--chunk", 3, "--max-bad", 1, "--progress", "json", "--work", work)
    ran = run("timelines", GOLD, bad, *cut)
    told = events(ran.err)
    assert {one["event"] for one in told} == {"progress", "bad", "manifest"}
    last = [one for one in told if one["event"] == "progress"][-1]
    assert last.keys() == {"event", "stage", "done", "of", "seconds", "rate", "left"}
    assert (last["stage"], last["done"], last["left"]) == ("measure", last["of"], 0)
    (left_out,) = (one for one in told if one["event"] == "bad")
    assert left_out["case"] == "apollo-11"
    assert "not in the calendar" in left_out["reasons"][0]
    manifest = told[-1]
    assert manifest.pop("event") == "manifest"
    assert manifest == check_document(json.loads((work / "manifest.json").read_text()))
    assert manifest["bad"] == 1
    bad.write_bytes(QUICK.read_bytes())
    again = run("timelines", GOLD, bad, *cut)
    notices = [one["text"] for one in events(again.err) if one["event"] == "notice"]
    assert [str(bad) in text for text in notices] == [True]


def test_people_get_one_line_at_the_end_and_those_who_want_none_none() -> None:
    ran = run("timelines", GOLD, QUICK, "--engine", "here", "--chunk", 2)
    assert ran.code == FINE
    assert [text for text in ran.notices if "cases a second while measuring" in text]
    assert "{" not in ran.err
    quiet = run("timelines", GOLD, QUICK, "--engine", "here", "--progress", "none")
    assert "cases a second" not in quiet.err


def test_long_times_are_told_in_hours() -> None:
    told = [duration(seconds) for seconds in (0, 59.4, 59.6, 3599, 3600, 90000)]
    assert told == ["0 s", "59 s", "1 min 0 s", "59 min 59 s", "1 h 0 min", "25 h 0 min"]
