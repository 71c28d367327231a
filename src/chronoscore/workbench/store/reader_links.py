"""Links for readers: each shows one result or one leaderboard, until the owner ends it."""

import secrets
from dataclasses import dataclass
from typing import Literal

from chronoscore.workbench.store.database import Store, now
from chronoscore.workbench.store.people import digest

SharedKind = Literal["result", "leaderboard"]
_LONGEST_TOKEN = 100


@dataclass(frozen=True, slots=True)
class ReaderLink:
    """What a link shows; its token is known only to those who have it."""

    id: int
    kind: SharedKind
    target: str
    """The id of a result, or the key of a leaderboard."""
    made: str


def add(store: Store, by: int, kind: SharedKind, target: str) -> str:
    """Make a link; returns its token, which is stored as a digest only."""
    token = secrets.token_urlsafe(32)
    with store.writing():
        shared = {"kind": kind, "target": target}
        number = store.insert("reader_links", digest=digest(token), **shared, made=now())
        store.note(by, "result shared", link=number, **shared)
    return token


def find(store: Store, token: str) -> ReaderLink | None:
    """The link of a token, unless it has ended."""
    if len(token) > _LONGEST_TOKEN:
        return None
    sql = "SELECT * FROM reader_links WHERE digest = :digest AND ended = ''"
    return store.record(ReaderLink, sql, digest=digest(token))


def present(store: Store, kind: SharedKind) -> list[ReaderLink]:
    """The links that have not ended, the newest first."""
    sql = "SELECT * FROM reader_links WHERE kind = :shared AND ended = '' ORDER BY id DESC"
    return store.records(ReaderLink, sql, shared=kind)


def end(store: Store, by: int, link: int) -> ReaderLink | None:
    """End a link, for good; None if there is no such link, or it has ended already."""
    with store.writing():
        sql = "SELECT * FROM reader_links WHERE id = :id AND ended = ''"
        known = store.record(ReaderLink, sql, id=link)
        if known:
            ended = "UPDATE reader_links SET ended = :now WHERE id = :id"
            store.execute(ended, now=now(), id=known)
            store.note(by, "result link ended", link=link, kind=known.kind, target=known.target)
    return known
