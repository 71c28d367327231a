"""A case is one gold and one prediction with an id and tags: what a metric measures once."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from chronoscore.core.problems import Fact, Problems, escaped
from chronoscore.core.sources import Source

Gold = TypeVar("Gold")
Predicted = TypeVar("Predicted")
Item = TypeVar("Item")
Missing = Literal["empty", "skip", "error"]


class Case(msgspec.Struct, Generic[Gold, Predicted], frozen=True):
    """One gold/prediction pair. Tags name the groups it belongs to (its topic, its gold, ...)."""

    id: str
    gold: Gold
    predicted: Predicted
    tags: Mapping[str, str] = {}


_encode = msgspec.json.Encoder(order="sorted").encode


def digest(value: object) -> str:
    """Sixteen hexadecimal digits that stand for the content of one side of a case."""
    return digest_each([value])[0]


def digest_each(values: Iterable[object]) -> list[str]:
    """Return the digest of each value."""
    encode, sha256 = _encode, hashlib.sha256
    return [sha256(encode(value)).hexdigest()[:16] for value in values]


_GOLDS, _PREDICTIONS, _PAIRS = "golds", "predictions", "pairs of gold and prediction"
_FORBIDDEN = "missing predictions that are an error"
_NO_PREDICTION, _NO_GOLD = "no prediction", "no gold"
_CONSEQUENCE: Mapping[Missing, str] = {
    "empty": "counted as empty",
    "skip": "left out of the score",
    "error": "missing",
}


def reconcile(
    gold: Mapping[str, Gold],
    predicted: Mapping[str, Predicted],
    problems: Problems,
    *,
    what: str,
    system: str,
    missing: Missing = "empty",
    keys: Mapping[str, str] | None = None,
) -> dict[str, tuple[Gold, Predicted | None]]:
    """Pair golds with predictions by id, and report those without a partner.

    `keys` are the topics, or the like, of the golds where one has several; a topic of which no gold
    has a prediction is reported once.

    A missing prediction counts as an empty one, since leaving it out would reward leaving things
    out; ``missing="skip"`` gives the behaviour of scorers that do. It is returned as None.
    `check_pairs` reports the problems that only show once all chunks of a run are known.
    """
    absent, surplus = sorted(gold.keys() - predicted.keys()), sorted(predicted.keys() - gold.keys())
    for fact, number in (
        (_GOLDS, len(gold)),
        (_PREDICTIONS, len(predicted)),
        (_PAIRS, len(gold) - len(absent)),
        (_FORBIDDEN, len(absent) if missing == "error" else 0),
    ):
        problems.facts[fact, what, system] += number
    keys = keys or {}
    predicted_keys = {keys.get(name, name) for name in gold.keys() & predicted.keys()}
    absent_keys = {keys.get(name, name) for name in absent} - predicted_keys
    single = [name for name in absent if keys.get(name, name) in predicted_keys]
    for code, counted, names, consequence in (
        (_NO_PREDICTION, what, sorted(absent_keys), _CONSEQUENCE[missing]),
        (_NO_PREDICTION, "gold", single, _CONSEQUENCE[missing]),
        (_NO_GOLD, what, surplus, "not scored"),
    ):
        problems.count(
            f"{escaped(system)}: {code} for {{count}} {counted}{{s}}, {consequence}: {{some}}",
            [(0, name) for name in names],
            code=(code, what, system),
        )
    ids = sorted(gold) if missing == "empty" else sorted(gold.keys() & predicted.keys())
    return {name: (gold[name], predicted.get(name)) for name in ids}


def check_pairs(problems: Problems, *, pairs_left_out: bool = False) -> None:
    """Report systems without any pair of gold and prediction, and forbidden missing predictions.

    Where bad pairs were left out, it is not reported that the others have no pair.
    """
    for (fact, *about), golds in list(problems.facts.items()):
        if fact != _GOLDS:
            continue
        what, system = about
        number = {kind: problems.facts[kind, what, system] for kind in (_PREDICTIONS, _PAIRS)}
        if not golds and not pairs_left_out:
            problems.problem(f"{system}: there is no gold {what} to score against")
        elif number[_PREDICTIONS] and not number[_PAIRS] and not pairs_left_out:
            (no_prediction,) = problems.withdraw((_NO_PREDICTION, what, system))
            (no_gold,) = problems.withdraw((_NO_GOLD, what, system))
            problems.problem(
                f"{system}: no {what} has both a gold and a prediction: "
                f"the gold has {no_prediction.some}, the prediction has {no_gold.some}"
            )
        elif problems.facts[_FORBIDDEN, what, system]:
            for notice in problems.withdraw((_NO_PREDICTION, what, system)):
                problems.problem(notice.problem().message)


def some(names: list[str]) -> str:
    """Name the first few names, and say how many more there are."""
    shown = ", ".join(names[:5])
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")


# To which case a line of JSON belongs: only the fields that decide this are decoded.


@dataclass(frozen=True)
class CaseKeys:
    """How a family recognises the case of a line, so that large files can be cut into chunks."""

    fields: type[msgspec.Struct]
    """The fields of a line that this takes; all others are skipped."""
    case: Callable[[Any], str]
    """From these fields to the key of the case; empty if the line names none."""
    event: Callable[[Any], object] = lambda _: None
    """From these fields to the id of an event; no text where the line is no event."""
    name: Callable[[Any], str] | None = None
    """From these fields to the name of a gold, or of a prediction, where a case may have several;
    empty if the line names none."""
    named_by_file: bool = True
    """Whether lines that name no case are of the case that their file is named after."""

    def decoder(self) -> Callable[[bytes], Any]:
        """Return a function that decodes the fields of a line, or gives None if it can't."""
        decode = msgspec.json.Decoder(self.fields).decode

        def fields_of(line: bytes) -> Any:
            try:
                return decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                return None

        return fields_of

    def event_id(self, fields: Any) -> str | None:
        """Return the id of an event; None where the line is no event."""
        value = self.event(fields)
        return value if isinstance(value, str) else None


def text_or_empty(value: Any) -> str:
    """Return a key that is text; anything else becomes empty, which names no case."""
    return value if isinstance(value, str) else ""


class TopicLine(msgspec.Struct, gc=False):
    """The fields of an event that identify it, its topic and its timeline."""

    id: str | int | float | bool | UnsetType | None = UNSET
    topic: str | UnsetType = UNSET
    timeline: Any = UNSET


BY_TOPIC = CaseKeys(
    TopicLine,
    case=lambda line: text_or_empty(line.topic),
    event=lambda line: line.id,
    name=lambda line: text_or_empty(line.timeline),
)
"""Events belong to their topic."""


# Golds and predictions by name, paired into cases.


ONLY = "1"
"""The name of a thing's gold where nothing names it."""
CEILING = "(golds)"
"""The system whose predictions are the golds themselves."""
OTHER_GOLDS = "(other golds)"
"""The same in families that show it in every table."""


def given_once(sources: Iterable[Source], problems: Problems) -> list[Source]:
    """Return each source once, and report a duplicate file once instead of line by line."""
    by_identity: dict[str, Source] = {}
    for source in sources:
        first = by_identity.setdefault(source.identity, source)
        if first is not source:
            alias = "" if first.name == source.name else f", first as {first}"
            problems.problem(f"the file is given twice{alias}", source)
    return [*by_identity.values()]


def put(
    items: dict[str, dict[str, Item]],
    key: str,
    name: str,
    item: Item,
    problems: Problems,
    source: Source | str = "",
) -> None:
    """Add an item under its key and name; a duplicate name is a problem."""
    if name in items.setdefault(key, {}):
        label = f" as '{name}'" if name != ONLY else ""
        problems.problem(f"'{key}' is there twice{label}", source)
    items[key][name] = item


def pair_up(
    golds: Mapping[str, Mapping[str, Gold]],
    predicted: Mapping[str, Mapping[str, Predicted]],
    problems: Problems,
    *,
    level: str,
    system: str,
    empty: Callable[[str], Predicted],
    missing: Missing = "empty",
    tags: Mapping[str, str] | None = None,
    content: Callable[[Any], object] = lambda side: side,
    by_name: bool = False,
) -> list[Case[Gold, Predicted]]:
    """Make a case of every gold: its id is the key, with the gold's name if there are several.

    The prediction of the same name is preferred (some systems predict anew for each gold), else
    the only one that the key has, unless predictions count `by_name` only. `content` returns what
    is compared to find copies of the gold.
    """
    gold_by_case: dict[str, tuple[str, str, Gold]] = {}
    for key, golds_by_name in golds.items():
        for name, gold in golds_by_name.items():
            case = key if len(golds_by_name) == 1 else f"{key}/{name}"
            if case in gold_by_case:
                problems.problem(f"the gold has '{case}' twice: as a {level}, and in one")
            gold_by_case[case] = (key, name, gold)
    predicted_by_case: dict[str, Predicted] = {}
    used: set[tuple[str, str]] = set()
    for case, (key, name, _) in gold_by_case.items():
        candidates = predicted.get(key, {})
        if name in candidates:
            predicted_by_case[case] = candidates[name]
            used.add((key, name))
        elif by_name and not (candidates and all(map(str.isdecimal, (name, *candidates)))):
            continue  # numbers are lines, and with fewer lines than golds it is unclear which
        elif len(candidates) == 1:
            ((only, predicted_by_case[case]),) = candidates.items()
            used.add((key, only))
        elif candidates:
            problems.problem(
                f"{system}: '{key}' has {len(candidates)} predictions "
                f"({', '.join(sorted(candidates))}), none of them for the gold '{name}'"
            )
            predicted_by_case[case] = empty(key)
            used.update((key, other) for other in candidates)
    unused = [
        f"{key}/{name}"
        for key in sorted(predicted.keys() & golds.keys())
        for name in predicted[key]
        if (key, name) not in used
    ]
    problems.count(
        f"{escaped(system)}: more predictions than golds, {{count}} not scored: {{some}}",
        [(0, name) for name in unused],
    )
    for key in (key for key in predicted if key not in golds):
        if key in gold_by_case:
            problems.problem(f"{system}: '{key}' is a {level} here, in the gold it is in one")
        predicted_by_case[key] = next(iter(predicted[key].values()))
    pairs = reconcile(
        gold_by_case,
        predicted_by_case,
        problems,
        what=level,
        system=system,
        missing=missing,
        keys={case: key for case, (key, _, _) in gold_by_case.items()},
    )
    cases = [
        Case(
            case,
            gold,
            empty(key) if prediction is None else prediction,
            {level: key, "gold": name, **(tags or {})},
        )
        for case, ((key, name, gold), prediction) in pairs.items()
    ]
    _count_copies(cases, system, content(empty("")), content, problems)
    return cases


_CASES, _EQUAL, _FILLED = "cases", "cases equal to the gold", "filled cases equal to the gold"


def _count_copies(
    cases: Sequence[Case[Any, Any]],
    system: str,
    nothing: object,
    content: Callable[[Any], object],
    problems: Problems,
) -> None:
    """Count the cases whose prediction equals the gold, and those of them that are not empty."""
    equal = filled = 0
    for case in cases:
        golds = case.gold if isinstance(case.gold, tuple) else (case.gold,)
        predicted = content(case.predicted)
        if predicted in map(content, golds):
            equal += 1
            filled += predicted != nothing
    problems.facts[_CASES, system] += len(cases)
    if equal:
        problems.facts[_EQUAL, system] += equal
        problems.facts[_FILLED, system] += filled


def copies(facts: Mapping[Fact, int]) -> dict[str, int]:
    """Return the systems whose prediction equals the gold in every case, with their case counts.

    An empty prediction equals an empty gold, but a system with only such cases is no copy.
    """
    cases_by_system = {
        system[0]: cases for (fact, *system), cases in facts.items() if fact == _CASES
    }
    return {
        system: cases
        for system, cases in cases_by_system.items()
        if facts.get((_EQUAL, system)) == cases and facts.get((_FILLED, system))
    }


def named_alike(
    golds: Mapping[str, Mapping[str, Gold]],
    predicted: Mapping[str, Mapping[str, Predicted]],
    gold: Source,
    source: Source,
    problems: Problems,
) -> Mapping[str, Mapping[str, Predicted]]:
    """Use a single file without a topic as the prediction of a gold's only topic.

    The topic of such a file is its file name, which rarely equals that of the gold.
    """
    single = not gold.is_folder and not source.is_folder and len(golds) == len(predicted) == 1
    whole = gold.complete and source.complete
    if not single or not whole or golds.keys() == predicted.keys():
        return predicted
    (gold_topic,), (predicted_topic,) = golds, predicted
    if predicted_topic != source.stem:
        return predicted
    problems.notice(f"taken as the prediction of '{gold_topic}'", source)
    return {gold_topic: predicted[predicted_topic]}


def paired_cases(
    golds: Mapping[str, Mapping[str, Gold]],
    systems: Mapping[str, Mapping[str, Mapping[str, Predicted]]],
    problems: Problems,
    options: Mapping[str, str],
    *,
    level: str,
    empty: Callable[[str], Predicted],
    content: Callable[[Any], object] = lambda side: side,
) -> dict[str, list[Case[Gold, Predicted]]]:
    """Make the cases of every system, under the option for missing predictions."""
    missing: Missing = options["missing"]  # type: ignore[assignment]  # one of the choices
    return {
        name: pair_up(
            golds,
            predicted,
            problems,
            level=level,
            system=name,
            empty=empty,
            missing=missing,
            content=content,
        )
        for name, predicted in systems.items()
    }
