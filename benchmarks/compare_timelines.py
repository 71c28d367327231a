"""Timelines: tilse 0.2.1, on Perl ROUGE-1.5.5 and on its own Python route; and we alone."""

import json
import random
import shutil
import subprocess
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from benchmarks.frame import Bench, Comparison, Cost, Group, Row, Scale, growth, limit
from chronoscore.demo import SYSTEMS, home

SEED = 17
DAYS: dict[Scale, int] = {"tiny": 3, "quick": 20, "full": 100}
SIZES: dict[Scale, tuple[int, ...]] = {
    "tiny": (2, 4),
    "quick": (50, 100, 200),
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
    source, words = random.Random(SEED), demo_words()
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


def demo_words() -> list[str]:
    """The words of the demo data's golds, common ones as often as they are there."""
    return [word for text in demo_texts("gold") for word in text.split()]


def demo_texts(*names: str) -> list[str]:
    """The texts of some files of the demo data; of golds and articles if none is named."""
    paths = [home() / f"{name}.jsonl" for name in names or ("gold", "articles")]
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [json.loads(line)["text"] for line in lines]


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

FIVE_BAR = "bar: 300 times our work, 12 times our process, at 100 days"
PERL_BAR = "bar: 5,000 times our work, at 100 days"
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
        ("rouge155", "original", PERL, "", PERL_BAR, no_perl),
        ("rouge155", "reimpl", PYTHON, _APPROXIMATE, FIVE_BAR, lambda: ""),
        ("reimpl", "reimpl", PYTHON, "", FIVE_BAR, lambda: ""),
    )
)


def growth_in_days(bench: Bench) -> Iterator[Row]:
    """Our time on longer and longer timelines."""

    def run(days: int) -> Cost:
        folder = bench.folder(f"growth_{days}")
        _timeline(folder / "trial", 2)
        _timeline(folder, days)
        return bench.drive_ours("timelines_five.py", folder)

    yield growth("five variants of one timeline", "days", SIZES[bench.scale], run, "2.2")


def many(bench: Bench) -> Iterator[Row]:
    """`score_many`, warm, next to the tokenising of its predictions alone."""
    number = PREDICTIONS[bench.scale]
    folder = bench.folder("many_predictions")
    for place in (folder / "trial", folder):  # the same twice: warm means that words were seen
        _predictions(place, number)
    ours = bench.drive_ours("timelines_many.py", folder, ["score"])
    alone = bench.drive_ours("timelines_many.py", folder, ["tokens"])
    what = "score_many: AR-1, AR-2 and Date-F1"
    yield limit(
        f"{what}, {number} predictions of 20 days x 20 words, one gold",
        "our tokenising of them alone",
        ours,
        alone,
        f"1 ms a prediction, here {1000 * (ours.work or 0) / number:.2f}",
    )


def _predictions(folder: Path, number: int) -> None:
    """A gold and predictions of 20 days, drawn from 40, with a sentence of 20 words each."""
    source, words = random.Random(SEED), demo_words()

    def draw() -> dict[str, list[str]]:
        chosen = sorted(source.sample(range(40), 20))
        days = [str(date(2020, 1, 1) + timedelta(days=day)) for day in chosen]
        return {day: [" ".join(source.choices(words, k=20))] for day in days}

    data = [draw(), [draw() for _ in range(number)]]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "timelines.json").write_text(json.dumps(data), encoding="utf-8")


GROUP = Group(
    "timelines",
    "all variants against tilse, by Perl and by its Python route; growth; many predictions",
    (*ALIGNED, *FIVE),
    (growth_in_days, many),
)
