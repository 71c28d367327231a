"""The rubric family: judged events as cases, EQS, and agreement between evaluators."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from chronoscore.core.case import Case
from chronoscore.core.event import read_events
from chronoscore.core.family import Family, Protocol
from chronoscore.core.reading import Reading
from chronoscore.rubric.agreement import agreement
from chronoscore.rubric.codebook import Codebook, event_quality
from chronoscore.rubric.formats import read_judgements
from chronoscore.rubric.judgement import Judgement
from chronoscore.rubric.metrics import compare, quality_metric

UNNAMED_SYSTEM = "all"


def read_cases(
    sheets: Sequence[Path],
    reading: Reading,
    *,
    evaluator: str | None = None,
    events: Sequence[Path] = (),
    codebook: Codebook | None = None,
) -> dict[str, list[Case[str, Judgement]]]:
    """Read sheets into one case for each event and evaluator, by system; the last round counts."""
    known = [event.id for path in events for event in read_events(path, reading)]
    codebook = codebook or event_quality()
    judgements = read_judgements(
        sheets,
        codebook,
        reading,
        evaluator=evaluator,
        events=known if events else None,
    )
    reading.check()
    last: dict[tuple[str, str, str], Judgement] = {}
    for judgement in sorted(judgements, key=lambda j: _round_order(j.round)):
        last[judgement.system, judgement.event, judgement.evaluator] = judgement
    if len(last) < len(judgements):
        earlier = len(judgements) - len(last)
        reading.notice(f"{earlier} judgements of earlier rounds are not counted, the last ones are")
    standard = f"{codebook.name} {codebook.version}"
    cases: dict[str, list[Case[str, Judgement]]] = {}
    for (system, event, who), judgement in sorted(last.items()):
        tags = {"event": event, "judgement": who, "evaluator": who}
        tags |= {"article": judgement.article or "(none)", "type": judgement.type or "(none)"}
        case = Case(f"{event}/{who}", standard, judgement, tags)
        cases.setdefault(system or UNNAMED_SYSTEM, []).append(case)
    _notice_root_events(cases, codebook, reading)
    return cases


def _round_order(name: str) -> tuple[int, int, str]:
    return (0, int(name), "") if name.isascii() and name.isdecimal() else (1, 0, name)


def _notice_root_events(
    cases: Mapping[str, Sequence[Case[str, Judgement]]], codebook: Codebook, reading: Reading
) -> None:
    """An article should have one root event; say where a system has none or several."""
    names = [criterion.name for criterion in codebook.criteria]
    if "root" not in names:
        return
    root = names.index("root")
    for system, judged in cases.items():
        roots: Counter[tuple[str, str]] = Counter()
        for case in judged:
            if case.predicted.article:
                key = (case.predicted.article, case.predicted.evaluator)
                roots[key] += case.predicted.values[root]
        none = sorted({article for (article, _), count in roots.items() if count == 0})
        several = sorted({article for (article, _), count in roots.items() if count > 1})
        for which, articles in (("no root event", none), ("several root events", several)):
            if articles:
                reading.notice(f"{system}: {which} in {', '.join(articles)}, by some evaluator")


def rubric_family(codebook: Codebook) -> Family:
    """Make the family of a codebook: its score, its protocol, its agreement."""
    return Family(
        name="rubric",
        question="What do people think of it?",
        levels=("judgement", "event"),
        compare=compare,
        cluster="article",
        definitions=(quality_metric(codebook),),
        aliases={codebook.score: codebook.score.lower()},
        protocols=(
            Protocol(
                name=codebook.name,
                meaning="evaluators are averaged within an event, then events",
                citation=codebook.source,
                metrics=(codebook.score.lower(),),
                path="judgement:mean-f>event:mean-f",
                undefined="skip",
            ),
        ),
        options={},
        agree=partial(agreement, codebook=codebook),
    )


FAMILY = rubric_family(event_quality())
