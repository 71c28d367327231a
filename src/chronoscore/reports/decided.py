"""What decided between two systems: the units that differ most, and the items in them, in words.

A unit is a topic, a document or an article. An item is what matches are of: a day, a link, an
annotation, a judged event.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from chronoscore.core.contrast import Pair, item_name
from chronoscore.core.evidence import Match
from chronoscore.core.family import Family
from chronoscore.core.result import CaseMatches, CaseTexts, MetricInfo, ResultDocument
from chronoscore.engines.contrasting import Question, contrast
from chronoscore.engines.intervals import unit_tags
from chronoscore.errors import UsageError, one_line
from chronoscore.reports.table import p_value, plural, shown, signed
from chronoscore.reports.terminal import terminal_width, text_width, wrapped_lines

MOST = 3
"""Units, and items of each unit, that are named."""
_LEAST = 16
"""Columns that a quotation needs."""
_WIDEST = 80
"""Columns of the longest line."""
_MORE = " ..."
_NEGLIGIBLE = 1e-9


@dataclass
class Earned:
    """The credit of an item under one system, over all its matches in a unit."""

    credit: float = 0.0
    possible: float = 0.0
    losses: dict[str, float] = field(default_factory=dict)
    """What the matches say of the item, with the credit that was lost by it."""
    text: str = ""
    """What the system says there, if it is known."""

    def add(self, match: Match, item: str, text: str) -> None:
        """Add a match of an item, and the text of its other side."""
        self.credit += match.credit
        self.possible += match.possible
        lost = match.possible - match.credit
        remark = item.removeprefix(item_name(item)).strip("\n()")
        outcome = f"{match.outcome}: {remark}" if remark else match.outcome
        self.losses[outcome] = self.losses.get(outcome, 0.0) + lost
        if text and (match.credit or not self.text):
            self.text = text

    @property
    def outcome(self) -> str:
        """The outcome that lost most; of several that lost nothing, none."""
        worst = max(self.losses, key=lambda name: self.losses[name], default="")
        return worst if len(self.losses) == 1 or self.losses.get(worst, 0.0) > 0 else ""


@dataclass(frozen=True)
class DecidedItem:
    """An item that one system has better than the other."""

    name: str
    text: str
    """The text of the gold, or of the prediction where no gold is behind it."""
    effect: float
    """What it adds to the leader's advantage in recall, or in precision."""
    earned: dict[str, Earned]
    """By system; a prediction without a gold has only its own system."""


@dataclass(frozen=True)
class DecidedUnit:
    """A unit that speaks for the leading system."""

    name: str
    difference: float
    scores: tuple[float | None, float | None]
    """Of the leading system and of the other, on this unit alone."""
    items: tuple[DecidedItem, ...] = ()


@dataclass(frozen=True)
class Decided:
    """Why one system is ahead of another."""

    metric: MetricInfo
    pair: Pair
    """Its first system is the leader."""
    scores: tuple[float | None, float | None]
    unit: str
    """What the units are, such as topics."""
    compared: int
    """How many units there are."""
    units: tuple[DecidedUnit, ...]
    """Those that speak most for the leader."""
    explained: bool
    """Whether there are matches that name the items."""


def decided(
    family: Family,
    documents: Sequence[ResultDocument],
    matches: Sequence[CaseMatches],
    texts: Sequence[CaseTexts],
    one: str,
    two: str,
    metric: str = "",
) -> Decided:
    """Find the units, and the items in them, that put one of two systems ahead of the other.

    `documents` are saved results that hold both systems; `matches` and `texts` are what was saved
    with them and may be empty. Without a `metric`, by its label or its name, it is the first that
    is no curve.
    """
    info = _metric(documents[0], metric)
    chosen = [
        replace(
            document,
            systems=tuple(system for system in document.systems if system.name in (one, two)),
            metrics=tuple(other for other in document.metrics if other.name == info.name),
        )
        for document in documents
    ]
    names = [system.name for document in documents for system in document.systems]
    for name in (one, two):
        if name not in names:
            raise UsageError(f"there is no system '{name}'; there are: {', '.join(names)}")
    if one == two:
        raise UsageError(f"'{one}' is not ahead of itself: name two systems")
    compared = contrast(family, [document for document in chosen if document.systems], Question())
    (of_metric,) = compared.metrics
    (pair,) = of_metric.pairs
    score = {ranked.system: ranked.score for ranked in of_metric.ranking}
    known = {(item.system, item.case): item.matches for item in matches if item.metric == info.name}
    sign = 1 if info.better == "higher" else -1
    swings = [swing for swing in pair.swings if sign * swing.difference > _NEGLIGIBLE][:MOST]
    items = _Items(texts, known, pair.one, pair.two)
    cases = _cases(family, compared.unit, chosen)
    return Decided(
        info,
        pair,
        (score[pair.one], score[pair.two]),
        compared.unit,
        compared.units,
        tuple(
            DecidedUnit(
                swing.unit,
                swing.difference,
                (swing.one, swing.two),
                tuple(items.of(cases.get(swing.unit, []))) if sign > 0 else (),
            )
            for swing in swings
        ),
        explained=bool(known),
    )


def _metric(document: ResultDocument, name: str) -> MetricInfo:
    usable = [metric for metric in document.metrics if not metric.curve]
    for metric in usable:
        if name in ("", metric.label, metric.name):
            return metric
    labels = ", ".join(metric.label for metric in usable) or "none"
    raise UsageError(f"the result has no metric '{name}' to compare by; it has: {labels}")


def _cases(family: Family, unit: str, documents: Iterable[ResultDocument]) -> dict[str, list[str]]:
    """Return the cases of each unit."""
    tags = unit_tags(family, unit)
    cases: dict[str, dict[str, None]] = {}
    for document in documents:
        for system in document.systems:
            for row in system.rows:
                name = "/".join(row.tags.get(tag, "") for tag in tags)
                cases.setdefault(name, {})[row.case] = None
    return {name: [*of_unit] for name, of_unit in cases.items()}


class _Items:
    """The items of both systems, from their matches and texts."""

    def __init__(
        self,
        texts: Sequence[CaseTexts],
        matches: dict[tuple[str, str], tuple[Match, ...]],
        leader: str,
        other: str,
    ) -> None:
        self.texts = {(item.system, item.case): item for item in texts}
        self.matches = matches
        self.leader, self.other = leader, other

    def of(self, cases: Sequence[str]) -> list[DecidedItem]:
        """Return the items of a unit that speak most for the leader."""
        items = [item for item in self._all(cases) if item.effect > _NEGLIGIBLE]
        return sorted(items, key=lambda item: (-item.effect, item.name))[:MOST]

    def _all(self, cases: Sequence[str]) -> Iterator[DecidedItem]:
        gold_texts: dict[str, str] = {}
        golds: dict[str, dict[str, Earned]] = {self.leader: {}, self.other: {}}
        predictions: dict[str, dict[str, Earned]] = {self.leader: {}, self.other: {}}
        for system in (self.leader, self.other):
            for case in cases:
                texts = self.texts.get((system, case))
                ours, theirs = (texts.gold, texts.predicted) if texts else ({}, {})
                for match in self.matches.get((system, case), ()):
                    text = " ".join(theirs.get(match.predicted, ()))
                    if match.gold and match.side != "precision":
                        name = item_name(match.gold)
                        gold_texts.setdefault(name, " ".join(ours.get(name, ())))
                        golds[system].setdefault(name, Earned()).add(match, match.gold, text)
                    elif match.predicted and match.side != "recall":
                        earned = predictions[system].setdefault(
                            item_name(match.predicted), Earned()
                        )
                        earned.add(match, match.predicted, text)
        yield from self._of_golds(golds, gold_texts)
        for system, for_leader in ((self.leader, 1), (self.other, -1)):
            if for_leader < 0 or not any(golds.values()):
                yield from self._of_predictions(system, predictions[system], for_leader)

    def _of_golds(
        self, golds: dict[str, dict[str, Earned]], texts: dict[str, str]
    ) -> Iterator[DecidedItem]:
        """Compare both systems at each gold item; the effects add up to the difference in recall.

        An item that a system was not scored on is left out.
        """
        first, second = golds[self.leader], golds[self.other]
        total = sum(earned.possible for earned in first.values()) or 1.0
        for name, ours in first.items():
            if name in second:
                theirs = second[name]
                earned = {self.leader: ours, self.other: theirs}
                effect = (ours.credit - theirs.credit) / total
                yield DecidedItem(name, texts[name], effect, earned)

    def _of_predictions(
        self, system: str, predictions: dict[str, Earned], for_leader: int
    ) -> Iterator[DecidedItem]:
        """Return predicted items by how far precision would change without them."""
        credit = sum(earned.credit for earned in predictions.values())
        possible = sum(earned.possible for earned in predictions.values())
        for name, earned in predictions.items():
            rest = possible - earned.possible
            if possible and rest:
                effect = credit / possible - (credit - earned.credit) / rest
                yield DecidedItem(name, earned.text, for_leader * effect, {system: earned})


# In words


def decided_text(decision: Decided) -> str:
    """Say what decided, in lines of up to 80 columns that fit the terminal."""
    return "\n".join("\n".join(paragraph) for paragraph in _paragraphs(decision)) + "\n"


def _paragraphs(decision: Decided) -> Iterator[list[str]]:
    label, unit, pair = decision.metric.label, decision.unit, decision.pair
    one, two = map(shown, decision.scores)
    if pair.difference is None:
        yield _wrapped(f"{label} is undefined for {pair.one} or {pair.two}.")
        return
    if abs(pair.difference) <= _NEGLIGIBLE:
        head = f"{pair.one} and {pair.two} are equal in {label} ({one})."
    else:
        head = (
            f"{pair.one} is ahead of {pair.two} by {abs(pair.difference):.3f} {label} "
            f"({one} against {two}; p {p_value(pair.p)} over {plural(decision.compared, unit)})."
        )
    if not decision.units:
        yield _wrapped(head)
        return
    ahead, behind = pair.wins, pair.losses
    if decision.metric.better == "lower":
        ahead, behind = behind, ahead
    head += f" It is better on {ahead}, worse on {behind} and equal on {pair.ties} of them."
    if len(decision.units) == 1:
        head += f" This {unit} decided."
    else:
        head += f" These {unit}s decided most."
    if any(of_unit.items for of_unit in decision.units):
        head += " The credit of a system is given as a part of what can be earned."
    elif not decision.explained:
        head += " What decided in them is not known, since no matches were saved with the result."
    yield _wrapped(head)
    for of_unit in decision.units:
        yield ["", *_unit(of_unit)]


def _unit(unit: DecidedUnit) -> Iterator[str]:
    one, two = map(shown, unit.scores)
    yield from _wrapped(f"{unit.name}: {signed(unit.difference)} ({one} against {two})")
    for item in unit.items:
        (system, earned), *of_other = item.earned.items()
        by = "" if of_other else f" (predicted by {system})"
        yield from _quoting("- ", item.name, item.text, by)
        yield from _quoting("    ", f"{system}: {_amount(earned)}", earned.text if of_other else "")
        for name, other in of_other:
            yield from _quoting("    ", f"{name}: {_amount(other)}", other.text)


def _amount(earned: Earned) -> str:
    if earned.credit <= _NEGLIGIBLE:
        amount = "nothing"
    elif earned.credit >= earned.possible - _NEGLIGIBLE:
        amount = "all"
    else:
        amount = f"{earned.credit:.3g} of {earned.possible:.3g}"
    return f"{amount} ({earned.outcome})" if earned.outcome else amount


def _quoting(first: str, text: str, quoted: str, end: str = "") -> list[str]:
    """Write a line that quotes as much as fits on it; `first` is its indent."""
    room = _width() - text_width(f"{first}{text}{end} ''")
    if quoted and room >= _LEAST:
        end = f" '{_cut(quoted, room)}'{end}"
    return _wrapped(f"{text}{end}", first, " " * (len(first) + 2))


def _cut(text: str, width: int) -> str:
    """Cut a text to a width on the terminal, after a whole word if it has any.

    >>> _cut("Tugs refloat the ship after a week", 20), _cut("ship", 20)
    ('Tugs refloat the ...', 'ship')
    """
    text = one_line(" ".join(text.split()))
    if text_width(text) <= width:
        return text
    start = text
    while text_width(start) > width - len(_MORE):
        start = start[:-1]
    whole, space, _ = text[: len(start) + 1].rpartition(" ")
    return (whole if space else start) + _MORE


def _wrapped(text: str, first: str = "", indent: str = "") -> list[str]:
    return wrapped_lines(" ".join(text.split()), _width(), indent, first)


def _width() -> int:
    return min(_WIDEST, terminal_width())
