"""Find texts in a language or script that a metric's text processing is not made for."""

from collections.abc import Mapping, Sequence

from chronoscore.core.metric import Metric
from chronoscore.core.problems import Fact, Problems
from chronoscore.elements.text import mostly_foreign, not_english
from chronoscore.timelines.model import Timeline

_OTHER_SCRIPT = "text that is mostly not ASCII"
_OTHER_LANGUAGE = "text that is not English"
"""Facts about a topic."""


def count_languages(golds: Mapping[str, Mapping[str, Timeline]], problems: Problems) -> None:
    """Count the topics whose text is not in ASCII, or not in English."""
    for topic, named in golds.items():
        texts = [text for gold in named.values() for _, day in gold.days for text in day]
        if mostly_foreign(texts):
            problems.facts[_OTHER_SCRIPT, topic] += 1
        elif not_english(texts):
            problems.facts[_OTHER_LANGUAGE, topic] += 1


def report_languages(
    metrics: Sequence[Metric], facts: Mapping[Fact, int], problems: Problems
) -> None:
    """Report these topics if a metric's text processing does not fit them."""
    used = {metric.values.get("text") for metric in metrics}
    way_out = "use text=plain or text=snowball-LANGUAGE"
    for kind, processings, message in (
        (
            _OTHER_SCRIPT,
            {"rouge155", "reimpl"},
            "the text of {some} is mostly not ASCII: text=rouge155 and reimpl see only fragments "
            "of it; ",
        ),
        (
            _OTHER_LANGUAGE,
            {"rouge155"},
            "the text of {some} seems not to be English: text=rouge155 cuts words at letters that "
            "are not ASCII (café is caf) and stems them as English; ",
        ),
    ):
        topics = sorted(fact[1] for fact in facts if fact[0] == kind)
        if used & processings:
            problems.count(message + way_out, [(0, topic) for topic in topics])
