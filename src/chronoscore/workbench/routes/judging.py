"""Judging: the viewer's own events, one by one. Nobody else's can even be addressed here.

The page shows an event beside its article: evidence and times marked, a calendar, keys of chips.
"""

import secrets
from calendar import Calendar
from dataclasses import asdict, dataclass
from datetime import date
from functools import cached_property
from itertools import pairwise

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from chronoscore.core.event import Event
from chronoscore.elements.time import Time, TimeError
from chronoscore.elements.time.calendar import MONTH_NAMES
from chronoscore.elements.time.expressions.finding import find, resolve
from chronoscore.elements.time.expressions.lexicon import Lexicon, known_names, lexicon_for
from chronoscore.elements.time.expressions.meanings import Candidate
from chronoscore.elements.time.reading import read_day
from chronoscore.rubric.codebook import Chip, Codebook
from chronoscore.rubric.formats import Article
from chronoscore.workbench.pages import plural
from chronoscore.workbench.routing import PageRequest, found, redirect
from chronoscore.workbench.store import adjudication, batches, judgements, pairs, projects
from chronoscore.workbench.store.database import UnavailableError
from chronoscore.workbench.store.judgements import ConflictError, EventAnswer

_LONGEST_COMMENT = 4000
_LONGEST_TOKEN = 64
_NO_EVENT = "Your batch has no such number."
PAGE_KEYS = frozenset("cfsnpug?0123456789")
"""Comment, flag, save, next, previous, undo, guidance, help, and the answers."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of text with the same marks; a time carries its possible meanings."""

    text: str
    evidence: bool = False
    means: tuple[Candidate, ...] = ()

    @property
    def days(self) -> str:
        """The possible meanings for the calendar: periods as FIRST..LAST."""
        return " ".join(f"{one.first}..{one.last}" for one in self.means)

    @property
    def meanings(self) -> str:
        """The possible meanings in words."""
        return "; ".join(f"{one}: {one.reading}" for one in self.means)


@dataclass(frozen=True)
class ArticleView:
    """An event beside its article, which may be missing."""

    event: Event
    article: Article | None

    @cached_property
    def published(self) -> date | None:
        """The day of publication, if it is known."""
        try:
            return read_day(self.article.published) if self.article else None
        except TimeError:
            return None

    @cached_property
    def lexicon(self) -> Lexicon | None:
        """The words of time of the article's language, if they are known."""
        article = self.article
        return lexicon_for(article.text, article.language) if article else None

    def resolve(self, expression: str) -> list[Candidate]:
        """What an expression of time can mean in the article; nothing if that is not known."""
        if not self.published or not self.lexicon:
            return []
        return resolve(expression, self.published, self.lexicon)

    @cached_property
    def pieces(self) -> list[TextPiece]:
        """The article, cut where marks begin and end."""
        if self.article is None:
            return []
        text, published, lexicon = self.article.text, self.published, self.lexicon
        times = [
            (one.start, one.end, one.candidates)
            for one in (find(text, published, lexicon) if published and lexicon else ())
            if one.is_dated
        ]
        start, end = (min(edge, len(text)) for edge in self.event.span or (0, 0))
        edges = {0, len(text), start, end}
        edges.update(edge for first, last, _ in times for edge in (first, last))
        pieces = []
        for first, last in pairwise(sorted(edges)):
            means = next((m for a, b, m in times if a <= first and last <= b), ())
            pieces.append(TextPiece(text[first:last], start <= first and last <= end, means))
        return pieces

    @property
    def times(self) -> list[TextPiece]:
        """The expressions of time, each once."""
        seen: dict[str, TextPiece] = {}
        for piece in self.pieces:
            if piece.means:
                seen.setdefault(piece.text.casefold(), piece)
        return list(seen.values())

    @property
    def days(self) -> tuple[str, str] | None:
        """The first and last day of the event's date, which may be any time."""
        try:
            time = Time.parse(self.event.date or "")
        except TimeError:
            return None
        return str(time.first), str(time.last)

    @property
    def month(self) -> str:
        """The month of publication, empty if it is not known."""
        day = self.published
        return f"{MONTH_NAMES[day.month - 1]} {day.year}" if day else ""

    @property
    def weeks(self) -> list[list[date | None]]:
        """The month of publication: weeks from Monday, None outside the month."""
        day = self.published
        if day is None:
            return []
        weeks = Calendar().monthdayscalendar(day.year, day.month)  # the other one fails in 9999
        return [[day.replace(day=d) if d else None for d in week] for week in weeks]


def chip_keys(codebook: Codebook) -> list[tuple[Chip, str]]:
    """Each chip with its key, or a free letter of its text where the page uses that key, or none.

    >>> from chronoscore.rubric.codebook import event_quality
    >>> [key for _, key in chip_keys(event_quality())]
    ['d', 'a', 'r', 't']
    """
    wanted = [chip.key.lower() for chip in codebook.chips]
    taken = {*PAGE_KEYS, *wanted}
    pairs = []
    for chip, key in zip(codebook.chips, wanted, strict=True):
        free = key
        if key in PAGE_KEYS:
            letters = (c for c in chip.text.lower() if c.isascii() and c.isalpha())
            free = next((c for c in letters if c not in taken), "")
            taken.add(free)
        pairs.append((chip, free))
    return pairs


class SentAnswer(msgspec.Struct, forbid_unknown_fields=True):
    """An answer as our scripts send it."""

    save: str
    version: int
    values: dict[str, int | None]
    comment: str = ""
    flag: bool = False
    after: str = ""
    """The save that it replaces, if the script doesn't know yet which version that became."""


def _progress(request: PageRequest) -> judgements.JudgingProgress:
    progress = judgements.progress(request.store, request.person, request.batch.id)
    if not progress.states:
        raise HTTPException(404, "You have no share of this batch.")
    return progress


def _task(request: PageRequest) -> judgements.JudgingTask:
    place = request.number("place")
    task = judgements.task(request.store, request.person, request.batch.id, place)
    return found(task, _NO_EVENT)


def resume(request: PageRequest) -> Response:
    """Go to the first event that is not judged yet, else to the overview."""
    for place, state in enumerate(_progress(request).states, 1):
        if state in ("open", "begun"):
            return redirect(f"/judge/{request.batch.id}/{place}")
    return redirect(f"/judge/{request.batch.id}/all")


def overview(request: PageRequest) -> Response:
    """Show how far the viewer is, and let them submit."""
    return request.show("overview.html", progress=_progress(request))


def judge_page(
    request: PageRequest,
    status: int = 200,
    *,
    mine: EventAnswer | None = None,
    unsaved: EventAnswer | None = None,
    token: str = "",
    problem: str = "",
) -> Response:
    """Show an event beside its article, and the viewer's answer.

    `mine` is an answer that conflicts with the saved one, `unsaved` one that could not be saved.
    """
    batch, book, task = request.batch, request.project.codebook, _task(request)
    event = task.stored.event
    view = ArticleView(event, projects.article(request.store, batch.project, event.article))
    answer = unsaved or [judgements.no_answer(len(book.criteria)), *task.history][-1]
    asked = request.query.get("said", "")[:100]
    score = None
    if answer.complete and request.project.show_score and book.has_score:
        score = float(book.quality(tuple(value or 0 for value in answer.values)))
    progress = _progress(request)
    return request.show(
        "judge.html",
        status,
        view=view,
        pair=pair_sides(request, task.stored.number),
        place=task.place,
        states=progress.states,
        answer=answer,
        mine=mine,
        history=task.history,
        chips=chip_keys(book),
        save=token or secrets.token_urlsafe(12),
        unsaved=unsaved is not None,
        closed=bool(progress.submitted or batch.stage == "adjudicated" or request.project.archived),
        asked=asked,
        languages=known_names(),
        means=view.resolve(asked),
        score=score,
        problem=problem,
    )


def pair_sides(request: PageRequest, event: int) -> tuple[Event, Event] | None:
    """Both events of a pair in the order in which everyone sees them; None for an event."""
    if request.project.task != "pairs":
        return None
    pair = pairs.of_event(request.store, event)
    return pair.sides if pair else None


def save(request: PageRequest) -> Response:
    """Save the viewer's answer, from a form or from a script."""
    batch, book, place = request.batch, request.project.codebook, request.number("place")
    by_script = request.json is not None
    token, answer, after = _sent(request, book) if by_script else _filled_in(request, book)
    _check(book, token, answer)
    try:
        saved = judgements.save(request.store, request.person, batch, place, token, answer, after)
    except ConflictError as error:
        if by_script:
            return JSONResponse(_for_script(error.current, book), 409)
        return judge_page(request, 409, mine=answer)
    except UnavailableError as error:
        if by_script:
            raise
        problem = f"{error} Your answer is not saved yet: it is in the form below. Save it again."
        return judge_page(request, 503, unsaved=answer, token=token, problem=problem)
    saved = found(saved, _NO_EVENT)
    if by_script:
        return JSONResponse(_for_script(saved, book))
    if request.text("then") == "stay":
        return redirect(f"/judge/{batch.id}/{place}")
    following = place + 1 if place < len(_progress(request).states) else "all"
    return redirect(f"/judge/{batch.id}/{following}")


def _for_script(answer: EventAnswer, book: Codebook) -> dict[str, object]:
    values = zip([criterion.field for criterion in book.criteria], answer.values, strict=True)
    return {**asdict(answer), "values": dict(values), "complete": answer.complete}


def _sent(request: PageRequest, book: Codebook) -> tuple[str, EventAnswer, str]:
    """The token and the answer that a script sends, and the token of the save that it replaces."""
    try:
        sent = msgspec.convert(request.json, SentAnswer)
    except msgspec.ValidationError as error:
        raise HTTPException(400, str(error)) from None
    fields = [criterion.field for criterion in book.criteria]
    if not sent.values.keys() <= {*fields}:
        raise HTTPException(400, "there are values for what is not asked")
    values = tuple(sent.values.get(name) for name in fields)
    answer = EventAnswer(sent.version, values, sent.comment.strip(), sent.flag)
    return sent.save, answer, sent.after


def _filled_in(request: PageRequest, book: Codebook) -> tuple[str, EventAnswer, str]:
    """The token and the answer of a form, which always knows the version that it replaces."""
    known_chips = {chip.text for chip in book.chips}
    comment = request.text("comment").strip()
    chips = [text for text in request.form.get("chip", []) if text in known_chips]
    new_chips = [text for text in chips if text.casefold() not in comment.casefold()]
    comment = "; ".join(filter(None, [*new_chips, comment]))
    version, flag = request.whole("version", 0), request.text("flag") == "yes"
    return request.text("save"), EventAnswer(version, form_values(request), comment, flag), ""


def form_values(request: PageRequest) -> judgements.Values:
    """The values of a form by criterion, None where there is none."""
    values: list[int | None] = []
    for criterion in request.project.codebook.criteria:
        text = request.text(f"value-{criterion.field}")
        known = {str(value): value for value in criterion.allowed}
        if text and text not in known:
            raise HTTPException(400, f"{criterion.field} is not one of {', '.join(known)}")
        values.append(known.get(text))
    return tuple(values)


def _check(book: Codebook, token: str, answer: EventAnswer) -> None:
    for criterion, value in zip(book.criteria, answer.values, strict=True):
        if value is not None and value not in criterion.allowed:
            raise HTTPException(400, f"{criterion.field} can't be that")
    if not 8 <= len(token) <= _LONGEST_TOKEN:
        raise HTTPException(400, "the name of the save is too short or too long")
    if not 0 <= answer.version < 1_000_000:
        raise HTTPException(400, "there is no such version")
    if len(answer.comment) > _LONGEST_COMMENT:
        raise HTTPException(400, f"the comment is longer than {_LONGEST_COMMENT} characters")


def undo(request: PageRequest) -> Response:
    """Restore the viewer's answer from before the last save, as a new save."""
    task, batch = _task(request), request.batch
    if task.history:
        nothing = judgements.no_answer(len(request.project.codebook.criteria))
        before = [nothing, *task.history][-2]
        answer = EventAnswer(task.history[-1].version, *before.content)
        token = secrets.token_urlsafe(12)
        judgements.save(request.store, request.person, batch, task.place, token, answer)
    return redirect(f"/judge/{batch.id}/{task.place}")


def submit(request: PageRequest) -> Response:
    """Submit the viewer's share, once they have confirmed it; every event needs an answer."""
    store, person, here = request.store, request.person, f"/judge/{request.batch.id}"
    progress, unit = _progress(request), request.project.unit
    if progress.unfinished:
        raise HTTPException(409, f"Some {unit}s are not judged in full yet.")
    if not request.sure and not progress.submitted:
        flagged = progress.states.count("flagged")
        waiting = sum(
            not one.submitted and one.person.id != person.id
            for one in batches.shares(store, request.batch.id)
        )
        return request.show(
            "confirm.html",
            title="Submit?",
            lines=[
                f"You have judged all {plural(progress.done, unit)}.",
                f"{plural(flagged, unit)} you flagged, to come back to." if flagged else "",
                f"You can take it back until all others have submitted. Still judging: {waiting:,}."
                if waiting
                else "With yours all answers are in: the owner will see them, and from then on "
                "only the owner can give your share back to you.",
            ],
            action=f"{here}/submit",
            button="Submit",
            back=f"{here}/all",
        )
    batches.submit(store, person, request.batch, person)
    return redirect(f"{here}/all")


def reopen(request: PageRequest) -> Response:
    """Continue judging, while others still judge."""
    batches.take_back(request.store, request.person, request.batch)
    return redirect(f"/judge/{request.batch.id}/all")


def compare(request: PageRequest) -> Response:
    """Show the viewer's answers beside the agreed values, once the batch is closed."""
    batch = request.batch
    if batch.stage != "adjudicated":
        raise HTTPException(409, "This is shown when the batch is closed.")
    agreed = adjudication.agreed_in(request.store, request.person, batch.id)
    rows = [
        (task, task.history[-1], agreed[task.stored.number])
        for task in judgements.answered(request.store, request.person, batch.id)
        if task.stored.number in agreed
    ]
    same = [
        sum(answer.values[at] == settled.values[at] for _, answer, settled in rows)
        for at in range(len(request.project.codebook.criteria))
    ]
    reasons = adjudication.reasons_for(request.project.task)
    return request.show("compare.html", rows=rows, same=same, reasons=reasons)


def dates(request: PageRequest) -> Response:
    """Resolve an expression of time from a day, for the calendar."""
    try:
        published = read_day(request.query.get("published", "")[:20])
    except TimeError:
        raise HTTPException(400, "published is not a day") from None
    words = request.query.get("said", "")[:100]
    lexicon = lexicon_for(words, request.query.get("language", "")[:20])
    candidates = resolve(words, published, lexicon) if lexicon else []
    days = [{"first": f"{c.first}", "last": f"{c.last}", "reading": c.reading} for c in candidates]
    return JSONResponse({"means": days})
