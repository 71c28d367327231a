"""After all have submitted: what the answers differ on, and agreeing on the final values."""

import secrets
from collections.abc import Sequence
from dataclasses import replace

from starlette.exceptions import HTTPException
from starlette.responses import Response

from chronoscore.workbench.pages import plural
from chronoscore.workbench.routes.judging import ArticleView, form_values, pair_sides
from chronoscore.workbench.routes.notices import done_notice
from chronoscore.workbench.routing import PageRequest, found, redirect
from chronoscore.workbench.store import adjudication, batches, judgements, pooled, projects
from chronoscore.workbench.store.adjudication import (
    REASONS,
    AgreedValues,
    ReviewItem,
    StaleError,
    reasons_for,
)
from chronoscore.workbench.store.batches import Share
from chronoscore.workbench.store.database import UnavailableError
from chronoscore.workbench.store.judgements import EventAnswer
from chronoscore.workbench.store.people import Person

_ROWS = 50
_LONGEST_NOTE = 4000
_NOTHING = "There is nothing to settle here."


def _queue(request: PageRequest) -> list[ReviewItem]:
    viewer, codebook = request.person, request.project.codebook
    return adjudication.review_queue(request.store, viewer, request.batch, codebook)


def _left(queue: list[ReviewItem]) -> list[ReviewItem]:
    """The events that are judged differently and not settled yet."""
    return [one for one in queue if one.criteria and one.agreed is None]


def review(request: PageRequest) -> Response:
    """Show who has submitted; when all have, the events by disagreement, with names."""
    store, batch = request.store, request.batch
    queue = _queue(request)
    page = max(1, request.whole("page", 1))
    differ = [one for one in queue if one.criteria]
    shown = differ[(page - 1) * _ROWS : page * _ROWS]
    return request.show(
        "review.html",
        shares=batches.shares(store, batch.id),
        judged=len(queue),
        differ=len(differ),
        left=len(_left(queue)),
        shown=shown,
        known={one.event: projects.event(store, batch.project, one.event) for one in shown},
        answers={one.event: _answers(request, one.event) for one in shown},
        number=page,
        more=len(differ) > page * _ROWS,
        notice=done_notice(request),
    )


def _answers(request: PageRequest, event: int) -> list[tuple[Person, EventAnswer]]:
    return judgements.of_event(request.store, request.person, request.batch.id, event)


def _shares(request: PageRequest) -> tuple[Share, list[Share]]:
    """The share of the evaluator whom the address names, and the others of the batch."""
    shares = batches.shares(request.store, request.batch.id)
    people = [share.person for share in shares]
    person = request.named_person(people, "There is no such evaluator.")
    (share,) = (one for one in shares if one.person.id == person.id)
    return share, [one for one in shares if one is not share]


def submit_for(request: PageRequest) -> Response:
    """Submit the share of someone who does not continue, once the owner has confirmed it."""
    batch, (share, others) = request.batch, _shares(request)
    if not request.sure and not share.submitted:
        name, here = share.person.name, f"/batches/{batch.id}"
        return request.show(
            "confirm.html",
            title=f"Take {name}'s share as submitted?",
            lines=[
                share_in_words(share, _judged(request, share), request.project.unit),
                others_in_words(others, "you"),
                f"You can give the share back to {name} afterwards.",
            ],
            action=f"{here}/people/{share.person.id}/submit",
            button="Take as submitted",
            back=here,
        )
    done = batches.submit(request.store, request.person, batch, share.person)
    return redirect(f"/batches/{batch.id}?done={done}")


def _judged(request: PageRequest, share: Share) -> int:
    judged = pooled.answers_by_person(request.store, request.batch.id)
    return judged.get(share.person.id, 0)


def share_in_words(share: Share, judged: int, unit: str) -> str:
    """How far a share is, and what is missing if it is submitted as it is."""
    name, left = share.person.name, share.events - judged
    if not left:
        return f"{name} has judged all {plural(share.events, unit)}, and not submitted them."
    missing = f"{left:,} will have no answer by {name}"
    return f"{name} has judged {judged:,} of {plural(share.events, unit)}; {missing}."


def others_in_words(others: Sequence[Share], reader: str) -> str:
    """Who else has submitted, and so what is seen once one more share is."""
    waiting = [one.person.name for one in others if not one.submitted]
    if waiting:
        still = f"Still judging besides: {', '.join(waiting)}."
        return f"{still} The answers stay hidden until they have submitted too."
    if not others:
        return f"Nobody else judges this batch: {reader} will see the answers."
    names = ", ".join(one.person.name for one in others)
    return f"All others have submitted ({names}): {reader} will see everyone's answers."


def give_back(request: PageRequest) -> Response:
    """Give a submitted share back; asks first if its answers may have been seen."""
    batch, (share, _) = request.batch, _shares(request)
    name, here, unit = share.person.name, f"/batches/{batch.id}", request.project.unit
    if batch.stage != "judging" and share.can_give_back and not request.sure:
        settled = len(adjudication.agreed_in(request.store, request.person, batch.id))
        return request.show(
            "confirm.html",
            title=f"Give the share back to {name}?",
            lines=[
                f"{name} can then change their answers to {plural(share.events, unit)}, and "
                "submits again.",
                "All have submitted, so answers may have been seen: the audit will say so. All "
                "answers and differences are hidden until all have submitted again.",
                f"{plural(settled, f'settled {unit}')} keep their values." if settled else "",
            ],
            action=f"{here}/people/{share.person.id}/give-back",
            button="Give back",
            back=here,
        )
    done = batches.give_back(request.store, request.person, batch, share.person)
    return redirect(f"{here}?done={done}")


def settle_page(
    request: PageRequest,
    status: int = 200,
    *,
    typed: AgreedValues | None = None,
    token: str = "",
    problem: str = "",
) -> Response:
    """Show an event with all answers, and the agreed values or those that are not saved yet.

    Before anything is agreed on, the values that most gave are offered.
    """
    store, batch, number = request.store, request.batch, request.number("event")
    queue = [one for one in _queue(request) if one.criteria or one.event == number]
    place = found(next((at for at, one in enumerate(queue) if one.event == number), None), _NOTHING)
    event = found(projects.event(store, batch.project, number), _NOTHING).event
    one = queue[place]
    chosen = typed or one.agreed or AgreedValues(0, one.offered, ())
    places = [*enumerate(request.project.codebook.criteria)]
    return request.show(
        "settle.html",
        status,
        one=one,
        chosen=chosen,
        differing=[(at, criterion) for at, criterion in places if at in one.criteria],
        alike=[(at, criterion) for at, criterion in places if at not in one.criteria],
        problem=problem,
        answers=_answers(request, number),
        named=_named(request),
        place=place + 1,
        of=len(queue),
        settled=len(queue) - len(_left(queue)),
        view=ArticleView(event, projects.article(store, batch.project, event.article)),
        before=queue[place - 1].event,
        pair=pair_sides(request, number),
        after=queue[(place + 1) % len(queue)].event,
        reasons=reasons_for(request.project.task),
        save=token or secrets.token_urlsafe(12),
    )


def _named(request: PageRequest) -> bool:
    """Whether the page names who gave which answer: as asked for, else as the project has it."""
    choice = request.text("names") or request.query.get("names", "")
    return request.project.show_votes if choice not in ("yes", "no") else choice == "yes"


def _settle_address(request: PageRequest, event: int) -> str:
    """The page that settles an event, which names people or not as this one does."""
    named = _named(request)
    names = "" if named == request.project.show_votes else f"?names={'yes' if named else 'no'}"
    return f"/batches/{request.batch.id}/events/{event}{names}"


def show_votes(request: PageRequest) -> Response:
    """Make what the page shows of names the default of the project."""
    number, show = request.number("event"), request.text("names") == "yes"
    projects.show_votes(request.store, request.person, request.project.id, show)
    return redirect(f"/batches/{request.batch.id}/events/{number}")


def settle(request: PageRequest) -> Response:
    """Save the agreed values of an event."""
    batch, number = request.batch, request.number("event")
    queue = _queue(request)
    if number not in {one.event for one in queue}:
        raise HTTPException(404, _NOTHING)
    if batch.stage == "adjudicated":
        raise HTTPException(
            423, "This batch is closed: evaluators have seen the result. Reopen it first."
        )
    values = form_values(request)
    for criterion, value in zip(request.project.codebook.criteria, values, strict=True):
        if value is None:
            raise HTTPException(400, f"choose a value for {criterion.title or criterion.name}")
    reasons = tuple(name for name in request.form.get("reason", []) if name in REASONS)
    note, token = request.text("note").strip(), request.text("save")
    if len(note) > _LONGEST_NOTE or not 8 <= len(token) <= 64:
        raise HTTPException(400, "the note is too long, or the form is not ours")
    agreed = AgreedValues(request.whole("version", 0), values, reasons, note)
    by = request.person
    try:
        adjudication.agree(request.store, by, batch, number, f"{by.id}/{token}", agreed)
    except UnavailableError as error:
        problem = f"{error} This is not saved yet: it is in the form below. Settle it again."
        return settle_page(request, 503, typed=agreed, token=token, problem=problem)
    except StaleError:
        return _stale(request, agreed)
    left = [one.event for one in _left(queue) if one.event != number]
    return redirect(_settle_address(request, left[0]) if left else f"/batches/{batch.id}")


def _stale(request: PageRequest, mine: AgreedValues) -> Response:
    """Show what another tab agreed on, and what was sent here, ready to replace it."""
    number = request.number("event")
    agreed = adjudication.agreed_in(request.store, request.person, request.batch.id)
    other = agreed.get(number) or AgreedValues(0, (), ())
    criteria = request.project.codebook.criteria
    values = ", ".join(
        f"{criterion.title or criterion.name} {criterion.shown(value)}"
        for criterion, value in zip(criteria, other.values, strict=False)
    )
    problem = (
        f"Another tab has settled this {request.project.unit} meanwhile: "
        f"{values or 'nothing is agreed on'}. Yours is not saved, it is in the form below. Settle "
        "it again to replace the other."
    )
    return settle_page(request, 409, typed=replace(mine, version=other.version), problem=problem)


def finish(request: PageRequest) -> Response:
    """Close a batch: unanimous values are agreed on, and evaluators see how they compare."""
    batch, here = request.batch, f"/batches/{request.batch.id}"
    if batch.stage != "review":
        raise HTTPException(409, "A batch can be closed when all have submitted, and once.")
    if not request.sure:
        return request.show(
            "confirm.html",
            title=f"Close {batch.name}?",
            lines=_closing_in_words(request),
            action=f"{here}/finish",
            button="Close the batch",
            back=here,
        )
    with request.store.writing():  # so that the queue is that of the batch as it is closed
        done = adjudication.finish(request.store, request.person, batch, _queue(request))
    return redirect(f"{here}?done={done}")


def _closing_in_words(request: PageRequest) -> list[str]:
    queue, shares = _queue(request), batches.shares(request.store, request.batch.id)
    unit = request.project.unit
    counts = adjudication.closing_counts(queue)
    outdated = [
        one
        for one in queue
        if one.agreed and not one.criteria and one.agreed.values != one.values[0]
    ]
    several = plural(len(queue), unit)
    lines = [
        f"Several evaluators judged {several}: {counts.settled:,} you settled, {counts.alike:,} "
        f"all judged alike, {counts.left:,} are not settled.",
        f"The values of the {counts.alike:,} become the agreed ones." if counts.alike else "",
        f"The {counts.left:,} stay without agreed values." if counts.left else "",
    ]
    if outdated:
        lines.append(
            f"{plural(len(outdated), f'settled {unit}')} all judge alike by now, with other values "
            "than the settled ones: the settled ones stay."
        )
    lines.append(
        f"{plural(len(shares), 'evaluator')} will see their answers next to the agreed values."
    )
    return [*lines, "You can reopen the batch afterwards."]


def reopen(request: PageRequest) -> Response:
    """Put a closed batch back into review, once the owner has confirmed it."""
    store, batch, here = request.store, request.batch, f"/batches/{request.batch.id}"
    if batch.stage == "adjudicated" and not request.sure:
        agreed = adjudication.agreed_in(store, request.person, batch.id).values()
        withdrawn = sum(one.by_closing for one in agreed)
        shares = batches.shares(store, batch.id)
        return request.show(
            "confirm.html",
            title=f"Reopen {batch.name}?",
            lines=[
                f"It goes back to review: you can settle {request.project.unit}s, and give shares "
                "back.",
                f"Agreed values that are withdrawn, since closing set them: {withdrawn:,}. Values "
                f"that you settled and that stay: {len(agreed) - withdrawn:,}.",
                f"{plural(len(shares), 'evaluator')} will no longer see how their answers "
                "compare. They may have seen it already.",
                "You can close the batch again afterwards.",
            ],
            action=f"{here}/reopen",
            button="Reopen the batch",
            back=here,
        )
    done = adjudication.reopen(store, request.person, batch)
    return redirect(f"{here}?done={done}")
