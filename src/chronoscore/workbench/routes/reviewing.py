"""After all have submitted: what they differ on, and what is agreed on for good."""

import secrets

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from chronoscore.workbench import differing, marking
from chronoscore.workbench.doors import Ask, Door
from chronoscore.workbench.store import UnavailableError, agreed, batches, judgements, projects
from chronoscore.workbench.store.agreed import REASONS, UNANIMOUS, Agreed
from chronoscore.workbench.store.judgements import Said
from chronoscore.workbench.store.people import Person

_ROWS = 50
_LONGEST_NOTE = 4000


def _batch(ask: Ask) -> tuple[batches.Batch, projects.Project]:
    found = batches.one(ask.store, ask.person, ask.number("batch"))
    if found is None:
        raise HTTPException(404, "There is no such batch.")
    project = projects.one(ask.store, found.project)
    assert project is not None
    return found, project


def _queue(ask: Ask, batch: batches.Batch, project: projects.Project) -> list[differing.Waiting]:
    """What there is to settle: nothing, as long as someone still judges."""
    if batch.stage == "judging":
        return []
    return differing.queue(
        judgements.values_in(ask.store, ask.person, batch.id),
        agreed.in_batch(ask.store, ask.person, batch.id),
        project.codebook,
    )


def _said(ask: Ask, batch: batches.Batch, event: int) -> list[tuple[Person, Said]]:
    found = judgements.of_event(ask.store, ask.person, batch.id, event)
    return [(person, said) for person, said in found if said.complete]


def review(ask: Ask) -> Response:
    """Show who has submitted; when all have, the events by disagreement, with names."""
    batch, project = _batch(ask)
    waiting = _queue(ask, batch, project)
    page = max(1, ask.whole("page", 1))
    differ = [one for one in waiting if one.criteria]
    shown = differ[(page - 1) * _ROWS : page * _ROWS]
    known = {one.event: projects.event(ask.store, project.id, one.event) for one in shown}
    return ask.show(
        "review.html",
        batch=batch,
        project=project,
        shares=batches.shares(ask.store, batch.id),
        judged=len(waiting),
        differ=len(differ),
        left=sum(one.agreed is None for one in differ),
        shown=shown,
        known=known,
        said={one.event: _said(ask, batch, one.event) for one in shown},
        number=page,
        more=len(differ) > page * _ROWS,
        reasons=REASONS,
    )


def submit_for(ask: Ask) -> Response:
    """Take someone's part as submitted, who won't go on."""
    batch, _ = _batch(ask)
    person = ask.number("person")
    if person not in {share.person.id for share in batches.shares(ask.store, batch.id)}:
        raise HTTPException(404, "There is no such evaluator.")
    batches.hand_in(ask.store, ask.person, batch, person)
    return RedirectResponse(f"/batches/{batch.id}", 303)


def settle_page(ask: Ask) -> Response:
    """Show an event with all answers, to agree on one."""
    return _settling(ask)


def _settling(
    ask: Ask, status: int = 200, *, typed: Agreed | None = None, save: str = "", problem: str = ""
) -> Response:
    """The page of an event to settle, with what was agreed on, or typed and not saved."""
    batch, project = _batch(ask)
    number = ask.number("event")
    waiting = [one for one in _queue(ask, batch, project) if one.criteria or one.event == number]
    place = next((at for at, one in enumerate(waiting) if one.event == number), None)
    known = projects.event(ask.store, project.id, number)
    if place is None or known is None:
        raise HTTPException(404, "There is nothing to settle about this event.")
    article = projects.article(ask.store, project.id, known.event.article)
    return ask.show(
        "settle.html",
        status,
        batch=batch,
        project=project,
        book=project.codebook,
        one=waiting[place],
        chosen=typed or waiting[place].agreed,
        problem=problem,
        said=_said(ask, batch, number),
        place=place + 1,
        of=len(waiting),
        event=known.event,
        article=article,
        pieces=marking.pieces(article, known.event) if article else [],
        after=waiting[(place + 1) % len(waiting)].event,
        reasons=REASONS,
        save=save or secrets.token_urlsafe(12),
    )


def settle(ask: Ask) -> Response:
    """Keep what was agreed on for an event."""
    batch, project = _batch(ask)
    number = ask.number("event")
    waiting = {one.event: one for one in _queue(ask, batch, project)}
    if number not in waiting:
        raise HTTPException(404, "There is nothing to settle about this event.")
    if batch.stage == "adjudicated":
        raise HTTPException(423, "This batch is adjudicated: evaluators have seen the result.")
    values = []
    for criterion in project.codebook.criteria:
        known = {str(value): value for value in criterion.allowed}
        text = ask.text(f"value-{criterion.field}")
        if text not in known:
            raise HTTPException(400, f"choose a value for {criterion.title or criterion.name}")
        values.append(known[text])
    reasons = tuple(name for name in ask.form.get("reason", []) if name in REASONS)
    note, token = ask.text("note").strip(), ask.text("save")
    if len(note) > _LONGEST_NOTE or not 8 <= len(token) <= 64:
        raise HTTPException(400, "the note is too long, or the form is not ours")
    made = Agreed(ask.whole("version", 0), tuple(values), reasons, note, "")
    try:
        with ask.store.writing() as connection:
            agreed.save(connection, ask.person, batch, number, f"{ask.person.id}/{token}", made)
    except agreed.StaleError:
        raise HTTPException(409, "Another tab has settled this event: reload.") from None
    except UnavailableError as error:
        problem = f"{error} This is not saved yet: it is in the form below. Settle it again."
        return _settling(ask, 503, typed=made, save=token, problem=problem)
    left = [one.event for one in waiting.values() if one.criteria and one.agreed is None]
    left = [event for event in left if event != number]
    where = f"/batches/{batch.id}/events/{left[0]}" if left else f"/batches/{batch.id}"
    return RedirectResponse(where, 303)


def finish(ask: Ask) -> Response:
    """Close a batch: what all said alike is agreed on, and evaluators see how they compare."""
    batch, project = _batch(ask)
    if batch.stage != "review":
        raise HTTPException(409, "A batch is closed once, when all have submitted.")
    waiting = _queue(ask, batch, project)
    left = [one for one in waiting if one.criteria and one.agreed is None]
    if left and ask.text("anyway") != "yes":
        raise HTTPException(409, f"{len(left)} events are not settled yet.")
    with ask.store.writing() as connection:
        alike = [one for one in waiting if not one.criteria and one.agreed is None]
        for one in alike:
            values = tuple(value or 0 for value in one.values[0])
            made = Agreed(0, values, (UNANIMOUS,), "", "")
            token = f"{UNANIMOUS}/{batch.id}/{one.event}"
            agreed.save(connection, ask.person, batch, one.event, token, made)
        settled = sum(one.agreed is not None for one in waiting)
        counts = {"settled": settled, "alike": len(alike), "left": len(left)}
        batches.finish(connection, ask.person, batch, counts)
    return RedirectResponse(f"/batches/{batch.id}", 303)


DOORS = (
    Door("/batches/{batch}", review, "owner"),
    Door("/batches/{batch}/people/{person}/submit", submit_for, "owner", "POST"),
    Door("/batches/{batch}/finish", finish, "owner", "POST"),
    Door("/batches/{batch}/events/{event}", settle_page, "owner"),
    Door("/batches/{batch}/events/{event}", settle, "owner", "POST"),
)
