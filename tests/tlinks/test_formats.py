"""Formats of links: each is told by its first lines, read in full, and written again."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run
from vectors_home import HERE

from chronoscore.compat.tempeval3 import printout
from chronoscore.core.case import ONLY
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of
from chronoscore.errors import DataError
from chronoscore.ordering.model import Link
from chronoscore.ordering.tlinks.formats import read_links
from chronoscore.ordering.tlinks.model import Collection, Entity, LinkDocument
from chronoscore.ordering.tlinks.writing import as_timeml, write_links

LINKS = (Link("e1", "e2", "BEFORE"), Link("e2", "t0", "IS_INCLUDED"))
TSV = "d1\te1\te2\tBEFORE\nd1\te2\tt0\tIS_INCLUDED\n"
DENSE = "d1\te1\te2\tb\nd1\te2\tt0\tii\nd1\te1\tt0\tv\n"
MATRES = "d1\tsaid\tleft\t1\t2\tBEFORE\nd1\tleft\twent\t2\t30\tEQUAL\nd1\ta\tb\t1\t30\tVAGUE\n"
JSONL = (
    '{"document":"d1","source":"e1","target":"e2","relation":"BEFORE"}\n'
    '{"document":"d1","source":"e2","target":"t0","relation":"IS_INCLUDED"}\n'
)
EVENTS = (
    '{"id":"1","topic":"d1","mentions":["a","a2"],"position":1}\n'
    '{"id":"2","topic":"d1","mentions":["b"],"position":2}\n'
    '{"id":"3","topic":"d1","mentions":["c"],"position":2}\n'
    '{"id":"4","topic":"d1","mentions":["x"],"position":0}\n'
)


def read(
    folder: Path,
    name: str,
    text: str,
    options: Mapping[str, str] | None = None,
    *,
    lenient: bool = False,
) -> tuple[Collection, Problems]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    problems = Problems(ReadingOptions(lenient=lenient))
    return read_links(source_of(path), problems, options), problems


def links(folder: Path, name: str, text: str, **options: str) -> tuple[Link, ...]:
    found, problems = read(folder, name, text, options)
    problems.check()
    ((document, named),) = found.items()
    assert document == "d1"
    return named[ONLY].links


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.tsv", TSV),
        ("x.txt", TSV),
        ("x.tsv", TSV.replace("\n", "\r\n")),
        ("x.tsv", "document\tsource\ttarget\trelation\n" + TSV),
        (
            "x.tsv",
            "relation\tdocument\tsource\ttarget\nBEFORE\td1\te1\te2\nIS_INCLUDED\td1\te2\tt0",
        ),
        ("d1.tsv", "Source\tTarget\tRelation\ne1\te2\tBEFORE\n\ne2\tt0\tIS_INCLUDED\n"),
        ("d1.tsv", "e1\te2\tBEFORE\ne2\tt0\tIS_INCLUDED\n"),
        ("x.txt", DENSE),
        ("x.jsonl", JSONL),
        ("d1.jsonl", JSONL.replace('"document":"d1",', "")),
    ],
)
def test_tables_and_lines_say_the_same(tmp_path: Path, name: str, text: str) -> None:
    assert links(tmp_path, name, text) == LINKS


def test_matres_has_instances_and_starts_that_are_equal(tmp_path: Path) -> None:
    found = links(tmp_path, "platinum.txt", MATRES)
    assert found == (Link("ei1", "ei2", "BEFORE"), Link("ei2", "ei30", "SIMULTANEOUS"))


@pytest.mark.parametrize(("text", "number"), [(DENSE, 3), (MATRES, 3)])
def test_vague_pairs_are_left_out_aloud_or_kept(tmp_path: Path, text: str, number: int) -> None:
    found, problems = read(tmp_path, "x.txt", text)
    assert len(found["d1"][ONLY].links) == number - 1
    assert [notice.line for notice in problems.notices if "VAGUE" in notice.message] == [3]
    kept = links(tmp_path, "x.txt", text, vague="keep")
    assert kept[-1].relation == "VAGUE"
    assert len(kept) == number


def test_positions_of_events_make_a_chain(tmp_path: Path) -> None:
    assert links(tmp_path, "x.jsonl", EVENTS) == (
        Link("a", "a2", "IDENTITY"),
        Link("a", "b", "BEFORE"),
        Link("b", "c", "SIMULTANEOUS"),
    )


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (TSV + "d1\te1\te3\tbefore\n", 3, "relation is 'before', expected 'BEFORE'"),
        (TSV + "d1\te1\te3\tvague\n", 3, "relation is 'vague', expected one of AFTER"),
        (TSV + "d1\te1\te3\n", 3, "3 fields, expected document, source, target, relation"),
        (TSV + "d1 e1 e3 BEFORE\n", 3, "no tabs"),
    ],
)
def test_doubtful_lines_are_refused_or_counted(
    tmp_path: Path, text: str, line: int, what: str
) -> None:
    _, strict = read(tmp_path, "x.tsv", text)
    assert [(p.line, what in p.message) for p in strict.problems] == [(line, True)]
    _, lenient = read(tmp_path, "x.tsv", text, lenient=True)
    assert not lenient.problems
    assert [(n.line, ": 1, the first here" in n.message) for n in lenient.notices] == [(line, True)]


@pytest.mark.parametrize(
    ("name", "text", "line", "what"),
    [
        ("x.tsv", TSV + "d1\t\te3\tBEFORE\n", 3, "a field is empty"),
        ("x.txt", DENSE * 20 + "d1\te1\te3\tx\n", 61, "relation is 'x', expected one of a, b"),
        ("x.txt", MATRES * 20 + "d1\ta\tb\t1\t3\tAFTR\n", 61, "relation is 'AFTR'"),
        ("x.txt", MATRES * 20 + "d1\ta\tb\te1\t3\tAFTER\n", 61, "'e1' is not the number"),
        ("x.jsonl", JSONL + '{"source":" ","target":"b","relation":"AFTER"}\n', 3, "is empty"),
        ("x.jsonl", JSONL + '{"source":1,"target":"b","relation":"AFTER"}\n', 3, "expected text"),
    ],
)
def test_wrong_lines_are_refused(
    tmp_path: Path, name: str, text: str, line: int, what: str
) -> None:
    for lenient in (False, True):
        _, problems = read(tmp_path, name, text, lenient=lenient)
        assert [p.line for p in problems.problems] == [line]
        assert what in problems.problems[0].message


def test_many_doubts_are_not_all_told(tmp_path: Path) -> None:
    _, problems = read(tmp_path, "x.tsv", TSV + "d1\ta\tb\tbefore\n" * 500)
    assert len(problems.problems) == 21
    assert "480 more" in problems.problems[-1].message


def test_self_links_and_double_ones_are_told(tmp_path: Path) -> None:
    _, problems = read(tmp_path, "x.tsv", TSV * 2 + "d1\ta\ta\tBEFORE\n")
    assert not problems.problems
    assert [(n.line, n.message.partition(",")[0]) for n in problems.notices] == [
        (3, "duplicate links: 2"),
        (5, "links from an entity to itself: 1"),
    ]


def test_folders_are_read_with_the_folders_in_them(tmp_path: Path) -> None:
    for place, name in (("a", "x.tml"), ("b", "x.tml"), ("", "y.tsv")):
        (tmp_path / place).mkdir(exist_ok=True)
        text = TSV if name.endswith("tsv") else as_timeml(LinkDocument(LINKS))
        (tmp_path / place / name).write_text(text, encoding="utf-8")
    problems = Problems()
    assert set(read_links(source_of(tmp_path), problems)) == {"a/x", "b/x", "d1"}
    assert not problems.problems


def test_a_document_in_two_files_is_refused(tmp_path: Path) -> None:
    for name in ("a.tsv", "b.tsv"):
        (tmp_path / name).write_text(TSV, encoding="utf-8")
    problems = Problems()
    read_links(source_of(tmp_path), problems)
    assert ["'d1' is there twice" in p.message for p in problems.problems] == [True]


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    for name in ("x.tsv", "x.jsonl", "x.tml"):
        _, strict = read(tmp_path, name, "")
        assert strict.problems
        _, lenient = read(tmp_path, name, "", lenient=True)
        assert lenient.notices


@pytest.mark.parametrize("form", ["tsv", "jsonl", "timeml"])
def test_links_are_read_as_they_were_written(tmp_path: Path, form: str) -> None:
    collection: Collection = {
        "d1": {ONLY: LinkDocument(LINKS)},
        "sub/d 2": {ONLY: LinkDocument(LINKS[:1])},
    }
    target = tmp_path / ("links" if form == "timeml" else f"links.{form}")
    write_links(collection, target, form)
    problems = Problems()
    again = read_links(source_of(target), problems)
    assert not problems.problems
    assert {key: named[ONLY].links for key, named in again.items()} == {
        key: named[ONLY].links for key, named in collection.items()
    }


def test_timeml_keeps_texts_entities_and_links(tmp_path: Path) -> None:
    home = HERE / "ordering" / "timeml" / "gold"
    before = read_links(source_of(home), Problems())
    write_links(before, tmp_path, "timeml")
    assert read_links(source_of(tmp_path), Problems()) == before


def test_nested_and_hostile_words_survive_timeml(tmp_path: Path) -> None:
    text = 'a <b> & "c" ]]> d'
    entities = (
        Entity("e1", "event", text, 0, len(text), {"class": "<&\"'>", "tense": "PAST"}, ("ei1",)),
        Entity("t1", "time", "<b>", 2, 5, {"value": "2001"}, ("t1",)),
    )
    document = LinkDocument((Link("ei1", "t1", "INCLUDES"),), entities, text)
    write_links({"x": {ONLY: document}}, tmp_path, "timeml")
    assert read_links(source_of(tmp_path), Problems()) == {"x": {ONLY: document}}


def test_a_name_cannot_leave_the_folder(tmp_path: Path) -> None:
    write_links({"../../x": {ONLY: LinkDocument(LINKS)}}, tmp_path / "in", "timeml")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_the_command_converts_and_validates(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(MATRES, encoding="utf-8")
    assert run("tlinks", "convert", tmp_path / "x.txt", tmp_path / "y.tsv", "--to", "tsv").code == 0
    checked = run("validate", tmp_path / "x.txt", tmp_path / "y.tsv")
    assert checked.code == FINE
    assert checked.out.count("fine, 1 document, 2 links") == 2
    home = HERE / "ordering" / "timeml" / "gold"
    marked = run("validate", home / "allen_noise-0.tml")
    assert "1 document, 5 links, 6 events and times" in marked.out
    assert run("validate", "--as", "tlinks", home).code == FINE
    (tmp_path / "z.tsv").write_text(TSV + "d1\ta\tb\tAFTR\n", encoding="utf-8")
    assert run("validate", tmp_path / "z.tsv").code == BAD_DATA


@pytest.mark.parametrize(
    ("text", "wrong", "why"),
    [
        (DENSE, "d1\te1\te9\tq\n", "relation is 'q', expected one of a, b, i, ii, s, v"),
        (MATRES, "d1\ta\tb\t1\t9\tsoon\n", "relation is 'soon', expected one of BEFORE"),
    ],
)
def test_one_wrong_line_does_not_make_another_kind_of_table(
    text: str, wrong: str, why: str, tmp_path: Path
) -> None:
    _, problems = read(tmp_path, "links.txt", text + wrong)
    assert [(p.line, p.message.startswith(why)) for p in problems.problems] == [(4, True)]


def test_a_file_that_cannot_be_read_is_not_also_without_links(tmp_path: Path) -> None:
    _, problems = read(tmp_path, "doc.tml", "<TimeML>")
    assert problems.problems
    assert not problems.notices


def test_a_document_of_one_gold_is_written_under_its_own_name(tmp_path: Path) -> None:
    written = {
        "d1": {"desk": LinkDocument(LINKS)},
        "d2": {x: LinkDocument(LINKS) for x in ("desk", "b")},
    }
    write_links(written, tmp_path / "tml", "timeml")
    assert sorted(file.name for file in (tmp_path / "tml").iterdir()) == [
        "d1.tml",
        "d2.b.tml",
        "d2.desk.tml",
    ]


def test_timeml_is_not_written_into_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(TSV, encoding="utf-8")
    (tmp_path / "taken").write_text("x", encoding="utf-8")
    ran = run("tlinks", "convert", tmp_path / "a.tsv", tmp_path / "taken", "--to", "timeml")
    assert ran.code == USAGE
    assert "is a file, expected a folder" in ran.err


def test_events_and_times_are_not_scored_where_none_are_marked(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(TSV, encoding="utf-8")
    for chosen in (("--protocol", "tempeval3-entities"), ("-m", "events")):
        ran = run("tlinks", tmp_path / "a.tsv", tmp_path / "a.tsv", *chosen)
        assert ran.code == BAD_DATA
        assert "no events or times are marked; only TimeML has them" in ran.err


def test_a_system_without_events_and_times_is_told(tmp_path: Path) -> None:
    (tmp_path / "doc.tsv").write_text(TSV.replace("d1", "doc"), encoding="utf-8")
    read(tmp_path, "doc.tml", "<TimeML><EVENT eid='e1'>x</EVENT></TimeML>")
    ran = run("tlinks", tmp_path / "doc.tml", tmp_path / "doc.tsv", "-m", "events")
    assert ran.code == FINE
    assert "doc: no events or times are marked" in ran.err


def test_the_print_out_of_the_toolkit_needs_timeml(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(TSV, encoding="utf-8")
    with pytest.raises(DataError, match="no events or times are marked, expected TimeML"):
        printout(tmp_path / "a.tsv", tmp_path / "a.tsv", Problems())
