"""Write timelines in every format that the reader knows."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import msgspec

from chronoscore.core.case import ONLY
from chronoscore.core.event import Event
from chronoscore.core.writing import json_text, path_inside, write_file
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.dated.sheets import COLUMNS
from chronoscore.elements.dated.tilse import DAY_END, is_sentence
from chronoscore.elements.dated.values import LANGUAGE, Collection
from chronoscore.errors import DataError, UsageError

Languages = Mapping[str, Mapping[str, str]]
"""By topic, the field that names its language, if there is one."""


def _sentences(collection: Collection) -> Iterator[tuple[str, str, str, str]]:
    """Yield topic, timeline, date and text of every sentence.

    A day without sentences yields one blank sentence, which the reader takes as none.
    """
    for topic, named in collection.items():
        for name, timeline in named.items():
            for day, texts in timeline.days:
                for text in texts or ("",):
                    yield topic, name if len(named) > 1 else "", str(day), text


def _by_date(timeline: Timeline) -> dict[str, tuple[str, ...]]:
    return {str(day): texts for day, texts in timeline.days}


def _tilse(timeline: Timeline) -> str:
    lines = []
    for day, texts in timeline.days:
        sentences = [" ".join(text.split()) for text in texts]
        if odd := [text for text in sentences if not is_sentence(text)]:
            raise DataError.of(
                f"{day}: tilse text has no way to write the sentence {odd[0][:40]!r}, which would "
                "be read as a date or as the end of the day; choose another format"
            )
        lines += [str(day), *sentences, DAY_END]
    return "".join(f"{line}\n" for line in lines)


def _list(timeline: Timeline) -> str:
    return json_text(
        [{"date": str(day), "summary": " ".join(texts)} for day, texts in timeline.days]
    )


def _chronos(timeline: Timeline) -> str:
    days = [{"start": str(day), "events": texts} for day, texts in timeline.days]
    return json_text({"predict-timeline": days})


def _lines(values: Iterator[object]) -> str:
    return "".join(msgspec.json.encode(value).decode() + "\n" for value in values)


def _events(collection: Collection, languages: Languages) -> str:
    return _lines(
        Event(
            id=str(number),
            topic=topic,
            timeline=name,
            date=day,
            text=text,
            language=languages[topic].get(LANGUAGE, ""),
        )
        for number, (topic, name, day, text) in enumerate(_sentences(collection), 1)
    )


def _summaries(collection: Collection, languages: Languages) -> str:
    return _lines(
        {"topic": topic, "date": day, "summary": text, "timeline": name, **languages[topic]}
        for topic, name, day, text in _sentences(collection)
    )


def _days(collection: Collection, languages: Languages) -> str:
    return _lines(
        {
            "topic": topic,
            **languages[topic],
            **({"timeline": name} if len(named) > 1 else {}),
            "days": _by_date(timeline),
        }
        for topic, named in collection.items()
        for name, timeline in named.items()
    )


def _sheet(collection: Collection, languages: Languages, delimiter: str = ",") -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    columns = (*COLUMNS, *([LANGUAGE] if any(languages.values()) else ()))
    writer.writerow(columns)
    rows = ((*row, languages[row[0]].get(LANGUAGE, "")) for row in _sentences(collection))
    writer.writerows(row[: len(columns)] for row in rows)
    return out.getvalue()


_WHOLE: Mapping[str, Callable[[Collection, Languages], str]] = {
    "events": _events,
    "summaries": _summaries,
    "days": _days,
    "csv": _sheet,
    "tsv": partial(_sheet, delimiter="\t"),
}
"""Formats that hold all topics in one file."""

_SINGLE: Mapping[str, tuple[str, Callable[[Timeline], str]]] = {
    "tilse": (".txt", _tilse),
    "json": (".json", lambda timeline: json_text(_by_date(timeline))),
    "list": (".json", _list),
    "chronos": (".json", _chronos),
}
"""Formats that hold one timeline in a file."""

FORMATS = (*_SINGLE, "news-tls", *_WHOLE)


def has_languages(form: str) -> bool:
    """Whether a format can name the language of a topic."""
    return form in _WHOLE


def write_timelines(
    collection: Collection, path: Path, form: str, languages: Mapping[str, str] | None = None
) -> list[Path]:
    """Write timelines into a file or, where one does not hold them, a folder; return the paths.

    `languages` are the codes of topics, where they are known.
    """
    if form in _WHOLE:
        codes = {topic: (languages or {}).get(topic, "") for topic in collection}
        fields = {topic: {LANGUAGE: code} if code else {} for topic, code in codes.items()}
        return [write_file(path, _WHOLE[form](collection, fields))]
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
        timelines = [timeline for named in collection.values() for timeline in named.values()]
        if len(timelines) != 1:
            raise UsageError(
                f"there are {len(timelines)} timelines, and a file of the format '{form}' holds "
                "one: name a folder"
            )
        return [write_file(path, write(timelines[0]))]
    written: list[Path] = []
    for topic, named in collection.items():
        for name, timeline in named.items():
            is_only = list(named) == [ONLY]
            file = path / path_inside(f"{topic}{suffix}" if is_only else f"{topic}/{name}{suffix}")
            if file in written:
                raise DataError.of(
                    f"topic '{topic}' and another one would both be written to {file}"
                )
            written.append(write_file(file, write(timeline)))
    return written
