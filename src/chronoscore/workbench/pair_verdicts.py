"""What people say of pairs: as verdicts for the command line, and as shares of all candidates."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from chronoscore.elements.verdicts import PairVerdict, VerdictWord
from chronoscore.rubric.judgements import Judgement, round_order
from chronoscore.statistics.strata import JudgedStratum, ShareEstimate, estimate_share
from chronoscore.workbench.store.pairs import StoredPair, strata

WORDS: Mapping[int, VerdictWord] = {1: "same", 2: "part", 3: "different", 4: "contradicts"}
"""The verdict that each value of the codebook stands for."""


def verdicts(rows: Iterable[Judgement], pairs: Iterable[StoredPair]) -> list[PairVerdict]:
    """Turn judgements into verdicts; of each evaluator's rounds the last one counts."""
    by_id = {(one.system, one.id): one for one in pairs}
    last: dict[tuple[str, str, str], Judgement] = {}
    for row in rows:
        key = row.system, row.event, row.evaluator
        if key not in last or round_order(last[key].round) <= round_order(row.round):
            last[key] = row
    return [_verdict(row, by_id[row.system, row.event]) for row in last.values()]


def _verdict(row: Judgement, pair: StoredPair) -> PairVerdict:
    return PairVerdict(
        gold=pair.gold.id,
        predicted=pair.predicted.id,
        verdict=WORDS[row.values[0]],
        by=_author(row),
        topic=pair.topic,
        system=pair.system,
        chance=pair.chance,
    )


def _author(row: Judgement) -> str:
    """Name who judged as verdict files do: models have an @, and people have none."""
    if row.kind == "person":
        return row.evaluator.replace("@", " at ")
    return row.evaluator if "@" in row.evaluator else f"{row.evaluator}@imported"


def records(pairs: Iterable[StoredPair]) -> list[dict[str, object]]:
    """The pairs of a project for its export."""
    return [
        {
            "event_id": one.id,
            "system": one.system,
            "topic": one.topic,
            "stratum": one.stratum,
            "chance": one.chance,
            "gold": one.gold,
            "predicted": one.predicted,
            "gold_first": one.gold_first,
        }
        for one in pairs
    ]


class VerdictShares(NamedTuple):
    """The share of each verdict among some candidates."""

    system: str
    """Empty for all systems together."""
    among: str
    """All candidates, or those that are matched."""
    candidates: int
    judged: int
    shares: Mapping[VerdictWord, ShareEstimate] | None
    """None if some stratum has no judged pair."""


def shares(
    rows: Iterable[Judgement], agreed: Iterable[Judgement], pairs: Sequence[StoredPair]
) -> list[VerdictShares]:
    """Estimate the share of each verdict from the pairs that were judged.

    The agreed verdict of a pair counts, or without one the share of people who gave each; models
    count where no person judged. Pairs that nobody judged count as not drawn.
    """
    weights = _weights(verdicts(rows, pairs)) | _weights(verdicts(agreed, pairs))
    sizes: dict[tuple[str, str], int] = {(one.system, one.kind): one.size for one in strata(pairs)}
    judged: dict[tuple[str, str], list[Mapping[VerdictWord, float]]] = {key: [] for key in sizes}
    for one in pairs:
        key = one.system, one.topic, one.gold.id, one.predicted.id
        if key in weights:
            judged[one.system, one.stratum].append(weights[key])
    systems = sorted({system for system, _ in sizes})
    estimates = []
    for system in ("", *systems) if len(systems) > 1 else systems:
        of_system = [key for key in sizes if system in ("", key[0])]
        matched = [key for key in of_system if key[1] == "matched"]
        for among, keys in (("matched pairs", matched), ("all candidates", of_system)):
            if keys:
                estimates.append(
                    VerdictShares(
                        system,
                        among,
                        sum(sizes[key] for key in keys),
                        sum(len(judged[key]) for key in keys),
                        _shares_of({key: judged[key] for key in keys}, sizes),
                    )
                )
    return estimates


def _weights(
    rows: Iterable[PairVerdict],
) -> dict[tuple[str, str, str, str], Mapping[VerdictWord, float]]:
    """Return, for each pair, the share of those who decide that gave each verdict."""
    groups: dict[tuple[str, str, str, str], list[PairVerdict]] = {}
    for row in rows:
        groups.setdefault((row.system, row.topic, row.gold, row.predicted), []).append(row)
    weights: dict[tuple[str, str, str, str], Mapping[VerdictWord, float]] = {}
    for key, group in groups.items():
        deciding = [row for row in group if not row.by_model] or group
        words = [row.verdict for row in deciding]
        weights[key] = {word: words.count(word) / len(words) for word in WORDS.values()}
    return weights


def _shares_of(
    judged: Mapping[tuple[str, str], Sequence[Mapping[VerdictWord, float]]],
    sizes: Mapping[tuple[str, str], int],
) -> dict[VerdictWord, ShareEstimate] | None:
    estimates = {}
    for word in WORDS.values():
        estimate = estimate_share(
            [
                JudgedStratum(sizes[key], len(several), sum(one[word] for one in several))
                for key, several in judged.items()
            ]
        )
        if estimate is None:
            return None
        estimates[word] = estimate
    return estimates
