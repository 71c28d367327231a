"""What was taken for what: the table of the verb and that of the report say the same."""

from chronoscore.annotations.breakdown import confusion
from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.matching.comparing import batch_of
from chronoscore.annotations.matching.strategies import match
from chronoscore.annotations.model import Annotation, Document
from chronoscore.annotations.pages.tables import confusion_of_types, confusion_table
from chronoscore.annotations.parameters import question_of
from chronoscore.core.case import Case
from chronoscore.engines.chunks import measure

GOLD = [("Event", 0, 4), ("Event", 10, 14), ("Big time", 20, 24), ("Event", 30, 34)]
PREDICTED = [("Event", 0, 4), ("Big time", 10, 14), ("Big time", 19, 24), ("Event", 50, 54)]


def document(spans: list[tuple[str, int, int]]) -> Document:
    return Document("d", tuple(Annotation(f"id {n}", *span) for n, span in enumerate(spans)))


def test_both_ways_to_the_table_agree() -> None:
    metric = FAMILY.metric("spans")
    cases = [Case("d", document(GOLD), document(PREDICTED), {"gold": "1", "document": "d"})]
    (found,) = batch_of(cases).columns.blocks(question_of(metric.values))
    table = confusion_table("s", confusion(found, match(found, metric.values)))
    ((_, matches),) = measure(FAMILY, cases, [metric], explain=True)
    (other,) = confusion_of_types({("s", "d", name): each for name, each in matches.items()})
    assert table.rows == other.rows
    assert table.columns == other.columns
    assert table.rows == (
        ("Big time", 1, 0, 0),
        ("Event", 1, 1, 1),
        ("(spurious)", 0, 1, "-"),
    )


def test_metrics_that_are_not_of_spans_have_no_confusion() -> None:
    assert confusion_of_types({("s", "d", "target-accuracy"): ()}) == []
