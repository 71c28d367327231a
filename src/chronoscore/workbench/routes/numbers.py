"""A project's numbers and files: scores, agreement, exports."""

from dataclasses import replace

from starlette.exceptions import HTTPException
from starlette.responses import Response

from chronoscore.reports.raters import reliability_tables
from chronoscore.reports.table import Table, shown
from chronoscore.reports.tables import tables_of
from chronoscore.workbench import exporting
from chronoscore.workbench.doors import Ask, Door
from chronoscore.workbench.figures import Figures, Kept
from chronoscore.workbench.routes.projects import project_of
from chronoscore.workbench.store import audit, batches

_KEPT = Kept()
_YOURSELF = (
    "You judge a batch yourself that is not finished: numbers would tell you what others said. "
    "They are shown when all have submitted."
)
_ROWS = 300
_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
}


def agreement_page(ask: Ask) -> Response:
    """Show scores and agreement as they are now."""
    project = project_of(ask)
    own = [b for b in batches.listed(ask.store, ask.person) if b.project == project.id]
    if any(batch.stage == "judging" for batch in own):
        found = Figures(False, None, None, (_YOURSELF,))
    else:
        found = _KEPT.of(ask.store, ask.person, project)
    return ask.show(
        "agreement.html", project=project, found=found, tables=_tables(found), shown=shown
    )


def _tables(found: Figures) -> list[Table]:
    """All tables, or only those without anyone's answers while some still judge."""
    if found.result is None or found.reliability is None:
        return []
    raters = reliability_tables(found.reliability)
    if not found.named:
        raters = [t for t in raters if t.caption.startswith(("agreement", "inter"))]
    scores = [t for t in tables_of(found.result) if not t.caption.startswith("agreement")]
    return [_cut(table) for table in (*scores, *raters)]


def _cut(table: Table) -> Table:
    """The first rows of a long table, such as of all pairs among many evaluators."""
    left = len(table.rows) - _ROWS
    if left <= 0:
        return table
    told = f"and {left} more rows, which the command line prints from the export"
    return replace(table, rows=table.rows[:_ROWS], remarks=(told, *table.remarks))


def export_page(ask: Ask) -> Response:
    """Show what can be taken along."""
    project = project_of(ask)
    return ask.show(
        "export.html",
        project=project,
        forms=exporting.FORMS,
        left_out=exporting.left_out(ask.store, ask.person, project.id),
    )


def export(ask: Ask) -> Response:
    """Give the files."""
    project, form = project_of(ask), ask.path["form"]
    if form == exporting.ALL:
        content = exporting.archive(ask.store, ask.person, project)
    elif form in exporting.FORMS:
        content = exporting.sheet(ask.store, ask.person, project, form)
    else:
        raise HTTPException(404, "There is no such format.")
    with ask.store.writing() as connection:
        audit.note(connection, ask.person.id, "exported", project.id, form=form)
    name = f"project-{project.id}.zip" if form == exporting.ALL else f"judgements.{form}"
    disposition = f'attachment; filename="{name}"'
    return Response(
        content, headers={"content-type": _TYPES[form], "content-disposition": disposition}
    )


DOORS = (
    Door("/projects/{project}/agreement", agreement_page, "owner"),
    Door("/projects/{project}/export", export_page, "owner"),
    Door("/projects/{project}/export/{form}", export, "owner"),
)
