"""Judgements read in parts: what goes out with each part, and what is told when all are there.

All judgements of an event are in one part, so the last round is known there and no judgement can
be there twice. What an article has, and what adds up, is told from all rows and counts together.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

from chronoscore.core.batch import Batch
from chronoscore.core.family import Family
from chronoscore.core.labels import Labels
from chronoscore.core.ledger import Ledger
from chronoscore.core.reading import Reading
from chronoscore.rubric.codebook import Codebook, event_quality
from chronoscore.rubric.family import read_cases, root_notices, round_notices, rubric_family
from chronoscore.rubric.formats.reading import order_notices, rounds_counted
from chronoscore.rubric.reliability.study import chip_counts

_COMMENT = "comment"


def words_for_parts(codebook: Codebook, evaluator: str | None) -> dict[str, str]:
    """What a worker has to know beside the lines: only words, so that it can be sent."""
    words = {"evaluator": evaluator} if evaluator else {}
    if codebook != event_quality():
        words["codebook"] = msgspec.json.encode(codebook).decode()
    return words


@cache
def _codebook(text: str) -> Codebook:
    return msgspec.json.decode(text, type=Codebook) if text else event_quality()


def part_family(*, codebook: str = "", evaluator: str = "") -> Family:
    """The family as the words sent with a part make it; who judged changes nothing in it."""
    return rubric_family(_codebook(codebook))


def read_part(
    first: Path,
    others: Mapping[str, Sequence[Path]],
    reading: Reading,
    _: Mapping[str, str],
    *,
    codebook: str = "",
    evaluator: str = "",
) -> dict[str, Batch]:
    """Read the lines of some events from every sheet, and count their frequent comments."""
    book = _codebook(codebook)
    sheets = [first, *(path for paths in others.values() for path in paths)]
    cases = read_cases(sheets, reading, evaluator=evaluator or None, codebook=book)
    for system, judged in cases.items():
        for text, times in chip_counts(judged, book).items():
            if times:
                reading.counts["\0".join((_COMMENT, system, text))] += times
    return cases


def comment_counts(
    systems: Sequence[str], codebook: Codebook, counts: Mapping[str, int]
) -> dict[str, dict[str, int]]:
    """How often each frequent comment was made of each system, from what was counted in parts."""
    return {
        system: {
            chip.text: counts.get("\0".join((_COMMENT, system, chip.text)), 0)
            for chip in codebook.chips
        }
        for system in systems
    }


def remarks(
    codebook: Codebook, systems: Mapping[str, Ledger], counts: Mapping[str, int]
) -> list[str]:
    """What is to be said of all judgements together, as reading them as a whole says it."""
    notices = [*order_notices(rounds_counted(counts)), *round_notices(counts)]
    names = [criterion.name for criterion in codebook.criteria]
    if "root" in names:
        column = 2 + names.index("root")  # after the score and the number of judgements
        for system, rows in systems.items():
            values = rows.statistics[codebook.score.lower()][:, column]
            notices += root_notices(system, rows.tags, values)
    return [*notices, *kind_notices(rows.tags for rows in systems.values())]


def kind_notices(tags: Iterable[Mapping[str, Labels]]) -> list[str]:
    """Say that people and models are averaged together, where both judged."""
    if len({kind for own in tags for kind in own["kind"].used()}) < 2:
        return []
    return ["people and judge models are averaged together: --by kind tells them apart"]
