"""The annotations family: its cases, catalogue and protocols."""

from collections.abc import Mapping
from pathlib import Path

from chronoscore.annotations import beside, error_metrics
from chronoscore.annotations.batches import batch_of
from chronoscore.annotations.breakdown import divide
from chronoscore.annotations.corpora import MATCH_BY, parallel, same_text
from chronoscore.annotations.formats import read_documents, scored_by
from chronoscore.annotations.formats.jsonl import DocumentRecord
from chronoscore.annotations.metrics import DEFINITIONS, compare
from chronoscore.annotations.model import Document
from chronoscore.annotations.naming import doubt_names
from chronoscore.annotations.texts import read_texts, texts_of, with_texts
from chronoscore.core.batch import Batch
from chronoscore.core.collection import named_alike, paired_cases
from chronoscore.core.event import Event
from chronoscore.core.family import Family, Protocol
from chronoscore.core.metric import Metric
from chronoscore.core.reading import Reading
from chronoscore.core.sharding import by_document


def read_cases(
    gold: Path,
    predictions: Mapping[str, Path],
    reading: Reading,
    options: Mapping[str, str],
    input_format: str | None = None,
    score_feature: str | None = None,
    texts: Path | None = None,
) -> dict[str, Batch]:
    """Read gold documents and each system's, and bring them together by document id.

    Or by what the option `match_by` says; texts that differ between the sides are a problem.
    Predicted scores may stand in a feature, and the texts of documents in files of their own.
    """
    golds = read_documents(gold, reading, input_format)
    if texts is not None:
        golds = with_texts(golds, read_texts(texts, reading), texts, reading)
    read = {name: read_documents(path, reading, input_format) for name, path in predictions.items()}
    if score_feature:
        for name, path in predictions.items():
            read[name] = scored_by(read[name], score_feature, path, reading)
    reading.check()
    same_text(golds, reading)
    match_by = options.get("match_by", MATCH_BY[0])
    for name, path in predictions.items():
        found = named_alike(golds, read[name], gold, path, reading)
        read[name] = parallel(golds, found, match_by, reading, name)
    cases = paired_cases(
        golds,
        read,
        reading,
        options,
        level="document",
        empty=lambda key: Document(key, ()),
        content=lambda document: document.annotations,
    )
    return {name: batch_of(own) for name, own in cases.items()}


def copy_advice(metric: Metric) -> str | None:
    """How to compare two parts of one document; None for a metric that does so."""
    values = metric.values
    named = [word for name in ("types", "features") for word in _words(values.get(name))]
    apart = values.get("gold_set") != values.get("predicted_set") or "list" in values
    if apart or any("=" in word for word in named):
        return None
    return "--gold-set and --predicted-set compare two annotation sets of one file"


def _words(value: object) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


FAMILY = Family(
    name="annotations",
    question="Which events and times were found in the text?",
    levels=("gold", "document"),
    sharding=by_document,
    columns=frozenset({*Event.__struct_fields__, *DocumentRecord.__struct_fields__}),
    compare=beside.comparing(compare),
    cluster="document",
    texts=texts_of,
    doubt=doubt_names,
    divide=divide,
    copy_advice=copy_advice,
    definitions=(*DEFINITIONS, *error_metrics.DEFINITIONS, *beside.DEFINITIONS),
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
    options={"missing": ("empty", "skip", "error"), "match_by": MATCH_BY},
)
