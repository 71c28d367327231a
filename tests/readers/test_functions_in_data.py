"""Names of functions that come from data are never imported: not plain, not encoded, anywhere."""

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from readers.command_line import FINE, USAGE, run
from workbench.bench import Bench

from chronoscore import load
from chronoscore.api import metric as parsed
from chronoscore.cli.main import VERBS
from chronoscore.core.names import Signature
from chronoscore.core.result import ResultDocument
from chronoscore.demo import data_files
from chronoscore.engines.merging import merge
from chronoscore.engines.settings import Settings
from chronoscore.errors import UsageError
from chronoscore.families import family
from chronoscore.testing import assert_scores
from chronoscore.timelines import evaluate

MODULE = "functions_of_a_stranger"
FUNCTIONS = """
import numpy as np

def kernel(distance):
    return np.maximum(0, 1 - distance / 7)

def cost(comparison, weight):
    return 1 - weight

def assign(cost, distance):
    return np.argmin(cost, axis=1)

def embed(texts):
    return [[1.0, len(text)] for text in texts]

def score(gold, response):
    return 1.0

def loss(gold, response):
    return 1.0

def alike(one, other):
    return [[float(a == b) for b in other] for a in one]
"""
METRICS = {
    "timelines": (
        f"align(kernel={MODULE}:kernel)",
        f"align(cost={MODULE}:cost,assign={MODULE}:assign)",
        f"align(overlap=meaning,model={MODULE}:embed)",
    ),
    "events": (f"event-f1(similarity={MODULE}:alike)",),
    "annotations": (
        f"spans(matching=scored,alignment={MODULE}:score)",
        f"span-loss(loss={MODULE}:loss)",
    ),
}
ENCODED = {"plain": MODULE, "encoded": MODULE.replace("f", "%66").replace("s", "%73")}


@dataclass(frozen=True)
class Trap:
    """Documents that name a module which leaves a mark when it is imported."""

    folder: Path
    mark: Path

    def document(self, family: str, system: str) -> Path:
        """A saved result whose metrics name functions of the module."""
        return self.folder / f"{family}-{system}.json"

    def signature(self, family: str) -> str:
        """The signature of a saved result, as its file says it."""
        found = json.loads(self.document(family, "quick").read_text(encoding="utf-8"))
        return str(found["systems"][0]["signature"])

    def check(self) -> None:
        """Fail if the module was imported."""
        assert not self.mark.exists(), "data made a module run"
        assert MODULE not in sys.modules


@pytest.fixture
def place(request: pytest.FixtureRequest) -> str:
    """Where the module is: both in the current directory and installed, unless a test says."""
    return str(getattr(request, "param", "everywhere"))


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the demo data, and results that were scored with functions."""
    folder = tmp_path_factory.mktemp("scored")
    made, site = Trap(folder, folder / "mark"), tmp_path_factory.mktemp("site")
    (folder / "demo").mkdir()
    for file in data_files():
        (folder / "demo" / file.name).write_bytes(file.read_bytes())
    (site / f"{MODULE}.py").write_text(FUNCTIONS, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(site)
        for home, names in METRICS.items():
            metrics = [part for name in names for part in ("-m", name)]
            for system in ("quick", "careful"):
                saved = ("--save", made.document(home, system))
                ran = run(home, "demo/gold.jsonl", f"demo/{system}.jsonl", *metrics, *saved)
                assert ran.code == FINE, ran.err
    del sys.modules[MODULE]
    return folder


@pytest.fixture(params=sorted(ENCODED))
def trap(
    request: pytest.FixtureRequest,
    scored: Path,
    place: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Trap]:
    """Results that were scored with functions, whose module is then replaced."""
    made = Trap(tmp_path, tmp_path / "mark")
    shutil.copytree(scored, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    for home in METRICS:
        for system in ("quick", "careful"):
            saved = made.document(home, system)
            document = json.loads(saved.read_text(encoding="utf-8"))
            del document["checksum"]
            for one in document["systems"]:
                one["signature"] = one["signature"].replace(MODULE, ENCODED[request.param])
            saved.write_text(json.dumps(document), encoding="utf-8")
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    marking = f"open({str(made.mark)!r}, 'w').close()\n{FUNCTIONS}"
    if place != "installed":
        monkeypatch.syspath_prepend("")
        (tmp_path / f"{MODULE}.py").write_text(marking, encoding="utf-8")
    if place != "current directory":
        (site / f"{MODULE}.py").write_text(marking, encoding="utf-8")
    yield made
    sys.modules.pop(MODULE, None)


READERS = {
    "show": (
        "show timelines-quick.json",
        "show annotations-quick.json",
        "show timelines-quick.json --format plain",
        "show timelines-quick.json --signature",
        "show timelines-quick.json --compare timelines-careful.json --decided quick careful",
        "show timelines-quick.json --compare timelines-careful.json",
        "show timelines-quick.json --explain all --report page.html",
        "show annotations-quick.json --explain all --report page.html",
    ),
    "cite": ("cite timelines-quick.json", "cite annotations-quick.json --format text"),
    "compare": (
        "compare timelines-quick.json timelines-careful.json",
        "compare timelines-quick.json timelines-careful.json --report page.html",
        "compare annotations-quick.json annotations-careful.json",
    ),
    "leaderboard": ("leaderboard timelines-quick.json timelines-careful.json -o site-of-board",),
    "merge": ("merge timelines-quick.json timelines-careful.json --save merged.json",),
    "correlate": (
        "correlate timelines-quick.json timelines-careful.json --people demo/judgements.csv"
        " --level event --events demo/careful.jsonl --events demo/quick.jsonl",
    ),
}
"""Verbs that read saved results: what names a function there is shown and summarised."""
MEASURE = {
    "timelines": ("timelines demo/gold.jsonl demo/quick.jsonl",),
    "events": ("events demo/gold.jsonl demo/quick.jsonl",),
    "annotations": (
        "annotations demo/gold.jsonl demo/quick.jsonl",
        "annotations demo/gold.jsonl demo/quick.jsonl --by-type --confusion",
        "annotations demo/gold.jsonl demo/quick.jsonl --reference old=demo/careful.jsonl",
        "annotations demo/gold.jsonl demo/quick.jsonl --write-differences differences",
    ),
}
"""Verbs that measure by a signature: what names a function there is refused."""
IN_PARTS = "--engine processes --chunk 2 --work kept"
WITHOUT = {
    "evaluate",
    "events threshold",
    "ordering",
    "tlinks",
    "tlinks convert",
    "coreference",
    "candidates",
    "annotators",
    "rubric",
    "rubric template",
    "rubric dates",
    "rubric convert",
    "judge",
    "agreement",
    "calibrate",
    "metrics",
    "validate",
    "convert",
    "metric-tests",
    "reproduce",
    "serve",
    "serve backup",
    "serve restore",
    "demo",
    "completion",
}
"""Verbs whose input is events, documents or judgements, which name no metric."""


def test_every_verb_is_looked_at() -> None:
    assert {*READERS, *MEASURE} | WITHOUT == {*VERBS}


@pytest.mark.parametrize("line", [line for lines in READERS.values() for line in lines])
def test_saved_results_are_shown_and_summarised_without_their_functions(
    trap: Trap, line: str
) -> None:
    ran = run(*shlex.split(line))
    trap.check()
    assert ran.code == FINE, ran.err


@pytest.mark.parametrize(
    ("verb", "line"),
    [(verb, line) for verb, lines in MEASURE.items() for line in lines]
    + [(verb, f"{lines[0]} {IN_PARTS}") for verb, lines in MEASURE.items()],
)
def test_a_function_of_a_signature_is_refused(trap: Trap, verb: str, line: str) -> None:
    ran = run(*shlex.split(line), "--from-signature", trap.signature(verb))
    trap.check()
    assert ran.code == USAGE
    assert f"--allow-function '{MODULE}:" in ran.err


@pytest.mark.parametrize("place", ["current directory", "installed"], indirect=True)
def test_an_allowed_function_is_called_if_it_is_installed(trap: Trap, place: str) -> None:
    names = ("kernel", "cost", "assign", "embed")
    allowed = [part for name in names for part in ("--allow-function", f"{MODULE}:{name}")]
    line = ("timelines", "demo/gold.jsonl", "demo/quick.jsonl", *allowed)
    ran = run(*line, "--from-signature", trap.signature("timelines"))
    assert ran.code == (FINE if place == "installed" else USAGE)
    assert trap.mark.exists() == (place == "installed")


def test_allowing_one_function_allows_no_other(trap: Trap) -> None:
    line = ("timelines", "demo/gold.jsonl", "demo/quick.jsonl", "--allow-function", "math:sqrt")
    ran = run(*line, "--from-signature", trap.signature("timelines"))
    trap.check()
    assert ran.code == USAGE


def test_a_result_to_be_no_worse_than_calls_nothing(trap: Trap) -> None:
    saved = trap.document("timelines", "careful")
    run("timelines", "demo/gold.jsonl", "demo/quick.jsonl", "--no-worse-than", saved)
    trap.check()


def test_python_readers_call_nothing(trap: Trap) -> None:
    results: list[ResultDocument] = []
    for home, names in METRICS.items():
        result = load(trap.document(home, "quick")).document
        results.append(result)
        signature = Signature.parse(trap.signature(home))
        Settings.from_signature(family(home), signature)
        merge(family(home), [("quick", result)])
        for name in names:
            assert str(parsed(name)).startswith(name.partition("(")[0])
        with pytest.raises(AssertionError, match="expected"):
            assert_scores(result, {names[0]: 2.0 if home == "timelines" else 1.0})
    trap.check()
    with pytest.raises(UsageError, match="not called unless you allow them"):
        parsed(METRICS["timelines"][0]).measure(_comparison())
    trap.check()


def _comparison() -> object:
    from chronoscore.core.case import Case
    from chronoscore.timelines.comparison import Setting
    from chronoscore.timelines.library import timeline

    one = timeline({"2011-01-01": ["alpha"]})
    return family("timelines").compare(Case("c", (one,), one), Setting("rouge155"))


def test_the_workbench_calls_nothing(trap: Trap, tmp_path: Path) -> None:
    bench = Bench(tmp_path / "bench")
    try:
        for home in METRICS:
            for system in ("quick", "careful"):
                saved = trap.document(home, system)
                files = [
                    ("results", (path.name, path.read_bytes()))
                    for path in sorted(tmp_path.glob(f"{saved.stem}.*json*"))
                ]
                bench.owner.get("/results")
                answer = bench.owner.post("/results", files=files)
                assert answer.status_code == 303, answer.text
                page = bench.owner.get(answer.headers["location"])
                assert page.status_code == 200
        assert bench.owner.get("/results").status_code == 200
    finally:
        bench.store.close()
    trap.check()


def test_data_that_look_like_functions_are_text(trap: Trap) -> None:
    """Every field of events and of a list of analyses, and every word of a codebook."""
    named = f"{MODULE}:kernel"
    events = [
        {"id": named, "topic": named, "time": "2011-01-01", "text": named, "type": named},
        {"id": "b", "topic": named, "time": "2011-01-02", "text": named, "article": named},
    ]
    path = trap.folder / "events.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in events), encoding="utf-8")
    analyses = {"analyses": [{"name": named, "gold": {"type": named, "features": [named]}}]}
    (trap.folder / "analyses.json").write_text(json.dumps(analyses), encoding="utf-8")
    for line in (
        "timelines events.jsonl events.jsonl",
        "ordering events.jsonl events.jsonl",
        "annotations events.jsonl events.jsonl --evaluation analyses.json",
        "evaluate events.jsonl events.jsonl",
        "validate events.jsonl",
        "convert events.jsonl --to timelines -o out.json",
        "metric-tests events.jsonl",
        f"metrics 'align(kernel={named})'",
    ):
        run(*shlex.split(line))
        trap.check()


def test_a_model_of_a_signature_is_no_function(tmp_path: Path) -> None:
    """The program to run would be the text of an event."""
    mark = tmp_path / "mark"
    for name in ("gold", "predicted"):
        day = {"2011-01-01": [f"touch {mark}"]}
        (tmp_path / f"{name}.json").write_text(json.dumps(day), encoding="utf-8")
    signature = (
        "family=timelines|metrics=align(overlap=meaning,model=%73ubproces%73:getoutput)"
        "|path=micro|undefined=zero|version=0.1.0"
    )
    files = (tmp_path / "gold.json", tmp_path / "predicted.json")
    ran = run("timelines", *files, "--from-signature", signature)
    assert ran.code == USAGE
    assert "--allow-function 'subprocess:getoutput'" in ran.err
    assert not mark.exists()


def test_the_command_imports_nothing_from_the_current_directory(tmp_path: Path) -> None:
    """`python -m` puts the directory on the path by itself."""
    for name in (MODULE, "tomllib", "zstandard", "scipy"):
        (tmp_path / f"{name}.py").write_text(f"open({name!r}, 'w').close()\n{FUNCTIONS}")
    days = json.dumps({"2011-01-01": ["alpha"]})
    (tmp_path / "days.json").write_text(days, encoding="utf-8")
    line = ["timelines", "days.json", "p=days.json", "-m", f"align(kernel={MODULE}:kernel)"]
    done = subprocess.run(
        [sys.executable, "-m", "chronoscore", *line],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == USAGE
    assert f"for a file of your own: ./{MODULE}.py:kernel" in done.stderr
    assert not [path.name for path in tmp_path.iterdir() if not path.suffix]


@pytest.mark.parametrize("engine", ["here", "processes"])
def test_a_file_of_ones_own_is_called_on_every_engine(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(FUNCTIONS, encoding="utf-8")
    gold, quick = (file for file in data_files() if file.name in ("gold.jsonl", "quick.jsonl"))
    line = ("timelines", gold, quick, "-m", "align(kernel=./own.py:kernel)", "--format", "csv")
    whole, partly = run(*line), run(*line, "--engine", engine, "--chunk", 2)
    assert whole.code == FINE, whole.err
    assert (partly.code, partly.out) == (FINE, whole.out)


def test_a_call_allows_the_functions_that_it_names_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(FUNCTIONS, encoding="utf-8")
    days = {"2011-01-01": ["alpha"], "2011-01-02": ["beta"]}
    found = evaluate(days, days, metrics=["align(kernel=./own.py:kernel)"])
    assert found.document.systems[0].summaries[0].scores["f1"] == 1
