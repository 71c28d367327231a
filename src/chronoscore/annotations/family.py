"""The annotations family: its cases, catalogue and protocols."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from chronoscore.annotations import candidate_metrics, labels, metrics
from chronoscore.annotations.breakdown import divide
from chronoscore.annotations.candidates import compare_candidates
from chronoscore.annotations.columns import plain
from chronoscore.annotations.corpora import (
    parallel,
    read_texts,
    same_text,
    texts_of,
    with_texts,
)
from chronoscore.annotations.formats.json import DocumentRecord
from chronoscore.annotations.formats.reading import read_documents, scored_by
from chronoscore.annotations.formats.table import NEEDED
from chronoscore.annotations.matching.comparing import batch_of, compare
from chronoscore.annotations.model import Document
from chronoscore.annotations.name_checks import check_names, count_names
from chronoscore.annotations.parameters import OPTIONS, Selection, SpanQuestion
from chronoscore.core.case import Case, CaseKeys, named_alike, paired_cases, text_or_empty
from chronoscore.core.event import Event
from chronoscore.core.evidence_table import Batch
from chronoscore.core.family import Family, Protocol
from chronoscore.core.functions import late
from chronoscore.core.metric import Metric
from chronoscore.core.problems import Problems
from chronoscore.core.records import no_collector
from chronoscore.core.sources import Source


@no_collector()
def read_cases(
    gold: Source,
    predictions: Mapping[str, Source],
    problems: Problems,
    options: Mapping[str, str],
    score_feature: str | None = None,
    texts: Source | None = None,
) -> dict[str, Batch]:
    """Read the documents of the gold and of each system, and pair them by document id.

    The option `match_by` may name another key; texts that differ between the sides are a problem.
    `score_feature` names the feature with predicted scores, `texts` the files with texts.
    """
    golds = read_documents(gold, problems)
    if texts is not None:
        golds = with_texts(golds, read_texts(texts, problems), texts, problems)
    documents = {name: read_documents(source, problems) for name, source in predictions.items()}
    if score_feature:
        for name, source in predictions.items():
            documents[name] = scored_by(documents[name], score_feature, source, problems)
    problems.check()
    same_text(golds, problems)
    match_by = options.get("match_by", "path")
    systems = {}
    for name, source in predictions.items():
        named = named_alike(golds, documents[name], gold, source, problems)
        systems[name] = parallel(golds, named, match_by, problems, name)
    cases = paired_cases(
        golds,
        systems,
        problems,
        options,
        level="document",
        empty=lambda key: Document(key, ()),
        content=lambda document: document.annotations,
    )
    batches = {name: batch_of(system_cases) for name, system_cases in cases.items()}
    count_names(batches, problems)
    return batches


_COMPARISONS: Mapping[type, Callable[[Document, Document, Any], Any]] = {
    SpanQuestion: compare,
    Selection: compare_candidates,
    labels.LabelQuestion: labels.compare_labels,
}


def _compare(case: Case[Document, Document], setting: Hashable) -> Any:
    """Compare the two sides of a case by spans, candidates or labels, as the setting asks."""
    return _COMPARISONS[type(setting)](case.gold, case.predicted, setting)


def copy_advice(metric: Metric) -> str | None:
    """Say how to compare two parts of one document; None for a metric that does so."""
    values: Mapping[str, Any] = metric.values
    words: list[str] = [*values.get("types", ()), *values.get("features", ())]
    apart = values.get("gold_set") != values.get("predicted_set") or "list" in values
    if apart or any("=" in word for word in words):
        return None
    return "--gold-set and --predicted-set compare two annotation sets of one file"


class _DocumentLine(msgspec.Struct, gc=False):
    """The fields of a line that identify a document, or the article of an event."""

    id: str | int | float | bool | UnsetType | None = UNSET
    article: str | UnsetType = UNSET
    annotations: Raw | UnsetType = UNSET
    span: Raw | UnsetType = UNSET


def _case_of(line: _DocumentLine) -> str:
    """Return the case of a line: a document's id, or the article of an event with a span."""
    if line.annotations is not UNSET:
        return text_or_empty(line.id)
    spanned = line.span is not UNSET and bytes(line.span) != b"null"
    return text_or_empty(line.article) if spanned else ""


def _event_of(line: _DocumentLine) -> object:
    return line.id if line.annotations is UNSET else None


FAMILY = Family(
    name="annotations",
    home="chronoscore.annotations.family:FAMILY",
    question="Which events and times were found in the text?",
    levels=("gold", "document"),
    case_keys=CaseKeys(_DocumentLine, _case_of, event=_event_of, named_by_file=False),
    columns=frozenset({*Event.__struct_fields__, *DocumentRecord.__struct_fields__}),
    sheet_of=lambda names: ".tsv" if {*NEEDED} <= {*names} else "",
    compare=_compare,
    content=plain,
    cluster="document",
    texts=texts_of,
    tables=late("chronoscore.annotations.pages.tables:TABLES"),
    pages=late("chronoscore.annotations.pages.report:PAGES"),
    read_cases=read_cases,
    check_names=check_names,
    divide=divide,
    copy_advice=copy_advice,
    definitions=(*metrics.DEFINITIONS, *candidate_metrics.DEFINITIONS, labels.CLASSIFICATION),
    aliases={},
    protocols=(
        Protocol(
            name="spans",
            meaning="best matching, counts pooled over documents",
            citation="the development notes of the GATE Evaluation plugin",
            metrics=("spans",),
            path="gold+document:sum",
            undefined="agree",
        ),
        Protocol(
            name="gate",
            meaning="the matching of the GATE Evaluation plugin, its bugs removed",
            citation="GATE Evaluation plugin (gate.ac.uk), Petrak",
            metrics=("spans(matching=gate)",),
            path="gold+document:sum",
            undefined="agree",
        ),
    ),
    options=OPTIONS,
)
