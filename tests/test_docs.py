"""Pages that come from the code are up to date, and what the docs name exists."""

import ast
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from chronoscore.cli.main import VERBS, command
from scripts.write_docs import DOCS, pages

ROOT = DOCS.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", list(pages()), ids=lambda path: path.name)
def test_generated_pages_are_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == pages()[path], "run `make reference`"


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in DOCS.glob("*.md"):
        assert page.name in navigation


@pytest.mark.parametrize("page", [*DOCS.glob("*.md"), ROOT / "README.md"], ids=lambda p: p.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_every_verb_is_called_stable_or_experimental_but_not_both() -> None:
    text = (DOCS / "stability.md").read_text(encoding="utf-8")
    stable, experimental = text.split("\n## Experimental\n")
    (row,) = (line for line in stable.splitlines() if line.startswith("| verbs"))
    named = set(re.findall(r"`([^`]+)`", row))
    rows = [line for line in experimental.splitlines() if line.startswith("| verb")]
    others = {name for line in rows for name in re.findall(r"`([a-z ]+|metric-tests)`", line)}
    assert named | others == {*VERBS}
    assert not named & others


def test_version_is_the_same_everywhere() -> None:
    import chronoscore

    written = re.escape(chronoscore.__version__)
    for name, pattern in (
        ("pyproject.toml", rf'^version = "{written}"$'),
        ("CITATION.cff", rf"^version: {written}$"),
        ("CHANGELOG.md", rf"^## {written}"),
    ):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert re.search(pattern, text, re.MULTILINE), name


def test_readme_shows_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = re.search(r"\$ (chronoscore timelines .*?)\n(.*?)```", README, re.DOTALL)
    assert block is not None
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    CliRunner().invoke(command, ["demo", "--data", "demo"])
    done = CliRunner().invoke(command, shlex.split(block[1])[1:])
    assert done.stdout.startswith(block[2])


PYTHON_PAGES = (
    *("python.md", "metric-tests.md", "report.md"),
    *("agreement.md", "annotation-candidates.md", "evaluate.md", "judgements.md"),
    *("support.md", "tlinks.md"),
)
PYTHON_BLOCKS = [
    pytest.param(block, id=f"{page}-{number}")
    for page in PYTHON_PAGES
    for number, block in enumerate(
        re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    )
]


@pytest.mark.parametrize("block", PYTHON_BLOCKS)
def test_python_of_the_pages_runs(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, source in (("gold", "gold"), ("ours", "careful"), ("theirs", "quick")):
        text = (ROOT / "src/chronoscore/demo" / f"{source}.jsonl").read_text(encoding="utf-8")
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    saved = ["timelines", "gold.jsonl", "ours.jsonl", "--save", "run.json"]
    assert CliRunner().invoke(command, saved).exit_code == 0
    exec(compile(block, "block", "exec"), {})


@pytest.mark.parametrize("block", PYTHON_BLOCKS)
def test_python_of_the_pages_imports_only_what_it_uses(block: str) -> None:
    tree = ast.parse(block)
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert imported <= used or not used  # a page may tell where names come from, and no more
