"""The result of a scoring run, as people hold it in Python.

A `Result` is a view of the saved document: it looks scores up by the names that people use, prints
and draws them, and hands them to other software. It computes nothing that the document does not
have, except matches: they are made when an explanation or a report asks for them.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property, partial
from math import nan
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from chronoscore.core.family import Family
from chronoscore.core.metric import Metric
from chronoscore.core.names import Signature
from chronoscore.core.result import (
    CaseMatches,
    CaseTexts,
    Interval,
    MetricInfo,
    ResultDocument,
    Summary,
    save,
)
from chronoscore.core.writing import write_file
from chronoscore.engines.merging import regrouped
from chronoscore.errors import UsageError, one_line
from chronoscore.interface.frames import Exportable, ScoreTable, ends_of
from chronoscore.reports.table import Table, plural, shown

if TYPE_CHECKING:
    from chronoscore.interface.comparison import Comparison
    from chronoscore.reports.matrix import ScoreMatrix

_CASE = "case"


class ScoreValue(float):
    """A score: a float that also knows its system, precision, recall, interval and cases.

    It compares and computes as a number. An undefined score is NaN.

    >>> from chronoscore import score
    >>> gold, predicted = {"2011-02-11": ["Mubarak resigns."]}, {"2011-02-11": ["He resigns."]}
    >>> ar_1 = score("timelines", gold, predicted)["AR-1"]
    >>> round(ar_1, 3), round(ar_1.precision, 3), ar_1.n, ar_1.interval
    (0.667, 1.0, 1, None)
    """

    system: str
    """The name of the system."""
    metric: str
    """The label of the metric, such as AR-1."""
    group: Mapping[str, str]
    """The cases that it covers, such as `{"topic": "egypt"}`; empty for all."""
    scores: Mapping[str, float]
    """Every score of the metric by name, such as precision."""
    interval: Interval | None
    """The confidence interval, if the result has intervals."""
    n: int
    """The number of cases that it covers."""

    @classmethod
    def of(cls, system: str, metric: MetricInfo, summary: Summary) -> "ScoreValue":
        """Make the value of a summary's main score."""
        scores = {name: nan if one is None else one for name, one in summary.scores.items()}
        value = cls(scores[metric.primary])
        value.system, value.metric, value.group = system, metric.label, summary.group
        value.scores, value.n = scores, summary.cases
        value.interval = summary.intervals.get(metric.primary)
        return value

    @property
    def precision(self) -> float:
        """The share of the prediction that is right."""
        return self._named("precision")

    @property
    def recall(self) -> float:
        """The share of the gold that was found."""
        return self._named("recall")

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return self._named("f1")

    def _named(self, name: str) -> float:
        if name not in self.scores:
            raise AttributeError(f"{self.metric} has no {name}; it has: {', '.join(self.scores)}")
        return self.scores[name]

    def __eq__(self, other: object) -> bool:
        """Compare as a number; written out, since type checkers refuse `score == 1` else."""
        return float(self) == other

    __hash__ = float.__hash__


@dataclass(frozen=True)
class Explanation:
    """Which items were matched, and what each match earned. `print` shows it side by side.

    >>> from chronoscore import score
    >>> gold = {"2011-02-11": ["Mubarak resigns."]}
    >>> explanation = score("timelines", gold, gold, metrics="AR-1").explain()
    >>> explanation.matches[0].matches[0].credit
    2.0
    """

    matches: tuple[CaseMatches, ...]
    """The matches of each system, case and metric."""
    texts: tuple[CaseTexts, ...]
    """What gold and prediction say, by the names in the matches, if the family has texts."""
    tables: tuple[Table, ...]
    """The tables that `print` shows."""
    side_by_side: tuple[str, ...] = ()
    """The texts of matched items side by side, a block of lines for each case."""

    def __str__(self) -> str:
        from chronoscore.reports.rendering import render_tables  # noqa: PLC0415 - where shown

        blocks = (f"{block}\n" for block in self.side_by_side)
        return "\n".join([*blocks, render_tables(self.tables, "text")])

    def __repr__(self) -> str:
        cases = plural(len({item.case for item in self.matches}), "case")
        return f"<Explanation of {cases}: print it to read it>"

    def _repr_html_(self) -> str:
        from chronoscore.reports.html.notebook import explanation_html  # noqa: PLC0415

        return explanation_html(self.side_by_side, self.tables)


@dataclass(frozen=True)
class MatchedCases:
    """The matches behind a result and the texts that they are about."""

    matches: Sequence[CaseMatches] = ()
    texts: Sequence[CaseTexts] = ()


class Result(Exportable):
    """Scores of one or several systems, as `chronoscore.score` and `chronoscore.load` return them.

    `print` shows the table of the command line, and a notebook draws it. `result["AR-1"]` is the
    score of the only system, `result["ours", "AR-1"]` that of one of several. Iterating yields
    every score over all cases.

    >>> from chronoscore import score
    >>> from chronoscore.demo import home
    >>> result = score("timelines", home() / "gold.jsonl",
    ...                {"ours": home() / "careful.jsonl", "theirs": home() / "quick.jsonl"})
    >>> result.systems, result.metrics
    (('ours', 'theirs'), ('AR-1', 'AR-2', 'Date-F1'))
    >>> round(result["ours", "AR-1"], 3)
    0.617
    """

    def __init__(
        self,
        family: Family,
        document: ResultDocument,
        evidence: Callable[[], MatchedCases] = MatchedCases,
    ) -> None:
        """Hold a document; `evidence` makes the matches when they are first asked for."""
        self._family = family
        self._document = document
        self._make_evidence = evidence

    # What it holds

    @property
    def document(self) -> ResultDocument:
        """The document that `save` writes: settings, summaries, and the rows of all cases."""
        return self._document

    @property
    def family(self) -> str:
        """The name of the family, such as timelines."""
        return self._document.family

    @property
    def protocol(self) -> str:
        """The name of the protocol that the scores follow; empty if they follow none."""
        return self._document.protocol

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(system.name for system in self._document.systems)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The labels of the metrics, such as AR-1."""
        return tuple(metric.label for metric in self._document.metrics)

    @property
    def cases(self) -> tuple[str, ...]:
        """The names of the cases."""
        names = (row.case for system in self._document.systems for row in system.rows)
        return tuple(dict.fromkeys(names))

    @property
    def notices(self) -> tuple[str, ...]:
        """What you should know about the data, in sentences."""
        return self._document.notices

    def with_notices(self, notices: Iterable[str]) -> "Result":
        """Return the same result with further notices, which come first.

        >>> from chronoscore import score
        >>> gold, predicted = {"2011-02-11": ["Mubarak resigns."]}, {"2011-02-11": ["He resigns."]}
        >>> score("timelines", gold, predicted).with_notices(["a draft"]).notices
        ('a draft',)
        """
        all_notices = tuple(dict.fromkeys([*notices, *self.notices]))
        document = structs.replace(self._document, notices=all_notices)
        return Result(self._family, document, self._make_evidence)

    @property
    def signature(self) -> str:
        """One line with everything that the numbers depend on.

        `--from-signature` repeats the run with the same settings. The signature of a single system
        names its prediction; that of several names only what they share.
        """
        signatures = [Signature.parse(system.signature) for system in self._document.systems]
        if len(signatures) == 1:
            return str(signatures[0])
        return str(structs.replace(signatures[0], predicted=""))

    # Looking scores up

    def __getitem__(self, key: str | Metric | tuple[str, str | Metric]) -> ScoreValue:
        """Return the score of a metric, or of a system and a metric, over all cases."""
        if isinstance(key, str | Metric):
            return self.score(key)
        if isinstance(key, tuple) and len(key) == 2:
            return self.score(key[1], key[0])
        raise KeyError(f"expected a metric, or a system and a metric, got {key!r}")

    def score(self, metric: str | Metric, system: str | None = None, **group: str) -> ScoreValue:
        """Return the score of a metric for a system, over all cases or over a group of them.

        - `metric`: any name of the metric, or a value of `chronoscore.metric`.
        - `system`: the name of the system; leave it out if there is only one.
        - `group`: a tag that the result was broken down by, with its value.

        An unknown name raises KeyError, which lists the known ones.

        >>> from chronoscore import score
        >>> from chronoscore.demo import home
        >>> result = score("timelines", home() / "gold.jsonl", home() / "quick.jsonl", by="topic")
        >>> round(result.score("AR-1", topic="chernobyl"), 3)
        0.207
        """
        info = self._metric(str(metric))
        name = self._system(system, info.label)
        for summary in self._summaries(name):
            if summary.metric == info.name and summary.group == group:
                return ScoreValue.of(name, info, summary)
        groups = [summary.group for summary in self._summaries(name) if summary.group]
        listed = ", ".join(dict.fromkeys(f"{k}={v}" for one in groups for k, v in one.items()))
        raise KeyError(f"no such part {group}; there are: {listed or 'none, ask for one with by='}")

    def __contains__(self, key: object) -> bool:
        try:
            self[key]  # type: ignore[index]  # a wrong type is no key
        except (KeyError, TypeError):
            return False
        return True

    def __iter__(self) -> Iterator[ScoreValue]:
        """Yield the score of every system under every metric, over all cases."""
        for system in self.systems:
            for metric in self.metrics:
                yield self.score(metric, system)

    def _metric(self, name: str) -> MetricInfo:
        by_name = {info.name: info for info in self._document.metrics}
        by_name |= {info.label: info for info in self._document.metrics}
        name = metric_name(self._family, by_name, name)
        if name not in by_name:
            several = len(self.systems) > 1
            hint = f"; for a system's score: result[{name!r}, {self.metrics[0]!r}]"
            raise KeyError(
                f"no metric '{name}' in this result; there are: {', '.join(self.metrics)}"
                + (hint if several and name in self.systems else "")
            )
        return by_name[name]

    def _system(self, name: str | None, label: str) -> str:
        if name is None and len(self.systems) == 1:
            return self.systems[0]
        if name is None:
            example = f"result[{self.systems[0]!r}, {label!r}]"
            raise KeyError(
                f"there are several systems: {', '.join(self.systems)}; name one, as in {example}"
            )
        if name not in self.systems:
            raise KeyError(f"no system '{name}'; there are: {', '.join(self.systems)}")
        return name

    def _summaries(self, system: str) -> Sequence[Summary]:
        return next(one.summaries for one in self._document.systems if one.name == system)

    # Showing and handing over

    def matrix(
        self, *, columns: str | Sequence[str] = (), digits: int = 3, full: bool = False
    ) -> "ScoreMatrix":
        """Return the table of systems and metrics, as a paper and a notebook show it.

        - `columns`: the scores in their order, such as `AR-1` or `AR-1.precision`. Without them,
          the main score of every metric.
        - `digits`: decimal places.
        - `full`: show every score of every metric.
        """
        from chronoscore.reports.matrix import score_matrix  # noqa: PLC0415 - where shown

        return score_matrix(self._document, columns=columns, digits=digits, full=full)

    def __str__(self) -> str:
        return self.text()

    def text(self, *, full: bool = False, width: int | None = None) -> str:
        """Return the table of the command line, with the notices below it.

        - `full`: add all scores, the counts behind them, and whole signatures.
        - `width`: columns of the terminal; by default its own width, or 100 in a pipe.
        """
        from chronoscore.reports.result_text import result_text  # noqa: PLC0415 - where shown
        from chronoscore.reports.terminal import notice_lines  # noqa: PLC0415

        option = "result.text(full=True)"
        table = result_text(
            self._family, self._document, width=width, full=full, full_option=option
        )
        return table + notice_lines(self.notices, width)

    def __repr__(self) -> str:
        document = self._document
        protocol = f", protocol {document.protocol}" if document.protocol else ""
        notices = f", {plural(len(self.notices), 'notice')}" if self.notices else ""
        systems = plural(len(self.systems), "system")
        lines = [f"<Result: {document.family}, {systems}{protocol}{notices}>"]
        names = {system: one_line(system) for system in self.systems[:_MOST_SHOWN]}
        width = max(map(len, names.values()), default=0)
        for system, name in names.items():
            scores = [self.score(metric, system) for metric in self.metrics[:_MOST_SHOWN]]
            dots = ["..."] if len(self.metrics) > _MOST_SHOWN else []
            cells = [f"{one.metric} {shown(_or_none(one))}" for one in scores]
            lines.append(f"  {name:{width}}  {'  '.join([*cells, *dots])}")
        if len(self.systems) > _MOST_SHOWN:
            lines.append(f"  and {len(self.systems) - _MOST_SHOWN} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from chronoscore.reports.html.notebook import matrix_html  # noqa: PLC0415 - where shown
        from chronoscore.reports.result_tables import conventions  # noqa: PLC0415

        return matrix_html(self.matrix(), conventions(self._family, self._document), self.notices)

    def to_latex(
        self,
        *,
        columns: str | Sequence[str] = (),
        digits: int = 3,
        full: bool = False,
        underline_second: bool = False,
    ) -> str:
        """Return a LaTeX table for a paper, with its caption.

        `columns`, `digits` and `full` are those of `matrix`; `underline_second` underlines the
        second best score of a column. If there is one metric, all its scores are shown.
        """
        return self._paper_table("latex", columns, digits, full, underline_second)

    def to_markdown(
        self,
        *,
        columns: str | Sequence[str] = (),
        digits: int = 3,
        full: bool = False,
        underline_second: bool = False,
    ) -> str:
        """Return the table of `to_latex` in Markdown.

        >>> from chronoscore import score
        >>> gold = {"2011-02-11": ["Mubarak resigns."]}
        >>> print(score("timelines", gold, {"ours": gold}).to_markdown().splitlines()[0])
        AR-1, AR-2 and Date-F1 scores (F1) of ours under the news-tls protocol.
        """
        return self._paper_table("markdown", columns, digits, full, underline_second)

    def _paper_table(
        self,
        output_format: str,
        columns: str | Sequence[str],
        digits: int,
        full: bool,
        underline_second: bool,
    ) -> str:
        from chronoscore.reports.paper import paper_table  # noqa: PLC0415 - where shown

        matrix = self.matrix(columns=columns, digits=digits, full=full or len(self.metrics) == 1)
        return paper_table(matrix, output_format, underline_second=underline_second)

    def table(self) -> ScoreTable:
        """Return a row for each system, metric and group, with all scores.

        >>> from chronoscore import score
        >>> gold = {"2011-02-11": ["Mubarak resigns."]}
        >>> score("timelines", gold, {"ours": gold}).table().to_dict()["metric"]
        ['AR-1', 'AR-2', 'Date-F1']
        """
        every = [(one.name, summary) for one in self._document.systems for summary in one.summaries]
        tags = dict.fromkeys(tag for _, summary in every for tag in summary.group)
        return ScoreTable.of(
            [
                _row(system, {**tags, **summary.group}, self._metric(summary.metric), summary)
                for system, summary in every
            ]
        )

    def per_case(self) -> ScoreTable:
        """Return a row for each system, case and metric, with the tags of the case.

        >>> from chronoscore import score
        >>> from chronoscore.demo import home
        >>> result = score("timelines", home() / "gold.jsonl", home() / "quick.jsonl")
        >>> len(result.cases), len(result.per_case())
        (10, 30)
        """
        document = regrouped(self._family, self._document, [_CASE])
        tags = {row.case: row.tags for system in document.systems for row in system.rows}
        rows = []
        for system in document.systems:
            for summary in system.summaries:
                if _CASE in summary.group:
                    case = summary.group[_CASE]
                    info = self._metric(summary.metric)
                    rows.append(_row(system.name, {_CASE: case, **tags[case]}, info, summary))
        return ScoreTable.of(rows)

    def to_dict(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """Return every score over all cases, by system, metric and name; undefined is None.

        >>> from chronoscore import score
        >>> gold = {"2011-02-11": ["Mubarak resigns."]}
        >>> score("timelines", gold, {"ours": gold}).to_dict()["ours"]["Date-F1"]
        {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}
        """
        return {
            system.name: {
                self._metric(summary.metric).label: dict(summary.scores)
                for summary in system.summaries
                if not summary.group
            }
            for system in self._document.systems
        }

    # Explaining, comparing, keeping

    @cached_property
    def _evidence(self) -> MatchedCases:
        return self._make_evidence()

    def explain(self, case: str | None = None, system: str | None = None) -> Explanation:
        """Return what was matched with what, and what each match earned.

        - `case`: the name of a case, or a topic, which stands for all its cases. Without it, all
          cases.
        - `system`: the name of a system. Without it, all systems.
        """
        from chronoscore.reports import matches as matching  # noqa: PLC0415 - where shown

        if system is not None:
            self._system(system, "")
        of_system = [m for m in self._evidence.matches if system in (None, m.system)]
        if not of_system:
            raise UsageError(
                "there are no matches to show: they were not saved with this result, or not made "
                "before it was pickled; score the data again, or call explain() before pickling"
            )
        names = [] if case is None else [case]
        cases = matching.cases_named(of_system, names, "result.cases lists them")
        matches = tuple(item for item in of_system if not cases or item.case in cases)
        chosen = {(item.system, item.case) for item in matches}
        texts = tuple(t for t in self._evidence.texts if (t.system, t.case) in chosen)
        tables = matching.explanation(self._document, matches)
        blocks = matching.matched_cases(self._family, self._document, matches, texts)
        return Explanation(matches, texts, tuple(tables), tuple(map("\n".join, blocks)))

    def compare(
        self,
        *others: "Result",
        baseline: str = "",
        test: str = "permutation",
        correction: str = "holm",
        level: float = 0.95,
        seed: int = 0,
        resamples: int | None = None,
        unit: str = "",
    ) -> "Comparison":
        """Compare the systems of this result, and of `others`, by a paired test.

        `chronoscore.compare` explains the parameters.
        """
        from chronoscore.interface.comparison import compare  # noqa: PLC0415 - it needs a result

        return compare(
            self,
            *others,
            baseline=baseline,
            test=test,
            correction=correction,
            level=level,
            seed=seed,
            resamples=resamples,
            unit=unit,
        )

    def save(self, path: str | PathLike[str]) -> Path:
        """Save the document, and its matches and texts in files next to it; return the path.

        `chronoscore.load` reads it back.
        """
        save(self._document, self._evidence.matches, Path(path), self._evidence.texts)
        return Path(path)

    def report(self, path: str | PathLike[str]) -> Path:
        """Write an HTML report that shows every case and opens offline; return its path.

        >>> from tempfile import mkdtemp
        >>> from chronoscore import score
        >>> gold = {"2011-02-11": ["Mubarak resigns."]}
        >>> score("timelines", gold, gold).report(Path(mkdtemp()) / "report.html").name
        'report.html'
        """
        from chronoscore.reports.html.report import report  # noqa: PLC0415 - loaded where shown

        evidence = self._evidence
        page = report(self._family, self._document, evidence.matches, evidence.texts)
        write_file(Path(path), page)
        return Path(path)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the document, and the matches if they were made; the data are left behind."""
        known: MatchedCases | None = vars(self).get("_evidence")
        evidence = partial(MatchedCases, known.matches, known.texts) if known else MatchedCases
        return Result, (self._family, self._document, evidence)

    def __copy__(self) -> "Result":
        return Result(self._family, self._document, self._make_evidence)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Result":
        return Result(self._family, deepcopy(self._document, memo), self._make_evidence)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._document == other._document

    __hash__ = None  # type: ignore[assignment]  # a result holds dicts


def metric_name(family: Family, known: Container[str], name: str) -> str:
    """Return a name that is known, or the full name of the metric that the name stands for."""
    if name not in known:
        with suppress(UsageError):
            return str(family.metric(name))
    return name


_MOST_SHOWN = 6
"""Systems and metrics that `repr` shows."""


def _or_none(score: float) -> float | None:
    return None if score != score else float(score)  # noqa: PLR0124 - only NaN differs from itself


def _row(
    system: str, tags: Mapping[str, str | None], metric: MetricInfo, summary: Summary
) -> dict[str, Any]:
    interval = summary.intervals.get(metric.primary)
    return {
        "system": system,
        **tags,
        "metric": metric.label,
        "score": summary.scores[metric.primary],
        **(ends_of(interval) if interval else {}),
        "n": summary.cases,
        **summary.scores,
    }
