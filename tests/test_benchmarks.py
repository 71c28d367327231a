"""The benchmark frame: no network, no installs, tiny data."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # `python -m pytest` has it there already, plain `pytest` has not

from benchmarks.__main__ import groups, main  # noqa: E402
from benchmarks.compare_start import own_commands  # noqa: E402
from benchmarks.compare_timelines import no_perl  # noqa: E402
from benchmarks.environments import BASE, PEERS, MissingError, environment  # noqa: E402
from benchmarks.frame import (  # noqa: E402
    HEADER,
    Bench,
    Comparison,
    Cost,
    FailedError,
    Group,
    Row,
    compare,
    drive,
    failures,
    growth,
    limit,
    measure,
    median,
    same_numbers,
    slope,
    start,
    table,
)

COMPARISONS = [comparison for group in groups().values() for comparison in group.comparisons]
DRIVEN = [*{(one.ours, one.make.__name__): one for one in COMPARISONS}.values()]
"""One comparison for each driver of ours and its data: they differ in their peers alone."""
Compared = Callable[[Comparison], Row]


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Compared:
    """Give the row of a comparison on tiny data; only the first is run warm, too."""
    folder = tmp_path_factory.mktemp("b")
    return cache(
        lambda one: compare(one, Bench("tiny", folder, install=False, warm=one is DRIVEN[0]))
    )


def test_every_comparison_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == [
        "timelines",
        "events",
        "rouge",
        "annotations",
        "rubric",
        "ordering",
        "statistics",
        "text",
        "scale",
        "start",
    ]
    modules = {path.stem.removeprefix("compare_") for path in ROOT.glob("benchmarks/compare_*.py")}
    assert set(listed) == modules


def test_it_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "benchmarks", "--list"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "tilse" in done.stdout


def test_an_unknown_name_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["timeline"])
    assert stopped.value.code == 2
    assert "there are: timelines" in capsys.readouterr().err


@pytest.mark.parametrize("comparison", DRIVEN, ids=lambda c: f"{c.make.__name__}-{c.label}")
def test_own_side_runs_and_a_missing_peer_gives_a_row(
    comparison: Comparison, compared: Compared
) -> None:
    row = compared(comparison)
    assert not row.wrong, row.remark
    assert row.remark.startswith("peer not run: ")
    assert row.ours.numbers
    assert row.ours.process is not None
    assert row.ours.work is not None
    assert 0 < row.ours.work < row.ours.process
    assert row.theirs == Cost()


def test_own_commands_start(tmp_path: Path) -> None:
    for _, command, _ in own_commands(Path(sys.executable), tmp_path).values():
        cost = start(command, 1)
        assert cost.process is not None
        assert cost.process > 0
        assert cost.megabytes is not None
        assert cost.megabytes > 1


def test_each_comparison_names_a_pinned_peer_and_drivers_that_exist() -> None:
    for comparison in COMPARISONS:
        assert comparison.peer in PEERS
        assert (ROOT / "benchmarks" / "ours" / comparison.ours).exists()
        assert (ROOT / "benchmarks" / "peers" / comparison.theirs).exists()
    for name, peer in PEERS.items():
        packages = [item for call in peer.installs for item in call if not item.startswith("-")]
        assert peer.fresh or peer.commit or all("==" in package for package in packages), name


@pytest.mark.parametrize("comparison", COMPARISONS, ids=lambda c: f"{c.make.__name__}-{c.label}")
def test_data_are_the_same_in_every_run(comparison: Comparison, tmp_path: Path) -> None:
    written = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        comparison.make(folder, "tiny")
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        written.append({path.relative_to(folder): path.read_bytes() for path in files})
    assert written[0] == written[1]
    assert any(path.parts[0] == "trial" for path in written[0])


def test_a_peer_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="tilse is not installed"):
        environment("tilse", tmp_path, install=False)


def test_without_perl_the_row_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert no_perl() == "no Perl here"


def test_what_takes_minutes_runs_in_a_full_run_only(compared: Compared) -> None:
    slow = [comparison for comparison in COMPARISONS if comparison.full_only]
    assert slow
    for comparison in slow:
        assert compared(comparison).remark == "peer not run: only in a full run"


@pytest.mark.campaign
def test_our_arguments_reach_our_driver(compared: Compared) -> None:
    found = {comparison.own_arguments: comparison for comparison in COMPARISONS}
    exact, approximate = (compared(found[text,]).ours.numbers for text in ("rouge155", "reimpl"))
    assert len(exact) == 30
    assert exact.keys() == approximate.keys()
    assert exact != approximate


def test_growth_is_the_cost_of_the_largest_size_and_the_power_of_all() -> None:
    row = growth("work", "days", (50, 100, 200), lambda n: Cost(1, 3e-6 * n**2), "2.2")
    assert row.what == "growth: work, 50 to 200 days"
    assert row.ours == Cost(1, 3e-6 * 200**2)
    assert row.remark == "grows with days to the power of 2.00; bar: 2.2"


def test_a_limit_says_how_many_times_as_much_we_take() -> None:
    work = limit("scoring", "reading alone", Cost(9, 6), Cost(1, 2), "at most 4")
    assert work.remark == "3.0 times reading alone; bar: at most 4"
    assert limit("start", "nothing", Cost(9), Cost(3)).remark == "3.0 times nothing"


OTHERS = [other for group in groups().values() for other in group.others]


@pytest.mark.campaign
@pytest.mark.parametrize("other", OTHERS, ids=lambda other: other.__name__)
def test_what_has_rows_of_its_own_runs_without_peers(
    other: Callable[[Bench], Iterable[Row]], tmp_path: Path
) -> None:
    rows = [*other(Bench("tiny", tmp_path, install=False))]
    assert rows
    assert not [row.remark for row in rows if row.wrong]
    grows = [row for row in rows if "to the power of" in row.remark]
    assert bool(grows) == other.__name__.startswith("growth")


def test_a_group_goes_on_where_our_side_fails(tmp_path: Path) -> None:
    def broken_part(bench: Bench) -> Iterable[Row]:
        raise FailedError("no such driver")

    part = Row("the other part", "none")
    group = Group("made", "", (), (broken_part, lambda bench: [part]))
    failed, after = group.rows(Bench("tiny", tmp_path, install=False))
    assert failed.wrong
    assert failed.what == "made: broken part"
    assert failed.remark == "our side failed: no such driver"
    assert after == part


def test_a_commit_that_the_clone_has_not_is_a_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("benchmarks.environments.ROOT", tmp_path)
    with pytest.raises(MissingError, match="this clone has no commit b64a168"):
        environment(BASE, tmp_path)


def test_slope_is_the_power_by_which_time_grows() -> None:
    assert slope({n: 3e-6 * n**2 for n in (50, 100, 200, 400)}) == pytest.approx(2)


def test_a_driver_runs_cold_and_after_a_trial(tmp_path: Path) -> None:
    script = tmp_path / "driver.py"
    script.write_text(
        "import sys\n"
        f"open({str(tmp_path / 'calls')!r}, 'a').write(sys.argv[2] + ' ')\n"
        'print(\'{"work": 0.5, "numbers": {"f": 1}}\')\n',
        encoding="utf-8",
    )
    cost = drive(Path(sys.executable), script, tmp_path, warm=False)
    assert (tmp_path / "calls").read_text(encoding="utf-8") == "cold "
    assert cost.work == 0.5
    drive(Path(sys.executable), script, tmp_path)
    assert (tmp_path / "calls").read_text(encoding="utf-8") == "cold cold warm "


def test_several_runs_have_the_median_of_each_cost_and_the_same_numbers() -> None:
    runs = [Cost(3, 1, 20, {"f": 0.5}), Cost(1, 2, 30, {"f": 0.5}), Cost(2, 9, 10, {"f": 0.5})]
    assert median(runs) == Cost(2, 2, 20, {"f": 0.5})
    assert median([]) == Cost()
    with pytest.raises(FailedError, match="different numbers"):
        median([*runs, Cost(1, 1, 1, {"f": 0.6})])


def test_table_renders() -> None:
    lines = table(
        [
            Row("some work", "peer 1.0", Cost(0.5, 0.1, 30), Cost(5, 20, 300), "3 equal"),
            Row("other work", "peer 2.0", Cost(0.5, 0.1, 30), remark="peer not run: no | Perl"),
        ]
    ).splitlines()
    assert len(lines) == 4
    assert {line.count("|") for line in lines} == {len(HEADER) + 1}
    assert "| 0.500 | 5.000 | 10.0 | 0.100 | 20.0 | 200 | 30 | 300 | 3 equal |" in lines[2]
    assert "peer not run: no / Perl" in lines[3]


def test_numbers_must_be_equal_unless_the_difference_is_explained() -> None:
    assert same_numbers({"f": 0.5}, {"f": 0.5 + 1e-13}, "") == ("1 equal to 1e-12", False)
    assert same_numbers({"f": 0.5}, {"f": 0.6}, "") == ("NO: up to 0.1 apart", True)
    told, wrong = same_numbers({"f": 0.5}, {"f": 0.6}, "other stems")
    assert told.endswith("other stems")
    assert not wrong
    assert same_numbers({"f": 0.5}, {"g": 0.5}, "")[1]
    assert same_numbers({}, {}, "")[1]
    assert same_numbers({"f": float("nan")}, {"f": 0.6}, "other stems")[1]


def test_failures_are_rows_that_are_wrong() -> None:
    wrong = Row("work", "peer", remark="NO", wrong=True)
    assert failures([Row("work", "peer"), wrong]) == [wrong]


def test_the_meter_counts_children() -> None:
    busy = "sum(range(3_000_000))"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}], check=True)"
    alone, _, _ = measure([sys.executable, "-c", "import subprocess"])
    both, _, output = measure([sys.executable, "-c", f"{child}; print({json.dumps('done')})"])
    assert both > alone
    assert output == "done"
