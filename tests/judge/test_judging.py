"""What is asked and written: rows, samples, criteria one by one, tokens, prices, the manifest."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from judge.conftest import ARTICLES, EVENTS, Judging, read_lines, write_lines
from judge.stub import FIELDS, Reaction, completion, good, opinion, said, serving
from readers.command_line import run

from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.rubric import event_quality
from chronoscore.rubric.formats import read_judgements


def manifest(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (folder / "judgements.manifest.json").read_text(encoding="utf-8")
    )
    return found


def test_a_row_is_an_evaluators_of_kind_llm(judging: Judging, folder: Path) -> None:
    with serving() as stub:
        assert judging(stub).code == 0
    rows = read_judgements([source_of(folder / "judgements.jsonl")], event_quality(), Problems())
    for row, event in zip(rows, EVENTS, strict=True):
        assert row.kind == "llm"
        assert re.fullmatch(r"stub@[0-9a-f]{8}", row.evaluator)
        assert row.values == opinion(f"Description: {event['text']}\n")
        assert (row.event, row.text, row.type) == (event["id"], event["text"], event["type"])
        assert (row.date, row.article, row.round) == (event["date"], event["article"], "1")
        assert row.comment == "fine"


def test_the_judges_name_tells_its_prompt(judging: Judging, folder: Path) -> None:
    with serving() as stub:
        judging(stub, "--evaluator", "Daneel")
    told = manifest(folder)
    assert told["judge"] == f"Daneel@{told['prompt_digest'][:8]}"
    assert {row["evaluator"] for row in read_lines(folder / "judgements.jsonl")} == {told["judge"]}


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx", "jsonl"])
def test_every_format_holds_the_same(ending: str, judging: Judging, folder: Path) -> None:
    with serving() as stub:
        assert judging(stub, "-o", f"out/judged.{ending}").code == 0
        assert judging(stub, "--cache", "out/judged.cache").code == 0
    book = event_quality()
    one, other = (
        read_judgements([source_of(path)], book, Problems())
        for path in (folder / f"out/judged.{ending}", folder / "judgements.jsonl")
    )
    assert list(one) == list(other)


def test_the_request_is_as_told(judging: Judging) -> None:
    with serving() as stub:
        judging(
            *(stub, "--temperature", 0.5, "--max-tokens", 77, "--seed", 5, "--samples", 2),
            *("--parameter", 'reasoning_effort="low"', "--parameter", "max_tokens=null"),
        )
    for body in stub.bodies:
        assert body["model"] == "stub"
        assert body["temperature"] == 0.5
        assert body["reasoning_effort"] == "low"
        assert "max_tokens" not in body
        form = body["response_format"]
        assert form["json_schema"]["strict"] is True
        jsonschema.Draft202012Validator.check_schema(form["json_schema"]["schema"])
    assert sorted(body["seed"] for body in stub.bodies) == [5, 5, 5, 6, 6, 6]


def test_samples_are_rounds_and_their_votes_are_counted(judging: Judging, folder: Path) -> None:
    def behave(number: int, body: dict[str, Any]) -> Reaction:
        odd = body["seed"] == 2 and "Police" in body["messages"][1]["content"]
        return completion(said((0 if odd else 1, 1, 1, 3, 3)))

    with serving(behave) as stub:
        ran = judging(stub, "--samples", 4, "--temperature", 1, "--seed", 0)
    assert ran.code == 0
    rows = read_lines(folder / "judgements.jsonl")
    assert [row["round"] for row in rows if row["event_id"] == "zeta-1"] == ["1", "2", "3", "4"]
    votes = {row["event_id"]: row for row in read_lines(folder / "judgements.votes.jsonl")}
    assert votes["zeta-2"]["votes"]["Eval_DateCorrect"] == {"0": 1, "1": 3}
    assert votes["zeta-2"]["share"]["Eval_DateCorrect"] == 0.75
    assert votes["zeta-1"]["share"]["Eval_DateCorrect"] == 1
    assert manifest(folder)["vote_share"] == pytest.approx(
        {name: 2.75 / 3 if name == "Eval_DateCorrect" else 1 for name in FIELDS}
    )
    assert "0.917" in ran.out


def test_one_sample_has_no_votes(judging: Judging, folder: Path) -> None:
    with serving() as stub:
        judging(stub, "--samples", 2, "--temperature", 1)
        judging(stub)
    assert not (folder / "judgements.votes.jsonl").exists()
    assert manifest(folder)["vote_share"] == {}


def test_samples_at_temperature_0_are_doubted(judging: Judging) -> None:
    with serving() as stub:
        assert "samples are hardly different" in judging(stub, "--samples", 2).err


def test_criteria_one_by_one_make_one_judgement(judging: Judging, folder: Path) -> None:
    with serving() as stub:
        judging(stub, "-o", "whole.jsonl")
        assert judging(stub, "--per-criterion").code == 0
        single = stub.bodies[len(EVENTS) :]
    assert len(single) == len(FIELDS) * len(EVENTS)
    for body in single:
        asked = set(body["response_format"]["json_schema"]["schema"]["properties"])
        assert len(asked & set(FIELDS)) == 1
    rows, whole = (read_lines(folder / f"{name}.jsonl") for name in ("judgements", "whole"))
    for row, other in zip(rows, whole, strict=True):
        assert {name: row[name] for name in FIELDS} == {name: other[name] for name in FIELDS}
        assert row["evaluator"] != other["evaluator"]
        assert row["Comment"] == "fine"  # said five times


def test_a_criterion_that_failed_leaves_no_judgement(judging: Judging, folder: Path) -> None:
    def behave(number: int, body: dict[str, Any]) -> Reaction:
        told = json.dumps(body)
        wrong = "Police" in told and "`Eval_EventType`: a number" in told
        return completion("{}") if wrong else good(number, body)

    with serving(behave) as stub:
        ran = judging(stub, "--per-criterion", "--format", "json")
    assert ran.code == 4
    (failure,) = read_lines(folder / "judgements.failures.jsonl")
    assert (failure["event_id"], failure["criterion"]) == ("zeta-2", "Eval_EventType")
    assert json.loads(ran.out)["counts"]["failures"] == 1
    assert len(read_lines(folder / "judgements.jsonl")) == len(EVENTS) - 1


def test_what_it_took_is_told(judging: Judging, folder: Path) -> None:
    with serving() as stub:
        ran = judging(stub, "--price-in", 2, "--price-out", 10, "--format", "json")
    assert json.loads(ran.out) == manifest(folder)
    use = manifest(folder)["use"]
    assert (use["tokens_in"], use["tokens_out"]) == (3000, 150)
    assert use["cost"] == use["cost_now"] == pytest.approx((3000 * 2 + 150 * 10) / 1e6)
    assert 0 < use["latency_median"] <= use["latency_p95"]
    assert use["without_tokens"] == 0


def test_tokens_that_were_not_told_are_no_zero(judging: Judging, folder: Path) -> None:
    def behave(number: int, body: dict[str, Any]) -> Reaction:
        return completion(said(), usage=None)

    with serving(behave) as stub:
        ran = judging(stub, "--price-in", 2)
    assert manifest(folder)["use"]["cost"] is None
    assert "did not report the tokens of 3 answers" in ran.out
    assert re.search(r"cost of all answers +undef\.", ran.out)


def test_the_manifest_says_how_it_was_made(judging: Judging, folder: Path) -> None:
    with serving() as stub:
        judging(stub, "--header", "X-Title=mine")
    told = manifest(folder)
    assert told["format"] == "chronoscore-judge"
    assert told["endpoint"] == f"{stub.url}/chat/completions"
    assert told["model"] == "stub"
    assert told["served_by"] == ["stub-1"]
    assert told["header_names"] == ["X-Title"]
    assert told["parameters"] == {"temperature": 0.0, "max_tokens": 2048}
    assert told["codebook"]["name"] == "event-quality"
    assert told["codebook"]["version"] == "1.0"
    assert told["counts"]["judgements"] == len(EVENTS)


def test_a_teams_own_codebook_is_asked_by(judging: Judging, folder: Path) -> None:
    level = [{"value": -1, "label": "bad"}, {"value": 4, "label": "good"}]
    asked = {"name": "tone", "weight": "1", "scale": "ordinal", "question": "How is the tone?"}
    book = {"name": "own", "version": "2", "title": "Tone", "source": "us", "score": "tone-score"}
    criterion = {**asked, "field": "My Tone", "values": level}
    own = {**book, "comment": "Why", "criteria": [criterion]}
    (folder / "own.json").write_text(json.dumps(own), encoding="utf-8")
    reply = json.dumps({"reasoning": "r", "My Tone": -1, "Why": "dull"})
    with serving(lambda _n, _b: completion(reply)) as stub:
        ran = judging(stub, "--codebook", "own.json")
    assert ran.code == 0, ran.err
    assert "How is the tone?" in stub.bodies[0]["messages"][0]["content"]
    rows = read_lines(folder / "judgements.jsonl")
    assert {(row["My Tone"], row["Why"]) for row in rows} == {(-1, "dull")}
    scored = run("rubric", "judgements.jsonl", "--codebook", "own.json")
    assert scored.code == 0, scored.err


def test_rows_land_beside_peoples_and_agreement_reads_both(folder: Path, judging: Judging) -> None:
    lines = ["event_id,evaluator,article_id," + ",".join(FIELDS)]
    for event in EVENTS:
        values = ",".join(map(str, opinion(f"Description: {event['text']}\n")))
        lines.append(f"{event['id']},ana,{event['article']},{values}")
    (folder / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with serving() as stub:
        judging(stub)
    agreed = run("agreement", "people.csv", "judgements.jsonl", "--format", "json")
    assert agreed.code == 0, agreed.err
    assert "stub@" in agreed.out
    table = run("agreement", "people.csv", "judgements.jsonl", "--coefficient", "percent")
    assert re.search(r"percent +1\.000", table.out), table.out
    kinds = run("rubric", "people.csv", "judgements.jsonl", "--by", "kind")
    assert kinds.code == 0, kinds.err
    assert "llm" in kinds.out
    assert "person" in kinds.out


def test_the_judges_prompt_is_in_the_signature_of_a_result(folder: Path, judging: Judging) -> None:
    def signature(path: str) -> str:
        done = run("rubric", path, "--format", "json")
        found = json.loads(done.out)["systems"][0]["signature"]
        assert isinstance(found, str)
        return found

    with serving() as stub:
        judging(stub, "-o", "whole.jsonl")
        judging(stub, "--per-criterion", "-o", "parts.jsonl")
    whole = (folder / "whole.jsonl").read_text(encoding="utf-8")
    parts = (folder / "parts.jsonl").read_text(encoding="utf-8")
    same = re.sub("stub@[0-9a-f]{8}", "stub", whole) == re.sub("stub@[0-9a-f]{8}", "stub", parts)
    assert same, "they differ in the digest of the prompt alone"
    assert signature("whole.jsonl") != signature("parts.jsonl")


def test_events_without_article_are_listed(folder: Path, judging: Judging) -> None:
    more = [
        {"id": "bare", "text": "x"},
        {"id": "lost", "article": "a9"},
        {"id": "mute", "article": "a3", "text": "y"},
    ]
    write_lines(folder / "events.jsonl", [*EVENTS, *more])
    write_lines(folder / "articles.jsonl", [*ARTICLES, {"id": "a3", "text": "  "}])
    with serving() as stub:
        ran = judging(stub)
        assert ran.code == 3
        assert stub.asked == 0
        assert [line.split(": ")[-1].split(";")[0] for line in ran.problems] == [
            *("bare", "lost", "mute")
        ]
        assert judging(stub, "--without-articles").code == 0
        assert stub.asked == len(EVENTS) + 3
        alone = [b for b in stub.bodies if "no article" in b["messages"][1]["content"]]
        assert len(alone) == 3


def test_a_dry_run_shows_the_first_prompt_and_asks_nothing(folder: Path, judging: Judging) -> None:
    with serving() as stub:
        judging(stub)
        ran = judging(stub, "--dry-run", "--samples", 2, "--temperature", 0)
        assert stub.asked == len(EVENTS)
    assert "Description: Crowds fill the square." in ran.out
    assert "6 requests by stub@" in ran.out
    assert "3 of them answered in the cache" in ran.out


CALLS: list[tuple[list[object], str]] = [
    (["--samples", 0], "--samples is 0, expected 1 to 1000"),
    (["--samples", 10**12], f"--samples is {10**12}, expected 1 to 1000"),
    (["--jobs", 0], "--jobs is 0, expected 1 or more"),
    (["--temperature", "nan"], "--temperature is nan, expected 0 or more"),
    (["--max-tokens", 0], "--max-tokens is 0, expected 1 or more"),
    (["--timeout", 0], "--timeout is 0.0, expected seconds above 0"),
    (["--retries", -1], "--retries is -1, expected 0 or more"),
    (["--max-wait", -1], "--max-wait is -1.0, expected 0 seconds or more"),
    (["--price-in", -1], "--price-in is -1.0, expected 0 or more"),
    (["--price-out", "inf"], "--price-out is inf, expected 0 or more"),
    (["--model", " "], "--model is empty"),
    (["--evaluator", " "], "--evaluator is empty"),
    (["--base-url", "host"], "--base-url must be an address"),
    (["--header", "x"], "--header: write NAME=VALUE"),
    (["--parameter", "x"], "--parameter x: write NAME=JSON"),
    (["--parameter", "x=low"], "texts need quotes"),
    (["--parameter", "messages=[]"], "leave it out, the command sets this field itself"),
    (["--replay", "--retry-failed"], "--replay does not go with --retry-failed"),
    (["-o", "out.txt"], "end the name with one of: .csv"),
]


@pytest.mark.parametrize(("options", "words"), CALLS, ids=str)
def test_a_wrong_call_is_told(options: list[object], words: str, judging: Judging) -> None:
    ran = judging("http://127.0.0.1:1", *options)
    assert ran.code == 2
    assert words in ran.err


def test_articles_must_be_given_or_done_without(folder: Path) -> None:
    call = ["judge", "events.jsonl", "--model", "m", "--base-url", "http://127.0.0.1:1"]
    assert run(*call).code == 2
    assert run(*call, "--without-articles", "--dry-run").code == 0
    write_lines(folder / "events.jsonl", [])
    assert run(*call, "--without-articles").code == 3


def test_all_that_is_wrong_with_the_files_is_told_at_once(folder: Path, judging: Judging) -> None:
    (folder / "events.jsonl").write_text('{"id": ""}\nnope\n', encoding="utf-8")
    (folder / "articles.jsonl").write_text('{"id": "a", "published": "x"}\n', encoding="utf-8")
    ran = judging("http://127.0.0.1:1")
    assert ran.code == 3
    assert len(ran.problems) == 3
