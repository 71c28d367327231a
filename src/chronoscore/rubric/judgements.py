"""Judgements kept as columns: to people a sequence of judgements, to sums a table of numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

import msgspec
import numpy as np
from numpy.typing import NDArray

from chronoscore.core.labels import Labels
from chronoscore.rubric.judgement import Judgement

WORDS = (
    "article",
    "comment",
    "date",
    "evaluator",
    "event",
    "kind",
    "round",
    "system",
    "text",
    "type",
)
"""The fields of a judgement that are words, in the order of its digest."""


@dataclass(frozen=True, eq=False)
class Judgements(Sequence[Judgement]):
    """Any number of judgements, each made when it is looked at."""

    words: Mapping[str, Labels]
    values: NDArray[np.int64]
    """values[judgement, criterion], in the order of the codebook."""

    @classmethod
    def of(cls, judgements: Iterable[Judgement], criteria: int) -> Judgements:
        """Keep judgements as columns."""
        kept = list(judgements)
        return cls(
            {name: Labels.of(getattr(one, name) for one in kept) for name in WORDS},
            np.array([one.values for one in kept], np.int64).reshape(len(kept), criteria),
        )

    @classmethod
    def together(cls, parts: Sequence[Judgements], criteria: int) -> Judgements:
        """Put tables one under the other."""
        if not parts:
            return cls.of((), criteria)
        if len(parts) == 1:
            return parts[0]
        return cls(
            {name: Labels.together([part.words[name] for part in parts]) for name in WORDS},
            np.concatenate([part.values for part in parts]),
        )

    def take(self, rows: NDArray[np.int64]) -> Judgements:
        """Only some judgements."""
        return Judgements(
            {name: column.take(rows) for name, column in self.words.items()}, self.values[rows]
        )

    def digests(self) -> NDArray[np.bytes_]:
        """The digest of each, as `core.case.digest` gives it; words are written out once."""
        texts = []
        for name in WORDS:
            column = self.words[name]
            known = np.array([msgspec.json.encode(word).decode() for word in column.names], object)
            texts.append(known[column.at].tolist())
        found = np.empty(len(self), "S16")
        for at, (words, values) in enumerate(
            zip(zip(*texts, strict=True), self.values.tolist(), strict=True)
        ):
            written = _DOCUMENT % (*words, ",".join(map(str, values)))
            found[at] = hashlib.sha256(written.encode()).hexdigest()[:16].encode()
        return found

    @overload
    def __getitem__(self, at: int) -> Judgement: ...
    @overload
    def __getitem__(self, at: slice) -> list[Judgement]: ...
    def __getitem__(self, at: int | slice) -> Judgement | list[Judgement]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        at = range(len(self))[at]
        words = {name: column[at] for name, column in self.words.items()}
        return Judgement(values=tuple(self.values[at].tolist()), **words)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(self.values.tobytes())


_DOCUMENT = "{" + ",".join(f'"{name}":%s' for name in WORDS) + ',"values":[%s]}'
