"""The page of agreement: a line with a verdict for each criterion, then the pictures."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode

from markupsafe import Markup

from chronoscore.core.result import Agreement
from chronoscore.reports.html.markup import Html
from chronoscore.reports.intervals import interval_cell
from chronoscore.reports.table import shown
from chronoscore.rubric.agreement.over_time import TimeSeries
from chronoscore.rubric.agreement.study import AgreementStudy
from chronoscore.rubric.agreement.verdicts import FEWEST, Action, Advice, advise, rule
from chronoscore.rubric.pages.agreement_pictures import (
    HEAT_LEGEND,
    MOST_PAIRED,
    AgreementScale,
    drift_figure,
    generosity_figure,
    heat_map,
)
from chronoscore.statistics.agreement import Pairs
from chronoscore.workbench.store.projects import Project

_COUNTED: Mapping[Action, str] = {
    "fine": "fine",
    "talk about it": "to talk about",
    "judge anew": "to judge anew",
    "too few": "judged too little",
}
_WITH_MODELS = "People and judge models"
_TOO_FEW_PEOPLE = "Fewer than two people have judged, so judge models count as evaluators here."


@dataclass(frozen=True)
class CriterionLine:
    """A criterion with its verdict, its alpha, and how many events are behind it."""

    name: str
    title: str
    advice: Advice
    alpha: Agreement
    dot: Markup
    equal: float | None
    """The share of pairs of answers that are equal; None for the score, or if it is not shown."""
    events: int
    differing: int | None
    """On how many events people differ; None if it is not shown."""
    address: str
    """Of the events that differ; empty while some still judge."""

    @property
    def interval(self) -> str:
        """The interval, or why there is none."""
        if self.alpha.interval:
            return shown(interval_cell(self.alpha.interval))
        return f"no interval: {self.alpha.no_interval}" if self.alpha.no_interval else ""


@dataclass(frozen=True)
class VerdictList:
    """The lines of some evaluators, under a heading."""

    title: str
    about: str
    """Who is counted, in a sentence; empty if all are people."""
    lines: tuple[CriterionLine, ...]
    has_score: bool

    @property
    def summary(self) -> str:
        """How many criteria have which verdict, in one sentence."""
        counts = Counter(line.advice.action for line in self.lines)
        named = [f"{counts[one]} {words}" for one, words in _COUNTED.items() if counts[one]]
        number = len(self.lines) - self.has_score
        score = " and the score" if self.has_score else ""
        return f"{number} criteri{'on' if number == 1 else 'a'}{score}: {', '.join(named)}."

    @property
    def is_drawn(self) -> bool:
        """Whether any line has a dot."""
        return any(line.advice.action != "too few" for line in self.lines)


@dataclass(frozen=True)
class AgreementView:
    """All that the page draws; what would name people is empty while some still judge."""

    first: VerdictList
    """People; if fewer than two people judged, all evaluators."""
    with_models: VerdictList | None
    """People and judge models together, if people are studied apart."""
    rule: Mapping[Action, str]
    scale: Markup
    criteria: tuple[str, ...]
    chosen: str
    maps: Markup
    maps_legend: str
    drift: Markup
    generosity: Markup


def differences_address(
    project: int, criterion: str, one: str = "", two: str = "", *, models: bool = False
) -> str:
    """The address of the events on which people, or two of them, differ.

    `models` counts judge models as well.
    """
    asked = {"criterion": criterion, "one": one, "two": two, "models": "1" if models else ""}
    query = urlencode({name: text for name, text in asked.items() if text})
    return f"/projects/{project}/differences" + (f"?{query}" if query else "")


def agreement_view(
    project: Project,
    study: AgreementStudy,
    differing: Mapping[str, int],
    differing_with_models: Mapping[str, int],
    pairs: Mapping[str, Pairs],
    *,
    named: bool,
    mixed: bool = False,
    chosen: str = "",
) -> AgreementView:
    """Draw a study; `chosen` is the criterion of the pictures, empty for all.

    `mixed` says that judge models are among the evaluators, because fewer than two people judged.
    """
    codebook, everyone = project.codebook, study.with_models or study
    alphas = [*_alphas(study).values(), *_alphas(everyone).values()]
    scale = AgreementScale.around(alphas)
    names = tuple(column.name for column in codebook.columns)
    wanted = [name for name in names if chosen in ("", name)]
    maps, legend = "", ""
    if named and len(everyone.evaluators) > 1:
        drawable = [name for name in wanted if name in pairs]
        maps, legend = _maps(project.id, drawable, pairs, len(everyone.evaluators))
    drawn = study.discussion.events >= FEWEST  # from fewer, lines would show chance
    generosity = _generosity(study, wanted) if drawn and named and study.pairs else ""
    lines = partial(_lines, project, scale=scale, named=named)
    with_models = None
    # While some still judge, the difference of two numbers could tell someone's answers.
    if named and study.with_models:
        models = ", ".join(sorted({*everyone.evaluators} - {*study.evaluators}))
        with_models = VerdictList(
            _WITH_MODELS,
            f"The same numbers with judge models counted as evaluators: {models}.",
            lines(everyone, differing_with_models, models=True),
            codebook.has_score,
        )
    return AgreementView(
        first=VerdictList(
            _WITH_MODELS if mixed else "Do people agree?",
            _TOO_FEW_PEOPLE if mixed else "",
            lines(study, differing),
            codebook.has_score,
        ),
        with_models=with_models,
        rule=rule(study.verdicts[0].threshold, project.unit),
        scale=_markup(scale.ticks),
        criteria=names,
        chosen=chosen,
        maps=_markup(maps),
        maps_legend=legend,
        drift=_markup(_drift(study, wanted, scale.low) if drawn else ""),
        generosity=_markup(generosity),
    )


def _markup(drawn: str) -> Markup:
    """Mark what our own drawing functions wrote, which escape all texts, as safe."""
    return Markup(drawn)  # noqa: S704, RUF100


def _alphas(study: AgreementStudy) -> dict[str, Agreement]:
    """The row behind each verdict."""
    rows = {(row.criterion, row.coefficient): row for row in study.agreement}
    return {one.criterion: rows[one.criterion, one.coefficient] for one in study.verdicts}


def _lines(
    project: Project,
    study: AgreementStudy,
    differing: Mapping[str, int],
    *,
    scale: AgreementScale,
    named: bool,
    models: bool = False,
) -> tuple[CriterionLine, ...]:
    alphas = _alphas(study)
    equal = {row.criterion: row.value for row in study.agreement if row.coefficient == "percent"}
    titles = {criterion.name: criterion.title for criterion in project.codebook.criteria}
    events = study.discussion.events
    # Of few events, while some still judge, even a count would tell someone's answers.
    shows = named or events >= FEWEST
    return tuple(
        CriterionLine(
            name=one.criterion,
            title=titles.get(one.criterion, "the score"),
            advice=advise(one, events, differing[one.criterion], project.unit),
            alpha=alphas[one.criterion],
            dot=_markup(scale.dot(alphas[one.criterion])),
            equal=equal.get(one.criterion) if shows else None,
            events=events,
            differing=differing[one.criterion] if shows else None,
            address=differences_address(project.id, one.criterion, models=models) if named else "",
        )
        for one in study.verdicts
    )


def _maps(
    project: int, wanted: Sequence[str], pairs: Mapping[str, Pairs], evaluators: int
) -> tuple[str, str]:
    if evaluators > MOST_PAIRED:
        return "", f"{evaluators} evaluators make too many pairs to draw: see the table below."
    maps = [
        heat_map(name, pairs[name], partial(differences_address, project, name)) for name in wanted
    ]
    return "".join(maps), HEAT_LEGEND if maps else ""


def _drift(study: AgreementStudy, wanted: Sequence[str], low: float) -> str:
    if study.over_time is None:
        return ""
    coefficients = {(one.criterion, one.coefficient): one for one in study.verdicts}
    rows: list[TimeSeries] = [
        row
        for row in study.over_time.agreement
        if row.criterion in wanted and (row.criterion, row.name) in coefficients
    ]
    values = [value for row in rows for value in row.values if value is not None]
    lowest = AgreementScale.reaching([low, *values]).low
    threshold = study.verdicts[0].threshold
    figures = (drift_figure(row, study.over_time.parts, lowest, threshold) for row in rows)
    return "".join(figures)


def _generosity(study: AgreementStudy, wanted: Sequence[str]) -> Html:
    if len(study.evaluators) > MOST_PAIRED:
        return Html("")
    by_criterion = {
        name: [row for row in study.generosity if row.criterion == name] for name in wanted
    }
    figures = (generosity_figure(name, rows) for name, rows in by_criterion.items() if rows)
    return Html("".join(figures))
