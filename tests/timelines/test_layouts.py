"""Layouts of collections: columns by meaning, JSON by looking, forms of one gold, repaired text."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run

from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of
from chronoscore.elements.dated.lists import listed
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.dated.options import LAYOUT
from chronoscore.elements.dated.reading import read_timelines
from chronoscore.elements.dated.values import REPAIRED, Collection
from chronoscore.elements.dated.writing import write_timelines
from chronoscore.errors import DataError

END = "-" * 32
TEXT = f"2011-01-25\nProtests begin .\n{END}\n"
DAYS = [["2011-01-25", ["Protests begin ."]]]
Lay = Callable[..., Path]


@pytest.fixture
def lay(tmp_path: Path) -> Lay:
    """Write files into a folder, and return the folder, or the only file."""

    def write(**files: str | bytes) -> Path:
        for name, content in files.items():
            path = tmp_path / name.replace("__", "/").replace("_DOT_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path if len(files) == 1 else tmp_path

    return write


def read(path: Path, **options: str) -> tuple[Collection, Problems]:
    problems = Problems()
    found = read_timelines(source_of(path), problems, options)
    return found, problems


def plain(collection: Collection) -> dict[str, dict[str, dict[str, list[str]]]]:
    return {
        topic: {
            name: {str(day): [*texts] for day, texts in timeline.days}
            for name, timeline in named.items()
        }
        for topic, named in collection.items()
    }


def only(path: Path, **options: str) -> dict[str, list[str]]:
    """The days of the only timeline of a file."""
    found, problems = read(path, **options)
    problems.check()
    (((_, days),),) = (named.items() for named in plain(found).values())
    return days


def error(path: Path, **options: str) -> str:
    with pytest.raises(DataError) as refused:
        read(path, **options)[1].check()
    return str(refused.value)


@pytest.mark.parametrize("when", ["Date", "time"])
@pytest.mark.parametrize("text", ["summary", "Sentences", "Update", "text", "EVENT"])
def test_columns_are_known_by_their_meaning(lay: Lay, when: str, text: str) -> None:
    path = lay(a_DOT_csv=f"{text},{when}\nProtests begin .,[2011-01-25]\n")
    assert only(path) == {"2011-01-25": ["Protests begin ."]}


def test_other_columns_are_named_by_the_user(lay: Lay) -> None:
    path = lay(a_DOT_csv="When,Headline,text\n2011-01-25,Protests begin .,no\n")
    assert "no column 'date' (date, time; --column date=NAME names another)" in error(path)
    days = only(path, column="date=when,text=HEADLINE")
    assert days == {"2011-01-25": ["Protests begin ."]}
    ran = run("timelines", path, path, "--column", "date=When", "--column", "text=Headline")
    assert ran.code == FINE, ran.err
    assert "there is no column 'x'" in error(path, column="text=x")
    assert run("timelines", path, path, "--column", "Headline").code == USAGE
    signature = json.loads(
        run("timelines", path, path, "--column", "date=When", "--column", "text=Headline",
            "--format", "json").out
    )["systems"][0]["signature"]  # fmt: skip
    assert run("timelines", path, path, "--from-signature", signature).code == FINE


def test_a_list_of_sentences_is_read_only_from_a_column_of_sentences(lay: Lay) -> None:
    cells = '2011-01-25,"[\'One .\', ""Two \'s .""]"\n'
    assert only(lay(a_DOT_csv=f"date,sentences\n{cells}")) == {"2011-01-25": ["One .", "Two 's ."]}
    whole = "['One .', \"Two 's .\"]"
    assert only(lay(a_DOT_csv=f"date,summary\n{cells}")) == {"2011-01-25": [whole]}


@pytest.mark.parametrize("cell", ["['One .', 'Two", "[['One .'], ['Two .']]", "['One .', 3]"])
def test_a_list_of_sentences_that_is_cut_is_no_text(lay: Lay, cell: str) -> None:
    path = lay(a_DOT_csv=f'date,sentences\n2011-01-25,"{cell}"\n')
    assert ":2: the list of sentences is cut, or not all are in quotes" in error(path)
    problems = Problems(ReadingOptions(lenient=True))
    read_timelines(source_of(path), problems)
    assert not problems.problems


def test_a_sheet_with_lists_of_dates_says_that_only_the_dates_are_read(lay: Lay) -> None:
    row = "\"['2011-01-25', '2011-02-11']\",all texts\n"
    _, problems = read(lay(a_DOT_csv=f"date,timeline\n{row}{row}"))
    problems.check()
    assert [notice.message for notice in problems.notices] == [
        "2 timelines with all dates in one cell: only the dates are read"
    ]


def test_the_problems_of_sheets_name_line_and_columns_of_the_file(lay: Lay) -> None:
    cut = """date,timeline\n"['2011-01-25', '2011","all texts"\n"""
    assert ":2: the list of dates is cut" in error(lay(a_DOT_csv=cut))
    opened = lay(b_DOT_csv='date,text\n2011-01-25,"One\n2011-01-26,Two\n')
    assert ":2: not a readable sheet: a quote is opened here and not closed" in error(opened)
    long = lay(c_DOT_csv=f"date,text\n2011-01-25,{'x' * 200_000}\n")
    assert "a cell is longer than 131072 characters" in error(long)
    chosen = error(lay(d_DOT_csv="date,headline\n2011-01-25,One\n"), column="date=headline")
    assert chosen.endswith("there are: date, headline")


@pytest.mark.parametrize("ending", ["jsonl.gz", "jsonl.zst", "parquet", "xlsx"])
def test_a_pointer_of_git_lfs_is_known_in_place_of_a_packed_file(
    tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"a.{ending}"
    path.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:9b\nsize 44\n")
    ran = run("rubric", path) if ending == "xlsx" else run("timelines", path, path)
    assert ran.code == BAD_DATA
    assert "this is a Git LFS pointer: the file itself (44 bytes) was not fetched" in ran.err


def test_all_variants_read_the_files_as_the_scores_do(lay: Lay) -> None:
    other = json.dumps([["2011-01-25", ["Protests begin everywhere ."]]])
    home = lay(t__timelines__a_DOT_txt=TEXT, t__timelines_DOT_jsonl=other)
    words = ("--form", "jsonl", "--repeated-gold", "join", "--strict", "--all-variants")
    assert run("timelines", home, home, *words).code == FINE


def test_dates_in_a_list_are_scored_without_texts(lay: Lay) -> None:
    rows = (
        "\"['2011-01-25T00:00:00', '2011-01-26 00:00:00']\",All texts.\n[],\n\"['2012-01-01']\",x\n"
    )
    path = lay(a_DOT_csv=f"time,timeline\n{rows}")
    found, problems = read(path)
    problems.check()
    assert plain(found) == {
        "a": {"1": {"2011-01-25": [], "2011-01-26": []}, "2": {"2012-01-01": []}}
    }
    ran = run("timelines", path, path)
    assert ran.code == BAD_DATA
    assert "can't be divided by day" in ran.err
    assert run("timelines", path, path, "-m", "Date-F1").code == FINE
    lone = lay(b_DOT_csv="time,timeline\n2011-01-25,All texts.\n")
    assert "no column has texts" in error(lone)


def test_times_that_are_numbers_name_the_option(lay: Lay) -> None:
    path = lay(a_DOT_csv="event,time\nAdmitted,0\nPain,-72\n")
    message = error(path)
    assert "the times are numbers, such as '0', and no dates: --time-unit hour" in message
    assert [*only(path, time_unit="hour").values()] == [["Pain"], ["Admitted"]]
    assert "'soon' is not" in error(
        lay(a_DOT_csv="event,time\nAdmitted,0\nPain,soon\n"), time_unit="hour"
    )
    blank = lay(a_DOT_csv="event,time\nAdmitted,0\nPain,\n")
    assert ":3: the date is empty" in error(blank, time_unit="hour")


TWO_GOLDS = {"1": {"2011-01-25": ["Protests begin ."]}, "2": {"2012-01-01": ["More ."]}}
SECOND = [["2012-01-01T00:00:00", ["More ."]]]


@pytest.mark.parametrize("ending", ["json", "jsonl"])
@pytest.mark.parametrize("indent", [None, 1])
def test_json_is_known_by_looking(lay: Lay, ending: str, indent: int | None) -> None:
    text = "\n".join(json.dumps(one, indent=indent) for one in (DAYS, [], SECOND))
    found, problems = read(lay(**{f"egypt_DOT_{ending}": text}))
    problems.check()
    assert plain(found) == {"egypt": TWO_GOLDS}
    one = json.dumps(DAYS, indent=indent)
    assert only(lay(**{f"egypt_DOT_{ending}": one})) == TWO_GOLDS["1"]


@pytest.mark.parametrize("ending", ["json", "jsonl"])
@pytest.mark.parametrize("indent", [None, 1])
def test_an_empty_prediction_keeps_its_place(lay: Lay, ending: str, indent: int | None) -> None:
    text = "\n".join(json.dumps(one, indent=indent) for one in ([], DAYS))
    path = lay(**{f"egypt_DOT_{ending}": text})
    predicted = read_timelines(source_of(path), Problems(), {}, "predicted")
    assert plain(predicted) == {"egypt": {"1": {}, "2": TWO_GOLDS["1"]}}
    assert plain(read(path)[0]) == {"egypt": {"1": TWO_GOLDS["1"]}}


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_records_over_several_lines_are_records(lay: Lay, ending: str) -> None:
    records = [
        {"topic": "egypt", "date": "2011-01-25", "summary": text} for text in ("One .", "Two .")
    ]
    text = "\n".join(json.dumps(record, indent=1) for record in records)
    assert only(lay(**{f"a_DOT_{ending}": text})) == {"2011-01-25": ["One .", "Two ."]}


def test_what_follows_a_value_is_named_from_its_first_letter(lay: Lay) -> None:
    path = lay(a_DOT_json=f"{json.dumps(DAYS)} garbage {json.dumps(DAYS)}")
    assert "not JSON: trailing characters, at 'garbage [[" in error(path)


def test_equal_forms_of_a_gold_are_one_gold(lay: Lay) -> None:
    folder = lay(
        egypt__timelines_DOT_jsonl=json.dumps(DAYS),
        egypt__timelines__bbc_DOT_txt=TEXT,
        egypt__InputDocs__2011__a_DOT_txt="An article.",
        libya__a_DOT_txt=TEXT,
        libya__a_DOT_json=json.dumps(DAYS),
    )
    found, problems = read(folder)
    problems.check()
    assert plain(found) == {"egypt": {"1": TWO_GOLDS["1"]}, "libya": {"a": TWO_GOLDS["1"]}}
    assert plain(read(folder / "egypt")[0]) == {"egypt": {"1": TWO_GOLDS["1"]}}


def test_a_folder_of_timelines_may_have_topics_or_nothing(lay: Lay) -> None:
    folder = lay(
        a__timelines__egypt__bbc_DOT_txt=TEXT,
        a__timelines__libya__bbc_DOT_txt=TEXT,
        b__timelines_DOT_jsonl=json.dumps(DAYS),
    )
    (folder / "b" / "timelines").mkdir()
    found, problems = read(folder)
    problems.check()
    assert {topic: [*named] for topic, named in found.items()} == {
        "egypt": ["bbc"], "libya": ["bbc"], "b": ["1"],
    }  # fmt: skip


def test_different_forms_of_a_gold_need_a_choice(lay: Lay) -> None:
    folder = lay(
        egypt__timelines_DOT_jsonl=f"{json.dumps(DAYS)}\n{json.dumps(SECOND)}",
        egypt__timelines__bbc_DOT_txt=TEXT,
        egypt__timelines__cnn_DOT_txt=TEXT.replace("begin", "end"),
    )
    assert error(folder).endswith(
        "timelines/ and timelines.jsonl are forms of the same timelines, and differ in cnn.txt, "
        "timelines.jsonl:2: choose one with --form jsonl or txt"
    )
    assert [*plain(read(folder, form="jsonl")[0])["egypt"]] == ["1", "2"]
    assert [*plain(read(folder, form="txt")[0])["egypt"]] == ["bbc", "cnn"]
    assert run("timelines", folder, folder, "--form", "txt").code == FINE


def test_bytes_that_are_not_utf_8_are_counted_once_a_file(lay: Lay) -> None:
    path = lay(a_DOT_txt=f"2011-01-25\nA \xe9 \x80 B\n\x80\n{END}\n".encode("latin-1"))
    found, problems = read(path)
    problems.check()
    assert plain(found)["a"]["1"] == {"2011-01-25": ["A \ufffd \ufffd B", "\ufffd"]}
    assert [notice.message for notice in problems.notices] == [
        "3 bytes not valid UTF-8, first in line 2: read as U+FFFD (--encoding names another "
        "encoding, --strict refuses)"
    ]
    assert run("timelines", path, path, "--strict").code == BAD_DATA
    assert run("timelines", path, path, "--encoding", "latin-1", "--strict").code == FINE


def test_chunks_replace_bytes_as_the_whole_does(lay: Lay) -> None:
    events = (f'{{"id":"{n}","topic":"t{n}","date":"2011-01-25","text":"\xe9 {n}"}}' for n in "ab")
    path = lay(a_DOT_jsonl="\n".join(events).encode("latin-1"))
    whole = run("timelines", path, path, "--format", "json")
    chunks = run("timelines", path, path, "--format", "json", "--engine", "here", "--chunk", "1")
    assert (chunks.code, chunks.out) == (whole.code, whole.out) == (FINE, whole.out)
    assert chunks.notices[1:] == whole.notices  # the first is about the engine


LENIENT = {
    "an empty file": "",
    "31 dashes": f"2011-01-25\nx\n{END[1:]}\n",
    "text beside dashes": f"2011-01-25\nx{END}\n",
    "a date within a day": f"2011-01-25\nx\n2011-01-26\ny\n{END}\n",
    "no dashes at the end": "2011-01-25\nx\n",
    "text before a date": f"Title\n{TEXT}",
    "a date that is none": f"2011-04-0\nx\n{END}\n{TEXT}",
    "dashes without a day": f"{END}\n{TEXT}",
    "dashes and a date": f"2011-01-25\nx\n{END}2011-01-26\ny\n{END}\n",
}


@pytest.mark.parametrize("flaw", LENIENT)
def test_lenient_reads_what_its_message_says(lay: Lay, flaw: str) -> None:
    path, good = lay(a_DOT_txt=LENIENT[flaw]), lay(good__a_DOT_txt=TEXT)
    for files in ((path, path), (path, good), (good, path)):
        strict = run("timelines", *files)
        assert strict.code == BAD_DATA
        assert all("(--lenient " in line for line in strict.problems)
        assert run("timelines", *files, "--lenient").code == FINE


def test_facts_name_the_layout_and_what_was_repaired(lay: Lay) -> None:
    path = lay(a_DOT_txt=LENIENT["31 dashes"] + TEXT)
    problems = Problems(ReadingOptions(lenient=True))
    read_timelines(source_of(path), problems)
    assert problems.facts[LAYOUT, "gold", "tilse text"] == 1
    assert problems.facts[REPAIRED, "gold", "dashes"] == 1
    assert problems.facts[REPAIRED, "gold", "repeated dates"] == 1


def test_a_sentence_that_tilse_text_can_not_hold_is_refused(tmp_path: Path) -> None:
    for sentence in ("2011-01-26", END, f"x {END}"):
        timeline = Timeline.of({date(2011, 1, 25): [sentence]})
        with pytest.raises(DataError, match="choose another format"):
            write_timelines({"a": {"1": timeline}}, tmp_path / "a.txt", "tilse")


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        (r"['a\n\'b\'', '\u00e9\x41', '\ud83d\ude00']", ["a\n'b'", "éA", "😀"]),
        ('["a", "b/\\/"]', ["a", "b//"]),
        ("['a',]", ["a"]),
        ("['a' 'b']", None),
        ("[1, 2]", None),
        ("['a', ['b']]", None),
        ("__import__('os')", None),
        ("", None),
    ],
)
def test_lists_of_texts(text: str, texts: list[str] | None) -> None:
    assert listed(text) == texts


def test_all_variants_show_repeated_dates_both_ways(tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text(TEXT + TEXT.replace("Protests begin", "The army moves"))
    (tmp_path / "predicted.txt").write_text(TEXT)
    paths = (tmp_path / "gold.txt", tmp_path / "predicted.txt")
    ran = run("timelines", *paths, "--all-variants", "-f", "json")
    assert ran.code == FINE, ran.err
    rows = [row for row in json.loads(ran.out) if row["metric"] == "align+m:1"]
    scores = {row["golds"]: row["rouge_1"] for row in rows}
    assert (scores["each"], scores["each, joined"]) == (0, pytest.approx(2 / 3))


def test_links_to_folders_around_are_not_followed(lay: Lay) -> None:
    root = lay(t17__egypt__a_DOT_txt=TEXT, t17__libya__a_DOT_txt=TEXT)
    for name, to in (("up", ".."), ("self", ".")):
        (root / "t17" / name).symlink_to(to, target_is_directory=True)
    (root / "libya").symlink_to("t17/libya", target_is_directory=True)
    found, problems = read(root / "t17")
    assert sorted(found) == ["egypt", "libya"]
    assert len(problems.notices) == 2
    assert all("not followed" in notice.message for notice in problems.notices)
    assert [*read(root / "libya")[0]] == ["a"]


def test_a_gold_that_is_a_broken_link_is_reported(lay: Lay) -> None:
    root = lay(egypt__a_DOT_txt=TEXT, libya__a_DOT_txt=TEXT)
    (root / "egypt" / "b.txt").symlink_to("not-fetched.txt")
    messages = [str(problem) for problem in read(root)[1].problems]
    assert messages == [f"{root / 'egypt' / 'b.txt'}: there is no such file"]


def test_forms_with_other_numbers_of_one_gold_differ(lay: Lay) -> None:
    other = TEXT.replace("-25", "-26")
    lines = "".join(f"{json.dumps(days)}\n" for days in (DAYS, DAYS, [["2011-01-26", DAYS[0][1]]]))
    root = lay(
        egypt__timelines_DOT_jsonl=lines,
        egypt__timelines__a_DOT_txt=TEXT,
        egypt__timelines__b_DOT_txt=other,
        egypt__timelines__c_DOT_txt=other,
    )
    assert "are forms of the same timelines, and differ" in str(read(root)[1].problems[0])


def test_a_wrong_date_in_json_is_found_in_its_line(lay: Lay) -> None:
    days = '{"2011-01-25": ["He said \\"2011-01-32\\"."],\n "2011-01-32": ["x"]}'
    problems = read(lay(a_DOT_json=days))[1].problems
    assert [problem.line for problem in problems] == [2]


def test_folders_beside_the_files_of_a_topic_are_counted(lay: Lay) -> None:
    root = lay(t17__notes_DOT_txt=TEXT, t17__egypt__a_DOT_txt=TEXT, crisis__libya__a_DOT_txt=TEXT)
    found, problems = read(root)
    assert sorted(found) == ["libya", "t17"]
    assert [notice.message for notice in problems.notices] == [
        f"1 folder beside the files of a topic not read, first {root / 't17' / 'egypt'}"
    ]


def test_a_sheet_with_odd_bytes_in_its_header_is_recognised(lay: Lay) -> None:
    ran = run("validate", lay(a_DOT_csv=b"date,summary,caf\xe9\n2011-01-25,It began .,x\n"))
    assert ran.code == FINE
    assert "1 byte not valid UTF-8" in ran.err


def test_topics_of_rows_of_dates_are_stripped(lay: Lay) -> None:
    sheet = "topic,date,summary\n egypt ,\"['2011-01-25']\",x\negypt,\"['2011-01-26']\",x\n"
    assert [*read(lay(a_DOT_csv=sheet))[0]] == ["egypt"]
