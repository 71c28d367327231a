"""What people say of pairs: as verdicts for the command line, and as shares of all candidates."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source
from chronoscore.elements.verdicts import PairVerdict, VerdictWord, read_verdicts
from chronoscore.errors import UsageError
from chronoscore.rubric.judgements import Judgement, round_order
from chronoscore.statistics.strata import JudgedStratum, ShareEstimate, estimate_share
from chronoscore.workbench.store import people
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


def is_verdict_file(content: bytes) -> bool:
    """Whether the first line of a file names the two sides of a pair."""
    first = content.lstrip().partition(b"\n")[0]
    return b'"gold"' in first or b'"predicted"' in first


class ReadVerdicts(NamedTuple):
    """The verdicts of a file about pairs of a project, as judgements."""

    rows: list[Judgement]
    left_out: int
    """Verdicts about pairs that were not drawn."""


def read_as_judgements(
    source: Source,
    pairs: Sequence[StoredPair],
    taken: Collection[tuple[str, int, str]],
    problems: Problems,
) -> ReadVerdicts:
    """Read verdicts that were given elsewhere; `by` with an @ is a model.

    A verdict without topic or system is about every pair of these two events. `taken` are the
    evaluators, pairs and rounds that the project has.
    """
    by_events: dict[tuple[str, str], list[StoredPair]] = {}
    for pair in pairs:
        by_events.setdefault((pair.gold.id, pair.predicted.id), []).append(pair)
    values = {word: value for value, word in WORDS.items()}
    reading = Problems()  # its notices are about scoring: who decides where verdicts differ
    rows: list[Judgement] = []
    left_out = 0
    lines: dict[tuple[str, int], int] = {}
    for line, row in read_verdicts(source, reading):
        name = row.by.strip()
        try:
            people.check_name(name)
        except UsageError as error:
            problems.problem(f"by is '{name[:100]}': {error}", source, line)
            continue
        drawn = [
            one
            for one in by_events.get((row.gold, row.predicted), ())
            if row.topic in ("", one.topic) and row.system in ("", one.system)
        ]
        left_out += not drawn
        for pair in drawn:
            which = f"the pair of gold '{row.gold}' and predicted '{row.predicted}'"
            if (name, pair.number, "1") in taken:
                problems.problem(f"{name} has {which} in this project already", source, line)
            elif (earlier := lines.setdefault((name, pair.number), line)) != line:
                place = source.refer(earlier, line)
                problems.problem(f"{name} judges {which} twice, first in {place}", source, line)
            else:
                sure = "" if row.probability is None else f"probability {row.probability:g}"
                rows.append(
                    Judgement(
                        event=pair.id,
                        evaluator=name,
                        values=(values[row.verdict],),
                        system=pair.system,
                        comment=sure,
                        kind="llm" if row.by_model else "person",
                    )
                )
    reading.drop_notices()
    problems.add(reading.findings)
    return ReadVerdicts(rows, left_out)


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
