"""Everything that a score depends on beside the data, and its two spellings."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chronoscore import __version__
from chronoscore.core.errors import UsageError
from chronoscore.core.family import UNDEFINED_POLICIES, Family, Protocol, Undefined
from chronoscore.core.functions import allowed
from chronoscore.core.ledger import Ledger
from chronoscore.core.metric import Metric
from chronoscore.core.signature import Signature
from chronoscore.engines.chance import Chance
from chronoscore.statistics.averaging import Path


@dataclass(frozen=True)
class Settings:
    """Everything that a score depends on beside the data."""

    family: Family
    metrics: tuple[Metric, ...]
    path: Path
    undefined: Undefined
    protocol: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    chance: Chance | None = None

    @property
    def values(self) -> tuple[str, ...]:
        """The names to break down by that are no tags of cases but values of their items."""
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
        chance: Chance | None = None,
        allow_functions: Collection[str] | None = None,
    ) -> "Settings":
        """Start from a protocol (the family's first if none is named) and change what is given.

        One metric or tag may be given without a list. `allow_functions` are names of the user's
        functions that the metrics may call. None is for metrics that the caller names itself: all
        their functions are allowed. Where names of metrics come from data, list the functions.
        """
        metrics = (metrics,) if isinstance(metrics, str) else metrics
        by = (by,) if isinstance(by, str) else by
        base = family.protocol(protocol) if protocol else family.protocols[0]
        made = cls._of(
            family,
            metrics or base.metrics,
            average or base.path,
            undefined or base.undefined,
            {**base.options, **(options or {})},
            by,
        )
        # The protocol that was asked for comes first: others may differ from it only in metrics.
        named = next(filter(made._follows, (base, *family.protocols)), None)
        made = replace(made, protocol=named.name if named else "")
        if chance is not None:
            chance.check(made.metrics, made.path)
        wanted = {name for metric in made.metrics for name in metric.functions.values()}
        names = wanted if allow_functions is None else wanted & {*allow_functions}
        return replace(
            made, metrics=tuple(metric.allowing(names) for metric in made.metrics), chance=chance
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
        some = set(self.metrics) <= set(plain.metrics)
        return some and replace(self, metrics=plain.metrics) == plain

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
        """Give back the settings that a signature names.

        They summarise rows as they are; to measure anew, functions that the signature names must
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
            chance=Chance.parse(signature.interval) if signature.interval else None,
            allow_functions=allow_functions,
        )

    def allowed_functions(self) -> tuple[str, ...]:
        """The user's functions that the metrics call; one that is not allowed is refused."""
        named = [name for metric in self.metrics for name in metric.functions.values()]
        for name in named:
            allowed(name)
        return tuple(dict.fromkeys(map(str, named)))

    def signature(self, rows: Ledger) -> Signature:
        """Name these settings and the data of these rows."""
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
    for name, value in options.items():
        if name not in family.options:
            known = ", ".join(family.options) or "none"
            raise UsageError(f"{family.name} has no option '{name}'; it has: {known}")
        if value not in family.options[name]:
            allowed = ", ".join(family.options[name])
            raise UsageError(f"option {name} is '{value}', expected one of: {allowed}")
    return {name: options.get(name, values[0]) for name, values in family.options.items()}
