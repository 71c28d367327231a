"""The page of metric tests: how far each score falls by each damage, and which fail."""

from collections.abc import Iterator

from chronoscore.evaluation.metric_tests import (
    LEAST_LOSS,
    NEAR,
    UNHARMED,
    Outcome,
    Report,
    by_test,
    metric_test_tables,
    shown_scores,
    verdict_cell,
)
from chronoscore.reports.html.head import UNKNOWN_RUN, RunHead
from chronoscore.reports.html.markup import (
    Html,
    folded,
    from_data,
    html_table,
    joined,
    lead,
    listed,
    tag,
    wide,
)
from chronoscore.reports.html.page import Declared, drawn, page
from chronoscore.reports.table import plural, shown, spaced

_FALLS = {0.05: "heat-1", 0.15: "heat-2", 0.4: "heat-3"}
"""The colour of a fall below each limit; none for a fall of nothing."""
_FARTHEST = "heat-5"
_OPEN = 12
"""Failures that are shown unfolded."""
_MOST_GOLDS = 5
"""Golds that a failure names."""


def metric_tests_page(report: Report, head: RunHead = UNKNOWN_RUN) -> str:
    """Make the page: a pure function of the report; `head` says which run it is."""
    failed = sum(outcome.passed is False for outcome in report.outcomes)
    judged = sum(outcome.passed is not None for outcome in report.outcomes)
    return page(
        "Does a metric notice?",
        f"{plural(len(report.golds), 'gold')} of {plural(report.topics, 'topic')}, each damaged in "
        f"known ways ({report.damages}, seed {report.seed}) and scored against itself. "
        f"{failed} of {plural(judged, 'expectation')} failed.",
        drawn(_SECTIONS, report),
        "Made by Chronoscore from golds alone; no system was scored.",
        terms=head.terms,
    )


def _matrix(report: Report) -> Html:
    """Damages in rows, scores in columns."""
    columns, tests = shown_scores(report), by_test(report)
    head = [tag("th", name, scope="col") for name in ("damage", "golds", *columns.values())]
    body = []
    if UNHARMED not in tests:
        means = [tag("td", tag("b", shown(report.unharmed[name]))) for name, _ in columns]
        body.append(_row(UNHARMED, len(report.golds), means))
    for test, outcomes in tests.items():
        golds = max(outcome.golds for outcome in outcomes.values())
        body.append(_row(test, golds, [_cell(outcomes[key]) for key in columns]))
    table = tag(
        "table",
        tag("caption", "Mean score after each damage, and how far it falls"),
        tag("thead", tag("tr", head)),
        tag("tbody", body),
        class_="heat reactions",
    )
    steps = [
        joined(tag("span", "0.000", class_=f"sample {kind}"), f" worse by less than {limit:g}")
        for limit, kind in _FALLS.items()
    ]
    steps.append(
        joined(tag("span", "0.000", class_=f"sample {_FARTHEST}"), f" by {max(_FALLS):g} or more")
    )
    return joined(
        lead(
            "In each cell the mean score after the damage, and by how much it is worse than that "
            "of the undamaged golds; the stronger the colour, the farther it falls. A score that "
            "does not react as it must is marked FAIL, in a frame."
        ),
        listed(steps, "legend"),
        wide(table, "Damages and metrics"),
    )


def _row(test: str, golds: int, cells: list[Html]) -> Html:
    return tag("tr", tag("th", spaced(test), scope="row"), tag("td", str(golds)), cells)


def _cell(outcome: Outcome) -> Html:
    if outcome.mean is None or outcome.loss is None:
        return tag("td", "not tried", class_="self")
    if outcome.test == UNHARMED:
        return tag("td", tag("b", shown(outcome.mean)))
    kind, change = _change(outcome)
    failed = outcome.passed is False
    classes = " ".join(filter(None, (kind, "failed" if failed else "")))
    return tag(
        "td",
        tag("b", shown(outcome.mean)),
        tag("span", change),
        tag("strong", _failure(outcome)) if failed else "",
        class_=classes or None,
    )


def _change(outcome: Outcome) -> tuple[str, str]:
    """Return the colour of a loss, and the loss, or the gain, in words."""
    loss, moved = outcome.loss or 0.0, len(outcome.moved)
    on_some = f" (on {moved} of {outcome.golds})" if 0 < moved < outcome.golds else ""
    if abs(loss) <= LEAST_LOSS:
        return "", f"stays{on_some and f', moves{on_some}'}"
    if loss < 0:
        return "heat-0", f"better by {-loss:.3f}{on_some}"
    kinds = (kind for limit, kind in _FALLS.items() if loss < limit)
    return next(kinds, _FARTHEST), f"worse by {loss:.3f}{on_some}"


def _failure(outcome: Outcome) -> str:
    """The verdict in few words."""
    if outcome.expected.startswith("stay"):
        return f"FAIL: must {outcome.expected}"
    return verdict_cell(outcome)


def _failures(report: Report) -> Html:
    """Each expectation that failed, as a sentence, with the golds where it did."""
    failures = [*_sentences(report)]
    if not failures:
        return lead("Every score reacted as it must, on every gold.")
    rest = failures[_OPEN:]
    return joined(
        listed(failures[:_OPEN], "failures"),
        folded(plural(len(rest), "more failure"), listed(rest, "failures")) if rest else "",
    )


def _sentences(report: Report) -> Iterator[Html]:
    for outcome in report.outcomes:
        if outcome.passed is False:
            names = outcome.moved if outcome.expected.startswith("stay") else outcome.unnoticed
            yield joined(
                tag("b", f"{_name(report, outcome)}, {spaced(outcome.test)}: "),
                _why(outcome),
                *_golds(names),
            )


def _name(report: Report, outcome: Outcome) -> str:
    if report.damages == "days":
        return outcome.metric
    return f"{report.labels.get(outcome.metric, outcome.metric)} {outcome.score}"


def _why(outcome: Outcome) -> str:
    if outcome.expected == "stay near":
        return f"must stay within {NEAR}, and differs by up to {outcome.most:.3f}; it moves on "
    if outcome.expected == "stay":
        return (
            f"must not move, but does on {len(outcome.moved)} of {plural(outcome.golds, 'gold')}: "
        )
    graded = ", from each shift to the next," if outcome.expected == "fall by degrees" else ""
    return (
        f"must fall{graded} on every gold, but does not on {len(outcome.unnoticed)} of "
        f"{plural(outcome.golds, 'gold')}: "
    )


def _golds(names: list[str]) -> Iterator[str]:
    for at, name in enumerate(names[:_MOST_GOLDS]):
        yield from (", " if at else "", from_data(name))
    more = len(names) - _MOST_GOLDS
    yield f" and {more} more" if more > 0 else ""


def _verdicts(report: Report) -> Html:
    """The verdicts as the command prints them, without the means that the matrix shows."""
    tables = metric_test_tables(report)
    verdicts = tables[:-1] if report.damages == "days" else tables[1:]
    return joined(html_table(table) for table in verdicts)


def _remarks(report: Report) -> Html:
    remarks = dict.fromkeys(one for table in metric_test_tables(report) for one in table.remarks)
    return listed(map(from_data, remarks))


_SECTIONS: tuple[Declared[Report], ...] = (
    ("falls", "How far each score falls", _matrix),
    ("failures", "What fails", _failures),
    ("verdicts", "Verdicts", _verdicts),
    ("notes", "Remarks", _remarks),
)
