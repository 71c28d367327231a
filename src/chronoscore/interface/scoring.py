"""Score files or objects in memory by a family: sources from whatever was given, then a run."""

import os
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from chronoscore.core.family import Family
from chronoscore.core.metric import Metric
from chronoscore.core.objects import EXPECTED, RecordsSource, is_frame, records_of
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import FileSource, Source, ValueSource, stem_of
from chronoscore.engines.plan import Inputs, Plan, check_system_name
from chronoscore.engines.scoring import Scored, score_sources
from chronoscore.engines.settings import IntervalPlan, Settings
from chronoscore.errors import DataError, UsageError
from chronoscore.interface.result import MatchedCases, Result

PREDICTED = "predicted"
"""The name of the only system, where it has none."""
LONGEST_PATH = 4096
_OF_RECORDS = frozenset({"id", "document", "event", "annotations", "clusters", "entries"})
"""Fields by which a dict is one record, and no mapping of names to systems."""


def score_data(
    settings: Settings,
    gold: Any,
    predicted: Any,
    *,
    lenient: bool = False,
    words: Mapping[str, Any] | None = None,
) -> Result:
    """Score systems as `chronoscore.score` does; `words` are options of the family's reader."""
    inputs = _inputs(settings.family, gold, predicted, words or {})
    reading = ReadingOptions(lenient=lenient)

    def run(*, explain: bool) -> Scored:
        return score_sources(settings, inputs, Problems(reading), Plan(workers=1), explain=explain)

    document = run(explain=False).result

    def evidence() -> MatchedCases:
        again = run(explain=True)
        if again.result != document:
            raise DataError.of("the data have changed since they were scored: score them again")
        return MatchedCases(again.matches, again.texts)

    return Result(settings.family, document, evidence)


def interval_plan(interval: bool | str | None) -> IntervalPlan | None:
    """Read how intervals are computed, such as ``bootstrap(level=0.9)``; True is the usual way."""
    if interval is None or interval is False:
        return None
    if not isinstance(interval, bool | str):
        raise UsageError(
            f"interval is {interval!r}, expected True or a method such as 'bootstrap(level=0.9)'"
        )
    return IntervalPlan.parse("auto" if interval is True else interval)


def names_of(names: str | Metric | Iterable[str | Metric] | None, what: str) -> tuple[str, ...]:
    """Return one or several names as a tuple; a metric stands for its name, and None for none."""
    several = () if names is None else (names,) if isinstance(names, str | Metric) else names
    listed = tuple(several) if isinstance(several, Iterable) else (several,)
    for name in listed:
        if not isinstance(name, str | Metric):
            raise UsageError(f"{what} has {name!r}, expected a name or a list of names")
    return tuple(map(str, listed))


def _inputs(family: Family, gold: Any, predicted: Any, words: Mapping[str, Any]) -> Inputs:
    if family.agree is not None:
        if gold is not None:
            raise UsageError(
                f"a {family.name} is judged by people, not against a gold: leave the gold out"
            )
        return Inputs(None, {"": sources_of_data(family, predicted)}, words)
    if gold is None:
        raise UsageError(f"{family.name} are scored against a gold: give one")
    if _are_paths(gold) and gold:
        raise UsageError("gold is a list of paths: give one path, of a file or a folder")
    systems = systems_of_data(family, predicted, gold)
    return Inputs(source_of_data(family, gold, "gold"), systems, words)


def source_of_data(family: Family, data: Any, name: str) -> Source:
    """Make the source of a path, or of an object in memory."""
    if isinstance(data, Source):
        return data
    if isinstance(data, str | PathLike):
        return FileSource(_path(data, name))
    if isinstance(data, bytes | bytearray):
        raise UsageError(f"{name} is of type bytes, expected {EXPECTED}")
    if family.is_value is None:
        return RecordsSource(records_of(data, name), name, family.sheet_of)
    if is_frame(data):
        return ValueSource(records_of(data, name), name)
    return ValueSource(list(data) if isinstance(data, Iterator) else data, name)


def _path(data: str | PathLike[str], name: str) -> Path:
    """Return the path; refuse a text that is none, such as the content of a file."""
    text = str(data)
    if not text:
        raise UsageError(f"the path of {name} is empty")
    if "\n" in text or text.lstrip()[:1] in ("{", "[") or len(text) > LONGEST_PATH:
        raise UsageError(
            f"{name} is the text {text[:30]!r}..., expected a path: load the text first, as with "
            "json.loads"
        )
    try:
        os.stat(data)  # noqa: PTH116 - of a text that may be no path
    except FileNotFoundError:
        pass  # readers say so
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise DataError.of(str(reason), text if len(text) < 60 else f"{text[:60]}...") from None
    return Path(data)


def sources_of_data(family: Family, data: Any) -> list[Source]:
    """Make the sources of one or several sheets, which may have names."""
    if data is None:
        raise UsageError("there are no judgements: give a path, a list of dicts, or a frame")
    return [source for sources in systems_of_data(family, data).values() for source in sources]


def systems_of_data(family: Family, predicted: Any, gold: Any = None) -> dict[str, list[Source]]:
    """Return the sources of each system: one, or one for each of its trials."""
    if predicted is None:
        raise UsageError("there is nothing to score: give the predictions")
    if isinstance(predicted, Mapping) and not _is_one(family, gold, predicted):
        named = _by_name(family, gold, predicted)
    elif _are_paths(predicted):
        paths = [Path(path) for path in predicted]
        named = {stem_of(path): path for path in paths}
        if len(named) < len(paths):
            raise UsageError("two files have the same name: give them as {name: path}")
    elif isinstance(predicted, str | PathLike):
        named = {stem_of(_path(predicted, PREDICTED)): predicted}
    else:
        named = {PREDICTED: predicted}
    if not named:
        raise UsageError("there is nothing to score: no system was given")
    systems = {}
    for name, data in named.items():
        if data is None:
            raise UsageError(f"{name} is None, expected {EXPECTED}")
        trials = data if _are_paths(data) else [data]
        if not trials:
            empty = "; a timeline without days is {}" * bool(family.is_value)
            raise UsageError(
                f"there is no file of '{name}' and no record: its list is empty{empty}"
            )
        if len(trials) > 1 and "trial" not in family.levels:
            raise UsageError(f"{family.name} has no trials: give '{name}' one file")
        systems[name] = [source_of_data(family, trial, name) for trial in trials]
    return systems


def _is_one(family: Family, gold: Any, predicted: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one prediction: a record, a timeline, or timelines by the gold's topics.

    Any other mapping has systems by name.
    """
    if family.is_value is None:
        return not _OF_RECORDS.isdisjoint(predicted)
    if family.is_value(predicted):
        return True
    topics = isinstance(gold, Mapping) and not family.is_value(gold)
    return topics and bool(predicted) and set(predicted) <= set(gold)


def _by_name(family: Family, gold: Any, systems: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what was given for each system; refuse a mapping that is not one of systems."""
    if isinstance(gold, Mapping) and family.is_value is not None and not family.is_value(gold):
        topics = [str(name) for name in systems if name in gold]
        others = [str(name) for name in systems if name not in gold]
        if topics and others:
            raise UsageError(
                f"{', '.join(topics)} is a topic of the gold and {', '.join(others)} is not: give "
                "{system: {topic: timeline}}, or only topics of the gold"
            )
    named: dict[str, Any] = {}
    for key, data in systems.items():
        name = "" if key is None else str(key)
        check_system_name(name)
        if name in named:
            raise UsageError(f"two systems are named '{name}': give each a name of its own")
        texts = [data] if isinstance(data, str) else data if _are_paths(data) else ()
        for text in texts:
            if " " in str(text) and not _exists(text):
                days = "; the keys of a timeline are dates, as YYYY-MM-DD" * bool(family.is_value)
                raise UsageError(
                    f"'{name}' was read as a system and {str(text)[:60]!r} as its file, which does "
                    f"not exist{days}"
                )
        named[name] = data
    return named


def _exists(path: str | PathLike[str]) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - `Path` fails where a text is too long for a path


def _are_paths(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(p, str | PathLike) for p in value)
