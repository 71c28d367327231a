"""Results of events against people's verdicts: every pair has a similarity, matched or not."""

import json
from pathlib import Path
from typing import Any

import pytest
from events.judging import TOPICS, WORDS, judged
from readers.command_line import Ran, run

FUNCTION = """
def alike(one, other):
    return [[len({*a.split()} & {*b.split()}) / 10 for b in other] for a in one]
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path, Path]:
    monkeypatch.chdir(tmp_path)
    return judged(tmp_path)


def saved(files: tuple[Path, Path, Path], *metrics: str) -> Path:
    path = files[0].with_name("scored.json")
    options = [word for metric in metrics or [WORDS] for word in ("-m", metric)]
    ran = run("events", *files[:2], *options, "--save", path)
    assert ran.code == 0, ran.err
    return path


def studied(ran: Ran) -> dict[str, Any]:
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def figures(ran: Ran) -> dict[str, Any]:
    (metric,) = studied(ran)["metrics"]
    return {figure["name"]: figure for figure in metric["figures"]} | {"metric": metric}


def correlate(result: Path, files: tuple[Path, Path, Path], *options: object) -> Ran:
    return run("correlate", result, "--verdicts", files[2], "-f", "json", *options)


def test_a_saved_result_gives_the_similarity_of_pairs_it_did_not_match(
    files: tuple[Path, Path, Path],
) -> None:
    found = figures(correlate(saved(files), files))
    metric = found["metric"]
    assert (metric["same"], metric["different"]) == (TOPICS, TOPICS)
    # In five topics the pair that differs is below the threshold, in the odd one both are above.
    assert (metric["matched"], metric["right"]) == (TOPICS + 1, TOPICS)
    assert found["precision"]["value"] == pytest.approx((5 + 1 / 2) / 6)
    assert found["AUC"]["value"] == 1.0
    # The odd topic's 0.3 that differs is the threshold of the others, whose same pairs have 0.3.
    assert found["recall at 1% false"]["value"] == pytest.approx(1 / 6)


def test_files_give_what_their_saved_result_gives(files: tuple[Path, Path, Path]) -> None:
    from_result = studied(correlate(saved(files), files))
    gold, predicted, verdicts = files
    ran = run("correlate", gold, predicted, "--verdicts", verdicts, "-m", WORDS, "-f", "json")
    assert studied(ran) == from_result


def test_every_pair_of_a_case_counts_if_those_without_a_verdict_are_different(
    files: tuple[Path, Path, Path],
) -> None:
    rows = [json.loads(line) for line in files[2].read_text(encoding="utf-8").splitlines()]
    same = [json.dumps(row) + "\n" for row in rows if row["verdict"] == "same"]
    files[2].write_text("".join(same), encoding="utf-8")
    found = figures(correlate(saved(files), files, "--unjudged", "different"))
    assert (found["metric"]["same"], found["metric"]["different"]) == (TOPICS, 3 * TOPICS)
    assert found["AUC"]["value"] == 1.0
    skipped = figures(correlate(saved(files), files))
    assert skipped["metric"]["different"] == 0
    assert skipped["AUC"]["value"] is None


def test_metrics_of_one_matching_are_one_row_with_short_names(
    files: tuple[Path, Path, Path],
) -> None:
    timed, loose = WORDS.replace("f1", "timed"), WORDS.replace(")", ",threshold=0.1)")
    found = studied(correlate(saved(files, WORDS, timed, loose), files))
    assert [metric["metric"] for metric in found["metrics"]] == [f"{WORDS}, {timed}", loose]


def test_other_golds_are_no_system(files: tuple[Path, Path, Path]) -> None:
    rows = [json.loads(line) for line in files[0].read_text(encoding="utf-8").splitlines()]
    copies = [{**row, "id": f"{row['id']}b", "timeline": "b"} for row in rows]
    both = [*({**row, "timeline": "a"} for row in rows), *copies]
    files[0].write_text("".join(f"{json.dumps(row)}\n" for row in both), encoding="utf-8")
    path = saved(files)
    names = [system["name"] for system in json.loads(path.read_bytes())["systems"]]
    assert names == ["quick", "(other golds)"]
    found = figures(correlate(path, files, "--unjudged", "different"))
    # Four pairs of a topic have the judged gold, and four its copy: those of golds are not counted.
    assert found["metric"]["same"] + found["metric"]["different"] == 8 * TOPICS


def test_texts_that_are_not_those_of_the_result_are_not_used(
    files: tuple[Path, Path, Path],
) -> None:
    path = saved(files)
    texts = path.with_suffix(".texts.jsonl")
    texts.write_text(texts.read_text(encoding="utf-8").replace("x02", "w09"), encoding="utf-8")
    ran = correlate(path, files)
    found = figures(ran)
    assert found["AUC"]["value"] is None
    assert found["precision"]["value"] == pytest.approx((5 + 1 / 2) / 6)
    assert "don't give the similarities of the result" in " ".join(ran.err.split())


def test_without_texts_only_matched_pairs_are_known(files: tuple[Path, Path, Path]) -> None:
    path = saved(files)
    path.with_suffix(".texts.jsonl").unlink()
    found = figures(correlate(path, files))
    assert found["AUC"]["reason"] == "the similarity of 5 pairs with a verdict is not known"


def test_functions_that_a_saved_result_names_are_not_called(
    files: tuple[Path, Path, Path],
) -> None:
    own = files[0].with_name("own.py")
    own.write_text(FUNCTION, encoding="utf-8")
    metric = "event-f1(similarity=./own.py:alike)"
    path = saved(files, metric)
    own.write_text("raise RuntimeError('called')", encoding="utf-8")
    ran = correlate(path, files)
    assert figures(ran)["AUC"]["value"] is None
    assert "functions that a saved result names are not called" in " ".join(ran.err.split())
    own.with_name("mine.py").write_text(FUNCTION, encoding="utf-8")
    gold, predicted, verdicts = files
    named = metric.replace("own", "mine")
    ran = run("correlate", gold, predicted, "--verdicts", verdicts, "-m", named, "-f", "json")
    assert figures(ran)["AUC"]["value"] == 1.0


def test_metrics_need_two_files_and_pairs(files: tuple[Path, Path, Path]) -> None:
    gold, predicted, verdicts = files
    ran = run("correlate", gold, "--verdicts", verdicts, "-m", WORDS)
    assert ran.code == 2
    assert "name a gold and a prediction, as GOLD PREDICTED" in ran.err
    ran = run("correlate", gold, predicted, "--verdicts", verdicts, "-m", "text-quality")
    assert ran.code == 2
    assert "these metrics make no pairs of events" in ran.err
    ran = run("correlate", gold, predicted, "-m", WORDS)
    assert ran.code == 2
    assert "--metric is for --verdicts" in ran.err
