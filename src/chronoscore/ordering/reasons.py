"""Reasons in words: what the other side says of a link instead, and what a violated one violates.

Links are told by the mentions and anchors that they are about. A reason has a line for each step,
and a long chain is cut in its middle, so that it can be read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

from chronoscore.core.evidence import Match
from chronoscore.ordering.awareness import Verdict
from chronoscore.ordering.chains import Chains
from chronoscore.ordering.model import Link

Names = Mapping[str, str]

_MOST_STEPS = 4
_MOST_CHAINS = 200


class Reasons:
    """The reasons for the verdicts on one side's links, from the links that each graph holds.

    Chains are looked up for the first verdicts of a side only: in a timeline of thousands of
    events nobody reads the others, and each takes a walk through the whole graph.
    """

    def __init__(self, own: Sequence[Link], other: Sequence[Link], names: Names) -> None:
        self._own, self._other = Chains(own), Chains(other)
        self._known = {entity for link in other for entity in link[:2]}
        self._names = names
        self._left = _MOST_CHAINS

    def said(self, link: Link) -> str:
        """The link with mentions and anchors in place of ids."""
        return f"{self._names[link.source]} {link.relation} {self._names[link.target]}"

    def instead(self, verdict: Verdict) -> str:
        """What the other side says of the two ends of a link that it does not verify."""
        link = verdict.link
        if verdict.how == "entity missing":
            missing = [
                self._names[end] for end in dict.fromkeys(link[:2]) if end not in self._known
            ]
            return ",\n".join(f"has no {name}" for name in missing)
        if verdict.how == "unknown":
            return "says nothing of the two"
        if verdict.how != "contradicted" or not self._spend():
            return ""
        found = self._other.relation(link.source, link.target)
        if found is None or not found.chain:  # less is known than a relation, and it is enough
            chain = self._other.against(link)
            return f"not so,\nby {self._told(chain)}" if chain else ""
        other = link._replace(relation=found.relation)
        by = "" if len(found.chain) == 1 else f",\nby {self._told(found.chain)}"
        return f"{self.said(other)}{by}"

    def violates(self, link: Link) -> str:
        """The shortest chain of links of its own side that a violated link contradicts."""
        if not self._spend():
            return "violated: against links before it"
        chain = self._own.against(link)
        return f"violated: against {self._told(chain)}" if chain else "violated: against itself"

    def matches(
        self,
        side: Literal["precision", "recall"],
        verdicts: Iterable[Verdict],
        violated: AbstractSet[Link],
    ) -> Iterator[Match]:
        """Each counted link beside what the other side says of it."""
        for verdict in verdicts:
            own = self.said(verdict.link)
            if verdict.link in violated:
                own += f"\n({self.violates(verdict.link)})"
            other = "" if verdict.verified else self.instead(verdict)
            yield Match(
                side=side,
                outcome=verdict.how,
                credit=float(verdict.verified),
                possible=1.0,
                gold=own if side == "recall" else other,
                predicted=own if side == "precision" else other,
            )

    def _spend(self) -> bool:
        self._left -= 1
        return self._left >= 0

    def _told(self, chain: Sequence[Link]) -> str:
        told = [self.said(link) for link in chain]
        if len(told) > _MOST_STEPS:
            told = [*told[:2], f"... {len(told) - 3} more", told[-1]]
        return ",\n".join(told)
