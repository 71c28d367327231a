"""Every public collection of timelines is read as published, with what its own notes expect."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from every import each
from readers.command_line import BAD_DATA, FINE, run
from vectors_home import real, real_home

from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of
from chronoscore.elements.dated.reading import read_timelines
from chronoscore.elements.dated.values import Collection, TimelineBuilder
from chronoscore.elements.dated.writing import FORMATS, write_timelines
from chronoscore.errors import DataError

HOME = "collections"


class Expected(NamedTuple):
    """A file or a folder, the options that it needs, and what each of its timelines has."""

    path: str
    timelines: Mapping[tuple[str, str], Mapping[str, Any]]
    options: Mapping[str, str] = {}
    lenient: bool = False


def _expected() -> Iterator[Expected]:
    """Yield what the notes of the collections say, in one form."""
    home = real_home()
    if home is None:
        return

    def notes(name: str) -> Any:
        text = (home / HOME / name / "expected.json").read_text(encoding="utf-8")
        return json.loads(text)["expected"]

    def files(folder: str, specs: Mapping[str, Any], **more: Any) -> Iterator[Expected]:
        for name, spec in specs.items():
            yield Expected(f"{folder}/{name}", {(Path(name).stem, "1"): spec}, **more)

    def topics(spec: Any) -> dict[tuple[str, str], Any]:
        return {
            (t, name): one for t, named in spec["topics"].items() for name, one in named.items()
        }

    yield from files("background-summaries", notes("background-summaries"))
    cl_tls = notes("cl-tls")["files"]
    yield from files("cl-tls", {k: s for k, s in cl_tls.items() if "notices" not in s})
    yield from files("cl-tls", {k: s for k, s in cl_tls.items() if "notices" in s}, lenient=True)
    dataset = notes("daivik-dataset")
    for name, spec in dataset.items():
        golds = spec["golds"] if "by_row" not in spec else spec["by_row"]
        named = enumerate((gold for gold in golds if gold["entries"]), 1)
        topic = Path(name).stem if "by_row" in spec else Path(name).parent.name
        yield Expected(
            f"daivik-dataset/{name}", {(topic, str(number)): gold for number, gold in named}
        )
    evaluation = notes("daivik-evaluation")
    for side, folder in (("predicted", "Predicted"), ("gold_txt", "Gold"), ("gold_csv", "Gold")):
        yield from files(f"daivik-evaluation/{folder}", evaluation[side])
    # The names of topics stay as they are written, and are paired whatever they end with.
    gandhi = {(f"{t}_timelines", name): one for (t, name), one in topics(notes("gandhi")).items()}
    yield Expected("gandhi/gt", gandhi)
    yield Expected("gold-timelines/gold-timelines", topics(notes("gold-timelines")))
    yield Expected("news-tls/t17", topics(notes("news-tls")))
    yield Expected("open-tls/open", topics(notes("open-tls")), {"dates": "first-day"})
    yield from files("sdf-tls", notes("sdf-tls")["files"])
    raw = notes("timeline17-raw")
    path = "timeline17-raw/Timeline17"
    yield Expected(path, topics(raw["from_timelines_jsonl"]), {"form": "jsonl"})
    yield Expected(path, topics(raw["from_timelines_txt"]), {"form": "txt"}, lenient=True)


EXPECTED = list(_expected())
every_collection = each(
    "expected", EXPECTED, ids=lambda one: " ".join((one.path, *one.options.values()))
)


def read(expected: Expected, **options: str) -> tuple[Collection, Problems]:
    problems = Problems(ReadingOptions(lenient=expected.lenient))
    source = source_of(real(f"{HOME}/{expected.path}"))
    found = read_timelines(source, problems, {**expected.options, **options})
    problems.check()
    return found, problems


def test_there_are_collections() -> None:
    real(HOME)
    assert len(EXPECTED) > 30


@every_collection
def test_a_collection_is_read_as_expected(
    expected: Expected, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries: dict[TimelineBuilder, Counter[str]] = {}
    enter = TimelineBuilder.enter

    def counting(builder: TimelineBuilder, period: Any, *rest: Any) -> None:
        entries.setdefault(builder, Counter())[str(period)] += period is not None
        enter(builder, period, *rest)

    for policy in ("last", "join"):
        found, _ = read(expected, repeated_gold=policy)
        assert {(t, name) for t, named in found.items() for name in named} == set(
            expected.timelines
        )
        for (topic, name), spec in expected.timelines.items():
            timeline = found[topic][name]
            dates = [str(day) for day in timeline.dates]
            assert len(dates) == spec["dates"]
            assert (dates[0], dates[-1]) == (spec["first"], spec["last"])
            if "sentences" in spec:
                assert sum(len(texts) for _, texts in timeline.days) == spec["sentences"][policy]
    monkeypatch.setattr(TimelineBuilder, "enter", counting)
    _, problems = read(expected)
    specs = list(expected.timelines.values())
    counted = sorted((sum(c.values()), len(+c)) for c in entries.values())
    assert counted == sorted(
        (spec["entries"] - spec.get("not_dates", 0), spec["dates"]) for spec in specs
    )
    repeated = Counter((d, n) for c in entries.values() for d, n in c.items() if n > 1)
    assert repeated == Counter(item for spec in specs for item in spec.get("repeated", {}).items())
    notices = [str(notice) for notice in problems.notices]
    bad_bytes = [str(spec["bytes_not_utf8"]) for spec in specs if "bytes_not_utf8" in spec]
    said = [n.split(" byte")[0].split()[-1] for n in notices if "not valid UTF-8" in n]
    assert sorted(said) == sorted(bad_bytes)


@every_collection
def test_notices_are_one_a_file(expected: Expected) -> None:
    notices = [str(notice) for notice in read(expected)[1].notices]
    assert len(notices) == len(set(notices))


@every_collection
@each("form", FORMATS)
def test_a_collection_survives_every_format(form: str, expected: Expected, tmp_path: Path) -> None:
    found, _ = read(expected)
    single = {"events": "a.jsonl", "summaries": "a.jsonl", "days": "a.jsonl", "csv": "a.csv"}
    path = tmp_path / {**single, "tsv": "a.tsv"}.get(form, "folder")
    if form == "tilse" and expected.options.get("form") == "jsonl":
        with pytest.raises(DataError, match="the sentence '2011-04-0'"):
            write_timelines(found, path, form)
        return
    write_timelines(found, path, form)
    again = read_timelines(source_of(path), problems := Problems())
    problems.check()
    assert _plain(again) == _plain(found, joined=form == "list", spaced=form == "tilse")


def _plain(collection: Collection, *, joined: bool = False, spaced: bool = False) -> Any:
    """The days of each timeline in the order of topics, with what a format can't keep left out."""

    def texts_of(texts: tuple[str, ...]) -> list[str]:
        if joined:
            return [text for text in [" ".join(texts)] if text]
        kept = [" ".join(text.split()) if spaced else text for text in texts]
        return [text for text in kept if text.strip()]

    return sorted(
        (topic, [(str(day), texts_of(texts)) for day, texts in timeline.days])
        for topic, named in collection.items()
        for timeline in named.values()
    )


@every_collection
def test_a_gold_against_itself_is_one(expected: Expected) -> None:
    path = real(f"{HOME}/{expected.path}")
    chosen = [word for k, value in expected.options.items() for word in (f"--{k}", value)]
    lenient = ["--lenient"] * expected.lenient
    metrics = ["Date-F1"] if path.name == "outputTimelines.csv" else ["AR-1", "AR-2", "Date-F1"]
    asked = [word for name in metrics for word in ("-m", name, "--fail-under", f"{name}=0.999999")]
    ran = run("timelines", path, path, *chosen, *lenient, *asked)
    assert ran.code == FINE, ran.err


def fails(*call: object) -> str:
    ran = run("timelines", *call)
    assert ran.code == BAD_DATA
    return " ".join(ran.err.split())


def test_texts_that_are_not_divided_by_day_are_not_scored() -> None:
    path = real(f"{HOME}/daivik-dataset/Crisis")
    message = "can't be divided by day, and align+m:1 compares texts"
    assert message in fails(path, path)
    assert "as by -m Date-F1" in fails(path, path)


def test_two_forms_of_a_gold_that_differ_are_refused() -> None:
    raw = real(f"{HOME}/timeline17-raw/Timeline17")
    error = fails(raw, raw).partition("error: ")[2]
    assert "choose one with --form jsonl or txt" in error
    assert "MJ_bbc" in error
    assert "SyrianCrisis_reuters" in error
    assert "bbc.co.uk.txt" in error
    assert "tl2.2.txt" in error
    assert not any(equal in error for equal in ("tl2.1.txt", "H1N1_bbc"))
    gold = real(f"{HOME}/daivik-evaluation/Gold")
    assert "choose one with --form csv or txt" in fails(gold, gold)
    assert run("timelines", gold, gold, "--form", "txt").code == FINE


def test_sentences_that_look_like_lists_are_split_on_demand() -> None:
    path = real(f"{HOME}/daivik-evaluation/Gold/outputTimelinesegypt.txt")
    as_they_are, notices = run("timelines", path, path), run("timelines", path, path).notices
    assert as_they_are.code == FINE
    assert any("look like Python lists" in notice for notice in notices)
    split = read_timelines(source_of(path), Problems(), {"lists": "yes"})
    sheet = read_timelines(source_of(path.with_suffix(".csv")), Problems())
    assert split == sheet


def test_times_that_are_hours_need_their_unit() -> None:
    home = real(f"{HOME}/t2s2")
    notes = json.loads((home / "expected.json").read_text(encoding="utf-8"))["expected"]
    for name, entries in notes.items():
        assert "--time-unit hour reads them as hours" in fails(home / name, home / name)
        found = read_timelines(
            source_of(home / name), problems := Problems(), {"time_unit": "hour"}
        )
        problems.check()
        ((timeline,),) = (named.values() for named in found.values())
        assert sum(len(texts) for _, texts in timeline.days) == entries
    gold, predicted = (home / f"sepsis-40_{name}" for name in ("manual", "gpt5_tts"))
    assert run("timelines", gold, predicted, "--time-unit", "hour").code == FINE


@pytest.mark.parametrize("name", ["data/gold.sum.json", "data/notext.json", "LLM-TLS/data.json"])
def test_summaries_of_whole_timelines_are_no_dated_timelines(name: str) -> None:
    path = real(f"{HOME}/crisisltlsum/{name}")
    error = fails(path, path)
    assert "these are no dated timelines" in error
    assert "-m concat --golds pooled" in error


def test_a_pointer_of_git_lfs_is_named_with_the_size_of_the_file() -> None:
    path = real(f"{HOME}/dtels-lfs/gold_reference.jsonl")
    words = "this is a Git LFS pointer: the file itself (4470993 bytes) was not fetched"
    for verb in ("timelines", "ordering", "annotations"):
        ran = run(verb, path, path)
        assert ran.code == BAD_DATA
        assert words in " ".join(ran.err.split())
