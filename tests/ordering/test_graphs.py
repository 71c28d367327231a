"""A timeline becomes a graph in the official form, and a graph that is a timeline comes back."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.errors import DataError
from chronoscore.ordering.formats import read_any, tab_text, write_orders
from chronoscore.ordering.model import Link, TargetTimeline, TimelineRow
from chronoscore.ordering.semeval import (
    Graph,
    NotATimeline,
    read_graph,
    timeline_of,
    timeml,
)


def graph_of(timeline: TargetTimeline) -> Graph:
    return read_graph(timeml(timeline, TargetTimeline(()), "full")[0])


GOLD = TargetTimeline(
    (
        TimelineRow(1, "2003", ("hit", "strike")),
        TimelineRow(2, "2007", ("run",)),
        TimelineRow(0, "2001", ("x",)),
    )
)
SYSTEM = TargetTimeline((TimelineRow(1, "2004", ("run",)), TimelineRow(1, "2003", ("fall", "hit"))))
ROWS = st.builds(
    TimelineRow,
    st.integers(0, 4),
    st.sampled_from(("2001", "2001-05", "XXXX-XX-XX", 'a"<&')),
    st.lists(st.sampled_from(("a", "b&c", "<d>", "é")), min_size=1, max_size=2).map(tuple),
)


def test_a_gold_graph_has_the_official_lines() -> None:
    gold, _ = timeml(GOLD, SYSTEM, "full")
    assert gold.splitlines()[1:] == [
        "<DOCID>GOLD</DOCID>",
        "<DCT></DCT>",
        "<TEXT>",
        '<TIMEX3 tid="t0" type="DATE" value="2003">2003</TIMEX3>',
        '<EVENT class="OCCURRENCE" eid="e1">hit</EVENT>',
        '<EVENT class="OCCURRENCE" eid="e2">strike</EVENT>',
        '<TIMEX3 tid="t1" type="DATE" value="2007">2007</TIMEX3>',
        '<EVENT class="OCCURRENCE" eid="e3">run</EVENT>',
        "</TEXT>",
        '<MAKEINSTANCE aspect="NONE" eiid="ei1" eventID="e1" polarity="" pos="" tense=""/>',
        '<TLINK lid="l1" eventInstanceID="ei1" relatedToTime="t0" relType="SIMULTANEOUS"/>',
        '<MAKEINSTANCE aspect="NONE" eiid="ei2" eventID="e2" polarity="" pos="" tense=""/>',
        '<TLINK lid="l2" eventInstanceID="ei2" relatedToTime="t0" relType="SIMULTANEOUS"/>',
        '<MAKEINSTANCE aspect="NONE" eiid="ei3" eventID="e3" polarity="" pos="" tense=""/>',
        '<TLINK lid="l3" eventInstanceID="ei3" relatedToTime="t1" relType="SIMULTANEOUS"/>',
        '<TLINK lid="l4" eventInstanceID="ei1" relatedToEventInstance="ei2" '
        'relType="SIMULTANEOUS"/>',
        '<TLINK lid="l5" eventInstanceID="ei2" relatedToEventInstance="ei3" relType="BEFORE"/>',
        "</TimeML>",
    ]


def test_a_system_shares_the_ids_of_the_gold_and_numbers_its_own_above() -> None:
    _, system = timeml(GOLD, SYSTEM, "full")
    lines = [line for line in system.splitlines() if line.startswith(("<EVENT", "<TIMEX3"))]
    assert lines == [
        '<TIMEX3 tid="t0" type="DATE" value="2003">2003</TIMEX3>',
        '<EVENT class="OCCURRENCE" eid="e4">fall</EVENT>',
        '<EVENT class="OCCURRENCE" eid="e1">hit</EVENT>',
        '<TIMEX3 tid="t3" type="DATE" value="2004">2004</TIMEX3>',
        '<EVENT class="OCCURRENCE" eid="e3">run</EVENT>',
    ]


def test_order_alone_has_no_times() -> None:
    gold, system = timeml(GOLD, SYSTEM, "order")
    assert "TIMEX3" not in gold + system
    assert "relatedToTime" not in gold + system
    assert gold.count("<TLINK") == 2


@given(st.lists(ROWS, max_size=5))
def test_a_timeline_comes_back_from_its_graph(rows: list[TimelineRow]) -> None:
    timeline = TargetTimeline(tuple(rows))
    back = timeline_of(graph_of(timeline))
    listed = sorted((r.position, r.anchor, m) for r in rows if r.position for m in r.mentions)
    dense = {position: place for place, position in enumerate(sorted({t[0] for t in listed}), 1)}
    assert sorted((r.position, r.anchor, *r.mentions) for r in back.rows) == [
        (dense[position], anchor, mention) for position, anchor, mention in listed
    ]
    assert graph_of(back) == graph_of(timeline_of(graph_of(back)))


def graph(*links: tuple[str, str, str], anchors: tuple[tuple[str, str], ...] = ()) -> Graph:
    return Graph(
        {"ei1": "hit", "ei2": "run", "ei3": "fall"}, tuple(Link(*link) for link in links), anchors
    )


BEFORE_ALL = (("ei1", "ei2", "BEFORE"), ("ei3", "ei2", "AFTER"))


def test_links_in_any_direction_make_the_order() -> None:
    found = timeline_of(graph(*BEFORE_ALL, anchors=(("ei2", "2001"),)))
    assert found == TargetTimeline(
        (
            TimelineRow(1, "XXXX-XX-XX", ("hit",)),
            TimelineRow(2, "2001", ("run",)),
            TimelineRow(3, "XXXX-XX-XX", ("fall",)),
        )
    )


@pytest.mark.parametrize(
    ("of", "why"),
    [
        (graph(("ei1", "ei2", "BEFORE")), "don't say which comes first, hit (ei1) or fall (ei3)"),
        (graph(*BEFORE_ALL, ("ei3", "ei1", "BEFORE")), "contradict each other: "),
        (graph(*BEFORE_ALL, ("ei1", "ei1", "BEFORE")), "hit (ei1) would be before itself"),
        (graph(*BEFORE_ALL, ("ei1", "ei2", "SIMULTANEOUS")), "would be before itself"),
        (graph(*BEFORE_ALL, ("ei1", "ei3", "INCLUDES")), "hit (ei1) INCLUDES fall (ei3): "),
        (
            graph(*BEFORE_ALL, anchors=(("ei1", "2001"), ("ei1", "2002"))),
            "hit (ei1) has two anchors, 2001 and 2002",
        ),
    ],
)
def test_a_graph_that_is_no_timeline_says_why(of: Graph, why: str) -> None:
    with pytest.raises(NotATimeline) as refused:
        timeline_of(of)
    assert why in str(refused.value)


def test_a_cycle_is_named_from_event_to_event() -> None:
    with pytest.raises(NotATimeline) as refused:
        timeline_of(graph(*BEFORE_ALL, ("ei3", "ei1", "BEFORE")))
    listed = str(refused.value).partition(": ")[2].split(", ")
    assert sorted(listed) == [
        "fall (ei3) BEFORE hit (ei1)",
        "hit (ei1) BEFORE run (ei2)",
        "run (ei2) BEFORE fall (ei3)",
    ]


@pytest.mark.parametrize(
    ("link", "why"),
    [
        (
            '<TLINK lid="l1" eventInstanceID="ei1" relType="BEFORE"/>',
            "link 'l1' has no relatedToTime or relatedToEventInstance",
        ),
        (
            '<TIMEX3 tid="t1" value="2001">x</TIMEX3>'
            '<TLINK eventInstanceID="ei1" relatedToTime="t1" relType="BEFORE"/>',
            "ei1 BEFORE t1, which gives it no anchor",
        ),
    ],
)
def test_links_that_make_no_timeline_are_refused_when_read(link: str, why: str) -> None:
    with pytest.raises((NotATimeline, DataError), match=why):
        read_graph(
            '<TimeML><EVENT eid="e1">hit</EVENT><MAKEINSTANCE eiid="ei1" eventID="e1"/>'
            f"{link}</TimeML>"
        )


def test_a_time_may_stand_first_and_quotes_may_be_single() -> None:
    found = read_graph(
        "<TimeML><EVENT eid='e1'>hit the road</EVENT><TIMEX3 tid='t1' value='2001'>x</TIMEX3>"
        "<MAKEINSTANCE eiid='ei1' eventID='e1'/>"
        "<TLINK timeID='t1' relatedToEventInstance='ei1' relType='INCLUDES'/></TimeML>"
    )
    assert timeline_of(found) == TargetTimeline((TimelineRow(1, "2001", ("hit_the_road",)),))


def test_files_are_converted_both_ways(tmp_path: Path) -> None:
    write_orders({"c1/hit": {"1": GOLD}}, tmp_path / "tab", "semeval")
    assert (tmp_path / "tab" / "c1" / "hit.txt").read_text(encoding="utf-8") == tab_text(
        GOLD, "hit"
    )
    problems = Problems()
    read = read_any(source_of(tmp_path / "tab" / "c1"), problems)
    write_orders(read, tmp_path / "graphs", "timeml")
    again = read_any(source_of(tmp_path / "graphs"), problems)
    write_orders(again, tmp_path / "back", "semeval")
    problems.check()
    assert (tmp_path / "back" / "hit.txt").read_text(encoding="utf-8") == (
        "hit\n1\t2003\thit\n1\t2003\tstrike\n2\t2007\trun\n"
    )


def test_every_graph_that_is_no_timeline_is_told(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.tml").write_text(
            '<TimeML><EVENT eid="e1">x</EVENT><EVENT eid="e2">y</EVENT><MAKEINSTANCE eiid="ei1" '
            'eventID="e1"/><MAKEINSTANCE eiid="ei2" eventID="e2"/></TimeML>',
            encoding="utf-8",
        )
    problems = Problems()
    read_any(source_of(tmp_path), problems)
    assert [Path(problem.path).name for problem in problems.problems] == ["a.tml", "b.tml"]
    assert "which comes first, x (ei1) or y (ei2)" in problems.problems[0].message


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<TimeML><TEXT>", "ends too early"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><TimeML>&a;</TimeML>', "declarations of its own"),
        (
            '<TimeML><EVENT eid="e1">x</EVENT><EVENT eid="e1">y</EVENT></TimeML>',
            "event 'e1' is there twice",
        ),
    ],
)
def test_what_is_refused_in_timeml_is_refused_in_graphs(
    text: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / "a.tml").write_text(text, encoding="utf-8")
    problems = Problems()
    read_any(source_of(tmp_path), problems)
    assert why in problems.problems[0].message


def test_a_graph_without_events_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.tml").write_text("<TimeML/>", encoding="utf-8")
    problems = Problems()
    read_any(source_of(tmp_path), problems)
    assert [notice.message for notice in problems.notices] == ["there are no events in the graph"]


def test_what_xml_cannot_hold_is_replaced(tmp_path: Path) -> None:
    write_orders(
        {"hit": {"1": TargetTimeline((TimelineRow(1, "2003", ("a\x01b",)),))}}, tmp_path, "timeml"
    )
    problems = Problems()
    found = read_any(source_of(tmp_path), problems)
    problems.check()
    assert found["hit"]["1"].rows[0].mentions == ("a\ufffdb",)


def test_graphs_in_folders_come_back_under_their_names(tmp_path: Path) -> None:
    write_orders({"c1/hit": {"1": GOLD}, "c2/hit": {"1": SYSTEM}}, tmp_path, "timeml")
    assert list(read_any(source_of(tmp_path), Problems())) == ["c1/hit", "c2/hit"]


def test_a_name_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    written = write_orders({"../../x": {"1": GOLD}}, tmp_path / "in", "semeval")
    assert written == [tmp_path / "in" / "x.txt"]


def test_two_graphs_of_one_name_are_refused(tmp_path: Path) -> None:
    text = '<TimeML><EVENT eid="e1">x</EVENT><MAKEINSTANCE eiid="ei1" eventID="e1"/></TimeML>'
    for suffix in ("tml", "timeml"):
        (tmp_path / f"a.{suffix}").write_text(text, encoding="utf-8")
    problems = Problems()
    read_any(source_of(tmp_path), problems)
    assert ["'a' is there twice" in problem.message for problem in problems.problems] == [True]
