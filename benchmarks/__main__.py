"""`python -m benchmarks [NAME ...] [--list] [--quick]`."""

import argparse
import sys

from benchmarks.frame import Bench, Group, failures, machine, table


def groups() -> dict[str, Group]:
    """All comparisons by name, in the order of the table."""
    from benchmarks import (
        compare_annotations,
        compare_events,
        compare_ordering,
        compare_rouge,
        compare_rubric,
        compare_scale,
        compare_start,
        compare_statistics,
        compare_text,
        compare_timelines,
    )

    listed = (
        compare_timelines.GROUP,
        compare_events.GROUP,
        compare_rouge.GROUP,
        compare_annotations.GROUP,
        compare_rubric.GROUP,
        compare_ordering.GROUP,
        compare_statistics.GROUP,
        compare_text.GROUP,
        compare_scale.GROUP,
        compare_start.GROUP,
    )
    return {group.name: group for group in listed}


def main(arguments: list[str] | None = None) -> int:
    """Run the chosen comparisons, print one table; 1 if numbers differ or our side failed."""
    known = groups()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(known)}")
    parser.add_argument("--list", action="store_true", help="name the comparisons and stop")
    parser.add_argument("--quick", action="store_true", help="small data, some three minutes")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.names if name not in known]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are: {', '.join(known)}")
    if chosen.list:
        for group in known.values():
            print(f"{group.name:12} {group.about}")
        return 0
    bench = Bench(scale="quick" if chosen.quick else "full")
    rows = []
    for name in chosen.names or known:
        for row in known[name].rows(bench):
            print(f"{name}: {row.what} / {row.peer}", file=sys.stderr, flush=True)
            rows.append(row)
    print(f"{machine()}\n\n{table(rows)}")
    wrong = failures(rows)
    for row in wrong:
        print(f"failed: {row.what} / {row.peer}: {row.remark}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
