"""The report of judgements: values, agreement, pairs and disagreements are those of the result."""

import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape

import msgspec
import pytest
from reports.made import demo, report
from reports.test_html import NASTY, Page
from rubric.judging import BEST, WORST, cases_of, said
from rubric.test_agreement_study import drawn

from chronoscore.core.result import Agreement, Interval
from chronoscore.engines.scoring import Scored, score
from chronoscore.engines.settings import Settings
from chronoscore.reports.html.explained import Explained
from chronoscore.rubric.family import FAMILY
from chronoscore.rubric.judgements import Judgement
from chronoscore.rubric.pages.report import (
    ReportedJudgements,
    agreement_section,
    disagreements_section,
    pairs_section,
    values_section,
)
from chronoscore.statistics.agreement import pairs


def scored(judgements: list[Judgement]) -> Scored:
    return score(Settings.make(FAMILY), cases_of(judgements), explain=True)


def judged(found: Scored) -> Explained:
    return Explained.of(FAMILY, found.result, found.matches, found.texts)


def agreeing(rows: Sequence[Agreement]) -> Explained:
    result = msgspec.structs.replace(demo("rubric").result, agreement=tuple(rows))
    return judged(Scored(result))


def cells(text: str) -> list[list[str]]:
    """The cells of all table rows, without markup."""
    rows = re.findall(r"<tr.*?</tr>", text, re.DOTALL)
    plain = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[unescape(re.sub(r"<[^>]+>", "|", cell)).strip("|") for cell in row] for row in plain]


def test_bars_count_every_judgement() -> None:
    text = values_section(judged(demo("rubric")))
    found = ReportedJudgements.of(judged(demo("rubric")))
    rows = cells(text)
    for place, name in enumerate(found.criteria):
        assert f"<caption>{name}</caption>" in text
        for system in ("careful", "lead", "quick"):
            given = [one.values[place] for one in found.judgements if one.system == system]
            counts = [given.count(value) for value in found.values(place)]
            row = [row for row in rows if row[0] == system][place]
            assert [int(cell.split("|")[0]) for cell in row[2:-1]] == counts
            assert int(row[-1]) == len(given) == sum(counts)


def test_bars_are_as_long_as_their_shares() -> None:
    found = judged(scored(said({"e1": {"ana": BEST, "ben": BEST, "cleo": WORST, "dov": BEST}})))
    first = values_section(found).split("</svg>")
    bar = next(part for part in first if "stack levels" in part)
    assert re.findall(r'x="([^"]*)" width="([^"]*)"', bar) == [("0%", "25%"), ("25%", "75%")]


def test_values_are_explained_where_matches_tell() -> None:
    found = demo("rubric")
    assert "right and specific" in values_section(judged(found))
    without = values_section(judged(Scored(found.result)))
    assert "right and specific" not in without
    assert without.count("<table>") == 5


def test_whiskers_are_the_intervals() -> None:
    rows = [
        Agreement("date", "kappa", 0.5, 9, 18, 2, interval=Interval(0.25, 0.75, 0.95, "x", 4)),
        Agreement("date", "alpha nominal", None, 9, 18, 2, reason="no variation"),
        Agreement("root", "kappa", 0.1, 9, 18, 2, interval=Interval(-0.25, 0.2, 0.95, "x", 4)),
    ]
    alone = agreement_section(agreeing(rows[:2]))
    assert 'x1="25%" x2="75%"' in alone
    assert 'cx="50%"' in alone
    assert alone.count("<circle") == 1, "nothing is drawn for what is undefined"
    assert "no variation" in alone
    lower = agreement_section(agreeing(rows))
    assert 'cx="64.286%"' in lower, "the scale begins at -0.4"
    assert agreement_section(agreeing([])) == ""


def test_the_page_says_what_the_intervals_of_agreement_rest_on() -> None:
    sure = Interval(0.25, 0.75, 0.95, "jackknife-t", 2, unit="article", n_eff=1.8)
    page = agreement_section(agreeing([Agreement("date", "kappa", 0.5, 9, 18, 2, interval=sure)]))
    assert "95% intervals: jackknife-t over 2 articles (n_eff 1.8)." in page
    assert "n_eff is below 6 (1.8 for date kappa)" in page


def test_every_coefficient_of_the_result_is_on_the_page() -> None:
    result = demo("rubric").result
    text = report(result)
    for row in result.agreement:
        assert f"{row.value:.3f}" in text
        assert row.interval is not None
        assert f"{row.interval.low:.3f} to {row.interval.high:.3f}" in text


def test_the_heat_map_has_the_numbers_of_each_pair() -> None:
    explained = judged(scored(drawn(people=4)))
    rows, found = cells(pairs_section(explained)), ReportedJudgements.of(explained)
    for place in range(len(found.criteria)):
        known = pairs(found.ratings(place))
        table = rows[5 * place + 1 : 5 * place + 5]
        for at, row in enumerate(table):
            assert row[0] == known.raters[at]
            for other, cell in enumerate(row[1:]):
                if other == at:
                    assert cell == f"n\u00a0{known.shared[at, at]:.0f}"
                else:
                    kappa, percent = known.kappa[at, other], known.percent[at, other]
                    assert cell.replace("||", "|") == f"{kappa:.2f}|{100 * percent:.0f}\u00a0%"


def test_pairs_without_common_events_or_variation_are_told() -> None:
    table = {
        "e1": {"ana": BEST, "ben": BEST},
        "e2": {"cleo": BEST},
    }
    text = pairs_section(judged(scored(said(table))))
    assert "nothing in common" in text
    assert "undef." in text
    assert "nan" not in text


def test_one_evaluator_has_no_pairs_and_no_disagreement() -> None:
    found = scored(said({"e1": {"ana": BEST}, "e2": {"ana": WORST}}))
    text = report(found.result, found.matches, found.texts)
    assert 'id="pairs"' not in text
    assert 'id="differ"' not in text
    assert 'id="values"' in text


def test_many_evaluators_are_not_drawn_in_pairs() -> None:
    table = {"e1": {f"person {n}": BEST for n in range(40)}}
    text = pairs_section(judged(scored(said(table))))
    assert "<table" not in text
    assert "40 evaluators" in text


def test_disagreements_have_texts_values_and_comments() -> None:
    judgements = said(
        {
            "alike": {"ana": BEST, "ben": BEST},
            "little": {"ana": BEST, "ben": BEST, "cleo": (1, 1, 1, 2, 3)},
            "much": {"ana": BEST, "ben": WORST},
        }
    )
    comment = "where and when?"
    judgements = [
        replace(one, comment=comment) if (one.event, one.evaluator) == ("much", "ben") else one
        for one in judgements
    ]
    text = disagreements_section(judged(scored(judgements)))
    assert re.findall(r"<h3>(.*?)</h3>", text) == ["much", "little"]
    assert "text of much" in text
    assert "text of alike" not in text
    assert f"<b>ben</b> {comment}" in text
    assert text.count("<mark>2</mark>") == 1, "only what most did not say is marked"
    assert text.count("<mark>") == 1 + 10, "with two evaluators no one is right"


def test_a_long_list_of_disagreements_is_folded() -> None:
    found = judged(scored(drawn()))
    text = disagreements_section(found)
    assert re.search(r"<summary>\d+ more</summary>", text)
    assert 'start="9"' in text


def test_without_texts_the_values_are_still_listed() -> None:
    found = demo("rubric")
    text = disagreements_section(judged(Scored(found.result, found.matches)))
    assert "<h3>" in text
    assert 'class="quote"' not in text


def test_nasty_names_and_comments_stay_text() -> None:
    judgements = [
        Judgement(NASTY, who, v, system=NASTY, article=NASTY, text=NASTY, comment=NASTY)
        for who, v in ((f"{NASTY}1", BEST), (f"{NASTY}2", WORST))
    ]
    found = scored(judgements)
    page = Page(report(found.result, found.matches, found.texts))
    assert len(page.all("script")) == 2
    assert not page.all("img")
    assert not [key for _, attributes in page.elements for key in attributes if key[:2] == "on"]


@pytest.mark.parametrize("count", [1, 2])
def test_the_number_of_events_is_on_the_card(count: int) -> None:
    found = scored(said({f"e{n}": {"ana": BEST, "ben": WORST} for n in range(count)}))
    events = "1 event" if count == 1 else "2 events"
    assert f"over {events}, {2 * count} judgements" in report(found.result)
