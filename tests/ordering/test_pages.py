"""What the pages of the ordering side show can be typed as it stands."""

import re
import shlex
from pathlib import Path

import pytest
from readers.command_line import FINE, run

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("ordering", "tlinks", "coreference")
COMMANDS = [
    pytest.param(line, id=line)
    for page in PAGES
    for block in re.findall(r"```console\n(.*?)```", (DOCS / f"{page}.md").read_text("utf-8"), re.S)
    for line in re.findall(r"^\$ chronoscore (.*)$", block, re.M)
]
TIMELINE = "title\n1\t2008-01-01\ta\n2\t2008-01-02\tb\n"
TIMEML = (
    '<TimeML><TEXT><EVENT eid="e1">x</EVENT><EVENT eid="e2">y</EVENT></TEXT>'
    '<MAKEINSTANCE eiid="ei1" eventID="e1"/><MAKEINSTANCE eiid="ei2" eventID="e2"/>'
    '<TLINK eventInstanceID="ei1" relatedToEventInstance="ei2" relType="BEFORE"/></TimeML>'
)
LINKS = "d\t0\t4\tE1\t1\tPER\nd\t9\t12\tNIL1\t1\tPER\n"
CONLL = "#begin document (d); part 000\nd 0 0 a (1)\nd 0 1 b (1)\n#end document\n"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the demo data, where what pages call GOLD_FOLDER and the like is there."""
    monkeypatch.chdir(tmp_path)
    assert run("demo", "--data", "demo").code == FINE
    return tmp_path


def placed(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_of_the_pages_run(line: str, desk: Path) -> None:
    if line.startswith("ordering"):
        placed(desk, {"GOLD_FOLDER/x.txt": TIMELINE, "RUN_FOLDER/x.txt": TIMELINE})
        placed(desk, {f"RUNS_FOLDER/{run}/x.txt": TIMELINE for run in ("one", "two")})
    placed(desk, {"GOLD_FOLDER/DOC.tml": TIMEML, "SYSTEM_FOLDER/DOC.tml": TIMEML})
    placed(desk, {"GOLD.conll": CONLL, "RUN.conll": CONLL})
    placed(desk, {"GOLD.tsv": LINKS, "RUN.tsv": LINKS})
    ran = run(*shlex.split(line))
    assert ran.code == FINE, ran.err


def test_pages_show_commands() -> None:
    assert len(COMMANDS) >= 3 * len(PAGES)


def test_the_python_of_the_page_on_links_runs(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, source in (("gold", "gold"), ("ours", "careful")):
        text = (desk / "demo" / f"{source}.jsonl").read_text(encoding="utf-8")
        placed(desk, {f"{name}.jsonl": text})
    (block,) = re.findall(r"```python\n(.*?)```", (DOCS / "tlinks.md").read_text("utf-8"), re.S)
    exec(compile(block, "block", "exec"), {})
    assert "AFTER" in capsys.readouterr().out
