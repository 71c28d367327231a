"""A project's scores, agreement, judge models and exports, as the command line has them."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial

from msgspec import structs
from starlette.exceptions import HTTPException
from starlette.responses import Response

from chronoscore.core.problems import Problems
from chronoscore.core.result import ResultDocument
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import IntervalPlan, Settings
from chronoscore.errors import ChronoscoreError
from chronoscore.reports.result_tables import tables_of
from chronoscore.reports.table import Table, shown
from chronoscore.rubric import calibration
from chronoscore.rubric.agreement.coefficients import AgreementPlan, RatedEvents
from chronoscore.rubric.agreement.over_time import OverTime, over_time
from chronoscore.rubric.agreement.study import AgreementStudy, agreed_values, study
from chronoscore.rubric.agreement.verdicts import FEWEST
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.family import FAMILY, judged_cases, rubric_family
from chronoscore.rubric.judgements import Judgement, Judgements, people_apart
from chronoscore.rubric.pages.agreement import reliability_tables
from chronoscore.rubric.pages.agreement_pictures import MOST_PAIRED
from chronoscore.rubric.pages.calibration import calibration_tables
from chronoscore.statistics.agreement import Pairs, pairs
from chronoscore.workbench import project_files
from chronoscore.workbench.agreement_view import agreement_view, differences_address
from chronoscore.workbench.differences import Difference, differences
from chronoscore.workbench.routing import PageRequest, download
from chronoscore.workbench.store import Store, adjudication, batches, judgements, pooled, projects
from chronoscore.workbench.store.judgements import Values
from chronoscore.workbench.store.people import Person
from chronoscore.workbench.store.projects import Project

_MOST_FIGURES = 16
_WINDOWS = 3
_SMALL = 500
"""Up to this many answers, figures are computed at once: it takes no longer than the page."""
_FIRST = "The numbers are being computed: this page shows them in a moment."
_AGAIN = "Answers have come in since: newer numbers are being computed."
_YOURSELF = (
    "You judge a batch yourself that is not finished: numbers would tell you what others said. "
    "They are shown when all have submitted."
)
_ROWS = 300
_EVENTS = 50
"""The number of events on a page of differences."""
_STILL_JUDGING = (
    "Some still judge: what people differ on is shown when all have submitted. "
    "Batches that all have submitted have them on their own pages."
)


@dataclass(frozen=True)
class ProjectFigures:
    """Scores and agreement, and whether evaluators are named in them."""

    named: bool
    messages: tuple[str, ...] = ()
    result: ResultDocument | None = None
    reliability: AgreementStudy | None = None
    differing: Mapping[str, int] = field(default_factory=dict)
    """On how many events evaluators differ, by criterion; as in the study, of people apart."""
    differing_with_models: Mapping[str, int] = field(default_factory=dict)
    """The same of people and judge models together."""
    pairs: Mapping[str, Pairs] = field(default_factory=dict)
    """Each pair of evaluators, by criterion; empty if there are too many to draw."""
    mixed: bool = False
    """Whether judge models count as evaluators, because fewer than two people judged."""
    waiting: bool = False
    """Whether newer ones are being computed."""


class FiguresCache:
    """The last figures of some projects, computed again when an answer has been saved.

    Those of a large project are computed in the background; until then the page shows the older
    ones.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[object, ProjectFigures]] = {}
        self._lock = threading.Lock()
        self._background = ThreadPoolExecutor(1, "figures")
        self._running: dict[tuple[object, ...], Future[ProjectFigures]] = {}

    def get(self, store: Store, viewer: Person, project: Project) -> ProjectFigures:
        """The figures of a project as its owner sees them now."""
        named = not batches.unfinished(store, viewer, project.id)
        key = (str(store.path), id(store), project.id, named)
        change = pooled.last_change(store, project.id)
        with self._lock:
            known_change, known = self._known.get(key, (None, None))
        if known is not None and known_change == change:
            return known

        def compute() -> ProjectFigures:
            figures = _figures(store, viewer, project, named)
            with self._lock:
                self._known.pop(key, None)
                self._known[key] = change, figures
                for oldest in [*self._known][:-_MOST_FIGURES]:
                    del self._known[oldest]
            return figures

        if sum(pooled.answer_counts(store, project.id).values()) <= _SMALL:
            return compute()
        with self._lock:
            if key not in self._running or self._running[key].done():
                self._running[key] = self._background.submit(compute)
        if known is not None:
            return replace(known, messages=(*known.messages, _AGAIN), waiting=True)
        return ProjectFigures(named, (_FIRST,), waiting=True)


_CACHE = FiguresCache()


def _figures(store: Store, viewer: Person, project: Project, named: bool) -> ProjectFigures:
    agreed: list[Judgement] = []
    if named:
        rows = judgements.readable(store, viewer, project.id)
        agreed = adjudication.agreed_judgements(store, viewer, project.id)
    else:
        rows = pooled.answers(store, project.id)
    if not rows:
        return ProjectFigures(named, ("There are no complete judgements yet.",))
    try:
        return _computed(rows, agreed, project.codebook, named)
    except ChronoscoreError as error:
        return ProjectFigures(named, (str(error),))


def _computed(
    rows: Sequence[Judgement], agreed: Sequence[Judgement], codebook: Codebook, named: bool
) -> ProjectFigures:
    problems, plan = Problems(), AgreementPlan()
    table = Judgements.of(rows, len(codebook.criteria))
    cases = judged_cases(table, codebook, problems)
    systems = {system: batch.columns for system, batch in cases.items()}
    values = None
    if agreed:
        agreed_table = Judgements.of(agreed, len(codebook.criteria))
        agreed_cases = judged_cases(agreed_table, codebook, Problems())
        agreed_on = {system: batch.columns for system, batch in agreed_cases.items()}
        values = agreed_values(agreed_on, systems, problems)
        problems.check()
    notices = [str(notice) for notice in problems.notices]
    drift = _drift(table, codebook, plan)
    reliability = study(systems, codebook, plan, over_time=drift, agreed=values, notices=notices)
    result = None
    if codebook.has_score:
        settings = Settings.make(rubric_family(codebook), chance=IntervalPlan())
        result = score(settings, cases, notices=notices).result
    events = among_people = RatedEvents.of_judgements(systems, codebook)
    if reliability.with_models:
        by_people = {name: one.by(reliability.evaluators) for name, one in systems.items()}
        among_people = RatedEvents.of_judgements(by_people, codebook)
    few = len((reliability.with_models or reliability).evaluators) <= MOST_PAIRED
    criteria = events.ratings if named and few else ()
    return ProjectFigures(
        named,
        result=result,
        reliability=reliability,
        differing=among_people.differing(),
        differing_with_models=events.differing(),
        pairs={c.name: pairs(ratings) for c, ratings in criteria if c.allowed},
        mixed=not reliability.with_models and any(row.kind == "llm" for row in rows),
    )


def _drift(rows: Judgements, codebook: Codebook, plan: AgreementPlan) -> OverTime | None:
    """Agreement over time: by rounds where there are several, else in three parts of the work.

    If two or more people judged, it is theirs.
    """
    rows = rows.by(people) if (people := people_apart([rows])) else rows
    order = {one.key: place for place, one in enumerate(rows)}
    windows = None if len({one.round for one in rows}) > 1 else _WINDOWS
    try:
        return over_time(rows, order, codebook, windows, plan)
    except ChronoscoreError:
        return None  # too few answers to be cut into parts


def agreement_page(request: PageRequest) -> Response:
    """Show scores and agreement as they are now."""
    store, person, project = request.store, request.person, request.project
    chosen = _criterion(request)
    if batches.still_judges(store, person, project.id):
        figures = ProjectFigures(False, (_YOURSELF,))
    else:
        figures = _CACHE.get(store, person, project)
    view = None
    if figures.reliability is not None:
        view = agreement_view(
            project,
            figures.reliability,
            figures.differing,
            figures.differing_with_models,
            figures.pairs,
            named=figures.named,
            mixed=figures.mixed,
            chosen=chosen,
        )
    return request.show(
        "agreement.html",
        figures=figures,
        view=view,
        fewest=FEWEST,
        tables=_tables(figures),
        shown=shown,
    )


def _criterion(request: PageRequest) -> str:
    """The criterion that the address names, empty if it names none."""
    criterion = request.query.get("criterion", "")
    names = [column.name for column in request.project.codebook.columns]
    if criterion and criterion not in names:
        raise HTTPException(404, f"There is no such criterion: choose one of {', '.join(names)}.")
    return criterion


def differences_page(request: PageRequest) -> Response:
    """List the events on which people, or two of them, differ, with what each said."""
    store, person, project = request.store, request.person, request.project
    criterion, page = _criterion(request), max(1, request.whole("page", 1))
    pair = [name for key in ("one", "two") if (name := request.query.get(key, ""))]
    some_judge = batches.unfinished(store, person, project.id)
    judges = batches.still_judges(store, person, project.id)
    message = _YOURSELF if judges else _STILL_JUDGING if some_judge else ""
    rows = [] if message else judgements.placed(store, person, project.id)
    evaluators = sorted({one.judgement.evaluator for one in rows})
    if not message and (len(set(pair)) == 1 or not set(pair) <= set(evaluators)):
        raise HTTPException(404, "Choose two different evaluators of this project, or none.")
    criteria = len(project.codebook.criteria)
    people = people_apart([Judgements.of((one.judgement for one in rows), criteria)])
    with_models = bool(people and not pair and request.query.get("models"))
    counted = pair or ([] if with_models else people)
    differing = differences(rows, project.codebook, criterion, counted)
    listed = differing[(page - 1) * _EVENTS : page * _EVENTS]
    has_score = project.codebook.has_score
    return request.show(
        "differences.html",
        message=message,
        criterion=criterion,
        criteria=project.codebook.columns,
        pair=pair,
        evaluators=evaluators,
        has_models=bool(people),
        with_models=with_models,
        number=page,
        total=len(differing),
        more=len(differing) > page * _EVENTS,
        listed=listed,
        batches={batch.id: batch for batch in batches.visible(store, person, project.id)},
        events={one.event: projects.event(store, project.id, one.event) for one in listed},
        agreed=_agreed(request, {batch for one in listed for batch in one.batches}),
        address=partial(differences_address, project.id, models=with_models),
        scores={one.event: _scores(one, project.codebook) for one in listed if has_score},
    )


def _agreed(request: PageRequest, wanted: Iterable[int]) -> dict[tuple[int, int], Values]:
    """The agreed values by batch and event."""
    return {
        (batch, event): agreed.values
        for batch in wanted
        for event, agreed in adjudication.agreed_in(request.store, request.person, batch).items()
    }


def _scores(difference: Difference, codebook: Codebook) -> list[float]:
    return [float(codebook.quality(values)) for values in difference.values]


def _tables(figures: ProjectFigures) -> list[Table]:
    """All tables, or only those without anyone's answers while some still judge.

    A mean of few answers is those answers, and one that changes with each save tells every answer:
    so there are no scores then, and no agreement on few events.
    """
    if figures.reliability is None:
        return []
    raters = reliability_tables(figures.reliability)
    if not figures.named:
        raters = reliability_tables(structs.replace(figures.reliability, with_models=None))
        enough = figures.reliability.discussion.events >= FEWEST
        return [
            _cut(table)
            for table in raters
            if enough and table.caption.startswith(("agreement", "inter"))
        ]
    scores = tables_of(FAMILY, figures.result) if figures.result else []
    scores = [table for table in scores if not table.caption.startswith("agreement")]
    return [_cut(table) for table in (*scores, *raters)]


def _cut(table: Table) -> Table:
    """The first rows of a long table, such as of all pairs among many evaluators."""
    left = len(table.rows) - _ROWS
    if left <= 0:
        return table
    remark = f"and {left} more rows, which the command line prints from the export"
    return structs.replace(table, rows=table.rows[:_ROWS], remarks=(remark, *table.remarks))


def _models(request: PageRequest) -> list[Person]:
    members = projects.members(request.store, request.project.id)
    return [one for one in members if one.kind == "llm"]


def judges_page(request: PageRequest) -> Response:
    """List the judge models of a project with the costs of their runs."""
    runs = projects.judge_runs(request.store, request.project.id)
    return request.show("judges.html", models=_models(request), runs=runs)


def judge_page(request: PageRequest) -> Response:
    """Compare one judge model with people, as `chronoscore calibrate` does."""
    judge = request.named_person(_models(request), "There is no such judge.")
    tables, messages = _calibration(request, judge.name)
    runs = projects.judge_runs(request.store, request.project.id).get(judge.name, [])
    values = {"judge": judge, "runs": runs, "tables": tables, "messages": messages}
    return request.show("judge_model.html", 200, **values, shown=shown)


def _calibration(request: PageRequest, judge: str) -> tuple[list[Table], list[str]]:
    store, person, project = request.store, request.person, request.project
    if batches.unfinished(store, person, project.id):
        return [], ["Some still judge: this is shown when all have submitted."]
    book, problems = project.codebook, Problems()
    try:
        table = Judgements.of(judgements.readable(store, person, project.id), len(book.criteria))
        sides = calibration.both_sides(table, book, problems, judge=judge)
        problems.check()
        notices = [str(notice) for notice in problems.notices]
        calibrated = calibration.calibrate(sides, book, calibration.CalibrationPlan(), notices)
    except ChronoscoreError as error:
        return [], str(error).splitlines()
    return calibration_tables(calibrated), list(calibrated.notices)


def export_page(request: PageRequest) -> Response:
    """Show which files can be exported."""
    left_out = batches.unfinished(request.store, request.person, request.project.id)
    return request.show(
        "export.html",
        forms=project_files.SHEETS,
        verdicts=project_files.VERDICTS,
        left_out=left_out,
    )


def export(request: PageRequest) -> Response:
    """Answer with an exported file."""
    store, person, project = request.store, request.person, request.project
    form = request.path["form"]
    has_verdicts = project.task == "pairs"
    if form not in project_files.EXPORTS or (form in project_files.VERDICTS and not has_verdicts):
        raise HTTPException(404, "There is no such format.")
    content = project_files.export(store, person, project, form)
    store.note(person.id, "exported", project.id, form=form)
    name = f"project-{project.id}.zip" if form == "zip" else f"judgements.{form}"
    name = form if form in project_files.VERDICTS else name
    return download(content, project_files.EXPORTS[form], name)
