"""Every command that refuses a date has the option that its message names."""

import json
from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, FINE, run


def events(path: Path, *dates: str) -> Path:
    records = (
        {"id": str(number), "topic": "a", "date": date, "text": f"Word{number} begins."}
        for number, date in enumerate(dates)
    )
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


@pytest.mark.parametrize(
    ("dates", "options"),
    [
        (("0", "72", "1440"), ("--time-unit", "hour")),
        (("25/01/2011", "01/02/2011"), ("--date-order", "dmy")),
        (("1914/1918", "199X"), ("--dates", "interval")),
    ],
)
def test_metric_tests_and_all_variants_read_the_dates(
    dates: tuple[str, ...], options: tuple[str, ...], tmp_path: Path
) -> None:
    gold = events(tmp_path / "gold.jsonl", *dates)
    refused = run("metric-tests", gold)
    assert refused.code == BAD_DATA
    assert options[0] in refused.err
    assert run("metric-tests", gold, *options, "-m", "date-f1").code == FINE
    ran = run("timelines", gold, gold, "--all-variants", *options)
    assert ran.code == FINE, ran.err


@pytest.mark.parametrize("choice", ["interval", "first-day"])
def test_every_event_earns_its_credit_whatever_dates_become(choice: str, tmp_path: Path) -> None:
    path = events(tmp_path / "gold.jsonl", "1914/1918", "199X", "2011-02", "2024-03-01T10:04Z")
    assert run("evaluate", path, path).code == BAD_DATA
    ran = run("evaluate", path, path, "--dates", choice, "--by-event", "-f", "json")
    assert ran.code == FINE, ran.err
    credits = [event["credits"] for event in json.loads(ran.out)["events"]]
    assert len(credits) == 4
    assert all(any(one["metric"] == "date-f1" for one in earned) for earned in credits)
