"""The table of a paper: one matrix with its caption, in LaTeX that compiles and in Markdown."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace
from readers.command_line import BAD_DATA, FINE, USAGE, Ran, run
from reports.made import demo

from chronoscore.core.contrast import Contrast
from chronoscore.core.result import ResultDocument
from chronoscore.demo import home
from chronoscore.engines.contrasting import Question, contrast
from chronoscore.families import family
from chronoscore.reports.matrix import DAGGER, PublishedScores, letters_of, score_matrix
from chronoscore.reports.paper import paper_caption, paper_latex, paper_markdown
from chronoscore.reports.rendering import latex, markdown
from chronoscore.reports.table import Table

GOLD, CAREFUL, QUICK, LEAD = (
    home() / f"{name}.jsonl" for name in ("gold", "careful", "quick", "lead")
)
THREE = ("timelines", GOLD, CAREFUL, QUICK, LEAD)
DOCUMENT = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage{booktabs}
\begin{document}
\input{table}
\end{document}
"""
LONG = "a system with a name that is rather long, fine-tuned (Llama-3.1)"
NO_LATEX = "pdflatex is not installed"
latex_is_there = pytest.mark.skipif(shutil.which("pdflatex") is None, reason=NO_LATEX)


def result() -> ResultDocument:
    return demo().result


def contrast_of(baseline: str = "") -> Contrast:
    return contrast(family("timelines"), [result()], Question(baseline=baseline))


def rows_of(source: str) -> dict[str, list[str]]:
    """The cells of each row of LaTeX, by the name in its first column."""
    lines = [line.removesuffix(r" \\") for line in source.splitlines() if line.endswith(r" \\")]
    cells = [[cell.strip() for cell in line.split(" & ")] for line in lines]
    return {first: others for first, *others in cells}


def caption_of(source: str) -> str:
    (line,) = (line for line in source.splitlines() if line.startswith(r"\caption{"))
    return line.removeprefix(r"\caption{").removesuffix("}")


def weakened(folder: Path, name: str, every: int) -> Path:
    """A system that has only some of the events of another."""
    lines = CAREFUL.read_text(encoding="utf-8").splitlines(keepends=True)
    path = folder / f"{name}.jsonl"
    path.write_text("".join(lines[::every]), encoding="utf-8")
    return path


def compiled(folder: Path, source: str) -> str:
    """Compile a document with the table; return what LaTeX has to say."""
    (folder / "table.tex").write_text(source, encoding="utf-8")
    (folder / "paper.tex").write_text(DOCUMENT, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace", check=False
    )
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


COMPILED = {
    "plain": ("timelines", ()),
    "intervals": ("timelines", ("--interval", "auto")),
    "parts": ("timelines", ("--by", "topic")),
    "letters and published": ("compare", ("--published", "crisis", "--underline-second")),
    "a long name": ("compare", ("--underline-second", "--correction", "none")),
    "dagger": ("compare", ("--baseline", "quick")),
    "many columns": (
        "compare",
        ("--columns", "AR-1,AR-1.P,AR-1.R,AR-2,AR-2.P,AR-2.R,Date-F1", "--correction", "none"),
    ),
}


@latex_is_there
@pytest.mark.parametrize("how", COMPILED)
def test_five_systems_and_three_metrics_compile_and_fit_the_page(how: str, tmp_path: Path) -> None:
    verb, options = COMPILED[how]
    half, third = weakened(tmp_path, "half", 2), weakened(tmp_path, "third", 3)
    systems: tuple[object, ...] = (
        CAREFUL,
        f"Größe_& 50% #1 {{é}}={QUICK}",
        f"[lead]~^\\={LEAD}",
        half,
        f"*={third}",
    )
    systems = (f"quick={QUICK}", *systems) if how == "dagger" else systems
    systems = (f"{LONG}={CAREFUL}", *systems[1:]) if how == "a long name" else systems
    words = ("timelines", GOLD, *systems, *options, "-f", "latex")
    ran = run(*words) if verb == "timelines" else run(verb, *words)
    assert ran.code == FINE
    assert ran.out.count(r"\begin{tabular}") == 1
    assert "Overfull" not in compiled(tmp_path, ran.out)


@latex_is_there
def test_the_tables_of_every_family_compile(tmp_path: Path) -> None:
    for name in ("ordering", "coreference", "annotations", "rubric"):
        table = paper_latex(score_matrix(demo(name).result, full=name == "rubric"))
        assert "Overfull" not in compiled(tmp_path, table)


def test_the_best_is_bold_and_the_second_underlined_on_request() -> None:
    matrix = score_matrix(result())
    plain, underlined = paper_latex(matrix), paper_latex(matrix, underline_second=True)
    assert rows_of(plain)["careful"] == [
        r"\textbf{0.617}",
        r"\textbf{0.386}",
        r"\textbf{0.830}",
    ]
    assert r"\underline" not in plain
    assert rows_of(underlined)["quick"][0] == r"\underline{0.276}"
    assert "the second best underlined" in caption_of(underlined)
    assert "| quick | <ins>0.276</ins> |" in paper_markdown(matrix, underline_second=True)


def test_equal_systems_have_no_best() -> None:
    both = [replace(result().systems[1], name=name) for name in ("one", "two")]
    alike = replace(result(), systems=tuple(both))
    source = paper_latex(score_matrix(alike))
    assert r"\textbf" not in source
    assert "bold" not in source


def test_all_pairs_have_letters_and_a_baseline_has_daggers() -> None:
    letters = paper_latex(score_matrix(result(), contrast=contrast_of()))
    daggers = paper_latex(score_matrix(result(), contrast=contrast_of("lead")))
    assert rows_of(letters)["quick"][1] == r"\textsuperscript{b}"
    assert rows_of(daggers)["quick"][1] == r"\textsuperscript{\dag{}}"
    assert rows_of(daggers)["lead"][1] == ""
    assert DAGGER not in letters + daggers
    assert "share a letter" in caption_of(letters)
    assert r"\dag{} marks systems that differ from lead at $p < 0.05$" in caption_of(daggers)


@pytest.mark.parametrize(("p", "mark"), [(0.0, DAGGER), (0.049, DAGGER), (0.05, ""), (None, "")])
def test_a_dagger_is_for_p_below_a_twentieth(p: float | None, mark: str) -> None:
    made = contrast_of("lead")
    pairs = tuple(replace(pair, p_corrected=p) for pair in made.metrics[0].pairs)
    made = replace(made, metrics=(replace(made.metrics[0], pairs=pairs),))
    assert letters_of(made, made.metrics[0].name, "quick") == mark
    assert letters_of(made, made.metrics[0].name, "lead") == ""


def test_the_caption_names_protocol_average_intervals_test_and_correction() -> None:
    caption = paper_caption(score_matrix(result(), contrast=contrast_of()))
    assert caption == (
        "AR-1, AR-2 and Date-F1 scores (F1) of three systems on 7 topics (10 references) under the "
        "news-tls protocol. Scores are computed from the mean precision and recall over references "
        "and topics. Brackets hold 95% jackknife intervals over topics. The best score of a column "
        "is bold. Systems that share a letter do not differ at p < 0.05 by a two-sided paired "
        "permutation test over 7 topics (exact), corrected by Holm. Undefined scores are "
        "counted as 0."
    )


def test_the_caption_counts_trials_beside_topics(tmp_path: Path) -> None:
    topics = ("apollo-11", "chernobyl")
    paths = []
    for path in (GOLD, CAREFUL, QUICK):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        paths.append(tmp_path / path.name)
        chosen = (line for line in lines if json.loads(line)["topic"] in topics)
        paths[-1].write_text("".join(chosen), encoding="utf-8")
    gold, first, second = paths
    caption = caption_of(run("timelines", gold, f"s={first}", f"s={second}", "-f", "latex").out)
    assert "on 2 topics (4 references, 2 trials)" in caption
    assert "over references and topics, then averaged over trials" in caption


def test_the_caption_leaves_out_what_the_table_does_not_show() -> None:
    caption = paper_caption(score_matrix(result()))
    assert "intervals" not in caption
    assert "differ" not in caption
    assert "dash" not in caption


def test_the_caption_says_so_where_no_difference_could_be_significant() -> None:
    few = contrast_of()
    pairs = (
        tuple(replace(pair, smallest_p=0.02) for pair in metric.pairs) for metric in few.metrics
    )
    metrics = zip(few.metrics, pairs, strict=True)
    few = replace(few, metrics=tuple(replace(metric, pairs=one) for metric, one in metrics))
    impossible = "With 7 topics and 3 pairs of systems, no difference could be significant."
    assert impossible in paper_caption(score_matrix(result(), contrast=few))
    uncorrected = replace(few, correction="none")
    assert impossible not in paper_caption(score_matrix(result(), contrast=uncorrected))


def test_both_formats_have_the_same_caption() -> None:
    matrix = score_matrix(result(), contrast=contrast_of())
    first_line = paper_markdown(matrix).splitlines()[0]
    shown = caption_of(paper_latex(matrix)).replace(r"\%", "%").replace("$", "")
    assert shown == first_line == paper_caption(matrix)


def test_columns_are_in_the_order_wanted_with_the_digits_wanted() -> None:
    ran = run(*THREE, "-f", "markdown", "--columns", "Date-F1,AR-1.precision", "--digits", "2")
    assert "| System | Date-F1 | AR-1 P |" in ran.out
    assert "| quick | 0.58 | 0.49 |" in ran.out


def test_one_metric_shows_all_its_scores() -> None:
    source = run(*THREE, "-f", "latex", "-m", "AR-1").out
    assert "System & P & R & F1" in source
    assert "AR-1 scores (precision, recall and F1) of three systems" in caption_of(source)


def test_parts_are_blocks_that_are_ranked_alone() -> None:
    source = run(*THREE, "-f", "latex", "--by", "topic").out
    _, _, block = source.partition(r"\textit{topic: apollo-11}} \\")
    assert r"careful & \textbf{0.509}" in block.partition(r"\midrule")[0]
    assert "within a block" in caption_of(source)


def test_parts_of_one_system_are_rows() -> None:
    shown = run("timelines", GOLD, QUICK, "-f", "markdown", "--by", "topic").out
    assert "| *By topic* |  |  |  |\n| topic: apollo-11 | 0.263 |" in shown


def test_scores_by_value_are_parts_of_a_comparison() -> None:
    shown = run("compare", "annotations", GOLD, CAREFUL, QUICK, "--by", "type", "-f", "markdown")
    assert "| *type: departure* |  |\n| careful | **0.933** a " in shown.out


def test_saved_results_of_several_files_are_one_table(tmp_path: Path) -> None:
    saved = []
    for path in (CAREFUL, QUICK):
        saved.append(tmp_path / f"{path.stem}.json")
        run("timelines", GOLD, path, "--save", saved[-1])
    for words in (("compare", *saved), ("show", saved[0], "--compare", saved[1])):
        rows = rows_of(run(*words, "-f", "latex").out)
        assert rows["careful"][:2] == [r"\textbf{0.617}", r"\textsuperscript{a}"]
        assert rows["quick"][:2] == ["0.276", r"\textsuperscript{b}"]


def test_the_intervals_of_a_comparison_are_of_its_own_level(tmp_path: Path) -> None:
    path = tmp_path / "three.json"
    run(*THREE, "--interval", "auto", "--save", path)
    source = run("compare", path, "--level", "0.9", "-f", "latex").out
    assert r"90\% jackknife" in caption_of(source)
    assert "% 90% intervals: jackknife-t over 7 topics (n_eff 6.2)" in source
    assert "95" not in source.partition("% --from")[0]


def test_full_adds_scores_and_the_other_tables() -> None:
    words = ("annotations", GOLD, CAREFUL, QUICK, "-f", "latex")
    assert run(*words).out.count(r"\begin{table}") == 1
    full = run(*words, "--full").out
    assert full.count(r"\begin{table}") == 2
    assert r"\caption{spans: counts.}" in full
    shown = run(*THREE, "-f", "markdown", "--full").out
    assert "| System | AR-1 P | AR-1 R | AR-1 F1 |" in shown


def test_details_add_the_pairs() -> None:
    words = ("compare", *THREE, "-f", "markdown")
    assert "differences" not in run(*words).out
    assert "**AR-1: differences**" in run(*words, "--details").out


def test_the_comment_repeats_the_number() -> None:
    source = run(*THREE, "-f", "latex").out
    (signature,) = re.findall("^% --from-signature '(.*)'$", source, re.MULTILINE)
    again = run("timelines", GOLD, QUICK, "--from-signature", signature, "-f", "latex")
    assert rows_of(again.out)["quick"] == ["0.276", "0.098", "0.584"]
    assert not again.notices
    assert "% predicted: careful=" in source


def test_no_name_leaves_its_comment_or_its_cell() -> None:
    name = "a\n\\input{x} | --> b <script>"
    named = replace(result(), systems=(replace(result().systems[0], name=name),))
    source, text = (draw(score_matrix(named)) for draw in (paper_latex, paper_markdown))
    assert "\n\\input" not in source + text
    assert text.partition("<!--")[2].count("-->") == 1
    assert not re.search(r"(?<!\\)<script", text.partition("<!--")[0])
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert [len(re.split(r"(?<!\\)\|", line)) for line in table] == [6, 6, 6]


def test_no_text_of_a_table_is_markup_or_a_command() -> None:
    nasty = "a\n\n\\input{x} `<script>` | %"
    table = Table.of(nasty, (nasty,), [(nasty,)], [nasty, nasty])
    source, text = latex(table), markdown(table)
    assert "\\input" not in re.sub(r"^%.*$", "", source, flags=re.MULTILINE)
    assert "\n\n" not in source
    assert text.count("\n") == 8, "a caption, a heading, a row, and two remarks"
    bare = re.sub(r"(`+) .* \1", "", text)
    assert not re.search(r"(?<!\\)<script", bare)


def test_undefined_is_a_dash_and_never_0() -> None:
    words = ("annotations", GOLD, CAREFUL, QUICK, "--thresholds", 5, "-f", "markdown")
    shown = run(*words).out
    assert "| careful | **0.864** | – |" in shown
    assert "A dash stands for a score that is undefined." in shown


def test_lower_is_better_has_an_arrow() -> None:
    metrics = (replace(result().metrics[0], better="lower"), *result().metrics[1:])
    matrix = score_matrix(replace(result(), metrics=metrics))
    assert r"AR-1 $\downarrow$ & AR-2 &" in paper_latex(matrix)
    assert rows_of(paper_latex(matrix))["lead"][0] == r"\textbf{0.130}"
    assert "↓: lower is better." in paper_markdown(matrix)


# Published results


def published(words: tuple[object, ...], how: str = "latex") -> Ran:
    return run(*THREE, "-f", how, "--published", *words)


def test_published_rows_stand_below_a_line_with_their_source() -> None:
    source = published(("crisis",)).out
    _, _, below = source.partition(r"\textit{Published results}} \\")
    assert r"SUnSET (GPT-4o) & 0.107 & 0.036 & 0.381 \\" in below
    assert source.count(r"\begin{table}") == 1
    assert "crisis collection, Sim, Yang, Shen and Kawaguchi" in caption_of(source)
    assert "They may follow another protocol and are not ranked with ours." in caption_of(source)


@pytest.mark.parametrize(("protocol", "is_best"), [("news-tls", True), ("", False), ("x", False)])
def test_only_published_results_of_the_same_protocol_are_ranked(
    protocol: str, is_best: bool
) -> None:
    row = PublishedScores("other", {"AR-1": 0.9}, protocol, "a paper")
    cells = rows_of(paper_latex(score_matrix(result(), published=[row])))
    assert cells["other"] == [r"\textbf{0.900}" if is_best else "0.900", "--", "--"]
    assert cells["careful"][0] == ("0.617" if is_best else r"\textbf{0.617}")


CSV = "system,model,AR-1,AR-1.precision,source\nA,B,0.2,0.30,Hu (2024)\nC,,,0.4,\n"
JSON = [
    {"system": "A", "model": "B", "AR-1": 0.2, "AR-1.precision": 0.3, "source": "Hu (2024)"},
    {"system": "C", "AR-1": None, "AR-1.precision": 0.4},
]


PUBLISHED = [
    ("p.csv", CSV),
    ("p.json", json.dumps(JSON)),
    ("spaced.csv", CSV.replace(",", ", ")),
    ("short.csv", CSV.replace(".precision", ".P")),
]


@pytest.mark.parametrize(("name", "text"), PUBLISHED)
def test_published_results_of_a_file_are_rows(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    ran = published((path, "--columns", "AR-1,AR-1.P"), "markdown")
    shown = ran.out
    assert "left out" not in ran.err
    # JSON has numbers, whose digits are not known
    rows = ("0.200", "0.300", "0.400") if name.endswith(".json") else ("0.2", "0.30", "0.4")
    assert "| A (B) | {} | {} |\n| C | – | {} |".format(*rows) in shown
    assert "Published results: Hu (2024)." in shown


WRONG = [
    ("system,AR-1\nA,high\n", ':2: AR-1 is "high", expected a number or nothing'),
    (
        "system,AR-1\nA,12.3\n",
        ":2: scores of AR-1 are between 0 and 1, got 12.3: did you mean 0.123?",
    ),
    ("system,AR-1.P\nA,-1\n", ":2: scores of AR-1.P are between 0 and 1, got -1\n"),
    ("name,AR-1\nA,0.5\n", ":2: the row names no system; it needs a column 'system'"),
    ("system,AR-1\nA,0.5,1\n", ":2: the row has more or fewer cells than the header"),
    ("system,AR-1\n", ": there are no published results in the file"),
    ("system,AR-1,AR-1\nA,0.5,0.6\n", ":1: two columns have the same name"),
    ("[1]", ": expected a list of objects, each with a system"),
    ("[{", ":1: the JSON ends too early"),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_a_wrong_file_of_published_results_is_refused(
    text: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text, encoding="utf-8")
    ran = published((path,))
    assert (ran.code, ran.out) == (BAD_DATA, "")
    assert f"{path}{words}" in ran.err


def test_published_columns_that_were_not_scored_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("system,AR-1,BLEU\nA,0.5,1\n", encoding="utf-8")
    assert f"{path}: not scored here, and left out: BLEU" in published((path,)).notices


# Refusals


@pytest.mark.parametrize("how", ["text", "csv", "json", "plain"])
@pytest.mark.parametrize(
    "option", [("--columns", "AR-1"), ("--digits", 2), ("--underline-second",)]
)
def test_options_of_the_table_are_refused_where_there_is_none(
    how: str, option: tuple[object, ...], tmp_path: Path
) -> None:
    path = tmp_path / "three.json"
    run(*THREE, "--save", path)
    calls = [THREE, ("show", path), ("merge", path)]
    calls += [("compare", path)] if how != "plain" else []
    for words in calls:
        ran = run(*words, "-f", how, *option)
        assert (ran.code, ran.out) == (USAGE, "")
        assert f"{option[0]} is for --format markdown or latex, not {how}" in ran.err


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("AR-9", "there is no metric 'AR-9' in this result; there are: AR-1, AR-2, Date-F1"),
        ("AR-1.x", "AR-1 has no score 'x'; it has: precision, recall, f1"),
        ("AR-1(", "brackets or quotes do not close"),
    ],
)
def test_unknown_columns_are_refused_before_anything_is_read(columns: str, words: str) -> None:
    ran = run("timelines", "nosuch.jsonl", "nosuch.jsonl", "-f", "latex", "--columns", columns)
    assert ran.code == USAGE
    assert words in ran.err


def test_published_results_without_a_column_are_refused_before_anything_is_read() -> None:
    words = ("timelines", "nosuch.jsonl", "nosuch.jsonl", "-f", "latex", "-m", "exact-date")
    ran = run(*words, "--published", "crisis")
    assert ran.code == USAGE
    assert "no column of this table has a published result; there are: AR-1" in ran.err


def test_an_unknown_collection_is_refused_before_anything_is_read() -> None:
    ran = run("timelines", "no.jsonl", "such.jsonl", "--published", "crises")
    assert (ran.code, ran.out) == (USAGE, "")
    assert "no published results of 'crises'; there are: crisis" in ran.err


def test_an_evaluation_has_no_table_of_a_paper(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    run("evaluate", GOLD, QUICK, "--save", path)
    ran = run("show", path, "-f", "latex", "--digits", 2)
    assert ran.code == USAGE
    assert "holds several results" in ran.err
