"""Counts and averages of the original, on any day."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import reduce
from operator import add
from typing import Any, Final, Literal, NamedTuple, get_args

from chronoscore.compat.chemotimelines.dates import TODAY, Moment, is_odd_week, read_timex
from chronoscore.core.records import as_json
from chronoscore.errors import DataError, Problem, UsageError

Mode = Literal["strict", "day", "month", "year"]
MODES: Final[tuple[str, ...]] = get_args(Mode)
Relation = tuple[str, str, str]
"""Drug, relation and timex."""
Range = tuple[Moment, Moment]
BEGIN, END, WITHIN = "begins-on", "ends-on", "contains-1"
_LEAP_YEAR: Final = 2024


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
    """How often each fault bears on the counts, by its name in `faults.FAULTS`."""

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
    return score(patients, mode, today, absent=len(gold.keys() - predicted.keys()))


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
            message = f"patient '{patient}' is among the gold ids, but not in the gold"
            problems.append(Problem(message, paths["gold"]))
            continue
        dates_matter = bool(gold[patient])
        for name, side in (("gold", gold[patient]), ("predicted", timeline)):
            problems += [
                Problem(f"patient '{patient}': {reason}", paths[name])
                for reason in _misfits(side, dates_matter=dates_matter)
            ]
        if not problems:
            patients.append(Patient(patient, _tuples(gold[patient]), _tuples(timeline)))
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


def _misfits(timeline: Any, *, dates_matter: bool) -> Iterator[str]:
    """Say what would end the original; without a gold timeline, it only counts the predictions."""
    if not isinstance(timeline, list | tuple):
        yield f"{as_json(timeline)}, expected a list of tuples"
        return
    for item in timeline if dates_matter else ():
        if not is_relation(item):
            yield f"{as_json(item)}, expected [drug, relation, timex], three texts"
            continue
        try:
            read_timex(item[2])
        except ValueError as error:
            yield f"{as_json(item)}: {error}"


def is_relation(item: Any) -> bool:
    """Whether this is a drug, a relation and a timex, all of them texts."""
    is_triple = isinstance(item, list | tuple) and len(item) == 3
    return is_triple and all(isinstance(text, str) for text in item)


def _tuples(timeline: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(tuple(item) if isinstance(item, list) else item for item in timeline)


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
    rows = counts.values()
    right = sum(row.true_positives for row in rows)
    wrong = sum(row.false_positives for row in rows)
    missing = sum(row.false_negatives for row in rows)
    if not counts:
        raise _division("no predicted patient is in the gold, so that there is nothing to average")
    if not right + wrong:
        raise _division("no predicted tuple is counted in any patient, so that precision is 0/0")
    if not right + missing:
        raise _division("no gold tuple is counted in any patient, so that recall is 0/0")
    micro = Averages(*_scores(right, wrong, missing))
    return micro, _means(rows), _means([counts[patient] for patient in with_gold])


def _division(reason: str) -> DataError:
    return DataError.of(f"{reason}: the original divides by zero and prints no score")


def _means(rows: Collection[PatientCounts]) -> Averages:
    # From left to right on every Python: `sum` rounds differently from 3.12 on.
    columns = list(zip(*rows, strict=True))[3:]
    return Averages(*(reduce(add, column, 0) / len(rows) for column in columns))


def _scores(right: int, wrong: int, missing: int) -> tuple[float, float, float]:
    if not right + missing or not right + wrong:
        return 0, 0, 0
    precision, recall = right / (right + wrong), right / (right + missing)
    both = precision + recall
    return precision, recall, 2 * (precision * recall) / both if both else 0


def count(
    patient: Patient, mode: Mode, today: date, faults: Counter[str] | None = None
) -> PatientCounts:
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
            if any(other in others for other in compatible(item)):
                return "relation"
            if in_range(item, their_ranges, today):
                return "range"
        return "date" if others is golds and (item[0], item[2]) in missed_dates else ""

    extra = Counter(reason(item, golds, gold_ranges) for item in surplus)
    lost = Counter(reason(item, predictions, predicted_ranges) for item in missing)
    right = len(predicted) - len(surplus) + extra["range"] + extra["relation"]
    wrong, lacking = extra[""], lost[""]
    if faults is not None:
        faults["repeats"] += len(gold) - len(golds) + len(predicted) - len(predictions)
        faults["range as answer"] += extra["range"]
        faults["range forgives"] += lost["range"]
        faults["free relations"] += extra["date"] + max(0, extra["relation"] - lost["relation"])
        faults["forgiven relations"] += max(0, lost["relation"] - extra["relation"])
        missed = {_upper_week(item) for item in missing}
        faults["week spelling"] += sum(_upper_week(item) in missed for item in surplus)
        for side, compared in ((patient.gold, gold), (patient.predicted, predicted)):
            if mode != "strict":
                odd = (is_odd_week(timex, months=mode == "month") for _, _, timex in side)
                faults["weeks"] += sum(odd)
            if mode in ("month", "year"):
                cut = set(_with_cut_dates(side, mode, today))
                faults["generic names"] += len(cut) - len(compared)
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
            known[alike] = count(patient, mode, alike)
        rows.append(known[alike])
    return rows
