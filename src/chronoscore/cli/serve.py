"""`chronoscore serve`, `serve backup` and `serve restore`: judge events in the browser."""

from __future__ import annotations

import logging
from pathlib import Path

import click

from chronoscore.cli.options import Args, Option, argument, option
from chronoscore.cli.output import tell_now
from chronoscore.cli.verb import verb
from chronoscore.errors import UsageError


def _database(meaning: str) -> Option:
    """Make the option that names the database of a workbench."""
    kind = click.Path(path_type=Path, dir_okay=False)
    return option("--db FILE", meaning, kind, name="database", default="workbench.db")


@verb(
    _database("The database, which holds everything; created if it does not exist."),
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
    option("--check", "Start on a free port, answer one request, print the address, stop.", bool),
)
def serve_verb(args: Args) -> None:
    """Judge events in the browser.

    The workbench has projects, judging, adjudication and agreement. It listens on this machine
    only, unless --host says otherwise. Everyone logs in by a link that works once: the owner's is
    printed here, and the owner makes those of evaluators.

    Examples:
    chronoscore serve --check
    chronoscore serve --db judging.db --port 0 --check
    """
    try:
        from chronoscore.workbench import serving
    except ModuleNotFoundError as error:
        raise UsageError(
            f"the workbench needs {error.name}: pip install 'chronoscore[web]'"
        ) from None
    trusted = serving.proxy_addresses(args.proxies)
    if args.check:
        serving.address_of(args.host, args.port, args.address)  # refused as without --check
        _check(args.database, args.host, args.results)
        return
    if args.host not in serving.LOOPBACK:
        tell_now(
            f"listening on {args.host}: others can reach this machine. Everyone must log in by "
            "their own link; put https in front and name it with --address, or links can be read "
            "on their way"
        )
    socket = serving.bound(args.host, args.port)
    address = serving.address_of(args.host, socket.getsockname()[1], args.address)
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.WARNING)
    from chronoscore.workbench.store import Store

    store = Store(args.database)
    server = serving.server(store, address, args.results, trusted)
    click.echo(f"Workbench: {address}")
    click.echo(f"Log in as owner (works once): {serving.owner_link(store, address)}")
    click.echo(f"Everything is kept in {args.database}. Stop with Ctrl-C.")
    try:
        server.run(sockets=[socket])
    except KeyboardInterrupt:
        pass
    finally:
        socket.close()
        store.close()


def _check(database: Path, host: str, results: Path | None) -> None:
    from urllib.request import ProxyHandler, build_opener

    from chronoscore.workbench import serving

    opener = build_opener(ProxyHandler({}))  # never by way of a proxy: it is this machine
    with (
        serving.running(database, host, results=results) as (_, address),
        opener.open(f"{address}/health", timeout=20) as answer,
    ):
        answer.read()
    click.echo(f"{address} answers, with everything in {database}")


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
