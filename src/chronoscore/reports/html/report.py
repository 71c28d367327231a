"""The report of a result: its conditions, its scores, the sections of its family, and notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from chronoscore.core.family import Family
from chronoscore.core.result import (
    CaseMatches,
    CaseTexts,
    Interval,
    MetricInfo,
    ResultDocument,
    Summary,
    SystemResult,
)
from chronoscore.reports.html.cases import CaseView, board, board_data, board_scripts
from chronoscore.reports.html.drawing import Placement, interval_bar, ticks
from chronoscore.reports.html.explained import CASES, Explained, chosen, heading
from chronoscore.reports.html.head import (
    UNKNOWN_RUN,
    RunHead,
    by_score,
    conditions,
    described,
    lead,
    systems_in_words,
    undefined_policy,
)
from chronoscore.reports.html.markup import (
    Child,
    Html,
    fill,
    folded,
    html_table,
    joined,
    listed,
    percent,
    tag,
)
from chronoscore.reports.html.page import Declared, Section, drawn, page
from chronoscore.reports.intervals import FEW, effective_units, interval_in_words
from chronoscore.reports.result_tables import (
    FamilyTables,
    short,
    tables_of,
    undefined_counts,
    undefined_scores,
    wholes,
)
from chronoscore.reports.table import Table, plural, shown

FOOTER = "Made by Chronoscore from one result document."
_MOST_PARTS = 6
"""Scores beside the main one that a card shows."""
_LONG = 25
"""Rows of a table that are shown without being asked for."""
_ROUND = (0.1, 0.2, 0.25, 0.5, 1.0)
_METHODS = {
    "jackknife-t": "jackknife",
    "jackknife-logit": "jackknife of log odds",
    "bayes": "Bayesian",
}
MISSING_MEANINGS = {
    ("missing", "empty"): "a missing prediction counts as an empty one",
    ("missing", "skip"): "a missing prediction is left out",
    ("missing", "error"): "a missing prediction is an error",
}


@dataclass(frozen=True)
class Pages:
    """What a family adds to the report of a result."""

    sections: tuple[Declared[Explained], ...]
    """Its sections between the scores and the notes; those with nothing to show are left out."""
    option_meanings: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """What the values of its reading options mean, by the option and the value."""
    view: CaseView = field(default_factory=CaseView)
    """How it shows a case that is opened."""

    @staticmethod
    def of(family: Family) -> "Pages":
        """Load the pages of a family."""
        pages = family.pages() if family.pages else Pages(())
        assert isinstance(pages, Pages)
        return pages


def report(
    family: Family,
    result: ResultDocument,
    matches: Sequence[CaseMatches] = (),
    texts: Sequence[CaseTexts] = (),
    trail: Child = "",
    head: RunHead = UNKNOWN_RUN,
) -> str:
    """Make the report of a result: a pure function, equal results give equal pages.

    A trail leads to the pages around it, where there are any; `head` says which run it is.
    """
    result = FamilyTables.of(family).visible(result)
    explained = Explained.of(family, *chosen(family, result, matches, texts))
    result = explained.result
    view = Pages.of(family).view
    sections = [
        *drawn([SCORES], explained),
        cases_section(explained),
        *sections_of(explained),
        *drawn([NOTES], explained),
    ]
    return page(
        f"{family.question} {', '.join(system.name for system in result.systems)}",
        lead(family, result),
        sections,
        FOOTER,
        heading=family.question,
        terms=[
            *head.terms,
            ("Systems", systems_in_words(result)),
            *conditions(family, result, {**MISSING_MEANINGS, **Pages.of(family).option_meanings}),
        ],
        trail=trail,
        scripts=board_scripts([view]),
        data={CASES: board_data(explained, view)},
    )


def sections_of(explained: Explained) -> list[Section]:
    """The sections of the result's family that have something to show."""
    return drawn(Pages.of(explained.family).sections, explained)


def cases_section(explained: Explained) -> Section:
    """Return the board of the cases as a section; its data are those of the page of this name."""
    view = Pages.of(explained.family).view
    return Section(CASES, view.title, board(explained, view))


def scores_section(explained: Explained) -> Html:
    """Cards and a forest plot for each metric, and all numbers as a table; the best come first."""
    result = by_score(explained.result)
    metrics = [_metric(explained, [*wholes(result, one.name)], one) for one in result.metrics]
    table = html_table(tables_of(explained.family, result)[0])
    return joined(metrics, folded("All scores as a table", table))


def _metric(
    explained: Explained, systems: Sequence[tuple[SystemResult, Summary]], metric: MetricInfo
) -> Html:
    end = _round_above(metric, [summary for _, summary in systems])

    def place(value: float) -> str:
        return percent(value / end)

    rows = []
    for system, summary in systems:
        name = tag("span", system.name, class_="name", dir="auto")
        bar = interval_bar(*_main(summary, metric), place, middle=12, radius=5)
        value = tag("span", shown(summary.scores[metric.primary]), class_="value")
        rows.append(tag("li", name, bar, value))
    return fill(
        """<section class="metric"><header><h3>{label}{name}</h3><p>{meaning}</p></header>
        <ul class="cards">{cards}</ul><figure><ul class="forest">{rows}<li>{axis}</li></ul>
        <figcaption class="unseen">{heading} of each system</figcaption></figure></section>""",
        label=metric.label,
        name=tag("code", metric.name) if metric.name != metric.label else "",
        meaning=described(metric, explained.metric(metric)),
        cards=[_card(explained.family, *one, metric, place) for one in systems],
        rows=rows,
        axis=ticks([end * step / 4 for step in range(5)], place),
        heading=heading(metric.label, metric.primary),
    )


def _main(summary: Summary, metric: MetricInfo) -> tuple[float | None, Interval | None]:
    return summary.scores[metric.primary], summary.intervals.get(metric.primary)


def _round_above(metric: MetricInfo, summaries: Sequence[Summary]) -> float:
    """The next round number above all that is shown of a metric."""
    both = [_main(summary, metric) for summary in summaries]
    ends = [(value or 0.0, interval.high if interval else 0.0) for value, interval in both]
    highest, size = max((0.0, *map(max, ends))), 1.0
    while size < highest:
        size *= 10
    return next(size * step for step in _ROUND if size * step >= highest)


def _card(
    family: Family, system: SystemResult, summary: Summary, metric: MetricInfo, place: Placement
) -> Html:
    value, interval = _main(summary, metric)
    parts = ["threshold"] if metric.curve == "best" else []
    parts += [score for score in metric.shown if score != metric.primary][:_MOST_PARTS]
    scores = [
        tag("div", tag("dt", short(part)), tag("dd", _number(summary, part), _bayes(summary, part)))
        for part in parts
    ]
    judged = ", ".join(plural(n, level) for level, n in reversed(summary.units.items()))
    bar = interval_bar(value, interval, place, middle=5, radius=3, ends=False)
    described = interval_described(interval, family.cluster) if interval else ""
    undefined = "undefined" if value is None else None
    return fill(
        """<li class="card"><h4 dir="auto">{system}</h4>
        <p class="score"><span class="unseen">{label} </span>{value} <span class="what">{score}
        </span></p>{scores}{judged}{interval}</li>""",
        system=system.name,
        label=metric.label,
        value=tag("strong", _number(summary, metric.primary), class_=undefined),
        score=short(metric.primary),
        scores=tag("dl", scores) if scores else "",
        judged=tag("p", f"over {judged}", class_="told") if family.agree else "",
        interval=[bar, tag("p", described, class_="told")] if interval else "",
    )


def _number(summary: Summary, score: str) -> str:
    return shown(summary.scores[score], undefined="undefined")


def _bayes(summary: Summary, score: str) -> str:
    """The bounds of a score beside the main one, where it has a posterior of its own."""
    interval = summary.intervals.get(score)
    bayesian = interval is not None and interval.method == "bayes"
    return f" ({interval_in_words(interval)})" if bayesian else ""


def interval_described(interval: Interval, unit: str) -> str:
    """Say what an interval is and how far it can be trusted; `unit` if it does not say its own."""
    rests = f"over {plural(interval.clusters, interval.unit or unit or 'case')}"
    if interval.method == "bayes":
        rests = "from the pooled counts"
    text = (
        f"{100 * interval.level:g}% interval {interval.low:.3f} to {interval.high:.3f}, "
        f"{_METHODS.get(interval.method, interval.method)} {rests}{effective_units([interval])}"
    )
    if interval.draws is not None:
        text += f", of {interval.draws:,} resamples"
    if interval.coverage is not None:
        share = f"{100 * interval.coverage:.0f}%"
        text += f"; in simulation such intervals cover {share} at worst"
    elif interval.n_eff is not None and interval.n_eff < FEW:
        text += "; the score rests on a few large ones among many"
    return text


def counts_section(explained: Explained) -> Html:
    """Every table of the result but the first, which is that of the scores."""
    tables = tables_of(explained.family, explained.result)[1:]
    return joined(map(long_table, tables))


def long_table(table: Table) -> Html:
    """A table; a long one is there for those who open it."""
    if len(table.rows) <= _LONG:
        return html_table(table)
    return folded(f"{table.caption}, {len(table.rows)} rows", html_table(table))


def _notes(explained: Explained) -> Html:
    result = explained.result
    names = [metric.name for metric in result.metrics]
    undefined = (
        f"{system}, {label}: {undefined_counts(summary)} of {plural(summary.cases, 'case')} was "
        f"0/0, {undefined_policy(result)}"
        for system, label, summary in undefined_scores(result)
    )
    notices = listed(result.notices, "notices")
    return fill(
        """{notices}<h3>Undefined scores</h3>{undefined}
        <h3>Signatures</h3><p>A signature names all that a number depends on. Give it to
        <code>--from-signature</code> and the run is repeated.</p>{signatures}
        <h3>How to cite</h3><p>Cite the paper that each metric comes from, and give the signature.
        <code>chronoscore cite</code> prints both for a saved result, as BibTeX and as a sentence.
        This prints the source and the formula of a metric:</p>
        <pre><code>{commands}</code></pre>""",
        notices=[tag("h3", "Notices"), notices] if notices else "",
        undefined=listed(undefined) or tag("p", "None: every score has a value."),
        signatures=[fill(_SIGNATURE, system=s.name, text=s.signature) for s in result.systems],
        commands="\n".join(f"chronoscore metrics '{name}'" for name in names),
    )


_SIGNATURE = """<figure class="signature"><figcaption><span>{system}</span><button type="button"
class="copy" aria-label="Copy the signature of {system}">Copy</button></figcaption>
<pre tabindex="0" aria-label="Signature of {system}"><code>{text}</code></pre></figure>"""
SCORES: Declared[Explained] = ("scores", "Scores", scores_section)
COUNTS: Declared[Explained] = ("counts", "Counts", counts_section)
NOTES: Declared[Explained] = ("notes", "Notes", _notes)
