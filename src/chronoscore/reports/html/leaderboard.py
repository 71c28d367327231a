"""A leaderboard as a static site: a page of boards, and the report of every result."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from chronoscore.core.contrast import MetricContrast, Ranked
from chronoscore.core.family import Family
from chronoscore.core.result import CaseMatches, CaseTexts, Summary, left_out_notice
from chronoscore.core.writing import write_file
from chronoscore.engines.boards import Board, Entry
from chronoscore.reports.html.drawing import Axis, interval_bar, ticks
from chronoscore.reports.html.explained import heading
from chronoscore.reports.html.head import UNKNOWN_RUN, RunHead
from chronoscore.reports.html.markup import Html, joined, listed, tag, unseen, wide
from chronoscore.reports.html.page import Section, page
from chronoscore.reports.html.report import report
from chronoscore.reports.intervals import interval_in_words
from chronoscore.reports.result_tables import short, wholes
from chronoscore.reports.table import plural, shown

Sidecar = tuple[Sequence[CaseMatches], Sequence[CaseTexts]]
Sidecars = Mapping[str, Sidecar]
"""The matches and texts of each result, by its path."""
SCRIPTS = ("sorting.js",)


def write_site(
    boards: Sequence[Board],
    families: Mapping[str, Family],
    sidecars: Sidecars,
    folder: Path,
    title: str,
    head: RunHead = UNKNOWN_RUN,
    heads: Mapping[str, RunHead] = MappingProxyType({}),
) -> list[Path]:
    """Write `index.html`, `leaderboard.json` and a report for each result.

    `head` is that of the boards, and `heads` are those of the reports, by the paths of results.
    """
    entries = [entry for board in boards for entry in board.entries]
    addresses = _addresses(entries)
    links = {path: quote(address) for path, address in addresses.items()}
    sections = [
        Section(f"board-{at}", tag("span", board.title, dir="auto"), board_part(board, links))
        for at, board in enumerate(boards, 1)
    ]
    lead = f"{plural(len(boards), 'board')} from {plural(len(entries), 'saved result')}."
    footer = "Made by Chronoscore from saved results; nothing was scored."
    data = json.dumps([_data(board, addresses) for board in boards], indent=1) + "\n"
    index = page(title, lead, sections, footer, terms=head.terms, scripts=SCRIPTS)
    written = [
        write_file(folder / "index.html", index),
        write_file(folder / "leaderboard.json", data),
    ]
    for board in boards:
        for entry in board.entries:
            family = entry.home or families[entry.result.family]
            matches, texts = sidecars.get(entry.path, ((), ()))
            of_run = replace(heads.get(entry.path, UNKNOWN_RUN), data=board.data)
            content = report(family, entry.result, matches, texts, head=of_run)
            written.append(write_file(folder / addresses[entry.path], content))
    return written


def _addresses(entries: Sequence[Entry]) -> dict[str, str]:
    """A file for each report; results of the same name in two folders stay apart."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for entry in entries:
        last = entry.name or Path(entry.path).stem
        stem = name = "-".join(filter(None, (*entry.folder.split("/"), last)))
        number = 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name)
        names[entry.path] = f"reports/{name}.html"
    return names


def board_part(board: Board, reports: Mapping[str, str]) -> Html:
    """The table of a board; `reports` gives the address of each result's report by its path.

    A result without an address is not linked.
    """
    results = [entry.result for entry in board.entries]
    partial = (
        f"{', '.join(system.name for system in one.systems)}: {left_out_notice(one.left_out)}"
        for one in results
        if one.left_out
    )
    code = tag("pre", tag("code", board.signature))
    signature = tag("details", tag("summary", "Signature"), code)
    return joined(_explained(board), listed(partial, "notices"), _table(board, reports), signature)


def _explained(board: Board) -> Html:
    """What ranks and letters mean, where systems are compared."""
    contrast = board.contrast
    if contrast is None:
        return Html("")
    return tag(
        "p",
        "In a column, systems that share a letter do not differ significantly; a new rank begins "
        f"where all that follow differ from all above, by {contrast.metrics[0].label} "
        f"({contrast.test} test over {plural(contrast.units, contrast.unit)}, "
        f"{contrast.correction} correction, level 0.05).",
    )


def _metrics(board: Board) -> Sequence[MetricContrast]:
    """All systems under each metric, the best first; a system alone is compared with none."""
    if board.contrast:
        return board.contrast.metrics
    result = board.entries[0].result
    alone = []
    for info in result.metrics:
        ranking = [
            Ranked(
                system=system.name,
                score=summary.scores[info.primary],
                cluster=int(system.is_ranked),
                interval=summary.intervals.get(info.primary),
            )
            for system, summary in wholes(result, info.name)
        ]
        ranking.sort(key=lambda one: not one.cluster)
        alone.append(
            MetricContrast(info.name, info.label, info.primary, info.better, tuple(ranking), ())
        )
    return alone


def _table(board: Board, reports: Mapping[str, str]) -> Html:
    """One row a system, in the order of the first metric, and one column a metric."""
    metrics = _metrics(board)
    addresses = _by_system(board, reports)
    columns = [column for metric in metrics for column in _columns(board, metric)]
    whole = _whole(board, metrics[0].name)
    heads = [_head("rank", sort="ascending"), _head("system"), *(head for head, _ in columns)]
    rows = []
    for one in metrics[0].ranking:
        address = addresses.get(one.system)
        link = tag("a" if address else "span", one.system, href=address, dir="auto")
        rank = str(one.cluster) if one.cluster else "–"
        rows.append(
            tag(
                "tr",
                tag("td", rank, data_value=one.cluster or None),
                tag("th", link, scope="row", data_value=one.system),
                [cell(one.system) for _, cell in columns],
                tag("td", _over(whole[one.system]), class_="plain-cell"),
            )
        )
    caption = f"Systems by {heading(metrics[0].label, metrics[0].score)}"
    inner = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", heads, tag("th", "over", scope="col"))),
        tag("tbody", rows),
        class_="standings sortable",
    )
    return wide(inner, f"{board.title}: {caption.lower()}")


def _head(name: str, *more: Html, sort: str = "none", first: str | None = None) -> Html:
    """The head of a column that can be sorted; `first` is the order of the first press."""
    button = tag("button", name, type="button")
    return tag("th", button, *more, scope="col", aria_sort=sort, data_first=first)


_Column = tuple[Html, Callable[[str], Html]]
"""A head, and the cell of each system."""


def _columns(board: Board, metric: MetricContrast) -> list[_Column]:
    """The column of a metric; for judgements, also the mean of each criterion.

    What people think is never one number alone.
    """
    places = {one.system: one for one in metric.ranking}
    axis = _axis(metric.ranking)

    def cell(system: str) -> Html:
        one = places[system]
        bar = interval_bar(one.score, one.interval, axis.place, middle=7, radius=3, ends=False)
        interval = interval_in_words(one.interval) if one.interval else ""
        letters = tag("sup", unseen("letters "), one.letters) if one.letters else ""
        numbers = [tag("b", shown(one.score)), letters, bar, tag("small", interval)]
        return tag("td", numbers, class_="metric-cell", data_value=one.score)

    lower = metric.better == "lower"
    scale = ticks([axis.low, axis.high], axis.place)
    better = tag("small", "lower is better") if lower else Html("")
    first = None if lower else "descending"
    whole = _whole(board, metric.name)
    names = next(iter(whole.values())).scores if board.entries[0].result.agreement else {}
    beside = [_mean_column(whole, name) for name in names if name != metric.score]
    return [(_head(heading(metric.label, metric.score), better, scale, first=first), cell), *beside]


def _mean_column(whole: Mapping[str, Summary], name: str) -> _Column:
    def cell(system: str) -> Html:
        value = whole[system].scores[name]
        return tag("td", shown(value), data_value=value)

    return _head(short(name), first="descending"), cell


def _axis(ranking: Sequence[Ranked]) -> Axis:
    """An axis around all scores and intervals of a column; from 0, if they are one point."""
    spans = [(one.score, one.score) for one in ranking if one.score is not None]
    spans += [(one.interval.low, one.interval.high) for one in ranking if one.interval]
    ends = {end for span in spans for end in span}
    return Axis.around(spans if len(ends) > 1 else [*spans, (0.0, 0.0)])


def _by_system(board: Board, reports: Mapping[str, str]) -> dict[str, str]:
    """The address of the report that each system is in."""
    return {
        system.name: reports[entry.path]
        for entry in board.entries
        if entry.path in reports
        for system in entry.result.systems
    }


def _whole(board: Board, metric: str) -> dict[str, Summary]:
    """The summary of each system over everything."""
    results = [entry.result for entry in board.entries]
    return {system.name: summary for one in results for system, summary in wholes(one, metric)}


def _over(summary: Summary) -> str:
    """How much a score rests on: 7 topics, 10 golds."""
    return ", ".join(plural(number, name) for name, number in summary.units.items())


def _data(board: Board, reports: Mapping[str, str]) -> dict[str, Any]:
    """What the page shows, for programs."""
    addresses = _by_system(board, reports)
    rankings = []
    for metric in board.contrast.metrics if board.contrast else ():
        whole = _whole(board, metric.name)
        ranking = [
            {
                **{"rank": one.cluster, "system": one.system, "score": one.score},
                "over": whole[one.system].units,
                **{end: getattr(one.interval, end, None) for end in ("low", "high")},
                "letters": one.letters,
                "report": addresses[one.system],
            }
            for one in metric.ranking
        ]
        names = {"metric": metric.name, "score": metric.score, "label": metric.label}
        rankings.append({**names, "better": metric.better, "ranking": ranking})
    fields = ("data", "gold", "family", "protocol", "signature")
    return {
        **{name: getattr(board, name) for name in fields},
        "reports": {entry.path: reports[entry.path] for entry in board.entries},
        "metrics": rankings,
    }
