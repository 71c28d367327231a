"""Small random cases of each family, and what may be done to them without (or with) effect."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from hypothesis import strategies as st
from msgspec import structs

from chronoscore.annotations.model import Annotation, Document, FeatureValue
from chronoscore.core.case import Case
from chronoscore.core.metric import Definition, Metric, Parameter
from chronoscore.core.names import Value
from chronoscore.elements.dated.model import DatedEvent, Timeline
from chronoscore.elements.time import Time
from chronoscore.elements.time.calendar import MONTHS
from chronoscore.ordering.coreference.model import Clustering, LinkedClustering, MentionLink
from chronoscore.ordering.graph import RELATIONS
from chronoscore.ordering.model import Link, TimelineRow
from chronoscore.ordering.model import TargetTimeline as Order
from chronoscore.ordering.tlinks.model import Entity
from chronoscore.ordering.tlinks.model import LinkDocument as Linked
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.judgements import Judgement

AnyCase = Case[Any, Any]
Draw = Callable[[st.SearchStrategy[Any]], Any]

WORDS = ("quake", "rescue", "storm", "vote", "the", ".")
DAYS = st.integers(0, 8).map(lambda n: Time.of(date(2010, 12, 28) + timedelta(n)))
PERIODS = st.sampled_from(("2010-12", "2011-01", "2010", "2011")).map(Time.parse)
HARD_TIMES = st.sampled_from(
    (
        *("2010-12-XX", "2010-W52", "2010-Q4", "201X", "-0044-03-15", "-0044", "0000-02-29"),
        *("2010-12-28/2011-01-02", "1900/2100", "2010-12-30/..", "../2011-01-02", "2011-01-01/"),
        *("2010-12-31T23:30", "2010-12-31T23:45Z", "2011-01-01T05:15+05:30", "2010-12-31T18-05"),
        *("2010-12-31T23", "2011-01-01T00:00:00.5Z", "2010-12-31T22/2011-01-01T03"),
    )
).map(Time.parse)
OFFSETS = st.sampled_from(("0", "1.5", "-3", "26", "-26", "300", "0/30", "5/..", "../7")).map(
    lambda text: Time.parse(text, dialect="offset", unit="hour")
)
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)


def _timelines(times: st.SearchStrategy[Time]) -> st.SearchStrategy[Timeline]:
    sentences = st.lists(SENTENCES, max_size=2)
    return st.dictionaries(times, sentences, max_size=4).map(Timeline.of)


TIMELINES = _timelines(DAYS | DAYS | PERIODS | HARD_TIMES)
FROM_ZERO = _timelines(OFFSETS)
SINGLE_DAYS = _timelines(DAYS)

TOLD = ("quake", "rescue", "storm", "vote", "the", ".", "not", "3", "地震", "буря", "عاصفة", "é")
EVENT_TEXTS = st.lists(st.sampled_from(TOLD), min_size=1, max_size=4).map(" ".join)
LABELS = st.sampled_from(("begins-on", "ends-on", "contains-1"))


def _events(
    times: st.SearchStrategy[Time], texts: st.SearchStrategy[str] = EVENT_TEXTS
) -> st.SearchStrategy[Timeline]:
    """Records of a file of events, some without a date; ids are unique, and verdicts name some."""
    event = st.builds(
        DatedEvent,
        st.none() | times | times | times,
        texts,
        facts=st.just(()) | st.lists(EVENT_TEXTS, max_size=2).map(tuple),
        weight=st.sampled_from((None, None, 0.25, 1.0, 3.0)),
        labels=st.lists(LABELS, max_size=2, unique=True).map(tuple),
    )
    return st.lists(event, max_size=5).map(
        lambda events: Timeline(
            events=tuple(structs.replace(one, id=f"e{at}") for at, one in enumerate(events))
        )
    )


RECORDS = _events(DAYS | DAYS | PERIODS | HARD_TIMES)
TREATMENTS = _events(DAYS, st.sampled_from(("quake", "storm")))
"""Many events with the same texts, which only times and labels tell apart."""
LATER_DATED = st.builds(
    lambda timeline, undated: structs.replace(timeline, undated=tuple(undated)),
    TIMELINES,
    st.lists(EVENT_TEXTS, max_size=2),
)
"""Timelines by day, with texts that have no date."""

ROWS = st.builds(
    TimelineRow,
    st.integers(0, 3),
    st.sampled_from(("2001", "2001-05", "XXXX-XX-XX")),
    st.lists(st.sampled_from("abcde"), min_size=1, max_size=2).map(tuple),
)
ORDERS = st.lists(ROWS, max_size=5).map(lambda rows: Order(tuple(rows)))


@st.composite
def _clusterings(draw: st.DrawFn) -> Clustering:
    homes = {name: draw(st.integers(0, 4)) for name in draw(st.sets(st.sampled_from("abcdefg")))}
    found = Clustering.of(
        [name for name, home in homes.items() if home == number] for number in range(5)
    )
    kinds, ids = st.sampled_from(("PER", "ORG")), st.sampled_from(("", "Q1", "Q2"))
    return LinkedClustering(
        found.clusters, {name: MentionLink(draw(kinds), draw(ids)) for name in sorted(homes)}
    )


LINKS = st.builds(
    Link,
    st.sampled_from("abcd"),
    st.sampled_from("abcd"),
    st.sampled_from((*RELATIONS, "DURING", "before", "VAGUE")),
)
ENTITIES = st.builds(
    lambda name, kind, text, attribute, value: Entity(
        name, kind, text, attributes={attribute: value}, names=(name,)
    ),
    st.sampled_from("abcd"),
    st.sampled_from(("event", "time")),
    st.sampled_from(("", "x", "x y")),
    st.sampled_from(("class", "tense", "value", "other")),
    st.sampled_from("01"),
)
LINKED = st.builds(
    lambda links, entities: Linked(tuple(links), tuple(entities)),
    st.lists(LINKS, max_size=6),
    st.lists(ENTITIES, max_size=4, unique_by=lambda entity: entity.id),
)


@st.composite
def _annotations(draw: st.DrawFn) -> tuple[Annotation, ...]:
    made = []
    for place in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, 6))
        end = start + draw(st.integers(0, 4))
        value = draw(st.one_of(st.none(), st.just("x"), st.just(1), st.just(1.0)))
        features: dict[str, FeatureValue] = {} if value is None else {"id": value}
        score = draw(st.sampled_from((0.1, 0.25, 0.5, 0.9)))
        kind = draw(st.sampled_from("AB"))
        made.append(Annotation(str(place), kind, start, end, features, score))
    spans = list(made)
    for place in range(draw(st.integers(0, 2)) if spans else 0):
        names = draw(st.lists(st.integers(0, len(spans) - 1).map(str), max_size=4, unique=True))
        first = spans[draw(st.integers(0, len(spans) - 1))]
        made.append(
            Annotation(f"l{place}", "List", first.start, first.end, {"ids": tuple(names)}, 0.5)
        )
    return tuple(made)


DOCUMENTS = st.builds(Document, st.just("d"), _annotations())
JUDGEMENTS = st.tuples(*(st.sampled_from(c.allowed) for c in event_quality().criteria)).map(
    lambda values: Judgement("e", "ana", values)
)


def _case(gold: Any, predicted: Any, levels: tuple[str, ...]) -> AnyCase:
    return Case("c", gold, predicted, dict.fromkeys(levels, "c"))


CASES: Mapping[str, st.SearchStrategy[AnyCase]] = {
    "timelines": st.one_of(
        *(
            st.builds(lambda g, p: _case((g,), p, ("gold", "topic")), one_side, one_side)
            for one_side in (TIMELINES, TIMELINES, FROM_ZERO, SINGLE_DAYS)
        )
    ),
    "events": st.one_of(
        *(
            st.builds(
                lambda gold, others, predicted: _case(
                    (gold, *others), predicted, ("gold", "topic", "trial")
                ),
                one_side,
                st.just(()) | st.tuples(one_side),
                one_side,
            )
            for one_side in (
                *(RECORDS, RECORDS, TREATMENTS, _events(OFFSETS), _events(DAYS)),
                *(LATER_DATED, RECORDS | LATER_DATED),
            )
        )
    ),
    "ordering": st.builds(
        lambda gold, predicted: _case(gold, predicted, ("gold", "target")), ORDERS, ORDERS
    ),
    "coreference": st.builds(
        lambda gold, predicted: _case(gold, predicted, ("gold", "document")),
        _clusterings(),
        _clusterings(),
    ),
    "tlinks": st.builds(
        lambda gold, predicted: _case(gold, predicted, ("gold", "document")), LINKED, LINKED
    ),
    "annotations": st.builds(
        lambda gold, predicted: _case(gold, predicted, ("gold", "document")), DOCUMENTS, DOCUMENTS
    ),
    "rubric": JUDGEMENTS.map(
        lambda j: _case("codebook", j, ("judgement", "event", "evaluator", "article"))
    ),
}


TOGETHER: dict[str, dict[str, Value]] = {
    "zone": {"grain": "hour"},
    "similarity": {"cost": "similarity"},
    "time_weight": {"cost": "similarity"},
}
"""What a parameter needs to make a difference, where the metric has that too."""


def needed(definition: Definition, parameter: Parameter) -> dict[str, Value]:
    """Other parameters without which one makes no difference, and their values."""
    known = {other.name for other in definition.parameters}
    together = TOGETHER.get(parameter.name, {})
    return {name: value for name, value in together.items() if name in known}


def fits(metric: Metric, case: AnyCase) -> bool:
    """Whether a metric can measure a case: offsets have no months."""
    sides = (case.predicted, *case.gold) if isinstance(case.predicted, Timeline) else ()
    times = [time for side in sides for time in (*side.dates, *(e.time for e in side.events))]
    offsets = any(time is not None and time.axis == "offset" for time in times)
    by_month = metric.values.get("grain") in MONTHS or "level" in str(metric.values)
    return not (offsets and by_month)


def copied(family: str, case: AnyCase) -> AnyCase:
    """The same case with the gold as its prediction."""
    gold = case.gold[0] if family in DATED else case.gold
    return structs.replace(case, predicted=gold)


DATED = ("timelines", "events")
"""Families whose gold may be several timelines."""


def swapped(family: str, case: AnyCase) -> AnyCase:
    """Gold and prediction in each other's place."""
    if family in DATED:
        return structs.replace(case, gold=(case.predicted,), predicted=case.gold[0])
    return structs.replace(case, gold=case.predicted, predicted=case.gold)


def shuffled(family: str, case: AnyCase, draw: Draw) -> AnyCase:
    """The same case with items in another order on both sides."""

    def side(value: Any) -> Any:
        if family in DATED:
            days = draw(st.permutations(value.days))
            made = Timeline.of(dict(days))
            events = tuple(draw(st.permutations(value.events)))
            return structs.replace(made, events=events, undated=value.undated[::-1])
        if family == "ordering":
            return Order(tuple(draw(st.permutations(value.rows))))
        if family == "coreference":
            mixed = [draw(st.permutations(cluster)) for cluster in value.clusters]
            return replace(value, clusters=Clustering.of(draw(st.permutations(mixed))).clusters)
        if family == "tlinks":
            return replace(
                value,
                links=tuple(draw(st.permutations(value.links))),
                entities=tuple(draw(st.permutations(value.entities))),
            )
        if family == "annotations":
            return replace(value, annotations=tuple(draw(st.permutations(value.annotations))))
        return value

    if family in DATED:
        gold = (side(case.gold[0]), *case.gold[1:])
        return structs.replace(case, gold=gold, predicted=side(case.predicted))
    return structs.replace(case, gold=side(case.gold), predicted=side(case.predicted))


def improved(family: str, case: AnyCase, draw: Draw) -> AnyCase | None:
    """The case with one thing more that is right, or None where nothing can be bettered."""
    if family == "timelines":
        have = dict(case.predicted.days)
        lacking = [item for item in case.gold[0].days if item[0] not in have]
        if not lacking:
            return None
        day, texts = draw(st.sampled_from(lacking))
        return structs.replace(case, predicted=Timeline.of({**have, day: texts}))
    if family == "events":
        if not case.gold[0].events or case.predicted.dates or case.predicted.undated:
            return None
        event = draw(st.sampled_from(case.gold[0].events))
        events = (*case.predicted.events, structs.replace(event, id="new"))
        return structs.replace(case, predicted=structs.replace(case.predicted, events=events))
    if family == "rubric":
        values = list(case.predicted.values)
        highest = [criterion.allowed[-1] for criterion in event_quality().criteria]
        low = [place for place, value in enumerate(values) if value < highest[place]]
        if not low:
            return None
        values[draw(st.sampled_from(low))] += 1
        return structs.replace(case, predicted=replace(case.predicted, values=tuple(values)))
    raise NotImplementedError(family)


def is_better(family: str, comparison: Any, better: AnyCase) -> bool:
    """Whether what was added was lacking: a gold event that was not matched."""
    if family != "events":
        return True
    added = structs.replace(better.predicted.events[-1], id="")
    matched = comparison.block.matched.column[comparison.pairs] - comparison.columns.start
    alike = [
        at for at, event in enumerate(comparison.gold) if structs.replace(event, id="") == added
    ]
    return not {*alike} <= {*matched.tolist()}
