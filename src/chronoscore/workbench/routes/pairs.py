"""A project of pairs: how they are drawn, how sure its shares will be, and what people say."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from starlette.exceptions import HTTPException
from starlette.responses import Response

from chronoscore.workbench import pair_verdicts
from chronoscore.workbench.pair_files import read_candidates
from chronoscore.workbench.routing import PageRequest, redirect
from chronoscore.workbench.store import adjudication, batches, judgements, pairs, projects

if TYPE_CHECKING:
    from chronoscore.events.pair_sample import CandidateStratum, PlannedWidth

_ROWS = 50


def new_page(request: PageRequest, status: int = 200, problems: tuple[str, ...] = ()) -> Response:
    """Ask for the files to draw pairs from."""
    from chronoscore.events.pair_sample import KINDS, WIDTH  # noqa: PLC0415 - large, seldom used

    return request.show(
        "pairs_new.html",
        status,
        problems=problems,
        kinds=KINDS,
        width=WIDTH,
        name=request.text("name").strip(),
        number=request.text("number"),
        seed=request.text("seed") or "0",
    )


def add_project(request: PageRequest) -> Response:
    """Draw pairs from files; with any problem nothing is stored."""
    from chronoscore.events.pair_sample import draw_pairs  # noqa: PLC0415 - large, seldom used

    seed = request.whole("seed", 0)
    sample = draw_pairs(read_candidates(request.files), request.whole("number", 0), seed)
    name = request.text("name").strip()[: projects.LONGEST_NAME]
    project = pairs.add(request.store, request.person.id, name, sample, seed)
    return redirect(f"/projects/{project}/pairs")


class PairSummary(NamedTuple):
    """How sure the shares of a project's pairs will be, and what they are once all is in."""

    strata: "list[CandidateStratum]"
    widths: "list[PlannedWidth]"
    width: float
    """The width that a sample of no stated size aims at."""
    waiting: bool
    """Whether some still judge: then there are no estimates."""
    estimates: list[pair_verdicts.VerdictShares]


def summary(request: PageRequest, every: Sequence[pairs.StoredPair]) -> PairSummary:
    """What a project's page and its page of pairs say of the shares."""
    from chronoscore.events.pair_sample import WIDTH, planned_widths  # noqa: PLC0415 - see above

    store, person, project = request.store, request.person, request.project.id
    strata = pairs.strata(every)
    waiting = bool(batches.unfinished(store, person, project))
    estimates = []
    if not waiting:
        rows = judgements.readable(store, person, project)
        agreed = adjudication.agreed_judgements(store, person, project)
        estimates = pair_verdicts.shares(rows, agreed, every) if rows else []
    return PairSummary(strata, planned_widths(strata), WIDTH, waiting, estimates)


def pairs_page(request: PageRequest) -> Response:
    """Show how pairs were drawn, how sure their shares will be, and the shares when all are in."""
    if request.project.task != "pairs":
        raise HTTPException(404, "This project has no pairs.")
    every = pairs.of_project(request.store, request.project.id)
    page = max(1, request.whole("page", 1))
    return request.show(
        "pairs.html",
        summary=summary(request, every),
        judges=batches.still_judges(request.store, request.person, request.project.id),
        words=[*pair_verdicts.WORDS.values()],
        pairs=every[(page - 1) * _ROWS : page * _ROWS],
        number=page,
        more=len(every) > page * _ROWS,
    )
