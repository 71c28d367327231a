"""A run that is killed or interrupted loses nothing that was answered."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from judge.conftest import EVENTS, Judging, read_lines, write_lines
from judge.stub import Reaction, Stub, always, good, serving

MANY = 24
# As a terminal would start it: shells ignore interrupts for what runs behind.
PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from chronoscore.cli.main import main
main()
"""
pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


@pytest.fixture
def many(folder: Path) -> Path:
    events = [{**EVENTS[0], "id": f"e{n}", "text": f"Event {n}."} for n in range(MANY)]
    write_lines(folder / "events.jsonl", events)
    return folder


def start(stub: Stub, *options: str, stderr: int = subprocess.PIPE) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [
            *(sys.executable, "-c", PROGRAM, "judge", "events.jsonl"),
            *("--articles", "articles.jsonl", "--model", "stub", "--base-url", stub.url),
            *("--jobs", "1", *options),
        ],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )


def until(stub: Stub, number: int) -> None:
    """Wait for so many requests."""
    for _ in range(3000):
        if stub.asked >= number:
            return
        time.sleep(0.01)
    raise AssertionError(f"only {stub.asked} requests")


def texts(stub: Stub) -> list[str]:
    """The events that were asked about, in order."""
    return [
        body["messages"][1]["content"].rpartition("Description: ")[2].split("\n")[0]
        for body in stub.bodies
    ]


def held_at(stub: Stub, number: int) -> None:
    """Let the server hold its answer to one request until it closes."""

    def behave(which: int, body: dict[str, object]) -> Reaction:
        reaction = good(which, body)
        return Reaction(200, reaction.body, delay=60) if which == number else reaction

    stub.behaviour = behave


def test_killed_in_the_middle_it_asks_nothing_twice(many: Path, judging: Judging) -> None:
    with serving() as stub:
        held_at(stub, 9)
        process = start(stub)
        until(stub, 9)  # eight were answered, the ninth is on its way
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert not (many / "judgements.jsonl").exists()
        stub.behaviour = good
        ran = judging(stub)
        assert ran.code == 0, ran.err
        # Only the request that never got its answer is repeated.
        asked = texts(stub)
        assert len(asked) == MANY + 1
        assert asked.count(asked[8]) == 2
        assert len(set(asked)) == MANY
    assert len(read_lines(many / "judgements.jsonl")) == MANY


def test_interrupted_it_writes_what_it_has_and_goes_on_later(many: Path, judging: Judging) -> None:
    with serving() as stub:

        def behave(number: int, body: dict[str, object]) -> Reaction:
            busy = Reaction(429, headers=(("Retry-After", "500"),))
            return busy if number == 9 else good(number, body)

        stub.behaviour = behave
        process = start(stub, "--max-wait", "600")
        until(stub, 9)  # and now it waits to be let in
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert process.returncode == 4, err
        assert "it was interrupted; the same command goes on from here" in err
        assert "Traceback" not in err
        assert len(read_lines(many / "judgements.jsonl")) == 8
        assert judging(stub).code == 0
        assert stub.asked == MANY + 1
    assert len(read_lines(many / "judgements.jsonl")) == MANY


def test_a_second_interrupt_drops_answers_on_their_way(many: Path) -> None:
    with serving() as stub:
        held_at(stub, 5)
        process = start(stub)
        until(stub, 5)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        assert any("interrupt again to drop them" in line for line in lines)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 4, err
    assert len(read_lines(many / "judgements.jsonl")) == 4


def test_a_server_that_is_down_is_not_asked_for_ever(many: Path, judging: Judging) -> None:
    with serving(always(Reaction(500))) as stub:
        ran = judging(stub, "--retries", 1)
        assert stub.asked < 2 * MANY
    assert ran.code == 4
    assert "10 requests in a row failed: the server answered 500" in ran.err
    failures = read_lines(many / "judgements.failures.jsonl")
    assert 10 <= len(failures) < MANY


def test_an_error_of_the_disk_ends_the_run(many: Path, judging: Judging) -> None:
    (many / "file").write_text("", encoding="utf-8")
    with serving() as stub:
        ran = judging(stub, "--cache", "file")
    assert ran.code == 3
    assert "file" in ran.err


def test_a_run_that_stops_early_writes_no_less_than_the_one_before(
    many: Path, judging: Judging
) -> None:
    def behave(number: int, body: dict[str, object]) -> Reaction:
        return Reaction(400, b"no") if number == 2 else good(number, body)

    with serving(behave) as stub:
        assert judging(stub).code == 4
        before = (many / "judgements.jsonl").read_bytes()
        assert len(read_lines(many / "judgements.jsonl")) == MANY - 1
        stub.behaviour = always(Reaction(401))  # at the second event, with all others kept
        ran = judging(stub)
    assert ran.code == 4
    assert "not everything was asked: the server answered 401" in ran.err
    assert (many / "judgements.jsonl").read_bytes() == before


def test_progress_is_for_terminals(many: Path) -> None:
    import pty

    with serving() as stub:
        piped = start(stub, "-o", "piped.jsonl")
        _, err = piped.communicate(timeout=60)
        assert "judging" not in err
        master, slave = pty.openpty()
        shown = start(stub, "-o", "shown.jsonl", stderr=slave)
        os.close(slave)
        out, _ = shown.communicate(timeout=60)
        told = os.read(master, 1 << 16).decode()
        os.close(master)
    assert "judging" in told
    assert "judging" not in out
