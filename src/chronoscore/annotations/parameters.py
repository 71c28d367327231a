"""The parameters that metrics of spans share, and what they say of a comparison."""

from collections.abc import Callable
from typing import Any

from chronoscore.annotations.counting import Compared
from chronoscore.annotations.pairs import Pairs
from chronoscore.annotations.question import EVERY_SET, Question
from chronoscore.annotations.scored import ALIGNMENTS, scored
from chronoscore.annotations.strategies import STRATEGIES
from chronoscore.core.errors import UsageError
from chronoscore.core.metric import Parameter, Values, text_of

COMPARISONS = ("equal", "text", "subsumes", "span")
CONTAINMENTS = ("overlapping", "contained", "coextensive")
NIL = ("none", "absent", "clusters")
CANDIDATES = ("overlap", "all")


def one_of(name: str, *choices: str) -> Callable[[str], None]:
    """A check that a word is one of some, where trying them all alone would show nothing."""

    def check(word: str) -> None:
        if word not in choices:
            raise UsageError(
                f"parameter '{name}' is '{word}', expected one of: {', '.join(choices)}"
            )

    return check


def _check_within(word: str) -> None:
    Question(within=word)


def _check_percentage(number: str) -> None:
    if not 0 <= float(number) <= 100:
        raise UsageError(
            f"parameter 'min_overlap' is {number}, expected a percentage from 0 to 100"
        )


MATCHING = (
    Parameter(
        "matching",
        "word",
        "best",
        "which response belongs to which target: the lexicographic optimum, the greedy one of the "
        "GATE plugin, response after response, target after target, or by a score of pairs",
        (*STRATEGIES, "scored"),
    ),
    Parameter(
        "alignment",
        "function",
        "share",
        "the score of a pair for matching=scored: the share of text in common, its characters, or "
        "your own function of two annotations",
        tuple(ALIGNMENTS),
    ),
    Parameter(
        "candidates",
        "word",
        "overlap",
        "for matching=scored: pairs that overlap, or all",
        check=one_of("candidates", *CANDIDATES),
    ),
)
QUESTION = (
    Parameter(
        "features",
        "words",
        (),
        "features that must agree beside the type; TYPE:FEATURE for one type only, GOLD=PREDICTED "
        "where names differ",
    ),
    Parameter(
        "compare",
        "word",
        "equal",
        "how: the same value and kind, the same as text, only those that the gold has, or not "
        "even the type",
        COMPARISONS,
    ),
    Parameter("types", "words", (), "types that take part, GOLD=PREDICTED where names differ"),
    Parameter("gold_set", "word", EVERY_SET, "the annotation set of the gold, * for all"),
    Parameter(
        "predicted_set", "word", EVERY_SET, "the annotation set of the prediction, * for all"
    ),
    Parameter(
        "within",
        "word",
        "",
        "only spans at annotations of this SET:TYPE of the gold document",
        check=_check_within,
    ),
    Parameter(
        "containment",
        "word",
        "overlapping",
        f"for within: {', '.join(CONTAINMENTS)}",
        check=one_of("containment", *CONTAINMENTS),
    ),
    Parameter(
        "nil",
        "word",
        "none",
        "what a first feature of nil_value is: a value like any other (none), left out (absent), "
        "or the start of a cluster's name (clusters)",
        check=one_of("nil", *NIL),
    ),
    Parameter("nil_value", "word", "NIL", "what stands for no value"),
    Parameter(
        "min_overlap",
        "number",
        0.0,
        "the percentage of a target that a response must cover for the two to overlap; 0: any part",
        check=_check_percentage,
    ),
)
BETA = Parameter("beta", "number", 1.0, "F weighs recall beta times as much as precision", least=0)


def question_of(values: Values) -> Question:
    """The question that the parameters ask."""
    known: dict[str, Any] = {p.name: values[p.name] for p in QUESTION if p.name in values}
    return Question(**known)


def matched_by(compared: Compared, values: Values) -> Pairs:
    """The pairs that are taken, as the parameters want it."""
    if values["matching"] == "scored":
        if values["candidates"] == "all" and compared.question.min_overlap:
            raise UsageError("min_overlap is of pairs that overlap: candidates=all takes all pairs")
        return scored(compared, text_of(values, "alignment"), str(values["candidates"]))
    return compared.matched(str(values["matching"]))
