"""The first page, and a project's pages: its events, its evaluators, its batches, its audit."""

from typing import cast

from starlette.exceptions import HTTPException
from starlette.responses import Response

from chronoscore.workbench import demo_study
from chronoscore.workbench.project_files import ProjectFiles, import_judgements, read_project
from chronoscore.workbench.routing import PageRequest, redirect
from chronoscore.workbench.store import batches, judgements, people, pooled, projects
from chronoscore.workbench.store.database import audit_actions, audit_entries

_ROWS = 50
_FIRST = 8
_KINDS = ("calibration", "main", "retest")
_REMOVING = (
    "They can't open this project any more. Without another project, their sessions and links end.",
    "What they have judged stays, under their name. Their part of a batch that is being judged "
    "counts as submitted, as far as it is: if all others have submitted, the answers are shown.",
)


def first_page(request: PageRequest, status: int = 200, problems: tuple[str, ...] = ()) -> Response:
    """Show the viewer's batches, and to the owner the projects and how to begin one."""
    store, person = request.store, request.person
    visible, own = projects.visible(store, person), batches.visible(store, person)
    return request.show(
        "home.html",
        status,
        projects=visible if person.role == "owner" else [],
        names={project.id: project.name for project in visible},
        counts={project.id: projects.counts(store, project.id) for project in visible},
        work=[(batch, judgements.progress(store, person, batch.id)) for batch in own],
        problems=problems,
        name=request.text("name").strip(),
    )


def add_project(request: PageRequest) -> Response:
    """Import files; with any problem nothing is stored, else the project is previewed."""
    files = read_project(request.files)
    return redirect(f"/projects/{_add(request, request.text('name').strip(), files)}")


def add_demo(request: PageRequest) -> Response:
    """Add the demo, and begin to judge the owner's part of it."""
    return redirect(f"/judge/{demo_study.add_demo(request.store, request.person)}")


def _add(request: PageRequest, name: str, files: ProjectFiles) -> int:
    return projects.add(request.store, request.person.id, name[:120], *files)


def project_page(
    request: PageRequest,
    status: int = 200,
    *,
    problems: tuple[str, ...] = (),
    link: tuple[str, str] | None = None,
    message: str = "",
) -> Response:
    """Show a project, with the problems, the link or the message of what was just done."""
    store, project = request.store, request.project
    own = batches.visible(store, request.person, project.id)
    name = project.name.casefold()
    return request.show(
        "project.html",
        status,
        counts=projects.counts(store, project.id),
        leaks=[one for one in projects.systems(store, project.id) if one.casefold() in name],
        first=projects.events(store, project.id, most=_FIRST),
        members=projects.members(store, project.id),
        in_use=people.in_use(store),
        idle_days=people.IDLE_DAYS,
        session_days=people.SESSION_DAYS,
        batches=own,
        shares={batch.id: batches.shares(store, batch.id) for batch in own},
        done=pooled.answer_counts(store, project.id),
        problems=problems,
        link=link,
        message=message,
        kinds=_KINDS,
    )


def change_project(request: PageRequest) -> Response:
    """Rename a project, or show the score while judging."""
    number, show_score = request.project.id, request.text("show_score") == "yes"
    projects.change(request.store, request.person.id, number, request.text("name"), show_score)
    return redirect(f"/projects/{number}")


def invite(request: PageRequest) -> Response:
    """Add an evaluator and show their link, this once; a person with a session needs none."""
    store, by, number = request.store, request.person.id, request.project.id
    person = projects.add_member(store, by, number, request.text("name"))
    if person.role == "owner":
        return project_page(request, message="That is you: you belong to every project.")
    if person.id in people.in_use(store):
        already = f"{person.name} is logged in already, and needs no link to find this project."
        return project_page(request, message=already)
    return _show_link(request, person)


def _evaluator(request: PageRequest) -> people.Person:
    """The evaluator that the address names; else it is not found."""
    members = projects.members(request.store, request.project.id)
    evaluators = [one for one in members if one.kind == "person" and one.role != "owner"]
    return request.named_person(evaluators, "There is no such evaluator.")


def new_link(request: PageRequest) -> Response:
    """Create another link for an evaluator; it replaces older links and sessions."""
    return _show_link(request, _evaluator(request))


def _show_link(request: PageRequest, person: people.Person) -> Response:
    token = people.invite(request.store, person.id, request.person.id, request.project.id)
    link = f"{request.workbench.address.url}/enter/{token}"
    return project_page(request, link=(person.name, link))


def end_sessions(request: PageRequest) -> Response:
    """End all sessions of an evaluator, such as on a lost device."""
    person, store = _evaluator(request), request.store
    with store.writing():
        ended = people.end_sessions(store, person.id, "owner")
        by, project = request.person.id, request.project.id
        store.note(by, "sessions ended", project, person=person.id, ended=ended)
    ended_now = f"{person.name} is logged out everywhere, and needs a new link to come back."
    return project_page(request, message=ended_now)


def remove(request: PageRequest) -> Response:
    """Remove an evaluator from a project, once the owner has confirmed it."""
    person, number = _evaluator(request), request.project.id
    if request.text("sure") != "yes":
        return request.show(
            "confirm.html",
            title=f"Remove {person.name}?",
            lines=_REMOVING,
            action=f"/projects/{number}/people/{person.id}/remove",
            button="Remove",
            back=f"/projects/{number}#people",
        )
    batches.remove_member(request.store, request.person, number, person)
    return project_page(request, message=f"{person.name} is removed. What they judged is kept.")


def draw_batch(request: PageRequest) -> Response:
    """Draw a batch."""
    kind, number = request.text("kind"), request.project.id
    chosen = [id_ for id_ in request.form.get("person", []) if id_.isascii() and id_.isdecimal()]
    if kind not in _KINDS:
        raise HTTPException(400, "a batch is for calibration, main or a retest")
    plan = batches.BatchPlan(
        cast("batches.BatchKind", kind),
        tuple(int(id_[:15]) for id_ in chosen),
        request.whole("overlap", 1),
        request.whole("seed", 0),
        request.whole("size", 0),
    )
    batches.draw(request.store, request.person.id, number, plan)
    return redirect(f"/projects/{number}#batches")


def events_page(request: PageRequest) -> Response:
    """List the events of a project, a page at a time."""
    find, page = request.query.get("find", "")[:200], max(1, request.whole("page", 1))
    events = projects.events(
        request.store, request.project.id, find=find, skip=(page - 1) * _ROWS, most=_ROWS + 1
    )
    more = len(events) > _ROWS
    return request.show("events.html", events=events[:_ROWS], find=find, number=page, more=more)


def add_judgements(request: PageRequest) -> Response:
    """Import judgements that were given elsewhere, such as by a model."""
    number = import_judgements(request.store, request.person, request.project, request.files)
    return project_page(request, message=f"{number} judgements were imported.")


def audit_page(request: PageRequest) -> Response:
    """Show the audit of a project, the newest entries first."""
    number, action = request.project.id, request.query.get("action", "")[:80]
    before = request.whole("before", 0)
    return request.show(
        "audit.html",
        entries=audit_entries(request.store, number, action=action, before=before),
        action=action,
        actions=audit_actions(request.store, number),
    )
