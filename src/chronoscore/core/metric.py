"""A metric is a value: a name that parses back to it, statistics it counts, a link to scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec.structs import replace

from chronoscore.core import names
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.functions import is_name, late, named, resolve
from chronoscore.core.names import Value
from chronoscore.errors import UsageError, similar_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chronoscore.core.evidence_table import Measured

    Array = NDArray[np.float64]

Values = Mapping[str, Value]
RatioTable = Mapping[str, tuple[Mapping[str, float], str]]
"""Components by name: the statistics of the numerator with their weights, and the denominator."""


def text_of(values: Values, name: str) -> str:
    """Return a parameter that is text; unlike `str`, keep a function that the caller allowed.

    >>> text_of({"kernel": "flat"}, "kernel")
    'flat'
    """
    value = values[name]
    assert isinstance(value, str)
    return value


class Law(StrEnum):
    """What a metric may promise; each promise is tested for every metric that makes it."""

    IDENTITY = "a copy of the gold scores 1 wherever a score is defined"
    SWAP = "swapping gold and prediction swaps precision and recall"
    ITEM_ORDER = "the order of items in a file changes nothing"
    EXPLAINED = "the matches add up to the statistics"
    BOUNDED = "every score is between 0 and 1"
    MORE_IS_BETTER = "adding a correct item to the prediction never lowers the score"


USUAL_LAWS = frozenset({Law.IDENTITY, Law.SWAP, Law.ITEM_ORDER, Law.EXPLAINED, Law.BOUNDED})
"""What a metric of precision and recall should promise."""


class CommandOption(msgspec.Struct, frozen=True):
    """How the command line sets a parameter: by its name, as `--gold-set`, words one by one.

    The help is the parameter's meaning, unless the option means something else to a verb.
    """

    help: str = ""
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    """The words that are offered; those that the parameter accepts if there are none here."""
    needs: tuple[str, ...] = ()
    """Parameters of which one must be set for this one to mean anything: `name`, `name=value`."""


FLAG = ("", "yes")
"""The choices of an option that is set by its name alone, as in `--lists`."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a metric, or an option of a family.

    It is declared once for the parser, the command line, the help and the documentation.
    """

    name: str
    kind: Literal["integer", "number", "word", "words", "function", "length"]
    """A length is a whole number, or text with a unit, such as 36h."""
    default: Value
    meaning: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    check: Callable[[str], object] | None = None
    """Raises a usage error for a word that is not allowed, where there is no list of choices."""
    complete: Callable[[str], str] | None = None
    """Completes a word that the user wrote, as by a digest of the file that it names."""
    version: Callable[[str], str] | None = None
    """Returns the versions of what a value names, which signatures state."""
    named: bool = False
    """Whether a metric's name states the value even if it is the default."""
    tag: str = ""
    """Of a family's option: the tag of cases for which the data set it, in place of the user."""
    option: CommandOption | None = None

    @classmethod
    def choice(
        cls, name: str, help: str, choices: tuple[str, ...], offered: tuple[str, ...] = ()
    ) -> Parameter:
        """Declare a choice of a family, the default first; `help` is that of the command line."""
        option = CommandOption(help, choices=offered)
        return cls(name, "word", choices[0], help, choices, option=option)

    def read(self, raw: Value | Callable[..., Any]) -> Value:
        """Convert a written value to the parameter's type, or refuse it and name the type.

        A `function` is one of the choices or a function of the user, passed as an object or by
        name; a name stays text until `Metric.allowing` imports the function.
        """
        if callable(raw):
            raw = named(raw)
        if self.kind == "function" and isinstance(raw, str) and is_name(raw):
            return raw
        try:
            value = self._converted(raw)
        except ValueError:
            raise UsageError(f"parameter '{self.name}' is '{raw}', expected {self.kind}") from None
        for word in value if isinstance(value, tuple) else (value,):
            if self.choices and word not in self.choices:
                raise UsageError(
                    f"parameter '{self.name}' is '{word}', expected one of: "
                    + ", ".join(self.choices)
                )
        if self.least is not None and isinstance(value, int | float) and value < self.least:
            raise UsageError(f"parameter '{self.name}' is {value}, expected {self.least} or more")
        if self.check is not None:
            self.check(str(value))
        return value

    def _converted(self, raw: Value) -> Value:
        if self.kind == "words":
            return raw if isinstance(raw, tuple) else (str(raw),)
        if isinstance(raw, tuple):
            raise ValueError
        if self.kind == "integer" or (self.kind == "length" and _is_plain_number(str(raw))):
            return int(raw)
        if self.kind == "number":
            number = float(raw)
            if not math.isfinite(number):  # no score could be made of it
                raise ValueError
            return number
        return str(raw)


def _is_plain_number(text: str) -> bool:
    return text.strip().lstrip("+-").isdecimal()


class BrokenLaw(msgspec.Struct, frozen=True):
    """A law that a published metric breaks, with its smallest counterexample in words."""

    law: Law
    counterexample: str


@dataclass(frozen=True, eq=False, repr=False)
class Definition:
    """A row of the catalogue: defines all metrics that differ only in their parameters.

    `ratios` turns statistics into components (precision and recall, or a mean), `derive` turns
    components into scores (adds F); both work on the last axis and take any axes before it.
    Undefined is NaN. They are two functions because some averages are taken between them.

    Where nothing else is declared, the metric has precision, recall and F: ratios of the first
    four statistics, which are the credit and the total of precision and then of recall.
    """

    name: str
    meaning: str
    citation: str
    statistics: tuple[Statistic, ...]
    measure: Callable[[Any, Values], Evidence] | None = None
    """Counts in one comparison. Left out: the comparison is one of a block, and has what
    `measure_batch` counts in the block."""
    ratio_table: RatioTable = field(default_factory=dict)
    """The components, where each is a ratio of weighted sums of statistics."""
    components: tuple[str, ...] = ("precision", "recall")
    ratios: Callable[[Array, Values], Array] = field(
        default_factory=late("chronoscore.statistics.ratios:precision_recall")
    )
    scores: tuple[str, ...] = ()
    """Left empty: the components, and F after precision and recall."""
    derive: Callable[[Array, Values], Array] = lambda components, _: components
    primary: str = ""
    """The score that gates and rankings use. Left empty: F1, or else the first score."""
    explain: Callable[[Any, Values], Iterable[Match]] = lambda _, __: ()
    """The matches behind the statistics; apart, since most runs don't ask for them."""
    measure_batch: Callable[[Any, Values], Measured] | None = None
    """As `measure`, for the columns of a whole batch at once; must count the same."""
    parameters: tuple[Parameter, ...] = ()
    meaning_with: Callable[[Values], str] = lambda _: ""
    """The meaning with these parameters, where it depends on them."""
    presets: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    """Published metrics that are this one with some parameters set, by their own names."""
    check: Callable[[Values], object] = lambda _: None
    """Raises a usage error for parameters that don't go together."""
    setting: Callable[[Values], Hashable] = lambda _: None
    laws: Callable[[Values], frozenset[Law]] = lambda _: frozenset()
    broken: tuple[BrokenLaw, ...] = ()
    explained: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)
    """For each side, the statistics whose sums its matches' credit and possible credit make. Left
    empty: those of precision and of recall, where they are in the table of ratios or the first four
    statistics."""
    curve: Literal["", "best", "median"] = ""
    """Whether evidence has steps, and what is reported of them: the best point, or the medians."""
    areas: tuple[str, ...] = ()
    """Scores of a curve as a whole."""
    area: Callable[[Array], Array] | None = None
    """From statistics[t, k] at all thresholds, the highest first, to the areas."""
    better: Literal["higher", "lower"] = "higher"
    item: str = ""
    """What the matches are of, such as a day, where such items can be drawn by chance."""
    shown: tuple[str, ...] = ()
    """The scores that tables show, where all of them would be too many."""
    ranges: Callable[[Values], Mapping[str, tuple[float, float]]] = lambda _: {}
    """The lowest and the highest that a score can be, where that is not 0 and 1 for all."""
    hits: Mapping[str, tuple[tuple[str, ...], str, str]] = field(default_factory=dict)
    """Of an F1 of whole counts: statistics whose sum is the hits, the predicted and the gold."""

    def __post_init__(self) -> None:
        """Fill in what follows from the other fields."""
        from chronoscore.statistics.ratios import (  # noqa: PLC0415 - numpy, which options don't need
            add_f,
            precision_recall,
            weighted_ratios,
        )

        put = partial(object.__setattr__, self)
        names = [statistic.name for statistic in self.statistics]
        if self.ratio_table:
            put("components", tuple(self.ratio_table))
            put("ratios", weighted_ratios(names, self.ratio_table.values()))
        two, further = self.components[:2], self.components[2:]
        if not self.scores and two == ("precision", "recall") and "f1" not in further:
            put("scores", (*two, "f1", *further))
            put("derive", add_f)
        elif not self.scores:
            put("scores", self.components)
        if not self.primary:
            put("primary", "f1" if "f1" in self.scores else self.scores[0])
        if not self.explained and self.ratio_table.keys() >= {"precision", "recall"}:
            sides = {side: self.ratio_table[side] for side in ("precision", "recall")}
            put("explained", {side: (tuple(top), (total,)) for side, (top, total) in sides.items()})
        elif not self.explained and self.ratios is precision_recall:
            credit, total, recalled, gold = ((name,) for name in names[:4])
            put("explained", {"precision": (credit, total), "recall": (recalled, gold)})

    def __call__(self, **values: Value | Callable[..., Any]) -> Metric:
        """Make the metric with these parameters, the others at their defaults."""
        return self.with_values(values, self.name)

    def with_values(self, values: Mapping[str, Value | Callable[..., Any]], typed: str) -> Metric:
        """Make the metric with these parameters; messages name it as it was typed."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in values:
            if name not in known:
                similar = similar_name(name, known)
                listed = ", ".join(known) or "none"
                hint = f"did you mean '{similar}'?" if similar else f"it has: {listed}"
                raise UsageError(f"metric '{typed}' has no parameter '{name}'; {hint}")
        metric = Metric(
            self,
            tuple(
                (name, parameter.read(values.get(name, parameter.default)))
                for name, parameter in known.items()
            ),
        )
        self.check(metric.values)
        return metric


class Metric(msgspec.Struct, frozen=True):
    """A metric with all its parameters set. Equal to, and hashed as, what its name parses to.

    >>> from chronoscore import metric
    >>> metric("AR-1") == metric("align+m:1(rouge=1)"), metric("AR-2")
    (True, <Metric: align+m:1(rouge=2)>)
    """

    definition: Definition
    items: tuple[tuple[str, Value], ...]

    def __repr__(self) -> str:
        return f"<Metric: {self}>"

    def __str__(self) -> str:
        """Write the name that parses back to this metric; defaults are left out."""
        return _name_of(self)

    @property
    def brief(self) -> str:
        """The name without any default, as tables have it."""
        return self._shortest_name(())

    def _shortest_name(self, named: Collection[str] | None = None) -> str:
        if named is None:
            named = [one.name for one in self.definition.parameters if one.named]
        defaults = {p.name: p.default for p in self.definition.parameters}
        by_name = {self.definition.name: defaults}
        by_name |= {name: {**defaults, **p} for name, p in self.definition.presets.items()}
        shortest = min(by_name, key=lambda name: len(self._different_from(by_name[name])))
        different = self._different_from(by_name[shortest])
        written = {n: value for n, value in self.items if n in named or n in different}
        return names.write(shortest, written)

    def _different_from(self, assumed: Values) -> dict[str, Value]:
        return {name: value for name, value in self.items if value != assumed[name]}

    @property
    def values(self) -> Values:
        """The parameters by name."""
        return dict(self.items)

    @property
    def meaning(self) -> str:
        """What it measures with its parameters."""
        return self.definition.meaning_with(self.values) or self.definition.meaning

    @property
    def functions(self) -> Mapping[str, str]:
        """The names of the user's functions by parameter, allowed or not."""
        kinds = {parameter.name: parameter.kind for parameter in self.definition.parameters}
        pairs = ((name, value) for name, value in self.items if kinds[name] == "function")
        return {n: value for n, value in pairs if isinstance(value, str) and is_name(value)}

    def allowing(self, names: Collection[str]) -> Metric:
        """Return the metric with the functions that `names` lists imported."""
        chosen = {name: resolve(v) for name, v in self.functions.items() if v in names}
        return replace(self, items=tuple((name, chosen.get(name, v)) for name, v in self.items))

    def completed(self) -> Metric:
        """Return the metric with its words completed; only for words that the user wrote."""
        complete = {parameter.name: parameter.complete for parameter in self.definition.parameters}
        items = ((n, v, complete[n]) for n, v in self.items)
        return replace(self, items=tuple((n, c(str(v)) if c and v else v) for n, v, c in items))

    @property
    def versions(self) -> set[str]:
        """The versions that the scores depend on."""
        parameters = (p for p in self.definition.parameters if p.version is not None)
        named = {p.version(str(self.values[p.name])) for p in parameters if p.version}
        return named - {""}

    @property
    def scores(self) -> tuple[str, ...]:
        """The names of the scores; F is named after its beta."""
        return tuple(self._named(name) for name in self.definition.scores)

    @property
    def primary(self) -> str:
        """The score that gates and rankings use."""
        return self._named(self.definition.primary)

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the scores that tables show."""
        return tuple(self._named(name) for name in self.definition.shown) or self.scores

    def _named(self, score: str) -> str:
        beta = self.values.get("beta", 1)
        return score if beta == 1 else score.replace("f1", f"f{beta:g}")

    @property
    def better(self) -> Literal["higher", "lower"]:
        """Whether higher or lower scores are better."""
        return self.definition.better

    @property
    def laws(self) -> frozenset[Law]:
        """The laws that the metric obeys with these parameters."""
        return self.definition.laws(self.values)

    def range(self, score: str) -> tuple[float, float]:
        """The lowest and the highest that a score can be; infinite where there is no bound."""
        if Law.BOUNDED in self.laws:
            return 0.0, 1.0
        return self.definition.ranges(self.values).get(score, (-math.inf, math.inf))

    def check_limit(self, limit: float, label: str) -> None:
        """Refuse a limit of a gate that lies outside the range of the main score.

        The message calls the metric by its `label`, as the table and the user do.
        """
        low, high = self.range(self.primary)
        if low <= limit <= high:
            return
        if math.isinf(high):
            raise UsageError(f"scores of {label} are {low:g} or more: no score is below {limit:g}")
        percent = (low, high) == (0, 1) and 10 <= limit <= 100
        hint = f": did you mean {max(f'{limit / 100:.2f}', f'{limit / 100:g}', key=len)}?"
        raise UsageError(
            f"scores of {label} are between {low:g} and {high:g}, got {limit:g}{hint * percent}"
        )

    @property
    def setting(self) -> Hashable:
        """The parameters that the comparison depends on: metrics of equal setting share it."""
        return self.definition.setting(self.values)

    def measure(self, comparison: Any) -> Evidence:
        """Compute the statistics of one comparison."""
        if self.definition.measure is None:
            evidence: Evidence = comparison.evidence(self)
            return evidence
        return self.definition.measure(comparison, self.values)

    def measure_block(self, columns: Any) -> Measured:
        """Compute the statistics of many cases at once, where the metric can."""
        assert self.definition.measure_batch is not None
        return self.definition.measure_batch(columns, self.values)

    def explain(self, comparison: Any) -> tuple[Match, ...]:
        """List the matches of a comparison, each with its credit."""
        return tuple(self.definition.explain(comparison, self.values))

    def parts(self, comparison: Any, item: str) -> tuple[tuple[str, tuple[float, ...]], ...]:
        """Return what each item adds to the statistics, from the matches that explain them."""
        if self.definition.item != item:
            raise UsageError(f"{self} does not speak of {item}s: draw another unit")
        places = {s.name: at for at, s in enumerate(self.definition.statistics)}
        sides = {
            side: tuple(places[name] for (name,) in statistic_names)
            for side, statistic_names in self.definition.explained.items()
        }
        sums: dict[str, list[float]] = {}
        for match in self.explain(comparison):
            item_name = match.predicted if match.side == "precision" else match.gold
            added = sums.setdefault(item_name, [0.0] * len(places))
            for at, value in zip(sides[match.side], (match.credit, match.possible), strict=True):
                added[at] += value
        return tuple((name, tuple(values)) for name, values in sorted(sums.items()))

    def components(self, statistics: Array) -> Array:
        """Turn statistics[..., k] into components[..., c], NaN where undefined."""
        return self.definition.ratios(statistics, self.values)

    def derive(self, components: Array) -> Array:
        """Turn components[..., c] into scores[..., m]."""
        return self.definition.derive(components, self.values)

    def link(self, statistics: Array) -> Array:
        """Turn statistics[..., k] into scores[..., m], NaN where undefined."""
        return self.derive(self.components(statistics))


@lru_cache(maxsize=1024)
def _name_of(metric: Metric) -> str:
    return metric._shortest_name()
