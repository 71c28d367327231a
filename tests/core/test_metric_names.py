"""A score keeps one name wherever it is told: F is named after its beta in all of them."""

from pathlib import Path

import pytest
from every import each
from readers.command_line import FINE, USAGE, run
from readers.samples import EVENTS

from chronoscore.core.evidence import Statistic
from chronoscore.core.metric import Definition
from chronoscore.errors import UsageError
from chronoscore.families import NAMES, family

DEFINITIONS = [
    pytest.param(definition, id=f"{name}-{definition.name}")
    for name in NAMES
    for definition in family(name).definitions
]
WITH_BETA = [
    pytest.param(name, definition, id=f"{name}-{definition.name}")
    for name in NAMES
    for definition in family(name).definitions
    if any(parameter.name == "beta" for parameter in definition.parameters)
]


@each("definition", DEFINITIONS)
def test_what_is_shown_is_among_the_scores(definition: Definition) -> None:
    metric = definition()
    assert set(metric.shown) <= set(metric.scores)
    assert metric.primary in metric.scores


@pytest.mark.parametrize(("name", "definition"), WITH_BETA)
def test_names_follow_beta_together(name: str, definition: Definition) -> None:
    metric = family(name).metric(f"{definition.name}(beta=0.5)")
    assert set(metric.shown) <= set(metric.scores)
    assert metric.primary in metric.scores
    assert not any(score.endswith("f1") for score in (*metric.shown, *metric.scores))


@each("number", ["nan", "inf", "-inf"])
@each(("name", "definition"), WITH_BETA)
def test_beta_is_a_number_that_scores_can_be_made_of(
    name: str, definition: Definition, number: str
) -> None:
    with pytest.raises(UsageError, match="expected number"):
        family(name).metric(f"{definition.name}(beta={number})")


@pytest.mark.parametrize(
    "options",
    [
        ["--beta", "2"],
        ["--beta", "2", "--format", "csv"],
        ["--beta", "2", "--by", "type"],
        ["--beta", "2", "--report", "report.html"],
        ["-m", "spans(beta=2)"],
        ["-m", "spans-curve(beta=2)", "--report", "report.html"],
    ],
)
def test_f_of_any_beta_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.jsonl").write_text(EVENTS, encoding="utf-8")
    Path("a.jsonl").write_text(EVENTS, encoding="utf-8")
    ran = run("annotations", "gold.jsonl", "a.jsonl", *options)
    assert ran.code == FINE
    assert "F2" in ran.out
    assert "F1" not in ran.out


def test_beta_that_is_no_number_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.jsonl").write_text(EVENTS, encoding="utf-8")
    Path("a.jsonl").write_text(EVENTS, encoding="utf-8")
    for verb, metric in (("annotations", "spans"), ("timelines", "align")):
        ran = run(verb, "gold.jsonl", "a.jsonl", "-m", f"{metric}(beta=nan)")
        assert ran.code == USAGE
        assert "parameter 'beta' is 'nan', expected number" in ran.err


def test_a_list_of_metrics_names_each_once() -> None:
    for name in NAMES:
        with pytest.raises(UsageError) as told:
            family(name).metric("no-such-metric")
        listed = str(told.value).partition("there are: ")[2].split(", ")
        assert len(listed) == len(set(listed))


def test_a_short_name_takes_parameters() -> None:
    home = family("timelines")
    assert home.metric("AR-1(beta=2)") == home.metric("align+m:1(beta=2)")
    assert home.metric("ar-2 (tie=nearest)") == home.metric("align+m:1(rouge=2,tie=nearest)")


def test_four_statistics_are_the_credit_and_the_total_of_precision_and_then_of_recall() -> None:
    names = ("found", "predicted", "covered", "gold", "further")
    made = Definition(
        name="own",
        meaning="a metric of precision and recall",
        citation="",
        statistics=tuple(Statistic(name, "integer", name) for name in names),
    )
    assert made.explained == {
        "precision": (("found",), ("predicted",)),
        "recall": (("covered",), ("gold",)),
    }
