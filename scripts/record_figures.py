"""Record figures that need data or packages which not every machine has, and show them in pages.

`python -m scripts.record_figures [NAME...]` runs the commands of each figure, writes what they
print to `docs/figures/NAME.txt` together with the version and the commit, and fills in the blocks
of the pages that follow the comment `<!-- figure: NAME -->`. Public collections are read from
the folder that CHRONOSCORE_VECTORS names, or from where the tests look for them. A figure whose
data or packages are missing keeps what is recorded; `--pages` only fills in the pages.
"""

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import click

import chronoscore

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
HOME = DOCS / "figures"
_BLOCK = re.compile(
    r"(<!-- figure: ([\w-]+) -->\n+```text\n)(.*?)(^```$)", re.DOTALL | re.MULTILINE
)
_ENVIRONMENT = {
    **{"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8"},
    **{"PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(ROOT / "src")},
}


@dataclass(frozen=True)
class Figure:
    """Commands, and what must be there for them to run."""

    commands: tuple[str, ...]
    data: tuple[tuple[str, str], ...] = ()
    """Where the commands find public data, and its path among the public vectors."""
    packages: tuple[str, ...] = ()
    """Modules that must be installed."""
    programs: Mapping[str, str] = field(default_factory=dict)
    """Files that are written before the commands run."""
    exit_code: int = 0
    """The exit code of every command."""
    first: int | None = None
    """How many lines of each output are shown."""


_TIMELINE17 = (
    ("news-tls-best/dataset/Timeline17", "news-tls/Timeline17"),
    ("news-tls-best/dataset/Timeline17", "collections/timeline17-raw/Timeline17"),
    ("news-tls-best/result", "news-tls/result"),
)
"""Of the clone, the golds as JSONL, two topics with their texts and articles, and the outputs."""
_T17 = (
    ("news-tls/dataset/t17", "collections/news-tls-results/t17"),
    ("news-tls/result/colab.json", "collections/news-tls-results/colab.json"),
)
_SEQEVAL = """\
from seqeval.metrics import classification_report

gold = [["O", "B-PER", "I-PER", "O", "B-LOC"], ["B-LOC", "O", "B-PER"]]
predicted = [["O", "B-PER", "O", "O", "B-LOC"], ["B-LOC", "O", "B-LOC"]]
print(classification_report(gold, predicted, digits=3))
"""
_TILSE = """\
from datetime import date

from tilse.data.timelines import GroundTruth, Timeline
from tilse.evaluation.rouge import TimelineRougeEvaluator

gold = Timeline(
    {
        date(2011, 1, 25): [
            "More than 1200 people hurt in 18 days of uprising .",
            "The countrys 3.5% growth , $2.5bn",
        ],
        date(2011, 1, 28): [
            "The governments ex minister is not guilty ; well known , doesn't stop ."
        ],
    }
)
predicted = Timeline(
    {
        date(2011, 1, 25): [
            "At least 1,200 people were injured in the 18-day uprising , Reuters said .",
            "It 's the country 's 3.5 % growth - $ 2.5bn US$40 - in 2010-11 .",
        ],
        date(2011, 1, 28): ["Don't stop: the government's well-known ex-minister isn't guilty ."],
    }
)
evaluator = TimelineRougeEvaluator(measures=["rouge_1"], rouge_computation="reimpl")
scores = evaluator.evaluate_align_date_content_costs_many_to_one(predicted, GroundTruth([gold]))
print(scores["rouge_1"]["f_score"])
"""
_BEST = "news-tls-best/dataset/Timeline17"
_CLUST = "clust=news-tls-best/result/t17.clust.json"
_AP = "ap=news-tls-best/result/para_distillrobeta_doc_AP.json"

FIGURES = {
    "timeline17": Figure(
        (
            "chronoscore reproduce --data .",
            f"chronoscore timelines {_BEST} \\\n    {_CLUST} \\\n    {_AP} \\\n"
            "    --form jsonl --format latex",
        ),
        _TIMELINE17,
    ),
    "flan-t5": Figure(
        ("chronoscore reproduce flan-t5-t17 --data .",),
        tuple(
            (f"Timeline-Summarization-in-the-Era-of-LLMs/Evaluation/T17/{name}", f"daivik/{name}")
            for name in ("Gold", "Predicted")
        ),
    ),
    "colab": Figure(
        (
            "chronoscore timelines news-tls/dataset/t17 news-tls/result/colab.json",
            "chronoscore timelines news-tls/dataset/t17 news-tls/result/colab.json --check-scores",
        ),
        _T17,
    ),
    "averages": Figure(
        tuple(
            f"chronoscore timelines news-tls/dataset/t17 news-tls/result/colab.json -m AR-1{option}"
            for option in ("", " --protocol steen")
        ),
        _T17,
    ),
    "repeated": Figure(
        tuple(
            f"chronoscore timelines {_BEST} \\\n    {_AP} \\\n"
            f"    --form jsonl -m AR-1{option} --format csv 2> notices.txt"
            for option in ("", " --repeated-gold join")
        ),
        _TIMELINE17,
    ),
    "all-outputs": Figure(
        ("chronoscore reproduce --data . | grep -e '^[a-z0-9.-]*: ' -e 'last digit'",),
        (
            *_TIMELINE17,
            *_T17,
            *(
                (f"Timeline-Summarization-in-the-Era-of-LLMs/Evaluation/T17/{name}", path)
                for name, path in (("Gold", "daivik/Gold"), ("Predicted", "daivik/Predicted"))
            ),
            (
                "StructTempRel-EMNLP17/data/TempEval3/Evaluation/te3-platinum-normalized",
                "tempeval3/gold",
            ),
            *(
                (f"StructTempRel-EMNLP17/output/{name}-normalized", f"tempeval3/{name}")
                for name in ("pred_table3_SP+ILP", "pred_20_0.01_0.0")
            ),
            ("NeuralTemporalRelation-EMNLP19/output", "matres"),
            (
                "NeuralTemporalRelation-EMNLP19/data/testset-temprel.xml",
                "collections/matres-output/testset-temprel.xml",
            ),
            (
                "NeuralTemporalRelation-EMNLP19/output/proposed_elmo_lr0.001_seed102.matres.output",
                "collections/matres-output/proposed_elmo_lr0.001_seed102.matres.output",
            ),
        ),
    ),
    "crisis-egypt": Figure(
        ("chronoscore timelines gold-timelines SDF-TLS/system_output/CRISIS_bestds",),
        (
            ("gold-timelines", "collections/sdf-tls/gold-timelines"),
            (
                "SDF-TLS/system_output/CRISIS_bestds",
                "collections/sdf-tls/system_output/CRISIS_bestds",
            ),
        ),
    ),
    "open-tls": Figure(
        ("chronoscore validate data/open --dates first-day",),
        (("data/open", "collections/open-tls/open"),),
    ),
    "seqeval": Figure(
        ("cat old.py", "python old.py"), packages=("seqeval",), programs={"old.py": _SEQEVAL}
    ),
    "tilse": Figure(
        ("cat old.py", "python old.py"), packages=("tilse",), programs={"old.py": _TILSE}
    ),
}
"""The figures by name."""


def home_of_data() -> Path | None:
    """Return the folder of the public vectors, or None if this machine has none."""
    named = os.environ.get("CHRONOSCORE_VECTORS", ROOT.parent / "shared" / "vectors")
    home = Path(named) / "real"
    return home if home.is_dir() else None


def missing(figure: Figure) -> str:
    """Say what a figure needs and this machine lacks; empty if it can be recorded."""
    lacking = [name for name in figure.packages if importlib.util.find_spec(name) is None]
    if lacking:
        return f"not installed: {', '.join(lacking)}"
    home = home_of_data()
    if figure.data and home is None:
        return "public vectors not found (set CHRONOSCORE_VECTORS to their folder)"
    absent = [path for _, path in figure.data if home and not (home / path).exists()]
    return f"not among the public vectors: {', '.join(absent)}" if absent else ""


def run(figure: Figure) -> str:
    """Run the commands of a figure in a new folder; return them with what they print."""
    home = home_of_data()
    lines = []
    with tempfile.TemporaryDirectory(prefix="figure-") as folder:
        for place, source in figure.data:
            assert home is not None
            _copy(home / source, Path(folder) / place)
        for name, text in figure.programs.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        for command in figure.commands:
            lines += [f"$ {command}", *_output(command, Path(folder), figure)]
    return "\n".join(lines) + "\n"


def _copy(source: Path, target: Path) -> None:
    """Copy a file, or the files of a folder into one that may be there already."""
    for path in source.rglob("*") if source.is_dir() else (source,):
        if path.is_file():
            place = target / path.relative_to(source) if path != source else target
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)


def _output(command: str, folder: Path, figure: Figure) -> list[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | _ENVIRONMENT | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != figure.exit_code:
        raise RuntimeError(f"exit code {done.returncode}: {command}\n{done.stdout}")
    lines = [line.rstrip() for line in done.stdout.rstrip().splitlines()]
    if figure.first is not None and len(lines) > figure.first:
        return [*lines[: figure.first], "..."]
    return lines


def recorded(name: str) -> str:
    """Return what a figure printed when it was recorded, without the line that says when."""
    return (HOME / f"{name}.txt").read_text(encoding="utf-8").partition("\n")[2]


def record(name: str) -> None:
    """Run a figure, and write what it prints together with the version and the commit."""
    text = run(FIGURES[name])
    path = HOME / f"{name}.txt"
    if path.exists() and recorded(name) == text and _is_in_history(path):
        return
    commit = _git("rev-parse", "--short=7", "HEAD").stdout.strip()
    head = f"# Chronoscore {chronoscore.__version__}, commit {commit}\n"
    path.write_text(head + text, encoding="utf-8", newline="\n")
    click.echo(f"wrote {path.relative_to(ROOT)}")


def _git(*words: str) -> subprocess.CompletedProcess[str]:
    asked = ["git", "-C", str(ROOT), *words]
    return subprocess.run(asked, capture_output=True, text=True, check=False)


def _is_in_history(path: Path) -> bool:
    """Whether the commit that a figure names is still part of the history."""
    commit = path.read_text(encoding="utf-8").splitlines()[0].split()[-1]
    return not _git("merge-base", "--is-ancestor", commit, "HEAD").returncode


def figures_shown(text: str) -> list[str]:
    """Return the names of the figures that a page shows."""
    return [found[2] for found in _BLOCK.finditer(text)]


def filled_in(text: str) -> str:
    """Return a page with the recorded figures in their blocks."""
    return _BLOCK.sub(lambda found: found[1] + recorded(found[2]) + found[4], text)


def main() -> None:
    """Record the figures that are named, or all, and fill in the pages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="all figures, if you name none")
    parser.add_argument("--pages", action="store_true", help="only fill in the pages")
    asked = parser.parse_args()
    for name in [] if asked.pages else asked.names or FIGURES:
        if reason := missing(FIGURES[name]):
            click.echo(f"{name} stays as it is: {reason}", err=True)
        else:
            record(name)
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if (made := filled_in(text)) != text:
            page.write_text(made, encoding="utf-8", newline="\n")
            click.echo(f"wrote {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
