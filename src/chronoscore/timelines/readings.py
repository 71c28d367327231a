"""Published results beside the user's, and every reading of alignment-based ROUGE, as tables."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec

from chronoscore.core.problems import Problems
from chronoscore.core.result import ResultDocument, Summary
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.errors import UsageError
from chronoscore.reports.matrix import PublishedScores
from chronoscore.reports.result_tables import wholes
from chronoscore.reports.table import Table
from chronoscore.timelines.family import FAMILY, pair_trials
from chronoscore.timelines.formats.values import Collection

NOT_STATED = "not stated"
_PUBLISHED = ("AR-1", "AR-2", "Date-F1")
_COUNTED = {"AR-1": "rouge_1", "AR-2": "rouge_2", "Date-F1": "date"}
"""The names that the evaluation notes print in lines of precision, recall and F."""


class PublishedRow(msgspec.Struct, frozen=True):
    """A line of a published table."""

    system: str
    model: str
    ar_1: float = msgspec.field(name="AR-1")
    ar_2: float = msgspec.field(name="AR-2")
    date_f1: float = msgspec.field(name="Date-F1")
    protocol: str = NOT_STATED


class Published(msgspec.Struct, frozen=True):
    """Tables by collection, and where they are from."""

    source: str
    collections: dict[str, tuple[PublishedRow, ...]]


@cache
def published() -> Published:
    """Return the published results that ship with the package."""
    data = files("chronoscore.timelines").joinpath("data", "published.json").read_bytes()
    return msgspec.json.decode(data, type=Published)


def published_scores(collection: str) -> list[PublishedScores]:
    """Return the published results of a collection as rows for a table of systems and metrics."""
    tables = published()
    return [
        PublishedScores(
            f"{row.system} ({row.model})",
            dict(zip(_PUBLISHED, (row.ar_1, row.ar_2, row.date_f1), strict=True)),
            row.protocol if row.protocol != NOT_STATED else "",
            f"{collection} collection, {tables.source}",
        )
        for row in tables.collections[collection]
    ]


# Every reading of alignment-based ROUGE on the same data, side by side

READINGS = (
    ("concat", "SUnSET's code example prints it as AR; earlier papers as ROUGE"),
    ("agreement", "nobody by itself; a part of tilse's table"),
    ("align", "Martschat and Markert 2017, by date alone"),
    ("align+", "Martschat and Markert 2017, by date and text, one to one"),
    ("align+m:1", "AR of news-tls, LLM-TLS and the tables that most compare with"),
    ("exact-date", "AR as SUnSET's notes describe it"),
)
"""The metrics that papers report as alignment-based ROUGE or in its place, and which ones do."""


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
"""The ways to average that papers use with a reading, where it is not that of news-tls."""
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
    scores = []
    for way in _WAYS:
        settings = Settings.make(
            FAMILY,
            metrics=[f"{name}(rouge={n})" for name, _ in READINGS for n in (1, 2)],
            average=way.path,
            options={**options, "golds": way.golds},
        )
        cases = {
            name: pair_trials(golds, trials, Problems(), settings.options, name)
            for name, trials in systems.items()
        }
        for system in score(settings, cases).result.systems:
            f1 = {summary.metric: summary.scores["f1"] for summary in system.summaries}
            for name, used_by in READINGS:
                rouge_1, rouge_2 = (str(FAMILY.metric(f"{name}(rouge={n})")) for n in (1, 2))
                used = used_by if way in _USUAL.get(name, (_WAYS[0],)) else ""
                scores.append(
                    ReadingScores(system.name, name, *way, f1[rouge_1], f1[rouge_2], used)
                )
    return scores


def readings_table(readings: Sequence[ReadingScores]) -> Table:
    """Return the table of all scores that papers could report as AR-1 or AR-2."""
    return Table.of(
        "all readings of alignment-based ROUGE",
        ("system", "reading", "golds", "average", "ROUGE-1 F1", "ROUGE-2 F1", "used by"),
        map(astuple, readings),
        ["text as each reading has it: rouge155, for exact-date plain words"],
    )


def published_table(result: ResultDocument, collection: str) -> Table:
    """Return the published results of a collection, then the user's."""
    tables = published()
    if collection not in tables.collections:
        raise UsageError(
            f"no published results of '{collection}'; there are: {', '.join(tables.collections)}; "
            "a file of your own is for the formats latex and markdown"
        )
    scores = {
        (system.name, metric.label): summary.scores[metric.primary]
        for metric in result.metrics
        for system, summary in wholes(result, metric.name)
    }
    user_rows = (
        (
            system.name,
            "(yours)",
            *(scores.get((system.name, label), "not scored") for label in _PUBLISHED),
            result.protocol or "none",
        )
        for system in result.systems
    )
    return Table.of(
        f"{collection}: published, and yours",
        ("system", "model", *_PUBLISHED, "protocol"),
        [*map(msgspec.structs.astuple, tables.collections[collection]), *user_rows],
        [
            tables.source,
            "Numbers are comparable only if data, golds, protocol and text processing agree.",
        ],
    )


def counts_lines(labels: Mapping[str, str], summaries: Sequence[Summary]) -> list[str]:
    """Return a line of precision, recall and F for every metric; `labels` are by metric name."""
    scores = {summary.metric: summary.scores for summary in summaries}
    return [
        f"{_COUNTED.get(label, label)}: "
        + ", ".join(
            f"{score}={'undef.' if value is None else f'{value:.4f}'}"
            for score, value in scores[name].items()
        )
        for name, label in labels.items()
    ]


def counts_text(result: ResultDocument) -> str:
    """Write the lines of precision, recall and F of every system."""
    labels = {metric.name: metric.label for metric in result.metrics}
    lines = []
    for system in result.systems:
        whole = [summary for summary in system.summaries if not summary.group]
        name = f"{system.name} " if len(result.systems) > 1 else ""
        lines += [f"{name}{line}" for line in counts_lines(labels, whole)]
    return "\n".join(lines) + "\n"
