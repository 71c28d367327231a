"""Documents that someone or something has changed: a clear error or right output, no traceback."""

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run

from chronoscore.demo import home

MUTATIONS = 6
"""Of each document; `make fuzz` tries many more."""
ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        0,
        -1,
        1,
        0.5,
        1e300,
        -1e300,
        10**18,
        10**400,
        "",
        "x",
        "\x00",
        "curve",
        "median",
    ),
    *([], {}, [[]], [None], {"": ""}, "1e999", "align(kernel=os:getcwd)", "best", "skip", "micro"),
)
Way = tuple[Any, ...]


def places(value: Any, way: Way = ()) -> Iterator[Way]:
    """All places of a document."""
    if way:
        yield way
    inside: Any = ()
    if isinstance(value, dict | list):
        inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in inside:
        yield from places(one, (*way, key))


def mutated(document: Any, chance: random.Random) -> tuple[Any, str]:
    """A copy with something else in one to three places, and what was done."""
    made = json.loads(json.dumps(document))
    done = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        ways = [*places(made)]
        way = chance.choice(ways)
        # Most places are deep in the rows: half the time take one near the root.
        if chance.random() < 0.5:
            way = chance.choice([one for one in ways if len(one) <= chance.choice((1, 3, 5))])
        inside = made
        for key in way[:-1]:
            inside = inside[key]
        done.append(f"{_change(inside, way[-1], chance)} at {way}")
    return made, "; ".join(done)


def _change(inside: Any, key: Any, chance: random.Random) -> str:
    value = inside[key]
    kind = chance.choice(("delete", "replace", "nudge", "cut", "double", "swap"))
    if kind == "delete":
        del inside[key]
    elif kind == "nudge" and type(value) in (int, float):
        inside[key] = value + chance.choice((1, -1, 0.25, 1e-3))
    elif kind == "nudge" and isinstance(value, str):
        inside[key] = value[:-1] if chance.random() < 0.5 else value + "x"
    elif kind == "cut" and isinstance(value, list):
        inside[key] = value[: len(value) // 2]
    elif kind == "double" and isinstance(value, list) and value:
        inside[key] = [*value, chance.choice(value)]
    elif kind == "double" and isinstance(inside, list):
        inside.append(value)
    elif kind == "swap" and isinstance(inside, dict) and len(inside) > 1:
        other = chance.choice([one for one in inside if one != key])
        inside[key], inside[other] = inside[other], inside[key]
    else:
        kind, inside[key] = "replace", chance.choice(ODD)
    return kind


GOLD, SHEET = home() / "gold.jsonl", home() / "judgements.csv"
SYSTEMS = [home() / f"{name}.jsonl" for name in ("careful", "quick", "lead")]
DAYS = ["--unit", "day"]
SAVED: dict[str, list[object]] = {
    "timelines": ["timelines", GOLD, *SYSTEMS, "--by", "topic", "--interval", "auto"],
    "days": [
        "timelines",
        GOLD,
        *SYSTEMS[:2],
        "-m",
        "date-f1",
        "--interval",
        "auto",
        "--unit",
        "day",
    ],
    "ordering": ["ordering", GOLD, *SYSTEMS[:2]],
    "values": ["annotations", GOLD, *SYSTEMS[:2], "-m", "spans", "--by", "type"],
    "curve": ["annotations", GOLD, *SYSTEMS[:2], "-m", "spans-curve", "-m", "spans"],
    "rubric": ["rubric", SHEET, "--interval", "auto"],
    "evaluation": ["evaluate", GOLD, *SYSTEMS[:2], "--judgements", SHEET],
}
PRINTED: dict[str, list[object]] = {
    "contrast": ["compare", "timelines", GOLD, *SYSTEMS[:2]],
    "calibration": ["calibrate", SHEET, home() / "judge.csv", "--judge", "model-j"],
    "correlation": ["correlate", "timelines.json", "--people", SHEET],
    "agreement": ["agreement", SHEET],
}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a document of each kind."""
    folder = tmp_path_factory.mktemp("documents")
    for name, words in SAVED.items():
        assert run(*words, "--save", folder / f"{name}.json").code == FINE
    for name, words in PRINTED.items():
        given = [folder / word if word == "timelines.json" else word for word in words]
        ran = run(*given, "--format", "json")
        assert ran.code == FINE, ran.err
        (folder / f"{name}.json").write_text(ran.out, encoding="utf-8")
    return folder


def calls(path: Path, other: Path, folder: Path) -> dict[str, Callable[[], list[object]]]:
    site = folder / "site"
    return {
        "show": lambda: ["show", path],
        "plain": lambda: ["show", path, "--format", "plain"],
        "csv": lambda: ["show", path, "--format", "csv"],
        "latex": lambda: ["show", path, "--format", "latex"],
        "explain": lambda: ["show", path, "--explain", "all"],
        "report": lambda: ["show", path, "--report", folder / "r.html"],
        "against": lambda: ["show", path, "--compare", other],
        "compare": lambda: ["compare", path],
        "merge": lambda: ["merge", path, "--save", folder / "m.json"],
        "leaderboard": lambda: ["leaderboard", path, "-o", site],
        "validate": lambda: ["validate", path],
    }


@pytest.mark.parametrize("name", [*SAVED, *PRINTED])
def test_a_mutated_document_is_reported_where_its_checksum_knows_and_never_crashes(
    name: str, documents: Path, tmp_path: Path
) -> None:
    chance = random.Random(name)
    whole = json.loads((documents / f"{name}.json").read_text(encoding="utf-8"))
    path = tmp_path / "odd.json"
    for ending in (".matches.jsonl", ".texts.jsonl"):
        beside = documents / f"{name}{ending}"
        if beside.exists():
            (tmp_path / f"odd{ending}").write_bytes(beside.read_bytes())
    for number in range(MUTATIONS):
        document = dict(whole)
        if number % 5:  # as an older version wrote it: else the checksum finds nearly all
            document.pop("checksum", None)
        made, done = mutated(document, chance)
        path.write_text(json.dumps(made), encoding="utf-8")
        sealed = "checksum" in made and made != document
        verbs = calls(path, documents / "timelines.json", tmp_path)
        for verb in ("show", "validate", *chance.sample(sorted(verbs), 2)):
            try:
                ran = run(*verbs[verb]())
            except Exception as error:
                raise AssertionError(f"{name}, {verb}: {done}") from error
            assert ran.code in (FINE, USAGE, BAD_DATA), (done, verb)
            if ran.code == FINE:
                assert not sealed or "the checksum is wrong" in ran.err, (done, verb)
                assert not (sealed and verb == "validate"), done
                assert ran.out, (done, verb)
            else:
                assert ran.problems, (done, verb)
                assert not re.search(r"Error\b", ran.err), (done, verb, ran.err)
