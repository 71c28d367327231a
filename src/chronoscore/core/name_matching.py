"""Which prediction belongs to which gold, where people write one topic in several ways.

Names are compared at four levels: as written, by their tokens, without the affixes that all names
of a side share, and without a known news source at the end. Each level is tried on all names of a
system together and pairs one to one; no level guesses. Affixes and sources are taken off without
being asked only if that leaves no name over; otherwise they are proposals.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from chronoscore.core.case import ONLY

Target = tuple[str, str | None]
"""A topic, and one of its golds; None for all of them, or the only one."""
Pairs = Mapping[str, Target]
Prediction = tuple[str, str]
"""The topic and the name of a prediction, as its files have them."""
Tokens = tuple[str, ...]

SOURCES = frozenset(
    (
        *("ap", "afp", "aljazeera", "bbc", "cnn", "dailystar", "foxnews", "guardian", "latimes"),
        *("nyt", "nytimes", "reuters", "sbs", "telegraph", "telegraphs", "voa", "washington"),
        *("washingtonpost", "xinhua"),
    )
)
"""The news sources that a name may end with."""
MOST_TAKEN = 8
"""The most tokens that are taken off the names of both sides together: with more there are too many
ways to try."""
_SEPARATORS = r"\s_\-.+/:,"
_YEAR = re.compile(r"\d{4}")
_WRITTEN, _TOKENS, _AFFIXES, _SOURCE, _DIFFERENT, _CHARACTERS = range(1, 7)
"""The levels; the last two are only taken where the user accepts them."""


def tokens_of(name: str) -> Tokens:
    """Return the tokens by which names are compared: accents, digits and their order count.

    >>> tokens_of("CRISIS_bestds-Egypt tl2.1")
    ('crisis', 'bestds', 'egypt', 'tl2', '1')
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return tuple(re.findall(f"[^{_SEPARATORS}]+", folded))


def written(target: Target) -> str:
    """Write a target as a user names it: TOPIC, or TOPIC/GOLD."""
    topic, gold = target
    return topic if gold is None else f"{topic}/{gold}"


def targets_by_name(golds: Mapping[str, Collection[str]]) -> dict[str, Target]:
    """Return what golds are called as they are written: TOPIC, and TOPIC/GOLD.

    >>> targets_by_name({"egypt": ["ap", "bbc"]})["egypt/ap"]
    ('egypt', 'ap')
    """
    single = {
        f"{topic}/{name}": (topic, name if len(names) > 1 else None)
        for topic, names in golds.items()
        for name in names
    }
    return {**single, **{topic: (topic, None) for topic in golds}}


def predictions_by_name(predicted: Mapping[str, Collection[str]]) -> dict[str, Prediction]:
    """Return predictions by the names that are matched: TOPIC, or TOPIC/NAME of one of several.

    >>> predictions_by_name({"egypt": ["ap", "bbc"], "libya": ["cnn"]})
    {'egypt/ap': ('egypt', 'ap'), 'egypt/bbc': ('egypt', 'bbc'), 'libya': ('libya', 'cnn')}
    """
    return {
        written((topic, name if len(names) > 1 else None)): (topic, name)
        for topic, names in predicted.items()
        for name in names
    }


@dataclass(frozen=True)
class NameMatch:
    """Which prediction belongs to which gold, and how their names were matched."""

    level: int
    """1 as written, 2 by tokens, 3 without affixes, 4 without sources, 5 without different affixes,
    6 without affixes of characters; 0 where no prediction has a gold."""
    pairs: Pairs
    unmatched: tuple[str, ...]
    """Predictions without a gold."""
    missing: tuple[str, ...]
    """Topics, and single golds of topics, without a prediction."""
    taken: str = ""
    """What was taken off the names, in words."""

    @property
    def automatic(self) -> bool:
        """Whether the match applies without being asked for."""
        return self.level <= _TOKENS or (
            self.level <= _SOURCE and not self.unmatched and not self.missing
        )


@dataclass(frozen=True)
class _Affixes:
    """The tokens that are taken off both ends of all names of a side."""

    first: Tokens = ()
    last: Tokens = ()

    def off(self, tokens: Tokens) -> Tokens:
        return tokens[len(self.first) : len(tokens) - len(self.last)]

    def are_of(self, tokens: Tokens) -> bool:
        rest = self.off(tokens)
        return bool(rest) and self.first + rest + self.last == tokens

    def __len__(self) -> int:
        return len(self.first) + len(self.last)


@dataclass(frozen=True)
class _Way:
    """A way to shorten the names of both sides."""

    predictions: _Affixes = _Affixes()
    golds: _Affixes = _Affixes()
    group: str = ""
    """The first token of the only golds that count; empty for all."""
    source: str = ""
    """The side that loses its source at the end: predictions, golds, or neither."""

    @property
    def taken(self) -> int:
        return len(self.predictions) + len(self.golds)

    @property
    def fits(self) -> bool:
        """Whether what both sides lose at the same end says the same."""
        predicted, gold = self.predictions, self.golds
        if self.source and (gold if self.source == "predictions" else predicted).last:
            return False
        years, gold_years = (
            set(filter(_YEAR.fullmatch, s.first + s.last)) for s in (predicted, gold)
        )
        return (
            _say_the_same(predicted.first, gold.first)
            and _say_the_same(predicted.last, gold.last)
            and (not years or gold_years <= years)  # also where they are at different ends
        )


def _say_the_same(predicted: Tokens, gold: Tokens) -> bool:
    """Whether affixes have a token in common, and every number of the gold's, or one is empty."""
    numbers = {token for token in gold if any(map(str.isdigit, token))}
    common = {*predicted} & {*gold}
    return not predicted or not gold or (bool(common) and numbers <= common)


@dataclass(frozen=True)
class _Names:
    """The names of a system and of its golds, with their tokens; sorted, as order counts nothing.

    A prediction that is the only one of its topic is meant by the topic alone, and by the topic
    with the name that the prediction has, if it has one (`own`).
    """

    golds: Mapping[str, Collection[str]]
    folder: Tokens
    fixed: Pairs
    """Pairs that the user has decided."""
    topics: Mapping[str, Tokens]
    predicted: Mapping[str, Tokens]
    own: Mapping[str, Tokens]
    characters: int = 0
    """How many characters were taken off before names were cut into tokens."""
    targets: dict[Any, dict[Tokens, set[Target]]] = field(default_factory=dict)
    """The golds by their shortened names, for each way to shorten them."""

    def pairs(self, way: _Way) -> dict[str, Target]:
        """Pair names whose tokens are equal once both sides are shortened."""
        key = (way.golds, way.group, way.source == "golds")
        if key not in self.targets:
            self.targets[key] = self._targets(*key)
        targets = self.targets[key]

        def found(name: str) -> Collection[Target]:
            rest = way.predictions.off(self.predicted[name])
            own = targets.get(rest + self.own[name]) if name in self.own else None
            equal = own or targets.get(rest, ())
            if equal or way.source != "predictions" or not SOURCES.issuperset(rest[-1:]):
                return equal
            topics = targets.get(rest[:-1], ())
            return [target for target in topics if len(self.golds[target[0]]) == 1]

        return one_to_one(((name, found(name)) for name in self.predicted), self.fixed)

    def _targets(self, off: _Affixes, group: str, no_source: bool) -> dict[Tokens, set[Target]]:
        """Return the golds by their shortened names; none, if a name has no source to lose."""
        targets: dict[Tokens, set[Target]] = {}
        for topic, tokens in self.topics.items():
            if group and tokens[:1] != (group,):
                continue
            rest = off.off(tokens)
            if no_source:
                if len(rest) < 2 or rest[-1] not in SOURCES:
                    return {}
                rest = rest[:-1]
            names = self.golds[topic]
            if rest:
                targets.setdefault(rest, set()).add((topic, None))
                for name in names:
                    target = (topic, name if len(names) > 1 else None)
                    targets.setdefault(rest + tokens_of(name), set()).add(target)
        return targets

    def ways(self) -> list[_Way]:
        """Return all ways to take affixes off, also none, those that take least first.

        They do not all fit (`_Way.fits`).
        """
        off = _affixes([*self.predicted.values()])
        if len(self.predicted) == 1:
            (tokens,) = self.predicted.values()
            is_prefix = self.folder == tokens[: len(self.folder)] != tokens
            off = [_Affixes(), *[_Affixes(self.folder)] * is_prefix]
        several = sum(map(len, self.golds.values())) > 1
        gold_off = _affixes([*self.topics.values()]) if several else [_Affixes()]
        ways = [_Way(*pair) for pair in product(off, gold_off)]
        groups: dict[str, list[Tokens]] = {}
        for tokens in self.topics.values():
            groups.setdefault(tokens[0] if tokens[1:] else "", []).append(tokens)
        for group in {token for affixes in off for token in affixes.first}.intersection(groups):
            if len(groups[group]) < len(self.topics):
                of_group = [each for each in _affixes(groups[group]) if each.first]
                ways += [_Way(*pair, group) for pair in product(off, of_group)]
        few = (way for way in ways if way.taken <= MOST_TAKEN)
        return sorted(few, key=lambda way: way.taken)

    def without_characters(self) -> "Iterator[_Names]":
        """Yield the names without the characters that all names of a side begin or end with."""
        ends = (_common_characters([*self.predicted]), _common_characters([*self.topics]))
        for (front, back), (gold_front, gold_back) in product(*ends):
            yield replace(
                self,
                characters=front + back + gold_front + gold_back,
                targets={},
                predicted={n: tokens_of(n[front : len(n) - back]) for n in self.predicted},
                topics={n: tokens_of(n[gold_front : len(n) - gold_back]) for n in self.topics},
            )

    def words(self, way: _Way) -> str:
        """Say what a way takes off the names."""
        parts = [
            f"{' and '.join(ends)} off {whose}"
            for affixes, side, whose in (
                (way.predictions, self.predicted, many(len(self.predicted), "prediction")),
                (way.golds, self.topics, "the golds"),
            )
            if (ends := [f"'{text}'" for text in _affix_texts(side, affixes)])
        ]
        parts += [f"news sources off the end of {way.source}"] * bool(way.source)
        return f"after taking {' and '.join(parts)}"


def many(number: int, noun: str) -> str:
    """Write a number of things."""
    return f"{number} {noun}{'s' * (number != 1)}"


def one_to_one(
    candidates: Iterable[tuple[str, Collection[Target]]], fixed: Pairs
) -> dict[str, Target]:
    """Return the pairs whose gold no other pair has, with those that the user has decided."""
    single = {name: next(iter(found)) for name, found in candidates if len(found) == 1}
    counts = Counter([*single.values(), *fixed.values()])
    parts = Counter(topic for topic, gold in counts if gold is not None)
    clear = {
        name: (topic, gold)
        for name, (topic, gold) in single.items()
        if counts[topic, gold] == 1 and not (parts[topic] if gold is None else counts[topic, None])
    }
    return {**fixed, **clear}


def _shared(names: Sequence[Sequence[str]]) -> int:
    """Return how many items all names have in common at the front."""
    least, most = min(names), max(names)
    pairs = enumerate(zip(least, most, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(least), len(most)))


def _common_characters(names: Sequence[str]) -> list[tuple[int, int]]:
    """Return how many characters all names share: none, at the front, at the back, at both ends."""
    if len(names) < 2:
        return [(0, 0)]
    front = _shared(names)
    back = min(_shared([name[::-1] for name in names]), min(map(len, names)) - front)
    return [*dict.fromkeys(((0, 0), (front, 0), (0, back), (front, back)))]


def _affixes(names: Sequence[Tokens]) -> list[_Affixes]:
    """Return all affixes that the names share, also none; no name is taken off as a whole."""
    if not names:
        return [_Affixes()]
    most = min(min(map(len, names)) - 1, MOST_TAKEN)
    one, front, back = names[0], _shared(names), _shared([name[::-1] for name in names])
    return [
        _Affixes(one[:first], one[len(one) - last :])
        for first in range(front + 1)
        for last in range(back + 1)
        if first + last <= max(most, 0)
    ]


def _affix_texts(names: Mapping[str, Tokens], affixes: _Affixes) -> Iterator[str]:
    """Return what is taken off, as the first name that has it is written."""
    first = (name for name, tokens in names.items() if affixes.are_of(tokens))
    name = unicodedata.normalize("NFKC", next(first, ""))
    places = [place.span() for place in re.finditer(f"[^{_SEPARATORS}]+", name)]
    if affixes.first:
        yield name[: places[len(affixes.first)][0]]
    if affixes.last:
        yield name[places[-len(affixes.last) - 1][1] :]


def find_matches(
    golds: Mapping[str, Collection[str]],
    predicted: Mapping[str, Prediction],
    *,
    folder: str = "",
    fixed: Pairs | None = None,
) -> list[NameMatch]:
    """Match the names of a system at every level, and return those that match more than others.

    `golds` are the names of the golds of each topic, `folder` is the folder of the predictions,
    and `fixed` are pairs that the user has decided. The last of the matches has the most pairs.

    >>> golds = {"crisis-egypt": ["ap", "bbc"], "crisis-libya": ["cnn"]}
    >>> names = ["run_egypt_ap", "run_egypt_bbc", "run_libya"]
    >>> match = find_matches(golds, {name: (name, "1") for name in names})[-1]
    >>> match.level, match.pairs["run_egypt_ap"], match.pairs["run_libya"]
    (5, ('crisis-egypt', 'ap'), ('crisis-libya', None))
    """
    fixed = fixed or {}
    open_names = sorted(name for name in predicted if name not in fixed)
    own = {
        name: predicted[name][1]
        for name in open_names
        if predicted[name][0] == name and predicted[name][1] != ONLY
    }
    matches = [_as_written(golds, open_names, own, fixed)]
    if not matches[0].unmatched:
        return matches
    topics = {topic: tokens_of(topic) for topic in sorted(golds)}
    names = _Names(
        golds,
        tokens_of(folder),
        fixed,
        topics,
        {name: tokens_of(name) for name in open_names},
        {name: tokens_of(text) for name, text in own.items()},
    )
    ways = names.ways()
    by_source = [replace(way, source=side) for way in ways for side in ("predictions", "golds")]
    for level, tried in (
        (_TOKENS, [(names, _Way())]),
        (_AFFIXES, [(names, way) for way in ways if way.fits]),
        (_SOURCE, [(names, way) for way in by_source if way.fits]),
        (_DIFFERENT, [(names, way) for way in ways]),
        (_CHARACTERS, ((shorter, _Way()) for shorter in names.without_characters())),
    ):
        least = matches[-1].pairs
        pairs, way = _best(tried, least, len(predicted))
        if len(pairs) == len(least):
            continue
        taken = names.words(way)
        if level == _TOKENS:
            different = sum(name != written(pairs[name]) for name in open_names if name in pairs)
            taken = f"{many(different, 'name')} without regard to case and separators"
        elif level == _CHARACTERS:
            taken = "after taking off what all names of a side begin or end with"
        matches.append(_match(golds, open_names, level, pairs, taken))
        if len(pairs) == len(predicted):
            break
    return matches


def _as_written(
    golds: Mapping[str, Collection[str]],
    predicted: Sequence[str],
    own: Mapping[str, str],
    fixed: Pairs,
) -> NameMatch:
    """Match names that are equal as they are written."""
    targets = targets_by_name(golds)

    def found(name: str) -> Collection[Target]:
        target = targets.get(f"{name}/{own[name]}") if name in own else None
        if (
            target is None
            and name in own
            and tokens_of(own[name]) in map(tokens_of, golds.get(name, ()))
        ):
            return ()  # not all golds of the topic, but the one that is written in another way
        target = target or targets.get(name)
        return [target] if target else ()

    pairs = one_to_one(((name, found(name)) for name in predicted), fixed)
    return _match(golds, predicted, _WRITTEN if pairs or not predicted else 0, pairs)


def _match(
    golds: Mapping[str, Collection[str]],
    predicted: Iterable[str],
    level: int,
    pairs: Pairs,
    taken: str = "",
) -> NameMatch:
    covered = {*pairs.values()}
    begun = {topic for topic, _ in covered}
    missing = [
        written((topic, name)) if topic in begun else topic
        for topic, names in sorted(golds.items())
        if (topic, None) not in covered
        for name in names
        if (topic, name) not in covered
    ]
    unmatched = tuple(name for name in predicted if name not in pairs)
    return NameMatch(level, pairs, unmatched, tuple(dict.fromkeys(missing)), taken)


def _best(tried: Iterable[tuple[_Names, _Way]], least: Pairs, most: int) -> tuple[Pairs, _Way]:
    """Return the most pairs that any way gives, if they include the given ones.

    Of ways that take off equally much and give equally many pairs none is taken, unless the
    pairs are the same.
    """
    best, best_way, best_taken, unclear = least, _Way(), 0, False
    for names, way in tried:
        taken = names.characters + way.taken
        if len(best) == most and taken > best_taken:
            break
        pairs = names.pairs(way)
        if len(pairs) < len(best) or not least.items() <= pairs.items():
            continue
        if len(pairs) > len(best):
            best, best_way, best_taken, unclear = pairs, way, taken, False
        elif taken == best_taken and pairs != best:
            unclear = True
    return (least, _Way()) if unclear else (best, best_way)
