"""What was set against what: the matches behind the counts of spans."""

from chronoscore.annotations.counting import Compared
from chronoscore.annotations.model import Annotation
from chronoscore.annotations.parameters import matched_by
from chronoscore.annotations.spans import target_outcomes
from chronoscore.core.evidence import Match
from chronoscore.core.metric import Values

OUTCOMES = ("incorrect partial", "incorrect strict", "correct partial", "correct strict")
"""What a pair is called, by its value."""
TARGET_OUTCOMES = ("one response, correct", "one response, wrong", "no response", "many responses")


def explain(found: Compared, values: Values) -> list[Match]:
    """The pairs that were taken, then what is missing, then what is spurious."""
    matched = matched_by(found, values)
    table = zip(
        matched.key.tolist(), matched.response.tolist(), matched.value.tolist(), strict=True
    )
    matches = []
    left, right = set(range(len(found.keys))), set(range(len(found.responses)))
    for i, j, value in sorted(table):
        key, response = found.keys.annotation(i), found.responses.annotation(j)
        left.discard(i)
        right.discard(j)
        matches.append(
            Match(
                side="both",
                outcome=OUTCOMES[value],
                credit=float(value >= 2),
                possible=1.0,
                gold=shown(key),
                predicted=shown(response),
                distance=float(_distance(key, response)),
                about=(response.id,),
            )
        )
    matches += [
        Match("recall", "missing", 0.0, 1.0, gold=shown(found.keys.annotation(i)))
        for i in sorted(left)
    ]
    matches += [
        Match(
            "precision",
            "spurious",
            0.0,
            1.0,
            predicted=shown(found.responses.annotation(j)),
            about=(found.responses.annotation(j).id,),
        )
        for j in sorted(right)
    ]
    return matches


def explain_targets(found: Compared, _: Values) -> list[Match]:
    """What each target has for a response of its own span."""
    strict, _lenient = target_outcomes(found)
    return [
        Match(
            side="recall",
            outcome=TARGET_OUTCOMES[outcome],
            credit=float(outcome == 0),
            possible=1.0,
            gold=shown(found.keys.annotation(place)),
        )
        for place, outcome in enumerate(strict.tolist())
    ]


def shown(annotation: Annotation) -> str:
    """An annotation in one line: id, type, span. Blanks in the id would hide where it ends."""
    name = "_".join(annotation.id.split()) or "_"
    return f"{name} {annotation.type} {annotation.start}-{annotation.end}"


def type_shown(text: str) -> str:
    """The type of an annotation that was written in one line.

    >>> type_shown(shown(Annotation("e 1", "Big event", 3, 7)))
    'Big event'
    """
    return text.split(" ", 1)[1].rsplit(" ", 1)[0]


def _distance(key: Annotation, response: Annotation) -> int:
    """How many characters the two borders are off, added up."""
    return abs(key.start - response.start) + abs(key.end - response.end)
