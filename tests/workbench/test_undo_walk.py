"""A random walk over all that people do and undo in a batch, beside a plain model of it."""

import json
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from workbench.bench import small

from chronoscore.rubric.codebook import event_quality
from chronoscore.workbench.project_files import read_project
from chronoscore.workbench.store import Store, adjudication, batches, judgements, people, projects
from chronoscore.workbench.store.adjudication import AgreedValues
from chronoscore.workbench.store.batches import BatchPlan, JudgingBatch, StageError
from chronoscore.workbench.store.judgements import ClosedError, EventAnswer, Values
from chronoscore.workbench.store.people import Person

ANSWERS: list[Values] = [(1, 1, 1, 3, 3), (0, 0, 0, 1, 1)]
EVENTS = 3
PEOPLE = ("owner", "ana", "ben")


class Walk(RuleBasedStateMachine):
    """People judge, submit, settle, close, are removed, and all of it is undone, in any order.

    Beside the store a plain model runs; after each step both must agree on the stage, on who
    sees what, on every save that was ever made, and on the agreed values.
    """

    folders: list[Path] = []  # noqa: RUF012

    @initialize()
    def begin(self) -> None:
        folder = self.folders[0] / str(len(self.folders))
        self.folders.append(folder)
        self.store = Store(folder / "w.db")
        self.boss = people.owner(self.store)
        self.people: dict[str, Person] = {"owner": self.boss}
        uploads = [(kind, name, data) for kind, (name, data) in small(EVENTS)]
        self.project = projects.add(self.store, self.boss.id, "w", *read_project(uploads))
        for name in PEOPLE[1:]:
            self.people[name] = projects.add_member(self.store, self.boss.id, self.project, name)
        drawn = tuple(one.id for one in self.people.values())
        plan = BatchPlan("main", drawn, overlap=3)
        self.number = batches.draw(self.store, self.boss.id, self.project, plan)
        self.saves: dict[tuple[str, int], list[Values]] = {}
        self.submitted: dict[str, str] = dict.fromkeys(PEOPLE, "")
        self.members = {*PEOPLE}
        self.settled: dict[int, Values] = {}
        self.closed = False
        self.turn = 0

    @property
    def batch(self) -> JudgingBatch:
        found = batches.find(self.store, self.boss, self.number)
        assert found
        return found

    @property
    def stage(self) -> str:
        if self.closed:
            return "adjudicated"
        return "review" if all(self.submitted.values()) else "judging"

    def last(self, event: int) -> list[Values]:
        """The last answers of all who judged an event."""
        return [saves[-1] for (_, of), saves in self.saves.items() if of == event]

    @rule(
        name=st.sampled_from(PEOPLE), place=st.integers(1, EVENTS), values=st.sampled_from(ANSWERS)
    )
    def save(self, name: str, place: int, values: Values) -> None:
        person, self.turn = self.people[name], self.turn + 1
        task = judgements.task(self.store, person, self.number, place)
        assert task
        before = self.saves.get((name, task.stored.number), [])
        version = task.history[-1].version if task.history else 0
        given = EventAnswer(version, values)
        try:
            judgements.save(self.store, person, self.batch, place, f"turn-{self.turn:05}", given)
        except ClosedError:
            assert self.submitted[name]
            return
        assert not self.submitted[name]
        assert version == len(before)
        if not before or before[-1] != values:
            self.saves[name, task.stored.number] = [*before, values]

    @rule(name=st.sampled_from(PEOPLE), by_owner=st.booleans())
    def submit(self, name: str, by_owner: bool) -> None:
        by = self.boss if by_owner else self.people[name]
        done = batches.submit(self.store, by, self.batch, self.people[name])
        assert bool(done) == (not self.submitted[name])
        how = "self" if by.id == self.people[name].id else "owner"
        self.submitted[name] = self.submitted[name] or how

    @rule(name=st.sampled_from(PEOPLE))
    def take_back(self, name: str) -> None:
        try:
            batches.take_back(self.store, self.people[name], self.batch)
        except StageError:
            assert self.stage != "judging"
            return
        assert self.stage == "judging"
        self.submitted[name] = ""

    @rule(name=st.sampled_from(PEOPLE))
    def give_back(self, name: str) -> None:
        try:
            batches.give_back(self.store, self.boss, self.batch, self.people[name])
        except StageError:
            assert self.closed or name not in self.members
            return
        if self.submitted[name]:
            assert not self.closed
            assert name in self.members
        self.submitted[name] = ""

    @rule(event=st.integers(1, EVENTS), values=st.sampled_from(ANSWERS))
    def settle(self, event: int, values: Values) -> None:
        self.turn += 1
        known = adjudication.agreed_in(self.store, self.boss, self.number).get(event)
        version = known.version if known else 0
        chosen = AgreedValues(version, values, ("slip",))
        try:
            adjudication.agree(self.store, self.boss, self.batch, event, f"s{self.turn:09}", chosen)
        except StageError:
            assert self.stage != "review"
            return
        assert self.stage == "review"
        self.settled[event] = values

    @rule()
    def close(self) -> None:
        book = event_quality()
        queue = adjudication.review_queue(self.store, self.boss, self.batch, book)
        try:
            adjudication.finish(self.store, self.boss, self.batch, queue)
        except StageError:
            assert self.stage != "review"
            return
        assert self.stage == "review"
        self.closed = True

    @rule()
    def reopen(self) -> None:
        try:
            adjudication.reopen(self.store, self.boss, self.batch)
        except StageError:
            assert not self.closed
            return
        assert self.closed
        self.closed = False

    @rule(name=st.sampled_from(PEOPLE[1:]))
    def remove(self, name: str) -> None:
        if name in self.members:
            batches.remove_member(self.store, self.boss, self.project, self.people[name])
            self.members.remove(name)
            self.submitted[name] = self.submitted[name] or "removed"

    @rule(name=st.sampled_from(PEOPLE[1:]))
    def bring_back(self, name: str) -> None:
        done = batches.bring_back(self.store, self.boss, self.project, self.people[name])
        assert bool(done) == (name not in self.members)
        if done and self.submitted[name] == "removed" and not self.closed:
            self.submitted[name] = ""
        self.members.add(name)

    # Single steps seldom make a batch that is closed with values: these take several at once.

    @precondition(lambda self: self.stage == "judging")
    @rule(values=st.lists(st.sampled_from(ANSWERS), min_size=EVENTS, max_size=EVENTS))
    def all_judge_alike(self, values: list[Values]) -> None:
        for name in PEOPLE:
            for place in range(1, EVENTS + 1):
                task = judgements.task(self.store, self.people[name], self.number, place)
                assert task
                self.save(name, place, values[task.stored.number - 1])

    @precondition(lambda self: not self.closed)
    @rule()
    def all_submit_and_it_is_closed(self) -> None:
        for name in PEOPLE:
            self.submit(name, by_owner=False)
        self.close()

    @precondition(lambda self: self.closed)
    @rule(name=st.sampled_from(PEOPLE))
    def it_is_reopened_and_a_share_given_back(self, name: str) -> None:
        self.reopen()
        self.give_back(name)

    @invariant()
    def stage_and_shares_are_those_of_the_model(self) -> None:
        assert self.batch.stage == self.stage
        how = {one.person.name: one.how for one in batches.shares(self.store, self.number)}
        assert how == self.submitted

    @invariant()
    def nobody_sees_what_they_must_not(self) -> None:
        complete = {event: sorted(self.last(event)) for event in range(1, EVENTS + 1)}
        everything = {event: values for event, values in complete.items() if values}
        for name, person in self.people.items():
            own = {e: [s[-1]] for (of, e), s in sorted(self.saves.items()) if of == name}
            shown = judgements.values_in(self.store, person, self.number)
            sees_all = self.closed or (name == "owner" and self.stage == "review")
            assert shown == (everything if sees_all else own), name
            if name != "owner" and not self.closed:
                assert adjudication.agreed_in(self.store, person, self.number) == {}

    @invariant()
    def no_judgement_is_lost(self) -> None:
        sql = """SELECT p.name, v.event, v.said FROM judgements v JOIN people p ON p.id = v.person
            ORDER BY v.version"""
        stored: dict[tuple[str, int], list[Values]] = {}
        for row in self.store.rows(sql):
            said = tuple(json.loads(row["said"]))
            stored.setdefault((row["name"], row["event"]), []).append(said)
        assert stored == self.saves

    @invariant()
    def agreed_values_are_those_settled_last_or_unanimous(self) -> None:
        expected = dict(self.settled)
        if self.closed:
            for event in range(1, EVENTS + 1):
                values = self.last(event)
                if len(values) > 1 and len({*values}) == 1:
                    expected.setdefault(event, values[0])
        found = adjudication.agreed_in(self.store, self.boss, self.number)
        assert {event: one.values for event, one in found.items()} == expected
        rows = adjudication.agreed_judgements(self.store, self.boss, self.project)
        exported = {int(row.event[1:]) + 1: row.values for row in rows}
        assert exported == (expected if self.closed else {})

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()


WALKS = settings(max_examples=4 * settings().max_examples, stateful_step_count=25)


def test_any_order_of_doing_and_undoing_keeps_stage_blindness_saves_and_agreed_values(
    tmp_path: Path,
) -> None:
    Walk.folders[:] = [tmp_path]
    run_state_machine_as_test(Walk, settings=WALKS)
