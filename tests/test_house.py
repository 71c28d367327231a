"""The plan of the house: imports go one way, every family has the same rooms."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from every import each

from scripts.measure_house import package_sizes

HOME = Path(__file__).parents[1] / "src" / "chronoscore"
DOCS = HOME.parents[1] / "docs"
FAMILIES = ("timelines", "events", "ordering", "annotations", "rubric")
ROOMS = (
    *("errors", "statistics", "core", "elements", "engines", "reports", "interface"),
    *FAMILIES,
    "families",  # the front door to the families: what is above never asks for one by its name
    *(
        "evaluation",
        "api",
        "compat",
        "reproduction",
        "demo",
        "testing",
        "pytest_plugin",
        "workbench",
        "cli",
    ),
    *("__main__", "__init__"),
)
"""Folders and single modules; a room uses only itself and the rooms above it."""
MODULES = {
    ".".join(("chronoscore", *path.relative_to(HOME).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in sorted(HOME.rglob("*.py"))
}
_NAMED = re.compile(r"chronoscore((\.\w+)*)(:\w+)?")
_BY_NAME = ("import_module", "__import__", "late")


@cache
def parsed(text: str) -> ast.Module:
    """The tree of a text, which several tests walk."""
    return ast.parse(text)


def room_of(module: str) -> str:
    """The room of a module: its folder, or itself where it stands alone.

    >>> room_of("chronoscore.core.names"), room_of("chronoscore.api"), room_of("chronoscore")
    ('core', 'api', '__init__')
    """
    return [*module.split("."), "__init__"][1]


def imported(text: str, module: str) -> Iterator[str]:
    """The modules of ours that a module's text imports, wherever and however it does so.

    By statements at its top, in functions and under TYPE_CHECKING, relative ones too; and by
    name: every string that is the name of a module of ours counts, as calls of `import_module`
    and tables of late imports have them.
    """
    package = module if MODULES.get(module, HOME).stem == "__init__" else module.rpartition(".")[0]
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            up = package.rsplit(".", node.level - 1)[0] if node.level else ""
            base = ".".join(filter(None, (up, node.module)))
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                if inner in MODULES:
                    yield inner
                elif (base, alias.name) != ("chronoscore", "__version__"):
                    yield base
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # The beginning of an f-string, such as "chronoscore.cli.", names the room as well.
            found = _NAMED.fullmatch(node.value.removesuffix("."))
            if found and f"chronoscore{found[1]}" in MODULES and found[1]:
                yield f"chronoscore{found[1]}"


def composed(text: str) -> list[int]:
    """The lines that import a module by a name whose room is put together as the program runs."""
    return [
        node.lineno
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) in _BY_NAME
        and node.args
        and isinstance(node.args[0], ast.JoinedStr | ast.BinOp)
        and not re.match(r"f.chronoscore\.\w+\.", ast.unparse(node.args[0]))
    ]


def used_rooms(text: str, module: str) -> set[str]:
    names = {name for name in imported(text, module) if name.split(".")[0] == "chronoscore"}
    return {room_of(name) for name in names} - {room_of(module)}


@each("module", MODULES)
def test_a_room_uses_only_rooms_above_it(module: str) -> None:
    room, text = room_of(module), MODULES[module].read_text(encoding="utf-8")
    assert not composed(text), "write the whole names of modules, in a table if there are several"
    above = set(ROOMS[: ROOMS.index(room)])
    used = used_rooms(text, module)
    assert used <= above
    if room in FAMILIES:
        assert not used & set(FAMILIES), "no family knows another"


def test_reports_name_no_family() -> None:
    words = re.compile(rf"\b({'|'.join((*FAMILIES, 'tlinks', 'coreference'))})\b")
    for module, path in MODULES.items():
        if room_of(module) == "reports":
            tree = parsed(path.read_text(encoding="utf-8"))
            names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            strings = {
                node.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
                if " " not in node.value
            }
            assert not {name for name in names | strings if words.fullmatch(name)}, module


@pytest.mark.parametrize(
    ("text", "room"),
    [
        ("import chronoscore.reports.table", "reports"),
        ("from chronoscore.reports import table", "reports"),
        ("from chronoscore import families", "families"),
        ("from chronoscore import score", "__init__"),
        ("def f():\n    from chronoscore.rubric import FAMILY", "rubric"),
        ("if TYPE_CHECKING:\n    from chronoscore.cli.main import main", "cli"),
        ("from ..timelines import family", "timelines"),
        ("from .. import api", "api"),
        ("import_module('chronoscore.workbench.serving')", "workbench"),
        ("__import__('chronoscore.ordering')", "ordering"),
        ("pages = late('chronoscore.annotations.family:FAMILY')", "annotations"),
        ("_HOMES = {'score': 'chronoscore.api'}", "api"),
        ("import_module(f'chronoscore.cli.{name}')", "cli"),
    ],
)
def test_an_import_is_seen_in_every_form(text: str, room: str) -> None:
    assert used_rooms(text, "chronoscore.core.names") == {room}


def test_the_version_may_be_asked_for_everywhere() -> None:
    assert not used_rooms("from chronoscore import __version__", "chronoscore.core.names")


def test_a_name_that_is_put_together_is_seen() -> None:
    assert composed("import_module(f'chronoscore.{name}')") == [1]
    assert composed("import_module(__name__ + name)") == [1]
    assert not composed("import_module(f'chronoscore.cli.{name}')")
    assert not composed("import_module(HOMES[name])")


def test_every_room_is_known() -> None:
    assert {room_of(module) for module in MODULES} == set(ROOMS)


@pytest.mark.parametrize("family", FAMILIES)
def test_families_have_the_same_rooms(family: str) -> None:
    rooms = {path.stem for path in (HOME / family).iterdir()}
    assert {"__init__", "family", "metrics", "pages"} <= rooms
    # Dated texts have readers that two families share.
    assert ("formats" in rooms) != (family in ("timelines", "events"))


def test_a_class_name_stands_for_one_thing() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for module, path in MODULES.items():
        for node in parsed(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(module)
    twice = {name: modules for name, modules in homes.items() if len(modules) > 1}
    # tilse names its class so, and scripts written for it import that name.
    assert twice.pop("Timeline", []) == [
        "chronoscore.compat.tilse.data.timelines",
        "chronoscore.elements.dated.model",
    ]
    assert not twice


def missing(name: str) -> bool:
    """Whether a dotted name, such as `core.case.Case`, is no module and nothing that one defines.

    >>> [missing(name) for name in ("core.case", "core.case.Case", "core.case.Box", "core.box")]
    [False, False, True, True]
    """
    words = name.split(".")
    parts = [words[:at] for at in range(len(words), 0, -1)]
    modules = (".".join(("chronoscore", *part)) for part in parts)
    module = next((module for module in modules if module in MODULES), None)
    if module is None:
        return True
    defined = {
        node.name
        for node in ast.walk(parsed(MODULES[module].read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    return not set(words[module.count(".") :]) <= defined


@pytest.mark.parametrize("page", ["architecture", "glossary"])
def test_a_page_names_modules_and_functions_that_exist(page: str) -> None:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    named = {
        name for name in re.findall(r"`(\w+(?:\.\w+)+)`", text) if room_of(f".{name}") in ROOMS
    }
    assert len(named) > {"architecture": 50, "glossary": 10}[page]
    assert not [name for name in sorted(named) if missing(name)]


def test_the_page_of_the_house_lists_every_room_in_order_with_its_size() -> None:
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ([\d,]+) \|", page, re.MULTILINE)
    sizes, listed = package_sizes(), []
    for names, size in rows:
        rooms = re.findall(r"\w+", names)
        listed += rooms
        counted = sum(sizes[room] for room in rooms)
        assert int(size.replace(",", "")) == pytest.approx(counted, rel=0.25, abs=50), names
    assert listed == [room for room in ROOMS if not room.startswith("__")]


def glossary_words() -> list[list[str]]:
    """The words of each table of the glossary."""
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    tables = re.split(r"^\|---.*$", text, flags=re.MULTILINE)[1:]
    return [re.findall(r"^\| (.+?) \| ", table, re.MULTILINE) for table in tables]


def test_the_glossary_has_each_word_once_in_order() -> None:
    tables = glossary_words()
    words = [word for table in tables for word in table if word != "word"]
    assert len(words) == len(set(words)) > 60
    for table in tables:
        kept = [word for word in table if word != "word"]
        assert kept == sorted(kept, key=str.lower)
