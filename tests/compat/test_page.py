"""The page about drop-in replacements shows code that runs."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "compat.md"
SHOWN = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
PRINTED = (
    "0.4\n{'precision': 0.0, 'recall': 0.0, 'f_score': 0}\n",
    "EvalResult(ar1=0.75, ar2=0.3333333333333333, date_f1=1.0)\n(1.0, 1.0)\n",
)


@pytest.mark.parametrize(("code", "printed"), list(zip(SHOWN, PRINTED, strict=True)))
def test_code_of_the_page(code: str, printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, str(PAGE), "exec"), {})
    assert capsys.readouterr().out == printed
