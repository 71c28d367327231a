"""The events on which people differ: on a criterion, on the score, or two of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judgements import Judgements
from chronoscore.workbench.store.judgements import PlacedJudgement


@dataclass(frozen=True)
class Difference:
    """An event with the answers that differ, by evaluator."""

    event: int
    answers: tuple[PlacedJudgement, ...]
    batches: tuple[int, ...]
    """Those within which answers differ, so that the event can be settled there."""
    spread: float

    @property
    def values(self) -> list[tuple[int, ...]]:
        """The values of each answer, in the order of the codebook."""
        return [one.judgement.values for one in self.answers]

    @property
    def criteria(self) -> list[int]:
        """The places of the criteria that these answers differ on."""
        columns = enumerate(zip(*self.values, strict=True))
        return [at for at, column in columns if len(set(column)) > 1]


def differences(
    rows: Sequence[PlacedJudgement],
    codebook: Codebook,
    criterion: str = "",
    people: Sequence[str] = (),
) -> list[Difference]:
    """Return the events that are judged differently, the greatest difference first.

    `criterion` is the name of one, or of the score; if it is empty, any criterion counts. Of an
    evaluator the last round counts, as in the study of agreement. If there are `people`, only
    their answers count.
    """
    if not rows:
        return []
    table = Judgements.of([one.judgement for one in rows], len(codebook.criteria))
    last = {judgement.key for judgement in table.last_rounds()}
    in_batch: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    for one in rows:
        in_batch.setdefault((one.event, one.batch), []).append(one.judgement.values)
    by_event: dict[int, list[PlacedJudgement]] = {}
    for one in rows:
        if one.judgement.key in last and (not people or one.judgement.evaluator in people):
            by_event.setdefault(one.event, []).append(one)
    listed = []
    for event, answers in by_event.items():
        spread = _spread([one.judgement.values for one in answers], codebook, criterion)
        if spread:
            by_name = sorted(answers, key=lambda one: one.judgement.evaluator)
            batches = sorted({one.batch for one in answers})
            within = [at for at in batches if _spread(in_batch[event, at], codebook, criterion)]
            listed.append(Difference(event, tuple(by_name), tuple(within), spread))
    return sorted(listed, key=lambda one: (-one.spread, one.event))


def _spread(values: Sequence[tuple[int, ...]], codebook: Codebook, criterion: str) -> float:
    """Return how far the answers lie apart, as a share of the scale; of any criterion the sum.

    Two different values without an order are as far apart as can be.
    """
    if criterion == codebook.score:
        scores = [codebook.quality(one) for one in values]
        return float(max(scores) - min(scores))
    apart = 0.0
    columns = zip(*values, strict=True)
    for one, column in zip(codebook.columns, columns, strict=False):  # the score has no values
        if criterion not in ("", one.name):
            continue
        low, high = one.ends
        apart += (
            (max(column) - min(column)) / (high - low) if one.is_ordered else len({*column}) > 1
        )
    return apart
