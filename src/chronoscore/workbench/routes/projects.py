"""The first page, and a project's pages: its events, its evaluators, its batches, its audit."""

from typing import cast

from starlette.exceptions import HTTPException
from starlette.responses import Response

from chronoscore.workbench import demo_study
from chronoscore.workbench.pages import plural
from chronoscore.workbench.project_files import ProjectFiles, import_judgements, read_project
from chronoscore.workbench.routes.notices import done_notice
from chronoscore.workbench.routes.reviewing import others_in_words, share_in_words
from chronoscore.workbench.routing import PageRequest, found, redirect
from chronoscore.workbench.store import batches, judgements, people, pooled, projects
from chronoscore.workbench.store.database import audit_actions, audit_entries

_ROWS = 50
_FIRST = 8
_KINDS = ("calibration", "main", "retest")
_REMOVING = (
    "What they have judged stays, under their name. They can't open this project any more. Without "
    "another project, their sessions and links end.",
    "You can bring them back afterwards. Then they need a new link if their sessions have ended.",
)


def first_page(request: PageRequest, status: int = 200, problems: tuple[str, ...] = ()) -> Response:
    """Show the viewer's batches, and to the owner the projects and how to begin one."""
    store, person = request.store, request.person
    visible, own = projects.visible(store, person), batches.visible(store, person)
    names = {project.id: project.name for project in visible}
    return request.show(
        "home.html",
        status,
        projects=visible if person.role == "owner" else [],
        archived=projects.archived(store, person),
        names=names,
        counts={project.id: projects.counts(store, project.id) for project in visible},
        work=[
            (batch, judgements.progress(store, person, batch.id))
            for batch in own
            if batch.project in names
        ],
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
        removed=batches.removed_people(store, project.id),
        notice=done_notice(request),
    )


def change_project(request: PageRequest) -> Response:
    """Rename a project, or show the score while judging."""
    number, show_score = request.project.id, request.text("show_score") == "yes"
    projects.change(request.store, request.person.id, number, request.text("name"), show_score)
    return redirect(f"/projects/{number}")


def invite(request: PageRequest) -> Response:
    """Add an evaluator and show their link, this once; a person with a session needs none."""
    store, by, number = request.store, request.person.id, request.project.id
    token = ""
    with store.writing():
        person = projects.add_member(store, by, number, request.text("name"))
        if person.role != "owner" and person.id not in people.in_use(store):
            token = people.invite(store, person.id, by, number)
    if token:
        return _show_link(request, person, token)
    if person.role == "owner":
        return project_page(request, message="That is you: you belong to every project.")
    already = f"{person.name} is logged in already, and needs no link to find this project."
    return project_page(request, message=already)


def _evaluator(request: PageRequest) -> people.Person:
    """The evaluator that the address names; else it is not found."""
    members = projects.members(request.store, request.project.id)
    evaluators = [one for one in members if one.kind == "person" and one.role != "owner"]
    return request.named_person(evaluators, "There is no such evaluator.")


def new_link(request: PageRequest) -> Response:
    """Create another link for an evaluator; it replaces older links and sessions."""
    person = _evaluator(request)
    token = people.invite(request.store, person.id, request.person.id, request.project.id)
    return _show_link(request, person, token)


def _show_link(request: PageRequest, person: people.Person, token: str) -> Response:
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
    if not request.sure:
        return request.show(
            "confirm.html",
            title=f"Remove {person.name}?",
            lines=[*_open_shares_in_words(request, person), *_REMOVING],
            action=f"/projects/{number}/people/{person.id}/remove",
            button="Remove",
            back=f"/projects/{number}#people",
        )
    done = batches.remove_member(request.store, request.person, number, person)
    return redirect(f"/projects/{number}?done={done}#people")


def _open_shares_in_words(request: PageRequest, person: people.Person) -> list[str]:
    """How far someone is, in each batch that they still judge."""
    store, lines = request.store, []
    for batch in batches.visible(store, request.person, request.project.id):
        shares = batches.shares(store, batch.id)
        for share in shares:
            if share.person.id == person.id and not share.submitted:
                judged = pooled.answers_by_person(store, batch.id).get(person.id, 0)
                others = [one for one in shares if one is not share]
                words = share_in_words(share, judged), others_in_words(others, "you")
                lines.append(f"{batch.name.capitalize()}: {' '.join(words)}")
    return lines or [f"{person.name} has no share that is being judged."]


def bring_back(request: PageRequest) -> Response:
    """Undo the removal of an evaluator; asks first if that hides answers again."""
    store, number = request.store, request.project.id
    person = batches.was_removed(store, number, request.number("person"))
    person = found(person, "There is no such evaluator.")
    shares = batches.shares_of_removed(store, request.person, number, person)
    hidden = [batch.name for batch in shares if batch.stage == "review"]
    if hidden and not request.sure:
        return request.show(
            "confirm.html",
            title=f"Bring {person.name} back?",
            lines=[
                f"{person.name} can go on with {plural(len(shares), 'share')} that the removal "
                "had submitted.",
                f"All have submitted in {', '.join(hidden)}, so answers may have been seen: the "
                "audit will say so. They are hidden until all have submitted again.",
            ],
            action=f"/projects/{number}/people/{person.id}/bring-back",
            button="Bring back",
            back=f"/projects/{number}#people",
        )
    done = batches.bring_back(store, request.person, number, person)
    return redirect(f"/projects/{number}?done={done}#people")


def archive(request: PageRequest) -> Response:
    """Archive a project, once the owner has confirmed it."""
    store, project = request.store, request.project
    here = f"/projects/{project.id}"
    if not request.sure:
        counts = projects.counts(store, project.id)
        own = batches.visible(store, request.person, project.id)
        judging = [batch for batch in own if batch.stage == "judging"]
        done = sum(pooled.answer_counts(store, project.id).values())
        members = [one for one in projects.members(store, project.id) if one.role != "owner"]
        return request.show(
            "confirm.html",
            title=f"Archive {project.name}?",
            lines=[
                f"It has {plural(counts['events'], 'event')}, {plural(len(own), 'batch')} and "
                f"{plural(done, 'answer')}. All of it is kept, and you can look at it and export "
                "it.",
                f"{plural(len(judging), 'batch')} of it {'is' if len(judging) == 1 else 'are'} "
                "being judged."
                if judging
                else "None of it is being judged.",
                f"{plural(len(members), 'evaluator')} will not see it any more, and nothing can be "
                "saved in it, until you bring it back.",
            ],
            action=f"{here}/archive",
            button="Archive",
            back=here,
        )
    return redirect(f"{here}?done={projects.archive(store, request.person, project.id)}")


def unarchive(request: PageRequest) -> Response:
    """Bring an archived project back."""
    number = request.project.id
    done = projects.unarchive(request.store, request.person, number)
    return redirect(f"/projects/{number}?done={done}")


def add_events(request: PageRequest) -> Response:
    """Add events and articles of files to a project; with any problem, nothing is added."""
    store, number = request.store, request.project.id
    files = read_project(request.files, projects.content(store, number))
    counts = projects.add_events(store, request.person, number, files.systems, files.articles)
    added = f"{plural(counts['events'], 'event')} and {plural(counts['articles'], 'article')}"
    then = " Draw a batch to have them judged." if counts["events"] else ""
    return project_page(request, message=f"Added: {added}.{then}")


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
