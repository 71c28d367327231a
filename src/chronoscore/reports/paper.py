"""A paper's table: one matrix of systems and metrics in LaTeX or Markdown, with its caption."""

import csv
import io
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from chronoscore.core.case import CEILING, OTHER_GOLDS
from chronoscore.core.contrast import Contrast
from chronoscore.core.metric import Metric
from chronoscore.core.problems import Problems
from chronoscore.core.records import JsonError, as_json, parse_json, real_number
from chronoscore.core.result import Interval, ResultDocument
from chronoscore.core.sources import Source
from chronoscore.errors import UsageError, one_line
from chronoscore.reports.contrast import smallest_p, test_in_words
from chronoscore.reports.intervals import described_intervals, few_units, intervals_in_words
from chronoscore.reports.matrix import (
    BEST,
    DAGGER,
    SECOND,
    SIGNIFICANT,
    PublishedScores,
    ScoreCell,
    ScoreColumn,
    ScoreMatrix,
    ScoreRow,
)
from chronoscore.reports.rendering import escaped, latex_row, markdown_row, markdown_text
from chronoscore.reports.result_tables import undefined_in_words, undefined_labels
from chronoscore.reports.table import joined_by_and, plural

_LOWER = "↓"
_DASH = "–"
_COUNTS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_NOUNS = {"gold": "reference"}
"""Levels that a paper calls by another word."""
_TRIAL = "trial"
"""The level of several runs on the same data."""
_SCORES = {"precision": "precision", "recall": "recall"}
"""Scores whose headings are too short for a caption."""
_AVERAGES = {
    "sum": "micro-averaged over",
    "mean-f": "averaged over",
    "mean-pr": "computed from the mean precision and recall over",
}
"""What the rules of an averaging path do, in the words of a caption."""
_METHODS = {
    "jackknife-t": "jackknife intervals",
    "jackknife-logit": "jackknife intervals on the logit scale",
    "bootstrap": "bootstrap intervals",
    "bayes": "Bayesian intervals from the pooled counts",
}
_SYMBOLS = {
    f"p < {SIGNIFICANT}": f"$p < {SIGNIFICANT}$",
    DAGGER: r"\dag{}",
    _LOWER: r"$\downarrow$",
    _DASH: "--",
}
"""What a caption or a heading writes in another way in LaTeX; as in `escaped` text."""


@dataclass(frozen=True)
class _Block:
    """Rows between two lines, each with the name that it has in the first column."""

    heading: str
    rows: tuple[tuple[str, ScoreRow], ...]


# Both formats


def _blocks(matrix: ScoreMatrix) -> list[_Block]:
    """All cases, then the parts, then what others have published."""
    measured = [row for row in matrix.rows if row.published is None]
    parts: dict[str, list[ScoreRow]] = {}
    for row in measured:
        parts.setdefault(row.part, []).append(row)
    several = len({row.system for row in measured}) > 1
    whole = parts.pop("", [])
    blocks = [_Block("", tuple((row.system, row) for row in whole))] if whole else []
    if several:
        blocks += [
            _Block(_part_words(part), tuple((row.system, row) for row in rows))
            for part, rows in parts.items()
        ]
    elif parts:  # the parts of one system need no block each
        tags = {part.partition("=")[0] for part in parts}
        heading = f"By {tags.pop()}" if len(tags) == 1 else "Parts"
        named = ((_part_words(row.part), row) for row in measured if row.part)
        blocks.append(_Block(heading, tuple(named)))
    published = tuple((row.system, row) for row in matrix.rows if row.published)
    return [*blocks, _Block("Published results", published)] if published else blocks


def _part_words(part: str) -> str:
    """Write a group of cases for readers.

    >>> _part_words("topic=egypt, type=a=b")
    'topic: egypt, type: a=b'
    """
    return re.sub(r"(^|, )([^=,]+)=", r"\1\2: ", part)


def _is_plain(matrix: ScoreMatrix) -> bool:
    """Whether the label of the metric says enough above every column."""
    return all(column.is_main for column in matrix.columns)


def _arrow(column: ScoreColumn) -> str:
    return "" if column.higher_is_better else f" {_LOWER}"


def _number(cell: ScoreCell, digits: int) -> str:
    return cell.number(digits) or _DASH


def _bounds(interval: Interval, digits: int) -> str:
    """Write an interval as short as possible: no zeros before the point."""
    low, high = (
        re.sub(r"^(-?)0\.", r"\1.", f"{bound:.{digits}f}")
        for bound in (interval.low, interval.high)
    )
    return f"[{low}, {high}]"


def _remarks(matrix: ScoreMatrix) -> list[str]:
    """What does not belong in a caption but must not be lost, and how to repeat the numbers."""
    result = matrix.result
    lines = [
        f"undefined: {joined_by_and(labels)} of {system}, {where}"
        for (system, where), labels in undefined_labels(result).items()
    ]
    lines += [*_interval_lines(matrix), *_signatures(result)]
    return [one_line(line) for line in lines]


def _interval_lines(matrix: ScoreMatrix) -> list[str]:
    """What the intervals rest on; a contrast has others than its results."""
    if matrix.contrast is None:
        return intervals_in_words(matrix.result)
    named = [
        (f"{row.system} {column.metric.label}", cell.interval)
        for row in _whole_rows(matrix)
        for column, cell in zip(matrix.columns, row.scores, strict=True)
    ]
    intervals = (interval for _, interval in named if interval)
    return [*described_intervals(intervals, of_score=True, named=False), *few_units(named)]


def _signatures(result: ResultDocument) -> Iterator[str]:
    """The signatures of all systems; what they share is written once."""
    alike: dict[str, dict[str, str]] = {}
    for system in result.systems:
        shared, predicted = [], ""
        for part in system.signature.split("|"):
            key, _, value = part.partition("=")
            if key == "predicted":
                predicted = value
            else:
                shared.append(part)
        alike.setdefault("|".join(shared), {})[system.name] = predicted
    for signature, predictions in alike.items():
        yield f"--from-signature '{signature}'"
        yield "predicted: " + ", ".join(f"{name}={digest}" for name, digest in predictions.items())


# The caption


def paper_caption(matrix: ScoreMatrix, *, underline_second: bool = False) -> str:
    """Say what the table shows, as a paper must: protocol, average, intervals and test."""
    sentences = [
        _subject(matrix),
        _average(matrix),
        *_intervals(matrix),
        _places(matrix, underline_second),
        *_test(matrix.contrast),
        *_conventions(matrix),
        *_published(matrix),
    ]
    return one_line(" ".join(f"{sentence}." for sentence in sentences if sentence))


def _whole_rows(matrix: ScoreMatrix) -> list[ScoreRow]:
    """The rows of all cases of a system, without golds that were scored against each other."""
    return [row for row in matrix.rows if not row.part and row.published is None and row.is_ranked]


def _subject(matrix: ScoreMatrix) -> str:
    """Which scores of which systems on which data, and under which protocol."""
    columns = matrix.columns
    labels = [*dict.fromkeys(column.metric.label for column in columns)]
    scores = [*dict.fromkeys(_SCORES.get(column.score, column.label) for column in columns)]
    rows = _whole_rows(matrix)
    many = _COUNTS[len(rows)] if len(rows) < len(_COUNTS) else str(len(rows))
    systems = rows[0].system if len(rows) == 1 else f"{many} systems"
    if [score.casefold() for score in scores] == [label.casefold() for label in labels]:
        text = f"{joined_by_and(labels)} of {systems}"
    elif _is_plain(matrix) and len(scores) > 1:
        pairs = [f"{column.metric.label} ({column.label})" for column in columns]
        text = f"{joined_by_and(pairs)} of {systems}"
    else:
        which = f" ({joined_by_and(scores)})" if len(scores) < 4 else ""
        text = f"{joined_by_and(labels)} scores{which} of {systems}"
    if data := _data(rows):
        text += f" on {data}"
    protocol = matrix.result.protocol
    return f"{text} under {f'the {protocol}' if protocol else 'no published'} protocol"


def _data(rows: Sequence[ScoreRow]) -> str:
    """How many units the scores are averaged over, the largest units first."""
    counts = _unit_counts(rows)
    order = sorted(counts.items(), key=lambda one: one[0] == _TRIAL)
    words = [
        plural(high, noun) if low == high else f"{low} to {plural(high, noun)}"
        for noun, (low, high) in order
    ]
    return words[0] + (f" ({', '.join(words[1:])})" if words[1:] else "") if words else ""


def _unit_counts(rows: Sequence[ScoreRow]) -> dict[str, tuple[int, int]]:
    """The fewest and the most units that a system has of each level, the largest units first.

    A level is left out if every system has one unit of it, or as many as of a larger level that
    is no trial: a document and its reference are one.
    """
    levels = {
        level: [row.units[level] for row in rows if row.units]
        for row in rows[:1]
        for level in row.units or {}
    }
    counts: dict[str, tuple[int, int]] = {}
    for level, numbers in reversed(levels.items()):
        ends = min(numbers), max(numbers)
        larger = [counts[noun] for noun in counts if noun != _TRIAL]
        if ends[1] > 1 and ends not in larger:
            counts[_NOUNS.get(level, level)] = ends
    return counts


def _average(matrix: ScoreMatrix) -> str:
    nouns = _unit_counts(_whole_rows(matrix))
    steps = []
    for step in matrix.result.path.split(">"):
        levels, _, rule = step.partition(":")
        over = [noun for level in levels.split("+") if (noun := _NOUNS.get(level, level)) in nouns]
        if over and rule in _AVERAGES:
            steps.append((_AVERAGES[rule], joined_by_and([f"{noun}s" for noun in over])))
    same = len({how for how, _ in steps}) == 1  # said once: averaged over these, then over those
    words = [
        f"{how} {over}" if at == 0 or not same else f"over {over}"
        for at, (how, over) in enumerate(steps)
    ]
    return f"Scores are {', then '.join(words)}" if steps else ""


def _intervals(matrix: ScoreMatrix) -> Iterator[str]:
    shown = [cell.interval for row in matrix.rows for cell in row.scores if cell.interval]
    if not shown:
        return
    kinds = dict.fromkeys((i.level, i.method, i.unit) for i in shown)
    words = (
        f"{level:.0%} {_METHODS.get(method, method)}{f' over {unit}s' if unit else ''}"
        for level, method, unit in kinds
    )
    yield f"Brackets hold {joined_by_and([*words])}"
    covered = [i.coverage for i in shown if i.coverage is not None]
    if covered:
        yield f"With so few units, they cover the true score in {min(covered):.0%} of simulations"


def _places(matrix: ScoreMatrix, underline_second: bool) -> str:
    places = {cell.place for row in matrix.rows for cell in row.scores}
    if BEST not in places:
        return ""
    second = ", the second best underlined" if underline_second and SECOND in places else ""
    block = " within a block" if any(row.part for row in matrix.rows) else ""
    return f"The best score of a column{block} is bold{second}"


def _test(contrast: Contrast | None) -> Iterator[str]:
    if contrast is None:
        return
    by = f"at p < {SIGNIFICANT} by a {test_in_words(contrast)}"
    if contrast.baseline:
        yield f"{DAGGER} marks systems that differ from {contrast.baseline} {by}"
    else:
        yield f"Systems that share a letter do not differ {by}"
    if smallest_p(contrast) >= SIGNIFICANT:
        pairs = len(contrast.metrics[0].pairs)
        yield (
            f"With {plural(contrast.units, contrast.unit)} and {plural(pairs, 'pair')} of systems, "
            "no difference could be significant"
        )


def _conventions(matrix: ScoreMatrix) -> Iterator[str]:
    """How undefined scores count, and what a dash and an arrow mean."""
    result = matrix.result
    if undefined_labels(result):
        yield f"Undefined scores are {undefined_in_words(result)}"
    dashes = {
        bool(row.published) for row in matrix.rows for cell in row.scores if cell.value is None
    }
    meanings = {False: "is undefined", True: "was not published"}
    if dashes:
        why = " or ".join(meanings[one] for one in sorted(dashes))
        yield f"A dash stands for a score that {why}"
    added = [
        row.system
        for row in matrix.rows
        if not (row.is_ranked or row.published is not None or row.part)
    ]
    for system in added:
        if system in (CEILING, OTHER_GOLDS):
            yield f"{system}: references scored against each other"
    if baselines := [one for one in added if one not in (CEILING, OTHER_GOLDS)]:
        yield f"{joined_by_and(baselines)}: baselines made from the articles"
    if not all(column.higher_is_better for column in matrix.columns):
        yield f"{_LOWER}: lower is better"
    if result.left_out:
        yield f"Without {plural(result.left_out, 'case')} that could not be read"


def _published(matrix: ScoreMatrix) -> Iterator[str]:
    rows = [row for row in matrix.rows if row.published]
    every = [row.published for row in rows if row.published]
    if not every:
        return
    sources = dict.fromkeys(one.source for one in every if one.source)
    yield f"Published results: {'; '.join(sources) or 'as their authors report them'}"
    if all(row.is_ranked for row in rows):
        return
    if any(row.is_ranked for row in rows):
        yield "Those that may follow another protocol are not ranked with ours"
        return
    known = dict.fromkeys(one.protocol for one in every if one.protocol)
    named = f" ({joined_by_and([*known])})" if known else ""
    yield f"They may follow another protocol{named} and are not ranked with ours"


# LaTeX


_PAGE, _HALF = 345.0, 219.0
"""Points across a page of one column, by the article class, and across one of two columns."""
_LETTER, _DIGIT, _SMALL = 5.7, 5.0, 3.2
"""Points across a character of ten points, across a digit, and across one of an interval."""
_NAME, _NAME_WIDTH = 30, "16em"
"""Characters that a line of the first column holds, and its width if a name is longer."""
_SIZES = (("", 1.0, 6), (r"\small", 0.9, 6), (r"\footnotesize", 0.8, 4), (r"\scriptsize", 0.7, 3))
"""Sizes of type, how they shrink letters, and the points on each side of a column."""


@dataclass(frozen=True)
class _Layout:
    """How wide a table is: columns beside a number, its size, and where intervals stand."""

    letters: tuple[bool, ...]
    """Whether a column has letters or daggers beside its numbers."""
    intervals: tuple[bool, ...]
    is_stacked: bool
    """Whether intervals stand below their numbers, on a line of their own."""
    size: str
    gap: int
    width: float

    def span(self, at: int) -> int:
        """How many columns of LaTeX a score takes."""
        return 1 if self.is_stacked else 1 + self.letters[at] + self.intervals[at]

    @property
    def columns(self) -> str:
        """The columns for `tabular`: what follows a number does not move it."""
        columns = "@{}l"
        for letters, intervals in zip(self.letters, self.intervals, strict=True):
            if self.is_stacked or not (letters or intervals):
                columns += "c"
            else:
                columns += "r" + "@{}l" * letters + r"@{\,}l" * intervals
        return columns + "@{}"


def paper_latex(matrix: ScoreMatrix, *, underline_second: bool = False) -> str:
    """Write a table with booktabs, its caption, and comments that repeat the numbers."""
    layout = _layout(matrix)
    lines = [r"\begin{table}[t]", r"\centering"]
    lines += [layout.size] if layout.size else []
    lines += [rf"\setlength{{\tabcolsep}}{{{layout.gap}pt}}"] if layout.gap != _SIZES[0][2] else []
    lines += [rf"\begin{{tabular}}{{{layout.columns}}}", r"\toprule", *_heads(matrix, layout)]
    for block in _blocks(matrix):
        lines.append(r"\midrule")
        if block.heading:
            width = 1 + sum(layout.span(at) for at in range(len(matrix.columns)))
            text = escaped(block.heading)
            heading = rf"\multicolumn{{{width}}}{{@{{}}l}}{{\textit{{{text}}}}}"
            lines.append(latex_row([heading]))
        for name, row in block.rows:
            lines += _latex_lines(name, row, layout, matrix.digits, underline_second)
    lines += [r"\bottomrule", r"\end{tabular}"]
    caption = _symbols(escaped(paper_caption(matrix, underline_second=underline_second)))
    label = f"{matrix.result.family}{'-compared' if matrix.contrast else ''}"
    lines += [rf"\caption{{{caption}}}", rf"\label{{tab:{label}}}", r"\end{table}"]
    return (
        "\n".join([*lines, *(f"% {line}" for line in [_advice(layout), *_remarks(matrix)])]) + "\n"
    )


def _layout(matrix: ScoreMatrix) -> _Layout:
    """Choose the largest type that fits a page; intervals go below the numbers if they must."""
    cells = [*zip(*(row.scores for row in matrix.rows), strict=True)]
    letters = tuple(any(cell.letters for cell in column) for column in cells)
    intervals = tuple(any(cell.interval for cell in column) for column in cells)
    layouts = [
        _Layout(letters, intervals, is_stacked, size, gap, _width(matrix, is_stacked, shrunk, gap))
        for is_stacked in (False, True)
        for size, shrunk, gap in _SIZES[: None if is_stacked or not any(intervals) else 2]
        if any(intervals) or not is_stacked
    ]
    return next((layout for layout in layouts if layout.width <= _PAGE), layouts[-1])


def _width(matrix: ScoreMatrix, is_stacked: bool, shrunk: float, gap: int) -> float:
    """About how many points a table is wide."""
    names = [name for block in _blocks(matrix) for name, _ in block.rows]
    total = min(_NAME, max(map(len, ("System", *names)))) * _LETTER * shrunk
    for at, column in enumerate(matrix.columns):
        cells = [row.scores[at] for row in matrix.rows]
        number = max(
            len(_number(cell, matrix.digits)) + len(cell.letters) * (not is_stacked)
            for cell in cells
        )
        bounds = [len(_bounds(i, matrix.digits)) for cell in cells if (i := cell.interval)]
        wide = number * _DIGIT * shrunk
        beside = max(bounds, default=0) * _SMALL + 2
        head = len(column.metric.label if _is_plain(matrix) else column.label) * _LETTER * shrunk
        total += max(head, max(wide, beside) if is_stacked else wide + beside) + 2 * gap
    return total


def _advice(layout: _Layout) -> str:
    """What the table needs of the document around it."""
    text = r"Needs \usepackage{booktabs}."
    if layout.width > _PAGE:
        return f"{text} It may be wider than the page: choose fewer --columns."
    return f"{text} In two columns, write table* for table." if layout.width > _HALF else text


def _heads(matrix: ScoreMatrix, layout: _Layout) -> list[str]:
    """The headings of columns, below those of their metrics where a metric has several scores."""

    def over(width: int, text: str) -> str:
        text = _symbols(escaped(text))
        is_centred = width == 1 and "r" not in layout.columns
        return text if is_centred else rf"\multicolumn{{{width}}}{{c}}{{{text}}}"

    spans = [layout.span(at) for at in range(len(matrix.columns))]
    numbered = [*zip(matrix.columns, spans, strict=True)]
    if _is_plain(matrix):
        cells = [over(span, column.metric.label + _arrow(column)) for column, span in numbered]
        return [latex_row(["System", *cells])]
    cells = [over(span, column.label + _arrow(column)) for column, span in numbered]
    if len({column.metric.label for column in matrix.columns}) == 1:  # the caption names it
        return [latex_row(["System", *cells])]
    above, rules, first = [""], [], 2
    for label, group in groupby(numbered, key=lambda one: one[0].metric.label):
        width = sum(span for _, span in group)
        above.append(over(width, label))
        rules.append(rf"\cmidrule(lr){{{first}-{first + width - 1}}}")
        first += width
    return [latex_row(above), " ".join(rules), latex_row(["System", *cells])]


def _latex_lines(
    name: str, row: ScoreRow, layout: _Layout, digits: int, underline_second: bool
) -> Iterator[str]:
    cells, below = [_latex_name(name, layout)], [""]
    for at, score in enumerate(row.scores):
        number = _latex_number(score, digits, underline_second)
        marks = rf"\textsuperscript{{{_symbols(score.letters)}}}" if score.letters else ""
        bounds = _bounds(score.interval, digits).replace("-", "$-$") if score.interval else ""
        bounds = rf"{{\scriptsize {bounds}}}" if bounds else ""
        if layout.is_stacked:
            cells.append(number + (rf"\rlap{{{marks}}}" if marks else ""))
            below.append(bounds)
        else:
            cells += [number, *[marks] * layout.letters[at], *[bounds] * layout.intervals[at]]
    yield latex_row(cells)
    if any(below):
        yield from (latex_row(below), r"\addlinespace[2pt]")


def _latex_name(name: str, layout: _Layout) -> str:
    """Write the name of a row, on several lines if it is long."""
    text = escaped(name)
    if len(name) <= _NAME:
        return text
    text = rf"\parbox[t]{{{_NAME_WIDTH}}}{{\raggedright {text}\strut}}"
    # The second line of a name stands beside the interval.
    fits = layout.is_stacked and len(textwrap.wrap(name, _NAME)) <= 2
    return rf"\smash{{{text}}}" if fits else text


def _latex_number(score: ScoreCell, digits: int, underline_second: bool) -> str:
    text = _symbols(_number(score, digits).replace("-", "$-$"))
    if score.place == BEST:
        return rf"\textbf{{{text}}}"
    return rf"\underline{{{text}}}" if underline_second and score.place == SECOND else text


def _symbols(text: str) -> str:
    for symbol, command in _SYMBOLS.items():
        text = text.replace(escaped(symbol), command)
    return text


# Markdown


def paper_markdown(matrix: ScoreMatrix, *, underline_second: bool = False) -> str:
    """Write a table with its caption above it, and a comment that repeats the numbers."""
    columns = matrix.columns
    shares = Counter(column.metric.label for column in columns)
    heads = []
    for column in columns:
        is_alone = column.is_main and shares[column.metric.label] == 1
        heads.append(column.metric.label if is_alone or len(shares) > 1 else "")
        heads[-1] += "" if is_alone else f" {column.label}"
        heads[-1] = heads[-1].strip() + _arrow(column)
    lines = [
        markdown_text(paper_caption(matrix, underline_second=underline_second)),
        "",
        markdown_row(["System", *map(markdown_text, heads)]),
        f"|---|{'---:|' * len(columns)}",
    ]
    for block in _blocks(matrix):
        if block.heading:
            heading = f"*{markdown_text(block.heading)}*"
            lines.append(markdown_row([heading, *[""] * len(columns)]))
        for name, row in block.rows:
            cells = [
                _markdown_score(score, matrix.digits, underline_second) for score in row.scores
            ]
            lines.append(markdown_row([markdown_text(name), *cells]))
    remarks = [line.replace("->", "- >").replace("-!>", "- !>") for line in _remarks(matrix)]
    return "\n".join([*lines, "", "<!--", *remarks, "-->"]) + "\n"


def _markdown_score(score: ScoreCell, digits: int, underline_second: bool) -> str:
    text = _number(score, digits)
    if score.place == BEST:
        text = f"**{text}**"
    elif underline_second and score.place == SECOND:
        text = f"<ins>{text}</ins>"
    text += score.letters if score.letters == DAGGER else f" {score.letters}" * bool(score.letters)
    return f"{text} {_bounds(score.interval, digits)}" if score.interval else text


# Published results in a file of the user's


def read_published(
    source: Source, problems: Problems, bounded: Mapping[str, Metric]
) -> list[PublishedScores]:
    """Read a CSV with a header, or a JSON list of objects: a system and its scores in each row.

    A score has the name that it has among `columns`. A row may also have a model, which is added
    to the name of the system, and its protocol and source. `bounded` has the metrics by column
    whose scores have a range; a score outside it is a problem.
    """
    text = source.text(problems)
    problems.check()
    published: list[PublishedScores] = []
    for line, cells in _published_rows(text or "", source, problems):
        words = {name: str(cells.pop(name, None) or "").strip() for name in _PUBLISHED_WORDS}
        scores: dict[str, float | None] = {}
        for name, value in cells.items():
            score = None if value in (None, "", "-", _DASH) else real_number(value)
            scores[name] = score
            if score is None and value not in (None, "", "-", _DASH):
                message = f"{name} is {as_json(value)}, expected a number or nothing"
                problems.problem(message, source, line)
            if score is not None and name in bounded:
                try:
                    bounded[name].check_limit(score, name)
                except UsageError as error:
                    problems.problem(str(error), source, line)
        if not words["system"]:
            problems.problem("the row names no system; it needs a column 'system'", source, line)
        name = f"{words['system']} ({words['model']})" if words["model"] else words["system"]
        printed = {
            score: value.strip()
            for score, value in cells.items()
            if isinstance(value, str) and _DECIMALS.fullmatch(value.strip())
        }
        published.append(PublishedScores(name, scores, words["protocol"], words["source"], printed))
    if not published and not problems.problems:
        problems.problem("there are no published results in the file", source)
    problems.check()
    return published


_PUBLISHED_WORDS = ("system", "model", "protocol", "source")
_DECIMALS = re.compile(r"-?\d+\.\d+")
"""A number whose digits can be shown as they were printed."""


def _published_rows(
    text: str, source: Source, problems: Problems
) -> Iterator[tuple[int | None, dict[str, object]]]:
    """The rows of the file by the names of their cells, each with its line in a CSV."""
    if text.lstrip()[:1] in ("[", "{"):
        try:
            document = parse_json(text)
        except JsonError as error:
            problems.problem(str(error), source, error.line)
            return
        rows = document if isinstance(document, list) else [document]
        for row in rows:
            if isinstance(row, dict):
                yield None, row
            else:
                problems.problem("expected a list of objects, each with a system", source)
        return
    separator = max(",;\t", key=text.partition("\n")[0].count)
    table = io.StringIO(text)
    reader = csv.DictReader(table, delimiter=separator, strict=True, skipinitialspace=True)
    try:
        names = reader.fieldnames or ()
        if len({*names}) < len(names):
            problems.problem("two columns have the same name", source, 1)
            return
        for row in reader:
            if None in row or None in row.values():
                message = "the row has more or fewer cells than the header"
                problems.problem(message, source, reader.line_num)
            else:
                yield reader.line_num, dict(row)
    except csv.Error as error:
        problems.problem(f"not a readable CSV: {error}", source, reader.line_num)


def paper_table(matrix: ScoreMatrix, output_format: str, *, underline_second: bool = False) -> str:
    """Write the table in `latex` or `markdown`."""
    draw = paper_latex if output_format == "latex" else paper_markdown
    return draw(matrix, underline_second=underline_second)
