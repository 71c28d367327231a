"""Saved results, for the owner alone: upload, a run's report, leaderboard, two runs compared."""

import re
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic

import msgspec
from markupsafe import Markup
from msgspec.structs import replace
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from chronoscore.core.contrast import Contrast, Pair, Swing
from chronoscore.core.names import Signature
from chronoscore.core.result import CaseMatches, CaseTexts, ResultDocument, decode
from chronoscore.engines.boards import Entry, boards
from chronoscore.engines.contrasting import Question, contrast
from chronoscore.errors import ChronoscoreError, UsageError
from chronoscore.families import family
from chronoscore.reports.contrast import differences_in_words, test_in_words
from chronoscore.reports.html.cases import board_data, board_scripts
from chronoscore.reports.html.explained import CASES, Explained
from chronoscore.reports.html.leaderboard import board_part
from chronoscore.reports.html.markup import Html, tag
from chronoscore.reports.html.page import page, policy
from chronoscore.reports.html.report import FOOTER, Pages, cases_section, report, sections_of
from chronoscore.reports.intervals import interval_in_words
from chronoscore.workbench.pages import plural
from chronoscore.workbench.result_files import ExplainedResult, Thing, careful, read_uploads
from chronoscore.workbench.routing import PageRequest, download, found, redirect
from chronoscore.workbench.store import Store, reader_links, results
from chronoscore.workbench.store.database import audit_entries, json_text
from chronoscore.workbench.store.results import StoredResult

_OF_ONE_CASE = ("losses",)
"""Sections that depend on cases alone; others describe the whole."""
_FILES = {"result": "json", "matches": "matches.jsonl", "texts": "texts.jsonl"}
_PURGED = "{name} was purged on {day}: its numbers are gone for good. Upload its file to see it."
_MOST_TOPICS = 500
_MOST_BYTES = 48 * 1024 * 1024
_MOST_TABLES = 32
Messages = Sequence[str]
NamedLink = tuple[str, str]
"""What a new link for readers shows, and its address."""


class SizedCache(Generic[Thing]):
    """The most recently computed things, up to a total size."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._known: OrderedDict[Hashable, tuple[Thing, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, compute: Callable[[], tuple[Thing, int]]) -> Thing:
        """The thing of this key; `compute` returns it with its size if it is not there."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key][0]
        thing, size = compute()
        with self._lock:
            self._known[key] = thing, size
            while len(self._known) > 1 and sum(s for _, s in self._known.values()) > self.most:
                self._known.popitem(last=False)
        return thing

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._known.clear()


_results: SizedCache[ExplainedResult] = SizedCache(_MOST_BYTES)
_pages: SizedCache[str] = SizedCache(_MOST_BYTES)


def load(store: Store, result: StoredResult) -> ExplainedResult:
    """A result with its matches and texts."""

    def compute() -> tuple[ExplainedResult, int]:
        document, matches, texts = (results.part(store, result.id, kind) or b"" for kind in _FILES)
        explained = ExplainedResult(
            decode(document, result.name),
            msgspec.json.Decoder(CaseMatches).decode_lines(matches),
            msgspec.json.Decoder(CaseTexts).decode_lines(texts),
        )
        return explained, len(document) + len(matches) + len(texts)

    return _results.get((result.id, results.stamp(store, result.id)), compute)


def stored_result(request: PageRequest) -> results.StoredResult:
    """The result that the address names, deleted or not; else it is not found, or gone."""
    stored = results.find(request.store, request.path["result"])
    result = found(stored, "There is no such result.")
    if result.purged:
        raise HTTPException(410, _PURGED.format(name=result.name, day=result.purged[:10]))
    return result


def results_page(request: PageRequest) -> Response:
    """List what is stored, after a look at the folder."""
    folder = request.workbench.folder
    problems = folder.update(request.store, request.person.id) if folder else []
    return results_list(request, folder_problems=problems)


def results_list(
    request: PageRequest,
    status: int = 200,
    problems: Messages = (),
    folder_problems: Messages = (),
    link: NamedLink | None = None,
) -> Response:
    """List what is stored, with the problems of what was just sent, or a link for readers."""
    store, folder = request.store, request.workbench.folder
    changed = results.find(store, request.query.get("changed", ""))
    before = results.find(store, changed.id, changes=1) if changed else None
    return request.show(
        "results.html",
        status,
        results=results.stored(store),
        deleted=results.stored(store, gone=True),
        changed=changed if before else None,
        busy=bool(request.query.get("busy")),
        before=before,
        folder=str(folder.path) if folder else "",
        folder_problems=folder_problems,
        problems=problems,
        history=audit_entries(store, None, most=50),
        files=_FILES,
        link=link,
        links=[
            (one, name)
            for one in reader_links.present(store, "result")
            if (name := _name(store, one))
        ],
    )


def _name(store: Store, link: reader_links.ReaderLink) -> str:
    """What a link for readers shows, as it is called now."""
    result = results.find(store, link.target)
    return f"{result.name}{' (deleted: not shown)' if result.gone else ''}" if result else ""


def upload(request: PageRequest) -> Response:
    """Store uploaded results; with a problem in any of them, none is stored."""
    new = read_uploads(request.files)
    with request.store.writing():
        for one in new:
            results.add(request.store, request.person.id, one)
    return redirect("/results")


def file(request: PageRequest) -> Response:
    """Answer with a file as --save writes it."""
    result, kind = stored_result(request), request.path["kind"]
    content = results.part(request.store, result.id, kind) if kind in _FILES else None
    content = found(content, "There is no such file.")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", result.name).strip("-.") or result.id
    content_type = "application/json" if kind == "result" else "application/x-ndjson"
    return download(content, content_type, f"{name}.{_FILES[kind]}")


def rename(request: PageRequest) -> Response:
    """Give a result another name."""
    result = stored_result(request)
    results.rename(request.store, request.person.id, result, request.text("name"))
    return redirect(f"/results?changed={result.id}")


def delete(request: PageRequest) -> Response:
    """Delete a result, once the owner has confirmed it; that can be undone."""
    result = stored_result(request)
    if not request.sure and not result.gone:
        links = reader_links.present(request.store, "result")
        shared = sum(link.target == result.id for link in links)
        return request.show(
            "confirm.html",
            title=f"Delete {result.name}?",
            lines=[
                f"It has {plural(result.cases, 'case')} of {plural(len(result.systems), 'system')} "
                f"({', '.join(result.systems)}).",
                "It leaves the list, the leaderboard and the comparison of runs. Its address still "
                "shows it to you.",
                *([f"{plural(shared, 'link')} for readers will show nothing."] if shared else []),
                "You can bring it back at any time, until you purge it.",
            ],
            action=f"/results/{result.id}/delete",
            button="Delete",
            back="/results",
        )
    results.delete(request.store, request.person.id, result)
    return redirect(f"/results?changed={result.id}")


def purge(request: PageRequest) -> Response:
    """Delete the files of a deleted result for good, once the owner has confirmed it."""
    store, result = request.store, stored_result(request)
    if not result.gone:
        raise HTTPException(409, "Only a deleted result can be purged: delete it first.")
    if not request.sure:
        kilobytes = -(-results.size(store, result) // 1024)
        return request.show(
            "confirm.html",
            title=f"Purge {result.name}?",
            lines=[
                "This can't be undone.",
                f"Its files ({', '.join(result.kinds)}; {kilobytes:,} KB) leave the database: "
                f"{plural(result.cases, 'case')} of {plural(len(result.systems), 'system')}. Its "
                "address then says that it is gone.",
                "Its name, its systems' names and its history stay on record. Backups that you "
                "made still have its files. It comes back only if its file is uploaded again.",
            ],
            action=f"/results/{result.id}/purge",
            button="Purge for good",
            back="/results",
        )
    if not results.purge(store, request.person.id, result):
        raise HTTPException(409, "This was changed meanwhile: reload the results.")
    _forget_computed()
    emptied = store.empty_journal()
    return redirect(f"/results?changed={result.id}{'' if emptied else '&busy=yes'}")


def _forget_computed() -> None:
    """Forget what was computed from stored results, and so what was in a purged one."""
    _results.clear()
    _pages.clear()
    board.cache_clear()
    _contrast.cache_clear()


def undo(request: PageRequest) -> Response:
    """Undo the last change of a result."""
    result, state = stored_result(request), request.whole("state", 0)
    if not results.undo(request.store, request.person.id, result, state):
        raise HTTPException(409, "This was changed meanwhile: reload the results.")
    return redirect(f"/results?changed={result.id}")


def run_page(request: PageRequest) -> Response:
    """Show the report of a result."""
    result = stored_result(request)
    content, headers = report_of(request.store, result, _trail(result))
    return HTMLResponse(content, headers=headers)


def report_of(store: Store, result: StoredResult, trail: Html) -> tuple[str, dict[str, str]]:
    """The report of a result below a trail, and the headers that it needs."""

    def compute() -> tuple[str, int]:
        loaded = load(store, result)
        of = family(loaded.result.family)
        text = careful(lambda: report(of, loaded.result, loaded.matches, loaded.texts, trail))
        return text, len(text)

    key = (result.id, results.stamp(store, result.id), trail)
    return _pages.get(key, compute), _report_headers(load(store, result).result)


def _report_headers(result: ResultDocument) -> dict[str, str]:
    """Allow just what the page of a result needs."""
    allowed = policy(board_scripts([Pages.of(family(result.family)).view]))
    return {"content-security-policy": f"{allowed}; frame-ancestors 'none'"}


def case_page(request: PageRequest) -> Response:
    """Show one case of a result, with the system of the query in front."""
    place, first = request.number("case"), request.whole("system", 0)
    result = stored_result(request)
    loaded = load(request.store, result)
    if not (0 <= place < len(loaded.cases) and 0 <= first < len(loaded.result.systems)):
        raise HTTPException(404, "There is no such case.")
    page = careful(lambda: _case_page(loaded, result, place, first))
    return HTMLResponse(page, headers=_report_headers(loaded.result))


def _case_page(loaded: ExplainedResult, result: StoredResult, place: int, first: int) -> str:
    cases = loaded.cases
    case = cases[place]
    systems = [*loaded.result.systems]
    systems.insert(0, systems.pop(first))
    alone = (replace(one, rows=[row for row in one.rows if row.case == case]) for one in systems)
    of = family(loaded.result.family)
    explained = Explained.of(
        of,
        replace(loaded.result, systems=tuple(one for one in alone if one.rows)),
        [one for one in loaded.matches if one.case == case],
        [one for one in loaded.texts if one.case == case],
    )
    view = Pages.of(of).view
    others = [section for section in sections_of(explained) if section.id in _OF_ONE_CASE]
    sections = [cases_section(explained)._replace(title="What was matched"), *others]
    lead = f"One of {len(cases)} cases of {result.name}. {of.question}"
    trail = _trail(result, place, len(cases))
    return page(
        case,
        lead,
        sections,
        FOOTER,
        trail=trail,
        scripts=board_scripts([view]),
        data={CASES: {**board_data(explained, view), "first": 0}},
    )


def _trail(result: StoredResult, place: int | None = None, cases: int = 0) -> Html:
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


@dataclass(frozen=True)
class ShownBoard:
    """A board's title and markup, or the reasons why its results may not stand in one table."""

    key: str
    """The data set and the protocol."""
    title: str
    content: str = ""
    problems: Messages = ()


def leaderboard(request: PageRequest, link: NamedLink | None = None) -> Response:
    """Show a board for each data set and protocol; one that fails is explained in its place."""
    store = request.store
    shown = {key: board(store, key, group) for key, group in sorted(_groups(store).items())}
    links = [
        (one, shown[one.target].title if one.target in shown else "a board without results")
        for one in reader_links.present(store, "leaderboard")
    ]
    return request.show("leaderboard.html", boards=[*shown.values()], link=link, links=links)


def _groups(store: Store) -> dict[str, tuple[StoredResult, ...]]:
    """The results of each board."""
    groups: dict[str, tuple[StoredResult, ...]] = {}
    for one in results.stored(store):
        key = _key(load(store, one).result)
        groups[key] = (*groups.get(key, ()), one)
    return groups


def group_of(store: Store, key: str) -> tuple[StoredResult, ...]:
    """The results of a board; none if there is no such board."""
    return _groups(store).get(key, ())


def _labelled(stored: Sequence[StoredResult]) -> dict[str, str]:
    """A unique name for each result."""
    names = Counter(one.name for one in stored)
    return {
        one.id: one.name if names[one.name] == 1 else f"{one.name} ({one.id[:6]})" for one in stored
    }


def _key(result: ResultDocument) -> str:
    """Results with the same gold, family and protocol belong on one board."""
    golds = {Signature.parse(system.signature).gold for system in result.systems}
    judged = bool(result.agreement)  # of their own events: there is no gold
    data = ["judgements"] if judged else sorted(golds)
    return json_text([result.family, result.protocol, *data])


@lru_cache(_MOST_TABLES)
def board(
    store: Store, key: str, group: tuple[StoredResult, ...], linked: bool = True
) -> ShownBoard:
    """The board of some results; `linked` systems lead to their reports."""
    labels = _labelled(group)
    loaded = [Entry(labels[one.id], one.folder, load(store, one).result) for one in group]
    entries = _distinct(loaded)
    addresses = {labels[one.id]: f"/results/{one.id}" for one in group} if linked else {}
    name, protocol, *data = msgspec.json.decode(key, type=list[str])

    def compute() -> ShownBoard:
        computed = boards(entries, {name: family(name)}, Question())[0]
        content = Markup(board_part(computed, addresses))  # noqa: S704, RUF100
        return ShownBoard(key, computed.title, content)

    try:
        return careful(compute)
    except ChronoscoreError as error:
        folders = {one.folder for one in group}
        folder = folders.pop() if len(folders) == 1 else ""
        title = f"{folder or f'gold {data[-1]}'}: {name}, {protocol or 'no protocol'}"
        return ShownBoard(key, title, problems=tuple(str(error).splitlines()))


def _distinct(entries: Sequence[Entry]) -> list[Entry]:
    """Systems of the same name in two results get the results' names added."""
    names = Counter(system.name for entry in entries for system in entry.result.systems)
    distinct = []
    for entry in entries:
        systems = tuple(
            replace(one, name=f"{one.name} ({entry.path})") if names[one.name] > 1 else one
            for one in entry.result.systems
        )
        distinct.append(Entry(entry.path, entry.folder, replace(entry.result, systems=systems)))
    return distinct


@dataclass(frozen=True)
class SystemRun:
    """One system of a stored result."""

    result: StoredResult
    place: int
    name: str

    @property
    def value(self) -> str:
        """How addresses name it."""
        return f"{self.result.id}.{self.place}"


def _runs(store: Store) -> list[SystemRun]:
    """All systems of all results, each with a unique name."""
    stored = results.stored(store)
    labels = _labelled(stored)
    return [
        SystemRun(one, place, f"{labels[one.id]}: {name}")
        for one in stored
        for place, name in enumerate(one.systems)
    ]


@lru_cache(_MOST_TABLES)
def _contrast(store: Store, one: SystemRun, two: SystemRun) -> Contrast:
    """Contrast two runs; UsageError if they can't be compared."""
    if one.value == two.value:
        raise UsageError("these are the same run: choose two")
    name, other = one.result.family, two.result.family
    if name != other:
        raise UsageError(f"one run is of {name}, the other of {other}: choose two of one family")

    def alone(run: SystemRun) -> ResultDocument:
        result = load(store, run.result).result
        return replace(result, systems=(replace(result.systems[run.place], name=run.name),))

    return careful(lambda: contrast(family(name), [alone(one), alone(two)], Question()))


def _oriented(pair: Pair, one: str) -> Pair:
    """The pair with this system first; by itself it has the better system first."""
    if pair.one == one:
        return pair
    interval = pair.interval
    return replace(
        pair,
        one=pair.two,
        two=pair.one,
        difference=None if pair.difference is None else -pair.difference,
        interval=replace(interval, low=-interval.high, high=-interval.low) if interval else None,
        wins=pair.losses,
        losses=pair.wins,
        swings=tuple(Swing(s.unit, -s.difference, s.two, s.one) for s in pair.swings),
    )


def _links(store: Store, run: SystemRun, unit: str) -> dict[str, str]:
    """The page of the first case of each unit."""
    loaded = load(store, run.result)
    places = {case: place for place, case in enumerate(loaded.cases)}
    links: dict[str, str] = {}
    for row in loaded.result.systems[run.place].rows:
        page = f"/results/{run.result.id}/cases/{places[row.case]}?system={run.place}"
        links.setdefault(row.tags.get(unit, row.case), page)
        links.setdefault(row.case, page)
    return links


def compare(request: PageRequest) -> Response:
    """Compare two runs, topic by topic."""
    runs = _runs(request.store)
    by_value = {run.value: run for run in runs}
    chosen = [request.query.get(name, "") for name in ("one", "two")]
    if any(name and name not in by_value for name in chosen):
        raise HTTPException(404, "There is no such run, or it was deleted.")
    one, two = (by_value.get(name) for name in chosen)
    shown: dict[str, Any] = {"runs": runs, "one": one, "two": two, "compared": None, "problems": []}
    if one and two:
        try:
            compared = _contrast(request.store, one, two)
            shown |= {
                "compared": compared,
                "pairs": [(m, _oriented(m.pairs[0], one.name)) for m in compared.metrics],
                "links": [_links(request.store, run, compared.unit) for run in (one, two)],
                "test": test_in_words(compared),
                "how_to_read": differences_in_words(compared),
                "in_words": interval_in_words,
                "most_topics": _MOST_TOPICS,
            }
        except ChronoscoreError as error:
            shown["problems"] = str(error).splitlines()
    return request.show("runs.html", 422 if shown["problems"] else 200, **shown)
