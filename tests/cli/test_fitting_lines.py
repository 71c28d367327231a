"""What verbs print by default fits a terminal, and is short enough to be read."""

import contextlib
import io
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from readers.command_line import call

from chronoscore import __version__
from chronoscore.cli.main import VERBS, command, find_verb
from chronoscore.cli.output import print_notices, tell_all
from chronoscore.core.names import Signature
from chronoscore.demo import data_files
from chronoscore.reports.terminal import text_width

WIDTH = 80
GOLD = "demo/gold.jsonl"
SYSTEMS = "demo/careful.jsonl demo/quick.jsonl demo/lead.jsonl"
ALL = f"{GOLD} {SYSTEMS}"
EVENTS = "--events demo/careful.jsonl --events demo/quick.jsonl --events demo/lead.jsonl"
MORE = (
    f"timelines {ALL} --interval auto",
    f"timelines {ALL} --by topic --interval bootstrap",
    f"timelines {ALL} --full",
    f"timelines {ALL} -m date-distance -m AR-1",
    f"timelines {ALL} --all-variants",
    f"timelines {ALL} --published crisis --counts",
    f"timelines {ALL} --published timeline17",
    f"timelines {ALL} --floor demo/articles.jsonl --ceiling --seed 7",
    f"timelines {ALL} --explain all --save saved/timelines.json",
    f"ordering {ALL} --interval auto --explain chernobyl",
    f"tlinks {ALL} --interval auto --explain chernobyl",
    f"coreference {ALL} --interval auto",
    f"coreference {ALL} --interval auto --full",
    f"annotations {ALL} --interval auto --thresholds 11 --by type --confusion --counts",
    f"annotations {ALL} --also error-rate --also span-loss",
    f"annotations {GOLD} demo/careful.jsonl --reference demo/quick.jsonl",
    "candidates demo/places.jsonl demo/linked.jsonl --feature link --cut rank --matches",
    f"annotators {ALL} --labels",
    "rubric demo/judgements.csv demo/judge.csv --interval auto --by evaluator",
    "rubric demo/judgements.csv --full",
    f"rubric dates demo/judgements.csv {EVENTS} --articles demo/articles.jsonl",
    "agreement demo/judgements.csv demo/judge.csv --by article --windows 2",
    "calibrate demo/judgements.csv demo/judge.csv --judge model-j",
    f"correlate saved/timelines.json --people demo/judgements.csv {EVENTS} --level event",
    "correlate saved/timelines.json --people demo/judgements.csv",
    f"compare timelines {ALL}",
    f"compare timelines {ALL} --details",
    f"compare coreference {ALL} --baseline quick",
    f"compare annotations {ALL} --by type",
    "compare rubric demo/judgements.csv",
    f"evaluate {ALL} --judgements demo/judgements.csv --interval auto",
    f"evaluate {ALL} --judgements demo/judgements.csv --by-event --full --save saved/all.json",
    "show saved/timelines.json --by topic",
    "show saved/all.json",
    "merge saved/timelines.json",
    "leaderboard saved/timelines.json -o site",
    f"metric-tests {GOLD}",
    "validate demo/gold.jsonl",
    "metrics --family annotations",
    "metrics AR-1",
    "demo",
)
"""Commands beyond the examples of the help, in the order in which they build on each other."""
RAW = ("judge", "completion", "convert", "rubric convert", "tlinks convert")
"""Verbs that print what other programs or models are given, which must not be wrapped."""


def examples(name: str) -> Iterator[str]:
    """The commands in the help of a verb."""
    epilog = (find_verb(name).epilog or "").replace("\\\n", " ")
    for line in epilog.splitlines():
        if line.startswith("  chronoscore "):
            yield line.removeprefix("  chronoscore ")


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the data of the demo, and a terminal of the usual width."""
    (tmp_path / "demo").mkdir()
    (tmp_path / "saved").mkdir()
    for source in data_files():
        (tmp_path / "demo" / source.name).write_bytes(source.read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    return tmp_path


def too_wide(text: str, width: int = WIDTH) -> list[str]:
    """The lines that a terminal would wrap, but those of one word that can't be broken."""
    lines = [line for line in text.splitlines() if text_width(line) > width]
    return [line for line in lines if not re.fullmatch(r"\s*\S*[/=]\S*", line)]


def printed(line: str) -> str:
    ran = call(*shlex.split(line))
    assert ran.code == 0, (line, ran.err)
    return ran.out + ran.err


def test_no_line_of_any_verb_is_wider_than_the_terminal(demo: Path) -> None:
    for name in VERBS:
        assert too_wide(printed(f"{name} --help")) == [], name
        for line in examples(name):
            if not name.startswith(("serve", "demo")):
                text = printed(line)
                assert name in RAW or "--format" in line or too_wide(text) == [], line
    for line in MORE:
        assert too_wide(printed(line)) == [], line


@pytest.mark.parametrize("width", [48, 60, 120])
def test_tables_fit_narrow_and_wide_terminals(
    width: int, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    names = " ".join(f"a-long-name-of-a-system-{n}=demo/quick.jsonl" for n in range(12))
    chinese = "时间线系统=demo/careful.jsonl"
    for line in (
        f"timelines {GOLD} {names} {chinese} --interval auto -m AR-1 -m date-distance --by topic",
        f"coreference {GOLD} {chinese} demo/quick.jsonl --interval auto --full",
        f"compare annotations {GOLD} {chinese} demo/quick.jsonl --details",
        f"evaluate {GOLD} {names} {chinese} --interval auto",
        "agreement demo/judgements.csv --windows 2",
    ):
        assert too_wide(printed(line), width) == [], line


@pytest.mark.parametrize("option", ["", "--interval auto"])
def test_three_systems_take_at_most_twenty_lines(option: str, demo: Path) -> None:
    ran = call("timelines", *ALL.split(), *option.split())
    assert len(ran.out.splitlines()) <= 20
    first = ran.out.splitlines()[4].split()
    assert first[:2] == ["careful", "0.617"]  # the main score comes first


def test_two_compared_systems_take_fewer_than_25_lines(demo: Path) -> None:
    shown = printed(f"compare timelines {GOLD} demo/careful.jsonl demo/quick.jsonl")
    assert len(shown.splitlines()) < 25
    assert re.search(r"careful +0.617 a ±.135 .*\nquick +0.276 b ±.065 ", shown)
    assert "How to read this." in shown
    assert "which topics decided careful" not in shown
    details = f"compare timelines {GOLD} demo/careful.jsonl demo/quick.jsonl --details"
    assert "AR-1: which topics decided careful against quick" in printed(details)


def test_the_demo_has_a_screen_for_each_question_and_ends_with_commands_that_run(
    demo: Path,
) -> None:
    done = CliRunner().invoke(command, ["demo"])  # notices in their place among the tables
    *questions, further = done.output.split("\n\n")
    assert len(questions) == 5
    assert all(len(question.splitlines()) <= 25 for question in questions)
    title, *commands = further.replace("\\\n", " ").splitlines()
    assert title == "What to try next"
    assert 2 <= len(commands) <= 4
    shutil.rmtree("demo")
    for line in commands:
        printed(line.removeprefix("$ chronoscore "))


def test_notices_follow_the_table_and_equal_ones_are_printed_once(demo: Path) -> None:
    done = CliRunner().invoke(command, ["timelines", *ALL.split(), "--save", "saved/a.json"])
    *table, first, second = done.output.splitlines()
    assert table[0] == "timelines: 10 golds, 7 topics"
    assert first.startswith("notice: lead: no prediction for 1 topic")
    assert second == "notice: saved saved/a.json"
    tell_all(["equal", "other", "equal"])
    with contextlib.redirect_stderr(io.StringIO()) as err:
        print_notices()
        print_notices()
    assert err.getvalue() == "notice: equal\nnotice: other\n"


def test_what_is_undefined_takes_one_line(demo: Path) -> None:
    shown = call("timelines", *ALL.split()).out
    (line,) = (line for line in shown.splitlines() if "undefined, " in line)
    assert "lead AR-1, AR-2, Date-F1 (precision in 1 of 10 cases)" in line


def test_the_short_signature_is_that_of_the_whole_signatures(demo: Path) -> None:
    shown = call("timelines", *ALL.split(), "--save", "saved/a.json").out
    short, *others = filter(None, printed("show saved/a.json --signature").splitlines())
    assert f"signature {short} (whole: --full)" in shown
    assert re.fullmatch(rf"timelines:news-tls#[0-9a-f]{{8}} v{re.escape(__version__)}", short)
    assert [line.split(": ")[0] for line in others[::2]] == ["careful", "quick", "lead"]
    assert all(Signature.parse(line).version == __version__ for line in others[1::2])
    other = call("timelines", *ALL.split(), "--undefined", "skip").out
    assert short not in other


def test_an_explanation_shows_the_words_of_matched_days(demo: Path) -> None:
    shown = printed(f"timelines {GOLD} demo/quick.jsonl -m AR-1 --explain suez-canal-blockage")
    assert "2021-03-23: same day; precision 3 of 3, recall 3 of 9" in shown
    assert "predicted  Ever Given runs aground in the canal." in shown
    assert "2021-03-28 with 2021-03-27: nothing shared" in shown


@pytest.mark.parametrize(
    ("environment", "is_bold"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
    ids=["terminal", "NO_COLOR", "dumb"],
)
def test_a_terminal_gets_bold_unless_it_wants_none(
    environment: dict[str, str], is_bold: bool, demo: Path
) -> None:
    words = ["-m", "chronoscore", "timelines", *ALL.split(), "-m", "AR-1", "--explain", "chernobyl"]
    shown = on_terminal([sys.executable, *words], {"TERM": "xterm", **environment})
    assert ("\x1b[1m0.617\x1b[0m" in shown) is is_bold
    assert ("shared words are bold" in shown) is is_bold
    assert ("\x1b" in shown) is is_bold


def on_terminal(words: list[str], environment: dict[str, str]) -> str:
    """What a command prints to a terminal."""
    ours, theirs = pty.openpty()
    unset = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with subprocess.Popen(
        words, stdin=theirs, stdout=theirs, stderr=theirs, env={**unset, **environment}
    ) as process:
        os.close(theirs)
        pieces = []
        with contextlib.suppress(OSError):  # how the end of a terminal is told
            while piece := os.read(ours, 65536):
                pieces.append(piece)
        os.close(ours)
    assert process.returncode == 0
    return b"".join(pieces).decode()
