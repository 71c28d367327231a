"""Documents that were saved once load for ever: they validate, and show the same numbers.

Unlike other expected files, those in `saved` are never written again.
"""

import shutil
from pathlib import Path

import pytest
from golden.running import called, check, steady

SAVED = Path(__file__).parent / "saved"
NAMES = sorted(path.stem for path in SAVED.glob("*.json"))


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_document_is_shown_as_before(name: str, tmp_path: Path) -> None:
    shutil.copy(SAVED / f"{name}.json", tmp_path / "saved.json")
    with steady(tmp_path):
        checked = called(["validate", "saved.json"])
        assert checked.code == 0, checked.err
        for form in ("json", "csv"):
            shown = called(["show", "saved.json", "-f", form])
            assert shown.code == 0, shown.err
            if form == "json":
                check(f"saved/{name}", shown.out)


def test_a_document_of_every_family_is_kept() -> None:
    families = {"timelines", "ordering", "tlinks", "coreference", "annotations", "rubric"}
    assert families | {"candidates", "evaluation"} == set(NAMES)
