"""No time that is read and no token depends on today, the time zone or the locale.

Tests with written answers are run again elsewhere; those that draw examples have no such answers.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = (
    *("time/test_spellings.py", "time/test_distances.py", "time/test_occurring.py"),
    *("time/expressions", "test_words.py", "test_rouge155.py"),
)
RUN = """
import locale, sys, time_machine, pytest
locale.setlocale(locale.LC_ALL, "")
with time_machine.travel(sys.argv[1], tick=True):
    quiet = ("-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
    chosen = ("-m", "not campaign and not hypothesis", "-k", "not in_every_locale")
    sys.exit(pytest.main([*quiet, *chosen, "-n", "0", *sys.argv[2:]]))
"""


@pytest.mark.parametrize(
    ("today", "zone", "locale"),
    [
        ("2001-02-03T23:59", "Asia/Kathmandu", "C"),
        ("2031-12-31T00:01", "America/St_Johns", "C.UTF-8"),
    ],
)
def test_the_answers_are_the_same_on_other_days_in_other_zones(
    today: str, zone: str, locale: str
) -> None:
    pytest.importorskip("time_machine")
    paths = [str(HERE / name) for name in TESTS]
    environment = {**os.environ, "TZ": zone, "LC_ALL": locale, "PYTHONUTF8": "1"}
    run = subprocess.run(
        [sys.executable, "-c", RUN, today, *paths],
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=HERE.parents[1],
    )
    assert run.returncode == 0, run.stdout[-2000:]
