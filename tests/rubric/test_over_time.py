"""Whether agreement and evaluators drift, in the order of rows and from round to round."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from rubric.judging import BEST, BOOK, WORST, row, sheet
from rubric.test_agreement_study import drawn

from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.errors import UsageError
from chronoscore.rubric.agreement.coefficients import AgreementPlan
from chronoscore.rubric.agreement.over_time import OverTime, TimeSeries, over_time
from chronoscore.rubric.formats import FORMATS, read_judgements, write_judgements
from chronoscore.rubric.formats.reading import row_order
from chronoscore.rubric.judgements import Judgement, Judgements
from chronoscore.statistics.agreement import coefficient, drift
from chronoscore.statistics.ratings import Ratings


def series(found: Sequence[TimeSeries], criterion: str, name: str) -> TimeSeries:
    (one,) = [one for one in found if (one.criterion, one.name) == (criterion, name)]
    return one


def in_order(judgements: Sequence[Judgement], windows: int | None) -> OverTime:
    order = {one.key: at for at, one in enumerate(judgements)}
    return over_time(Judgements.of(judgements, 5), order, BOOK, windows, AgreementPlan())


def test_an_event_order_that_all_share_gives_the_blocks_of_drift() -> None:
    judgements = [one for one in drawn(people=2) if one.system == "s"]
    both = [
        one
        for one in judgements
        if {o.evaluator for o in judgements if o.event == one.event} == {"ana", "ben"}
    ]
    found = in_order(both, 3)
    table = [(one.event, one.evaluator, one.values[0]) for one in both]
    units = sorted({one.event for one in both})
    blocks = drift(Ratings.of(table, categories=[0, 1]), coefficient("alpha nominal"), units, 3)
    one = series(found.agreement, "date", "alpha nominal")
    assert one.values == pytest.approx([block.value for block in blocks])
    assert one.events == tuple(block.units for block in blocks)


def test_who_becomes_generous_is_seen() -> None:
    judgements = []
    for number in range(20):
        judgements.append(Judgement(f"e{number:02}", "ana", (0, 1, 1, 2, 2)))
        late = (int(number >= 10), 1, 1, 2, 2)
        judgements.append(Judgement(f"e{number:02}", "ben", late))
    found = in_order(judgements, 2)
    assert found.parts == ("part 1", "part 2")
    assert series(found.evaluators, "date", "ben").values == (0, 0.5)
    assert series(found.evaluators, "date", "ana").values == (0, -0.5)
    assert series(found.evaluators, "EQS", "ben").values == pytest.approx((0, 16 / 48 / 2))
    assert series(found.agreement, "date", "percent").values == (1, 0)


def test_each_evaluators_own_order_counts() -> None:
    """Ana judges forwards and Ben backwards: what is late for one is early for the other."""
    events = [f"e{number}" for number in range(10)]
    ana = [Judgement(event, "ana", BEST if at >= 5 else WORST) for at, event in enumerate(events)]
    ben = [Judgement(event, "ben", BEST) for event in reversed(events)]
    found = in_order([*ana, *ben], 2)
    assert series(found.evaluators, "date", "ana").values == (-0.5, 0)
    assert series(found.evaluators, "date", "ben").values == (0, 0.5)


def test_parts_hold_every_judgement_once() -> None:
    judgements = drawn()
    shared = [
        one
        for one in judgements
        if sum((o.system, o.event) == (one.system, one.event) for o in judgements) > 1
    ]
    for windows in (2, 3, 7):
        found = in_order(judgements, windows)
        told = [one for one in found.evaluators if one.criterion == "root"]
        assert sum(sum(one.events) for one in told) == len(shared)
        for one in found.agreement:
            assert max(one.events) <= -(-len({o.event for o in judgements}) // windows)


def test_rounds_are_parts_and_all_of_them_count() -> None:
    first = [Judgement("e1", who, v, round="1") for who, v in (("ana", BEST), ("ben", WORST))]
    again = [Judgement("e1", who, BEST, round="2") for who in ("ana", "ben")]
    last = [Judgement("e1", who, WORST, round="10") for who in ("ana", "ben")]
    found = in_order([*last, *again, *first], None)
    assert (found.by, found.parts) == ("rounds", ("round 1", "round 2", "round 10"))
    assert series(found.agreement, "date", "percent").values == (0, 1, 1)
    assert series(found.evaluators, "clarity", "ben").values == (-1, 0, 0)


def test_one_round_is_no_course() -> None:
    with pytest.raises(UsageError, match="only one round"):
        in_order(drawn(), None)


def test_too_little_work_is_not_cut() -> None:
    with pytest.raises(UsageError, match="ana judged 2 events"):
        in_order([Judgement(f"e{n}", "ana", BEST) for n in range(2)], 3)


def test_the_order_of_rows_is_that_of_the_files(tmp_path: Path) -> None:
    one = sheet(tmp_path / "one.csv", [row("e9", "ana"), row("e1", "ana", round="2")])
    two = sheet(tmp_path / "two.csv", [row("e5", "ben", system="s")])
    order = row_order([source_of(two), source_of(one)], BOOK, Problems())
    assert list(order) == [
        ("s", "e5", "ben", ""),
        ("", "e9", "ana", ""),
        ("", "e1", "ana", "2"),
    ]


def test_a_round_has_the_same_name_in_the_order_of_rows(tmp_path: Path) -> None:
    path = sheet(
        tmp_path / "one.csv", [row("e2", "ana", round="1.0"), row("e1", "ana", round="01")]
    )
    problems = Problems()
    order = row_order([source_of(path)], BOOK, problems)
    judgements = read_judgements([source_of(path)], BOOK, problems)
    assert sorted(order) == sorted(one.key for one in judgements)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_an_order_of_rows(form: str, tmp_path: Path) -> None:
    judgements = drawn()
    path = tmp_path / f"judged.{form}"
    write_judgements(judgements, path, BOOK)
    keys = sorted(one.key for one in judgements)
    assert list(row_order([source_of(path)], BOOK, Problems())) == keys


def test_exports_have_an_order_of_rows_too(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    records = [row("e2", "ana"), row("e1", "ana")]
    path.write_text(json.dumps(records), encoding="utf-8")
    assert [event for _, event, _, _ in row_order([source_of(path)], BOOK, Problems())] == [
        "e2",
        "e1",
    ]


def test_a_sheet_without_evaluators_is_of_the_one_that_is_named(tmp_path: Path) -> None:
    values = {k: v for k, v in row("e1", "").items() if k != "evaluator"}
    path = sheet(tmp_path / "one.csv", [values])
    assert list(row_order([source_of(path)], BOOK, Problems(), "ana")) == [("", "e1", "ana", "")]
