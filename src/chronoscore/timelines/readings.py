"""Published results next to the user's, and every reading of alignment-based ROUGE, as tables."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec

from chronoscore.core.problems import Problems
from chronoscore.core.result import ResultDocument, Summary
from chronoscore.elements.dated.cases import pair_trials
from chronoscore.elements.dated.values import Collection
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.errors import UsageError
from chronoscore.reports.matrix import PublishedScores
from chronoscore.reports.result_tables import wholes
from chronoscore.reports.table import Table
from chronoscore.timelines.family import FAMILY

_PUBLISHED = ("AR-1", "AR-2", "Date-F1")
"""The scores that most tables print."""
_COUNTED = {"AR-1": "rouge_1", "AR-2": "rouge_2", "Date-F1": "date"}
"""The names that the evaluation notes print in lines of precision, recall and F."""
_MOST_DIGITS = 4
"""Decimal places of a published number that a table for people shows."""


class PublishedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of a published table: what was printed, where it was read, and how it was scored."""

    collection: str
    system: str
    model: str = ""
    year: int
    scores: dict[str, str]
    """The printed digits by the labels of metrics, without those that were not printed."""
    paper: str
    read_in: str
    at: str = ""
    """The line of `read_in`, or the file there."""
    protocol: str
    verified: str
    """How the digits were checked."""
    kind: str = ""
    """`second hand`, `development run` or `oracle`, where it is no plain result."""
    note: str = ""

    @property
    def name(self) -> str:
        """The system, with its model."""
        return f"{self.system} ({self.model})" if self.model else self.system

    @property
    def source(self) -> str:
        """The paper, where it was read, and the protocol: what the rows of a table share."""
        parts = [self.paper, self.read_in, self.verified, f"protocol: {self.protocol}", self.note]
        return "; ".join(dict.fromkeys(filter(None, parts)))


class _PublishedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rows of one table of a paper, as the file has them."""

    year: int
    paper: str
    read_in: str
    protocol: str
    verified: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    kind: str = ""
    note: str = ""

    def published_rows(self) -> Iterator[PublishedRow]:
        for row in self.rows:
            cells = dict(zip(self.columns, row, strict=True))
            collection, system = cells.pop("collection"), cells.pop("system")
            yield PublishedRow(
                collection=collection,
                system=system,
                model=cells.pop("model", ""),
                year=self.year,
                at=cells.pop("at", ""),
                scores={name: digits for name, digits in cells.items() if digits},
                paper=self.paper,
                read_in=self.read_in,
                protocol=self.protocol,
                verified=self.verified,
                kind=self.kind,
                note=self.note,
            )


@cache
def _bundled() -> tuple[PublishedRow, ...]:
    """Return all published results that ship with the package, by year and paper."""
    data = files("chronoscore.timelines").joinpath("data", "published.json").read_bytes()
    tables = msgspec.json.decode(data, type=tuple[_PublishedTable, ...])
    rows = (row for table in tables for row in table.published_rows())
    return tuple(sorted(rows, key=lambda row: (row.year, row.paper)))


def collections() -> list[str]:
    """Return the names of the collections that have published results."""
    return sorted({row.collection for row in _bundled()})


def published(
    collection: str = "", *, metrics: Sequence[str] = (), years: str = ""
) -> list[PublishedRow]:
    """Return published results, by year and paper; digits are texts, as they were printed.

    `metrics` are labels such as AR-1: only rows that print one of them are returned. `years` is a
    year or a range, such as 2024, 2020..2024, 2021.. or ..2020.

    >>> [row] = published("crisis", metrics=["AR-1"], years="2025..")[:1]
    >>> row.system, row.model, row.scores["AR-1"], row.kind
    ('CHRONOS', 'Qwen72B', '0.108', 'second hand')
    """
    known = collections()
    if collection and collection not in known:
        raise UsageError(
            f"no published results of '{collection}'; there are: {', '.join(known)}; "
            "a file of your own is for the formats latex and markdown"
        )
    labels = dict.fromkeys(label for row in _bundled() for label in row.scores)
    for metric in metrics:
        if metric not in labels:
            raise UsageError(
                f"no published results have '{metric}'; they have: {', '.join(labels)}"
            )
    first, last = _years(years)
    rows = [
        row
        for row in _bundled()
        if collection in ("", row.collection)
        and first <= row.year <= last
        and (not metrics or any(metric in row.scores for metric in metrics))
    ]
    if not rows:
        all_years = sorted({row.year for row in _bundled() if collection in ("", row.collection)})
        raise UsageError(
            f"no published results of {collection or 'any collection'} fit "
            f"{', '.join(filter(None, (*metrics, years)))}; there are some of the years "
            f"{', '.join(map(str, all_years))}"
        )
    return rows


def _years(text: str) -> tuple[int, int]:
    """Read a year or a range of years."""
    found = re.fullmatch(r"([0-9]{4})?(\.\.)?([0-9]{4})?", text)
    if found is None or (found[1] and found[3] and not found[2]):
        raise UsageError(f"'{text}' is no range of years, expected one such as 2024 or 2020..2024")
    begin, dots, end = found.groups()
    return int(begin or 0), int(end or (9999 if dots or not begin else begin))


class PublishedChoice(NamedTuple):
    """A collection and filters, as `--published` names them: timeline17,metric=AR-1,year=2024.."""

    collection: str
    metrics: tuple[str, ...] = ()
    years: str = ""

    @classmethod
    def parse(cls, text: str) -> "PublishedChoice":
        """Read the words of `--published`.

        >>> PublishedChoice.parse("timeline17,metric=AR-1,year=2024..")
        PublishedChoice(collection='timeline17', metrics=('AR-1',), years='2024..')
        """
        collection, *filters = (word.strip() for word in text.split(","))
        metrics: list[str] = []
        years = ""
        for word in filters:
            key, _, value = word.partition("=")
            if key not in ("metric", "year") or not value:
                raise UsageError(
                    f"--published {text}: '{word}' is no filter; write metric=AR-1 or year=2024.."
                )
            if key == "metric":
                metrics.append(value)
            elif years:
                raise UsageError(f"--published {text}: two years; write a range: year=2020..2024")
            else:
                years = value
        return cls(collection, tuple(metrics), years)

    @property
    def is_bundled(self) -> bool:
        """Whether there are results of this collection."""
        return self.collection in collections()

    def rows(self) -> list[PublishedRow]:
        """Return the rows that fit."""
        return published(self.collection, metrics=self.metrics, years=self.years)


def published_scores(choice: PublishedChoice) -> list[PublishedScores]:
    """Return the published results of a collection as rows for a table of systems and metrics."""
    return [
        PublishedScores(
            row.name,
            {name: float(digits) for name, digits in row.scores.items()},
            source=f"{row.collection} collection, {row.paper}" + f" ({row.kind})" * bool(row.kind),
            printed=row.scores,
        )
        for row in choice.rows()
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
_IN_WORDS = {_NEWS_TLS: "F of means", _SUNSET: "mean of F"}


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
    joined = any("joined" in one.golds for one in readings)
    return Table.of(
        "all readings of alignment-based ROUGE",
        ("system", "reading", "golds", "average", "ROUGE-1 F1", "ROUGE-2 F1", "used by"),
        (astuple(replace(one, path=_IN_WORDS[one.path])) for one in readings),
        [
            "text as each reading has it: rouge155, for exact-date plain words",
            "F of means: F of mean P and mean R over golds and topics; mean of F: over golds, then "
            "over topics",
            *["joined: all entries of a repeated gold date, not the last alone"] * joined,
        ],
    )


def published_table(
    result: ResultDocument, choice: PublishedChoice, *, for_people: bool = True
) -> Table:
    """Return the published results of a collection, then the user's.

    For people, long numbers are cut, and remarks below the table name sources and protocols; for
    programs, columns do, and all digits are there.
    """
    rows = choice.rows()
    labels = choice.metrics or _PUBLISHED
    sources = dict.fromkeys(row.source for row in rows)
    numbers = {source: f"[{n}]" for n, source in enumerate(sources, 1)}
    scores = {
        (system.name, metric.label): summary.scores[metric.primary]
        for metric in result.metrics
        for system, summary in wholes(result, metric.name)
    }
    published_rows = [
        (
            row.name if for_people else row.system,
            row.model,
            str(row.year),
            *(_printed(row.scores.get(label, ""), for_people) for label in labels),
            f"{numbers[row.source]} {row.kind}".strip(),
            *(row.kind, row.paper, f"{row.read_in} {row.at}".strip(), row.protocol),
        )
        for row in rows
    ]
    protocol = result.protocol or "none"
    user_rows = [
        (
            system.name,
            "(yours)",
            "",
            *(scores.get((system.name, label), "not scored") for label in labels),
            f"yours ({protocol})",
            *("", "", "", protocol),
        )
        for system in result.systems
    ]
    cells = [cell for row in published_rows for cell in row[3 : 3 + len(labels)]]
    remarks = [f"{number} {source}" for source, number in numbers.items()]
    remarks += ["An empty cell was not printed."] * ("" in cells)
    remarks += ["…: more digits were printed; -f csv has them."] * any("…" in c for c in cells)
    remarks.append(
        "Numbers are comparable only if data, golds, protocol and text processing agree."
    )
    return Table.of(
        f"{choice.collection}: published, and yours",
        (
            "system",
            None if for_people else "model",
            *("year", *labels),
            "source" if for_people else None,
            *((None,) * 4 if for_people else ("kind", "paper", "read in", "protocol")),
        ),
        [*published_rows, *user_rows],
        remarks,
    )


def _printed(digits: str, for_people: bool) -> str:
    """Return the digits of a published number; people see some of very many."""
    places = len(digits.partition(".")[2])
    cut = places - _MOST_DIGITS if for_people else 0
    return f"{digits[:-cut]}…" if cut > 0 else digits


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
