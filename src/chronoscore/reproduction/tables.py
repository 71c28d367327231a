"""The catalogue of released outputs and the verdicts on their numbers, as tables."""

from collections.abc import Iterable, Sequence

from chronoscore.core.writing import json_text
from chronoscore.families import family
from chronoscore.reports.table import Table
from chronoscore.reproduction.catalogue import ReleasedOutput
from chronoscore.reproduction.recomputing import NumberVerdict

Rechecked = Sequence[tuple[ReleasedOutput, Sequence[NumberVerdict]]]
_FIRST, _MOST = 9, 20
"""Of a long list, the first numbers (the averages of a result file) and those that differ."""


def catalogue_table(outputs: Iterable[ReleasedOutput]) -> Table:
    """Return what can be recomputed."""
    return Table.of(
        "released outputs with printed numbers",
        ("name", "what", "numbers", "protocol"),
        [
            (
                output.name,
                output.what,
                output.inside or len(output.numbers),
                output.protocol or output.program,
            )
            for output in outputs
        ],
    )


def printed_table(output: ReleasedOutput) -> Table:
    """Return the printed numbers of one output, and where they and the data are."""
    return Table.of(
        f"{output.name}: {output.what}",
        ("number", "printed", "metric", "score"),
        [(one.name, one.printed, one.metric, one.score) for one in output.numbers],
        [
            f"source: github.com/{output.repository}, commit {output.commit}",
            f"licence: {output.licence}",
            f"gold: {output.gold}",
            f"output: {output.output}",
            f"numbers: {output.printed_in}",
            stated_reading(output, average=False),
        ],
    )


def stated_reading(output: ReleasedOutput, *, average: bool = True) -> str:
    """Say by which protocol, average and order of sums an output is scored."""
    if output.program:
        return f"as `python -m chronoscore.compat.{output.program}` prints it"
    words = [f"protocol {output.protocol}"]
    if average:
        path = output.average or family(output.family).protocol(output.protocol).path
        words.append(f"average {path}")
    words += [f"sums: {output.sums}"] * bool(output.sums)
    words += [f"{name}: {value}" for name, value in output.options.items()]
    return ", ".join(words)


def verdict_table(
    output: ReleasedOutput, verdicts: Sequence[NumberVerdict], *, full: bool
) -> Table:
    """Return the verdict on each number; long lists only in part, unless `full`."""
    shown = list(verdicts)
    if not full and len(verdicts) > _MOST:
        shown = [v for at, v in enumerate(verdicts) if at < _FIRST or not v.equal][:_MOST]
    left_out = len(verdicts) - len(shown)
    remarks = [f"{left_out} more numbers are left out here: --full shows all"] * bool(left_out)
    return Table.of(
        f"{output.name}: {output.what}",
        ("number", "printed", "verdict"),
        [(verdict.number, verdict.printed, _in_words(verdict)) for verdict in shown],
        [*remarks, stated_reading(output), equal_of(verdicts)],
    )


def _in_words(verdict: NumberVerdict) -> str:
    if verdict.equal:
        return "equal"
    words = f"differs at digit {verdict.digit}: {verdict.ours}"
    return f"{words}; printed as with {verdict.reading}" if verdict.reading else words


def equal_of(verdicts: Sequence[NumberVerdict]) -> str:
    """Say how many numbers are equal.

    >>> equal_of([NumberVerdict("x", "AR-1", "0.5", "0.5", True)])
    '1 of 1 numbers equal to the last digit'
    """
    equal = sum(verdict.equal for verdict in verdicts)
    return f"{equal} of {len(verdicts)} numbers equal to the last digit"


def verdict_rows(rechecked: Rechecked) -> Table:
    """Return one row for every number of every output."""
    return Table.of(
        "numbers",
        ("output", "number", "printed", "ours", "equal", "digit", "reading"),
        [
            (v.output, v.number, v.printed, v.ours, "yes" if v.equal else "no", v.digit, v.reading)
            for _, verdicts in rechecked
            for v in verdicts
        ],
    )


def verdicts_json(rechecked: Rechecked) -> str:
    """Write outputs, how each was scored, and all verdicts as JSON."""
    return json_text(
        [
            {"name": output.name, "reading": stated_reading(output), "numbers": verdicts}
            for output, verdicts in rechecked
        ]
    )
