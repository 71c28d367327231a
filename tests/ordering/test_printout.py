"""Through the whole engine, the official print-out is that of evaluation_all.py."""

import json

import pytest
from vectors_home import real

from chronoscore.compat.semeval2015 import printout
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.result import encode
from chronoscore.core.sources import source_of
from chronoscore.engines.plan import Inputs
from chronoscore.engines.scoring import score_sources
from chronoscore.engines.settings import Settings
from chronoscore.ordering.family import FAMILY

# What the original passes over in silence is refused here unless the reading is lenient.
DOUBTFUL = ("empty", "shortrows")


@pytest.mark.parametrize("corpus", ["trial", "corpus_1"])
@pytest.mark.parametrize("mode", ["full", "order"])
def test_official_lines(corpus: str, mode: str) -> None:
    home = real("ordering/semeval2015")
    expected = json.loads((home / "expected.json").read_text(encoding="utf-8"))
    settings = Settings.make(
        FAMILY, protocol="semeval2015-original", metrics=[f"semeval2015(mode={mode})"]
    )
    for system in sorted({row["system"] for row in expected["micro"]}):
        rows = [
            row
            for row in expected["per_file"]
            if (row["corpus"], row["system"], row["ord"]) == (corpus, system, mode == "order")
            and "skipped" not in row
        ]
        (total,) = (
            row
            for row in expected["micro"]
            if (row["corpus"], row["system"], row["ord"]) == (corpus, system, mode == "order")
        )
        lines = [
            f"{row['file']}\tFSCORE\t{row['F']}\tPRECISION\t{row['P']}\tRECALL\t{row['R']}"
            for row in sorted(rows, key=lambda row: str(row["file"]))
        ]
        lines.append(
            f"\tMICRO-FSCORE\t{total['F']}\tMICRO-PRECISION\t{total['P']}"
            f"\tMICRO-RECALL\t{total['R']}"
        )
        gold, answers = home / corpus / "gold", home / corpus / f"sys_{system}"
        problems = Problems(ReadingOptions(encoding="latin-1", lenient=system in DOUBTFUL))
        inputs = Inputs(source_of(gold), {"run": [source_of(answers)]})
        scored = score_sources(settings, inputs, problems)
        name = settings.metrics[0]
        assert printout(scored.result, str(name)) == "\n".join(lines) + "\n", system
        assert encode(scored.result)
