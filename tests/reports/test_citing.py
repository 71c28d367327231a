"""What `chronoscore cite` prints: every source has its entry, and the sentence names the run."""

import re
from pathlib import Path

import pytest
from every import each
from readers.command_line import BAD_DATA, FINE, run

from chronoscore import __version__
from chronoscore.core.names import short_signature
from chronoscore.core.result import load
from chronoscore.demo import home
from chronoscore.families import NAMES, family
from chronoscore.reports.citing import TOOL, Reference, bibliography, references
from chronoscore.statistics.agreement import COEFFICIENTS

GOLD, QUICK, CAREFUL = (home() / f"{name}.jsonl" for name in ("gold", "quick", "careful"))
HOMES = [family(name) for name in NAMES]
CITATIONS = {
    *(definition.citation for one in HOMES for definition in one.definitions),
    *(protocol.citation for one in HOMES for protocol in one.protocols),
    *(coefficient.citation for coefficient in COEFFICIENTS.values()),
}


def keys(text: str) -> list[str]:
    return re.findall(r"^@\w+\{([^,]+),$", text, re.MULTILINE)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    assert run("timelines", GOLD, CAREFUL, QUICK, "--save", path).code == FINE
    return path


@each("citation", sorted(CITATIONS))
def test_every_citation_in_the_code_has_an_entry(citation: str) -> None:
    assert references(citation)
    for author, year in re.findall(r"(?:^|; |: )([A-Z][\w ,.]+?) (\d{4})\b", citation):
        assert f"{author} {year}" in [reference.name for reference in references(citation)]


def test_every_entry_is_cited_somewhere() -> None:
    assert {r for text in CITATIONS for r in references(text)} == {*bibliography()}


@each("reference", bibliography(), ids=lambda reference: reference.key)
def test_entries_are_well_formed(reference: Reference) -> None:
    assert reference.bibtex.count("{") == reference.bibtex.count("}")
    fields = re.findall(r"^  (\w+) = \{(.+)\},?$", reference.bibtex, re.MULTILINE)
    assert len(fields) == reference.bibtex.count("\n") - 2
    assert len({name for name, _ in fields}) == len(fields)
    values = dict(fields)
    assert values["title"]
    year = re.search(r"(\d{4})$", reference.name)
    if year:
        assert values["year"] == year[1]
        names = [name.partition(",")[0] for name in values["author"].split(" and ")]
        two = " and ".join(names)
        said = reference.name.removesuffix(f" {year[1]}")
        expected = {two, f"{names[0]} et al.", f"{', '.join(names[:-1])} and {names[-1]}"}
        assert said in (expected if len(names) > 2 else {two})


def test_names_and_keys_are_unique() -> None:
    for values in ([r.name for r in bibliography()], [r.key for r in bibliography()]):
        assert len({*values}) == len(values)


def test_a_result_is_cited_by_its_metrics_its_protocol_and_the_program(saved: Path) -> None:
    out = run("cite", saved).out
    assert keys(out) == [
        *("chronoscore", "martschat-markert-2017", "lin-2004", "martschat-markert-2018"),
        "gholipour-ghalandari-ifrim-2020",
    ]
    sentence = " ".join(re.findall(r"^% (.*)$", out, re.MULTILINE))
    assert r"Date-F1~\cite{martschat-markert-2018}" in sentence
    short = short_signature(*(system.signature for system in load(saved).systems))
    assert short.replace("#", r"\#") in sentence
    assert f"{TOOL} {__version__}" in sentence


def test_the_words_of_the_sentence_are_cited_below_it(saved: Path) -> None:
    out = run("cite", saved).out
    cited = {key for found in re.findall(r"\\cite\{(.*?)\}", out) for key in found.split(",")}
    assert cited == {*keys(out)}


def test_no_line_of_text_is_wider_than_a_terminal(saved: Path) -> None:
    out = run("cite", saved, "--format", "text").out
    assert max(map(len, out.splitlines())) <= 80
    assert "AR-1 and AR-2 (Martschat and Markert 2017; Lin 2004)" in out


def test_without_a_result_the_program_alone_is_cited() -> None:
    ran = run("cite")
    assert (ran.code, keys(ran.out)) == (FINE, ["chronoscore"])
    assert f"version {__version__}" in ran.out


def test_an_evaluation_is_cited_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    sheet = home() / "judgements.csv"
    assert run("evaluate", GOLD, CAREFUL, "--judgements", sheet, "--save", path).code == FINE
    out = run("cite", path).out
    assert {"lin-2004", "minard-etal-2015", "gate-evaluation", "krippendorff-2011"} <= {*keys(out)}
    assert len(keys(out)) == len({*keys(out)})
    assert len(re.findall(r"\[signature", out.replace("\n% ", " "))) == 5


def test_metrics_outside_a_protocol_cite_no_protocol(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    run("timelines", GOLD, QUICK, "-m", "date-period", "--average", "macro", "--save", path)
    out = run("cite", path).out
    assert keys(out) == ["chronoscore"]
    assert r"timelines:custom\#" in out


def test_the_version_is_that_of_the_run(saved: Path) -> None:
    old = re.sub(rf"version={re.escape(__version__)}\b", "version=0.1.0", saved.read_text("utf-8"))
    saved.write_text(re.sub(r',\n "checksum": ".*"', "", old), encoding="utf-8")
    assert "note = {Software, version 0.1.0}" in run("cite", saved).out


def test_a_version_adds_no_entry_and_no_command(saved: Path) -> None:
    evil = r"version=0.1}%0A}%0A@misc{evil,%0A\\input{x}"
    text = re.sub(rf"version={re.escape(__version__)}\b", lambda _: evil, saved.read_text("utf-8"))
    saved.write_text(text, encoding="utf-8")
    out = run("cite", saved).out
    assert "evil" not in keys(out)
    assert r"\input" not in out
    entries = out[out.index("\n@") :]
    assert entries.count("{") == entries.count("}")


def test_an_unknown_metric_is_bad_data(saved: Path) -> None:
    text = saved.read_text(encoding="utf-8").replace("date-f1", "date-f9")
    saved.write_text(re.sub(r',\n "checksum": ".*"', "", text), encoding="utf-8")
    ran = run("cite", saved)
    assert (ran.code, ran.out) == (BAD_DATA, "")
    assert "date-f9" in ran.err


def test_whole_signatures_stand_below_their_short_forms(saved: Path) -> None:
    lines = run("show", saved, "--signature").out.splitlines()
    systems = load(saved).systems
    assert lines[0] == short_signature(*(system.signature for system in systems))
    for system in systems:
        at = lines.index(system.signature)
        assert lines[at - 1] == f"{system.name}: {short_signature(system.signature)}"
