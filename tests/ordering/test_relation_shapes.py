"""The relation lists of the benchmark are what they are called, and can be scored by both sides."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # `python -m pytest` has it there already, plain `pytest` has not

from benchmarks.compare_ordering import growth_in_events, growth_in_relations  # noqa: E402
from benchmarks.frame import Bench  # noqa: E402
from benchmarks.relations import SHAPES, write  # noqa: E402
from chronoscore.ordering.awareness import awareness  # noqa: E402
from chronoscore.ordering.model import Link  # noqa: E402


@pytest.mark.parametrize("size", [6, 50, 400])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_has_so_many_relations_and_no_contradiction(
    shape: str, size: int, tmp_path: Path
) -> None:
    write(tmp_path, shape, size)
    sides = json.loads((tmp_path / "links0.json").read_text(encoding="utf-8"))
    gold, system = ([Link(*link) for link in sides[side]] for side in ("gold", "system"))
    assert len({frozenset(link[:2]) for link in gold}) == size
    assert 0 < len(system) <= size
    found = awareness(gold, system, "acl11")
    assert not found.gold.violated + found.system.violated
    assert found.counts.system_total == 2 * len(system)


def test_growth_and_long_timelines_run_without_the_peer(tmp_path: Path) -> None:
    bench = Bench("tiny", tmp_path, install=False, warm=False)
    rows = [*growth_in_relations(bench), *growth_in_events(bench)]
    assert len(rows) == 2 * len(SHAPES) + 1
    assert not [row.remark for row in rows if row.wrong]
    assert all(row.ours.work is not None for row in rows)
    assert "to the power of" in rows[1].remark
