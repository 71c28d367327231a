"""TimeML as it comes: untidy files are read, broken and hostile ones are refused in words."""

from pathlib import Path

import pytest

from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of
from chronoscore.elements.timeml import OUTSIDE, TimemlDocument, read_timeml
from chronoscore.elements.xml import MOST_DEPTH

HEAD = '<?xml version="1.0" ?>\n'
GOOD = (
    HEAD + "<TimeML>\n<DOCID>x</DOCID>\n"
    '<DCT><TIMEX3 tid="t0" type="DATE" value="2020-01-01" functionInDocument="CREATION_TIME">'
    "1 January</TIMEX3></DCT>\n"
    '<TEXT>Smith &amp; Co <EVENT eid="e1" class="OCCURRENCE">merged</EVENT> on\n'
    '<TIMEX3 tid="t1" type="DATE" value="2019">New Year</TIMEX3>.</TEXT>\n'
    '<MAKEINSTANCE eiid="ei1" eventID="e1" tense="PAST" aspect="NONE"/>\n'
    '<TLINK lid="l1" relType="BEFORE" eventInstanceID="ei1" relatedToTime="t0"/>\n'
    "</TimeML>\n"
)


def read(
    folder: Path, text: str | bytes, *, lenient: bool = False
) -> tuple[TimemlDocument | None, Problems]:
    path = folder / "doc.tml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    problems = Problems(ReadingOptions(lenient=lenient))
    return read_timeml(source_of(path), problems), problems


def told(folder: Path, text: str, *, lenient: bool = False) -> list[tuple[int | None, str]]:
    found, problems = read(folder, text, lenient=lenient)
    noted = problems.notices if lenient else problems.problems
    assert (found is not None) or noted
    return [(item.line, item.message) for item in noted]


def fine(folder: Path, text: str) -> TimemlDocument:
    found, problems = read(folder, text)
    assert not problems.problems
    assert found is not None
    return found


def test_places_are_characters_of_the_text(tmp_path: Path) -> None:
    document = fine(tmp_path, GOOD)
    assert document.text == "Smith & Co merged on\nNew Year."
    (event,) = document.events
    assert document.text[event.start : event.end] == event.text == "merged"
    created, year = document.timexes
    assert (created.start, created.end, created.text) == (OUTSIDE, OUTSIDE, "1 January")
    assert document.text[year.start : year.end] == year.text == "New Year"
    assert event.attributes == {"class": "OCCURRENCE"}
    assert document.instances[0].attributes == {"tense": "PAST", "aspect": "NONE"}
    (link,) = document.links
    assert link == ("ei1", "t0", "BEFORE", 8)


def test_without_a_text_element_all_is_text(tmp_path: Path) -> None:
    document = fine(tmp_path, "<TimeML>It <EVENT eid='e1'>rained</EVENT>.</TimeML>")
    assert document.text == "It rained."
    assert document.events[0].start == 3


def test_tags_may_be_nested(tmp_path: Path) -> None:
    nested = "<TimeML><EVENT eid='e1'>the <TIMEX3 tid='t1'>1990</TIMEX3> war</EVENT></TimeML>"
    document = fine(tmp_path, nested)
    assert document.events[0].text == "the 1990 war"
    assert document.timexes[0].text == "1990"


def test_links_may_be_anywhere_and_times_come_before_events_in_them(tmp_path: Path) -> None:
    link = (
        '<TLINK eventInstanceID="e9" timeID="t1" relatedToEventInstance="t1" relatedToTime="e1" '
        'relType="AFTER"/>'
    )
    text = f"<TimeML><EVENT eid='e1'>{link}a</EVENT><TIMEX3 tid='t1'>b</TIMEX3></TimeML>"
    (found,) = fine(tmp_path, text).links
    assert (found.source, found.target) == ("t1", "e1")


def test_an_encoding_in_the_declaration_is_not_asked(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="latin-1"?><TimeML>café</TimeML>'
    assert fine(tmp_path, text).text == "café"


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ('tid="t1"', 'tid="t0"', 6, "time 't0' is there twice"),
        ("<TLINK", '<EVENT eid="e1">x</EVENT><TLINK', 8, "event 'e1' is there twice"),
        ("<TLINK", '<MAKEINSTANCE eiid="ei1" eventID="e1"/><TLINK', 8, "'ei1' is there twice"),
        (' eid="e1"', "", 5, "has no eid"),
        ('relatedToTime="t0"', "", 8, "no relatedToTime or relatedToEventInstance"),
        ('eventInstanceID="ei1"', "", 8, "no timeID or eventInstanceID"),
        ('relType="BEFORE"', "", 8, "has no relType"),
        ('relatedToTime="t0"', 'relatedToTime="t7"', 8, "'t7', which the document does not have"),
    ],
)
def test_what_does_not_fit_is_told_by_line_and_accepted_leniently(
    tmp_path: Path, old: str, new: str, line: int, what: str
) -> None:
    text = GOOD.replace(old, new)
    assert any(at == line and what in message for at, message in told(tmp_path, text))
    lenient = told(tmp_path, text, lenient=True)
    assert any(at == line and what in message for at, message in lenient)
    found, problems = read(tmp_path, text, lenient=True)
    assert found is not None
    assert not problems.problems


def test_a_link_to_nowhere_is_kept_leniently_and_one_without_an_end_is_not(tmp_path: Path) -> None:
    nowhere, _ = read(tmp_path, GOOD.replace('Time="t0"', 'Time="t7"'), lenient=True)
    assert nowhere is not None
    assert [link.target for link in nowhere.links] == ["t7"]
    endless, _ = read(tmp_path, GOOD.replace('relatedToTime="t0"', ""), lenient=True)
    assert endless is not None
    assert endless.links == ()


LAUGHS = "".join(
    f'<!ENTITY l{n} "{"&l" + str(n - 1) + ";" if n else "ha"}{("&l" + str(n - 1) + ";") * 9}">'
    if n
    else '<!ENTITY l0 "ha">'
    for n in range(10)
)
ATTACKS = {
    "billion laughs": f"<!DOCTYPE TimeML [{LAUGHS}]>\n<TimeML>&l9;</TimeML>",
    "an entity": '<!DOCTYPE TimeML [<!ENTITY x "y">]><TimeML>&x;</TimeML>',
    "a file through an entity": (
        '<!DOCTYPE TimeML [<!ENTITY x SYSTEM "file:///etc/passwd">]><TimeML>&x;</TimeML>'
    ),
    "a parameter entity": (
        '<!DOCTYPE TimeML [<!ENTITY % x SYSTEM "http://localhost/x.dtd"> %x;]><TimeML/>'
    ),
    "declared attributes": '<!DOCTYPE TimeML [<!ATTLIST TLINK relType CDATA "x">]><TimeML/>',
    "a long chain of elements": "<a>" * (MOST_DEPTH + 1) + "</a>" * (MOST_DEPTH + 1),
    "very many elements in each other": "<a>" * 200_000,
}


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("lenient", [False, True])
def test_attacks_are_refused(tmp_path: Path, attack: str, lenient: bool) -> None:
    found, problems = read(tmp_path, HEAD + ATTACKS[attack], lenient=lenient)
    assert found is None
    (problem,) = problems.problems
    assert problem.line is not None
    assert "passwd" not in problem.message


def test_a_doctype_that_names_a_file_is_refused_and_leniently_never_read(tmp_path: Path) -> None:
    (tmp_path / "x.dtd").write_text('<!ENTITY x "from outside">', encoding="utf-8")
    text = f'{HEAD}<!DOCTYPE TimeML SYSTEM "x.dtd">\n<TimeML>a</TimeML>'
    assert told(tmp_path, text) == [
        (2, "the DOCTYPE names a file outside, which is never read (--lenient accepts it)")
    ]
    found, _ = read(tmp_path, text, lenient=True)
    assert found is not None
    assert found.text == "a"
    lost, problems = read(tmp_path, text.replace(">a<", ">&x;<"), lenient=True)
    assert lost is None
    assert "'&x;'" in problems.problems[0].message


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("<TimeML>\n<EVENT>\n</TimeML>", "mismatched tag"),
        ("<TimeML>\nAT&T</TimeML>", "not well-formed"),
        ("<TimeML>\n&nbsp;</TimeML>", "undefined entity"),
        ("not XML", "syntax error"),
        ("<TimeML>\n", "ends too early"),
        ("<TimeML>\n<EVENT eid='", "ends too early"),
    ],
)
def test_broken_xml_is_told_with_its_line(tmp_path: Path, text: str, what: str) -> None:
    found, problems = read(tmp_path, text)
    assert found is None
    (problem,) = problems.problems
    assert what in problem.message
    assert problem.line is not None


def test_a_file_that_is_too_large_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chronoscore.elements.xml.MOST_BYTES", 100)
    found, problems = read(tmp_path, GOOD)
    assert found is None
    assert "more than the 100" in problems.problems[0].message


DECLARED = '<?xml version="1.0" encoding="ISO-8859-1"?><TimeML><TEXT>café</TEXT></TimeML>'


def test_a_file_that_is_not_utf8_is_read_as_it_declares(tmp_path: Path) -> None:
    found, problems = read(tmp_path, DECLARED.encode("latin-1"))
    assert found is not None
    assert (found.text, problems.problems) == ("café", [])


def test_what_is_utf8_is_read_so_whatever_it_declares(tmp_path: Path) -> None:
    assert fine(tmp_path, DECLARED).text == "café"


@pytest.mark.parametrize("encoding", ["nothing", "ascii"])
def test_a_declaration_that_is_wrong_does_not_help(encoding: str, tmp_path: Path) -> None:
    text = DECLARED.replace("ISO-8859-1", encoding)
    found, problems = read(tmp_path, text.encode("latin-1"))
    assert found is None
    assert "name it with --encoding" in problems.problems[0].message


def test_a_link_to_a_time_and_an_event_at_once_is_told(tmp_path: Path) -> None:
    both = GOOD.replace('relatedToTime="t0"', 'relatedToTime="t0" relatedToEventInstance="ei1"')
    found, problems = read(tmp_path, both)
    assert found is not None
    assert found.links[0].target == "t0"
    assert "a relatedToTime and a relatedToEventInstance" in problems.notices[0].message
