"""Asking one question: from the cache or the server, stepping down where it must, one repair."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Protocol

from chronoscore.rubric.judge.cache import Entry, keep, look_up, place
from chronoscore.rubric.judge.client import Answer, HopelessError, RejectedError, UnansweredError
from chronoscore.rubric.judge.judge import Judge, Question
from chronoscore.rubric.judge.prompt import Message, messages, new_marker, repair
from chronoscore.rubric.judge.reply import Reply, read_reply
from chronoscore.rubric.judge.schema import MODES, Mode, refuses_mode, response_format

FILTERED = "content_filter"


class Send(Protocol):
    """Sends the body of a request and gives the answer, or raises UnansweredError."""

    def __call__(self, body: dict[str, object], salt: str) -> Answer:
        """Send it."""
        ...


class NotKeptError(UnansweredError):
    """The cache has no answer, and the server may not be asked."""


@dataclass
class Modes:
    """The strictest form of reply that the server is known to take, for all threads of a run."""

    at: int = 0
    worked: set[Mode] = field(default_factory=set)
    lock: Lock = field(default_factory=Lock)

    @property
    def now(self) -> Mode:
        """The form to ask for."""
        return MODES[self.at]

    def after(self, tried: Mode) -> Mode | None:
        """Give the next form to try; the run keeps to it, unless the one before did work once."""
        with self.lock:
            place = MODES.index(tried) + 1
            if place == len(MODES):
                return None
            if tried not in self.worked:
                self.at = max(self.at, place)
            return MODES[max(self.at, place)]


@dataclass(frozen=True)
class Verdict:
    """What came of a question: values, or the reason why there are none."""

    values: tuple[int, ...] = ()
    comment: str = ""
    failure: str = ""
    entries: tuple[Entry, ...] = ()
    """The answers, in their order: one, or two if there was a repair."""
    fresh: int = 0
    """How many of them were asked for now."""
    answered: bool = True
    """False if the server gave no answer that could be kept."""


@dataclass(frozen=True)
class Desk:
    """What is needed to ask: the judge, the cache, and the way to the server, if it may be used."""

    judge: Judge
    folder: Path
    send: Send | None = None
    modes: Modes = field(default_factory=Modes)
    again: bool = False
    """Ask anew where the kept answers were of no use."""
    damaged: list[Path] = field(default_factory=list)
    """Answers of the cache that could not be used, and were asked for again."""


def settle(desk: Desk, question: Question) -> Verdict:
    """Ask a question and check the reply; a reply of no use is sent back once, then it failed."""
    verdict = _settle(desk, question, look_up)
    if verdict.failure and verdict.answered and not verdict.fresh and desk.again and desk.send:
        return _settle(desk, question, _nothing)
    return verdict


Look = Callable[[Path, str], Entry | None]


def _nothing(_folder: Path, _key: str) -> Entry | None:
    return None


def _settle(desk: Desk, question: Question, look: Look) -> Verdict:
    entries: tuple[Entry, ...] = ()
    fresh = 0
    further: list[Message] = []
    failure = ""
    for turn in (0, 1):
        before = entries[-1].content if entries else ""
        try:
            entry, new = _reply(desk, question, turn, before, further, look)
        except HopelessError:
            raise
        except UnansweredError as error:
            why = f"{failure}; then {error}" if failure else str(error)
            return Verdict(failure=why, entries=entries, fresh=fresh, answered=False)
        entries, fresh = (*entries, entry), fresh + new
        if entry.refusal or entry.finish == FILTERED:
            said = entry.refusal or "its server's filter held the reply back"
            return Verdict(failure=f"the model refused: {said}", entries=entries, fresh=fresh)
        reply: Reply = read_reply(entry.content, entry.finish, question.codebook)
        if not reply.problems:
            return Verdict(reply.values, reply.comment, entries=entries, fresh=fresh)
        failure = "; ".join(reply.problems)
        further = repair(entry.content, reply.problems)
    return Verdict(failure=f"{failure} (after a repair)", entries=entries, fresh=fresh)


def _reply(
    desk: Desk, question: Question, turn: int, before: str, further: list[Message], look: Look
) -> tuple[Entry, bool]:
    """Give the kept answer, or ask and keep it."""
    key = question.turn(turn, before)
    kept = look(desk.folder, key)
    if kept is not None:
        return kept, False
    found = place(desk.folder, key)
    if desk.send is None:
        broken = "can't be read in" if found.exists() else "is not in"
        raise NotKeptError(f"the answer {broken} the cache ({found.name})")
    if look is look_up and found.exists():
        desk.damaged.append(found)
    mode = desk.modes.now
    while True:
        body: dict[str, object] = {
            "model": desk.judge.model,
            "messages": [
                *messages(question.codebook, question.about, mode, new_marker(question.about)),
                *further,
            ],
            **desk.judge.sent(question.sample),
            **response_format(question.codebook, mode),
        }
        try:
            answer = desk.send(body, key)
        except RejectedError as error:
            less = desk.modes.after(mode) if refuses_mode(error.status, error.text) else None
            if less is None:
                raise
            mode = less
            continue
        desk.modes.worked.add(mode)
        entry = Entry(
            key=key,
            endpoint=desk.judge.endpoint,
            model=desk.judge.model,
            sample=question.sample,
            turn=turn,
            mode=mode,
            content=answer.content,
            finish=answer.finish,
            refusal=answer.refusal,
            served_by=answer.model,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            latency=answer.latency,
        )
        keep(desk.folder, entry)
        return entry, True
