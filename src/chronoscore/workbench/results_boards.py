"""The leaderboard of what is kept: a board for each data set and protocol, or why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from chronoscore.core.errors import ChronoscoreError
from chronoscore.core.result import Result
from chronoscore.core.signature import Signature
from chronoscore.engines.boards import Board, Entry, boards
from chronoscore.engines.contrasting import Question
from chronoscore.families import family
from chronoscore.reports.html.leaderboard import board_part
from chronoscore.reports.html.markup import Html
from chronoscore.workbench.results_showing import Shelf, careful, saved
from chronoscore.workbench.store import Store
from chronoscore.workbench.store.results import Kept

_MOST_BOARDS = 32
_boards: Shelf["Shown"] = Shelf(_MOST_BOARDS)


@dataclass(frozen=True)
class Shown:
    """A board with its tables, or the reasons why results may not stand in one table."""

    title: str
    content: Html
    problems: tuple[str, ...] = ()


def leaderboard(store: Store, kept: Sequence[Kept]) -> list[Shown]:
    """The boards of results; one that can't be made keeps no other from being shown."""
    groups: dict[tuple[str, ...], list[Kept]] = {}
    for one in kept:
        groups.setdefault(_key(saved(store, one).result), []).append(one)
    labels = labelled(kept)
    found = []
    for key, group in sorted(groups.items()):
        named = tuple((one.id, labels[one.id], one.folder) for one in group)
        found.append(_boards.get((key, named), partial(_shown, store, group, key)))
    return found


def labelled(kept: Sequence[Kept]) -> dict[str, str]:
    """A name for each result that no other has."""
    names = [one.name for one in kept]
    return {
        one.id: one.name if names.count(one.name) == 1 else f"{one.name} ({one.id[:6]})"
        for one in kept
    }


def _key(result: Result) -> tuple[str, ...]:
    """Results of the same gold, family and protocol are meant for one board."""
    golds = {Signature.parse(system.signature).gold for system in result.systems}
    judged = bool(result.agreement)  # of their own events: there is no gold
    return (result.family, result.protocol, *(["judgements"] if judged else sorted(golds)))


def _shown(store: Store, group: Sequence[Kept], key: tuple[str, ...]) -> tuple[Shown, int]:
    labels = labelled(group)
    entries = _apart([Entry(labels[k.id], k.folder, saved(store, k).result) for k in group])
    addresses = {labels[one.id]: f"/results/{one.id}" for one in group}
    folders = {one.folder for one in group}
    data = folders.pop() if len(folders) == 1 else ""
    title = f"{data or f'gold {key[-1]}'}: {key[0]}, {key[1] or 'no protocol'}"
    try:
        return careful(lambda: _made(entries, addresses)), 1
    except ChronoscoreError as error:
        return Shown(title, Html(""), tuple(str(error).splitlines())), 1


def _made(entries: Sequence[Entry], addresses: dict[str, str]) -> Shown:
    of = {entry.result.family: family(entry.result.family) for entry in entries}
    board: Board = boards(entries, of, Question())[0]
    return Shown(board.title, board_part(board, addresses))


def _apart(entries: Sequence[Entry]) -> list[Entry]:
    """Systems of the same name in two results are told apart by the results' names."""
    names = [system.name for entry in entries for system in entry.result.systems]
    made = []
    for entry in entries:
        systems = tuple(
            replace(s, name=f"{s.name} ({entry.path})") if names.count(s.name) > 1 else s
            for s in entry.result.systems
        )
        made.append(Entry(entry.path, entry.folder, replace(entry.result, systems=systems)))
    return made
