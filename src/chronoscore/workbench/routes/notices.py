"""What the owner has just done in a project, in a sentence, and the button that undoes it."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from chronoscore.workbench.routing import PageRequest
from chronoscore.workbench.store import batches, people
from chronoscore.workbench.store.database import audit_entry, audited_since

_DONE: Mapping[str, tuple[str, str]] = {
    "submitted": (
        "{name} counts as having submitted {batch_name}.",
        "/batches/{batch}/people/{person}/give-back",
    ),
    "share given back": (
        "{name} can go on judging {batch_name}. All answers are hidden until all have submitted.",
        "/batches/{batch}/people/{person}/submit",
    ),
    "adjudicated": (
        "{batch_name} is closed. Settled: {settled}; judged alike: {alike}; without agreed "
        "values: {left}.",
        "/batches/{batch}/reopen",
    ),
    "batch reopened": (
        "{batch_name} is in review again. Agreed values that closing had set and that are "
        "withdrawn: {withdrawn}.",
        "/batches/{batch}/finish",
    ),
    "evaluator removed": (
        "{name} is removed. What they judged is kept.",
        "/projects/{project}/people/{person}/bring-back",
    ),
    "evaluator brought back": (
        "{name} is back in the project. If they are logged out, give them a new link.",
        "/projects/{project}/people/{person}/remove",
    ),
    "project archived": (
        "The project is archived. Nothing is lost, and nothing can be saved in it.",
        "/projects/{project}/unarchive",
    ),
    "project unarchived": ("The project is in use again.", "/projects/{project}/archive"),
}
"""For each action in the audit, the message, and the address that undoes it."""


@dataclass(frozen=True, slots=True)
class DoneNotice:
    """What was just done, and where it is undone."""

    message: str
    undo: str


def done_notice(request: PageRequest) -> DoneNotice | None:
    """The notice about the entry of the audit that the query names as `done`.

    None if there is no such entry in the project, or if something was done or undone since: then
    the button might undo something else than the message says.
    """
    store, project, number = request.store, request.project.id, request.whole("done", 0)
    entry = audit_entry(store, project, number) if number else None
    if entry is None or entry.action not in _DONE:
        return None
    if audited_since(store, project, number, _DONE):
        return None
    detail = msgspec.json.decode(entry.detail)
    person = people.find(store, detail.get("person", 0))
    batch = batches.find(store, request.person, detail.get("batch", 0))
    known = {"name": person and person.name, "batch_name": batch and batch.name.capitalize()}
    message, path = _DONE[entry.action]
    values = {"project": project, **detail, **known}
    return DoneNotice(message.format(**values), path.format(**values))
