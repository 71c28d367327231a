"""The catalogue for people: what each metric means, its parameters, laws and source."""

from chronoscore.core.family import UNDEFINED_POLICIES, Family
from chronoscore.core.metric import Metric, Parameter
from chronoscore.reports.rendering import render_tables
from chronoscore.reports.table import Table
from chronoscore.reports.terminal import terminal, terminal_width, wrapped_lines


def catalogue(family: Family) -> str:
    """List a family's metrics, short names and protocols."""
    short: dict[str, list[str]] = {}
    for alias, target in family.aliases.items():
        short.setdefault(str(family.metric(target)).partition("(")[0], []).append(alias)
    metrics = []
    for definition in family.definitions:
        for name, preset in {definition.name: {}, **definition.presets}.items():
            values = ", ".join(f"{parameter}={value}" for parameter, value in preset.items())
            meaning = f"with {values}" if preset else definition.meaning
            metrics.append((name, ", ".join(short.get(name, [])), meaning))
    protocols = (
        (one.name, ", ".join(one.metrics), one.path, one.undefined) for one in family.protocols
    )
    columns = ("protocol", "metrics", "average", "undefined")
    title = f"{family.name}: {family.question}"
    tables = [
        Table.of(title, ("metric", "short names", "meaning"), metrics),
        Table.of("protocols, the default first", columns, protocols),
    ]
    return render_tables(tables, "text")


def description(family: Family, metric: Metric, width: int | None = None) -> str:
    """Describe one metric, in lines that fit the terminal or a width."""
    width = width or terminal_width()
    definition = metric.definition
    scores = f"{', '.join(metric.scores)}; gates and rankings use {metric.primary}"
    lines = [
        f"{metric}  ({family.name})",
        *_wrapped(width, definition.meaning + "."),
        "",
        *_wrapped(width, scores, "scores      "),
        *_wrapped(width, f"{definition.citation}.", "source      "),
        "",
    ]
    if definition.parameters:
        rows = (
            (p.name, str(metric.values[p.name]), str(p.default), _choices(p), p.meaning)
            for p in definition.parameters
        )
        columns = ("name", "value", "default", "choices", "meaning")
        lines += [terminal(Table.of("parameters", columns, rows), width)]
    statistics = Table.of(
        "statistics that are added up over cases",
        ("name", "kind", "meaning"),
        ((one.name, one.kind, one.meaning) for one in definition.statistics),
    )
    lines += [terminal(statistics, width), "laws it obeys, each tested"]
    lines += [f"  {law.value}" for law in sorted(metric.laws)]
    broken = [item for item in definition.broken if item.law not in metric.laws]
    if broken:
        lines += ["", "laws it breaks"]
    for item in broken:
        lines += [f"  {item.law.value}", *_wrapped(width, item.counterexample, "    ")]
    lines += ["", "0/0 is undefined; what then counts is a policy:"]
    for name, meaning in UNDEFINED_POLICIES.items():
        lines += _wrapped(width, meaning, f"  {name:<6}  ")
    return "\n".join(lines) + "\n"


def _choices(parameter: Parameter) -> str:
    return ", ".join(parameter.choices) or parameter.kind


def _wrapped(width: int, text: str, first: str = "") -> list[str]:
    return wrapped_lines(text, width, first=first, indent=" " * len(first))
