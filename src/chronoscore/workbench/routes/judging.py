"""Judging: the viewer's own events, one by one. Another's can't even be named here."""

import secrets
from datetime import date

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from chronoscore.elements.dates import parse_day
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.dates import resolve
from chronoscore.workbench import marking
from chronoscore.workbench.doors import Ask, Door
from chronoscore.workbench.keys import chip_keys
from chronoscore.workbench.store import UnavailableError, agreed, batches, judgements, projects
from chronoscore.workbench.store.judgements import Answer, ClosedError, ConflictError, Said

_LONGEST_COMMENT = 4000
_LONGEST_SAVE = 64


class Sent(msgspec.Struct, forbid_unknown_fields=True):
    """What a script sends to be saved."""

    save: str
    version: int
    values: dict[str, int | None]
    comment: str = ""
    flag: bool = False


def _batch(ask: Ask) -> batches.Batch:
    found = batches.one(ask.store, ask.person, ask.number("batch"))
    if found is None:
        raise HTTPException(404, "There is no such batch.")
    return found


def _project(ask: Ask, batch: batches.Batch) -> projects.Project:
    found = projects.one(ask.store, batch.project)
    assert found is not None
    return found


def resume(ask: Ask) -> Response:
    """Go to the first event that is not judged yet, else to the overview."""
    batch = _batch(ask)
    states = judgements.progress(ask.store, ask.person, batch.id)
    if not states:
        raise HTTPException(404, "You have no part in this batch.")
    for place, state in enumerate(states, 1):
        if state in ("open", "begun"):
            return RedirectResponse(f"/judge/{batch.id}/{place}", 303)
    return RedirectResponse(f"/judge/{batch.id}/all", 303)


def overview(ask: Ask) -> Response:
    """Show how far the viewer is, and let them hand in."""
    batch = _batch(ask)
    states = judgements.progress(ask.store, ask.person, batch.id)
    if not states:
        raise HTTPException(404, "You have no part in this batch.")
    return ask.show(
        "overview.html",
        batch=batch,
        project=_project(ask, batch),
        states=states,
        left=judgements.unfinished(ask.store, ask.person, batch.id),
        submitted=batches.submitted(ask.store, batch.id, ask.person.id),
    )


def judge_page(ask: Ask) -> Response:
    """Show an event beside its article, and what the viewer said of it."""
    return _shown(ask, _batch(ask))


def _shown(
    ask: Ask,
    batch: batches.Batch,
    status: int = 200,
    *,
    mine: Said | None = None,
    unsaved: Answer | None = None,
    problem: str = "",
) -> Response:
    project = _project(ask, batch)
    task = judgements.task(ask.store, ask.person, batch.id, ask.number("place"))
    if task is None:
        raise HTTPException(404, "There is no such event in your batch.")
    event = task.known.event
    article = projects.article(ask.store, project.id, event.article)
    cut = marking.pieces(article, event) if article else []
    published = marking.published_on(article)
    states = judgements.progress(ask.store, ask.person, batch.id)
    book = project.codebook
    said = task.said or judgements.nothing(len(book.criteria))
    if unsaved:
        said = _as_said(unsaved)
    asked = ask.query.get("said", "")[:100]
    complete = said.complete and project.show_score
    return ask.show(
        "judge.html",
        status,
        batch=batch,
        project=project,
        book=book,
        place=task.place,
        states=states,
        done=sum(state in ("done", "flagged") for state in states),
        event=event,
        article=article,
        pieces=cut,
        expressed=marking.expressed(cut),
        month=marking.month_of(published) if published else None,
        published=published.isoformat() if published else "",
        days=marking.days_of(event.date),
        said=said,
        mine=mine,
        history=judgements.history(ask.store, ask.person, batch.id, task.known.number),
        chips=chip_keys(book),
        save=unsaved.save if unsaved else secrets.token_urlsafe(12),
        unsaved=unsaved is not None,
        closed=batches.submitted(ask.store, batch.id, ask.person.id)
        or batch.stage == "adjudicated",
        asked=asked,
        means=resolve(asked, published) if asked and published else [],
        score=float(book.quality(tuple(v or 0 for v in said.values))) if complete else None,
        problem=problem,
    )


def save(ask: Ask) -> Response:
    """Save the viewer's answer, from a form or from a script."""
    batch = _batch(ask)
    book = _project(ask, batch).codebook
    by_script = ask.json is not None
    answer = _sent(ask, book) if by_script else _filled_in(ask, book)
    try:
        saved = judgements.save(ask.store, ask.person, batch, ask.number("place"), answer)
    except ConflictError as error:
        if by_script:
            return JSONResponse(_for_script(error.current, book), 409)
        return _shown(ask, batch, 409, mine=_as_said(answer))
    except ClosedError:
        raise HTTPException(423, "This batch was handed in: nothing more can be saved.") from None
    except UnavailableError as error:
        if by_script:
            raise
        problem = f"{error} Your answer is not saved yet: it is in the form below. Save it again."
        return _shown(ask, batch, 503, unsaved=answer, problem=problem)
    if saved is None:
        raise HTTPException(404, "There is no such event in your batch.")
    if by_script:
        return JSONResponse(_for_script(saved, book))
    return RedirectResponse(_next(ask, batch), 303)


def _as_said(answer: Answer) -> Said:
    return Said(answer.version, answer.values, answer.comment, answer.flag, "")


def _next(ask: Ask, batch: batches.Batch) -> str:
    place = ask.number("place")
    if ask.text("then") == "stay":
        return f"/judge/{batch.id}/{place}"
    last = len(judgements.progress(ask.store, ask.person, batch.id))
    return f"/judge/{batch.id}/{place + 1}" if place < last else f"/judge/{batch.id}/all"


def _for_script(said: Said, book: Codebook) -> dict[str, object]:
    fields = [criterion.field for criterion in book.criteria]
    return {
        "version": said.version,
        "values": dict(zip(fields, said.values, strict=True)),
        "comment": said.comment,
        "flag": said.flag,
        "complete": said.complete,
        "at": said.at,
    }


def _sent(ask: Ask, book: Codebook) -> Answer:
    try:
        sent = msgspec.convert(ask.json, Sent)
    except msgspec.ValidationError as error:
        raise HTTPException(400, str(error)) from None
    fields = {criterion.field for criterion in book.criteria}
    if not sent.values.keys() <= fields:
        raise HTTPException(400, "there are values for what is not asked")
    return _checked(
        book,
        Answer(
            sent.save,
            sent.version,
            tuple(sent.values.get(criterion.field) for criterion in book.criteria),
            sent.comment.strip(),
            sent.flag,
        ),
    )


def _filled_in(ask: Ask, book: Codebook) -> Answer:
    values: list[int | None] = []
    for criterion in book.criteria:
        text = ask.text(f"value-{criterion.field}")
        known = {str(value): value for value in criterion.allowed}
        if text and text not in known:
            raise HTTPException(400, f"{criterion.field} is not one of {', '.join(known)}")
        values.append(known.get(text))
    chips = [text for text in ask.form.get("chip", []) if text in {c.text for c in book.chips}]
    comment = ask.text("comment").strip()
    comment = "; ".join(
        [c for c in chips if c.casefold() not in comment.casefold()] + [comment] * bool(comment)
    )
    flag = ask.text("flag") == "yes"
    return _checked(
        book, Answer(ask.text("save"), ask.whole("version", 0), tuple(values), comment, flag)
    )


def _checked(book: Codebook, answer: Answer) -> Answer:
    for criterion, value in zip(book.criteria, answer.values, strict=True):
        if value is not None and value not in criterion.allowed:
            raise HTTPException(400, f"{criterion.field} can't be that")
    if not 8 <= len(answer.save) <= _LONGEST_SAVE:
        raise HTTPException(400, "the name of the save is too short or too long")
    if not 0 <= answer.version < 1_000_000:
        raise HTTPException(400, "there is no such version")
    if len(answer.comment) > _LONGEST_COMMENT:
        raise HTTPException(400, f"the comment is longer than {_LONGEST_COMMENT} characters")
    return answer


def undo(ask: Ask) -> Response:
    """Bring back what the viewer had said before the last save, as a new save."""
    batch, place = _batch(ask), ask.number("place")
    book = _project(ask, batch).codebook
    task = judgements.task(ask.store, ask.person, batch.id, place)
    if task is None:
        raise HTTPException(404, "There is no such event in your batch.")
    own = judgements.history(ask.store, ask.person, batch.id, task.known.number)
    if own:
        before = own[-2] if len(own) > 1 else judgements.nothing(len(book.criteria))
        again = Answer(
            secrets.token_urlsafe(12), own[-1].version, before.values, before.comment, before.flag
        )
        try:
            judgements.save(ask.store, ask.person, batch, place, again)
        except ConflictError:
            raise HTTPException(409, "This was saved elsewhere meanwhile: reload.") from None
        except ClosedError:
            raise HTTPException(423, "This batch was handed in.") from None
    return RedirectResponse(f"/judge/{batch.id}/{place}", 303)


def hand_in(ask: Ask) -> Response:
    """Hand in the viewer's part; what is not judged in full keeps it open."""
    batch = _batch(ask)
    if judgements.unfinished(ask.store, ask.person, batch.id):
        raise HTTPException(409, "Some events are not judged in full yet.")
    batches.hand_in(ask.store, ask.person, batch, ask.person.id)
    return RedirectResponse(f"/judge/{batch.id}/all", 303)


def take_back(ask: Ask) -> Response:
    """Go on judging, while nobody has seen anything."""
    batch = _batch(ask)
    if not batches.take_back(ask.store, ask.person, batch):
        raise HTTPException(409, "All have handed in: the answers may have been seen.")
    return RedirectResponse(f"/judge/{batch.id}/all", 303)


def compare(ask: Ask) -> Response:
    """Show the viewer's answers beside those that were agreed on, once the batch is closed."""
    batch = _batch(ask)
    if batch.stage != "adjudicated":
        raise HTTPException(409, "This is shown when the batch is adjudicated.")
    project = _project(ask, batch)
    settled = agreed.in_batch(ask.store, ask.person, batch.id)
    own = judgements.answered(ask.store, ask.person, batch.id)
    rows = [(task, settled[task.known.number]) for task in own if task.known.number in settled]
    same = [
        sum(t.said is not None and t.said.values[at] == a.values[at] for t, a in rows)
        for at in range(len(project.codebook.criteria))
    ]
    return ask.show(
        "compare.html", batch=batch, project=project, rows=rows, same=same, reasons=agreed.REASONS
    )


def dates(ask: Ask) -> Response:
    """Resolve an expression of time from a day, for the calendar."""
    try:
        published: date = parse_day(ask.query.get("published", "")[:20])
    except ValueError:
        raise HTTPException(400, "published is not a day") from None
    found = resolve(ask.query.get("said", "")[:100], published)
    days = [{"first": f"{c.first}", "last": f"{c.last}", "reading": c.reading} for c in found]
    return JSONResponse({"means": days})


DOORS = (
    Door("/judge/{batch}", resume, "member"),
    Door("/judge/{batch}/all", overview, "member"),
    Door("/judge/{batch}/compare", compare, "member"),
    Door("/judge/{batch}/submit", hand_in, "member", "POST"),
    Door("/judge/{batch}/reopen", take_back, "member", "POST"),
    Door("/judge/{batch}/{place}", judge_page, "member"),
    Door("/judge/{batch}/{place}", save, "member", "POST"),
    Door("/judge/{batch}/{place}/undo", undo, "member", "POST"),
    Door("/dates", dates, "member"),
)
