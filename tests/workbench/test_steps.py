"""The steps of a study: one is lit, it says what it needs, and a whole study walks through all."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.workbench.overview import calibration_size
from chronoscore.workbench.steps import BatchFacts, OpenShare, ProjectFacts, next_step, steps

START = ProjectFacts(7, events=300, people=0, free=300, calibration=20)
FOUR = replace(START, people=4)
CALIBRATION = BatchFacts(1, "calibration 1", "calibration", "judging")
MAIN = BatchFacts(2, "main 1", "main", "judging")


def with_batches(*batches: BatchFacts, **changes: object) -> ProjectFacts:
    return replace(FOUR, batches=batches, calibration=0, **changes)  # type: ignore[arg-type]


TALKED = replace(CALIBRATION, stage="adjudicated")
SETTLED = replace(MAIN, stage="adjudicated")
STUDY = [
    (replace(START, events=0, free=0, calibration=0), "events", "no events yet", "#more"),
    (START, "people", "invite at least two people", "#invite"),
    (replace(START, people=1), "people", "invite one more person", "#invite"),
    (FOUR, "calibration", "Next: calibration: 20 events by all 4", "#new-batch"),
    (
        with_batches(replace(CALIBRATION, open=(OpenShare("Ben", 12), OpenShare("Ana", 0)))),
        "calibration",
        "Ben has 12 events left in calibration 1.",
        "/batches/1",
    ),
    (
        with_batches(replace(CALIBRATION, open=(OpenShare("Ben", 0), OpenShare("Ana", 0)))),
        "calibration",
        "Ana and Ben judged everything in calibration 1 and must still submit it.",
        "/batches/1",
    ),
    (
        with_batches(replace(CALIBRATION, stage="review", differences=7)),
        "talk",
        "Next: talk about 7 differences of the calibration.",
        "/batches/1",
    ),
    (
        with_batches(replace(CALIBRATION, stage="review")),
        "talk",
        "Next: close calibration 1: nothing is left to settle.",
        "/batches/1",
    ),
    (
        with_batches(TALKED, free=280),
        "main",
        "Next: the main batch: 280 events that nobody has yet.",
        "#new-batch",
    ),
    (
        with_batches(TALKED, replace(MAIN, open=(OpenShare("Cleo", 1),)), free=0),
        "main",
        "Cleo has 1 event left in main 1.",
        "/batches/2",
    ),
    (
        with_batches(TALKED, replace(MAIN, stage="review", differences=1), free=0),
        "settle",
        "Next: settle 1 difference of main 1.",
        "/batches/2",
    ),
    (
        with_batches(TALKED, SETTLED, free=0),
        "export",
        "Next: export the data",
        "/projects/7/export",
    ),
]


@pytest.mark.parametrize(("facts", "name", "need", "link"), STUDY, ids=[s[2][:40] for s in STUDY])
def test_the_next_step_says_what_it_needs(
    facts: ProjectFacts, name: str, need: str, link: str
) -> None:
    line = steps(facts)
    step = next_step(line)
    assert step is not None
    assert (step.name, step.link) == (name, link)
    assert need in step.need
    assert step.button
    before = [one.state for one in line[: line.index(step)]]
    after = [one.state for one in line[line.index(step) + 1 :]]
    assert set(before) <= {"done"}
    assert set(after) <= {"later", "left out"}


def test_a_study_never_goes_back_a_step() -> None:
    order = [[one.state for one in steps(facts)].index("now") for facts, *_ in STUDY]
    assert order == sorted(order)


def test_after_the_export_all_is_done() -> None:
    line = steps(with_batches(TALKED, SETTLED, free=0, exported=True))
    assert {one.state for one in line} == {"done"}
    assert next_step(line) is None


def test_a_main_batch_without_calibration_leaves_calibration_out() -> None:
    states = {one.name: one.state for one in steps(with_batches(MAIN))}
    assert states["calibration"] == states["talk"] == "left out"
    assert states["main"] == "now"


def test_calibration_of_all_events_leaves_the_main_batch_out() -> None:
    states = {one.name: one.state for one in steps(with_batches(TALKED, free=0))}
    assert states["main"] == states["settle"] == "left out"
    assert states["export"] == "now"


def test_judgements_from_elsewhere_need_nobody_invited() -> None:
    imported = BatchFacts(3, "imported 1", "imported", "review", differences=2)
    step = next_step(steps(replace(START, batches=(imported,))))
    assert step is not None
    assert (step.name, step.need) == ("settle", "Next: settle 2 differences of imported 1.")
    with_people = next_step(steps(replace(FOUR, batches=(imported,))))
    assert with_people is not None
    assert with_people.name == "calibration", "a judge model does not replace the people"


def test_pairs_are_called_pairs() -> None:
    step = next_step(steps(replace(FOUR, unit="pair")))
    assert step is not None
    assert "20 pairs by all 4" in step.need


stages = st.sampled_from(["judging", "review", "adjudicated"])
shares = st.lists(st.builds(OpenShare, st.text(min_size=1), st.integers(0, 9)))
batches = st.builds(
    BatchFacts,
    st.integers(1, 9),
    st.just("b"),
    st.sampled_from(["calibration", "main", "retest", "imported"]),
    stages,
    shares.map(tuple),
    st.integers(0, 3),
)
facts = st.builds(
    ProjectFacts,
    st.just(1),
    st.integers(0, 3),
    st.integers(0, 3),
    st.lists(batches, max_size=4).map(tuple),
    st.integers(0, 3),
    st.integers(0, 3),
    st.booleans(),
)


@given(facts)
def test_one_step_is_lit_or_all_are_done_and_what_precedes_it_is_done(given: ProjectFacts) -> None:
    states = [one.state for one in steps(given)]
    assert len(states) == 7
    if "now" in states:
        assert states.count("now") == 1
        assert set(states[: states.index("now")]) <= {"done", "left out"}
    else:
        assert set(states) <= {"done", "left out"}


@given(st.lists(st.integers(1, 30), max_size=40))
def test_calibration_takes_whole_articles_and_a_fifth_if_they_allow(sizes: list[int]) -> None:
    size = calibration_size(sizes)
    prefixes = [sum(sizes[: at + 1]) for at in range(len(sizes))]
    assert size == 0 or size in prefixes
    assert 2 * size <= sum(sizes)
    fitting = [one for one in prefixes if one <= sum(sizes) // 5]
    if fitting:
        assert size in fitting
        assert abs(size - 20) == min(abs(one - 20) for one in fitting)
