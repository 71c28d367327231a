"""The command as people use it: its examples, its gates, its formats."""

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from chronoscore.cli.main import VERBS, command
from chronoscore.demo import data_files


def run(line: str) -> Result:
    done = CliRunner().invoke(command, shlex.split(line)[1:])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the bundled data in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo").mkdir()
    for file in data_files():
        (tmp_path / "demo" / file.name).write_bytes(file.read_bytes())
    return tmp_path


def examples(verb: str) -> list[str]:
    shown = run(f"chronoscore {verb} --help").output.replace("\\\n", " ")
    lines = [line.strip() for line in shown.split("Examples", 1)[1].splitlines()[1:]]
    return [line for line in lines if line]


@pytest.mark.parametrize("verb", VERBS)
def test_help_ends_with_two_examples_that_run(verb: str, demo: Path) -> None:
    lines = examples(verb)
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("chronoscore ")
        done = run(line)
        assert done.exit_code == 0, done.output
        assert done.stdout


def test_gate_passes_and_fails(demo: Path) -> None:
    line = "chronoscore timelines demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl"
    assert run(f"{line} --fail-under 0.2").exit_code == 0
    failed = run(f"{line} --fail-under AR-2=0.2 --fail-under Date-F1=0.1")
    assert failed.exit_code == 1
    assert "quick: AR-2 is 0.09" in failed.stderr
    assert "careful" not in failed.stderr.replace("demo/careful", "")


def test_an_undefined_score_fails_the_gate(demo: Path) -> None:
    (demo / "gold.txt").write_text("2011-01-01\n" + "-" * 32 + "\n", encoding="utf-8")
    line = "chronoscore timelines gold.txt p=gold.txt -m AR-1 --undefined skip --fail-under 0"
    failed = run(line)
    assert failed.exit_code == 1
    assert "is undefined" in failed.stderr
    assert "undef." in failed.stdout


def test_signature_repeats_the_run(demo: Path) -> None:
    line = "chronoscore timelines demo/gold.jsonl demo/quick.jsonl"
    first = run(f"{line} --average macro -m AR-1 --undefined skip --golds pooled --format json")
    signature = json.loads(first.stdout)["systems"][0]["signature"]
    again = run(f"{line} --from-signature {shlex.quote(signature)} --format json")
    assert again.stdout == first.stdout
    other = run(
        "chronoscore timelines demo/gold.jsonl demo/careful.jsonl --from-signature "
        + shlex.quote(signature)
    )
    assert other.exit_code == 0
    assert "the prediction is not the signature's" in other.stderr
    assert "the gold is not" not in other.stderr


@pytest.mark.parametrize("how", ["text", "markdown", "csv", "json"])
def test_saved_result_renders_as_the_first_time(how: str, demo: Path) -> None:
    line = "chronoscore annotations demo/gold.jsonl demo/quick.jsonl --thresholds 11 --by document"
    first = run(f"{line} --save out/run.json --format {how}")
    assert first.exit_code == 0, first.output
    assert run(f"chronoscore show out/run.json --format {how}").stdout == first.stdout


def test_explanation_comes_from_the_sidecar(demo: Path) -> None:
    line = "chronoscore ordering demo/gold.jsonl demo/quick.jsonl --save run.json"
    first = run(f"{line} --explain chernobyl")
    again = run("chronoscore show run.json --explain chernobyl")
    assert again.stdout == first.stdout
    assert "entity missing" in again.stdout
    (demo / "run.matches.jsonl").unlink()
    assert "SemEval-full" in run("chronoscore show run.json").stdout


def test_csv_has_full_precision(demo: Path) -> None:
    done = run("chronoscore timelines demo/gold.jsonl demo/quick.jsonl --format csv")
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert len(row["AR-1 F1"]) > 10
    assert float(row["AR-1 F1"]) == pytest.approx(0.276, abs=1e-3)


def test_systems_are_named_by_their_files_or_as_told(demo: Path) -> None:
    done = run("chronoscore timelines demo/gold.jsonl best=demo/careful.jsonl demo/quick.jsonl")
    assert "\nbest " in done.stdout
    assert "\nquick " in done.stdout


def test_a_protocols_name_is_dropped_with_other_settings(demo: Path) -> None:
    line = "chronoscore timelines demo/gold.jsonl demo/quick.jsonl"
    assert "protocol news-tls" in run(line).stdout
    assert "protocol news-tls" in run(f"{line} -m AR-1").stdout
    assert "no published protocol" in run(f"{line} --average macro").stdout


def test_catalogue_tells_laws_and_source() -> None:
    shown = run("chronoscore metrics AR-1").stdout
    assert "Martschat and Markert 2017" in shown
    assert "laws it breaks" in shown
    lawful = run("chronoscore metrics 'align+m:1(tie=nearest,extent=gap)'").stdout
    assert "laws it breaks" not in lawful


def test_demo_data_is_not_written_over(demo: Path) -> None:
    done = CliRunner().invoke(command, ["demo", "--data", "demo"])
    assert "already exists" in str(done.exception)


def test_completion_script_completes() -> None:
    runner = CliRunner()
    done = runner.invoke(
        command,
        prog_name="chronoscore",
        env={
            "_CHRONOSCORE_COMPLETE": "bash_complete",
            "COMP_WORDS": "chronoscore time",
            "COMP_CWORD": "1",
        },
    )
    assert "timelines" in done.output


def test_trials_of_a_system_are_averaged(demo: Path) -> None:
    line = "chronoscore timelines demo/gold.jsonl -m AR-1 --format json"
    both = json.loads(run(f"{line} x=demo/careful.jsonl x=demo/quick.jsonl").stdout)
    alone = [json.loads(run(f"{line} demo/{name}.jsonl").stdout) for name in ("careful", "quick")]
    means = [result["systems"][0]["summaries"][0]["scores"]["f1"] for result in (*alone, both)]
    assert means[2] == pytest.approx((means[0] + means[1]) / 2)
    assert len(both["systems"]) == 1


def test_all_readings_have_a_line(demo: Path) -> None:
    line = "chronoscore timelines demo/gold.jsonl demo/quick.jsonl --all-variants"
    shown = run(line).stdout
    for name in ("concat", "agreement", "align+m:1", "exact-date"):
        assert f" {name} " in shown
    rows = json.loads(run(f"{line} --format json").stdout)
    assert len(rows) == 18
    assert len({row["rouge_1"] for row in rows}) > 10


def test_people_are_the_ceiling(demo: Path) -> None:
    shown = run("chronoscore timelines demo/gold.jsonl demo/quick.jsonl --ceiling").stdout
    assert "\n(golds) " in shown
    alone = run("chronoscore timelines demo/quick.jsonl demo/careful.jsonl --ceiling")
    assert "no topic has two golds" in alone.stderr


def test_published_results_stand_beside_yours(demo: Path) -> None:
    line = "chronoscore timelines demo/gold.jsonl demo/quick.jsonl --published"
    shown = run(f"{line} crisis").stdout
    assert "SUnSET (GPT-4o)" in shown
    assert "not stated" in shown
    done = CliRunner().invoke(command, shlex.split(f"{line} nope")[1:])
    assert "there are: crisis, crisis-without-libya, entities, timeline17" in str(done.exception)


def test_plain_lines(demo: Path) -> None:
    shown = run(
        "chronoscore timelines demo/gold.jsonl demo/quick.jsonl --format plain --counts"
    ).stdout
    assert shown.startswith("=== Evaluation Results ===\n\nTopic: apollo-11\n  AR-1:     0.263\n")
    described = "7 topics; F of mean P and mean R over golds and topics"
    assert f"=== AVERAGE ({described}) ===\n  AR-1:     0.276\n" in shown
    assert "rouge_1: precision=0.4908, recall=0.1918, f1=0.2758" in shown


def test_latex_escapes_and_names_the_conditions(demo: Path) -> None:
    shown = run("chronoscore timelines demo/gold.jsonl a_b=demo/quick.jsonl --format latex").stdout
    assert r"a\_b & 0.276" in shown
    assert r"\toprule" in shown
    assert "under the news-tls protocol" in shown


def test_explaining_a_topic_explains_all_its_golds(demo: Path) -> None:
    shown = run(
        "chronoscore timelines demo/gold.jsonl demo/quick.jsonl -m AR-1 --explain chernobyl"
    ).stdout
    assert "quick, chernobyl/desk: AR-1" in shown
    assert "quick, chernobyl/agency: AR-1" in shown


def test_a_gate_on_the_lower_bound(demo: Path) -> None:
    line = "chronoscore timelines demo/gold.jsonl demo/quick.jsonl -m AR-1 --fail-under 0.25"
    assert run(line).exit_code == 0
    failed = run(f"{line} --bound lower")
    assert failed.exit_code == 1
    assert "the lower bound of AR-1 is 0.21" in failed.stderr


def test_a_gate_against_a_baseline(demo: Path) -> None:
    line = "chronoscore timelines demo/gold.jsonl -m AR-1"
    run(f"{line} demo/quick.jsonl --save quick.json")
    assert run(f"{line} demo/careful.jsonl --no-worse-than quick.json").exit_code == 0
    assert run(f"{line} again=demo/quick.jsonl --no-worse-than quick.json").exit_code == 0
    worse = run(f"{line} demo/lead.jsonl --no-worse-than quick.json")
    assert worse.exit_code == 1
    assert "lead: AR-1 is worse than the baseline's" in worse.stderr


def test_intervals_are_shown(demo: Path) -> None:
    line = "chronoscore timelines demo/gold.jsonl demo/quick.jsonl -m AR-1"
    shown = run(f"{line} --interval auto").stdout
    assert "0.276 ±.065" in shown
    assert "jackknife-t over 7 topics" in shown


@pytest.mark.parametrize("how", ["text", "markdown", "latex", "csv", "json"])
def test_comparing_in_every_format(how: str, demo: Path) -> None:
    line = "chronoscore compare timelines demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl"
    done = run(f"{line} --format {how}")
    assert done.exit_code == 0
    assert "careful" in done.stdout
    if how == "text":
        assert "How to read this" in done.stdout
    if how in ("latex", "markdown"):
        assert "paired permutation test over 7 topics" in done.stdout


def test_saved_results_are_compared_without_scoring(demo: Path) -> None:
    line = "chronoscore timelines demo/gold.jsonl"
    for name in ("careful", "quick"):
        run(f"{line} demo/{name}.jsonl --save {name}.json")
    for file in (demo / "demo").iterdir():
        file.unlink()
    done = run("chronoscore compare careful.json quick.json --format json")
    assert json.loads(done.stdout)["metrics"][0]["ranking"][0]["system"] == "careful"
    shown = run("chronoscore show careful.json --compare quick.json")
    assert re.search(r"careful +0.617 a .*\nquick +0.276 b ", shown.stdout)
    assert "AR-1: differences" not in shown.stdout
    full = run("chronoscore show careful.json --compare quick.json --full")
    assert "AR-1: differences" in full.stdout


def test_less_is_better_for_distances(demo: Path) -> None:
    line = "chronoscore timelines demo/gold.jsonl demo/lead.jsonl -m date-distance"
    shown = run(f"{line} --by topic").stdout
    missing = next(line for line in shown.splitlines() if "eyjafjallajokull" in line)
    assert missing.count("undef.") == 2
    assert run(f"{line} --fail-under 1000").exit_code == 0
    failed = run(f"{line} --fail-under 3")
    assert failed.exit_code == 1
    assert "not 3.0 or less" in failed.stderr


def test_two_single_files_are_scored_whatever_their_names(demo: Path) -> None:
    (demo / "gold.json").write_text('{"2011-01-25": ["Protests begin"]}', encoding="utf-8")
    (demo / "ours.csv").write_text("date,summary\n2011-01-25,Protests begin\n", encoding="utf-8")
    done = run("chronoscore timelines gold.json ours.csv -m AR-1")
    assert done.exit_code == 0
    assert "taken as the prediction of 'gold'" in done.stderr
    assert "1.000" in done.stdout
    assert "fine, 1 topic" in run("chronoscore validate ours.csv").stdout


def test_a_signature_may_be_copied_with_its_system(demo: Path) -> None:
    line = "chronoscore timelines demo/gold.jsonl demo/quick.jsonl"
    shown = run(f"{line} -m AR-2 --full").stdout
    copied = next(line for line in shown.splitlines() if "family=" in line)
    assert copied.startswith("quick: ")
    assert run(f"{line} --full --from-signature {shlex.quote(copied)}").stdout == shown
    done = CliRunner().invoke(
        command, [*shlex.split(line)[1:], "--from-signature", copied, "--interval", "auto"]
    )
    assert "--interval" in str(done.exception)


def test_all_variants_refuses_what_it_would_ignore(demo: Path) -> None:
    line = "timelines demo/gold.jsonl demo/quick.jsonl --all-variants --fail-under 0.9"
    done = CliRunner().invoke(command, line.split())
    assert "leave out --fail-under" in str(done.exception)


def test_golds_are_not_judged_by_the_gate(demo: Path) -> None:
    line = "chronoscore timelines demo/gold.jsonl demo/quick.jsonl --ceiling -m AR-1"
    assert run(f"{line} --fail-under 0.25").exit_code == 0


def test_trials_repeat_the_same_golds_and_topics(demo: Path) -> None:
    line = "chronoscore timelines demo/gold.jsonl x=demo/quick.jsonl x=demo/careful.jsonl"
    result = json.loads(run(f"{line} -m AR-1 --format json").stdout)
    units = result["systems"][0]["summaries"][0]["units"]
    assert units == {"gold": 10, "topic": 7, "trial": 2}
    compared = run(
        "chronoscore compare timelines demo/gold.jsonl a=demo/careful.jsonl b=demo/quick.jsonl "
        "b=demo/lead.jsonl -m AR-1"
    )
    assert compared.exit_code == 0, compared.output


def test_own_functions_are_named_by_their_file(demo: Path) -> None:
    (demo / "own_kernels.py").write_text(
        "import numpy as np\n\ndef week(distance):\n    return np.maximum(0, 1 - distance / 7)\n",
        encoding="utf-8",
    )
    line = "chronoscore timelines demo/gold.jsonl demo/quick.jsonl -m 'align(kernel=%s:week)'"
    done = run(line % "./own_kernels.py")
    assert done.exit_code == 0, done.output
    asked = CliRunner().invoke(command, shlex.split(line % "own_kernels")[1:])
    assert "for a file of your own: ./own_kernels.py:week" in str(asked.exception)


def test_the_demo_prints_the_commands_of_its_reports_and_says_how_to_open_them(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "1")  # no display
    monkeypatch.setenv("COLUMNS", "1000")
    done = run("chronoscore demo --report reports --open")
    screen = next(part for part in done.stdout.split("\n\n") if "$ chronoscore annotations" in part)
    (line,) = (line for line in screen.splitlines() if line.startswith("$ chronoscore annotations"))
    signature = next(line for line in screen.splitlines() if line.startswith("signature"))
    assert signature in run(line.removeprefix("$ ")).stdout
    *_, last = done.stdout.splitlines()
    assert last.startswith("The reports are in reports; open them in a browser: timelines.html, ")
