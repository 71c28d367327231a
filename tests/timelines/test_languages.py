"""The language of a topic: where it is named, what it changes, what signatures say of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run

import chronoscore
from chronoscore import DataError, Result, UsageError, score
from chronoscore.core.names import Signature
from chronoscore.elements.text import tokeniser
from chronoscore.engines.merging import merge
from chronoscore.timelines.family import FAMILY
from chronoscore.timelines.library import score_many

SPANISH = ("Las elecciones fueron aplazadas.", "La elección fue aplazada.")
GERMAN = ("Die Wahlen wurden verschoben.", "Die Wahl wurde verschoben.")
STEMS = "concat(text=stems)"


def event(topic: str, text: str, **more: Any) -> dict[str, Any]:
    return {"id": topic, "topic": topic, "date": "2011-01-25", "text": text, **more}


def lines(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def of(result: Result) -> Signature:
    return Signature.parse(result.signature)


def two_topics(**languages: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    named = [{"language": languages[topic]} if topic in languages else {} for topic in "ab"]
    gold = [event("a", SPANISH[0], **named[0]), event("b", GERMAN[0], **named[1])]
    return gold, [event("a", SPANISH[1]), event("b", GERMAN[1])]


def test_the_option_chooses_the_stemmer() -> None:
    gold, predicted = {"2011-01-25": [SPANISH[0]]}, {"2011-01-25": [SPANISH[1]]}
    unstemmed = score("timelines", gold, predicted, metrics="concat(text=words)")
    result = score("timelines", gold, predicted, metrics=STEMS, options={"language": "es-MX"})
    explicit = score("timelines", gold, predicted, metrics="concat(text=stems-es)")
    assert float(result[STEMS]) == float(explicit["concat(text=stems-es)"]) > 0
    assert float(unstemmed["concat(text=words)"]) == 0
    assert of(result).options["language"] == "es"
    assert of(result).text.startswith("stems.1(pystemmer=")
    assert of(explicit).text.startswith("stems-es.1(pystemmer=")
    (scores,) = score_many(gold, [predicted], metrics=[STEMS], options={"language": "es"})
    assert scores[STEMS]["f1"] == float(result[STEMS])


def test_the_field_of_a_topic_wins_and_the_signature_says_so() -> None:
    gold, predicted = two_topics(a="es", b="de")
    by_field = score("timelines", gold, predicted, metrics=STEMS, by="topic")
    with_option = score(
        "timelines", gold, predicted, metrics=STEMS, by="topic", options={"language": "ru"}
    )
    assert by_field == with_option
    assert of(by_field).options["language"] == "topics"
    by_language = score("timelines", gold, predicted, metrics=STEMS, by="language").document
    groups = [summary.group for summary in by_language.systems[0].summaries]
    assert groups == [{}, {"language": "de"}, {"language": "es"}]
    alone = score("timelines", gold[:1], predicted[:1], metrics=STEMS)
    assert of(alone).options["language"] == "es"


def test_without_a_language_nothing_is_said_of_it() -> None:
    gold, predicted = two_topics()
    result = score("timelines", gold, predicted)
    assert "language" not in of(result).options
    assert of(result).text == ""
    with pytest.raises(UsageError, match="text=stems needs a language"):
        score("timelines", gold, predicted, metrics=STEMS)


def test_the_protocol_keeps_its_name_where_data_name_a_language() -> None:
    gold, predicted = two_topics(a="es", b="es")
    assert of(score("timelines", gold, predicted)).protocol == "news-tls"
    assert of(score("timelines", gold, predicted, options={"language": "es"})).protocol


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.jsonl", '{"topic":"t","language":"es","date":"2011-01-25","summary":"%s"}'),
        ("g.jsonl", '{"topic":"t","language":"es","days":{"2011-01-25":"%s"}}'),
        ("g.jsonl", '{"id":"1","topic":"t","language":"es","date":"2011-01-25","text":"%s"}'),
        ("g.json", '[{"topic":"t","language":"es","date":"2011-01-25","summary":"%s"}]'),
        ("g.csv", 'topic,language,date,summary\nt,es,2011-01-25,"%s"'),
    ],
)
def test_every_format_of_records_has_the_field(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text % SPANISH[0], encoding="utf-8")
    predicted = {"t": {"2011-01-25": [SPANISH[1]]}}
    result = score("timelines", path, predicted, metrics=STEMS)
    assert float(result[STEMS]) == 0.5
    assert result.notices == ()


def test_a_wrong_code_is_a_problem_of_its_line(tmp_path: Path) -> None:
    gold = lines(tmp_path / "g.jsonl", event("a", "x", language="spanish"))
    ran = run("timelines", gold, gold)
    assert ran.code == BAD_DATA
    assert "g.jsonl:1: language is 'spanish', expected a code such as es" in ran.err
    ran = run("timelines", gold, gold, "-m", STEMS, "--language", "spanish")
    assert (ran.code, "expected a code such as es" in ran.err) == (USAGE, True)


def test_a_topic_has_one_language(tmp_path: Path) -> None:
    gold = [event("a", "x", language="es"), {**event("a", "y", language="de"), "id": "2"}]
    with pytest.raises(DataError, match="topic 'a' has several languages: de, es"):
        score("timelines", gold, gold)


def test_another_language_of_a_prediction_is_told() -> None:
    gold, predicted = event("a", SPANISH[0], language="es"), event("a", "x", language="de")
    result = score("timelines", [gold], [predicted])
    assert result.notices == (
        "the language of a is another one in a prediction; the gold's counts",
    )


def test_parts_of_different_languages_are_merged() -> None:
    gold, predicted = two_topics(a="es", b="de")
    whole, *parts = (
        score("timelines", gold[at], predicted[at], metrics=STEMS).document
        for at in (slice(0, 2), slice(0, 1), slice(1, 2))
    )
    merged = merge(FAMILY, [(str(n), part) for n, part in enumerate(parts)])
    assert merged.systems[0].signature == whole.systems[0].signature
    assert merged.systems[0].summaries == whole.systems[0].summaries


def test_a_run_is_repeated_from_its_signature(tmp_path: Path) -> None:
    stop = tmp_path / "stop.txt"
    stop.write_text("las la", encoding="utf-8")
    gold, predicted = two_topics(a="es", b="de")
    paths = lines(tmp_path / "g.jsonl", *gold), lines(tmp_path / "p.jsonl", *predicted)
    metric = f"concat(text=stems,stop={stop})"
    first = run(
        "timelines", *paths, "-m", metric, "--save", tmp_path / "r.json", "--format", "json"
    )
    assert first.code == FINE
    document = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert document["unicode"]
    signature = document["systems"][0]["signature"]
    again = run("timelines", *paths, "--from-signature", signature, "--format", "json")
    assert (again.code, again.out) == (FINE, first.out)
    stop.write_text("las", encoding="utf-8")
    tokeniser.cache_clear()
    changed = run("timelines", *paths, "--from-signature", signature)
    assert (changed.code, "its content changed" in changed.err) == (USAGE, True)
    stop.unlink()
    assert run("show", tmp_path / "r.json").code == FINE


def test_a_stop_list_changes_what_counts(tmp_path: Path) -> None:
    stop = tmp_path / "stop.txt"
    stop.write_text("der die das", encoding="utf-8")
    gold, said = {"2011-01-25": ["Der Hund bellt"]}, {"2011-01-25": ["Der Mann geht"]}
    metric = f"concat(text=words,stop={stop})"
    result = score("timelines", gold, said, metrics=["concat(text=words)", metric])
    assert float(result["concat(text=words)"]) == pytest.approx(1 / 3)
    with_list, digest = result.metrics[1], of(result).metrics[1]
    assert float(result[with_list]) == 0
    assert "stop.txt@" in digest
    with pytest.raises(UsageError, match=r"the stop list nowhere\.txt"):
        score("timelines", gold, said, metrics="concat(stop=nowhere.txt)")


def test_languages_are_scored_alike_in_chunks(tmp_path: Path) -> None:
    gold, predicted = two_topics(a="es", b="de")
    paths = lines(tmp_path / "g.jsonl", *gold), lines(tmp_path / "p.jsonl", *predicted)
    whole, cut = (
        run("timelines", *paths, "-m", STEMS, "--by", "language", "--format", "json", *more)
        for more in ((), ("--engine", "here", "--chunk", "1"))
    )
    assert (whole.code, cut.code) == (FINE, FINE), cut.err
    assert whole.out == cut.out


def test_tokens_are_public() -> None:
    assert chronoscore.tokens("The parliaments agreed.") == ["parliam", "agre"]
    assert chronoscore.tokens("缅甸", "words") == ["缅", "甸"]


@pytest.mark.parametrize("form", ["events", "summaries", "days", "csv", "tsv", "tilse"])
def test_converted_topics_keep_their_languages(form: str, tmp_path: Path) -> None:
    gold, _ = two_topics(a="es")
    source = lines(tmp_path / "g.jsonl", *gold)
    target = tmp_path / {"csv": "t.csv", "tsv": "t.tsv", "tilse": "t"}.get(form, "t.jsonl")
    ran = run("convert", source, target, "--to", form)
    assert ran.code == FINE
    if form == "tilse":
        assert ran.notices == ["'tilse' has no place for the languages of topics: they are lost"]
        return
    result = score("timelines", target, target, metrics=STEMS, options={"language": "de"})
    assert {row.tags["language"] for row in result.document.systems[0].rows} == {"es", "de"}


def test_a_stop_list_has_its_own_parameter() -> None:
    with pytest.raises(UsageError, match="stop=FILE"):
        chronoscore.metric('concat(text="words(stop=x.txt)")')
