"""Temporal awareness: how much of one set of links the other one knows, and the reverse.

    precision = verified(reduced system links) / |reduced system links|
    recall    = verified(reduced gold links)   / |reduced gold links|

A set of links is first *reduced*: what the links before it already imply says nothing new and is
dropped, so that nobody gains by writing out a closure. A link is *verified* if the other side says
it, or if it follows from what the other side says (UzZaman and Allen 2011, "Temporal Evaluation";
UzZaman et al. 2013, "SemEval-2013 Task 1: TempEval-3"). Counting rules are those of the TempEval-3
toolkit, which are not obvious and decide the published numbers:

- The reduction is greedy in the order given: ``a<b, b<c, a<c`` keeps two links and
  ``a<c, a<b, b<c`` three.
- A link that contradicts those before it is *violated*: it stays in the reduced list, and so in
  the denominator, but not in the graph.
- Literal matches are sought among all links of the other side, dropped and violated ones too, and
  their inverses. So a violated link can be verified, and contradiction costs little.
- ``DURING`` and ``DURING_INV`` are read as ``SIMULTANEOUS``. ``IDENTITY`` means the same as
  ``SIMULTANEOUS`` in the graph, but is another word in a literal match.
- A relation in lower case is understood where the graph is built and where a link is inverted, and
  is taken as it stands where it is to be verified: then only a literal match verifies it. A
  relation nobody knows stays in the reduced list and is verified only literally.

The inference itself is exact (`chronoscore.ordering.graph`), where the toolkit's is not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from chronoscore.core.errors import DataError, Problem
from chronoscore.ordering.graph import INVERSE, RELATIONS, TemporalGraph
from chronoscore.ordering.model import Link

Method = Literal["default", "acl11"]
How = Literal["literal", "inferred", "contradicted", "unknown", "entity missing"]

_VERIFIED = frozenset({"literal", "inferred"})
_FOLDED = {"DURING": "SIMULTANEOUS", "DURING_INV": "SIMULTANEOUS"}
_MEANINGS = {relation: relation for relation in RELATIONS} | _FOLDED
KNOWN = frozenset(_MEANINGS)
"""The relations that are understood as they are written."""
_INVERSES = dict(INVERSE)  # a plain one is looked up faster


class Counts(NamedTuple):
    """The four numbers of a comparison, in the order in which the toolkit gives them."""

    precision_matched: int
    system_total: int
    recall_matched: int
    gold_total: int


class Verdict(NamedTuple):
    """One link and how the other side knows it, or why it does not."""

    link: Link
    how: How

    @property
    def verified(self) -> bool:
        """Whether the link counts as a match."""
        return self.how in _VERIFIED


@dataclass(frozen=True, slots=True)
class Reduced:
    """A list of links after greedy reduction.

    ``given`` is the whole list, and ``links`` the list that is counted: kept and violated links, in
    the order given. A link of an unknown relation is kept, though the graph learns nothing from it.
    """

    given: tuple[Link, ...]
    links: tuple[Link, ...]
    kept: tuple[Link, ...]
    redundant: tuple[Link, ...]
    violated: tuple[Link, ...]
    graph: TemporalGraph
    stated: frozenset[Link]  # every link given
    turned: frozenset[Link]  # the inverses of those whose relation is not as `RELATIONS` has it


@dataclass(frozen=True, slots=True)
class Awareness:
    """Counts of a comparison, for each counted link the reason, and what each graph holds.

    ``system_links`` and ``gold_links`` are the counted links without the inverses that ``acl11``
    counts too.
    """

    precision_matched: int
    system_total: int
    recall_matched: int
    gold_total: int
    system_violated: int
    gold_violated: int
    method: Method
    system_links: tuple[Link, ...]
    gold_links: tuple[Link, ...]
    system_ways: tuple[How, ...]
    gold_ways: tuple[How, ...]
    system_kept: tuple[Link, ...]
    gold_kept: tuple[Link, ...]
    system_violations: frozenset[Link]
    gold_violations: frozenset[Link]

    @property
    def system_verdicts(self) -> tuple[Verdict, ...]:
        """Each counted link of the system, and how the gold knows it."""
        return tuple(map(Verdict, _counted(self.system_links, self.method), self.system_ways))

    @property
    def gold_verdicts(self) -> tuple[Verdict, ...]:
        """Each counted link of the gold, and how the system knows it."""
        return tuple(map(Verdict, _counted(self.gold_links, self.method), self.gold_ways))

    @property
    def counts(self) -> Counts:
        """The four numbers that are added up over files."""
        return Counts(
            self.precision_matched, self.system_total, self.recall_matched, self.gold_total
        )


def normalise(links: Iterable[Link]) -> list[Link]:
    """Links with ``DURING`` and ``DURING_INV`` read as ``SIMULTANEOUS``."""
    return [
        link._replace(relation=_FOLDED[link[2]]) if link[2] in _FOLDED else link for link in links
    ]


def meaning(relation: str) -> str:
    """What a relation says, however it is written: ``before`` and ``DURING`` are understood."""
    if relation in _MEANINGS:
        return _MEANINGS[relation]
    relation = relation.upper()
    return _FOLDED.get(relation, relation)


def relation_problem(relation: object) -> str:
    """What is wrong with the name of a relation, or nothing.

    >>> relation_problem("before")
    "relation is 'before', expected 'BEFORE'"
    >>> relation_problem("DURING")
    ''
    """
    if not isinstance(relation, str):
        return f"relation is {relation!r:.40}, expected one of {', '.join(sorted(KNOWN))}"
    if relation in KNOWN:
        return ""
    if relation.upper() in KNOWN:
        return f"relation is '{relation}', expected '{relation.upper()}'"
    return f"relation is '{relation[:40]}', expected one of {', '.join(sorted(KNOWN))}"


def inverse(link: Link) -> Link:
    """The link from the other end; a relation that nobody knows is its own inverse.

    >>> inverse(Link("e1", "e2", "before"))
    Link(source='e2', target='e1', relation='AFTER')
    """
    source, target, relation = link
    return Link(target, source, _INVERSES.get(meaning(relation), relation))


def reduce(links: Iterable[Link]) -> Reduced:
    """Drop the links that follow from those before them; set aside those that contradict them.

    >>> reduced = reduce([Link("a", "b", "BEFORE"), Link("b", "c", "BEFORE"),
    ...                   Link("a", "c", "BEFORE"), Link("c", "a", "BEFORE")])
    >>> [" ".join(link) for link in reduced.links]
    ['a b BEFORE', 'b c BEFORE', 'c a BEFORE']
    >>> len(reduced.redundant), len(reduced.violated)
    (1, 1)
    """
    given = tuple(normalise(links))
    unique = dict.fromkeys(given)  # an exact duplicate is skipped
    graph = TemporalGraph()
    counted: list[Link] = []
    kept: list[Link] = []
    redundant: list[Link] = []
    violated: list[Link] = []
    for link in unique:
        understood = link
        if link[2] not in _INVERSES:
            understood = link._replace(relation=meaning(link.relation))
        judgement = graph.judge(understood)
        if judgement == "holds":
            redundant.append(link)
            continue
        counted.append(link)
        if judgement == "contradicted":
            violated.append(link)
            continue
        kept.append(link)
        if understood[2] in _INVERSES:
            graph.learn(understood)
    return Reduced(
        given=given,
        links=tuple(counted),
        kept=tuple(kept),
        redundant=tuple(redundant),
        violated=tuple(violated),
        graph=graph,
        stated=frozenset(unique),
        turned=frozenset([inverse(link) for link in unique if link[2] not in _INVERSES]),
    )


def verify(link: Link, other: Reduced) -> Verdict:
    """How the other side knows the link: it says so, or it follows; or else why it does not.

    >>> gold = reduce([Link("a", "b", "BEFORE"), Link("b", "c", "BEFORE")])
    >>> verify(Link("b", "a", "AFTER"), gold).how
    'literal'
    >>> verify(Link("a", "c", "BEFORE"), gold).how
    'inferred'
    >>> verify(Link("a", "d", "BEFORE"), gold).how
    'entity missing'
    """
    return Verdict(link, _way(link, other))


def _way(link: Link, other: Reduced) -> How:
    source, target, relation = link
    if (
        link in other.stated
        or (target, source, _INVERSES.get(relation)) in other.stated
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
    links given and their inverses, duplicates too and self links once (UzZaman and Allen 2011), so
    that what is said twice counts twice.

    >>> gold = [Link("a", "b", "BEFORE"), Link("b", "c", "BEFORE")]
    >>> awareness(gold, [Link("a", "c", "BEFORE")]).counts
    Counts(precision_matched=1, system_total=1, recall_matched=0, gold_total=2)
    """
    gold_links, system_links = list(gold_links), list(system_links)
    problems = [
        Problem(f"{side} link {number}: {problem}")
        for side, links in (("gold", gold_links), ("system", system_links))
        for number, link in enumerate(links, 1)
        if (problem := _refusal(link[2], lenient))
    ]
    if problems:
        raise DataError(problems)
    return judged(reduce(gold_links), reduce(system_links), method)


def _refusal(relation: object, lenient: bool) -> str:
    """Why a relation is refused, or nothing; only text can be counted leniently."""
    problem = relation_problem(relation)
    if not problem or not isinstance(relation, str):
        return problem
    return "" if lenient else f"{problem}; or call with lenient=True"


def judged(gold: Reduced, system: Reduced, method: Method = "default") -> Awareness:
    """Compare two lists of links that are reduced already."""
    gold_links, system_links = (
        side.links if method == "default" else side.given for side in (gold, system)
    )
    gold_ways = _ways(gold_links, system, method)
    system_ways = _ways(system_links, gold, method)
    return Awareness(
        precision_matched=_matched(system_ways),
        system_total=len(system_ways),
        recall_matched=_matched(gold_ways),
        gold_total=len(gold_ways),
        system_violated=len(system.violated),
        gold_violated=len(gold.violated),
        method=method,
        system_links=system_links,
        gold_links=gold_links,
        system_ways=system_ways,
        gold_ways=gold_ways,
        system_kept=system.kept,
        gold_kept=gold.kept,
        system_violations=frozenset(system.violated),
        gold_violations=frozenset(gold.violated),
    )


def _counted(links: Sequence[Link], method: Method) -> Sequence[Link]:
    """The links as they are, or each with its inverse; a self link has none."""
    if method == "default":
        return links
    both: list[Link] = []
    for link in links:
        both += (link, inverse(link)) if link[0] != link[1] else (link,)
    return both


def _ways(links: Sequence[Link], other: Reduced, method: Method) -> tuple[How, ...]:
    """How the other side knows each counted link."""
    if method == "default":
        return tuple([_way(link, other) for link in links])
    ways: list[How] = []
    for link in links:
        way = _way(link, other)
        ways.append(way)
        if link[0] != link[1]:
            # Where both sides write known words, an inverse is known as its link is.
            plain = link[2] in _INVERSES and not other.turned
            ways.append(way if plain else _way(inverse(link), other))
    return tuple(ways)


def _matched(ways: Sequence[How]) -> int:
    return ways.count("literal") + ways.count("inferred")
