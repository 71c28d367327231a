"""The Python interface: score files, parse metrics, read results.

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
from chronoscore.core.metric import Metric
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.result import CaseMatches, CaseTexts, ResultDocument
from chronoscore.core.sources import source_of
from chronoscore.core.writing import write_file
from chronoscore.engines.plan import Inputs, Plan
from chronoscore.engines.scoring import score_sources
from chronoscore.engines.settings import Settings
from chronoscore.errors import UsageError


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
) -> ResultDocument:
    """Score files of one family. For a rubric there is no gold, and `predicted` are sheets.

    A system of several trials is `{name: [path, path]}`, where the family knows trials. Timelines
    may also be given as values in place of paths, see `chronoscore.timelines.evaluate`.
    Raises `chronoscore.DataError` with every problem of the data, and `chronoscore.UsageError`
    for settings that do not exist or do not go together.
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
    systems = _systems(predicted, values=family == "timelines")
    if not systems:
        raise UsageError("there is nothing to score: no file of any system was given")
    not_single = [name for name, paths in systems.items() if len(paths) != 1]
    if not_single and "trial" not in settings.family.levels:
        raise UsageError(f"{family} has no trials: give '{not_single[0]}' one file")
    if not all(systems.values()):
        raise UsageError(f"there is no file of '{not_single[0]}'")
    sources = {
        name: [source_of(path, name=name) for path in files] for name, files in systems.items()
    }
    if family == "rubric":
        if gold is not None:
            raise UsageError("a rubric is judged by people, not against a gold: give None for it")
        inputs = Inputs(None, {"": [source for (source,) in sources.values()]})
    elif gold is None:
        raise UsageError(f"{family} are scored against a gold: name its file")
    elif family != "timelines" and not isinstance(gold, str | PathLike):
        raise UsageError(f"the gold is a {type(gold).__name__}, expected the path of a file")
    else:
        inputs = Inputs(source_of(gold, name="gold"), sources)
    problems = Problems(ReadingOptions(lenient=lenient))
    return score_sources(settings, inputs, problems, Plan(workers=1)).result


def metric(name: str) -> Metric:
    """Parse a metric's name, such as ``align+m:1(rouge=2)`` or ``AR-1``."""
    return families.metric(name)[1]


def report(
    result: ResultDocument, matches: Sequence[CaseMatches] = (), texts: Sequence[CaseTexts] = ()
) -> str:
    """Make the HTML report of a result; matches and texts explain its scores."""
    from chronoscore.reports.html import report as pages  # noqa: PLC0415 - loaded where shown

    return pages.report(families.family(result.family), result, matches, texts)


def write_report(
    result: ResultDocument, matches: Sequence[CaseMatches], texts: Sequence[CaseTexts], path: Path
) -> None:
    """Write the HTML report of a result into a file."""
    write_file(path, report(result, matches, texts))


def _systems(predicted: Any, *, values: bool) -> dict[str, list[Any]]:
    """Return the files of every system, one for each of its trials; or the value of each system."""
    one_timeline = False
    if values and isinstance(predicted, Mapping):
        from chronoscore.timelines.formats.values import is_timeline  # noqa: PLC0415 - one family

        one_timeline = is_timeline(predicted)
    if isinstance(predicted, Mapping) and not one_timeline:
        return {str(name): _files(files, values=values) for name, files in predicted.items()}
    files = _files(predicted, values=values)
    if not all(isinstance(file, Path) for file in files):
        return {"predicted": files}
    by_name = {path.stem: [path] for path in files}
    if len(by_name) < len(files):
        raise UsageError("two files have the same name: give them as {name: path}")
    return by_name


def _files(value: Any, *, values: bool) -> list[Any]:
    """Return one or several paths, or a value, as a list."""
    paths = [value] if isinstance(value, str | PathLike) else value
    if isinstance(paths, Sequence) and all(isinstance(path, str | PathLike) for path in paths):
        return [Path(path) for path in paths]
    if values and value is not None:
        return [value]
    raise UsageError(f"expected the path of a file, or a list of paths, got {type(value).__name__}")
