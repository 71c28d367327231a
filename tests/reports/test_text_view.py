"""A document that is opened in the report: its text, the lines under it, and their labels."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from reports.browsing import chromium, opened, read_all

from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.model import Annotation, Document
from chronoscore.core.case import Case
from chronoscore.engines.scoring import Scored, score
from chronoscore.engines.settings import Settings

SHIP = "A ship ran aground in the canal on Tuesday.\nTugs freed it after six days."
ARABIC = "غادرت \U0001f680 السفينة الميناء \U0001f600 يوم الثلاثاء."
MARKUP = "<b>Bold</b> & <script>alert(1)</script>\r\n\n  fell \U0001f680\u2028 twice."
FILLER = "Nothing happened here on that day. "

TEXT = """() => { const copy = document.querySelector(".running").cloneNode(true);
    copy.querySelectorAll(".labels, .fold, .absent").forEach((one) => one.remove());
    return copy.textContent; }"""
LINES = """kind => [...document.querySelectorAll(`.running .under.${kind}`)].map((one) => {
    const copy = one.cloneNode(true);
    copy.querySelectorAll(".labels").forEach((label) => label.remove());
    return copy.textContent; })"""
ROWS = """() => [...document.querySelectorAll(".running .under")].map((one) =>
    [one.textContent, one.style.getPropertyValue("--row")])"""
SEEN = """() => [...document.querySelectorAll(".span-label")].map((one) => {
    const copy = one.cloneNode(true);
    copy.querySelector(".unseen").remove();
    return copy.textContent.replaceAll("\\u00a0", " "); })"""
STYLES = """() => [...document.querySelectorAll(".legend .under")].map((one) => {
    const style = getComputedStyle(one);
    return `${style.textDecorationStyle} ${style.textDecorationThickness}`; })"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from chromium()


def span(text: str, words: str, kind: str = "EVENT", name: str = "") -> Annotation:
    """The annotation of the first place with these words."""
    start = text.index(words)
    return Annotation(name or words, kind, start, start + len(words))


def scored(
    text: str | None,
    gold: tuple[Annotation, ...],
    metrics: tuple[str, ...] = ("spans",),
    /,
    **systems: tuple[Annotation, ...],
) -> Scored:
    """One document, scored for each system."""

    def cases(predicted: tuple[Annotation, ...]) -> list[Case[Document, Document]]:
        tags: Mapping[str, str] = {"document": "d", "gold": "1"}
        return [Case("d", Document("d", gold, text), Document("d", predicted), tags)]

    settings = Settings.make(FAMILY, metrics=metrics)
    made = {name: cases(predicted) for name, predicted in systems.items()}
    return score(settings, made, explain=True)


def ship() -> Scored:
    """A document with every outcome."""
    gold = (
        span(SHIP, "ran aground"),
        span(SHIP, "Tuesday", "TIME"),
        span(SHIP, "freed"),
        span(SHIP, "canal", "PLACE"),
    )
    quick = (
        span(SHIP, "ran aground"),
        span(SHIP, "on Tuesday", "TIME"),
        span(SHIP, "canal", "EVENT"),
        span(SHIP, "ship", "THING"),
    )
    return scored(SHIP, gold, quick=quick)


@pytest.mark.parametrize("text", [SHIP, ARABIC, MARKUP])
def test_the_text_is_that_of_the_document(browser: Any, tmp_path: Path, text: str) -> None:
    halves = (Annotation("1", "A", 0, len(text) // 2 + 2), Annotation("2", "B", 5, len(text)))
    done = scored(text, halves, quick=halves[1:])
    with opened(browser, done, tmp_path / "page.html") as page:
        assert page.evaluate(TEXT) == text
        assert page.locator(".running script, .running b").count() == 0


def test_lines_lie_under_the_words_of_each_outcome(browser: Any, tmp_path: Path) -> None:
    with opened(browser, ship(), tmp_path / "page.html") as page:
        lines = {
            kind: page.evaluate(LINES, kind)
            for kind in ("correct-strict", "incorrect", "missing", "spurious")
        }
        assert lines == {
            "correct-strict": ["ran aground"],
            "incorrect": ["canal"],
            "missing": ["freed"],
            "spurious": ["ship"],
        }
        assert page.evaluate(LINES, "correct-partial.only-predicted") == ["on "]
        assert page.evaluate(LINES, "correct-partial:not(.only-predicted)") == ["Tuesday"]


def test_labels_tell_types_and_outcomes_in_words(browser: Any, tmp_path: Path) -> None:
    with opened(browser, ship(), tmp_path / "page.html") as page:
        assert page.evaluate(SEEN) == [
            "THING spurious",
            "EVENT ✓",
            "PLACE → EVENT incorrect",
            "TIME ✓ partial",
            "EVENT missing",
        ]


def test_every_outcome_has_a_line_of_its_own_kind(browser: Any, tmp_path: Path) -> None:
    with opened(browser, ship(), tmp_path / "page.html") as page:
        styles = page.evaluate(STYLES)
        assert len(styles) == 5
        assert len({style.split()[0] for style in styles}) == 5


@pytest.mark.parametrize("text", [ARABIC, "\U0001f680\U0001f680 rose \U0001f600 and fell"])
def test_characters_of_two_units_move_no_line(browser: Any, tmp_path: Path, text: str) -> None:
    words = [*text.split()]
    gold = tuple(span(text, word, name=str(at)) for at, word in enumerate(words))
    with opened(browser, scored(text, gold, quick=()), tmp_path / "page.html") as page:
        assert page.evaluate(LINES, "missing") == words
        last = gold[-1]
        page.locator(".span-label").last.focus()
        assert f"{last.start}–{last.end}" in read_all(page, ".panel h4")[0]  # in characters
        assert page.locator(".panel .quoted").inner_text() == words[-1]


def test_a_paragraph_reads_in_the_direction_of_its_script(browser: Any, tmp_path: Path) -> None:
    text = f"{ARABIC}\nIn English."
    gold = (span(text, "السفينة", "TIME"), span(text, "English"))
    with opened(browser, scored(text, gold, quick=gold), tmp_path / "page.html") as page:
        directions = "all => all.map((one) => getComputedStyle(one).direction)"
        assert page.locator(".running p").evaluate_all(directions) == ["rtl", "ltr"]


def test_annotations_that_overlap_lie_under_each_other(browser: Any, tmp_path: Path) -> None:
    text = "one two three four"
    gold = (
        span(text, "one two three", "OUTER"),
        span(text, "two", "INNER"),
        span(text, "three four", "CROSSING"),
    )
    with opened(browser, scored(text, gold, quick=gold), tmp_path / "page.html") as page:
        drawn = page.evaluate(ROWS)
        rows: dict[str, set[str]] = {}
        for words, row in drawn:
            rows.setdefault(row, set()).add(words)
        assert rows["0"] == {"one ", "two", " ", "three"}
        assert rows["1"] == {"two", "three", " four"}  # they don't meet, and share a row
        assert page.evaluate(SEEN) == ["INNER ✓", "OUTER ✓", "CROSSING ✓"]


def test_hundreds_that_overlap_are_drawn_a_dozen_deep(browser: Any, tmp_path: Path) -> None:
    text = "word " * 400
    nested = tuple(Annotation(f"{at}", "A", at, len(text) - at) for at in range(200))
    with opened(browser, scored(text, nested, quick=()), tmp_path / "page.html") as page:
        assert page.locator(".running .span-label").count() == 12
        assert "188 annotations would lie below 12 lines" in read_all(page, ".opened .note")[0]
        assert page.evaluate("document.querySelectorAll('*').length") < 5000


def test_an_empty_span_has_a_label_wherever_it_is(browser: Any, tmp_path: Path) -> None:
    text = "hello there"
    gold = tuple(Annotation(str(at), f"AT{at}", at, at) for at in (0, 5, len(text)))
    with opened(browser, scored(text, gold, quick=()), tmp_path / "page.html") as page:
        assert page.evaluate(SEEN) == ["AT0 missing", "AT5 missing", "AT11 missing"]
        assert page.evaluate(TEXT) == text


def test_two_systems_have_a_line_each_below_the_gold(browser: Any, tmp_path: Path) -> None:
    gold = (span(SHIP, "freed"),)
    done = scored(SHIP, gold, first=gold, second=())
    with opened(browser, done, tmp_path / "page.html") as page:
        kinds = "all => all.map((one) => [one.className, one.style.getPropertyValue('--row')])"
        drawn = page.locator(".running .under").evaluate_all(kinds)
        assert sorted(drawn, key=lambda one: one[1]) == [
            ["under gold", "0"],
            ["under missing", "1"],
            ["under correct-strict", "2"],
        ]
        assert page.evaluate(SEEN) == ["gold EVENT", "second missing", "first ✓"]


def test_long_names_of_systems_are_letters_that_are_explained(browser: Any, tmp_path: Path) -> None:
    gold = (span(SHIP, "freed"),)
    done = scored(SHIP, gold, **{"a very long name": gold, "short": ()})
    with opened(browser, done, tmp_path / "page.html") as page:
        assert page.evaluate(SEEN) == ["gold EVENT", "A missing", "B ✓"]
        assert "A is short, B is a very long name" in read_all(page, ".with-text .note")[0]


def test_a_label_that_has_the_focus_shows_both_sides(browser: Any, tmp_path: Path) -> None:
    with opened(browser, ship(), tmp_path / "page.html") as page:
        page.locator(".span-label").nth(3).focus()
        assert read_all(page, ".panel .told") == [
            "correct partial, start and end are 3 characters off: counts 1 of 1"
        ]
        assert read_all(page, ".panel h4") == ["gold 35–42", "predicted 32–42"]
        assert read_all(page, ".panel .quoted") == ["Tuesday", "on Tuesday"]
        assert page.locator(".span-label.on").count() == 1
        page.keyboard.press("Tab")
        assert read_all(page, ".panel .told") == ["missing: counts 0 of 1"]
        page.locator(".running .under.spurious").hover()
        assert read_all(page, ".panel .told") == ["spurious: counts 0 of 1"]


def long_text() -> tuple[str, tuple[Annotation, ...], Annotation]:
    """A long text: annotations that are right, and one that is missing, with a text of its own."""
    text = f"{FILLER * 60}\nHere the MISSING one stands.\n{FILLER * 60}"
    starts = [at for at in range(0, len(text), len(FILLER)) if text.startswith("Nothing", at)]
    right = tuple(Annotation(str(at), "EVENT", at, at + 7) for at in starts[::10])
    return text, right, span(text, "MISSING")


def test_what_is_strictly_correct_is_folded_until_it_is_opened(
    browser: Any, tmp_path: Path
) -> None:
    text, right, missing = long_text()
    done = scored(text, (*right, missing), quick=right)
    with opened(browser, done, tmp_path / "page.html") as page:
        shown = page.evaluate(TEXT)
        assert "Here the MISSING one stands." in shown
        assert len(shown) < 600
        folds = page.locator(".fold")
        counts = [int(label.split()[1].replace(",", "")) for label in read_all(page, ".fold")]
        assert sum(counts) + len(shown) == len(text)
        assert "correct annotations …" in read_all(page, ".fold")[0]
        folds.first.click()
        assert folds.count() == 1
        assert page.evaluate("document.activeElement.className").startswith("span-label")
        folds.first.click()
        assert page.evaluate(TEXT) == text
        assert page.locator(".span-label").count() == len(right) + 1


def test_of_very_much_that_is_wrong_the_rest_is_folded_in_parts(
    browser: Any, tmp_path: Path
) -> None:
    text = FILLER * 1000
    gold = tuple(Annotation(str(n), "EVENT", 35 * n, 35 * n + 7) for n in range(1000))
    with opened(browser, scored(text, gold, quick=gold[-3:]), tmp_path / "page.html") as page:
        shown = page.locator(".span-label").count()
        assert 60 <= shown < 80
        labels = read_all(page, ".fold")
        assert len(labels) == 7
        others = [int(label.split(", ")[-1].split()[0]) for label in labels]
        assert ", 3 correct annotations, " in labels[-1]
        assert shown + sum(others) + 3 == len(gold)
        page.locator(".fold").nth(3).click()
        assert page.locator(".span-label").count() == shown + others[3]


def test_with_two_systems_what_either_has_wrong_is_unfolded(browser: Any, tmp_path: Path) -> None:
    text, right, missing = long_text()
    done = scored(text, (*right, missing), first=(*right, missing), second=right)
    with opened(browser, done, tmp_path / "page.html") as page:
        assert page.evaluate(SEEN) == ["gold EVENT", "second missing", "first ✓"]


def test_a_page_that_has_parts_of_a_text_says_so(browser: Any, tmp_path: Path) -> None:
    text, right, missing = long_text()
    text = text + FILLER * 2000
    done = scored(text, (right[0], missing), quick=right[:1])
    with opened(browser, done, tmp_path / "page.html") as page:
        note = read_all(page, ".inside > .note")[0]
        assert note.startswith(f"The text has {len(text):,} characters. This page has the ")
        absent = read_all(page, ".absent")
        assert len(absent) == 2
        while page.locator(".fold").count():
            page.locator(".fold").first.click()
        left = sum(int(label.split()[1].replace(",", "")) for label in absent)
        assert left + len(page.evaluate(TEXT)) == len(text)


def test_counts_stand_side_by_side(browser: Any, tmp_path: Path) -> None:
    gold = (span(SHIP, "freed"), span(SHIP, "canal"))
    done = scored(SHIP, gold, first=gold, second=gold[:1])
    with opened(browser, done, tmp_path / "page.html") as page:
        table = page.locator(".inside table", has_text="d: annotations by outcome")
        rows = [row.split() for row in table.locator("tr").all_inner_texts()]
        assert rows == [
            ["outcome", "second", "first"],
            ["correct", "strict", "1", "2"],
            ["missing", "1", "0"],
        ]


def test_a_document_without_a_text_has_its_tables(browser: Any, tmp_path: Path) -> None:
    gold = (span(SHIP, "freed"), span(SHIP, "canal"))
    done = scored(None, gold, quick=(gold[0], span(SHIP, "ship")))
    with opened(browser, done, tmp_path / "page.html") as page:
        assert page.locator(".running").count() == 0
        rows = page.locator(".inside table").last.locator("tbody tr").all_inner_texts()
        assert [row.split("\t")[2] for row in rows] == ["correct strict", "missing", "spurious"]


def test_other_metrics_than_spans_draw_their_own_outcomes(browser: Any, tmp_path: Path) -> None:
    gold = (span(SHIP, "freed"), span(SHIP, "canal"))
    done = scored(SHIP, gold, ("target-accuracy",), quick=gold[:1])
    with opened(browser, done, tmp_path / "page.html") as page:
        assert page.evaluate(SEEN) == ["EVENT no response", "EVENT one response, correct"]
        assert page.evaluate(LINES, "missing") == ["canal"]


@pytest.mark.parametrize("width", [375, 1280])
def test_no_name_pushes_the_page_sideways(browser: Any, tmp_path: Path, width: int) -> None:
    text = "word " + "x" * 300
    gold = (Annotation("1", "T" * 90, 0, 4), Annotation("2", "LONG", 5, 305))
    done = scored(text, gold, **{"s" * 80: gold, "quick": ()})
    size = {"width": width, "height": 800}
    with opened(browser, done, tmp_path / "page.html", viewport=size) as page:
        page.locator(".span-label").first.focus()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
