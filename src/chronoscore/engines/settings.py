"""Everything that a score depends on apart from the data, as options and as a signature."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chronoscore import __version__
from chronoscore.core.evidence_table import EvidenceTable
from chronoscore.core.family import UNDEFINED_POLICIES, Family, Protocol
from chronoscore.core.functions import allowed
from chronoscore.core.metric import Metric
from chronoscore.core.names import Signature
from chronoscore.engines.interval_plan import IntervalPlan
from chronoscore.errors import UsageError
from chronoscore.statistics import Undefined
from chronoscore.statistics.averaging import Path


@dataclass(frozen=True)
class Settings:
    """Everything that a score depends on apart from the data."""

    family: Family
    metrics: tuple[Metric, ...]
    path: Path
    undefined: Undefined
    protocol: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    chance: IntervalPlan | None = None

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
        base = family.protocol(protocol) if protocol else family.protocols[0]
        settings = cls._of(
            family,
            metrics or base.metrics,
            average or base.path,
            undefined or base.undefined,
            {**base.options, **(options or {})},
            by,
        )
        # The requested protocol comes first: others may differ from it only in metrics.
        match = next(filter(settings._follows, (base, *family.protocols)), None)
        settings = replace(settings, protocol=match.name if match else "")
        if chance is not None:
            chance.check(settings.metrics, settings.path)
        functions = {name for metric in settings.metrics for name in metric.functions.values()}
        names = functions if allow_functions is None else functions & {*allow_functions}
        return replace(
            settings,
            metrics=tuple(metric.allowing(names) for metric in settings.metrics),
            chance=chance,
        )

    def _follows(self, protocol: Protocol) -> bool:
        """Whether these are a protocol's average and conventions, and some or all of its metrics.

        A protocol's name stands for everything that the protocol fixes, so that scores with another
        average or convention do not carry it.
        """
        plain = self._of(
            self.family,
            (*protocol.metrics, *protocol.optional),
            protocol.path,
            protocol.undefined,
            protocol.options,
            self.by,
        )
        is_subset = set(self.metrics) <= set(plain.metrics)
        return is_subset and replace(self, metrics=plain.metrics) == plain

    @classmethod
    def _of(
        cls,
        family: Family,
        metrics: Sequence[str],
        average: str,
        undefined: str,
        options: Mapping[str, str],
        by: Sequence[str],
    ) -> "Settings":
        policy = next((policy for policy in UNDEFINED_POLICIES if policy == undefined), None)
        if policy is None:
            raise UsageError(
                f"unknown policy '{undefined}' for undefined scores; "
                f"there are: {', '.join(UNDEFINED_POLICIES)}"
            )
        chosen = tuple(dict.fromkeys(family.metric(name) for name in metrics))
        path = Path.parse(average, family.levels)
        curved = any(metric.definition.curve for metric in chosen)
        if curved and any(step.rule != "sum" for step in path.steps):
            raise UsageError("curves and medians are only pooled: use --average micro")
        return cls(family, chosen, path, policy, "", _checked(family, options), tuple(by))

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
            interval=str(self.chance) if self.chance else "",
            gold=gold,
            predicted=predicted,
            version=__version__,
        )


def _checked(family: Family, options: Mapping[str, str]) -> dict[str, str]:
    choices = {option.name: option.choices for option in family.options}
    for name, value in options.items():
        if name not in choices:
            known = ", ".join(choices) or "none"
            raise UsageError(f"{family.name} has no option '{name}'; it has: {known}")
        if value not in choices[name]:
            allowed = ", ".join(choices[name])
            raise UsageError(f"option {name} is '{value}', expected one of: {allowed}")
    return {**family.default_options, **options}
