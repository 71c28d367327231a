"""Run the cells of the example notebook and store what they print and show.

Run as `make reference` after a change; a test fails while the stored outputs are out of date. Cells
run without Jupyter, which would be a large dependency: one after the other in a new folder, as
plain Python. What the last expression of a cell shows is stored as text and as HTML.
"""

import ast
import io
import json
import os
from contextlib import chdir, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

NOTEBOOK = Path(__file__).parents[1] / "examples" / "quickstart.ipynb"
_ENVIRONMENT = {"COLUMNS": "80", "LINES": "24", "NO_COLOR": "1", "SOURCE_DATE_EPOCH": "1700000000"}
"""The terminal that Jupyter pretends to be, on a fixed day."""


def _run_cell(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Run a cell; returns its outputs in the format of notebooks."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    place, printed, value = f"cell {number}", io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, place, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), place, "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data = {"text/html": value._repr_html_().splitlines(keepends=True), **data}
        shown = {"data": data, "execution_count": number, "metadata": {}}
        outputs.append(shown | {"output_type": "execute_result"})
    return outputs


def run_notebook(path: Path = NOTEBOOK) -> str:
    """Return the text of a notebook with the outputs of all its cells written anew."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    with TemporaryDirectory() as folder, chdir(folder), patch.dict(os.environ, _ENVIRONMENT):
        for number, cell in enumerate(code, 1):
            cell["outputs"] = _run_cell("".join(cell["source"]), names, number)
            cell["execution_count"] = number
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(run_notebook(), encoding="utf-8")
