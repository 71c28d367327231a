"""Judgements made by hand: small tables of values, as cases and as measured rows."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from chronoscore.core.evidence_table import Batch, EvidenceTable
from chronoscore.core.problems import Problems
from chronoscore.engines.chunks import measured
from chronoscore.engines.settings import Settings
from chronoscore.rubric.agreement.coefficients import AgreementPlan
from chronoscore.rubric.agreement.study import AgreementStudy, study
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.family import FAMILY, judged_cases
from chronoscore.rubric.judgements import Judgement, Judgements

BOOK = event_quality()
FIELDS = [criterion.field for criterion in BOOK.criteria]
BEST = (1, 1, 1, 3, 3)
WORST = (0, 0, 0, 1, 1)


def cases_of(judgements: Sequence[Judgement]) -> dict[str, Batch]:
    """Cases as the family makes them, by system."""
    return judged_cases(Judgements.of(judgements, len(BOOK.criteria)), BOOK, Problems())


def systems_of(judgements: Sequence[Judgement]) -> dict[str, Judgements]:
    """The last rounds of judgements, by system."""
    return {system: batch.columns for system, batch in cases_of(judgements).items()}


def ledgers(cases: Mapping[str, Batch]) -> dict[str, EvidenceTable]:
    """The measured rows of some cases."""
    metrics = Settings.make(FAMILY).metrics
    return {system: measured(FAMILY, own, metrics) for system, own in cases.items()}


def studied(
    cases: Mapping[str, Batch], plan: AgreementPlan | None = None, **more: object
) -> AgreementStudy:
    """The document of some cases."""
    systems = {system: batch.columns for system, batch in cases.items()}
    return study(systems, BOOK, plan or AgreementPlan(), **more)  # type: ignore[arg-type]


def said(table: Mapping[str, Mapping[str, tuple[int, ...]]], article: str = "a") -> list[Judgement]:
    """Judgements of a table: event, evaluator, values; events are in articles by turns."""
    return [
        Judgement(event, who, values, article=f"{article}{number % 3}", text=f"text of {event}")
        for number, (event, given) in enumerate(table.items())
        for who, values in given.items()
    ]


def sheet(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    """Write a CSV with the columns of all rows."""
    header = list(dict.fromkeys(name for row in rows for name in row))
    lines = [",".join(header)]
    lines += [",".join(str(row.get(name, "")) for name in header) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def row(event: str, who: str, values: tuple[int, ...] = BEST, **more: object) -> dict[str, object]:
    """A row of a sheet."""
    return {"event_id": event, "evaluator": who, **more, **dict(zip(FIELDS, values, strict=True))}
