"""The rubric family: judged events as cases, EQS, and agreement between evaluators."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.batch import Batch
from chronoscore.core.case import Case, digest, some
from chronoscore.core.event import read_events
from chronoscore.core.family import Family, Protocol
from chronoscore.core.labels import Labels, Places, grouped
from chronoscore.core.reading import Reading
from chronoscore.rubric.agreement import agreement
from chronoscore.rubric.codebook import Codebook, event_quality
from chronoscore.rubric.formats import read_judgements
from chronoscore.rubric.judgement import Judgement, round_order
from chronoscore.rubric.judgements import Judgements
from chronoscore.rubric.metrics import compare, quality_metric
from chronoscore.rubric.texts import texts_of

UNNAMED_SYSTEM = "all"


def read_cases(
    sheets: Sequence[Path],
    reading: Reading,
    *,
    evaluator: str | None = None,
    events: Sequence[Path] = (),
    codebook: Codebook | None = None,
) -> dict[str, Batch]:
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
    return judged_cases(judgements, codebook, reading)


def judged_cases(judgements: Judgements, codebook: Codebook, reading: Reading) -> dict[str, Batch]:
    """One case for each event and evaluator, by system; the last round counts."""
    kept = last_rounds(judgements)
    if len(kept) < len(judgements):
        _notice_rounds(judgements, kept, reading)
    judgements = judgements.take(kept)
    system = judgements.words["system"]
    cases: dict[str, Batch] = {}
    for name in system.used():
        own = judgements.take(np.flatnonzero(system.at == system.names.index(name)))
        cases[name or UNNAMED_SYSTEM] = _cases(own, codebook)
    _notice_root_events(cases, codebook, reading)
    return cases


def _notice_rounds(judgements: Judgements, kept: Places, reading: Reading) -> None:
    """Say what is not counted; a model's rounds are samples, none of which is later."""
    dropped = np.ones(len(judgements), np.bool_)
    dropped[kept] = False
    kinds = judgements.words["kind"].take(np.flatnonzero(dropped)).words()
    sampled = kinds.count("llm")
    if sampled < len(kinds):
        earlier = len(kinds) - sampled
        reading.notice(f"{earlier} judgements of earlier rounds are not counted, the last ones are")
    if sampled:
        reading.notice(
            f"{sampled} judgements by judge models are not counted: of each event's samples "
            "(rounds) the last one is; `chronoscore calibrate` takes their mean"
        )


def last_rounds(judgements: Judgements) -> Places:
    """The judgements of each event by each evaluator that were made last."""
    words = judgements.words
    ranked = sorted(words["round"].names, key=round_order)
    rank = np.array([ranked.index(name) for name in words["round"].names], np.int32)
    key = [words[name].at for name in ("system", "event", "evaluator")]
    order = grouped([*key, rank[words["round"].at]], len(judgements)).order
    groups = grouped([column[order] for column in key], len(order))
    return np.asarray(order[groups.order[groups.starts + groups.sizes() - 1]])


def _cases(judgements: Judgements, codebook: Codebook) -> Batch:
    """One case for each judgement, set against what the codebook asks."""
    words = judgements.words
    standard = f"{codebook.name} {codebook.version}"
    events, evaluators = words["event"].words(), words["evaluator"].words()
    ids = [f"{event}/{who}" for event, who in zip(events, evaluators, strict=True)]
    tags = {
        "event": words["event"],
        "judgement": words["evaluator"],
        "evaluator": words["evaluator"],
        "article": _named(words["article"]),
        "type": _named(words["type"]),
        "kind": words["kind"],
    }

    def case(at: int) -> Case[str, Judgement]:
        own = {name: column[at] or "" for name, column in tags.items()}
        return Case(ids[at], standard, judgements[at], own)

    def digests() -> tuple[NDArray[np.bytes_], NDArray[np.bytes_]]:
        gold = np.full(len(ids), digest(standard).encode(), "S16")
        return gold, judgements.digests()

    return Batch(ids, tags, judgements, case, digests)


def _named(column: Labels) -> Labels:
    return Labels.of(name or "(none)" for name in column.names).take(column.at)


def _notice_root_events(cases: Mapping[str, Batch], codebook: Codebook, reading: Reading) -> None:
    """An article should have one root event; say where a system has none or several."""
    names = [criterion.name for criterion in codebook.criteria]
    if "root" not in names:
        return
    for system, batch in cases.items():
        judged: Judgements = batch.columns
        article, who = judged.words["article"], judged.words["evaluator"]
        groups = grouped([article.at, who.at], len(judged))
        roots = np.add.reduceat(judged.values[groups.order, names.index("root")], groups.starts)
        of = article.take(groups.firsts)
        for which, found in (("no root event", roots == 0), ("several root events", roots > 1)):
            articles = [name for name in of.take(found).used() if name]
            if articles:
                reading.notice(f"{system}: {which} in {some(articles)}, by some evaluator")


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
        texts=texts_of,
    )


FAMILY = rubric_family(event_quality())
