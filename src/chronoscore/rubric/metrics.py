"""The score of judgements: EQS and the means of its criteria; and the texts of what is judged."""

from collections.abc import Hashable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.case import Case
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.evidence_table import Measured
from chronoscore.core.family import Texts
from chronoscore.core.metric import Definition, Law, Values
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judgements import Judgement, Judgements
from chronoscore.statistics.ratios import Array, ratio


def compare(case: Case[str, Judgement], _: Hashable) -> Judgement:
    """Return the judgement itself: people have made the comparison already."""
    return case.predicted


def quality_metric(codebook: Codebook) -> Definition:
    """Make the metric of a codebook: its weighted mean, and the mean of each criterion.

    EQS = sum of weight x (value - lowest) / (highest - lowest), over the sum of weights. It is
    counted in whole parts (48ths for event quality), so that sums are exact.
    """
    parts = codebook.denominator
    criteria = codebook.criteria
    shares = _shares(codebook)
    labels = [{level.value: level.label for level in c.values} for c in criteria]

    def measure(judgement: Judgement, _: Values) -> Evidence:
        quality = sum(map(dict.__getitem__, shares, judgement.values))
        return Evidence((quality, 1, *judgement.values))

    def measure_batch(judgements: Judgements, _: Values) -> Measured:
        values = judgements.values
        statistics = np.ones((len(values), 2 + len(criteria)))
        statistics[:, 0] = quality_parts(values, codebook)
        statistics[:, 2:] = values
        return Measured(statistics)

    def explain(judgement: Judgement, _: Values) -> list[Match]:
        return [
            Match(
                side="both",
                outcome=f"{criterion.name} {value}: {label[value]}",
                credit=float(share[value]),
                possible=float(share[criterion.allowed[-1]]),
                predicted=judgement.event,
            )
            for criterion, share, label, value in zip(
                criteria, shares, labels, judgement.values, strict=True
            )
        ]

    def ratios(statistics: Array, _: Values) -> Array:
        judgements = statistics[..., 1]
        means = [ratio(statistics[..., 0], judgements) / parts]
        means += [ratio(statistics[..., 2 + at], judgements) for at in range(len(criteria))]
        return np.stack(means, axis=-1)

    names = (codebook.score.lower(), *(criterion.name for criterion in criteria))
    return Definition(
        name=codebook.score.lower(),
        meaning=f"{codebook.score}, the weighted mean of the criteria from 0 to 1, and their means",
        citation=codebook.source,
        statistics=(
            Statistic("quality", "integer", f"{codebook.score} in {parts}ths"),
            Statistic("judgements", "integer", "judgements"),
            *(Statistic(c.name, "integer", f"sum of {c.field}") for c in criteria),
        ),
        components=names,
        measure=measure,
        measure_batch=measure_batch,
        explain=explain,
        ratios=ratios,
        laws=lambda _: frozenset({Law.EXPLAINED, Law.MORE_IS_BETTER}),
        explained={"both": (("quality",), ())},
        ranges=lambda _: {  # no mean of values can leave its scale
            **{c.name: (float(c.allowed[0]), float(c.allowed[-1])) for c in criteria},
            names[0]: (0.0, 1.0),
        },
    )


def _shares(codebook: Codebook) -> list[dict[int, int]]:
    """Return what each value of each criterion adds to the score, in whole parts.

    The sum equals `codebook.quality` and is faster to compute.
    """
    parts, weights = codebook.denominator, sum(Fraction(c.weight) for c in codebook.criteria)
    return [
        {value: int(criterion.credit(value) / weights * parts) for value in criterion.allowed}
        for criterion in codebook.criteria
    ]


def quality_parts(values: NDArray[np.int64], codebook: Codebook) -> NDArray[Any]:
    """Return the score of each row of values, in whole parts."""
    columns = []
    for at, share in enumerate(_shares(codebook)):  # its values ascend
        place = np.searchsorted(np.array([*share]), values[:, at])
        columns.append(np.array([*share.values()])[place])
    return np.asarray(sum(columns))


class EventTexts(NamedTuple):
    """The texts of one judgement; empty where there are none."""

    text: str = ""
    article: str = ""
    date: str = ""
    type: str = ""
    comment: str = ""


def texts_of(case: Case[str, Judgement], _: object = ()) -> tuple[Texts, Texts]:
    """Return the event's text under its id, and other texts under `ID/article`, `ID/comment` ..."""
    judgement = case.predicted
    texts = [str(getattr(judgement, field)) for field in EventTexts._fields]
    keys = _keys(judgement.event)
    return {}, {key: (text,) for key, text in zip(keys, texts, strict=True) if text.strip()}


def event_texts(event: str, texts: Texts) -> EventTexts:
    """Read the texts of an event as `texts_of` returns them.

    >>> event_texts("e1", {"e1": ("It rained.",), "e1/comment": ("where?",)})
    EventTexts(text='It rained.', article='', date='', type='', comment='where?')
    """
    return EventTexts(*("\n".join(texts.get(key, ())) for key in _keys(event)))


def _keys(event: str) -> list[str]:
    return [event, *(f"{event}/{field}" for field in EventTexts._fields[1:])]
