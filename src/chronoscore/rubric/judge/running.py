"""Asking many questions at once: threads that stop cleanly, and what came of each question."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event as Flag
from threading import Thread

from chronoscore.core.errors import UsageError
from chronoscore.rubric.judge.asking import Verdict
from chronoscore.rubric.judge.client import HopelessError, StoppedError
from chronoscore.rubric.judge.judge import Asked, Question

INTERRUPTED = "it was interrupted"
MOST_IN_A_ROW = 10
"""After so many questions without an answer the server is taken to be down."""
_TICK = 0.2


@dataclass(frozen=True)
class Run:
    """What came of the questions that were asked, by key, and why not all were."""

    verdicts: Mapping[str, Verdict]
    stopped: str = ""


@dataclass
class _Progress:
    """What the main thread knows while others ask."""

    verdicts: dict[str, Verdict] = field(default_factory=dict)
    stopped: str = ""
    in_a_row: int = 0


def distinct(asked: Sequence[Asked]) -> list[Question]:
    """The questions to be asked, each once however many judgements it is part of."""
    return list({question.key: question for one in asked for question in one.questions}.values())


def with_kept(run: Run, questions: Sequence[Question], look: Callable[[Question], Verdict]) -> Run:
    """Add what the cache holds of questions that a stopped run did not come to.

    So a run that ends early never writes less than one before it.
    """
    found = dict(run.verdicts)
    for question in questions:
        if question.key not in found:
            verdict = look(question)
            if verdict.answered:
                found[question.key] = verdict
    order = [question.key for question in questions if question.key in found]
    return Run({key: found[key] for key in order}, run.stopped)


def run(
    questions: Sequence[Question],
    settle: Callable[[Question], Verdict],
    *,
    jobs: int,
    stop: Flag,
    offline: bool = False,
    advance: Callable[[], None] = lambda: None,
    say: Callable[[str], None] = lambda _: None,
) -> Run:
    """Settle questions in some threads; the order of answers changes nothing in what is returned.

    An interrupt stops what was not asked yet and waits for answers that are on their way, since
    they are paid for; a second one drops them.
    """
    if jobs < 1:
        raise UsageError(f"--jobs is {jobs}, expected 1 or more")
    waiting: SimpleQueue[Question] = SimpleQueue()
    done: SimpleQueue[tuple[str, Verdict | BaseException]] = SimpleQueue()
    for question in questions:
        waiting.put(question)

    def work() -> None:
        while not stop.is_set():
            try:
                question = waiting.get_nowait()
            except Empty:
                return
            try:
                done.put((question.key, settle(question)))
            except StoppedError:
                return
            except BaseException as error:  # noqa: BLE001, RUF100  # raised in the main thread
                stop.set()
                done.put((question.key, error))

    # Daemons: a thread that hangs in a request must not keep the process alive.
    threads = [Thread(target=work, daemon=True) for _ in range(min(jobs, len(questions)))]
    for thread in threads:
        thread.start()
    progress = _Progress()

    def collect() -> None:
        _collect(progress, len(questions), threads, done, stop, offline, advance)

    try:
        collect()
    except KeyboardInterrupt:
        # All that follows is within reach of the second interrupt, which may come at once.
        try:
            asked, progress.stopped = not stop.is_set(), progress.stopped or INTERRUPTED
            if asked:
                stop.set()
                say("stopping; waiting for the answers on their way (interrupt again to drop them)")
                collect()
        except KeyboardInterrupt:
            pass
    order = [question.key for question in questions if question.key in progress.verdicts]
    return Run({key: progress.verdicts[key] for key in order}, progress.stopped)


def _collect(
    progress: _Progress,
    wanted: int,
    threads: Sequence[Thread],
    done: "SimpleQueue[tuple[str, Verdict | BaseException]]",
    stop: Flag,
    offline: bool,
    advance: Callable[[], None],
) -> None:
    while len(progress.verdicts) < wanted:
        alive = any(thread.is_alive() for thread in threads)
        try:
            key, found = done.get(timeout=_TICK if alive else 0)
        except Empty:
            if not alive:
                return
            continue
        if isinstance(found, HopelessError):
            progress.stopped = progress.stopped or str(found)
        elif isinstance(found, BaseException):
            raise found
        else:
            progress.verdicts[key] = found
            advance()
            progress.in_a_row = 0 if found.answered or offline else progress.in_a_row + 1
            if progress.in_a_row >= MOST_IN_A_ROW and not progress.stopped:
                progress.stopped = f"{MOST_IN_A_ROW} requests in a row failed: {found.failure}"
                stop.set()
