"""The first page, and a project's pages: its events, its evaluators, its batches, its audit."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

from starlette.exceptions import HTTPException
from starlette.responses import Response

from chronoscore.errors import UsageError
from chronoscore.workbench import demo_study, overview
from chronoscore.workbench.pages import plural
from chronoscore.workbench.project_files import import_judgements
from chronoscore.workbench.routes.notices import done_notice
from chronoscore.workbench.routes.pairs import PairSummary, summary
from chronoscore.workbench.routes.reviewing import others_in_words, share_in_words
from chronoscore.workbench.routing import PageRequest, found, redirect
from chronoscore.workbench.store import (
    batches,
    judgements,
    pairs,
    people,
    pooled,
    projects,
    uploads,
)
from chronoscore.workbench.store.database import audit_actions, audit_entries

_ROWS = 50
_FIRST = 8
_KINDS = ("calibration", "main", "retest")
_MOST_INVITED = 100
_REMOVING = (
    "What they have judged stays, under their name. They can't open this project any more. Without "
    "another project, their sessions and links end.",
    "You can bring them back afterwards. Then they need a new link if their sessions have ended.",
)


def first_page(request: PageRequest, status: int = 200, problems: tuple[str, ...] = ()) -> Response:
    """Show the viewer's batches, and to the owner the projects and how to begin one."""
    store, person = request.store, request.person
    visible, shared = projects.visible(store, person), batches.visible(store, person)
    known = {project.id: project for project in visible}
    owned = visible if person.role == "owner" else []
    if owned:
        uploads.purge(store)
    return request.show(
        "home.html",
        status,
        projects=owned,
        archived=projects.archived(store, person),
        known=known,
        counts={project.id: projects.counts(store, project.id) for project in owned},
        overviews={one.id: overview.project_overview(store, person, one) for one in owned},
        work=[
            (batch, judgements.progress(store, person, batch.id))
            for batch in shared
            if batch.project in known
        ],
        problems=problems,
        name=request.text("name").strip(),
    )


def add_demo(request: PageRequest) -> Response:
    """Add the demo, and begin to judge the owner's share of it."""
    return redirect(f"/judge/{demo_study.add_demo(request.store, request.person)}")


def project_page(
    request: PageRequest,
    status: int = 200,
    *,
    problems: tuple[str, ...] = (),
    links: Mapping[int, tuple[str, str]] | None = None,
    messages: Sequence[str] = (),
) -> Response:
    """Show a project, with the problems, the links or the messages of what was just done.

    `links` are names and addresses by person.
    """
    store, project = request.store, request.project
    shown = overview.project_overview(store, request.person, project)
    name = project.name.casefold()
    return request.show(
        "project.html",
        status,
        counts=projects.counts(store, project.id),
        leaks=[one for one in projects.systems(store, project.id) if one.casefold() in name],
        first=projects.events(store, project.id, most=_FIRST),
        overview=shown,
        ago=overview.ago,
        idle_days=people.IDLE_DAYS,
        session_days=people.SESSION_DAYS,
        proposal=_proposal(request, shown),
        asked=request.query.get("kind", "") in _KINDS,
        alone=len(shown.people) == 1,
        problems=problems,
        links=links or {},
        messages=messages,
        removed=batches.removed_people(store, project.id),
        notice=done_notice(request),
        pair_summary=_pair_summary(request),
    )


def _pair_summary(request: PageRequest) -> PairSummary | None:
    """What is known of the shares of a project of pairs."""
    if request.project.task != "pairs":
        return None
    return summary(request, pairs.of_project(request.store, request.project.id))


def progress(request: PageRequest) -> Response:
    """The parts of a project's page that are refreshed while people judge."""
    shown = overview.project_overview(request.store, request.person, request.project)
    return request.show("progress.html", overview=shown, ago=overview.ago)


def draft(request: PageRequest) -> Response:
    """Say what the batch would be that a form describes."""
    shown = overview.project_overview(request.store, request.person, request.project)
    proposal = _proposal(request, shown)
    return request.show("draft.html", overview=shown, proposal=proposal, asked=True)


def _proposal(request: PageRequest, shown: overview.ProjectOverview) -> overview.BatchProposal:
    """The batch that the query describes, or the one that the study needs next."""
    store, project = request.store, request.project
    drawn = [row.batch for row in shown.batches]
    needed = overview.propose(store, project, shown.people, drawn)
    try:
        plan = _plan(request, request.query) or needed
    except HTTPException as error:  # a field of the form that is no number
        return overview.BatchProposal(needed, "", error.detail)
    names = {row.person.id: row.person.name for row in shown.people}
    return overview.describe(store, project, plan, names)


def _plan(request: PageRequest, fields: Mapping[str, str]) -> batches.BatchPlan | None:
    """The batch that the fields of a query describe, None if they describe none."""
    kind = fields.get("kind", "")
    if kind not in _KINDS:
        return None
    chosen = [name.removeprefix("person-") for name in fields if re.match(r"person-[0-9]", name)]
    return batches.BatchPlan(cast("batches.BatchKind", kind), _numbers(chosen), *_sizes(request))


def _sizes(request: PageRequest) -> tuple[int, int, int]:
    """The overlap, the seed and the number of events of a batch."""
    return request.whole("overlap", 1), request.whole("seed", 0), request.whole("size", 0)


def _numbers(texts: Sequence[str]) -> tuple[int, ...]:
    return tuple(int(text[:15]) for text in texts if text.isascii() and text.isdecimal())


def change_project(request: PageRequest) -> Response:
    """Rename a project, or change what its pages show."""
    number, by = request.project.id, request.person.id
    show_score, show_votes = (request.text(one) == "yes" for one in ("show_score", "show_votes"))
    projects.change(request.store, by, number, request.text("name"), show_score, show_votes)
    return redirect(f"/projects/{number}")


def invite(request: PageRequest) -> Response:
    """Add evaluators, a name in each line, and show their links, this once.

    With any problem nobody is added. People who have a session, or in this project a link that
    they have not used yet, keep it.
    """
    store, by, number = request.store, request.person.id, request.project.id
    names = [" ".join(name.split()) for name in re.split(r"[\n,;]", request.text("name"))]
    names = list(filter(None, names))
    _check_invited(request, names)
    links, messages = {}, []
    with store.writing():
        before = {person.id for person in projects.members(store, number)}
        for name in names:
            person = projects.add_member(store, by, number, name)
            if person.role == "owner":
                messages.append("That is you: you belong to every project.")
            elif person.id in people.in_use(store):
                needs_none = "is logged in already, and needs no link to find this project."
                messages.append(f"{person.name} {needs_none}")
            elif person.id in before and people.has_open_link(store, person.id):
                waits = "has a link that was not used yet. New link makes another."
                messages.append(f"{person.name} {waits}")
            else:
                links[person.id] = _link(request, person)
    return project_page(request, links=links, messages=messages)


def _check_invited(request: PageRequest, names: Sequence[str]) -> None:
    """Raise all problems of names that are to be invited, each by its name."""
    problems = []
    if not names:
        problems.append("write at least one name")
    if len(names) > _MOST_INVITED:
        problems.append(f"{len(names)} names: invite at most {_MOST_INVITED} at once")
    for at, name in enumerate(names):
        try:
            people.check_name(name)
        except UsageError as error:
            problems.append(f"'{name[:100]}': {error}")
        if name in names[:at]:
            problems.append(f"'{name[:100]}' is there twice")
    models = {person.name for person in people.models(request.store)}
    problems += [f"{name} is a model: it can't be invited" for name in names if name in models]
    if problems:
        raise UsageError("\n".join(problems))


def _link(request: PageRequest, person: people.Person) -> tuple[str, str]:
    """A person's name and the address of a new link."""
    token = people.invite(request.store, person.id, request.person.id, request.project.id)
    return person.name, f"{request.workbench.address.url}/enter/{token}"


def _evaluator(request: PageRequest) -> people.Person:
    """The evaluator that the address names; else it is not found."""
    members = projects.members(request.store, request.project.id)
    evaluators = [one for one in members if one.kind == "person" and one.role != "owner"]
    return request.named_person(evaluators, "There is no such evaluator.")


def new_link(request: PageRequest) -> Response:
    """Create another link for an evaluator; it replaces older links and sessions."""
    person = _evaluator(request)
    return project_page(request, links={person.id: _link(request, person)})


def end_sessions(request: PageRequest) -> Response:
    """End all sessions of an evaluator, such as on a lost device."""
    person, store = _evaluator(request), request.store
    with store.writing():
        ended = people.end_sessions(store, person.id, "owner")
        by, project = request.person.id, request.project.id
        store.note(by, "sessions ended", project, person=person.id, ended=ended)
    ended_now = f"{person.name} is logged out everywhere, and needs a new link to come back."
    return project_page(request, messages=[ended_now])


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
    store, unit, lines = request.store, request.project.unit, []
    for batch in batches.visible(store, request.person, request.project.id):
        shares = batches.shares(store, batch.id)
        for share in shares:
            if share.person.id == person.id and not share.submitted:
                judged = pooled.answers_by_person(store, batch.id).get(person.id, 0)
                others = [one for one in shares if one is not share]
                words = share_in_words(share, judged, unit), others_in_words(others, "you")
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
        drawn = batches.visible(store, request.person, project.id)
        judging = [batch for batch in drawn if batch.stage == "judging"]
        done = sum(pooled.answer_counts(store, project.id).values())
        members = [one for one in projects.members(store, project.id) if one.role != "owner"]
        return request.show(
            "confirm.html",
            title=f"Archive {project.name}?",
            lines=[
                f"It has {plural(counts['events'], project.unit)}, {plural(len(drawn), 'batch')} "
                f"and {plural(done, 'answer')}. All of it is kept, and you can look at it and "
                "export it.",
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


def draw_batch(request: PageRequest) -> Response:
    """Draw a batch."""
    kind, number = request.text("kind"), request.project.id
    chosen = request.form.get("person", [])
    if kind not in _KINDS:
        raise HTTPException(400, "a batch is for calibration, main or a retest")
    plan = batches.BatchPlan(cast("batches.BatchKind", kind), _numbers(chosen), *_sizes(request))
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
    done = import_judgements(request.store, request.person, request.project, request.files)
    messages = [f"{done.judgements} judgements were imported."]
    if done.left_out:
        messages.append(
            f"{plural(done.left_out, 'verdict')} left out: about pairs that were not drawn here."
        )
    return project_page(request, messages=messages)


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
