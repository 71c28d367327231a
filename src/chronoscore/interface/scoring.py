"""Score files or objects in memory by a family: sources from whatever was given, then a run."""

from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from chronoscore.core.family import Family
from chronoscore.core.objects import RecordsSource, is_frame, records_of
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import FileSource, Source, ValueSource, stem_of
from chronoscore.engines.plan import Inputs, Plan
from chronoscore.engines.scoring import Scored, score_sources
from chronoscore.engines.settings import IntervalPlan, Settings
from chronoscore.errors import DataError, UsageError
from chronoscore.interface.result import MatchedCases, Result

PREDICTED = "predicted"
"""The name of the only system, where it has none."""
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
    return IntervalPlan.parse("auto" if interval is True else interval)


def _inputs(family: Family, gold: Any, predicted: Any, words: Mapping[str, Any]) -> Inputs:
    if family.agree is not None:
        if gold is not None:
            raise UsageError(
                f"a {family.name} is judged by people, not against a gold: leave the gold out"
            )
        return Inputs(None, {"": sources_of_data(family, predicted)}, words)
    if gold is None:
        raise UsageError(f"{family.name} are scored against a gold: give one")
    systems = systems_of_data(family, predicted, gold)
    return Inputs(source_of_data(family, gold, "gold"), systems, words)


def source_of_data(family: Family, data: Any, name: str) -> Source:
    """Make the source of a path, or of an object in memory."""
    if isinstance(data, Source):
        return data
    if isinstance(data, str | PathLike):
        return FileSource(Path(data))
    if family.is_value is None:
        return RecordsSource(records_of(data, name), name, family.sheet_of)
    if is_frame(data):
        return ValueSource(records_of(data, name), name)
    return ValueSource(list(data) if isinstance(data, Iterator) else data, name)


def sources_of_data(family: Family, data: Any) -> list[Source]:
    """Make the sources of one or several sheets, which may have names."""
    return [source for sources in systems_of_data(family, data).values() for source in sources]


def systems_of_data(family: Family, predicted: Any, gold: Any = None) -> dict[str, list[Source]]:
    """Return the sources of each system: one, or one for each of its trials."""
    if predicted is None:
        raise UsageError("there is nothing to score: give the predictions")
    if isinstance(predicted, Mapping) and not _is_one(family, gold, predicted):
        named = {str(name): data for name, data in predicted.items()}
    elif _are_paths(predicted):
        paths = [Path(path) for path in predicted]
        named = {stem_of(path): path for path in paths}
        if len(named) < len(paths):
            raise UsageError("two files have the same name: give them as {name: path}")
    elif isinstance(predicted, str | PathLike):
        named = {stem_of(Path(predicted)): predicted}
    else:
        named = {PREDICTED: predicted}
    if not named:
        raise UsageError("there is nothing to score: no system was given")
    systems = {}
    for name, data in named.items():
        trials = data if _are_paths(data) else [data]
        if not trials:
            raise UsageError(f"there is no file of '{name}'")
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


def _are_paths(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(p, str | PathLike) for p in value)
