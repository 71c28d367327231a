"""The steps of a study, from its events to its export: which are done, and what the next one needs.

One pure function of plain facts; `overview` collects the facts of a project.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from chronoscore.workbench.pages import plural

StepName = Literal["events", "people", "calibration", "talk", "main", "settle", "export"]
StepState = Literal["done", "now", "later", "left out"]
FEWEST_PEOPLE = 2
"""Agreement takes two."""
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class OpenShare:
    """Someone's share of a batch that is not submitted."""

    name: str
    left: int
    """Events without a complete answer."""


@dataclass(frozen=True, slots=True)
class BatchFacts:
    """A batch as far as its counts go."""

    id: int
    name: str
    kind: str
    stage: Literal["judging", "review", "adjudicated"]
    open: tuple[OpenShare, ...] = ()
    """The shares that are not submitted."""
    differences: int = 0
    """Events that are judged differently and not settled, once all have submitted."""


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """What the steps of a project depend on."""

    project: int
    events: int
    people: int
    """Evaluators who were invited, the owner not counted."""
    batches: tuple[BatchFacts, ...] = ()
    free: int = 0
    """Events that no person has in a batch."""
    calibration: int = 0
    """How many events the calibration batch would have that is proposed; 0 if none is."""
    exported: bool = False
    """Whether there was an export after the last change."""
    unit: str = "event"
    """What is judged: an event or a pair."""


@dataclass(frozen=True, slots=True)
class StudyStep:
    """One step, its state, and for the next one what it needs and where that is done."""

    name: StepName
    state: StepState
    need: str = ""
    button: str = ""
    link: str = ""


def steps(facts: ProjectFacts) -> list[StudyStep]:
    """The seven steps in order; at most one is `now`: the first that is not done."""
    calibration = [one for one in facts.batches if one.kind == "calibration"]
    main = [one for one in facts.batches if one.kind in ("main", "retest")]
    imported = [one for one in facts.batches if one.kind == "imported"]
    begun = bool(calibration or main)
    # Everything was judged elsewhere: nobody has to be invited for it.
    elsewhere = bool(imported) and not begun and not facts.people
    if elsewhere:
        main = imported
    no_calibration = not calibration and (bool(main) or not facts.calibration)
    no_main = not main and bool(calibration) and not facts.free
    needs: list[tuple[StepName, bool, StudyStep | None]] = [
        ("events", False, _events(facts)),
        ("people", elsewhere, None if begun or elsewhere else _people(facts)),
        ("calibration", no_calibration, _calibration(facts, calibration)),
        ("talk", no_calibration, _settling("talk", calibration)),
        ("main", no_main, _main(facts, main)),
        ("settle", no_main, _settling("settle", main)),
        ("export", False, _export(facts)),
    ]
    line: list[StudyStep] = []
    for name, left_out, need in needs:
        before = any(step.state == "now" for step in line)
        if left_out:
            line.append(StudyStep(name, "left out"))
        elif need is None and not (name in ("talk", "settle", "export") and before):
            line.append(StudyStep(name, "done"))
        elif before or need is None:
            line.append(StudyStep(name, "later"))
        else:
            line.append(need)
    return line


def next_step(line: Sequence[StudyStep]) -> StudyStep | None:
    """The step that is lit, None if all are done."""
    return next((step for step in line if step.state == "now"), None)


def _events(facts: ProjectFacts) -> StudyStep | None:
    if facts.events:
        return None
    return StudyStep("events", "now", "This project has no events yet.", "Add events", "#more")


def _people(facts: ProjectFacts) -> StudyStep | None:
    if facts.people >= FEWEST_PEOPLE:
        return None
    need = "invite one more person" if facts.people else "invite at least two people"
    why = "agreement can be measured only if two people judge the same"
    return StudyStep("people", "now", f"Next: {need}; {why}.", "Invite people", "#invite")


def _calibration(facts: ProjectFacts, batches: Sequence[BatchFacts]) -> StudyStep | None:
    if batches:
        return _judging("calibration", batches, facts)
    drawn = plural(facts.calibration, facts.unit)
    need = f"Next: calibration: {drawn} by all {facts.people}, to talk about them."
    return StudyStep("calibration", "now", need, "Make the calibration batch", "#new-batch")


def _main(facts: ProjectFacts, batches: Sequence[BatchFacts]) -> StudyStep | None:
    if batches:
        return _judging("main", batches, facts)
    need = f"Next: the main batch: {plural(facts.free, facts.unit)} that nobody has yet."
    return StudyStep("main", "now", need, "Make the main batch", "#new-batch")


def _judging(
    name: StepName, batches: Sequence[BatchFacts], facts: ProjectFacts
) -> StudyStep | None:
    """Who still has how much to judge, in the first batch that is being judged."""
    for batch in batches:
        if batch.stage != "judging":
            continue
        shares = sorted(batch.open, key=lambda one: (-one.left, one.name))
        busy = [one for one in shares if one.left]
        if busy:
            named = [f"{one.name} has {plural(one.left, facts.unit)}" for one in busy[:_MOST_NAMED]]
            more = len(busy) - len(named)
            others = [f"{more} more have some"] if more else []
            need = f"{_listed([*named, *others])} left in {batch.name}."
        else:
            names = _listed([one.name for one in shares] or ["Someone"])
            need = f"{names} judged everything in {batch.name} and must still submit it."
        return StudyStep(name, "now", need, "Open the batch", f"/batches/{batch.id}")
    return None


def _settling(name: StepName, batches: Sequence[BatchFacts]) -> StudyStep | None:
    """The differences of the first batch that is in review, or that it can be closed."""
    for batch in batches:
        if batch.stage != "review":
            continue
        place = f"/batches/{batch.id}"
        if not batch.differences:
            need = f"Next: close {batch.name}: nothing is left to settle."
            return StudyStep(name, "now", need, "Open the batch", place)
        verb = "talk about" if name == "talk" else "settle"
        count = plural(batch.differences, "difference")
        of = "the calibration" if batch.kind == "calibration" else batch.name
        return StudyStep(
            name, "now", f"Next: {verb} {count} of {of}.", "See the differences", place
        )
    return None


def _export(facts: ProjectFacts) -> StudyStep | None:
    if facts.exported:
        return None
    need = "Next: export the data: nothing was exported since the last change."
    return StudyStep("export", "now", need, "Export", f"/projects/{facts.project}/export")


def _listed(words: Sequence[str]) -> str:
    """Words in a row.

    >>> _listed(["ana", "ben", "cleo"])
    'ana, ben and cleo'
    """
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last
