"""An explanation says what the other side has instead, in words and link by link."""

from chronoscore.core.case import Case
from chronoscore.core.evidence import Match
from chronoscore.ordering.family import FAMILY
from chronoscore.ordering.model import TargetTimeline, TimelineRow
from chronoscore.reports.matches import match_table


def matches(
    gold: TargetTimeline, system: TargetTimeline, name: str = "semeval2015(mode=order)"
) -> list[Match]:
    metric = FAMILY.metric(name)
    return list(metric.explain(FAMILY.compare(Case("c", gold, system), metric.setting)))


def chain(*mentions: str, anchor: str = "2001") -> TargetTimeline:
    return TargetTimeline(
        tuple(TimelineRow(n, anchor, (name,)) for n, name in enumerate(mentions, 1))
    )


def test_an_unverified_link_is_set_beside_the_chain_that_contradicts_it() -> None:
    wrong = matches(chain("hit", "run", "fall"), chain("fall", "hit"))[0]
    assert (wrong.side, wrong.outcome, wrong.credit) == ("precision", "contradicted", 0)
    assert wrong.predicted == "fall BEFORE hit"
    assert wrong.gold == "fall AFTER hit,\nby hit BEFORE run,\nrun BEFORE fall"


def test_what_the_other_side_says_itself_needs_no_chain() -> None:
    wrong = matches(chain("hit", "run"), chain("run", "hit"))[0]
    assert wrong.gold == "run AFTER hit"


def test_a_verified_link_needs_no_reason() -> None:
    right = matches(chain("hit", "run", "fall"), chain("hit", "fall"))[0]
    assert (right.outcome, right.predicted, right.gold) == ("inferred", "hit BEFORE fall", "")


def test_a_missing_event_is_named() -> None:
    wrong = matches(chain("hit", "run"), chain("hit", "fall"))
    assert wrong[0].gold == "has no fall"
    assert wrong[1].predicted == "has no run"


def test_a_violated_link_is_set_against_the_links_that_it_contradicts() -> None:
    twice = chain("hit", "run")  # one anchor, and one before the other
    violated = matches(twice, twice, "semeval2015")[2]
    assert violated.predicted.splitlines()[0] == "hit BEFORE run"
    assert "(violated: against " in violated.predicted
    assert "hit SIMULTANEOUS 2001" in violated.predicted
    assert "run SIMULTANEOUS 2001" in violated.predicted


def test_a_long_chain_is_cut_in_its_middle() -> None:
    long = chain(*"abcdefgh")
    wrong = matches(long, chain("h", "a"))[0]
    assert wrong.gold.splitlines()[0] == "h AFTER a,"
    assert "... 4 more," in wrong.gold.splitlines()
    assert len(wrong.gold.splitlines()) == 5


def test_a_table_has_a_row_for_each_line_and_no_column_that_says_nothing() -> None:
    found = matches(chain("hit", "run", "fall"), chain("fall", "hit"))
    table = match_table("c", found, ())
    names = [column.name for column in table.columns]
    assert names == ["side", "gold", "predicted", "outcome", "credit", "possible"]
    assert [row[1] for row in table.rows[:3]] == [
        "fall AFTER hit,",
        "  by hit BEFORE run,",
        "  run BEFORE fall",
    ]
    assert table.rows[1][0] == ""
