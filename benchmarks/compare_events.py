"""Events: many small cases against days at an earlier commit of ours, and one large topic."""

import json
import random
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path

from benchmarks.environments import BASE, HERE, MissingError
from benchmarks.frame import Bench, Cost, Group, Row, Scale, drive, median

SEED = 61
CASES: dict[Scale, int] = {"tiny": 5, "quick": 100, "full": 1_000}
LARGE: dict[Scale, int] = {"tiny": 30, "quick": 300, "full": 2_000}
EVENTS, WORDS, CHANGED = 20, 20, 5
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class _Writer:
    """Writes texts with the frequencies of words that texts have (Zipf 1949)."""

    def __init__(self) -> None:
        self._random = random.Random(SEED)
        self._words = ["".join(self._random.choices(_LETTERS, k=3 + n % 6)) for n in range(5_000)]
        self._sums = [*accumulate(1 / (rank + 3) for rank in range(5_000))]

    def words(self, number: int) -> list[str]:
        return self._random.choices(self._words, cum_weights=self._sums, k=number)

    def gold(self, events: int) -> list[tuple[date, list[str]]]:
        first = date(2011, 1, 1)
        days = (first + timedelta(days=self._random.randrange(100)) for _ in range(events))
        return [(day, self.words(WORDS)) for day in days]

    def predicted(self, gold: list[tuple[date, list[str]]]) -> Iterator[tuple[date, list[str]]]:
        """Six of ten events are those of the gold in other words, some days off."""
        for _ in gold:
            day, words = self._random.choice(gold)
            if self._random.random() < 0.4:
                yield day, self.words(WORDS)
                continue
            words = [*words]
            for word in self.words(CHANGED):
                words[self._random.randrange(WORDS)] = word
            yield day + timedelta(days=self._random.choice([0, 0, 0, 1, -1, 3])), words

    def write(self, folder: Path, cases: int, events: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        names = ("gold", "predicted")
        lines: dict[str, list[str]] = {name: [] for name in names}
        for case in range(cases):
            gold = self.gold(events)
            for name, told in zip(names, (gold, self.predicted(gold)), strict=True):
                for number, (day, words) in enumerate(told):
                    event = {"id": f"{case}-{number}", "topic": f"t{case}", "date": str(day)}
                    lines[name].append(json.dumps({**event, "text": " ".join(words)}))
        for name in names:
            (folder / f"{name}.jsonl").write_text("\n".join(lines[name]) + "\n", encoding="utf-8")


def cases_of_events(folder: Path, scale: Scale) -> str:
    """Many cases of 20 events of 20 words."""
    writer = _Writer()
    writer.write(folder / "trial", 3, EVENTS)
    writer.write(folder, CASES[scale], EVENTS)
    return f"{CASES[scale]:,} cases of {EVENTS} x {EVENTS} events"


def against_days(bench: Bench) -> Iterator[Row]:
    """The cost of matching events against that of aligning days, on the same files."""
    folder = bench.folder(cases_of_events.__name__)
    what = f"events, all default metrics, {cases_of_events(folder, bench.scale)}"
    ours = bench.drive_ours("events.py", folder)
    remark, theirs = "another question; bar: at most 3 times the cost, a ratio of 0.33", Cost()
    try:
        command = (bench.python(BASE), HERE / "ours" / "scale.py", folder)
        theirs = median([drive(*command, warm=bench.warm) for _ in range(bench.repeats)])
    except MissingError as error:
        remark = f"{remark}; not run: {error}"
    yield Row(what, f"AR-1, AR-2, Date-F1 at {BASE.rpartition('-')[2]}", ours, theirs, remark)


def one_large_topic(bench: Bench) -> Iterator[Row]:
    """Two long lists of events, whose pairs are four million."""
    events = LARGE[bench.scale]
    writer, folder = _Writer(), bench.folder("large_topic")
    writer.write(folder / "trial", 1, EVENTS)
    writer.write(folder, 1, events)
    cost = bench.drive_ours("events.py", folder, ())
    what, remark = f"one topic of {events:,} x {events:,} events", "bar: 20 s of CPU and 1 GB"
    yield Row(what, "the bar", cost, Cost(), remark)


GROUP = Group(
    "events",
    "matched events against days at an earlier commit, and one large topic",
    others=(against_days, one_large_topic),
)
