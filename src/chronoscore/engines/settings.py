"""Everything that a score depends on apart from the data, as options and as a signature."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import msgspec
import numpy as np

from chronoscore import __version__
from chronoscore.core.evidence_table import EvidenceTable
from chronoscore.core.family import UNDEFINED_POLICIES, Family, Protocol
from chronoscore.core.functions import allowed
from chronoscore.core.metric import Metric
from chronoscore.core.names import Signature, Value, is_whole, parse, write
from chronoscore.errors import UsageError
from chronoscore.statistics import INTERVAL_METHODS, IntervalMethod, Undefined
from chronoscore.statistics.averaging import Path

BY_TOPIC = "topics"
"""The value of an option for which topics have different values."""
DAY = "day"
"""A unit that is no tag: the days of a timeline, drawn within its case."""
_KINDS: Mapping[str, Callable[[str], Any]] = {
    "level": float,
    "seed": int,
    "unit": str,
    "strata": str,
    "resamples": int,
}


class IntervalPlan(msgspec.Struct, frozen=True):
    """How intervals are computed: the method, the level, the seed, and the unit to draw."""

    method: IntervalMethod = "auto"
    level: float = 0.95
    seed: int = 0
    unit: str = ""
    strata: str = ""
    resamples: int | None = None
    """How often a bootstrap or a test draws; None for the usual number."""

    def __post_init__(self) -> None:
        """Refuse values that no plan can have."""
        if self.method not in INTERVAL_METHODS:
            listed = ", ".join(INTERVAL_METHODS)
            raise UsageError(f"no method '{self.method}' for intervals; there are {listed}")
        if not is_whole(self.seed) or self.seed < 0:
            raise UsageError(f"the seed is {self.seed!r}, expected a whole number, 0 or more")
        if not 0 < self.level < 1:
            raise UsageError(f"the level of an interval is between 0 and 1, got {self.level:g}")
        if self.method == "bayes" and (self.unit or self.strata):
            raise UsageError("a Bayesian interval draws nothing: leave out --unit and --strata")
        if self.resamples is not None and self.resamples < 1:
            raise UsageError(f"the number of resamples is {self.resamples}, expected 1 or more")

    def __str__(self) -> str:
        """Write a name that parses back; defaults are left out."""
        default = IntervalPlan()
        changed: dict[str, Value] = {
            name: getattr(self, name)
            for name in _KINDS
            if getattr(self, name) != getattr(default, name)
        }
        return write(self.method, changed)

    @classmethod
    def parse(cls, text: str) -> "IntervalPlan":
        """Read what `str` wrote."""
        method, parameters = parse(text)
        if method not in INTERVAL_METHODS:
            raise UsageError(
                f"unknown method '{text}' for intervals; there are: {', '.join(INTERVAL_METHODS)}"
            )
        for name in parameters.keys() - _KINDS.keys():
            raise UsageError(
                f"intervals have no setting '{name}' in '{text}'; they have: {', '.join(_KINDS)}"
            )
        try:
            values = {name: _KINDS[name](str(value)) for name, value in parameters.items()}
        except ValueError:
            raise UsageError(f"level and seed in '{text}' must be numbers") from None
        return cls.checked(method, **values)

    @classmethod
    def checked(cls, method: str, **values: Any) -> "IntervalPlan":
        """Make a plan from the options of a user."""
        return cls(cast("IntervalMethod", method), **values)

    def check(self, metrics: Sequence[Metric], path: Path) -> None:
        """Refuse metrics and paths that can have no such interval, before anything is measured."""
        for metric in metrics:
            if metric.definition.curve:
                continue
            if self.method == "bayes":
                from chronoscore.engines.intervals import refuse  # noqa: PLC0415 - few ask for it

                refuse(metric, path)
            if self.method == "logit" and not np.isfinite(metric.range(metric.primary)).all():
                raise UsageError(
                    f"logit intervals need a score with a least and a greatest value; {metric} has "
                    "none: use --interval auto"
                )


class Settings(msgspec.Struct, frozen=True):
    """Everything that a score depends on apart from the data."""

    family: Family
    metrics: tuple[Metric, ...]
    path: Path
    undefined: Undefined
    protocol: str = ""
    options: Mapping[str, str] = msgspec.field(default_factory=dict)
    by: tuple[str, ...] = ()
    chance: IntervalPlan | None = None

    @property
    def reader_options(self) -> dict[str, str]:
        """The options of the reader: those of the user, and what the metrics ask of it."""
        return {**self.options, **self.family.reader_options(self.metrics)}

    @property
    def values(self) -> tuple[str, ...]:
        """The names to break down by that are values of items, not tags of cases."""
        if self.family.divide is None:
            return ()
        tags = ("case", *self.family.levels)
        return tuple(dict.fromkeys(name for name in self.by if name not in tags))

    @classmethod
    def make(
        cls,
        family: Family,
        *,
        protocol: str | None = None,
        metrics: Sequence[str] = (),
        average: str | None = None,
        undefined: str | None = None,
        options: Mapping[str, str] | None = None,
        by: Sequence[str] = (),
        chance: IntervalPlan | None = None,
        allow_functions: Collection[str] | None = None,
    ) -> "Settings":
        """Make settings from a protocol (by default the family's first) and the given changes.

        One metric or tag may be given without a list. `allow_functions` are names of the user's
        functions that the metrics may call. None is for metrics that the caller names itself: all
        their functions are allowed. Where names of metrics come from data, list the functions.
        """
        metrics = (metrics,) if isinstance(metrics, str) else metrics
        by = (by,) if isinstance(by, str) else by
        if not isinstance(options, Mapping | None):
            raise UsageError(
                f"options is {options!r}, expected a dict such as {{'name': 'choice'}}"
            )
        if protocol:
            base = family.protocol(protocol)
        else:
            usual = family.usual_protocol
            base = usual(options or {}) if usual else family.protocols[0]
        settings = cls._of(
            family,
            replace(
                base,
                metrics=tuple(metrics) or base.metrics,
                path=average or base.path,
                undefined=_policy(undefined or base.undefined),
                options={**base.options, **(options or {})},
            ),
            by,
        )
        # The requested protocol comes first: others may differ from it only in metrics.
        match = next(filter(settings._follows, (base, *family.protocols)), None)
        settings = msgspec.structs.replace(settings, protocol=match.name if match else "")
        if chance is not None:
            chance.check(settings.metrics, settings.path)
        functions = {name for metric in settings.metrics for name in metric.functions.values()}
        names = functions if allow_functions is None else functions & {*allow_functions}
        allowed = (metric.allowing(names) for metric in settings.metrics)
        if allow_functions is None:
            allowed = (metric.completed() for metric in allowed)
        return msgspec.structs.replace(settings, metrics=tuple(allowed), chance=chance)

    def _follows(self, protocol: Protocol) -> bool:
        """Whether these are a protocol's average and conventions, and some or all of its metrics.

        A protocol's name stands for everything that the protocol fixes, so that scores with another
        average or convention do not carry it. Options that are empty by default, and that no
        protocol of the family sets, only say how the data are written.
        """
        every = replace(protocol, metrics=(*protocol.metrics, *protocol.optional))
        plain = self._of(self.family, every, self.by)
        is_subset = set(self.metrics) <= set(plain.metrics)
        fixed = {option.name for option in self.family.options if option.default}
        fixed.update(*(other.options for other in self.family.protocols))
        options = {name: value for name, value in self.options.items() if name in fixed}
        return (
            is_subset
            and msgspec.structs.replace(self, metrics=plain.metrics, options=options) == plain
        )

    @classmethod
    def _of(cls, family: Family, protocol: Protocol, by: Sequence[str]) -> "Settings":
        """Make the settings of a protocol, without its name."""
        chosen = tuple(dict.fromkeys(map(family.metric, protocol.metrics)))
        path = Path.parse(protocol.path, family.levels)
        curved = any(metric.definition.curve for metric in chosen)
        if curved and any(step.rule != "sum" for step in path.steps):
            raise UsageError("curves and medians are only pooled: use --average micro")
        options = _checked(family, protocol.options)
        return cls(family, chosen, path, protocol.undefined, "", options, tuple(by))

    @classmethod
    def from_signature(
        cls,
        family: Family,
        signature: Signature,
        by: Sequence[str] = (),
        allow_functions: Collection[str] = (),
    ) -> "Settings":
        """Restore the settings that a signature names.

        They can summarise existing rows; to measure again, functions that the signature names must
        be among `allow_functions`.
        """
        if signature.family != family.name:
            raise UsageError(
                f"the signature is of '{signature.family}', this command scores '{family.name}'"
            )
        return cls.make(
            family,
            protocol=signature.protocol or None,
            metrics=signature.metrics,
            average=signature.path,
            undefined=signature.undefined,
            options=signature.options,
            by=by,
            chance=IntervalPlan.parse(signature.interval) if signature.interval else None,
            allow_functions=allow_functions,
        )

    def allowed_functions(self) -> tuple[str, ...]:
        """Return the user's functions that the metrics call; refuse one that is not allowed."""
        functions = [name for metric in self.metrics for name in metric.functions.values()]
        for name in functions:
            allowed(name)
        return tuple(dict.fromkeys(map(str, functions)))

    def as_read(self, tables: Iterable[EvidenceTable]) -> "Settings":
        """Return the settings with the options that the data set themselves, case by case.

        The option is the value that all cases have, or says that they differ.
        """
        options, tables = {**self.options}, [*tables]
        for option in self.family.options:
            if not any(option.tag in rows.tags for rows in tables):
                continue
            values = {value for rows in tables for value in rows.distinct(option.tag)}
            options[option.name] = values.pop() if len(values) == 1 else BY_TOPIC
        return msgspec.structs.replace(self, options=options)

    def signature(self, rows: EvidenceTable) -> Signature:
        """Write the signature of these settings on the data of these rows."""
        gold, predicted = rows.data_digests()
        return Signature(
            family=self.family.name,
            protocol=self.protocol,
            metrics=tuple(str(metric) for metric in self.metrics),
            path=str(self.path),
            undefined=self.undefined,
            options=self.options,
            text=";".join(sorted({name for metric in self.metrics for name in metric.versions})),
            interval=str(self.chance) if self.chance else "",
            gold=gold,
            predicted=predicted,
            version=__version__,
        )


def _policy(undefined: str) -> Undefined:
    policy = next((policy for policy in UNDEFINED_POLICIES if policy == undefined), None)
    if policy is None:
        known = ", ".join(UNDEFINED_POLICIES)
        raise UsageError(f"unknown policy '{undefined}' for undefined scores; there are: {known}")
    return policy


def _checked(family: Family, options: Mapping[str, str]) -> dict[str, str]:
    known = {option.name: option for option in family.options}
    for name, value in options.items():
        if name not in known:
            listed = ", ".join(known) or "none"
            raise UsageError(f"{family.name} has no option '{name}'; it has: {listed}")
        choices, check = known[name].choices, known[name].check
        if choices and value not in choices:
            listed = ", ".join(choices)
            raise UsageError(f"option {name} is '{value}', expected one of: {listed}")
        if check is not None:
            check(str(value))
    chosen = {**family.default_options, **options}
    return {name: value for name, value in chosen.items() if value}  # empty is: nothing chosen
