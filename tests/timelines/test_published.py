"""Published results: the bundled rows, their filters, and the tables that show them."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from readers.command_line import USAGE, run
from vectors_home import free

from chronoscore.demo import home
from chronoscore.errors import UsageError
from chronoscore.timelines import published
from chronoscore.timelines.readings import PublishedChoice, collections, published_scores

GOLD, QUICK = home() / "gold.jsonl", home() / "quick.jsonl"
PRINTED = {"concat": "concat", "agreement": "agreement", "align_plus_1to1": "align+"}


def facts_of_the_vectors() -> list[tuple[Any, ...]]:
    """Collection, system, model, year and digits of every row that was collected."""
    rows = []
    for row in free("collections/published.json")["rows"]:
        scores = {name: row[name] for name in ("AR-1", "AR-2", "Date-F1") if row[name]}
        for name, label in PRINTED.items():
            if name in row:
                scores |= zip((label, f"{label}(rouge=2)"), row[name], strict=True)
        rows.append((row["dataset"], row["method"], row["model"] or "", row["year"], scores))
    return rows


def test_all_172_rows_are_bundled_with_their_digits() -> None:
    rows = [(row.collection, row.system, row.model, row.year, row.scores) for row in published()]
    assert len(rows) == 172
    assert sorted(map(str, rows)) == sorted(map(str, facts_of_the_vectors()))


def test_every_row_has_a_source_and_a_protocol_and_digits_of_a_ratio() -> None:
    for row in published():
        assert row.paper
        assert row.read_in
        assert row.protocol
        assert row.verified
        assert row.scores
        for digits in row.scores.values():
            assert re.fullmatch(r"0\.\d+", digits)


def test_rows_that_were_read_second_hand_are_marked() -> None:
    second_hand = [
        row
        for row in free("collections/published.json")["rows"]
        if row["verified"] == "second hand"
    ]
    marked = [row for row in published() if row.kind == "second hand"]
    assert len(marked) == len(second_hand) == 10
    assert {row.year for row in marked} == {2025}


def test_rows_are_sorted_by_year_then_paper() -> None:
    keys = [(row.year, row.paper) for row in published()]
    assert keys == sorted(keys)


@pytest.mark.parametrize(
    ("years", "expected"),
    [
        ("", {2019, 2020, 2021, 2024, 2025}),
        ("2020", {2020}),
        ("2020..2021", {2020, 2021}),
        ("2024..", {2024, 2025}),
        ("..2020", {2019, 2020}),
    ],
)
def test_years_are_a_year_or_a_range(years: str, expected: set[int]) -> None:
    assert {row.year for row in published("timeline17", years=years)} == expected


def test_the_filter_by_metric_keeps_rows_that_print_it() -> None:
    rows = published("timeline17", metrics=["concat"])
    assert 0 < len(rows) < 74
    assert all("concat" in row.scores for row in rows)
    assert len(published("timeline17")) == 74


WRONG = [
    ("crisis,metric=BLEU", "no published results have 'BLEU'; they have: AR-1"),
    ("crisis,year=soon", "'soon' is no range of years"),
    ("crisis,year=20202021", "'20202021' is no range of years"),
    ("crisis,year=1999", "fit 1999; there are some of the years 2019, 2020, 2025"),
    ("crisis,paper=x", "'paper=x' is no filter; write metric=AR-1 or year=2024.."),
    ("crisis,metric=", "'metric=' is no filter"),
    ("crisis,year=2019,year=2020", "two years; write a range"),
    ("crisis,", "'' is no filter"),
]


@pytest.mark.parametrize(("choice", "words"), WRONG)
@pytest.mark.parametrize("how", ["text", "latex"])
def test_wrong_choices_are_refused_before_anything_is_read(
    choice: str, words: str, how: str
) -> None:
    ran = run("timelines", "no.jsonl", "such.jsonl", "--published", choice, "-f", how)
    assert (ran.code, ran.out) == (USAGE, "")
    assert words in ran.err


def test_python_refuses_what_the_command_refuses() -> None:
    with pytest.raises(UsageError, match="no published results of 'crises'"):
        published("crises")


def table(choice: str, how: str = "text") -> str:
    ran = run("timelines", GOLD, QUICK, "--published", choice, "-f", how)
    assert ran.code == 0
    return ran.out


def test_the_table_shows_digits_as_printed_and_blanks_for_what_was_not() -> None:
    shown = table("entities,year=2020")
    assert re.search(r"^Text Oracle +2020 +0\.069 +0\.023 +0\.20 +\[1\]$", shown, re.MULTILINE)
    assert "An empty cell was not printed." in shown
    assert "Numbers are comparable only if data, golds, protocol and text processing" in shown
    assert re.search(r"^quick +0\.276 +0\.098 +0\.584 +yours \(news-tls\)$", shown, re.MULTILINE)


def test_the_table_marks_rows_and_names_their_source_and_protocol() -> None:
    shown = table("crisis,metric=AR-1,year=2025")
    assert re.search(r"^SUnSET \(GPT-4o\) +2025 +0\.107 +\[1\] second hand$", shown, re.MULTILINE)
    assert "AR-2" not in shown.partition("published, and yours")[2]
    assert "[1] Sim, Yang, Shen and Kawaguchi" in shown
    assert "protocol: not" in shown


def test_people_see_some_of_many_digits_and_programs_see_all() -> None:
    assert "0.0751…" in table("timeline17,year=2021")
    rows = [*csv.DictReader(io.StringIO(table("timeline17,year=2021", "csv").split("\n\n")[1]))]
    assert rows[0]["AR-1"] == "0.07512514804416984"
    assert rows[0]["read in"].endswith("result/clip2.json")
    assert rows[0]["protocol"].startswith("the code of news-tls")
    assert rows[-1]["model"] == "(yours)"


def test_the_table_of_a_paper_adds_no_digits_to_published_numbers() -> None:
    shown = table("entities,year=2020", "markdown")
    assert "| Text Oracle | 0.069 | 0.023 | 0.20 |" in shown
    assert "0.0751" not in table("timeline17,year=2021", "markdown")


def test_the_table_of_a_paper_leaves_out_no_number_that_was_published() -> None:
    shown = table("crisis,metric=AR-1,year=2025", "markdown")
    assert re.search(r"\| CHRONOS \(Qwen72B\) \| 0\.108 \| 0\.[0-9]+ \| 0\.[0-9]+ \|", shown)


def test_the_table_of_a_paper_marks_oracles() -> None:
    assert "(oracle)" in table("crisis,year=2019", "markdown")


def test_a_file_is_preferred_to_a_collection_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("crisis").write_text("system,AR-1\nA,0.5\n", encoding="utf-8")
    assert "| A | 0.5 | – | – |" in table("crisis", "markdown")


def test_every_collection_has_rows_for_a_paper() -> None:
    for name in collections():
        scores = published_scores(PublishedChoice.parse(name))
        assert [row.scores.keys() for row in scores] == [row.printed.keys() for row in scores]
