"""The tlinks family: its cases, catalogue and protocols."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from chronoscore.core.case import Case, some
from chronoscore.core.collection import named_alike, paired_cases
from chronoscore.core.event import Event
from chronoscore.core.family import Family, Protocol
from chronoscore.core.reading import Reading
from chronoscore.core.sharding import by_relation
from chronoscore.core.tally import escaped
from chronoscore.ordering.tlinks.alignment import same_text, with_ids_of
from chronoscore.ordering.tlinks.comparison import compare
from chronoscore.ordering.tlinks.entity_metrics import EVENTS, TIMEXES
from chronoscore.ordering.tlinks.formats import read_links
from chronoscore.ordering.tlinks.formats.lines import Relation
from chronoscore.ordering.tlinks.link_metrics import AWARENESS, PAIRWISE
from chronoscore.ordering.tlinks.model import Document

DocumentCase = Case[Document, Document]


def read_cases(
    gold: Path, predictions: Mapping[str, Path], reading: Reading, options: Mapping[str, str]
) -> dict[str, list[DocumentCase]]:
    """Read gold documents and each system's, and bring them and their entities together."""
    golds = read_links(gold, reading, options)
    read = {
        name: named_alike(golds, read_links(path, reading, options), gold, path, reading)
        for name, path in predictions.items()
    }
    reading.check()
    made = paired_cases(golds, read, reading, options, level="document", empty=lambda _: Document())
    return {
        system: aligned(cases, options.get("align", "auto"), system, reading)
        for system, cases in made.items()
    }


def aligned(
    cases: list[DocumentCase], align: str, system: str, reading: Reading
) -> list[DocumentCase]:
    """Give the system's entities the ids of the gold's, by their places or as they are."""
    found: list[DocumentCase] = []
    other_text: list[str] = []
    for case in cases:
        placed = align != "ids" and bool(case.gold.entities and case.predicted.entities)
        if placed and same_text(case.gold, case.predicted):
            found.append(replace(case, predicted=with_ids_of(case.gold, case.predicted)))
            continue
        found.append(case)
        if placed:
            other_text.append(case.id)
    strangers = [case.id for case in found if _strange(case)]
    if other_text and align == "offsets":
        number = f"{len(other_text)} document{'s' * (len(other_text) > 1)}"
        reading.problem(f"{system}: the text is not the gold's in {number}: {some(other_text)}")
    elif other_text:
        reading.tally(
            f"{escaped(system)}: the text is not the gold's in {{count}} document{{s}}: {{some}}; "
            "there, entities are matched by their ids",
            [(0, case) for case in other_text],
        )
    reading.tally(
        f"{escaped(system)}: no entity of the links is in the gold's, so that nothing can match: "
        "{some}",
        [(0, case) for case in strangers],
    )
    return found


def _strange(case: DocumentCase) -> bool:
    """Whether both sides have links, and nothing that is linked is in both."""
    gold, system = (
        {end for link in d.links for end in link[:2]} for d in (case.gold, case.predicted)
    )
    return bool(gold and system) and not gold & system


_CITATION = "UzZaman et al. 2013, SemEval-2013 Task 1: TempEval-3"
_MICRO = "gold+document:sum"

FAMILY = Family(
    name="tlinks",
    question="How do events and times stand to each other?",
    levels=("gold", "document"),
    sharding=by_relation,
    columns=frozenset({*Event.__struct_fields__, *Relation.__struct_fields__}),
    compare=compare,
    cluster="document",
    definitions=(AWARENESS, PAIRWISE, EVENTS, TIMEXES),
    aliases={"TempEval-3": "awareness", "TempEval-3-acl11": "awareness(method=acl11)"},
    protocols=(
        Protocol(
            name="tempeval3",
            meaning="links after reduction, counts pooled over all documents; beside it all pairs",
            citation=_CITATION,
            metrics=("TempEval-3", "pairwise"),
            path=_MICRO,
            undefined="zero",
        ),
        Protocol(
            name="tempeval3-acl11",
            meaning="all links and their inverses without reduction, counts pooled",
            citation="UzZaman and Allen 2011, Temporal Evaluation, ACL",
            metrics=("TempEval-3-acl11", "pairwise"),
            path=_MICRO,
            undefined="zero",
        ),
        Protocol(
            name="tempeval3-entities",
            meaning="events and time expressions with their attributes, counts pooled",
            citation=_CITATION,
            metrics=("events", "timexes"),
            path=_MICRO,
            undefined="agree",
        ),
    ),
    options={
        "missing": ("empty", "skip", "error"),
        "align": ("auto", "offsets", "ids"),
        "vague": ("skip", "keep"),
    },
)
