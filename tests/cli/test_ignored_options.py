"""Options that would do nothing are refused or told, never ignored without a word."""

from pathlib import Path

import click
import pytest
from readers.command_line import FINE, USAGE, run

from chronoscore.cli.main import VERBS, command
from chronoscore.cli.options import Args, option
from chronoscore.cli.verb import verb
from chronoscore.demo import home
from chronoscore.errors import UsageError

FILES = f"{home()}/gold.jsonl {home()}/quick.jsonl"
ALONE = [
    (f"timelines {FILES} --level 0.9", "--level is for --interval"),
    (f"timelines {FILES} --confidence 0.9", "--level is for --interval"),
    (f"ordering {FILES} --seed 3", "--seed is for --interval"),
    (f"timelines {FILES} --bound lower", "--bound is for --fail-under"),
    (f"annotations {FILES} --alignment share", "--alignment is for --matching scored"),
    (f"annotations {FILES} --matching best --alignment share", "--alignment is for --matching"),
    (f"annotations {FILES} --candidates all", "--candidates is for --matching scored"),
    (f"annotations {FILES} --containment contained", "--containment is for --within"),
    (f"annotations {FILES} --nil-value X", "--nil-value is for --nil"),
    (f"candidates {FILES} --nil-value X", "--nil-value is for --nil"),
    (f"annotations {FILES} --by-side response", "--by-side is for --by or --by-type"),
    (f"annotations {FILES} --write-format brat", "--write-format is for --write-differences"),
    (f"evaluate {FILES} --level 0.9", "--level is for --interval"),
    (f"evaluate {FILES} --codebook nosuch", "--codebook is for --judgements"),
    (f"evaluate {FILES} --full --format csv", "--full is for --format text, "),
    (f"evaluate {FILES} --full --format json", "--full is for --format text, "),
    (f"timelines {FILES} --all-variants -m AR-1", "only prints its tables: leave out --metric"),
    (f"timelines {FILES} --all-variants --golds pooled", "leave out --golds"),
    (f"timelines {FILES} --all-variants --by topic --ceiling", "leave out --ceiling, --by"),
    (f"timelines {FILES} --all-variants --format plain", "--all-variants is for --format text, "),
    (f"timelines {FILES} --language es", "--language is for text=stems and text=icu"),
    (f"timelines {FILES} -m concat(text=stems-es) --language es", "and no metric has them"),
    ("metrics AR-1 --family ordering", "unknown metric 'AR-1' in ordering"),
    (f"timelines {FILES} --interval auto --strata topic", "has one topic only"),
    (f"timelines {FILES} --interval bootstrap --strata topic", "has one topic only"),
]


@pytest.mark.parametrize(("call", "words"), ALONE)
def test_an_option_without_what_it_is_for_is_refused(call: str, words: str) -> None:
    ran = run(*call.split())
    assert (ran.code, ran.out) == (USAGE, "")
    assert words in ran.err


FITTING = [
    f"timelines {FILES} --interval auto --level 0.9 --seed 1",
    f"timelines {FILES} --fail-under 0 --bound lower --level 0.9",
    f"annotations {FILES} --matching scored --alignment characters --candidates all",
    f"annotations {FILES} --by type --by-side response",
    f"timelines {FILES} --all-variants --dates first-day --format csv",
    f"timelines {FILES} -m concat(text=stems) --language en",
    "metrics AR-1 --family timelines",
]


@pytest.mark.parametrize("call", FITTING)
def test_an_option_beside_what_it_is_for_is_taken(call: str) -> None:
    assert run(*call.split()).code == FINE


@pytest.mark.parametrize("option", ["--workers 2", "--progress json"])
def test_options_for_parts_are_told_where_files_are_read_whole(option: str) -> None:
    ran = run(*f"timelines {FILES} {option}".split())
    assert ran.code == FINE
    name, *_ = option.split()
    assert f"{name} does nothing here: the files are read as a whole" in ran.notices


def test_strict_changes_nothing_where_all_bytes_are_valid() -> None:
    assert run(*f"timelines {FILES} --strict".split()) == run(*f"timelines {FILES}".split())


def test_a_missing_interval_is_told(tmp_path: Path) -> None:
    lines = (home() / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    gold = tmp_path / "gold.jsonl"
    gold.write_text("\n".join(x for x in lines if "suez-canal" in x), encoding="utf-8")
    ran = run("timelines", gold, home() / "quick.jsonl", "--interval", "auto", "--lenient")
    assert "no intervals: they need two units or more" in ran.out
    assert "no intervals" not in run(*f"timelines {FILES} --interval auto".split()).out


@pytest.mark.parametrize("verb", VERBS)
def test_the_level_of_intervals_may_be_called_confidence_everywhere(verb: str) -> None:
    found = command.get_command(click.Context(command), verb)
    assert found is not None
    names = {name for option in found.params for name in option.opts}
    shown = found.get_help(click.Context(found))
    if verb == "correlate":  # whose --level says what is compared
        assert "--confidence FLOAT" in shown
    elif "--level" in names:
        assert "--confidence" in names
        assert "--confidence" not in shown


def test_a_number_for_the_level_of_correlate_is_told_its_name() -> None:
    ran = run("correlate", "x.json", "--people", "y.csv", "--level", "0.9")
    assert ran.code == USAGE
    assert "of intervals: --confidence" in ran.err


def test_what_was_not_given_is_not_looked_at() -> None:
    @verb(
        option("--shade", "How light.", default="dark", needs=("colour=red", "colour=blue")),
        option("--colour", "Which."),
    )
    def painted(_: Args) -> None:
        """Paint."""

    def call(*words: str) -> None:
        painted.main(list(words), standalone_mode=False)

    call()
    call("--shade", "light", "--colour", "blue")
    with pytest.raises(UsageError, match="--shade is for --colour red or --colour blue"):
        call("--shade", "light", "--colour", "green")


def test_a_name_that_a_file_has_is_not_another_trial() -> None:
    ran = run(*f"timelines {FILES} quick={home()}/careful.jsonl".split())
    assert ran.code == USAGE
    assert "two systems are named 'quick'" in ran.err
