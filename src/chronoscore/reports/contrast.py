"""Tables of a contrast of systems, and a paragraph on how to read them."""

import textwrap
from collections.abc import Sequence

from chronoscore.core.contrast import Contrast, MetricContrast, Pair
from chronoscore.core.writing import json_text
from chronoscore.reports.intervals import effective_units, few_units, interval_cell
from chronoscore.reports.rendering import render_tables
from chronoscore.reports.table import Table, p_value
from chronoscore.statistics.drawing import RESAMPLES, affordable

MOST_SWINGS = 5
_TESTS = {"permutation": "permutation test", "bootstrap": "bootstrap"}
_CORRECTIONS = {
    "holm": "corrected by Holm",
    "bh": "corrected by Benjamini and Hochberg",
    "none": "not corrected",
}


def render_contrast(
    contrast: Contrast, how: str, by_value: Sequence[Contrast] | None = None
) -> str:
    """Render a contrast, and those by the values of items if given; CSV holds the pairs alone."""
    if how == "json":
        return json_text(contrast if by_value is None else [contrast, *by_value])
    in_full = how not in ("csv", "latex")
    texts = []
    for one in (contrast, *(by_value or ())):
        tables = []
        for metric in one.metrics:
            tables += [_ranking(one, metric)] if how != "csv" else []
            tables.append(_pairs(one, metric))
            tables += [_swings(one, metric, pair) for pair in metric.pairs if in_full]
        texts.append(render_tables(tables, how))
    return "\n".join([*texts, *([how_to_read(contrast)] if in_full else [])])


def test_in_words(contrast: Contrast) -> str:
    """Name the test as a caption should."""
    draws = affordable(contrast.units, contrast.resamples or RESAMPLES)
    exact = all(pair.exact for metric in contrast.metrics for pair in metric.pairs)
    return (
        f"two-sided paired {_TESTS[contrast.test]} over {contrast.units} {contrast.unit}s "
        f"({'exact' if exact else f'{draws:,} draws'}, seed {contrast.seed}), "
        f"{_CORRECTIONS[contrast.correction]}"
    )


def _ranking(contrast: Contrast, metric: MetricContrast) -> Table:
    columns = ["system", "score", "interval"]
    named = [(r.system, r.interval) for r in metric.ranking if r.interval]
    units = effective_units(interval for _, interval in named)
    remarks = [f"{contrast.level:.0%} intervals{units}", *few_units(named)]
    if not contrast.baseline:
        columns += ["letters", "rank"]
        same = f"systems that share a letter do not differ at 0.05 by the {test_in_words(contrast)}"
        remarks.insert(0, same)
    rows = (
        (r.system, r.score, interval_cell(r.interval), r.letters, r.cluster)[: len(columns)]
        for r in metric.ranking
    )
    return Table.of(f"{metric.label}: {metric.score}, the best first", columns, rows, remarks)


def _pairs(contrast: Contrast, metric: MetricContrast) -> Table:
    rows = (
        (
            *(*contrast.group.values(), pair.one, pair.two),
            *(pair.difference, interval_cell(pair.interval)),
            *map(p_value, (pair.p, pair.p_corrected, pair.smallest_p)),
            f"{pair.wins}-{pair.ties}-{pair.losses}",
            "-" if pair.units_needed is None else str(pair.units_needed),
        )
        for pair in metric.pairs
    )
    names = (
        *("first", "second", "difference", "interval", "p", "corrected p", "smallest p"),
        *("win-tie-loss", "units needed"),
    )
    title = f"{metric.label}: differences"
    return Table.of(title, (*contrast.group, *names), rows, [test_in_words(contrast)])


def _swings(contrast: Contrast, metric: MetricContrast, pair: Pair) -> Table:
    more = len(pair.swings) - MOST_SWINGS
    return Table.of(
        f"{metric.label}: which {contrast.unit}s decided {pair.one} against {pair.two}",
        (contrast.unit, "difference"),
        ((swing.unit, swing.difference) for swing in pair.swings[:MOST_SWINGS]),
        [f"and {more} more"] if more > 0 else [],
    )


def how_to_read(contrast: Contrast) -> str:
    """A short paragraph that teaches how to read the numbers."""
    smallest = max(pair.smallest_p for metric in contrast.metrics for pair in metric.pairs)
    text = (
        "How to read this. A difference is the first system's score less the second's. p is how "
        f"often a difference as large would come about if the two were equally good and each "
        f"{contrast.unit} were given to either by chance; below 0.05 it is usually called "
        "significant. "
    )
    if smallest > 0.05:
        text += (
            f"With {contrast.units} {contrast.unit}s no p can be below {smallest:.4f}, so that "
            "nothing could be significant here: that is a lack of data, not of a difference. "
        )
    text += (
        "The corrected p makes up for asking several questions at once. An interval that includes "
        f"0 means that the data are in line with no difference. Units needed is about how many "
        f"{contrast.unit}s it would take to see a difference of this size four times in five."
    )
    return "\n".join(textwrap.wrap(text, 96)) + "\n"
