"""Ask a judge model: from the cache or the server, with one repair of an unusable reply.

Answers cost money, so each is stored in a file of the cache, named by the digest of its question.
Threads ask many questions at once and stop cleanly.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event as Flag
from threading import Lock, Thread
from typing import Any, Protocol

import msgspec

from chronoscore.core.writing import FIELD, check_document, sealed_document, write_file
from chronoscore.errors import UsageError
from chronoscore.rubric.judge.client import (
    Completion,
    HopelessError,
    RejectedError,
    StoppedError,
    UnansweredError,
)
from chronoscore.rubric.judge.judge import key_of
from chronoscore.rubric.judge.prompt import MODES, Message, Mode, Reply, refuses_mode

MOST_IN_A_ROW = 10
"""After this many questions in a row without an answer the run stops."""
_TICK = 0.2


class AskedModel(Protocol):
    """A model with its parameters, whatever it is asked."""

    @property
    def endpoint(self) -> str:
        """The address, without secrets."""

    @property
    def model(self) -> str:
        """The model, as its server names it."""

    def sent(self, sample: int) -> dict[str, Any]:
        """Return the parameters of a sample."""


class ModelQuestion(Protocol):
    """What is asked in one request, and how its reply is read."""

    @property
    def key(self) -> str:
        """The digest of all that an answer depends on."""

    @property
    def sample(self) -> int:
        """The number of the sample, from 1."""

    def messages(self, mode: Mode) -> list[Message]:
        """Write the request, with a new marker."""

    def response_format(self, mode: Mode) -> Mapping[str, Any]:
        """Return the part of a request that asks for a form."""

    def read(self, content: str, finish: str) -> Reply:
        """Read a reply and check it."""

    def repair(self, content: str, problems: Sequence[str]) -> list[Message]:
        """Write the turns that return a reply with its problems."""


class CachedAnswer(Completion, frozen=True, kw_only=True):
    """One raw answer and its question; it holds no secret, no header and no article."""

    key: str
    endpoint: str
    model: str
    sample: int
    turn: int
    mode: str


def turn_key(question: ModelQuestion, turn: int, before: str = "") -> str:
    """Return the key of an answer; that of a repair depends on the reply to be repaired."""
    return key_of(question.key, turn, before)


def cache_path(folder: Path, key: str) -> Path:
    """Return the file of an answer; the cache has many folders, so that each stays small."""
    return folder / key[:2] / f"{key}.json"


def look_up(folder: Path, key: str) -> CachedAnswer | None:
    """Return the stored answer; None if there is none, or it is damaged.

    Answers of older versions have no checksum and are accepted all the same: they cost money.
    """
    try:
        document = msgspec.json.decode(cache_path(folder, key).read_bytes())
        if isinstance(document, dict) and FIELD in document:
            document = check_document(document)
        answer = msgspec.convert(document, CachedAnswer)
    except (FileNotFoundError, ValueError, RecursionError):
        return None
    return answer if answer.key == key else None


def keep(folder: Path, answer: CachedAnswer) -> None:
    """Store an answer; the file is written whole or not at all, even if the run is killed."""
    document = sealed_document(msgspec.to_builtins(answer))
    write_file(cache_path(folder, answer.key), msgspec.json.encode(document) + b"\n")


Send = Callable[[dict[str, object], str], Completion]
"""Sends the body of a request, with a salt for its waits, or raises UnansweredError."""


@dataclass
class Modes:
    """The strictest form of reply that the server is known to accept, for all threads of a run."""

    at: int = 0
    worked: set[Mode] = field(default_factory=set)
    lock: Lock = field(default_factory=Lock)

    @property
    def now(self) -> Mode:
        """The form to ask for."""
        return MODES[self.at]

    def after(self, rejected: Mode) -> Mode | None:
        """Return the next form to try; the run keeps to it, unless the rejected one once worked."""
        with self.lock:
            place = MODES.index(rejected) + 1
            if place == len(MODES):
                return None
            if rejected not in self.worked:
                self.at = max(self.at, place)
            return MODES[max(self.at, place)]


@dataclass(frozen=True)
class QuestionOutcome:
    """The result of a question: values or facts, or the reason why there are none."""

    values: tuple[int, ...] = ()
    comment: str = ""
    facts: tuple[str, ...] = ()
    failure: str = ""
    answers: tuple[CachedAnswer, ...] = ()
    """In their order: one, or two if there was a repair."""
    fresh: int = 0
    """How many of them this run asked for."""
    answered: bool = True
    """False if the server gave no answer that could be stored."""


@dataclass(frozen=True)
class JudgeSession:
    """The judge, the cache, and the function that sends requests; None if it must not ask."""

    judge: AskedModel
    cache: Path
    send: Send | None = None
    modes: Modes = field(default_factory=Modes)
    retry_failed: bool = False
    """Ask again where the stored answers can't be used."""
    damaged: list[Path] = field(default_factory=list)
    """Answers of the cache that could not be read, and were asked for again."""


def ask(session: JudgeSession, question: ModelQuestion) -> QuestionOutcome:
    """Ask a question and check the reply; a reply with problems is sent back once for repair."""
    outcome = _ask(session, question, use_cache=True)
    may_retry = session.retry_failed and session.send is not None
    if outcome.failure and outcome.answered and not outcome.fresh and may_retry:
        return _ask(session, question, use_cache=False)
    return outcome


def _ask(session: JudgeSession, question: ModelQuestion, *, use_cache: bool) -> QuestionOutcome:
    outcome = QuestionOutcome()
    further: list[Message] = []
    for turn in (0, 1):
        key = turn_key(question, turn, outcome.answers[-1].content if outcome.answers else "")
        answer = look_up(session.cache, key) if use_cache else None
        if answer is None:
            try:
                answer = _ask_server(session, question, turn, key, further, use_cache=use_cache)
            except HopelessError:
                raise
            except UnansweredError as error:
                reason = f"{outcome.failure}; then {error}" if outcome.failure else str(error)
                return replace(outcome, failure=reason, answered=False)
            outcome = replace(outcome, fresh=outcome.fresh + 1)
        outcome = replace(outcome, answers=(*outcome.answers, answer))
        if answer.refusal or answer.finish == "content_filter":
            reason = answer.refusal or "its server's filter held the reply back"
            return replace(outcome, failure=f"the model refused: {reason}")
        reply = question.read(answer.content, answer.finish)
        if not reply.problems:
            return replace(
                outcome,
                values=reply.values,
                comment=reply.comment,
                facts=reply.facts,
                failure="",
            )
        outcome = replace(outcome, failure="; ".join(reply.problems))
        further = question.repair(answer.content, reply.problems)
    return replace(outcome, failure=f"{outcome.failure} (after a repair)")


def _ask_server(
    session: JudgeSession,
    question: ModelQuestion,
    turn: int,
    key: str,
    further: list[Message],
    *,
    use_cache: bool,
) -> CachedAnswer:
    """Ask the server in the strictest form that it accepts, and store the answer."""
    path = cache_path(session.cache, key)
    if session.send is None:
        broken = "can't be read in" if path.exists() else "is not in"
        raise UnansweredError(f"the answer {broken} the cache ({path.name})")
    if use_cache and path.exists():
        session.damaged.append(path)
    judge, mode = session.judge, session.modes.now
    while True:
        body: dict[str, object] = {
            "model": judge.model,
            "messages": [*question.messages(mode), *further],
            **judge.sent(question.sample),
            **question.response_format(mode),
        }
        try:
            completion = session.send(body, key)
            break
        except RejectedError as error:
            form_refused = refuses_mode(error.status, error.text)
            less = session.modes.after(mode) if form_refused else None
            if less is None:
                raise
            mode = less
    session.modes.worked.add(mode)
    answer = CachedAnswer(
        key=key,
        endpoint=judge.endpoint,
        model=judge.model,
        sample=question.sample,
        turn=turn,
        mode=mode,
        **msgspec.structs.asdict(completion),
    )
    keep(session.cache, answer)
    return answer


@dataclass(frozen=True)
class JudgeRun:
    """The outcomes of the questions by key, and why the run stopped early, if it did."""

    outcomes: Mapping[str, QuestionOutcome]
    stopped: str = ""


Ask = Callable[[ModelQuestion], QuestionOutcome]
Done = SimpleQueue[tuple[str, QuestionOutcome | BaseException]]


def run_questions(
    questions: Sequence[ModelQuestion],
    ask: Ask,
    *,
    jobs: int,
    stop: Flag,
    offline: bool = False,
    advance: Callable[[], None] = lambda: None,
    say: Callable[[str], None] = lambda _: None,
) -> JudgeRun:
    """Ask questions in several threads; the result does not depend on the order of answers.

    After an interrupt no further question is asked, but the run waits for pending answers, since
    they are paid for; a second interrupt drops them.
    """
    if jobs < 1:
        raise UsageError(f"--jobs is {jobs}, expected 1 or more")
    done: Done = SimpleQueue()
    threads = _start_threads(questions, ask, min(jobs, len(questions)), stop, done)
    outcomes: dict[str, QuestionOutcome] = {}
    stopped, in_a_row = "", 0

    def collect() -> None:
        nonlocal stopped, in_a_row
        while len(outcomes) < len(questions):
            alive = any(thread.is_alive() for thread in threads)
            try:
                key, outcome = done.get(timeout=_TICK if alive else 0)
            except Empty:
                if not alive:
                    return
                continue
            if isinstance(outcome, HopelessError):
                stopped = stopped or str(outcome)
            elif isinstance(outcome, BaseException):
                raise outcome
            else:
                outcomes[key] = outcome
                advance()
                in_a_row = 0 if outcome.answered or offline else in_a_row + 1
                if in_a_row >= MOST_IN_A_ROW and not stopped:
                    stopped = f"{MOST_IN_A_ROW} requests in a row failed: {outcome.failure}"
                    stop.set()

    try:
        collect()
    except KeyboardInterrupt:
        # Everything from here on is inside `try`: the second interrupt may come at once.
        try:
            running, stopped = not stop.is_set(), stopped or "it was interrupted"
            if running:
                stop.set()
                say("stopping; waiting for the answers on their way (interrupt again to drop them)")
                collect()
        except KeyboardInterrupt:
            pass
    return JudgeRun(outcomes, stopped)


def _start_threads(
    questions: Sequence[ModelQuestion], ask: Ask, number: int, stop: Flag, done: Done
) -> list[Thread]:
    """Start threads that ask until no question is left or the run stops."""
    waiting: SimpleQueue[ModelQuestion] = SimpleQueue()
    for question in questions:
        waiting.put(question)

    def work() -> None:
        while not stop.is_set():
            try:
                question = waiting.get_nowait()
            except Empty:
                return
            try:
                done.put((question.key, ask(question)))
            except StoppedError:
                return
            except BaseException as error:  # noqa: BLE001, RUF100  # raised in the main thread
                stop.set()
                done.put((question.key, error))

    # Daemons: a thread that hangs in a request must not keep the process alive.
    threads = [Thread(target=work, daemon=True) for _ in range(number)]
    for thread in threads:
        thread.start()
    return threads


def add_cached(run: JudgeRun, questions: Sequence[ModelQuestion], ask: Ask) -> JudgeRun:
    """Add the cached answers of questions that a stopped run did not reach.

    So a run that ends early never writes fewer judgements than an earlier run.
    """
    missing = [question for question in questions if question.key not in run.outcomes]
    cached = {question.key: ask(question) for question in missing}
    answered = {key: outcome for key, outcome in cached.items() if outcome.answered}
    return JudgeRun({**run.outcomes, **answered}, run.stopped)
