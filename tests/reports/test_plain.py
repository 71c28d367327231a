"""Plain lines: the labels of the protocol's source, and what the last heading claims."""

import re
from pathlib import Path
from statistics import fmean

import pytest

import chronoscore
from chronoscore.core.result import ResultDocument
from chronoscore.demo import home
from chronoscore.families import family
from chronoscore.reports import result_text
from chronoscore.timelines.family import PROTOCOLS

GOLD, CAREFUL, QUICK = (home() / f"{name}.jsonl" for name in ("gold", "careful", "quick"))


def render(result: ResultDocument, how: str) -> str:
    return result_text.render(family(result.family), result, how)


def printed(text: str) -> tuple[dict[str, dict[str, float]], str, dict[str, float]]:
    """The scores of each topic, the last heading, and the scores below it."""
    topics: dict[str, dict[str, float]] = {}
    heading, average = "", {}
    for block in text.strip().split("\n\n")[1:]:
        head, *lines = block.split("\n")
        scores = {line.split(": ")[0].strip(): float(line.split(": ")[1]) for line in lines}
        if head.startswith("Topic: "):
            topics[head.removeprefix("Topic: ")] = scores
        else:
            heading, average = head, scores
    return topics, heading, average


def plain(protocol: str, predicted: object = CAREFUL) -> str:
    result = chronoscore.score("timelines", GOLD, predicted, protocol=protocol, by=["topic"])
    return render(result.document, "plain")


def test_sunset_has_the_labels_and_the_layout_of_its_notes() -> None:
    text = plain("sunset")
    assert text.startswith("=== Evaluation Results ===\n\nTopic: apollo-11\n  AR-1:     0.402\n")
    topics, heading, average = printed(text)
    assert heading == "=== AVERAGE (7 topics) ==="
    assert list(average) == ["AR-1", "AR-2", "Date-F1"]
    assert {tuple(scores) for scores in topics.values()} == {("AR-1", "AR-2", "Date-F1")}


def test_other_renderings_of_sunset_keep_the_names_that_can_not_be_confused() -> None:
    result = chronoscore.score("timelines", GOLD, CAREFUL, protocol="sunset")
    assert "exact-date" in render(result.document, "text")
    assert "AR-1" not in render(result.document, "text")


@pytest.mark.parametrize("protocol", [protocol.name for protocol in PROTOCOLS])
@pytest.mark.parametrize("predicted", [QUICK, {"ours": [QUICK, CAREFUL]}])
def test_an_average_is_the_mean_of_the_topics_or_says_what_it_is(
    protocol: str, predicted: object
) -> None:
    topics, heading, average = printed(plain(protocol, predicted))
    assert re.match(r"=== AVERAGE \(7 topics[;)]", heading)
    means = {name: fmean(scores[name] for scores in topics.values()) for name in average}
    if heading == "=== AVERAGE (7 topics) ===":
        assert average == pytest.approx(means, abs=0.001)
    else:
        over = "mean" if protocol == "steen" else "F of mean P and mean R"
        assert f"; {over} over golds and topics" in heading
        assert average != pytest.approx(means, abs=0.001)


def test_trials_of_different_topics_are_no_mean_of_the_topics(tmp_path: Path) -> None:
    some = tmp_path / "some.jsonl"
    lines = QUICK.read_text(encoding="utf-8").splitlines(keepends=True)
    some.write_text("".join(line for line in lines if "chernobyl" in line), encoding="utf-8")
    result = chronoscore.score(
        "timelines",
        GOLD,
        {"ours": [CAREFUL, some]},
        protocol="sunset",
        options={"missing": "skip"},
        by=["topic"],
    )
    _, heading, _ = printed(render(result.document, "plain"))
    assert heading == (
        "=== AVERAGE (7 topics; mean over golds, then mean over topics, then mean over trials) ==="
    )


def test_counts_added_up_are_called_so() -> None:
    result = chronoscore.score("ordering", GOLD, QUICK, by=["target"])
    _, heading, _ = printed(render(result.document, "plain"))
    assert "; score of the counts added up over golds and targets) ===" in heading
