"""The table of routes, and the application that serves them behind the security checks."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import ASGIApp

from chronoscore.workbench.logs import RequestLog
from chronoscore.workbench.routes import (
    entering,
    figures,
    importing,
    judging,
    pairs,
    projects,
    results,
    reviewing,
    sharing,
)
from chronoscore.workbench.routing import Route, Workbench, refusal
from chronoscore.workbench.security import SecurityMiddleware

ROUTES = (
    Route("/health", entering.health, "anyone", alike=True),
    Route("/static/{name}", entering.static, "anyone", alike=True),
    Route("/enter", entering.no_session, "anyone"),
    Route("/enter/{token}", entering.invited, "anyone"),
    Route("/enter/{token}", entering.enter, "anyone", "POST"),
    Route("/leave", entering.leave, "member", "POST"),
    Route("/", projects.first_page, "member"),
    Route("/projects", importing.add_project, "owner", "POST", projects.first_page, large=True),
    Route("/imports/{token}", importing.mapping_page, "owner"),
    Route("/imports/{token}", importing.apply_mapping, "owner", "POST"),
    Route("/imports/{token}/cancel", importing.cancel, "owner", "POST"),
    Route("/projects/demo", projects.add_demo, "owner", "POST"),
    Route("/projects/pairs", pairs.new_page, "owner"),
    Route("/projects/pairs", pairs.add_project, "owner", "POST", pairs.new_page, large=True),
    Route("/projects/{project}", projects.project_page, "owner"),
    Route("/projects/{project}", projects.change_project, "owner", "POST"),
    Route("/projects/{project}/progress", projects.progress, "owner"),
    Route("/projects/{project}/draft", projects.draft, "owner"),
    Route("/projects/{project}/people", projects.invite, "owner", "POST", projects.project_page),
    Route("/projects/{project}/people/{person}", projects.new_link, "owner", "POST"),
    Route(
        "/projects/{project}/people/{person}/end",
        projects.end_sessions,
        "owner",
        "POST",
        in_archive=True,
    ),
    Route("/projects/{project}/people/{person}/remove", projects.remove, "owner", "POST"),
    Route("/projects/{project}/people/{person}/bring-back", projects.bring_back, "owner", "POST"),
    Route("/projects/{project}/archive", projects.archive, "owner", "POST"),
    Route("/projects/{project}/unarchive", projects.unarchive, "owner", "POST", in_archive=True),
    Route(
        "/projects/{project}/batches", projects.draw_batch, "owner", "POST", projects.project_page
    ),
    Route("/projects/{project}/pairs", pairs.pairs_page, "owner"),
    Route("/projects/{project}/events", projects.events_page, "owner"),
    Route(
        "/projects/{project}/events",
        importing.add_events,
        "owner",
        "POST",
        projects.project_page,
        large=True,
    ),
    Route(
        "/projects/{project}/judgements",
        projects.add_judgements,
        "owner",
        "POST",
        projects.project_page,
        large=True,
    ),
    Route("/projects/{project}/audit", projects.audit_page, "owner"),
    Route("/judge/{batch}", judging.resume, "member"),
    Route("/judge/{batch}/all", judging.overview, "member"),
    Route("/judge/{batch}/compare", judging.compare, "member"),
    Route("/judge/{batch}/submit", judging.submit, "member", "POST"),
    Route("/judge/{batch}/reopen", judging.reopen, "member", "POST"),
    Route("/judge/{batch}/{place}", judging.judge_page, "member"),
    Route("/judge/{batch}/{place}", judging.save, "member", "POST"),
    Route("/judge/{batch}/{place}/undo", judging.undo, "member", "POST"),
    Route("/dates", judging.dates, "member"),
    Route("/batches/{batch}", reviewing.review, "owner"),
    Route("/batches/{batch}/people/{person}/submit", reviewing.submit_for, "owner", "POST"),
    Route("/batches/{batch}/people/{person}/give-back", reviewing.give_back, "owner", "POST"),
    Route("/batches/{batch}/finish", reviewing.finish, "owner", "POST"),
    Route("/batches/{batch}/reopen", reviewing.reopen, "owner", "POST"),
    Route("/batches/{batch}/events/{event}", reviewing.settle_page, "owner"),
    Route("/batches/{batch}/events/{event}", reviewing.settle, "owner", "POST"),
    Route("/batches/{batch}/events/{event}/names", reviewing.show_votes, "owner", "POST"),
    Route("/projects/{project}/agreement", figures.agreement_page, "owner"),
    Route("/projects/{project}/differences", figures.differences_page, "owner"),
    Route("/projects/{project}/export", figures.export_page, "owner"),
    Route("/projects/{project}/export/{form}", figures.export, "owner"),
    Route("/projects/{project}/judges", figures.judges_page, "owner"),
    Route("/projects/{project}/judges/{person}", figures.judge_page, "owner"),
    Route("/results", results.results_page, "owner"),
    Route("/results", results.upload, "owner", "POST", results.results_list, large=True),
    Route("/results/{result}", results.run_page, "owner"),
    Route("/results/{result}", results.rename, "owner", "POST", results.results_list),
    Route("/results/{result}/cases/{case}", results.case_page, "owner"),
    Route("/results/{result}/delete", results.delete, "owner", "POST"),
    Route("/results/{result}/purge", results.purge, "owner", "POST"),
    Route("/results/{result}/files/{kind}", results.file, "owner"),
    Route("/results/{result}/undo", results.undo, "owner", "POST"),
    Route("/leaderboard", results.leaderboard, "owner"),
    Route("/compare", results.compare, "owner"),
    Route("/results/{result}/share", sharing.share_result, "owner", "POST", results.results_list),
    Route("/leaderboard/share", sharing.share_board, "owner", "POST"),
    Route("/readers/{link}/end", sharing.end, "owner", "POST"),
    Route("/shared/{token}", sharing.shared, "anyone", alike=True),
)
"""Every POST but that of a link also checks the token of the form, see `Route`."""
_LARGE = tuple(compile_path(route.path)[0] for route in ROUTES if route.large)


def make_app(workbench: Workbench) -> ASGIApp:
    """The application of a workbench."""
    app = Starlette(
        routes=[route.bind(workbench) for route in ROUTES],
        exception_handlers={HTTPException: _not_found, Exception: _failed},
    )
    checked = SecurityMiddleware(
        app, workbench.address, lambda path: any(pattern.match(path) for pattern in _LARGE)
    )
    return RequestLog(checked)


async def _not_found(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return refusal(request, error.status_code, "There is no such page.")


async def _failed(request: Request, _: Exception) -> Response:
    """Answer where the workbench itself is at fault; the server logs the error."""
    what = "The workbench failed, and this was not done. Its owner finds the error in the log."
    return refusal(request, 500, what)
