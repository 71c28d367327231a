"""Systems compared: which is better, by how much, and how sure that is."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from msgspec import structs

from chronoscore.core.contrast import Contrast, Pair, turned
from chronoscore.core.family import Family
from chronoscore.core.writing import json_text, write_file
from chronoscore.engines.contrasting import Question, contrast, with_all_systems
from chronoscore.engines.settings import IntervalPlan
from chronoscore.errors import UsageError
from chronoscore.interface.frames import Exportable, ScoreTable, ends_of
from chronoscore.interface.result import Result, metric_name
from chronoscore.reports.contrast import render_contrast
from chronoscore.reports.matrix import ScoreMatrix, score_matrix
from chronoscore.reports.paper import paper_table
from chronoscore.reports.result_tables import conventions
from chronoscore.reports.terminal import notice_lines


def compare(
    *results: Result,
    baseline: str = "",
    test: str = "permutation",
    correction: str = "holm",
    level: float = 0.95,
    seed: int = 0,
    resamples: int | None = None,
    unit: str = "",
) -> "Comparison":
    """Compare all systems of one or several results by a paired test.

    - `results`: results with the same settings and golds.
    - `baseline`: the system that each other one is compared with. Without it, every pair is
      compared.
    - `test`: `"permutation"` or `"bootstrap"`.
    - `correction`: how p-values of several pairs are corrected: `"holm"`, `"bh"` or `"none"`.
    - `level`: the confidence level of the intervals of differences.
    - `seed`, `resamples`: the seed of random draws, and how many are made (by default 10,000).
    - `unit`: the tag that is drawn as a whole, if it is not the usual one of the family.

    >>> from chronoscore import score
    >>> from chronoscore.demo import home
    >>> names = {"careful": home() / "careful.jsonl", "quick": home() / "quick.jsonl"}
    >>> comparison = compare(score("timelines", home() / "gold.jsonl", names))
    >>> pair = comparison["careful", "quick", "AR-1"]
    >>> round(pair.difference, 3), round(pair.p, 4)
    (0.341, 0.0156)
    """
    if not results:
        raise UsageError("there is nothing to compare: give one or several results")
    for one in results:
        if not isinstance(one, Result):
            raise UsageError(
                f"compare takes results, not {type(one).__name__}: for a list write "
                "compare(*results), for a saved file compare(load(path))"
            )
    plan = IntervalPlan("auto", level, seed, unit, resamples=resamples)
    question = Question(test, correction, baseline=baseline, chance=plan)
    return Comparison(results, question)


class Comparison(Exportable):
    """Systems compared under every metric, with differences, intervals and p-values.

    `print` shows the table of the command line. A pair of systems is looked up by name, and it has
    a `difference`, an `interval`, a `p` and a `p_corrected`.

    >>> from chronoscore import score
    >>> from chronoscore.demo import home
    >>> files = [home() / "careful.jsonl", home() / "quick.jsonl"]
    >>> comparison = score("timelines", home() / "gold.jsonl", files).compare()
    >>> comparison
    <Comparison of careful, quick by AR-1, AR-2, Date-F1: print it to read it>
    >>> pair = comparison["quick", "careful", "AR-1"]
    >>> round(pair.difference, 3), pair.wins, pair.losses
    (-0.341, 0, 7)
    """

    def __init__(self, results: Sequence[Result], question: Question) -> None:
        self._family: Family = results[0]._family
        documents = [result.document for result in results]
        self._contrast = contrast(self._family, documents, question)
        notices = tuple(dict.fromkeys(one for document in documents for one in document.notices))
        self._document = structs.replace(with_all_systems(documents), notices=notices)

    @property
    def document(self) -> Contrast:
        """The document that `compare --format json` prints."""
        return self._contrast

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems that are compared."""
        compared = {one.system for metric in self._contrast.metrics for one in metric.ranking}
        return tuple(one.name for one in self._document.systems if one.name in compared)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The labels of the metrics."""
        return tuple(metric.label for metric in self._contrast.metrics)

    def __getitem__(self, key: tuple[str, str, str]) -> Pair:
        """Return the first system against the second under a metric."""
        if not _is_triple(key):
            example = ", ".join(map(repr, (*self.systems[:2], *self.metrics[:1])))
            raise KeyError(f"expected two systems and a metric, as in comparison[{example}]")
        one, two, name = key
        known = {name for metric in self._contrast.metrics for name in (metric.label, metric.name)}
        name = metric_name(self._family, known, name)
        for metric in self._contrast.metrics:
            if name in (metric.label, metric.name):
                for pair in metric.pairs:
                    if (pair.one, pair.two) == (one, two):
                        return pair
                    if (pair.one, pair.two) == (two, one):
                        return turned(pair)
        baseline = self._contrast.baseline
        only = f", each compared with {baseline} only" if baseline else ""
        raise KeyError(
            f"no pair '{one}' and '{two}' under '{name}'; metrics: {', '.join(self.metrics)}; "
            f"systems: {', '.join(self.systems)}{only}"
        )

    def matrix(self, *, columns: str | Sequence[str] = (), digits: int = 3) -> ScoreMatrix:
        """Return the table of systems and metrics, with the letters of the test.

        `columns` are the scores in their order, such as `AR-1` or `AR-1.precision`; `digits` are
        decimal places.
        """
        return score_matrix(
            self._document, columns=columns, digits=digits, parts=False, contrast=self._contrast
        )

    def table(self) -> ScoreTable:
        """Return a row for each metric and pair of systems.

        >>> from chronoscore import score
        >>> from chronoscore.demo import home
        >>> files = [home() / "careful.jsonl", home() / "quick.jsonl"]
        >>> table = score("timelines", home() / "gold.jsonl", files).compare().table()
        >>> len(table), table.columns[:4]
        (3, ('metric', 'first', 'second', 'difference'))
        """
        return ScoreTable.of(
            [
                {
                    "metric": metric.label,
                    "first": pair.one,
                    "second": pair.two,
                    "difference": pair.difference,
                    **ends_of(pair.interval),
                    "p": pair.p,
                    "p_corrected": pair.p_corrected,
                    "wins": pair.wins,
                    "ties": pair.ties,
                    "losses": pair.losses,
                    "units_needed": pair.units_needed,
                }
                for metric in self._contrast.metrics
                for pair in metric.pairs
            ]
        )

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns of the pairs by name."""
        return self.table().to_dict()

    def to_latex(
        self, *, columns: str | Sequence[str] = (), digits: int = 3, underline_second: bool = False
    ) -> str:
        """Return a LaTeX table for a paper, with the letters of the test or daggers, and a caption.

        `columns` and `digits` are those of `matrix`; `underline_second` underlines the second best
        score of a column.
        """
        matrix = self.matrix(columns=columns, digits=digits)
        return paper_table(matrix, "latex", underline_second=underline_second)

    def to_markdown(
        self, *, columns: str | Sequence[str] = (), digits: int = 3, underline_second: bool = False
    ) -> str:
        """Return the table of `to_latex` in Markdown."""
        matrix = self.matrix(columns=columns, digits=digits)
        return paper_table(matrix, "markdown", underline_second=underline_second)

    def details(self) -> str:
        """Return, as text, the difference of every pair with its p, and the topics that decided.

        This is what `compare --details` prints.
        """
        return render_contrast(self._contrast, "text", details=True)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the document as JSON; return its path."""
        write_file(Path(path), json_text(self._contrast))
        return Path(path)

    def report(self, path: str | PathLike[str]) -> Path:
        """Write an HTML page of ranks, differences and what decided them; return its path.

        >>> from tempfile import mkdtemp
        >>> from chronoscore import score
        >>> from chronoscore.demo import home
        >>> files = [home() / "careful.jsonl", home() / "quick.jsonl"]
        >>> comparison = score("timelines", home() / "gold.jsonl", files).compare()
        >>> comparison.report(Path(mkdtemp()) / "comparison.html").name
        'comparison.html'
        """
        from chronoscore.reports.html.contrast import contrast_page  # noqa: PLC0415 - where shown

        meanings = {info.name: info.meaning for info in self._document.metrics}
        write_file(Path(path), contrast_page(self._contrast, meanings=meanings))
        return Path(path)

    def __str__(self) -> str:
        text = render_contrast(self._contrast, "text", more="details()")
        return text + notice_lines(self._document.notices)

    def __repr__(self) -> str:
        metrics = ", ".join(self.metrics)
        return f"<Comparison of {', '.join(self.systems)} by {metrics}: print it to read it>"

    def _repr_html_(self) -> str:
        from chronoscore.reports.html.notebook import matrix_html  # noqa: PLC0415 - where shown

        document = self._document
        return matrix_html(self.matrix(), conventions(self._family, document), document.notices)


def _is_triple(key: object) -> bool:
    return isinstance(key, tuple) and len(key) == 3
