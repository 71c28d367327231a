"""Evaluators who go on judging whatever happens to the server, and remember what it acknowledged.

Each of them is one client with one connection, and does what a browser does: after a lost
connection the same request is sent again, a save under the same token.
"""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from benchmarks.workbench_load import Evaluator, exchange, request_bytes
from chronoscore.rubric.codebook import event_quality

CRITERIA = event_quality().criteria
HOST = "127.0.0.1"
PAUSE = 0.01
"""Seconds until a client tries again to connect."""
FORM = "application/x-www-form-urlencoded"
Action = Literal["save", "undo", "submit", "reopen"]


@dataclass(frozen=True, slots=True)
class Content:
    """What an evaluator enters about an event."""

    values: tuple[int | None, ...]
    comment: str = ""
    flag: bool = False

    @property
    def complete(self) -> bool:
        """Whether every criterion has a value."""
        return None not in self.values


NOTHING = Content((None,) * len(CRITERIA))


@dataclass(frozen=True, slots=True)
class Change:
    """A request that is on its way; `token` and `content` are those of a save."""

    action: Action
    place: int = 0
    content: Content = NOTHING
    token: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """A row of which the server has said that it is stored; an undo has no token."""

    token: str
    content: Content


@dataclass
class Signals:
    """What the clients and the one who kills the server tell each other."""

    sent: asyncio.Event = field(default_factory=asyncio.Event)
    """Something is on its way."""
    acknowledged: asyncio.Event = field(default_factory=asyncio.Event)
    """Something was acknowledged."""
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    """The campaign is at its end."""


@dataclass
class Client:
    """An evaluator's client: what it has sent, and what the server has acknowledged."""

    evaluator: Evaluator
    port: int
    dice: random.Random
    submits: bool
    """Whether it ever submits its share: one client never does, so that all can take it back."""
    sent: dict[str, tuple[int, Content]] = field(default_factory=dict)
    """Place and content by the token of the save."""
    versions: dict[int, list[Version]] = field(default_factory=dict)
    """What was acknowledged at each place, in the order of versions."""
    fresh: list[tuple[int, int]] = field(default_factory=list)
    """Place and version of what was acknowledged since the last check."""
    undos: Counter[int] = field(default_factory=Counter)
    """How many undos were sent, by place."""
    requests: Counter[Action] = field(default_factory=Counter)
    """How many of each request were sent, those that were sent again included."""
    done: Counter[Action] = field(default_factory=Counter)
    """How many of each were acknowledged."""
    resent: int = 0
    repeated: int = 0
    """Saves that were sent once more although they had been acknowledged."""
    waits: int = 0
    """How often the server asked to come back later."""
    problems: list[str] = field(default_factory=list)
    submitted: bool = False
    waiting: Change | None = None
    unsure: int = 0
    """A place whose last undo was not acknowledged; 0 if there is none."""

    @property
    def person(self) -> int:
        """The number of the evaluator in the database."""
        return self.evaluator.id

    @property
    def batch(self) -> int:
        """The batch of the evaluator's share."""
        return self.evaluator.batch

    async def judge_on(self, signals: Signals) -> None:
        """Send one request after the other, over one connection as long as it lasts.

        Ends when it is asked to stop, and nothing is on its way any more.
        """
        while not self._may_stop(signals):
            with suppress(OSError, asyncio.IncompleteReadError):
                reader, writer = await asyncio.open_connection(HOST, self.port)
                try:
                    while not self._may_stop(signals):
                        await self._send_next(reader, writer, signals)
                finally:
                    writer.close()
                    with suppress(OSError):
                        await writer.wait_closed()
            await asyncio.sleep(PAUSE)

    def _may_stop(self, signals: Signals) -> bool:
        return signals.stop.is_set() and self.waiting is None

    async def _send_next(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, signals: Signals
    ) -> None:
        if self.waiting is None:
            self.waiting = self._choose()
        elif self.waiting.action == "undo":  # it can't be sent twice: the next save shows it
            self.unsure = self.waiting.place
            self.waiting = self._new_save(self.unsure)
        else:
            self.resent += 1
        change = self.waiting
        self.requests[change.action] += 1
        if change.action == "undo":
            self.undos[change.place] += 1
        signals.sent.set()
        status, body = await exchange(reader, writer, self._request(change))
        if status == 503:
            self.waits += 1
            await asyncio.sleep(10 * PAUSE)
            return
        self._take(change, status, body)
        signals.acknowledged.set()

    def _choose(self) -> Change:
        """What a person does next: mostly a save, at times something else."""
        chance = self.dice.random()
        if self.sent and chance < 0.05:
            self.repeated += 1
            token = self.dice.choice(list(self.sent)[-20:])
            return Change("save", *self.sent[token], token)
        if self.submitted:
            return Change("reopen")
        if self.submits and chance < 0.15 and self._finished:
            return Change("submit")
        place = self.dice.randint(1, self.evaluator.events)
        if chance < 0.25 and self.versions.get(place):
            return Change("undo", place)
        return self._new_save(place)

    @property
    def _finished(self) -> bool:
        """Whether the last answer at every place is complete."""
        last = [self._last(place) for place in range(1, self.evaluator.events + 1)]
        return all(content.complete for content in last)

    def _last(self, place: int, back: int = 1) -> Content:
        stored = self.versions.get(place, [])
        return stored[-back].content if len(stored) >= back else NOTHING

    def _new_save(self, place: int) -> Change:
        number = len(self.sent) + 1
        values: list[int | None] = [self.dice.choice(one.allowed) for one in CRITERIA]
        if self.dice.random() < 0.02:
            values[0] = None
        content = Content(tuple(values), f"answer {number}", self.dice.random() < 0.1)
        token = f"{self.person:04}-{number:08}"
        self.sent[token] = place, content
        return Change("save", place, content, token)

    def _request(self, change: Change) -> bytes:
        path, body, kind = f"/judge/{self.batch}", b"sure=yes", FORM
        if change.action == "save":
            path += f"/{change.place}"
            values = zip((one.field for one in CRITERIA), change.content.values, strict=True)
            answer = {
                "save": change.token,
                "version": len(self.versions.get(change.place, [])),
                "values": dict(values),
                "comment": change.content.comment,
                "flag": change.content.flag,
            }
            body, kind = json.dumps(answer).encode(), "application/json"
        else:
            path += f"/{change.place}/undo" if change.action == "undo" else f"/{change.action}"
        return request_bytes("POST", path, HOST, self.port, self.evaluator.token, body, kind)

    def _take(self, change: Change, status: int, body: bytes) -> None:
        """Record what the server has answered; anything unexpected is a problem."""
        if change.action == "save":
            self._take_save(change, status, body)
            return
        self.waiting = None
        if status != 303:
            self.problems.append(f"{change.action} was answered by {status} {body[:200]!r}")
            return
        self.done[change.action] += 1
        if change.action == "undo":
            self._store(change.place, Version("", self._last(change.place, back=2)))
        else:
            self.submitted = change.action == "submit"

    def _take_save(self, change: Change, status: int, body: bytes) -> None:
        stored = self.versions.setdefault(change.place, [])
        answer = json.loads(body)
        if status == 409 and self.unsure == change.place:
            # The undo that was not acknowledged has been done after all.
            undone = self._last(change.place, back=2)
            if (answer["version"], _content(answer)) != (len(stored) + 1, undone):
                self.problems.append(f"an undo left {answer}")
            self._store(change.place, Version("", undone))
            self.unsure = 0
            return  # the save is sent again, in place of what is there now
        self.waiting = None
        if status != 200:
            self.problems.append(f"a save was answered by {status} {body[:200]!r}")
            return
        self.done["save"] += 1
        known = {one.token: version for version, one in enumerate(stored, 1)}
        expected = known.get(change.token, len(stored) + 1)
        if (answer["version"], _content(answer)) != (expected, change.content):
            self.problems.append(f"{change} as version {expected} was answered by {answer}")
        if change.token not in known:
            self._store(change.place, Version(change.token, change.content))
            self.unsure = 0

    def _store(self, place: int, version: Version) -> None:
        self.versions[place].append(version)
        self.fresh.append((place, len(self.versions[place])))


def _content(answer: dict[str, object]) -> Content:
    values = answer["values"]
    assert isinstance(values, dict)
    ordered = tuple(values[one.field] for one in CRITERIA)
    return Content(ordered, str(answer["comment"]), bool(answer["flag"]))


def team(evaluators: Sequence[Evaluator], port: int, seed: int) -> list[Client]:
    """A client for each evaluator; the first never submits."""
    return [
        Client(one, port, random.Random(f"{seed}/{one.id}"), submits=place > 0)
        for place, one in enumerate(evaluators)
    ]
