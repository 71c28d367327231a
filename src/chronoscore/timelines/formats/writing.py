"""Writing timelines in every layout that is read."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from chronoscore.core.collection import ONLY
from chronoscore.core.errors import DataError, UsageError
from chronoscore.core.event import Event
from chronoscore.core.writing import path_inside, write_file
from chronoscore.timelines.formats.days import Collection
from chronoscore.timelines.formats.sheets import COLUMNS
from chronoscore.timelines.formats.structured import SummaryRecord
from chronoscore.timelines.formats.text import written_text
from chronoscore.timelines.model import Timeline


def _each(collection: Collection) -> Iterator[tuple[str, str, str, str]]:
    """Topic, timeline, date and sentence of everything that is said.

    A day without sentences has a blank one, which is read as none.
    """
    for topic, named in collection.items():
        for name, timeline in named.items():
            for day, texts in timeline.days:
                for text in texts or ("",):
                    yield topic, name if len(named) > 1 else "", str(day), text


def _by_date(timeline: Timeline) -> dict[str, tuple[str, ...]]:
    return {str(day): texts for day, texts in timeline.days}


def _json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=1).decode() + "\n"


def _lines(values: Iterator[object]) -> str:
    return "".join(msgspec.json.encode(value).decode() + "\n" for value in values)


def _events(collection: Collection) -> str:
    return _lines(
        Event(id=str(number), topic=topic, timeline=name, date=day, text=text)
        for number, (topic, name, day, text) in enumerate(_each(collection), 1)
    )


def _summaries(collection: Collection) -> str:
    return _lines(
        msgspec.structs.asdict(SummaryRecord(topic, day, text, name))
        for topic, name, day, text in _each(collection)
    )


def _days(collection: Collection) -> str:
    return _lines(
        {"topic": topic, **({"timeline": name} if len(named) > 1 else {}), "days": _by_date(one)}
        for topic, named in collection.items()
        for name, one in named.items()
    )


def _sheet(collection: Collection, delimiter: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((topic, name, day, text) for topic, name, day, text in _each(collection))
    return out.getvalue()


_WHOLE: Mapping[str, tuple[str, Callable[[Collection], str]]] = {
    "events": (".jsonl", _events),
    "summaries": (".jsonl", _summaries),
    "days": (".jsonl", _days),
    "csv": (".csv", lambda collection: _sheet(collection, ",")),
    "tsv": (".tsv", lambda collection: _sheet(collection, "\t")),
}
"""Formats that hold all topics in one file."""

_SINGLE: Mapping[str, tuple[str, Callable[[Timeline], str]]] = {
    "tilse": (".txt", written_text),
    "json": (".json", lambda timeline: _json(_by_date(timeline))),
    "list": (
        ".json",
        lambda timeline: _json(
            [{"date": day, "summary": " ".join(t)} for day, t in _by_date(timeline).items()]
        ),
    ),
    "chronos": (
        ".json",
        lambda timeline: _json(
            {
                "predict-timeline": [
                    {"start": day, "events": texts} for day, texts in _by_date(timeline).items()
                ]
            }
        ),
    ),
}
"""Formats that hold one timeline in a file."""

FORMATS = (*_SINGLE, "news-tls", *_WHOLE)


def write_timelines(collection: Collection, path: Path, form: str) -> list[Path]:
    """Write timelines; a file where one is enough, else a folder. Returns what was written."""
    if form in _WHOLE:
        return [write_file(path, _WHOLE[form][1](collection))]
    if form == "news-tls":
        return [
            write_file(
                path / path_inside(topic) / "timelines.jsonl",
                _lines(list(_by_date(timeline).items()) for timeline in named.values()),
            )
            for topic, named in collection.items()
        ]
    if form not in _SINGLE:
        raise UsageError(f"unknown format '{form}'; there are: {', '.join(FORMATS)}")
    suffix, write = _SINGLE[form]
    if path.suffix == suffix:
        only = [timeline for named in collection.values() for timeline in named.values()]
        if len(only) != 1:
            raise UsageError(
                f"there are {len(only)} timelines, and a file of the format '{form}' holds one: "
                "name a folder"
            )
        return [write_file(path, write(only[0]))]
    written: list[Path] = []
    for topic, named in collection.items():
        for name, timeline in named.items():
            alone = list(named) == [ONLY]
            file = path / path_inside(f"{topic}{suffix}" if alone else f"{topic}/{name}{suffix}")
            if file in written:
                raise DataError.of(
                    f"topic '{topic}' and another one would both be written to {file}"
                )
            written.append(write_file(file, write(timeline)))
    return written
