"""A leaderboard as a static site: a page of boards, and the report of every result."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from chronoscore.core.contrast import MetricContrast
from chronoscore.core.result import CaseMatches, CaseTexts, Result, Summary, left_out_notice
from chronoscore.core.writing import write_file
from chronoscore.engines.boards import Board, Entry
from chronoscore.reports.html.markup import Html, joined, tag
from chronoscore.reports.html.page import banner, report, section_of, shell
from chronoscore.reports.html.sections import Section
from chronoscore.reports.html.tables import wide
from chronoscore.reports.html.words import plural
from chronoscore.reports.intervals import interval_in_words
from chronoscore.reports.tables import short

Sidecars = Mapping[str, tuple[Sequence[CaseMatches], Sequence[CaseTexts]]]
"""The matches and texts of each result, by its path."""


def write_site(made: Sequence[Board], sidecars: Sidecars, folder: Path, title: str) -> list[Path]:
    """Write `index.html`, `leaderboard.json` and a report for each result."""
    reports = _report_names([entry for board in made for entry in board.entries])
    index = folder / "index.html"
    write_file(index, _index(made, reports, title))
    data = folder / "leaderboard.json"
    write_file(data, json.dumps([_data(board, reports) for board in made], indent=1) + "\n")
    written = [index, data]
    for board in made:
        for entry in board.entries:
            matches, texts = sidecars.get(entry.path, ((), ()))
            path = folder / reports[entry.path]
            written.append(write_file(path, report(entry.result, matches, texts)))
    return written


def _report_names(entries: Sequence[Entry]) -> dict[str, str]:
    """A file for each report; results of the same name in two folders stay apart."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for entry in entries:
        parts = (*entry.folder.split("/"), Path(entry.path).stem)
        stem = name = "-".join(filter(None, parts))
        number = 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name)
        names[entry.path] = f"reports/{name}.html"
    return names


def _index(made: Sequence[Board], reports: Mapping[str, str], title: str) -> str:
    sections = [
        Section(f"board-{place}", board.title, board_part(board, reports))
        for place, board in enumerate(made, 1)
    ]
    links = [tag("li", tag("a", section.title, href=f"#{section.id}")) for section in sections]
    results = sum(len(board.entries) for board in made)
    lead = f"{len(made)} board{'s' * (len(made) != 1)} from {results} saved results."
    content = joined(
        tag("a", "Skip to the boards", href="#board-1", class_="skip"),
        banner(title, lead, [], links),
        tag("main", [section_of(section) for section in sections]),
        tag("footer", tag("p", "Made by Chronoscore from saved results; nothing was scored.")),
    )
    return shell(title, content)


def board_part(board: Board, reports: Mapping[str, str]) -> Html:
    """The tables of a board; `reports` gives the address of each result's report by its path."""
    of = {
        system.name: reports[entry.path]
        for entry in board.entries
        for system in entry.result.systems
    }
    if board.contrast is None:
        tables = [_alone(board.entries[0].result, of)]
    else:
        tables = [_ranking(metric, of, board) for metric in board.contrast.metrics]
    told = ""
    if board.contrast is not None:
        made = board.contrast
        told = (
            f"Systems of one rank do not differ significantly ({made.test} test over "
            f"{made.units} {made.unit}s, {made.correction} correction, level 0.05)."
        )
    partial = [
        tag("li", f"{', '.join(s.name for s in entry.result.systems)}: {notice}")
        for entry in board.entries
        if entry.result.left_out
        for notice in [left_out_notice(entry.result.left_out)]
    ]
    return joined(
        tag("p", told) if told else "",
        tag("ul", partial, class_="notices") if partial else "",
        tables,
        tag("details", tag("summary", "Signature"), tag("pre", tag("code", board.signature))),
    )


def _ranking(metric: MetricContrast, reports: Mapping[str, str], board: Board) -> Html:
    whole = _whole(board, metric.name)
    # What people think is never one number alone: the means of the criteria stand beside it.
    judged = bool(board.entries[0].result.agreement)
    beside = [name for name in next(iter(whole.values())).scores if name != metric.score]
    beside = beside if judged else []
    rows = [
        tag(
            "tr",
            tag("td", str(one.cluster), class_="number"),
            tag("th", tag("a", one.system, href=reports[one.system]), scope="row"),
            tag("td", "undef." if one.score is None else f"{one.score:.3f}", class_="number"),
            tag("td", interval_in_words(one.interval)),
            tag("td", one.letters),
            [tag("td", _score(whole[one.system], name), class_="number") for name in beside],
            tag("td", _over(whole[one.system])),
        )
        for one in metric.ranking
    ]
    lower = ", lower is better" if metric.better == "lower" else ""
    score = short(metric.score)
    which = "" if score.casefold() == metric.label.casefold() else f", {score}"
    return _table(f"{metric.label}{which}{lower}", rows, beside)


def _whole(board: Board, metric: str) -> dict[str, Summary]:
    """The summary of each system over everything."""
    return {
        system.name: summary
        for entry in board.entries
        for system in entry.result.systems
        for summary in system.summaries
        if summary.metric == metric and not summary.group
    }


def _over(summary: Summary) -> str:
    """How much a score rests on: 7 topics, 10 golds."""
    return ", ".join(plural(number, name) for name, number in summary.units.items())


def _alone(result: Result, reports: Mapping[str, str]) -> Html:
    rows = [
        tag(
            "tr",
            tag("td", "1", class_="number"),
            tag("th", tag("a", system.name, href=reports[system.name]), scope="row"),
            tag("td", f"{info.label} {_score(summary, info.primary)}", class_="number"),
            tag("td", interval_in_words(summary.intervals.get(info.primary))),
            tag("td", ""),
            tag("td", _over(summary)),
        )
        for system in result.systems
        for info in result.metrics
        for summary in system.summaries
        if summary.metric == info.name and not summary.group
    ]
    return _table("one system", rows)


def _score(summary: Summary, name: str) -> str:
    value = summary.scores[name]
    return "undef." if value is None else f"{value:.3f}"


def _table(caption: str, rows: Sequence[Html], beside: Sequence[str] = ()) -> Html:
    heads = {"rank": "number", "system": None, "score": "number", "interval": None, "letters": None}
    heads |= {**dict.fromkeys(beside, "number"), "over": None}
    table = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", [tag("th", h, scope="col", class_=c) for h, c in heads.items()])),
        tag("tbody", rows),
    )
    return wide(table, caption)


def _data(board: Board, reports: Mapping[str, str]) -> dict[str, Any]:
    """What the page shows, for programs."""
    rankings = []
    if board.contrast is not None:
        whole = {metric.name: _whole(board, metric.name) for metric in board.contrast.metrics}
        rankings = [
            {
                "metric": metric.name,
                "score": metric.score,
                "ranking": [
                    {
                        "rank": one.cluster,
                        "system": one.system,
                        "score": one.score,
                        "over": whole[metric.name][one.system].units,
                        "low": one.interval.low if one.interval else None,
                        "high": one.interval.high if one.interval else None,
                    }
                    for one in metric.ranking
                ],
            }
            for metric in board.contrast.metrics
        ]
    return {
        "data": board.data,
        "gold": board.gold,
        "family": board.family,
        "protocol": board.protocol,
        "signature": board.signature,
        "reports": {entry.path: reports[entry.path] for entry in board.entries},
        "metrics": rankings,
    }
