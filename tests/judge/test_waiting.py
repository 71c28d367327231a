"""Waits: what the server says, never longer than allowed, and the same in every run."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.errors import UsageError
from chronoscore.rubric.judge.client import (
    RetryPolicy,
    StoppedError,
    back_off,
    connection,
    make_endpoint,
    post,
    retry_after,
)

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


@given(st.text(st.characters(categories=["L", "P", "S"])))
def test_a_header_without_a_digit_is_no_wait(told: str) -> None:
    assert retry_after(told, NOW) is None


@given(st.floats(-1e12, 1e12))
def test_a_number_of_seconds_is_read_and_never_negative(seconds: float) -> None:
    assert retry_after(f" {seconds} ", NOW) == max(0.0, seconds)


@given(st.integers(1, 60), st.text(), st.none() | st.text(), st.floats(0, 1e6))
def test_no_wait_is_longer_than_allowed(
    tries: int, salt: str, told: str | None, most: float
) -> None:
    assert 0 <= RetryPolicy(max_wait=most).wait(tries, salt, told, NOW) <= most


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

    policy = RetryPolicy(timeout=1, retries=5)
    endpoint = make_endpoint("http://127.0.0.1:1")
    with connection(policy, 1) as client, pytest.raises(StoppedError):
        post(client, endpoint, {}, policy, salt="s", pause=pause)
    assert waits == [back_off(tries, "s") for tries in (1, 2, 3)]


@pytest.mark.parametrize(
    "policy",
    [
        RetryPolicy(timeout=0),
        RetryPolicy(timeout=float("nan")),
        RetryPolicy(retries=-1),
        RetryPolicy(max_wait=-1),
        RetryPolicy(max_wait=float("inf")),
    ],
)
def test_what_can_not_be_waited_for_is_refused(policy: RetryPolicy) -> None:
    with pytest.raises(UsageError):
        policy.check()
