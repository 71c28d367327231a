"""Timelines are written and read back in every format and layout."""

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.dated.reading import read_timelines
from chronoscore.elements.dated.values import Collection, Role
from chronoscore.elements.dated.writing import FORMATS, write_timelines
from chronoscore.elements.time import Time
from chronoscore.errors import UsageError

# A sentence that every format can hold: one line, not blank at its ends, not a date, not dashes.
SENTENCES = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1
).map(lambda text: " ".join(("said", *text.split())))
DAYS = st.dates(date(1900, 1, 1), date(2100, 1, 1)).map(Time.of)
TIMELINES = st.dictionaries(
    DAYS, st.lists(SENTENCES, min_size=1, max_size=3), min_size=1, max_size=4
)
COLLECTIONS = st.dictionaries(
    st.sampled_from(("egypt", "oil-spill")),
    st.lists(TIMELINES.map(Timeline.of), min_size=1, max_size=2),
    min_size=1,
)
FILES = {
    "events": "all.jsonl",
    "summaries": "all.jsonl",
    "days": "all.jsonl",
    "csv": "all.csv",
    "tsv": "all.tsv",
}


def named(collection: dict[str, list[Timeline]]) -> Collection:
    return {
        topic: {str(number): timeline for number, timeline in enumerate(timelines, 1)}
        for topic, timelines in collection.items()
    }


def joined(collection: Collection) -> Collection:
    """What is left where a format has one summary a day."""
    return {
        topic: {
            name: Timeline.of({day: [" ".join(texts)] for day, texts in timeline.days})
            for name, timeline in timelines.items()
        }
        for topic, timelines in collection.items()
    }


def read(path: Path, **options: str) -> tuple[Collection, list[str]]:
    problems = Problems()
    found = read_timelines(source_of(path), problems, options, "predicted")
    problems.check()
    return found, [str(notice) for notice in problems.notices]


@pytest.mark.parametrize("form", FORMATS)
@given(collection=COLLECTIONS)
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, form: str, collection: dict[str, list[Timeline]]
) -> None:
    golds = named(collection)
    path = tmp_path_factory.mktemp(form) / FILES.get(form, "folder")
    write_timelines(golds, path, form)
    found, _ = read(path)
    assert found == (joined(golds) if form == "list" else golds)


@pytest.mark.parametrize("form", FORMATS)
def test_months_and_years_survive(form: str, tmp_path: Path) -> None:
    golds = {"egypt": {"1": Timeline.of({Time.parse("2011-02"): ["x"], Time.parse("2012"): ["y"]})}}
    path = tmp_path / FILES.get(form, "folder")
    write_timelines(golds, path, form)
    assert read(path, dates="interval")[0] == golds


def test_one_timeline_may_be_one_file(tmp_path: Path) -> None:
    golds = {"egypt": {"1": Timeline.of({date(2011, 1, 25): ["x"]})}}
    for form, name in (("tilse", "egypt.txt"), ("json", "egypt.json"), ("chronos", "egypt.json")):
        assert write_timelines(golds, tmp_path / name, form) == [tmp_path / name]
        assert read(tmp_path / name)[0] == golds
    two = {**golds, "libya": golds["egypt"]}
    with pytest.raises(UsageError, match="name a folder"):
        write_timelines(two, tmp_path / "all.txt", "tilse")


TEXT = f"2011-01-25\nProtests begin .\n{'-' * 32}\n"
DAY = {"1": Timeline.of({date(2011, 1, 25): ["Protests begin ."]})}
LAYOUTS = {
    "a file a topic": {"egypt.txt": TEXT},
    "a folder a topic": {"egypt/1.txt": TEXT},
    "Timeline17": {"egypt/timelines/1.txt": TEXT},
    "at any depth": {"corpus/english/egypt/timelines/1.txt": TEXT},
    "news-tls": {"egypt/timelines.jsonl": '[["2011-01-25T00:00:00", ["Protests begin ."]]]\n'},
    "news-tls with articles": {
        "egypt/timelines.jsonl": '[["2011-01-25 00:00:00", ["Protests begin ."]]]\n',
        "egypt/articles.preprocessed.jsonl": "{}\n",
        "egypt/keywords.json": "[]",
    },
    "CHRONOS results": {
        "egypt.json": json.dumps(
            {
                "rouge": {},
                "predict-timeline": [{"start": "2011-01-25", "events": ["Protests begin ."]}],
            }
        )
    },
    "lists of records": {"egypt.json": '[{"date": "2011-01-25", "summary": "Protests begin ."}]'},
    "topics in one file": {"all.json": '{"egypt": {"2011-01-25": ["Protests begin ."]}}'},
    "a sheet": {"all.csv": "topic,date,summary\negypt,2011-01-25,Protests begin .\n"},
    "a sheet with semicolons": {
        "all.csv": "Date;Summary;Topic\n2011-01-25;Protests begin .;egypt\n"
    },
    "records": {
        "all.jsonl": '{"topic": "egypt", "date": "2011-01-25", "summary": "Protests begin ."}\n'
    },
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str, tmp_path: Path) -> None:
    for name, text in LAYOUTS[layout].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert read(tmp_path)[0] == {"egypt": DAY}


TWICE = '[["2011-01-25", ["a"]], ["2011-01-25", ["b"]]]'


SIDES = {"gold": "repeated_gold", "predicted": "repeated"}
WHOLE_DAYS = {
    "pairs.json": TWICE,
    "lines.jsonl": TWICE,
    "tilse.txt": f"2011-01-25\na\n{'-' * 32}\n2011-1-25\nb\n{'-' * 32}\n",
    "days.json": '{"2011-01-25": ["a"], "2011-1-25": ["b"]}',
    "record.jsonl": '{"topic": "record", "days": {"2011-01-25": ["a"], "2011-1-25": ["b"]}}',
}
PARTS_OF_DAYS = {
    "list.json": '[{"date": "2011-01-25", "summary": "a"}, {"date": "2011-01-25", "summary": "b"}]',
    "chronos.json": '[{"start": "2011-01-25", "summary": "a"}, '
    '{"start": "2011-01-25", "summary": "b"}]',
    "events.jsonl": '{"id": "1", "date": "2011-01-25", "text": "a"}\n'
    '{"id": "2", "date": "2011-01-25", "text": "b"}\n',
    "summaries.jsonl": '{"topic": "summaries", "date": "2011-01-25", "summary": "a"}\n'
    '{"topic": "summaries", "date": "2011-01-25", "summary": "b"}\n',
    "sheet.csv": "date,summary\n2011-01-25,a\n2011-01-25,b\n",
}


@pytest.mark.parametrize("role", SIDES)
@pytest.mark.parametrize("name", [*WHOLE_DAYS, *PARTS_OF_DAYS])
def test_a_repeated_date(name: str, role: Role, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text({**WHOLE_DAYS, **PARTS_OF_DAYS}[name], encoding="utf-8")
    usual = ["b"] if name in WHOLE_DAYS else ["a", "b"]
    for policy, texts in {"": usual, "join": ["a", "b"], "first": ["a"], "last": ["b"]}.items():
        problems = Problems()
        options = {SIDES[role]: policy} if policy else {}
        found = read_timelines(source_of(path), problems, options, role)
        problems.check()
        assert found[path.stem]["1"] == Timeline.of({date(2011, 1, 25): texts})
        notices = [str(notice) for notice in problems.notices]
        is_noticed = name in WHOLE_DAYS or policy in ("first", "last")
        assert [f"1 date with several entries in the {role[:4]}" in n for n in notices] == (
            [True] * is_noticed
        )
        assert all(f"--{SIDES[role].replace('_', '-')} join" in n for n in notices) or policy
    refused = Problems()
    read_timelines(source_of(path), refused, {SIDES[role]: "error"}, role)
    assert "2011-01-25 occurs twice in the" in refused.problems[0].message


@pytest.mark.parametrize(
    ("policy", "shown"), [("first-day", "2011-02-01"), ("interval", "2011-02")]
)
def test_a_month_is_what_the_policy_says(policy: str, shown: str, tmp_path: Path) -> None:
    path = tmp_path / "egypt.json"
    path.write_text('{"2011-02": ["x"]}', encoding="utf-8")
    assert [str(day) for day in read(path, dates=policy)[0]["egypt"]["1"].dates] == [shown]
    with pytest.raises(Exception, match="only a month"):
        read(path)


def test_problems_of_many_lines_are_reported_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    lines = ['{"topic":"a","days":{"2011-02-30":["x"]}}', "{", '{"topic":"b","days":{"?":[]}}']
    path.write_text("\n".join(lines), encoding="utf-8")
    problems = Problems()
    read_timelines(source_of(path), problems)
    assert [problem.line for problem in problems.problems] == [1, 2, 3]
