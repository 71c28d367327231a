"""After all have submitted: what the answers differ on, and the values that were agreed on."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from chronoscore.errors import ChronoscoreError
from chronoscore.rubric.codebook import Codebook, RatedColumn
from chronoscore.rubric.judgements import Judgement
from chronoscore.workbench.store.batches import JudgingBatch, check_stage
from chronoscore.workbench.store.database import Store, json_text, now
from chronoscore.workbench.store.judgements import Values, judgement_of, read_values, values_in
from chronoscore.workbench.store.people import AGREED, Person
from chronoscore.workbench.store.projects import EVENT, Task

REASONS: Mapping[str, str] = {
    "slip": "a slip of the hand",
    "missed": "something in the article was overlooked",
    "date-rule": "the rule for dates was read differently",
    "unclear-rule": "the codebook leaves it open",
    "unclear-text": "the article leaves it open",
    "knowledge": "knowledge from elsewhere was used",
    "other": "another reason, see the note",
}
_REASONS_FOR_PAIRS: Mapping[str, str] = {
    "missed": "something in one of the texts was overlooked",
    "date-rule": "the dates were weighed differently",
    "unclear-text": "the texts leave it open",
}
_UNANIMOUS = "unanimous"
WITHDRAWN = "withdrawn"
"""The reason of a version that says: this event has no agreed values any more."""


def reasons_for(task: Task) -> Mapping[str, str]:
    """The reasons why answers differ, in words that fit what is judged."""
    return {**REASONS, **_REASONS_FOR_PAIRS} if task == "pairs" else REASONS


@dataclass(frozen=True, slots=True)
class AgreedValues:
    """The final values of an event."""

    version: int
    """Counts the saves; that of values to be saved names the one that they replace."""
    values: Values
    reasons: tuple[str, ...]
    note: str = ""

    @property
    def by_closing(self) -> bool:
        """Whether closing the batch agreed on them, since all judged alike."""
        return self.reasons == (_UNANIMOUS,)


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """An event that several people judged, with all values that were given and agreed on."""

    event: int
    values: Sequence[Values]
    spread: float
    criteria: tuple[int, ...]
    """Places of the criteria that the answers differ on."""
    agreed: AgreedValues | None

    @property
    def offered(self) -> Values:
        """On each criterion the value that more than half gave, None where there is none."""
        return tuple(majority(column) for column in zip(*self.values, strict=True))


def majority(values: Sequence[int | None]) -> int | None:
    """Return the value that more than half of the answers have.

    >>> majority([1, 0, 1]), majority([1, 0]), majority([2, 1, 2, 3])
    (1, None, None)
    """
    value, times = Counter(values).most_common(1)[0]
    return value if 2 * times > len(values) else None


class StaleError(ChronoscoreError):
    """Someone else agreed on this event meanwhile."""

    status = 409


def agree(
    store: Store, by: Person, batch: JudgingBatch, event: int, token: str, agreed: AgreedValues
) -> None:
    """Save agreed values; the same token twice is one save, a stale version is a StaleError.

    Values replace version 0 where there are none, or where they were withdrawn.
    """
    saved = {"batch": batch.id, "event": event}
    with store.writing():
        if store.row("SELECT 1 FROM agreed WHERE save = :save", save=token):
            return
        check_stage(
            store, batch, "review", "Values are agreed on while a batch is in review: reload."
        )
        sql = """SELECT version, reasons FROM agreed WHERE batch = :batch AND event = :event
            ORDER BY version DESC LIMIT 1"""
        last = store.row(sql, **saved)
        version = last["version"] if last else 0
        if agreed.version != (0 if last and last["reasons"] == WITHDRAWN else version):
            raise StaleError("Another tab has settled this: reload.")
        saved["version"] = version + 1
        values, reasons = json_text(agreed.values), " ".join(agreed.reasons)
        content = {"said": values, "reasons": reasons, "note": agreed.note}
        store.insert("agreed", **saved, **content, person=by, save=token, at=now())
        store.note(by, "agreed", batch.project, **saved, reasons=agreed.reasons)


def agreed_in(store: Store, viewer: Person, batch: int) -> dict[int, AgreedValues]:
    """The agreed values by event; evaluators see them only once the batch is adjudicated."""
    sql = """SELECT a.* FROM agreed a JOIN batches b ON b.id = a.batch WHERE a.batch = :batch
        AND (:owns OR (b.adjudicated <> '' AND EXISTS
        (SELECT 1 FROM submissions m WHERE m.batch = b.id AND m.person = :viewer)))
        ORDER BY a.version"""
    agreed = {}
    for row in store.rows(sql, batch=batch, viewer=viewer):
        values, reasons = read_values(row["said"]), tuple(row["reasons"].split())
        agreed[row["event"]] = AgreedValues(row["version"], values, reasons, row["note"])
    return {event: one for event, one in agreed.items() if one.reasons != (WITHDRAWN,)}


_LAST = """a.version = (SELECT max(w.version) FROM agreed w
    WHERE w.batch = a.batch AND w.event = a.event)"""


def agreed_judgements(store: Store, viewer: Person, project: int) -> list[Judgement]:
    """The agreed values of a project's adjudicated batches as rows of a sheet, for its owner."""
    if viewer.role != "owner":
        return []
    sql = f"""SELECT a.said, a.note AS comment, 'person' AS kind, b.round, {EVENT} FROM agreed a
        JOIN batches b ON b.id = a.batch JOIN events e ON e.number = a.event
        WHERE b.project = :project AND b.adjudicated <> '' AND {_LAST} AND a.reasons <> :withdrawn
        ORDER BY a.id"""
    rows = store.rows(sql, project=project, withdrawn=WITHDRAWN)
    return [judgement_of(row, AGREED) for row in rows]


def review_queue(
    store: Store, viewer: Person, batch: JudgingBatch, codebook: Codebook
) -> list[ReviewItem]:
    """Events that two or more people judged, the greatest disagreement first.

    It is empty as long as someone still judges.
    """
    if batch.stage == "judging":
        return []
    agreed = agreed_in(store, viewer, batch.id)
    criteria = codebook.columns[: len(codebook.criteria)]
    items = []
    for event, answers in values_in(store, viewer, batch.id).items():
        if len(answers) > 1:
            by_criterion = list(zip(*answers, strict=True))
            differ = tuple(at for at, values in enumerate(by_criterion) if len({*values}) > 1)
            spread = _spread(by_criterion, criteria)
            items.append(ReviewItem(event, answers, spread, differ, agreed.get(event)))
    return sorted(items, key=lambda item: (-item.spread, item.event))


def _spread(by_criterion: Sequence[Values], criteria: Sequence[RatedColumn]) -> float:
    """Sum over criteria of the variance of values, each scale taken from 0 to 1.

    Values without an order have half the share of pairs of answers that differ, which for two
    values is the same.
    """
    total = 0.0
    for answers, criterion in zip(by_criterion, criteria, strict=True):
        number = len(answers)
        # Whole numbers until the last step, so that equal spreads are equal.
        if criterion.is_ordered:
            values, (low, high) = [value or 0 for value in answers], criterion.ends
            squares = number * sum(value * value for value in values) - sum(values) ** 2
            total += squares / (number * (number - 1) * (high - low) ** 2)
        else:
            unlike = number**2 - sum(times**2 for times in Counter(answers).values())
            total += unlike / (2 * number * (number - 1))
    return round(total, 12)


@dataclass(frozen=True, slots=True)
class ClosingCounts:
    """What closing a batch does, in numbers of events."""

    settled: int
    """Events that people settled: these values stay."""
    alike: int
    """Events without settled values that all judged alike: these values become agreed ones."""
    left: int
    """Events that stay without agreed values."""


def closing_counts(queue: Sequence[ReviewItem]) -> ClosingCounts:
    """What closing a batch with this queue does."""
    settled = sum(one.agreed is not None for one in queue)
    left = sum(bool(one.criteria) and one.agreed is None for one in queue)
    return ClosingCounts(settled, len(queue) - settled - left, left)


def finish(store: Store, by: Person, batch: JudgingBatch, queue: Sequence[ReviewItem]) -> int:
    """Close a batch: unanimous values are agreed on, and evaluators see how they compare.

    Returns the number of the entry in the audit.
    """
    with store.writing():
        check_stage(store, batch, "review", "A batch can be closed when all have submitted.")
        for one in queue:
            if not one.criteria and one.agreed is None:
                agreed = AgreedValues(0, one.values[0], (_UNANIMOUS,))
                agree(
                    store, by, batch, one.event, _token(store, _UNANIMOUS, batch, one.event), agreed
                )
        store.execute("UPDATE batches SET adjudicated = :now WHERE id = :id", now=now(), id=batch)
        counts = asdict(closing_counts(queue))
        return store.note(by, "adjudicated", batch.project, batch=batch, **counts)


def reopen(store: Store, by: Person, batch: JudgingBatch) -> int:
    """Put a closed batch back into review; evaluators no longer see how they compare.

    The values that closing agreed on are withdrawn, by a new version of each; those that people
    settled stay. Returns the number of the entry in the audit.
    """
    with store.writing():
        check_stage(store, batch, "adjudicated", "This batch is not closed.")
        sql = f"SELECT a.* FROM agreed a WHERE a.batch = :batch AND a.reasons = :reason AND {_LAST}"
        rows = store.rows(sql, batch=batch, reason=_UNANIMOUS)
        for row in rows:
            token = _token(store, WITHDRAWN, batch, row["event"])
            same = {"batch": batch, "event": row["event"], "said": row["said"], "note": ""}
            version = {"version": row["version"] + 1, "save": token, "person": by, "at": now()}
            store.insert("agreed", **same, **version, reasons=WITHDRAWN)
        store.execute("UPDATE batches SET adjudicated = '' WHERE id = :id", id=batch)
        return store.note(by, "batch reopened", batch.project, batch=batch, withdrawn=len(rows))


def _token(store: Store, reason: str, batch: JudgingBatch, event: int) -> str:
    """A name for a save that the workbench makes itself, new at each time."""
    sql = "SELECT count(*) FROM agreed WHERE batch = :batch AND event = :event"
    return f"{reason}/{batch.id}/{event}/{store.value(sql, batch=batch, event=event)}"
