"""Pairs to judge are drawn so that every candidate of every system has a known chance."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from chronoscore.elements.dated.model import DatedEvent
from chronoscore.elements.time import Time
from chronoscore.errors import UsageError
from chronoscore.events import pair_sample
from chronoscore.events.comparison import EventSetting
from chronoscore.events.pair_sample import (
    KINDS,
    WIDTH,
    CandidateTable,
    PairSample,
    draw_pairs,
    planned_widths,
)

WORDS = [f"word{number}" for number in range(60)]


def comparison(
    system: str = "quick", topic: str = "suez", gold: int = 12, same: int = 6, extra: int = 8
) -> CandidateTable:
    """A system that has some gold events in its own words, and others."""
    dice = Random(f"{topic}/{gold}")
    golds = [_event(dice, f"g{number}") for number in range(gold)]
    dice = Random(f"{system}/{topic}")
    predicted = [
        DatedEvent(one.time, f"{one.text} {dice.choice(WORDS)}", f"p{number}")
        for number, one in enumerate(golds[:same])
    ]
    predicted += [_event(dice, f"x{number}") for number in range(extra)]
    return CandidateTable(system, topic, "gold", tuple(predicted), tuple(golds))


def _event(dice: Random, name: str) -> DatedEvent:
    day = Time.parse(f"2011-0{dice.randint(1, 9)}-1{dice.randint(0, 9)}")
    return DatedEvent(day, " ".join(dice.sample(WORDS, 8)), name)


def names(sample: PairSample) -> list[tuple[str, str, str, str]]:
    return [(one.system, one.topic, one.gold.id, one.predicted.id) for one in sample.pairs]


EVERY = [
    comparison(system, topic)
    for system in ("quick", "careful")
    for topic in ("suez", "apollo", "chernobyl")
]


def test_every_candidate_is_in_one_stratum_and_has_its_chance() -> None:
    sample = draw_pairs(EVERY, 60)
    assert sum(one.size for one in sample.strata) == sum(one.size for one in EVERY)
    drawn = Counter((one.system, one.kind) for one in sample.pairs)
    for stratum in sample.strata:
        assert drawn[stratum.system, stratum.kind] == stratum.drawn
        assert 0 < stratum.chance <= 1
    chances = {(one.system, one.kind): one.chance for one in sample.strata}
    assert all(one.chance == chances[one.system, one.kind] for one in sample.pairs)


def test_no_pair_is_drawn_twice_and_all_can_be_drawn() -> None:
    candidates = sum(one.size for one in EVERY)
    everything = draw_pairs(EVERY, candidates)
    assert len(names(everything)) == len({*names(everything)}) == candidates
    assert {one.chance for one in everything.pairs} == {1.0}


def test_matched_pairs_are_those_that_the_default_matching_makes() -> None:
    from chronoscore import Event, score

    one = comparison()
    sample = draw_pairs([one], one.size)
    matched = {(p.gold.id, p.predicted.id) for p in sample.pairs if p.kind == "matched"}
    sides = [
        [Event(id=e.id, topic="suez", date=str(e.time), text=e.text) for e in side]
        for side in (one.gold, one.predicted)
    ]
    result = score("events", *sides, metrics=["event-f1"])
    assert len(matched) >= 6
    assert float(result["event-f1"]) == pytest.approx(
        2 * len(matched) / (len(one.gold) + len(one.predicted))
    )


def test_half_is_matched_and_systems_get_alike() -> None:
    large = [comparison(system, gold=60, same=40, extra=40) for system in ("quick", "careful")]
    sample = draw_pairs(large, 40)
    drawn = Counter((one.system, one.kind) for one in sample.pairs)
    for system in ("quick", "careful"):
        assert [drawn[system, kind] for kind in KINDS] == [10, 6, 4]


def test_the_draw_repeats_whatever_the_order_of_files_and_events() -> None:
    shuffled = [
        one._replace(predicted=one.predicted[::-1], gold=one.gold[::-1]) for one in EVERY[::-1]
    ]
    assert names(draw_pairs(EVERY, 50, 3)) == names(draw_pairs(shuffled, 50, 3))
    assert {*names(draw_pairs(EVERY, 50, 3))} != {*names(draw_pairs(EVERY, 50, 4))}


def test_a_larger_draw_holds_the_smaller_one() -> None:
    small, large = draw_pairs(EVERY, 40, 5), draw_pairs(EVERY, 90, 5)
    assert {*names(small)} < {*names(large)}
    sides = {name: one.gold_first for name, one in zip(names(large), large.pairs, strict=True)}
    assert all(sides[n] == one.gold_first for n, one in zip(names(small), small.pairs, strict=True))


def test_candidates_are_drawn_as_often_as_their_chance_says() -> None:
    one = comparison(gold=5, same=3, extra=3)
    times: Counter[tuple[str, str]] = Counter()
    draws = 600
    chances = {}
    for seed in range(draws):
        for pair in draw_pairs([one], 12, seed).pairs:
            times[pair.gold.id, pair.predicted.id] += 1
            chances[pair.gold.id, pair.predicted.id] = pair.chance
    assert len(times) == one.size, "every candidate is seen by some draw"
    for pair_ids, chance in chances.items():
        error = np.sqrt(chance * (1 - chance) / draws)
        assert abs(times[pair_ids] / draws - chance) <= 4.5 * error + 1e-9


def test_either_side_is_shown_first_about_as_often() -> None:
    sample = draw_pairs(EVERY, 300)
    share = np.mean([one.gold_first for one in sample.pairs])
    assert 0.4 < share < 0.6


def test_without_a_number_the_matched_share_gets_its_width() -> None:
    sample = draw_pairs([comparison(gold=200, same=150, extra=20)], 0)
    (planned,) = planned_widths(sample.strata)
    assert planned.width <= WIDTH
    assert planned.needed == len(sample.pairs)


def test_widths_are_of_all_systems_and_of_each() -> None:
    rows = planned_widths(draw_pairs(EVERY, 40).strata)
    assert [one.system for one in rows] == ["", "careful", "quick"]
    assert rows[0].matched == rows[1].matched + rows[2].matched
    assert rows[0].width < min(rows[1].width, rows[2].width)
    again = draw_pairs(EVERY, rows[0].needed)
    assert planned_widths(again.strata)[0].width <= WIDTH


def test_where_nothing_is_matched_the_likeliest_stratum_decides() -> None:
    dice = Random(1)
    golds = tuple(DatedEvent(None, f"red {n}", f"g{n}") for n in range(6))
    others = tuple(_event(dice, f"p{n}") for n in range(6))
    sample = draw_pairs([CandidateTable("quick", "", "gold", others, golds)], 0)
    assert len(sample.pairs) > 30, "± .05 of 36 candidates takes nearly all"
    assert planned_widths(sample.strata) == []


def test_events_of_another_language_are_matched_by_their_words() -> None:
    spanish = comparison()._replace(language="es")
    assert pair_sample.setting_of([spanish]) == EventSetting(tokens="words", threshold=0.2)
    assert pair_sample.setting_of([spanish._replace(language="en-GB")]) == EventSetting()


def test_what_cannot_be_drawn_is_refused_with_the_way_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(UsageError, match="check the field 'topic'"):
        draw_pairs([comparison()._replace(gold=())], 10)
    with pytest.raises(UsageError, match="at least 12: two for each"):
        draw_pairs(EVERY, 5)
    with pytest.raises(UsageError, match="at most 20,000"):
        draw_pairs(EVERY, 20_001)
    monkeypatch.setattr(pair_sample, "MOST_CANDIDATES", 100)
    with pytest.raises(UsageError, match="give fewer topics or systems"):
        draw_pairs(EVERY, 20)


def test_candidates_are_the_same_however_many_are_compared_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    together = names(draw_pairs(EVERY, 70))
    monkeypatch.setattr(pair_sample, "_CELLS_TOGETHER", 1)
    assert names(draw_pairs(EVERY, 70)) == together
