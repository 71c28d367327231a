"""What is counted while timelines are read, in parts or at once, and reported after that."""

from collections.abc import Mapping, Sequence

from chronoscore.core.metric import Metric
from chronoscore.core.reading import Reading
from chronoscore.elements.text import mostly_foreign, not_english
from chronoscore.timelines.formats.reading import DAYS, READ, tell_nothing
from chronoscore.timelines.model import Timeline

_OTHER_SCRIPT = "text that is mostly not ASCII: "
_OTHER_LANGUAGE = "text that is not English: "
"""Before the name of a topic in what is counted."""


def count_languages(golds: Mapping[str, Mapping[str, Timeline]], reading: Reading) -> None:
    """Count the topics whose text an English, ASCII text processing does not see as it is."""
    for topic, named in golds.items():
        texts = [text for one in named.values() for _, day in one.days for text in day]
        if mostly_foreign(texts):
            reading.counts[f"{_OTHER_SCRIPT}{topic}"] += 1
        elif not_english(texts):
            reading.counts[f"{_OTHER_LANGUAGE}{topic}"] += 1


def report_languages(
    metrics: Sequence[Metric], counts: Mapping[str, int], reading: Reading
) -> None:
    """Report these topics where a metric processes their text so."""
    chosen = {metric.values.get("text") for metric in metrics}
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
        topics = sorted(name.removeprefix(kind) for name in counts if name.startswith(kind))
        if chosen & processings:
            reading.tally(message + way_out, [(0, topic) for topic in topics])


def doubt_parts(
    metrics: Sequence[Metric], counts: Mapping[str, int], reading: Reading, _: Sequence[str]
) -> None:
    """Report that no part has a day, and texts that metrics cut, as reading all at once does."""
    report_languages(metrics, counts, reading)
    if counts.get(READ["gold"]) and not counts.get(DAYS["gold"]):
        tell_nothing("the gold", reading, "gold")
    if counts.get(READ["predicted"]) and not counts.get(DAYS["predicted"]):
        tell_nothing("the prediction", reading, "predicted")
