"""The head of a page: which run it is of, and the systems in the order of their scores."""

import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from reports.made import demo

from chronoscore.cli.heads import date_of_run, file_names
from chronoscore.cli.main import command
from chronoscore.core.result import ResultDocument, save
from chronoscore.demo import home
from chronoscore.errors import UsageError
from chronoscore.families import family
from chronoscore.reports.html.head import RunHead, by_score, described, systems_in_words
from chronoscore.reports.html.report import report

GOLD, QUICK, CAREFUL = (home() / f"{name}.jsonl" for name in ("gold", "quick", "careful"))
DAY = 86_400


@pytest.fixture(autouse=True)
def day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(10 * DAY))


def run(*words: object) -> None:
    done = CliRunner().invoke(command, [str(word) for word in words])
    assert done.exit_code == 0, done.output


def terms(page: str) -> dict[str, str]:
    """The terms of a page's head and their meanings, without markup."""
    found = re.findall(r"<div><dt>(.*?)</dt><dd>(.*?)</dd></div>", page.partition("</header>")[0])
    return {term: unescape(re.sub(r"<[^>]*>", "", text)) for term, text in found}


def written(path: Path) -> dict[str, str]:
    return terms(path.read_text(encoding="utf-8"))


def changed(
    result: ResultDocument, scores: Mapping[str, float | None], better: str = "higher"
) -> ResultDocument:
    """The result with the first metric better as said, and systems of these names and scores."""
    first, *others = result.metrics
    template = result.systems[0]
    systems = []
    for name, score in scores.items():
        summaries = tuple(
            replace(one, scores={**one.scores, first.primary: score})
            if one.metric == first.name and not one.group
            else one
            for one in template.summaries
        )
        systems.append(replace(template, name=name, summaries=summaries))
    metrics = (replace(first, better=better), *others)
    return replace(result, metrics=metrics, systems=tuple(systems))


def names(result: ResultDocument) -> list[str]:
    return [system.name for system in by_score(result).systems]


def test_systems_come_best_first_undefined_after_them_and_bracketed_ones_last() -> None:
    scores: dict[str, float | None] = {
        "low": 0.1,
        "none": None,
        "(gold)": 0.9,
        "high": 0.8,
        "tie": 0.1,
    }
    result = changed(demo().result, scores)
    assert names(result) == ["high", "low", "tie", "none", "(gold)"]
    assert names(changed(result, scores, "lower")) == ["low", "tie", "high", "none", "(gold)"]


def test_the_head_names_systems_with_their_scores() -> None:
    result = changed(demo().result, {"slow": 2.5, "none": None, "quick": 0.25}, "lower")
    text = systems_in_words(result)
    assert re.sub("<[^>]*>", "", text) == (
        "quick 0.250, slow 2.500, none undefined (by AR-1 F1, lower is better)"
    )


def test_a_head_of_many_systems_says_how_many_more_there_are() -> None:
    scores = {f"s{number:02d}": number / 100 for number in range(23)}
    text = re.sub("<[^>]*>", "", systems_in_words(changed(demo().result, scores)))
    assert text.startswith("s22 0.220, s21 0.210, ")
    assert text.endswith("s03 0.030, 3 more systems (by AR-1 F1)")


def test_the_scores_of_every_metric_list_systems_in_the_order_of_the_head() -> None:
    scored = demo()
    page = report(family("timelines"), scored.result, scored.matches, scored.texts)
    order = re.findall(r"<bdi>(.*?)</bdi>", page)
    assert order == ["careful", "quick", "lead"]
    cards = re.findall(r'<li class="card"><h4 dir="auto">(.*?)</h4>', page)
    assert cards == order * len(scored.result.metrics)
    forest = re.findall(r'<li><span class="name" dir="auto">(.*?)</span>', page)
    assert forest == cards


def test_a_metric_is_described_with_its_range_and_what_is_better() -> None:
    timelines = demo().result.metrics[0]
    metric = family("timelines").metric(timelines.name)
    assert described(timelines, metric).endswith(". From 0 to 1, higher is better.")
    assert described(timelines, None).endswith(". Higher is better.")
    assert described(replace(timelines, better="lower"), None).endswith(". Lower is better.")


def test_a_page_made_in_python_has_no_date_and_names_no_run() -> None:
    scored = demo()
    head = terms(report(family("timelines"), scored.result))
    assert not {"Data set", "Run", "Date"} & {*head}
    assert [*head] == ["Systems", "Protocol", "Average", "0/0", "Reading"]


def test_names_in_a_head_are_text() -> None:
    page = report(family("timelines"), demo().result, head=RunHead("<b>&", "<script>", ""))
    assert (terms(page)["Data set"], terms(page)["Run"]) == ("<b>&", "<script>")
    assert "<script>" not in page.partition("</header>")[0]


def test_the_verb_names_gold_predictions_and_date(tmp_path: Path) -> None:
    run("timelines", GOLD, QUICK, f"other={CAREFUL}", "--report", tmp_path / "page.html")
    head = written(tmp_path / "page.html")
    assert (head["Data set"], head["Run"], head["Date"]) == (
        "gold.jsonl",
        "quick.jsonl, careful.jsonl",
        "1970-01-11",
    )
    assert head["Systems"].startswith("other 0.617, quick 0.276 (by AR-1 F1)")


def test_judgements_have_sheets_and_no_data_set(tmp_path: Path) -> None:
    sheet = home() / "judgements.csv"
    for verb in ("rubric", "agreement"):
        run(verb, sheet, "--report", tmp_path / f"{verb}.html")
        head = written(tmp_path / f"{verb}.html")
        assert "Data set" not in head
        assert head["Run"] == "judgements.csv"


def test_an_evaluation_has_the_same_head(tmp_path: Path) -> None:
    run("evaluate", GOLD, QUICK, CAREFUL, "--report", tmp_path / "page.html")
    assert written(tmp_path / "page.html") == {
        "Data set": "gold.jsonl",
        "Run": "quick.jsonl, careful.jsonl",
        "Date": "1970-01-11",
        "Systems": "careful 0.617, quick 0.276 (by AR-1 F1)",
    }


def test_a_saved_result_has_its_name_its_gold_and_the_day_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    scored = demo()
    save(scored.result, scored.matches, tmp_path / "night.json", scored.texts)
    noon = datetime(2001, 2, 3, 12, tzinfo=UTC).timestamp()
    os.utime(tmp_path / "night.json", (noon, noon))
    run("show", tmp_path / "night.json", "--report", tmp_path / "page.html")
    head = written(tmp_path / "page.html")
    assert (head["Run"], head["Date"]) == ("night.json", "2001-02-03")
    gold = re.search(r"\|gold=(\w+)\|", scored.result.systems[0].signature)
    assert gold
    assert head["Data set"] == f"gold {gold[1]}"


def test_a_board_names_its_inputs_and_its_reports_their_data_set(tmp_path: Path) -> None:
    scored = demo()
    (tmp_path / "results" / "news").mkdir(parents=True)
    saved = tmp_path / "results" / "news" / "night.json"
    save(scored.result, scored.matches, saved, scored.texts)
    run("leaderboard", tmp_path / "results", "-o", tmp_path / "site")
    assert written(tmp_path / "site" / "index.html") == {"Run": "results", "Date": "1970-01-11"}
    head = written(tmp_path / "site" / "reports" / "news-night.html")
    assert (head["Data set"], head["Run"], head["Date"]) == ("news", "night.json", "1970-01-11")


def test_today_is_the_date_where_nothing_fixes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    before = datetime.now().astimezone().date().isoformat()
    found = date_of_run()
    assert found in (before, datetime.now().astimezone().date().isoformat())


@pytest.mark.parametrize("value", ["soon", "1e9", "9" * 30, "1.5"])
def test_a_wrong_epoch_is_refused_with_what_to_set(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    with pytest.raises(UsageError, match=f"SOURCE_DATE_EPOCH is '{value}', expected a number"):
        date_of_run()


def test_many_files_are_counted() -> None:
    assert file_names(["a/x", "b/x", "y"]) == "x, y"
    assert file_names(f"{number}.txt" for number in range(10)).endswith("7.txt and 2 more")
