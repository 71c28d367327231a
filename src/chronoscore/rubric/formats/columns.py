"""Rows of a sheet read column by column: each word that occurs is looked at once."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from chronoscore.core.labels import Labels
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.formats.sheets import unguard
from chronoscore.rubric.judgement import read_value, round_name
from chronoscore.rubric.judgements import WORDS, Judgements

_FIELDS = {
    "event": "event_id",
    "evaluator": "evaluator",
    "kind": "evaluator_kind",
    "round": "round",
    "system": "system",
    "article": "article_id",
    "date": "event_date",
    "type": "event_type",
    "text": "event_text",
}
_READ: Mapping[str, Callable[[str], str]] = {
    "text": str,
    "round": lambda word: round_name(word.strip()),
}
_KINDS = {"": "person", "person": "person", "llm": "llm"}


def judgements_of(
    header: Sequence[str],
    cells: Sequence[Sequence[str]],
    codebook: Codebook,
    evaluator: str | None,
) -> Judgements | None:
    """Make the judgements of rows that are all in order; None if any of them is not.

    Then they are read one by one, to tell what is wrong, or to leave out what is not judged yet.
    """
    columns = dict(zip(header, zip(*cells, strict=True), strict=True)) if cells else {}
    count = len(cells)
    values = np.empty((count, len(codebook.criteria)), np.int64)
    for place, criterion in enumerate(codebook.criteria):
        column = columns.get(criterion.field, ())
        known: dict[str, int] = {}
        for word in set(column):
            value, problem = read_value(unguard(word), criterion, "csv")
            if problem:
                return None
            known[word] = value
        values[:, place] = np.fromiter(map(known.__getitem__, column), np.int64, count)

    def words(field: str, made: Callable[[str], str]) -> Labels:
        column = columns.get(field)
        if column is None:
            return Labels(("",), np.zeros(count, np.int32))
        read: Mapping[str, str] = {word: made(unguard(word)) for word in set(column)}
        return Labels.of(map(read.__getitem__, column))

    found = {"comment": words(codebook.comment, str)}
    for name, field in _FIELDS.items():
        found[name] = words(field, _READ.get(name, str.strip))
    found["evaluator"] = _filled(found["evaluator"], evaluator or "")
    kinds = found["kind"].names
    if any(kind not in _KINDS for kind in kinds):
        return None
    found["kind"] = Labels.of(_KINDS[kind] for kind in kinds).take(found["kind"].at)
    if any("" in found[name].used() for name in ("event", "evaluator")):
        return None
    return Judgements({name: found[name] for name in WORDS}, values)


def _filled(column: Labels, word: str) -> Labels:
    """Put a word where there is none."""
    if "" not in column.names:
        return column
    return Labels.of(name or word for name in column.names).take(column.at)
