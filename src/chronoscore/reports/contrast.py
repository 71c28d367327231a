"""Tables of a contrast of systems, and a few words on how to read them."""

import textwrap
from collections.abc import Sequence

from chronoscore.core.contrast import Contrast, MetricContrast, Pair
from chronoscore.core.contrast import encode as encode_contrast
from chronoscore.reports.intervals import effective_units, few_units, interval_cell
from chronoscore.reports.render import render_tables
from chronoscore.reports.table import Cell, Column, Table
from chronoscore.statistics.drawing import affordable

MOST_SWINGS = 5


def render_contrasts(whole: Contrast, parts: Sequence[Contrast], how: str) -> str:
    """Render the contrast of whole cases, and then those by the values of their items."""
    if how == "json":
        return encode_contrast([whole, *parts])
    texts = [_rendered(one, how) for one in (whole, *parts)]
    return "\n".join([*texts, *([] if how in ("latex", "csv") else [how_to_read(whole)])])


def render_contrast(contrast: Contrast, how: str) -> str:
    """Render a contrast in one of the formats; CSV holds the pairs alone."""
    if how == "json":
        return encode_contrast(contrast)
    text = _rendered(contrast, how)
    return text if how in ("latex", "csv") else f"{text}\n{how_to_read(contrast)}"


def _rendered(contrast: Contrast, how: str) -> str:
    pairs = [_pairs(contrast, metric) for metric in contrast.metrics]
    if how == "csv":
        return render_tables(pairs, how)
    tables = []
    for metric, table in zip(contrast.metrics, pairs, strict=True):
        tables += [_ranking(contrast, metric), table]
        if how != "latex":
            tables += [_swings(contrast, metric, pair) for pair in metric.pairs]
    return render_tables(tables, how)


def test_in_words(contrast: Contrast) -> str:
    """Name the test as a caption should."""
    sort = "exact" if _exact(contrast) else f"{affordable(contrast.units):,} draws"
    test = {
        "permutation": f"two-sided paired permutation test over {contrast.units} {contrast.unit}s",
        "bootstrap": f"two-sided paired bootstrap over {contrast.units} {contrast.unit}s",
    }[contrast.test]
    corrected = {
        "holm": "corrected by Holm",
        "bh": "corrected by Benjamini and Hochberg",
        "none": "not corrected",
    }[contrast.correction]
    return f"{test} ({sort}, seed {contrast.seed}), {corrected}"


def _exact(contrast: Contrast) -> bool:
    return all(pair.exact for metric in contrast.metrics for pair in metric.pairs)


def _ranking(contrast: Contrast, metric: MetricContrast) -> Table:
    columns = ["system", "score", "interval"]
    named = [(r.system, r.interval) for r in metric.ranking if r.interval]
    units = effective_units(interval for _, interval in named)
    remarks = [f"{contrast.level:.0%} intervals{units}", *few_units(named)]
    if not contrast.baseline:
        columns += ["letters", "rank"]
        told = f"systems that share a letter do not differ at 0.05 by the {test_in_words(contrast)}"
        remarks.insert(0, told)
    return Table(
        f"{metric.label}: {metric.score}, the best first",
        tuple(map(Column, columns)),
        tuple(
            (r.system, r.score, interval_cell(r.interval), r.letters, r.cluster)[: len(columns)]
            for r in metric.ranking
        ),
        tuple(remarks),
    )


def _pairs(contrast: Contrast, metric: MetricContrast) -> Table:
    columns = (
        *contrast.group,
        "first",
        "second",
        "difference",
        "interval",
        "p",
        "corrected p",
        "smallest p",
        "win-tie-loss",
        "units needed",
    )

    def row(pair: Pair) -> tuple[Cell, ...]:
        return (
            *contrast.group.values(),
            pair.one,
            pair.two,
            pair.difference,
            interval_cell(pair.interval),
            _p(pair.p),
            _p(pair.p_corrected),
            _p(pair.smallest_p),
            f"{pair.wins}-{pair.ties}-{pair.losses}",
            "-" if pair.units_needed is None else str(pair.units_needed),
        )

    return Table(
        f"{metric.label}: differences",
        tuple(map(Column, columns)),
        tuple(row(pair) for pair in metric.pairs),
        (test_in_words(contrast),),
    )


def _p(value: float | None) -> str:
    if value is None:
        return "-"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _swings(contrast: Contrast, metric: MetricContrast, pair: Pair) -> Table:
    shown = pair.swings[:MOST_SWINGS]
    more = len(pair.swings) - len(shown)
    return Table(
        f"{metric.label}: which {contrast.unit}s decided {pair.one} against {pair.two}",
        (Column(contrast.unit), Column("difference")),
        tuple((swing.unit, swing.difference) for swing in shown),
        (f"and {more} more",) if more > 0 else (),
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
