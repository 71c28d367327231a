"""The product from Python: score files, parse metrics, read results.

>>> from chronoscore.demo import home
>>> result = score("timelines", home() / "gold.jsonl", {"quick": home() / "quick.jsonl"},
...                metrics=["AR-1"])
>>> round(result.systems[0].summaries[0].scores["f1"], 3)
0.276
"""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from chronoscore import families
from chronoscore.core.errors import UsageError
from chronoscore.core.metric import Metric
from chronoscore.core.reading import Reading
from chronoscore.core.result import Result
from chronoscore.engines.files import score_files
from chronoscore.engines.settings import Settings


def score(
    family: str,
    gold: Any,
    predicted: Any,
    *,
    protocol: str | None = None,
    metrics: Sequence[str] = (),
    average: str | None = None,
    undefined: str | None = None,
    options: Mapping[str, str] | None = None,
    by: Sequence[str] = (),
    lenient: bool = False,
) -> Result:
    """Score files of one family. For a rubric there is no gold, and `predicted` are sheets.

    A system of several trials is `{name: [path, path]}`, where the family knows trials. Timelines
    may also be given as values in place of paths, see `chronoscore.timelines.evaluate`.
    Raises `chronoscore.DataError` with every problem of the data, and `chronoscore.UsageError`
    for settings that do not exist or go together.
    """
    settings = Settings.make(
        families.family(family),
        protocol=protocol,
        metrics=metrics,
        average=average,
        undefined=undefined,
        options=options,
        by=by,
    )
    systems = _named(predicted, values=family == "timelines")
    if not systems:
        raise UsageError("there is nothing to score: no file of any system was given")
    several = [name for name, paths in systems.items() if len(paths) != 1]
    if several and "trial" not in settings.family.levels:
        raise UsageError(f"{family} has no trials: give '{several[0]}' one file")
    if not all(systems.values()):
        raise UsageError(f"there is no file of '{several[0]}'")
    read_cases = families.reader(family)
    if family == "rubric":
        if gold is not None:
            raise UsageError("a rubric is judged by people, not against a gold: give None for it")
        sheets = [path for (path,) in systems.values()]
        scored = score_files(
            settings, lambda reading, _: read_cases(sheets, reading), Reading(lenient=lenient)
        )
    elif gold is None:
        raise UsageError(f"{family} are scored against a gold: name its file")
    else:
        golds = Path(gold) if isinstance(gold, str | PathLike) else gold
        if family != "timelines" and not isinstance(golds, Path):
            raise UsageError(f"the gold is a {type(gold).__name__}, expected the path of a file")
        trials = {name: paths if len(paths) > 1 else paths[0] for name, paths in systems.items()}
        scored = score_files(
            settings,
            lambda reading, chosen: read_cases(golds, trials, reading, chosen),
            Reading(lenient=lenient),
        )
    return scored.result


def metric(name: str) -> Metric:
    """Parse a metric's name, such as ``align+m:1(rouge=2)`` or ``AR-1``."""
    return families.metric(name)[1]


def _named(predicted: Any, *, values: bool) -> dict[str, list[Any]]:
    """The files of every system, one for each of its trials, or the value of each."""
    if isinstance(predicted, Mapping) and not (values and _is_timeline(predicted)):
        return {str(name): _given(given, values=values) for name, given in predicted.items()}
    found = _given(predicted, values=values)
    if not all(isinstance(one, Path) for one in found):
        return {"predicted": found}
    named = {path.stem: [path] for path in found}
    if len(named) < len(found):
        raise UsageError("two files have the same name: give them as {name: path}")
    return named


def _is_timeline(value: Any) -> bool:
    """Whether a mapping is one timeline, not timelines by the names of systems."""
    from chronoscore.timelines.formats.values import is_timeline  # noqa: PLC0415 - one family only

    return is_timeline(value)


def _given(given: Any, *, values: bool) -> list[Any]:
    """The paths that were given, one or several, or a value that is scored as it is."""
    several = [given] if isinstance(given, str | PathLike) else given
    if isinstance(several, Sequence) and all(isinstance(p, str | PathLike) for p in several):
        return [Path(path) for path in several]
    if values and given is not None:
        return [given]
    raise UsageError(f"expected the path of a file, or a list of paths, got {type(given).__name__}")
