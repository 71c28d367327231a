"""`chronoscore completion`: completion of verbs and options in the shell."""

import click

from chronoscore.cli.options import examples


@click.command(
    short_help="Print the completion script of a shell.",
    epilog=examples("chronoscore completion bash", "chronoscore completion fish"),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the script that completes verbs and options in a shell.

    bash: put eval "$(chronoscore completion bash)" into ~/.bashrc; zsh likewise into ~/.zshrc;
    fish: chronoscore completion fish > ~/.config/fish/completions/chronoscore.fish
    """
    from click.shell_completion import get_completion_class

    from chronoscore.cli.main import command as whole

    maker = get_completion_class(shell)
    assert maker is not None
    click.echo(maker(whole, {}, "chronoscore", "_CHRONOSCORE_COMPLETE").source())
