"""Many documents as one batch, whose columns are measured at once."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from chronoscore.annotations.columns import Columns
from chronoscore.annotations.model import Document
from chronoscore.annotations.spans import Sides
from chronoscore.core.batch import Batch
from chronoscore.core.case import Case, digest
from chronoscore.core.labels import labelled


def batch_of(cases: Sequence[Case[Document, Document]]) -> Batch:
    """The same cases, which are put into columns if they are measured as a whole."""
    ids = [case.id for case in cases]

    def columns() -> tuple[Columns, Columns]:
        gold = Columns.of([case.gold for case in cases])
        predicted = Columns.of([case.predicted for case in cases])
        # A document may have several golds, and is then several cases.
        return replace(gold, documents=tuple(ids)), replace(predicted, documents=tuple(ids))

    def digests() -> tuple[NDArray[np.bytes_], NDArray[np.bytes_]]:
        gold = [digest(case.gold).encode() for case in cases]
        return np.array(gold, "S16"), np.array([digest(c.predicted).encode() for c in cases], "S16")

    return Batch(
        ids, labelled([case.tags for case in cases]), Sides(columns), cases.__getitem__, digests
    )
