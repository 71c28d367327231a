"""Pages that come from the code are up to date, and what the docs name exists."""

import re
import unicodedata
from functools import cache
from itertools import chain, count
from pathlib import Path

import pytest

from chronoscore.cli.main import VERBS
from scripts.prove import CHECKS, recorded
from scripts.run_examples import DOCS, ROOT, all_pages, fences, name_of
from scripts.write_docs import pages


@pytest.mark.parametrize("path", list(pages()), ids=lambda path: path.name)
def test_generated_pages_are_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == pages()[path], "run `make reference`"


def test_the_page_of_proof_shows_a_run_of_every_check_that_succeeded() -> None:
    page = (DOCS / "proof.md").read_text(encoding="utf-8")
    assert re.findall(r"<!-- proof: (\w+) -->", page) == [*CHECKS]
    codes = {name: one.exit_code for name, one in recorded().items()}
    assert codes | {"tests": 0} == dict.fromkeys(CHECKS, 0)  # one run of the tests is the first


def test_every_page_is_in_the_navigation() -> None:
    lines = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").splitlines()
    named = [line.split()[-1] for line in lines if line.strip().startswith("- ")]
    for page in DOCS.rglob("*.md"):
        assert page.relative_to(DOCS).as_posix() in named


def prose(page: Path) -> str:
    """The text of a page without its code and comments."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for start, end, _ in list(fences(lines)):
        lines[start : end + 1] = [""] * (end + 1 - start)
    return re.sub(r"<!--.*?-->", "", "\n".join(lines), flags=re.DOTALL)


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, by the rules of mkdocs."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.*)$", prose(page), re.MULTILINE):
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading)
        plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
        slug = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())
        copies = (f"{slug}_{number}" for number in count(1))
        found.add(next(name for name in chain([slug], copies) if name not in found))
    return found | set(re.findall(r"^::: (\S+)$", prose(page), re.MULTILINE))


@pytest.mark.parametrize("page", [*all_pages(), ROOT / "CONTRIBUTING.md"], ids=name_of)
def test_links_and_pictures_of_a_page_lead_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", prose(page))
    targets = re.findall(r"\]\(([^)\s]+)[^)]*\)", text)
    targets += re.findall(r'(?:src|href|srcset)="([^"]+)"', text)
    for target in targets:
        path, _, anchor = target.partition("#")
        if "://" in target or path.startswith("mailto:"):
            continue
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), target
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there), target


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
