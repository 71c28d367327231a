"""EQS, its errors and Krippendorff's alpha are those of the exact fractions."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from vectors_home import free

from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.family import read_cases
from chronoscore.rubric.judgements import check_values
from chronoscore.statistics.agreement import Scale, alpha
from chronoscore.statistics.ratings import Ratings

FIELDS = [criterion.field for criterion in event_quality().criteria]
EQS = free("rubric/eqs.json")
AGREEMENT = free("rubric/agreement.json")


def by_id(items: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(item, id=item["id"]) for item in items]


def test_all_combinations_have_their_exact_score() -> None:
    assert len(EQS["combinations"]) == 72
    for row in EQS["combinations"]:
        values, problems = check_values(
            {name: row[name] for name in FIELDS}, event_quality(), "json"
        )
        assert not problems
        quality = event_quality().quality(values)
        assert quality == Fraction(row["eqs_exact"]) == Fraction(row["eqs_48ths"], 48)
        assert float(quality) == pytest.approx(row["eqs"], abs=1e-12)


@pytest.mark.parametrize("vector", by_id(EQS["bad_inputs"]))
def test_bad_input_has_its_code_and_field(vector: dict[str, Any]) -> None:
    _, problems = check_values(vector["input"], event_quality(), vector["source"])
    told = [(problem.code, problem.field) for problem in problems]
    assert told == [(vector["error"]["code"], vector["error"]["field"])]


@pytest.mark.parametrize("vector", by_id(EQS["accepted_inputs"]))
def test_accepted_input_is_scored(vector: dict[str, Any]) -> None:
    values, problems = check_values(vector["input"], event_quality(), vector["source"])
    assert not problems
    assert float(event_quality().quality(values)) == vector["eqs"]


@pytest.mark.parametrize("vector", by_id(EQS["duplicates"]))
def test_doubled_and_unknown_judgements(vector: dict[str, Any], tmp_path: Path) -> None:
    columns = ["event_id", "evaluator", "round", *FIELDS]
    lines = [",".join(columns)]
    lines += [",".join(str(row.get(name, "")) for name in columns) for row in vector["rows"]]
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("\n".join(lines) + "\n", encoding="utf-8")
    events = tmp_path / "events.jsonl"
    events.write_text('{"id": "e1"}\n', encoding="utf-8")
    problems = Problems()
    if vector["error"] is None:
        assert read_cases([source_of(sheet)], problems, events=[source_of(events)])
        return
    with pytest.raises(Exception, match=r"e1|nope"):
        read_cases([source_of(sheet)], problems, events=[source_of(events)])
    assert [problem.code for problem in problems.problems] == [vector["error"]["code"]]


def long_table(vector: dict[str, Any]) -> list[tuple[str, str, float]]:
    kind = vector.get("rows_are", "units")
    if kind == "raters":
        columns = list(zip(*vector["raters"], strict=True))
    elif kind == "units":
        columns = [tuple(row) for row in vector["units"]]
    elif kind == "units_by_category_counts":
        columns = [
            tuple(value for value, count in enumerate(row, 1) for _ in range(count))
            for row in vector["counts"]
        ]
    else:
        columns = [
            (one, two)
            for one, row in enumerate(vector["table"], 1)
            for two, count in enumerate(row, 1)
            for _ in range(int(count))
        ]
    return [
        (str(unit), str(rater), value)
        for unit, ratings in enumerate(columns)
        for rater, value in enumerate(ratings)
        if value is not None
    ]


ALPHAS = [
    pytest.param(vector, scale, expected, id=f"{vector['id']}-{scale}")
    for vector in AGREEMENT["vectors"]
    for scale, expected in vector["expected"].get("krippendorff_alpha", {}).items()
]


@pytest.mark.parametrize(("vector", "scale", "expected"), ALPHAS)
def test_alpha_is_exact(vector: dict[str, Any], scale: Scale, expected: dict[str, Any]) -> None:
    value = float(alpha(Ratings.of(long_table(vector)), scale)())
    assert value == pytest.approx(float(Fraction(expected["exact"])), abs=1e-12)


def test_there_are_alphas_to_check() -> None:
    assert len(ALPHAS) == 15


@pytest.mark.parametrize("vector", by_id(AGREEMENT["edge_cases"]))
def test_alpha_at_the_edges(vector: dict[str, Any]) -> None:
    ratings = Ratings.of(long_table(vector))
    expected = vector["expected"]
    nothing = expected.get("krippendorff_alpha", 0) is None or expected.get("all", 0) is None
    if nothing:
        assert ratings.why_undefined()
    for key, scale in (
        ("krippendorff_alpha_nominal", "nominal"),
        ("alpha_nominal", "nominal"),
        ("alpha_ordinal", "ordinal"),
    ):
        if key in expected:
            wanted = expected[key]["value"] if isinstance(expected[key], dict) else expected[key]
            found = float(alpha(ratings, scale)())  # type: ignore[arg-type]
            assert found == pytest.approx(wanted, abs=1e-12)
            assert not ratings.why_undefined()
