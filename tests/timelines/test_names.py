"""Predictions are scored against the golds of their names, however the files are read."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from engines.runs import scored
from readers.command_line import BAD_DATA, FINE, USAGE, run
from vectors_home import real

import chronoscore
from chronoscore.core.result import decode, encode, load
from chronoscore.core.sources import stem_of
from chronoscore.demo import home
from chronoscore.engines.plan import Plan
from chronoscore.errors import DataError, UsageError
from chronoscore.timelines.library import score

GOLD, QUICK = home() / "gold.jsonl", home() / "quick.jsonl"
TOPICS = sorted({json.loads(line)["topic"] for line in GOLD.read_text().splitlines()})
IN_PARTS = ("--engine", "here", "--chunk", "2", "--progress", "none")


def renamed(path: Path, names: dict[str, str]) -> Path:
    """The quick prediction with other names of topics."""
    lines = [json.loads(line) for line in QUICK.read_text().splitlines()]
    lines = [{**line, "topic": names.get(line["topic"], line["topic"])} for line in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


WAYS = {
    "as they are": (TOPICS, ""),
    "capitals": ([topic.upper() for topic in TOPICS], "matched 7 names without regard to case"),
    "blanks": ([topic.replace("-", " ") for topic in TOPICS], "without regard to case and sep"),
    "prefix": ([f"run_{topic}" for topic in TOPICS], "matched after taking 'run_' off 7"),
    "suffix": ([f"{topic}.tl" for topic in TOPICS], "matched after taking '.tl' off 7"),
}


@pytest.mark.parametrize("plan", [None, Plan("here", chunk=1), Plan("here", chunk=3)])
@pytest.mark.parametrize("way", WAYS)
def test_a_renamed_system_has_the_same_score(way: str, plan: Plan | None, tmp_path: Path) -> None:
    names, notice = WAYS[way]
    path = renamed(tmp_path / "quick.jsonl", dict(zip(TOPICS, names, strict=True)))
    expected = scored("timelines", GOLD, {"quick": QUICK}).result
    made = scored("timelines", GOLD, {"quick": path}, plan).result
    assert made.systems[0].summaries == expected.systems[0].summaries
    assert made.systems[0].signature == expected.systems[0].signature
    assert [notice in each for each in made.notices] == [True] * bool(notice)
    different = {a: b for a, b in zip(names, TOPICS, strict=True) if a != b}
    assert (made.systems[0].names or {}) == different


def test_a_misspelt_topic_is_an_error_with_a_proposal(tmp_path: Path) -> None:
    path = renamed(tmp_path / "quick.jsonl", {"apollo-11": "apolo-11"})
    for more in ((), IN_PARTS):
        ran = run("timelines", GOLD, path, *more)
        assert ran.code == BAD_DATA
        assert ran.problems == [
            "quick: 1 prediction has no gold of its name",
            "  apolo-11  perhaps apollo-11",
            "  --extra skip, or --lenient, leaves them out",
            "  --rename map.tsv, with these lines, decides:",
            "  apolo-11\tapollo-11",
        ]
        ran = run("timelines", GOLD, path, "--rename", "apolo-11=apollo-11", *more)
        assert (ran.code, ran.notices) == (FINE, [])


def test_a_gold_that_is_given_as_a_prediction_is_recognised() -> None:
    ran = run("timelines", QUICK, GOLD)
    assert ran.code == BAD_DATA
    assert ran.problems[-2:] == [
        "  Is the gold given as a prediction? GOLD comes first.",
        "  a gold takes one prediction: --rename 'apollo-11/desk=-' leaves one out",
    ]


def test_what_is_left_out_counts_as_missing(tmp_path: Path) -> None:
    path = renamed(tmp_path / "quick.jsonl", {"apollo-11": "chile"})
    outputs = []
    for more in ((), IN_PARTS):
        for way in (("--extra", "skip"), ("--lenient",), ("--rename", "chile=-")):
            ran = run("timelines", GOLD, path, *way, *more)
            assert ran.code == FINE
            assert "no prediction for 1 topic, counted as empty" in ran.err
            left_out = "quick: 1 prediction without a gold left out: chile"
            assert (left_out in ran.notices) is (way[0] != "--rename")
            outputs.append([line for line in ran.out.splitlines() if line.startswith("quick")])
    assert all(output == outputs[0] for output in outputs)


def test_a_map_with_an_unknown_name_is_an_error(tmp_path: Path) -> None:
    for more in ((), IN_PARTS):
        words = ("--rename", "nobody=apollo-11", "--rename", "apollo-11=nowhere")
        ran = run("timelines", GOLD, QUICK, *words, *more)
        assert ran.code == BAD_DATA
        assert ran.problems[0].startswith("rename names no prediction: nobody; there are: apollo")
        assert ran.problems[1].startswith("rename names no gold: nowhere; there are: apollo-11")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([f"{topic}=-" for topic in TOPICS], "quick: rename leaves out every prediction"),
        (
            [f"{TOPICS[0]}={TOPICS[1]}"],
            f"rename gives one gold to several predictions: {TOPICS[0]}, {TOPICS[1]}",
        ),
    ],
)
def test_a_map_that_leaves_no_pair_or_an_ambiguous_one_is_an_error(
    words: list[str], message: str
) -> None:
    ran = run("timelines", GOLD, QUICK, *(word for one in words for word in ("--rename", one)))
    assert ran.code == BAD_DATA
    assert message in ran.problems[0]


def test_a_map_of_json_with_one_name_twice_is_an_error(tmp_path: Path) -> None:
    map_file = tmp_path / "map.json"
    map_file.write_text('{"apollo-11": "-", "apollo-11": "chernobyl"}')
    ran = run("timelines", GOLD, QUICK, "--rename", map_file)
    assert (ran.code, ran.out) == (BAD_DATA, "")


def day(text: str) -> str:
    return f"2011-01-25\n{text}\n{'-' * 32}\n"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Golds by topic and source, and predictions named SET_TOPIC_SOURCE."""
    gold, predicted = tmp_path / "gold", tmp_path / "SET_0.6_1.4"
    predicted.mkdir()
    for topic, sources in (("set-egypt", ("ap", "bbc")), ("set-libya", ("cnn",))):
        (gold / topic).mkdir(parents=True)
        for source in sources:
            text = day(f"Something about {topic} by {source}")
            (gold / topic / f"{source}.txt").write_text(text)
            name = f"SET_best_{topic.removeprefix('set-')}_{source}.txt"
            (predicted / name).write_text(text)
    return gold, predicted


def test_one_prediction_a_gold_is_paired_with_its_gold(folders: tuple[Path, Path]) -> None:
    gold, predicted = folders
    result = chronoscore.score("timelines", gold, predicted, metrics="AR-1")
    assert result["AR-1"] == 1
    ran = run("timelines", gold, predicted)
    taken = "matched after taking 'SET_best_' off 3 predictions and 'set-' off the golds"
    assert taken in " ".join(ran.err.split())
    assert "SET_0.6_1.4" in ran.out


def test_a_gold_without_a_prediction_of_its_own_is_missing(folders: tuple[Path, Path]) -> None:
    gold, predicted = folders
    (predicted / "SET_best_egypt_bbc.txt").unlink()
    assert run("timelines", gold, predicted).code == BAD_DATA
    ran = run("timelines", gold, predicted, "--match", "affixes")
    assert ran.code == FINE
    assert "no prediction for 1 gold, counted as empty: set-egypt/bbc" in " ".join(ran.err.split())


def test_a_topic_alone_means_all_its_golds(folders: tuple[Path, Path]) -> None:
    gold, predicted = folders
    shutil.rmtree(predicted)
    predicted.mkdir()
    for topic in ("egypt", "libya"):
        (predicted / f"{topic}.txt").write_text(day(f"Something about set-{topic}"))
    for golds in ("each", "pooled"):
        result = chronoscore.score("timelines", gold, predicted, options={"golds": golds})
        assert len(result.document.systems[0].rows) == (3 if golds == "each" else 2)
        assert result["Date-F1"] == 1


def test_the_prediction_of_one_gold_is_not_scored_against_another(
    folders: tuple[Path, Path],
) -> None:
    gold, predicted = folders
    shutil.rmtree(predicted)
    shutil.copytree(gold, predicted)
    (predicted / "set-egypt" / "bbc.txt").unlink()
    ran = run("timelines", gold, predicted)
    assert "no prediction for 1 gold, counted as empty: set-egypt/bbc" in " ".join(ran.err.split())


def lines_of(timelines: Mapping[str, str]) -> list[dict[str, str]]:
    """A record of each timeline, which has one day."""
    return [
        {"topic": topic, "date": date, "summary": "Protests"} for topic, date in timelines.items()
    ]


def one_prediction_a_topic(home: Path, layout: str) -> Any:
    """The same two timelines in a layout."""
    days = {"egypt": "2011-01-25", "libya": "2011-02-17"}
    if layout == "dict":
        return {topic: {date: ["Protests"]} for topic, date in days.items()}
    if layout == "records":
        return lines_of(days)
    if layout == "events.jsonl":
        (home / layout).write_text("".join(json.dumps(line) + "\n" for line in lines_of(days)))
        return home / layout
    for topic, date in days.items():
        path = home / layout.replace("TOPIC", topic)
        path.parent.mkdir(parents=True, exist_ok=True)
        is_text = path.suffix == ".txt"
        line = json.dumps([[f"{date}T00:00:00", ["Protests"]]]) + "\n"
        path.write_text(f"{date}\nProtests\n{'-' * 32}\n" if is_text else line)
    return home


LAYOUTS = (
    *("TOPIC.txt", "TOPIC.jsonl", "TOPIC/timelines.jsonl", "TOPIC/timelines/1.txt", "TOPIC/x.txt"),
    *("events.jsonl", "dict", "records"),
)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_prediction_a_topic_is_for_all_its_golds(layout: str, tmp_path: Path) -> None:
    days = ("2011-01-25", "2011-02-17", "2011-03-01")
    for topic in ("egypt", "libya"):
        (tmp_path / "gold" / topic).mkdir(parents=True)
        golds = [json.dumps([[f"{date}T00:00:00", ["Protests"]]]) + "\n" for date in days]
        (tmp_path / "gold" / topic / "timelines.jsonl").write_text("".join(golds))
    (tmp_path / "run").mkdir()
    predicted = one_prediction_a_topic(tmp_path / "run", layout)
    result = score(tmp_path / "gold", predicted, metrics="Date-F1")
    assert len(result.document.systems[0].rows) == 6
    assert result.notices == ()
    assert float(result["Date-F1"]) == pytest.approx(1 / 3)


def test_a_prediction_of_one_gold_is_so_under_any_name_of_its_topic(tmp_path: Path) -> None:
    golds = [(topic, name) for topic in ("egypt", "libya") for name in ("ap", "bbc")]
    fields = {"date": "2011-01-25", "text": "one"}
    lines = [{"id": f"{topic} {name}", "topic": topic, "timeline": name} for topic, name in golds]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(x | fields) + "\n" for x in lines))
    for change in (str, str.upper, "run_{}".format):
        changed = [{**line, "topic": change(line["topic"])} | fields for line in lines[::3]]
        path = tmp_path / "predicted.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in changed))
        for more in ((), IN_PARTS):
            ran = run("timelines", tmp_path / "gold.jsonl", path, "--match", "affixes", *more)
            assert "counted as empty: egypt/bbc, libya/ap" in " ".join(ran.err.split())


def test_the_language_of_a_renamed_topic_is_compared(tmp_path: Path) -> None:
    for name, topic, language in (("gold", "egypt", "en"), ("run", "EGYPT", "de")):
        line = {"topic": topic, "language": language, "date": "2011-01-25", "summary": "one"}
        other = {**line, "topic": "libya", "language": "en"}
        (tmp_path / f"{name}.jsonl").write_text(f"{json.dumps(line)}\n{json.dumps(other)}\n")
    for more in ((), IN_PARTS):
        ran = run("timelines", tmp_path / "gold.jsonl", tmp_path / "run.jsonl", *more)
        assert "the language of egypt is another one in a prediction; the gold's counts" in (
            " ".join(ran.err.split())
        )


def test_a_map_moves_a_prediction_to_another_topic(tmp_path: Path) -> None:
    lines = [
        {"id": f"{number}", "topic": topic, "timeline": name, "date": "2011-01-25", "text": "one"}
        for number, (topic, name) in enumerate((("a", "x"), ("a", "y"), ("b", "x"), ("c", "x")))
    ]
    gold, predicted = tmp_path / "gold.jsonl", tmp_path / "predicted.jsonl"
    gold.write_text("".join(json.dumps(line) + "\n" for line in lines))
    predicted.write_text("".join(json.dumps(lines[at]) + "\n" for at in (0, 3)))
    outputs = [
        run("timelines", gold, predicted, "--rename", "a/x=b", "-f", "csv", "--by", "case", *more)
        for more in ((), IN_PARTS)
    ]
    assert [ran.code for ran in outputs] == [FINE, FINE]
    assert outputs[0].out == outputs[1].out
    assert "counted as empty: a" in " ".join(outputs[1].err.split())


def test_predictions_of_single_golds_are_not_pooled(folders: tuple[Path, Path]) -> None:
    ran = run("timelines", *folders, "--golds", "pooled")
    assert ran.code == BAD_DATA
    assert "'set-egypt' has 2 predictions (ap, bbc), and golds that are pooled want one" in ran.err


def test_python_has_the_same_options(tmp_path: Path) -> None:
    path = renamed(tmp_path / "quick.jsonl", {"apollo-11": "moon"})
    with pytest.raises(DataError, match="1 prediction has no gold of its name"):
        chronoscore.score("timelines", GOLD, path)
    skipped = chronoscore.score("timelines", GOLD, path, options={"extra": "skip"})
    mapped = chronoscore.score("timelines", GOLD, path, rename={"moon": "apollo-11"})
    assert skipped["AR-1"] < mapped["AR-1"]
    assert mapped["AR-1"] == chronoscore.score("timelines", GOLD, QUICK)["AR-1"]
    capitals = renamed(tmp_path / "c.jsonl", {topic: topic.upper() for topic in TOPICS})
    with pytest.raises(DataError, match="no gold of their name"):
        chronoscore.score("timelines", GOLD, capitals, options={"match": "exact"})
    with pytest.raises(UsageError, match="rename is for timelines"):
        chronoscore.score("ordering", GOLD, QUICK, rename={"a": "b"})


def test_the_names_are_saved_and_read_again(tmp_path: Path) -> None:
    path = renamed(tmp_path / "quick.jsonl", {topic: f"run_{topic}" for topic in TOPICS})
    saved = tmp_path / "result.json"
    assert run("timelines", GOLD, path, "--save", saved).code == FINE
    result = load(saved)
    assert result.systems[0].names == {f"run_{topic}": topic for topic in TOPICS}
    assert decode(encode(result)) == result
    assert run("show", saved, "--by", "topic").code == FINE
    plain = scored("timelines", GOLD, {"quick": QUICK}).result
    assert b'"names"' not in encode(plain)


def test_every_trial_is_matched_by_itself(tmp_path: Path) -> None:
    one = renamed(tmp_path / "one.jsonl", {topic: f"one_{topic}" for topic in TOPICS})
    two = renamed(tmp_path / "two.jsonl", {topic: f"{topic}_two" for topic in TOPICS})
    for plan in (None, Plan("here", chunk=2)):
        result = scored("timelines", GOLD, {"quick": [one, two]}, plan).result
        assert len(result.systems[0].names or {}) == 2 * len(TOPICS)
        assert len(result.systems[0].rows) == 20
        assert {notice.split(":")[0] for notice in result.notices} == {
            "quick, trial 1",
            "quick, trial 2",
        }


def test_all_variants_are_of_matched_names(tmp_path: Path) -> None:
    path = renamed(tmp_path / "quick.jsonl", {topic: topic.upper() for topic in TOPICS})
    assert run("timelines", GOLD, path, "--all-variants").out == (
        run("timelines", GOLD, QUICK, "--all-variants").out
    )


def test_all_variants_take_a_single_file_for_the_gold(tmp_path: Path) -> None:
    for name in ("gold", "mine"):
        (tmp_path / f"{name}.txt").write_text(day("Something"))
    ran = run("timelines", tmp_path / "gold.txt", tmp_path / "mine.txt", "--all-variants")
    assert (ran.code, ran.notices) == (
        FINE,
        [f"{tmp_path}/mine.txt: taken as the prediction of 'gold'"],
    )


def test_a_map_is_no_word_without_a_topic() -> None:
    ran = run("timelines", GOLD, QUICK, "--rename", "apollo-11")
    assert ran.code == USAGE
    assert "there is no such file; or write PREDICTION=TOPIC" in ran.err


def test_the_name_of_a_folder_is_not_cut_at_its_last_dot(tmp_path: Path) -> None:
    for name in ("pred_0.6_1.4_1", "pred_0.6_1.2_1"):
        (tmp_path / name).mkdir()
        assert stem_of(tmp_path / name) == name


def test_a_released_output_is_paired_as_published() -> None:
    home = real("collections/sdf-tls")
    expected = json.loads((home / "expected.json").read_text())["expected"]["pairs"]
    predicted = home / "system_output" / "CRISIS_bestds"
    words = ("--encoding", "latin-1", "--lenient", "-f", "json")
    ran = run("timelines", home / "gold-timelines", predicted, *words)
    names = json.loads(ran.out)["systems"][0]["names"]
    assert names == {name: "/".join(pair) for name, pair in expected.items()}
