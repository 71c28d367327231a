"""The codebook says all that its source says, and a team's own is checked to the last field."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from every import each

from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.errors import DataError, UsageError
from chronoscore.rubric.calibration import both_sides
from chronoscore.rubric.codebook import (
    BUILT_IN,
    Chip,
    Codebook,
    builtin_codebook,
    check_codebook,
    event_quality,
    load_codebook,
)
from chronoscore.rubric.correlation import judged_by_people
from chronoscore.rubric.family import rubric_family
from chronoscore.rubric.judgements import Judgement, Judgements, chip_counts, chips_in
from chronoscore.rubric.templates import guidance

BOOK = event_quality()
ROOT = Path(__file__).parents[2]


def criterion(field: str) -> Any:
    return next(c for c in BOOK.criteria if c.field == field)


def notes(field: str, kind: str) -> str:
    return " ".join(note.text for note in criterion(field).guidance if note.kind == kind)


def label(field: str, value: int) -> str:
    level = next(level for level in criterion(field).values if level.value == value)
    return f"{level.name} {level.label}"


DATE, ROOT_EVENT, TYPE = "Eval_DateCorrect", "Eval_RootEvent", "Eval_EventType"
CLARITY, RELEVANCE = "Eval_EventAmbiguity", "Eval_Relevance"
# What the source states, in a few words; where the codebook has it; words that carry it there.
COUNTERPARTS: list[tuple[str, str, tuple[str, ...]]] = [
    ("for timelines of news events", BOOK.title + BOOK.purpose, ("news", "timeline")),
    ("made by language models, two named", BOOK.purpose, ("models", "Gemini", "GPT")),
    ("a compact rubric used by people", BOOK.purpose, ("short rubric", "people")),
    ("purpose: check the date", BOOK.purpose, ("date",)),
    ("purpose: check the root event", BOOK.purpose, ("root",)),
    ("purpose: check the type", BOOK.purpose, ("type",)),
    ("purpose: check clarity", BOOK.purpose, ("clarity",)),
    ("purpose: check relevance", BOOK.purpose, ("relevance",)),
    ("each event gets a single score", BOOK.purpose, ("one number", "EQS")),
    ("date: question", criterion(DATE).question, ("stated", "worked out", "published")),
    ("date 1: correct and supported", label(DATE, 1), ("right", "supports")),
    ("date 0: wrong, invented, unsupported", label(DATE, 0), ("wrong", "made up", "without")),
    ("date: explicit or inferred", notes(DATE, "rule"), ("writes it down", "relative")),
    (
        "date: three examples of inference",
        notes(DATE, "example"),
        ('"yesterday"', '"last week"', '"on Monday"'),
    ),
    ("date: only if computed correctly", notes(DATE, "example"), ("publication date", "as long")),
    ("root: question", criterion(ROOT_EVENT).question, ("written for",)),
    ("root: drives the story, its trigger", notes(ROOT_EVENT, "rule"), ("set it going",)),
    ("root 1: central", label(ROOT_EVENT, 1), ("root",)),
    (
        "root 0: secondary, context, consequence",
        label(ROOT_EVENT, 0),
        ("secondary", "background", "context", "consequence"),
    ),
    ("root: tip, what caused the story", notes(ROOT_EVENT, "tip"), ("because", "as a rule")),
    ("type: question", criterion(TYPE).question, ("action", "precisely")),
    ("type: three examples", notes(TYPE, "rule"), ("killing", "protest", "election")),
    ("type 1: correct and specific", label(TYPE, 1), ("right", "specific")),
    ("type 0: wrong, generic, misleading", label(TYPE, 0), ("wrong", "general", "misleading")),
    ("type: murdered is killing", notes(TYPE, "example"), ("murdered", "`killing`", "`crime`")),
    ("ambiguity: question", criterion(CLARITY).question, ("clear",)),
    ("ambiguity: clear and specific", notes(CLARITY, "rule"), ("specific",)),
    ("ambiguity 1: high, who or what lacks", label(CLARITY, 1), ("high", "vague", "who or what")),
    ("ambiguity 2: moderate", label(CLARITY, 2), ("moderate", "understood", "imprecise")),
    ("ambiguity 3: low", label(CLARITY, 3), ("low", "clear", "all that is needed")),
    ("relevance: question", criterion(RELEVANCE).question, ("story", "need")),
    ("relevance 1: can be removed", label(RELEVANCE, 1), ("low", "left out")),
    ("relevance 2: helps", label(RELEVANCE, 2), ("medium", "helps", "not central")),
    ("relevance 3: breaks without it", label(RELEVANCE, 3), ("high", "central", "falls apart")),
    ("relevance: by narrative, not morals", notes(RELEVANCE, "note"), ("morally", "narrative")),
    ("score from 0 to 1", BOOK.score_guidance[0], ("0 to 1",)),
    ("score: weights are recommended", BOOK.score_guidance[0], ("recommendation",)),
    ("score: the date weighs most", BOOK.score_guidance[0], ("date weighs most",)),
    ("score: binary ones stay", BOOK.score_guidance[1], ("0 or 1",)),
    ("score: 1 to 3 becomes 0 to 1", BOOK.score_guidance[1], ("taking away 1", "halving")),
    ("comment: free text", BOOK.comment_guidance, ("Free text",)),
    ("guideline: nothing beyond the text", BOOK.guidelines[0], ("article", "does not count")),
    ("guideline: inference needs support", BOOK.guidelines[1], ("wording", "publication date")),
    ("guideline: narrative, consistency", BOOK.guidelines[2], ("story", "alike")),
    ("guideline: tell of discretion", BOOK.guidelines[3], ("comment", "decide")),
    ("tip: calibrate together first", BOOK.calibration, ("same small batch", "together")),
]


@each(("where", "words"), [pytest.param(b, c, id=a) for a, b, c in COUNTERPARTS])
def test_every_statement_of_the_source_has_its_counterpart(
    where: str, words: tuple[str, ...]
) -> None:
    for word in words:
        assert word in where


def test_fields_scales_and_weights_are_those_of_the_source() -> None:
    told = [(c.field, c.allowed, c.weight) for c in BOOK.criteria]
    assert told == [
        (DATE, (0, 1), "2"),
        (ROOT_EVENT, (0, 1), "1.5"),
        (TYPE, (0, 1), "1"),
        (CLARITY, (1, 2, 3), "0.75"),
        (RELEVANCE, (1, 2, 3), "0.75"),
    ]
    assert BOOK.comment == "Comment"
    assert BOOK.source
    assert BOOK.version


def test_the_four_frequent_comments_are_chips() -> None:
    assert {chip.text: chip.field for chip in BOOK.chips} == {
        "date wrongly inferred": DATE,
        "actor missing": CLARITY,
        "wrong root event": ROOT_EVENT,
        "wrong type": TYPE,
    }
    assert len({chip.key for chip in BOOK.chips}) == 4


def test_chips_are_counted_once_a_judgement() -> None:
    comments = ["Wrong type; wrong type", "actor missing; wrong type", "", "fine"]
    judged = [
        Judgement(str(n), "ana", (1, 1, 1, 3, 3), comment=comment)
        for n, comment in enumerate(comments)
    ]
    assert chip_counts(Judgements.of(judged, 5), BOOK) == {
        "date wrongly inferred": 0,
        "actor missing": 1,
        "wrong root event": 0,
        "wrong type": 2,
    }
    assert chips_in("nothing", BOOK) == []


@pytest.mark.parametrize(
    ("comment", "chip"),
    [
        ("Incorrect inferred date", "date wrongly inferred"),
        ("Missing actor", "actor missing"),
        ("Root event misassigned", "wrong root event"),
        ("Misclassified type", "wrong type"),
        ("\u201cMISSING  actor\u201d!", "actor missing"),
        ("I think: wrong-type.", "wrong type"),
    ],
)
def test_other_wordings_count_as_their_chip(comment: str, chip: str) -> None:
    assert chips_in(comment, BOOK) == [chip]
    judged = Judgements.of([Judgement("e", "ana", (1, 1, 1, 3, 3), comment=comment)], 5)
    assert {text: n for text, n in chip_counts(judged, BOOK).items() if n} == {chip: 1}


def test_words_of_two_clauses_are_no_chip() -> None:
    assert chips_in("Wrong. Type is fine; the actor, missing a name", BOOK) == []


def test_a_chip_of_another_script_is_found_in_a_sentence() -> None:
    book = msgspec.structs.replace(BOOK, chips=(Chip("x", "\u65e5\u671f\u9519\u8bef"),))
    assert chips_in("\u8fd9\u4e2a\u65e5\u671f\u9519\u8bef\u4e86", book)


def test_the_page_and_the_guidance_hold_every_text() -> None:
    page = (ROOT / "docs" / "codebook.md").read_text(encoding="utf-8")
    texts = [BOOK.purpose, *BOOK.score_guidance, BOOK.comment_guidance, *BOOK.guidelines]
    texts += [BOOK.calibration, BOOK.source, *(chip.text for chip in BOOK.chips)]
    for item in BOOK.criteria:
        texts += [item.question, *(level.label for level in item.values)]
        texts += [note.text for note in item.guidance]
    for text in texts:
        assert text in guidance(BOOK)
        assert text in page


def test_the_schema_accepts_the_built_in_codebook_and_refuses_what_is_amiss() -> None:
    checker = jsonschema.Draft202012Validator(msgspec.json.schema(Codebook))
    raw = msgspec.to_builtins(BOOK)
    raw = json.loads(json.dumps(raw))
    assert not list(checker.iter_errors(raw))
    del raw["criteria"][0]["weight"]
    raw["criteria"][1]["scale"] = "loud"
    assert len(list(checker.iter_errors(raw))) == 2


def own() -> dict[str, Any]:
    """A small codebook of a team's own."""
    levels = [{"value": 0, "label": "no"}, {"value": 1, "label": "yes"}]
    made = {
        "name": "ours",
        "version": "2",
        "title": "Our own",
        "source": "",
        "score": "Q",
        "comment": "Note",
        "criteria": [
            {"field": "A", "name": "a", "weight": "1", "scale": "nominal", "question": "A?"}
            | {"values": levels},
            {"field": "B", "name": "b", "weight": "1/3", "scale": "nominal", "question": "B?"}
            | {"values": levels},
        ],
    }
    copy: dict[str, Any] = json.loads(json.dumps(made))  # nothing in it is shared
    return copy


def load(raw: object, folder: Path) -> tuple[Any, Problems]:
    path = folder / "codebook.json"
    path.write_text(raw if isinstance(raw, str) else json.dumps(raw), encoding="utf-8")
    problems = Problems()
    return load_codebook(source_of(path), problems), problems


def test_a_teams_own_codebook_is_read(tmp_path: Path) -> None:
    book, problems = load(own(), tmp_path)
    assert book.quality((1, 0)) * 4 == 3
    assert book.denominator == 4
    assert not problems.notices


def test_the_built_in_codebook_passes_its_own_checks(tmp_path: Path) -> None:
    book, problems = load(msgspec.to_builtins(BOOK), tmp_path)
    assert book == BOOK
    assert not problems.notices


def test_unknown_fields_are_told_at_any_depth(tmp_path: Path) -> None:
    raw = own()
    raw["colour"] = 1
    raw["criteria"][1]["guidence"] = []
    raw["criteria"][0]["values"] = [{"value": 0, "label": "no", "lable": ""}, *own_levels()[1:]]
    _, problems = load(raw, tmp_path)
    told = [notice.message for notice in problems.notices]
    assert told == [
        "criteria[0].values[0]: unknown field 'lable' is ignored; did you mean 'label'?",
        "criteria[1]: unknown field 'guidence' is ignored; did you mean 'guidance'?",
        "unknown field 'colour' is ignored",
    ]


def own_levels() -> list[dict[str, Any]]:
    levels: list[dict[str, Any]] = own()["criteria"][0]["values"]
    return levels


def put(*path: Any) -> Callable[[dict[str, Any]], None]:
    """A change that sets what lies at the end of a path."""

    def change(raw: dict[str, Any]) -> None:
        *way, last, value = path
        inner: Any = raw
        for step in way:
            inner = inner[step]
        inner[last] = value

    return change


WRONG: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "no criteria": (put("criteria", []), "there are no criteria"),
    "empty name": (put("name", " "), "name is empty"),
    "score not a word": (put("score", "my score"), "score is 'my score'"),
    "same field twice": (put("criteria", 1, "field", "a "), "are the same in a sheet"),
    "field of the comment": (put("comment", "b"), "are the same in a sheet"),
    "field of a sheet": (put("criteria", 1, "field", "Event ID"), "another meaning in a sheet"),
    "same name twice": (put("criteria", 1, "name", "A"), "the name 'a' is used twice"),
    "name of the score": (put("criteria", 1, "name", "q"), "the name 'q' is used twice"),
    "name with a blank": (put("criteria", 1, "name", "b b"), "criteria[1].name is 'b b'"),
    "one value": (put("criteria", 0, "values", own_levels()[:1]), "there are 1 values"),
    "no value": (put("criteria", 0, "values", []), "there are 0 values, expected at least 2"),
    "value twice": (put("criteria", 0, "values", [own_levels()[0]] * 2), "the value 0 is there"),
    "empty label": (put("criteria", 0, "values", 0, "label", ""), "a label is empty"),
    "value not whole": (put("criteria", 0, "values", 0, "value", 0.5), "expected a whole number"),
    "value true": (put("criteria", 0, "values", 0, "value", True), "expected a whole number"),
    "weight a word": (put("criteria", 0, "weight", "much"), "criteria[0].weight is 'much'"),
    "weight a number": (put("criteria", 0, "weight", 2), "put it in quotes"),
    "weight not finite": (put("criteria", 0, "weight", "nan"), "criteria[0].weight is 'nan'"),
    "weight negative": (put("criteria", 0, "weight", "-1"), "expected a number of 0 or more"),
    "weight over nothing": (put("criteria", 0, "weight", "1/0"), "criteria[0].weight is '1/0'"),
    "unknown scale": (put("criteria", 0, "scale", "loud"), "criteria[0].scale"),
    "three nominal values": (
        put("criteria", 0, "values", [*own_levels(), {"value": 2, "label": "maybe"}]),
        "a score needs an order",
    ),
    "no question": (put("criteria", 0, "question", ""), "criteria[0].question is empty"),
    "long key": (put("chips", [{"key": "ab", "text": "x"}]), "expected one character"),
    "key twice": (put("chips", [{"key": "a", "text": t} for t in "xy"]), "the key 'a' is there"),
    "text twice": (put("chips", [{"key": k, "text": "x"} for k in "ab"]), "the text 'x' is there"),
    "no words": (
        put("chips", [{"key": "a", "text": "??"}]),
        "chips[0].text is '??', expected some",
    ),
    "alias without words": (
        put("chips", [{"key": "a", "text": "x", "aliases": [" "]}]),
        "chips[0].aliases[0] is ' ', expected some words",
    ),
    "alias of another chip": (
        put("chips", [{"key": "a", "text": "x", "aliases": ["Y!"]}, {"key": "b", "text": "y"}]),
        "the text 'y' is there twice",
    ),
    "chip of nothing": (
        put("chips", [{"key": "a", "text": "x", "field": "Z"}]),
        "which no criterion has",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_a_codebook_is_said(case: str, tmp_path: Path) -> None:
    change, expected = WRONG[case]
    raw = own()
    change(raw)
    with pytest.raises(DataError) as raised:
        load(raw, tmp_path)
    messages = [problem.message for problem in raised.value.problems]
    assert len(messages) == 1, messages
    assert expected in messages[0]
    assert raised.value.problems[0].code


def test_weights_that_sum_to_nothing_are_refused(tmp_path: Path) -> None:
    raw = own()
    for item in raw["criteria"]:
        item["weight"] = "0.0"
    with pytest.raises(DataError, match="the weights sum to 0"):
        load(raw, tmp_path)


def test_all_problems_of_a_codebook_are_listed_at_once(tmp_path: Path) -> None:
    raw = own()
    raw["criteria"][0] |= {"weight": "x", "values": [], "question": ""}
    raw["version"] = ""
    with pytest.raises(DataError) as raised:
        load(raw, tmp_path)
    assert len(raised.value.problems) == 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", "one JSON object"),
        ("{", "ends too early"),
        ("", "empty"),
        ('{"name": "a", "name": "b"}', "twice"),
        ("{}", "there is no 'criteria'"),
    ],
)
def test_a_file_that_is_no_codebook(text: str, expected: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=expected):
        load(text, tmp_path)


def test_verdicts_on_pairs_have_no_order_and_so_no_score() -> None:
    pairs = builtin_codebook("pairs")
    assert [(column.name, column.is_ordered) for column in pairs.columns] == [("verdict", False)]
    table = Judgements.of([Judgement("e1", "ana", (2,))], 1)
    for ask in (
        lambda: pairs.quality((1,)),
        lambda: pairs.denominator,
        lambda: rubric_family(pairs),
        lambda: both_sides(table, pairs, Problems()),
        lambda: judged_by_people(table, pairs, "verdict"),
    ):
        with pytest.raises(UsageError, match="has no score"):
            ask()


def test_every_other_built_in_codebook_has_a_score() -> None:
    scored = [name for name in BUILT_IN if builtin_codebook(name).has_score]
    assert scored == ["event-quality", "support"]
    for name in scored:
        assert [*check_codebook(builtin_codebook(name))] == []


def test_a_codebook_of_ones_own_still_needs_an_order() -> None:
    findings = [*check_codebook(builtin_codebook("pairs"))]
    assert [code for code, _, _ in findings] == ["bad_scale"]
