"""`chronoscore serve`: judge events in the browser."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chronoscore.cli.options import examples, tell
from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

DATABASE = "workbench.db"


def database_option(meaning: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option that says where a workbench is."""
    return click.option(
        "--db",
        "database",
        type=click.Path(path_type=Path, dir_okay=False),
        default=DATABASE,
        show_default=True,
        metavar="FILE",
        help=meaning,
    )


@click.command(
    short_help="Judge events in the browser.",
    epilog=examples(
        "chronoscore serve --check",
        "chronoscore serve --db judging.db --port 0 --check",
    ),
)
@database_option("Where everything is kept; made if it is not there.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="On which port; 0 takes a free one.",
)
@click.option(
    "--address",
    metavar="URL",
    help="The address that people open, if it is another: https://judge.example.org.",
)
@click.option(
    "--trusted-proxy",
    "proxies",
    metavar="ADDRESS",
    multiple=True,
    help="IP address of a proxy in front, whose X-Forwarded-For header is believed; repeatable.",
)
@click.option(
    "--results",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="A folder of saved results to show; what is new in it is taken in.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Start, answer one request, print the address and stop; takes any free port.",
)
def command(
    database: Path,
    host: str,
    port: int,
    address: str | None,
    proxies: tuple[str, ...],
    results: Path | None,
    check: bool,
) -> None:
    """Serve the workbench: projects, judging, adjudication and agreement in the browser.

    It listens on this machine only, unless --host says otherwise. Everyone comes in by a link that
    works once: the owner's is printed here, the owner makes those of evaluators.
    """
    try:
        from chronoscore.workbench import serving
    except ModuleNotFoundError as error:
        raise UsageError(
            f"the workbench needs {error.name}: pip install 'chronoscore[web]'"
        ) from None
    trusted = serving.proxy_addresses(proxies)
    if check:
        serving.address_of(host, port, address)  # refused here as it would be without --check
        _check(database, host, results)
        return
    if host not in serving.LOOPBACK:
        tell(
            f"listening on {host}: others can reach this machine. Everyone must log in by their "
            "own link; put https in front and name it with --address, or links can be read on "
            "their way"
        )
    held = serving.bound(host, port)
    shown = serving.address_of(host, held.getsockname()[1], address)
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.WARNING)
    from chronoscore.workbench.store import Store

    store = Store(database)
    made = serving.server(store, shown, results, trusted)
    click.echo(f"Workbench: {shown}")
    click.echo(f"Come in as owner, once: {serving.owner_link(store, shown)}")
    click.echo(f"Everything is kept in {database}. Stop with Ctrl-C.")
    serving.load_the_rest()
    try:
        made.run(sockets=[held])
    except KeyboardInterrupt:
        pass
    finally:
        held.close()
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
