"""Sheets to hand out: the overlap is as asked, articles stay whole, loads are even."""

import csv
import sys
from collections import Counter
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.utils import get_column_letter
from readers.command_line import FINE, USAGE, run

from chronoscore.core.event import Event
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.errors import DataError, UsageError
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.formats import Article, read_judgements
from chronoscore.rubric.templates import EvaluatorSheet, guidance, make_templates, write_templates

BOOK = event_quality()
NAMES = ["ana", "ben", "cleo", "dan"]


def events(sizes: list[int], alone: int = 0) -> list[Event]:
    """Articles of given sizes, and events without an article."""
    made = [
        Event(id=f"a{article}-{number}", article=f"a{article}", date=f"2024-01-{number + 1:02}")
        for article, size in enumerate(sizes)
        for number in range(size)
    ]
    return made + [Event(id=f"x{number}", text=f"=text {number}") for number in range(alone)]


def sheets_of(
    judged: list[Event],
    names: list[str] = NAMES,
    *,
    overlap: int = 2,
    calibration: int = 0,
    seed: int = 0,
) -> list[EvaluatorSheet]:
    return make_templates(
        judged,
        [],
        BOOK,
        names,
        overlap=overlap,
        calibration=calibration,
        seed=seed,
        problems=Problems(),
    )


many_sizes = st.lists(st.integers(1, 6), min_size=1, max_size=20)


@given(many_sizes, st.integers(0, 5), st.integers(1, 4), st.integers(0, 10), st.integers(0, 3))
def test_overlap_wholeness_and_balance(
    sizes: list[int], alone: int, overlap: int, calibration: int, seed: int
) -> None:
    judged = events(sizes, alone)
    calibration = min(calibration, len(judged))
    sheets = sheets_of(judged, overlap=overlap, calibration=calibration, seed=seed)
    batches = {(sheet.batch, sheet.evaluator): sheet.events for sheet in sheets}
    shared = [frozenset(e.id for e in got) for (b, _), got in batches.items() if b == "calibration"]
    assert len(set(shared)) <= 1
    common = shared[0] if shared else frozenset()
    assert len(shared) == (len(NAMES) if calibration else 0)
    largest = max(sizes)
    assert calibration <= len(common) < calibration + max(largest, 1)
    times = Counter(e.id for (b, _), got in batches.items() if b == "main" for e in got)
    assert times == {event.id: overlap for event in judged if event.id not in common}
    for got in batches.values():
        articles = [event.article or event.id for event in got]
        runs = [
            one for one, before in zip(articles, [None, *articles], strict=False) if one != before
        ]
        assert len(runs) == len(set(runs)), "an article's events stand together"
        whole = Counter(event.article for event in got if event.article)
        assert all(sizes[int(article[1:])] == number for article, number in whole.items())
    loads = [len(batches.get(("main", name), ())) for name in NAMES]
    assert max(loads) - min(loads) <= largest


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_input_changes_nothing(dice: object) -> None:
    judged, names = events([3, 1, 4, 1, 5], 2), NAMES[:]
    first = sheets_of(judged, names, calibration=4, seed=0)
    dice.shuffle(judged)  # type: ignore[attr-defined]
    dice.shuffle(names)  # type: ignore[attr-defined]
    assert sheets_of(judged, names, calibration=4, seed=0) == first


def test_seeds_differ_and_nought_is_one() -> None:
    judged = events([2] * 10)
    made = [sheets_of(judged, calibration=4, seed=seed) for seed in (0, 1, 0)]
    assert made[0] == made[2] != made[1]


def test_pairs_of_evaluators_share_about_as_much() -> None:
    sheets = sheets_of(events([1] * 60), overlap=2)
    who: dict[str, list[str]] = {}
    for sheet in sheets:
        for event in sheet.events:
            who.setdefault(event.id, []).append(sheet.evaluator)
    pairs = Counter(tuple(sorted(names)) for names in who.values())
    assert len(pairs) == 6
    assert max(pairs.values()) - min(pairs.values()) <= 4


@pytest.mark.parametrize(
    ("names", "overlap", "calibration", "expected"),
    [
        ([], 1, 0, "at least one evaluator"),
        (["ana", " "], 1, 0, "empty name"),
        (["ana", "Ana"], 1, 0, "the same name in files"),
        (["ana"], 2, 0, "the overlap is 2, expected 1 to 1"),
        (["ana"], 0, 0, "the overlap is 0"),
        (["ana"], 1, 9, "expected 0 to 4 events"),
        (["ana"], 1, -1, "expected 0 to 4 events"),
    ],
)
def test_what_can_not_be_split_is_refused(
    names: list[str], overlap: int, calibration: int, expected: str
) -> None:
    with pytest.raises(UsageError, match=expected):
        sheets_of(events([2, 2]), names, overlap=overlap, calibration=calibration)


def test_doubled_and_no_events_are_refused() -> None:
    with pytest.raises(DataError, match="is used twice"):
        sheets_of([Event(id="e"), Event(id="e")])
    with pytest.raises(DataError, match="no events"):
        sheets_of([])


def test_articles_that_are_not_given_are_told() -> None:
    problems = Problems()
    known = [Article(id="a0")]
    make_templates(events([1, 1]), known, BOOK, NAMES, overlap=1, problems=problems)
    assert [notice.message for notice in problems.notices] == [
        "1 articles of events are not given: a1"
    ]


ARTICLES = [Article(id="a0", published="2024-01-09", title="=T", text="Long. " * 8000)]


def test_a_workbook_is_ready_to_be_filled(tmp_path: Path) -> None:
    sheets = sheets_of(events([3], 1), ["ana"], overlap=1)
    (path,) = write_templates(sheets, tmp_path, BOOK, ARTICLES)
    assert path.name == "ana-main.xlsx"
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["Judgements", "Guidance", "Articles"]
    sheet = book["Judgements"]
    assert sheet.freeze_panes == "A2"
    header = [cell.value for cell in sheet[1]]
    lists = {str(rule.sqref): rule.formula1 for rule in sheet.data_validations.dataValidation}
    for criterion in BOOK.criteria:
        letter = get_column_letter(header.index(criterion.field) + 1)
        assert lists[f"{letter}2:{letter}5"] == f'"{",".join(map(str, criterion.allowed))}"'
    written = [row[0].value or "" for row in book["Guidance"].iter_rows()]
    assert [str(line) for line in written] == guidance(BOOK).splitlines()
    told = "".join(str(row[3].value) for row in book["Articles"].iter_rows(min_row=2))
    assert told == ARTICLES[0].text
    dates = {row[header.index("published")].value for row in sheet.iter_rows(min_row=2)}
    assert dates == {"2024-01-09", None}


@pytest.mark.parametrize("form", ["xlsx", "csv"])
def test_a_filled_sheet_is_read_without_a_word(form: str, tmp_path: Path) -> None:
    judged = events([3, 2, 2, 2, 1], 1)
    sheets = sheets_of(judged, ["ana", "ben"], overlap=1, calibration=2)
    paths = write_templates(sheets, tmp_path, BOOK, form=form)  # type: ignore[arg-type]
    filled = [path for path in paths if path.suffix != ".md"]
    assert len(filled) == 4
    for path in filled:
        if form == "xlsx":
            book = openpyxl.load_workbook(path)
            sheet = book["Judgements"]
            for row in sheet.iter_rows(min_row=2):
                for cell in row[7:12]:
                    cell.value = 1
            book.save(path)
        else:
            with path.open(encoding="utf-8-sig", newline="") as file:
                head, *rows = csv.reader(file)
            with path.open("w", encoding="utf-8-sig", newline="") as file:
                csv.writer(file).writerows([head, *([*r[:7], *"11111", r[12]] for r in rows)])
    problems = Problems()
    read = read_judgements(
        [*map(source_of, filled)], BOOK, problems, events=[event.id for event in judged]
    )
    assert not problems.problems
    assert {n.message for n in problems.notices} <= {
        "sheet 'Guidance' is not read: it has no judgements"
    }
    assert len(read) == sum(len(sheet.events) for sheet in sheets)
    assert {one.text for one in read} == {event.text for event in judged}


def test_sheets_are_never_overwritten(tmp_path: Path) -> None:
    sheets = sheets_of(events([1]), ["Ana B./../x"], overlap=1)
    (path, _) = write_templates(sheets, tmp_path, BOOK, form="csv")
    assert path.parent == tmp_path
    with pytest.raises(
        UsageError, match="exists, and sheets are not overwritten: choose another folder"
    ):
        write_templates(sheets, tmp_path, BOOK, form="csv")


def test_nothing_is_written_where_one_sheet_exists(tmp_path: Path) -> None:
    sheets = sheets_of(events([1, 1]), ["ana", "ben"])
    (tmp_path / "ben-main.csv").write_text("judged", encoding="utf-8")
    with pytest.raises(UsageError, match=r"ben-main\.csv exists"):
        write_templates(sheets, tmp_path, BOOK, form="csv")
    assert [path.name for path in tmp_path.iterdir()] == ["ben-main.csv"]


def test_guidance_of_others_is_not_overwritten(tmp_path: Path) -> None:
    sheets = sheets_of(events([1, 1]), ["ana", "ben"])
    (tmp_path / "guidance.md").write_text("ours", encoding="utf-8")
    with pytest.raises(UsageError, match="guidance of this codebook: choose another folder"):
        write_templates(sheets, tmp_path, BOOK, form="csv")
    write_templates(sheets, tmp_path / "new", BOOK, form="csv")
    more = sheets_of(events([1, 1]), ["cleo", "dan"])
    assert len(write_templates(more, tmp_path / "new", BOOK, form="csv")) == 3


@pytest.mark.parametrize(("names", "times"), [(NAMES[:1], 1), (NAMES[:2], 2), (NAMES, 2)])
def test_by_default_two_judge_each_event_if_there_are_two(names: list[str], times: int) -> None:
    judged = events([2, 3], 1)
    sheets = make_templates(judged, [], BOOK, names, problems=Problems())
    counts = Counter(event.id for sheet in sheets for event in sheet.events)
    assert counts == {event.id: times for event in judged}


def written_events(folder: Path) -> Path:
    path = folder / "events.jsonl"
    path.write_text('{"id":"e1","text":"A ship runs aground."}\n', encoding="utf-8")
    return path


def test_the_command_gives_each_event_to_two(tmp_path: Path) -> None:
    names = ("--evaluator", "ana", "--evaluator", "ben")
    ran = run("rubric", "template", written_events(tmp_path), *names, "-o", tmp_path / "sheets")
    assert ran.code == FINE
    assert [Path(line).name for line in ran.out.split()] == ["ana-main.xlsx", "ben-main.xlsx"]


def test_without_the_package_for_workbooks_sheets_are_plain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    call = ("rubric", "template", written_events(tmp_path), "--evaluator", "ana")
    ran = run(*call, "-o", tmp_path / "sheets")
    assert ran.code == FINE
    assert [Path(line).name for line in ran.out.split()] == ["ana-main.csv", "guidance.md"]
    assert ran.notices == [
        "plain sheets are written, since workbooks need a package: pip install 'chronoscore[xlsx]'"
    ]
    asked = run(*call, "--to", "xlsx", "-o", tmp_path / "books")
    assert asked.code == USAGE
    assert "pip install 'chronoscore[xlsx]'" in asked.err
    assert not (tmp_path / "books").exists()
