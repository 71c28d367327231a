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
    predicted: Mapping[str, AnyPath] | Sequence[AnyPath] | AnyPath,
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
    read_cases = families.reader(family)
    if family == "rubric":
        sheets = list(systems.values())
        scored = score_files(
            settings, lambda reading, _: read_cases(sheets, reading), Reading(lenient=lenient)
        )
    elif gold is None:
        raise UsageError(f"{family} are scored against a gold: name its file")
    else:
        path = Path(gold)
        scored = score_files(
            settings,
            lambda reading, chosen: read_cases(path, systems, reading, chosen),
            Reading(lenient=lenient),
        )
    return scored.result


def metric(name: str) -> Metric:
    """Parse a metric's name, such as ``align+m:1(rouge=2)`` or ``AR-1``."""
    return families.metric(name)[1]


def _named(predicted: Mapping[str, AnyPath] | Sequence[AnyPath] | AnyPath) -> dict[str, Path]:
    if isinstance(predicted, Mapping):
        return {name: Path(path) for name, path in predicted.items()}
    paths = [predicted] if isinstance(predicted, str | PathLike) else list(predicted)
    named = {Path(path).stem: Path(path) for path in paths}
    if len(named) < len(paths):
        raise UsageError("two files have the same name: give them as {name: path}")
    return named
