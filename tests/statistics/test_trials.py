"""Systems that were run a different number of times change places unit by unit all the same."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from averaging_paths import DATE_F1, LEVELS, PATHS

from chronoscore.errors import UsageError
from chronoscore.statistics.averaging import Path, average
from chronoscore.statistics.labels import Labels, labelled
from chronoscore.statistics.ratios import Array
from chronoscore.statistics.resampling import Resampler, alike
from chronoscore.statistics.significance import paired_bootstrap, permutation_test

TOPICS = 4


def runs(trials: int, seed: int) -> Array:
    """Counts of trials by topics."""
    source = np.random.default_rng(seed)
    hits = source.integers(0, 5, size=(trials, TOPICS))
    wrong, missed = source.integers(1, 4, size=(2, trials, TOPICS))
    return np.stack([hits, hits + wrong, hits, hits + missed], axis=-1).astype(np.float64)


def tags_of(trials: int) -> list[dict[str, str]]:
    return [
        {"gold": "g", "topic": f"t{topic}", "trial": str(trial + 1)}
        for trial in range(trials)
        for topic in range(TOPICS)
    ]


def system(counts: Array, path: str, *, unit: str = "topic") -> Resampler:
    tags = labelled(tags_of(len(counts)))
    units = tags["topic"]
    return Resampler(
        DATE_F1,
        counts.reshape(-1, 4),
        tags,
        Labels(tuple(f"g\0{name}" for name in units.names), units.at) if unit == "gold" else units,
        path=Path.parse(path, LEVELS),
        policy="zero",
        level=unit,
        repeats="trial",
    )


def averaged(counts: Array, path: str) -> Array:
    return average(
        DATE_F1,
        counts.reshape(-1, 4),
        labelled(tags_of(len(counts))),
        Path.parse(path, LEVELS),
        "zero",
    )


def by_hand(one: Array, two: Array, path: str, pairs: Sequence[tuple[int, int]]) -> Array:
    """Swap topics in every pair of trials, and average each system over these pairs."""
    left, right = one[[at for at, _ in pairs]], two[[at for _, at in pairs]]
    observed = np.abs(averaged(one, path) - averaged(two, path))
    as_large = np.zeros(len(observed))
    for swapped in product((False, True), repeat=TOPICS):
        where = np.array(swapped)[np.newaxis, :, np.newaxis]
        first, second = np.where(where, right, left), np.where(where, left, right)
        found = np.abs(averaged(first, path) - averaged(second, path))
        as_large += found >= observed - 1e-12
    return np.asarray(as_large / 2**TOPICS)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("unit", ["topic", "gold"])
@pytest.mark.parametrize(
    ("trials", "pairs"),
    [
        ((1, 2), [(0, 0), (0, 1)]),
        ((2, 1), [(0, 0), (1, 0)]),
        ((2, 2), [(0, 0), (1, 1)]),
        ((2, 3), [(0, 0), (1, 1), (0, 2), (1, 0), (0, 1), (1, 2)]),
    ],
)
def test_p_is_that_of_swapping_by_hand(
    path: str, unit: str, trials: tuple[int, int], pairs: list[tuple[int, int]]
) -> None:
    one, two = runs(trials[0], 1), runs(trials[1], 2)
    found = permutation_test(system(one, path, unit=unit), system(two, path, unit=unit))
    assert found.exact
    assert found.p == pytest.approx(by_hand(one, two, path, pairs))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("unit", ["topic", "gold"])
def test_repeating_trials_changes_no_average(path: str, unit: str) -> None:
    own = system(runs(2, 3), path, unit=unit)
    weights = np.random.default_rng(0).integers(0, 3, size=(20, TOPICS)).astype(np.float64)
    weights[:, 0] += 1
    more = own.repeated(3)
    assert (own.times, more.times) == (2, 6)
    assert more.scores(weights) == pytest.approx(own.scores(weights))
    assert more.left_out() == pytest.approx(own.left_out())


def test_systems_of_other_numbers_of_trials_can_be_resampled_too() -> None:
    one, two = (system(runs(trials, trials), PATHS[2]) for trials in (1, 2))
    assert 0 < paired_bootstrap(one, two, draws=100).p[2] <= 1
    assert permutation_test(one, one).p.tolist() == [1, 1, 1]


def test_units_in_other_groups_can_not_change_places() -> None:
    path = Path.parse("gold:mean-f>topic:mean-f>trial:mean-f", LEVELS)
    counts = runs(1, 1).reshape(-1, 4)
    made = []
    for topics in ("abcd", "abce"):
        tags = labelled([{"gold": "g", "topic": name, "trial": "1"} for name in topics])
        units = Labels.of(["1", "2", "3", "4"])
        made.append(
            Resampler(
                DATE_F1,
                counts,
                tags,
                units,
                path=path,
                policy="zero",
                level="gold",
                repeats="trial",
            )
        )
    with pytest.raises(UsageError, match="not in the same groups"):
        alike(*made)
