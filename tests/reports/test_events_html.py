"""The report of events: pairs with dates, numbers and conflicts, and what became of others."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from reports.made import demo, report

from chronoscore.core.problems import Problems
from chronoscore.core.result import CaseTexts
from chronoscore.core.sources import source_of
from chronoscore.engines.plan import Inputs
from chronoscore.engines.scoring import Scored, score_sources
from chronoscore.engines.settings import Settings
from chronoscore.evaluation.pages import evaluation_report
from chronoscore.evaluation.running import evaluate
from chronoscore.events import pages
from chronoscore.events.family import FAMILY
from chronoscore.reports.html.lanes import LaneItem, LaneLink, two_lanes
from chronoscore.reports.matches import matched_cases

Told = tuple[str, str, str]
"""The id, the date and the text of an event."""
GOLD: dict[str, Sequence[Told]] = {
    "harbour": (
        (
            "g1",
            "2019-03-04",
            "The harbour office closes the northern dock after a crane collapses "
            "and two barges sink beside the customs house.",
        ),
        ("g2", "2019-03-06", "Divers recover the engine of the tug Marigold."),
        ("g3", "2019-03-06", "Insurers send surveyors to inspect the broken crane."),
        ("g4", "2019-03-09", "Police say 14 dockers were injured on the quay."),
        ("g5", "2019-03-12", "The minister resigns over the harbour inquiry."),
        ("g6", "2019-04", "Varga sues Olsen over the lease of the warehouse."),
        ("g7", "", "Fishermen blame the dredging company for the silt."),
        ("g8", "2019-05-20", "A ferry line to the islands opens again."),
        ("g9", "2019-05-21", "A ferry line to the mainland opens again."),
        ("g10", "2019-06-01", "Schoolchildren paint a mural on the sea wall."),
    ),
    "洪水": (
        ("z1", "2020-07-01", "暴雨引发洪水，三座桥梁被冲毁"),
        ("z2", "2020-07-05", "军队抵达灾区运送饮用水"),
    ),
}
PREDICTED: dict[str, Sequence[Told]] = {
    "harbour": (
        (
            "p1",
            "2019-03-04",
            "The harbour office closes the northern dock after a crane collapses.",
        ),
        ("p2", "2019-03-04", "Two barges sink beside the customs house."),
        ("p3", "2019-03-05", "The harbour office closes the northern dock."),
        (
            "p4",
            "2019-03-06",
            "Divers recover the engine of the tug Marigold and insurers send "
            "surveyors to inspect the broken crane.",
        ),
        ("p5", "2019-03-10", "Police say 41 dockers were injured on the quay."),
        ("p6", "2019-03-12", "The minister does not resign over the harbour inquiry."),
        ("p7", "2019-04-10", "Olsen sues Varga over the lease of the warehouse."),
        ("p8", "2019-05-02", "Fishermen blame the dredging company for the silt."),
        ("p9", "2019-05-20", "A ferry line opens again."),
        ("p10", "2019-05-21", "A ferry line opens again."),
        ("p11", "", "A brewery moves into the old <b>fish market</b>."),
    ),
    "洪水": (
        ("y1", "2020-07-01", "暴雨造成洪水，三座桥梁被毁"),
        ("y2", "2020-07-02", "学校停课"),
    ),
}


def lines(timelines: Mapping[str, Sequence[Told]]) -> str:
    return "".join(
        json.dumps({"id": name, "topic": topic, "text": text, **({"date": date} if date else {})})
        + "\n"
        for topic, events in timelines.items()
        for name, date, text in events
    )


def scored(
    gold: str, predicted: str, metrics: tuple[str, ...] = (), suffix: str = "jsonl"
) -> Scored:
    with TemporaryDirectory() as folder:
        paths = [Path(folder, f"{name}.{suffix}") for name in ("gold", "system")]
        for path, text in zip(paths, (gold, predicted), strict=True):
            path.write_text(text, encoding="utf-8")
        inputs = Inputs(source_of(paths[0]), {"system": [source_of(paths[1])]})
        settings = Settings.make(FAMILY, metrics=metrics)
        return score_sources(settings, inputs, Problems(), explain=True)


@cache
def harbour(metrics: tuple[str, ...] = ()) -> Scored:
    return scored(lines(GOLD), lines(PREDICTED), metrics)


def page_of(found: Scored) -> str:
    return report(found.result, found.matches, found.texts)


def static(text: str) -> str:
    """The page without its data and scripts."""
    return re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


def plain(text: str) -> str:
    """What a reader sees."""
    words = re.sub(r"<[^>]+>", " ", re.sub(r"</?mark>", "", text))
    return re.sub(r"\s+", " ", unescape(words)).strip()


def pairs_of(found: Scored) -> dict[str, str]:
    """The pairs of the page without its script, by the name of the gold event."""
    rows = re.findall(r'<li class="pair .*?(?=<li class="pair |</ol>)', static(page_of(found)))
    by_name = {re.findall(r'class="id">(.*?)<', row)[0]: row for row in rows}
    assert len(by_name) == len(rows)
    return by_name


def test_a_pair_shows_both_texts_dates_and_numbers_without_a_script() -> None:
    row = pairs_of(harbour())["g4"]
    assert plain(row) == (
        "gold 9 Mar 2019 g4 Police say 14 dockers were injured on the quay. "
        "predicted 10 Mar 2019 p5 Police say 41 dockers were injured on the quay. "
        "1 day apart conflict: number similarity 0.75 closeness 0.50 credit of "
        "event-timed 0.50 event-f1 1.00 text-quality 0.80 event-soft 0.44 event-date 0.00"
    )
    assert "<mark>Police</mark> say 14 <mark>dockers</mark> were <mark>injured</mark>" in row


def test_every_pair_of_the_matching_is_on_the_page_once() -> None:
    matched = {
        (match.gold, match.predicted)
        for item in harbour().matches
        if item.metric == harbour().result.metrics[0].name
        for match in item.matches
        if match.outcome.startswith("matched")
    }
    shown = {
        tuple(re.findall(r'class="id">(.*?)<', row)[:2]) for row in pairs_of(harbour()).values()
    }
    assert shown == matched
    assert len(shown) == 9


@pytest.mark.parametrize(
    ("gold", "badges"),
    [
        ("g1", ["part of a matched event", "repeats a matched event"]),
        ("g2", []),
        ("g3", ["merged into a matched event"]),
        ("g4", ["conflict: number"]),
        ("g5", ["conflict: negation"]),
        ("g6", ["conflict: roles"]),
        ("g7", []),
        ("g8", ["reused text"]),
        ("g9", ["reused text"]),
    ],
)
def test_conflicts_reuse_and_what_belongs_to_a_pair_are_badges(
    gold: str, badges: list[str]
) -> None:
    row = pairs_of(harbour()).get(gold, "")
    assert re.findall(r'class="badge[^"]*">(.*?)<', row) == badges


def test_parts_and_merged_events_stand_in_the_pair_that_they_belong_to() -> None:
    pairs = pairs_of(harbour())
    assert "Two <mark>barges</mark> <mark>sink</mark>" in pairs["g1"]
    assert "5 Mar 2019 p3" in plain(pairs["g1"])
    assert "<mark>Divers</mark> <mark>recover</mark>" in pairs["g3"]


@pytest.mark.parametrize(
    ("gold", "words"),
    [("g6", "14.5 days apart"), ("g7", "gold has no date"), ("g8", "same date")],
)
def test_a_month_is_days_apart_and_a_missing_date_is_told(gold: str, words: str) -> None:
    assert f'<p class="apart">{words}</p>' in pairs_of(harbour())[gold]


def test_the_bar_of_a_pair_has_the_step_of_its_closeness() -> None:
    steps = {
        name: re.findall(r'class="pair close-(\d)"', row)[0]
        for name, row in pairs_of(harbour()).items()
    }
    assert {name: steps[name] for name in ("g1", "g4", "g6", "g7")} == {
        "g1": "0",
        "g4": "1",
        "g6": "3",
        "g7": "4",
    }


def test_what_is_left_over_is_listed_and_texts_stay_text() -> None:
    (first, second) = re.findall(r'<div class="left-over">(.*?)</details>', page_of(harbour()))
    assert plain(first) == (
        "missed: 1 gold 1 Jun 2019 g10 Schoolchildren paint a mural on the sea wall. "
        "spurious: 1 predicted no date p11 A brewery moves into the old <b>fish market</b>."
    )
    assert "old &lt;b&gt;fish market&lt;/b&gt;" in first
    assert "学校停课" in plain(second)


def test_chinese_characters_that_both_have_are_marked() -> None:
    row = pairs_of(harbour())["z1"]
    assert "<mark>暴雨</mark>引发<mark>洪水</mark>，<mark>三座桥梁被</mark>冲<mark>毁</mark>" in row


def outcomes(text: str) -> list[tuple[int, dict[str, int]]]:
    """The total and the numbers of each bar."""
    blocks = re.findall(r'<div class="loss">(.*?)</dl>', text)
    return [
        (
            int(re.findall(r"<b>(\d+)</b>", block)[0]),
            {
                re.sub(r"<.*?>", "", word): int(number)
                for word, number in re.findall(r"<dt>(.*?)</dt><dd>(\d+)</dd>", block)
            },
        )
        for block in blocks
    ]


def test_outcomes_of_both_sides_add_up_to_their_events() -> None:
    (predicted, told), (gold, asked) = outcomes(page_of(harbour()))
    assert told.pop("of the matched, reused") == 2
    assert (predicted, told) == (13, {"matched": 9, "part": 1, "repeat": 1, "spurious": 2})
    assert (gold, asked) == (
        12,
        {"matched": 9, "merged": 1, "repeated in the gold": 0, "missed": 2},
    )
    assert sum(told.values()) == predicted
    assert sum(asked.values()) == gold


def test_matches_give_the_same_outcomes_as_the_rates() -> None:
    assert outcomes(page_of(harbour(("event-f1",)))) == outcomes(page_of(harbour()))


def test_the_three_numbers_stand_in_one_row_with_the_guard() -> None:
    table = re.findall(r"<table.*?</table>", page_of(harbour()).partition('id="outcomes"')[2])[0]
    assert plain(table).split(" system ")[1].split()[:8] == (
        ["event-timed", "F1", "event-f1", "F1", "text-quality", "mean", "event-soft", "F1"]
    )


@pytest.mark.parametrize("metrics", [(), ("event-f1",)])
def test_reuse_above_a_tenth_is_told(metrics: tuple[str, ...]) -> None:
    warning = "one text is matched with several gold events by system"
    gold = {"ferries": [one for one in GOLD["harbour"] if one[0] in ("g8", "g9")]}
    told = [one for one in PREDICTED["harbour"] if one[0] in ("p9", "p10")]
    assert warning in page_of(scored(lines(gold), lines({"ferries": told}), metrics))
    assert warning not in page_of(scored(lines(gold), lines({"ferries": told[:1]}), metrics))


def test_the_page_says_once_that_events_are_experimental() -> None:
    assert static(page_of(harbour())).count("experimental") == 1


def test_the_picture_has_a_mark_for_each_event_and_a_line_for_each_pair() -> None:
    first, second = re.findall(r'<svg class="lanes".*?</a></svg>', page_of(harbour()))
    assert len(re.findall(r'class="dot( open)?"', first)) == 10 + 11
    assert len(re.findall(r'class="line far-\d"', first)) == 7
    assert first.count("line nothing") == 1, "of the pair without a date"
    assert first.count("line attached-line") == 3
    assert first.count('class="cross"') == 2
    assert len(re.findall(r'<rect[^>]*class="dot"', first)) == 1, "the month"
    assert ">undated</text>" in first
    assert ">undated</text>" not in second


def test_events_of_one_day_are_stacked_and_others_are_not() -> None:
    def item(day: int) -> LaneItem:
        return LaneItem((day, day), f"day {day}", "", "#", is_linked=True, is_alone=False)

    drawn = two_lanes([item(0), item(0), item(90)], [item(50)], [LaneLink(0, 0, "far-3", "", "#")])
    places = re.findall(r'<svg x="([\d.]+)%" y="(\d+)"><circle', drawn)
    heights = [int(y) for _, y in places]
    assert heights[1] < heights[0] == heights[2] < heights[3]
    assert [float(x) for x, _ in places] == [2.0, 2.0, 98.0, pytest.approx(55.333)]


def test_close_times_are_drawn_apart_and_long_gaps_shortened() -> None:
    def item(day: int) -> LaneItem:
        return LaneItem((day, day), "", "", "#", is_linked=True, is_alone=False)

    drawn = two_lanes([item(day) for day in (0, 1, 1000)], [], [])
    first, second, last = (float(x) for x in re.findall(r'<svg x="([\d.]+)%"', drawn))
    assert second - first > 10
    assert last - second > 2 * (second - first)


def test_of_many_events_some_timelines_are_left_out_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pages, "MOST", 21)
    text = page_of(harbour())
    assert text.count('class="timeline"') == 1
    assert "1 more timeline of systems: --explain CASE prints the pairs of one." in text


def test_sentences_and_days_of_one_date_keep_their_own_texts() -> None:
    gold = {"t": [["2011-01-25", ["Police use tear gas on the marchers.", "A curfew begins."]]]}
    told = {"t": [["2011-01-26", ["Police fire tear gas on marchers.", "A curfew begins."]]]}
    found = scored(json.dumps(gold), json.dumps(told), suffix="json")
    (texts,) = found.texts
    assert texts.gold == {
        "2011-01-25": ("A curfew begins.",),
        "2011-01-25 (2)": ("Police use tear gas on the marchers.",),
        "2011-01-25 day": ("Police use tear gas on the marchers. A curfew begins.",),
    }
    assert set(texts.gold_times.values()) == {"2011-01-25"}
    assert set(texts.predicted_times.values()) == {"2011-01-26"}
    rows = re.findall(r'<li class="pair .*?(?=<li class="pair |</ol>)', page_of(found))
    assert [plain(row).partition(" predicted ")[0] for row in rows] == [
        "gold 25 Jan 2011 A curfew begins.",
        "gold 25 Jan 2011 Police use tear gas on the marchers.",
    ]


def test_an_explanation_has_dates_similarity_and_distance_in_order_of_time() -> None:
    found = harbour()
    (lines_of_case, _) = matched_cases(FAMILY, found.result, found.matches, found.texts)
    text = re.sub(r"\s+", " ", " ".join(lines_of_case))
    assert (
        "g4 (2019-03-09) with p5 (2019-03-10): matched; conflict: number; similarity 0.755, "
        "1 day apart, closeness 0.5; precision 0.5 of 1, recall 0.5 of 1"
    ) in text
    assert "g7 (no date) with p8 (2019-05-02): matched; similarity 1, closeness 0;" in text
    named = [line.split()[0] for line in lines_of_case if re.match(r"[gp]\d", line)]
    assert " ".join(named) == "g1 g1 g1 g2 g3 g4 g5 g6 g8 g9 g10 g7 p11"


def test_times_are_saved_with_texts_only_where_names_are_no_times() -> None:
    with_times = msgspec.json.encode(harbour().texts[0])
    assert msgspec.json.decode(with_times, type=CaseTexts) == harbour().texts[0]
    assert b"_times" not in msgspec.json.encode(demo("timelines").texts[0])


def test_an_evaluation_shows_pairs_and_has_every_id_once(tmp_path: Path) -> None:
    for name, timelines in (("gold", GOLD), ("system", PREDICTED)):
        Path(tmp_path, f"{name}.jsonl").write_text(lines(timelines), encoding="utf-8")
    system = {"system": tmp_path / "system.jsonl"}
    evaluated = evaluate(tmp_path / "gold.jsonl", system, Problems(), only=("events",))
    text = evaluation_report(evaluated)
    assert "conflict: negation" in text
    ids = re.findall(r' id="(.*?)"', text)
    assert len(ids) == len(set(ids))
