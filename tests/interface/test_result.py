"""A result as people hold it, by what `chronoscore` exports and nothing else."""

import copy
import gzip
import json
import math
import pickle
import re
import subprocess
import sys
from pathlib import Path
from shutil import which
from types import ModuleType

import msgspec
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from interface import client

import chronoscore
from chronoscore import annotations, rubric, timelines
from chronoscore.demo import SYSTEMS, home
from chronoscore.rubric.codebook import event_quality

GOLD, SHEET = home() / "gold.jsonl", home() / "judgements.csv"
FILES = {name: home() / f"{name}.jsonl" for name in SYSTEMS}


@pytest.fixture(scope="module")
def result() -> chronoscore.Result:
    return chronoscore.score("timelines", GOLD, FILES, interval=True, by="topic")


@pytest.fixture(scope="module")
def single() -> chronoscore.Result:
    return chronoscore.score("timelines", gold=GOLD, predicted=FILES["quick"], metrics="AR-1")


def test_a_score_is_a_number_that_knows_the_rest(single: chronoscore.Result) -> None:
    score = single["AR-1"]
    assert isinstance(score, float)
    assert score == score.f1 == pytest.approx(0.276, abs=5e-4)
    assert (score.precision, score.recall) == pytest.approx((0.491, 0.192), abs=5e-4)
    assert (score.n, score.interval, score.system, score.metric) == (10, None, "quick", "AR-1")
    assert pickle.loads(pickle.dumps(score)).recall == score.recall
    assert copy.deepcopy(score) == score


def test_a_score_answers_to_every_name_of_its_metric(single: chronoscore.Result) -> None:
    for name in ("AR-1", "align+m:1", "align+m:1(rouge=1)"):
        assert single[name] == single["quick", name]
    full = chronoscore.score("timelines", GOLD, FILES["quick"], metrics="align+m:1(rouge=1)")
    assert full["AR-1"] == full["align+m:1(rouge=1)"] == single["AR-1"]
    assert "AR-1" in single
    assert ("quick", "AR-1") in single
    assert "AR-2" not in single


def test_several_systems_are_listed_where_one_must_be_named(result: chronoscore.Result) -> None:
    with pytest.raises(KeyError, match="careful, quick, lead"):
        result["AR-1"]
    with pytest.raises(KeyError, match="no system 'slow'; there are: careful, quick, lead"):
        result["slow", "AR-1"]
    with pytest.raises(KeyError, match=r"no metric 'AR-9'.*AR-1, AR-2, Date-F1"):
        result["careful", "AR-9"]
    assert result.systems == ("careful", "quick", "lead")
    assert result.metrics == ("AR-1", "AR-2", "Date-F1")
    assert [score.system for score in result][:4] == ["careful"] * 3 + ["quick"]


def test_intervals_and_groups_are_there_if_asked_for(result: chronoscore.Result) -> None:
    score = result["careful", "AR-1"]
    assert score.interval is not None
    assert score.interval.low < score < score.interval.high
    part = result.score("AR-1", "careful", topic="chernobyl")
    assert part.group == {"topic": "chernobyl"}
    assert part.n < score.n
    with pytest.raises(KeyError, match="topic=apollo-11"):
        result.score("AR-1", "careful", topic="nowhere")


def test_undefined_is_nan_and_says_so() -> None:
    empty: dict[str, dict[str, list[str]]] = {"t": {"2011-01-25": []}}
    found = chronoscore.score("timelines", empty, {"a": empty}, metrics="AR-1", undefined="skip")
    assert math.isnan(found["AR-1"])
    assert "undef." in repr(found)
    assert found.to_dict()["a"]["AR-1"]["f1"] is None


def test_a_score_that_a_metric_lacks_is_refused(result: chronoscore.Result) -> None:
    distance = chronoscore.score("timelines", GOLD, FILES["quick"], metrics="date-distance")
    with pytest.raises(AttributeError, match="has no precision; it has: "):
        assert distance["date-distance"].precision


def test_it_prints_as_the_terminal_does_and_shows_itself_in_a_few_lines(
    result: chronoscore.Result,
) -> None:
    shown = repr(result)
    assert shown.splitlines()[0] == "<Result: timelines, 3 systems, protocol news-tls, 1 notice>"
    assert len(shown.splitlines()) == 4
    assert "careful  AR-1 0.617" in shown
    assert "0.617" in str(result)
    assert "\x1b" not in str(result)


def test_a_notebook_shows_the_table_with_intervals_drawn(result: chronoscore.Result) -> None:
    page = result._repr_html_()
    assert page.count("<svg") == 3 * 3, "topics have too few units for intervals"
    assert page.count("<b>") >= 3
    assert "currentColor" in page, "the colours of the page, light or dark"
    assert 'table style="color: inherit"' in page
    evil = chronoscore.score("timelines", GOLD, {"<script>alert(1)</script>": FILES["lead"]})
    assert "<script>" not in evil._repr_html_()


def test_frames_have_a_row_for_each_system_and_metric(single: chronoscore.Result) -> None:
    three = chronoscore.score("timelines", GOLD, FILES)
    frame = three.to_pandas()
    assert len(frame) == 9
    assert frame[frame.system.eq("quick") & frame.metric.eq("AR-1")].score.item() == single["AR-1"]
    assert isinstance(three.to_polars(), pl.DataFrame)
    assert three.to_polars().to_dicts() == pa.table(three).to_pylist()
    assert three.to_dict()["quick"]["AR-1"] == dict(single["AR-1"].scores)


def test_cases_have_rows_too(result: chronoscore.Result) -> None:
    cases = result.per_case()
    frame = cases.to_pandas()
    assert len(cases) == len(frame) == 3 * 10 * 3
    assert set(frame.case) == set(result.cases)
    assert {"system", "case", "topic", "gold", "metric", "score", "precision"} <= set(frame)
    assert pa.table(cases).num_rows == len(cases)
    assert pd.isna(frame.score).sum() == 0
    assert cases.to_polars().columns == list(cases.columns)


def test_an_explanation_shows_what_was_matched(result: chronoscore.Result) -> None:
    shown = result.explain("apollo-11", system="quick")
    assert {item.case for item in shown.matches} == {"apollo-11/agency", "apollo-11/desk"}
    assert "1969-07-20" in str(shown)
    assert "1969-07-20" in shown._repr_html_()
    with pytest.raises(chronoscore.UsageError, match="there is no case 'nowhere'"):
        result.explain("nowhere")


def test_a_notebook_puts_counts_of_an_explanation_to_the_right(result: chronoscore.Result) -> None:
    page = result.explain("chernobyl/desk", system="quick")._repr_html_()
    sides = {name: side for side, name in re.findall(r"text-align: (\w+)[^>]*>(\w+)</th>", page)}
    assert {sides[name] for name in ("distance", "shared", "credit", "possible")} == {"right"}
    assert {sides[name] for name in ("side", "gold", "predicted", "outcome")} == {"left"}


def test_data_that_changed_are_not_explained_by_old_scores(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_bytes(GOLD.read_bytes())
    old = chronoscore.score("timelines", path, FILES["quick"])
    path.write_bytes(FILES["careful"].read_bytes())
    with pytest.raises(chronoscore.DataError, match="changed since they were scored"):
        old.explain()


def test_systems_are_compared(result: chronoscore.Result, tmp_path: Path) -> None:
    every = result.compare()
    saved = json.loads(every.save(tmp_path / "compared.json").read_text(encoding="utf-8"))
    assert [metric["label"] for metric in saved["metrics"]] == [*result.metrics]
    pair = every["careful", "quick", "AR-1"]
    assert pair.difference == result["careful", "AR-1"] - result["quick", "AR-1"]
    turned = every["quick", "careful", "AR-1"]
    assert turned.difference == -pair.difference
    assert (turned.wins, turned.losses) == (pair.losses, pair.wins)
    assert pair.interval is not None
    assert turned.interval is not None
    assert (turned.interval.low, turned.interval.high) == (-pair.interval.high, -pair.interval.low)
    assert len(every.to_pandas()) == 9
    one = result.compare(baseline="lead", correction="none", test="bootstrap", seed=1)
    assert len(one.to_polars()) == 6
    with pytest.raises(KeyError, match="each compared with lead only"):
        one["careful", "quick", "AR-1"]
    parts = [chronoscore.score("timelines", GOLD, {name: path}) for name, path in FILES.items()]
    assert chronoscore.compare(*parts)["careful", "quick", "AR-1"].p == pair.p
    for text in (str(every), every.to_markdown(), every.to_latex(), every._repr_html_()):
        assert "careful" in text
    assert "Comparison of careful, quick, lead" in repr(every)


def test_it_is_saved_loaded_and_reported(result: chronoscore.Result, tmp_path: Path) -> None:
    path = result.save(tmp_path / "run.json")
    again = chronoscore.load(path)
    assert again == result
    assert str(again.explain("apollo-11")) == str(result.explain("apollo-11"))
    page = again.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert page == result.report(tmp_path / "other.html").read_text(encoding="utf-8")
    assert "apollo-11" in page
    for sidecar in tmp_path.glob("run.*.jsonl"):
        sidecar.unlink()
    with pytest.raises(chronoscore.UsageError, match="were not saved with this result"):
        chronoscore.load(path).explain()


def test_the_signature_repeats_the_run(single: chronoscore.Result) -> None:
    assert single.signature.startswith("family=timelines|protocol=news-tls|metrics=align+m:1|")
    several = chronoscore.score("timelines", GOLD, FILES, metrics="AR-1")
    shared = [part for part in single.signature.split("|") if not part.startswith("predicted=")]
    assert several.signature.split("|") == shared


def test_all_questions_are_asked_at_once(tmp_path: Path) -> None:
    answers = chronoscore.evaluate(GOLD, FILES, judgements=SHEET)
    assert answers.families == ("timelines", "events", "ordering", "annotations", "rubric")
    alone = chronoscore.score("timelines", GOLD, FILES)
    assert answers["timelines"].to_dict() == alone.to_dict()
    assert set(answers.to_pandas().system) == {*SYSTEMS}
    again = chronoscore.Evaluation.load(answers.save(tmp_path / "all.json"))
    assert again.to_pandas().equals(answers.to_pandas())
    assert again["rubric"] == answers["rubric"]
    with pytest.raises(chronoscore.UsageError, match="were not saved with this result"):
        again["timelines"].explain()
    assert "AR-1" in answers.report(tmp_path / "all.html").read_text(encoding="utf-8")
    with pytest.raises(KeyError, match="no result of tlinks; there are: timelines"):
        answers["tlinks"]
    only = chronoscore.evaluate(GOLD, FILES["quick"], only="timelines")
    assert only.skipped["ordering"] == "it was not asked for"
    assert [one.family for one in only] == ["timelines"]
    with pytest.raises(chronoscore.UsageError, match="no question 'timeline'; there are: timeline"):
        chronoscore.evaluate(GOLD, FILES, only="timeline")


def test_judgements_by_a_users_codebook_are_explored_by_it(tmp_path: Path) -> None:
    criterion = {"weight": "1", "scale": "nominal", "question": "?"}
    criterion["values"] = [{"value": n, "label": str(n)} for n in (0, 1)]  # type: ignore[assignment]
    book = {"name": "tiny", "version": "1", "title": "Tiny", "source": "us", "score": "TQ"}
    book["comment"] = "Note"
    book["criteria"] = [{**criterion, "field": "Good", "name": "good"}]  # type: ignore[assignment]
    path = tmp_path / "book.json"
    path.write_text(json.dumps(book), encoding="utf-8")
    sheet = [
        {"event_id": f"e{n}", "evaluator": who, "system": system, "Good": str(n % 2)}
        for n in range(4)
        for who in "pq"
        for system in ("quick", "lead")
    ]
    answers = chronoscore.evaluate(GOLD, FILES["quick"], judgements=sheet, codebook=path)
    judged = answers["rubric"]
    assert judged.compare().metrics == ("TQ",)
    assert len(judged.per_case()) == len(sheet)
    alone = chronoscore.score("rubric", predicted=sheet, codebook=path)
    assert str(judged) == str(alone)
    saved = alone.save(tmp_path / "run.json")
    assert chronoscore.load(saved, codebook=path) == alone
    with pytest.raises(chronoscore.UsageError, match="of another codebook: give it by codebook="):
        chronoscore.load(saved)


@pytest.mark.parametrize("digits", [-1, 10])
def test_digits_that_no_table_has_are_refused(digits: int, result: chronoscore.Result) -> None:
    with pytest.raises(chronoscore.UsageError, match="from 1 to 9"):
        result.to_latex(digits=digits)


def test_a_single_column_may_stand_without_a_list(result: chronoscore.Result) -> None:
    assert result.to_latex(columns="AR-1") == result.to_latex(columns=["AR-1"])
    assert len(result.matrix(columns="AR-1.precision").columns) == 1


def test_what_is_no_name_is_not_in_a_result(result: chronoscore.Result) -> None:
    assert ("careful", "AR-1") in result
    assert ("careful", ["AR-1"]) not in result


def test_agreement_is_looked_up_by_criterion_and_coefficient(tmp_path: Path) -> None:
    found = chronoscore.agreement(SHEET, coefficients="alpha ordinal")
    alpha = found["clarity", "alpha ordinal"]
    assert alpha.value is not None
    assert found.verdicts["clarity"].verdict == "enough"
    assert set(found.to_pandas().criterion) == set(found.criteria)
    assert found.save(tmp_path / "agreement.json").exists()
    assert "clarity" in str(found)
    assert "clarity" in found._repr_html_()
    with pytest.raises(KeyError, match="there are: "):
        found["clarity", "beta"]


@pytest.mark.parametrize("module", [chronoscore, timelines, annotations, rubric])
def test_everything_public_has_an_example_and_nothing_else_is_public(module: ModuleType) -> None:
    for name in module.__all__:
        if name != "__version__":
            assert ">>>" in (getattr(module, name).__doc__ or ""), name
    assert dir(module) == sorted(module.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        assert module.nonsense


def test_importing_loads_no_numpy() -> None:
    program = (
        "import sys, chronoscore; sys.exit('numpy' in sys.modules or 'msgspec' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_users_program_runs(tmp_path: Path) -> None:
    assert client.main(tmp_path).startswith("theirs 1.000")


@pytest.mark.parametrize("checker", ["basedpyright", "pyright"])
def test_type_checkers_accept_a_users_program(checker: str, tmp_path: Path) -> None:
    """Mypy checks the same program, in its strict mode too, with all other files."""
    command = which(checker, path=str(Path(sys.executable).parent)) or which(checker)
    if command is None:
        pytest.skip(f"{checker} is not installed")
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}', encoding="utf-8")
    text = Path(client.__file__).read_text(encoding="utf-8")
    wrong = text.replace("score.precision", "score.precise")
    for name, program, code in (("right.py", text, 0), ("wrong.py", wrong, 1)):
        (tmp_path / name).write_text(program, encoding="utf-8")
        call = [command, "--pythonpath", sys.executable, name]
        run = subprocess.run(call, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert run.returncode == code, run.stdout + run.stderr


def test_everything_that_people_hold_travels_to_another_process(
    result: chronoscore.Result, tmp_path: Path
) -> None:
    travelled = pickle.loads(pickle.dumps(result))
    assert travelled == result
    assert str(travelled) == str(result)
    assert chronoscore.load(travelled.save(tmp_path / "run.json")) == result
    comparison = result.compare()
    assert str(pickle.loads(pickle.dumps(comparison))) == str(comparison)
    answers = chronoscore.evaluate(GOLD, FILES, judgements=SHEET)
    again = pickle.loads(pickle.dumps(answers))
    assert str(again) == str(answers)
    assert again["timelines"].explain().matches == answers["timelines"].explain().matches
    with pytest.raises(chronoscore.DataError) as raised:
        chronoscore.score("timelines", GOLD, tmp_path / "none.jsonl")
    error = pickle.loads(pickle.dumps(raised.value))
    assert (str(error), error.problems) == (str(raised.value), raised.value.problems)


def test_a_pickled_result_has_the_matches_that_were_made_and_a_copy_makes_them() -> None:
    def scored() -> chronoscore.Result:
        return chronoscore.score("timelines", GOLD, FILES["quick"])

    with pytest.raises(chronoscore.UsageError, match="call explain\\(\\) before pickling"):
        pickle.loads(pickle.dumps(scored())).explain()
    explained = scored()
    matches = explained.explain().matches
    assert pickle.loads(pickle.dumps(explained)).explain().matches == matches
    for copied in (copy.copy(scored()), copy.deepcopy(scored())):
        assert copied == explained
        assert copied.explain().matches == matches


def test_a_pickled_result_keeps_its_codebook() -> None:
    book = msgspec.structs.replace(event_quality(), score="Quality")
    result = chronoscore.score("rubric", predicted=SHEET, codebook=book)
    assert result.metrics == ("Quality",)
    assert pickle.loads(pickle.dumps(result))["quick", "quality"] == result["quick", "Quality"]


def test_mistakes_with_results_are_one_line_that_says_what_is_expected(
    result: chronoscore.Result,
) -> None:
    comparison = result.compare()
    with pytest.raises(KeyError, match="expected two systems and a metric, as in comparison"):
        comparison["careful", "quick"]  # type: ignore[index]
    with pytest.raises(chronoscore.UsageError, match=r"for a list write compare\(\*results\)"):
        chronoscore.compare([result])  # type: ignore[arg-type]
    with pytest.raises(chronoscore.UsageError, match="the seed is 'x', expected a whole number"):
        result.compare(seed="x")  # type: ignore[arg-type]
    with pytest.raises(chronoscore.UsageError, match="digits is -1, expected a number from 1 to 9"):
        result.to_latex(digits=-1)
    with pytest.raises(chronoscore.UsageError, match=r"no case 'x' to explain; result\.cases"):
        result.explain("x")
    with pytest.raises(chronoscore.UsageError, match="no question 'facts'; there are: timel"):
        chronoscore.evaluate(GOLD, FILES, only="facts")
    with pytest.raises(chronoscore.UsageError, match=r"no setting 'foo' in .*they have: level, "):
        chronoscore.score("timelines", GOLD, FILES, interval="auto(foo=1)")
    with pytest.raises(chronoscore.UsageError, match="there are no judgements: give a path"):
        chronoscore.agreement(None)


def test_a_comparison_answers_to_every_name_of_a_metric(result: chronoscore.Result) -> None:
    comparison = result.compare()
    pair = comparison["careful", "quick", "AR-1"]
    assert comparison["careful", "quick", "align+m:1(rouge=1)"] == pair


def test_groups_stand_beside_their_systems_in_frames(result: chronoscore.Result) -> None:
    frame = result.to_pandas()
    assert list(frame.columns[:3]) == ["system", "topic", "metric"]
    assert frame[frame["topic"].isna()].shape[0] == len(result.systems) * len(result.metrics)


def test_a_system_is_named_after_its_file_without_its_endings(tmp_path: Path) -> None:
    packed = tmp_path / "ours.v1.jsonl.gz"
    packed.write_bytes(gzip.compress(FILES["quick"].read_bytes()))
    for predicted in (packed, [packed, FILES["lead"]]):
        assert chronoscore.score("timelines", GOLD, predicted).systems[0] == "ours.v1"


def test_a_comparison_of_one_topic_speaks_of_no_intervals() -> None:
    gold = {"2011-01-25": ["Protests begin in Cairo."]}
    empty: dict[str, list[str]] = {}
    text = str(chronoscore.score("timelines", gold, {"a": gold, "b": empty}).compare())
    assert "over 1 topic (exact" in text.replace("\n", " ")
    assert "brackets" not in text
    assert "details() shows" in text.replace("\n", " ")


def test_a_comparison_says_where_the_correction_leaves_nothing_to_find() -> None:
    five = dict.fromkeys(("b", "c", "d", "e"), FILES["quick"]) | {"a": FILES["careful"]}
    words = str(chronoscore.score("timelines", GOLD, five).compare()).replace("\n", " ")
    assert "the data are too few" in words
    three = str(chronoscore.score("timelines", GOLD, FILES).compare())
    assert "the data are too few" not in three.replace("\n", " ")
    assert "seed" not in three  # an exact test draws nothing


def test_a_notebook_keeps_only_the_beginning_of_long_tables() -> None:
    days = {f"topic {n}": {"2011-01-25": ["Protests begin in Cairo."]} for n in range(100)}
    result = chronoscore.score("timelines", days, days, metrics="AR-1")
    page = result.per_case()._repr_html_()
    assert page.count("<tr>") == 61
    assert "the first 60 of 100 rows; print shows all" in page
    explained = result.explain()._repr_html_()
    assert explained.count("<table ") == 60
    assert "and 80 more tables; name a case" in explained
    assert str(result.per_case()).count("topic 99") == 2


def test_an_evaluation_keeps_its_codebook(tmp_path: Path) -> None:
    book = msgspec.structs.replace(event_quality(), score="Quality")
    answers = chronoscore.evaluate(GOLD, FILES, judgements=SHEET, codebook=book)
    for rubric_scores in (answers["rubric"], pickle.loads(pickle.dumps(answers))["rubric"]):
        assert len(rubric_scores.per_case()) == 122
        assert rubric_scores.compare().metrics == ("Quality",)
    assert answers.report(tmp_path / "page.html").exists()


def test_what_was_noticed_is_shown_wherever_the_scores_are(result: chronoscore.Result) -> None:
    noticed = "notice: lead: no prediction for 1 topic, counted as empty"
    for shown in (result, result.compare(), pickle.loads(pickle.dumps(result))):
        assert noticed in str(shown)
        assert noticed in shown._repr_html_()
    answers = chronoscore.evaluate(GOLD, FILES, only="timelines")
    assert noticed in str(answers)


def test_a_folder_is_no_place_for_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = chronoscore.score("timelines", home() / "gold.jsonl", home() / "quick.jsonl")
    with pytest.raises(chronoscore.UsageError, match="Is a directory"):
        result.save(".")
    assert not [*tmp_path.iterdir()]
