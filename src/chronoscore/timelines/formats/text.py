"""tilse text: a date, a sentence a line, and a line of 32 dashes after each day."""

from pathlib import Path

from chronoscore.core.reading import Reading
from chronoscore.elements.periods import Period
from chronoscore.timelines.formats.days import DayBook, Policies
from chronoscore.timelines.model import Timeline

DAY_END = "-" * 32


def read_text(path: Path, reading: Reading, policies: Policies) -> Timeline:
    """Read tilse text.

    tilse drops a last day without dashes, lets a second date replace the first, and keeps the
    latter of two equal days, all in silence. Here each is a problem with its line.
    """
    book = DayBook(path, reading, policies)
    day: Period | None = None
    texts: list[str] = []
    open_since: int | None = None
    for number, line in reading.lines(path):
        text = line.strip()
        if open_since is None:
            if text == DAY_END:
                reading.problem("a line of dashes with no date before it", path, number)
            elif text:
                open_since = number
                day, texts = _opened(text, number, book), []
            continue
        if _ends_day(text, path, number, reading):
            if day is not None:
                book.enter(day, texts)
            day, open_since = None, None
        elif text:
            if _is_day(text):
                reading.doubt(
                    f"a date within the day that begins in line {open_since}; are the dashes "
                    "before it missing?",
                    path,
                    number,
                )
            texts.append(text)
    if open_since is not None:
        if day is not None:
            book.enter(day, texts)
        reading.doubt(
            f"the last day is not closed by {len(DAY_END)} dashes; is the file cut?",
            path,
            open_since,
        )
    return book.timeline()


def _opened(text: str, number: int, book: DayBook) -> Period | None:
    day = book.period(text, number)
    if day is not None and day in book.days:
        told = f"{day} stands twice, {book.told()}"
        if book.policies.chosen:
            book.reading.notice(told, book.path, number)
        else:
            book.reading.doubt(told, book.path, number)
    return day


def _ends_day(text: str, path: Path, number: int, reading: Reading) -> bool:
    if text == DAY_END:
        return True
    if text and set(text) == {"-"}:
        reading.problem(
            f"a line of {len(text)} dashes, expected {len(DAY_END)} to end a day", path, number
        )
        return True  # it was meant to
    if DAY_END in text:
        reading.problem("text beside the dashes that end a day", path, number)
        return True
    return False


def _is_day(text: str) -> bool:
    try:
        return Period.parse(text).is_day
    except ValueError:
        return False


def written_text(timeline: Timeline) -> str:
    """Write a timeline as tilse text."""
    lines = []
    for day, texts in timeline.days:
        lines += [str(day), *(" ".join(text.split()) for text in texts), DAY_END]
    return "".join(f"{line}\n" for line in lines)
