"""The parameters of annotation metrics and the choices of reading, and the questions they ask.

A question says which annotations of the two sides take part, and when two of them are equal. The
parser, the help, the catalogue and the options of the command line use the declarations.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any, Literal, TypeAlias, get_args

from chronoscore.annotations.model import FeatureValue, written
from chronoscore.core.metric import CommandOption, Parameter, Values
from chronoscore.errors import UsageError

FeatureComparison = Literal["equal", "text", "subsumes", "span"]
"""Compare by value and kind; as text; only features that the target has; or nothing but spans."""
Containment = Literal["overlapping", "contained", "coextensive"]
NilTreatment = Literal["none", "absent", "clusters"]
Comparable: TypeAlias = tuple[type, object] | str | None
Profile: TypeAlias = tuple[str, tuple[Comparable, ...]]

EVERY_SET = "*"
UNSCORED = "none"
"""Stands for a score's name where candidates keep the order of their list."""


@dataclass(frozen=True, kw_only=True)
class SpanQuestion:
    """Which annotations take part, and what is compared. Equal questions share one comparison.

    ``types`` are names that both sides share, or ``K=R`` for a type that is K in the gold and R in
    the prediction; none means all types. ``features`` are compared for every type,
    or only for one, as ``Type:feature``, and may have two names as well. ``within`` is
    ``set:type``: only spans at an annotation of that type, in that set of the gold document, take
    part. ``min_overlap`` is the percentage of a target that a response must cover to overlap it; 0
    means one character.
    """

    types: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    compare: FeatureComparison = "equal"
    gold_set: str = EVERY_SET
    predicted_set: str = EVERY_SET
    within: str = ""
    containment: Containment = "overlapping"
    nil: NilTreatment = "none"
    nil_value: str = "NIL"
    min_overlap: float = 0.0

    def __post_init__(self) -> None:
        type_map(self.types)
        compared_features(self.features)
        if self.within and self.within.count(":") < 1:
            raise UsageError(f"'{self.within}' is not set:type, such as Key:Sentence")


@dataclass(frozen=True)
class Selection(SpanQuestion):
    """Which annotations are lists, candidates and targets, and when a candidate equals a target.

    An empty type means any target but a list, or any candidate; their types must then agree. If
    both types are set, a candidate of the one type can equal a target of the other. With
    ``nil=absent``, targets and candidates whose first feature is ``nil_value`` are left out.
    ``types`` and ``min_overlap`` are not used.
    """

    list_type: str
    edge: str
    score: str = UNSCORED
    key_type: str = ""
    element_type: str = ""


def type_map(types: Sequence[str]) -> dict[str, str]:
    """Return the gold's name of each type of the prediction.

    >>> type_map(["Place", "Person=Per"])
    {'Place': 'Place', 'Per': 'Person'}
    """
    gold_names: dict[str, str] = {}
    for text in types:
        gold, equals, predicted = text.partition("=")
        predicted = predicted if equals else gold
        if not gold or not predicted:
            raise UsageError(f"'{text}' is not a type, or GOLD=PREDICTED")
        if gold in gold_names.values() or predicted in gold_names:
            raise UsageError(f"a type is named twice: '{text}'")
        gold_names[predicted] = gold
    return gold_names


@dataclass(frozen=True)
class ComparedFeatures:
    """Which features are compared: (name in the gold, name in the prediction)."""

    common: tuple[tuple[str, str], ...]
    special: Mapping[str, tuple[tuple[str, str], ...]]

    def of(self, type_: str) -> tuple[tuple[str, str], ...]:
        """Return the features of a type, by its name in the gold."""
        return (*self.common, *self.special.get(type_, ()))

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The features of all types together."""
        return (*self.common, *chain.from_iterable(self.special.values()))


def compared_features(features: Sequence[str]) -> ComparedFeatures:
    """Return the features compared for every type, and those for one type only.

    >>> compared = compared_features(["id", "Person:gender", "class=kind"])
    >>> compared.common, compared.special
    ((('id', 'id'), ('class', 'kind')), {'Person': (('gender', 'gender'),)})
    """
    if len(set(features)) != len(features):
        raise UsageError(f"a feature is listed twice: {', '.join(features)}")
    common: list[tuple[str, str]] = []
    special: dict[str, tuple[tuple[str, str], ...]] = {}
    for text in features:
        type_, colon, name = text.rpartition(":")
        gold, equals, predicted = name.partition("=")
        if (colon and not type_) or not gold or (equals and not predicted):
            raise UsageError(f"'{text}' is not a feature, TYPE:FEATURE, or GOLD=PREDICTED")
        pair = (gold, predicted or gold)
        if colon:
            special[type_] = (*special.get(type_, ()), pair)
        else:
            common.append(pair)
    return ComparedFeatures(tuple(common), special)


def profiler(
    question: SpanQuestion, side: int = 0
) -> Callable[[str, Mapping[str, FeatureValue]], Profile]:
    """Return a function that gives the profile of an annotation: its type and compared features.

    ``equal``: both have the value or both lack it, and kinds count: 1, 1.0, "1" and True are four
    values. ``text``: the same, of the values as GATE prints them ("1", "1.0", "1", "true"). A
    feature without a value (None) is absent. The side is 0 for the gold and 1 for the prediction,
    whose features may have other names.
    """
    features = compared_features(question.features)
    text = question.compare == "text"
    if question.compare == "span":
        return lambda *_: ("", ())

    def profile(type_: str, values: Mapping[str, FeatureValue]) -> Profile:
        names = features.of(type_)
        return type_, tuple([_comparable(values.get(pair[side]), text) for pair in names])

    return profile


def agree(target: Profile, response: Profile, how: FeatureComparison) -> bool:
    """Whether a response equals a target, by their profiles.

    With ``subsumes``, the features that the target has must be in the response with an equal value;
    features that only the response has are allowed.
    """
    if how != "subsumes":
        return target == response
    return target[0] == response[0] and all(
        expected is None or expected == actual
        for expected, actual in zip(target[1], response[1], strict=True)
    )


def _comparable(value: FeatureValue, text: bool) -> Comparable:
    if value is None:
        return None
    if text:
        return written(value)
    if isinstance(value, list | tuple):
        return (list, tuple(_comparable(item, text) for item in value))
    # Not-a-number equals itself here: a copy of the gold must be equal to the gold.
    return (float, "nan") if value != value else (type(value), value)  # noqa: PLR0124


def _check_percentage(number: str) -> None:
    if not 0 <= float(number) <= 100:
        raise UsageError(
            f"parameter 'min_overlap' is {number}, expected a percentage from 0 to 100"
        )


GRIDS: Mapping[str, tuple[float, ...]] = {
    "11": tuple(n / 10 for n in range(11)),
    "21": tuple(n / 20 for n in range(21)),
    # As in the GATE plugin: its name promises 0 to 1, but its steps cover a tenth of that.
    "51": (*(n / 500 for n in range(50)), 1.0),
}
"""The thresholds of a curve that do not depend on the scores."""


def threshold_grid(kind: str) -> tuple[float, ...] | None:
    """Return the numbers of a grid, or None if they come from the scores (``all``, ``rounded``)."""
    kinds = ("all", "rounded", *GRIDS)
    if kind in kinds:
        return GRIDS.get(kind)
    try:
        numbers = tuple(float(text) for text in kind.split("/"))
    except ValueError:
        numbers = ()
    if not numbers or not all(map(math.isfinite, numbers)):
        raise UsageError(
            f"thresholds are '{kind}', expected {', '.join(kinds)}, or numbers such as 0.5/0.9"
        )
    return numbers


STRATEGIES = ("best", "gate", "response-order", "target-order")
ALIGNMENTS = ("share", "characters")
LOSSES = ("0-1", "lenient-0-1")

_DEFAULTS = SpanQuestion()


def _question_parameter(
    name: str,
    kind: Literal["number", "word", "words"],
    meaning: str,
    metavar: str | None = None,
    choices: tuple[str, ...] = (),
    check: Callable[[str], object] | None = None,
    needs: tuple[str, ...] = (),
) -> Parameter:
    """Declare the parameter of a field of `SpanQuestion`, with the default of the field."""
    default, option = getattr(_DEFAULTS, name), CommandOption(metavar=metavar, needs=needs)
    return Parameter(name, kind, default, meaning, choices, check=check, option=option)


_NIL = "where the first feature is nil_value, none: that is a value; absent: the span is left out"
_SCORED_ONLY = ("matching=scored",)
MATCHING = (
    Parameter(
        "matching",
        "word",
        "best",
        "which response belongs to which target: the lexicographic optimum, the greedy one of the "
        "GATE plugin, response after response, target after target, or by a score of pairs",
        (*STRATEGIES, "scored"),
        option=CommandOption(),
    ),
    Parameter(
        "alignment",
        "function",
        "share",
        "the score of a pair for matching=scored: the share of text in common, its characters, or "
        "your own function of two annotations, as ./file.py:function",
        ALIGNMENTS,
        option=CommandOption(metavar="NAME", needs=_SCORED_ONLY),
    ),
    Parameter(
        "candidates",
        "word",
        "overlap",
        "for matching=scored: pairs that overlap, or all",
        ("overlap", "all"),
        option=CommandOption(needs=_SCORED_ONLY),
    ),
)
QUESTION = (
    _question_parameter(
        "features",
        "words",
        "a feature that must agree beside the type; TYPE:FEATURE for one type only, GOLD=PREDICTED "
        "where names differ",
        "NAME",
    ),
    _question_parameter(
        "compare",
        "word",
        "how features are compared: the same value and kind, the same as text, only those that "
        "the gold has, or not even the type",
        choices=get_args(FeatureComparison),
    ),
    _question_parameter(
        "types", "words", "a type that takes part, GOLD=PREDICTED where names differ", "TYPE"
    ),
    _question_parameter("gold_set", "word", "the annotation set of the gold, * for all", "SET"),
    _question_parameter(
        "predicted_set", "word", "the annotation set of the prediction, * for all", "SET"
    ),
    _question_parameter(
        "within",
        "word",
        "only spans at annotations of this SET:TYPE of the gold document",
        "SET:TYPE",
        check=lambda word: SpanQuestion(within=word),
    ),
    _question_parameter(
        "containment",
        "word",
        "for within: how spans must lie to those annotations",
        choices=get_args(Containment),
        needs=("within",),
    ),
    _question_parameter(
        "nil",
        "word",
        f"{_NIL}; clusters: it starts with the name of a cluster",
        choices=get_args(NilTreatment),
    ),
    _question_parameter("nil_value", "word", "what stands for no value", "TEXT", needs=("nil",)),
    _question_parameter(
        "min_overlap",
        "number",
        "the percentage of a target that a response must cover for the two to overlap; 0: any part",
        "PERCENT",
        check=_check_percentage,
    ),
)
BETA = Parameter(
    "beta",
    "number",
    1.0,
    "F weighs recall beta times as much as precision",
    least=0,
    option=CommandOption(),
)
LOSS = Parameter(
    "loss",
    "function",
    "0-1",
    "1 for all that is not strictly correct (0-1), or not correct (lenient-0-1), or your own "
    "function of a gold annotation or None and a response or None, as ./file.py:function",
    LOSSES,
    option=CommandOption(metavar="NAME"),
)
THRESHOLDS = Parameter(
    "thresholds",
    "word",
    "all",
    "every score that occurs, these rounded to 0.01, the plugin's grids 11, 21 and 51, "
    "or numbers such as 0.5/0.9",
    check=threshold_grid,
    option=CommandOption(
        "Also score thresholds: all, rounded, 11, 21, 51, or numbers such as 0.5/0.9.", "WHICH"
    ),
)


def _list_parameter(name: str, default: str, meaning: str, metavar: str) -> Parameter:
    return Parameter(name, "word", default, meaning, option=CommandOption(metavar=metavar))


SELECTING = (
    _list_parameter("list", "List", "the type of annotations that hold candidates", "TYPE"),
    _list_parameter(
        "edge", "ids", "the feature that holds the ids of a list's candidates", "FEATURE"
    ),
    _list_parameter(
        "score",
        "score",
        f"the feature to rank by, or the annotation's own score; {UNSCORED}: as listed",
        "FEATURE",
    ),
    _list_parameter(
        "key", "", "the type of targets; empty means any, and types must agree", "TYPE"
    ),
    _list_parameter("element", "", "the type of candidates; others in a list are left out", "TYPE"),
    *(
        # Lists have no NIL clusters.
        replace(parameter, meaning=_NIL, choices=("none", "absent"))
        if parameter.name == "nil"
        else parameter
        for parameter in QUESTION
        if parameter.name not in ("types", "min_overlap")
    ),
)


def _field_values(kind: type[SpanQuestion], values: Values) -> dict[str, Any]:
    return {field.name: values[field.name] for field in fields(kind) if field.name in values}


def question_of(values: Values) -> SpanQuestion:
    """Return the question that the parameters of a metric of spans ask."""
    return SpanQuestion(**_field_values(SpanQuestion, values))


def selection_of(values: Values) -> Selection:
    """Return the lists, candidates and targets that the parameters of a metric of lists select."""
    types: dict[str, Any] = {f"{name}_type": values[name] for name in ("list", "key", "element")}
    return Selection(**_field_values(Selection, values), **types)


# The reading choices of annotations, declared once for settings, command line and help.


MISSING = Parameter.choice(
    "missing", "What a missing document is (default: empty).", ("empty", "skip", "error")
)
MATCH_BY = Parameter.choice(
    "match_by",
    "How documents of two folders are matched: by path in the folder (default), file name, the "
    "name stored inside, place in order, or text.",
    ("path", "name", "stored", "index", "digest"),
)
OPTIONS = (MISSING, MATCH_BY)
FORMATS = (
    *("jsonl", "events", "prodigy", "gate-xml", "bdoc", "brat", "timeml", "tsv"),
    *("conll", "conlleval", "iob1", "iob2", "ioe2", "iobes", "bilou"),
)
"""The formats that are read, by name."""
WRITTEN = ("bdoc", "brat", "jsonl")
"""The formats that are written."""
