"""Timelines: tilse 0.2.1, on Perl ROUGE-1.5.5 and on its own Python route."""

import json
import random
import shutil
import subprocess
from datetime import date, timedelta
from pathlib import Path

from benchmarks.frame import Comparison, Scale, group
from chronoscore.demo import SYSTEMS, home

SEED = 17
DAYS: dict[Scale, int] = {"tiny": 3, "quick": 20, "full": 100}
TOPICS: dict[Scale, int] = {"tiny": 1, "quick": 1, "full": 7}


def one_timeline(folder: Path, scale: Scale) -> str:
    """A gold and a prediction of so many days, made of words of the demo data."""
    _timeline(folder / "trial", 2)
    _timeline(folder, DAYS[scale])
    return f"one timeline of {DAYS[scale]} days"


def _timeline(folder: Path, days: int) -> None:
    """Half of the predicted sentences share words with the gold's, a day or more off."""
    source = random.Random(SEED)
    records = map(json.loads, (home() / "gold.jsonl").read_text(encoding="utf-8").splitlines())
    words = [word for record in records for word in record["text"].split()]
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

GROUP = group(
    "timelines",
    "align+ m:1 with ROUGE-1 and 2 against tilse, by Perl and by its Python route",
    *(
        Comparison(
            what="AR-1 and AR-2",
            make=make,
            ours="timelines.py",
            theirs="tilse_timelines.py",
            peer="tilse",
            label=label,
            arguments=(route,),
            difference=difference,
            repeats=1 if route == "original" else 3,
            unavailable=unavailable,
        )
        for make in (one_timeline, demo)
        for route, label, difference, unavailable in (
            ("original", "tilse 0.2.1, Perl ROUGE", "", no_perl),
            ("reimpl", "tilse 0.2.1, its Python route", _APPROXIMATE, lambda: ""),
        )
    ),
)
