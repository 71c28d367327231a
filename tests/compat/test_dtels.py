"""The scorer of DTELS: its own answers, its command, and what bad files lead to."""

import io
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from every import each
from hypothesis import given
from hypothesis import strategies as st
from vectors_home import free

from chronoscore import api
from chronoscore.compat import dtels
from chronoscore.compat.dtels import command
from chronoscore.errors import DataError, UsageError

Record = dict[str, Any]
UNITS, FAULTS, TOPICS, CORPORA, TOKENS = (
    free(f"events/dtels_{name}.json") for name in ("units", "faults", "topics", "corpora", "tokens")
)
ON_ANOTHER_PROCESSOR = "free_cpu_dependent"
NAMES = {"granular_consistency": "granularity", "average": "score"}


def stored_tokens(text: str) -> Sequence[str]:
    tokens: Sequence[str] = TOKENS[text]
    return tokens


def answer(case: Mapping[str, Any], tokens: dtels.Tokens) -> Record:
    """Our answer in the layout of the stored ones."""
    try:
        scored = dtels.score_topic(
            case["predicted"], case["gold"], case.get("N", "N"), tokens=tokens
        )
    except dtels.DroppedTopicError as error:
        return {"error": error.original}
    told, edges, facts = scored.informativeness, scored.granularity, scored.factuality
    return {
        "informativeness": told.score,
        "matches": [list(match) for match in told.matches],
        "granularity": edges.score,
        **(
            {
                "granularity_levels": edges.levels,
                "matched_edges": edges.matched_edges,
                "gold_edges": edges.gold_edges,
            }
            if len(told.matches) > 1
            else {}
        ),
        "factuality": facts.score,
        "facts": {
            node: {
                **{str(place): int(verdict) for place, verdict in verdicts.items()},
                "score": sum(verdicts.values()) / len(verdicts),
            }
            for node, verdicts in facts.facts.items()
        },
        "average": scored.numbers.score,
    }


# The answers of the original


def test_entailments_are_those_of_the_original() -> None:
    for case in UNITS["entailment"]:
        tokens = {case["text"]: case["tokens_text"], case["atom"]: case["tokens_atom"]}
        try:
            recall: object = dtels.entailment(case["text"], case["atom"], tokens.__getitem__)
        except dtels.DroppedTopicError as error:
            recall = {"error": error.original}
        assert recall == case["recall"], case


def test_days_are_those_of_the_original() -> None:
    assert [[time, dtels.ordinal(time)] for time, _ in UNITS["ordinals"]] == UNITS["ordinals"]


@each("case", FAULTS + TOPICS, ids=lambda case: case["name"])
def test_the_numbers_of_a_topic_are_those_of_the_original(case: Mapping[str, Any]) -> None:
    expected = "answer_avx2" if case["name"] == ON_ANOTHER_PROCESSOR else "answer"
    assert answer(case, stored_tokens) == case[expected]


@pytest.mark.parametrize("case", CORPORA, ids=lambda case: case["name"])
def test_the_means_over_topics_are_those_of_the_original(case: Mapping[str, Any]) -> None:
    result = dtels.score_topics(
        case["gold"], case["predicted"], dropped="skip", tokens=stored_tokens
    )
    renamed = {
        topic: {NAMES.get(name, name): number for name, number in numbers.items()}
        for topic, numbers in {"": case["answer"]["overall"], **case["answer"]["topics"]}.items()
    }
    topics = {topic: asdict(scored.numbers) for topic, scored in result.topics.items()}
    assert {"": asdict(result.overall), **topics} == renamed


def test_tokens_are_those_of_jieba() -> None:
    pytest.importorskip("rjieba", reason="needs chronoscore[cjk]")
    assert {text: dtels.jieba_tokens(text) for text in TOKENS} == TOKENS


def test_faults_are_the_same_with_tokens_of_our_own() -> None:
    pytest.importorskip("rjieba", reason="needs chronoscore[cjk]")
    for case in FAULTS:
        assert answer(case, dtels.jieba_tokens) == answer(case, stored_tokens), case["name"]


# Segments and their ranks


WORDS = st.lists(st.sampled_from("abcde"), min_size=1, max_size=8)


@given(st.lists(WORDS, min_size=1, max_size=8), st.lists(st.sampled_from("abcdxy"), max_size=6))
def test_bm25_is_its_formula(segments: list[list[str]], query: list[str]) -> None:
    counts, number = [Counter(words) for words in segments], len(segments)
    mean = sum(map(len, segments)) / number
    occurring = sorted(set().union(*segments))
    idf = {}
    for word in occurring:
        having = sum(word in words for words in segments)
        idf[word] = math.log((number - having + 0.5) / (having + 0.5))
    floor = 0.25 * math.fsum(idf.values()) / len(idf)
    expected = [
        math.fsum(
            (idf[word] if idf[word] >= 0 else floor)
            * (2.5 * count[word] / (count[word] + 1.5 * (0.25 + 0.75 * count.total() / mean)))
            for word in query
            if word in idf
        )
        for count in counts
    ]
    found = dtels.bm25([" ".join(words) for words in segments], " ".join(query))
    assert found.tolist() == pytest.approx(expected, abs=1e-12)


def segment(word: str = "rain") -> str:
    """A segment of 256 characters that begins with a word."""
    return f" {word} falls on the city ".ljust(255, "-") + " "


def article_of(*words: str) -> Record:
    """An article that is cut into a segment for each word; its empty title ends in a line end."""
    return {"title": "", "content": "".join(map(segment, words))[1:]}


def fact_node(summary: str, **fields: object) -> Record:
    return {"id": "p", "time": "2011-02-11", "summary": summary, "atoms": ["a b"], **fields}


@pytest.mark.parametrize(
    ("words", "depends"),
    [
        (["rain"] * 3, False),
        (["rain"] * 16, False),
        (["rain"] * 17, True),
        (["snow", "rain", "rain", "rain"], True),
        (["snow", "snow", "snow", *["rain"] * 4], False),
        (["snow", "snow", "snow", *["rain"] * 17], False),
    ],
)
def test_a_tie_for_the_third_place_is_known_to_depend_on_the_processor(
    words: Sequence[str], depends: bool
) -> None:
    found = dtels.factuality([fact_node("snow")], {"": [article_of(*words)]}, tokens=str.split)
    assert found.ties == (("p",) if depends else ())


@pytest.mark.parametrize("place", range(16))
def test_of_equal_segments_the_last_three_are_read(place: int) -> None:
    words = ["rain"] * 16
    words[place] = "a b"
    found = dtels.factuality([fact_node("sun")], {"": [article_of(*words)]}, tokens=str.split)
    assert found.facts == {"p": {0: place >= 13}}


@pytest.mark.parametrize(
    ("times", "node_time", "read"),
    [
        (("2012-03-01", "2012-03-02"), "2012-01-01", [True, False]),  # 60 and 61 real days
        (("2012-03-02", "2012-03-03"), "2012-01-01", [True, True]),  # none is near
        (("2012-01-01T23:59", ""), "2012-01-01", [True, False]),
        (("2012-01-01", "2013-01-01"), "2012-02-30", [True, True]),  # no day of the calendar
    ],
)
def test_articles_are_those_of_sixty_days_around_a_node(
    times: Sequence[str], node_time: str, read: list[bool]
) -> None:
    articles = [
        {"time": time, "title": word, "content": "-" * 30}
        for time, word in zip(times, ("one", "two"), strict=True)
    ]
    node = {"id": "p", "time": node_time, "atoms": ["one", "two"]}
    found = dtels.factuality([node], {"": articles}, tokens=str.split)
    assert list(found.facts["p"].values()) == read


ARTICLE = {"time": "2011-02-11", "title": "a b", "content": "and twenty characters more"}


def test_a_node_may_name_the_articles_of_another_topic() -> None:
    articles: dict[dtels.Id, list[Record]] = {"t": [], "other": [ARTICLE]}
    for topic, score in (("t", 0.0), ("other", 1.0)):
        nodes = [fact_node("a", topic_id=topic)]
        assert dtels.factuality(nodes, articles, "t", str.split).score == score
    with pytest.raises(dtels.DroppedTopicError, match="node 'p' names the unknown topic 'x'"):
        dtels.factuality([fact_node("a", topic_id="x")], articles, "t", str.split)


def test_a_node_named_fact_score_is_left_out_of_the_mean() -> None:
    false = {"id": "q", "atoms": ["c"]}
    for id_, score in (("r", 0.5), ("fact_score", 1.0)):
        nodes = [fact_node("a"), {**false, "id": id_}]
        assert dtels.factuality(nodes, {"": [ARTICLE]}, tokens=str.split).score == score


def test_means_add_from_left_to_right_on_every_python() -> None:
    # numpy's mean, and sums of Python 3.12, give 0.5625
    (case,) = (case for case in TOPICS if case["name"] == "free_021")
    shares = [node["score"] for node in case["answer"]["facts"].values()]
    assert case["answer"]["factuality"] == 0.5624999999999999 != np.mean(shares)
    assert answer(case, stored_tokens)["factuality"] == 0.5624999999999999


# Files and the command


NODE = {"id": "a", "time": "2011-02-11", "summary": "穆巴拉克辞职", "atoms": ["穆巴拉克辞职"]}
OTHER = {"id": "b", "time": "2011-02-12", "summary": "军方接管", "atoms": ["军方接管"]}
GOLD: Record = {"timeline": [NODE, OTHER], "meta_timeline": {}, "docs": []}
BLANK = {**NODE, "atoms": [" "]}


def lines(*records: object) -> str:
    texts = (one if isinstance(one, str) else json.dumps(one) for one in records)
    return "".join(f"{text}\n" for text in texts)


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Any:
    """Runs the command on two texts; ours are given, since they are tested apart."""
    pytest.importorskip("rjieba", reason="needs chronoscore[cjk]")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "ours", lambda *_: {"event-timed": 0.25, "event-order": 0.125})

    def run(gold: str | bytes, predicted: str | bytes, *options: str) -> tuple[int, str, str]:
        for name, text in (("gold.jsonl", gold), ("predicted.jsonl", predicted)):
            Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
        code = command.main(["gold.jsonl", "predicted.jsonl", *options])
        return code, *capsys.readouterr()

    return run


def test_the_command_prints_what_the_outer_script_prints(call: Any) -> None:
    code, out, err = call(lines({"id": "t", **GOLD}), lines({"id": "t", "timeline": [NODE, OTHER]}))
    assert code == 0
    assert out == (
        '{"success": true, "score": 0.6666666666666666, "scoreJson": '
        '{"info": 1.0, "granu": 1.0, "fact": 0.0, "score": 0.6666666666666666}}\n'
    )
    rows = [line.split(maxsplit=4) for line in err.splitlines()[-4:]]
    assert [row[:4] for row in rows] == [
        ["info", "1.000", "event-timed", "0.250"],
        ["granu", "1.000", "event-order", "0.125"],
        ["fact", "0.000", "event-facts", "-"],
        ["score", "0.667", "-", "-"],
    ]
    words = (
        "no recall",
        "a constant",
        "BM25 splits text at white space",
        "mean of three unlike numbers",
    )
    assert all(word in row[4] for word, row in zip(words, rows, strict=True))


def test_a_topic_that_raises_is_an_error_unless_it_is_skipped(call: Any) -> None:
    right, wrong = {"id": "t", "timeline": [NODE, OTHER]}, {"id": 2, "timeline": [BLANK]}
    files = lines({"id": "t", **GOLD}, {"id": 2, **GOLD}), lines(right, wrong)
    reason = (
        "node 'a' has only blank atoms (the original: ValueError: Collections must contain at "
        "least 1 sentence.)"
    )
    assert call(*files) == (
        3,
        "",
        f"error: predicted.jsonl:2: topic 2 can't be scored: {reason}; mend it, or leave it out "
        "of the mean, as the original does, with --dropped skip (in Python: dropped='skip')\n",
    )
    code, out, err = call(*files, "--dropped", "skip")
    assert (code, json.loads(out)["score"]) == (0, 2 / 3)
    left_out = "topic 2 is left out of the mean, as in the original"
    assert err.startswith(f"notice: predicted.jsonl:2: {left_out}: {reason}\n")


def test_nothing_left_to_score_is_an_error(call: Any) -> None:
    gold, predicted = lines({"id": "t", **GOLD}), lines({"id": "t", "timeline": [BLANK]})
    code, out, err = call(gold, predicted, "--dropped", "skip")
    assert (code, out) == (3, "")
    assert err.startswith("error: nothing was scored: no topic is left")


def test_a_level_is_scored_and_one_that_is_missing_is_noted(call: Any) -> None:
    gold = {"id": "t", **GOLD, "meta_timeline": {"5": {"timeline": [OTHER]}, "N": {}}}
    files = (
        lines(gold, {"id": "u", **GOLD}),
        *(lines(*({"id": id_, "timeline": [OTHER]} for id_ in ("t", "u"))),),
    )
    code, out, err = call(*files, "--level", "5")
    assert (code, json.loads(out)["scoreJson"]["info"]) == (0, 1.0)
    assert "notice: gold.jsonl:1: topic 't' has a level named 'N', which is the name of" in err
    missing = "without level 5, and so scored against the whole gold: 1 topic ('u')\n"
    assert f"notice: {missing}" in err


def test_a_gold_that_the_original_ignores_is_noted(call: Any) -> None:
    both = [{"id": id_, "timeline": [NODE, OTHER]} for id_ in ("t", "u")]
    code, out, err = call(lines({"id": "t", **GOLD}, {**both[1], "docs": []}), lines(*both))
    assert (code, json.loads(out)["score"]) == (0, 2 / 3)
    assert "notice: gold.jsonl:2: topic 'u' has no 'meta_timeline': it is not scored, as" in err


def test_ties_are_noted(call: Any) -> None:
    article = {"time": "", "title": "", "content": "一" * 256 * 17}
    gold = lines({"id": "t", **GOLD, "docs": [article]})
    _, _, err = call(gold, lines({"id": "t", "timeline": [NODE, OTHER]}))
    depends = "the factuality of the original depends on the processor for 2 nodes"
    assert f"notice: {depends} ('a' of 't', 'b' of 't'): more segments" in err


def test_scores_of_ours_that_fail_leave_the_print_out_as_it_is(
    call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Mapping[str, float]:
        raise DataError.of("no event has a text")

    files = lines({"id": "t", **GOLD}), lines({"id": "t", "timeline": [NODE, OTHER]})
    expected = call(*files)[1]
    monkeypatch.setattr(command, "ours", fail)
    code, out, err = call(*files)
    assert (code, out) == (0, expected)
    assert "notice: there are no scores of ours: no event has a text\n" in err


GOOD = lines({"id": "t", **GOLD})
PREDICTED = lines({"id": "t", "timeline": [NODE]})


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ("<no>\n", PREDICTED, "gold.jsonl:1: not JSON: "),
        (GOOD, PREDICTED + "[1]\n", "predicted.jsonl:2: the line is a list, expected an object"),
        (GOOD, '{"id": "t"', "predicted.jsonl:1: the JSON ends too early"),
        (GOOD, "", "predicted.jsonl: the file is empty"),
        (lines(GOLD), PREDICTED, "gold.jsonl:1: there is no 'id'"),
        (GOOD, lines({"timeline": []}), "predicted.jsonl:1: there is no 'id'"),
        (GOOD, lines({"id": "t"}), "predicted.jsonl:1: there is no 'timeline'"),
        (lines({"id": "t", "timeline": []}), PREDICTED, "gold.jsonl:1: there is no 'docs'"),
        (
            GOOD + GOOD,
            PREDICTED,
            "gold.jsonl:2: topic 't' is there twice, first in line 1: keep one of the lines",
        ),
        (
            GOOD,
            PREDICTED + PREDICTED,
            "predicted.jsonl:2: topic 't' is there twice, first in line 1: keep one of the lines",
        ),
        (
            GOOD + lines({"id": 5, **GOLD}),
            PREDICTED,
            "gold.jsonl:2: topic 5 has no line in predicted.jsonl: predict it, with an empty "
            "'timeline' if there is nothing to tell",
        ),
        (
            GOOD,
            PREDICTED + lines({"id": "u", "timeline": []}),
            "predicted.jsonl:2: topic 'u' is not in gold.jsonl: leave it out",
        ),
        (
            GOOD,
            lines({"id": "t", "timeline": [NODE, {**NODE, "time": 2011}]}),
            "predicted.jsonl:1: timeline[1].time is a whole number, expected text",
        ),
        (
            GOOD,
            lines({"id": "t", "timeline": [{**NODE, "atoms": ["a", None]}]}),
            "predicted.jsonl:1: timeline[0].atoms[1] is null, expected text",
        ),
        (
            lines({"id": "t", **GOLD, "meta_timeline": {"5": []}}),
            PREDICTED,
            "gold.jsonl:1: meta_timeline.5 is a list, expected an object",
        ),
        (
            lines({"id": "t", **GOLD, "docs": {}}),
            PREDICTED,
            "gold.jsonl:1: docs is an object, expected a list",
        ),
        (
            GOOD,
            lines({"id": "t", "timeline": [{**NODE, "topic_id": "x"}]}),
            "predicted.jsonl:1: topic 't' can't be scored: node 'a' names the unknown topic 'x'",
        ),
    ],
)
def test_bad_data_are_reported_with_their_place(
    call: Any, gold: str, predicted: str, message: str
) -> None:
    code, out, err = call(gold, predicted)
    assert (code, out) == (3, "")
    assert err.startswith(f"error: {message}")


def test_all_problems_of_both_files_are_reported_at_once(call: Any) -> None:
    _, _, err = call(lines({"id": "t"}, "no"), lines({"id": "t"}))
    assert [line.removeprefix("error: ").split(": ")[0] for line in err.splitlines()] == [
        "gold.jsonl:1",
        "gold.jsonl:2",
        "predicted.jsonl:1",
    ]


def test_a_missing_file_is_reported(call: Any, capsys: pytest.CaptureFixture[str]) -> None:
    call(GOOD, PREDICTED)
    assert command.main(["gold.jsonl", "absent.jsonl"]) == 3
    assert capsys.readouterr().err == "error: absent.jsonl: there is no such file\n"


@pytest.mark.parametrize("options", [["one"], ["a", "b", "--dropped", "x"], ["a", "b", "--x"]])
def test_wrong_options_are_usage_errors(options: list[str]) -> None:
    with pytest.raises(SystemExit) as error:
        command.main(options)
    assert error.value.code == 2


def test_values_of_the_wrong_kind_are_data_errors_in_python() -> None:
    with pytest.raises(DataError, match=r"\[0\].atoms is text, expected a list"):
        dtels.score_topic([{"atoms": "a"}], GOLD)
    with pytest.raises(DataError, match="there is no 'docs'"):
        dtels.score_topic([NODE], {"timeline": []})
    pytest.importorskip("rjieba", reason="needs chronoscore[cjk]")
    with pytest.raises(DataError, match=r"contains half a character \(U\+D800\)"):
        dtels.entailment("half \ud800", "a")


def test_a_topic_twice_and_an_unknown_way_are_refused_in_python() -> None:
    gold, predicted = {"id": "t", **GOLD}, {"id": "t", "timeline": [NODE]}
    for sides in (([gold] * 2, [predicted]), ([gold], [predicted] * 2)):
        with pytest.raises(DataError, match="has topic 't' twice: keep one of them"):
            dtels.score_topics(*sides)
    way: Any = "ignore"
    with pytest.raises(UsageError, match="dropped is 'ignore', expected 'error' or 'skip'"):
        dtels.score_topics([gold], [predicted], dropped=way)


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(
        ["", " ", "\n\n", "2011-02-30", "9" * 5000 + "-1-1", "......?”", "\ud800", "\0"]
    ),
    st.lists(st.text(max_size=3), max_size=3),
    st.just({}),
)


def places_in(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all values within a value."""
    items = list(enumerate(value)) if isinstance(value, list) else []
    inner: list[tuple[Any, object]] = [*(value.items() if isinstance(value, dict) else items)]
    return [path, *(place for key, one in inner for place in places_in(one, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], new: object) -> Any:
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = changed(value[path[0]], path[1:], new)
    return copy


RICH: Record = {
    "id": "t",
    "timeline": [NODE, OTHER],
    "meta_timeline": {"5": {"timeline": [OTHER]}},
    "docs": [{"time": "2011-02-11", "title": "辞职", "content": "穆巴拉克辞职，" * 60}],
}


@given(data=st.data())
def test_a_changed_file_is_scored_or_refused_in_words(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sides: list[Any] = [[RICH], [{"id": "t", "timeline": [NODE, OTHER]}]]
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places_in(sides)[3:]))
        if path in places_in(sides):
            sides = changed(sides, path, data.draw(ODD))
    texts = [lines(*side).encode() if isinstance(side, list) else b"" for side in sides]
    if data.draw(st.booleans()):
        cut = data.draw(st.integers(0, len(texts[1])))
        texts[1] = texts[1][:cut] + data.draw(st.binary(max_size=3)) + texts[1][cut + 1 :]
    gold, predicted = (tmp_path_factory.mktemp("changed") / name for name in ("gold", "predicted"))
    gold.write_bytes(texts[0])
    predicted.write_bytes(texts[1])
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = command.main([str(gold), str(predicted), "--dropped", "skip"])
    if code == 0:
        scores = json.loads(out.getvalue())["scoreJson"]
        assert all(0 <= scores[key] <= 1 for key in ("info", "granu", "fact", "score"))
    else:
        assert (code, out.getvalue()) == (3, "")
        named = ("error: nothing was scored", f"error: {gold}:", f"error: {predicted}:")
        assert err.getvalue().startswith(named)


# Ours.

Topics = dict[dtels.Id, list[Record]]
needs_jieba = pytest.mark.skipif(find_spec("rjieba") is None, reason="needs chronoscore[cjk]")
ENGLISH = {"time": "2011-02-11", "summary": "Mubarak resigns as president.", "atoms": []}


@needs_jieba
def test_ours_scores_a_copy_with_one() -> None:
    topics: Topics = {"t": [NODE, OTHER]}
    expected = {"event-timed": 1.0, "event-order": 1.0, "event-facts": 1.0}
    assert dtels.ours(topics, topics) == expected


@needs_jieba
def test_ours_has_recall() -> None:
    gold: Topics = {"t": [NODE, OTHER]}
    assert dtels.ours(gold, {"t": [NODE]})["event-timed"] == pytest.approx(2 / 3)


@needs_jieba
def test_ours_counts_the_facts_that_the_gold_event_has() -> None:
    told = {**NODE, "atoms": [*NODE["atoms"], "医生罢工"]}
    scores = dtels.ours({"t": [NODE, OTHER]}, {"t": [told, OTHER]})
    assert scores["event-facts"] == pytest.approx(2 / 3)


@needs_jieba
def test_ours_compares_no_facts_where_a_side_has_none() -> None:
    gold: Topics = {"t": [NODE]}
    assert dtels.ours(gold, {"t": [{**NODE, "atoms": []}]}) == {
        "event-timed": 1.0,
        "event-order": pytest.approx(math.nan, nan_ok=True),
    }


@needs_jieba
@pytest.mark.parametrize(
    ("node", "setting"),
    [(NODE, "(tokens=jieba,threshold=0.2)"), (ENGLISH, "")],
    ids=["Chinese", "English"],
)
def test_ours_reads_chinese_by_jieba(node: Record, setting: str) -> None:
    late = {**node, "time": "2011-02-13", "summary": f"{node['summary']} {OTHER['summary'][:1]}"}
    sides = ({"t": dtels.events_of([one])} for one in (node, late))
    metric = f"event-timed{setting}"
    expected = api.score("events", *sides, metrics=metric)[metric]
    assert 0 < expected < 1
    assert dtels.ours({"t": [node]}, {"t": [late]})["event-timed"] == expected


@needs_jieba
def test_the_command_says_how_ours_are_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.jsonl").write_text(lines({"id": "t", **GOLD}), encoding="utf-8")
    Path("told.jsonl").write_text(lines({"id": "t", "timeline": [NODE]}), encoding="utf-8")
    assert command.main(["gold.jsonl", "told.jsonl"]) == 0
    err = capsys.readouterr().err
    assert err.startswith("notice: ours are computed with tokens=jieba,threshold=0.2, since most")
    rows = [line.split(maxsplit=4) for line in err.splitlines()]
    found = [row[:4] for row in rows if row[0] in ("info", "fact")]
    assert found == [
        ["info", "1.000", "event-timed", "0.667"],
        ["fact", "0.000", "event-facts", "1.000"],
    ]
