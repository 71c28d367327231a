"""Uniting partial results: rows of the same system, measured anywhere, summarised once."""

from collections.abc import Sequence

from msgspec import structs

from chronoscore.core.evidence_table import EvidenceTable, unite
from chronoscore.core.family import Family
from chronoscore.core.names import Signature, differences
from chronoscore.core.result import ResultDocument, left_out_notice
from chronoscore.engines.assemble import assemble
from chronoscore.engines.settings import Settings
from chronoscore.errors import DataError, Problem, UsageError


def merge(family: Family, parts: Sequence[tuple[str, ResultDocument]]) -> ResultDocument:
    """Unite partial results, each with the name of its file, into the result of the whole.

    All parts must have the same settings and version; a case that two parts have for the same
    system is an error, since it is unknown which one counts.
    """
    if not parts:
        raise UsageError("there is nothing to unite")
    settings, first = _settings(family, parts)
    problems = _values_problems(parts)
    tables: dict[str, list[EvidenceTable]] = {}
    for path, result in parts:
        for system in result.systems:
            conditions = _conditions(family, system.signature)
            if conditions != first:
                text = f"'{system.name}' has another signature: {differences(first, conditions)}"
                problems.append(Problem(text, path))
            table, several = EvidenceTable.of(system.rows), tables.setdefault(system.name, [])
            # Golds that are scored against each other are in every result of their topics.
            if system.is_ranked or not any(_same_cases(table, other) for other in several):
                several.append(table)
    if problems:
        raise DataError(problems)
    united = {}
    for name, parts_of_system in tables.items():
        try:
            united[name] = unite(*parts_of_system)
        except DataError as error:
            problems += [Problem(f"{name}: {problem.message}") for problem in error.problems]
    if problems:
        raise DataError(problems)
    left_out = sum(result.left_out for _, result in parts)
    notices = dict.fromkeys(
        notice
        for _, result in parts
        for notice in result.notices
        if notice != left_out_notice(result.left_out)  # one for all parts follows
    )
    all_notices = [*notices, *_group_notices(parts)]
    all_notices += [left_out_notice(left_out)] * bool(left_out)
    names: dict[str, dict[str, str]] = {}
    for _, result in parts:
        for system in result.systems:
            names.setdefault(system.name, {}).update(system.names or {})
    return assemble(settings, united, notices=all_notices, left_out=left_out, names=names)


def _settings(
    family: Family, parts: Sequence[tuple[str, ResultDocument]]
) -> tuple[Settings, dict[str, str]]:
    result = parts[0][1]
    if not result.systems:
        raise DataError.of("the first result has no system")
    signature = result.systems[0].signature
    by = [*dict.fromkeys(tag for _, result in parts for tag in _groups(result))]
    return (
        Settings.from_signature(family, Signature.parse(signature), by),
        _conditions(family, signature),
    )


def _same_cases(one: EvidenceTable, other: EvidenceTable) -> bool:
    """Whether two tables have the same cases, of the same data."""
    return (
        [*one.cases] == [*other.cases]
        and one.gold.tolist() == other.gold.tolist()
        and one.predicted.tolist() == other.predicted.tolist()
    )


def _groups(result: ResultDocument) -> list[str]:
    """Return the tags that the scores of a result are broken down by."""
    summaries = (summary for system in result.systems for summary in system.summaries)
    return [*dict.fromkeys(tag for summary in summaries for tag in summary.group)]


def _values_problems(parts: Sequence[tuple[str, ResultDocument]]) -> list[Problem]:
    """Report parts that were not broken down by the same values as the others."""
    values_by_path = {
        path: names for path, result in parts if (names := _value_names(result)) is not None
    }
    expected = max(values_by_path.values(), key=len, default=())
    return [
        Problem(
            f"the scores are broken down by {', '.join(names) or 'no value'}, those of other parts "
            f"by {', '.join(expected)}: score all parts with the same --by",
            path,
        )
        for path, names in values_by_path.items()
        if names != expected
    ]


def _value_names(result: ResultDocument) -> tuple[str, ...] | None:
    """Return the names that items are broken down by; None if the result has no rows."""
    summaries = [s for system in result.systems for s in system.summaries if s.kind == "value"]
    if summaries:
        return tuple(summaries[0].group)
    tables = [EvidenceTable.of(system.rows) for system in result.systems if system.rows]
    return None if all(table.parts for table in tables) else ()


def _group_notices(parts: Sequence[tuple[str, ResultDocument]]) -> list[str]:
    """Return a notice if parts were broken down by different tags; all rows have all tags."""
    groups = {
        path: _groups(result) for path, result in parts if any(s.rows for s in result.systems)
    }
    if len({frozenset(tags) for tags in groups.values()}) < 2:
        return []
    listed = "; ".join(
        f"{path}: {', '.join(tags) or 'by nothing'}" for path, tags in groups.items()
    )
    return [f"the parts were broken down differently, and are now by all of it ({listed})"]


def _conditions(family: Family, signature: str) -> dict[str, str]:
    """Return the parts of a signature that results to merge must share."""
    parts = Signature.parse(signature).parts
    by_data = {f"option.{option.name}" for option in family.options if option.tag}
    differ = {"gold", "predicted", *by_data}
    return {name: value for name, value in parts.items() if name not in differ}


# Breaking down a finished result again, from its rows; nothing is scored again.


def by_parts(family: Family, result: ResultDocument) -> ResultDocument:
    """Break a result down by the family's second level, if it is not broken down yet."""
    every = [summary for system in result.systems for summary in system.summaries]
    grouped = any(summary.group and summary.kind == "cases" for summary in every)
    if grouped or not any(system.rows for system in result.systems):
        return result
    return _with_groups(family, result, (family.levels[1],), intervals=False)


def regrouped(family: Family, result: ResultDocument, by: Sequence[str]) -> ResultDocument:
    """Break a result down by other tags or values, which its rows must have."""
    if not any(system.rows for system in result.systems):
        return result
    wholes = [
        structs.replace(system, summaries=tuple(s for s in system.summaries if not s.group))
        for system in result.systems
    ]
    return _with_groups(family, structs.replace(result, systems=tuple(wholes)), by)


def _with_groups(
    family: Family, result: ResultDocument, by: Sequence[str], *, intervals: bool = True
) -> ResultDocument:
    """Add the summaries of all groups to a result."""
    signature = Signature.parse(result.systems[0].signature)
    settings = Settings.from_signature(family, signature, by)
    if not intervals:
        settings = structs.replace(settings, chance=None)
    tables = {system.name: EvidenceTable.of(system.rows) for system in result.systems}
    regrouped_result = assemble(settings, tables)
    systems = [
        structs.replace(
            old,
            summaries=(*old.summaries, *(summary for summary in new.summaries if summary.group)),
        )
        for old, new in zip(result.systems, regrouped_result.systems, strict=True)
    ]
    return structs.replace(result, systems=tuple(systems))
