"""Case by case: what to look at, a sortable table, and a place for each case's own picture."""

from collections.abc import Sequence

from chronoscore.reports.html.data import Explained
from chronoscore.reports.html.markup import Html, joined, tag
from chronoscore.reports.html.tables import wide
from chronoscore.reports.html.words import heading

_DISTANCES = ("same day", "1–2 days apart", "3–7 days", "more than 7")


def cases_section(explained: Explained, *, pictured: bool) -> Html:
    """The tool bar, the table and the cases. Their insides are drawn when they are opened."""
    return joined(
        _tools(explained),
        _table(explained, pictured=pictured),
        _legend() if pictured and explained.matches else "",
        tag(
            "div",
            [_case(place, case) for place, case in enumerate(explained.cases)]
            if explained.matches
            else tag(
                "p", "There are no matches to explain the cases: score with --explain or --save."
            ),
            class_="cases",
        ),
    )


def _tools(explained: Explained) -> Html:
    result = explained.result
    sides = [
        tag(
            "label",
            tag("input", type="radio", name="side", value=side, checked=side == "recall"),
            tag("span", side),
        )
        for side in ("precision", "recall")
    ]
    any_sides = any(explained.sides.values())
    return tag(
        "form",
        _choice("system", "System", [system.name for system in result.systems]),
        _choice("metric", "Metric", [metric.label for metric in result.metrics]),
        tag("fieldset", tag("legend", "Side"), tag("div", sides, class_="switch"))
        if any_sides
        else "",
        id="tools",
        aria_label="What the cases show",
    )


def _choice(name: str, label: str, options: Sequence[str]) -> Html:
    made = [tag("option", option, value=place) for place, option in enumerate(options)]
    return tag("label", tag("span", label), tag("select", made, name=name))


def _table(explained: Explained, *, pictured: bool) -> Html:
    """Only the first column is written here: the others depend on the chosen system."""
    metrics = explained.result.metrics
    heads = [
        tag("th", tag("button", "case", type="button"), scope="col", aria_sort="none"),
        *(
            tag(
                "th",
                tag("button", heading(metric), type="button"),
                scope="col",
                class_="number",
                aria_sort="none",
            )
            for metric in metrics
        ),
    ]
    rows = [
        tag(
            "tr",
            tag(
                "th",
                tag("a", case, href=f"#case-{place}") if explained.matches else case,
                scope="row",
            ),
            [tag("td", class_="number") for _ in metrics],
            data_case=place,
        )
        for place, case in enumerate(explained.cases)
    ]
    caption = "Scores by topic" if pictured else "Scores by case"
    inner = tag(
        "table",
        tag(
            "caption",
            caption,
            tag("span", " of ", tag("span", class_="chosen")),
            tag("span", ", press a heading to sort", class_="how"),
        ),
        tag("thead", tag("tr", heads)),
        tag("tbody", rows),
        id="scores-by-case",
    )
    return wide(inner, caption)


def _legend() -> Html:
    lines = [_key(_line(f"far-{far}", 3), text) for far, text in enumerate(_DISTANCES)]
    marks = [
        _key(tag("path", d="M1 7.5L33 3V11L1 8.5Z", class_="wedge"), "thicker: more is shared"),
        _key(_line("nothing", 1), "nothing shared"),
        _key(tag("circle", cx=7, cy=7, r=5.5, class_="dot"), "aligned", 14),
        _key(
            joined(
                tag("circle", cx=7, cy=7, r=5.5, class_="dot open"),
                tag("path", d="M4.5 4.5L9.5 9.5M9.5 4.5L4.5 9.5", class_="cross"),
            ),
            "missing or spurious",
            14,
        ),
        _key(tag("circle", cx=7, cy=7, r=5.5, class_="dot open"), "nothing aligned with it", 14),
    ]
    return tag(
        "ul",
        lines,
        marks,
        class_="legend",
        aria_label="How to read the pictures",
    )


def _line(kind: str, width: int) -> Html:
    return tag("line", x1=1, x2=33, y1=7, y2=7, class_=f"line {kind}", stroke_width=width)


def _key(mark: Html, text: str, width: int = 34) -> Html:
    return tag("li", tag("svg", mark, width=width, height=14, aria_hidden="true"), text)


def _case(place: int, case: str) -> Html:
    return tag(
        "details",
        tag(
            "summary",
            tag("span", case, class_="name"),
            tag("span", class_="value"),
        ),
        tag("div", class_="inside"),
        id=f"case-{place}",
        class_="case",
        data_case=place,
    )
