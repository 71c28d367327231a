"""`events.jsonl`: the spans of events that point into articles."""

from collections.abc import Iterable
from pathlib import Path

from chronoscore.annotations.formats.book import Found
from chronoscore.annotations.model import Annotation, Document
from chronoscore.core.collection import ONLY
from chronoscore.core.event import numbered_events
from chronoscore.core.reading import Reading

DEFAULT_TYPE = "event"


def read_spans(path: Path, _: str, reading: Reading) -> Iterable[Found]:
    """Take the spans and types of events, by article; events without a span are not in a text."""
    annotations: dict[tuple[str, str], list[Annotation]] = {}
    elsewhere: list[tuple[int, str]] = []
    for line, event in numbered_events(path, reading):
        if event.span is None:
            elsewhere.append((line, event.id))
            continue
        start, end = event.span
        if 0 <= start <= end:  # else it was noted when the event was read
            annotations.setdefault((event.article, event.timeline or ONLY), []).append(
                Annotation(
                    event.id, event.type or DEFAULT_TYPE, start, end, event.features, event.score
                )
            )
    reading.tally(
        "{count} events have no span and are in no text, first '{first}'", elsewhere, path
    )
    return [
        (name, Document(article, tuple(items))) for (article, name), items in annotations.items()
    ]
