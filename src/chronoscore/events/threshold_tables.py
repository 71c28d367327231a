"""Tables of the choice of a threshold; what to type stands below them."""

from chronoscore.events.threshold import ChanceStudy, VerdictStudy
from chronoscore.reports.intervals import interval_in_words
from chronoscore.reports.table import Table, plural


def chance_tables(study: ChanceStudy) -> list[Table]:
    """What every threshold matches between golds, and how much of it is chance."""
    remarks = [
        f"{plural(study.pairs, 'pair')} of {study.golds} golds of {plural(study.topics, 'topic')}. "
        f"matches: pairs of events within {study.near:g} days; chance: such pairs when each text "
        f"of one gold is replaced by one of the same gold at least {study.far:g} days away, mean "
        f"of {plural(2 * study.draws, 'draw')} (seed {study.seed}); share: chance among matches."
    ]
    if study.threshold is None and not study.rows[-1].matches:
        remarks.append(
            f"No threshold has a share of at most {study.limit:g}, and the matches are few (at "
            f"most {max(row.matches for row in study.rows)}): take more golds, or allow more "
            "--chance."
        )
    elif study.threshold is None:
        remarks.append(
            f"No threshold up to {study.rows[-1].threshold:g} has a share of at most "
            f"{study.limit:g}: try higher ones with --highest."
        )
    else:
        row = next(row for row in study.rows if row.threshold == study.threshold)
        remarks += [
            f"The smallest threshold with a share of at most {study.limit:g}: "
            f"{study.threshold:g}, with {row.matches} matched.",
            f"To score with it: -m '{study.name}'",
        ]
    rows = [(r.threshold, r.matches, r.chance, r.share) for r in study.rows]
    columns = ("threshold", "matches", "chance", "share")
    return [Table.of(f"matches between golds by {study.metric}", columns, rows, remarks)]


def verdict_tables(study: VerdictStudy) -> list[Table]:
    """The F1 of every threshold, which alone is written as CSV, then topics that were left out."""
    people = ", ".join(study.people)
    chosen = f"{study.threshold:g}"
    if study.interval is not None:
        chosen += f" ({study.interval.level:.0%} interval {interval_in_words(study.interval)})"
    remarks = [
        "Means over topics; of precision, over topics in which a pair with a verdict is matched.",
        f"The threshold of the best F1: {chosen}",
        f"To score with it: -m '{study.name}'",
    ]
    f1_rows = [(r.threshold, r.precision, r.recall, r.f1) for r in study.rows]
    caption = f"pairs by {study.metric} against verdicts by people ({people})"
    tables = [Table.of(caption, ("threshold", "precision", "recall", "F1"), f1_rows, remarks)]
    if study.left_out is not None:
        interval = study.left_out_interval
        words = (
            f" ({interval.level:.0%} interval {interval_in_words(interval)})" if interval else ""
        )
        topics = [(t.topic, t.same, t.threshold, t.matched, t.right, t.f1) for t in study.topics]
        columns = ("topic", "same", "threshold", "matched", "right", "F1")
        remark = (
            f"Mean F1 {study.left_out:.3f}{words}; on the topics by which the threshold was "
            f"chosen: {study.f1:.3f}. same: the most of people's pairs that can be matched one to "
            "one; matched: pairs that count; right: of these, those that people call the same."
        )
        tables.append(
            Table.of("each topic by the threshold of the others", columns, topics, [remark])
        )
    return tables
