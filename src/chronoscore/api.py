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

from chronoscore import families
from chronoscore.core.errors import UsageError
from chronoscore.core.metric import Metric
from chronoscore.core.reading import Reading
from chronoscore.core.result import Result
from chronoscore.engines.files import score_files
from chronoscore.engines.settings import Settings

AnyPath = str | PathLike[str]


def score(
    family: str,
    gold: AnyPath | None,
    predicted: Mapping[str, AnyPath | Sequence[AnyPath]] | Sequence[AnyPath] | AnyPath,
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

    A system of several trials is `{name: [path, path]}`, where the family knows trials.
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
    systems = _named(predicted)
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
        (path,) = _paths([gold])
        trials = {name: paths if len(paths) > 1 else paths[0] for name, paths in systems.items()}
        scored = score_files(
            settings,
            lambda reading, chosen: read_cases(path, trials, reading, chosen),
            Reading(lenient=lenient),
        )
    return scored.result


def metric(name: str) -> Metric:
    """Parse a metric's name, such as ``align+m:1(rouge=2)`` or ``AR-1``."""
    return families.metric(name)[1]


def _named(
    predicted: Mapping[str, AnyPath | Sequence[AnyPath]] | Sequence[AnyPath] | AnyPath,
) -> dict[str, list[Path]]:
    """The files of every system, one for each of its trials."""
    if isinstance(predicted, Mapping):
        return {name: _paths(given) for name, given in predicted.items()}
    paths = _paths(predicted)
    named = {path.stem: [path] for path in paths}
    if len(named) < len(paths):
        raise UsageError("two files have the same name: give them as {name: path}")
    return named


def _paths(given: AnyPath | Sequence[AnyPath]) -> list[Path]:
    several = [given] if isinstance(given, str | PathLike) else given
    if not isinstance(several, Sequence) or not all(isinstance(p, str | PathLike) for p in several):
        raise UsageError(
            "expected the path of a file, or a list of paths; timelines in memory are scored by "
            "chronoscore.timelines.evaluate(gold, predicted)"
        )
    return [Path(path) for path in several]
