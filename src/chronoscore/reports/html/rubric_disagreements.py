"""What evaluators disagree on: the events, what each one said, and their comments."""

from collections import Counter
from collections.abc import Sequence

from chronoscore.reports.html.judged import Judged, Said
from chronoscore.reports.html.markup import Html, joined, tag
from chronoscore.reports.html.tables import wide

_OPEN = 8
"""Events that are shown without being asked for."""
_MOST = 100


def disagreements_section(judged: Judged) -> Html:
    """The events that were judged differently, the greatest disagreement first."""
    units: dict[tuple[str, str], list[Said]] = {}
    for one in judged.said:
        units.setdefault((one.system, one.event), []).append(one)
    several = {unit: said for unit, said in units.items() if len(said) > 1}
    if not several:
        return Html("")
    sizes = [_size(judged, place) for place in range(len(judged.criteria))]
    spread = {unit: _spread(said, sizes) for unit, said in several.items()}
    order = sorted((u for u in several if spread[u] > 0), key=lambda u: (-spread[u], u))
    shown = [_event(several[unit], judged.criteria) for unit in order[:_MOST]]
    more = len(shown) - _OPEN
    told = (
        f"{len(order)} of {len(several)} events that several people judged are judged differently"
    )
    cut = f"; the first {_MOST} are listed" if len(order) > _MOST else ""
    return joined(
        tag(
            "p",
            f"{told}{cut}. Those that differ most come first; ",
            "values that are not what most said are marked.",
            class_="lead",
        ),
        tag("ol", shown[:_OPEN], class_="differ"),
        tag(
            "details",
            tag("summary", f"{more} more"),
            tag("ol", shown[_OPEN:], class_="differ", start=_OPEN + 1),
            class_="more",
        )
        if more > 0
        else "",
    )


def _size(judged: Judged, place: int) -> int:
    values = judged.values(place)
    return max(values[-1] - values[0], 1)


def _spread(said: Sequence[Said], sizes: Sequence[int]) -> float:
    """Sum over criteria of the variance of values, each scale taken from 0 to 1."""
    total = 0.0
    for column, size in zip(zip(*(one.values for one in said), strict=True), sizes, strict=True):
        mean = sum(column) / len(column)
        total += sum((value - mean) ** 2 for value in column) / (len(column) - 1) / size**2
    return round(total, 12)


def _usual(values: Sequence[int]) -> int | None:
    """The value that most have; None if there is no such one.

    >>> _usual((1, 0, 1)), _usual((1, 0))
    (1, None)
    """
    (first, times), *others = Counter(values).most_common(2)
    return None if others and others[0][1] == times else first


def _event(said: Sequence[Said], criteria: Sequence[str]) -> Html:
    first = said[0]
    texts = [one.about for one in said]
    text = next((a.text for a in texts if a.text), "")
    facts = [
        first.system,
        *(
            next((v for a in texts if (v := getattr(a, p))), "")
            for p in ("article", "date", "type")
        ),
    ]
    columns = list(zip(*(one.values for one in said), strict=True))
    usual = [_usual(column) for column in columns]
    comments = [
        tag("li", tag("b", one.evaluator), f" {one.about.comment}")
        for one in said
        if one.about.comment.strip()
    ]
    head = tag(
        "tr",
        tag("th", "evaluator", scope="col"),
        [
            tag("th", name, scope="col", class_="number differs" if len(set(c)) > 1 else "number")
            for name, c in zip(criteria, columns, strict=True)
        ],
    )
    body = [
        tag(
            "tr",
            tag("th", one.evaluator, scope="row"),
            [
                tag("td", str(v) if v == common else tag("mark", str(v)), class_="number")
                for v, common in zip(one.values, usual, strict=True)
            ],
        )
        for one in sorted(said, key=lambda one: one.evaluator)
    ]
    table = tag(
        "table",
        tag("caption", f"Judgements of {first.event}", class_="unseen"),
        tag("thead", head),
        tag("tbody", body),
    )
    return tag(
        "li",
        tag("h3", first.event),
        tag("p", " · ".join(fact for fact in facts if fact), class_="told"),
        tag("p", text, class_="quote") if text else "",
        wide(table, f"Judgements of {first.event}"),
        tag("ul", comments, class_="said") if comments else "",
    )
