"""Evaluations written for tilse run on ours, and give what our protocols of their names give."""

import subprocess
import sys
from datetime import date

import pytest
from compat.callers import chronos, llm_tls, news_tls

from chronoscore.timelines.library import evaluate

TOPICS: dict[str, list[news_tls.Days]] = {
    "egypt": [
        {
            date(2011, 1, 25): ["Protests begin across Egypt.", "Thousands gather in Cairo."],
            date(2011, 1, 28): ["The army is deployed in Cairo."],
            date(2011, 2, 11): ["Mubarak resigns as president."],
        },
        {
            date(2011, 1, 25): ["A day of anger: police clash with protesters."],
            date(2011, 2, 11): ["President Mubarak steps down, the army takes power."],
        },
    ],
    "oil": [
        {
            date(2010, 4, 20): ["An explosion on the rig kills eleven workers."],
            date(2010, 9, 19): ["The ruptured well is sealed."],
        }
    ],
}
FOUND: dict[str, news_tls.Days] = {
    "egypt": {
        date(2011, 1, 26): ["Protesters clash with police in Cairo."],
        date(2011, 2, 11): ["Mubarak resigned.", "The army takes over."],
    },
    "oil": {
        date(2010, 4, 20): ["Explosion kills workers on a rig."],
        date(2010, 9, 17): ["The damaged well is sealed with cement."],
    },
}
OTHER: dict[str, news_tls.Days] = {**FOUND, "oil": {date(2010, 4, 22): ["The rig sinks."]}}
NAMES = {
    "concat": "concat",
    "agreement": "agreement",
    "align_date_costs": "align",
    "align_date_content_costs": "align+",
    "align_date_content_costs_many_to_one": "align+m:1",
}


def protocol(name: str, predicted: dict[str, news_tls.Days]) -> dict[str, float]:
    (system,) = evaluate(TOPICS, predicted, protocol=name).document.systems
    return {summary.metric: summary.scores["f1"] or 0.0 for summary in system.summaries}


def news_tls_numbers(predicted: dict[str, news_tls.Days]) -> dict[str, float]:
    scores = protocol("news-tls", predicted)
    return {
        "AR-1": scores["align+m:1"],
        "AR-2": scores["align+m:1(rouge=2)"],
        "Date-F1": scores["date-f1"],
    }


def clusters(predicted: dict[str, news_tls.Days]) -> dict[str, llm_tls.Clusters]:
    return {
        topic: [(day.isoformat(), texts) for day, texts in days.items()]
        for topic, days in predicted.items()
    }


def test_news_tls() -> None:
    limits = []

    def predict(topic: str, *, max_dates: int, max_summary_sents: int) -> news_tls.Days:
        limits.append((max_dates, max_summary_sents))
        return FOUND[topic]

    average, rows = news_tls.evaluate(predict, TOPICS)
    assert limits == [(3, 1), (2, 1), (2, 1)]
    assert len(rows) == 3
    assert average == pytest.approx(news_tls_numbers(FOUND), abs=1e-12)
    assert average["AR-1"] > 0


def test_llm_tls() -> None:
    found = llm_tls.evaluate([clusters(FOUND), clusters(OTHER)], TOPICS)
    first, second = news_tls_numbers(FOUND), news_tls_numbers(OTHER)
    expected = {name: (first[name] + second[name]) / 2 for name in first}
    assert found == pytest.approx(expected, abs=1e-12)
    assert first != second


def test_chronos() -> None:
    events = {
        topic: [
            {"start": day.isoformat(), "summary": text}
            for day, texts in days.items()
            for text in texts
        ]
        for topic, days in FOUND.items()
    }
    means, saved, dates = chronos.evaluate(events, TOPICS)
    assert dates == 5
    assert list(means) == list(NAMES)
    expected = protocol("chronos", FOUND)
    for variant, name in NAMES.items():
        assert means[variant]["rouge_1"] == pytest.approx(expected[name], abs=1e-12)
        assert means[variant]["rouge_2"] == pytest.approx(expected[f"{name}(rouge=2)"], abs=1e-12)
    assert saved["oil"]["date_score"]["f_score"] == 0.5


def test_chronos_leaves_out_a_topic_that_cannot_be_scored() -> None:
    events = {"egypt": [{"start": "2011-01-25", "summary": "Protests."}], "oil": []}
    with pytest.raises(StopIteration):  # one word, or none: concat fails for both topics
        chronos.evaluate(events, TOPICS)
    events["egypt"][0]["summary"] = "Protests begin in Cairo."
    _, saved, _ = chronos.evaluate(events, TOPICS)
    assert set(saved) == {"egypt"}


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("semeval2015", "error: 0 names were given, expected GOLD_DIR ANSWER_DIR\n"),
        ("tempeval3", "error: the following arguments are required: gold, system\n"),
    ],
)
def test_a_drop_in_is_run_as_a_module(module: str, message: str) -> None:
    words = [sys.executable, "-m", f"chronoscore.compat.{module}"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr.endswith(message)
