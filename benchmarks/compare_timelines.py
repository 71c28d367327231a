"""Timelines: tilse 0.2.1, on Perl ROUGE-1.5.5 and on its own Python route; and we alone."""

import json
import math
import random
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from statistics import linear_regression

from benchmarks.environments import MissingError
from benchmarks.frame import Bench, Comparison, FailedError, Group, Row, Scale, compare
from chronoscore.demo import SYSTEMS, home

SEED = 17
DAYS: dict[Scale, int] = {"tiny": 3, "quick": 20, "full": 100}
SIZES: dict[Scale, tuple[int, ...]] = {
    "tiny": (2, 4),
    "quick": (25, 50, 100),
    "full": (50, 100, 200, 400),
}
PREDICTIONS: dict[Scale, int] = {"tiny": 2, "quick": 100, "full": 500}
TOPICS: dict[Scale, int] = {"tiny": 1, "quick": 1, "full": 7}


def one_timeline(folder: Path, scale: Scale) -> str:
    """A gold and a prediction of so many days, made of words of the demo data."""
    _timeline(folder / "trial", 2)
    _timeline(folder, DAYS[scale])
    return f"one timeline of {DAYS[scale]} days"


def _timeline(folder: Path, days: int) -> None:
    """Half of the predicted sentences share words with the gold's, a day or more off."""
    source, words = random.Random(SEED), _words()
    gold, predicted = [], []
    for number in range(days):
        day = date(2020, 1, 1) + timedelta(days=3 * number)
        for _ in range(2):
            told = source.choices(words, k=20)
            gold.append((day, told))
            echo = told[:10] if source.random() < 0.5 else []
            other = source.choices(words, k=20 - len(echo))
            predicted.append((day + timedelta(days=source.choice((0, 0, 1, 3))), echo + other))
    folder.mkdir(parents=True, exist_ok=True)
    for name, sentences in (("gold", gold), ("system", predicted)):
        lines = [
            json.dumps({"id": str(n), "topic": "made", "date": str(d), "text": " ".join(told)})
            for n, (d, told) in enumerate(sentences)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _words() -> list[str]:
    """The words of the demo data, common ones as often as they are there."""
    lines = (home() / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    return [word for line in lines for word in json.loads(line)["text"].split()]


def demo(folder: Path, scale: Scale) -> str:
    """The bundled data: three systems, seven topics, some with two golds."""
    shutil.rmtree(folder, ignore_errors=True)
    _demo(folder / "trial", 1)
    _demo(folder, TOPICS[scale])
    return f"demo data, {len(SYSTEMS)} systems, {TOPICS[scale]} topic{'s' * (TOPICS[scale] > 1)}"


def _demo(folder: Path, topics: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    kept: list[str] = []
    for name in ("gold", *SYSTEMS):
        lines = (home() / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        if name == "gold":
            kept = sorted({json.loads(line)["topic"] for line in lines})[:topics]
        chosen = [line for line in lines if json.loads(line)["topic"] in kept]
        (folder / f"{name}.jsonl").write_text("\n".join(chosen) + "\n", encoding="utf-8")


def no_perl() -> str:
    """Why ROUGE-1.5.5 can't run, or nothing if it can."""
    try:
        subprocess.run(
            ["perl", "-MXML::Parser", "-MDB_File", "-e1"], capture_output=True, check=True
        )
    except OSError:
        return "no Perl here"
    except subprocess.CalledProcessError:
        return "Perl has no XML::Parser or DB_File here (Debian: libxml-parser-perl)"
    return ""


_APPROXIMATE = "as tilse says: its route is approximate (punctuation stays on words, other stems)"

FIVE_BAR = "bar: 100 times our work"
PERL, PYTHON = "tilse 0.2.1, Perl ROUGE", "tilse 0.2.1, its Python route"

ALIGNED = tuple(
    Comparison(
        what="AR-1 and AR-2",
        make=make,
        ours="timelines.py",
        theirs="tilse_timelines.py",
        peer="tilse",
        label=label,
        arguments=(route,),
        difference=difference,
        once=route == "original",
        unavailable=unavailable,
    )
    for make in (one_timeline, demo)
    for route, label, difference, unavailable in (
        ("original", PERL, "", no_perl),
        ("reimpl", PYTHON, _APPROXIMATE, lambda: ""),
    )
)
FIVE = tuple(
    Comparison(
        what=f"five variants, ROUGE-1 and 2, text={text}",
        make=one_timeline,
        ours="timelines_five.py",
        own_arguments=(text,),
        theirs="tilse_five.py",
        peer="tilse",
        label=label,
        arguments=(route,),
        difference=difference,
        note=note,
        once=route == "original",
        full_only=route == "original",
        unavailable=unavailable,
    )
    for text, route, label, difference, note, unavailable in (
        ("rouge155", "original", PERL, "", "", no_perl),
        ("rouge155", "reimpl", PYTHON, _APPROXIMATE, FIVE_BAR, lambda: ""),
        ("reimpl", "reimpl", PYTHON, "", FIVE_BAR, lambda: ""),
    )
)


def growth(bench: Bench) -> Iterator[Row]:
    """Our time on longer and longer timelines; the last row tells by which power it grows."""
    work = {}
    for days in SIZES[bench.scale]:
        folder = bench.folder(f"growth_{days}")
        _timeline(folder / "trial", 2)
        _timeline(folder, days)
        cost = bench.drive_ours("timelines_five.py", folder)
        work[days] = cost.work or math.nan
        last = days == SIZES[bench.scale][-1]
        remark = f"grows with days to the power of {slope(work):.2f}; bar: 2.2" if last else ""
        yield Row(f"growth: five variants, {days} days", "none", cost, remark=remark)


def slope(seconds: Mapping[int, float]) -> float:
    """The slope of time over size, both in logarithms: 1 is linear, 2 is quadratic."""
    sizes, times = map(math.log, seconds), map(math.log, seconds.values())
    return linear_regression(list(sizes), list(times)).slope


def many(bench: Bench) -> Row:
    """`score_many`, warm, beside the tokenising of its predictions alone."""
    number = PREDICTIONS[bench.scale]
    folder = bench.folder("many_predictions")
    for place in (folder / "trial", folder):  # the same twice: warm means that words were seen
        _predictions(place, number)
    ours = bench.drive_ours("timelines_many.py", folder, ["score"])
    alone = bench.drive_ours("timelines_many.py", folder, ["tokens"])
    each, times = 1000 * (ours.work or 0) / number, (ours.work or 0) / (alone.work or math.inf)
    return Row(
        f"score_many: AR-1, AR-2 and Date-F1, {number} predictions of 20 days x 20 words, one gold",
        "our tokenising of them alone",
        ours,
        alone,
        f"{each:.2f} ms a prediction, bar: 1; {times:.1f} times the tokenising",
    )


def _predictions(folder: Path, number: int) -> None:
    """A gold and predictions of 20 days, drawn from 40, with a sentence of 20 words each."""
    source, words = random.Random(SEED), _words()

    def draw() -> dict[str, list[str]]:
        chosen = sorted(source.sample(range(40), 20))
        days = [str(date(2020, 1, 1) + timedelta(days=day)) for day in chosen]
        return {day: [" ".join(source.choices(words, k=20))] for day in days}

    data = [draw(), [draw() for _ in range(number)]]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "timelines.json").write_text(json.dumps(data), encoding="utf-8")


def rows(bench: Bench) -> Iterator[Row]:
    """Against tilse, then alone."""
    for comparison in (*ALIGNED, *FIVE):
        yield compare(comparison, bench)
    try:
        yield from growth(bench)
        yield many(bench)
    except (MissingError, FailedError) as error:
        yield Row("timelines alone", "none", remark=f"our side failed: {error}", wrong=True)


GROUP = Group(
    "timelines",
    "all variants against tilse, by Perl and by its Python route; growth; many predictions",
    rows,
    (*ALIGNED, *FIVE),
)
