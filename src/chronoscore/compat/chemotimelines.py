r"""The scorer of the ChemoTimelines shared task (``eval_timeline.py``, v20240305) as it is.

    python -m chronoscore.compat.chemotimelines --gold_path G --pred_path P --all_id_path I
        [--gold_id_path J] (--strict | --relaxed_to day|month|year) [--today YYYY-MM-DD]

A patient's timeline is a list of ``[drug, relation, timex]``. The numbers and the print-out are
those of the original, its faults included (Yao et al. 2024, "Overview of the 2024 Shared Task on
Chemotherapy Treatment Timeline Extraction"). The page on faults of published scorers has the
smallest case of each.

The original fills what a date leaves out from the clock of the machine. Here the day of the run is
the argument `today`, 2024-03-15 unless another is named; `over_the_year` tells what other days
would give. Where the original ends in a traceback, a `DataError` gives the reason.

Dates that are read are ``YYYY``, ``YYYY-MM``, ``YYYY-MM-DD``, the last with ``tHH:MM`` or
``tHH:MM:SS``, and ``YYYY-Www``; of other spellings the original reads some (``April 2013``), which
are refused here. So are years before 1000, a patient who is twice in a file, and tuples that are
no lists.
"""

import argparse
import re
import sys
from calendar import monthrange
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time, timedelta
from functools import lru_cache, reduce
from math import isnan
from operator import add
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args

from chronoscore import families
from chronoscore.core.records import JsonError, as_json, parse_json, read_text
from chronoscore.engines.settings import Settings
from chronoscore.errors import ChronoscoreError, DataError, Problem, UsageError, one_line
from chronoscore.interface.scoring import score_data

Mode = Literal["strict", "day", "month", "year"]
MODES: Final[tuple[str, ...]] = get_args(Mode)
Relation = tuple[str, str, str]
"""Drug, relation and timex."""
Moment = tuple[int, int, int, int]
"""Year, month, day and second of the day."""
Range = tuple[Moment, Moment]

TODAY: Final = date(2024, 3, 15)
_LEAP_YEAR: Final = 2024
_EXPECTED: Final = "expected YYYY-MM-DD, YYYY-MM, YYYY, YYYY-Www or YYYY-MM-DDtHH:MM"
_DATE = re.compile(
    r"([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2})"
    r"(?:[Tt ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?)?)?)?"
)
_WEEK = re.compile(r"([0-9]{4})-[Ww](5[0-3]|[0-4][0-9]|[0-9])")
_DAY_OF_WEEK = re.compile(r"[0-9]{4}-[Ww][0-9]{1,2}-[0-9]+")
_LONGEST_TIMEX: Final = 60
_FIRST_YEAR: Final = 1000
_OFFICIAL: Final = "mean of both F1"
_PROTOCOLS: Final = {"month": "chemotimelines-2024", "strict": "chemotimelines-2025"}
_SAME: Final = 1e-9
BEGIN, END, WITHIN = "begins-on", "ends-on", "contains-1"


class PartialDate(NamedTuple):
    """A date as written: without its day, or without month and day, where a timex has none."""

    year: int
    month: int | None = None
    day: int | None = None
    second: int = 0

    def on(self, today: date) -> Moment:
        """Fill what is missing from today, the day cut to the length of the month.

        >>> PartialDate(2013, 2).on(date(2024, 1, 31))
        (2013, 2, 28, 0)
        """
        month = today.month if self.month is None else self.month
        day = self.day
        if day is None:
            day = min(today.day, monthrange(self.year, month)[1])
        return self.year, month, day, self.second


@lru_cache(maxsize=1 << 16)
def read_timex(timex: str) -> PartialDate:
    """Read a timex as the original does, or refuse it with a `ValueError` that says why.

    Week 1 begins on the first Monday of the year, which makes many weeks later than in ISO 8601:

    >>> read_timex("2013-w05"), read_timex("2020-W53")
    (PartialDate(year=2013, month=2, day=4, second=0), PartialDate(year=2021, month=1, day=4, second=0))
    >>> read_timex("2013-4").on(date(2024, 3, 15))
    (2013, 4, 15, 0)
    """
    if found := _WEEK.fullmatch(timex):
        year, week = map(int, found.groups())
        try:
            first = date(year, 1, 1)
            monday = first + timedelta(-first.weekday() % 7 + (week - 1) * 7)
        except (ValueError, OverflowError):
            raise ValueError(f"'{timex}' is not in the calendar") from None
        return _late_enough(timex, PartialDate(monday.year, monday.month, monday.day))
    if _DAY_OF_WEEK.fullmatch(timex):
        raise ValueError(
            f"'{timex}' is a day of a week, which the original can't read: {_EXPECTED}"
        )
    found = _DATE.fullmatch(timex)
    if not found:
        raise ValueError(f"'{timex[:_LONGEST_TIMEX]}' is not a date that is read, {_EXPECTED}")
    year, month, day, hour, minute, second = (part and int(part) for part in found.groups())
    try:
        date(year, 1 if month is None else month, 1 if day is None else day)
        moment = time(hour or 0, minute or 0, second or 0)
    except ValueError:
        raise ValueError(f"'{timex}' is not in the calendar") from None
    seconds = (moment.hour * 60 + moment.minute) * 60 + moment.second
    return _late_enough(timex, PartialDate(year, month, day, seconds))


def _late_enough(timex: str, written: PartialDate) -> PartialDate:
    # The original writes the month of such a date as 999-04, and can't be sure to read that again.
    if written.year < _FIRST_YEAR:
        raise ValueError(f"'{timex}' is before the year {_FIRST_YEAR}, expected a later date")
    return written


class PatientCounts(NamedTuple):
    """The counts and scores of a patient; scores that the original sets are integers."""

    true_positives: int
    false_positives: int
    false_negatives: int
    precision: float
    recall: float
    f1: float


class Averages(NamedTuple):
    """Precision, recall and F1 of all patients."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class ChemoScores:
    """The answer of a run: counts by patient, pooled scores and the two means."""

    patients: Mapping[str, PatientCounts]
    micro: Averages
    type_a: Averages
    """Means over all patients."""
    type_b: Averages
    """Means over patients with a gold timeline."""
    faults: Mapping[str, int]
    """How often each fault of `FAULTS` bears on the counts."""

    @property
    def official(self) -> float:
        """The mean of both F1: the official score of 2024 (month) and of 2025 (strict)."""
        return (self.type_a.f1 + self.type_b.f1) / 2


@dataclass(frozen=True)
class Patient:
    """The two timelines of a patient, checked; if gold has none, nobody looks at the prediction."""

    id: str
    gold: tuple[Relation, ...]
    predicted: tuple[Relation, ...]


class Fault(NamedTuple):
    """A fault of the original that bears on precision, recall or both."""

    bears_on: frozenset[str]
    message: str


_PRECISION, _RECALL = frozenset({"precision"}), frozenset({"recall"})
FAULTS: Final[Mapping[str, Fault]] = {
    "clock": Fault(
        _PRECISION | _RECALL, "patient(s) whose counts change with the day on which the scorer runs"
    ),
    "repeats": Fault(
        _PRECISION | _RECALL, "repeated tuple(s) counted again: a right one repeated buys recall"
    ),
    "range as answer": Fault(
        _PRECISION | _RECALL,
        "predicted tuple(s) counted as right, since they lie between the gold's first begin and "
        "last end of the drug",
    ),
    "range forgives": Fault(
        _RECALL,
        "missing gold tuple(s) not counted, since they lie between the predicted first begin and "
        "last end of the drug",
    ),
    "free relations": Fault(
        _PRECISION,
        "predicted tuple(s) with a wrong relation not counted as wrong, or several counted as right "
        "for one gold tuple",
    ),
    "forgiven relations": Fault(
        _RECALL, "missing gold tuple(s) not counted, since another's relation answers for them"
    ),
    "generic names": Fault(
        _PRECISION | _RECALL,
        "tuple(s) left out, since the name begins with 'chemo' and another tuple has the same "
        "relation and date",
    ),
    "weeks": Fault(
        _PRECISION | _RECALL,
        "week(s) that the original takes for another week's Monday, or for one of two months",
    ),
    "week spelling": Fault(
        _PRECISION | _RECALL, "right tuple(s) counted as wrong, since one side writes w and one W"
    ),
    "absent patients": Fault(
        _PRECISION | _RECALL, "gold patient(s) left out, since the prediction does not name them"
    ),
}
"""What can make a number of the original another than it should be."""


def evaluate(
    gold: Mapping[str, Any],
    predicted: Mapping[str, Any],
    mode: Mode,
    *,
    today: date = TODAY,
    all_ids: Sequence[str] | None = None,
    gold_ids: Sequence[str] | None = None,
) -> ChemoScores:
    """Score timelines ``{patient: [[drug, relation, timex], ...]}`` as the original does on a day.

    Raises `DataError` where the original ends in a traceback. `all_ids` are only counted.

    >>> gold = {"p1": [["cisplatin", "contains-1", f"2013-0{month}-03"] for month in range(1, 7)]}
    >>> evaluate(gold, {"p1": [gold["p1"][0]] * 20}, "strict").micro.recall
    0.8
    """
    if mode not in MODES:
        raise UsageError(f"mode is {mode!r}, expected {', '.join(MODES)}")
    patients = check(gold, predicted, all_ids=all_ids, gold_ids=gold_ids)
    return score(patients, mode, today, absent=_absent(gold, predicted))


def check(
    gold: Mapping[str, Any],
    predicted: Mapping[str, Any],
    *,
    all_ids: Sequence[str] | None = None,
    gold_ids: Sequence[str] | None = None,
    names: Mapping[str, str] | None = None,
) -> list[Patient]:
    """Return the patients that the original scores, in its order; `names` are those of the files.

    Raises `DataError` with every tuple that would end the original.
    """
    paths = {"gold": "gold", "predicted": "predicted", "all_ids": "ids", "gold_ids": "gold ids"}
    paths.update(names or {})
    _check_numbers(gold, predicted, all_ids, gold_ids, paths)
    problems: list[Problem] = []
    patients = []
    scored = set(gold if gold_ids is None else gold_ids)
    for patient, timeline in predicted.items():
        if patient not in scored:
            continue
        if patient not in gold:
            message = f"patient '{patient}' is not in the gold, but among the gold ids"
            problems.append(Problem(message, paths["gold"]))
            continue
        sides = {"gold": gold[patient], "predicted": timeline}
        lists = [
            isinstance(side, Sequence) and not isinstance(side, str) for side in sides.values()
        ]
        for (name, side), is_list in zip(sides.items(), lists, strict=True):
            if not is_list:
                message = f"patient '{patient}': {as_json(side)}, expected a list of tuples"
                problems.append(Problem(message, paths[name]))
            elif len(sides["gold"] if lists[0] else ()):
                found = (f"patient '{patient}': {reason}" for reason in _misfits(side))
                problems += [Problem(message, paths[name]) for message in found]
        if all(lists):
            patients.append(Patient(patient, _tuples(sides["gold"]), _tuples(timeline)))
    if problems:
        raise DataError(problems)
    return patients


def _check_numbers(
    gold: Mapping[str, Any],
    predicted: Mapping[str, Any],
    all_ids: Sequence[str] | None,
    gold_ids: Sequence[str] | None,
    paths: Mapping[str, str],
) -> None:
    """Refuse other numbers of ids than of patients: the original compares no names."""
    for name, side in (("gold", gold), ("predicted", predicted)):
        if not isinstance(side, Mapping):
            raise DataError.of(
                f"{as_json(side)}, expected an object of patients: "
                '{"patient": [[drug, relation, timex], ...]}',
                paths[name],
            )
    if all_ids is not None:
        if not all_ids:
            raise DataError.of("no ids, expected one a line for each patient", paths["all_ids"])
        if len(all_ids) != len(predicted):
            raise _unequal(all_ids, predicted, "predicted", paths["all_ids"])
        if gold_ids is None and len(all_ids) != len(gold):
            raise _unequal(all_ids, gold, "gold", paths["all_ids"])
    if gold_ids is not None:
        if not gold_ids:
            raise DataError.of("no ids, expected one a line for each patient", paths["gold_ids"])
        if len(gold_ids) != len(gold):
            raise _unequal(gold_ids, gold, "gold", paths["gold_ids"])
        if len(gold_ids) > len(predicted):
            raise DataError.of(
                f"{len(gold_ids)} ids, but {len(predicted)} predicted patients; expected at least "
                "as many patients, with [] for those without a timeline",
                paths["gold_ids"],
            )


def _unequal(ids: Sequence[str], side: Mapping[str, Any], name: str, path: str) -> DataError:
    return DataError.of(
        f"{len(ids)} ids, but {len(side)} {name} patients; expected as many, with [] for patients "
        "without a timeline",
        path,
    )


def _misfits(timeline: Iterable[Any]) -> Iterator[str]:
    """Say of each tuple that would end the original what is wrong with it."""
    for item in timeline:
        if (
            not isinstance(item, list | tuple)
            or len(item) != 3
            or not all(isinstance(text, str) for text in item)
        ):
            yield f"{as_json(item)}, expected [drug, relation, timex], three texts"
            continue
        try:
            read_timex(item[2])
        except ValueError as error:
            yield f"{as_json(item)}: {error}"


def _tuples(timeline: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(tuple(item) if isinstance(item, list) else item for item in timeline)


def _absent(gold: Mapping[str, Any], predicted: Mapping[str, Any]) -> int:
    return sum(patient not in predicted for patient in gold)


def score(
    patients: Sequence[Patient], mode: Mode, today: date = TODAY, *, absent: int = 0
) -> ChemoScores:
    """Count and average checked patients on one day; `absent` are gold patients not predicted."""
    faults: Counter[str] = Counter()
    counts = {patient.id: count(patient, mode, today, faults) for patient in patients}
    faults["absent patients"] += absent
    with_gold = [patient.id for patient in patients if patient.gold]
    micro, type_a, type_b = _averages(counts, with_gold)
    return ChemoScores(counts, micro, type_a, type_b, +faults)


def _averages(
    counts: Mapping[str, PatientCounts], with_gold: Sequence[str]
) -> tuple[Averages, Averages, Averages]:
    """Return the pooled scores and both means, or the reason why the original divides by zero."""
    right, wrong, missing = (sum(row[column] for row in counts.values()) for column in range(3))
    if not counts:
        raise _division("no predicted patient is in the gold, so that there is nothing to average")
    if not right + wrong:
        raise _division("no predicted tuple is counted in any patient, so that precision is 0/0")
    if not right + missing:
        raise _division("no gold tuple is counted in any patient, so that recall is 0/0")
    micro = Averages(*_scores(right, wrong, missing))
    return micro, _means(counts.values()), _means([counts[patient] for patient in with_gold])


def _division(reason: str) -> DataError:
    return DataError.of(f"{reason}: the original divides by zero and prints no score")


def _means(rows: Collection[PatientCounts]) -> Averages:
    # From left to right on every Python: `sum` rounds differently from 3.12 on.
    return Averages(*(reduce(add, column, 0) / len(rows) for column in list(zip(*rows))[3:]))


def _scores(right: int, wrong: int, missing: int) -> tuple[float, float, float]:
    if not right + missing or not right + wrong:
        return 0, 0, 0
    precision, recall = right / (right + wrong), right / (right + missing)
    both = precision + recall
    return precision, recall, 2 * (precision * recall) / both if both else 0


def count(patient: Patient, mode: Mode, today: date, faults: Counter[str]) -> PatientCounts:
    """Count the tuples of one patient, and add to `faults` how often each bears on the counts."""
    if not patient.gold:
        wrong = len(patient.predicted)
        return PatientCounts(0, wrong, 0, *((0, 0, 0) if wrong else (1, 1, 1)))
    gold, predicted = patient.gold, patient.predicted
    gold_ranges: Mapping[str, Range] = {}
    predicted_ranges: Mapping[str, Range] = {}
    if mode != "strict":
        gold_ranges, predicted_ranges = ranges(gold, today), ranges(predicted, today)
    if mode in ("month", "year"):
        gold, predicted = _cut(gold, mode, today), _cut(predicted, mode, today)
    golds, predictions = set(gold), set(predicted)
    surplus = [item for item in predicted if item not in golds]
    missing = [item for item in gold if item not in predictions]
    missed_dates = {(drug, timex) for drug, _, timex in missing}

    def reason(item: Relation, others: set[Relation], their_ranges: Mapping[str, Range]) -> str:
        """Say why a tuple that the other side lacks is not counted against its own side."""
        if mode != "strict":
            if in_range(item, their_ranges, today):
                return "range"
            if any(other in others for other in compatible(item)):
                return "relation"
        return "date" if others is golds and (item[0], item[2]) in missed_dates else ""

    extra = Counter(reason(item, golds, gold_ranges) for item in surplus)
    lost = Counter(reason(item, predictions, predicted_ranges) for item in missing)
    right = len(predicted) - len(surplus) + extra["range"] + extra["relation"]
    wrong, lacking = extra[""], lost[""]

    faults["repeats"] += len(gold) - len(golds) + len(predicted) - len(predictions)
    faults["range as answer"] += extra["range"]
    faults["range forgives"] += lost["range"]
    faults["free relations"] += extra["date"] + max(0, extra["relation"] - lost["relation"])
    faults["forgiven relations"] += max(0, lost["relation"] - extra["relation"])
    missed = {_upper_week(item) for item in missing}
    faults["week spelling"] += sum(_upper_week(item) in missed for item in surplus)
    if mode != "strict":
        timexes = (timex for side in (patient.gold, patient.predicted) for _, _, timex in side)
        faults["weeks"] += sum(_is_odd_week(timex, mode) for timex in timexes)
    if mode in ("month", "year"):
        for side, cut in ((patient.gold, gold), (patient.predicted, predicted)):
            faults["generic names"] += len(set(_with_cut_dates(side, mode, today))) - len(cut)
    return PatientCounts(right, wrong, lacking, *_scores(right, wrong, lacking))


def compatible(item: Relation) -> list[Relation]:
    """Return the tuples of the other side that a relaxed mode takes for this one.

    >>> compatible(("cisplatin", "begins-on", "2013"))
    [('cisplatin', 'contains-1', '2013')]
    """
    drug, relation, timex = item
    others = {BEGIN: (WITHIN,), END: (WITHIN,), WITHIN: (BEGIN, END)}.get(relation, ())
    return [(drug, other, timex) for other in others]


def ranges(timeline: Iterable[Relation], today: date) -> dict[str, Range]:
    """Return for each drug its earliest begin and its latest end, if it has both.

    >>> ranges([("cisplatin", "begins-on", "2013-01"), ("cisplatin", "ends-on", "2014")], TODAY)
    {'cisplatin': ((2013, 1, 15, 0), (2014, 3, 15, 0))}
    """
    begins: dict[str, Moment] = {}
    ends: dict[str, Moment] = {}
    for drug, relation, timex in timeline:
        if relation == BEGIN:
            moment = read_timex(timex).on(today)
            begins[drug] = min(moment, begins.get(drug, moment))
        elif relation == END:
            moment = read_timex(timex).on(today)
            ends[drug] = max(moment, ends.get(drug, moment))
    return {drug: (begin, ends[drug]) for drug, begin in begins.items() if drug in ends}


def in_range(item: Relation, their_ranges: Mapping[str, Range], today: date) -> bool:
    """Whether a tuple lies in the range that the other side has for its drug."""
    drug, relation, timex = item
    if drug not in their_ranges:
        return False
    start, end = their_ranges[drug]
    moment = read_timex(timex).on(today)
    if relation in (END, END.upper()) and moment == start:
        return False
    if relation in (BEGIN, BEGIN.upper()) and moment == end:
        return False
    return start <= moment <= end


def _with_cut_dates(timeline: Iterable[Relation], mode: Mode, today: date) -> Iterator[Relation]:
    for drug, relation, timex in timeline:
        year, month, _, _ = read_timex(timex).on(today)
        yield drug, relation, f"{year}-{month:02}" if mode == "month" else f"{year}"


def _cut(timeline: Iterable[Relation], mode: Mode, today: date) -> tuple[Relation, ...]:
    """Cut dates to months or years; drop repeats, and generic names beside any other name."""
    cut = dict.fromkeys(_with_cut_dates(timeline, mode, today))
    names = Counter((relation, timex) for _, relation, timex in cut)
    return tuple(item for item in cut if not item[0].startswith("chemo") or names[item[1:]] == 1)


def _upper_week(item: Relation) -> Relation:
    return item[0], item[1], item[2].replace("w", "W")


@lru_cache(maxsize=1 << 12)
def _is_odd_week(timex: str, mode: Mode) -> bool:
    """Whether a week is another one in ISO 8601, or touches two months where months count."""
    found = _WEEK.fullmatch(timex)
    if not found:
        return False
    try:
        monday = date.fromisocalendar(int(found[1]), int(found[2]), 1)
        sunday = monday + timedelta(6)
    except (ValueError, OverflowError):
        return True
    if read_timex(timex)[:3] != (monday.year, monday.month, monday.day):
        return True
    return mode == "month" and monday.month != sunday.month


@dataclass(frozen=True)
class YearOfScores:
    """What the original would print on each day of a leap year."""

    moved: int
    """Patients whose counts are not the same on all days."""
    officials: Mapping[date, float]
    """The mean of both F1 by day, without the days on which the original divides by zero."""


def over_the_year(patients: Sequence[Patient], mode: Mode) -> YearOfScores:
    """Score patients on every day of a year; nothing but its month and day matters.

    >>> gold = {"p1": [("taxol", "contains-1", "2013")], "p2": [("taxol", "contains-1", "2014")]}
    >>> said = {"p1": [("taxol", "contains-1", "2013-03")], "p2": gold["p2"]}
    >>> year = over_the_year(check(gold, said), "month")
    >>> year.moved, min(year.officials.values()), max(year.officials.values())
    (1, 0.5, 1.0)
    """
    first = date(_LEAP_YEAR, 1, 1)
    days = [first + timedelta(number) for number in range(366)]
    by_patient = {patient.id: _by_day(patient, mode, days) for patient in patients}
    moved = {name for name, rows in by_patient.items() if len(set(rows)) > 1}
    with_gold = [patient.id for patient in patients if patient.gold]
    officials: dict[date, float] = {}
    for number, day in enumerate(days):
        counts = {name: rows[number] for name, rows in by_patient.items()}
        with suppress(DataError):
            _, type_a, type_b = _averages(counts, with_gold)
            officials[day] = (type_a.f1 + type_b.f1) / 2
        if not moved:
            return YearOfScores(0, dict.fromkeys(days, officials[day]) if officials else {})
    return YearOfScores(len(moved), officials)


def _by_day(patient: Patient, mode: Mode, days: Sequence[date]) -> list[PatientCounts]:
    """Count a patient on each day, but only once for all days that can't differ."""
    sides = (patient.gold, patient.predicted) if patient.gold else ()
    dates = [read_timex(timex) for side in sides for _, _, timex in side]
    has_range = mode != "strict" and any(ranges(side, TODAY) for side in sides)
    lacks_month = any(one.month is None for one in dates)
    lacks_day = any(one.day is None for one in dates)
    by_month = (mode == "month" and lacks_month) or (has_range and (lacks_month or mode == "year"))
    by_day = has_range and (lacks_day or mode != "day")
    known: dict[date, PatientCounts] = {}
    rows = []
    for day in days:
        # January has all days, so that a day stands for itself in every month.
        alike = date(_LEAP_YEAR, day.month if by_month else 1, day.day if by_day else 1)
        if alike not in known:
            known[alike] = count(patient, mode, alike, Counter())
        rows.append(known[alike])
    return rows


def printout(scores: ChemoScores, mode: Mode, predicted: int, gold: int, ids: int) -> str:
    """Return what the original prints for numbers of predicted and gold patients and of ids."""
    lines = [
        "Evaluation code for ChemoTimelines Shared Task. Version: v20240305",
        "Reading from files...",
        f"predicted output: {predicted}, gold annotation: {gold}, all ids: {ids}",
        "",
        "Micro average metrics",
        f"Micro precision: {scores.micro.precision}",
        f"Micro recall: {scores.micro.recall}",
        f"Micro f1: {scores.micro.f1}",
        "",
        "Macro average metrics",
    ]
    for name, word, means in (
        ("Type A", "including", scores.type_a),
        ("Type B", "excluding", scores.type_b),
    ):
        lines += [
            f"{name} evaluation: {word} the notes with no true relations",
            f"[{name}] Macro precision: {means.precision}",
            f"[{name}] Macro recall: {means.recall}",
            f"[{name}] Macro f1:  {means.f1}",
            "",
        ]
    lines.append(
        "Official Score: Arithmetic mean of two types of Macro F1, type A and B, in 'relaxed to "
        "month' setting will be used for the leaderboard. "
    )
    lines.append(
        f"Official Score:  {scores.official}"
        if mode == "month"
        else "To see the official score, please run without --strict flag, and set 'relaxed to "
        "month' setting by --relaxed_to=month "
    )
    return "\n".join((*lines, "Evaluation completed!", ""))


def numbers(scores: ChemoScores) -> dict[str, float]:
    """Return the ten numbers of a run by name, in the order of the print-out."""
    averages = {"micro": scores.micro, "type A": scores.type_a, "type B": scores.type_b}
    named = {
        f"{name} {score}": value
        for name, average in averages.items()
        for score, value in average._asdict().items()
    }
    return {**named, _OFFICIAL: scores.official}


def ours(
    gold: Mapping[str, Any], predicted: Mapping[str, Any], mode: Mode
) -> Mapping[str, float] | None:
    """Return our answers to the questions of `numbers`, by the same names; None if we have none."""
    protocol = _PROTOCOLS.get(mode)
    if protocol is None or "events" not in families.NAMES:
        return None

    def events(side: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [
            {"topic": patient, "text": drug, "date": timex, "labels": [relation]}
            for patient, timeline in side.items()
            for drug, relation, timex in timeline
        ]

    settings = Settings.make(families.family("events"), protocol=protocol)
    result = score_data(settings, events(gold), events(predicted))
    return {_OFFICIAL: float(next(iter(result)))}


def comparison(
    scores: ChemoScores, our_numbers: Mapping[str, float] | None, faults: Mapping[str, int]
) -> list[str]:
    """Return the lines that put our numbers beside the original's, with the faults behind them."""
    lines = []
    if our_numbers:
        lines.append(f"{'':<16}  {'original':>8}  {'ours':>8}  faults that make the difference")
        for name, original in numbers(scores).items():
            if name not in our_numbers:
                continue
            differs = abs(original - our_numbers[name]) > _SAME or isnan(our_numbers[name])
            part = {name.rpartition(" ")[2]} & (_PRECISION | _RECALL)  # F1 has both
            causes = [fault for fault in faults if differs and part <= FAULTS[fault].bears_on]
            row = f"{name:<16}  {original:8.4f}  {our_numbers[name]:8.4f}  {', '.join(causes)}"
            lines.append(row.rstrip())
    return lines + [f"{name}: {number} {FAULTS[name].message}" for name, number in faults.items()]


def read_timelines(path: Path) -> Any:
    """Read a file of timelines; a patient who is there twice is refused, since one would be lost."""
    try:
        return parse_json(read_text(path))
    except JsonError as error:
        raise DataError.of(str(error), path, error.line) from None


def read_ids(path: Path) -> list[str]:
    """Read ids, one a line; an empty line is an id, as in the original."""
    text = read_text(path)
    return text.removesuffix("\n").split("\n") if text else []


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise argparse.ArgumentTypeError(f"'{text}' is not a day, expected YYYY-MM-DD")
    return day


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 2 for wrong usage and 3 for data that the original can't score."""
    parser = argparse.ArgumentParser(
        prog="python -m chronoscore.compat.chemotimelines",
        description="Score chemotherapy timelines as eval_timeline.py (v20240305) does.",
    )
    parser.add_argument("--gold_path", required=True, type=Path, help="gold timelines, JSON")
    parser.add_argument("--pred_path", required=True, type=Path, help="predicted timelines, JSON")
    parser.add_argument(
        "--all_id_path", required=True, type=Path, help="ids of all patients, one a line"
    )
    parser.add_argument("--gold_id_path", type=Path, help="ids of the patients to score")
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--strict", action="store_true", help="equal tuples")
    mode.add_argument("--relaxed_to", choices=["day", "month", "year"], help="equal dates of this")
    parser.add_argument(
        "--today", type=_day, help=f"the day on which the original runs (default: {TODAY})"
    )
    options = parser.parse_args(arguments)
    try:
        _run(options)
    except ChronoscoreError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    return 0


def _run(options: argparse.Namespace) -> None:
    mode: Mode = "strict" if options.strict else options.relaxed_to
    gold, predicted = read_timelines(options.gold_path), read_timelines(options.pred_path)
    all_ids = read_ids(options.all_id_path)
    gold_ids = None if options.gold_id_path is None else read_ids(options.gold_id_path)
    names = {
        "gold": str(options.gold_path),
        "predicted": str(options.pred_path),
        "all_ids": str(options.all_id_path),
        "gold_ids": str(options.gold_id_path),
    }
    patients = check(gold, predicted, all_ids=all_ids, gold_ids=gold_ids, names=names)
    absent = _absent(gold, predicted)
    scores = score(patients, mode, options.today or TODAY, absent=absent)
    sys.stdout.write(printout(scores, mode, len(predicted), len(gold), len(all_ids)))
    sys.stdout.flush()
    year = over_the_year(patients, mode)
    if year.moved and options.today is None:
        sys.stderr.write(f"notice: {_clock_notice(year)}\n")
    faults = {"clock": year.moved, **scores.faults} if year.moved else scores.faults
    sys.stderr.writelines(
        f"{one_line(line)}\n" for line in comparison(scores, ours(gold, predicted, mode), faults)
    )


def _clock_notice(year: YearOfScores) -> str:
    lowest, highest = min(year.officials.values()), max(year.officials.values())
    silent = 366 - len(year.officials)
    none = f" ({silent} days have none: a division by zero)" if silent else ""
    return (
        f"the original's answer depends on the day on which it runs: over a year the mean of both "
        f"F1, its official score, goes from {lowest} to {highest}{none}; these numbers are of "
        f"{TODAY}, --today YYYY-MM-DD names another day"
    )


if __name__ == "__main__":
    raise SystemExit(main())
