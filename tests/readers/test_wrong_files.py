"""Wrong bytes in a right place: every reader says the same, once, with the file and the line."""

import codecs
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from every import each
from readers.command_line import BAD_DATA, FINE, USAGE, run
from readers.samples import SAMPLES, every_way, put, score

Change = Callable[[str], bytes]

every_reader = each("reader", SAMPLES)

# What is said of a file whose bytes are no text of ours, and whether it has a line.
UNREADABLE: dict[str, tuple[Change, str, bool]] = {
    "empty": (lambda _: b"", "the file is empty", False),
    "a mark and nothing else": (lambda _: codecs.BOM_UTF8, "the file is empty", False),
    "blank": (lambda _: b" \n\t\r\n  \r \n", "there are only blank lines in the file", False),
    "blank UTF-16": (lambda _: " \n\n".encode("utf-16"), "there are only blank lines", False),
    "PNG": (lambda _: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)), "binary data", True),
    "NULs": (lambda _: bytes(9000), "binary data, expected text", True),
    "UTF-16 without a mark": (lambda t: t.encode("utf-16-le"), "UTF-16 or the like", True),
    "latin-1": (lambda t: t.encode("latin-1"), "(0xe9) is not valid utf-8; if the file", True),
    "half of UTF-16": (lambda t: t.encode("utf-16")[:-1], "is not valid utf-16", False),
}

# Ways to write the same text down, with the options that they need.
SAME: dict[str, tuple[Change, tuple[str, ...]]] = {
    "byte order mark": (lambda t: codecs.BOM_UTF8 + t.encode(), ()),
    "UTF-16, little end first": (lambda t: codecs.BOM_UTF16_LE + t.encode("utf-16-le"), ()),
    "UTF-16, big end first": (lambda t: codecs.BOM_UTF16_BE + t.encode("utf-16-be"), ()),
    "UTF-32": (lambda t: t.encode("utf-32"), ()),
    "UTF-16 without a mark": (lambda t: t.encode("utf-16-be"), ("--encoding", "utf-16-be")),
    "latin-1": (lambda t: t.encode("latin-1"), ("--encoding", "latin-1")),
    "EBCDIC": (lambda t: t.encode("cp1140"), ("--encoding", "cp1140")),
    "a mark that knows better": (lambda t: t.encode("utf-8-sig"), ("--encoding", "latin-1")),
    "CRLF": (lambda t: t.replace("\n", "\r\n").encode(), ()),
    "CR, as on old Macs": (lambda t: t.replace("\n", "\r").encode(), ()),
    "no newline at the end": (lambda t: t.rstrip("\n").encode(), ()),
    "many newlines at the end": (lambda t: t.encode() + b"\n\n\r\n\n", ()),
}


@every_reader
@each("fault", UNREADABLE)
def test_an_unreadable_file_is_one_problem(tmp_path: Path, reader: str, fault: str) -> None:
    sample = SAMPLES[reader]
    change, words, has_line = UNREADABLE[fault]
    for way, ran in every_way(tmp_path, sample, change(sample.text), "--strict").items():
        assert ran.code == BAD_DATA, (way, ran)
        (problem,) = ran.problems
        place, _, message = problem.removeprefix(str(tmp_path / "bad" / sample.file)).partition(" ")
        assert words in message, (way, problem)
        assert place.strip(":").isdecimal() == has_line, (way, problem)
        assert ran.out == ""


@every_reader
@each("data", [b"", b" \n"])
def test_a_file_without_content_is_named_even_where_it_is_accepted(
    tmp_path: Path, reader: str, data: bytes
) -> None:
    sample = SAMPLES[reader]
    for ran in every_way(tmp_path, sample, data, "--lenient").values():
        described = Path(sample.file).name in ran.out  # of a folder, notices are in its description
        assert described or str(tmp_path / "bad" / sample.file) in ran.err
        assert (ran.code, bool(ran.problems)) in {(FINE, False), (BAD_DATA, True)}


@cache
def plain_result(reader: str) -> str:
    """What a sample scores against its other text, as they stand."""
    sample = SAMPLES[reader]
    with TemporaryDirectory() as folder:
        return score(Path(folder), sample, sample.text, sample.other).out


@every_reader
@each("spelling", SAME)
def test_the_same_text_gives_the_same_result(tmp_path: Path, reader: str, spelling: str) -> None:
    sample = SAMPLES[reader]
    change, options = SAME[spelling]
    gold = put(tmp_path / "gold", sample, change(sample.text))
    predicted = put(tmp_path / "predicted", sample, change(sample.other))
    paths = (predicted,) if sample.verb == "rubric" else (gold, predicted)
    ran = run(sample.verb, *paths, "--format", "json", *options)
    assert (ran.code, ran.err) == (FINE, "")
    assert ran.out == plain_result(reader)  # digests of the data included
    assert '"undefined":' in ran.out


# Where each file is cut, what is then said, and of which line.
CUT = {
    "events as timelines": ('"rescue', "the JSON ends too early; is the file cut?", 2),
    "events as an order": ('"rescue', "the JSON ends too early; is the file cut?", 2),
    "events as annotations": ('"rescue', "the JSON ends too early; is the file cut?", 2),
    "tilse text": ("floats, says", "not closed by 32 dashes; is the file cut?", 5),
    "JSON timeline": ("It goes", "the JSON ends too early; is the file cut?", 3),
    "news-tls lines": ('24",["A ship', "the JSON ends too early; is the file cut?", 2),
    "folder of topics": ("floats, says", "not closed by 32 dashes; is the file cut?", 5),
    "folder of news-tls topics": ('24",["A', "the JSON ends too early; is the file cut?", 2),
    "tab file": ("\ta1-2", "2 fields, expected position, anchor and one or more mentions", 3),
    "folder of tab files": ("\ta1-2", "2 fields, expected position, anchor", 3),
    "events as clusters": ('"rescue', "the JSON ends too early; is the file cut?", 2),
    "rows as clusters": ("\ta1-2", "2 fields, expected position, anchor", 3),
    "CoNLL": ("suez 0 3", "'suez; part 000' has no '#end document'; is the file cut?", 1),
    "JSON clusters": ("[2,2]", "the JSON ends too early; is the file cut?", 2),
    "linked annotations": ('"NIL1', "the JSON ends too early; is the file cut?", 1),
    "linked rows": ("\t5\tQ1\t1", "2 columns, expected document, start, end, id", 3),
    "documents": ('"start":8', "the JSON ends too early; is the file cut?", 2),
    "table of links": ("\tAFTER", "3 fields, expected document, source, target, relation", 3),
    "lines of links": ("AFTER", "the JSON ends too early; is the file cut?", 2),
    "events as links": ('"rescue', "the JSON ends too early; is the file cut?", 2),
    "TimeML": ("</TimeML>", "the XML ends too early; is the file cut?", 5),
    "folder of TimeML": ("</TimeML>", "the XML ends too early; is the file cut?", 5),
    "scores of pairs": (",0.8", "6 fields, expected document, source, target, index", 3),
    "pairs in XML": ("</DATA>", "the XML ends too early; is the file cut?", 3),
    "sheet": (",2,3,", "the row has 5 cells, the header 8; is the file cut?", 3),
}


@every_reader
def test_a_cut_file_is_told(tmp_path: Path, reader: str) -> None:
    sample = SAMPLES[reader]
    at, words, line = CUT[reader]
    text = sample.text[: sample.text.index(at)]
    for ran in every_way(tmp_path, sample, text).values():
        assert ran.code == BAD_DATA
        (problem,) = ran.problems
        assert problem.startswith(f"{tmp_path / 'bad' / sample.file}:{line}: ")
        assert words in problem


# What has no sense twice, and what is said of it.
TWICE: dict[str, tuple[Callable[[str], str], str, int]] = {
    "events as timelines": (lambda t: t + t.splitlines()[0], "id 'e1' is used twice, first in", 3),
    "events as an order": (lambda t: t + t.splitlines()[0], "id 'e1' is used twice, first in", 3),
    "events as annotations": (lambda t: t + t.splitlines()[0], "'e1' is used twice, first", 3),
    "JSON timeline": (lambda t: t.replace("03-29", "03-23"), "'2021-03-23' is there twice", 1),
    "CoNLL": (lambda t: t.replace("It (0)", "It (0)|(1)"), "'3:3' is in two clusters;", 6),
    "JSON clusters": (lambda t: t.replace("3-floats", "1-runs"), "runs' is in two clusters;", 1),
    "linked rows": (lambda t: t + t.splitlines()[0], "'a1 0:6' is twice in a cluster;", 4),
    "documents": (lambda t: t + t.splitlines()[0], "document 'a1' is there twice, first in", 3),
    "events as links": (lambda t: t + t.splitlines()[0], "id 'e1' is used twice, first in", 3),
    "TimeML": (lambda t: t.replace("<TLINK", '<EVENT eid="e1"/><TLINK'), "'e1' is there twice", 5),
    "sheet": (lambda t: t + t.splitlines()[1], "judged event 'e1' already in line 2", 4),
}


@pytest.mark.parametrize("reader", TWICE)
def test_the_same_twice_is_a_problem(tmp_path: Path, reader: str) -> None:
    sample = SAMPLES[reader]
    change, words, line = TWICE[reader]
    for ran in every_way(tmp_path, sample, change(sample.text)).values():
        assert ran.code == BAD_DATA
        (problem,) = ran.problems
        assert problem.startswith(f"{tmp_path / 'bad' / sample.file}:{line}: ")
        assert words in problem


def test_a_row_twice_counts_as_in_the_official_scorer_but_is_told(tmp_path: Path) -> None:
    sample = SAMPLES["tab file"]
    for ran in every_way(tmp_path, sample, sample.text + sample.text.splitlines()[1]).values():
        assert ran.code == FINE
        assert any(":4: the row repeats that of line 2" in notice for notice in ran.notices)


@every_reader
def test_a_line_above_the_limit_is_told_and_no_other(tmp_path: Path, reader: str) -> None:
    sample = SAMPLES[reader]
    lengths = [len(line.encode()) for line in sample.text.splitlines()]
    limit = max(lengths) - 1
    for ran in every_way(tmp_path, sample, sample.other, "--max-line", str(limit)).values():
        assert ran.code == BAD_DATA
        told = [problem for problem in ran.problems if "/bad/" in problem]
        assert told == [
            f"{tmp_path / 'bad' / sample.file}:{lengths.index(limit + 1) + 1}: the line is longer "
            f"than {limit} bytes; if it is meant to be, allow more with --max-line"
        ]


@every_reader
def test_a_missing_file_is_told(tmp_path: Path, reader: str) -> None:
    sample = SAMPLES[reader]
    good, missing = put(tmp_path, sample, sample.text), tmp_path / "none.jsonl"
    calls = [(sample.verb, good, missing), (sample.verb, missing, good), ("validate", missing)]
    for call in calls:
        ran = run(*call)
        assert ran.code == BAD_DATA
        (problem,) = ran.problems
        assert problem.startswith(f"{missing}: there is no such file")


@every_reader
def test_a_file_without_permission_is_told(tmp_path: Path, reader: str) -> None:
    sample = SAMPLES[reader]
    bad, good = put(tmp_path / "bad", sample, sample.text), put(tmp_path, sample, sample.text)
    file = tmp_path / "bad" / sample.file
    file.chmod(0)
    if os.access(file, os.R_OK):
        pytest.skip("nothing is forbidden to this user")
    scored = run(sample.verb, good, bad)
    # As gold or sheet it is still the command line's own parser that refuses it, as wrong usage.
    assert scored.code == (USAGE if sample.verb == "rubric" else BAD_DATA)
    told = run("validate", "--as", sample.verb, bad)
    assert (told.code, told.problems) == (BAD_DATA, [f"{file}: can't be read: Permission denied"])


@pytest.mark.parametrize(
    "verb", ["timelines", "ordering", "coreference", "annotations", "rubric", "events"]
)
def test_an_empty_folder_is_told(tmp_path: Path, verb: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    ran = run("validate", "--as", verb, folder)
    assert ran.code == BAD_DATA
    (problem,) = ran.problems
    assert problem.startswith(f"{folder}: ")
    assert "folder" in problem
