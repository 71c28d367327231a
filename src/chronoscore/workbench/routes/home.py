"""The first page: an evaluator's work, and for the owner the projects and a new one."""

from dataclasses import dataclass

from starlette.responses import RedirectResponse, Response

from chronoscore.demo import SYSTEMS, home
from chronoscore.workbench.doors import Ask, Door
from chronoscore.workbench.importing import Imported, read_project
from chronoscore.workbench.store import batches, judgements, projects

DEMO = "Demo: Apollo 11 and six other stories"


@dataclass(frozen=True, slots=True)
class Work:
    """A batch as its evaluator finds it on the first page."""

    batch: batches.Batch
    project: str
    events: int
    done: int
    submitted: bool


def first_page(ask: Ask) -> Response:
    """Show the work, the projects, and for the owner how to begin one."""
    return _shown(ask, 200, (), "")


def _shown(ask: Ask, status: int, problems: tuple[str, ...], name: str) -> Response:
    found = projects.listed(ask.store, ask.person)
    names = {project.id: project.name for project in found}
    work = []
    for batch in batches.listed(ask.store, ask.person):
        states = judgements.progress(ask.store, ask.person, batch.id)
        left = judgements.unfinished(ask.store, ask.person, batch.id)
        own = batches.submitted(ask.store, batch.id, ask.person.id)
        work.append(Work(batch, names[batch.project], len(states), len(states) - left, own))
    counts = {project.id: projects.counts(ask.store, project.id) for project in found}
    return ask.show(
        "home.html",
        status,
        projects=found if ask.person.role == "owner" else [],
        counts=counts,
        work=work,
        problems=problems,
        name=name,
    )


def make_project(ask: Ask) -> Response:
    """Import files; row errors are shown and nothing is kept, else the project is previewed."""
    found = read_project(ask.files)
    name = ask.text("name").strip()
    if found.problems:
        return _shown(ask, 422, found.problems, name)
    return _made(ask, name, found)


def try_demo(ask: Ask) -> Response:
    """Make a project of the bundled data with a batch for the owner, and begin to judge."""
    folder = home()
    uploads = [
        ("events", f"{name}.jsonl", (folder / f"{name}.jsonl").read_bytes()) for name in SYSTEMS
    ]
    uploads.append(("articles", "articles.jsonl", (folder / "articles.jsonl").read_bytes()))
    project = _keep(ask, DEMO, read_project(uploads))
    wanted = batches.Wanted("main", (ask.person.id,))
    batch = batches.make(ask.store, ask.person.id, project, wanted)
    return RedirectResponse(f"/judge/{batch}", 303)


def _made(ask: Ask, name: str, found: Imported) -> Response:
    return RedirectResponse(f"/projects/{_keep(ask, name, found)}", 303)


def _keep(ask: Ask, name: str, found: Imported) -> int:
    return projects.make(
        ask.store, ask.person.id, name[:120], found.codebook, found.systems, found.articles
    )


DOORS = (
    Door("/", first_page, "member"),
    Door("/projects", make_project, "owner", "POST", large=True),
    Door("/projects/demo", try_demo, "owner", "POST"),
)
