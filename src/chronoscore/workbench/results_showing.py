"""A run's page is the report; a timeline's page is the same with one case and its own links."""

import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from chronoscore.core.errors import ChronoscoreError, DataError
from chronoscore.core.result import CaseMatches, CaseTexts, Result, decode
from chronoscore.families import family
from chronoscore.reports.html.data import Explained, encoded, payload
from chronoscore.reports.html.loss_tables import patterns
from chronoscore.reports.html.markup import Html, joined, tag
from chronoscore.reports.html.page import banner, policy, report, section_of, shell
from chronoscore.reports.html.sections import sections_of
from chronoscore.workbench.results_reading import Saved
from chronoscore.workbench.security import log
from chronoscore.workbench.store import Store
from chronoscore.workbench.store import results as store_results
from chronoscore.workbench.store.results import Kept

POLICY = f"{policy(drawn=True)}; frame-ancestors 'none'"
_OF_ONE_CASE = {
    "orders": "In which order",
    "cases": "What was matched",
    "losses": "Where precision and recall were lost",
}
"""Sections that are made from cases alone, with their titles here; others speak of the whole."""
_CONTRADICTIONS = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError),
    *(StopIteration, TypeError, ValueError),
)
_MOST_BYTES = 48 * 1024 * 1024
Thing = TypeVar("Thing")


class Shelf(Generic[Thing]):
    """What was made lately, up to a size; made again when it has gone."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._known: OrderedDict[Hashable, tuple[Thing, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], tuple[Thing, int]]) -> Thing:
        """What was made under this key, or make it: the thing and its size."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key][0]
        made, size = make()
        with self._lock:
            self._known[key] = made, size
            while len(self._known) > 1 and sum(s for _, s in self._known.values()) > self.most:
                self._known.popitem(last=False)
        return made


_results: Shelf[Saved] = Shelf(_MOST_BYTES)
_pages: Shelf[str] = Shelf(_MOST_BYTES)


def careful(make: Callable[[], Thing], name: str = "") -> Thing:
    """Make something of documents that come from anywhere: what fails is their fault, in words."""
    try:
        return make()
    except ChronoscoreError:
        raise
    except _CONTRADICTIONS as error:  # a document that fits its schema may contradict itself
        *_, place = traceback.extract_tb(error.__traceback__)
        where = f"{Path(place.filename).name}:{place.lineno}"
        log.warning("a result can't be shown: %s at %s", type(error).__name__, where)
        raise DataError.of(
            "the numbers of this result contradict each other, so that it can't be shown; "
            "score and save it again",
            name,
        ) from None


def saved(store: Store, result: Kept) -> Saved:
    """A result with its matches and texts."""

    def made() -> tuple[Saved, int]:
        parts = {kind: store_results.part(store, result.id, kind) or b"" for kind in result.kinds}
        found = Saved(
            decode(parts["result"], result.name),
            _items(parts.get("matches", b""), CaseMatches),
            _items(parts.get("texts", b""), CaseTexts),
        )
        return found, sum(map(len, parts.values()))

    return _results.get((result.id, store_results.stamp(store, result.id)), made)


Item = TypeVar("Item", bound=msgspec.Struct)


def _items(lines: bytes, kind: type[Item]) -> list[Item]:
    decoder = msgspec.json.Decoder(kind)
    return decoder.decode_lines(lines)


def check(one: Saved, name: str) -> None:
    """See whether a result can be shown before it is kept."""
    careful(lambda: report(one.result, one.matches, one.texts), name)


def run_page(store: Store, result: Kept) -> str:
    """The report of a result, with a way back."""

    def made() -> tuple[str, int]:
        found = saved(store, result)
        page = careful(lambda: report(found.result, found.matches, found.texts, _trail(result)))
        return page, len(page)

    stamp = store_results.stamp(store, result.id)
    return _pages.get((result.id, stamp, result.name, result.gone), made)


def cases_of(result: Result) -> list[str]:
    """The cases of all systems, in the order in which the report has them."""
    return [*dict.fromkeys(row.case for system in result.systems for row in system.rows)]


def case_page(store: Store, result: Kept, place: int, first: int) -> str | None:
    """The page of one case, with the system at `first` in front; None if there is no such case."""
    found = saved(store, result)
    cases = cases_of(found.result)
    if not (0 <= place < len(cases) and 0 <= first < len(found.result.systems)):
        return None
    return careful(lambda: _case_page(found, result, cases, place, first))


def _case_page(found: Saved, result: Kept, cases: Sequence[str], place: int, first: int) -> str:
    case = cases[place]
    systems = [*found.result.systems]
    systems.insert(0, systems.pop(first))
    kept = [
        msgspec.structs.replace(system, rows=[row for row in system.rows if row.case == case])
        for system in systems
    ]
    alone = msgspec.structs.replace(found.result, systems=tuple(one for one in kept if one.rows))
    of = family(found.result.family)
    explained = Explained.of(
        alone,
        [one for one in found.matches if one.case == case],
        [one for one in found.texts if one.case == case],
    )
    by_id = {part.id: part for part in sections_of(explained, of)}
    parts = [
        by_id[name]._replace(title=title) for name, title in _OF_ONE_CASE.items() if name in by_id
    ]
    links = [tag("li", tag("a", part.title, href=f"#{part.id}")) for part in parts]
    content = joined(
        tag("a", "Skip to the case", href="#cases", class_="skip"),
        _trail(result, place, len(cases)),
        patterns(),
        banner(case, f"One of {len(cases)} cases of {result.name}. {of.question}", [], links),
        tag("main", [section_of(part) for part in parts]),
        tag("footer", tag("p", "Made by Chronoscore from one result document.")),
    )
    return shell(case, content, encoded(payload(explained)))


def _trail(result: Kept, place: int | None = None, cases: int = 0) -> Html:
    """Links to the pages around a report."""
    around: list[str] = [tag("a", "Results", href="/results"), " / "]
    if place is None:
        around.append(tag("span", result.name))
    else:
        around.append(tag("a", result.name, href=f"/results/{result.id}"))
        for at, word in ((place - 1, "Previous case"), (place + 1, "Next case")):
            if 0 <= at < cases:
                around += [" · ", tag("a", word, href=f"/results/{result.id}/cases/{at}")]
    if result.gone:
        around.append(" (deleted)")
    return tag("nav", tag("p", around), class_="trail", aria_label="Where this is")
