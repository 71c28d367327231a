"""The page of a comparison shows the numbers of its document, and names as text."""

import re
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from reports.made import demo, timelines_of
from reports.reading import ReadPage, check_page
from reports.test_html import NASTY

import chronoscore
from chronoscore.cli.main import command
from chronoscore.core.contrast import Contrast, MetricContrast, Pair, Ranked, Swing, turned
from chronoscore.demo import home
from chronoscore.elements.dated.model import Timeline
from chronoscore.engines.contrasting import Question, contrast, value_contrasts
from chronoscore.families import family
from chronoscore.reports.html.contrast import MOST_SWINGS, contrast_page
from chronoscore.reports.table import p_value, shown, signed

METRICS = ("AR-1", "date-distance")


@cache
def compared(baseline: str = "") -> Contrast:
    results = [demo(metrics=METRICS).result]
    return contrast(family("timelines"), results, Question(baseline=baseline))


@cache
def read(baseline: str = "") -> ReadPage:
    return check_page(contrast_page(compared(baseline)))


def pair_of(metric: MetricContrast, one: str, two: str) -> Pair:
    for pair in metric.pairs:
        if (pair.one, pair.two) == (one, two):
            return pair
        if (pair.one, pair.two) == (two, one):
            return turned(pair)
    raise KeyError(one, two)


def made(names: list[str], metrics: int = 1) -> Contrast:
    """A contrast of systems that differ by a step each, on ten topics."""
    ranking = tuple(Ranked(name, 1 - at / 100, letters="a") for at, name in enumerate(names))
    swings = tuple(Swing(f"topic-{n}", 0.01 * n, 0.5, 0.5 - 0.01 * n) for n in range(9, -1, -1))
    pairs = tuple(
        Pair(one, two, 0.01, 0.5, 1.0, 0.002, exact=True, wins=7, ties=1, losses=2, swings=swings)
        for at, one in enumerate(names)
        for two in names[at + 1 :]
    )
    return replace(
        compared(),
        units=10,
        metrics=tuple(
            MetricContrast(f"metric-{n}", f"Metric {n}", "f1", "higher", ranking, pairs)
            for n in range(metrics)
        ),
    )


@pytest.mark.parametrize("baseline", ["", "quick"])
def test_every_cell_is_the_system_of_its_row_less_that_of_its_column(baseline: str) -> None:
    for metric in compared(baseline).metrics:
        (_, *columns), *rows = read(baseline).tables[f"{metric.label}: row less column"]
        systems = [ranked.system for ranked in metric.ranking]
        assert columns == ([baseline] if baseline else systems)
        assert [one for one, *_ in rows] == [one for one in systems if one != baseline]
        for one, *cells in rows:
            for two, cell in zip(columns, cells, strict=True):
                if one == two:
                    assert cell == "– the same system"
                    continue
                pair = pair_of(metric, one, two)
                assert pair.difference is not None
                assert pair.interval is not None
                assert cell.startswith(
                    f"{signed(pair.difference)} {signed(pair.interval.low)} to "
                    f"{signed(pair.interval.high)} p {p_value(pair.p_corrected)}"
                )
                more_is_better = metric.better == "higher"
                sense = "better" if (pair.difference > 0) is more_is_better else "worse"
                assert f"{one} is {sense} than {two} by {abs(pair.difference):.3f};" in cell
                sure = (pair.p_corrected or 0) < 0.05
                assert cell.endswith(": significant." if sure else ": not significant.")
                assert (f"▲ {sense}" in cell or f"▼ {sense}" in cell) is sure


def test_the_demo_has_cells_with_and_without_a_significant_difference() -> None:
    table = read().tables["date-distance: row less column"]
    text = " ".join(cell for row in table for cell in row)
    assert ": significant." in text
    assert ": not significant." in text


def test_the_ranking_shows_scores_intervals_and_letters() -> None:
    for metric in compared().metrics:
        _, *rows = read().tables[f"Ranking by {metric.label}"]
        for row, ranked in zip(rows, metric.ranking, strict=True):
            assert ranked.interval is not None
            bounds = f"{ranked.interval.low:.3f} to {ranked.interval.high:.3f}"
            system, _, score, interval, letters = row
            assert (system, score, letters) == (ranked.system, shown(ranked.score), ranked.letters)
            assert interval.startswith(bounds)


def test_the_baseline_is_named_in_the_ranking() -> None:
    _, *rows = read("quick").tables["Ranking by AR-1"]
    marks = {system: mark for system, *_, mark in rows}
    assert marks == {"careful": "†", "quick": "the baseline", "lead": "†"}


def test_the_units_that_decided_are_those_of_the_document() -> None:
    for metric in compared().metrics:
        for pair in metric.pairs:
            title = f"{metric.label}: which topics decided {pair.one} against {pair.two}"
            (_, _, _, *systems), *rows = read().tables[title]
            assert systems == [pair.one, pair.two]
            assert [[unit, *numbers] for unit, _, *numbers in rows] == [
                [swing.unit, signed(swing.difference), shown(swing.one), shown(swing.two)]
                for swing in pair.swings[: min(MOST_SWINGS, pair.wins + pair.losses)]
            ]


def test_wins_are_units_where_the_first_is_better_whichever_end_of_the_scale_is() -> None:
    metric = compared().metrics[1]
    pair = pair_of(metric, "careful", "quick")
    assert metric.better == "lower"
    assert (pair.wins, pair.losses) == (1, 4), "the first has the higher distance on one topic"
    assert "better on 4 equal on 2 worse on 1 of 7 topics" in " ".join(read().text.split())


def test_the_units_needed_are_told_in_a_sentence() -> None:
    pair = pair_of(compared().metrics[1], "careful", "quick")
    assert (
        f"takes about {pair.units_needed} topics; there are 7, so that more are needed."
        in read().text
    )


def test_systems_next_to_each_other_are_unfolded_and_the_others_folded() -> None:
    title = "AR-1: which topics decided {} against {}"
    assert title.format("careful", "quick") not in read().folded
    assert title.format("quick", "lead") not in read().folded
    assert title.format("careful", "lead") in read().folded


@pytest.mark.parametrize(("systems", "metrics"), [(12, 1), (12, 3), (12, 30), (90, 2)])
def test_many_systems_make_a_page_that_browsers_bear(systems: int, metrics: int) -> None:
    names = [f"system-{n}" for n in range(systems)]
    page = check_page(contrast_page(made(names, metrics)))
    _, *rows = page.tables["Ranking by Metric 0"]
    assert [row[0] for row in rows] == names[: len(rows)]
    assert f"Metric 0: which topics decided {names[0]} against {names[1]}" in page.tables
    if len(rows) < systems:
        assert f"{systems - len(rows)} more systems: --format json has all." in page.text


def test_many_values_of_many_systems_make_a_page_that_browsers_bear() -> None:
    contrasted = made([f"system-{n}" for n in range(12)], 3)
    by_value = [replace(one, metrics=one.metrics[:1]) for one in by_types(contrasted, 40)]
    page = check_page(contrast_page(contrasted, by_value))
    assert "Metric 0, type=t0: row less column" in page.tables
    assert len(page.tables["Scores by value"] + page.tables["Scores by further values"]) == 242
    assert "240 more rows: --format json has all." in page.text


def by_types(contrasted: Contrast, number: int) -> list[Contrast]:
    """The same contrast on each of so many types."""
    return [
        replace(
            contrasted,
            group={"type": f"t{n}"},
            metrics=tuple(
                replace(metric, label=f"{metric.label}, type=t{n}") for metric in contrasted.metrics
            ),
        )
        for n in range(number)
    ]


def test_differences_by_value_count_each_value_once() -> None:
    contrasted = made(["a", "b"], 2)
    page = check_page(contrast_page(contrasted, by_types(contrasted, 3)))
    assert "Differences on 3 values" in page.text
    assert "more table" not in page.text


def test_differences_by_value_that_are_left_out_are_counted() -> None:
    contrasted = made([f"system-{n}" for n in range(12)], 2)
    page = check_page(contrast_page(contrasted, by_types(contrasted, 5)))
    drawn = [one for one in page.tables if re.fullmatch(r"Metric ., type=t.: row less column", one)]
    assert drawn == [
        "Metric 0, type=t0: row less column",
        "Metric 1, type=t0: row less column",
    ]
    assert "Differences on 1 value " in page.text
    assert "8 more tables: --format json has all." in page.text


def test_every_pair_of_twelve_systems_is_on_the_page() -> None:
    names = [f"system-{n}" for n in range(12)]
    page = check_page(contrast_page(made(names, 3)))
    drawn = {title for title in page.tables if title.startswith("Metric 0: which topics decided")}
    _, *lines = page.tables["Metric 0: pairs that are far from each other in the ranking"]
    assert len(drawn) + len(lines) == 66
    assert [line[4] for line in lines] == ["7-1-2"] * len(lines)


def test_names_stay_text() -> None:
    names = [NASTY, f"other {NASTY}", "x" * 300]
    contrasted = made(names)
    (metric,) = contrasted.metrics
    pairs = tuple(replace(p, swings=(Swing(NASTY, 0.5, 1, 0.5),)) for p in metric.pairs)
    metric = replace(metric, label=NASTY, pairs=pairs)
    changed = replace(contrasted, metrics=(metric,), notices=(NASTY,), baseline=NASTY)
    valued = replace(metric, label=f"{NASTY}, type={NASTY}")
    by_value = [replace(changed, group={"type": NASTY}, metrics=(valued,))]
    page = check_page(contrast_page(changed, by_value))
    assert [name for name, *_ in page.tables[f"Ranking by {NASTY}"][1:]] == names


def test_a_name_that_is_written_from_right_to_left_keeps_its_direction() -> None:
    page = contrast_page(made(["נחשון", "other"]))
    assert page.count('<bdi dir="auto">נחשון</bdi>') >= 4
    assert '<p><bdi dir="auto">נחשון</bdi> is better than <bdi dir="auto">other</bdi> by' in page


def test_one_topic_is_not_enough_for_a_test() -> None:
    gold = Timeline.of({date(2001, 1, 1): ["one day"], date(2001, 1, 3): ["a quiet day"]})
    other = Timeline.of({date(2001, 1, 1): ["one day"]})
    scored = timelines_of({"a": {"t": (gold, gold)}, "b": {"t": (gold, other)}}, ["AR-1"])
    document = contrast(family("timelines"), [scored.result], Question())
    page = check_page(contrast_page(document))
    assert "no interval p 1.0000" in page.tables["AR-1: row less column"][1][2]
    assert "How many topics it takes to see this difference is unknown." in page.text
    assert "nothing could be significant here" in page.text


def test_undefined_scores_are_told_and_are_not_zero() -> None:
    contrasted = made(["a", "b"])
    (metric,) = contrasted.metrics
    ranking = (metric.ranking[0], replace(metric.ranking[1], score=None))
    pair = replace(metric.pairs[0], difference=None, p=None, p_corrected=None, swings=())
    metric = replace(metric, ranking=ranking, pairs=(pair,))
    page = check_page(contrast_page(replace(contrasted, metrics=(metric,))))
    assert page.tables["Ranking by Metric 0"][2][1:3] == ["undefined", "undef."]
    assert page.tables["Metric 0: row less column"][1][2] == (
        "undef. The score of a or of b is undefined."
    )
    assert "nan" not in page.text.casefold().split()


def test_a_topic_with_an_undefined_score_is_neither_equal_nor_decisive() -> None:
    contrasted = made(["a", "b"])
    (metric,) = contrasted.metrics
    swings = (
        Swing("won", 0.25, 0.75, 0.5),
        Swing("first undefined", 0.0, None, 0.5),
        Swing("second undefined", 0.0, 0.5, None),
        Swing("tied", 0.0, 0.5, 0.5),
    )
    pair = replace(metric.pairs[0], wins=1, ties=3, losses=0, swings=swings)
    page = check_page(contrast_page(replace(contrasted, metrics=(replace(metric, pairs=(pair,)),))))
    text = " ".join(page.text.split())
    assert "better on 1 equal on 1 worse on 0 undefined on 2 of 4 topics" in text
    _, *rows = page.tables["Metric 0: which topics decided a against b"]
    assert [row[0] for row in rows] == ["won"]


def test_pairs_in_a_table_tell_undefined_topics_apart_from_equal_ones() -> None:
    contrasted = made([f"system-{n}" for n in range(12)], 3)
    swings = (Swing("t", 0.0, None, 0.5),)
    metrics = [
        replace(metric, pairs=tuple(replace(pair, swings=swings) for pair in metric.pairs))
        for metric in contrasted.metrics
    ]
    page = check_page(contrast_page(replace(contrasted, metrics=tuple(metrics))))
    _, *lines = page.tables["Metric 0: pairs that are far from each other in the ranking"]
    assert {line[4] for line in lines} == {"7-0-2, 1 undefined"}


def test_equal_systems_are_neither_better_nor_worse() -> None:
    contrasted = made(["a", "b"])
    (metric,) = contrasted.metrics
    pair = replace(metric.pairs[0], difference=0.0, swings=(Swing("t", 0.0, 0.5, 0.5),))
    page = check_page(contrast_page(replace(contrasted, metrics=(replace(metric, pairs=(pair,)),))))
    first, second = (row[1:] for row in page.tables["Metric 0: row less column"][1:])
    assert "a and b are equal" in first[1]
    assert second[0].startswith("+0.000")


def test_without_a_difference_no_topic_is_listed_as_deciding() -> None:
    contrasted = made(["a", "b"])
    (metric,) = contrasted.metrics
    swings = (Swing("noise", 0.1 + 0.2 - 0.3, 0.1 + 0.2, 0.3), Swing("tied", 0.0, 0.5, 0.5))
    pair = replace(metric.pairs[0], difference=0.0, wins=0, ties=2, losses=0, swings=swings)
    page = check_page(contrast_page(replace(contrasted, metrics=(replace(metric, pairs=(pair,)),))))
    assert "Metric 0: which topics decided a against b" not in page.tables
    assert "No topic differs." in page.text


@pytest.mark.parametrize(
    ("number", "words"),
    [(1, "and 1 more topic that differs less"), (2, "and 2 more topics that differ less")],
)
def test_topics_that_are_not_listed_are_counted_without_equal_ones(number: int, words: str) -> None:
    contrasted = made(["a", "b"])
    (metric,) = contrasted.metrics
    listed = MOST_SWINGS + number
    swings = (*metric.pairs[0].swings[:listed], Swing("tied", 0.0, 0.5, 0.5))
    pair = replace(metric.pairs[0], wins=listed, ties=1, losses=0, swings=swings)
    page = check_page(contrast_page(replace(contrasted, metrics=(replace(metric, pairs=(pair,)),))))
    assert len(page.tables["Metric 0: which topics decided a against b"]) == 1 + MOST_SWINGS
    assert words in page.text


def test_values_of_annotations_are_compared_too() -> None:
    home_family = family("annotations")
    results = [demo("annotations", ("spans",), by=("type",)).result]
    by_value = value_contrasts(home_family, results, Question(), ["type"])
    page = check_page(contrast_page(contrast(home_family, results, Question()), by_value))
    (group,) = (one for one in by_value if one.group == {"type": "protest"})
    rows = page.tables["Scores by value"] + page.tables["Scores by further values"]
    shown_rows = [row[2:4] for row in rows if row[0] == "type=protest"]
    ranking = group.metrics[0].ranking
    assert shown_rows == [[ranked.system, shown(ranked.score)] for ranked in ranking]
    assert all(notice in page.text for one in by_value for notice in one.notices)


def test_the_command_and_python_write_the_same_page(tmp_path: Path) -> None:
    files = [home() / f"{name}.jsonl" for name in ("gold", "careful", "quick")]
    words = ["compare", "timelines", *map(str, files), "--report", str(tmp_path / "a.html")]
    done = CliRunner().invoke(command, words)
    assert done.exit_code == 0, done.output
    assert "the report is " in done.stderr
    comparison = chronoscore.score("timelines", files[0], files[1:]).compare()
    written = comparison.report(tmp_path / "b.html").read_text(encoding="utf-8")
    head = re.compile(r'<dl class="conditions">.*?</dl>', re.DOTALL)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    named = re.findall("<dd>(.*?)</dd>", head.search(page)[0])  # type: ignore[index]
    assert [re.sub("<.*?>", "", name) for name in named[:2]] == [
        "gold.jsonl",
        "careful.jsonl, quick.jsonl",
    ]
    assert head.sub("", page, count=1) == written
    assert "ROUGE-1 (single words) of days that are aligned by date" in written
