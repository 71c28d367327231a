"""The timelines family: its cases, catalogue and protocols."""

from collections.abc import Mapping
from pathlib import Path

from chronoscore.core.case import Case, Missing
from chronoscore.core.collection import pair_up
from chronoscore.core.family import Family, Protocol
from chronoscore.core.reading import Reading
from chronoscore.elements.text import mostly_foreign
from chronoscore.timelines.comparison import compare
from chronoscore.timelines.formats import Collection, read_timelines
from chronoscore.timelines.metrics import DEFINITIONS
from chronoscore.timelines.model import References, Timeline

TimelineCase = Case[References, Timeline]


def read_cases(
    gold: Path, predictions: Mapping[str, Path], reading: Reading, options: Mapping[str, str]
) -> dict[str, list[TimelineCase]]:
    """Read golds and each system's predictions, and bring them together by topic and gold."""
    golds = read_timelines(gold, reading)
    read = {name: read_timelines(path, reading) for name, path in predictions.items()}
    reading.check()
    _warn_of_foreign_text(golds, reading)
    missing: Missing = options["missing"]  # type: ignore[assignment]  # one of the declared
    references: dict[str, dict[str, References]] = {
        topic: {"all": tuple(named.values())}
        if options["golds"] == "pooled"
        else {name: (timeline,) for name, timeline in named.items()}
        for topic, named in golds.items()
    }
    return {
        name: pair_up(
            references,
            found,
            reading,
            level="topic",
            system=name,
            empty=lambda _: Timeline(),
            missing=missing,
        )
        for name, found in read.items()
    }


def _warn_of_foreign_text(golds: Collection, reading: Reading) -> None:
    foreign = [
        topic
        for topic, named in golds.items()
        if mostly_foreign(text for t in named.values() for _, texts in t.days for text in texts)
    ]
    if foreign:
        reading.notice(
            f"the text of {', '.join(foreign)} is mostly not ASCII: text=rouge155 sees only "
            "fragments of it, so its scores mean little"
        )


FAMILY = Family(
    name="timelines",
    question="What does it say, on which dates?",
    levels=("gold", "topic"),
    compare=compare,
    definitions=DEFINITIONS,
    aliases={"AR-1": "align+m:1", "AR-2": "align+m:1(rouge=2)", "Date-F1": "date-f1"},
    protocols=(
        Protocol(
            name="news-tls",
            meaning="AR-1, AR-2 and Date-F1 against each gold alone; mean P and mean R over all "
            "golds of all topics, then F",
            citation="Gholipour Ghalandari and Ifrim 2020, Examining the State-of-the-Art in News "
            "Timeline Summarization, ACL",
            metrics=("AR-1", "AR-2", "Date-F1"),
            path="gold+topic:mean-pr",
            undefined="zero",
        ),
    ),
    options={"golds": ("each", "pooled"), "missing": ("empty", "skip", "error")},
)
