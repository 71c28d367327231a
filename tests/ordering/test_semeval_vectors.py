"""LinkCounts and printed values are those of the original scorers."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors_home import free, real

from chronoscore.compat.semeval2015 import (
    file_line,
    final_line,
    micro,
    missing_lines,
    percent,
    printed_scores,
)
from chronoscore.ordering.awareness import LinkCounts, Method, awareness
from chronoscore.ordering.model import Link, TargetTimeline, TimelineRow
from chronoscore.ordering.semeval import Mode, links, natural_key, repeated_mentions

COUNTS = ("prec_matched", "system_total", "rec_matched", "gold_total")


def parse(text: str) -> TargetTimeline:
    """The tab format as the original reads it: its first line and short rows go unseen."""
    lines = [line.rstrip(" \t\r\n\v\f") for line in text.split("\n")[1:]]
    fields = [(line, line.split("\t")) for line in lines]
    return TargetTimeline(
        tuple(
            TimelineRow(int(row[0]), row[1], tuple(row[2:]), line)
            for line, row in fields
            if len(row) >= 3
        )
    )


def parse_file(path: Path) -> TargetTimeline:
    return parse(path.read_bytes().decode("latin-1"))


def score(gold: TargetTimeline, system: TargetTimeline, mode: Mode) -> LinkCounts:
    return awareness(*links(gold, system, mode)[:2]).counts


def mode_of(vector: dict[str, Any]) -> Mode:
    return "order" if vector["ord"] else "full"


def test_fuzzed_timelines_have_the_official_counts_and_values() -> None:
    vectors = free("ordering/timelines_fuzz.json")
    assert len(vectors) == 600
    for vector in vectors:
        counts = score(parse(vector["gold"]), parse(vector["sys"]), mode_of(vector))
        assert list(counts) == vector["counts"], vector
        assert list(printed_scores(counts)) == vector["fpr"], vector


def test_official_data_has_the_official_counts_and_values() -> None:
    home = real("ordering/semeval2015")
    expected = json.loads((home / "expected.json").read_text(encoding="utf-8"))
    files: dict[tuple[str, str, bool], dict[str, Any]] = {}
    for row in expected["per_file"]:
        files.setdefault((row["corpus"], row["system"], row["ord"]), {})[row["file"]] = row
    assert len(files) == len(expected["micro"]) == 92
    for total in expected["micro"]:
        rows = files[total["corpus"], total["system"], total["ord"]]
        pooled = []
        for gold in sorted((home / total["corpus"] / "gold").iterdir()):
            answer = home / total["corpus"] / f"sys_{total['system']}" / gold.name
            row = rows[gold.name]
            assert answer.exists() != ("skipped" in row)
            if answer.exists():
                counts = score(parse_file(gold), parse_file(answer), mode_of(row))
                assert counts == tuple(row[name] for name in COUNTS), row
                assert printed_scores(counts) == (row["F"], row["P"], row["R"])
                pooled.append(counts)
        assert [sum(column) for column in zip(*pooled, strict=True)] == [total[n] for n in COUNTS]
        assert micro(pooled) == (total["F"], total["P"], total["R"]), total


@pytest.mark.parametrize("method", ["default", "acl11"])
def test_relation_lists_have_the_counts_of_an_exact_closure(method: Method) -> None:
    vectors = free("ordering/relations.json")
    assert len(vectors) == 700
    for vector in vectors:
        gold, system = ([Link(*link) for link in vector[side]] for side in ("gold", "system"))
        counts = awareness(gold, system, method, lenient=True).counts
        assert list(counts) == vector["exact_closure"][method], vector["id"]


@pytest.mark.parametrize(
    ("part", "whole", "printed"),
    [
        (1, 128, "0.7813"),  # a half: 0.0078125, where Python 3 gives 0.7812
        (3, 128, "2.3438"),
        (5, 128, "3.9063"),
        (65, 128, "50.7813"),
        (127, 128, "99.2188"),
        (0.1234565, 1, "12.3456"),  # the float is a little less than a half
        (1, 3, "33.3333"),
        (29, 100, "29.0"),
        (1, 1_000_000, "0.0001"),
        (1, 3_000_000, "0.0"),
        (999_999, 1_000_000, "99.9999"),
        (1, 1, "100.0"),
        (0, 1, "0.0"),
    ],
)
def test_percent_is_that_of_python_2(part: float, whole: float, printed: str) -> None:
    assert percent(part / whole) == printed


def test_micro_f_comes_from_rounded_precision_and_recall() -> None:
    assert micro([(1, 100, 1, 0), (0, 28, 2, 128)]) == ("1.1719374996", "0.7813", "2.3438")


def test_nothing_to_score_is_printed_as_zero() -> None:
    assert micro([]) == micro([(0, 0, 0, 7)]) == ("0.0", "0.0", "0.0")
    assert printed_scores((0, 3, 0, 0)) == ("0.0", "0.0", "0.0")


def test_lines_are_those_of_the_original() -> None:
    scores = ("81.4815", "68.75", "100.0")
    assert file_line("ipod.txt", scores) == (
        "ipod.txt\tFSCORE\t81.4815\tPRECISION\t68.75\tRECALL\t100.0"
    )
    assert final_line(scores) == (
        "\tMICRO-FSCORE\t81.4815\tMICRO-PRECISION\t68.75\tMICRO-RECALL\t100.0"
    )
    assert missing_lines("answers", "ipod.txt") == (
        "No answer file found answers/ipod.txt",
        "Skipping the evaluation of it. Fscore set at 0",
    )


def timelines(mentions: st.SearchStrategy[list[str]]) -> st.SearchStrategy[TargetTimeline]:
    positions, anchors = st.integers(0, 4), st.sampled_from(["2001", "2002", "XXXX-XX-XX"])

    def rows(words: list[str]) -> st.SearchStrategy[tuple[TimelineRow, ...]]:
        row = (st.builds(TimelineRow, positions, anchors, st.just((word,))) for word in words)
        return st.tuples(*row)

    return st.builds(TargetTimeline, mentions.flatmap(rows))


words = st.text("abc", min_size=1, max_size=3)
unique = timelines(st.lists(words, unique=True, max_size=9))
repeated = timelines(st.lists(st.sampled_from("abc"), max_size=9))
modes = st.sampled_from(["full", "order"])


@given(unique, modes)
def test_gold_with_unique_mentions_verifies_all_of_itself(gold: TargetTimeline, mode: Mode) -> None:
    assert repeated_mentions(gold) == ()
    counts = score(gold, gold, mode)
    assert counts.precision_matched == counts.system_total == counts.gold_total
    assert counts.recall_matched == counts.gold_total


@given(repeated, modes)
def test_gold_scores_itself_in_full_unless_mentions_are_reported(
    gold: TargetTimeline, mode: Mode
) -> None:
    gold_links, copy_links, *_ = links(gold, gold, mode)
    if repeated_mentions(gold):
        assert mode == "order" or gold_links != copy_links
    else:
        assert gold_links == copy_links


@given(repeated, repeated, modes, st.randoms(use_true_random=False))
def test_order_of_rows_in_the_file_changes_nothing(
    gold: TargetTimeline, system: TargetTimeline, mode: Mode, random: Any
) -> None:
    shuffled = TargetTimeline(tuple(random.sample(system.rows, len(system.rows))))
    assert links(gold, system, mode) == links(gold, shuffled, mode)


def test_rows_sort_by_the_text_of_their_line() -> None:
    spaced = parse("title\n 2\t2001\tb\n10\t2001\tc\n1\t2001\ta\n")
    texts = [row.text for row in sorted(spaced.rows, key=lambda row: natural_key(row.text))]
    assert texts == ["1\t2001\ta", "10\t2001\tc", " 2\t2001\tb"]
    assert natural_key("a10") > natural_key("a9")


def test_events_at_position_0_are_left_out() -> None:
    timeline = parse("title\n0\t2001\ta\n1\t2001\tb\n")
    assert links(timeline, timeline, "full")[0] == [Link("e1", "t1", "SIMULTANEOUS")]
    assert score(timeline, timeline, "order") == (0, 0, 0, 0)


def test_mention_repeated_three_times_apart_loses_gold_its_own_full_score() -> None:
    gold = parse("title\n1\t2001\thit\n2\t2002\trun\n3\t2003\tfall\n4\t2004\thit\n5\t2005\thit\n")
    assert repeated_mentions(gold) == ("hit",)
    assert score(gold, gold, "full") == (6, 7, 6, 9)
