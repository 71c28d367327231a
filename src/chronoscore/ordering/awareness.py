"""Temporal awareness: how many links of each side the other side states or implies.

    precision = verified(reduced system links) / |reduced system links|
    recall    = verified(reduced gold links)   / |reduced gold links|

A set of links is first *reduced*: a link that earlier links already imply says nothing new and is
dropped, so that writing out a closure gains nothing. A link is *verified* if the other side states
it, or if it follows from the other side's links (UzZaman and Allen 2011, "Temporal Evaluation";
UzZaman et al. 2013, "SemEval-2013 Task 1: TempEval-3"). The rules are those of the TempEval-3
toolkit; they are not obvious, and the published numbers depend on them:

- The reduction is greedy in the order of the links: ``a<b, b<c, a<c`` keeps two links and
  ``a<c, a<b, b<c`` three.
- A link that contradicts those before it is *violated*: it stays in the reduced list, and so in
  the denominator, but not in the graph.
- Literal matches are sought among all links of the other side, dropped and violated ones too, and
  their inverses. So a violated link can be verified, and contradiction costs little.
- ``DURING`` and ``DURING_INV`` are read as ``SIMULTANEOUS``. ``IDENTITY`` means the same as
  ``SIMULTANEOUS`` in the graph, but is another word in a literal match.
- A relation in lower case is understood when the graph is built and when a link is inverted, but
  not when the link is verified: then only a literal match verifies it. An unknown relation stays in
  the reduced list and is verified only literally.

The inference itself is exact (`chronoscore.ordering.graph`), where the toolkit's is not; its own is
in `chronoscore.ordering.timegraph`, for comparison with published numbers.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from chronoscore.errors import DataError, Problem
from chronoscore.ordering.graph import INVERSE, RELATIONS, TemporalGraph
from chronoscore.ordering.model import Link
from chronoscore.ordering.timegraph import ToolkitGraph

Method = Literal["default", "acl11"]
How = Literal["literal", "inferred", "contradicted", "unknown", "entity missing"]

_VERIFIED = frozenset({"literal", "inferred"})
_FOLDED = {"DURING": "SIMULTANEOUS", "DURING_INV": "SIMULTANEOUS"}
KNOWN = frozenset({*RELATIONS, *_FOLDED})
"""The relations that are understood without a change of spelling."""


class LinkCounts(NamedTuple):
    """The four numbers of a comparison, in the order in which the toolkit gives them."""

    precision_matched: int
    system_total: int
    recall_matched: int
    gold_total: int


class LinkVerdict(NamedTuple):
    """One link, and how the other side verifies it, or why it does not."""

    link: Link
    how: How

    @property
    def verified(self) -> bool:
        """Whether the link counts as a match."""
        return self.how in _VERIFIED


@dataclass(frozen=True, slots=True)
class Reduced:
    """A list of links after greedy reduction.

    ``original`` is the whole list, and ``links`` the list that is counted: consistent and violated
    links, in their order. A link of an unknown relation is consistent, though the graph learns
    nothing from it.
    """

    original: tuple[Link, ...]
    links: tuple[Link, ...]
    consistent: tuple[Link, ...]
    violated: tuple[Link, ...]
    graph: TemporalGraph | ToolkitGraph
    stated: frozenset[Link]  # every original link
    turned: frozenset[Link]  # the inverses of those whose relation is not as `RELATIONS` has it


@dataclass(frozen=True)
class Awareness:
    """Two lists of links, and how each side verifies the counted links of the other."""

    gold: Reduced
    system: Reduced
    method: Method = "default"

    @cached_property
    def gold_verdicts(self) -> tuple[LinkVerdict, ...]:
        """How the system verifies the gold's links."""
        return tuple(_verdicts(self.gold, self.system, self.method))

    @cached_property
    def system_verdicts(self) -> tuple[LinkVerdict, ...]:
        """How the gold verifies the system's links."""
        return tuple(_verdicts(self.system, self.gold, self.method))

    @property
    def counts(self) -> LinkCounts:
        """The four numbers that are added up over files."""
        sides = (self.system, self.gold), (self.gold, self.system)
        return LinkCounts(*(n for pair in sides for n in _counted(*pair, self.method)))


def normalise(links: Iterable[Link]) -> list[Link]:
    """Return the links with ``DURING`` and ``DURING_INV`` read as ``SIMULTANEOUS``."""
    return [
        link._replace(relation=_FOLDED[link[2]]) if link[2] in _FOLDED else link for link in links
    ]


def meaning(relation: str) -> str:
    """Return the relation of `RELATIONS` that is meant: ``BEFORE`` for ``before``, for example."""
    if relation in RELATIONS:
        return relation
    relation = relation.upper()
    return _FOLDED.get(relation, relation)


def relation_problem(relation: object) -> str:
    """Say what is wrong with the name of a relation; empty if nothing is.

    >>> relation_problem("before")
    "relation is 'before', expected 'BEFORE'"
    >>> relation_problem("DURING")
    ''
    """
    if isinstance(relation, str):
        if relation in KNOWN:
            return ""
        if relation.upper() in KNOWN:
            return f"relation is '{relation}', expected '{relation.upper()}'"
    return f"relation is {relation!r:.40}, expected one of {', '.join(sorted(KNOWN))}"


def inverse(link: Link) -> Link:
    """Return the link from the other end; an unknown relation is its own inverse.

    >>> inverse(Link("e1", "e2", "before"))
    Link(source='e2', target='e1', relation='AFTER')
    """
    source, target, relation = link
    return Link(target, source, INVERSE.get(meaning(relation), relation))


def reduce(
    links: Iterable[Link], graph_of: Callable[[], TemporalGraph | ToolkitGraph] = TemporalGraph
) -> Reduced:
    """Drop the links that follow from those before them; set aside those that contradict them.

    `graph_of` makes the graph that decides what follows.

    >>> reduced = reduce([Link("a", "b", "BEFORE"), Link("b", "c", "BEFORE"),
    ...                   Link("a", "c", "BEFORE"), Link("c", "a", "BEFORE")])
    >>> [" ".join(link) for link in reduced.links]
    ['a b BEFORE', 'b c BEFORE', 'c a BEFORE']
    >>> [" ".join(link) for link in reduced.violated]
    ['c a BEFORE']
    """
    original = tuple(normalise(links))
    unique = dict.fromkeys(original)  # an exact duplicate is skipped
    graph = graph_of()
    counted: list[Link] = []
    consistent: list[Link] = []
    violated: list[Link] = []
    for link in unique:
        understood = link
        if link[2] not in INVERSE:
            understood = link._replace(relation=meaning(link.relation))
        judgement = graph.take(understood)
        # The toolkit looks for words in capitals among those that it drops or sets aside, so that a
        # link that is written otherwise stays, and is counted a second time if it is set aside.
        odd = graph_of is ToolkitGraph and understood != link
        if judgement == "holds" and not odd:
            continue
        counted.append(link)
        if judgement == "contradicted":
            violated.append(link)
            if odd:
                counted.append(understood)
            continue
        consistent.append(link)
    return Reduced(
        original=original,
        links=tuple(counted),
        consistent=tuple(consistent),
        violated=tuple(violated),
        graph=graph,
        stated=frozenset(unique),
        turned=frozenset([inverse(link) for link in unique if link[2] not in INVERSE]),
    )


def verify(link: Link, other: Reduced) -> How:
    """Return how the other side verifies the link, literally or by inference, or why it does not.

    >>> gold = reduce([Link("a", "b", "BEFORE"), Link("b", "c", "BEFORE")])
    >>> verify(Link("b", "a", "AFTER"), gold)
    'literal'
    >>> verify(Link("a", "c", "BEFORE"), gold)
    'inferred'
    >>> verify(Link("a", "d", "BEFORE"), gold)
    'entity missing'
    """
    source, target, relation = link
    if (
        link in other.stated
        or (target, source, INVERSE.get(relation)) in other.stated
        or link in other.turned
    ):
        return "literal"
    judgement = other.graph.judge(link)
    if judgement == "holds":
        return "inferred"
    if source not in other.graph or target not in other.graph:
        return "entity missing"
    return judgement


def awareness(
    gold_links: Iterable[Link],
    system_links: Iterable[Link],
    method: Method = "default",
    *,
    lenient: bool = False,
) -> Awareness:
    """Compare two lists of links with shared entity names.

    A relation that is not TimeML's, or not in capitals, is a `DataError`; with ``lenient`` any text
    is accepted: lower case is understood, and an unknown relation matches only the same word.

    ``default`` counts the reduced links of each side (UzZaman et al. 2013). ``acl11`` counts all
    links and their inverses, duplicates too and self links once (UzZaman and Allen 2011), so that a
    link that is written twice counts twice.

    >>> gold = [Link("a", "b", "BEFORE"), Link("b", "c", "BEFORE")]
    >>> awareness(gold, [Link("a", "c", "BEFORE")]).counts
    LinkCounts(precision_matched=1, system_total=1, recall_matched=0, gold_total=2)
    """
    gold_links, system_links = list(gold_links), list(system_links)
    problems = [
        Problem(f"{side} link {number}: {problem}")
        for side, links in (("gold", gold_links), ("system", system_links))
        for number, link in enumerate(links, 1)
        if not isinstance(link[2], str) or link[2] not in KNOWN
        if (problem := _refusal(link[2], lenient))
    ]
    if problems:
        raise DataError(problems)
    return Awareness(reduce(gold_links), reduce(system_links), method)


def _refusal(relation: object, lenient: bool) -> str:
    """Say why a relation is refused, or nothing; leniently, any text is accepted."""
    problem = relation_problem(relation)
    if not problem or not isinstance(relation, str):
        return problem
    return "" if lenient else f"{problem}; or call with lenient=True"


def _verdicts(side: Reduced, other: Reduced, method: Method) -> Iterator[LinkVerdict]:
    """Yield the links that count: those after reduction, or all links and their inverses."""
    for link in side.links if method == "default" else side.original:
        how = verify(link, other)
        yield LinkVerdict(link, how)
        if method == "acl11" and link[0] != link[1]:  # a self link is its own inverse
            turned = inverse(link)
            yield LinkVerdict(turned, verify(turned, other))


def _counted(side: Reduced, other: Reduced, method: Method) -> tuple[int, int]:
    """Return how many of the links that count are verified, and how many there are."""
    if method == "default":
        return sum(_verified(side.links, other)), len(side.links)
    links = side.original
    turned = [link for link in links if link[0] != link[1]]
    # Where both sides use known relations, an inverse is verified as its link is.
    exact = isinstance(other.graph, TemporalGraph) and not other.turned and not side.turned
    verified = _verified(links, other)
    if exact and len(turned) == len(links):
        return 2 * sum(verified), 2 * len(links)
    inverses = _verified([*map(inverse, turned)], other)
    return sum(verified) + sum(inverses), len(links) + len(turned)


def _verified(links: Iterable[Link], other: Reduced) -> list[bool]:
    """Return whether the other side verifies each link: `verify` also says how."""
    stated, turned, judge = other.stated, other.turned, other.graph.judge
    return [
        link in stated
        or (link[1], link[0], INVERSE.get(link[2])) in stated
        or link in turned
        or judge(link) == "holds"
        for link in links
    ]
