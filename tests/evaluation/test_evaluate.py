"""One file, every question: the numbers of the verbs, joined by event."""

import json
from math import fsum
from pathlib import Path

import pytest

from chronoscore import DataError
from chronoscore.core.event import read_events
from chronoscore.core.family import WHOLE_TEXT
from chronoscore.core.problems import Problems
from chronoscore.core.result import ResultDocument, encode
from chronoscore.core.sources import source_of, sources_of
from chronoscore.demo import SYSTEMS, home
from chronoscore.engines.plan import Inputs
from chronoscore.engines.scoring import score_sources
from chronoscore.engines.settings import IntervalPlan, Settings
from chronoscore.evaluation import Evaluation, EvaluationDocument, evaluate, load, save
from chronoscore.evaluation.pages import evaluation_report
from chronoscore.evaluation.tables import event_table, overview
from chronoscore.families import family

GOLD = home() / "gold.jsonl"
FILES = {name: home() / f"{name}.jsonl" for name in SYSTEMS}
SHEETS = [home() / "judgements.csv"]


@pytest.fixture(scope="module")
def evaluated() -> Evaluation:
    return evaluate(
        source_of(GOLD),
        sources_of(FILES),
        Problems(),
        judgements=[*map(source_of, SHEETS)],
        chance=IntervalPlan(),
    )


def of_the_verb(name: str) -> ResultDocument:
    settings = Settings.make(family(name), chance=IntervalPlan())
    if name == "rubric":
        inputs = Inputs(None, {"": [*map(source_of, SHEETS)]})
    else:
        files = {system: [source_of(path)] for system, path in FILES.items()}
        inputs = Inputs(source_of(GOLD), files)
    return score_sources(settings, inputs, Problems()).result


@pytest.mark.parametrize("name", ["timelines", "ordering", "annotations", "rubric"])
def test_numbers_are_those_of_the_verbs(name: str, evaluated: Evaluation) -> None:
    (result,) = [one for one in evaluated.document.results if one.family == name]
    wanted = of_the_verb(name)
    assert result.metrics == wanted.metrics
    for ours, theirs in zip(result.systems, wanted.systems, strict=True):
        assert ours.name == theirs.name
        assert ours.signature == theirs.signature
        assert ours.summaries == theirs.summaries


def numerator(result: ResultDocument, system: str, metric: str) -> tuple[float, float]:
    """The credit and the possible credit of precision, from the statistics."""
    definition = family(result.family).metric(metric).definition
    side = "precision" if "precision" in definition.explained else "both"
    names = [statistic.name for statistic in definition.statistics]
    (rows,) = [one.rows for one in result.systems if one.name == system]
    sums = [
        fsum(row.statistics[metric][names.index(name)] for row in rows for name in group)
        for group in definition.explained[side]
    ]
    return sums[0], sums[1]


def test_credits_of_events_add_up_to_the_numerator(evaluated: Evaluation) -> None:
    document = evaluated.document
    found: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for event in document.events:
        for one in event.credits:
            key = (event.system, one.family, one.metric)
            found.setdefault(key, []).append((one.credit, one.possible))
    asked = {
        (system.name, result.family, metric.name)
        for result in document.results
        for system in result.systems
        for metric in result.metrics
        if result.family != "rubric"
    }
    assert found.keys() == asked
    for (system, name, metric), credits in found.items():
        (result,) = [one for one in document.results if one.family == name]
        credit, possible = numerator(result, system, metric)
        assert fsum(one for one, _ in credits) == pytest.approx(credit, abs=1e-9)
        assert fsum(one for _, one in credits) == pytest.approx(possible, abs=1e-9)


def test_every_predicted_event_is_there_once_with_its_judgements(evaluated: Evaluation) -> None:
    events = evaluated.document.events
    wanted = [
        (name, event.id)
        for name, path in FILES.items()
        for event in read_events(source_of(path), Problems())
    ]
    assert [(event.system, event.event) for event in events] == wanted
    judged = [event for event in events if event.judgements]
    assert judged
    assert all(0 <= (event.mean_judgement or 0) <= 1 for event in judged)


def test_what_the_files_do_not_permit_is_skipped_with_its_reason(tmp_path: Path) -> None:
    paths = []
    for name in ("gold", "quick"):
        lines = home().joinpath(f"{name}.jsonl").read_text().splitlines()
        events = [json.loads(line) for line in lines]
        kept = [{k: e[k] for k in ("id", "topic", "date", "text") if k in e} for e in events]
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text("\n".join(map(json.dumps, kept)) + "\n")
    document = evaluate(source_of(paths[0]), {"quick": source_of(paths[1])}, Problems()).document
    assert [result.family for result in document.results] == ["timelines", "events"]
    reasons = {one.family: one.reason for one in document.skipped}
    assert "position" in reasons["ordering"]
    assert "span" in reasons["annotations"]
    assert reasons["rubric"] == "no judgements were given"


def test_events_without_a_topic_are_joined_by_the_single_topic_of_their_file(
    tmp_path: Path,
) -> None:
    paths = {name: tmp_path / f"{name}.jsonl" for name in ("gold", "quick")}
    for path in paths.values():
        path.write_text('{"id": "a", "date": "2020-01-01", "text": "A bridge falls."}\n')
    gold, quick = (source_of(path) for path in paths.values())
    document = evaluate(gold, {"quick": quick}, Problems()).document
    (event,) = document.events
    assert event.event == "a"
    assert event.credits
    assert all(credit.credit == credit.possible for credit in event.credits)


def test_only_what_was_asked_for_is_asked() -> None:
    document = evaluate(
        source_of(GOLD),
        sources_of(FILES),
        Problems(),
        judgements=[*map(source_of, SHEETS)],
        only=["rubric"],
    ).document
    assert [result.family for result in document.results] == ["rubric"]
    assert len(document.skipped) == 4


def test_a_saved_evaluation_is_read_back(evaluated: Evaluation, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "evaluation.json"
    save(evaluated.document, path)
    again = load(path)
    assert again.events == evaluated.document.events
    for ours, theirs in zip(again.results, evaluated.document.results, strict=True):
        assert encode(ours) == encode(theirs)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "chronoscore-evaluation", "version": 9, "results": []}']
)
def test_what_is_no_evaluation_is_told(text: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(text)
    with pytest.raises(DataError):
        load(path)


def test_problems_of_the_files_are_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id": "a", "date": 5}\n')
    with pytest.raises(DataError):
        evaluate(source_of(GOLD), {"bad": source_of(path)}, Problems())


def test_tables_and_page_show_all_questions(evaluated: Evaluation) -> None:
    document: EvaluationDocument = evaluated.document
    shown = {row[0] for row in overview(document).rows}
    assert shown == {"timelines", "events", "ordering", "annotations", "rubric"}
    assert len(event_table(document).rows) == len(document.events)
    page = evaluation_report(evaluated)
    assert page == evaluation_report(evaluated)
    for result in document.results:
        assert f'id="{result.family}"' in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_events_are_joined_by_the_day_of_their_time(tmp_path: Path) -> None:
    def written(name: str, *dates: str) -> Path:
        events = [
            {"id": f"e{n}", "topic": "t", "date": date, "text": "The reactor explodes."}
            | {"position": n, "mentions": [f"m{n}"]}
            for n, date in enumerate(dates, 1)
        ]
        path = tmp_path / name
        path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
        return path

    gold = written("gold.jsonl", "1986-04-26", "1986-04-27")
    system = written("s.jsonl", "1986-04-26T01:23", "1986-4-27", "XXXX-XX-XX")
    answers = evaluate(gold, {"s": system}, Problems())
    credits = {
        event.event: {credit.family: credit.credit for credit in event.credits}
        for event in answers.document.events
    }
    assert credits["e1"]["timelines"] == credits["e2"]["timelines"] > 0
    assert "timelines" not in credits["e3"]
    assert set(credits["e3"]) == {"events", "ordering"}
    assert any("1 date unknown" in notice for notice in answers.notices)


def test_undated_events_are_no_timeline(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text(
        '{"id": "e1", "topic": "t", "date": "XXXX-XX-XX", "text": "x", "position": 1, '
        '"mentions": ["m"]}\n',
        encoding="utf-8",
    )
    skipped = evaluate(path, {"s": path}, Problems()).skipped
    assert "no gold event has a date and a text" in skipped["timelines"]


def documents(articles: Path, *, texts: bool = True) -> dict[str, str]:
    """The texts of the documents of annotations, by their cases."""
    answers = evaluate(
        GOLD,
        {"quick": FILES["quick"]},
        Problems(),
        only=["annotations"],
        articles=articles,
        texts=texts,
    )
    (scored,) = answers.scored
    return {item.case: item.gold[WHOLE_TEXT][0] for item in scored.texts if WHOLE_TEXT in item.gold}


ARTICLES = home() / "articles.jsonl"


def test_articles_are_the_texts_of_annotations_unless_they_are_left_out() -> None:
    lines = map(json.loads, ARTICLES.read_text(encoding="utf-8").splitlines())
    articles = {one["id"]: one["text"] for one in lines}
    found = documents(ARTICLES)
    assert len(found) == len(of_the_verb("annotations").systems[0].rows)
    assert all(articles[case] == text for case, text in found.items())
    assert documents(ARTICLES, texts=False) == {}


def test_an_article_whose_id_is_used_for_two_texts_is_no_text_of_a_document(tmp_path: Path) -> None:
    text = ARTICLES.read_text(encoding="utf-8")
    first = json.loads(text.splitlines()[0])
    again = json.dumps({**first, "text": "Another text.", "topic": "b"})
    for topic, lines in (("a", text), ("b", again)):
        (tmp_path / topic).mkdir()
        (tmp_path / topic / "articles.jsonl").write_text(lines, encoding="utf-8")
    assert documents(ARTICLES).keys() - documents(tmp_path).keys() == {first["id"]}
