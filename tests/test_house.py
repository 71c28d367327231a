"""The plan of the house: imports go one way, files stay small, every family has the same rooms."""

import ast
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1] / "src" / "chronoscore"
ROOMS = (
    "core",
    "elements",
    "statistics",
    "engines",
    "timelines",
    "ordering",
    "annotations",
    "rubric",
    "evaluation",
    "reports",
    "compat",
    "demo",
    "workbench",
    "cli",
)
FAMILIES = ("timelines", "ordering", "annotations", "rubric")
MODULES = sorted(path for path in HOME.rglob("*.py"))


def imports(path: Path) -> set[str]:
    """The rooms that a module imports from, at its top or inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            if node.module == "chronoscore":
                names.update(f"chronoscore.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
    inside = (name.split(".") for name in names if name.startswith("chronoscore."))
    return {parts[1] for parts in inside if parts[1] in ROOMS}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(HOME)))
def test_a_room_uses_only_rooms_above_it(path: Path) -> None:
    room = path.relative_to(HOME).parts[0]
    if room not in ROOMS:
        return  # the front doors: __init__, api, families
    above = ROOMS[: ROOMS.index(room) + 1]
    used = imports(path)
    assert used <= set(above)
    if room in FAMILIES:
        assert not used & (set(FAMILIES) - {room}), "no family knows another"


def test_every_room_is_known() -> None:
    folders = {path.parent.relative_to(HOME).parts[0] for path in MODULES if path.parent != HOME}
    assert folders == set(ROOMS)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(HOME)))
def test_a_file_holds_one_concept(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 350


@pytest.mark.parametrize("family", FAMILIES)
def test_families_have_the_same_rooms(family: str) -> None:
    rooms = {path.stem for path in (HOME / family).iterdir()}
    assert {"__init__", "family", "formats", "metrics"} <= rooms
