"""Verbs on saved results: `chronoscore show`, `cite`, `compare`, `merge` and `leaderboard`."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from chronoscore.cli import options
from chronoscore.cli.options import Args, Input, Output, argument, is_set, option
from chronoscore.cli.output import (
    cases_to_explain,
    explain,
    is_styled,
    published_rows,
    rendered,
    result_in_format,
    tables_as,
    tell,
    tell_all,
    tell_of_other_files,
    without_documents,
    write_page,
    write_report_file,
)
from chronoscore.cli.verb import verb
from chronoscore.core.problems import Problems
from chronoscore.errors import DataError, Problem, UsageError, one_line
from chronoscore.families import NAMES, family
from chronoscore.reports.rendering import PAPER_FORMATS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronoscore.core.contrast import Contrast
    from chronoscore.core.family import Family
    from chronoscore.core.records import Warn
    from chronoscore.core.result import ResultDocument
    from chronoscore.engines.boards import Entry
    from chronoscore.reports.html.leaderboard import Sidecar

LEADERBOARD_DATA = "leaderboard.json"
"""The file that marks a folder as a site made by `leaderboard`."""
JUDGED = "rubric"
CODEBOOKS = option(
    "--codebook FILE...",
    "Your own codebook, where results are of its judgements.",
    Input(),
    name="codebooks",
)


def verified_families(
    saved: Sequence[tuple[object, ResultDocument]], codebooks: Sequence[Path]
) -> list[Family]:
    """Return the family of each saved result; refuse numbers that don't follow from the rows."""
    from chronoscore.engines.verifying import verify

    homes = families_of(saved, codebooks)
    for (path, result), home in zip(saved, homes, strict=True):
        verify(home, result, path)
    return homes


def families_of(
    saved: Sequence[tuple[object, ResultDocument]], codebooks: Sequence[Path]
) -> list[Family]:
    """Return the family of each saved result; judgements by a user's codebook need it."""
    user_families: list[Family] = []
    if codebooks:
        from chronoscore.rubric.codebook import read_codebook
        from chronoscore.rubric.family import rubric_family

        if not any(result.family == JUDGED for _, result in saved):
            raise UsageError(
                "--codebook is for results of judgements, and there are none: leave it out"
            )
        user_families = [rubric_family(read_codebook(path, Problems())) for path in codebooks]
    return [_family_of(path, result, user_families) for path, result in saved]


def _family_of(path: object, result: ResultDocument, user_families: Sequence[Family]) -> Family:
    from chronoscore.engines.verifying import counts_alike

    by_name = _family_by_name(path, result)
    if result.family != JUDGED:
        return by_name
    for home in (*user_families, by_name):
        if counts_alike(home, result):
            return home
    name = result.protocol or ", ".join(metric.label for metric in result.metrics)
    if not user_families:
        raise UsageError(f"{path} is of a team's own codebook ({name}): give it by --codebook FILE")
    names = ", ".join(home.protocols[0].name for home in user_families)
    raise UsageError(
        f"{path} is of another codebook ({name}), or another version of it, than was given: {names}"
    )


def _family_by_name(path: object, result: ResultDocument) -> Family:
    try:
        return family(result.family)
    except UsageError as error:
        raise DataError.of(str(error), path) from None


def _warnings(path: object, result: ResultDocument, codebooks: Sequence[Path]) -> list[str]:
    """List the numbers of a result that don't follow from its rows."""
    from chronoscore.engines.verifying import check_numbers

    home = (
        families_of([(path, result)], codebooks)[0] if codebooks else _family_by_name(path, result)
    )
    return [f"{path}: {problem}" for problem in check_numbers(home, result)]


@verb(
    argument("result", Input()),
    options.FORMAT,
    options.FULL,
    *options.PAPER,
    options.PUBLISHED,
    option(
        "--signature",
        "Print only the signatures: the short form, and the whole of each system.",
        bool,
        only_with=("result",),
    ),
    options.EXPLAIN,
    option(
        "--compare RESULT",
        "Compare the systems of another saved result with these.",
        Input(),
        name="other",
        only_with=(
            *("result", "output_format", "full", "codebooks", "decided", "metric"),
            *("columns", "digits", "underline_second", "published"),
        ),
        not_printed_as=("plain",),
    ),
    option(
        "--decided SYSTEM SYSTEM",
        "Say what decided between two systems: the topics (or documents) that differ most, and the "
        "days (or other items) in them.",
        nargs=2,
        only_with=("result", "other", "codebooks", "metric"),
    ),
    option(
        "-m --metric NAME",
        "With --decided: by this metric (default: the first).",
        default="",
        needs=("decided",),
    ),
    options.REGROUP,
    option("--by-event", "Of an evaluation: show what each predicted event earned.", bool),
    options.REPORT,
    option(
        "--no-texts",
        "Leave the texts of documents out of the report and --explain.",
        bool,
        needs=("report", "explain"),
    ),
    option(
        "--save FILE",
        "Save the result again, under a name that ends in .json or .chronoscore, with its matches.",
        Output(),
    ),
    CODEBOOKS,
)
def show_verb(args: Args) -> str | None:
    """Render a saved result again, in any format.

    Nothing is scored. RESULT is a document of --save, of any verb that scores or of `chronoscore
    evaluate`. --format json prints an archive as JSON.

    Examples:
    chronoscore timelines demo/gold.jsonl demo/quick.jsonl --save quick.json
    chronoscore show quick.json --format markdown
    """
    from msgspec.structs import replace

    from chronoscore.core.result import load, load_matches, load_texts, save_again
    from chronoscore.engines.contrasting import Question, contrast
    from chronoscore.engines.merging import by_parts, regrouped
    from chronoscore.engines.scoring import Scored
    from chronoscore.evaluation.document import is_evaluation

    path, output_format = args.result, args.output_format
    if args.signature:
        return "\n".join(_signatures(result) for result in _scores_in(path))
    if is_evaluation(path):
        return _show_evaluation(args)
    if args.by_event:
        raise UsageError(
            f"--by-event is for what `evaluate` saved, and {path} is another result: leave it out"
        )
    if args.decided:
        return _decided(args)
    if args.other is not None:
        saved = [(each, load(each)) for each in (path, args.other)]
        home, *_ = verified_families(saved, args.codebooks)
        results = [result for _, result in saved]
        compared = contrast(home, results, Question(), [str(path) for path, _ in saved])
        return _contrast_text(args, home, results, compared, details=args.full)
    warnings: list[str] = []
    document = load(path, warnings.append)
    warnings += _warnings(path, document, args.codebooks)
    if warnings and args.save is not None:
        raise DataError(map(Problem, warnings))  # saved again, it would look sound
    notices = (*(f"warning: {text}" for text in warnings), *document.notices)
    document, home = replace(document, notices=notices), family(document.family)
    if args.by or args.codebooks or output_format == "plain":
        home, *_ = families_of([(path, document)], args.codebooks)
    document = regrouped(home, document, args.by) if args.by else document
    printed = by_parts(home, document) if output_format == "plain" else document
    scored = Scored(document)
    if args.report or args.explain:
        scored = Scored(document, load_matches(path, document), load_texts(path, document))
    if args.no_texts:
        scored = without_documents(scored)
    if args.report is not None:
        from chronoscore.cli.heads import head_of_saved

        write_report_file(home, scored, args.report, head_of_saved(path, document))
    cases_to_explain(scored.matches, args.explain)  # refused before anything is printed
    tell_all(document.notices)
    if args.save is not None:
        save_again(document, path, args.save)
        tell(f"saved {args.save}")
    args.published_rows = published_rows(args.published, document, home)
    click.echo(result_in_format(home, printed, args), nl=False)
    explain(home, scored, args.explain, output_format, full=args.full)
    return None


def _decided(args: Args) -> str:
    """Say what decided between two systems of one or of two saved results."""
    from chronoscore.core.result import load, load_sidecars
    from chronoscore.reports.decided import decided, decided_text

    saved = [(path, load(path)) for path in (args.result, args.other) if path is not None]
    home, *_ = verified_families(saved, args.codebooks)
    documents = [document for _, document in saved]
    sidecars = [load_sidecars(path, document) for path, document in saved]
    matches, texts = (
        [item for items in kind for item in items] for kind in zip(*sidecars, strict=True)
    )
    one, two = args.decided
    return decided_text(decided(home, documents, matches, texts, one, two, args.metric))


def _results_in(path: Path, warn: Warn | None = None) -> tuple[ResultDocument, ...]:
    """Load a saved result, or the results of a saved evaluation."""
    from chronoscore.core.result import load
    from chronoscore.evaluation.document import is_evaluation
    from chronoscore.evaluation.document import load as load_evaluation

    return load_evaluation(path, warn).results if is_evaluation(path) else (load(path, warn),)


def _scores_in(path: Path) -> tuple[ResultDocument, ...]:
    """Load the results in a file; refuse a file without scores, and warn of an edited one."""
    results = _results_in(path, tell)
    if not results or not all(result.systems and result.metrics for result in results):
        raise DataError.of("there is no score in it", path)
    return results


def _signatures(result: ResultDocument) -> str:
    """Write the signatures of a result: first the short form, which tables and papers show."""
    from chronoscore.core.names import short_signature

    of_systems = {system.name: system.signature for system in result.systems}
    lines = [short_signature(*of_systems.values())]
    for name, signature in of_systems.items():
        lines += ["", f"{name}: {short_signature(signature)}", signature]
    return "\n".join(map(one_line, lines)) + "\n"


def _show_evaluation(args: Args) -> str:
    from chronoscore.evaluation.document import encode, load
    from chronoscore.evaluation.tables import evaluation_tables

    of_one = [item.name or "" for item in (*options.PAPER, options.PUBLISHED)]
    of_one += ["explain", "other", "by", "report", "save", "codebooks", "decided"]
    if any(is_set(getattr(args, name)) for name in of_one):
        raise UsageError(
            f"{args.result} holds several results: --explain, --compare, --decided, --by, "
            "--report, --save, --codebook, --columns, --digits, --underline-second and --published "
            "are for the result of one question, which its own verb saves"
        )
    if args.output_format == "plain":
        raise UsageError(f"{args.result} holds several results: the plain format is for one")
    warnings: list[str] = []
    document = load(args.result, warnings.append)
    for result in document.results:
        warnings += _warnings(args.result, result, ())
    tell_all((*(f"warning: {text}" for text in warnings), *document.notices))
    in_text = args.output_format == "text"
    counts = args.output_format != "csv"
    tables = evaluation_tables(document, by_event=args.by_event, in_text=in_text, counts=counts)
    last = slice(-1, None)  # CSV holds one table
    return tables_as(args.output_format, tables, lambda: encode(document).decode(), last)


@verb(
    argument("results...", Input(readable=True)),
    options.SAVE,
    options.REGROUP,
    CODEBOOKS,
    options.FULL,
    options.FORMAT,
    *options.PAPER,
)
def merge_verb(args: Args) -> str:
    """Merge partial results, for example of several machines.

    The rows of all results are summarised as if they had been made at once. RESULTS are documents
    of --save, each with other cases of the same systems. Other settings, another version, and a
    case that is in two of them are refused.

    Examples:
    chronoscore timelines demo/gold.jsonl demo/quick.jsonl --save whole.json
    chronoscore merge whole.json --save merged.json
    """
    from chronoscore.core.result import load, load_sidecars, save
    from chronoscore.engines.merging import by_parts, merge, regrouped

    partials = [(str(path), load(path)) for path in args.results]
    names = {result.family for _, result in partials}
    if len(names) > 1:
        raise DataError.of(f"the results are of different families: {', '.join(sorted(names))}")
    home, *_ = verified_families(partials, args.codebooks)
    united = merge(home, partials)
    united = regrouped(home, united, args.by) if args.by else united
    tell_all(united.notices)
    if args.save is not None:
        sidecars = [load_sidecars(Path(path), result) for path, result in partials]
        order = {system.name: at for at, system in enumerate(united.systems)}
        matches, texts = (
            sorted(
                (item for several in kind for item in several),
                key=lambda item: (order[item.system], item.case),
            )
            for kind in zip(*sidecars, strict=True)
        )
        save(united, matches, args.save, texts)
        tell(f"saved {args.save}")
    printed = by_parts(home, united) if args.output_format == "plain" else united
    return result_in_format(home, printed, args)


@verb(
    argument("results...", Input(readable=True)),
    option("-o --output DIR", "The folder of the site.", Output(), required=True),
    option("--title", "The title of the site.", default="Leaderboard"),
    option(
        "--scores-only",
        "Leave what was predicted and what the gold says out of the reports, as for a gold that "
        "must stay secret.",
        bool,
    ),
    options.SEED,
    CODEBOOKS,
)
def leaderboard_verb(args: Args) -> None:
    """Make a static site from saved results.

    It shows ranks, intervals, and the report of each result. RESULTS are documents of --save, of
    any verb that scores or of `chronoscore evaluate`, or folders of them. There is a board for each
    data set (recognised by its gold) and protocol: a table with a row for each system and a column
    for each metric. A folder's name names the data set. Results that were scored under other
    conditions than the rest of their board are refused, with what differs.

    Examples:
    chronoscore timelines demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl --save
        results/demo.json
    chronoscore leaderboard results -o site
    """
    from chronoscore.cli.heads import head_of_files, head_of_saved
    from chronoscore.core.result import left_out_notice
    from chronoscore.engines.boards import boards
    from chronoscore.engines.contrasting import Question
    from chronoscore.engines.settings import IntervalPlan
    from chronoscore.reports.html.leaderboard import write_site
    from chronoscore.reports.table import plural

    _refuse_other_files(args.output)
    saved = [
        (path, folder, result)
        for path, folder in _result_files(args.results)
        for result in _results_or_skip(path)
    ]
    if not saved:
        raise UsageError("there is no saved result among these; --save writes them")
    homes = verified_families([(path, result) for path, _, result in saved], args.codebooks)
    entries = [_entry(*one, home) for one, home in zip(saved, homes, strict=True)]
    families = {name: family(name) for name in {entry.result.family for entry in entries}}
    ranked = boards(entries, families, Question(chance=IntervalPlan(seed=args.seed)))
    sidecars = {
        entry.path: ((), ()) if args.scores_only else _sidecars(path, entry.result)
        for entry, (path, _, _) in zip(entries, saved, strict=True)
    }
    heads = {
        entry.path: head_of_saved(path, entry.result)
        for entry, (path, _, _) in zip(entries, saved, strict=True)
    }
    head = head_of_files(None, args.results)
    pages = write_site(ranked, families, sidecars, args.output, args.title, head, heads)
    advice = "they are not linked any more; delete them before you publish the site"
    tell_of_other_files(args.output, pages, advice)
    for entry in entries:
        if entry.result.left_out:
            tell(f"{entry.path}: {left_out_notice(entry.result.left_out)}")
    for board in ranked:
        systems = sum(one.is_ranked for entry in board.entries for one in entry.result.systems)
        click.echo(one_line(f"{board.title}: {plural(systems, 'system')}"))
    click.echo(f"the site is {pages[0]}")
    if any(matches or texts for matches, texts in sidecars.values()):
        tell("the reports show the gold; if it must stay secret, use --scores-only")


def _refuse_other_files(folder: Path) -> None:
    """Refuse a folder that holds anything but an earlier site, and the name of a page."""
    if folder.suffix.lower() in (".html", ".htm"):
        raise UsageError(
            f"the site is a folder with several pages, and '{folder}' is the name of one page: "
            f"type -o {quote(str(folder.with_suffix('')))}"
        )
    names = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
    names = [name for name in names if not name.startswith(".")]
    if names and LEADERBOARD_DATA not in names:
        listed = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        raise UsageError(f"'{folder}' holds other files ({listed}): name a new folder for the site")


def _result_files(paths: tuple[Path, ...]) -> list[tuple[Path, str]]:
    """List the files of RESULTS, each with the subfolder that names its data set."""
    from chronoscore.core.result import saved_files

    files: list[tuple[Path, str]] = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"there is no file or folder '{path}'")
        if path.is_dir():
            files += [(f, "/".join(f.parent.relative_to(path).parts)) for f in saved_files(path)]
        else:
            files.append((path, ""))
    return [*dict.fromkeys(files)]


def _results_or_skip(path: Path) -> tuple[ResultDocument, ...]:
    """Load the results in a file; print a notice and return none if the file is something else."""
    try:
        results = _results_in(path)
        if not results:
            tell(f"{path}: an evaluation without scores, left out")
        return results
    except DataError as error:
        if "not a Chronoscore result" in str(error):
            _, but, kind = str(error).partition(" but a ")
            tell(f"{path}: not a saved result{but}{kind}, left out")
            return ()
        raise


def _entry(path: Path, folder: str, result: ResultDocument, home: Family) -> Entry:
    """Make the entry of a board; those of one evaluation differ by their families."""
    from chronoscore.engines.boards import Entry
    from chronoscore.evaluation.document import is_evaluation

    if not is_evaluation(path):
        return Entry(str(path), folder, result, home)
    name = f"{path.stem}-{result.family}"
    return Entry(f"{path} ({result.family})", folder, result, home, name)


def _sidecars(path: Path, result: ResultDocument) -> Sidecar:
    """Load the matches and texts of a result; an evaluation has none."""
    from chronoscore.core.result import load_sidecars
    from chronoscore.evaluation.document import is_evaluation

    return ((), ()) if is_evaluation(path) else load_sidecars(path, result)


_OF_SCORING = (
    options.METRIC,
    options.PROTOCOL,
    option(
        "--by NAME...",
        "Also compare by type, or by a feature of annotations; results must have been saved with "
        "the same --by.",
    ),
    *options.INTERVALS,
    options.CODEBOOK,
)
"""The options of `compare` that it shares with the verbs that score."""
_SCORED = (".jsonl", ".txt", ".csv", ".tsv")
"""Endings of files that are scored, unless they begin as a saved result does."""


@verb(
    argument("inputs..."),
    option("--baseline NAME", "Compare only with this system.", default=""),
    option("--test", "The paired test.", ("permutation", "bootstrap"), default="permutation"),
    option(
        "--correction",
        "How p is corrected for several pairs.",
        ("holm", "bh", "none"),
        default="holm",
    ),
    option(
        "--details",
        "Also show the difference of each pair of systems, its p, and which topics decided.",
        bool,
        not_printed_as=("csv", "json"),
    ),
    option(
        "--changes",
        "Also show what changed at each item of the gold, from the matches of saved results.",
        bool,
        not_printed_as=("json",),
    ),
    *_OF_SCORING,
    option(
        "--report FILE",
        "Write an HTML page with the ranks, the matrix of differences, and which topics decided.",
        Output(),
    ),
    options.TABLE_FORMAT,
    *options.PAPER,
    options.PUBLISHED,
    *options.READING,
)
def compare_verb(args: Args) -> str:
    """Compare systems: intervals, tests, ranks.

    INPUTS are saved results (of --save; nothing is scored again), or the name of a family and
    what its verb takes: timelines GOLD PRED PRED, rubric SHEET. Judgements by your own codebook
    need --codebook in both cases.

    Examples:
    chronoscore compare timelines demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl
    chronoscore compare rubric demo/judgements.csv --baseline lead --format markdown
    """
    from chronoscore.engines.contrasting import Question, contrast, value_contrasts

    plan = args.interval_plan("auto")
    question = Question(args.test, args.correction, baseline=args.baseline, chance=plan)
    home, results = _scored(args) if args.inputs[0] in NAMES else _loaded(args)
    names = args.inputs if len(results) == len(args.inputs) else ()
    comparison = contrast(home, results, question, names)
    by_value = value_contrasts(home, results, question, args.by) if args.by else None
    changes = f"\n{_changes(home, results, args)}" if args.changes else ""
    contrasts = (comparison, *(by_value or ()))
    tell_all(notice for item in contrasts for notice in item.notices)
    if args.report is not None:
        from chronoscore.cli.heads import head_of_files
        from chronoscore.reports.html.contrast import contrast_page

        name, *files = args.inputs
        if name == JUDGED or name not in NAMES:
            head = head_of_files(None, files if name == JUDGED else args.inputs)
        else:
            head = head_of_files(files[0], files[1:])
        meanings = {info.name: info.meaning for one in results for info in one.metrics}
        write_page(args.report, contrast_page(comparison, by_value or (), meanings, head))
    text = _contrast_text(args, home, results, comparison, by_value, details=args.details)
    return text + changes


def _contrast_text(
    args: Args,
    home: Family,
    results: Sequence[ResultDocument],
    comparison: Contrast,
    by_value: Sequence[Contrast] | None = None,
    *,
    details: bool = False,
) -> str:
    """Render a contrast of the systems of several results: one table in the formats of a paper."""
    from chronoscore.engines.contrasting import with_all_systems
    from chronoscore.reports.contrast import render_contrast

    how = args.output_format
    text = render_contrast(comparison, how, by_value, styled=is_styled(), details=details)
    if how not in PAPER_FORMATS:
        return text
    args.published_rows = published_rows(args.published, results[0], home)
    united = with_all_systems(results)
    table = result_in_format(home, united, args, comparison, by_value or ())
    return f"{table}\n{text}" if details else table


def _scored(args: Args) -> tuple[Family, list[ResultDocument]]:
    """Score the files of a family; refuse options that its verb does not take."""
    from chronoscore.cli.scoring import measure, run_of

    name, *files = args.inputs
    if args.changes:
        raise UsageError("--changes is for saved results: score with --save, and compare those")
    if args.codebook_path is not None and name != JUDGED:
        raise UsageError(f"--codebook is for judgements, {name} has none: leave it out")
    if name == JUDGED and not files:
        raise UsageError("name the sheets: compare rubric SHEET ...")
    if name != JUDGED and len(files) < 3:
        raise UsageError(f"name a gold and two systems: compare {name} GOLD PRED PRED")
    run = run_of(name, files, interval="auto", **args.of((*_OF_SCORING, *options.READING)))
    _refuse_tags(run.family, args.by)
    measure(run)
    return run.family, [run.scored.result]


def _loaded(args: Args) -> tuple[Family, list[ResultDocument]]:
    """Load saved results; a word that is neither a family nor a file is refused as a family."""
    from chronoscore.core.records import is_saved_result
    from chronoscore.core.result import load

    word = args.inputs[0]
    if word.isalpha() and not Path(word).exists():
        raise UsageError(
            "compare takes no candidates: score them by `chronoscore candidates ... --save`, and "
            "compare the saved results"
            if word == "candidates"
            else f"'{word}' is no saved result and no family; there are: {', '.join(NAMES)}"
        )
    if args.metric or args.protocol:
        raise UsageError(
            "saved results have their metrics: --metric and --protocol are for files that are "
            "scored; leave them out"
        )
    for path in map(Path, args.inputs):
        if path.is_dir():
            saved = [file for file in path.iterdir() if file.is_file() and is_saved_result(file)]
            if saved:
                raise UsageError(
                    f"'{path}' is a folder: name its files, as in {path}/*{min(saved).suffix}"
                )
        is_data = path.suffix in _SCORED and path.exists() and not is_saved_result(path)
        if path.is_dir() or is_data:
            raise UsageError(
                f"'{path}' is no saved result; to score files, name the question first: "
                "chronoscore compare timelines GOLD PRED PRED"
            )
    results = [load(Path(name)) for name in args.inputs]
    codebooks = [args.codebook_path] if args.codebook_path else []
    home, *_ = verified_families([*zip(args.inputs, results, strict=True)], codebooks)
    _refuse_tags(home, args.by)
    return home, results


def _refuse_tags(home: Family, by: tuple[str, ...]) -> None:
    """Refuse tags of cases: `--by` compares systems by values of annotations only."""
    wrong = [name for name in by if home.divide is None or name in ("case", *home.levels)]
    if wrong:
        raise UsageError(
            f"--by {wrong[0]}: systems are compared by the type or a feature of annotations, such "
            "as --by type"
        )


def _changes(home: Family, results: list[ResultDocument], args: Args) -> str:
    from chronoscore.core.result import load_matches
    from chronoscore.reports.matches import saved_change_tables

    saved = zip(args.inputs, results, strict=True)
    matches = [item for path, result in saved for item in load_matches(Path(path), result)]
    tables = saved_change_tables(home, results, matches, args.baseline)
    return rendered(tables, args.output_format)


@verb(
    click.Argument(["result"], type=Input(), required=False),
    option("-f --format", "How to write it.", ("bibtex", "text"), default="bibtex", name="form"),
    CODEBOOKS,
)
def cite_verb(args: Args) -> str:
    """Print what to cite for a saved result, as BibTeX.

    The entries are those of its metrics, its protocol and this program, below a sentence for the
    paper with the short form of the signature. RESULT is a document of --save, of any verb
    that scores or of `chronoscore evaluate`. Without it, the program alone is cited.

    Examples:
    chronoscore timelines demo/gold.jsonl demo/quick.jsonl --save quick.json
    chronoscore cite quick.json
    """
    from chronoscore.reports.citing import cite, usage

    results = _scores_in(args.result) if args.result else ()
    homes = families_of([(args.result, result) for result in results], args.codebooks)
    try:
        usages = [usage(home, result) for home, result in zip(homes, results, strict=True)]
    except UsageError as error:  # a metric or a protocol that this version does not know
        raise DataError.of(str(error), args.result) from None
    return cite(usages, args.form)
