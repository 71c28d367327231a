"""From files to a result: read, reconcile, score."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from chronoscore.core.case import Case
from chronoscore.core.collection import copies
from chronoscore.core.reading import Reading
from chronoscore.engines.scoring import Scored, score
from chronoscore.engines.settings import Settings

Cases = Sequence[Case[Any, Any]]
Read = Callable[[Reading, Mapping[str, str]], Mapping[str, Cases]]
Watch = Callable[[str, Cases], Iterable[Case[Any, Any]]]


def score_files(
    settings: Settings,
    read: Read,
    reading: Reading,
    watch: Watch | None = None,
    *,
    explain: bool = False,
) -> Scored:
    """Read the cases of any number of systems and score them; `watch` may show the progress."""
    systems = read(reading, settings.options)
    if settings.family.doubt is not None:
        settings.family.doubt(settings.metrics, systems, reading, settings.values)
    reading.check()
    for text in copy_notices(settings, reading.counts):
        reading.notice(text)
    return score(
        settings,
        {name: watch(name, cases) if watch else cases for name, cases in systems.items()},
        notices=[str(notice) for notice in reading.notices],
        explain=explain,
    )


def copy_notices(settings: Settings, counts: Mapping[str, int]) -> list[str]:
    """Report predictions that equal the gold in every case, from what the reader counted."""
    advice = [settings.family.copy_advice(metric) for metric in settings.metrics]
    if all(text is None for text in advice):
        return []
    added = next((f" ({text})" for text in advice if text), "")
    return [
        f"{system}: the prediction equals the gold in "
        + (f"all {cases} cases" if cases > 1 else "the only case")
        + f": is it a copy of the gold?{added}"
        for system, cases in copies(counts).items()
    ]
