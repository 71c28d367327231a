"""The page: self-contained, inert whatever the texts say, the same bytes each time, not too big."""

import json
import re
from base64 import b64encode
from datetime import date
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from reports.made import FAMILIES, collection, demo, report, timelines_of, write_report

from chronoscore.core.result import Interval, decode, encode
from chronoscore.elements.dated.model import Timeline
from chronoscore.engines.scoring import Scored
from chronoscore.reports.html.drawing import interval_bar
from chronoscore.reports.html.markup import tag
from chronoscore.reports.html.report import interval_described

NASTY = "</script><script>alert(1)</script><!-- ' \" & <img src=x onerror=alert(2)> \u2028 ]]>"


class Page(HTMLParser):
    """The elements of a page, and the text of its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[tuple[str, str]] = []
        self._open = ""
        self.feed(text)

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((name, dict(attributes)))
        self._open = name if name in ("script", "style") else ""

    def handle_endtag(self, name: str) -> None:
        self._open = ""

    def handle_data(self, text: str) -> None:
        if self._open:
            self.inside.append((self._open, text))

    def all(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for element, attributes in self.elements if element == name]


def page_of(scored: Scored) -> Page:
    return Page(report(scored.result, scored.matches, scored.texts))


def payload_of(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page.inside[1][1])["cases"]
    return found


def digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


@pytest.mark.parametrize("name", FAMILIES)
def test_page_holds_all_it_needs(name: str) -> None:
    page = page_of(demo(name))
    for element, attributes in page.elements:
        assert element not in ("link", "iframe", "img", "object", "base")
        assert "src" not in attributes
        assert "style" not in attributes, "the policy would drop it"
        assert not [key for key in attributes if key.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")


@pytest.mark.parametrize("name", FAMILIES)
def test_policy_allows_this_script_and_style_alone(name: str) -> None:
    page = page_of(demo(name))
    metas = page.all("meta")
    policy = next(m["content"] for m in metas if m.get("http-equiv") == "Content-Security-Policy")
    (kind, style), (_, data), (last, script) = page.inside
    assert (kind, last, len(page.all("script"))) == ("style", "script", 2)
    assert json.loads(data)
    assert policy == (
        f"default-src 'none'; script-src '{digest(script)}'; style-src '{digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_ids_are_there_once_and_links_lead_to_them(name: str) -> None:
    page = page_of(demo(name))
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    links = {str(a["href"]).partition("?")[0] for a in page.all("a")}
    assert links <= {f"#{one}" for one in ids}


@pytest.mark.parametrize("name", FAMILIES)
def test_equal_results_give_equal_bytes(name: str, tmp_path: Path) -> None:
    scored = demo(name)
    again = decode(encode(scored.result))
    for number, result in enumerate((scored.result, again)):
        write_report(result, scored.matches, scored.texts, tmp_path / "deep" / f"{number}.html")
    one, two = ((tmp_path / "deep" / f"{n}.html").read_bytes() for n in (0, 1))
    assert one == two
    assert b"\r" not in one


@pytest.mark.parametrize("name", FAMILIES)
def test_a_result_without_matches_still_has_its_scores(name: str) -> None:
    text = report(demo(name).result)
    assert "Scores" in text
    assert "There are no matches" in text


def nasty() -> Scored:
    gold = Timeline.of({date(2001, 1, 1): [NASTY], date(2001, 1, 3): ["a quiet day"]})
    scored = timelines_of({NASTY: {NASTY: (gold, gold)}})
    return Scored(
        msgspec.structs.replace(scored.result, notices=(NASTY,)), scored.matches, scored.texts
    )


def test_texts_stay_text() -> None:
    page = page_of(nasty())
    assert len(page.all("script")) == 2
    assert not page.all("img")
    assert payload_of(page)["texts"] == [NASTY, "a quiet day"]
    assert payload_of(page)["systems"] == [NASTY]


def test_markup_escapes_children_and_attributes() -> None:
    assert tag("p", "<&\"'", title='"<') == '<p title="&quot;&lt;">&lt;&amp;&quot;&#x27;</p>'


def test_the_page_holds_every_match_and_every_text_once() -> None:
    scored = demo()
    data = payload_of(page_of(scored))
    numbers = [n for case in data["matches"] for row in case for metric in row for n in metric]
    assert sum(map(len, numbers)) == 8 * sum(len(item.matches) for item in scored.matches)
    texts = {
        text
        for item in scored.texts
        for side in (item.gold, item.predicted)
        for several in side.values()
        for text in several
    }
    assert sorted(data["texts"]) == sorted(texts)


def test_shared_words_have_one_number() -> None:
    gold = Timeline.of({date(2001, 1, 1): ["Children left the parliament in <haste>"]})
    said = Timeline.of({date(2001, 1, 1): ["A child leaves parliaments"]})
    data = payload_of(page_of(timelines_of({"s": {"t": (gold, said)}})))
    groups = data["marks"]["rouge155"]["words"]
    assert ["Children", "child"] in groups
    assert ["parliament", "parliaments"] in groups
    assert not [group for group in groups if "the" in group]


def test_undefined_is_told_and_never_zero() -> None:
    scored = timelines_of({"s": {"t": (Timeline(), Timeline())}}, undefined="skip")
    assert payload_of(page_of(scored))["scores"] == [[[None, None, None]]]
    text = report(scored.result, scored.matches, scored.texts)
    assert ">undefined</strong>" in text
    assert "precision in 1, recall in 1 of 1 case was 0/0" in text


def test_interval_in_words() -> None:
    found = Interval(0.21, 0.34, 0.95, "jackknife-t", 7, coverage=0.9)
    assert interval_described(found, "topic") == (
        "95% interval 0.210 to 0.340, jackknife over 7 topics; "
        "in simulation such intervals cover 90% at worst"
    )


def test_intervals_are_drawn_where_there_are_any() -> None:
    result = demo().result
    assert 'class="interval"' not in report(result)
    system = result.systems[0]
    first = msgspec.structs.replace(
        system.summaries[0], intervals={"f1": Interval(0.5, 0.7, 0.95, "bootstrap", 7)}
    )
    changed = msgspec.structs.replace(system, summaries=(first, *system.summaries[1:]))
    text = report(msgspec.structs.replace(result, systems=(changed, *result.systems[1:])))
    assert text.count('class="interval"') == 2, "the card and the plot"
    assert "bootstrap over 7 topics" in text
    assert "in simulation" not in text


def test_no_day_of_today_is_on_the_page() -> None:
    assert not re.search(rf"{date.today().year}-\d\d-\d\d", report(demo().result))  # noqa: DTZ011


def test_a_big_collection_stays_small() -> None:
    few, many = (collection(topics=topics, days=20, words=20, systems=5) for topics in (2, 22))
    small, large = (len(report(one.result, one.matches, one.texts).encode()) for one in (few, many))
    assert small < 250_000
    assert large - small < 20 * 38_000  # so 200 topics take less than 8 MB


@pytest.mark.parametrize("value", [None, 0.25])
def test_a_bar_has_a_dot_or_says_that_there_is_no_value(value: float | None) -> None:
    bar = str(interval_bar(value, None, lambda at: f"{at:.0%}", middle=8, radius=4))
    assert ("undefined" in bar) is (value is None)
    assert ('cx="25%"' in bar) is (value is not None)


def test_the_board_counts_golds_where_a_topic_has_several() -> None:
    assert '"level":"topic","counted":"gold"' in report(demo().result)


def test_golds_are_not_counted_as_a_system() -> None:
    result = demo("events").result
    assert [system.name for system in result.systems][-1] == "(other golds)"
    assert "Events: 3 systems on 10 golds, 7 topics." in report(result)


def test_each_rouge_is_described_in_its_own_words() -> None:
    text = report(demo().result)
    assert "ROUGE-1 (single words) of days that are aligned" in text
    assert "ROUGE-2 (pairs of words) of days that are aligned" in text
    assert "weighed" not in text


def test_a_metric_that_is_not_known_here_has_no_scores_of_cases() -> None:
    result = demo().result
    document = json.loads(encode(result).replace(b'"align+m:1"', b'"of-another-program"'))
    del document["checksum"]
    strange = decode(json.dumps(document).encode())
    known, found = (payload_of(Page(report(one)))["scores"] for one in (result, strange))
    assert found == [[[False, *others] for _, *others in system] for system in known]
