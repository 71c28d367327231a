"""Every reading of alignment-based ROUGE on the same data, side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chronoscore.core.reading import Reading
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.timelines.family import FAMILY, pair_trials
from chronoscore.timelines.formats import Collection
from chronoscore.timelines.protocols import READINGS

_NEWS_TLS = "gold+topic:mean-pr>trial:mean-f"
_SUNSET = "gold:mean-f>topic:mean-f>trial:mean-f"


class Way(NamedTuple):
    """A way to average: which golds make a case, and the path."""

    golds: str
    path: str


_USUAL = {
    "exact-date": (Way("each", _SUNSET),),
    "agreement": (),
}
"""Which way goes with a reading, where it is not that of news-tls."""
_WAYS = (Way("each", _NEWS_TLS), Way("pooled", _NEWS_TLS), Way("each", _SUNSET))


@dataclass(frozen=True)
class ReadingScores:
    """The scores of one system under one reading."""

    system: str
    metric: str
    golds: str
    path: str
    rouge_1: float | None
    rouge_2: float | None
    used_by: str


def all_readings(
    golds: Collection, systems: Mapping[str, Sequence[Collection]], options: Mapping[str, str]
) -> list[ReadingScores]:
    """Score every system under every reading and way to average."""
    found = []
    for way in _WAYS:
        settings = Settings.make(
            FAMILY,
            metrics=[f"{name}(rouge={n})" for name, _ in READINGS for n in (1, 2)],
            average=way.path,
            options={**options, "golds": way.golds},
        )
        cases = {
            name: pair_trials(golds, trials, Reading(), settings.options, name)
            for name, trials in systems.items()
        }
        for system in score(settings, cases).result.systems:
            f1 = {summary.metric: summary.scores["f1"] for summary in system.summaries}
            for name, used_by in READINGS:
                one, two = (str(FAMILY.metric(f"{name}(rouge={n})")) for n in (1, 2))
                used = used_by if way in _USUAL.get(name, (_WAYS[0],)) else ""
                found.append(ReadingScores(system.name, name, *way, f1[one], f1[two], used))
    return found
