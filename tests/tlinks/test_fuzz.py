"""Whatever the bytes are: readers of links end in data, notices or problems."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from readers.test_fuzz import RAW, Reader, damaged, lines, look, steady
from vectors_home import HERE

from chronoscore.core.errors import ChronoscoreError
from chronoscore.core.reading import Reading
from chronoscore.elements.timeml import read_timeml
from chronoscore.ordering.tlinks import FAMILY, read_cases, read_links

TIMEML = (HERE / "ordering" / "timeml" / "gold" / "allen_noise-0.tml").read_text(encoding="utf-8")
TSV = "document\tsource\ttarget\trelation\nd\te1\te2\tBEFORE\nd\te2\tt1\tIS_INCLUDED\n"
DENSE = "d\te1\te2\tb\nd\te2\tt1\tii\nd\te1\tt1\ta\n"
MATRES = "d\tsaid\tleft\t1\t2\tBEFORE\nd\tleft\twent\t2\t3\tEQUAL\n"
JSONL = (
    '{"document":"d","source":"e1","target":"e2","relation":"BEFORE"}\n'
    '{"document":"d","source":"e2","target":"t1","relation":"AFTER"}\n'
)


def links(path: Path, reading: Reading) -> int:
    found = read_links(path, reading)
    return sum(len(d.links) for named in found.values() for d in named.values())


def tags(name: str) -> Callable[[str], int]:
    return lambda text: text.count(f"<{name}")


def titled(text: str) -> int:
    return lines(text) - ("source\ttarget\trelation" in text.lower())


def timeml_links(path: Path, reading: Reading) -> int:
    found = read_timeml(path, reading)
    return len(found.links) if found is not None else 0


READERS = {
    "TimeML": Reader("x.tml", TIMEML, timeml_links, tags("TLINK")),
    "TimeML as links": Reader("x.xml", TIMEML, links, tags("TLINK")),
    "table": Reader("x.tsv", TSV, links, titled),
    "dense": Reader("x.txt", DENSE, links, lines),
    "MATRES": Reader("x.txt", MATRES, links, lines),
    "JSON lines": Reader("x.jsonl", JSONL, links, lines),
}
every_reader = pytest.mark.parametrize("reader", READERS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@every_reader
@steady
@given(data=st.data())
def test_a_damaged_file_is_told_or_read_in_full(
    folder: Path, reader: str, data: st.DataObject
) -> None:
    it = READERS[reader]
    raw = data.draw(damaged(it.text.encode()))
    found, reading = look(folder, it, raw)
    if not reading.problems and not reading.notices:
        assert found == it.there(raw.decode("utf-8-sig"))


@every_reader
@steady
@given(
    raw=st.sampled_from([*RAW, b"<" * 3000, b"<a>" * 3000, b"<!DOCTYPE a [", b"&#0;", b"<a>&#0;"])
    | st.binary(max_size=200)
    | st.text(max_size=100).map(str.encode),
    lenient=st.booleans(),
)
def test_any_bytes_are_told(folder: Path, reader: str, raw: bytes, lenient: bool) -> None:
    found, reading = look(folder, READERS[reader], raw, lenient=lenient)
    assert found or reading.problems or reading.notices or reader == "TimeML"


PARTS = st.sampled_from(
    [
        *("<TEXT>", "</TEXT>", "<EVENT eid='e1'>", "<EVENT eid='e2'>", "</EVENT>", "word "),
        *(
            "<TIMEX3 tid='t1'>",
            "</TIMEX3>",
            "<MAKEINSTANCE eiid='ei1' eventID='e1'/>",
            "<!-- x -->",
        ),
        "<TLINK eventInstanceID='ei1' relatedToTime='t1' relType='BEFORE'/>",
        "<TLINK timeID='t1' relatedToEventInstance='e2' relType='includes'/>",
        *("<![CDATA[<TLINK/>]]>", "&lt;", "&#233;", "\u00e9\U0001f600", "<?x y?>"),
    ]
)


@settings(steady, max_examples=200)
@given(st.lists(PARTS, max_size=14), st.lists(PARTS, max_size=14), st.sampled_from(["auto", "ids"]))
def test_any_timeml_is_scored_or_refused(
    folder: Path, one: list[str], two: list[str], align: str
) -> None:
    paths = []
    for side, parts in (("gold", one), ("system", two)):
        path = folder / side / "x.tml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"<TimeML>{''.join(parts)}</TimeML>", encoding="utf-8")
        paths.append(path)
    reading = Reading(lenient=True)
    try:
        options = {"missing": "empty", "align": align}
        (case,) = read_cases(paths[0], {"s": paths[1]}, reading, options)["s"]
    except ChronoscoreError:
        assert reading.problems
        return
    for definition in FAMILY.definitions:
        metric = definition()
        comparison = FAMILY.compare(case, metric.setting)
        assert all(number >= 0 for number in metric.measure(comparison).statistics)
        metric.explain(comparison)
