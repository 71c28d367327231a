"""Our JSON lines straight into columns: no object for each of a million annotations."""

from math import nan
from pathlib import Path

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from chronoscore.annotations.columns import Columns, LabelCoder
from chronoscore.annotations.formats.jsonl import UnusualError, check_doubles
from chronoscore.annotations.formats.reading import read_documents, recognised
from chronoscore.annotations.model import MOST_OFFSET, Document, FeatureValue
from chronoscore.core.collector import no_collector
from chronoscore.core.numbers import Whole
from chronoscore.core.reading import Reading

_ABSENT = msgspec.Raw(b"")


class _Span(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """An annotation whose features are not looked into."""

    type: str
    start: Whole
    end: Whole
    id: str | Whole | UnsetType = UNSET
    features: msgspec.Raw = _ABSENT
    score: float | UnsetType = UNSET
    set: str | UnsetType = UNSET


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document's line."""

    id: str
    annotations: list[_Span]
    text: str | UnsetType = UNSET


def read_columns(path: Path, reading: Reading, format: str | None = None) -> Columns:
    """Read documents of any format into columns; JSON lines of ours without a detour.

    Where anything is wrong or unusual, the file is read as `read_documents` does, which says what.
    Documents with several golds get an entry a gold, named `document/gold`.
    """
    path = reading.plain(path)
    if path.is_file() and (format or recognised(path, reading)) == "jsonl":
        with no_collector():
            columns = _straight(path, reading)
        if columns is not None:
            return columns
    documents = []
    for key, named in read_documents(path, reading, format).items():
        for name, document in named.items():
            shown = key if len(named) == 1 else f"{key}/{name}"
            documents.append(Document(shown, document.annotations))
    return Columns.of(documents)


def _straight(path: Path, reading: Reading) -> Columns | None:
    """The columns of a file in which nothing is wrong or unusual, else None and nothing noted."""
    trial = Reading(encoding=reading.encoding, max_line=reading.max_line)
    decode = msgspec.json.Decoder(_Line).decode
    rows = _Rows()
    try:
        for _, line in trial.lines(path):
            if line.strip():
                rows.add(decode(line), line)
        return None if trial.problems or trial.notices else rows.columns()
    except (msgspec.DecodeError, RecursionError, UnusualError):
        return None


class _Rows:
    """The columns as they grow."""

    def __init__(self) -> None:
        self.labels = _Labels()
        self.documents: dict[str, int] = {}
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.codes: list[int] = []
        self.scores: list[float] = []
        self.ids: list[str | int] = []

    def add(self, record: _Line, line: str) -> None:
        """Add a document, unless there is something to be said about it."""
        spans, code = record.annotations, self.labels.code
        ends = [span.end for span in spans]
        ids = [span.id for span in spans if span.id is not UNSET]
        scores = [nan if span.score is UNSET else span.score for span in spans]
        before = self.labels.keys
        self.codes += [code(span.type, span.set, bytes(span.features)) for span in spans]
        keys = 2 + (record.text is not UNSET) + 3 * len(spans) + len(ids)
        keys += len(spans) - scores.count(nan) + self.labels.keys - before
        check_doubles(line, keys)
        if (
            record.id in self.documents
            or not record.id.strip()
            or len({*map(str, ids)}) not in (0, len(spans))
            or (isinstance(record.text, str) and max(ends, default=0) > len(record.text))
        ):
            raise UnusualError
        self.documents[record.id] = len(spans)
        self.starts += [span.start for span in spans]
        self.ends += ends
        self.ids += ids
        self.scores += scores

    def columns(self) -> Columns:
        """All rows as arrays."""
        start, end = np.array(self.starts, np.int64), np.array(self.ends, np.int64)
        named = len(self.ids)
        wrong = (start < 0) | (end < start) | (end > MOST_OFFSET)
        if np.any(wrong) or named not in (0, len(start)):
            raise UnusualError
        sizes = np.array([*self.documents.values()], np.int64)
        return Columns(
            tuple(self.documents),
            np.repeat(np.arange(len(sizes), dtype=np.int64), sizes),
            start,
            end,
            np.array(self.codes, np.int64),
            np.array(self.scores, np.float64),
            self.labels.coder.labels,
            [*map(str, self.ids)] if named else None,
        )


class _Labels:
    """Numbers what annotations say by how it is written, so that it is looked into only once."""

    def __init__(self) -> None:
        self.coder = LabelCoder()
        self.keys = 0
        """How many keys were met in all features, and for features and sets themselves."""
        self._met: dict[tuple[str, str | UnsetType, bytes], tuple[int, int]] = {}
        self._decode = msgspec.json.Decoder(dict[str, FeatureValue]).decode

    def code(self, kind: str, group: str | UnsetType, features: bytes) -> int:
        """The number of a label."""
        met = self._met.get((kind, group, features))
        if met is None:
            met = self._met[kind, group, features] = self._new(kind, group, features)
        self.keys += met[1]
        return met[0]

    def _new(self, kind: str, group: str | UnsetType, features: bytes) -> tuple[int, int]:
        if not kind.strip():
            raise UnusualError
        values = self._decode(features) if features else {}
        keys = (group is not UNSET) + bool(features) + len(values)
        return self.coder.code(kind, values, group or ""), keys
