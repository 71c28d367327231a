"""A study to look at: two evaluators who are done, a judge model, differences, and saved results.

The answers are the bundled ones (`judgements.csv`, `judge.csv`), given through the functions that
the pages use. Those about pairs are made up from what the bundled events mention. All times are
made up and lie in the days before; the audit says so in each entry.
"""

import csv
import io
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from operator import attrgetter

from chronoscore import demo
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.engines.plan import Inputs
from chronoscore.engines.scoring import score_sources
from chronoscore.engines.settings import Settings
from chronoscore.families import family
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judgements import Judgement
from chronoscore.workbench.pair_files import read_candidates
from chronoscore.workbench.pair_verdicts import WORDS, verdicts
from chronoscore.workbench.project_files import ProjectFiles, import_judgements, read_project
from chronoscore.workbench.result_files import ExplainedResult
from chronoscore.workbench.store import (
    Store,
    adjudication,
    batches,
    judgements,
    pairs,
    projects,
    results,
)
from chronoscore.workbench.store.adjudication import AgreedValues
from chronoscore.workbench.store.batches import BatchPlan, JudgingBatch
from chronoscore.workbench.store.database import demo_time, json_lines
from chronoscore.workbench.store.judgements import EventAnswer
from chronoscore.workbench.store.people import Person
from chronoscore.workbench.store.projects import Project, StoredEvent
from chronoscore.workbench.store.results import NewResult

SEED = 11
_EVALUATORS = ("ana", "ben")
_JUDGE = "model-j"
_CALIBRATION = frozenset({"titanic-sinking-a1", "titanic-sinking-a2"})
_OPEN_EVENTS = 24
_RUNS = {"week 1, two baselines": ("quick", "lead"), "week 2, careful": ("careful",)}
"""The saved results and their systems, which are on one leaderboard."""
_DATA = "demo"
_FLAGGED, _CHANGED, _SLIPS, _PAIR_SLIPS = 0.3, 0.12, 0.2, 0.1
"""Shares: of differing answers that are flagged, of answers that are changed, of made-up slips."""
_SETTLED = 2
"""Differences of the main batch that are settled; the others are open."""
_PAIRS, _PAIRS_OF_TWO = 60, 52
"""Pairs that are drawn, and about how many of them the two evaluators judge; you judge the rest."""
_PAIR_SYSTEMS = ("careful", "quick")
_NOTES = {
    "date-rule": "The day of the event counts, not that of the article.",
    "unclear-rule": "We read the guidance together, and take the stricter value.",
    "missed": "The second paragraph says it.",
}
_PAIR_NOTES = {
    "date-rule": "A day between two reports is a slip of dating, and no other event.",
    "unclear-rule": "One is a step of the other: we call that a part.",
    "missed": "Read on: both texts end with the same happening.",
}
_VALUES: Mapping[str, int] = {word: value for value, word in WORDS.items()}
Values = tuple[int, ...]
Progress = Callable[[str], None]


def demo_name(name: str) -> str:
    """A name that says that nobody has it: a workbench may have evaluators of its own."""
    return f"{name} (demo)"


@dataclass(frozen=True, slots=True)
class BundledAnswer:
    """Values and a comment of the bundled sheets."""

    values: Values
    comment: str = ""


@dataclass(frozen=True, slots=True)
class TimedSave:
    """An answer to be saved at a time."""

    at: datetime
    person: Person
    place: int
    answer: EventAnswer


@dataclass
class Study:
    """What the demo is built with. Every project of it is a function of this."""

    store: Store
    owner: Person
    start: datetime
    """The time that counts as now; everything in the demo is earlier."""
    seed: int
    progress: Progress = lambda _: None
    batch: int = 0
    """The batch that the owner can judge at once."""
    _saves: Iterator[int] = field(default_factory=lambda: iter(range(1, 10**6)))

    @cached_property
    def files(self) -> ProjectFiles:
        """The bundled events and articles."""
        kinds = {f"{name}.jsonl": "events" for name in demo.SYSTEMS} | {
            "articles.jsonl": "articles"
        }
        uploads = [(kind, name, (demo.home() / name).read_bytes()) for name, kind in kinds.items()]
        return read_project(uploads)

    @cached_property
    def answers(self) -> dict[tuple[str, str], BundledAnswer]:
        """The bundled answers by evaluator and event."""
        criteria = [criterion.field for criterion in self.files.codebook.criteria]
        return {
            (row["evaluator"], row["event_id"]): BundledAnswer(
                tuple(int(row[name]) for name in criteria), row.get("Comment", "")
            )
            for name in ("judgements.csv", "judge.csv")
            for row in _rows(name)
        }

    @property
    def judged_topics(self) -> set[str]:
        """The topics that the bundled evaluators judged."""
        judged = {event for name, event in self.answers if name in _EVALUATORS}
        every = (event for events in self.files.systems.values() for event in events)
        return {event.topic for event in every if event.id in judged}

    def dice(self, purpose: str) -> random.Random:
        """Random numbers that only the seed and the purpose decide."""
        return random.Random(f"chronoscore/demo/{self.seed}/{purpose}")

    def time(self, days: float) -> datetime:
        """A time some days before the start: yesterday and earlier from 9 to 17 o'clock."""
        if days < 1:
            return self.start - timedelta(days=days)
        ago, part = divmod(days, 1)
        midnight = self.start.replace(hour=0, minute=0, second=0) - timedelta(days=ago)
        return midnight + timedelta(hours=9 + 8 * (1 - part))

    def project(self, name: str, topics: Iterable[str], days: float) -> Project:
        """Add a project of some topics with the two evaluators."""
        wanted = {*topics}
        systems = {
            system: [event for event in events if event.topic in wanted]
            for system, events in self.files.systems.items()
        }
        articles = [one for one in self.files.articles if one.topic in wanted]
        with demo_time(self.time(days)):
            codebook = self.files.codebook
            number = projects.add(self.store, self.owner.id, name, codebook, systems, articles)
        return self.with_evaluators(number, days)

    def with_evaluators(self, number: int, days: float) -> Project:
        """Add the two evaluators to a project."""
        with demo_time(self.time(days)):
            for evaluator in _EVALUATORS:
                projects.add_member(self.store, self.owner.id, number, demo_name(evaluator))
        project = projects.find(self.store, number)
        assert project is not None
        return project

    def evaluators(self, project: Project) -> dict[str, Person]:
        """The two evaluators by their bundled names."""
        members = {one.name: one for one in projects.members(self.store, project.id)}
        return {name: members[demo_name(name)] for name in _EVALUATORS}

    def draw(self, project: Project, plan: BatchPlan, days: float) -> JudgingBatch:
        """Draw a batch."""
        with demo_time(self.time(days)):
            number = batches.draw(self.store, self.owner.id, project.id, plan)
        return self.batch_now(number)

    def batch_now(self, number: int) -> JudgingBatch:
        """A batch in its present stage."""
        batch = batches.find(self.store, self.owner, number)
        assert batch is not None
        return batch

    def tasks(self, batch: JudgingBatch, person: Person) -> list[StoredEvent]:
        """The events of an evaluator in a batch, in their order."""
        every: list[StoredEvent] = []
        while task := judgements.task(self.store, person, batch.id, len(every) + 1):
            every.append(task.stored)
        return every

    def save(self, batch: JudgingBatch, saves: Iterable[TimedSave]) -> None:
        """Save answers in the order of their times."""
        for one in sorted(saves, key=attrgetter("at")):
            with demo_time(one.at):
                token = f"demo-{self.seed}-{next(self._saves):06}"
                judgements.save(self.store, one.person, batch, one.place, token, one.answer)

    def submit(self, batch: JudgingBatch, person: Person, days: float) -> None:
        """Submit someone's share."""
        with demo_time(self.time(days)):
            batches.submit(self.store, person, batch, person)

    def import_judge(self, project: Project, days: float) -> None:
        """Import the rows of the judge model about the project's events."""
        known = {one.event.id for one in projects.events(self.store, project.id)}
        rows = [
            {**row, "evaluator": demo_name(_JUDGE)}
            for row in _rows("judge.csv")
            if row["event_id"] in known
        ]
        sheet = io.StringIO()
        writer = csv.DictWriter(sheet, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
        with demo_time(self.time(days)):
            upload = ("sheets", "judge.csv", sheet.getvalue().encode())
            import_judgements(self.store, self.owner, project, [upload])


def _rows(name: str) -> list[dict[str, str]]:
    with (demo.home() / name).open(encoding="utf-8", newline="") as sheet:
        return [*csv.DictReader(sheet)]


def _judged_study(study: Study) -> None:
    """Three stories: a closed calibration, and a main batch with differences to settle."""
    study.progress("three stories that two evaluators and a judge model have judged")
    project = study.project("Demo: three stories, judged by two", study.judged_topics, 6.2)
    evaluators = study.evaluators(project)
    both = tuple(person.id for person in evaluators.values())
    plan = BatchPlan("calibration", both, seed=study.seed, size=1000, articles=_CALIBRATION)
    calibration = study.draw(project, plan, 6.15)
    bundled, codebook = study.answers, project.codebook
    _judge_and_submit(study, calibration, codebook, bundled, evaluators, {5.6: 1.0})
    _settle(study, project, calibration.id, 4.3)
    queue = adjudication.review_queue(
        study.store, study.owner, study.batch_now(calibration.id), project.codebook
    )
    with demo_time(study.time(4.2)):
        closed = study.batch_now(calibration.id)
        adjudication.finish(study.store, study.owner, closed, queue)
    main = study.draw(project, BatchPlan("main", both, 2, study.seed), 4.1)
    sessions = {3.8: 0.4, 2.6: 0.4, 1.7: 0.2}
    _judge_and_submit(study, main, codebook, bundled, evaluators, sessions)
    study.import_judge(project, 1.3)
    _settle(study, project, main.id, 1.2, most=_SETTLED)


def _judge_and_submit(
    study: Study,
    batch: JudgingBatch,
    codebook: Codebook,
    answers: Mapping[tuple[str, str], BundledAnswer],
    evaluators: Mapping[str, Person],
    sessions: Mapping[float, float],
) -> None:
    """Give the answers of each evaluator and event.

    `sessions` are days before the start, with the share that is judged then.
    """
    saves: list[TimedSave] = []
    for name, person in evaluators.items():
        other = next(one for one in _EVALUATORS if one != name)
        dice = study.dice(f"{batch.kind}/{name}")
        flagged = []
        for stored in study.tasks(batch, person):
            answer = answers[name, stored.event.id]
            differs = answer.values != answers[other, stored.event.id].values
            flagged.append((answer, differs and dice.random() < _FLAGGED))
        times = _session_times(study, sessions, len(flagged), dice)
        for place, ((answer, flag), at) in enumerate(zip(flagged, times, strict=True), 1):
            saves += _timed_saves(codebook, person, place, answer, flag, at, dice)
    study.save(batch, saves)
    last = min(sessions)
    for place, person in enumerate(evaluators.values()):
        study.submit(batch, person, last - 0.2 - place / 50)


def _session_times(
    study: Study, sessions: Mapping[float, float], count: int, dice: random.Random
) -> list[datetime]:
    """The times of `count` answers: half a minute to two minutes each, in some sessions."""
    times: list[datetime] = []
    for number, (days, share) in enumerate(sessions.items(), 1):
        until = count if number == len(sessions) else round(len(times) + share * count)
        at = study.time(days) + timedelta(minutes=dice.uniform(0, 30))
        while len(times) < until:
            at += timedelta(seconds=dice.uniform(25, 120))
            times.append(at)
    return times


def _timed_saves(
    codebook: Codebook,
    person: Person,
    place: int,
    answer: BundledAnswer,
    flag: bool,
    at: datetime,
    dice: random.Random,
) -> list[TimedSave]:
    """The save of an answer; some are changed after a moment."""
    final = EventAnswer(0, answer.values, answer.comment, flag)
    if dice.random() >= _CHANGED:
        return [TimedSave(at, person, place, final)]
    first = EventAnswer(0, _with_slip(codebook, answer.values, dice))
    later = at + timedelta(seconds=dice.uniform(8, 20))
    second = EventAnswer(1, *final.content)
    return [TimedSave(at, person, place, first), TimedSave(later, person, place, second)]


def _with_slip(codebook: Codebook, values: Values, dice: random.Random) -> Values:
    """The values with another one for a criterion."""
    place = dice.randrange(len(values))
    others = [one for one in codebook.criteria[place].allowed if one != values[place]]
    return (*values[:place], dice.choice(others), *values[place + 1 :])


def _settle(study: Study, project: Project, number: int, days: float, most: int = 1000) -> None:
    """Settle differences, the greatest first, with a reason and a note."""
    notes = _PAIR_NOTES if project.task == "pairs" else _NOTES
    batch, dice = study.batch_now(number), study.dice(f"settling {number}")
    queue = adjudication.review_queue(study.store, study.owner, batch, project.codebook)
    for place, one in enumerate([item for item in queue if item.criteria][:most]):
        values = tuple(min(answers) for answers in zip(*one.values, strict=True))  # the stricter
        reason = dice.choice([*notes])
        agreed = AgreedValues(0, values, (reason,), notes[reason])
        with demo_time(study.time(days) + timedelta(minutes=2 * place)):
            token = f"demo-{study.seed}-agreed-{number}-{one.event}"
            adjudication.agree(study.store, study.owner, batch, one.event, token, agreed)


def _open_study(study: Study) -> None:
    """Four stories: one evaluator is done, one is on the way, and the owner can begin."""
    study.progress("four stories that are being judged, some events by you")
    topics = {one.topic for one in study.files.articles} - study.judged_topics
    project = study.project("Demo: four stories, being judged", topics, 2.3)
    evaluators = study.evaluators(project)
    three = (study.owner.id, *(person.id for person in evaluators.values()))
    plan = BatchPlan("main", three, 2, study.seed, _OPEN_EVENTS)
    batch = study.draw(project, plan, 2.2)
    saves: list[TimedSave] = []
    for name, days, share in (("ana", 1.9, 1.0), ("ben", 0.1, 0.6)):
        person, dice = evaluators[name], study.dice(f"open/{name}")
        events = study.tasks(batch, person)
        begun = events[: round(share * len(events))]
        times = _session_times(study, {days: 1.0}, len(begun), dice)
        for place, (stored, at) in enumerate(zip(begun, times, strict=True), 1):
            answer = study.answers[_JUDGE, stored.event.id]
            slip = dice.random() < _SLIPS
            if slip:
                answer = BundledAnswer(_with_slip(project.codebook, answer.values, dice))
            saves += _timed_saves(project.codebook, person, place, answer, slip, at, dice)
    study.save(batch, saves)
    study.submit(batch, evaluators["ana"], 1.6)
    study.import_judge(project, 1.5)
    study.batch = batch.id


def _pair_study(study: Study) -> None:
    """Pairs of gold and predicted events: two evaluators are done, and a few are left for you."""
    from chronoscore.events.pair_sample import draw_pairs  # noqa: PLC0415 - large, seldom used

    study.progress("pairs of events that two evaluators have judged, and a few for you")
    kinds = {"gold": "gold"} | dict.fromkeys(_PAIR_SYSTEMS, "events")
    contents = {name: (demo.home() / f"{name}.jsonl").read_bytes() for name in kinds}
    tables = read_candidates([(kind, f"{n}.jsonl", contents[n]) for n, kind in kinds.items()])
    sample = draw_pairs(tables, _PAIRS, study.seed)
    with demo_time(study.time(3.3)):
        name = "Demo: pairs, the same event or not"
        number = pairs.add(study.store, study.owner.id, name, sample, study.seed)
    project = study.with_evaluators(number, 3.3)
    evaluators = study.evaluators(project)
    both = tuple(person.id for person in evaluators.values())
    batch = study.draw(project, BatchPlan("main", both, 2, study.seed, _PAIRS_OF_TWO), 3.2)
    answers = _pair_answers(study, project, b"".join(contents.values()))
    _import_verdicts(study, project, answers, 1.6)
    _judge_and_submit(study, batch, project.codebook, answers, evaluators, {2.8: 0.6, 1.8: 0.4})
    _settle(study, project, batch.id, 1.1, most=_SETTLED)
    study.draw(project, BatchPlan("main", (study.owner.id,), 1, study.seed), 1.05)


def _pair_answers(
    study: Study, project: Project, events: bytes
) -> dict[tuple[str, str], BundledAnswer]:
    """Verdicts by evaluator and pair, some of them slips.

    Events are the same if articles mention them by the same words, or if they are matched and of
    one day; others of one day are a part of one another.
    """
    mentions = {
        one["id"]: {*one.get("mentions", ())} for one in map(json.loads, events.splitlines())
    }
    answers = {}
    for name in (*_EVALUATORS, _JUDGE):
        dice = study.dice(f"pairs/{name}")
        for pair in pairs.of_project(study.store, project.id):
            one_day = pair.gold.date == pair.predicted.date
            matched = one_day and pair.stratum == "matched"
            if matched or mentions[pair.gold.id] & mentions[pair.predicted.id]:
                word, slip = "same", "part" if one_day else "contradicts"
            else:
                word, slip = ("part", "different") if one_day else ("different", "part")
            value = _VALUES[slip if dice.random() < _PAIR_SLIPS else word]
            answers[name, pair.id] = BundledAnswer((value,))
    return answers


def _import_verdicts(
    study: Study,
    project: Project,
    answers: Mapping[tuple[str, str], BundledAnswer],
    days: float,
) -> None:
    """Import the verdicts of the judge model, as a file that the command line reads."""
    drawn = pairs.of_project(study.store, project.id)
    rows = [
        Judgement(
            event=one.id,
            evaluator=f"{demo_name(_JUDGE)}@demo",
            values=answers[_JUDGE, one.id].values,
            system=one.system,
            kind="llm",
        )
        for one in drawn
    ]
    content = json_lines(verdicts(rows, drawn))
    with demo_time(study.time(days)):
        upload = ("sheets", "verdicts.jsonl", content)
        import_judgements(study.store, study.owner, project, [upload])


PROJECTS: Sequence[Callable[[Study], None]] = (_judged_study, _open_study, _pair_study)
"""The projects of the demo, in the order in which they are added."""


def _scored_runs(progress: Progress) -> list[NewResult]:
    """Score the bundled systems."""
    runs = []
    for name, systems in _RUNS.items():
        progress(f"a saved result: {name}")
        sources = {system: [source_of(demo.home() / f"{system}.jsonl")] for system in systems}
        inputs = Inputs(source_of(demo.home() / "gold.jsonl"), sources)
        settings = Settings.make(family("timelines"))
        scored = score_sources(settings, inputs, Problems(), explain=True)
        explained = ExplainedResult(scored.result, scored.matches, scored.texts)
        runs.append(explained.new(name, _DATA))
    return runs


def add_demo(
    store: Store,
    owner: Person,
    *,
    seed: int = SEED,
    start: datetime | None = None,
    progress: Progress = lambda _: None,
) -> int:
    """Add the demo's projects and results, all or nothing; returns the batch of the owner."""
    runs = _scored_runs(progress)
    study = Study(store, owner, start or datetime.now(UTC), seed, progress)
    with store.writing():
        for add_project in PROJECTS:
            add_project(study)
        for days, run in zip((5, 2), runs, strict=True):
            with demo_time(study.time(days)):
                results.add(store, owner.id, run)
    return study.batch
