"""The tlinks family: its cases, catalogue and protocols."""

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import UNSET, Raw, UnsetType, structs

from chronoscore.core.case import Case, CaseKeys, TopicLine, some, text_or_empty
from chronoscore.core.event import Event
from chronoscore.core.family import Family, Protocol
from chronoscore.core.functions import late
from chronoscore.core.metric import Metric
from chronoscore.core.problems import Fact, Problems, escaped
from chronoscore.core.sources import Source
from chronoscore.ordering.formats import read_pairs, report_strangers
from chronoscore.ordering.options import LINKS
from chronoscore.ordering.tlinks.alignment import same_text, with_ids_of
from chronoscore.ordering.tlinks.formats import Relation, check_links, read_links
from chronoscore.ordering.tlinks.metrics import (
    AWARENESS,
    EVENTS,
    MATRES,
    PAIRWISE,
    TIMEXES,
    compare,
)
from chronoscore.ordering.tlinks.model import LinkDocument

DocumentCase = Case[LinkDocument, LinkDocument]
_GOLD, _PREDICTED = "entities of the gold", "entities of the prediction"


def read_cases(
    gold: Source, predictions: Mapping[str, Source], problems: Problems, options: Mapping[str, str]
) -> dict[str, list[DocumentCase]]:
    """Read gold documents and each system's, and pair them and their entities."""
    read = partial(read_links, problems=problems, options=options)
    empty = LinkDocument()
    systems = read_pairs(read, gold, predictions, problems, options, "document", empty)
    for system, cases in systems.items():
        gold_fact, predicted_fact = (_GOLD, system, gold.name), (_PREDICTED, system, gold.name)
        problems.facts[gold_fact] += sum(len(case.gold.entities) for case in cases)
        problems.facts[predicted_fact] += sum(len(case.predicted.entities) for case in cases)
    return {
        system: aligned(cases, options.get("align", "auto"), system, problems)
        for system, cases in systems.items()
    }


def check_names(
    metrics: Sequence[Metric], facts: Mapping[Fact, int], problems: Problems, _: Sequence[str]
) -> None:
    """Report files without links, and refuse to score events and times where none are marked.

    Otherwise, a comparison of no entities with none would score 1.
    """
    check_links(facts, problems)
    if not any(metric.definition in (EVENTS, TIMEXES) for metric in metrics):
        return
    missing = "no events or times are marked; only TimeML has them"
    for (side, *about), number in facts.items():
        if side != _GOLD:
            continue
        system, gold = about
        if not number:
            problems.problem(missing, gold)
            return
        if not facts.get((_PREDICTED, system, gold)):
            problems.notice(f"{system}: {missing}")


def aligned(
    cases: list[DocumentCase], align: str, system: str, problems: Problems
) -> list[DocumentCase]:
    """Give the system's entities the ids of the gold's in the same place, unless `align` is ids."""
    aligned_cases: list[DocumentCase] = []
    other_text: list[str] = []
    for case in cases:
        placed = align != "ids" and bool(case.gold.entities and case.predicted.entities)
        if placed and same_text(case.gold, case.predicted):
            aligned_cases.append(
                structs.replace(case, predicted=with_ids_of(case.gold, case.predicted))
            )
            continue
        aligned_cases.append(case)
        if placed:
            other_text.append(case.id)
    if other_text and align == "offsets":
        number = f"{len(other_text)} document{'s' * (len(other_text) > 1)}: {some(other_text)}"
        problems.problem(f"{system}: the text is not the gold's in {number}; try --align ids")
    elif other_text:
        problems.count(
            f"{escaped(system)}: the text is not the gold's in {{count}} document{{s}}: {{some}}; "
            "there, entities are matched by their ids",
            [(0, case) for case in other_text],
        )
    report_strangers(system, aligned_cases, _linked, "linked entity", problems)
    return aligned_cases


def content(document: LinkDocument) -> dict[str, object]:
    """Return what a document holds; pairs without a clear relation only where there are any."""
    held: dict[str, object] = {
        "links": document.links,
        "entities": document.entities,
        "text": document.text,
    }
    return {**held, "vague": document.vague} if document.vague else held


def _linked(document: LinkDocument) -> set[str]:
    return {end for link in document.links for end in link[:2]}


_CITATION = "UzZaman et al. 2013, SemEval-2013 Task 1: TempEval-3"
_pooled = partial(Protocol, path="gold+document:sum", undefined="zero")


class _RelationLine(TopicLine, gc=False):
    """The fields of a line that identify the case of a relation or of an event."""

    document: str | UnsetType = UNSET
    source: Raw | UnsetType = UNSET


def _case_of(line: _RelationLine) -> str:
    """Return the case of a line: the document of a relation, the topic of an event."""
    return text_or_empty(line.document if line.document is not UNSET else line.topic)


def _event_of(line: _RelationLine) -> object:
    return line.id if line.source is UNSET else None


FAMILY = Family(
    name="tlinks",
    home="chronoscore.ordering.tlinks.family:FAMILY",
    question="How do events and times stand to each other?",
    levels=("gold", "document"),
    case_keys=CaseKeys(_RelationLine, _case_of, event=_event_of),
    columns=frozenset({*Event.__struct_fields__, *Relation.__struct_fields__}),
    read_cases=read_cases,
    check_names=check_names,
    compare=compare,
    content=content,
    cluster="document",
    always_counted=("system_violated", "gold_violated", "system_cycles", "gold_cycles"),
    pages=late("chronoscore.ordering.pages:LINK_PAGES"),
    definitions=(AWARENESS, PAIRWISE, MATRES, EVENTS, TIMEXES),
    aliases={
        "TempEval-3": "awareness",
        "TempEval-3-acl11": "awareness(method=acl11)",
        "TempEval-3-toolkit": "awareness(closure=toolkit)",
        "TempEval-3-acl11-toolkit": "awareness(method=acl11,closure=toolkit)",
    },
    protocols=(
        _pooled(
            name="tempeval3",
            meaning="links after reduction, counts pooled over all documents; and all pairs",
            citation=_CITATION,
            metrics=("TempEval-3", "pairwise"),
        ),
        _pooled(
            name="tempeval3-acl11",
            meaning="all links and their inverses without reduction, counts pooled",
            citation="UzZaman and Allen 2011, Temporal Evaluation, ACL",
            metrics=("TempEval-3-acl11", "pairwise"),
        ),
        _pooled(
            name="tempeval3-toolkit",
            meaning="as tempeval3 with the closure of the toolkit, errors included, as published "
            "numbers have it; and with the exact closure",
            citation=_CITATION,
            metrics=("TempEval-3-toolkit", "TempEval-3"),
        ),
        _pooled(
            name="tempeval3-acl11-toolkit",
            meaning="as tempeval3-acl11 with the closure of the toolkit; and with the exact one",
            citation="UzZaman and Allen 2011, Temporal Evaluation, ACL",
            metrics=("TempEval-3-acl11-toolkit", "TempEval-3-acl11"),
        ),
        _pooled(
            name="matres",
            meaning="the label of each annotated pair, without closure, counts pooled; predictions "
            "for VAGUE pairs cost precision; and with VAGUE pairs left out",
            citation=MATRES.citation,
            metrics=("matres", "matres(vague=skip)"),
        ),
        _pooled(
            name="tempeval3-entities",
            meaning="events and time expressions with their attributes, counts pooled",
            citation=_CITATION,
            metrics=("events", "timexes"),
            undefined="agree",
        ),
    ),
    options=LINKS,
)
