"""Judgements made by hand: small tables of values, as cases and as measured rows."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from chronoscore.core.case import Case
from chronoscore.core.ledger import Ledger
from chronoscore.engines.here import measured
from chronoscore.engines.settings import Settings
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.family import FAMILY
from chronoscore.rubric.judgement import Judgement
from chronoscore.rubric.reliability import Plan, Reliability, study
from chronoscore.rubric.reliability.judged import Cases

BOOK = event_quality()
FIELDS = [criterion.field for criterion in BOOK.criteria]
BEST = (1, 1, 1, 3, 3)
WORST = (0, 0, 0, 1, 1)


def cases_of(judgements: Sequence[Judgement]) -> Cases:
    """Cases as the family makes them, by system."""
    found: dict[str, list[Case[str, Judgement]]] = {}
    for one in sorted(judgements, key=lambda one: one.key):
        tags = {"event": one.event, "judgement": one.evaluator, "evaluator": one.evaluator}
        tags |= {"article": one.article or "(none)", "type": one.type or "(none)"}
        tags["kind"] = one.kind
        case = Case(f"{one.event}/{one.evaluator}", "event-quality", one, tags)
        found.setdefault(one.system or "all", []).append(case)
    return found


def ledgers(cases: Cases) -> dict[str, Ledger]:
    """The measured rows of some cases."""
    metrics = Settings.make(FAMILY).metrics
    return {system: measured(FAMILY, own, metrics) for system, own in cases.items()}


def studied(cases: Cases, plan: Plan | None = None, **more: object) -> Reliability:
    """The document of some cases."""
    return study(cases, ledgers(cases), BOOK, plan or Plan(), **more)  # type: ignore[arg-type]


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
