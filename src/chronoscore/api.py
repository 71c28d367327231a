"""The functions that `chronoscore` exports: score, compare, evaluate, agreement, load, metric."""

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronoscore import families
from chronoscore.core.family import Family
from chronoscore.core.metric import Metric
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.result import load as load_document
from chronoscore.core.result import load_sidecars
from chronoscore.engines.settings import Settings
from chronoscore.engines.verifying import counts_alike, verify
from chronoscore.errors import UsageError
from chronoscore.interface.result import MatchedCases, Result
from chronoscore.interface.scoring import (
    interval_plan,
    names_of,
    score_data,
    source_of_data,
    sources_of_data,
    systems_of_data,
)

if TYPE_CHECKING:
    from chronoscore.evaluation.running import Evaluation
    from chronoscore.rubric.codebook import Codebook

RUBRIC = "rubric"


def score(
    family: str,
    gold: Any = None,
    predicted: Any = None,
    *,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    interval: bool | str | None = None,
    by: str | Iterable[str] | None = None,
    protocol: str | None = None,
    average: str | None = None,
    undefined: str | None = None,
    options: Mapping[str, str] | None = None,
    rename: Mapping[str, str] | None = None,
    lenient: bool = False,
    codebook: "Codebook | str | PathLike[str] | None" = None,
) -> Result:
    """Score one or several systems by the metrics of a family.

    - `family`: `"timelines"`, `"events"`, `"ordering"`, `"tlinks"`, `"coreference"`,
      `"annotations"` or `"rubric"`.
    - `gold`, `predicted`: paths, or objects in memory: dicts, lists of dicts, dataclasses, objects
      with `entries`, frames of pandas or polars, Arrow tables. Give several systems as
      `{name: path or object}`, and several trials of a system of timelines as
      `{name: [path, path]}`. A rubric has no gold, and `predicted` are its sheets.
    - `metrics`: names such as `"AR-1"`, or values of `chronoscore.metric`. Without them, the
      metrics of the protocol.
    - `interval`: True for confidence intervals, or a method such as `"bootstrap(level=0.9)"`.
    - `by`: tags to break the scores down by, such as `"topic"`.
    - `protocol`, `average`, `undefined`: as on the command line.
    - `options`: the reading options of the family, such as `{"dates": "interval"}`.
    - `rename`: maps names of predicted timelines to a topic, to `"TOPIC/GOLD"`, or to `"-"`, which
      leaves them out.
    - `lenient`: accept input that is not quite right, with a notice.
    - `codebook`: your own codebook of a rubric, as a path or a `Codebook`.

    Raises `chronoscore.DataError` with every problem of the data, and `chronoscore.UsageError` for
    settings that do not exist or do not go together.

    >>> gold = {"2011-01-25": ["Protests begin in Cairo."], "2011-02-11": ["Mubarak resigns."]}
    >>> predicted = {"2011-01-26": ["Protests began in Cairo."]}
    >>> result = score("timelines", gold, predicted, metrics=["AR-1", "Date-F1"])
    >>> round(result["AR-1"], 3), result["AR-1"].recall, result["Date-F1"]
    (0.375, 0.3, 0.0)
    """
    home, words = _family(family, codebook)
    settings = Settings.make(
        home,
        protocol=protocol,
        metrics=names_of(metrics, "metrics"),
        average=average,
        undefined=undefined,
        options=options,
        by=names_of(by, "by"),
        chance=interval_plan(interval),
    )
    if rename is not None:
        if not home.match_names:
            raise UsageError(
                f"rename is for timelines; the names of {home.name} must be equal: leave it out"
            )
        words = {**words, "rename": dict(rename)}
    return score_data(settings, gold, predicted, lenient=lenient, words=words)


def _family(
    name: str, codebook: "Codebook | str | PathLike[str] | None"
) -> tuple[Family, dict[str, Any]]:
    """Return a family by name, and what its reader needs; judgements may have their codebook."""
    if codebook is None:
        return families.family(name), {}
    if name != RUBRIC:
        raise UsageError(f"a codebook is for judgements, {name} has none: leave it out")
    from chronoscore.rubric.codebook import read_codebook  # noqa: PLC0415 - one family
    from chronoscore.rubric.family import reader_words, rubric_family  # noqa: PLC0415

    book = read_codebook(codebook, Problems())
    return rubric_family(book), {**reader_words(book)}


def evaluate(
    gold: Any,
    predicted: Any,
    *,
    judgements: Any = None,
    articles: Any = None,
    verdicts: Any = None,
    scope: str = "article",
    only: str | Iterable[str] | None = None,
    interval: bool | str | None = None,
    codebook: "Codebook | str | PathLike[str] | None" = None,
    lenient: bool = False,
) -> "Evaluation":
    """Score events by every family that they permit, and join the scores by event.

    - `gold`, `predicted`: paths of `events.jsonl`, lists of dicts or of `Event`, or frames. Give
      several systems as `{name: events}`.
    - `judgements`: sheets of people or of a judge model.
    - `articles`: the texts in which predicted events are looked for, as a path, or a list of dicts
      or of `Article`.
    - `verdicts`: paths, or a list of dicts, that say whether articles support the events.
    - `scope`: the sentences that say how rare a word is: those of the event's `"article"`, or of
      the whole `"collection"`.
    - `only`: the families to score, such as `"timelines"`. Without it, all that are possible.
    - `interval`, `codebook`, `lenient`: as for `chronoscore.score`.

    >>> from chronoscore.demo import home
    >>> answers = evaluate(home() / "gold.jsonl", home() / "quick.jsonl", only="timelines")
    >>> round(answers["timelines"]["AR-1"], 3)
    0.276
    """
    from chronoscore.evaluation.running import evaluate as run  # noqa: PLC0415 - all families
    from chronoscore.rubric.codebook import read_codebook  # noqa: PLC0415

    problems = Problems(ReadingOptions(lenient=lenient))
    events = families.family("ordering")  # which reads records of events
    systems = systems_of_data(events, predicted)
    sheets = []
    if judgements is not None:
        sheets = sources_of_data(families.family(RUBRIC), judgements)
    return run(
        source_of_data(events, gold, "gold"),
        {name: source for name, (source,) in systems.items()},
        problems,
        judgements=sheets,
        codebook=read_codebook(codebook, problems),
        chance=interval_plan(interval),
        only=names_of(only, "only"),
        articles=None if articles is None else source_of_data(events, articles, "articles"),
        verdicts=[source_of_data(events, one, "verdicts") for one in _several(verdicts)],
        scope=scope,
    )


def _several(data: Any) -> list[Any]:
    """Return one file or table as a list of one; several paths as they are."""
    if data is None:
        return []
    is_paths = isinstance(data, list | tuple) and all(isinstance(x, str | PathLike) for x in data)
    return [*data] if is_paths else [data]


def load(
    path: str | PathLike[str], *, codebook: "Codebook | str | PathLike[str] | None" = None
) -> Result:
    """Read a saved result, with its matches and texts if they were saved.

    - `path`: what `Result.save` or `--save` wrote.
    - `codebook`: the codebook of a rubric, if it is not the built-in one.

    Raises `chronoscore.DataError` if the file was damaged, or if its scores do not follow from its
    rows.

    >>> import tempfile
    >>> from chronoscore.demo import home
    >>> result = score("timelines", home() / "gold.jsonl", home() / "quick.jsonl")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load(result.save(f"{folder}/run.json")) == result
    True
    """
    file = Path(path)
    document = load_document(file)
    home, _ = _family(document.family, codebook)
    if document.family == RUBRIC and not counts_alike(home, document):
        raise UsageError(f"{file} is of another codebook: give it by codebook=")
    verify(home, document, file)
    return Result(home, document, lambda: MatchedCases(*load_sidecars(file, document)))


def metric(name: str | Metric) -> Metric:
    """Parse the name of a metric, such as `align+m:1(rouge=2)` or `AR-1`.

    The metric is a value: two names of one metric give equal metrics. A metric is returned as it
    is. An unknown name raises `chronoscore.UsageError`.

    >>> str(metric("AR-2"))
    'align+m:1(rouge=2)'
    >>> metric("AR-2") == metric("align+m:1(rouge=2)")
    True
    """
    if isinstance(name, Metric):
        return name
    if not isinstance(name, str):
        raise UsageError(f"a metric is named {name!r}, expected a name such as 'AR-1'")
    return families.metric(name)[1]
