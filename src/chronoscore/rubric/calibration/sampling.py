"""Are the labelled events a random sample? What can be seen of it."""

from collections.abc import Iterator

import numpy as np

from chronoscore.rubric.calibration.sides import Sides
from chronoscore.statistics.equality import rounding

_DRAWS = 999
_RARE = 0.01
_FAR = 3.0
RULE = "the labelled events must be a random sample of all events; draw them by lot"


def sampling_notices(sides: Sides) -> Iterator[str]:
    """Say where the labelled events can't have been drawn at random."""
    systems = np.array(sides.systems)
    for system in sorted(set(sides.systems)):
        here = (systems == system) & sides.judged
        labelled = sides.labelled & here
        if not here.any():
            continue
        if not labelled.any():
            yield f"{system}: no labelled events, so nothing corrects the judge there"
        elif (labelled == here).all():
            yield f"{system}: all events are labelled; there is nothing to be corrected"
        else:
            yield from _few_articles(sides, system, here, labelled)
            yield from _other_values(sides, system, here, labelled)


def _few_articles(
    sides: Sides,
    system: str,
    here: np.typing.NDArray[np.bool_],
    labelled: np.typing.NDArray[np.bool_],
) -> Iterator[str]:
    """Fewer articles than as many events drawn by lot would be from."""
    article = np.unique(np.array(sides.articles)[here], return_inverse=True)[1]
    number, among = int(labelled.sum()), int(article.max()) + 1
    seen = len(np.unique(article[labelled[here]]))
    generator = np.random.default_rng(0)
    drawn = np.array(
        [len(np.unique(generator.choice(article, number, replace=False))) for _ in range(_DRAWS)]
    )
    if ((drawn <= seen).sum() + 1) / (_DRAWS + 1) <= _RARE:
        yield (
            f"{system}: not a random sample: the {number} labelled events are from {seen} of "
            f"{among} articles, of as many drawn by lot it would be {drawn.mean():.0f}; "
            "the corrected estimates speak of these articles"
        )


def _other_values(
    sides: Sides,
    system: str,
    here: np.typing.NDArray[np.bool_],
    labelled: np.typing.NDArray[np.bool_],
) -> Iterator[str]:
    """The judge's score differs between labelled events and others, where it should not."""
    score = sides.judge[:, -1]
    one, two = score[labelled], score[here & ~labelled]
    if len(one) < 2 or len(two) < 2:
        return
    error = float(np.sqrt(one.var(ddof=1) / len(one) + two.var(ddof=1) / len(two)))
    if abs(one.mean() - two.mean()) > _FAR * error + float(rounding(one, two)):
        yield (
            f"{system}: not a random sample: the judge's mean {sides.names[-1]} is "
            f"{one.mean():.3f} on labelled events and {two.mean():.3f} on the others"
        )
