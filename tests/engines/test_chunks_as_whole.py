"""What is found in files that are cut is what is found in whole ones, with the same words."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from engines.runs import manifest_of, scored
from readers.command_line import BAD_DATA, FINE, USAGE, Ran, run

from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.result import encode, load
from chronoscore.demo import home
from chronoscore.engines.plan import Plan
from chronoscore.engines.scoring import MOST_NOTICES, Scored
from chronoscore.errors import DataError, UsageError

GOLD, QUICK = home() / "gold.jsonl", home() / "quick.jsonl"
PARTLY = 4
FAMILIES = ("timelines", "events", "ordering", "annotations", "coreference", "tlinks")
Line = dict[str, Any]
Change = Callable[[Line], Line | None]


def lines_of(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def written(path: Path, lines: Iterable[Line]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def in_chunks(name: str, gold: Path, quick: Path, chunk: int = 2, **more: Any) -> Scored:
    plan = Plan("here", chunk=chunk, **more)
    return scored(name, gold, {"quick": quick}, plan, settings=without_gold(name), explain=True)


def without_gold(name: str) -> dict[str, Any]:
    """Settings that leave predictions without a gold out."""
    return {"options": {"extra": "skip"}} if name in ("timelines", "events") else {}


def parts(verb: str, *more: object) -> Ran:
    return run(verb, *more, "--engine", "here", "--progress", "none")


def same_whatever_the_cut(name: str, gold: Path, quick: Path) -> None:
    """Notices may have another order."""
    whole = scored(name, gold, {"quick": quick}, settings=without_gold(name))
    wanted = json.loads(encode(whole.result))
    wanted["notices"].sort()
    del wanted["checksum"]
    for chunk in (1, 2, 3, 0):
        made = json.loads(encode(in_chunks(name, gold, quick, chunk).result))
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


@pytest.mark.parametrize("name", ["timelines", "events", "ordering", "coreference", "tlinks"])
def test_lines_without_a_topic_are_of_the_topic_that_their_file_is_named_after(
    name: str, tmp_path: Path
) -> None:
    lines = [
        {**line, "topic": ""} if line["topic"] == "apollo-11" else line for line in lines_of(QUICK)
    ]
    for stem in ("other", "apollo-11"):
        same_whatever_the_cut(name, GOLD, written(tmp_path / f"{stem}.jsonl", lines))


@pytest.mark.parametrize("name", ["timelines", "events", "ordering", "coreference", "tlinks"])
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
    words = ("timelines", GOLD, path, "--extra", "skip")
    whole, partly = run(*words), parts(*words)
    assert "1 prediction without a gold left out: notopic" in partly.err
    assert (partly.code, partly.out) == (FINE, whole.out)
    assert sorted(partly.notices) == sorted(whole.notices)


def test_a_document_without_an_id_is_bad(tmp_path: Path) -> None:
    document = {"id": "d1", "annotations": [{"type": "event", "start": 0, "end": 3}]}
    gold = written(tmp_path / "gold.jsonl", [document])
    nameless = {"annotations": document["annotations"]}
    quick = written(tmp_path / "quick.jsonl", [document, nameless])
    whole, cut = run("annotations", gold, quick), parts("annotations", gold, quick)
    assert whole.code == cut.code == BAD_DATA
    assert cut.problems == whole.problems
    ran = parts("annotations", gold, quick, "--max-bad", 1)
    assert ran.code == PARTLY
    assert f"{quick}:2: there is no 'id'" in ran.err


def test_an_id_that_is_no_text_is_bad_data_whatever_stands_beside_it(tmp_path: Path) -> None:
    document = {"id": "d1", "annotations": [{"type": "event", "start": 0, "end": 3}]}
    gold = written(tmp_path / "gold.jsonl", [document])
    quick = written(tmp_path / "quick.jsonl", [document, {"id": ["x"], "span": [1, 2]}])
    cut = parts("annotations", gold, quick)
    assert cut.code == BAD_DATA
    assert f"{quick}:2: id is a list, expected" in cut.err


def test_one_event_id_in_two_topics_is_bad(tmp_path: Path) -> None:
    lines = lines_of(QUICK)
    other = next(at for at, line in enumerate(lines) if line["topic"] != lines[0]["topic"])
    lines[other]["id"] = lines[0]["id"]
    path = written(tmp_path / "quick.jsonl", lines)
    whole, cut = run("timelines", GOLD, path), parts("timelines", GOLD, path)
    assert whole.code == cut.code == BAD_DATA
    assert cut.problems == whole.problems
    for chunk in (1, 7):
        made = in_chunks("timelines", GOLD, path, chunk, most_bad=2)
        topics = {lines[0]["topic"], lines[other]["topic"]}
        assert {bad.case for bad in made.bad} == topics
        (reason,) = made.bad[0].reasons
        assert f"{path}:{other + 1}" in reason
        assert f"{path}:1" in reason
        assert topics.isdisjoint(row.case for row in made.result.systems[0].rows)


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


def test_problems_of_cases_without_a_gold_are_found(tmp_path: Path) -> None:
    lines = [*lines_of(QUICK), {"id": "x", "topic": "elsewhere", "date": "1969-13-45"}]
    path = written(tmp_path / "quick.jsonl", lines)
    found = []
    for chunk in (0, 1, 3):
        with pytest.raises(DataError) as caught:
            in_chunks("timelines", GOLD, path, chunk)
        found.append(str(caught.value))
    with pytest.raises(DataError) as caught:
        scored("timelines", GOLD, {"quick": path})
    assert found == 3 * [str(caught.value)]


@pytest.mark.parametrize("name", FAMILIES)
def test_nothing_against_nothing_is_the_same_problem(name: str, tmp_path: Path) -> None:
    """Files that are empty, files whose lines have no content, and both sides without a pair."""
    nothing = written(tmp_path / "nothing.jsonl", [])
    bare = written(tmp_path / "bare.jsonl", [{"id": "a", "topic": "t"}, {"id": "b", "topic": "u"}])
    for gold, quick in ((nothing, nothing), (bare, bare), (bare, nothing), (GOLD, bare)):
        outcomes: list[object] = []
        for plan in (None, Plan("here"), Plan("here", chunk=1)):
            problems = Problems(ReadingOptions(lenient=True))
            try:
                made = scored(name, gold, {"quick": quick}, plan, problems=problems).result
                outcomes.append((sorted(made.notices), made.systems))
            except DataError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize("chunk", [(), ("--engine", "here"), ("--chunk", 1)])
def test_documents_without_annotations_score_alike(
    chunk: tuple[object, ...], tmp_path: Path
) -> None:
    """Both sides are empty in every document, and nothing is named that they lack."""
    lines = [{"id": f"d{at}", "annotations": []} for at in range(3)]
    gold, quick = (written(tmp_path / f"{name}.jsonl", lines) for name in ("gold", "quick"))
    ran = run("annotations", gold, quick, "-f", "csv", *chunk)
    assert ran.code == FINE
    assert ran.out == run("annotations", gold, quick, "-f", "csv").out


def test_documents_that_are_numbered_by_their_lines_stay_together(tmp_path: Path) -> None:
    span = [{"start": 0, "end": 3, "label": "EVENT"}]
    answers = ("accept", "reject", "reject", "accept", "reject")
    tasks = [{"text": "one", "spans": span, "answer": answer} for answer in answers]
    path = written(tmp_path / "tasks.jsonl", tasks)
    named = ("annotations", path, path, "--input-format", "prodigy", "--progress", "none")
    whole, cut = run(*named), run(*named, "--chunk", 1)
    assert whole.code == cut.code == FINE
    assert cut.out == whole.out
    assert f"{path}: 3 tasks with the answer 'reject' are left out" in cut.notices


def test_events_in_no_text_are_no_case() -> None:
    made = in_chunks("annotations", GOLD, QUICK)
    assert manifest_of(made).cases == len(made.result.systems[0].rows)


@pytest.fixture
def partial(tmp_path: Path) -> Path:
    """A result of which one topic was bad."""
    lines = [
        {**line, "date": "1969-13-45"} if line["topic"] == "apollo-11" else line
        for line in lines_of(QUICK)
    ]
    path, saved = written(tmp_path / "quick.jsonl", lines), tmp_path / "partial.json"
    assert parts("timelines", GOLD, path, "--save", saved, "--max-bad", 1).code == PARTLY
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
        "only a part was scored: 2 cases were bad and left out, so the scores cover only the others"
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
    wanted = list(in_chunks("timelines", path, quick, 0).matches)
    assert [item.case for item in wanted] == sorted(item.case for item in wanted)
    for chunk in (1, 2, 3):
        made = in_chunks("timelines", path, quick, chunk)
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
    plans = (Plan("here", chunk=1), Plan("here"), Plan("processes", workers=2, chunk=3))
    made = [scored("ordering", GOLD, {"quick": folder}, plan).result.notices for plan in plans]
    assert made[0] == made[1] == made[2]
    first = f"first in {folder / 'a.jsonl'}:{half - 1}"
    assert f"{folder}: unknown field 'zzz' is ignored (3 records, {first})" in made[0]


def test_many_notices_of_one_file_are_shortened(tmp_path: Path) -> None:
    lines = [{"id": f"d{at:03}", "clusters": [["a", "b"], []]} for at in range(MOST_NOTICES + 9)]
    gold, quick = (written(tmp_path / f"{name}.jsonl", lines) for name in ("gold", "quick"))

    def notices(plan: Plan | None) -> list[str]:
        problems = Problems(ReadingOptions(lenient=True))
        made = scored("coreference", gold, {"quick": quick}, plan, problems=problems)
        return [notice for notice in made.result.notices if str(quick) in notice]

    wanted = [*notices(None)[:MOST_NOTICES], f"{quick}: and 9 more notices"]
    for chunk in (0, 1, 20):
        assert notices(Plan("here", chunk=chunk)) == wanted


def only_topic(tmp_path: Path) -> tuple[Path, Path]:
    """A gold of one topic, and a prediction of it that names no topic."""

    def only(path: Path, topic: str) -> list[Line]:
        return [{**line, "topic": topic} for line in lines_of(path) if line["topic"] == "apollo-11"]

    gold = written(tmp_path / "gold.jsonl", only(GOLD, "apollo-11"))
    return gold, written(tmp_path / "unnamed.jsonl", only(QUICK, ""))


def test_a_file_without_topics_is_not_cut_off_by_topics_of_another_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LEAST_BYTES", "MOST_BYTES"):
        monkeypatch.setattr(f"chronoscore.engines.index.{name}", 1000)
    gold, unnamed = only_topic(tmp_path)
    systems = {"unnamed": unnamed, "quick": QUICK}
    settings = without_gold("timelines")
    wanted = scored("timelines", gold, systems, settings=settings).result
    made = scored("timelines", gold, systems, Plan("here"), settings=settings).result
    assert made.systems == wanted.systems


def test_a_bad_line_does_not_part_the_only_topic_from_its_prediction(tmp_path: Path) -> None:
    gold, unnamed = only_topic(tmp_path)
    wanted = scored("timelines", gold, {"unnamed": unnamed}).result
    with gold.open("a") as file:
        file.write("{cut\n")
    made = scored("timelines", gold, {"unnamed": unnamed}, Plan(most_bad=1)).result
    assert made.systems == wanted.systems


def test_a_part_of_a_file_is_not_taken_as_the_prediction_of_the_only_topic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LEAST_BYTES", "MOST_BYTES"):
        monkeypatch.setattr(f"chronoscore.engines.index.{name}", 5000)
    gold, unnamed = only_topic(tmp_path)
    others = [line for line in lines_of(QUICK) if line["topic"] == "thai-cave-rescue"]
    mixed = written(tmp_path / "aaa.jsonl", [*lines_of(unnamed), *others])
    for plan in (Plan(), Plan("here")):
        with pytest.raises(DataError, match="2 predictions have no gold of their name"):
            scored("timelines", gold, {"mixed": mixed}, plan)


def test_a_file_with_the_line_ends_of_the_old_mac_is_one_problem(tmp_path: Path) -> None:
    mac = tmp_path / "quick.jsonl"
    mac.write_bytes(QUICK.read_bytes().replace(b"\n", b"\r"))
    with pytest.raises(DataError) as error:
        scored("timelines", GOLD, {"quick": mac}, Plan("here"))
    assert len(error.value.problems) == 1


def test_a_bad_case_that_is_left_out_counts_as_a_pair(tmp_path: Path) -> None:
    lines = [{"id": x, "topic": x, "date": "2020-01-01", "text": "one"} for x in "abc"]
    gold = written(tmp_path / "gold.jsonl", [lines[0], lines[2]])
    quick = written(tmp_path / "quick.jsonl", [{**lines[0], "date": "2020-13-01"}, lines[1]])
    made = in_chunks("timelines", gold, quick, most_bad=1)
    assert [one.case for one in made.bad] == ["a"]
    assert [row.case for row in made.result.systems[0].rows] == ["c"]
