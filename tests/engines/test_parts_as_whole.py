"""What reading in parts finds and says is what reading the files as a whole finds and says."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, Ran, run

from chronoscore.core.errors import UsageError
from chronoscore.core.reading import Reading
from chronoscore.core.result import encode, load
from chronoscore.demo import home
from chronoscore.engines.files import score_files
from chronoscore.engines.settings import Settings
from chronoscore.engines.stream import Inputs, Plan, Streamed, stream
from chronoscore.engines.stream.notices import shortened
from chronoscore.families import family, reader

GOLD, QUICK = home() / "gold.jsonl", home() / "quick.jsonl"
PARTLY = 4
FAMILIES = ("timelines", "ordering", "annotations", "coreference", "tlinks")
Line = dict[str, Any]
Change = Callable[[Line], Line | None]


def lines_of(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def written(path: Path, lines: Iterable[Line]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def in_parts(name: str, gold: Path, quick: Path, chunk: int = 2) -> Streamed:
    settings = Settings.make(family(name))
    inputs = Inputs(name, gold, {"quick": [quick]}, trials=name == "timelines")
    return stream(settings, inputs, Reading(), Plan("here", chunk=chunk), explain=True)


def as_whole(name: str, gold: Path, quick: Path) -> bytes:
    settings = Settings.make(family(name))
    read = reader(name)
    made = score_files(settings, lambda r, o: read(gold, {"quick": quick}, r, o), Reading())
    return encode(made.result)


def parts(verb: str, *more: object) -> Ran:
    return run(verb, *more, "--engine", "here", "--progress", "none")


def same_whatever_the_cut(name: str, gold: Path, quick: Path) -> None:
    """Notices may have another order."""
    wanted = json.loads(as_whole(name, gold, quick))
    wanted["notices"].sort()
    del wanted["checksum"]
    for chunk in (1, 2, 3, 0):
        made = json.loads(encode(in_parts(name, gold, quick, chunk).scored.result))
        made["notices"].sort()
        del made["checksum"]
        assert made == wanted


@pytest.mark.parametrize("name", FAMILIES)
def test_the_documents_are_the_same_with_their_notices(name: str, tmp_path: Path) -> None:
    """Unknown fields, what is not scored, what is missing and what has no gold."""
    lines = [
        {**line, "topic": "apollo 11"} if line["topic"] == "apollo-11" else line
        for line in lines_of(QUICK)
    ]
    kept = [line for line in lines if line["topic"] != "apollo 11"]
    for at in (3, 20):
        kept[at]["extra"] = "{braces}"
    for field in ("date", "mentions", "position", "span"):
        kept[5].pop(field, None)
    same_whatever_the_cut(name, GOLD, written(tmp_path / "quick.jsonl", lines))


@pytest.mark.parametrize("name", ["timelines", "ordering", "coreference", "tlinks"])
def test_lines_without_a_topic_are_of_the_topic_that_their_file_is_named_after(
    name: str, tmp_path: Path
) -> None:
    lines = [
        {**line, "topic": ""} if line["topic"] == "apollo-11" else line for line in lines_of(QUICK)
    ]
    for stem in ("other", "apollo-11"):
        same_whatever_the_cut(name, GOLD, written(tmp_path / f"{stem}.jsonl", lines))


@pytest.mark.parametrize("name", ["timelines", "ordering", "coreference", "tlinks"])
def test_a_file_without_topics_is_the_prediction_of_the_only_topic(
    name: str, tmp_path: Path
) -> None:
    def only(lines: list[Line], topic: str) -> list[Line]:
        return [{**line, "topic": topic} for line in lines if line["topic"] == "apollo-11"]

    gold = written(tmp_path / "gold.jsonl", only(lines_of(GOLD), "apollo-11"))
    quick = written(tmp_path / "quick.jsonl", only(lines_of(QUICK), ""))
    same_whatever_the_cut(name, gold, quick)


def test_lines_without_a_topic_are_told(tmp_path: Path) -> None:
    lines = [{**line, "topic": ""} if at < 9 else line for at, line in enumerate(lines_of(QUICK))]
    path = written(tmp_path / "notopic.jsonl", lines)
    whole, partly = run("timelines", GOLD, path), parts("timelines", GOLD, path, "--strict")
    assert "no gold for 1 topic, not scored: notopic" in partly.err
    assert (partly.code, partly.out, partly.notices) == (FINE, whole.out, whole.notices)


def test_a_document_without_an_id_is_bad(tmp_path: Path) -> None:
    document = {"id": "d1", "annotations": [{"type": "event", "start": 0, "end": 3}]}
    gold = written(tmp_path / "gold.jsonl", [document])
    nameless = {"annotations": document["annotations"]}
    quick = written(tmp_path / "quick.jsonl", [document, nameless])
    assert run("annotations", gold, quick).code == BAD_DATA
    ran = parts("annotations", gold, quick)
    assert ran.code == PARTLY
    assert f"{quick}:2: there is no 'id'" in ran.err
    assert parts("annotations", gold, quick, "--strict").code == BAD_DATA


def test_one_event_id_in_two_topics_is_bad(tmp_path: Path) -> None:
    lines = lines_of(QUICK)
    other = next(at for at, line in enumerate(lines) if line["topic"] != lines[0]["topic"])
    lines[other]["id"] = lines[0]["id"]
    path = written(tmp_path / "quick.jsonl", lines)
    assert run("timelines", GOLD, path).code == BAD_DATA
    for chunk in (1, 7):
        made = in_parts("timelines", GOLD, path, chunk)
        topics = {lines[0]["topic"], lines[other]["topic"]}
        assert {bad.case for bad in made.bad} == topics
        (reason,) = made.bad[0].reasons
        assert f"{path}:{other + 1}" in reason
        assert f"{path}:1" in reason
        assert topics.isdisjoint(row.case for row in made.scored.result.systems[0].rows)
    assert parts("timelines", GOLD, path, "--strict").code == BAD_DATA


@pytest.mark.parametrize("asked", ["--feature", "--type"])
def test_what_no_annotation_has_is_doubtful_in_parts_too(asked: str) -> None:
    whole = run("annotations", GOLD, QUICK, asked, "nosuch")
    assert whole.code == BAD_DATA
    partly = parts("annotations", GOLD, QUICK, asked, "nosuch", "--chunk", 2)
    assert (partly.code, partly.problems) == (BAD_DATA, whole.problems)


def test_a_type_that_is_in_one_part_only_is_no_doubt(tmp_path: Path) -> None:
    lines = lines_of(GOLD)
    rare = next(line for line in lines if line.get("span"))
    rare["type"] = "rare"
    gold = written(tmp_path / "gold.jsonl", lines)
    whole = run("annotations", gold, QUICK, "--type", "rare")
    partly = parts("annotations", gold, QUICK, "--type", "rare", "--chunk", 1)
    assert (partly.code, partly.out, partly.notices) == (FINE, whole.out, whole.notices)


def test_events_in_no_text_are_no_case() -> None:
    made = in_parts("annotations", GOLD, QUICK)
    assert made.manifest.cases == len(made.scored.result.systems[0].rows)


@pytest.fixture
def partial(tmp_path: Path) -> Path:
    """A result of which one topic was bad."""
    lines = [
        {**line, "date": "1969-13-45"} if line["topic"] == "apollo-11" else line
        for line in lines_of(QUICK)
    ]
    path, saved = written(tmp_path / "quick.jsonl", lines), tmp_path / "partial.json"
    assert parts("timelines", GOLD, path, "--save", saved).code == PARTLY
    return saved


def test_a_partial_result_says_so_wherever_it_is_shown(partial: Path, tmp_path: Path) -> None:
    told = "only a part was scored: 1 case was bad and left out"
    assert load(partial).left_out == 1
    report, site = tmp_path / "report.html", tmp_path / "site"
    assert told in run("show", partial, "--report", report).err
    assert told in report.read_text().split("<h2")[0]  # before any score
    assert told in run("merge", partial).err
    assert told in run("leaderboard", partial, "-o", site).err
    assert told in (site / "index.html").read_text()


def test_what_parts_left_out_adds_up(partial: Path, tmp_path: Path) -> None:
    one, two, united = (tmp_path / f"{name}.json" for name in ("one", "two", "united"))
    document = json.loads(partial.read_text())
    del document["checksum"]
    for at, path in enumerate((one, two)):
        document["systems"][0]["name"] = f"system {at}"
        path.write_text(json.dumps(document))
    ran = run("merge", one, two, "--save", united)
    assert [notice for notice in ran.notices if "left out" in notice] == [
        "only a part was scored: 2 cases were bad and left out, so the scores are of the others"
    ]
    assert load(united).left_out == 2


@pytest.mark.parametrize(
    "wrong", [("--workers", 0), ("--chunk", 0), ("--chunk", -1), ("--max-bad", -1)]
)
def test_numbers_that_mean_nothing_are_refused(wrong: tuple[str, int]) -> None:
    ran = run("timelines", GOLD, QUICK, *wrong)
    assert ran.code == USAGE
    assert wrong[0] in ran.err


def test_a_plan_refuses_numbers_that_mean_nothing() -> None:
    for wrong in ({"workers": -1}, {"chunk": -1}, {"most_bad": -1}):
        with pytest.raises(UsageError, match="expected"):
            Plan(**wrong)  # type: ignore[arg-type]


def test_the_order_of_matches_does_not_depend_on_the_cut(tmp_path: Path) -> None:
    """One topic's name begins another's, and golds of a topic have names behind it."""
    gold = [
        {"topic": topic, "timeline": name, "date": "2011-01-01", "summary": f"{topic} {name}"}
        for topic in ("a", "a-b", "a.c", "b")
        for name in ("1", "2")
    ]
    path = written(tmp_path / "gold.jsonl", gold)
    quick = written(tmp_path / "quick.jsonl", [line for line in gold if line["timeline"] == "1"])
    wanted = list(in_parts("timelines", path, quick, 0).scored.matches)
    assert [item.case for item in wanted] == sorted(item.case for item in wanted)
    for chunk in (1, 2, 3):
        made = in_parts("timelines", path, quick, chunk).scored
        assert list(made.matches) == wanted
        assert [item.case for item in made.texts] == sorted({item.case for item in wanted})


def test_numbers_are_of_all_shards_and_processes(tmp_path: Path) -> None:
    """The first is that of the first shard, wherever its topic is measured."""
    lines = lines_of(QUICK)
    folder = tmp_path / "quick"
    folder.mkdir()
    half = len(lines) // 2
    for line in (lines[-1], lines[half - 1], lines[half - 2]):
        line["zzz"] = 1
    written(folder / "a.jsonl", lines[:half])
    written(folder / "b.jsonl", lines[half:])
    settings = Settings.make(family("ordering"))
    inputs = Inputs("ordering", GOLD, {"quick": [folder]})
    plans = (Plan("here", chunk=1), Plan("here"), Plan("processes", workers=2, chunk=3))
    made = [stream(settings, inputs, Reading(), plan).scored.result.notices for plan in plans]
    assert made[0] == made[1] == made[2]
    first = f"first in {folder / 'a.jsonl'}:{half - 1}"
    assert f"{folder}: unknown field 'zzz' is ignored (3 records, {first})" in made[0]


def test_many_notices_of_one_kind_are_shortened() -> None:
    many = [f"case 't{at}' is odd" for at in range(9)]
    told = shortened(["another thing", *many])
    assert told[:2] == ["another thing", many[0]]
    assert len(told) == 7
    assert told[-1].startswith("and 4 more notices like this one")
