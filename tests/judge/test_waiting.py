"""Waits: what the server says, never longer than allowed, and the same in every run."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.core.errors import UsageError
from chronoscore.rubric.judge.client import StoppedError, connection, post
from chronoscore.rubric.judge.endpoint import make_endpoint
from chronoscore.rubric.judge.waiting import Patience, back_off, retry_after

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("3", 3.0),
        ("0.5", 0.5),
        ("-1", 0.0),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90.0),
        (format_datetime(NOW - timedelta(days=1), usegmt=True), 0.0),
        ("", None),
        (None, None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("Wed, 99 Foo 2026", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(told: str | None, seconds: float | None) -> None:
    assert retry_after(told, NOW) == seconds


@given(st.text())
def test_any_header_is_read_or_left(told: str) -> None:
    found = retry_after(told, NOW)
    assert found is None or found >= 0


@given(st.integers(1, 60), st.text(), st.none() | st.text(), st.floats(0, 1e6))
def test_no_wait_is_longer_than_allowed(
    tries: int, salt: str, told: str | None, most: float
) -> None:
    assert 0 <= Patience(max_wait=most).wait(tries, salt, told, NOW) <= most


@given(st.integers(1, 20), st.text())
def test_waits_grow_and_repeat(tries: int, salt: str) -> None:
    low, high = 0.5 * 2.0 ** (tries - 1), 1.5 * 2.0 ** (tries - 1)
    assert low <= back_off(tries, salt) <= high
    assert back_off(tries, salt) == back_off(tries, salt)


def test_requests_that_failed_together_come_back_apart() -> None:
    assert len({back_off(1, str(n)) for n in range(50)}) == 50


def test_a_wait_is_taken_before_each_further_try() -> None:
    waits: list[float] = []

    def pause(seconds: float) -> bool:
        waits.append(seconds)
        return len(waits) == 3

    patience = Patience(timeout=1, retries=5)
    endpoint = make_endpoint("http://127.0.0.1:1")
    with connection(patience, 1) as client, pytest.raises(StoppedError):
        post(client, endpoint, {}, patience, salt="s", pause=pause)
    assert waits == [back_off(tries, "s") for tries in (1, 2, 3)]


@pytest.mark.parametrize(
    "patience",
    [
        Patience(timeout=0),
        Patience(timeout=float("nan")),
        Patience(retries=-1),
        Patience(max_wait=-1),
        Patience(max_wait=float("inf")),
    ],
)
def test_what_can_not_be_waited_for_is_refused(patience: Patience) -> None:
    with pytest.raises(UsageError):
        patience.check()
