"""Tables of every family: misspelt, unknown and doubled columns, and headers without rows."""

from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, FINE, run

from chronoscore.core.records import misspelt

SHEET = "topic,timeline,date,summary\nsuez,,2021-03-23,The ship runs aground.\n"
TABLE = "document\ttype\tstart\tend\tscore\nd1\tEVENT\t0\t4\t0.5\n"
LINKS = "document\tsource\ttarget\trelation\nd1\te1\te2\tBEFORE\n"
JUDGED = (
    "event_id,evaluator,round,system,Eval_DateCorrect,Eval_RootEvent,Eval_EventType,"
    "Eval_EventAmbiguity,Eval_Relevance\ne1,ana,1,s,1,1,1,3,3\n"
)
TABLES = {
    "timelines": ("gold.csv", SHEET),
    "annotations": ("gold.tsv", TABLE),
    "tlinks": ("gold.tsv", LINKS),
    "rubric": ("gold.csv", JUDGED),
}
OPTIONAL = [
    ("timelines", "topic", "topc"),
    ("timelines", "timeline", "timelime"),
    ("annotations", "score", "scroe"),
    ("tlinks", "document", "documents"),
    ("rubric", "system", "sistem"),
    ("rubric", "round", "roundd"),
]
NEEDED = [
    ("timelines", "date", "dat"),
    ("timelines", "summary", "sumary"),
    ("annotations", "start", "strat"),
    ("tlinks", "source", "sourc"),
    ("tlinks", "relation", "relations"),
    ("rubric", "Eval_Relevance", "Eval_Relevanc"),
]


def scored(tmp_path: Path, family: str, text: str, *more: str) -> tuple[int, list[str], list[str]]:
    """Score a table against a right one, or alone where there is no gold."""
    name, right = TABLES[family]
    gold, path = tmp_path / name, tmp_path / f"predicted{Path(name).suffix}"
    gold.write_text(right, encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    ran = run(family, *([path] if family == "rubric" else [gold, path]), *more)
    return ran.code, ran.problems, ran.notices


@pytest.mark.parametrize(("family", "column", "wrong"), OPTIONAL)
def test_a_misspelt_column_is_refused_unless_lenient(
    tmp_path: Path, family: str, column: str, wrong: str
) -> None:
    text = TABLES[family][1].replace(column, wrong, 1)
    code, problems, _ = scored(tmp_path, family, text)
    assert code == BAD_DATA
    (problem,) = problems
    assert f"unknown column '{wrong}'; did you mean '{column}'? Rename it" in problem
    *_, notices = scored(tmp_path, family, text, "--lenient")
    assert any(f"did you mean '{column}'" in notice for notice in notices)


@pytest.mark.parametrize(("family", "column", "wrong"), NEEDED)
def test_a_misspelt_column_that_is_needed_is_named_with_the_right_one(
    tmp_path: Path, family: str, column: str, wrong: str
) -> None:
    code, problems, _ = scored(tmp_path, family, TABLES[family][1].replace(column, wrong, 1))
    assert code == BAD_DATA
    assert any(f"no column '{column}'; '{wrong}' is one letter off" in p for p in problems)


@pytest.mark.parametrize("family", ["timelines", "tlinks", "rubric"])
def test_other_columns_are_named_in_one_notice(tmp_path: Path, family: str) -> None:
    mark = "\t" if family == "tlinks" else ","
    head, row = TABLES[family][1].splitlines()
    text = f"{head}{mark}mood{mark}page\n{row}{mark}x{mark}y\n"
    code, _, notices = scored(tmp_path, family, text)
    assert code == FINE
    (notice,) = [notice for notice in notices if "mood" in notice]
    assert notice.endswith("columns not read: mood, page")


def test_columns_of_annotations_are_features_and_need_no_notice(tmp_path: Path) -> None:
    head, row = TABLE.splitlines()
    code, _, notices = scored(tmp_path, "annotations", f"{head}\tmood\n{row}\tx\n")
    assert code == FINE
    assert not any("mood" in notice for notice in notices)


@pytest.mark.parametrize("family", TABLES)
def test_a_header_without_rows_is_refused_like_an_empty_file(tmp_path: Path, family: str) -> None:
    code, problems, _ = scored(tmp_path, family, TABLES[family][1].splitlines()[0] + "\n\n")
    assert code == BAD_DATA
    assert "there is a header but no" in problems[0]
    assert problems[0].endswith("below it; is the file cut? (--lenient accepts it)")


@pytest.mark.parametrize("family", TABLES)
def test_a_doubled_column_is_refused(tmp_path: Path, family: str) -> None:
    mark = "," if family in ("timelines", "rubric") else "\t"
    head, row = TABLES[family][1].splitlines()
    first, value = head.split(mark)[0], row.split(mark)[0]
    text = f"{head}{mark}{first}\n{row}{mark}{value}\n"
    code, problems, _ = scored(tmp_path, family, text)
    assert code == BAD_DATA
    assert f"the column '{first}' is there twice" in problems[0]


@pytest.mark.parametrize(("wrong", "code"), [("topc", BAD_DATA), ("source", FINE)])
def test_columns_of_parquet_are_checked(tmp_path: Path, wrong: str, code: int) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    row = {"id": "e1", "topic": "suez", "date": "2021-03-23", "text": "The ship runs aground."}
    gold, path = tmp_path / "gold.parquet", tmp_path / "suez.parquet"
    parquet.write_table(pa.Table.from_pylist([row]), gold)
    row[wrong] = row.pop("topic") if wrong == "topc" else "x"
    parquet.write_table(pa.Table.from_pylist([row]), path)
    for command in (["timelines", gold, path], ["validate", path, "--as", "timelines"]):
        ran = run(*command)
        assert ran.code == code, ran.err
        said = ran.problems if code else ran.notices
        assert any(f"'{wrong}'" in line for line in said), ran.err
    if code:
        (problem,) = ran.problems
        assert problem == (
            f"{path}: unknown column 'topc'; did you mean 'topic'? Rename it (--lenient accepts it)"
        )


def test_a_table_without_rows_is_refused_in_parquet_too(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "suez.parquet"
    names = ["id", "topic", "date", "text"]
    parquet.write_table(pa.table({name: pa.array([], pa.string()) for name in names}), path)
    gold = tmp_path / "gold.csv"
    gold.write_text(SHEET, encoding="utf-8")
    for command in (["timelines", gold, path], ["validate", path, "--as", "timelines"]):
        assert run(*command).code == BAD_DATA


@pytest.mark.parametrize(
    ("names", "known", "meant"),
    [
        (["dat"], ["date"], {"dat": "date"}),
        (["ddate"], ["date"], {"ddate": "date"}),
        (["dtae"], ["date"], {"dtae": "date"}),
        (["dote"], ["date"], {"dote": "date"}),
        (["Date"], ["date"], {"Date": "date"}),
        (["dates", "date"], ["date"], {}),
        (["ids"], ["id"], {}),
        (["da"], ["date"], {}),
        (["tdae"], ["date"], {}),
        (["", "x"], ["date", "topic"], {}),
    ],
)
def test_one_edit_is_a_letter_more_less_other_or_swapped(
    names: list[str], known: list[str], meant: dict[str, str]
) -> None:
    assert misspelt(names, known) == meant
