"""Baselines: what they know of a gold, what they depend on, and the articles that they read."""

import gzip
import json
import re
import shutil
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from readers.command_line import BAD_DATA, USAGE, run
from vectors_home import real

import chronoscore
from chronoscore.core.problems import Problems
from chronoscore.core.result import load
from chronoscore.core.sources import source_of
from chronoscore.demo import home
from chronoscore.elements.articles import Article, articles_of, read_topics
from chronoscore.errors import DataError, UsageError
from chronoscore.timelines import FrequentDates, RandomDates, Timeline, dataset, evaluate_all
from chronoscore.timelines.baselines import Baseline, DatedArticle, Size, dated

GOLD, QUICK, CAREFUL, ARTICLES = (
    home() / f"{name}.jsonl" for name in ("gold", "quick", "careful", "articles")
)
BASELINES = (FrequentDates(), RandomDates(), RandomDates(seed=5))
NAMES = ("(frequent dates)", "(random)")
DAYS = st.dates(date(2011, 1, 1), date(2011, 3, 1))
SENTENCES = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=4).map(tuple)
SOME_ARTICLES = st.lists(st.builds(DatedArticle, DAYS, SENTENCES), min_size=1, max_size=12)
PINNED = [(9, ("a26",)), (20, ("a24",)), (26, ("a3",))]
SIZES = st.builds(Size, st.integers(0, 9), st.integers(1, 4))


def topic_of(articles: list[DatedArticle], gold: Timeline) -> dict[str, Any]:
    """A topic's data as `evaluate_all` gives them to a pipeline."""
    values = [
        {"id": str(n), "published": day.isoformat(), "sentences": sentences}
        for n, (day, sentences) in enumerate(articles)
    ]
    return {"articles": values, "gold_timelines": gold}


# Laws


@pytest.mark.parametrize("baseline", BASELINES, ids=repr)
@given(articles=SOME_ARTICLES, size=SIZES, data=st.data())
def test_the_order_of_articles_changes_nothing(
    baseline: Baseline, articles: list[DatedArticle], size: Size, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(articles))
    assert baseline.predictor(shuffled)(size) == baseline.predictor(articles)(size)


@pytest.mark.parametrize("baseline", BASELINES, ids=repr)
@given(articles=SOME_ARTICLES, size=SIZES)
def test_no_timeline_is_longer_than_its_size(
    baseline: Baseline, articles: list[DatedArticle], size: Size
) -> None:
    days = baseline.predictor(articles)(size).days
    assert len(days) <= size.dates
    first, last = min(articles).day, max(article.day for article in articles)
    for day, texts in days:
        assert first <= day.first <= last
        assert 1 <= len(texts) == len({*texts}) <= size.sentences
        assert {*texts} <= {text for article in articles for text in article.sentences}


@pytest.mark.parametrize("baseline", BASELINES, ids=repr)
@given(articles=SOME_ARTICLES, first=DAYS, other=DAYS)
def test_golds_of_one_size_get_one_prediction_whatever_they_say(
    baseline: Baseline, articles: list[DatedArticle], first: date, other: date
) -> None:
    golds = [
        Timeline.of({date(2011, 1, 1): ["a", "b"], first.replace(year=2012): ["c", "d"]}),
        Timeline.of({date(2012, 1, 1): ["w", "x"], other: ["y", "z"]}),
    ]
    one, two = (baseline.run(topic_of(articles, gold)) for gold in golds)
    assert one == two


@given(articles=SOME_ARTICLES, size=SIZES)
def test_frequent_dates_are_those_of_most_articles(
    articles: list[DatedArticle], size: Size
) -> None:
    counts = Counter(article.day for article in articles)
    chosen = [day.first for day, _ in FrequentDates().predictor(articles)(size).days]
    assert len(chosen) == min(size.dates, len(counts))
    others = counts.keys() - {*chosen}
    assert all(counts[day] >= counts[other] for day in chosen for other in others)


def test_lead_sentences_come_before_the_second_ones() -> None:
    day = date(2011, 2, 11)
    articles = [DatedArticle(day, ("b1", "b2")), DatedArticle(day, ("a1", "a2", "a3"))]
    ((_, texts),) = FrequentDates().predictor(articles)(Size(1, 4)).days
    assert texts == ("a1", "b1", "a2", "b2")


def test_random_days_are_drawn_from_the_whole_span_with_equal_chances() -> None:
    articles = [DatedArticle(date(2011, 1, day), ("a", "b")) for day in (1, 10)]
    drawn = Counter(
        RandomDates(seed=seed).predictor(articles)(Size(1, 1)).dates[0].first.day
        for seed in range(2000)
    )
    assert drawn.keys() == {*range(1, 11)}
    assert 150 < min(drawn.values()) <= max(drawn.values()) < 250


def test_seeds_and_topics_draw_differently() -> None:
    articles = [DatedArticle(date(2011, 1, day), (f"a{day}",)) for day in range(1, 29)]
    others = [DatedArticle(day, (f"{text}!",)) for day, (text,) in articles]
    drawn = [
        RandomDates(seed=seed).predictor(some)(Size(5, 1)).dates
        for seed in (0, 1)
        for some in (articles, others)
    ]
    assert len({*drawn}) == 4


def test_draws_do_not_depend_on_the_version_of_python() -> None:
    articles = [DatedArticle(date(2011, 1, day), (f"a{day}",)) for day in range(1, 29)]
    predicted = RandomDates(seed=7).predictor(articles)(Size(3, 1))
    assert [(day.first.day, texts) for day, texts in predicted.days] == PINNED


@pytest.mark.parametrize(
    ("golds", "expected"),
    [
        ([[2, 2, 2]], Size(3, 2)),
        ([[1, 2]], Size(2, 2)),  # 1.5 is rounded to even
        ([[2, 3]], Size(2, 2)),  # so is 2.5
        ([[0, 0]], Size(2, 1)),  # a day without sentences is a day
        ([[1], [1, 1, 1]], Size(2, 1)),  # the mean of several golds
        ([[]], Size(0, 0)),
        ([], Size(0, 0)),
    ],
)
def test_the_size_is_that_of_the_golds(golds: list[list[int]], expected: Size) -> None:
    timelines = tuple(
        Timeline.of({date(2011, 1, day): ["x"] * count for day, count in enumerate(gold, 1)})
        for gold in golds
    )
    assert Size.of(timelines) == expected


# As pipelines


@pytest.mark.parametrize("baseline", BASELINES, ids=repr)
def test_a_baseline_is_a_pipeline(baseline: Baseline) -> None:
    done = evaluate_all(baseline, dataset(GOLD, ARTICLES), metrics=["AR-1", "Date-F1"])
    assert not done.failures
    assert 0 < done.result["AR-1"] < 0.3


def test_a_topic_may_be_an_object_and_its_articles_dicts_or_a_file() -> None:
    class Topic:
        articles = ARTICLES
        gold_timelines = {"2011-01-01": ["x"]}  # noqa: RUF012

    dicts = [json.loads(line) for line in ARTICLES.read_text(encoding="utf-8").splitlines()]
    as_dicts = {"articles": dicts, "gold_timelines": Topic.gold_timelines}
    assert FrequentDates().run(Topic()) == FrequentDates().run(as_dicts)


def test_a_size_replaces_the_golds() -> None:
    topic = {"articles": [{"time": date(2011, 2, 11), "text": "One. Two. Three."}]}
    ((day, texts),) = FrequentDates(Size(3, 2)).run(topic).days
    assert (str(day), texts) == ("2011-02-11", ("One.", "Two."))
    with pytest.raises(UsageError, match="without gold_timelines"):
        FrequentDates().run(topic)
    with pytest.raises(UsageError, match="without articles"):
        FrequentDates().run({"gold_timelines": {"2011-01-01": ["x"]}})


def test_articles_that_are_none_are_refused() -> None:
    with pytest.raises(UsageError, match="an article is a str"):
        articles_of(["Protests began."])
    with pytest.raises(
        UsageError, match="an article can't be read: text is a whole number, expected text"
    ):
        articles_of([{"published": "2011-01-25", "text": 5}])
    with pytest.raises(DataError, match="the article 'a' has no day"):
        dated([Article(id="a", published="soon", text="x")])


# On the command line


def floor_rows(*words: object) -> dict[str, str]:
    ran = run("timelines", GOLD, QUICK, "--floor", *words)
    assert ran.code == 0
    return {
        name: line.removeprefix(name)
        for line in ran.out.splitlines()
        for name in (*NAMES, "quick")
        if line.startswith(name)
    }


def test_the_floor_is_in_the_table_and_a_notice_says_what_it_is() -> None:
    ran = run("timelines", GOLD, QUICK, "--floor", ARTICLES, "--seed", 3)
    assert all(f"\n{name} " in ran.out for name in NAMES)
    assert "random days and sentences (seed 3)" in ran.err.replace("\n  ", " ")


def test_articles_without_days_are_no_floor_of_zero() -> None:
    ran = run("timelines", GOLD, QUICK, "--floor", GOLD)
    assert (ran.code, ran.out) == (3, "")
    assert "no article of any topic has a date and a text to predict from" in ran.err


def test_the_seed_draws_the_random_baseline_alone() -> None:
    first, again, other = (floor_rows(ARTICLES, "--seed", seed) for seed in (0, 0, 1))
    assert first == again
    assert first["(random)"] != other["(random)"]
    assert first["(frequent dates)"] == other["(frequent dates)"]
    assert first["quick"] == other["quick"]


def test_the_floor_has_the_cases_of_every_system(tmp_path: Path) -> None:
    for golds in ("each", "pooled"):
        path = tmp_path / f"{golds}.json"
        run("timelines", GOLD, QUICK, "--floor", ARTICLES, "--golds", golds, "--save", path)
        cases = [[row.case for row in system.rows] for system in load(path).systems]
        assert len(cases) == 3
        assert cases[0] == cases[1] == cases[2]


def test_gates_and_the_ranking_of_a_paper_leave_the_floor_out(tmp_path: Path) -> None:
    words = ("timelines", GOLD, QUICK, "--floor", ARTICLES)
    assert run(*words, "--fail-under", "AR-1=0.2").code == 0
    run("timelines", GOLD, QUICK, "--save", tmp_path / "before.json")
    assert run(*words, "--no-worse-than", tmp_path / "before.json").code == 0
    shown = run(*words, "-f", "markdown").out
    assert "(frequent dates) and (random): baselines made from the articles." in shown
    assert "**" not in shown


def saved(path: Path, *words: object) -> Path:
    assert run("timelines", GOLD, *words, "--save", path).code == 0
    return path


def test_a_comparison_does_not_rank_the_floor_nor_golds(tmp_path: Path) -> None:
    plain = saved(tmp_path / "plain.json", QUICK, CAREFUL)
    words = ("--floor", ARTICLES, "--ceiling")
    full = saved(tmp_path / "full.json", QUICK, CAREFUL, *words)
    one, two = (saved(tmp_path / p.name, p, *words) for p in (QUICK, CAREFUL))
    expected = run("compare", plain).out
    assert " b " in expected
    assert run("compare", full).out == expected
    assert sorted(run("compare", one, two).out) == sorted(expected)
    against = run("compare", one, two, "--baseline", "(random)").out
    assert re.search(r"^\(random\) ", against, re.MULTILINE)
    assert "(frequent dates)" not in against
    assert run("compare", one, two, "-f", "markdown").out.count("| (random) |") == 1
    assert chronoscore.load(full).compare().systems == ("quick", "careful")
    assert run("show", full, "--decided", "careful", "(random)").code == 0


def test_one_system_is_compared_with_the_floor(tmp_path: Path) -> None:
    path = saved(tmp_path / "quick.json", QUICK, "--floor", ARTICLES)
    assert all(f"\n{name} " in run("compare", path).out for name in NAMES)
    assert run("timelines", GOLD, CAREFUL, "--no-worse-than", path).code == 0


def test_a_leaderboard_ranks_systems_alone(tmp_path: Path) -> None:
    words = ("--floor", ARTICLES, "--ceiling")
    paths = [saved(tmp_path / p.name, p, *words) for p in (QUICK, CAREFUL)]
    assert "2 systems" in run("leaderboard", *paths, "-o", tmp_path / "site").out
    text = (tmp_path / "site" / "leaderboard.json").read_text(encoding="utf-8")
    assert '"careful"' in text
    assert "(random)" not in text
    assert "1 system" in run("leaderboard", paths[0], "-o", tmp_path / "alone").out


def test_a_topic_without_articles_counts_as_empty_with_a_notice(tmp_path: Path) -> None:
    lines = ARTICLES.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if '"topic": "chernobyl"' not in line]
    (tmp_path / "some.jsonl").write_text("".join(kept), encoding="utf-8")
    ran = run("timelines", GOLD, QUICK, "--floor", tmp_path / "some.jsonl")
    assert ran.code == 0
    assert "(random): no prediction for 1 topic, counted as empty: chernobyl" in ran.err


def test_articles_of_other_topics_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "articles.jsonl"
    path.write_text('{"id": "a", "published": "2011-01-25", "topic": "egypt", "text": "x"}\n')
    ran = run("timelines", GOLD, QUICK, "--floor", path)
    assert (ran.code, ran.out) == (BAD_DATA, "")
    assert "the articles are of egypt, the golds of apollo-11" in ran.err
    path.write_text('{"id": "a", "published": "2011-01-25", "text": "x"}\n')
    assert "the articles are of no topic" in run("timelines", GOLD, QUICK, "--floor", path).err


def test_articles_without_a_topic_are_of_the_only_one(tmp_path: Path) -> None:
    gold, articles = tmp_path / "egypt.json", tmp_path / "articles.jsonl"
    gold.write_text('{"2011-02-11": ["Mubarak resigns."]}')
    articles.write_text(
        '{"id": "a", "published": "2011-02-11", "text": "Mubarak resigns."}\n'
        '{"id": "b", "text": "Undated."}\n{"id": "c", "published": "2011-02-12"}\n'
    )
    ran = run("timelines", gold, gold, "--floor", articles, "-m", "Date-F1")
    assert re.search(r"^\(frequent dates\) +1\.000", ran.out, re.MULTILINE)
    assert "2 articles without a day or a text left out: b, c" in ran.notices


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"id": "a", "published": "2011-13-01", "text": "x"}\n', "published: "),
        ('{"id": "a", "time": "soon", "text": "x"}\n', ":1: time: "),
        ('{"id": "a", "time": 5, "text": "x"}\n', "time is a whole number, expected text"),
        ('["time"]\n', "the line is a list, expected an object"),
        ("x\n", "not JSON"),
        ("", "the file is empty"),
    ],
)
def test_wrong_articles_are_refused_with_their_line(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "articles.jsonl"
    path.write_text(text, encoding="utf-8")
    ran = run("timelines", GOLD, QUICK, "--floor", path)
    assert (ran.code, ran.out) == (BAD_DATA, "")
    assert str(path) in ran.err
    assert words in ran.err


def test_other_refusals(tmp_path: Path) -> None:
    words = ("timelines", GOLD, QUICK)
    assert "there is no such file" in run(*words, "--floor", tmp_path / "none").err
    assert "no articles in the folder" in run(*words, "--floor", tmp_path).err
    assert run(*words, "--seed", 3).code == USAGE
    assert run(*words, "--floor", ARTICLES, "--chunk", 2).code == USAGE


# Layouts


def news_tls_line(number: int, time: str, *raw: str) -> str:
    sentence = [{"raw": text, "tokens": {"keys": [], "data": []}, "pub_time": time} for text in raw]
    article = {"id": number, "time": time, "title": "T", "text": "Whole.", "vector": None}
    return json.dumps({**article, "sentences": sentence}) + "\n"


def topics_in(path: Path) -> dict[str, list[DatedArticle]]:
    problems = Problems()
    topics = read_topics(source_of(path), problems)
    problems.check()
    return {topic: dated(articles) for topic, articles in topics.items()}


JULY, MAY = date(2011, 7, 1), date(2012, 5, 2)


def test_the_articles_of_news_tls_are_read_plain_and_packed(tmp_path: Path) -> None:
    text = news_tls_line(1, "2011-07-01 00:00:00", "Mr. A. B. spoke.", "Two.")
    (tmp_path / "egypt").mkdir()
    (tmp_path / "libya").mkdir()
    (tmp_path / "egypt" / "articles.preprocessed.jsonl").write_text(text)
    (tmp_path / "egypt" / "articles.jsonl").write_text("left alone")
    (tmp_path / "egypt" / "keywords.json").write_text('["egypt"]')
    with gzip.open(tmp_path / "libya" / "articles.preprocessed.jsonl.gz", "wt") as file:
        file.write(news_tls_line(2, "2012-05-02T23:30:00-05:00", "Three."))
        file.write('{"id": 3, "time": "2012-05-02", "text": "Four. Five."}\n')
    assert topics_in(tmp_path) == {
        "egypt": [DatedArticle(JULY, ("Mr. A. B. spoke.", "Two."))],
        "libya": [DatedArticle(MAY, ("Three.",)), DatedArticle(MAY, ("Four.", "Five."))],
    }


@pytest.mark.parametrize("inner", ["InputDocs", ""])
def test_texts_in_folders_of_days_are_articles(inner: str, tmp_path: Path) -> None:
    folder = tmp_path / "t17" / "egypt" / inner / "2011-07-01"
    folder.mkdir(parents=True)
    (folder / "1.htm.txt").write_bytes(b"Half of a dash: \xe2\x80 .\nTwo .\n")
    (folder / "2.htm.txt").write_bytes(b"")
    (folder / "notes.md").write_text("left alone")
    (tmp_path / "t17" / "egypt" / "timelines").mkdir()
    (tmp_path / "t17" / "egypt" / "timelines" / "bbc.txt").write_text("2011-07-01\nx\n" + "-" * 32)
    expected = [DatedArticle(JULY, ("Half of a dash: \ufffd .", "Two ."))]
    assert topics_in(tmp_path / "t17") == {"egypt": expected}
    assert topics_in(tmp_path / "t17" / "egypt") == {"egypt": expected}


def test_the_articles_of_timeline17_are_read_as_published(tmp_path: Path) -> None:
    raw = real("collections/timeline17-raw/Timeline17")
    if not raw.is_dir():
        pytest.skip("the sample of Timeline17 is not among the public vectors")
    ((topic, articles),) = topics_in(raw).items()  # two of its three articles are empty
    assert topic == "SyrianCrisis_reuters"
    assert articles[0].day == date(2011, 8, 5)
    assert len(articles[0].sentences) == 3
    gold = tmp_path / "gold" / topic
    gold.mkdir(parents=True)
    shutil.copy(raw / topic / "timelines" / "tl2.1.txt", gold)
    ran = run("timelines", gold.parent, gold.parent, "--floor", raw)
    assert all(f"\n{name} " in ran.out for name in NAMES)
