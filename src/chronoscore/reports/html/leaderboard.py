"""A leaderboard as a static site: a page of boards, and the report of every result."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from chronoscore.core.contrast import MetricContrast
from chronoscore.core.family import Family
from chronoscore.core.result import CaseMatches, CaseTexts, ResultDocument, Summary, left_out_notice
from chronoscore.core.writing import write_file
from chronoscore.engines.boards import Board, Entry
from chronoscore.reports.html.markup import Html, html_table, joined, listed, tag
from chronoscore.reports.html.page import Section, page
from chronoscore.reports.html.report import report
from chronoscore.reports.intervals import interval_in_words
from chronoscore.reports.result_tables import short, wholes
from chronoscore.reports.table import Cell, Table, plural, shown

Sidecars = Mapping[str, tuple[Sequence[CaseMatches], Sequence[CaseTexts]]]
"""The matches and texts of each result, by its path."""
_COLUMNS = {"rank": "number", "system": None, "score": "number", "interval": None, "letters": None}


def write_site(
    boards: Sequence[Board],
    families: Mapping[str, Family],
    sidecars: Sidecars,
    folder: Path,
    title: str,
) -> list[Path]:
    """Write `index.html`, `leaderboard.json` and a report for each result."""
    entries = [entry for board in boards for entry in board.entries]
    addresses = _addresses(entries)
    sections = [
        Section(f"board-{place}", board.title, board_part(board, addresses))
        for place, board in enumerate(boards, 1)
    ]
    lead = f"{plural(len(boards), 'board')} from {len(entries)} saved results."
    footer = "Made by Chronoscore from saved results; nothing was scored."
    data = json.dumps([_data(board, addresses) for board in boards], indent=1) + "\n"
    written = [
        write_file(folder / "index.html", page(title, lead, sections, footer)),
        write_file(folder / "leaderboard.json", data),
    ]
    for entry in entries:
        family = entry.home or families[entry.result.family]
        content = report(family, entry.result, *sidecars.get(entry.path, ((), ())))
        written.append(write_file(folder / addresses[entry.path], content))
    return written


def _addresses(entries: Sequence[Entry]) -> dict[str, str]:
    """A file for each report; results of the same name in two folders stay apart."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for entry in entries:
        stem = name = "-".join(filter(None, (*entry.folder.split("/"), Path(entry.path).stem)))
        number = 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name)
        names[entry.path] = f"reports/{name}.html"
    return names


def board_part(board: Board, reports: Mapping[str, str]) -> Html:
    """The tables of a board; `reports` gives the address of each result's report by its path."""
    results, contrast = [entry.result for entry in board.entries], board.contrast
    addresses = {s.name: reports[one.path] for one in board.entries for s in one.result.systems}
    explained = ""
    if contrast is None:
        tables = [_alone(results[0], addresses)]
    else:
        tables = [_ranking(metric, addresses, board) for metric in contrast.metrics]
        explained = tag(
            "p",
            f"Systems of one rank do not differ significantly ({contrast.test} test over "
            f"{contrast.units} {contrast.unit}s, {contrast.correction} correction, level 0.05).",
        )
    partial = (
        f"{', '.join(system.name for system in one.systems)}: {left_out_notice(one.left_out)}"
        for one in results
        if one.left_out
    )
    code = tag("pre", tag("code", board.signature))
    signature = tag("details", tag("summary", "Signature"), code)
    return joined(explained, listed(partial, "notices"), tables, signature)


def _ranking(metric: MetricContrast, reports: Mapping[str, str], board: Board) -> Html:
    whole = _whole(board, metric.name)
    # What people think is never one number alone: the means of the criteria stand beside it.
    judged = bool(board.entries[0].result.agreement)
    names = next(iter(whole.values())).scores if judged else {}
    beside = [name for name in names if name != metric.score]
    rows = [
        (
            one.cluster,
            tag("a", one.system, href=reports[one.system]),
            one.score,
            interval_in_words(one.interval),
            one.letters,
            *(whole[one.system].scores[name] for name in beside),
            _over(whole[one.system]),
        )
        for one in metric.ranking
    ]
    lower = ", lower is better" if metric.better == "lower" else ""
    score = short(metric.score)
    which = "" if score.casefold() == metric.label.casefold() else f", {score}"
    return _table(f"{metric.label}{which}{lower}", rows, beside)


def _whole(board: Board, metric: str) -> dict[str, Summary]:
    """The summary of each system over everything."""
    results = [entry.result for entry in board.entries]
    return {system.name: summary for one in results for system, summary in wholes(one, metric)}


def _over(summary: Summary) -> str:
    """How much a score rests on: 7 topics, 10 golds."""
    return ", ".join(plural(number, name) for name, number in summary.units.items())


def _alone(result: ResultDocument, reports: Mapping[str, str]) -> Html:
    rows: list[Sequence[Cell]] = []
    for info in result.metrics:
        for system, summary in wholes(result, info.name):
            link = tag("a", system.name, href=reports[system.name])
            score = f"{info.label} {shown(summary.scores[info.primary])}"
            interval = interval_in_words(summary.intervals.get(info.primary))
            rank = 1 if system.is_ranked else ""
            rows.append((rank, link, score, interval, "", _over(summary)))
    return _table("one system", rows)


def _table(caption: str, rows: Sequence[Sequence[Cell]], beside: Sequence[str] = ()) -> Html:
    columns = {**_COLUMNS, **dict.fromkeys(beside, "number"), "over": None}
    table = Table.of(caption, columns, rows)
    return html_table(table, classes=[*columns.values()], heading=1)


def _data(board: Board, reports: Mapping[str, str]) -> dict[str, Any]:
    """What the page shows, for programs."""
    rankings = []
    for metric in board.contrast.metrics if board.contrast else ():
        whole = _whole(board, metric.name)
        ranking = [
            {
                **{"rank": one.cluster, "system": one.system, "score": one.score},
                "over": whole[one.system].units,
                **{end: getattr(one.interval, end, None) for end in ("low", "high")},
            }
            for one in metric.ranking
        ]
        rankings.append({"metric": metric.name, "score": metric.score, "ranking": ranking})
    names = ("data", "gold", "family", "protocol", "signature")
    return {
        **{name: getattr(board, name) for name in names},
        "reports": {entry.path: reports[entry.path] for entry in board.entries},
        "metrics": rankings,
    }
