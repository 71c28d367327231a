"""The report of events: pairs with dates, numbers and conflicts, and what became of others."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from reports.browsing import chromium, opened, read_all
from reports.made import demo, events, report
from reports.reading import ReadPage

from chronoscore.core.problems import Problems
from chronoscore.core.result import CaseTexts
from chronoscore.core.sources import source_of
from chronoscore.engines.plan import Inputs
from chronoscore.engines.scoring import Scored, score_sources
from chronoscore.engines.settings import Settings
from chronoscore.evaluation.pages import evaluation_report
from chronoscore.evaluation.running import evaluate
from chronoscore.events.family import FAMILY
from chronoscore.events.pages import outcomes_section
from chronoscore.reports.html.explained import Explained
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
    gold: str, *predicted: str, metrics: tuple[str, ...] = (), suffix: str = "jsonl"
) -> Scored:
    """Score the texts of files; the systems are called system, system 2 and so on."""
    with TemporaryDirectory() as folder:
        names = ["system", *(f"system {n}" for n in range(2, len(predicted) + 1))]
        paths = [Path(folder, f"{name}.{suffix}") for name in ("gold", *names)]
        for path, text in zip(paths, (gold, *predicted), strict=True):
            path.write_text(text, encoding="utf-8")
        systems = {path.stem: [source_of(path)] for path in paths[1:]}
        settings = Settings.make(FAMILY, metrics=metrics)
        inputs = Inputs(source_of(paths[0]), systems)
        return score_sources(settings, inputs, Problems(), explain=True)


@cache
def harbour(metrics: tuple[str, ...] = ()) -> Scored:
    return scored(lines(GOLD), lines(PREDICTED), metrics=metrics)


def page_of(found: Scored) -> str:
    return report(found.result, found.matches, found.texts)


def static(text: str) -> str:
    """The page without its data and scripts."""
    return re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


def plain(text: str) -> str:
    """What a reader sees."""
    words = re.sub(r"<[^>]+>", " ", re.sub(r"</?mark>", "", text))
    return re.sub(r"\s+", " ", unescape(words)).strip()


browser = pytest.fixture(scope="module")(chromium)


@pytest.fixture(scope="module")
def harbour_page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The page with both cases open."""
    path = tmp_path_factory.mktemp("harbour") / "page.html"
    with opened(browser, harbour(), path) as page:
        open_all(page)
        yield page


def open_all(page: Any) -> None:
    """Open every case of the board."""
    for row in page.locator("tr[data-case]:not(.is-open) > th").all():
        row.click()


def pairs_of(page: Any) -> dict[str, str]:
    """The markup of the pairs by the name of the gold event."""
    rows = page.locator(".pairs > .pair").evaluate_all("all => all.map((one) => one.outerHTML)")
    by_name = {re.findall(r'class="id"[^>]*>(.*?)<', row)[0]: row for row in rows}
    assert len(by_name) == len(rows)
    return by_name


def test_a_pair_shows_both_texts_dates_and_numbers(harbour_page: Any) -> None:
    row = pairs_of(harbour_page)["g4"]
    assert plain(row) == (
        "gold 9 Mar 2019 g4 Police say 14 dockers were injured on the quay. "
        "predicted 10 Mar 2019 p5 Police say 41 dockers were injured on the quay. "
        "1 day apart conflict: number similarity 0.755 closeness 0.500 credit of "
        "event-timed 0.500 event-f1 1.000 text-quality 0.800 event-soft 0.443 event-date 0.000"
    )
    assert "<mark>Police</mark> say 14 <mark>dockers</mark> were <mark>injured</mark>" in row


def test_every_pair_of_the_matching_is_on_the_page_once(harbour_page: Any) -> None:
    matched = {
        (match.gold, match.predicted)
        for item in harbour().matches
        if item.metric == harbour().result.metrics[0].name
        for match in item.matches
        if match.outcome.startswith("matched")
    }
    shown = {
        tuple(re.findall(r'class="id"[^>]*>(.*?)<', row)[:2])
        for row in pairs_of(harbour_page).values()
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
    harbour_page: Any, gold: str, badges: list[str]
) -> None:
    row = pairs_of(harbour_page).get(gold, "")
    assert re.findall(r'class="badge[^"]*">(.*?)<', row) == badges


def test_parts_and_merged_events_stand_in_the_pair_that_they_belong_to(harbour_page: Any) -> None:
    pairs = pairs_of(harbour_page)
    assert "Two <mark>barges</mark> <mark>sink</mark>" in pairs["g1"]
    assert "5 Mar 2019 p3" in plain(pairs["g1"])
    assert "<mark>Divers</mark> <mark>recover</mark>" in pairs["g3"]


@pytest.mark.parametrize(
    ("gold", "words"),
    [("g6", "14.5 days apart"), ("g7", "gold has no date"), ("g8", "same date")],
)
def test_a_month_is_days_apart_and_a_missing_date_is_told(
    harbour_page: Any, gold: str, words: str
) -> None:
    assert f'<p class="apart">{words}</p>' in pairs_of(harbour_page)[gold]


def test_the_bar_of_a_pair_has_the_step_of_its_closeness(harbour_page: Any) -> None:
    steps = {
        name: re.findall(r'class="answer close-(\d)"', row)[0]
        for name, row in pairs_of(harbour_page).items()
    }
    assert {name: steps[name] for name in ("g1", "g4", "g6", "g7")} == {
        "g1": "0",
        "g4": "1",
        "g6": "3",
        "g7": "4",
    }


def test_what_is_left_over_is_listed_and_texts_stay_text(harbour_page: Any) -> None:
    first, second = sorted(read_all(harbour_page, ".left-over"))
    assert first == (
        "missed: 1 gold 1 Jun 2019 g10 Schoolchildren paint a mural on the sea wall. "
        "spurious: 1 predicted no date p11 A brewery moves into the old <b>fish market</b>."
    )
    assert "学校停课" in second


def test_chinese_characters_that_both_have_are_marked(harbour_page: Any) -> None:
    row = pairs_of(harbour_page)["z1"]
    assert "<mark>暴雨</mark>引发<mark>洪水</mark>，<mark>三座桥梁被</mark>冲<mark>毁</mark>" in row


def test_pointing_at_an_event_shows_what_the_system_has_for_it(harbour_page: Any) -> None:
    def panel_of(words: str) -> str:
        harbour_page.locator(f'.day[aria-label*="{words}"]').focus()
        (text,) = [text for text in read_all(harbour_page, ".panel") if "Point at" not in text]
        return text

    assert panel_of("41 dockers").startswith("gold 9 Mar 2019 g4 Police say 14 dockers")
    assert panel_of("mural on").endswith("g10 Schoolchildren paint a mural on the sea wall. missed")
    assert panel_of("fish market").startswith("predicted spurious no date p11 A brewery")
    assert "merged into a matched event 6 Mar 2019 p4" in panel_of(
        "Divers recover the engine of the tug Marigold."
    )


@cache
def two_systems() -> Scored:
    """Two systems, of which the second has fewer events."""
    fewer = [one for one in PREDICTED["harbour"] if one[0] in ("p1", "p4", "p9", "p11")]
    mural = ("q1", "2019-06-02", "Children paint a mural on the sea wall.")
    first, second = ({"harbour": some} for some in (PREDICTED["harbour"], [*fewer, mural]))
    return scored(lines({"harbour": GOLD["harbour"]}), lines(first), lines(second))


def test_two_systems_stand_beside_every_gold_event(browser: Any, tmp_path: Path) -> None:
    with opened(browser, two_systems(), tmp_path / "page.html") as page:
        pairs = {name: plain(row) for name, row in pairs_of(page).items()}
        assert list(pairs) == [name for name, _, _ in sorted(GOLD["harbour"], key=by_date)]
        assert re.findall(r"(system 2|system)( missed)?", pairs["g4"]) == [
            ("system 2", " missed"),
            ("system", ""),
        ]
        assert re.findall(r"(system 2|system)( missed)?", pairs["g10"]) == [
            ("system 2", ""),
            ("system", " missed"),
        ]
        assert pairs["g2"].count("merged into a matched event") == 2
        assert read_all(page, ".left-over h4") == [
            "spurious of system 2: 1",
            "spurious of system: 1",
        ]
        assert page.locator(".left-over").inner_text().count("brewery") == 2


def by_date(event: Told) -> tuple[bool, str, str]:
    return not event[1], event[1], event[2]


def test_a_word_of_the_gold_that_one_system_has_is_marked_as_its_own(
    browser: Any, tmp_path: Path
) -> None:
    with opened(browser, two_systems(), tmp_path / "page.html") as page:
        pairs = pairs_of(page)
        assert '<mark class="only-1">dockers</mark>' in pairs["g4"], "the second one shown"
        assert '<mark class="only-0">mural</mark>' in pairs["g10"]
        assert "<mark>harbour</mark> <mark>office</mark>" in pairs["g1"], "both have it"


def test_the_picture_of_two_systems_has_the_gold_in_the_middle(
    browser: Any, tmp_path: Path
) -> None:
    with opened(browser, two_systems(), tmp_path / "page.html") as page:
        assert page.locator(".picture .lane > text").all_text_contents() == [
            "system 2",
            "gold",
            "system",
        ]
        for number, system in enumerate(("system 2", "system")):
            (matches,) = (
                item.matches
                for item in two_systems().matches
                if (item.system, item.metric) == (system, two_systems().result.metrics[0].name)
            )
            linked = {(match.gold, match.predicted) for match in matches}
            drawn = page.locator(f'.link[data-system="{number}"]').count()
            assert drawn == sum(all(names) for names in linked)


def test_a_long_list_of_events_is_cut_and_shown_whole_on_request(
    browser: Any, tmp_path: Path
) -> None:
    told = {"t": [(f"e{n}", f"{1700 + n}-01-01", f"word{n} thing{n} stuff{n}") for n in range(205)]}
    found = scored(lines(told), lines(told), metrics=("event-f1",))
    with opened(browser, found, tmp_path / "page.html") as page:
        assert page.locator(".pair").count() == 200
        page.get_by_role("button", name="Show all 205 events").click()
        assert page.locator(".pair").count() == 205
        assert page.get_by_role("button", name="Show all").count() == 0


def test_a_metric_of_whole_days_shows_the_matching_of_whole_days(
    browser: Any, tmp_path: Path
) -> None:
    gold = {"t": [["2011-01-25", ["Police use tear gas.", "A curfew begins."]]]}
    metrics = ("event-f1", "event-f1(unit=day)")
    found = scored(json.dumps(gold), json.dumps(gold), metrics=metrics, suffix="json")
    with opened(browser, found, tmp_path / "page.html") as page:
        assert page.locator(".pairs > .pair").count() == 2
        assert page.locator(".day").count() == 4
        page.locator(".matrix tbody td").nth(1).click()
        assert page.locator(".pairs > .pair").count() == 1
        assert page.locator(".day").count() == 2


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


def test_a_system_without_a_score_stands_below_one_that_scores_nothing() -> None:
    result = demo("events").result
    scores = dict(zip(("careful", "quick", "lead"), (None, 0.0, 0.5), strict=True))
    changed = tuple(
        msgspec.structs.replace(
            system,
            summaries=tuple(
                msgspec.structs.replace(
                    summary, scores=dict.fromkeys(summary.scores, scores[system.name])
                )
                for summary in system.summaries
            ),
        )
        for system in result.systems
        if system.name in scores
    )
    assert [system.name for system in changed] == [*scores]
    result = msgspec.structs.replace(result, systems=changed)
    table = ReadPage(outcomes_section(Explained.of(FAMILY, result, (), ()))).tables[
        "Found and when, found, and how near the words are"
    ]
    assert [row[0] for row in table[1:]] == ["lead", "quick", "careful"]


@pytest.mark.parametrize("metrics", [(), ("event-f1",)])
def test_reuse_above_a_tenth_is_told(metrics: tuple[str, ...]) -> None:
    warning = "one text is matched with several gold events by system"
    gold = {"ferries": [one for one in GOLD["harbour"] if one[0] in ("g8", "g9")]}
    told = [one for one in PREDICTED["harbour"] if one[0] in ("p9", "p10")]
    both, one = (lines({"ferries": some}) for some in (told, told[:1]))
    assert warning in page_of(scored(lines(gold), both, metrics=metrics))
    assert warning not in page_of(scored(lines(gold), one, metrics=metrics))


def test_the_page_says_once_that_events_are_experimental() -> None:
    assert static(page_of(harbour())).count("experimental") == 1


def test_the_picture_has_a_mark_for_each_event_and_a_line_for_each_pair(harbour_page: Any) -> None:
    pictures = harbour_page.locator(".picture").all()
    first, second = sorted(pictures, key=lambda one: -one.locator(".day").count())
    assert first.locator(".dot").count() == first.locator(".day").count() == 10 + 11
    assert first.locator(".line[class*=far-]").count() == 7
    assert first.locator(".line.nothing").count() == 1, "of the pair without a date"
    assert first.locator(".line.attached-line").count() == 3
    assert first.locator(".cross").count() == 2
    assert first.locator("rect.dot").count() == 1, "the month"
    assert "undated" in first.locator(".axis text").all_text_contents()
    assert "undated" not in second.locator(".axis text").all_text_contents()


PLACES = """all => all.map((dot) => [dot.cx.baseVal.value, dot.cy.baseVal.value])"""


def dots(browser: Any, path: Path, *days: str) -> list[tuple[float, float]]:
    """Where the gold events of these days are drawn."""
    told = {"t": [(f"e{n}", day, f"word{n} thing{n}") for n, day in enumerate(days)]}
    with opened(browser, scored(lines(told), lines({"t": told["t"][:1]})), path) as page:
        return [(x, y) for x, y in page.locator(".day.gold circle.dot").evaluate_all(PLACES)]


def test_events_of_one_day_are_stacked_and_others_are_not(browser: Any, tmp_path: Path) -> None:
    one, same, later = dots(
        browser, tmp_path / "page.html", "2019-01-01", "2019-01-01", "2019-04-01"
    )
    assert one[0] == same[0] < later[0]
    assert one[1] == later[1] > same[1]


def test_close_times_are_drawn_apart_and_long_gaps_shortened(browser: Any, tmp_path: Path) -> None:
    days = ("2019-01-01", "2019-01-02", "2021-10-01")
    first, second, last = (x for x, _ in dots(browser, tmp_path / "page.html", *days))
    assert 18 <= second - first < (last - second) / 2
    assert (last - second) / (second - first) < 100


def test_what_lasts_lies_on_the_days_that_it_has(browser: Any, tmp_path: Path) -> None:
    told = {"t": [("e1", "2019-04", "one thing"), ("e2", "2019-04-10", "another matter")]}
    found = scored(lines(told), lines(told))
    with opened(browser, found, tmp_path / "page.html") as page:
        month, day = (
            page.locator(f".day.gold {kind}.dot").bounding_box() for kind in ("rect", "circle")
        )
        assert month["x"] < day["x"] < month["x"] + month["width"]
        assert month["y"] + month["height"] <= day["y"], "none hides the other"


def test_many_events_without_a_time_stand_in_several_columns(browser: Any, tmp_path: Path) -> None:
    places = dots(browser, tmp_path / "page.html", "2019-01-01", *[""] * 8)
    assert len({x for x, _ in places}) == 3
    assert max(x for x, _ in places if x != places[0][0]) > places[0][0]
    assert len(set(places)) == 9, "none hides another"


def test_sentences_and_days_of_one_date_keep_their_own_texts(browser: Any, tmp_path: Path) -> None:
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
    with opened(browser, found, tmp_path / "page.html") as page:
        rows = read_all(page, ".pairs > .pair")
    assert [row.partition(" predicted ")[0] for row in rows] == [
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


def test_a_big_collection_opens_with_few_nodes(browser: Any, tmp_path: Path) -> None:
    found = events(topics=25, number=10, words=10, systems=5)
    with opened(browser, found, tmp_path / "page.html") as page:
        assert page.locator("tr[data-case]").count() == 25
        assert page.locator("*").count() < 4_000  # so less than 15,000 with 100
