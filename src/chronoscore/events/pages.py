"""The pages of events: what became of them, and every pair side by side.

All metrics of a setting read one matching, so that a pair is shown once, with what each metric
gives for it. The script of the page draws the pairs of the cases that are opened.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple
from unicodedata import normalize

from msgspec import structs

from chronoscore.core.evidence import Match
from chronoscore.core.metric import Metric
from chronoscore.core.names import parse
from chronoscore.core.result import MetricInfo, SystemResult
from chronoscore.elements.dated.options import OPTION_MEANINGS
from chronoscore.events.comparison import EventSetting, tokeniser_of
from chronoscore.events.tables import (
    counts_of,
    distance_noun,
    metric_of,
    rates_of,
    setting_in_words,
    warnings,
)
from chronoscore.reports.html.axis import time_axis
from chronoscore.reports.html.cases import CaseView
from chronoscore.reports.html.drawing import BarPart, key, line_key, stacked, swatch
from chronoscore.reports.html.explained import Explained, Items
from chronoscore.reports.html.head import by_score
from chronoscore.reports.html.marks import marks_of
from chronoscore.reports.html.markup import Html, html_table, joined, tag
from chronoscore.reports.html.report import Pages
from chronoscore.reports.result_tables import short, wholes
from chronoscore.reports.table import Table

HEADLINE = ("event-timed", "event-f1", "text-quality")
"""The three numbers that are read side by side, the one that sorts first."""
_BESIDE = ("event-soft",)
"""What is never left out beside them."""
_MATCHED = "matched"
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
_CLOSE = ("closeness 1", "at least 1/3", "at least 1/8", "below")
"""The steps of closeness in the words of the legend; pairs.js has their numbers."""


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
        if rates := rates_of(explained.result):
            for one, summary in wholes(explained.result, rates.name):
                if one is system:
                    return cls._of_rates(counts_of(rates, summary))
        pairings = pairings_of(explained)
        if not pairings:
            return None
        main = pairings[0].infos[0].name
        by_case = {
            case: explained.matches.get((system.name, case, main)) for case in explained.cases
        }
        known = {case: matches for case, matches in by_case.items() if matches}
        if not known:
            return None
        outcomes = Counter(
            (match.side, _outcome(match)) for matches in known.values() for match in matches
        )
        return cls(
            tuple(float(outcomes["precision", at]) for at in range(4)),
            tuple(float(outcomes["recall", at]) for at in range(4)),
            float(sum(len(_reused(explained, system.name, *one)) for one in known.items())),
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
    rows = []
    for system in by_score(structs.replace(result, metrics=tuple(infos))).systems:
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


class Pairing(NamedTuple):
    """The metrics that read one matching."""

    metric: Metric
    infos: tuple[MetricInfo, ...]
    """Those whose matches are known; the first is the main one, which has the events of both
    sides, and not only pairs."""

    @property
    def setting(self) -> EventSetting:
        """What the matching depends on."""
        setting = self.metric.setting
        assert isinstance(setting, EventSetting)
        return setting

    @property
    def labels(self) -> list[str]:
        """The names of the metrics, as short as they can be without becoming equal."""
        names = [parse(info.name)[0] for info in self.infos]
        return [
            name if "(" in info.label and names.count(name) == 1 else info.label
            for info, name in zip(self.infos, names, strict=True)
        ]


def pairings_of(explained: Explained) -> list[Pairing]:
    """Return the matchings of a result, in the order of its metrics."""
    matched = {metric for (_, _, metric), several in explained.matches.items() if several}
    by_setting: dict[object, list[tuple[MetricInfo, Metric]]] = {}
    for info in explained.result.metrics:
        if info.name in matched and (metric := explained.metric(info)) is not None:
            by_setting.setdefault(metric.setting, []).append((info, metric))
    pairings = []
    for known in by_setting.values():
        main = next((one for one in known if explained.sides.get(one[0].name)), None)
        if main is not None:
            others = (info for info, _ in known if info.better == "higher")
            pairings.append(Pairing(main[1], tuple(dict.fromkeys((main[0], *others)))))
    return pairings


def _is_pair(match: Match) -> bool:
    return match.outcome.partition(";")[0] == _MATCHED


def _outcome(match: Match) -> int:
    """Return what became of an event, by its place among the words for it."""
    if _is_pair(match):
        return 0
    if match.gold and match.predicted:  # it belongs to a matched event
        return 2 if "repeat" in match.outcome else 1
    return 3


def _reused(explained: Explained, system: str, case: str, matches: Iterable[Match]) -> set[str]:
    """Return the predicted events whose text is matched with several gold texts."""
    gold, predicted = explained.gold.get(case, {}), explained.predicted.get((system, case), {})
    golds: dict[str, set[str]] = {}
    texts: dict[str, str] = {}
    for match in filter(_is_pair, matches):
        texts[match.predicted] = _text(predicted, match.predicted)
        golds.setdefault(texts[match.predicted], set()).add(_text(gold, match.gold))
    return {name for name, text in texts.items() if text and len(golds[text]) > 1}


def _text(items: Items, name: str) -> str:
    return normalize("NFC", " ".join(items.get(name, ()))).strip()


def _data(explained: Explained, texts: Sequence[str]) -> dict[str, Any]:
    """Return the data of the pictures and pairs: times, matchings, and words to mark."""
    result, cases = explained.result, explained.cases
    pairings = pairings_of(explained)
    numbers = {info.name: number for number, info in enumerate(result.metrics)}
    of_setting = {pairing.metric.setting: at for at, pairing in enumerate(pairings)}
    metrics = [explained.metric(info) for info in result.metrics]
    by_tokens = {pairing.setting.tokens: pairing.metric for pairing in pairings}
    all_times = (*explained.gold_times.values(), *explained.predicted_times.values())
    names = sorted({time for times in all_times for time in times.values()})
    units = [_unit(metric) for metric in metrics]

    def times(times: Mapping[str, str], items: Items) -> list[str]:
        return [times.get(name, "") for name in items]

    def matchings(system: str, case: str) -> list[list[list[Any]]]:
        """For each pairing the closeness of its pairs, and the places of reused texts."""
        places = {name: at for at, name in enumerate(explained.predicted.get((system, case), {}))}
        found: list[list[list[Any]]] = []
        for pairing in pairings:
            matches = explained.matches.get((system, case, pairing.infos[0].name), ())
            pairs = [match for match in matches if match.side == "precision" and _is_pair(match)]
            reused = _reused(explained, system, case, pairs)
            found.append(
                [
                    [round(match.weight, 6) for match in pairs],
                    [places[match.predicted] for match in pairs if match.predicted in reused],
                ]
            )
        return found

    return {
        "facts": False,  # texts are those of events, not of what was judged
        "axis": time_axis(names, result.options.get("time_unit", "")),
        "apart": [(unit, f"{unit}s") for unit in units],
        "goldTimes": [
            times(explained.gold_times.get(case, {}), explained.gold.get(case, {}))
            for case in cases
        ],
        "predictedTimes": [
            [
                times(
                    explained.predicted_times.get((system.name, case), {}),
                    explained.predicted.get((system.name, case), {}),
                )
                for case in cases
            ]
            for system in result.systems
        ],
        "pairings": [
            {
                "metrics": [numbers[info.name] for info in pairing.infos],
                "labels": pairing.labels,
                "processing": pairing.setting.tokens,
            }
            for pairing in pairings
        ],
        "pairing": [of_setting.get(metric.setting, 0) if metric else 0 for metric in metrics],
        "matchings": [
            [matchings(system.name, case) for case in cases] for system in result.systems
        ],
        "marks": {
            tokens: marks_of(explained, partial(tokeniser_of, metric), texts)
            for tokens, metric in by_tokens.items()
        },
    }


def _unit(metric: Metric | None) -> str:
    setting = metric.setting if metric else None
    return distance_noun(setting.closeness if isinstance(setting, EventSetting) else "near")


def _legend(explained: Explained) -> Html:
    dot = tag("circle", cx=7, cy=7, r=5, class_="dot")
    open_dot = tag("circle", cx=7, cy=7, r=5, class_="dot open")
    cross = tag("path", d="M4 4L10 10M10 4L4 10", class_="cross")
    settings = " or ".join(setting_in_words(one.infos[0]) for one in pairings_of(explained))
    words = (
        "Similarity is that of the texts, closeness that of the dates. "
        f"{f'Matched by {settings}. ' if settings else ''}"
        "A conflict is a sign that both texts differ in a number, a negation or in who did what: "
        "mostly a false alarm, and no score reads it."
    )
    keys = [
        *(line_key(f"line far-{at}", text, 2.5) for at, text in enumerate(_CLOSE)),
        line_key("line nothing", "a date is missing", 2),
        line_key("line attached-line", "belongs to it", 1),
        key(dot, "matched", 14),
        key(open_dot, "part, repeat or merged", 14),
        key(joined(open_dot, cross), "missed or spurious", 14),
        tag("li", words, class_="in-words"),
    ]
    return tag("ul", keys, class_="legend", aria_label="How to read the pictures and pairs")


PAGES = Pages(
    sections=(("outcomes", "What became of the events", outcomes_section),),
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
    view=CaseView(
        "pairs",
        ("lanes.js", "panel.js", "pairs.js"),
        "timeline",
        "Timeline by timeline",
        legend=_legend,
        data=_data,
    ),
)
