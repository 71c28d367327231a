"""Judge models of a project: what they cost, how good they are, and their scores corrected."""

from starlette.exceptions import HTTPException
from starlette.responses import Response

from chronoscore.core.errors import ChronoscoreError
from chronoscore.core.reading import Reading
from chronoscore.reports.calibration import calibration_tables
from chronoscore.reports.table import Table, shown
from chronoscore.rubric.calibration import Plan, both_sides, calibrate
from chronoscore.rubric.judgements import Judgements
from chronoscore.workbench.doors import Ask, Door
from chronoscore.workbench.routes.projects import project_of
from chronoscore.workbench.store import batches, judgements, judges, projects


def judges_page(ask: Ask) -> Response:
    """List the judges of a project with what their runs took."""
    project = project_of(ask)
    models = [one for one in projects.members(ask.store, project.id) if one.kind == "llm"]
    return ask.show(
        "judges.html", project=project, models=models, runs=judges.runs(ask.store, project.id)
    )


def judge_page(ask: Ask) -> Response:
    """Hold one judge against people, as `chronoscore calibrate` does."""
    project, number = project_of(ask), ask.number("person")
    models = [one for one in projects.members(ask.store, project.id) if one.kind == "llm"]
    judge = next((one for one in models if one.id == number), None)
    if judge is None:
        raise HTTPException(404, "There is no such judge.")
    tables, told = _calibrated(ask, project, judge.name)
    return ask.show(
        "judge_model.html",
        project=project,
        judge=judge,
        runs=judges.runs(ask.store, project.id).get(judge.name, []),
        tables=tables,
        told=told,
        shown=shown,
    )


def _calibrated(ask: Ask, project: projects.Project, judge: str) -> tuple[list[Table], list[str]]:
    made = batches.listed(ask.store, ask.person, project.id)
    if any(batch.stage == "judging" for batch in made):
        return [], ["Some still judge: this is shown when all have submitted."]
    rows = [one for one, _ in judgements.readable(ask.store, ask.person, project.id)]
    reading = Reading()
    try:
        table = Judgements.of(rows, len(project.codebook.criteria))
        sides = both_sides(table, project.codebook, reading, judge=judge)
        reading.check()
        notices = [str(notice) for notice in reading.notices]
        found = calibrate(sides, project.codebook, Plan(), notices)
    except ChronoscoreError as error:
        return [], str(error).splitlines()
    return calibration_tables(found), list(found.notices)


DOORS = (
    Door("/projects/{project}/judges", judges_page, "owner"),
    Door("/projects/{project}/judges/{person}", judge_page, "owner"),
)
