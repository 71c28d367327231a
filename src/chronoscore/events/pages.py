"""The pages of events: what became of them, and every pair side by side.

All metrics of a setting read one matching, so that a pair is shown once, with what each metric
gives for it. Nothing of it needs a script.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from unicodedata import normalize

from chronoscore.core.evidence import Match
from chronoscore.core.family import Times
from chronoscore.core.metric import Metric
from chronoscore.core.names import parse
from chronoscore.core.result import MetricInfo, SystemResult
from chronoscore.elements.dated.options import OPTION_MEANINGS
from chronoscore.elements.text import Tokeniser
from chronoscore.errors import UsageError
from chronoscore.events.comparison import tokeniser_of
from chronoscore.events.tables import (
    counts_of,
    distance_in_words,
    metric_of,
    setting_in_words,
    warnings,
)
from chronoscore.reports.html.axis import time_axis
from chronoscore.reports.html.cases import CaseView
from chronoscore.reports.html.drawing import BarPart, key, line_key, stacked, swatch
from chronoscore.reports.html.explained import Explained, Items
from chronoscore.reports.html.lanes import LaneItem, LaneLink, two_lanes
from chronoscore.reports.html.marks import marked_pair
from chronoscore.reports.html.markup import (
    Html,
    html_table,
    joined,
    lead,
    opening,
    tag,
    wide,
)
from chronoscore.reports.html.report import Pages
from chronoscore.reports.result_tables import short, wholes
from chronoscore.reports.table import Table, plural

MOST = 2000
"""The most events whose pairs are shown; of more, the cases with the fewest are left out."""
FEW = 2
"""Up to this many timelines of systems, all pairs are open at first."""
HEADLINE = ("event-timed", "event-f1", "text-quality")
"""The three numbers that are read side by side, the one that sorts first."""
_BESIDE = ("event-soft",)
"""What is never left out beside them."""
_MATCHED = "matched"
_CONFLICT = "conflict: "
_SIDES = ("gold", "predicted")
_WORDS = {
    "predicted": ("matched", "part", "repeat", "spurious"),
    "gold": ("matched", "merged", "repeated in the gold", "missed"),
}
"""What becomes of the events of each side."""
_OUTCOMES_LEAD = Html(
    '<p class="lead">A predicted event is <b>matched</b> with one gold event, or a <b>part</b> of '
    "one that is matched already, a <b>repeat</b> that adds nothing to it, or <b>spurious</b>. A "
    "gold event is matched, <b>merged</b> into a predicted event that tells more, repeated in the "
    "gold, or <b>missed</b>. A matched text is <b>reused</b> if it is matched with another gold "
    "text as well. Counts are those of all cases together.</p>"
)
_CLOSE = ((1.0, "closeness 1"), (1 / 3, "at least 1/3"), (1 / 8, "at least 1/8"), (0.0, "below"))
"""The steps of closeness, each from its number on, with the words of the legend."""
_NO_DATE = len(_CLOSE)


# What became of the events


class OutcomeCounts(NamedTuple):
    """How many events of a system have each outcome, in the order of `_WORDS`."""

    predicted: tuple[float, ...]
    gold: tuple[float, ...]
    reused: float
    """Matched predicted events whose text is matched with another gold text as well."""

    @classmethod
    def of(cls, explained: Explained, system: SystemResult) -> "OutcomeCounts | None":
        """Take the counts from the rates of the result, else from its matches; None if unknown."""
        if rates := metric_of(explained.result, "event-rates"):
            for one, summary in wholes(explained.result, rates.name):
                if one is system:
                    return cls._of_rates(counts_of(rates, summary))
        pairing = Pairing.of(explained)
        cases = [pairing.case(system.name, case) for case in explained.cases] if pairing else []
        known = [one for one in cases if one and one.matches]
        if not known:
            return None
        predicted, gold = (
            Counter(outcome for one in known for outcome in one.outcomes(side))
            for side in ("predicted", "gold")
        )
        return cls(
            tuple(float(predicted[at]) for at in range(4)),
            tuple(float(gold[at]) for at in range(4)),
            float(sum(len(one.reused) for one in known)),
        )

    @classmethod
    def _of_rates(cls, n: Mapping[str, float]) -> "OutcomeCounts":
        predicted = (n["matched"], n["split"], n["repeat"])
        gold = (n["matched"], n["merged"], n["gold_repeat"])
        return cls(
            (*predicted, n["predicted"] - sum(predicted)),
            (*gold, n["gold"] - sum(gold)),
            n["reused"],
        )


def outcomes_section(explained: Explained) -> Html:
    """Show the three numbers side by side, and what became of the events of both sides."""
    counts = {
        system.name: found
        for system in explained.result.systems
        if (found := OutcomeCounts.of(explained, system))
    }
    reused = {name: one.reused / (sum(one.predicted) or 1) for name, one in counts.items()}
    warned = [tag("li", text) for text in warnings(explained.result, reused)]
    return joined(
        tag("ul", warned, class_="warnings"),
        _headline(explained, counts),
        [_OUTCOMES_LEAD, *(_outcomes(*one) for one in counts.items())] if counts else "",
    )


def _headline(explained: Explained, counts: Mapping[str, OutcomeCounts]) -> Html:
    """Show the main scores of each system in one row; they are never multiplied or averaged."""
    result = explained.result
    infos = [info for name in (*HEADLINE, *_BESIDE) if (info := metric_of(result, name))]
    if sum(parse(info.name)[0] in HEADLINE for info in infos) < 2:
        return Html("")
    scores = {
        info.name: {system.name: s.scores[info.primary] for system, s in wholes(result, info.name)}
        for info in infos
    }
    first = scores[infos[0].name]
    ranked = sorted(
        result.systems, key=lambda one: (not one.is_ranked, -(first.get(one.name) or 0.0))
    )
    rows = []
    for system in ranked:
        of_system = counts.get(system.name)
        matched = (f"{of_system.gold[0]:g}", f"{of_system.reused:g}") if of_system else ("", "")
        numbers = (scores[info.name].get(system.name) for info in infos)
        rows.append((system.name, *numbers, *matched))
    heads = [(short(info.primary), info.label) for info in infos]
    columns = ("system", *heads, "matched", "reused")
    classes = [None, *["number"] * (len(columns) - 1)]
    table = Table.of("Found and when, found, and how near the words are", columns, rows)
    return html_table(table, classes=classes, kind="headline")


def _outcomes(system: str, counts: OutcomeCounts) -> Html:
    """Draw a bar for each side of a system, and write its numbers."""
    bars = []
    for side in ("predicted", "gold"):
        numbers = counts.predicted if side == "predicted" else counts.gold
        total = sum(numbers)
        parts = [
            tag("div", tag("dt", swatch(f"part-{at}"), word), tag("dd", f"{number:g}"))
            for at, (word, number) in enumerate(zip(_WORDS[side], numbers, strict=True))
        ]
        if side == "predicted":
            reused = tag("dd", f"{counts.reused:g}")
            parts.append(tag("div", tag("dt", "of the matched, reused"), reused))
        shares = (BarPart(n / (total or 1), f"part-{at}") for at, n in enumerate(numbers))
        bars.append(
            tag(
                "div",
                tag("p", tag("b", f"{total:g}"), f" {side} events", class_="told"),
                stacked(shares, 14),
                tag("dl", parts, class_="parts"),
                class_="loss",
            )
        )
    return tag("div", tag("h3", system), bars, class_="outcomes")


# Pairs


@dataclass(frozen=True)
class Pairing:
    """The metrics that read one matching, and the result with its matches."""

    explained: Explained
    metric: Metric
    infos: tuple[MetricInfo, ...]
    """The metrics of the same setting whose matches are known; the first is the main one."""

    @classmethod
    def of(cls, explained: Explained) -> "Pairing | None":
        """Take the setting of the first metric that tells of all events; None if none does."""
        matched = {metric for (_, _, metric), several in explained.matches.items() if several}
        known = [
            (info, metric)
            for info in explained.result.metrics
            if info.name in matched and (metric := explained.metric(info)) is not None
        ]
        # The main metric has the events of both sides, and not only pairs.
        main = next(((i, m) for i, m in known if explained.sides.get(i.name)), None)
        if main is None:
            return None
        others = (
            info
            for info, metric in known
            if metric.setting == main[1].setting and info.better == "higher"
        )
        return cls(explained, main[1], tuple(dict.fromkeys((main[0], *others))))

    def case(self, system: str, case: str) -> "MatchedCase | None":
        """Return what was matched in a case; None if the system does not have it."""
        explained = self.explained
        by_metric = {
            label: explained.matches.get((system, case, name), ())
            for name, label in self.labels.items()
        }
        if (system, case) not in explained.predicted:
            return None
        return MatchedCase(
            self,
            system,
            case,
            by_metric,
            {"gold": explained.gold.get(case, {}), "predicted": explained.predicted[system, case]},
            {
                "gold": explained.gold_times.get(case, {}),
                "predicted": explained.predicted_times.get((system, case), {}),
            },
        )

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """The metrics by name, as short as they can be told apart."""
        names = [parse(info.name)[0] for info in self.infos]
        return {
            info.name: name if "(" in info.label and names.count(name) == 1 else info.label
            for info, name in zip(self.infos, names, strict=True)
        }

    def tokeniser(self, case: str) -> Tokeniser | None:
        """Return how texts of a case are read, where that is possible here."""
        try:
            return tokeniser_of(self.metric, self.explained.tags.get(case, {}))
        except UsageError:  # of a package or a stop list that is not here
            return None

    @cached_property
    def axis(self) -> Mapping[str, tuple[Any, ...]]:
        """The place and the words of every time, see `time_axis`."""
        explained = self.explained
        sides = (explained.gold_times, explained.predicted_times)
        names = sorted(
            {time for side in sides for by_name in side.values() for time in by_name.values()}
        )
        return dict(time_axis(names, explained.result.options.get("time_unit", ""))["times"])

    def when(self, time: str | None) -> str:
        """Write a time in words."""
        if time is None:
            return "no date"
        if time not in self.axis:
            return time
        _, _, near, far, *words = self.axis[time]
        return words[0] if words else f"{near} {far}".strip()


class MatchedPair(NamedTuple):
    """A gold and a predicted event that are matched, and the events that belong to them."""

    match: Match
    credits: Mapping[str, float]
    """By metric."""
    attached: list[Match]
    """Parts and repeats of the gold event, and gold events that are merged into the predicted."""


@dataclass(frozen=True)
class MatchedCase:
    """What was matched in one case of one system."""

    pairing: Pairing
    system: str
    case: str
    by_metric: Mapping[str, Sequence[Match]]
    items: Mapping[str, Items]
    """The texts of both sides."""
    times: Mapping[str, Times]

    @property
    def matches(self) -> Sequence[Match]:
        """The matches of the main metric."""
        return next(iter(self.by_metric.values()), ())

    @cached_property
    def pairs(self) -> list[MatchedPair]:
        """The pairs in order of the gold events."""
        credits: dict[tuple[str, str], dict[str, float]] = {}
        for label, matches in self.by_metric.items():
            for match in matches:
                if _is_pair(match):
                    credits.setdefault((match.gold, match.predicted), {})[label] = match.credit
        first = {(m.gold, m.predicted): m for m in self.matches if _is_pair(m)}
        place = {name: at for at, name in enumerate(self.items["gold"])}
        return [
            MatchedPair(
                first[names],
                credits[names],
                [
                    match
                    for match in self.attached
                    if (match.gold, match.predicted)[match.side == "recall"]
                    == names[match.side == "recall"]
                ],
            )
            for names in sorted(first, key=lambda names: place[names[0]])
        ]

    @cached_property
    def attached(self) -> list[Match]:
        """The unmatched events that belong to a matched one, named by that."""
        return [m for m in self.matches if not _is_pair(m) and m.gold and m.predicted]

    def alone(self, side: str) -> list[str]:
        """Return the events of a side that nothing belongs to."""
        matches = [m for m in self.matches if not _is_pair(m) and not (m.gold and m.predicted)]
        return [name for match in matches if (name := getattr(match, side))]

    @cached_property
    def reused(self) -> frozenset[str]:
        """The matched predicted events whose text is matched with another gold text as well."""
        golds: dict[str, set[str]] = {}
        texts = {}
        for match, _, _ in self.pairs:
            texts[match.predicted] = _key(self.text("predicted", match.predicted))
            golds.setdefault(texts[match.predicted], set()).add(_key(self.text("gold", match.gold)))
        return frozenset(name for name, text in texts.items() if text and len(golds[text]) > 1)

    def outcomes(self, side: str) -> Iterator[int]:
        """Yield what became of the events of a side, by place among the words for it."""
        yield from [0] * len(self.pairs)
        own = "recall" if side == "gold" else "precision"
        for match in self.attached:
            if match.side == own:
                yield 2 if "repeat" in match.outcome else 1
        yield from [3] * len(self.alone(side))

    def text(self, side: str, name: str) -> str:
        """Return the text of an event; empty if it is not kept."""
        return " ".join(self.items[side].get(name, ()))

    def has_time(self, side: str, name: str) -> bool:
        """Whether an event has a date."""
        return name in self.times[side]

    @property
    def size(self) -> int:
        """How many events there are on both sides."""
        return sum(map(len, self.items.values()))


def _is_pair(match: Match) -> bool:
    return match.outcome.partition(";")[0] == _MATCHED


def _key(text: str) -> str:
    return normalize("NFC", text).strip()


def pairs_section(explained: Explained) -> Html:
    """Show every pair side by side, what belongs to it, and what was missed or is spurious."""
    pairing = Pairing.of(explained)
    if pairing is None:
        return Html("")
    views = [
        view
        for case in explained.cases
        for system in explained.result.systems
        if (view := pairing.case(system.name, case)) and view.matches
    ]
    shown = _chosen(views)
    setting = setting_in_words(pairing.infos[0])
    more = len(views) - len(shown)
    names = ", ".join(pairing.labels.values())
    return joined(
        lead(
            "Gold and prediction side by side, with the words that both have marked. ",
            tag("b", "Similarity"),
            " is that of the texts, ",
            tag("b", "closeness"),
            f" that of the dates. Matched by {setting}. Credit is shown for {names}. A conflict is "
            "a sign that both texts differ in a number, a negation or in who did what: mostly a "
            "false alarm, and no score reads it.",
        ),
        tag("ul", _legend(), class_="legend", aria_label="How to read the pictures"),
        [
            _case(view, place, is_open=place == 0 or len(shown) <= FEW)
            for place, view in enumerate(shown)
        ],
        tag(
            "p",
            f"{plural(more, 'more timeline')} of systems: --explain CASE prints the pairs of one.",
            class_="note",
        )
        if more
        else "",
    )


def _chosen(views: Sequence[MatchedCase]) -> list[MatchedCase]:
    """Take the views with the most unmatched events, as many as a page can hold."""
    most = sorted(
        range(len(views)),
        key=lambda at: -sum(len(views[at].alone(side)) for side in _SIDES),
    )
    kept, size = set[int](), 0
    for at in most:
        size += views[at].size
        if kept and size > MOST:
            break
        kept.add(at)
    return [view for at, view in enumerate(views) if at in kept]


def _legend() -> list[Html]:
    keys = [line_key(f"line far-{at}", words, 2.5) for at, (_, words) in enumerate(_CLOSE)]
    dot = tag("circle", cx=7, cy=7, r=5, class_="dot")
    open_dot = tag("circle", cx=7, cy=7, r=5, class_="dot open")
    cross = tag("path", d="M4 4L10 10M10 4L4 10", class_="cross")
    return [
        *keys,
        line_key("line nothing", "a date is missing", 2),
        line_key("line attached-line", "belongs to it", 1),
        key(dot, "matched", 14),
        key(open_dot, "part, repeat or merged", 14),
        key(joined(open_dot, cross), "missed or spurious", 14),
    ]


def _case(view: MatchedCase, place: int, *, is_open: bool) -> Html:
    alone = {side: view.alone(side) for side in _SIDES}
    value = (
        f"{view.system}: {len(view.pairs)} matched, {len(alone['gold'])} missed, "
        f"{len(alone['predicted'])} spurious"
    )
    pairs = [_pair(view, pair, f"pair-{place}-{at}") for at, pair in enumerate(view.pairs)]
    left = [_left_over(view, side, alone[side], f"{side}-{place}") for side in _SIDES]
    return opening(
        view.case,
        value,
        wide(_picture(view, place), f"{view.case}, {view.system}: events in time", "frame"),
        tag("ol", pairs, class_="pairs") if pairs else "",
        tag("div", left, class_="left-over") if any(left) else "",
        kind="timeline",
        is_open=is_open,
    )


def _pair(view: MatchedCase, pair: MatchedPair, anchor: str) -> Html:
    match = pair.match
    texts = [view.text(side, getattr(match, side)) for side in _SIDES]
    marked = marked_pair(texts[0], texts[1], view.pairing.tokeniser(view.case))
    tellings = [
        _telling(view, side, getattr(match, side), text)
        for side, text in zip(_SIDES, marked, strict=True)
    ]
    attached = [_attached(view, match, one) for one in pair.attached]
    return tag(
        "li",
        tellings,
        _measures(view, pair),
        tag("ul", attached, class_="attached") if attached else "",
        class_=f"pair close-{_closeness_step(view, match)}",
        id=anchor,
    )


def _telling(view: MatchedCase, side: str, name: str, text: Html, word: str = "") -> Html:
    """Show the date and the text of an event."""
    time = view.times[side].get(name)
    shown = "" if time and name.startswith(time) else name
    return tag(
        "div",
        tag(
            "p",
            tag("b", word or side),
            tag("span", view.pairing.when(time), class_="date"),
            tag("span", shown, class_="id") if shown else "",
            class_="when",
        ),
        tag("p", text, dir="auto") if text else tag("p", "no text", class_="none"),
        class_=f"telling {side}",
    )


def _measures(view: MatchedCase, pair: MatchedPair) -> Html:
    """Show the numbers of a pair, and its conflicts."""
    match = pair.match
    missing = [side for side in _SIDES if not view.has_time(side, getattr(match, side))]
    if match.distance is not None:
        apart = distance_in_words(view.pairing.metric, match.distance)
    else:
        apart = {0: "no bound", 1: f"{''.join(missing)} has no date"}.get(len(missing), "no dates")
    badges = [f"{_CONFLICT}{flag}" for flag in _flags(match)]
    badges += ["reused text"] * (match.predicted in view.reused)
    numbers = [("closeness", match.weight)]
    if match.shared is not None:
        numbers.insert(0, ("similarity", match.shared))
    return tag(
        "div",
        tag("p", apart, class_="apart"),
        [tag("p", tag("span", badge, class_="badge")) for badge in badges],
        _numbers(numbers),
        tag("div", tag("p", "credit of", class_="of"), _numbers(pair.credits.items())),
        class_="measures",
    )


def _numbers(numbers: Iterable[tuple[str, float]]) -> Html:
    return tag("dl", [tag("div", tag("dt", n), tag("dd", f"{v:.2f}")) for n, v in numbers])


def _flags(match: Match) -> list[str]:
    """Return the conflicts that the outcome of a match names."""
    _, found, flags = match.outcome.partition(_CONFLICT)
    return flags.split(", ") if found else []


def _attached(view: MatchedCase, owner: Match, match: Match) -> Html:
    """Show an unmatched event beside the one that it belongs to; words are marked by that."""
    side, other = ("gold", "predicted") if match.side == "recall" else ("predicted", "gold")
    name = getattr(match, side)
    text, _ = marked_pair(
        view.text(side, name),
        view.text(other, getattr(owner, other)),
        view.pairing.tokeniser(view.case),
    )
    word = tag("span", match.outcome, class_="badge quiet")
    return tag("li", _telling(view, side, name, text, joined(side, " ", word)))


def _left_over(view: MatchedCase, side: str, names: Sequence[str], anchor: str) -> Html:
    """List the events of a side that were missed, or that are spurious."""
    if not names:
        return Html("")
    word = _WORDS[side][-1]
    rows = [
        tag(
            "li",
            _telling(view, side, name, joined(view.text(side, name))),
            id=f"{anchor}-{at}",
        )
        for at, name in enumerate(names)
    ]
    return tag("div", tag("p", f"{word}: {len(names)}", class_="apart"), tag("ul", rows))


def _closeness_step(view: MatchedCase, match: Match) -> int:
    """Return the step of a pair's closeness, or that of pairs without two dates."""
    if not all(view.has_time(side, getattr(match, side)) for side in _SIDES):
        return _NO_DATE
    rounding = 1e-9
    return next(at for at, (least, _) in enumerate(_CLOSE) if match.weight >= least - rounding)


def _picture(view: MatchedCase, place: int) -> Html:
    """Draw the events of both sides in time, with a line for each pair."""
    anchors: dict[tuple[str, str], str] = {}
    links: list[tuple[Match, str, str]] = []
    for at, pair in enumerate(view.pairs):
        step = _closeness_step(view, pair.match)
        kind = "nothing" if step == _NO_DATE else f"far-{step}"
        for match, line in [(pair.match, kind), *((one, "attached-line") for one in pair.attached)]:
            links.append((match, line, f"#pair-{place}-{at}"))
            for side in _SIDES:
                anchors.setdefault((side, getattr(match, side)), f"#pair-{place}-{at}")
    matched = {(side, getattr(pair.match, side)) for pair in view.pairs for side in _SIDES}
    places: dict[tuple[str, str], int] = {}
    lanes: dict[str, list[LaneItem]] = {}
    for side in _SIDES:
        alone = {name: at for at, name in enumerate(view.alone(side))}
        own = [name for name in view.items[side] if (side, name) in anchors or name in alone]
        lanes[side] = [
            _lane_item(
                view,
                side,
                name,
                anchors.get((side, name), f"#{side}-{place}-{alone.get(name)}"),
                is_linked=(side, name) in matched,
                is_alone=name in alone,
            )
            for name in own
        ]
        places |= {(side, name): at for at, name in enumerate(own)}
    lines = [
        LaneLink(
            places["gold", match.gold],
            places["predicted", match.predicted],
            kind,
            match.outcome,
            href,
        )
        for match, kind, href in links
    ]
    return two_lanes(lanes["gold"], lanes["predicted"], lines)


_SHORT = 80
"""Characters of a text that a picture shows of an event."""


def _lane_item(
    view: MatchedCase, side: str, name: str, href: str, *, is_linked: bool, is_alone: bool
) -> LaneItem:
    time = view.times[side].get(name)
    first, last, *labels = view.pairing.axis.get(time or "", (None, None))
    text = view.text(side, name)
    cut = text if len(text) <= _SHORT else f"{text[:_SHORT]}…"
    return LaneItem(
        (first, last) if labels else None,
        " ".join(filter(None, labels[:2])),
        f"{side}, {view.pairing.when(time)}: {cut}",
        href,
        is_linked,
        is_alone,
    )


PAGES = Pages(
    sections=(
        ("outcomes", "What became of the events", outcomes_section),
        ("pairs", "Pair by pair", pairs_section),
    ),
    option_meanings={
        **OPTION_MEANINGS,
        ("duplicates", "keep"): "an event that repeats another is an event",
        ("duplicates", "collapse"): "events with the same text, date and labels are one",
        (
            "other_golds",
            "show",
        ): "the other golds of a topic are scored as if they were predictions",
        ("other_golds", "hide"): "the other golds of a topic are not scored",
    },
    view=CaseView(data=lambda *_: {"facts": False}),
)
