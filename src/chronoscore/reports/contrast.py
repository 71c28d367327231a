"""Tables of a contrast of systems, and a paragraph on how to read them."""

from collections.abc import Sequence

from chronoscore.core.contrast import Contrast, MetricContrast, Pair
from chronoscore.core.writing import json_text
from chronoscore.reports.intervals import effective_units, few_units, interval_cell
from chronoscore.reports.matrix import DAGGER, SIGNIFICANT, letters_of
from chronoscore.reports.rendering import render_tables
from chronoscore.reports.result_tables import short
from chronoscore.reports.table import Cell, Several, Table, p_value, plural, shown
from chronoscore.reports.terminal import score_text, terminal_width, wrapped_lines
from chronoscore.statistics.drawing import RESAMPLES, affordable

MOST_SWINGS = 5
_TESTS = {"permutation": "permutation test", "bootstrap": "bootstrap"}
_CORRECTIONS = {
    "holm": "corrected by Holm",
    "bh": "corrected by Benjamini and Hochberg",
    "none": "not corrected",
}


def render_contrast(
    contrast: Contrast,
    how: str,
    by_value: Sequence[Contrast] | None = None,
    *,
    styled: bool = False,
    details: bool = False,
    more: str = "--details",
) -> str:
    """Render a contrast, and those by the values of items if given; CSV holds the pairs alone.

    Text is one matrix of all systems and metrics; `details` adds the differences of each pair, and
    `more` is what asks for them.
    In the formats of a paper, whose matrix is a table of its own, it is the details alone.
    """
    if how == "json":
        return json_text(contrast if by_value is None else [contrast, *by_value])
    every = (contrast, *(by_value or ()))
    if how == "text":
        return _text(every, styled, "" if details else more)
    texts = []
    for one in every:
        tables = []
        for metric in one.metrics:
            tables.append(_pairs(one, metric))
            tables += [_swings(one, metric, pair) for pair in metric.pairs if how != "csv"]
        texts.append(render_tables(tables, how))
    return "\n".join(texts)


def _text(contrasts: Sequence[Contrast], styled: bool, more: str) -> str:
    """Render the matrix, and the differences of each pair unless something asks for `more`."""
    texts: list[Table | str] = [_matrix(contrasts), _matrix_in_words(contrasts[0], more)]
    if not more:
        for one in contrasts:
            for metric in one.metrics:
                texts.append(_pairs(one, metric))
                texts += [_swings(one, metric, pair) for pair in metric.pairs]
        texts.append(differences_in_words(contrasts[0]))
    return "\n".join(
        "\n".join(wrapped_lines(one, terminal_width(), indent="")) + "\n"
        if isinstance(one, str)
        else render_tables([one], "text", styled=styled, full=not more)
        for one in texts
    )


def _matrix(contrasts: Sequence[Contrast]) -> Table:
    """All systems under all metrics, the best by the first metric first."""
    whole = contrasts[0]
    parts: dict[str, list[Contrast]] = {}
    for one in contrasts:  # a contrast by values is of one metric
        parts.setdefault(", ".join(one.group.values()) or "all", []).append(one)
    rows: list[list[Cell]] = []
    for part, several in parts.items():
        fields = {metric.name: (one, metric) for one in several for metric in one.metrics}
        _, first = next(iter(fields.values()))
        for ranked in first.ranking:
            cells = (
                _system_cell(*fields[metric.name], ranked.system) if metric.name in fields else ""
                for metric in whole.metrics
            )
            rows.append([part, ranked.system, *cells])
    columns = [(short(metric.score), metric.label) for metric in whole.metrics]
    named = [
        (f"{ranked.system} {metric.label}", ranked.interval)
        for metric in whole.metrics
        for ranked in metric.ranking
        if ranked.interval
    ]
    units = effective_units(interval for _, interval in named)
    remarks = [f"{whole.level:.0%} intervals{units}", *few_units(named)] if named else []
    return Table.of(
        f"{whole.family}: {plural(len(whole.metrics[0].ranking), 'system')} on "
        f"{plural(whole.units, whole.unit)}, the best first",
        ["part" if len(parts) > 1 else None, "system", *columns],
        rows,
        remarks,
    )


def _system_cell(contrast: Contrast, metric: MetricContrast, system: str) -> Cell:
    ranked = next(one for one in metric.ranking if one.system == system)
    all_letters = [letters_of(contrast, metric.name, one.system) for one in metric.ranking]
    letters = letters_of(contrast, metric.name, system)
    text = score_text(ranked.score, ranked.interval, letters.ljust(max(map(len, all_letters))))
    best = shown(metric.ranking[0].score)
    return Several(text, (), ranked.score is not None and shown(ranked.score) == best)


def letters_in_words(contrast: Contrast) -> str:
    """Say what the marks of a test mean, in one sentence."""
    if contrast.baseline:
        marked = f"{DAGGER} marks a score that differs significantly from that of "
        marked += f"{contrast.baseline} (p below {SIGNIFICANT})"
    else:
        marked = "Systems that share a letter under a metric do not differ significantly (p is "
        marked += f"not below {SIGNIFICANT})"
    return f"{marked}, by the {test_in_words(contrast)}."


def _matrix_in_words(contrast: Contrast, more: str) -> str:
    """A short paragraph that teaches how to read the matrix."""
    sentences = [f"How to read this. {letters_in_words(contrast)}", _too_few(contrast)]
    if any(ranked.interval for metric in contrast.metrics for ranked in metric.ranking):
        sentences.append(
            f"What follows ± or stands in brackets is the {contrast.level:.0%} interval of one "
            "score alone; two intervals may overlap although the systems differ."
        )
    if more:
        sentences.append(
            f"{more} shows each difference, its p, and which {contrast.unit}s decided."
        )
    return " ".join(filter(None, sentences))


def test_in_words(contrast: Contrast) -> str:
    """Name the test as a caption should."""
    draws = affordable(contrast.units, contrast.resamples or RESAMPLES)
    exact = all(pair.exact for metric in contrast.metrics for pair in metric.pairs)
    return (
        f"two-sided paired {_TESTS[contrast.test]} over {plural(contrast.units, contrast.unit)} "
        f"({'exact' if exact else f'{draws:,} draws, seed {contrast.seed}'}), "
        f"{_CORRECTIONS[contrast.correction]}"
    )


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


def differences_in_words(contrast: Contrast) -> str:
    """A short paragraph that teaches how to read differences and their p."""
    text = (
        "How to read this. A difference is the first system's score less the second's. p is how "
        f"often a difference as large would come about if the two were equally good and each "
        f"{contrast.unit} were given to either by chance; below 0.05 it is usually called "
        "significant. "
    )
    too_few = _too_few(contrast)
    text += f"{too_few} " if too_few else ""
    text += (
        "The corrected p makes up for asking several questions at once. An interval that includes "
        f"0 means that the data are compatible with no difference. Units needed is about how many "
        f"{contrast.unit}s it would take to see a difference of this size four times in five."
    )
    return text


def smallest_p(contrast: Contrast) -> float:
    """The smallest p that a difference could have, corrected: Holm multiplies it by the pairs."""
    possible = (
        pair.smallest_p * (len(metric.pairs) if contrast.correction == "holm" else 1)
        for metric in contrast.metrics
        for pair in metric.pairs
    )
    return min(1.0, *possible)


def _too_few(contrast: Contrast) -> str:
    """Say so where no difference could be significant."""
    smallest = smallest_p(contrast)
    if smallest < SIGNIFICANT:
        return ""
    pairs = len(contrast.metrics[0].pairs)
    among = f" and {pairs} pairs of systems" if pairs > 1 else ""
    p = "corrected p" if pairs > 1 and contrast.correction == "holm" else "p"
    data = f"{plural(contrast.units, contrast.unit)}{among}"
    return (
        f"With {data} no {p} can be below {smallest:.4f}, so that nothing could be significant "
        "here: the data are too few to say whether there is a difference. "
    )
