"""The example notebook runs, and its stored outputs are what its cells print and show."""

import json
import re
from pathlib import Path
from typing import Any

from scripts.write_notebook import NOTEBOOK, run_notebook

CELLS = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]


def test_stored_outputs_are_up_to_date() -> None:
    assert NOTEBOOK.read_text(encoding="utf-8") == run_notebook(), "run `make reference`"


def test_every_cell_shows_something() -> None:
    code = [cell for cell in CELLS if cell["cell_type"] == "code"]
    assert len(code) == 7
    assert all(cell["outputs"] for cell in code)


def test_results_are_stored_as_tables() -> None:
    shown = [
        "".join(output["data"]["text/html"])
        for cell in CELLS
        for output in cell.get("outputs", ())
        if "text/html" in output.get("data", {})
    ]
    assert len(shown) == 4
    assert all('<th scope="col"' in page for page in shown)


def test_links_of_the_notebook_lead_somewhere() -> None:
    text = "\n".join("".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "markdown")
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", text)
    assert targets
    for target in targets:
        assert (NOTEBOOK.parent / target).exists(), target


def test_a_cell_that_prints_and_shows_has_both_outputs(tmp_path: Path) -> None:
    cell: dict[str, Any] = {"cell_type": "code", "metadata": {}, "outputs": []}
    path = tmp_path / "one.ipynb"
    path.write_text(json.dumps({"cells": [cell | {"source": ["x = 1\n", "print(x)\n", "x + 1"]}]}))
    (ran,) = json.loads(run_notebook(path))["cells"]
    assert ran["execution_count"] == 1
    assert ran["outputs"][0] == {"name": "stdout", "output_type": "stream", "text": ["1\n"]}
    assert ran["outputs"][1]["data"] == {"text/plain": ["2"]}
