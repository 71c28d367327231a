"""The examples of every page run, print what the page shows, and import only what they use."""

import ast
from pathlib import Path

import pytest

from scripts.run_examples import (
    ROOT,
    Block,
    ExampleError,
    all_pages,
    difference,
    name_of,
    read_blocks,
    run_page,
)

_SERVES = "it serves pages until you stop it"
_ASKS = "it asks a model server, which most machines don't have"
NOT_RUN: dict[str, list[str]] = {
    "docs/guides/annotation-lead.md": [_SERVES],
    "docs/workbench.md": [_SERVES],
    "docs/guides/judge-models.md": [_ASKS],
    "docs/judge.md": [_ASKS],
    "docs/tutorial.md": ["a download"],
    "docs/fits-in.md": [
        *2 * ["needs the package evaluate; make adapters runs it"],
        *2 * ["needs the package inspect_ai; make adapters runs it"],
    ],
}
"""The reasons for which blocks of a page do not run, in their order."""
PAGES = [
    # Each page may run in another process.
    pytest.param(page, id=name_of(page), marks=pytest.mark.xdist_group(name_of(page)))
    for page in all_pages()
]


def blocks_of(page: Path) -> list[Block]:
    return read_blocks(page, page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES)
def test_examples_print_what_the_page_shows(page: Path) -> None:
    changes = difference(page, run_page(page))
    assert not changes, f"run `python -m scripts.run_examples {name_of(page)}`\n{changes}"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_an_example_that_runs(page: Path) -> None:
    assert any(not block.not_run for block in blocks_of(page))


def test_only_listed_blocks_do_not_run() -> None:
    reasons = {
        name_of(page): [block.not_run for block in blocks_of(page) if block.not_run]
        for page in all_pages()
    }
    assert {page: found for page, found in reasons.items() if found} == NOT_RUN


@pytest.mark.parametrize("page", PAGES)
def test_python_of_a_page_imports_only_what_it_uses(page: Path) -> None:
    trees = [
        ast.parse("\n".join(block.body)) for block in blocks_of(page) if block.language == "python"
    ]
    used = {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    assert (alias.asname or alias.name).partition(".")[0] in used


def written(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


def test_outputs_of_commands_and_of_python_are_written(tmp_path: Path) -> None:
    page = written(
        tmp_path,
        "<!-- set up: echo 1 > x -->\n```console\n$ cat x | cat\nold\n$ chronoscore --version\n"
        '```\n\n    ```python\n    print("x\\n\\ny")\n    ```\n\nEnd.\n',
    )
    from chronoscore import __version__

    assert run_page(page) == (
        "<!-- set up: echo 1 > x -->\n```console\n$ cat x | cat\n1\n$ chronoscore --version\n"
        f"chronoscore {__version__}\n"
        '```\n\n    ```python\n    print("x\\n\\ny")\n    ```\n\n'
        '    ```text title="Output"\n    x\n\n    y\n    ```\n\nEnd.\n'
    )


def test_an_output_that_is_no_longer_printed_goes(tmp_path: Path) -> None:
    page = written(
        tmp_path,
        '```python\nx = 1\n```\n\n```text title="Output"\nold\n```\n\n```text\nstays\n```\n',
    )
    assert run_page(page) == "```python\nx = 1\n```\n\n```text\nstays\n```\n"


def test_a_page_that_was_written_does_not_change_again(tmp_path: Path) -> None:
    page = written(
        tmp_path,
        "<!-- shows: first 2 lines -->\n```console\n$ chronoscore --help\n$ cat <<END\na\nEND\n"
        "```\n<!-- shows: nothing -->\n```python\nprint(1)\n```\n",
    )
    page.write_text(run_page(page), encoding="utf-8")
    assert "\n...\n$ cat <<END\na\nEND\na\n```\n" in page.read_text(encoding="utf-8")
    assert not difference(page, run_page(page))


def test_stdout_and_stderr_stand_in_the_order_of_a_terminal(tmp_path: Path) -> None:
    page = written(
        tmp_path,
        "<!-- exits: 1 -->\n```console\n"
        "$ chronoscore timelines demo/gold.jsonl demo/quick.jsonl -m AR-1 --fail-under 0.9\n```\n",
    )
    lines = run_page(page).splitlines()
    assert lines[3].startswith("timelines: ")
    assert "0.9" in lines[-2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```console\n$ false\n```\n", "page.md:1: exit code 1, not 0: false"),
        ("a\n```console\n$ chronoscore nothing\n```\n", "page.md:2: exit code 2, not 0"),
        ("<!-- exits: 3 -->\n```console\n$ true\n```\n", "page.md:2: exit code 0, not 3"),
        ("<!-- exits: 3 -->\n```console\n$ false\n$ true\n```\n", "exit code 1, not 0: false"),
        ("<!-- set up: false -->\n```python\n```\n", "page.md:2: set up ends with exit code 1"),
        ("<!-- shows: some -->\n```console\n```\n", "page.md:2: this comment is not understood"),
        ("<!-- show: nothing -->\n```console\n```\n", "page.md:2: this comment is not understood"),
        ("\n```python\n1\n1 / 0\n```\n", "page.md:2: line 4: ZeroDivisionError"),
        ("```python\n(\n```\n", "page.md:1: SyntaxError"),
        ("```console\n$ pwd -P\n```\n", "the output names the temporary folder"),
        ("```console\n$ pip install .\n```\n", "page.md:1: this would change the machine"),
        ("```console\n$ echo '```'\n```\n", "the output would end the block"),
        ("```console\n$ echo '$ x'\n```\n", "the output has a line that looks like a command"),
    ],
)
def test_what_does_not_run_is_named_with_its_page_and_line(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(ExampleError) as caught:
        run_page(written(tmp_path, text))
    assert message in str(caught.value)


def test_a_block_within_a_longer_fence_is_no_example(tmp_path: Path) -> None:
    inner = "````markdown\n```console\n$ false\n```\n````\n"
    text = inner + "<!-- not run: why -->\n```console\n$ no\n```\n"
    page = written(tmp_path, text)
    assert run_page(page) == text
    assert [block.not_run for block in read_blocks(page, text)] == ["why"]


def test_examples_leave_the_repository_alone() -> None:
    assert not (ROOT / "demo").exists()
