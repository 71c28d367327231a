"""What people and a judge said of the same events, brought together from judgements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.errors import DataError, UsageError
from chronoscore.core.labels import grouped
from chronoscore.core.reading import Reading
from chronoscore.elements.ratios import Array, ratio
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.family import UNNAMED_SYSTEM, last_rounds
from chronoscore.rubric.judgements import Judgements

Flags = NDArray[np.bool_]
_LLM = "llm"


@dataclass(frozen=True, eq=False)
class Sides:
    """Judged events of all systems, a row each; columns are the criteria, and the score last.

    People's value is the mean over people (each one's last round), the judge's that over its
    rounds, which are samples. NaN where nobody judged.
    """

    systems: tuple[str, ...]
    events: tuple[str, ...]
    articles: tuple[str, ...]
    names: tuple[str, ...]
    people: Array
    judge: Array
    person: Mapping[str, Array]
    """The same of each person."""
    people_shares: tuple[Array, ...]
    judge_shares: tuple[Array, ...]
    """Of each criterion, the share of judgements of an event with each value."""
    judge_name: str
    samples: int
    """The most judgements of one event by the judge."""

    @property
    def labelled(self) -> Flags:
        """Which events people judged, and the judge too."""
        return ~np.isnan(self.people[:, 0]) & self.judged

    @property
    def judged(self) -> Flags:
        """Which events the judge judged."""
        return ~np.isnan(self.judge[:, 0])

    def units(self) -> list[str]:
        """A name for each event among those of all systems."""
        return [f"{s}: {e}" for s, e in zip(self.systems, self.events, strict=True)]


def value_table(judgements: Judgements, codebook: Codebook) -> Array:
    """The values of each judgement on every criterion, and its score from 0 to 1."""
    rows, at = np.unique(judgements.values, axis=0, return_inverse=True)
    scores = np.array([float(codebook.quality(tuple(row))) for row in rows.tolist()])
    own = scores[at.reshape(-1)] if len(rows) else np.empty(0)
    return np.column_stack([judgements.values.astype(np.float64), own])


def find_judge(judgements: Judgements, named: str | None) -> str:
    """The judge of this name, or the only evaluator that is a model."""
    who, kind = judgements.words["evaluator"], judgements.words["kind"]
    everyone = who.used()
    models = who.take(np.array([word == _LLM for word in kind.words()], np.bool_)).used()
    if named is not None:
        if named not in everyone:
            raise UsageError(f"no evaluator '{named}'; there are: {', '.join(everyone)}")
        return named
    if len(models) != 1:
        found = f"several: {', '.join(models)}" if models else "none of kind llm"
        raise UsageError(f"name the judge with --judge; in the sheets there are {found}")
    return models[0]


def find_people(judgements: Judgements, judge: str, named: Sequence[str]) -> list[str]:
    """The people of these names, or all evaluators that are no models."""
    who, kind = judgements.words["evaluator"], judgements.words["kind"]
    everyone = who.used()
    unknown = [name for name in named if name not in everyone]
    if unknown:
        raise UsageError(f"no evaluator '{unknown[0]}'; there are: {', '.join(everyone)}")
    if judge in named:
        raise UsageError(f"'{judge}' can't be the judge and one of the people")
    persons = who.take(np.array([word != _LLM for word in kind.words()], np.bool_)).used()
    found = sorted(set(named)) if named else [name for name in persons if name != judge]
    if not found:
        raise DataError.of("no people judged anything: what they think is not known")
    return found


def both_sides(
    judgements: Judgements,
    codebook: Codebook,
    reading: Reading,
    *,
    judge: str | None = None,
    people: Sequence[str] = (),
) -> Sides:
    """Bring the judgements of people and of one judge together, event by event."""
    name = find_judge(judgements, judge)
    persons = find_people(judgements, name, people)
    who = judgements.words["evaluator"]
    spoke = np.array([word in persons for word in who.words()], np.bool_)
    said = judgements.take(np.flatnonzero(spoke))
    said = said.take(last_rounds(said))
    judged = judgements.take(np.flatnonzero(who.at == who.names.index(name)))
    together = Judgements.together([said, judged], len(codebook.criteria))
    words = together.words
    groups = grouped([words["system"].at, words["event"].at], len(together))
    unit, units = groups.at(), len(groups.starts)
    values = value_table(together, codebook)
    human = np.arange(len(together)) < len(said)

    def mean_of(rows: Flags) -> Array:
        count = np.bincount(unit[rows], minlength=units).astype(np.float64)
        sums = [np.bincount(unit[rows], column[rows], units) for column in values.T]
        return np.column_stack([ratio(one.astype(np.float64), count) for one in sums])

    def shares(rows: Flags) -> tuple[Array, ...]:
        count = np.bincount(unit[rows], minlength=units).astype(np.float64)
        found = []
        for at, criterion in enumerate(codebook.criteria):
            given = [rows & (values[:, at] == value) for value in criterion.allowed]
            times = [np.bincount(unit[g], minlength=units).astype(np.float64) for g in given]
            found.append(np.column_stack([ratio(one, count) for one in times]))
        return tuple(found)

    evaluators = words["evaluator"].words()
    own = {p: human & np.array([w == p for w in evaluators], np.bool_) for p in persons}
    firsts = groups.firsts
    found = Sides(
        systems=tuple(word or UNNAMED_SYSTEM for word in words["system"].take(firsts).words()),
        events=tuple(word or "" for word in words["event"].take(firsts).words()),
        articles=_articles(together, unit, units),
        names=(*(criterion.name for criterion in codebook.criteria), codebook.score),
        people=mean_of(human),
        judge=mean_of(~human),
        person={p: mean_of(rows) for p, rows in own.items()},
        people_shares=shares(human),
        judge_shares=shares(~human),
        judge_name=name,
        samples=int(np.bincount(unit[~human], minlength=1).max()),
    )
    _notice(found, reading)
    return found


def _articles(together: Judgements, unit: NDArray[np.int64], units: int) -> tuple[str, ...]:
    """The article of each event, by whoever names it."""
    found = [""] * units
    words = together.words["article"].words()
    for place, word in zip(unit.tolist(), words, strict=True):
        found[place] = found[place] or word or ""
    return tuple(found)


def _notice(found: Sides, reading: Reading) -> None:
    alone = int((~found.judged).sum())
    if alone:
        reading.notice(
            f"{alone} events that people judged and {found.judge_name} did not: left out"
        )
    if not found.labelled.any():
        reading.problem(
            f"no event was judged by both people and {found.judge_name}; "
            "do the sheets name systems and events alike?"
        )
