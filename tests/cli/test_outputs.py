"""What is read is never overwritten, and two outputs never go into one file."""

from pathlib import Path

import click
import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run

from chronoscore.cli.main import VERBS, command
from chronoscore.cli.options import Output
from chronoscore.demo import home


@pytest.fixture(autouse=True)
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo's data in a folder to be in."""
    monkeypatch.chdir(tmp_path)
    for path in home().iterdir():
        if path.suffix in (".jsonl", ".csv"):
            Path(path.name).write_bytes(path.read_bytes())
    Path("links.tsv").write_text("document\tsource\ttarget\trelation\nd\ta\tb\tBEFORE\n")
    Path("same.jsonl").hardlink_to("quick.jsonl")
    Path("linked-to.jsonl").symlink_to("quick.jsonl")


READ = [
    "convert gold.jsonl gold.jsonl --to csv",
    "convert gold.jsonl ./gold.jsonl --to events",
    "tlinks convert links.tsv links.tsv --to jsonl",
    "timelines gold.jsonl quick.jsonl --save quick.jsonl",
    "timelines gold.jsonl q=quick.jsonl --save quick.jsonl",
    "timelines gold.jsonl quick.jsonl --save same.jsonl",
    "timelines gold.jsonl quick.jsonl --save linked-to.jsonl",
    "timelines gold.jsonl quick.jsonl careful.jsonl --report careful.jsonl",
    "ordering gold.jsonl quick.jsonl --report gold.jsonl",
    "annotations gold.jsonl quick.jsonl --texts articles.jsonl --save articles.jsonl",
    "annotations gold.jsonl quick.jsonl --reference old=lead.jsonl --save lead.jsonl",
    "annotations gold.jsonl quick.jsonl --counts --tables quick.jsonl",
    "candidates places.jsonl linked.jsonl --feature link --save places.jsonl",
    "rubric judgements.csv --report judgements.csv",
    "evaluate gold.jsonl quick.jsonl --save quick.jsonl",
    "evaluate gold.jsonl quick.jsonl --judgements judgements.csv --report judgements.csv",
    "agreement judgements.csv --report judgements.csv",
]


@pytest.mark.parametrize("call", READ)
def test_an_input_is_not_overwritten(call: str) -> None:
    before = {path: path.read_bytes() for path in Path().iterdir()}
    ran = run(*call.split())
    assert ran.code == USAGE
    assert "is also read, and would be overwritten" in ran.err
    assert not ran.out
    assert before == {path: path.read_bytes() for path in Path().iterdir()}


def test_a_baseline_is_not_overwritten_by_what_is_set_against_it() -> None:
    assert run("timelines", "gold.jsonl", "quick.jsonl", "--save", "run.json").code == FINE
    before = Path("run.json").read_bytes()
    for call in (
        "timelines gold.jsonl quick.jsonl --no-worse-than run.json --save run.json",
        "merge run.json --save run.json",
        "show run.json --report run.json",
    ):
        assert run(*call.split()).code == USAGE
    assert Path("run.json").read_bytes() == before


@pytest.mark.parametrize("ending", ["matches", "texts"])
@pytest.mark.parametrize("call", ["show run.json --report", "merge run.json --save"])
def test_the_matches_and_texts_of_a_result_are_not_overwritten(call: str, ending: str) -> None:
    assert run("timelines", "gold.jsonl", "quick.jsonl", "--save", "run.json").code == FINE
    beside = Path(f"run.{ending}.jsonl")
    before = beside.read_bytes()
    ran = run(*call.split(), str(beside))
    assert ran.code == USAGE
    assert f"'{beside}' is also read" in ran.err
    assert beside.read_bytes() == before


def test_what_goes_beside_a_result_does_not_overwrite_an_input() -> None:
    Path("quick.jsonl").rename("run.matches.jsonl")
    ran = run("timelines", "gold.jsonl", "run.matches.jsonl", "--save", "run.json")
    assert ran.code == USAGE
    assert "'run.matches.jsonl' is also read" in ran.err


@pytest.mark.parametrize("verb", ["timelines", "annotations", "evaluate"])
def test_two_outputs_are_two_files(verb: str) -> None:
    ran = run(verb, "gold.jsonl", "quick.jsonl", "--save", "x", "--report", "./x")
    assert ran.code == USAGE
    assert "--save and --report would both write 'x'; name two files" in ran.err
    assert not Path("x").exists()


def test_many_files_go_into_a_folder_without_inputs() -> None:
    Path("all").mkdir()
    source = Path("all/egypt.json")
    source.write_text('{"2011-01-25": ["Protests began."]}')
    ran = run("convert", source, "all", "--to", "list")
    assert ran.code == USAGE
    assert "name another folder" in ran.err
    assert run("convert", source, "new", "--to", "list").code == FINE
    assert Path("new/egypt.json").exists()


def contents(folder: Path) -> dict[Path, bytes]:
    """All files in a folder, at any depth."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_file_in_a_folder_that_is_read_is_not_overwritten() -> None:
    assert run("convert", "gold.jsonl", "golds", "--to", "tilse").code == FINE
    Path("shards").mkdir()
    shard = Path("shards/one.jsonl")
    shard.write_bytes(Path("quick.jsonl").read_bytes())
    Path("short").symlink_to("golds")
    text = next(Path("golds").rglob("*.txt"))
    before = contents(Path())
    for call in (
        f"timelines golds quick.jsonl --report {text}",
        f"timelines golds quick.jsonl --report ./{text}",
        f"timelines short quick.jsonl --report {text}",
        f"timelines gold.jsonl q=golds --save {text}",
        f"timelines gold.jsonl shards --save {shard}",
        f"convert golds {text.parent} --to list",
    ):
        ran = run(*call.split())
        assert ran.code == USAGE, call
        assert "which is read, and would be overwritten; name another place" in ran.err
        assert contents(Path()) == before


def test_a_link_in_a_folder_that_is_read_is_not_written_through() -> None:
    Path("golds").mkdir()
    Path("elsewhere.jsonl").write_bytes(Path("gold.jsonl").read_bytes())
    Path("golds/gold.jsonl").symlink_to(Path("elsewhere.jsonl").resolve())
    ran = run("timelines", "golds", "quick.jsonl", "--report", "golds/gold.jsonl")
    assert ran.code == USAGE
    assert Path("elsewhere.jsonl").read_bytes() == Path("gold.jsonl").read_bytes()


def test_a_new_file_may_go_into_a_folder_that_is_read() -> None:
    assert run("convert", "gold.jsonl", "golds", "--to", "tilse").code == FINE
    assert run("timelines", "golds", "quick.jsonl", "--report", "golds/new.html").code == FINE
    assert run("timelines", "golds", "quick.jsonl", "--report", "golds.html").code == FINE
    assert run("timelines", "golds", "quick.jsonl", "--report", "golds.html").code == FINE


@pytest.mark.parametrize(
    "call",
    [
        "convert gold.jsonl new.jsonl.gz --to days",
        "convert gold.jsonl new.csv.zst --to csv",
        "convert gold.jsonl spans.jsonl.GZ --to documents",
        "tlinks convert links.tsv new.tsv.gz --to tsv",
        "rubric convert judgements.csv -o new.csv.gz --to csv",
        "timelines gold.jsonl quick.jsonl --save run.json.gz",
    ],
)
def test_nothing_plain_gets_the_name_of_a_packed_file(call: str) -> None:
    before = contents(Path())
    ran = run(*call.split())
    assert ran.code == USAGE
    assert "is the name of a packed file, and files are written plain; leave out" in ran.err
    assert contents(Path()) == before


def test_the_same_output_can_be_written_again() -> None:
    for _ in range(2):
        call = "timelines gold.jsonl quick.jsonl --save run.json --report run.html"
        assert run(*call.split()).code == FINE
    assert run("timelines", "gold.jsonl", "quick.jsonl", "--save", "/dev/null").code == FINE


_NAMES = {"save", "report", "output", "target", "work", "tables_path", "write_differences"}


def test_every_output_is_declared_as_one() -> None:
    context = click.Context(command)
    for name in (name for name in VERBS if not name.startswith(("serve", "demo"))):
        verb = command.get_command(context, name)
        assert verb is not None
        for parameter in verb.params:
            flags = {flag.lstrip("-").replace("-", "_") for flag in parameter.opts}
            if flags & _NAMES:
                assert isinstance(parameter.type, Output), f"{name} {parameter.opts}"


@pytest.mark.parametrize(
    ("call", "code", "message"),
    [
        ("timelines gold.jsonl quick.jsonl --save loop", USAGE, "loop: can't be written"),
        ("rubric loop", BAD_DATA, "loop: can't be read"),
    ],
)
def test_links_that_form_a_loop_are_refused(call: str, code: int, message: str) -> None:
    Path("loop").symlink_to("loop")
    ran = run(*call.split())
    assert ran.code == code
    assert message in ran.err
