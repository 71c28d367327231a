"""Tables of matches: what is matched with what, the credit it earns, and what changed since."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import groupby, zip_longest
from typing import Any

import msgspec

from chronoscore.core.contrast import Change, changes, outcome_names, right
from chronoscore.core.evidence import Match
from chronoscore.core.family import Family
from chronoscore.core.result import (
    CaseMatches,
    CaseTexts,
    MetricInfo,
    ResultDocument,
    SystemResult,
)
from chronoscore.elements.text import Tokeniser
from chronoscore.errors import UsageError, one_line, similar_name
from chronoscore.reports.result_tables import FamilyTables
from chronoscore.reports.table import Cell, Column, Table, spaced
from chronoscore.reports.terminal import bold, terminal_width, wrapped_lines

_COLUMNS = (
    *("side", "gold", "predicted", "outcome", "distance", "weight", "shared"),
    *("credit", "possible"),
)
_OPTIONAL = {"distance": 2, "shared": 1}
"""Columns that follow from others, and are left out where there is no room."""
WAYS = {"strict": True, "lenient": False}
"""How a target can be right, and whether that is strict."""
_SMALL = 0.001
Contingency = tuple[int, ...]
"""How many targets both systems, only the old, only the new and neither have right."""
MoreRows = Callable[[MetricInfo, str, str], Mapping[str, Contingency]]


def cases_named(
    matches: Iterable[CaseMatches], names: Sequence[str], listed: str = "--by case lists the cases"
) -> list[str]:
    """Find the cases of these names; a topic stands for all its golds and trials.

    If there is no such case, the message says where they are `listed`.
    """
    all_cases = dict.fromkeys(item.case for item in matches)
    selected: list[str] = []
    for name in names:
        inner = (f"{name}/", f"{name}@")  # topic/gold, topic@trial
        cases = [case for case in all_cases if case == name or case.startswith(inner)]
        if not cases:
            topics = (case.partition("@")[0].partition("/")[0] for case in all_cases)
            similar = similar_name(name, {**all_cases, **dict.fromkeys(topics)})
            meant = f"; did you mean {similar}?" if similar else ""
            raise UsageError(f"there is no case '{name}' to explain; {listed}{meant}")
        selected += cases
    return selected


def explanation(
    result: ResultDocument, matches: Sequence[CaseMatches], cases: Sequence[str] = ()
) -> list[Table]:
    """Tables of matches, a table for each system, case and metric; all cases if none are given.

    Metrics that no case has matches of, such as rates, have no tables.
    """
    labels = {metric.name: metric.label for metric in result.metrics}
    curves = {metric.name for metric in result.metrics if metric.curve}
    explained = {item.metric for item in matches if item.matches}
    tables = []
    for item in matches:
        if (cases and item.case not in cases) or item.metric not in explained:
            continue
        if item.metric in curves and not item.matches:
            continue
        totals = []
        for side in ("precision", "recall"):
            counted = [match for match in item.matches if match.side in (side, "both")]
            if any(match.side == side for match in counted):
                credit = sum(match.credit for match in counted)
                possible = sum(match.possible for match in counted)
                totals.append(f"{side}: {credit:.3f} of {possible:g}")
        caption = f"{item.system}, {item.case}: {labels.get(item.metric, item.metric)}"
        tables.append(match_table(caption, item.matches, totals))
    return tables


def match_table(caption: str, matches: Sequence[Match], remarks: Sequence[str]) -> Table:
    """A row for each match; names of several lines take several rows."""
    empty = {
        "distance": all(match.distance is None for match in matches),
        "weight": all(match.weight == 1 for match in matches),
        "shared": all(match.shared is None for match in matches),
    }
    columns = [
        None if empty.get(name) else Column(name, optional=_OPTIONAL.get(name, 0))
        for name in _COLUMNS
    ]
    return Table.of(caption, columns, (row for match in matches for row in _rows(match)), remarks)


def _rows(match: Match) -> Iterator[tuple[Cell, ...]]:
    gold, *more_gold = match.gold.split("\n")
    predicted, *more_predicted = match.predicted.split("\n")
    distance, shared = ("" if n is None else f"{n:g}" for n in (match.distance, match.shared))
    yield (
        *(match.side, gold or "-", predicted or "-", match.outcome, distance, match.weight),
        *(shared, match.credit, f"{match.possible:g}"),
    )
    for ours, theirs in zip_longest(more_gold, more_predicted, fillvalue=""):
        yield ("", ours and f"  {ours}", theirs and f"  {theirs}", *[""] * 6)


PairWords = Callable[[Match], Iterable[str]]
"""Says what the numbers of a match mean."""


def _no_words(_: Match) -> tuple[str, ...]:
    return ()


def matched_cases(
    family: Family,
    result: ResultDocument,
    matches: Iterable[CaseMatches],
    texts: Iterable[CaseTexts],
    *,
    styled: bool = False,
) -> Iterator[list[str]]:
    """Write the sentences of matched items side by side, once for each case, by its first metric.

    There are none where the family's texts are no sentences.
    """
    if family.tokeniser is None:
        return
    labels = {metric.name: metric.label for metric in result.metrics}
    pair_words = FamilyTables.of(family).pair_words
    texts_of = {(item.system, item.case): item for item in texts}
    tags = {row.case: row.tags for system in result.systems for row in system.rows}
    done: set[tuple[str, str]] = set()
    for item in matches:
        place = item.system, item.case
        if place in done or place not in texts_of:
            continue
        words: PairWords = _no_words
        try:
            metric = family.metric(item.metric)
            words = partial(pair_words, metric)
            read = family.tokeniser(metric, tags.get(item.case, {}))
        except UsageError:  # of a package or a stop list that is not here
            read = None
        lines = matched_texts(
            item,
            texts_of[place],
            read,
            styled=styled,
            unit=result.options.get("time_unit", ""),
            pair_words=words,
        )
        if lines:
            done.add(place)
            label = labels.get(item.metric, item.metric)
            title = f"{item.system}, {item.case}: what {label} compares"
            head = wrapped_lines(title + "; shared words are bold" * styled, terminal_width())
            yield [*(bold(line, styled) for line in head), *lines]


def matched_texts(
    item: CaseMatches,
    texts: CaseTexts,
    read: Tokeniser | None,
    *,
    width: int | None = None,
    styled: bool = False,
    unit: str = "",
    pair_words: PairWords = _no_words,
) -> list[str]:
    """Write what gold and prediction say of each match, in lines; shared words are bold if styled.

    There are no lines if the matches have no texts, as where all days are one document. Words are
    shared if `read` gives the same tokens for them. `pair_words` says what the numbers of a match
    mean.
    """
    width = width or terminal_width()
    pairs: dict[tuple[str, str], list[Match]] = {}
    for match in item.matches:
        if match.gold in texts.gold or match.predicted in texts.predicted:
            pairs.setdefault((match.gold, match.predicted), []).append(match)
    lines: list[str] = []
    has_times = bool(texts.gold_times or texts.predicted_times)
    for gold, predicted in _in_order(pairs, texts, unit):
        matches = pairs[gold, predicted]
        sides = ((gold, texts.gold_times), (predicted, texts.predicted_times))
        shown = [_with_time(*side) if has_times else side[0] for side in sides if side[0]]
        names = " with ".join(dict.fromkeys(shown))
        credits = ", ".join(f"{m.side} {m.credit:.3g} of {m.possible:.3g}" for m in matches)
        words = "; ".join(filter(None, (matches[0].outcome, ", ".join(pair_words(matches[0])))))
        lines += wrapped_lines(f"{names}: {words}; {credits}", width)
        tellings = [
            (label, [one_line(sentence) for sentence in sentences[name]])
            for label, name, sentences in (
                ("gold", gold, texts.gold),
                ("predicted", predicted, texts.predicted),
            )
            if name in sentences
        ]
        tokens = [set(read(sentences)) if read else set[str]() for _, sentences in tellings]
        shared = tokens[0] & tokens[1] if styled and len(tokens) == 2 else set[str]()
        for label, sentences in tellings:
            text = " ".join(sentences)
            wrapped = wrapped_lines(text, width, f"{'':13}", f"  {label:11}")
            lines += _bold_where(wrapped, text, _marked_places(sentences, read, shared))
    return lines


def _in_order(
    pairs: Iterable[tuple[str, str]], texts: CaseTexts, unit: str
) -> list[tuple[str, str]]:
    """Sort pairs of names by the time of the gold item, or of the predicted one if it is alone.

    What has no time comes last; names are sorted as such where nothing has a time.
    """
    from chronoscore.reports.html.axis import times_of  # noqa: PLC0415 - for explanations only

    first = {
        (gold, predicted): (gold, texts.gold_times.get(gold, gold))
        if gold
        else (predicted, texts.predicted_times.get(predicted, predicted))
        for gold, predicted in pairs
    }
    times: Mapping[str, Any] = times_of((time for _, time in first.values()), unit)
    if not texts.gold_times and not texts.predicted_times and len(times) < len({*first.values()}):
        return sorted(first, key=lambda pair: first[pair][0])

    def place(pair: tuple[str, str]) -> tuple[Any, ...]:
        name, time = first[pair]
        return time not in times, times.get(time, ""), name

    return sorted(first, key=place)


def _with_time(name: str, times: Mapping[str, str]) -> str:
    """Write a name with its time, unless it begins with that."""
    time = times.get(name, "no date")
    return name if name.startswith(time) else f"{name} ({time})"


def _marked_places(sentences: Sequence[str], read: Tokeniser | None, shared: Set[str]) -> Set[int]:
    """Return the places of the characters of shared tokens, in the sentences joined by blanks."""
    places: set[int] = set()
    if not read or not shared:
        return places
    begin = 0
    for sentence in sentences:
        for token in read.spans(sentence):
            if token.text in shared:
                places.update(range(begin + token.start, begin + token.end))
        begin += len(sentence) + 1
    return places


def _bold_where(lines: Iterable[str], text: str, places: Set[int]) -> Iterator[str]:
    """Yield wrapped lines with these places of the text in bold; only blanks were changed."""
    at = 0
    for line in lines:
        flagged: list[tuple[bool, str]] = []
        for character in line[13:]:
            is_bold = False
            if not character.isspace():
                at = text.index(character, at) + 1
                is_bold = at - 1 in places
            flagged.append((is_bold, character))
        groups = groupby(flagged, key=lambda pair: pair[0])
        yield line[:13] + "".join(bold("".join(c for _, c in run), mark) for mark, run in groups)


def change_tables(
    family: Family,
    result: ResultDocument,
    matches: Sequence[CaseMatches],
    reference: str,
    more: MoreRows = lambda *_: {},
) -> list[Table]:
    """Each system against the reference: counters, changes of outcome, and who is right where.

    `more` gives further rows of right and wrong from a metric and the names of two systems.
    """
    systems = {system.name: system for system in result.systems}
    if reference not in systems:
        raise UsageError(f"there is no system '{reference}'; there are: {', '.join(systems)}")
    derived = FamilyTables.of(family).derived_counts
    tables = []
    for metric in result.metrics:
        for name, system in systems.items():
            if metric.curve or name == reference or not system.is_ranked:
                continue
            title = f"{metric.label}, {reference} to {name}"
            before, after = (_counts(metric, one, derived) for one in (systems[reference], system))
            rows = (
                (spaced(one), old, after[one], _difference(after[one] - old, one))
                for one, old in before.items()
            )
            columns = ("counter", reference, name, "difference")
            tables.append(Table.of(f"{title}: counters", columns, rows))
            changed = changes_between(matches, metric.name, reference, name)
            if changed:
                tables.append(outcome_table(changed, title))
            if changed and is_all_or_nothing(changed):
                tables.append(contingency_table(changed, title, more(metric, reference, name)))
    return tables


def saved_change_tables(
    family: Family,
    results: Sequence[ResultDocument],
    matches: Sequence[CaseMatches],
    baseline: str = "",
) -> list[Table]:
    """The same from saved results and their matches; the first system is the reference.

    Only metrics that all results have are compared.
    """
    systems = [system for result in results for system in result.systems]
    shared = set.intersection(*({metric.name for metric in r.metrics} for r in results))
    whole = msgspec.structs.replace(
        results[0],
        systems=tuple(systems),
        metrics=tuple(metric for metric in results[0].metrics if metric.name in shared),
    )
    return change_tables(family, whole, matches, baseline or systems[0].name)


def changes_between(
    matches: Sequence[CaseMatches], metric: str, old: str, new: str
) -> list[Change]:
    """The targets of all cases under one metric, as two systems have them."""
    before, after = (
        [item for item in matches if item.metric == metric and item.system == system]
        for system in (old, new)
    )
    return changes(before, after)


Counts = Mapping[str, int | float]


def _counts(
    metric: MetricInfo, system: SystemResult, derived: Callable[[Counts], Counts]
) -> Counts:
    names = [statistic.name for statistic in metric.statistics]
    (whole,) = (s for s in system.summaries if s.metric == metric.name and not s.group)
    counts = dict(zip(names, whole.statistics, strict=True))
    return {**counts, **derived(counts)}


def _difference(many: float, name: str) -> str:
    """Write a difference as people say it.

    >>> _difference(23, "missing_lenient"), _difference(-2, "correct_strict"), _difference(0, "x")
    ('23 more missing lenient', '2 fewer correct strict', 'no change')
    >>> _difference(1, "responses")
    '1 more response'
    """
    if not many:
        return "no change"
    size = f"{abs(many):g}" if isinstance(many, int) else f"{abs(many):.3f}"
    if abs(many) == 1 and name in ("targets", "responses"):
        name = name.removesuffix("s")
    return f"{size} {'more' if many > 0 else 'fewer'} {spaced(name)}"


def outcome_table(changed: Sequence[Change], title: str) -> Table:
    """How many targets went from each outcome (a row) to each other (a column)."""
    names = outcome_names(changed)
    counted = Counter(change.outcomes for change in changed)
    rows = {before: [counted[before, after] for after in names] for before in names}
    senses = Counter(change.sense for change in changed)
    moved = sum(change.outcomes[0] != change.outcomes[1] for change in changed)
    return Table.of(
        f"{title}: targets by outcome",
        ("was", *((name, "is now") for name in names), "all"),
        ((before, *row, sum(row)) for before, row in rows.items() if any(row)),
        [
            f"{moved} of {len(changed)} targets changed; {senses['better']} are better now, "
            f"{senses['worse']} worse"
        ],
    )


def is_all_or_nothing(changed: Sequence[Change]) -> bool:
    """Whether every target has all its credit or none, so that it is right or wrong."""
    several = (match for change in changed for match in (change.old, change.new))
    return all(match.credit in (0.0, match.possible) for match in several)


def contingency_table(
    changed: Sequence[Change], title: str, more: Mapping[str, Contingency] | None = None
) -> Table:
    """Who is right where the other is not, and whether that could be by chance."""
    from chronoscore.statistics.significance import mcnemar  # noqa: PLC0415 - of comparisons only

    tables: dict[str, Contingency] = {}
    for name, strict in WAYS.items():
        counted = Counter(
            (right(one.old, strict=strict), right(one.new, strict=strict)) for one in changed
        )
        yes_no = (True, False)
        tables[name] = tuple(counted[old, new] for old in yes_no for new in yes_no)
    remarks = [
        "McNemar's test treats targets as independent, so p is too small if documents differ much; "
        "`chronoscore compare` draws whole documents"
    ]
    if more:
        remarks.insert(0, "alone: right, and no unmatched response at the target")
    return Table.of(
        f"{title}: right or wrong",
        ("right", "both", "only the old", "only the new", "neither", "p exact", "mid-p"),
        (
            (name, *cells, _chance(mcnemar(*cells[1:3])), _chance(mcnemar(*cells[1:3], mid=True)))
            for name, cells in (tables | dict(more or {})).items()
        ),
        remarks,
    )


def _chance(p: float) -> Cell:
    """Write a probability; one that is small is not 0."""
    return p if p >= _SMALL else f"{p:.1e}"
