"""The names of predictions and golds are matched by rule, and never by guess."""

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from every import each
from hypothesis import given
from hypothesis import strategies as st
from vectors_home import free

from chronoscore.core.name_matching.levels import (
    NameMatch,
    Target,
    find_matches,
    tokens_of,
)
from chronoscore.core.name_matching.renaming import read_renaming
from chronoscore.core.name_matching.systems import check_renaming, match_system, proposals
from chronoscore.core.problems import Problems
from chronoscore.errors import ChronoscoreError

CASES = free("collections/topics.json")
BY_NAME = [pytest.param(case, id=case["name"]) for case in CASES]


def pairs_of_system(
    golds: Mapping[str, Sequence[str]], predicted: Iterable[str], problems: Problems, **more: Any
) -> dict[str, Target]:
    """The gold of each topic that has one prediction."""
    options = more.pop("options", {})
    names = {name: ["1"] for name in predicted}
    pairs = match_system(golds, names, problems, options, system="s", **more)
    return {topic: target for (topic, _), target in pairs.items()}


def matched(case: Mapping[str, Any]) -> list[NameMatch]:
    """All matches of a vector, its renaming applied first."""
    golds, rename = case["golds"], case.get("rename", {})
    predicted = [name for name in case["predicted"] if rename.get(name) != "-"]
    fixed: dict[str, tuple[str, str | None]] = {}
    for name, to in rename.items():
        topic, _, gold = to.partition("/")
        fixed[name] = (topic, gold or None)
    fixed = {name: target for name, target in fixed.items() if name in predicted}
    return find_matches(golds, predicted, folder=case.get("folder") or "", fixed=fixed)


@each("case", BY_NAME)
def test_every_vector_is_matched_as_it_says(case: Mapping[str, Any]) -> None:
    expected = case["expect"]
    if "error" in expected:
        problems = Problems()
        check_renaming(case["rename"], case["golds"], case["predicted"], problems)
        (problem,) = problems.problems
        assert problem.message.startswith(f"{expected['error']}; there are: ")
        return
    matches = matched(case)
    match = [each for each in matches if each.level <= 4][-1]
    assert match.level == expected["level"]
    assert {name: [*target] for name, target in match.pairs.items()} == expected["pairs"]
    assert sorted(match.unmatched) == sorted(expected["unmatched"])
    assert sorted(match.missing) == sorted(expected["missing"])
    assert match.automatic is expected.get("automatic", True)
    proposed = case.get("propose", {})
    assert proposals(proposed, match, matches[-1]) == proposed


TRAPS = [pytest.param(case, id=case["name"]) for case in CASES if case["kind"] == "trap"]


@pytest.mark.parametrize("case", TRAPS)
def test_a_trap_is_an_error(case: Mapping[str, Any]) -> None:
    problems = Problems()
    pairs = pairs_of_system(
        case["golds"], case["predicted"], problems, folder=case.get("folder", "")
    )
    assert {name: [*target] for name, target in pairs.items()} == case["expect"]["pairs"]
    (problem,) = problems.problems
    number = len(case["expect"]["unmatched"])
    assert problem.message.startswith(f"s: {number} prediction")


WORDS = ("egypt", "libya", "war", "2011", "2012", "crisis", "bbc", "ap", "oil", "x")
NAMES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map("_".join)
SETS = st.lists(NAMES, min_size=1, max_size=6, unique=True)


def pairs_of(golds: Sequence[str], predicted: Sequence[str]) -> dict[str, str]:
    made = pairs_of_system({gold: ["1"] for gold in golds}, predicted, Problems())
    return {name: topic for name, (topic, _) in made.items()}


@given(SETS, SETS, st.randoms())
def test_the_order_of_names_changes_nothing(
    golds: list[str], names: list[str], random: Any
) -> None:
    expected = pairs_of(golds, names)
    random.shuffle(golds)
    random.shuffle(names)
    assert pairs_of(golds, names) == expected


@given(SETS, SETS)
def test_pairs_are_one_to_one(golds: list[str], names: list[str]) -> None:
    made = pairs_of(golds, names)
    assert len({*made.values()}) == len(made)


@given(SETS, st.sampled_from(("", "run_", "RUN-A.")), st.sampled_from(("", "_tl", ".pred.v2")))
def test_affixes_of_all_predictions_change_no_pair(
    golds: list[str], prefix: str, suffix: str
) -> None:
    """Unless two golds are equal by tokens; a single name has no affix in common with others."""
    names = {f"{prefix}{gold}{suffix}": gold for gold in golds}
    made = pairs_of(golds, [*names])
    assert all(names[name] == gold for name, gold in made.items())
    assert made == names or len(golds) == 1


@given(SETS, st.lists(NAMES.map("alien_{}".format), min_size=1, max_size=3, unique=True))
def test_an_unrelated_prediction_makes_no_wrong_pair(golds: list[str], more: list[str]) -> None:
    names = {f"run_{gold}": gold for gold in golds}
    made = pairs_of(golds, [*names, *more])
    assert all(names[name] == gold for name, gold in made.items())
    same = pairs_of(golds, [*golds, *more])
    assert same == {gold: gold for gold in golds}


@given(SETS, SETS)
def test_what_is_matched_has_equal_tokens_or_leaves_nothing_over(
    golds: list[str], names: list[str]
) -> None:
    made = pairs_of(golds, names)
    if any(tokens_of(name) != tokens_of(gold) for name, gold in made.items()):
        assert {*made} == {*names}
        assert {*made.values()} == {*golds}


def test_ways_that_are_equally_short_and_disagree_match_nothing() -> None:
    golds = {name: ["1"] for name in ("x_a", "x_b", "a_x", "b_x")}
    assert find_matches(golds, ["x_a_x", "x_b_x"])[-1].pairs == {}


def test_a_gold_of_one_token_may_begin_like_a_group() -> None:
    golds = {name: ["1"] for name in ("crisis", "crisis-egypt", "crisis-libya", "tl17-x")}
    match = find_matches(golds, ["crisis_run_egypt", "crisis_run_libya"])[-1]
    assert match.taken == "after taking 'crisis_run_' off 2 predictions and 'crisis-' off the golds"
    assert not match.automatic


def test_a_year_is_not_another_year_at_the_other_end() -> None:
    golds = {f"{name}_2011": ["1"] for name in ("egypt", "libya")}
    assert pairs_of([*golds], ["2012_egypt", "2012_libya"]) == {}
    assert len(pairs_of([*golds], ["2011_egypt", "2011_libya"])) == 2


def test_affixes_are_taken_off_though_the_user_has_decided_a_pair() -> None:
    golds = {name: ["1"] for name in ("egypt", "libya", "syria")}
    fixed: dict[str, Target] = {"last": ("syria", None)}
    match = find_matches(golds, ["run_egypt", "run_libya", "last"], fixed=fixed)[-1]
    assert match.pairs == {
        **fixed,
        "run_egypt": ("egypt", None),
        "run_libya": ("libya", None),
    }


NAMED = {"Egypt": ["AP", "BBC"], "Libya": ["1", "2", "3"]}


@pytest.mark.parametrize(
    ("topic", "name", "target"),
    [
        ("egypt", "ap", ("Egypt", "AP")),
        ("Egypt", "AP", ("Egypt", "AP")),
        ("Egypt", "run", ("Egypt", None)),
        ("Libya", "1", ("Libya", None)),  # what a prediction is called that nothing names
        ("LIBYA", "1", ("Libya", None)),
        ("libya", "2", ("Libya", "2")),
        ("Egypt", "2", None),  # made for a gold that another topic has
    ],
)
def test_the_only_prediction_of_a_topic_is_for_the_gold_of_its_name_or_for_all(
    topic: str, name: str, target: Target | None
) -> None:
    problems = Problems()
    pairs = match_system(NAMED, {topic: [name]}, problems, {}, system="s")
    assert pairs == ({(topic, name): target} if target else {})
    assert bool(problems.problems) is (target is None)


@pytest.mark.parametrize(
    "names", [{"a/b": ["1"], "a": ["b", "c"]}, {"a": ["b", "c"], "a/b": ["1"]}]
)
def test_two_predictions_of_one_written_name_are_an_error(names: dict[str, list[str]]) -> None:
    problems = Problems()
    match_system({"a/b": ["1"], "a": ["c"]}, names, problems, {"extra": "skip"}, system="s")
    expected = "s: two predictions are named 'a/b', one by its topic: rename it"
    assert expected in [problem.message for problem in problems.problems]


@pytest.mark.parametrize("golds", [("a", "a"), ("a", "a/1")])
def test_a_map_gives_a_gold_to_one_prediction_only(golds: tuple[str, str]) -> None:
    problems = Problems()
    rename = dict(zip("pq", golds, strict=True))
    pairs_of_system({"a": ["1", "2"], "b": ["1"]}, "pq", problems, rename=rename)
    assert [problem.message for problem in problems.problems] == [
        "s: rename gives one gold to several predictions: p, q"
    ]


def test_a_choice_decides_how_far_names_may_differ() -> None:
    golds = {f"gold-{name}": ["1"] for name in ("egypt", "libya", "syria")}
    names = ["mine_egypt", "mine_libya"]
    for choice, number in (("", 0), ("exact", 0), ("affixes", 2)):
        assert len(pairs_of_system(golds, names, Problems(), options={"match": choice})) == number
    folded = ["GOLD_egypt", "GOLD_libya"]
    for choice, number in (("", 2), ("exact", 0), ("affixes", 2)):
        found = pairs_of_system(golds, folded, Problems(), options={"match": choice})
        assert len(found) == number


def test_the_error_lists_lines_to_copy() -> None:
    golds = {f"outputTimelines{name}": ["1"] for name in ("egypt", "libya")}
    problems = Problems()
    pairs_of_system(golds, ["flan10egypt", "flan10libya"], problems, label="flan")
    assert str(problems.problems[0]) == (
        "flan: 2 predictions have no gold of their name\n"
        "  flan10egypt  perhaps outputTimelinesegypt\n"
        "  flan10libya  perhaps outputTimelineslibya\n"
        "  --match affixes accepts all of these proposals\n"
        "  --rename map.tsv, with these lines, decides:\n"
        "  flan10egypt\toutputTimelinesegypt\n"
        "  flan10libya\toutputTimelineslibya"
    )


@pytest.mark.parametrize("topics", [2, 30])
def test_a_folder_of_several_systems_is_recognised(topics: int) -> None:
    golds = {f"topic{number:02}": ["1"] for number in range(topics)}
    names = [f"{system}/{topic}" for system in ("careful", "quick") for topic in golds]
    problems = Problems()
    pairs_of_system(golds, names, problems, label="runs")
    *_, last = problems.problems[0].details
    assert last == "runs seems to hold several systems: name each, as in runs/careful runs/quick"
    assert "--rename" not in str(problems.problems[0])


def test_a_map_that_gives_one_gold_to_several_predictions_is_not_proposed() -> None:
    problems = Problems()
    pairs_of_system({"egypt": ["1"], "libya": ["1"]}, ["egypt_v1", "egypt_v2", "libia"], problems)
    assert problems.problems[0].details[-4:] == (
        "libia     perhaps libya",
        "a gold takes one prediction: --rename 'egypt_v2=-' leaves one out",
        "--rename map.tsv, with these lines, decides:",
        "libia\tlibya",
    )


def test_no_gold_is_named_where_none_resembles() -> None:
    problems = Problems()
    pairs_of_system({"egypt": ["1"], "libya": ["1"]}, ["egypt", "chile"], problems)
    assert problems.problems[0].details == (
        "chile",
        "--extra skip, or --lenient, leaves them out",
        "--rename 'chile=TOPIC' names its gold (golds without a prediction: libya)",
    )


MAPS = {
    "map.tsv": "out1\tegypt/ap\nREADME\t-\n",
    "map.csv": 'out1,egypt/ap\n"README",-\n',
    "map.json": '{"out1": "egypt/ap", "README": "-"}',
}


@pytest.mark.parametrize("name", MAPS)
def test_a_map_is_read_from_a_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(MAPS[name], encoding="utf-8")
    expected = {"out1": "egypt/ap", "README": "-", "x": "y"}
    assert read_renaming([str(path), "x=y"], Problems()) == expected


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("map.tsv", "out1\n", "map.tsv:1: expected two columns"),
        ("map.json", "[1]", "map.json: expected a JSON object"),
        ("map.tsv", "a\tb\na\tc\n", "'a' twice: as 'b' and as 'c'"),
        ("other", "", "no-map: there is no such file"),
    ],
)
def test_a_map_that_is_none_is_refused(name: str, text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ChronoscoreError, match=message):
        read_renaming(["no-map" if name == "other" else str(path)], Problems())


@pytest.mark.parametrize("change", [str, str.upper, "run_{}".format])
def test_ten_thousand_names_take_little_time(change: Any) -> None:
    golds = {f"topic_{number}_of_{number % 97}": ["1"] for number in range(10_000)}
    begin = time.perf_counter()
    assert len(pairs_of([*golds], [change(gold) for gold in golds])) == len(golds)
    assert time.perf_counter() - begin < 3  # a tenth of it, on a machine that does nothing else
