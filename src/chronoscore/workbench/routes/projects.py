"""A project's pages: what is in it, who belongs to it, its batches, its audit."""

from typing import cast

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from chronoscore.core.errors import UsageError
from chronoscore.workbench.doors import Ask, Door
from chronoscore.workbench.importing import import_judgements
from chronoscore.workbench.store import audit, batches, people, pooled, projects

_ROWS = 50
_FIRST = 8
_KINDS = ("calibration", "main", "retest")
_REMOVING = (
    "They can't open this project any more. Without another project, their sessions and links end.",
    "What they have judged stays, under their name. Their part of a batch that is being judged "
    "counts as submitted, as far as it is: if all others have submitted, the answers are shown.",
)


def project_of(ask: Ask) -> projects.Project:
    """The project that the address names; else it is not found."""
    found = projects.one(ask.store, ask.number("project"))
    if found is None:
        raise HTTPException(404, "There is no such project.")
    return found


def project_page(ask: Ask) -> Response:
    """Show a project."""
    return _shown(ask, project_of(ask))


def _shown(
    ask: Ask,
    project: projects.Project,
    status: int = 200,
    *,
    problems: tuple[str, ...] = (),
    link: tuple[str, str] | None = None,
    told: str = "",
) -> Response:
    made = batches.listed(ask.store, ask.person, project.id)
    shares = {batch.id: batches.shares(ask.store, batch.id) for batch in made}
    return ask.show(
        "project.html",
        status,
        project=project,
        counts=projects.counts(ask.store, project.id),
        leaks=[
            system
            for system in projects.systems(ask.store, project.id)
            if system.casefold() in project.name.casefold()
        ],
        first=projects.events(ask.store, project.id, most=_FIRST),
        members=projects.members(ask.store, project.id),
        in_use=people.in_use(ask.store),
        idle_days=people.IDLE_DAYS,
        session_days=people.SESSION_DAYS,
        batches=made,
        shares=shares,
        done=pooled.how_far(ask.store, project.id),
        problems=problems,
        link=link,
        told=told,
        kinds=_KINDS,
    )


def change_project(ask: Ask) -> Response:
    """Rename a project, or show the score while judging."""
    project = project_of(ask)
    shown = ask.text("show_score") == "yes"
    projects.change(ask.store, ask.person.id, project.id, ask.text("name"), shown)
    return RedirectResponse(f"/projects/{project.id}", 303)


def invite(ask: Ask) -> Response:
    """Add an evaluator and show their link, this once; who is logged in needs none."""
    project = project_of(ask)
    try:
        person = projects.add_member(ask.store, ask.person.id, project.id, ask.text("name"))
    except UsageError as error:
        return _shown(ask, project, 422, problems=(str(error),))
    if person.role == "owner":
        return _shown(ask, project, told="That is you: you belong to every project.")
    if person.id in people.in_use(ask.store):
        told = f"{person.name} is logged in already, and needs no link to find this project."
        return _shown(ask, project, told=told)
    return _with_link(ask, project, person)


def _evaluator(ask: Ask, project: projects.Project) -> people.Person:
    """The evaluator that the address names; else it is not found."""
    number = ask.number("person")
    for person in projects.members(ask.store, project.id):
        if person.id == number and person.kind == "person" and person.role != "owner":
            return person
    raise HTTPException(404, "There is no such evaluator.")


def new_link(ask: Ask) -> Response:
    """Make another link for an evaluator; it takes the place of older links and sessions."""
    project = project_of(ask)
    return _with_link(ask, project, _evaluator(ask, project))


def end_sessions(ask: Ask) -> Response:
    """End all sessions of an evaluator, such as on a device that was lost."""
    project = project_of(ask)
    person = _evaluator(ask, project)
    with ask.store.writing() as connection:
        ended = people.end_sessions(connection, person.id, "owner")
        audit.note(
            connection, ask.person.id, "sessions ended", project.id, person=person.id, ended=ended
        )
    told = f"{person.name} is logged out everywhere, and needs a new link to come back."
    return _shown(ask, project, told=told)


def remove(ask: Ask) -> Response:
    """Take an evaluator out of a project, once the owner has confirmed it."""
    project = project_of(ask)
    person = _evaluator(ask, project)
    if ask.text("sure") != "yes":
        return ask.confirm(
            f"Remove {person.name}?",
            _REMOVING,
            action=f"/projects/{project.id}/people/{person.id}/remove",
            button="Remove",
            back=f"/projects/{project.id}#people",
        )
    batches.remove_member(ask.store, ask.person, project.id, person)
    return _shown(ask, project, told=f"{person.name} is removed. What they judged is kept.")


def _with_link(ask: Ask, project: projects.Project, person: people.Person) -> Response:
    token = people.invite(ask.store, person.id, ask.person.id, project.id)
    return _shown(ask, project, link=(person.name, f"{ask.bench.address}/enter/{token}"))


def make_batch(ask: Ask) -> Response:
    """Draw a batch."""
    project = project_of(ask)
    kind = ask.text("kind")
    chosen = [name for name in ask.form.get("person", []) if name.isascii() and name.isdecimal()]
    if kind not in _KINDS:
        raise HTTPException(400, "a batch is for calibration, main or a retest")
    wanted = batches.Wanted(
        cast("batches.Kind", kind),
        tuple(int(name[:15]) for name in chosen),
        ask.whole("overlap", 1),
        ask.whole("seed", 0),
        ask.whole("size", 0),
    )
    try:
        batches.make(ask.store, ask.person.id, project.id, wanted)
    except UsageError as error:
        return _shown(ask, project, 422, problems=(str(error),))
    return RedirectResponse(f"/projects/{project.id}#batches", 303)


def events_page(ask: Ask) -> Response:
    """List the events of a project, a page at a time."""
    project = project_of(ask)
    find = ask.query.get("find", "")[:200]
    page = max(1, ask.whole("page", 1))
    found = projects.events(
        ask.store, project.id, find=find, skip=(page - 1) * _ROWS, most=_ROWS + 1
    )
    return ask.show(
        "events.html",
        project=project,
        events=found[:_ROWS],
        find=find,
        number=page,
        more=len(found) > _ROWS,
    )


def bring_in(ask: Ask) -> Response:
    """Import judgements that were made elsewhere, such as by a model."""
    project = project_of(ask)
    number, problems = import_judgements(ask.store, ask.person, project, ask.files)
    if problems:
        return _shown(ask, project, 422, problems=tuple(problems))
    return _shown(ask, project, told=f"{number} judgements were imported.")


def audit_page(ask: Ask) -> Response:
    """Show what was done in a project, the newest first."""
    project = project_of(ask)
    action = ask.query.get("action", "")[:80]
    found = audit.entries(ask.store, project.id, action=action, before=ask.whole("before", 0))
    return ask.show(
        "audit.html",
        project=project,
        entries=found,
        action=action,
        actions=audit.actions(ask.store, project.id),
    )


DOORS = (
    Door("/projects/{project}", project_page, "owner"),
    Door("/projects/{project}", change_project, "owner", "POST"),
    Door("/projects/{project}/people", invite, "owner", "POST"),
    Door("/projects/{project}/people/{person}", new_link, "owner", "POST"),
    Door("/projects/{project}/people/{person}/end", end_sessions, "owner", "POST"),
    Door("/projects/{project}/people/{person}/remove", remove, "owner", "POST"),
    Door("/projects/{project}/batches", make_batch, "owner", "POST"),
    Door("/projects/{project}/events", events_page, "owner"),
    Door("/projects/{project}/judgements", bring_in, "owner", "POST", large=True),
    Door("/projects/{project}/audit", audit_page, "owner"),
)
