"""Whatever the bytes are: readers of links end in data, notices or problems."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from readers.samples import BRAT, PAIRS, SCORED_PAIRS
from readers.test_fuzz import RAW, Reader, damaged, lines, look
from vectors_home import HERE

from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of
from chronoscore.elements.timeml import read_timeml
from chronoscore.errors import ChronoscoreError
from chronoscore.ordering.tlinks.family import FAMILY, read_cases
from chronoscore.ordering.tlinks.formats import read_links

TIMEML = (HERE / "ordering" / "timeml" / "gold" / "allen_noise-0.tml").read_text(encoding="utf-8")
TSV = "document\tsource\ttarget\trelation\nd\te1\te2\tBEFORE\nd\te2\tt1\tIS_INCLUDED\n"
DENSE = "d\te1\te2\tb\nd\te2\tt1\tii\nd\te1\tt1\ta\n"
MATRES = "d\tsaid\tleft\t1\t2\tBEFORE\nd\tleft\twent\t2\t3\tEQUAL\n"
JSONL = (
    '{"document":"d","source":"e1","target":"e2","relation":"BEFORE"}\n'
    '{"document":"d","source":"e2","target":"t1","relation":"AFTER"}\n'
)


def links(path: Path, problems: Problems) -> int:
    found = read_links(source_of(path), problems)
    return sum(len(d.links + d.vague) for named in found.values() for d in named.values())


def tags(name: str) -> Callable[[str], int]:
    return lambda text: text.count(f"<{name}")


def titled(text: str) -> int:
    return lines(text) - ("source\ttarget\trelation" in text.lower())


def timeml_links(path: Path, problems: Problems) -> int:
    found = read_timeml(source_of(path), problems)
    return len(found.links) if found is not None else 0


READERS = {
    "TimeML": Reader("x.tml", TIMEML, timeml_links, tags("TLINK")),
    "TimeML as links": Reader("x.xml", TIMEML, links, tags("TLINK")),
    "table": Reader("x.tsv", TSV, links, titled),
    "dense": Reader("x.txt", DENSE, links, lines),
    "MATRES": Reader("x.txt", MATRES, links, lines),
    "scores": Reader("x.output", SCORED_PAIRS, links, lines),
    "pairs in XML": Reader("x.xml", PAIRS, links, tags("SENTENCE")),
    "brat": Reader(
        "brat.ann", BRAT, links, lambda text: sum(x[:1] == "R" for x in text.split("\n"))
    ),
    "JSON lines": Reader("x.jsonl", JSONL, links, lines),
}
every_reader = pytest.mark.parametrize("reader", READERS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@every_reader
@given(data=st.data())
def test_a_file_that_is_read_without_a_word_gave_all_its_links(
    folder: Path, reader: str, data: st.DataObject
) -> None:
    it = READERS[reader]
    raw = data.draw(damaged(it.text.encode()))
    found, problems = look(folder, it, raw)
    if not problems.problems and not problems.notices:
        assert found == it.there(raw.decode("utf-8-sig"))


@every_reader
@given(
    raw=st.sampled_from([*RAW, b"<" * 3000, b"<a>" * 3000, b"<!DOCTYPE a [", b"&#0;", b"<a>&#0;"])
    | st.binary(max_size=200)
    | st.text(max_size=100).map(str.encode),
    lenient=st.booleans(),
)
def test_a_file_without_links_is_reported(
    folder: Path, reader: str, raw: bytes, lenient: bool
) -> None:
    found, problems = look(folder, READERS[reader], raw, lenient=lenient)
    assert found or problems.problems or problems.notices or reader == "TimeML"


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


@given(st.lists(PARTS, max_size=14), st.lists(PARTS, max_size=14), st.sampled_from(["auto", "ids"]))
def test_a_timeml_document_that_is_read_counts_no_more_links_than_it_has(
    folder: Path, one: list[str], two: list[str], align: str
) -> None:
    paths = []
    for side, parts in (("gold", one), ("system", two)):
        path = folder / side / "x.tml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"<TimeML>{''.join(parts)}</TimeML>", encoding="utf-8")
        paths.append(path)
    problems = Problems(ReadingOptions(lenient=True))
    try:
        options = {"missing": "empty", "align": align}
        (case,) = read_cases(source_of(paths[0]), {"s": source_of(paths[1])}, problems, options)[
            "s"
        ]
    except ChronoscoreError:
        assert {problem.path for problem in problems.problems} <= {str(path) for path in paths}
        assert problems.problems
        return
    assert len(case.gold.links) <= "".join(one).count("<TLINK e") + "".join(one).count("<TLINK t")
    for definition in FAMILY.definitions:
        metric = definition()
        comparison = FAMILY.compare(case, metric.setting)
        assert all(number >= 0 for number in metric.measure(comparison).statistics)
        metric.explain(comparison)
