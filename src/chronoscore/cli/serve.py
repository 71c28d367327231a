"""`chronoscore serve`, `serve backup` and `serve restore`: judge events in the browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from chronoscore.cli.options import Args, Option, argument, option
from chronoscore.cli.output import tell_now
from chronoscore.cli.verb import verb
from chronoscore.errors import UsageError

if TYPE_CHECKING:
    from chronoscore.workbench.store import Store


_DATABASE = "workbench.db"


def _database(meaning: str, default: str | None = _DATABASE) -> Option:
    """Make the option that names the database of a workbench."""
    kind = click.Path(path_type=Path, dir_okay=False)
    return option("--db FILE", meaning, kind, name="database", default=default)


@verb(
    _database(
        "The database, which holds everything; created if it does not exist. Without it: "
        f"{_DATABASE}, and with --demo a temporary file.",
        default=None,
    ),
    option("--demo", "Begin with a study to look at, in a temporary file or a new --db.", bool),
    option("--host", "The address to listen on.", default="127.0.0.1"),
    option("--port", "The port; 0 takes a free one.", click.IntRange(0, 65535), default=8765),
    option("--address URL", "The address that people open, such as https://judge.example.org."),
    option(
        "--trusted-proxy ADDRESS...",
        "IP address of a proxy in front, whose X-Forwarded-For header is trusted.",
        name="proxies",
    ),
    option(
        "--results DIR",
        "A folder of saved results to show; new files in it are added.",
        click.Path(path_type=Path, exists=True, file_okay=False),
    ),
    option("--log-format", "How the log is written.", ("text", "json"), default="text"),
    option(
        "--log-level",
        "The lowest level that is logged; info logs every request.",
        ("info", "warning", "error"),
        default="warning",
    ),
    option("--check", "Start on a free port, answer one request, print the address, stop.", bool),
)
def serve_verb(args: Args) -> None:
    """Judge events in the browser.

    The workbench has projects, judging, adjudication and agreement. It listens on this machine
    only, unless --host says otherwise. Everyone logs in by a link that works once: the owner's is
    printed here, and the owner makes those of evaluators.

    With --demo, the workbench begins with a study: evaluators who are done, a judge model, open
    differences, and saved results. It is removed at the end, unless --db names a new file.

    Examples:
    chronoscore serve --demo --check
    chronoscore serve --db judging.db --port 0 --check
    """
    try:
        from chronoscore.workbench import logs, serving
    except ModuleNotFoundError as error:
        raise UsageError(
            f"the workbench needs {error.name}: pip install 'chronoscore[web]'"
        ) from None
    trusted = serving.proxy_addresses(args.proxies)
    if args.check:
        serving.address_of(args.host, args.port, args.address)  # refused as without --check
        with _place(args) as database:
            address = _check(database, args.host, args.results, args.demo)
        where = database if database.exists() else "a temporary file, which is removed"
        click.echo(f"{address} answers, with everything in {where}")
        return
    if args.host not in serving.LOOPBACK:
        tell_now(
            f"listening on {args.host}: others can reach this machine. Everyone must log in by "
            "their own link; put https in front and name it with --address, or links can be read "
            "on their way"
        )
    socket = serving.bound(args.host, args.port)
    with closing(socket), serving.stopped_by_signals(), _place(args) as database:
        from chronoscore.workbench.store import Store

        address = serving.address_of(args.host, socket.getsockname()[1], args.address)
        logs.set_up(args.log_format, args.log_level)
        with closing(Store(database)) as store:
            if args.demo:
                _fill(store)
            server = serving.server(store, address, args.results, trusted)
            click.echo(f"Workbench: {address}")
            click.echo(f"Log in as owner (works once): {serving.owner_link(store, address)}")
            ends = args.demo and not args.database
            where = (
                "in a temporary file, and is removed at the end" if ends else f"kept in {database}"
            )
            click.echo(f"Everything is {where}. Stop with Ctrl-C.")
            server.run(sockets=[socket])


@contextmanager
def _place(args: Args) -> Iterator[Path]:
    """Where the database is: for a demo without --db, in a folder that is removed at the end."""
    if args.database or not args.demo:
        yield args.database or Path(_DATABASE)
        return
    with TemporaryDirectory(prefix="chronoscore-demo-") as folder:
        yield Path(folder) / "demo.db"


def _fill(store: Store) -> None:
    """Add the demo to a new database."""
    from chronoscore.workbench.demo_study import add_demo
    from chronoscore.workbench.store import people, projects

    owner, begun = people.owner(store), time.perf_counter()
    if projects.visible(store, owner):
        raise UsageError(
            f"{store.path} has projects already: name a new file with --db, or leave --db out, "
            "and the demo is in a temporary file"
        )
    add_demo(store, owner, progress=lambda step: click.echo(f"Demo: {step}"))
    click.echo(f"Demo: ready after {time.perf_counter() - begun:.1f} s")


def _check(database: Path, host: str, results: Path | None, demo: bool) -> str:
    """Answer one request; returns the address."""
    from urllib.request import ProxyHandler, build_opener

    from chronoscore.workbench import serving

    opener = build_opener(ProxyHandler({}))  # never by way of a proxy: it is this machine
    with serving.running(database, host, results=results) as (store, address):
        if demo:
            _fill(store)
        with opener.open(f"{address}/health", timeout=20) as answer:
            answer.read()
    return address


@verb(
    argument("target", click.Path(path_type=Path), metavar="FILE"),
    _database("The workbench's database."),
)
def serve_backup_verb(args: Args) -> None:
    """Copy a workbench while it runs.

    FILE gets the workbench's database as of one moment, while people judge. The copy is one file,
    checked to be whole. A file that already exists is kept.

    Examples:
    chronoscore serve --check
    chronoscore serve backup copies/monday.db
    """
    from chronoscore.workbench.store.database import backup

    backup(args.database, args.target)
    click.echo(f"{args.database} is copied to {args.target}")


@verb(
    argument("source", click.Path(path_type=Path), metavar="FILE"),
    _database("The new database; must not exist yet."),
)
def serve_restore_verb(args: Args) -> None:
    """Bring back a workbench from a copy.

    The copy FILE becomes a new database. A file that already exists is never overwritten: move it
    away first.

    Examples:
    chronoscore serve --db copy.db --check
    chronoscore serve restore copy.db --db again.db
    """
    from chronoscore.workbench.store.database import backup

    leftover = [
        path for ending in ("-wal", "-shm") if (path := Path(f"{args.database}{ending}")).exists()
    ]
    if leftover:
        raise UsageError(f"{leftover[0]} is there: move it away with its database first")
    backup(args.source, args.database)
    click.echo(f"{args.source} is brought back as {args.database}")
