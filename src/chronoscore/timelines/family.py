"""The timelines family: its cases, catalogue and protocols."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from chronoscore.core.case import Case, Missing
from chronoscore.core.collection import named_alike, pair_up
from chronoscore.core.family import Family
from chronoscore.core.reading import Reading
from chronoscore.core.sharding import by_topic
from chronoscore.elements.text import mostly_foreign
from chronoscore.timelines.comparison import compare, compare_many
from chronoscore.timelines.formats import Collection, read_timelines
from chronoscore.timelines.metrics import DEFINITIONS
from chronoscore.timelines.model import References, Timeline
from chronoscore.timelines.protocols import PROTOCOLS

TimelineCase = Case[References, Timeline]


def read_cases(
    gold: Path,
    predictions: Mapping[str, Path | Sequence[Path]],
    reading: Reading,
    options: Mapping[str, str],
) -> dict[str, list[TimelineCase]]:
    """Read golds and each system's predictions, one file or folder for each of its trials."""
    golds = read_timelines(gold, reading, options)
    read = {
        name: [
            named_alike(
                golds, read_timelines(path, reading, options, "predicted"), gold, path, reading
            )
            for path in _trials(paths)
        ]
        for name, paths in predictions.items()
    }
    reading.check()
    warn_of_foreign_text(golds, reading)
    return {
        name: pair_trials(golds, trials, reading, options, name) for name, trials in read.items()
    }


def pair_trials(
    golds: Collection,
    trials: Sequence[Mapping[str, Mapping[str, Timeline]]],
    reading: Reading,
    options: Mapping[str, str],
    system: str,
) -> list[TimelineCase]:
    """Bring the golds together with the predictions of every trial."""
    missing: Missing = options["missing"]  # type: ignore[assignment]  # one of the declared
    cases = []
    for number, predicted in enumerate(trials, 1):
        several = len(trials) > 1
        found = pair_up(
            references_of(golds, options),
            predicted,
            reading,
            level="topic",
            system=f"{system}, trial {number}" if several else system,
            empty=lambda _: Timeline(),
            missing=missing,
            tags={"trial": str(number)},
        )
        cases += [replace(c, id=f"{c.id}@{number}") for c in found] if several else found
    return cases


def references_of(
    golds: Collection, options: Mapping[str, str]
) -> dict[str, dict[str, References]]:
    """Each gold alone, or all golds of a topic together."""
    return {
        topic: {"all": tuple(named.values())}
        if options["golds"] == "pooled"
        else {name: (timeline,) for name, timeline in named.items()}
        for topic, named in golds.items()
    }


def ceiling_cases(golds: Collection) -> list[TimelineCase]:
    """Score each gold against every other gold of its topic: how well people do."""
    return [
        Case(
            f"{topic}/{name}~{other}",
            (reference,),
            predicted,
            {"topic": topic, "gold": f"{name}~{other}", "trial": "1"},
        )
        for topic, named in golds.items()
        for name, reference in named.items()
        for other, predicted in named.items()
        if other != name
    ]


def _trials(paths: Path | Sequence[Path]) -> Sequence[Path]:
    return [paths] if isinstance(paths, Path) else paths


def warn_of_foreign_text(golds: Collection, reading: Reading) -> None:
    """Say if the default text processing sees only fragments of the text."""
    foreign = [
        topic
        for topic, named in golds.items()
        if mostly_foreign(text for t in named.values() for _, texts in t.days for text in texts)
    ]
    reading.tally(
        "the text of {some} is mostly not ASCII: text=rouge155 and reimpl see only fragments of "
        "it; use text=plain or text=snowball-LANGUAGE",
        [(0, topic) for topic in foreign],
    )


def texts_of(case: TimelineCase) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """The sentences of each day of gold and prediction."""
    gold: dict[str, tuple[str, ...]] = {}
    for reference in case.gold:
        for day, texts in reference.days:
            gold[str(day)] = (*gold.get(str(day), ()), *texts)
    return gold, {str(day): texts for day, texts in case.predicted.days}


FAMILY = Family(
    name="timelines",
    question="What does it say, on which dates?",
    levels=("gold", "topic", "trial"),
    sharding=by_topic,
    compare=compare,
    compare_many=compare_many,
    definitions=DEFINITIONS,
    aliases={"AR-1": "align+m:1", "AR-2": "align+m:1(rouge=2)", "Date-F1": "date-f1"},
    protocols=PROTOCOLS,
    cluster="topic",
    texts=texts_of,
    options={
        "golds": ("each", "pooled"),
        "missing": ("empty", "skip", "error"),
        "repeated": ("auto", "join", "first", "last"),
        "dates": ("error", "first-day", "interval"),
    },
)
