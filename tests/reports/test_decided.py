"""What decided between two systems: units by their differences, items by their credit."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from readers.command_line import FINE, USAGE, run

from chronoscore.core.contrast import changes
from chronoscore.core.result import load, load_matches, load_texts
from chronoscore.demo import home
from chronoscore.engines.contrasting import Question, contrast
from chronoscore.families import family
from chronoscore.reports.decided import Decided, DecidedItem, _Items, decided, decided_text

GOLD, QUICK, CAREFUL = (home() / f"{name}.jsonl" for name in ("gold", "quick", "careful"))
FILES = {
    "timelines": [GOLD, CAREFUL, QUICK],
    "ordering": [GOLD, CAREFUL, QUICK],
    "tlinks": [GOLD, CAREFUL, QUICK],
    "coreference": [GOLD, CAREFUL, QUICK],
    "annotations": [GOLD, CAREFUL, QUICK],
    "rubric": [home() / "judgements.csv"],
}
Saved = Callable[..., Path]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Saved:
    folder, done = tmp_path_factory.mktemp("saved"), dict[tuple[str, ...], Path]()

    def save(verb: str, *words: str) -> Path:
        path = done.setdefault((verb, *words), folder / f"{len(done)}.json")
        if not path.exists():
            assert run(verb, *FILES[verb], *words, "--save", path).code == FINE
        return path

    return save


def found(path: Path, one: str = "careful", two: str = "quick", metric: str = "") -> Decided:
    result = load(path)
    matches, texts = load_matches(path, result), load_texts(path, result)
    return decided(family(result.family), [result], matches, texts, one, two, metric)


@pytest.mark.parametrize("verb", FILES)
def test_it_is_told_in_words_that_fit_a_terminal(verb: str, saved: Saved) -> None:
    ran = run("show", saved(verb), "--decided", "careful", "quick")
    assert ran.code == FINE
    assert ran.out.startswith("careful is ahead of quick by ")
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "\n- " in ran.out


def test_texts_do_not_control_the_terminal(tmp_path: Path) -> None:
    for name in ("gold", "good", "poor"):
        text = "Nothing." if name == "poor" else r"Mubarak\u001b[2J resigns.\n\nAll cheer."
        line = f'{{"topic": "egypt", "date": "2011-02-11", "summary": "{text}"}}\n'
        (tmp_path / f"{name}.jsonl").write_text(line, encoding="utf-8")
    files = [tmp_path / f"{name}.jsonl" for name in ("gold", "good", "poor")]
    assert run("timelines", *files, "--save", tmp_path / "run.json").code == FINE
    out = run("show", tmp_path / "run.json", "--decided", "good", "poor").out
    assert r"'Mubarak\x1b[2J resigns. All cheer.'" in out
    assert "\x1b" not in out


@pytest.mark.parametrize("verb", FILES)
def test_the_order_of_the_names_changes_nothing(verb: str, saved: Saved) -> None:
    one = run("show", saved(verb), "--decided", "careful", "quick")
    assert run("show", saved(verb), "--decided", "quick", "careful").out == one.out


def test_the_units_are_those_with_the_largest_differences(saved: Saved) -> None:
    result = load(saved("timelines"))
    pair = contrast(family("timelines"), [result], Question()).metrics[0].pairs[0]
    units = found(saved("timelines")).units
    assert [(unit.name, unit.difference) for unit in units] == [
        (swing.unit, swing.difference) for swing in pair.swings[:3]
    ]
    assert len(units) == 3


def items_of(path: Path, metric: str, case: str) -> list[DecidedItem]:
    result = load(path)
    matches = {
        (m.system, m.case): m.matches for m in load_matches(path, result) if m.metric == metric
    }
    return [*_Items(load_texts(path, result), matches, "careful", "quick")._all([case])]


@pytest.mark.parametrize(
    ("verb", "metric"),
    [("timelines", "align+m:1"), ("timelines", "date-f1"), ("annotations", "spans")],
)
def test_effects_of_gold_items_add_up_to_the_difference_in_recall(
    verb: str, metric: str, saved: Saved
) -> None:
    path = saved(verb)
    definition = family(verb).metric(metric).definition
    places = {statistic.name: at for at, statistic in enumerate(definition.statistics)}
    credit, possible = (
        [places[name] for name in names] for names in definition.explained["recall"]
    )
    careful, quick = load(path).systems
    for ours, theirs in zip(careful.rows, quick.rows, strict=True):
        recalls = []
        for row in (ours, theirs):
            counts = row.statistics[metric]
            total = sum(counts[at] for at in possible)
            recalls.append(sum(counts[at] for at in credit) / total if total else 0.0)
        items = [item for item in items_of(path, metric, ours.case) if len(item.earned) == 2]
        assert sum(item.effect for item in items) == pytest.approx(recalls[0] - recalls[1])


def test_named_items_speak_for_the_leader_and_the_strongest_comes_first(saved: Saved) -> None:
    for verb in FILES:
        for unit in found(saved(verb)).units:
            effects = [item.effect for item in unit.items]
            assert effects == sorted(effects, reverse=True)
            assert all(effect > 0 for effect in effects)
            assert len(effects) <= 3


def test_a_day_is_told_with_what_both_say_there(saved: Saved) -> None:
    wall = found(saved("timelines")).units[0]
    day = wall.items[0]
    assert (wall.name, day.name) == ("fall-of-the-berlin-wall", "1989-11-09")
    assert "Schabowski" in day.text
    assert day.earned["careful"].credit > day.earned["quick"].credit
    assert day.earned["quick"].text == "The Berlin Wall is opened."


@pytest.mark.parametrize("verb", ["coreference", "ordering", "tlinks"])
def test_remarks_of_a_system_on_an_item_do_not_make_it_another_item(
    verb: str, saved: Saved
) -> None:
    path = saved(verb)
    result = load(path)
    metric = result.metrics[0].name
    ours, theirs = (
        [m for m in load_matches(path, result) if (m.system, m.metric) == (system, metric)]
        for system in ("careful", "quick")
    )
    targets = [match for item in ours for match in item.matches if match.side == "recall"]
    assert len(changes(ours, theirs)) == len(targets)


def test_where_less_is_better_the_leader_has_less(saved: Saved) -> None:
    path = saved("timelines", "-m", "date-distance")
    one = found(path)
    scores = [score for score in one.scores if score is not None]
    assert scores[0] < scores[1]
    assert all(unit.difference < 0 for unit in one.units)
    assert f"{one.pair.one} is ahead of {one.pair.two}" in decided_text(one)
    assert "credit" not in decided_text(one), "distances are no credit, so no item is named"


def test_another_metric_can_be_asked_for(saved: Saved) -> None:
    text = run("show", saved("timelines"), "--decided", "careful", "quick", "-m", "Date-F1").out
    assert text.startswith("careful is ahead of quick by 0.247 Date-F1")
    refused = run("show", saved("timelines"), "--decided", "careful", "quick", "-m", "AR-9")
    assert (refused.code, refused.out) == (USAGE, "")
    assert "it has: AR-1, AR-2, Date-F1" in refused.err


def test_two_results_tell_the_same_as_one(saved: Saved, tmp_path: Path) -> None:
    for name, file in (("careful", CAREFUL), ("quick", QUICK)):
        run("timelines", GOLD, file, "--save", tmp_path / f"{name}.json")
    apart = run(
        *("show", tmp_path / "careful.json", "--compare", tmp_path / "quick.json"),
        *("--decided", "careful", "quick"),
    )
    assert apart.out == run("show", saved("timelines"), "--decided", "careful", "quick").out


def test_without_matches_only_the_topics_are_named(saved: Saved, tmp_path: Path) -> None:
    alone = tmp_path / "alone.json"
    shutil.copy(saved("timelines"), alone)
    ran = run("show", alone, "--decided", "careful", "quick")
    assert ran.code == FINE
    assert "no matches were saved with the result" in " ".join(ran.out.split())
    assert "suez-canal-blockage: +0.508" in ran.out
    assert "\n- " not in ran.out


def test_equal_systems_have_nothing_that_decided(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    run("timelines", GOLD, f"a={QUICK}", f"b={QUICK}", "--save", path)
    ran = run("show", path, "--decided", "a", "b")
    assert ran.out == "a and b are equal in AR-1 (0.276).\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("careful", "nobody"), "there is no system 'nobody'; there are: careful, quick"),
        (("careful", "careful"), "name two systems"),
    ],
)
def test_names_that_make_no_pair_are_refused(
    words: tuple[str, str], message: str, saved: Saved
) -> None:
    ran = run("show", saved("timelines"), "--decided", *words)
    assert (ran.code, ran.out) == (USAGE, "")
    assert message in ran.err
