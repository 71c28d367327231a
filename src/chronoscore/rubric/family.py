"""The rubric family: judged events as cases, EQS, and agreement between evaluators."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
from chronoscore.core.sharding import by_event
from chronoscore.rubric.agreement import agreement
from chronoscore.rubric.codebook import Codebook, event_quality
from chronoscore.rubric.formats import read_judgements
from chronoscore.rubric.judgement import NO_NAME, Judgement, round_order
from chronoscore.rubric.judgements import Judgements
from chronoscore.rubric.metrics import compare, quality_metric
from chronoscore.rubric.texts import texts_of

UNNAMED_SYSTEM = "all"
EARLIER, SAMPLED = "judgements of earlier rounds", "samples of judge models"
"""What is counted and not scored."""


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
    dropped = _dropped(judgements, kept)
    judgements = judgements.take(kept)
    named = Labels.of(name or UNNAMED_SYSTEM for name in judgements.words["system"].names)
    system = named.take(judgements.words["system"].at)
    cases: dict[str, Batch] = {}
    for name in system.used():
        own = judgements.take(np.flatnonzero(system.at == system.names.index(name)))
        cases[name] = _cases(own, codebook)
    if reading.partial:  # those who see all parts tell what they add up to, and articles lack
        reading.counts += dropped
        return cases
    for notice in (*round_notices(dropped), *_root_notices(cases, codebook)):
        reading.notice(notice)
    return cases


def _dropped(judgements: Judgements, kept: Places) -> Counter[str]:
    """Count what is not scored; a model's rounds are samples, none of which is later."""
    dropped = np.ones(len(judgements), np.bool_)
    dropped[kept] = False
    kinds = judgements.words["kind"].take(np.flatnonzero(dropped)).words()
    sampled = kinds.count("llm")
    return Counter({EARLIER: len(kinds) - sampled, SAMPLED: sampled})


def round_notices(counts: Mapping[str, int]) -> list[str]:
    """Say how many judgements are not scored, since others came after them."""
    notices = []
    if earlier := counts.get(EARLIER, 0):
        notices.append(f"{earlier} judgements of earlier rounds are not counted, the last ones are")
    if sampled := counts.get(SAMPLED, 0):
        notices.append(
            f"{sampled} judgements by judge models are not counted: of each event's samples "
            "(rounds) the last one is; `chronoscore calibrate` takes their mean"
        )
    return notices


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
    return Labels.of(name or NO_NAME for name in column.names).take(column.at)


def _root_notices(cases: Mapping[str, Batch], codebook: Codebook) -> list[str]:
    names = [criterion.name for criterion in codebook.criteria]
    if "root" not in names:
        return []
    return [
        notice
        for system, batch in cases.items()
        for notice in root_notices(system, batch.tags, batch.columns.values[:, names.index("root")])
    ]


def root_notices(
    system: str, tags: Mapping[str, Labels], values: NDArray[np.generic]
) -> Iterator[str]:
    """An article should have one root event; say where a system has none or several."""
    article = tags["article"]
    groups = grouped([article.at, tags["evaluator"].at], len(values))
    roots = np.add.reduceat(values[groups.order], groups.starts)
    of = article.take(groups.firsts)
    for which, found in (("no root event", roots == 0), ("several root events", roots > 1)):
        articles = [name for name in of.take(found).used() if name != NO_NAME]
        if articles:
            yield f"{system}: {which} in {some(articles)}, by some evaluator"


def rubric_family(codebook: Codebook) -> Family:
    """Make the family of a codebook: its score, its protocol, its agreement."""
    return Family(
        name="rubric",
        question="What do people think of it?",
        levels=("judgement", "event"),
        compare=compare,
        cluster="article",
        tags=("evaluator",),
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
        sharding=by_event,
    )


FAMILY = rubric_family(event_quality())
