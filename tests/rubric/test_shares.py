"""Shares of the highest value, as 0/1 criteria that PPI++ corrects."""

import numpy as np

from chronoscore.core.problems import Problems
from chronoscore.rubric.calibration import (
    CalibrationPlan,
    both_sides,
    calibrate,
    highest_values,
)
from chronoscore.rubric.codebook import builtin_codebook
from chronoscore.rubric.judgements import Judgement, Judgements
from chronoscore.statistics.calibration import LabelledSample, ppi_mean

BOOK = builtin_codebook("support")


def judged(event: int, by: str, values: tuple[int, int]) -> Judgement:
    kind = "llm" if by == "judge" else "person"
    return Judgement(str(event), by, values, system="ours", kind=kind)  # type: ignore[arg-type]


def test_each_value_becomes_whether_it_is_the_highest_and_all_whether_all_are() -> None:
    rows = [judged(0, "ana", (2, 2)), judged(1, "ana", (2, 1)), judged(2, "ana", (0, 1))]
    shares, book = highest_values(Judgements.of(rows, 2), BOOK)
    assert shares.values.tolist() == [[1, 1, 1], [1, 0, 0], [0, 0, 0]]
    assert [criterion.name for criterion in book.criteria] == ["what", "when", "all"]
    assert [criterion.allowed for criterion in book.criteria] == [(0, 1)] * 3
    # The score counts the criteria of the codebook alone.
    assert [float(book.quality((1, 0, 0))), float(book.quality((1, 1, 1)))] == [0.5, 1.0]


def test_shares_are_corrected_by_ppi_as_indicators() -> None:
    generator = np.random.default_rng(5)
    truth = generator.integers(0, 3, (60, 2))
    noise = generator.random((60, 2)) < 0.3
    judge = np.where(noise, generator.integers(0, 3, (60, 2)), truth)
    rows = [judged(at, "judge", (int(one[0]), int(one[1]))) for at, one in enumerate(judge)]
    rows += [judged(at, "ana", (int(one[0]), int(one[1]))) for at, one in enumerate(truth[:30])]
    shares, book = highest_values(Judgements.of(rows, 2), BOOK)
    sides = both_sides(shares, book, Problems())
    found = calibrate(sides, book, CalibrationPlan())
    for at, name in enumerate(("what", "when", "all")):
        indicator = [
            (one == 2).all(axis=1) if name == "all" else one[:, at] == 2 for one in (truth, judge)
        ]
        people, model = (one.astype(float) for one in indicator)
        wanted = ppi_mean(LabelledSample(people[:30], model[:30], model[30:]))
        (estimate,) = [one for one in found.levels if one.criterion == name]
        assert estimate.corrected.value is not None
        assert np.isclose(estimate.corrected.value, wanted.value, atol=1e-12)
        assert estimate.rate is not None
