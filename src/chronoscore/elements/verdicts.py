"""Verdicts on pairs of events: does a predicted event tell what a gold event tells?

People or models give them, one JSON object a line. They serve as the similarity of two events, and
as what similarities and matchings are checked against.

>>> ana = PairVerdict(gold="g1", predicted="p1", verdict="part", by="ana")
>>> model = PairVerdict(gold="g1", predicted="p1", verdict="same", by="small@5e1f0a2b")
>>> agreed([model, ana])["g1", "p1"].value
0.5
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import fsum
from typing import Literal, TypeAlias, TypeVar

import msgspec

from chronoscore.core.problems import Problems
from chronoscore.core.records import read_records
from chronoscore.core.sources import Source
from chronoscore.errors import DataError

VerdictWord = Literal["same", "part", "different", "contradicts"]
VALUES: Mapping[VerdictWord, float] = {
    "same": 1.0,
    "part": 0.5,
    "different": 0.0,
    # The same event, told wrongly.
    "contradicts": 1.0,
}
"""The similarity that a verdict stands for where it has no probability."""
PARTS = ("same", "different", "skip")
"""What the verdict `part` may count as; skip is neither."""
Pair: TypeAlias = tuple[str, str]
"""The ids of a gold event and a predicted event."""
_Row = TypeVar("_Row")
_Key = TypeVar("_Key")
_ADDRESS = re.compile(r"[^@\s]+@[\w-]+(\.[\w-]+)*\.[A-Za-z]{2,}")
_MIDDLE = 0.5


class PairVerdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What someone says of one pair of events."""

    gold: str
    """The id of the gold event."""
    predicted: str
    """The id of the predicted event."""
    verdict: VerdictWord
    probability: float | None = None
    """How likely both tell the same event, from 0 to 1; whatever the verdict is."""
    by: str
    """A person's name, or MODEL@DIGEST."""
    topic: str = ""
    """The topic of both events; empty if their ids need none."""
    system: str = ""
    """Whose prediction it is; empty if the ids of predicted events need none."""
    chance: float | None = None
    """The chance with which the pair was drawn to be judged, above 0; None if it was not drawn."""

    @property
    def by_model(self) -> bool:
        """Whether a model gave the verdict."""
        return "@" in self.by

    @property
    def value(self) -> float:
        """The verdict as a similarity, from 0 to 1.

        >>> PairVerdict(gold="g", predicted="p", verdict="part", by="ana").value
        0.5
        >>> PairVerdict(gold="g", predicted="p", verdict="part", probability=0.7, by="ana").value
        0.7
        """
        return VALUES[self.verdict] if self.probability is None else self.probability

    def is_same(self, part: str) -> bool | None:
        """Whether it calls the two events the same; None if it counts for neither.

        >>> PairVerdict(gold="g", predicted="p", verdict="contradicts", by="ana").is_same("same")
        True
        """
        word = part if self.verdict == "part" else self.verdict
        return None if word == "skip" else word != "different"


def read_verdicts(source: Source, problems: Problems) -> list[tuple[int, PairVerdict]]:
    """Read a file of verdicts, each with its line; report what is wrong and who disagrees."""
    rows: list[tuple[int, PairVerdict]] = []
    first_line: dict[tuple[str, ...], int] = {}
    odd: list[tuple[int, str]] = []
    for line, row in read_records(source, PairVerdict, problems):
        if reasons := [*_reasons(row)]:
            for reason in reasons:
                problems.problem(reason, source, line)
            continue
        if (earlier := first_line.setdefault((*_place(row), row.by), line)) != line:
            problems.problem(
                f"'{row.by}' judges the pair of gold '{row.gold}' and predicted '{row.predicted}' "
                f"twice, first in {source.refer(earlier, line)}: keep one",
                source,
                line,
            )
            continue
        if (row.value - _MIDDLE) * (VALUES[row.verdict] - _MIDDLE) < 0:
            odd.append((line, ""))
        rows.append((line, row))
    problems.count(
        "{count} verdict{s} and probability do not fit each other, first in {place}: probability "
        "says how likely both events are the same, also beside 'different'",
        odd,
        source,
    )
    _report_disagreement(rows, source, problems)
    return rows


def _reasons(row: PairVerdict) -> Iterator[str]:
    """Yield why a row can't be used."""
    for name in ("gold", "predicted", "by"):
        if not getattr(row, name).strip():
            yield f"{name} is empty"
    if row.probability is not None and not 0 <= row.probability <= 1:
        yield f"probability is {row.probability}, expected 0 to 1"
    if row.chance is not None and not 0 < row.chance <= 1:
        yield f"chance is {row.chance}, expected above 0, up to 1"
    if _ADDRESS.fullmatch(row.by.strip()):
        yield (
            f"by is '{row.by}', an e-mail address; expected a person's name without @, or "
            "MODEL@DIGEST for a model"
        )


def _report_disagreement(
    rows: Sequence[tuple[int, PairVerdict]], source: Source, problems: Problems
) -> None:
    """Report pairs on which those who decide disagree, and rows that do not decide."""
    split: list[tuple[int, str]] = []
    tied: list[tuple[int, str]] = []
    overruled: list[tuple[int, str]] = []
    for group in _groups(rows, lambda row: _place(row[1])).values():
        deciding = _deciding([row for _, row in group])
        words = {row.verdict for row in deciding}
        name = f"{group[0][1].gold} {group[0][1].predicted}"
        if len(words) > 1:
            (split if _most_frequent(deciding) else tied).append((group[0][0], name))
        overruled += [(line, name) for line, row in group if row not in deciding]
    problems.count(
        "{count} pair{s} with different verdicts, the most frequent counts: {some}", split, source
    )
    problems.count(
        "{count} pair{s} with as many verdicts for one word as for another, left out: {some}",
        tied,
        source,
    )
    problems.count(
        "{count} verdict{s} of models set aside, since people judged the same pairs: {some}",
        overruled,
        source,
    )


def verdicts_of(
    verdicts: Iterable[PairVerdict], *, topic: str = "", system: str = ""
) -> list[PairVerdict]:
    """Return the verdicts of a topic and a system; one that names none is of every one.

    Without `topic` or `system`, those of all topics or systems are taken together.
    """
    return [
        row
        for row in verdicts
        if (not topic or row.topic in ("", topic)) and (not system or row.system in ("", system))
    ]


def agreed(
    verdicts: Iterable[PairVerdict], *, topic: str = "", system: str = ""
) -> dict[Pair, PairVerdict]:
    """Return one verdict for each pair that has one, of those that `verdicts_of` takes.

    People's verdicts win over those of models, and then the most frequent word counts, with the
    mean of its values; a pair whose words tie is left out.
    """
    chosen = verdicts_of(verdicts, topic=topic, system=system)
    pairs = {}
    for pair, group in _groups(chosen, lambda row: (row.gold, row.predicted)).items():
        if rows := _most_frequent(_deciding(group)):
            pairs[pair] = rows[0] if len(rows) == 1 else _united(rows)
    return pairs


def of_people(verdicts: Sequence[PairVerdict]) -> tuple[list[PairVerdict], list[str]]:
    """Return people's verdicts, and a notice of those of models; having none is an error."""
    people = [verdict for verdict in verdicts if not verdict.by_model]
    if not people:
        raise DataError.of("no verdict is by a person: a name without @ in 'by'")
    models = len(verdicts) - len(people)
    notice = f"{models} verdict{'s' * (models > 1)} of models left out"
    return people, [notice] if models else []


def _united(rows: Sequence[PairVerdict]) -> PairVerdict:
    """Return one verdict for several of the same word."""
    probability = None
    if any(row.probability is not None for row in rows):
        probability = fsum(row.value for row in rows) / len(rows)
    by = ", ".join(sorted(row.by for row in rows))
    return msgspec.structs.replace(rows[0], probability=probability, by=by)


def _place(row: PairVerdict) -> tuple[str, ...]:
    return row.topic, row.system, row.gold, row.predicted


def _groups(rows: Iterable[_Row], key: Callable[[_Row], _Key]) -> dict[_Key, list[_Row]]:
    groups: dict[_Key, list[_Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def _deciding(rows: list[PairVerdict]) -> list[PairVerdict]:
    """Return the verdicts of people, or all if only models gave some."""
    return [row for row in rows if not row.by_model] or rows


def _most_frequent(rows: Sequence[PairVerdict]) -> list[PairVerdict]:
    """Return the verdicts of the most frequent word; none if two are as frequent."""
    counts = Counter(row.verdict for row in rows).most_common(2)
    if len(counts) > 1 and counts[0][1] == counts[1][1]:
        return []
    return [row for row in rows if row.verdict == counts[0][0]]
