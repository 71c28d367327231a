"""The catalogue for people: what each metric means, its parameters, laws and source."""

import textwrap

from chronoscore.core.family import UNDEFINED_POLICIES, Family
from chronoscore.core.metric import Metric, Values
from chronoscore.reports.render import terminal
from chronoscore.reports.table import Column, Table


def catalogue(family: Family) -> str:
    """List a family's metrics, short names and protocols."""
    short: dict[str, list[str]] = {}
    for alias, target in family.aliases.items():
        short.setdefault(str(family.metric(target)).partition("(")[0], []).append(alias)
    metrics = Table(
        f"{family.name}: {family.question}",
        (Column("metric"), Column("short names"), Column("meaning")),
        tuple(
            (
                name,
                ", ".join(short.get(name, [])),
                definition.meaning if not given else _given(given),
            )
            for definition in family.definitions
            for name, given in {definition.name: {}, **definition.presets}.items()
        ),
    )
    protocols = Table(
        "protocols, the default first",
        (Column("protocol"), Column("metrics"), Column("average"), Column("undefined")),
        tuple(
            (protocol.name, ", ".join(protocol.metrics), protocol.path, protocol.undefined)
            for protocol in family.protocols
        ),
    )
    return f"{terminal(metrics)}\n{terminal(protocols)}"


def _given(values: Values) -> str:
    return "with " + ", ".join(f"{name}={value}" for name, value in values.items())


def description(family: Family, metric: Metric) -> str:
    """Tell all about one metric."""
    definition = metric.definition
    lines = [
        f"{metric}  ({family.name})",
        *_wrapped(definition.meaning + "."),
        "",
        f"scores      {', '.join(metric.scores)}; gates and rankings use {metric.primary}",
        *_wrapped(f"{definition.citation}.", "source      "),
        "",
    ]
    if definition.parameters:
        table = Table(
            "parameters",
            (
                Column("name"),
                Column("value"),
                Column("default"),
                Column("choices"),
                Column("meaning"),
            ),
            tuple(
                (
                    parameter.name,
                    str(metric.values[parameter.name]),
                    str(parameter.default),
                    ", ".join(parameter.choices) or parameter.kind,
                    parameter.meaning,
                )
                for parameter in definition.parameters
            ),
        )
        lines += [terminal(table)]
    statistics = Table(
        "statistics that are added up over cases",
        (Column("name"), Column("kind"), Column("meaning")),
        tuple((s.name, s.kind, s.meaning) for s in definition.statistics),
    )
    lines += [terminal(statistics), "laws it obeys, each tested"]
    lines += [f"  {law.value}" for law in sorted(metric.laws)]
    kept = metric.laws
    broken = [item for item in definition.broken if item.law not in kept]
    if broken:
        lines += ["", "laws it breaks"]
    for item in broken:
        lines += [f"  {item.law.value}", *_wrapped(item.counterexample, "    ")]
    lines += ["", "0/0 is undefined; what then counts is a policy:"]
    lines += [f"  {name:<6}  {meaning}" for name, meaning in UNDEFINED_POLICIES.items()]
    return "\n".join(lines) + "\n"


def _wrapped(text: str, first: str = "") -> list[str]:
    return textwrap.wrap(text, 96, initial_indent=first, subsequent_indent=" " * len(first))
