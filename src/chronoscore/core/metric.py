"""A metric is a value: a name that parses back to it, statistics it counts, a link to scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from chronoscore.core import names
from chronoscore.core.errors import UsageError
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.functions import is_name, named, resolve
from chronoscore.core.names import Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chronoscore.core.batch import Measured

    Array = NDArray[np.float64]

Values = Mapping[str, Value]


def text_of(values: Values, name: str) -> str:
    """A parameter that is text; a function that the caller allowed stays one, as `str` would not.

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
    MORE_IS_BETTER = "more of the right never lowers the score"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter, declared once for the parser, the help and the documentation."""

    name: str
    kind: Literal["integer", "number", "word", "words", "function"]
    default: Value
    meaning: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    check: Callable[[str], object] | None = None
    """Raises a usage error for a word that is not allowed, where there is no list of choices."""

    def read(self, raw: Value | Callable[..., Any]) -> Value:
        """Turn what was written into the parameter's type, or say what was expected.

        A `function` is one of the choices, or the user's own: given as it is, or by its name,
        which stays a name until `Metric.allowing` says that it may be called.
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
        if self.check is not None:
            self.check(str(value))
        if self.least is not None and isinstance(value, int | float) and value < self.least:
            raise UsageError(f"parameter '{self.name}' is {value}, expected {self.least} or more")
        return value

    def _converted(self, raw: Value) -> Value:
        if self.kind == "words":
            return raw if isinstance(raw, tuple) else (str(raw),)
        if isinstance(raw, tuple):
            raise ValueError
        if self.kind == "integer":
            return int(raw)
        if self.kind == "number":
            number = float(raw)
            if not math.isfinite(number):  # no score could be made of it
                raise ValueError
            return number
        return str(raw)


@dataclass(frozen=True, slots=True)
class BrokenLaw:
    """A law that a published metric breaks, with its smallest counterexample in words."""

    law: Law
    counterexample: str


@dataclass(frozen=True, eq=False)
class Definition:
    """A row of the catalogue: all that makes a family of metrics that differ in parameters.

    `ratios` turns statistics into components (precision and recall, or a mean), `derive` turns
    components into scores (adds F); both work on the last axis and take any axes before it.
    Undefined is NaN. The two are apart because some averages are taken between them.
    """

    name: str
    meaning: str
    citation: str
    statistics: tuple[Statistic, ...]
    components: tuple[str, ...]
    scores: tuple[str, ...]
    primary: str
    measure: Callable[[Any, Values], Evidence]
    ratios: Callable[[Array, Values], Array]
    derive: Callable[[Array, Values], Array] = lambda components, _: components
    explain: Callable[[Any, Values], Sequence[Match]] = lambda _, __: ()
    """The matches behind the statistics; apart, since most runs don't ask for them."""
    measure_batch: Callable[[Any, Values], Measured] | None = None
    """As `measure`, for the columns of a whole batch at once; must count the same."""
    parameters: tuple[Parameter, ...] = ()
    presets: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    """Published metrics that are this one with some parameters set, by their own names."""
    setting: Callable[[Values], Hashable] = lambda _: None
    laws: Callable[[Values], frozenset[Law]] = lambda _: frozenset()
    broken: tuple[BrokenLaw, ...] = ()
    explained: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)
    """For each side, the statistics whose sums its matches' credit and possible credit make."""
    curve: Literal["", "best", "median"] = ""
    """Whether evidence has steps, and what is told of them: the best point, or the medians."""
    areas: tuple[str, ...] = ()
    """Scores of a curve as a whole."""
    area: Callable[[Array], Array] | None = None
    """From statistics[t, k] at all thresholds, the highest first, to the areas."""
    better: Literal["higher", "lower"] = "higher"
    days: bool = False
    """Whether matches are of days, so that days can be drawn by chance."""
    shown: tuple[str, ...] = ()
    """The scores that tables show, where all of them would be too many."""
    ranges: Callable[[Values], Mapping[str, tuple[float, float]]] = lambda _: {}
    """The lowest and the highest that a score can be, where that is not 0 and 1 for all."""
    hits: Mapping[str, tuple[tuple[str, ...], str, str]] = field(default_factory=dict)
    """Of an F1 of whole counts: statistics whose sum is the hits, the predicted and the gold."""

    def __call__(self, **values: Value | Callable[..., Any]) -> Metric:
        """Make the metric with these parameters, the others at their defaults."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in values:
            if name not in known:
                close = get_close_matches(name, known, n=1)
                listed = ", ".join(known) or "none"
                hint = f"did you mean '{close[0]}'?" if close else f"it has: {listed}"
                raise UsageError(f"metric '{self.name}' has no parameter '{name}'; {hint}")
        return Metric(
            self,
            tuple(
                (name, parameter.read(values.get(name, parameter.default)))
                for name, parameter in known.items()
            ),
        )


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric with all its parameters set. Equal to, and hashed as, what its name parses to."""

    definition: Definition
    items: tuple[tuple[str, Value], ...]

    def __str__(self) -> str:
        """Write the name that parses back to this metric; defaults are left out."""
        defaults = {p.name: p.default for p in self.definition.parameters}
        named = {self.definition.name: defaults}
        named |= {name: {**defaults, **p} for name, p in self.definition.presets.items()}
        shortest = min(named, key=lambda name: len(self._beside(named[name])))
        return names.write(shortest, self._beside(named[shortest]))

    def _beside(self, assumed: Values) -> dict[str, Value]:
        return {name: value for name, value in self.items if value != assumed[name]}

    @property
    def values(self) -> Values:
        """The parameters by name."""
        return dict(self.items)

    @property
    def functions(self) -> Mapping[str, str]:
        """The names of the user's functions by parameter, allowed or not."""
        kinds = {parameter.name: parameter.kind for parameter in self.definition.parameters}
        named = ((name, value) for name, value in self.items if kinds[name] == "function")
        return {n: value for n, value in named if isinstance(value, str) and is_name(value)}

    def allowing(self, names: Collection[str]) -> Metric:
        """The metric with those of its functions that `names` lists, which are imported now."""
        chosen = {name: resolve(v) for name, v in self.functions.items() if v in names}
        return replace(self, items=tuple((name, chosen.get(name, v)) for name, v in self.items))

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
        """The scores that tables show, by the names they have here."""
        return tuple(self._named(name) for name in self.definition.shown) or self.scores

    def _named(self, score: str) -> str:
        beta = self.values.get("beta", 1)
        return score if beta == 1 else score.replace("f1", f"f{beta:g}")

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
        """Refuse a limit of a gate that the main score can't be on one side of.

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
        """What the comparison depends on: metrics of equal setting share one comparison."""
        return self.definition.setting(self.values)

    def measure(self, comparison: Any) -> Evidence:
        """Count: one comparison in, its statistics out."""
        return self.definition.measure(comparison, self.values)

    def explain(self, comparison: Any) -> tuple[Match, ...]:
        """Tell what was set against what, and what it earned."""
        return tuple(self.definition.explain(comparison, self.values))

    def parts(self, comparison: Any) -> tuple[tuple[str, tuple[float, ...]], ...]:
        """What each day adds to the statistics, from the matches that explain them."""
        if not self.definition.days:
            raise UsageError(f"{self} does not speak of days: draw another unit")
        places = {s.name: at for at, s in enumerate(self.definition.statistics)}
        sides = {
            side: tuple(places[name] for (name,) in named)
            for side, named in self.definition.explained.items()
        }
        found: dict[str, list[float]] = {}
        for match in self.explain(comparison):
            own = match.predicted if match.side == "precision" else match.gold
            added = found.setdefault(own, [0.0] * len(places))
            for at, value in zip(sides[match.side], (match.credit, match.possible), strict=True):
                added[at] += value
        return tuple((day, tuple(values)) for day, values in sorted(found.items()))

    def components(self, statistics: Array) -> Array:
        """Turn statistics[..., k] into components[..., c], NaN where undefined."""
        return self.definition.ratios(statistics, self.values)

    def derive(self, components: Array) -> Array:
        """Turn components[..., c] into scores[..., m]."""
        return self.definition.derive(components, self.values)

    def link(self, statistics: Array) -> Array:
        """Turn statistics[..., k] into scores[..., m], NaN where undefined."""
        return self.derive(self.components(statistics))
