r"""The print-out of ``TE3-evaluation.py``, the toolkit of TempEval-3, from Chronoscore's counts.

    python -m chronoscore.compat.tempeval3 GOLD SYSTEM [--method acl11] [--lenient]

It prints three blocks, as the toolkit does at its lowest level of detail: events, time expressions
and temporal awareness, with counts pooled over all files of the two folders (or of two files).
The toolkit runs under Python 2, so this module rounds and writes numbers as Python 2 does
(`chronoscore.compat.semeval2015`). Percentages of entities have two digits, those of links four.
0/0 is 0, but for the F of entities, which is 1 if neither side has any.

The counts of links are the toolkit's own: its closure, errors included, is rebuilt in
`chronoscore.ordering.timegraph`; a notice says how far F with an exact closure is from it, where it
differs. Entities are matched by their places in the text (`chronoscore.ordering.tlinks`), for which
the toolkit has a Java program.
"""

import argparse
import sys
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from chronoscore.compat.semeval2015 import f1_of, percent, ratio
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of
from chronoscore.errors import ChronoscoreError
from chronoscore.ordering.tlinks.family import FAMILY, read_cases

_TWO_DIGITS = Decimal("0.01")
_METHODS = {
    "default": "",
    "acl11": "Evaluated with ACL'11 score, not taking the reduced graph for relations.",
}
_BLOCKS = (
    ("events", "Event", ("Class", "Tense", "Aspect")),
    ("timexes", "Timex", ("Value", "Type")),
)


def printout(gold: Path, system: Path, problems: Problems, method: str = "default") -> str:
    """Return what the toolkit prints for two files or two folders of TimeML."""
    systems = {system.name: source_of(system)}
    (cases,) = read_cases(source_of(gold), systems, problems, FAMILY.default_options).values()
    if not any(case.gold.entities for case in cases):
        problems.problem("no events or times are marked, expected TimeML", str(gold))
    problems.check()

    def counts(name: str) -> list[int]:
        metric = FAMILY.metric(name)
        rows = [metric.measure(FAMILY.compare(c, metric.setting)).statistics for c in cases]
        return [int(sum(column)) for column in zip(*rows, strict=True)]

    lines: list[str] = []
    for name, title, attributes in _BLOCKS:
        lines += entity_block(title, attributes, counts(name))
    toolkit, exact = (
        counts(f"awareness(method={method},closure={closure})") for closure in ("toolkit", "exact")
    )
    if toolkit[:4] != exact[:4]:
        problems.notice(
            f"with an exact closure, F1 is {percent(_f1(exact))}, not {percent(_f1(toolkit))}: the "
            "toolkit's closure has errors (chronoscore tlinks shows both with --closure toolkit)"
        )
    lines += awareness_block(toolkit, method)
    return "\n".join(lines) + "\n"


def entity_block(title: str, attributes: Sequence[str], counts: Sequence[int]) -> list[str]:
    r"""Return the lines on events or on time expressions.

    >>> for line in entity_block("Timex", ("Value", "Type"), (2, 3, 4, 3, 1, 3)):
    ...     print(line.replace("\t", "|"))
    === Timex Performance ===
    Strict Match|F1|P|R
    ||57.14|50.0|66.67
    Relaxed Match|F1|P|R
    ||85.71|75.0|100.0
    Attribute F1|Value|Type
    ||28.57|85.71
    <BLANKLINE>
    """
    strict, relaxed, system, gold, *agreed = counts
    empty = not system and not gold
    lines = [f"=== {title} Performance ==="]
    f1 = 0.0
    for name, matched in (("Strict", strict), ("Relaxed", relaxed)):
        precision, recall = ratio(matched, system), ratio(matched, gold)
        f1 = 1.0 if empty else f1_of(precision, recall)
        scores = map(_two_digits, (f1, precision, recall))
        lines += [f"{name} Match\tF1\tP\tR", "\t\t" + "\t".join(scores)]
    attribute_f1 = (1.0 if empty else ratio(number, relaxed) * f1 for number in agreed)
    lines.append("Attribute F1\t" + "\t".join(attributes))
    return [*lines, "\t\t" + "\t".join(map(_two_digits, attribute_f1)), ""]


def awareness_block(counts: Sequence[int], method: str) -> list[str]:
    r"""Return the lines on links.

    >>> for line in awareness_block((5, 7, 3, 4), "default"):
    ...     print(line.replace("\t", "|"))
    === Temporal Awareness Score ===
    <BLANKLINE>
    Temporal Score|F1|P|R
    ||73.1707|71.4286|75.0|
    Overall Temporal Awareness Score (F1 score): 73.1707
    <BLANKLINE>
    """
    precision, recall = ratio(counts[0], counts[1]), ratio(counts[2], counts[3])
    f1 = percent(_f1(counts))
    return [
        "=== Temporal Awareness Score ===",
        _METHODS[method],
        "Temporal Score\tF1\tP\tR",
        f"\t\t{f1}\t{percent(precision)}\t{percent(recall)}\t",
        f"Overall Temporal Awareness Score (F1 score): {f1}",
        "",
    ]


def _f1(counts: Sequence[int]) -> float:
    return f1_of(ratio(counts[0], counts[1]), ratio(counts[2], counts[3]))


def _two_digits(share: float) -> str:
    """Return a share in per cent, rounded as in Python 2: halves away from zero."""
    return str(float(Decimal(share * 100).quantize(_TWO_DIGITS, ROUND_HALF_UP)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; problems of the data end in a message and an exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m chronoscore.compat.tempeval3",
        description="Print the scores of TempEval-3 as its toolkit does.",
    )
    parser.add_argument("gold", type=Path, help="a TimeML file, or a folder of them")
    parser.add_argument("system", type=Path, help="a TimeML file, or a folder of them")
    parser.add_argument("--method", choices=list(_METHODS), default="default")
    parser.add_argument("--lenient", action="store_true", help="accept doubtful input")
    options = parser.parse_args(arguments)
    problems = Problems(ReadingOptions(lenient=options.lenient))
    try:
        text = printout(options.gold, options.system, problems, options.method)
    except ChronoscoreError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    sys.stderr.writelines(f"notice: {notice}\n" for notice in problems.notices)
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
