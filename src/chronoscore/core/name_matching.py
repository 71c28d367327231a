"""Which prediction belongs to which gold, where people write one topic in several ways.

Names are compared at four levels: as written, by their tokens, without the affixes that all names
of a side share, and without a known news source at the end. Each level is tried on all names of a
system together and pairs one to one; no level guesses. Affixes and sources are taken off without
being asked only if that leaves no name over; otherwise they are proposals.
"""

import csv
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from chronoscore.core.case import ONLY, some
from chronoscore.core.problems import Fact, Problems, escaped
from chronoscore.core.sources import Source, source_of
from chronoscore.errors import DataError, UsageError

Item = TypeVar("Item")

Target = tuple[str, str | None]
"""A topic, and one of its golds; None for all of them, or the only one."""
Tokens = tuple[str, ...]

LEAVE_OUT = "-"
"""What a prediction is renamed to that is left out on purpose."""
SOURCES = frozenset(
    (
        *("ap", "afp", "aljazeera", "bbc", "cnn", "dailystar", "foxnews", "guardian", "latimes"),
        *("nyt", "nytimes", "reuters", "sbs", "telegraph", "telegraphs", "voa", "washington"),
        *("washingtonpost", "xinhua"),
    )
)
"""The news sources that a name may end with."""
_LAST_SOURCES = frozenset((source,) for source in SOURCES)
MOST_PROPOSED = 3
"""The most golds that are proposed for a prediction."""
MOST_LISTED = 20
"""The most predictions for which golds are proposed."""
DECIDED: Mapping[str, str] = {"match": "exact", "extra": "skip"}
"""The options where names were matched already."""
NAME = "name"
"""A fact: the system, the name of a prediction, and the gold that it was matched with."""
_MOST_TAKEN = 8
"""The most tokens that are taken off an end of a name."""
_MOST_WORK, _LEAST_WAYS = 2_000_000, 100
"""About how many names are looked up in all ways to take affixes off, and how many ways there are
at least: only where thousands of names share many tokens are not all of them tried."""
_SEPARATORS = re.compile(r"[\s_\-.+/:,]+")
_WRITTEN, _TOKENS, _AFFIXES, _SOURCE, _CHARACTERS = 1, 2, 3, 4, 5
"""The levels; the last is only taken where the user accepts it."""


def tokens_of(name: str) -> Tokens:
    """Return the tokens by which names are compared: accents, digits and their order count.

    >>> tokens_of("CRISIS_bestds-Egypt tl2.1")
    ('crisis', 'bestds', 'egypt', 'tl2', '1')
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return tuple(token for token in _SEPARATORS.split(folded) if token)


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


@dataclass(frozen=True)
class NameMatch:
    """Which prediction belongs to which gold, and how their names were matched."""

    level: int
    """1 as written, 2 by tokens, 3 without affixes, 4 without sources, 5 without affixes of
    characters; 0 where no prediction has a gold."""
    pairs: Mapping[str, Target]
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
    """How many tokens are taken off both ends of the names of a side, and which tokens."""

    front: int = 0
    back: int = 0
    first: Tokens = ()
    last: Tokens = ()

    def off(self, tokens: Tokens) -> Tokens:
        return tokens[self.front : len(tokens) - self.back]

    def __len__(self) -> int:
        return self.front + self.back


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
        return len(self.predictions) + len(self.golds) + bool(self.source)

    @property
    def fits(self) -> bool:
        """Whether what both sides lose at the same end says the same."""
        if self.source and (self.golds if self.source == "predictions" else self.predictions).back:
            return False
        ends = (
            (self.predictions.first, self.golds.first),
            (self.predictions.last, self.golds.last),
        )
        return all(
            not predicted
            or not gold
            or (
                not {*predicted}.isdisjoint(gold)
                and {token for token in gold if any(map(str.isdigit, token))} <= {*predicted}
            )
            for predicted, gold in ends
        )


@dataclass(frozen=True)
class _Names:
    """The names of a system and of its golds, with their tokens."""

    golds: Mapping[str, Sequence[str]]
    predicted: Sequence[str]
    folder: str
    fixed: Mapping[str, Target]
    """Pairs that the user has decided."""
    topics: Mapping[str, Tokens]
    gold_names: Mapping[str, Tokens]
    predictions: Mapping[str, Tokens]
    targets: dict[Any, dict[Tokens, set[Target]]] = field(default_factory=dict)
    """The golds by their shortened names, for each way to shorten them."""

    @classmethod
    def of(
        cls,
        golds: Mapping[str, Collection[str]],
        predicted: Iterable[str],
        folder: str,
        fixed: Mapping[str, Target],
    ) -> "_Names":
        """Cut all names into tokens."""
        open_names = sorted(predicted)
        by_topic = {topic: [*names] for topic, names in sorted(golds.items())}
        gold_names = {name for names in by_topic.values() for name in names}
        tokens = [_by_tokens(names) for names in (by_topic, gold_names, open_names)]
        return cls(by_topic, open_names, folder, fixed, tokens[0], tokens[1], tokens[2])

    def shortened(self, way: _Way) -> dict[str, Target]:
        """Pair names whose tokens are equal once both sides are shortened."""
        key = (way.golds, way.group, way.source == "golds")
        if key not in self.targets:
            self.targets[key] = self._targets(*key)
        targets = self.targets[key]

        def found(name: str) -> Collection[Target]:
            rest = way.predictions.off(self.predictions[name])
            if way.source == "predictions" and rest not in targets and rest[-1:] in _LAST_SOURCES:
                topics = targets.get(rest[:-1], ())
                return [target for target in topics if len(self.golds[target[0]]) == 1]
            return targets.get(rest, ())

        if not targets:
            return {}
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
                    targets.setdefault(rest + self.gold_names[name], set()).add(target)
        return targets

    def ways(self) -> list[_Way]:
        """Return all ways to take affixes off, also none, those that take least first.

        They do not all fit (`_Way.fits`).
        """
        folder = tokens_of(self.folder)
        if len(self.predicted) == 1:
            (tokens,) = self.predictions.values()
            starts = len(tokens) > len(folder) and tokens[: len(folder)] == folder
            off = [_Affixes(), *[_Affixes(len(folder), 0, folder)] * (starts and bool(folder))]
        else:
            off = _affixes([*self.predictions.values()])
        several = sum(map(len, self.golds.values())) > 1
        gold_off = _affixes([*self.topics.values()]) if several else [_Affixes()]
        ways = [_Way(*pair) for pair in product(off, gold_off)]
        prefix = {token for affixes in off for token in affixes.first}
        groups: dict[str, list[Tokens]] = {}
        for tokens in self.topics.values():
            if len(tokens) > 1 and tokens[0] in prefix:
                groups.setdefault(tokens[0], []).append(tokens)
        for group, members in groups.items():
            if len(members) < len(self.topics):
                of_group = [each for each in _affixes(members) if each.front]
                ways += [_Way(*pair, group) for pair in product(off, of_group)]
        most = max(_MOST_WORK // (len(self.predicted) + len(self.topics) + 1), _LEAST_WAYS)
        return sorted(ways, key=lambda way: way.taken)[:most]

    def best(
        self, ways: Iterable[_Way], least: Mapping[str, Target]
    ) -> tuple[dict[str, Target], _Way]:
        """Return the most pairs that any way gives, if they include the given ones.

        Of ways that take off equally much and give equally many pairs none is taken, unless the
        pairs are the same.
        """
        best, best_way, unclear = {**least}, _Way(), False
        for way in ways:
            if len(best) == len(self.predicted) + len(self.fixed) and way.taken > best_way.taken:
                break
            pairs = self.shortened(way)
            if len(pairs) < len(best) or not least.items() <= pairs.items():
                continue
            if len(pairs) > len(best):
                best, best_way, unclear = pairs, way, False
            elif way.taken == best_way.taken and pairs != best:
                unclear = True
        return ({**least}, _Way()) if unclear else (best, best_way)

    def without_characters(self) -> "Iterator[_Names]":
        """Yield the names without the characters that all names of a side begin or end with."""
        ends = [
            [(0, 0), *([] if len(names) < 2 else _common_characters(names))]
            for names in ([*self.predicted], [*self.topics])
        ]
        for (front, back), (gold_front, gold_back) in product(*ends):
            if front or back or gold_front or gold_back:
                yield replace(
                    self,
                    targets={},
                    predictions={
                        name: tokens_of(name[front : len(name) - back]) for name in self.predicted
                    },
                    topics={
                        name: tokens_of(name[gold_front : len(name) - gold_back])
                        for name in self.topics
                    },
                )


def one_to_one(
    candidates: Iterable[tuple[str, Collection[Target]]], fixed: Mapping[str, Target]
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


def _by_tokens(names: Iterable[str]) -> dict[str, Tokens]:
    return {name: tokens_of(name) for name in names}


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many items are equal from the front on."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _common_characters(names: Sequence[str]) -> list[tuple[int, int]]:
    """Return how many characters all names share at the front, at the back, and at both ends."""
    front = _shared(min(names), max(names))
    backwards = [name[::-1] for name in names]
    back = min(_shared(min(backwards), max(backwards)), min(map(len, names)) - front)
    return [pair for pair in ((front, 0), (0, back), (front, back)) if any(pair)]


def _affixes(names: Sequence[Tokens]) -> list[_Affixes]:
    """Return all affixes that the names share, also none; no name is taken off as a whole."""
    if not names:
        return [_Affixes()]
    shortest = min(map(len, names))
    backwards = [name[::-1] for name in names]
    first = names[0][: min(_shared(min(names), max(names)), _MOST_TAKEN)]
    last = backwards[0][: min(_shared(min(backwards), max(backwards)), _MOST_TAKEN)]
    return [
        _Affixes(f, b, first[:f], last[:b])
        for f in range(len(first) + 1)
        for b in range(len(last) + 1)
        if f + b < shortest or f + b == 0
    ]


def find_matches(
    golds: Mapping[str, Collection[str]],
    predicted: Collection[str],
    *,
    folder: str = "",
    fixed: Mapping[str, Target] | None = None,
    accepted: bool = False,
) -> list[NameMatch]:
    """Match the names of a system at every level, and return those that match more than others.

    `golds` are the names of the golds of each topic, `folder` is the folder of the predictions,
    and `fixed` are pairs that the user has decided. The last of the matches has the most pairs.
    `accepted` adds a match that takes different affixes off both sides.

    >>> golds = {"crisis-egypt": ["ap", "bbc"], "crisis-libya": ["cnn"]}
    >>> matches = find_matches(golds, ["run_egypt_ap", "run_egypt_bbc", "run_libya"], accepted=True)
    >>> matches[-1].level, matches[-1].pairs["run_egypt_ap"], matches[-1].pairs["run_libya"]
    (5, ('crisis-egypt', 'ap'), ('crisis-libya', None))
    """
    fixed = fixed or {}
    targets = targets_by_name(golds)
    open_names = [name for name in predicted if name not in fixed]
    exact = ((name, [targets[name]]) for name in open_names if name in targets)
    pairs = one_to_one(exact, fixed)
    level = _WRITTEN if pairs or not predicted else 0
    matches = [_match(golds, open_names, level, pairs)]
    if not matches[0].unmatched:
        return matches
    names = _Names.of(golds, open_names, folder, fixed)
    for level, improve in (
        (_TOKENS, _by_equal_tokens),
        (_AFFIXES, _by_affixes),
        (_SOURCE, _by_source),
    ):
        if not matches[-1].unmatched:
            break
        better, taken = improve(names, matches[-1].pairs)
        if len(better) > len(matches[-1].pairs):
            matches.append(_match(golds, open_names, level, better, taken))
    if accepted and matches[-1].unmatched:
        better, taken = _by_any_affixes(names, matches[-1].pairs)
        if len(better) > len(matches[-1].pairs):
            matches.append(_match(golds, open_names, _CHARACTERS, better, taken))
    return matches


def _match(
    golds: Mapping[str, Collection[str]],
    predicted: Iterable[str],
    level: int,
    pairs: Mapping[str, Target],
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
    unmatched = sorted(name for name in predicted if name not in pairs)
    return NameMatch(level, pairs, tuple(unmatched), tuple(dict.fromkeys(missing)), taken)


Pairs = Mapping[str, Target]


def _by_equal_tokens(names: _Names, least: Pairs) -> tuple[Pairs, str]:
    pairs, _ = names.best([_Way()], least)
    different = sum(name != written(pairs[name]) for name in names.predicted if name in pairs)
    return pairs, f"{many(different, 'name')} without regard to case and separators"


def _by_affixes(names: _Names, least: Pairs) -> tuple[Pairs, str]:
    pairs, way = names.best((way for way in names.ways() if way.fits), least)
    return pairs, _words(names, way)


def _by_source(names: _Names, least: Pairs) -> tuple[Pairs, str]:
    ways = [replace(way, source=side) for way in names.ways() for side in ("predictions", "golds")]
    pairs, way = names.best((way for way in ways if way.fits), least)
    return pairs, _words(names, way)


def _by_any_affixes(names: _Names, least: Pairs) -> tuple[Pairs, str]:
    pairs, way = names.best(names.ways(), least)
    taken = _words(names, way)
    for shorter in names.without_characters():
        further, _ = shorter.best([_Way()], least)
        if len(further) > len(pairs):
            pairs, taken = further, "after taking off what all names of a side begin or end with"
    return pairs, taken


def _words(names: _Names, way: _Way) -> str:
    """Say what a way takes off the names."""
    golds = [topic for topic in names.topics if way.group in ("", *names.topics[topic][:1])]
    parts = [
        f"{' and '.join(ends)} off {whose}"
        for affixes, side, whose in (
            (way.predictions, names.predicted, many(len(names.predicted), "prediction")),
            (way.golds, golds, "the golds"),
        )
        if (ends := [f"'{text}'" for text in _affix_texts(side, affixes)])
    ]
    if way.source:
        parts.append(f"news sources off the end of {way.source}")
    return f"after taking {' and '.join(parts)}"


def many(number: int, noun: str) -> str:
    """Write a number of things."""
    return f"{number} {noun}{'s' * (number != 1)}"


def _affix_texts(names: Sequence[str], affixes: _Affixes) -> Iterator[str]:
    """Return what is taken off, as the first of the names has it."""
    name = unicodedata.normalize("NFKC", names[0]) if names else ""
    places = [place.span() for place in re.finditer(rf"[^{_SEPARATORS.pattern[1:-2]}]+", name)]
    if affixes.front:
        yield name[: places[affixes.front][0]]
    if affixes.back:
        yield name[places[-affixes.back - 1][1] :]


# Proposals: what a person may have meant. They are printed, and never taken.


def proposals(names: Iterable[str], match: NameMatch, accepted: NameMatch) -> dict[str, list[str]]:
    """Return, for each prediction, up to three golds without a prediction whose names resemble it.

    First the gold that would be matched if different affixes were accepted, then golds whose tokens
    include those of the prediction or are included, then those within two edits, then those that
    share half of the tokens.

    >>> golds, predicted = {"airbus_a380": ["1"], "boeing": ["1"]}, ["airbus", "boeing"]
    >>> match = find_matches(golds, predicted)[-1]
    >>> proposals(["airbus"], match, match)
    {'airbus': ['airbus_a380']}
    """
    missing = [(gold, gold.casefold(), {*tokens_of(gold)}) for gold in match.missing]

    def resembling(name: str) -> Iterator[str]:
        if name in accepted.pairs:
            yield written(accepted.pairs[name])
        tokens, folded = {*tokens_of(name)}, name.casefold()
        third = len(folded) // 3 + 1
        # Two edits leave one of three pieces whole.
        pieces = [folded[at : at + third] for at in range(0, len(folded), third)]
        yield from (gold for gold, _, others in missing if _includes(tokens, others))
        if len(name) >= 5:
            near = ((gold, f) for gold, f, _ in missing if any(piece in f for piece in pieces))
            yield from (gold for gold, other in near if _within(folded, other, 2))
        for gold, _, others in missing:
            if 2 * len(tokens & others) >= max(len(tokens), len(others), 1):
                yield gold

    return {name: _first(resembling(name), MOST_PROPOSED) for name in names}


def _first(items: Iterable[str], most: int) -> list[str]:
    """Return the first different items."""
    different: dict[str, None] = {}
    for item in items:
        if len(different) == most:
            break
        different[item] = None
    return [*different]


def _includes(one: set[str], other: set[str]) -> bool:
    return bool(one and other) and (one <= other or other <= one)


def _within(one: str, other: str, edits: int) -> bool:
    """Whether one text becomes the other by at most so many edits of single characters."""
    if abs(len(one) - len(other)) > edits:
        return False
    same = _shared(one, other)
    one, other = one[same:], other[same:]
    if not one or not other or not edits:
        return max(len(one), len(other)) <= edits
    return (
        _within(one[1:], other, edits - 1)
        or _within(one, other[1:], edits - 1)
        or _within(one[1:], other[1:], edits - 1)
    )


# The names of one system: what the user decides, what is matched, and what is reported.


def units(
    predicted: Mapping[str, Mapping[str, Item]], golds: Mapping[str, Collection[str]]
) -> dict[str, Item]:
    """Return predictions by the names that are matched: TOPIC, or TOPIC/NAME.

    The name counts if the topic has several predictions, or if it is that of one of several golds.

    >>> units({"egypt": {"ap": "x"}}, {"egypt": ["ap", "bbc"]})
    {'egypt/ap': 'x'}
    """
    by_name = {}
    for topic, named in predicted.items():
        gold_names = {*golds.get(topic, ())} - {ONLY}
        for name, item in named.items():
            is_named = len(named) > 1 or (len(golds.get(topic, ())) > 1 and name in gold_names)
            by_name[written((topic, name if is_named else None))] = item
    return by_name


def folder_of(source: Source) -> str:
    """Return the name of the folder of a prediction."""
    return source.file_name if source.is_folder else source.folder_name


def trial_name(system: str, at: int, trials: Sequence[object]) -> str:
    """Return the name of a trial in messages."""
    return f"{system}, trial {at + 1}" if len(trials) > 1 else system


def match_system(
    golds: Mapping[str, Collection[str]],
    predicted: Collection[str],
    problems: Problems,
    options: Mapping[str, str],
    *,
    system: str,
    label: str = "",
    folder: str = "",
    rename: Mapping[str, str] | None = None,
) -> dict[str, Target]:
    """Return the gold of each prediction of a system, and report how their names were matched.

    A prediction without a gold is a problem, unless the option `extra`, or lenient reading, leaves
    it out; but some prediction must have one. `rename`
    comes first: from a name to a topic, a gold as TOPIC/GOLD, or `LEAVE_OUT`. `label` names the
    trial in messages, where there are several.
    """
    label = label or system
    decided = {name: (rename or {})[name] for name in predicted if name in (rename or {})}
    targets = targets_by_name(golds)
    fixed = {name: targets[to] for name, to in decided.items() if to in targets}
    rest = [name for name in predicted if decided.get(name) != LEAVE_OUT]
    choice = options.get("match", "")
    matches = find_matches(golds, rest, folder=folder, fixed=fixed, accepted=choice != "exact")
    accepted, match = matches[-1], matches[0]
    if choice == "affixes":
        match = accepted
    elif not choice:
        match = [match, *(each for each in matches if each.automatic)][-1]
    for name, target in match.pairs.items():
        if name != written(target):
            problems.facts[NAME, system, name, written(target)] += 1
    if match.taken:
        problems.notice(f"{label}: matched {match.taken}")
    if match.unmatched:
        lenient = problems.options.lenient and not options.get("extra")
        if match.pairs and (lenient or options.get("extra") == "skip"):
            problems.count(
                f"{escaped(label)}: {{count}} prediction{{s}} without a gold left out: {{some}}",
                [(0, name) for name in match.unmatched],
            )
        else:
            problems.problem(
                f"{label}: {_has_no_gold(len(match.unmatched))}",
                details=_advice(match, accepted),
            )
    return dict(match.pairs)


def _has_no_gold(number: int) -> str:
    return (
        "1 prediction has no gold of its name"
        if number == 1
        else f"{number} predictions have no gold of their name"
    )


def _advice(match: NameMatch, accepted: NameMatch) -> list[str]:
    """List the predictions without a gold, what they may be, and what to type."""
    listed = match.unmatched[:MOST_LISTED]
    proposed = proposals(listed, match, accepted)
    width = max(map(len, listed))
    lines = [
        f"{name:{width}}  perhaps {' or '.join(golds)}" if golds else name
        for name, golds in proposed.items()
    ]
    more = len(match.unmatched) - len(listed)
    lines += [f"... and {more} more"] * bool(more)
    taken = len(accepted.pairs) - len(match.pairs)
    if taken:
        whole = "them all" if not accepted.unmatched else f"{taken} of them"
        lines.append(f"--match affixes takes {whole}, as it is proposed first")
    if match.pairs:
        lines.append("--extra skip, or --lenient, leaves them out")
    copied = [f"{name}\t{golds[0]}" for name, golds in proposed.items() if golds]
    if copied:
        return [*lines, "--rename map.tsv, with these lines, decides:", *copied]
    golds = f" (golds without a prediction: {some([*match.missing])})" * bool(match.missing)
    return [*lines, f"--rename '{listed[0]}=TOPIC' names its gold{golds}"]


def names_by_system(facts: Mapping[Fact, int]) -> dict[str, dict[str, str]]:
    """Return, for each system, the golds of predictions whose names differ from them."""
    names: dict[str, dict[str, str]] = {}
    for kind, *about in sorted(facts):
        if kind == NAME:
            system, name, gold = about
            names.setdefault(system, {})[name] = gold
    return names


def check_renaming(
    rename: Mapping[str, str],
    golds: Mapping[str, Collection[str]],
    predicted: Collection[str],
    problems: Problems,
) -> None:
    """Report names of a renaming that neither the golds nor any system have."""
    known = {LEAVE_OUT, *targets_by_name(golds)}
    for names, what in (
        ([name for name in rename if name not in predicted], "prediction"),
        ([name for name in rename.values() if name not in known], "gold"),
    ):
        if names:
            problems.problem(f"rename names no {what}: {', '.join(dict.fromkeys(names))}")


def read_renaming(words: Iterable[str], problems: Problems) -> dict[str, str]:
    """Read the user's map of names: pairs A=B, and files with two columns or of JSON.

    >>> read_renaming(["run1=egypt", "README=-"], Problems())
    {'run1': 'egypt', 'README': '-'}
    """
    rename: dict[str, str] = {}
    for word in words:
        path = Path(word)
        name, equals, to = word.partition("=")
        if path.is_file():
            pairs = _read_map(source_of(path), problems)
        elif equals and name and to:
            pairs = [(name, to)]
        else:
            raise UsageError(f"--rename {word}: there is no such file; or write PREDICTION=TOPIC")
        for name, to in pairs:
            if rename.setdefault(name, to) != to:
                raise UsageError(f"--rename has '{name}' twice: as '{rename[name]}' and as '{to}'")
    return rename


def _read_map(source: Source, problems: Problems) -> list[tuple[str, str]]:
    """Read a file with a name and what it becomes in each row, or in a JSON object."""
    lines = [(number, line) for number, line in source.lines(problems) if line.strip()]
    problems.check()
    if source.suffix == ".json":
        try:
            return [
                *msgspec.json.decode(
                    "\n".join(line for _, line in lines), type=dict[str, str]
                ).items()
            ]
        except msgspec.MsgspecError:
            raise DataError.of('expected a JSON object such as {"name": "topic"}', source) from None
    pairs = []
    for number, line in lines:
        separator = "\t" if "\t" in line else ","
        cells = next(csv.reader([line], delimiter=separator))
        if len(cells) != 2 or not all(cell.strip() for cell in cells):
            raise DataError.of(
                "expected two columns: the name of a prediction, and the gold's", source, number
            )
        pairs.append((cells[0].strip(), cells[1].strip()))
    return pairs
