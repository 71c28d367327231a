"""The numbers of a project, as the command line makes them, kept until something changes."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from chronoscore.core.errors import ChronoscoreError
from chronoscore.core.reading import Reading
from chronoscore.core.result import Result
from chronoscore.engines.chance import Chance
from chronoscore.engines.here import measured
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.family import UNNAMED_SYSTEM, judged_cases, rubric_family
from chronoscore.rubric.judgement import Judgement
from chronoscore.rubric.judgements import Judgements
from chronoscore.rubric.reliability import Plan, Reliability, agreed_values, over_time, study
from chronoscore.rubric.reliability.document import OverTime
from chronoscore.workbench.store import agreed, batches, judgements, pooled
from chronoscore.workbench.store.database import Store
from chronoscore.workbench.store.people import Person
from chronoscore.workbench.store.projects import Project

_KEPT = 16
_PARTS = 3
_SMALL = 500
"""Answers of which the figures are made at once: it takes no longer than the page."""
_FIRST = "The numbers are being made: this page shows them in a moment."
_AGAIN = "Answers have come in since: newer numbers are being made."


@dataclass(frozen=True)
class Figures:
    """Scores and agreement, and whether evaluators are named in it."""

    named: bool
    result: Result | None
    reliability: Reliability | None
    told: tuple[str, ...]
    waiting: bool = False
    """Whether newer ones are being made."""


class Kept:
    """The last figures of some projects; made anew when an answer has come in.

    Those of a large project are made beside the page, which shows the ones before meanwhile.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[object, ...], Figures] = OrderedDict()
        self._lock = threading.Lock()
        self._beside = ThreadPoolExecutor(1, "figures")
        self._asked: dict[tuple[object, ...], Future[None]] = {}

    def of(self, store: Store, viewer: Person, project: Project) -> Figures:
        """The figures of a project as its owner sees them now."""
        named = all(b.stage != "judging" for b in batches.listed(store, viewer, project.id))
        of = (str(store.path), id(store), project.id, named)
        last = pooled.last_change(store, project.id)
        with self._lock:
            if (*of, last) in self._known:
                return self._known[*of, last]
        if sum(pooled.how_far(store, project.id).values()) <= _SMALL:
            return self._make(store, viewer, project, named, (*of, last))
        with self._lock:
            if of not in self._asked or self._asked[of].done():
                asked = (store, viewer, project, named, (*of, last))
                self._asked[of] = self._beside.submit(self._make_beside, *asked)
            before = [figures for key, figures in self._known.items() if key[:-1] == of]
        if before:
            return replace(before[-1], told=(*before[-1].told, _AGAIN), waiting=True)
        return Figures(named, None, None, (_FIRST,), waiting=True)

    def _make(
        self,
        store: Store,
        viewer: Person,
        project: Project,
        named: bool,
        key: tuple[object, ...],
    ) -> Figures:
        made = _figures(store, viewer, project, named)
        with self._lock:
            self._known[key] = made
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return made

    def _make_beside(self, *asked: Any) -> None:
        self._make(*asked)


def _figures(store: Store, viewer: Person, project: Project, named: bool) -> Figures:
    rows = (
        [one for one, _ in judgements.readable(store, viewer, project.id)]
        if named
        else pooled.answers(store, project.id)
    )
    if not rows:
        return Figures(named, None, None, ("There are no complete judgements yet.",))
    settled = agreed.of_project(store, viewer, project.id) if named else []
    try:
        return _computed(rows, settled, project.codebook, named)
    except ChronoscoreError as error:
        return Figures(named, None, None, (str(error),))


def _computed(
    rows: Sequence[Judgement], settled: Sequence[Judgement], codebook: Codebook, named: bool
) -> Figures:
    reading, plan = Reading(), Plan()
    home = rubric_family(codebook)
    settings = Settings.make(home, chance=Chance())
    cases = judged_cases(Judgements.of(rows, len(codebook.criteria)), codebook, reading)
    beside = None
    if settled:
        table = Judgements.of(settled, len(codebook.criteria))
        values = agreed_values(
            judged_cases(table, codebook, Reading()), cases, reading, anywhere=UNNAMED_SYSTEM
        )
        reading.check()
        beside = values
    notices = tuple(str(notice) for notice in reading.notices)
    found = study(
        cases,
        {system: measured(home, own, settings.metrics) for system, own in cases.items()},
        codebook,
        plan,
        over_time=_drift(rows, codebook, plan),
        agreed=beside,
        notices=notices,
    )
    return Figures(named, score(settings, cases, notices=list(notices)).result, found, ())


def _drift(rows: Sequence[Judgement], codebook: Codebook, plan: Plan) -> OverTime | None:
    """Agreement over time: by rounds where there are several, else in three parts of the work."""
    order = {one.key: place for place, one in enumerate(rows)}
    windows = None if len({one.round for one in rows}) > 1 else _PARTS
    try:
        return over_time(rows, order, codebook, windows, plan)
    except ChronoscoreError:
        return None  # too few answers to be cut into parts
