"""The text of a document with what the gold has above and what a system has below."""

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from readers.command_line import BAD_DATA, FINE, USAGE, run

from chronoscore.annotations.metrics import shown
from chronoscore.annotations.model import Annotation
from chronoscore.core.evidence import Match
from chronoscore.reports.marked_text import Row, marked_text, wrapped

TEXT = "A ship ran aground in the canal on Tuesday.\nTugs freed it after six days."
GOLD = [
    {"id": "1", "type": "EVENT", "start": 7, "end": 18},
    {"id": "2", "type": "TIME", "start": 32, "end": 42},
    {"id": "3", "type": "EVENT", "start": 49, "end": 54},
]
PREDICTED = [
    {"id": "1", "type": "EVENT", "start": 7, "end": 18},
    {"id": "2", "type": "TIME", "start": 35, "end": 42},
    {"id": "3", "type": "THING", "start": 2, "end": 6},
]


def lines(rows: list[Row]) -> list[str]:
    return ["".join(piece.text for piece in row).rstrip() for row in rows]


def span(outcome: str, gold: tuple[int, int] | None, predicted: tuple[int, int] | None) -> Match:
    names = [shown(Annotation("1", "T", *one)) if one else "" for one in (gold, predicted)]
    return Match("both", outcome, 1.0, 1.0, gold=names[0], predicted=names[1])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "60")
    for name, text, several in (
        ("gold", TEXT, GOLD),
        ("new", None, PREDICTED),
        ("bare", None, GOLD),
    ):
        document = {"id": "d", **({"text": text} if text else {}), "annotations": several}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(document) + "\n")
    return tmp_path


def test_bars_lie_along_the_words_that_they_are_about(home: Path) -> None:
    out = run("annotations", "gold.jsonl", "new.jsonl", "--explain", "d").out
    text = out.partition("new, d\n\n")[2].partition("\n\nCS ")[0]
    assert text.split("\n") == [
        "gold         CS1 EVENT                CP2 TIME",
        "             ===========              ~~~~~~~~~~",
        "text  A ship ran aground in the canal on Tuesday.",
        "        ....                             ~~~~~~~",
        "pred    SL THING                         CP2 TIME",
        "             ===========",
        "pred         CS1 EVENT",
        "",
        "gold       ML EVENT",
        "           .....",
        "text  Tugs freed it after six days.",
    ]


def test_no_colour_goes_into_a_pipe(home: Path) -> None:
    assert "\x1b" not in run("annotations", "gold.jsonl", "new.jsonl", "--explain", "d").out


def test_a_saved_result_is_explained_in_its_text(home: Path) -> None:
    arguments = ("gold.jsonl", "new.jsonl", "--explain", "d")
    direct = run("annotations", *arguments, "--save", "r.json").out
    again = run("show", "r.json", "--explain", "d").out
    assert "CP2 TIME" in direct
    assert again.partition("new, d\n")[2] == direct.partition("new, d\n")[2]


def test_without_a_text_there_is_the_table_alone(home: Path) -> None:
    ran = run("annotations", "bare.jsonl", "new.jsonl", "--explain", "d")
    assert ran.code == FINE
    assert "text  A ship" not in ran.out
    assert "correct partial" in ran.out


def test_a_curve_has_no_empty_table_of_matches(home: Path) -> None:
    scored = [{**one, "score": 0.5} for one in PREDICTED]
    Path("scored.jsonl").write_text(json.dumps({"id": "d", "annotations": scored}) + "\n")
    words = ("gold.jsonl", "scored.jsonl", "--thresholds", "all", "--explain", "d")
    assert "scored, d: spans-curve" not in run("annotations", *words).out


def test_texts_may_come_from_articles_or_a_folder(home: Path) -> None:
    Path("articles.jsonl").write_text(json.dumps({"id": "d", "text": TEXT, "title": "t"}) + "\n")
    Path("texts").mkdir()
    Path("texts/d.txt").write_text(TEXT)
    for place in ("articles.jsonl", "texts"):
        ran = run("annotations", "bare.jsonl", "new.jsonl", "--texts", place, "--explain", "d")
        assert "text  A ship ran aground" in ran.out, ran.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A ship.", "annotation '1' of document 'd' ends at 18, its text has 7 characters"),
        (None, "no text belongs to a document of the gold, such as 'd'"),
    ],
)
def test_texts_that_do_not_fit_are_refused(home: Path, text: str | None, message: str) -> None:
    name = "d" if text else "other"
    Path("articles.jsonl").write_text(json.dumps({"id": name, "text": text or TEXT}) + "\n")
    ran = run("annotations", "bare.jsonl", "new.jsonl", "--texts", "articles.jsonl")
    assert ran.code == BAD_DATA
    assert any(message in problem for problem in ran.problems), ran.err


def test_another_text_than_the_documents_own_is_refused(home: Path) -> None:
    Path("articles.jsonl").write_text(json.dumps({"id": "d", "text": TEXT.upper()}) + "\n")
    ran = run("annotations", "gold.jsonl", "new.jsonl", "--texts", "articles.jsonl")
    assert ran.code == BAD_DATA


def test_a_text_can_not_steer_the_terminal() -> None:
    rows = marked_text("a\x1b[31m\u202eb", [span("missing", (0, 1), None)], 60)
    assert "\x1b" not in "".join(lines(rows))
    assert "\u202e" not in "".join(lines(rows))


def test_wide_characters_take_two_columns() -> None:
    above, bar, text = lines(marked_text("事故 now", [span("missing", (3, 6), None)], 60))
    assert bar.index("...") - text.index("now") == 2  # two characters are one column wider each
    assert above.index("ML") == bar.index("...")


def test_an_empty_span_is_seen_even_at_the_end() -> None:
    assert "           ." in lines(marked_text("hello", [span("missing", (5, 5), None)], 60))


def test_lines_far_from_annotations_are_counted_not_shown() -> None:
    text = "\n".join(f"line {n}" for n in range(20))
    rows = lines(marked_text(text, [span("missing", (0, 4), None)], 60))
    assert rows[-1].strip() == "... 18 lines without annotations"


@given(st.text(alphabet="ab \n事\u0301", max_size=80), st.integers(1, 12))
def test_every_character_is_in_one_line(text: str, width: int) -> None:
    found = wrapped(text, width)
    assert "".join(text[start:end] for start, end in found) == text
    assert all(one[1] == two[0] for one, two in itertools.pairwise(found))


@given(
    st.text(alphabet="ab \n", min_size=1, max_size=120),
    st.lists(st.tuples(st.integers(0, 120), st.integers(0, 30)), max_size=8),
)
def test_every_annotation_has_its_label_and_a_bar_of_its_length(
    text: str, spans: list[tuple[int, int]]
) -> None:
    size = len(text)
    placed = [(min(start, size), min(start + more, size)) for start, more in spans]
    rows = marked_text(text, [span("missing", one, None) for one in placed], 40)
    pieces = [piece for row in rows for piece in row if piece.code]
    assert sum(piece.text == "ML T" for piece in pieces) == len(placed)
    drawn = sum(len(piece.text) for piece in pieces if set(piece.text) == {"."})
    least = sum(len(text[start:end].replace("\n", "")) for start, end in placed)
    assert drawn >= least
    assert all(len(line) <= 40 for line in lines(rows))


def test_texts_are_in_the_report_and_the_saved_result_unless_they_are_left_out(home: Path) -> None:
    words = ("annotations", "gold.jsonl", "new.jsonl", "--explain", "d", "--report")
    for name, more in (("with", ()), ("without", ("--no-texts",))):
        ran = run(*words, f"{name}.html", "--save", f"{name}.json", *more)
        assert ran.code == FINE, ran.err
        found = [
            "ran aground in" in text
            for text in (
                ran.out,
                Path(f"{name}.html").read_text(),
                "".join(path.read_text() for path in Path().glob(f"{name}.*.jsonl")),
            )
        ]
        assert found == [name == "with"] * 3


def test_a_saved_result_can_be_shown_without_its_texts(home: Path) -> None:
    run("annotations", "gold.jsonl", "new.jsonl", "--save", "r.json")
    for more in ((), ("--no-texts",)):
        ran = run("show", "r.json", "--report", "r.html", "--explain", "d", *more)
        assert ("ran aground in" in ran.out) == (not more)
        assert ("ran aground in" in Path("r.html").read_text()) == (not more)


def test_texts_of_an_earlier_run_that_stay_on_disk_are_told(home: Path) -> None:
    words = ("annotations", "gold.jsonl", "new.jsonl", "--save", "r.json")
    run(*words)
    assert "r.texts.jsonl has the texts of an earlier run" in run(*words, "--no-texts").err


def test_texts_can_not_be_given_and_left_out(home: Path) -> None:
    ran = run("annotations", "bare.jsonl", "new.jsonl", "--texts", "texts", "--no-texts")
    assert ran.code == USAGE
    assert "--no-texts" in ran.err
