"""Events in their articles: evidence, what is mentioned, and what only verdicts can say."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from chronoscore import DataError, UsageError, evaluate
from chronoscore.cli.main import command
from chronoscore.core.event import Event, read_events
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.demo import SYSTEMS, home
from chronoscore.elements.articles import Article, read_topics
from chronoscore.elements.text.conflicts import numbers
from chronoscore.evaluation import Evaluation, load, save
from chronoscore.evaluation.document import EventSupport
from chronoscore.evaluation.pages import evaluation_report
from chronoscore.evaluation.support import Library, support
from chronoscore.evaluation.tables import event_table, overview

ARTICLES = home() / "articles.jsonl"
TEXT = (
    "Drivers of the night buses began a strike in Leeds on Monday. About 40 buses stayed in their "
    "garages, a spokesman said. The mayor, who had warned of the strike last week, asked both "
    "sides to talk. Talks collapsed yesterday after two hours."
)
ARTICLE = Article(id="a1", topic="leeds", published="2024-03-06", title="Night strike", text=TEXT)


def library(*articles: Article, scope: str = "article") -> Library:
    topics: dict[str, list[Article]] = {}
    for article in articles or (ARTICLE,):
        topics.setdefault(article.topic, []).append(article)
    return Library.of(topics, scope)


def found(text: str, day: str | None = "2024-03-04", **fields: Any) -> EventSupport:
    event = Event(**{"id": "e", "topic": "leeds", "article": "a1", **fields}, text=text, date=day)
    return support(event, library())


# What an event says


def test_evidence_is_the_sentence_with_the_event_and_its_place() -> None:
    one = found("40 buses stay in their garages.")
    assert (one.what.outcome, one.article, one.place) == ("mentioned", "a1", 2)
    assert one.span is not None
    assert TEXT[slice(*one.span)] == one.sentence
    assert one.sentence.startswith("About 40 buses")


def test_coverage_is_the_weighted_share_of_words_in_the_sentence_and_its_window() -> None:
    # Of mayor, talk and tax the third sentence has the first two; no sentence has the third.
    # n = 4 sentences; df of mayor is 1, of talk 2 (talk, talks), of tax 0.
    from math import log

    mayor, talk, tax = log(5 / 1.5), log(5 / 2.5), log(5 / 0.5)
    one = found("mayor talks tax")
    assert one.place == 3
    assert one.coverage == pytest.approx((mayor + talk) / (mayor + talk + tax), abs=1e-12)


def test_neighbours_count_half() -> None:
    alone = Article(id="a1", topic="leeds", text="The mayor spoke.\nNothing else.\nBuses left.")
    event = Event(id="e", article="a1", text="mayor buses")
    one = support(event, library(alone))
    assert one.coverage == pytest.approx(0.5)  # one of two words, and its window has no other
    near = structs.replace(alone, text="The mayor spoke.\nBuses left.\nNothing else.")
    assert support(event, library(near)).coverage == pytest.approx(0.75)


def test_a_denied_event_is_still_mentioned_which_is_why_it_is_not_called_supported() -> None:
    denied = structs.replace(ARTICLE, text="Drivers of the night buses did not strike in Leeds.")
    event = Event(id="e", article="a1", text="Drivers of the night buses strike in Leeds.")
    one = support(event, library(denied))
    assert (one.what.outcome, one.what.verdict) == ("mentioned", None)


@pytest.mark.parametrize("text", ["400 buses stay in their garages.", "Forty-one buses stay."])
def test_a_changed_number_is_not_found(text: str) -> None:
    assert found(text).what.outcome == "not found"
    assert "does not have 4" in found(text).what.reason


def test_a_number_in_words_is_the_number_in_digits() -> None:
    assert found("Forty buses stayed in their garages.").what.outcome == "unsure"  # not missing


def test_what_no_sentence_speaks_of_is_not_found_and_has_no_evidence() -> None:
    one = found("Volcano erupts.")
    assert (one.what.outcome, one.when.outcome) == ("not found", "not found")
    assert (one.place, one.sentence, one.coverage) == (0, "", 0.0)


SENTENCES = st.lists(
    st.lists(
        st.sampled_from(
            ("bus", "buses", "mayor", "strike", "forty", "12", "two", "talk", "the", "not")
        ),
        min_size=1,
        max_size=6,
    ).map(lambda words: " ".join(words).capitalize() + "."),
    min_size=1,
    max_size=6,
)


@given(SENTENCES, st.integers(0, 5), st.sampled_from(["article", "collection"]))
def test_a_sentence_of_the_article_is_mentioned(sentences: list[str], at: int, scope: str) -> None:
    article = Article(id="a1", text="\n".join(sentences))
    event = Event(id="e", article="a1", text=sentences[at % len(sentences)])
    one = support(event, library(article, scope=scope))
    assert one.what.outcome == "mentioned" or one.what.reason == (
        "the event has no words that could be looked for"
    )
    assert one.coverage in (0.0, 1.0)


@given(st.lists(SENTENCES, min_size=1, max_size=4), SENTENCES, st.randoms())
def test_the_order_of_articles_changes_nothing(
    texts: list[list[str]], sought: list[str], random: Any
) -> None:
    articles = [
        Article(id=f"a{at}", published="2024-03-06", text="\n".join(text))
        for at, text in enumerate(texts)
    ]
    event = Event(id="e", text=sought[0], date="2024-03-04")
    shuffled = random.sample(articles, len(articles))
    for scope in ("article", "collection"):
        assert support(event, library(*articles, scope=scope)) == support(
            event, library(*shuffled, scope=scope)
        )


def test_an_event_without_an_article_names_the_best_of_its_topic() -> None:
    other = Article(id="a0", topic="leeds", published="2024-03-01", text="The mayor spoke.")
    elsewhere = Article(id="b", topic="york", text="Drivers of the night buses strike in Leeds.")
    event = Event(id="e", topic="leeds", text="Drivers of the night buses begin a strike in Leeds.")
    assert support(event, library(ARTICLE, other, elsewhere)).article == "a1"


def test_of_two_articles_with_the_same_words_the_one_with_the_date_counts() -> None:
    undated = Article(id="a0", topic="leeds", published="2024-03-06", text="Drivers strike.")
    dated = structs.replace(undated, id="a2", text="Drivers strike yesterday.")
    event = Event(id="e", topic="leeds", date="2024-03-05", text="Drivers strike.")
    one = support(event, library(undated, dated))
    assert (one.article, one.when.outcome) == ("a2", "mentioned")


def test_an_id_that_two_topics_use_is_looked_up_in_the_topic_of_the_event() -> None:
    other = structs.replace(ARTICLE, topic="york", text="Nothing happened.")
    event = Event(id="e", topic="leeds", article="a1", text="Talks collapsed yesterday.")
    assert support(event, library(other, ARTICLE)).what.outcome == "mentioned"
    assert support(event, library(ARTICLE, other)).what.outcome == "mentioned"
    elsewhere = structs.replace(event, topic="hull")  # its topic has no article of its own
    assert support(elsewhere, library(ARTICLE)).what.outcome == "mentioned"


# When it happened


@pytest.mark.parametrize(
    ("text", "day", "outcome"),
    [
        ("Drivers of night buses begin a strike in Leeds.", "2024-03-04", "mentioned"),
        ("Drivers of night buses begin a strike in Leeds.", "2024-03", "mentioned"),
        ("Drivers of night buses begin a strike in Leeds.", "2024-03-02", "contradicted"),
        ("Drivers of night buses begin a strike in Leeds.", None, "not found"),
        ("Drivers of night buses begin a strike in Leeds.", "XXXX-XX-XX", "not found"),
        ("40 buses stay in their garages.", "2024-03-06", "not found"),  # not by publication
        ("Talks collapse after two hours.", "2024-03-05", "mentioned"),
        ("Night Leeds drivers tax oil trade.", "2024-03-02", "unsure"),  # too little is covered
    ],
)
def test_date_is_compared_with_what_the_evidence_can_mean(
    text: str, day: str | None, outcome: str
) -> None:
    assert found(text, day).when.outcome == outcome


def test_a_date_is_not_contradicted_while_an_expression_is_not_understood() -> None:
    text = "The drivers struck on Monday and again recently."
    event = Event(id="e", article="a1", date="2024-02-20", text="The drivers struck.")
    one = support(event, library(structs.replace(ARTICLE, text=text)))
    assert one.what.outcome == "mentioned"
    assert (one.when.outcome, "not resolved: 'recently'" in one.when.reason) == ("unsure", True)


@pytest.mark.parametrize(
    ("bound", "day"), [("before Friday", "1950-01-01"), ("since 1971", "2024-03-06")]
)
def test_a_bound_neither_gives_a_date_nor_contradicts_one_that_it_holds(
    bound: str, day: str
) -> None:
    articles = library(structs.replace(ARTICLE, text=f"The drivers settled {bound}."))
    event = Event(id="e", article="a1", date=day, text="The drivers settled.")
    assert support(event, articles).when.outcome == "unsure"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Водители начали забастовку в понедельник.", ""),
        ("Die Fahrer begannen am Montag einen Streik.", "de"),
    ],
)
def test_there_is_no_verdict_on_dates_of_articles_that_are_not_in_english(
    text: str, language: str
) -> None:
    article = Article(id="a1", published="2024-03-06", text=text, language=language)
    event = Event(id="e", article="a1", date="1999-01-01", text=text)
    one = support(event, library(article))
    assert (one.what.outcome, one.when.outcome) == ("mentioned", "unsure")
    assert one.when.reason == "the article is not in English"


def test_without_a_day_of_publication_no_date_is_compared() -> None:
    event = Event(id="e", article="a1", date="2024-03-05", text="Talks collapse after two hours.")
    one = support(event, library(structs.replace(ARTICLE, published="")))
    assert (one.when.outcome, one.when.reason[:12]) == ("unsure", "it is not kn")


# The demo

EVENTS = {
    name: [
        one for one in read_events(source_of(home() / f"{name}.jsonl"), Problems()) if one.article
    ]
    for name in ("gold", *SYSTEMS)
}


def demo(scope: str) -> Library:
    return Library.of(read_topics(source_of(ARTICLES), Problems()), scope)


def outcomes(events: Sequence[Event], articles: Library, criterion: Any) -> tuple[int, ...]:
    counts = Counter(support(one, articles).criterion(criterion).outcome for one in events)
    return tuple(counts[name] for name in ("mentioned", "unsure", "not found", "contradicted"))


def test_most_events_of_the_demo_are_mentioned_in_their_own_article_only() -> None:
    every = [event for several in EVENTS.values() for event in several]
    others = {
        event.id: next(
            one.article.id
            for one in demo("article").by_topic[event.topic]
            if one.article.id != event.article
        )
        for event in every
    }
    elsewhere = [structs.replace(event, article=others[event.id]) for event in every]
    denied = [
        structs.replace(event, text=event.text.rstrip(".") + " did not happen.") for event in every
    ]
    articles = demo("collection")
    assert outcomes(every, articles, "what") == (170, 22, 7, 0)
    assert outcomes(elsewhere, articles, "what") == (7, 23, 169, 0)
    assert outcomes(denied, articles, "what") == (89, 94, 16, 0)
    articles = demo("article")
    assert outcomes(every, articles, "what") == (141, 47, 11, 0)
    assert outcomes(elsewhere, articles, "what") == (4, 11, 184, 0)


def test_dates_of_the_demo_are_mentioned_and_those_moved_by_three_days_contradicted() -> None:
    every = [event for name in ("gold", "careful", "quick") for event in EVENTS[name]]
    moved = [
        structs.replace(event, date=str(date.fromisoformat(event.date) + timedelta(days=3)))
        for event in every
        if event.date
    ]
    articles = demo("collection")
    assert outcomes(every, articles, "when") == (129, 14, 27, 14)
    assert outcomes(moved, articles, "when") == (2, 32, 27, 123)
    assert outcomes(EVENTS["gold"], articles, "when") == (49, 3, 11, 2)
    assert outcomes(EVENTS["lead"], articles, "when") == (0, 2, 0, 13)
    articles = demo("article")
    assert outcomes(every, articles, "when") == (128, 19, 26, 11)
    assert outcomes(moved, articles, "when") == (2, 56, 26, 100)


def test_changed_numbers_of_the_demo_are_not_found() -> None:
    articles = demo("article")
    with_numbers = [
        event
        for name in ("gold", "careful", "quick")
        for event in EVENTS[name]
        if any(sign.isdigit() for sign in event.text)
    ]
    assert with_numbers
    for event in with_numbers:
        words = [
            str(3 * int(digits) + 7) if (digits := word.rstrip(".,")).isdigit() else word
            for word in event.text.replace(",", "").split()
        ]
        changed = structs.replace(event, text=" ".join(words))
        if numbers(changed.text) != numbers(event.text):
            assert support(changed, articles).what.outcome == "not found"


# Verdicts

QUOTED = {"event": "p1", "criterion": "what", "verdict": "supported", "by": "ana"}


def predictions() -> list[dict[str, Any]]:
    strike = {"text": "Drivers began a strike in Leeds.", "date": "2024-03-04"}
    talks = {"text": "Talks collapse.", "date": "2024-03-05"}
    return [
        {"id": "p1", "topic": "leeds", "article": "a1", **strike},
        {"id": "p2", "topic": "leeds", "article": "a1", **talks},
    ]


def evaluated(*verdicts: dict[str, Any], **settings: Any) -> Evaluation:
    events = predictions()
    return evaluate(
        events,
        {"ours": events},
        articles=[structs.asdict(ARTICLE)],
        verdicts=[*verdicts] or None,
        **settings,
    )


def scores(answers: Evaluation) -> dict[str, float]:
    assert answers.document.support
    (system,) = answers.document.support.systems
    return system.scores


def test_nothing_is_supported_without_verdicts() -> None:
    answers = evaluated()
    assert scores(answers) == {"mentioned-what": 1.0, "mentioned-when": 1.0}
    assert all(event.support and event.support.verdict is None for event in answers.document.events)
    assert ">supported<" not in evaluation_report(answers)


def test_the_scope_is_part_of_the_name() -> None:
    assert "mentioned-what(scope=collection)" in scores(evaluated(scope="collection"))


def test_shares_of_supported_events_are_of_all_events() -> None:
    quotation = "began a strike in Leeds on Monday"
    when = {**QUOTED, "criterion": "when", "quotation": quotation}
    answers = evaluated({**QUOTED, "quotation": quotation}, when, {**QUOTED, "event": "p2"})
    found = scores(answers)
    assert (found["supported-what"], found["supported-when"], found["supported"]) == (1.0, 0.5, 0.5)
    assert answers.document.support
    (system,) = answers.document.support.systems
    assert system.verdicts["both"] == {"supported": 1, "not found": 0, "contradicted": 0}


def test_people_win_over_models_and_a_tie_is_no_verdict() -> None:
    model = {**QUOTED, "by": "small@0123abcd", "verdict": "contradicted"}
    answers = evaluated(QUOTED, model, {**model, "by": "large@0123abcd"})
    (first, _) = answers.document.events
    assert first.support
    assert (first.support.what.verdict, first.support.what.by) == ("supported", "ana")
    tie = evaluated(
        {**model, "event": "p2"}, QUOTED, {**QUOTED, "by": "ben", "verdict": "not found"}
    )
    assert tie.document.events[0].support
    assert tie.document.events[0].support.what.verdict is None
    assert any("as many verdicts on what of event 'p1'" in notice for notice in tie.notices)


def test_a_quotation_that_is_not_in_the_article_makes_a_verdict_useless() -> None:
    wrong = {**QUOTED, "quotation": "began a strike in York"}
    answers = evaluated(wrong, {**QUOTED, "event": "p2", "quotation": "Talks collapsed"})
    assert scores(answers)["supported-what"] == 0.5
    assert any("the quotation is not in the article" in notice for notice in answers.notices)


def test_a_sheet_of_the_codebook_gives_verdicts() -> None:
    row = {"event_id": "p1", "evaluator": "ana", "Support_What": 2, "Support_When": 0}
    found = scores(evaluated(row))
    assert (found["supported-what"], found["supported-when"], found["supported"]) == (0.5, 0, 0)


@pytest.mark.parametrize(
    ("verdicts", "message"),
    [
        ([{**QUOTED, "event": "nobody"}], "none of the verdicts is on an event"),
        ([{**QUOTED, "verdict": "mentioned"}], "expected one of: supported, not found"),
        ([{**QUOTED, "criterion": "where"}], "expected one of: what, when"),
        ([QUOTED, QUOTED], "ana gave a verdict on what of event 'p1' already"),
        ([{**QUOTED, "by": " "}], "by is empty"),
        ([{**QUOTED, "by": "ana@uni.example"}], "an e-mail address"),
    ],
)
def test_bad_verdicts_are_refused(verdicts: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        evaluated(*verdicts)


def test_some_verdicts_on_unknown_events_are_counted() -> None:
    answers = evaluated(QUOTED, {**QUOTED, "event": "nobody"}, {**QUOTED, "system": "theirs"})
    assert any(
        "2 verdicts on events that are in none of the predictions, first 'nobody'" in notice
        for notice in answers.notices
    )


# Bad input


def test_an_unknown_article_stops_the_run_and_names_the_event() -> None:
    events = predictions()
    events[1]["article"] = "a9"
    with pytest.raises(
        DataError, match=r"name an article which is not given: 1, first 'p2' \(a9\)"
    ):
        evaluate(events, {"ours": events}, articles=[structs.asdict(ARTICLE)])
    answers = evaluate(events, {"ours": events}, articles=[structs.asdict(ARTICLE)], lenient=True)
    assert scores(answers)["mentioned-what"] == 0.5
    assert any("there is no article with a text" in notice for notice in answers.notices)


def test_an_article_without_text_stops_the_run() -> None:
    events = predictions()
    empty = structs.asdict(structs.replace(ARTICLE, text=" "))
    with pytest.raises(DataError, match="whose article has no text: 2"):
        evaluate(events, {"ours": events}, articles=[empty])


def test_events_without_text_or_date_count_as_not_found_and_are_reported() -> None:
    gold = predictions()
    predicted = [*gold, {"id": "p3", "topic": "leeds", "article": "a1"}]
    answers = evaluate(gold, {"ours": predicted}, articles=[structs.asdict(ARTICLE)])
    assert scores(answers)["mentioned-what"] == pytest.approx(2 / 3)
    assert any("since the event has no text, first p3" in notice for notice in answers.notices)


def test_a_missing_file_of_articles_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.jsonl"):
        evaluate(predictions(), predictions(), articles=tmp_path / "none.jsonl")


def test_verdicts_need_articles_and_a_scope_must_exist() -> None:
    with pytest.raises(UsageError, match="give the articles too"):
        evaluate(predictions(), predictions(), verdicts=[QUOTED])
    with pytest.raises(UsageError, match="expected one of: article, collection"):
        evaluated(scope="world")


# Tables, files and the page


@pytest.fixture(scope="module")
def of_demo() -> Evaluation:
    files = {name: home() / f"{name}.jsonl" for name in SYSTEMS}
    return evaluate(home() / "gold.jsonl", files, only="timelines", articles=ARTICLES)


def test_tables_show_support_beside_the_other_questions(of_demo: Evaluation) -> None:
    rows = [row[:3] for row in overview(of_demo.document).rows]
    assert ("support", "mentioned-what", "share") in rows
    events = event_table(of_demo.document)
    names = [column.full for column in events.columns]
    assert names[-4:] == [
        f"evidence {name}" for name in ("coverage", "article", "sentence", "text")
    ]
    assert "verdict what" not in names


def test_support_is_saved_and_checked_when_it_is_loaded(
    of_demo: Evaluation, tmp_path: Path
) -> None:
    save(of_demo.document, tmp_path / "e.json")
    assert load(tmp_path / "e.json") == of_demo.document
    document = json.loads((tmp_path / "e.json").read_text())
    document["support"]["systems"][0]["counts"]["what"]["mentioned"] += 1
    (tmp_path / "e.json").write_text(json.dumps(document))
    with pytest.raises(DataError, match="the counts are not those of the events"):
        load(tmp_path / "e.json")


def test_without_articles_the_document_says_nothing_of_support(tmp_path: Path) -> None:
    answers = evaluate(predictions(), predictions())
    save(answers.document, tmp_path / "e.json")
    assert "support" not in (tmp_path / "e.json").read_text()


def test_the_page_shows_each_event_beside_its_evidence(of_demo: Evaluation) -> None:
    page = evaluation_report(of_demo)
    assert "Are the events in their articles?" in page
    event = of_demo.document.events[0]
    assert event.support
    assert event.text in page
    assert event.support.sentence in page
    assert f"{event.support.article}, sentence {event.support.place}" in page


def test_events_without_a_date_can_be_looked_for() -> None:
    events = [{"id": "p1", "article": "a1", "text": "Drivers began a strike in Leeds."}]
    answers = evaluate(events, {"ours": events}, articles=[structs.asdict(ARTICLE)])
    assert answers.families == ("events",)
    assert scores(answers)["mentioned-what"] == 1.0
    assert "mentioned-what" in str(answers)
    assert "Drivers began a strike" in evaluation_report(answers)


@pytest.mark.parametrize("output_format", ["text", "markdown", "latex", "csv", "json"])
def test_the_verb_prints_support_in_every_format(output_format: str) -> None:
    files = [str(home() / f"{name}.jsonl") for name in ("gold", "careful", "lead")]
    call = ["evaluate", *files, "--articles", str(ARTICLES), "-f", output_format]
    done = CliRunner().invoke(command, [*call, "--only", "timelines"])
    assert done.exit_code == 0
    assert "mentioned-when" in done.stdout
    assert "supported" not in done.stdout
