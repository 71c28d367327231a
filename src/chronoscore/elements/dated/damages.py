"""Damages: a timeline is harmed in a known way, to see which metrics notice.

The damages of days are those of Martschat and Markert 2017 as tilse does them, and ours in the same
manner. The damages of entries harm what an event is: each text of a day is taken for an event. A
damage that is impossible for a timeline, or that leaves it as it was, returns None: nothing can be
merged where there is one day.

>>> from datetime import date
>>> gold = Timeline.of({date(2011, 2, 10): ["Mubarak stays."], date(2011, 2, 11): ["He resigns."]})
>>> [text for texts in reverse_dates(gold, Random(0)).texts for text in texts]
['He resigns.', 'Mubarak stays.']
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import inf
from random import Random

from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.time import Time
from chronoscore.elements.time.calendar import DAY
from chronoscore.elements.time.value import Cell, Extent

Damage = Callable[[Timeline, Random], Timeline | None]
NONSENSE = " ".join(["asdf"] * 10)


# Days


def remove(gold: Timeline, generator: Random) -> Timeline | None:
    """Remove a day, drawn at random."""
    if not gold.days:
        return None
    # Drawn even where there is only one day, so that later golds lose the same days as in tilse.
    removed = generator.choice(gold.dates)
    days = {day: texts for day, texts in gold.days if day != removed}
    return Timeline.of(days) if days else None


def add(gold: Timeline, _: Random) -> Timeline | None:
    """Add a nonsense sentence on the first free day that follows a day of the timeline."""
    taken = _taken_days(gold)
    following = ((day, day.cells()[1] + 1) for day in gold.dates)
    free = next((_moved(*place) for place in following if _is_free(place[1], taken)), None)
    return None if free is None else Timeline.of({**dict(gold.days), free: (NONSENSE,)})


def merge(gold: Timeline, _: Random) -> Timeline | None:
    """Merge the two closest neighbouring days, the first of equals, into the earlier one."""
    pairs = list(pairwise(gold.dates))
    if not pairs:
        return None
    day, other = min(pairs, key=lambda pair: pair[0].gap(pair[1]))
    days = dict(gold.days)
    days[day] += days.pop(other)
    return Timeline.of(days)


def shift(gold: Timeline, _: Random, *, days: int) -> Timeline | None:
    """Move all days by a number of days. What is longer than a day can't be moved by days."""
    cells = [day.cells() for day in gold.dates]
    if not cells or any(first != last for first, last in cells):
        return None
    entries = zip(gold.days, cells, strict=True)
    return Timeline.of({_moved(day, first + days): texts for (day, texts), (first, _) in entries})


def duplicate(gold: Timeline, generator: Random) -> Timeline | None:
    """Repeat the text of a day, drawn at random, on the next free day."""
    candidates = [(day, texts) for day, texts in gold.days if any(map(_says_something, texts))]
    if not candidates:
        return None
    day, texts = generator.choice(candidates)
    free = _next_free(day, gold)
    return None if free is None else Timeline.of({**dict(gold.days), free: texts})


def swap(gold: Timeline, generator: Random) -> Timeline | None:
    """Exchange the texts of two days, drawn at random among those that differ."""
    if len({texts for _, texts in gold.days}) < 2:
        return None
    day, texts = generator.choice(gold.days)
    other, others = generator.choice([item for item in gold.days if item[1] != texts])
    return Timeline.of({**dict(gold.days), day: others, other: texts})


def truncate(gold: Timeline, _: Random) -> Timeline | None:
    """Keep the first half of the days, with the middle one."""
    if len(gold.days) < 2:
        return None
    return Timeline.in_order(gold.days[: (len(gold.days) + 1) // 2])


def split(gold: Timeline, generator: Random) -> Timeline | None:
    """Move the later half of a day's sentences to the next free day; the day is drawn."""
    candidates = []
    for day, texts in gold.days:
        places = [place for place, text in enumerate(texts) if _says_something(text)]
        if len(places) > 1:
            candidates.append((day, texts, places[(len(places) + 1) // 2]))
    if not candidates:
        return None
    day, texts, half = generator.choice(candidates)
    free = _next_free(day, gold)
    if free is None:
        return None
    return Timeline.of({**dict(gold.days), day: texts[:half], free: texts[half:]})


def _says_something(text: str) -> bool:
    """Whether a text has a letter or digit; public golds have "sentences" of stray signs."""
    return any(map(str.isalnum, text))


def _next_free(day: Time, gold: Timeline) -> Time | None:
    """Return the first free day after a day; None if one without an end takes them all."""
    taken = _taken_days(gold)
    number = day.cells()[1] + 1
    while number < inf and not _is_free(number, taken):
        number = max(last for first, last in taken if first <= number <= last) + 1
    return _moved(day, number) if number < inf else None


def _taken_days(gold: Timeline) -> list[Extent]:
    """Return the numbers of the first and the last day of each entry."""
    return [day.cells() for day in gold.dates]


def _is_free(number: Cell, taken: Iterable[Extent]) -> bool:
    return number < inf and not any(first <= number <= last for first, last in taken)


def _moved(day: Time, number: Cell) -> Time:
    """Return a time on another day: the same time of day, or of longer times a day."""
    first, last = day.cells()
    if first == last:
        assert day.begin is not None
        assert day.end is not None
        ticks = int(number - first) * DAY
        return replace(day, begin=day.begin + ticks, end=day.end + ticks)
    begin = int(number) * DAY
    length, resolution = (1, "us") if day.axis == "offset" else (DAY, "day")
    return Time(begin, begin + length, resolution, axis=day.axis, unit=day.unit)


# Entries

Entry = tuple[Time, str]
HEADER = "date event summary"
"""A row of names of columns, taken for an event."""
_LEAST_WORDS = 8
"""The words of the shortest text that is cut in two."""
_AUXILIARIES = frozenset(
    (
        *("is", "are", "was", "were", "has", "have", "had", "will", "would", "can", "could"),
        *("may", "might", "must", "should"),
    )
)
_DENIAL = "It is not true that"
_LEAST_NAME = 3


def drop(gold: Timeline, generator: Random) -> Timeline | None:
    """Drop a fifth of the entries, at least one, drawn at random."""
    entries = _entries(gold)
    if len(entries) < 2:
        return None
    dropped = set(generator.sample(range(len(entries)), _fifth(entries)))
    return _timeline([entry for at, entry in enumerate(entries) if at not in dropped])


def drop_later_half(gold: Timeline, _: Random) -> Timeline | None:
    """Keep the earlier half of the entries, with the middle one."""
    entries = _entries(gold)
    return _changed(entries, entries[: (len(entries) + 1) // 2])


def keep_one_a_day(gold: Timeline, _: Random) -> Timeline | None:
    """Keep the first entry of each day."""
    entries = _entries(gold)
    return _changed(entries, [*{day: (day, text) for day, text in reversed(entries)}.values()])


def repeat_next_day(gold: Timeline, generator: Random) -> Timeline | None:
    """Repeat a fifth of the entries on the next day."""
    entries = [(day, text) for day, text in _entries(gold) if text and day.cells()[1] < inf]
    if not entries:
        return None
    repeated = [
        (_moved(day, day.cells()[1] + 1), text)
        for day, text in generator.sample(entries, _fifth(entries))
    ]
    return _timeline([*_entries(gold), *repeated])


def repeat_same_day(gold: Timeline, generator: Random) -> Timeline | None:
    """Repeat a fifth of the entries on their day."""
    entries = [entry for entry in _entries(gold) if entry[1]]
    if not entries:
        return None
    return _timeline([*_entries(gold), *generator.sample(entries, _fifth(entries))])


def add_foreign(gold: Timeline, generator: Random, *, texts: Sequence[str] = ()) -> Timeline | None:
    """Add texts of other topics, a fifth of the entries, on days of the timeline."""
    entries = _entries(gold)
    if not entries or not texts:
        return None
    added = generator.sample(texts, min(_fifth(entries), len(texts)))
    return _timeline([*entries, *((generator.choice(gold.dates), text) for text in added)])


def add_header(gold: Timeline, _: Random) -> Timeline | None:
    """Add a row with the names of columns on the first day."""
    entries = _entries(gold)
    return _timeline([(entries[0][0], HEADER), *entries]) if entries else None


def split_in_halves(gold: Timeline, _: Random) -> Timeline | None:
    """Cut each entry of eight or more words in the middle; both halves stay on their day."""
    entries = _entries(gold)
    halves: list[Entry] = []
    for day, text in entries:
        words = text.split()
        if len(words) < _LEAST_WORDS:
            halves.append((day, text))
        else:
            middle = len(words) // 2
            halves += [(day, " ".join(part)) for part in (words[:middle], words[middle:])]
    return _changed(entries, halves)


def merge_by_two(gold: Timeline, _: Random) -> Timeline | None:
    """Join neighbours in time two by two, on the earlier day; entries of a day go by their text."""
    entries = sorted(_entries(gold))
    pairs = [entries[at : at + 2] for at in range(0, len(entries), 2)]
    merged = [(pair[0][0], " ".join(text for _, text in pair).strip()) for pair in pairs]
    return _changed(entries, merged)


def swap_names(gold: Timeline, _: Random) -> Timeline | None:
    """Exchange in each entry the two capitalised words that differ and stand furthest apart."""
    return _retold(gold, _with_names_swapped)


def _with_names_swapped(text: str) -> str:
    words = text.split()
    names = [at for at, word in enumerate(words) if _is_name(word)]
    pairs = [(a, b) for a in names for b in names if a < b and words[a] != words[b]]
    if not pairs:
        return text
    first, last = max(pairs, key=lambda pair: pair[1] - pair[0])
    words[first], words[last] = words[last], words[first]
    return " ".join(words)


def _is_name(word: str) -> bool:
    return len(word) >= _LEAST_NAME and word.isalpha() and word[0].isupper()


def negate(gold: Timeline, _: Random) -> Timeline | None:
    """Deny each entry: "not" behind its first auxiliary verb, else a clause in front (English)."""
    return _retold(gold, _denied)


def _denied(text: str) -> str:
    words = text.split()
    verb = next((at for at, word in enumerate(words) if word.lower() in _AUXILIARIES), None)
    if verb is None:
        return f"{_DENIAL} {text}"
    return " ".join([*words[: verb + 1], "not", *words[verb + 1 :]])


def change_numbers(gold: Timeline, _: Random) -> Timeline | None:
    """Write 3n + 7 for each number n that is written in digits."""
    return _retold(gold, lambda text: _DIGITS.sub(lambda found: str(3 * int(found[0]) + 7), text))


_DIGITS = re.compile(r"\d{1,4000}")


def mix_into_one(gold: Timeline, generator: Random) -> Timeline | None:
    """Shuffle the words of the first two entries of each day into one text."""
    return _mixed(gold, generator, lambda words, _: (" ".join(words),))


def mix_into_two(gold: Timeline, generator: Random) -> Timeline | None:
    """Shuffle the words of the first two entries of each day into two texts as long as they are."""
    return _mixed(
        gold,
        generator,
        lambda words, length: (" ".join(words[:length]), " ".join(words[length:])),
    )


def _mixed(
    gold: Timeline, generator: Random, cut: Callable[[list[str], int], tuple[str, ...]]
) -> Timeline | None:
    days: dict[Time, tuple[str, ...]] = {}
    for day, texts in gold.days:
        sentences = [text for text in texts if text]
        days[day] = tuple(sentences)
        if len(sentences) > 1:
            words = sentences[0].split() + sentences[1].split()
            generator.shuffle(words)
            days[day] = (*cut(words, len(sentences[0].split())), *sentences[2:])
    mixed = [(day, text) for day, texts in days.items() for text in texts or ("",)]
    return _changed(_entries(gold), mixed)


def shuffle_texts(gold: Timeline, generator: Random) -> Timeline | None:
    """Exchange the texts among all entries, drawn at random."""
    entries = _entries(gold)
    days, texts = [day for day, _ in entries], [text for _, text in entries]
    if len({*days}) < 2 or len({*texts}) < 2:
        return None
    ordered = sorted(entries)
    while sorted(entries) == ordered:
        generator.shuffle(texts)
        entries = [*zip(days, texts, strict=True)]
    return _timeline(entries)


def reverse_dates(gold: Timeline, _: Random) -> Timeline | None:
    """Give the first entry the last date, and so on; entries of a day go by their text."""
    entries = sorted(_entries(gold))
    turned = zip(entries, reversed(entries), strict=True)
    return _changed(entries, [(day, text) for (_, text), (day, _) in turned])


def _entries(gold: Timeline) -> list[Entry]:
    """Return the texts with their days; a day without a text has an empty one, to be kept."""
    return [
        (day, text) for day, texts in gold.days for text in [text for text in texts if text] or [""]
    ]


def _timeline(entries: Iterable[Entry]) -> Timeline:
    days: dict[Time, list[str]] = {}
    for day, text in entries:
        days.setdefault(day, []).extend([text] if text else ())
    return Timeline.of(days)


def _changed(entries: Sequence[Entry], damaged: Sequence[Entry]) -> Timeline | None:
    """Return a damaged timeline, or None if nothing is left or the entries are what they were."""
    return _timeline(damaged) if damaged and sorted(damaged) != sorted(entries) else None


def _retold(gold: Timeline, retell: Callable[[str], str]) -> Timeline | None:
    entries = _entries(gold)
    return _changed(entries, [(day, text and retell(text)) for day, text in entries])


def _fifth(entries: Sequence[Entry]) -> int:
    return max(1, round(len(entries) / 5))


PUBLISHED: Mapping[str, Damage] = {
    "remove": remove,
    "add": add,
    "merge": merge,
    "shift_1_day": partial(shift, days=1),
    "shift_5_days": partial(shift, days=5),
}
OURS: Mapping[str, Damage] = {
    "duplicate": duplicate,
    "swap": swap,
    "truncate": truncate,
    "split": split,
}
DAYS: Mapping[str, Damage] = {**PUBLISHED, **OURS}
"""In the order in which they run, since they draw from one generator; the published come first."""
ENTRIES: Mapping[str, Damage] = {
    "drop_a_fifth": drop,
    "drop_later_half": drop_later_half,
    "keep_one_a_day": keep_one_a_day,
    "repeat_next_day": repeat_next_day,
    "repeat_same_day": repeat_same_day,
    "add_foreign": add_foreign,
    "add_header": add_header,
    "split_in_halves": split_in_halves,
    "merge_by_two": merge_by_two,
    "swap_names": swap_names,
    "negate": negate,
    "change_numbers": change_numbers,
    "mix_into_one": mix_into_one,
    "mix_into_two": mix_into_two,
    "shift_1_day": partial(shift, days=1),
    "shift_5_days": partial(shift, days=5),
    "shift_30_days": partial(shift, days=30),
    "shuffle_texts": shuffle_texts,
    "reverse_dates": reverse_dates,
}
"""Each draws from a generator of its own."""
