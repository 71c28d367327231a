"""Which prediction belongs to which gold, where people write one topic in several ways.

Names are compared at four levels: as written, by their tokens, without the affixes that all names
of a side share, and without a known news source at the end. Each level is tried on all names of a
system together and pairs one to one; no level guesses. Affixes and sources are taken off without
being asked only if that leaves no name over; otherwise they are proposals.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import msgspec
from msgspec.structs import replace

from chronoscore.core.case import ONLY

Target = tuple[str, str | None]
"""A topic, and one of its golds; None for all of them, or the only one."""
Pairs = Mapping[str, Target]
Prediction = tuple[str, str]
"""The topic and the name of a prediction, as its files have them."""
Names = Mapping[str, Collection[str]]
"""The names of the golds, or of the predictions, of each topic."""
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


def _characters_of(name: str) -> Tokens:
    """Return the characters of all tokens."""
    return tuple("".join(tokens_of(name)))


def written(target: Target) -> str:
    """Write a target as a user names it: TOPIC, or TOPIC/GOLD."""
    topic, gold = target
    return topic if gold is None else f"{topic}/{gold}"


def targets_by_name(golds: Names) -> dict[str, Target]:
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


def predictions_by_name(predicted: Names, golds: Names) -> dict[str, Prediction]:
    """Return predictions by the names that are matched: TOPIC, or TOPIC/NAME.

    The name counts if the topic has several predictions, or if one of several golds of any topic
    has it too; but not the name that a prediction has where nothing names it.

    >>> golds = {"Egypt": ["AP", "BBC"]}
    >>> predictions_by_name({"egypt": ["ap"], "libya": ["run"], "syria": ["1"]}, golds)
    {'egypt/ap': ('egypt', 'ap'), 'libya': ('libya', 'run'), 'syria': ('syria', '1')}
    """
    gold_names = {tokens_of(n) for names in golds.values() if len(names) > 1 for n in names}

    def is_named(names: Collection[str], name: str) -> bool:
        return len(names) > 1 or (name != ONLY and tokens_of(name) in gold_names)

    return {
        written((topic, name if is_named(names, name) else None)): (topic, name)
        for topic, names in predicted.items()
        for name in names
    }


class NameMatch(msgspec.Struct, frozen=True):
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


class _Affixes(msgspec.Struct, frozen=True):
    """The tokens that are taken off both ends of all names of a side."""

    first: Tokens = ()
    last: Tokens = ()

    def off(self, tokens: Tokens) -> Tokens:
        return tokens[len(self.first) : len(tokens) - len(self.last)]

    def __len__(self) -> int:
        return len(self.first) + len(self.last)


class _Way(msgspec.Struct, frozen=True):
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


class _Names:
    """The names of a system and of its golds, cut into tokens; or into characters."""

    def __init__(
        self, golds: Names, predicted: Iterable[str], fixed: Pairs, cut: Callable[[str], Tokens]
    ) -> None:
        self.golds, self.fixed = golds, fixed
        self.topics = {topic: cut(topic) for topic in sorted(golds)}
        self.gold_names = {name: cut(name) for names in golds.values() for name in names}
        self.predicted = {name: cut(name) for name in predicted}
        self._targets: dict[Any, dict[Tokens, set[Target]]] = {}
        """The golds by their shortened names, for each way to shorten them."""

    def pairs(self, way: _Way) -> dict[str, Target]:
        """Pair names whose tokens are equal once both sides are shortened."""
        key = (way.golds, way.group, way.source == "golds")
        if key not in self._targets:
            self._targets[key] = self._shortened(*key)
        targets = self._targets[key]

        def found(name: str) -> Collection[Target]:
            rest = way.predictions.off(self.predicted[name])
            equal = targets.get(rest, ())
            if equal or way.source != "predictions" or not SOURCES.issuperset(rest[-1:]):
                return equal
            topics = targets.get(rest[:-1], ())
            return [target for target in topics if len(self.golds[target[0]]) == 1]

        return one_to_one(((name, found(name)) for name in self.predicted), self.fixed)

    def _shortened(self, off: _Affixes, group: str, no_source: bool) -> dict[Tokens, set[Target]]:
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
                    targets.setdefault(rest + self.gold_names[name], set()).add(target)
        return targets

    def ways(self, folder: Tokens) -> list[_Way]:
        """Return all ways to take affixes off, also none, those that take least first.

        They do not all fit (`_Way.fits`).
        """
        off = _affixes([*self.predicted.values()])
        if len(self.predicted) == 1:
            (tokens,) = self.predicted.values()
            off = [_Affixes(), *[_Affixes(folder)] * (folder == tokens[: len(folder)] != tokens)]
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


def _shared(names: Iterable[Tokens]) -> int:
    """Return how many tokens all names have in common at the front."""
    least, most = min(names), max(names)
    pairs = enumerate(zip(least, most, strict=False))
    return next((at for at, (a, b) in pairs if a != b), len(least))


def _affixes(names: Sequence[Tokens], *, longest: bool = False) -> list[_Affixes]:
    """Return all affixes that the names share, also none; no name is taken off as a whole."""
    shortest = min(map(len, names), default=0)
    if shortest < 2 or (longest and len(names) < 2):
        return [_Affixes()]
    one, front, back = names[0], _shared(names), _shared([name[::-1] for name in names])
    return [
        _Affixes(one[:first], one[len(one) - last :])
        for first in ({0, front} if longest else range(min(front, MOST_TAKEN) + 1))
        for last in ({0, back} if longest else range(min(back, MOST_TAKEN) + 1))
        if first + last < shortest
    ]


def _affix_texts(names: Mapping[str, Tokens], affixes: _Affixes) -> Iterator[str]:
    """Return what is taken off, as the first name that has it is written."""
    for name, tokens in names.items():
        rest = affixes.off(tokens)
        if rest and affixes.first + rest + affixes.last == tokens:
            text = unicodedata.normalize("NFKC", name)
            places = [place.span() for place in re.finditer(f"[^{_SEPARATORS}]+", text)]
            if affixes.first:
                yield text[: places[len(affixes.first)][0]]
            if affixes.last:
                yield text[places[-len(affixes.last) - 1][1] :]
            return


def find_matches(
    golds: Names, predicted: Iterable[str], *, folder: str = "", fixed: Pairs | None = None
) -> list[NameMatch]:
    """Match the names of a system at every level, and return those that match more than others.

    `golds` are the names of the golds of each topic, `folder` is the folder of the predictions,
    and `fixed` are pairs that the user has decided. The last of the matches has the most pairs.

    >>> golds = {"crisis-egypt": ["ap", "bbc"], "crisis-libya": ["cnn"]}
    >>> names = ["run_egypt_ap", "run_egypt_bbc", "run_libya"]
    >>> match = find_matches(golds, names)[-1]
    >>> match.level, match.pairs["run_egypt_ap"], match.pairs["run_libya"]
    (5, ('crisis-egypt', 'ap'), ('crisis-libya', None))
    """
    fixed = fixed or {}
    open_names = sorted(name for name in predicted if name not in fixed)
    targets = targets_by_name(golds)
    exact = one_to_one(((n, [targets[n]]) for n in open_names if n in targets), fixed)
    matches = [_match(golds, open_names, _WRITTEN if exact or not open_names else 0, exact)]
    if not matches[0].unmatched:
        return matches
    for level, names, ways in _levels(golds, open_names, folder, fixed):
        least = matches[-1].pairs
        pairs, way = _best(names, ways, least)
        if len(pairs) > len(least):
            different = sum(name != written(pairs[name]) for name in open_names if name in pairs)
            taken = _words(level, names, way, different)
            matches.append(_match(golds, open_names, level, pairs, taken))
        if not matches[-1].unmatched:
            break
    return matches


def _levels(
    golds: Names, predicted: Sequence[str], folder: str, fixed: Pairs
) -> Iterator[tuple[int, _Names, Iterable[_Way]]]:
    """Yield every level after the first, with the names and the ways to shorten them."""
    names = _Names(golds, predicted, fixed, tokens_of)
    yield _TOKENS, names, [_Way()]
    ways = names.ways(tokens_of(folder))
    yield _AFFIXES, names, [way for way in ways if way.fits]
    by_source = [replace(way, source=side) for way in ways for side in ("predictions", "golds")]
    yield _SOURCE, names, [way for way in by_source if way.fits]
    yield _DIFFERENT, names, ways
    spelled = _Names(golds, predicted, fixed, _characters_of)
    off, gold_off = (
        _affixes([*side.values()], longest=True) for side in (spelled.predicted, spelled.topics)
    )
    longest = (_Way(*pair) for pair in product(off, gold_off))
    yield _CHARACTERS, spelled, sorted(longest, key=lambda way: way.taken)


def _words(level: int, names: _Names, way: _Way, different: int) -> str:
    """Say what was taken off the names."""
    if level == _TOKENS:
        return f"{many(different, 'name')} without regard to case and separators"
    if level == _CHARACTERS:
        return "after taking off what all names of a side begin or end with"
    parts = [
        f"{' and '.join(ends)} off {whose}"
        for affixes, side, whose in (
            (way.predictions, names.predicted, many(len(names.predicted), "prediction")),
            (way.golds, names.topics, "the golds"),
        )
        if (ends := [f"'{text}'" for text in _affix_texts(side, affixes)])
    ]
    parts += [f"news sources off the end of {way.source}"] * bool(way.source)
    *others, last = parts
    return f"after taking {', '.join(others)}{' and ' * bool(others)}{last}"


def _match(
    golds: Names, predicted: Iterable[str], level: int, pairs: Pairs, taken: str = ""
) -> NameMatch:
    """Return a match, with the names of both sides that are left over."""
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


def _best(names: _Names, ways: Iterable[_Way], least: Pairs) -> tuple[Pairs, _Way]:
    """Return the most pairs that any way gives, if they include the given ones.

    Of ways that take off equally much and give equally many pairs none is taken, unless the
    pairs are the same.
    """
    best, best_way, unclear = least, _Way(), False
    most = len(names.predicted) + len(names.fixed)
    for way in ways:
        if len(best) == most and way.taken > best_way.taken:
            break
        pairs = names.pairs(way)
        if len(pairs) < len(best) or not least.items() <= pairs.items():
            continue
        if len(pairs) > len(best):
            best, best_way, unclear = pairs, way, False
        elif way.taken == best_way.taken and pairs != best:
            unclear = True
    return (least, _Way()) if unclear else (best, best_way)
