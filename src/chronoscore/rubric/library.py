"""Agreement of evaluators, as people hold it in Python."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.result import Agreement
from chronoscore.core.writing import json_text, write_file
from chronoscore.errors import DataError
from chronoscore.interface.frames import Exportable, ScoreTable, ends_of
from chronoscore.interface.scoring import names_of, sources_of_data
from chronoscore.reports.table import Table
from chronoscore.rubric.agreement.coefficients import AgreementPlan
from chronoscore.rubric.agreement.study import AgreementStudy, study
from chronoscore.rubric.agreement.verdicts import CriterionVerdict
from chronoscore.rubric.codebook import Codebook, read_codebook
from chronoscore.rubric.family import FAMILY, read_cases


def agreement(
    judgements: Any,
    *,
    coefficients: str | Iterable[str] | None = None,
    by: str | Iterable[str] | None = None,
    threshold: float = 0.667,
    level: float = 0.95,
    seed: int = 0,
    codebook: Codebook | str | PathLike[str] | None = None,
    evaluator: str | None = None,
    lenient: bool = False,
) -> "AgreementResult":
    """Measure how far evaluators agree on each criterion.

    - `judgements`: one or several sheets, as paths, lists of dicts, or frames.
    - `coefficients`: names such as `"alpha ordinal"`, or `"all"`. Without them, those that suit
      the scale of each criterion.
    - `by`: `"article"`, `"type"` or `"system"`, to measure agreement within each.
    - `threshold`: the alpha below which evaluators should discuss a criterion.
    - `level`, `seed`: the confidence level of intervals, and the seed of random draws.
    - `codebook`: your own codebook, as a path or a `Codebook`.
    - `evaluator`: who filled in a sheet that does not say so.
    - `lenient`: accept input that is not quite right, with a notice.

    >>> from chronoscore.demo import home
    >>> found = agreement(home() / "judgements.csv")
    >>> round(found["clarity", "alpha ordinal"].value, 3)
    0.833
    """
    plan = AgreementPlan(
        coefficients=names_of(coefficients, "coefficients"),
        by=names_of(by, "by"),
        threshold=threshold,
        level=level,
        seed=seed,
    )
    plan.check()
    problems = Problems(ReadingOptions(lenient=lenient))
    book = read_codebook(codebook, problems)
    cases = read_cases(
        sources_of_data(FAMILY, judgements), problems, evaluator=evaluator, codebook=book
    )
    problems.check()
    systems = {system: batch.columns for system, batch in cases.items()}
    if not any(map(len, systems.values())):
        raise DataError.of("there are no judgements")
    notices = [str(notice) for notice in problems.notices]
    return AgreementResult(study(systems, book, plan, notices=notices))


class AgreementResult(Exportable):
    """How far evaluators agree, by criterion and coefficient.

    >>> from chronoscore.demo import home
    >>> found = agreement(home() / "judgements.csv")
    >>> found.verdicts["clarity"].verdict
    'enough'
    """

    def __init__(self, document: AgreementStudy) -> None:
        self._document = document

    @property
    def document(self) -> AgreementStudy:
        """The document that `agreement --format json` prints."""
        return self._document

    @property
    def criteria(self) -> tuple[str, ...]:
        """The names of the criteria."""
        return tuple(dict.fromkeys(one.criterion for one in self._document.agreement))

    @property
    def verdicts(self) -> dict[str, CriterionVerdict]:
        """Whether evaluators agree well enough, by criterion: a `verdict` and a `sentence` each."""
        return {verdict.criterion: verdict for verdict in self._document.verdicts}

    def __getitem__(self, key: tuple[str, str]) -> Agreement:
        """Return a coefficient of a criterion: its `value`, `interval`, `units` and `raters`."""
        for one in self._document.agreement:
            if (one.criterion, one.coefficient) == key:
                return one
        known = ", ".join(f"{a.criterion} {a.coefficient}" for a in self._document.agreement)
        raise KeyError(f"no criterion and coefficient {key}; there are: {known}")

    def table(self) -> ScoreTable:
        """Return a row for each criterion and coefficient."""
        return ScoreTable.of(
            [
                {
                    "criterion": one.criterion,
                    "coefficient": one.coefficient,
                    "value": one.value,
                    **ends_of(one.interval),
                    "units": one.units,
                    "ratings": one.ratings,
                    "raters": one.raters,
                }
                for one in self._document.agreement
            ]
        )

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns of the table by name."""
        return self.table().to_dict()

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the document as JSON; return its path."""
        write_file(Path(path), json_text(self._document))
        return Path(path)

    def __repr__(self) -> str:
        document = self._document
        return (
            f"<AgreementResult: {len(document.evaluators)} evaluators, {document.events} events, "
            f"{len(self.criteria)} criteria: print it to read it>"
        )

    def _tables(self) -> list[Table]:
        from chronoscore.rubric.pages.agreement import reliability_tables  # noqa: PLC0415

        return reliability_tables(self._document)
