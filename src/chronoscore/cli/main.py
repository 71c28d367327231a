"""The command and its verbs. Verbs are imported when they are called, so that help is instant."""

import gc
import os
import sys
from importlib import import_module

import click

from chronoscore import __version__
from chronoscore.cli.output import colour
from chronoscore.errors import ChronoscoreError, DataError, similar_name

VERBS = {
    "evaluate": "basics",
    "timelines": "timelines",
    "events": "events",
    "events threshold": "events",
    "ordering": "ordering",
    "tlinks": "ordering",
    "tlinks convert": "files",
    "coreference": "ordering",
    "annotations": "annotations",
    "candidates": "annotations",
    "annotators": "annotations",
    "rubric": "rubric",
    "rubric template": "rubric",
    "rubric dates": "rubric",
    "rubric convert": "files",
    "judge": "judgements",
    "agreement": "judgements",
    "calibrate": "judgements",
    "correlate": "judgements",
    "compare": "results",
    "leaderboard": "results",
    "merge": "results",
    "metrics": "basics",
    "show": "results",
    "cite": "results",
    "validate": "validate",
    "convert": "files",
    "metric-tests": "timelines",
    "reproduce": "reproduce",
    "serve": "serve",
    "serve backup": "serve",
    "serve restore": "serve",
    "demo": "basics",
    "completion": "basics",
}
"""The verbs in the order in which a newcomer meets them, and the module of each."""

_ERROR = click.style("error", fg="red", bold=True)


def find_verb(name: str) -> click.Command:
    """Import a verb."""
    module = import_module(f"chronoscore.cli.{VERBS[name]}")
    command = getattr(module, f"{name.replace('-', '_').replace(' ', '_')}_verb")
    assert isinstance(command, click.Command)
    return command


class VerbGroup(click.Group):
    """The group of all verbs; a verb's name may have two words."""

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Make a new help option: click would reuse that of the first context and its names."""
        self._help_option = None
        return super().get_help_option(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the verbs."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a verb."""
        return find_verb(cmd_name) if cmd_name in VERBS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Read two words as one verb if there is such a verb, such as `rubric template`."""
        if " ".join(args[:2]) in VERBS:
            args = [" ".join(args[:2]), *args[2:]]
        elif args[0] not in VERBS and not args[0].startswith("-"):
            similar = similar_name(args[0], VERBS)
            if similar:
                ctx.fail(f"No such command '{args[0]}'. Did you mean '{similar}'?")
        return super().resolve_command(ctx, args)


@click.group(
    cls=VerbGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with `chronoscore demo`. Exit codes: 0 fine, 1 a gate failed (--fail-under, "
    "--no-worse-than) or a number differs (reproduce, --check-scores), 2 wrong usage, 3 bad data, "
    "4 part of the data was left out, or the run did not finish.",
)
@click.version_option(__version__, message="chronoscore %(version)s")
def command() -> None:
    """Score event timelines.

    Five questions are asked of a timeline: what does it say and when (timelines), which events
    were found and when (events), in which order did things happen (ordering, tlinks, coreference),
    which events and times were found in the text (annotations, candidates), and what do people
    think of it (rubric, agreement). `evaluate` asks all that a file of events can answer.
    """


def main() -> None:
    """Run the command; errors of the input end in a message, not in a traceback."""
    gc.set_threshold(50_000)  # most of what is made at first are modules, which stay
    # Threads of OpenBLAS wait busily for each other: for our narrow matrices, that is most of the
    # time. Their number also decides how some products are summed, and so their last digits. It
    # is read when numpy is imported, which is not yet the case.
    if "OMP_NUM_THREADS" not in os.environ:  # else the user has chosen a number
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # pipes on Windows would otherwise be in a local code page
            reconfigure(**({"errors": "replace"} if stream.isatty() else {"encoding": "utf-8"}))
    try:
        command.main(standalone_mode=True, color=colour())
    except ChronoscoreError as error:
        click.echo(f"{_ERROR}: {error}", err=True, color=colour())
        if isinstance(error, DataError) and len(error.problems) > 1:
            click.echo(f"{len(error.problems)} problems", err=True)
        raise SystemExit(error.exit_code) from None
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        sys.stderr.close()
        raise SystemExit(0) from None
    except OSError as error:  # no permission, a full disk, a name that is too long
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"{_ERROR}: {place}{error.strerror or error}", err=True, color=colour())
        raise SystemExit(DataError.exit_code) from None
