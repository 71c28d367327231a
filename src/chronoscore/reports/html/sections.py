"""Which sections the report of a family has, between its scores and its small print."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from chronoscore.core.family import Family
from chronoscore.reports.breakdown import breakdown_tables
from chronoscore.reports.confusion import confusion_of_types
from chronoscore.reports.html.annotation_section import texts_section
from chronoscore.reports.html.changes import changes_section
from chronoscore.reports.html.curves import curves
from chronoscore.reports.html.data import Explained
from chronoscore.reports.html.judged import Judged
from chronoscore.reports.html.loss_tables import losses_section
from chronoscore.reports.html.markup import Html, joined, tag
from chronoscore.reports.html.order_section import order_section
from chronoscore.reports.html.rubric_agreement import agreement_section, pairs_section
from chronoscore.reports.html.rubric_disagreements import disagreements_section
from chronoscore.reports.html.rubric_values import values_section
from chronoscore.reports.html.tables import html_table
from chronoscore.reports.html.topics import cases_section
from chronoscore.reports.table import Table
from chronoscore.reports.tables import tables_of

LONG = 25
"""Rows that are shown without being asked for."""


class Section(NamedTuple):
    """A part of the page under its own heading."""

    id: str
    title: str
    content: Html


Sections = Callable[[Explained, Family], list[Section]]


def timelines(explained: Explained, family: Family) -> list[Section]:
    """Where it was lost, and two lanes of days for each topic."""
    return [
        Section(
            "losses", "Where precision and recall were lost", losses_section(explained, family)
        ),
        Section("cases", "Topic by topic", cases_section(explained, pictured=True)),
    ]


def ordering(explained: Explained, _: Family) -> list[Section]:
    """Two columns of events for each timeline, links that were verified or not, the counts."""
    return [
        Section("orders", "Timeline by timeline", order_section(explained)),
        _cases(explained),
        _counts(explained),
    ]


def annotations(explained: Explained, _: Family) -> list[Section]:
    """Curves, pairs of annotations, and the counts."""
    drawn = joined(curves(explained.result))
    confused = joined(html_table(table) for table in confusion_of_types(explained.matches))
    valued = joined(
        joined(html_table(table), [tag("p", remark) for remark in table.remarks])
        for table in breakdown_tables(explained.result)
    )
    return [
        Section("by-value", "By value", valued),
        Section("curves", "By threshold", drawn),
        Section("confusion", "What was taken for what", confused),
        Section("changes", "What changed", changes_section(explained)),
        Section("texts", "In the text", texts_section(explained)),
        _cases(explained),
        _counts(explained),
    ]


def rubric(explained: Explained, _: Family) -> list[Section]:
    """Values, agreement between evaluators, what they disagree on, and every judgement."""
    judged = Judged.of(explained)
    result = explained.result
    tables = tables_of(replace(result, agreement=()))[1:]  # agreement is drawn
    return [
        Section("values", "What was judged", values_section(judged)),
        Section("agreement", "Agreement", agreement_section(result.agreement)),
        Section("pairs", "Each pair of evaluators", pairs_section(judged)),
        Section("differ", "What they disagree on", disagreements_section(judged)),
        Section("counts", "Counts", joined(_folded(table) for table in tables)),
        _cases(explained),
    ]


FAMILIES: Mapping[str, Sections] = {
    "timelines": timelines,
    "ordering": ordering,
    "tlinks": ordering,
    "coreference": ordering,
    "annotations": annotations,
    "rubric": rubric,
}


def sections_of(explained: Explained, family: Family) -> list[Section]:
    """The sections of the result's family that have something to show."""
    found = FAMILIES[family.name](explained, family)
    return [section for section in found if section.content]


def _cases(explained: Explained) -> Section:
    return Section("cases", "Case by case", cases_section(explained, pictured=False))


def _counts(explained: Explained) -> Section:
    """Every table of the result but the first, which is that of the scores."""
    tables = tables_of(explained.result)[1:]
    return Section("counts", "Counts", joined(_folded(table) for table in tables))


def _folded(table: Table) -> Html:
    """A long table is there for those who open it."""
    if len(table.rows) <= LONG:
        return html_table(table)
    summary = tag("summary", f"{table.caption}, {len(table.rows)} rows")
    return tag("details", summary, html_table(table), class_="more")
