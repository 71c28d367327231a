"""`chronoscore annotations`, `candidates` and `annotators`: which events and times were found?"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from chronoscore.annotations.parameters import (
    BETA,
    FORMATS,
    LOSS,
    MATCH_BY,
    MATCHING,
    MISSING,
    QUESTION,
    SELECTING,
    THRESHOLDS,
    WRITTEN,
)
from chronoscore.cli import options
from chronoscore.cli.options import (
    Args,
    Input,
    Option,
    Output,
    argument,
    is_set,
    of_parameter,
    option,
)
from chronoscore.cli.output import rendered, result_in_format, tables_as, tell
from chronoscore.cli.scoring import Run, render_result, scoring_verb
from chronoscore.cli.verb import named_paths, verb
from chronoscore.core.names import write
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.errors import DataError, UsageError
from chronoscore.reports.rendering import tables_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chronoscore.annotations.analyses import AnnotationEvaluation
    from chronoscore.annotations.model import Document
    from chronoscore.core.metric import Metric
    from chronoscore.core.names import Value
    from chronoscore.reports.table import Table

SPANS = tuple(map(of_parameter, (*MATCHING, *QUESTION, BETA)))
"""The parameters of `spans`."""
LISTS = tuple(map(of_parameter, SELECTING))
"""The parameters of the metrics of candidate lists."""
_ACCURACY = "candidates-accuracy"
_OF_LISTS = ("candidates-best", "candidates-rank", "max-recall", _ACCURACY)


def _parameters(args: Args, declared: Sequence[Option]) -> dict[str, Value]:
    """Return the parameters of a metric that the call sets."""
    return {name: value for name, value in args.of(declared).items() if is_set(value)}


def _metrics_of_options(args: Args) -> list[str]:
    """Build the metrics that the options describe; none if none of these options is set."""
    values = _parameters(args, SPANS)
    also = dict.fromkeys((*args.also, *(["span-loss"] if args.loss else [])))
    if not (values or also or args.thresholds):
        return []
    metrics = [write("spans", values)]
    if args.thresholds:
        metrics.append(write("spans-curve", {**values, "thresholds": args.thresholds}))
    for name in also:
        left_out = ["beta"]
        if name == "target-accuracy":  # it looks at all responses of a target
            left_out += ["matching", "alignment", "candidates"]
        parameters = {key: value for key, value in values.items() if key not in left_out}
        if name == "span-loss" and args.loss:
            parameters["loss"] = args.loss
        metrics.append(write(name, parameters))
    return metrics


def _prepare(run: Run) -> None:
    """Make the metrics and the breakdown; refuse tables that the format can't print."""
    from chronoscore.annotations.breakdown import FEATURE, TYPE

    args = run.args
    metrics = _metrics_of_options(args)
    if metrics and (args.metric or args.protocol):
        raise UsageError("give --metric or --protocol, or the options that make a metric")
    evaluation = args.evaluation = _read_evaluation(args)
    args.confusion_of = args.confusion_of or ((TYPE,) if args.confusion else ())
    run.also_named = [FEATURE + name for name in args.confusion_of if name != TYPE]
    if evaluation is not None:
        shared = _parameters(args, SPANS)
        if args.each_type:
            shared.pop("types", None)
        args.analyses = [
            (analysis.name, str(run.family.metric(analysis.metric(shared))))
            for analysis in evaluation.analyses
        ]
        metrics = [*dict.fromkeys((*(name for _, name in args.analyses), *metrics[1:]))]
    args.metric = tuple(metrics) or args.metric
    tags = ("case", *run.family.levels)
    args.by = _by(args, tags)
    tables = args.confusion_of or args.counts or evaluation or args.reference
    if tables and args.output_format in ("json", "plain") and not args.tables:
        raise UsageError(
            "confusion, counts, analyses and --reference have no place in this format: add "
            "--tables FILE, which keeps them as JSON, or choose another format"
        )
    if args.tables and not tables and all(name in tags for name in args.by):
        raise UsageError(
            "--tables keeps what --by, --confusion, --counts or --reference show: add one of them"
        )
    if args.reference:
        args.predicted = (args.reference, *args.predicted)
    if args.write_differences and _matching_metric(run) is None:
        raise UsageError("--write-differences needs a metric that matches spans, such as spans")


def _read_evaluation(args: Args) -> AnnotationEvaluation | None:
    """Read the list of analyses of --evaluation, or make that of --each-type."""
    from chronoscore.annotations.analyses import each_type, read_evaluation

    if args.each_type:
        return each_type(args.types)
    if args.evaluation is None:
        return None
    problems = Problems(args.problems.options)
    evaluation = read_evaluation(args.evaluation, problems)
    problems.check()
    return evaluation


def _by(args: Args, tags: Sequence[str]) -> tuple[str, ...]:
    """Return what `--by`, `--by-type` and `--by-feature` name: tags first, then other values."""
    from chronoscore.annotations.breakdown import FEATURE, OF_TARGET

    by = args.by
    others = [name for name in by if name not in tags]
    types = ["type"] if args.by_type or "type" in others else []
    features = [FEATURE + name if name in (*tags, "type") else name for name in args.by_feature]
    values = dict.fromkeys((*types, *features, *others))
    if args.by_side == "target":
        values = dict.fromkeys(OF_TARGET + name.removeprefix(OF_TARGET) for name in values)
    return (*(name for name in by if name in tags), *values)


def _matching_metric(run: Run) -> Metric | None:
    """Return the first metric of the run that matches spans."""
    return next((metric for metric in run.settings.metrics if "matching" in metric.values), None)


def _write_differences(run: Run) -> None:
    """Write documents marked by the first metric that matches spans, a folder for each system."""
    from chronoscore.annotations.differences import marked_document
    from chronoscore.annotations.formats.writing import write_documents

    folder, metric = run.args.write_differences, _matching_metric(run)
    if folder is None or metric is None:
        return
    older: dict[str, Any] = {}
    systems = dict(run.scored.cases)
    if run.args.reference:
        older = {case.id: case for case in systems.pop(next(iter(run.systems)))}
    for name, cases in systems.items():
        documents = {
            case.id: {"1": marked_document(case, metric.values, name, older.get(case.id))}
            for case in cases
        }
        place = folder / name if len(systems) > 1 else folder
        write_documents(documents, place, run.args.write_format)
        tell(f"the differences of {name} are in {place}")


def _tables(run: Run) -> list[Table]:
    """Make the tables that the options name, for the metric `spans`."""
    from chronoscore.annotations.breakdown import confusion
    from chronoscore.annotations.matching.strategies import match
    from chronoscore.annotations.pages.tables import (
        confusion_table,
        counters_table,
        reference_tables,
    )
    from chronoscore.annotations.parameters import question_of

    result, cases, tables = run.scored.result, cast("Any", run.scored.cases), []
    metrics, fields = run.settings.metrics, run.args.confusion_of
    metric = next((metric for metric in metrics if metric.definition.name == "spans"), None)
    if metric is not None:
        tables += _analysis_tables(run, metric)
        if run.args.counts:
            sums = {system.name: _sums(system.rows, str(metric)) for system in result.systems}
            tables.append(counters_table(sums))
        for system, batch in cases.items() if fields else ():
            cells = Counter[Any]()
            for block in batch.columns.blocks(question_of(metric.values)):
                cells.update(confusion(block, match(block, metric.values), fields))
            tables.append(confusion_table(system, cells, fields))
    if run.args.reference:
        older = next(iter(run.systems))
        tables += reference_tables(result, run.scored.matches, older, cases, metrics)
    return tables


def _analysis_tables(run: Run, spans: Metric) -> list[Table]:
    """Make a table for each system, with a row for each analysis of the evaluation."""
    from chronoscore.annotations.pages.tables import analysis_table

    evaluation, result = run.args.evaluation, run.scored.result
    if evaluation is None:
        return []
    average = {"micro": "all (micro)", "macro": "mean (macro)"}[evaluation.average]
    remarks = [*filter(None, [evaluation.description]), f"the evaluation asks for {average}"]
    tables = []
    for system in result.systems:
        sums = {name: _sums(system.rows, metric) for name, metric in run.args.analyses}
        title = f"{system.name}: {evaluation.title}"
        tables.append(analysis_table(title, sums, spans, cast("Any", result.undefined), remarks))
    return tables


def _sums(rows: Any, metric: str) -> Any:
    from chronoscore.core.evidence_table import EvidenceTable

    return EvidenceTable.of(rows).statistics[metric].sum(axis=0)


@scoring_verb(
    *SPANS,
    of_parameter(THRESHOLDS),
    option(
        "--also ...",
        "One more metric of the same comparison.",
        ("error-rate", "slot-errors", "target-accuracy", "span-loss"),
    ),
    of_parameter(LOSS),
    option("--by-type", "Break down by type.", bool),
    option("--by-feature NAME...", "Break down by the values of a feature, as --by does."),
    option(
        "--by-side",
        "Whose value a response counts under in a breakdown: its own, or that of the "
        "target it is matched with, and (none) for a spurious one.",
        ("response", "target"),
        default="response",
        needs=("by", "by_type", "by_feature"),
    ),
    option("--confusion", "Show which type was taken for which.", bool, cases=True),
    option("--confusion-of NAME...", "Show the same for a feature.", cases=True),
    option("--counts", "Show every count, the derived ones too.", bool, cases=True),
    option("--tables FILE", "Write breakdowns, confusion, counts and changes as JSON.", Output()),
    option(
        "--reference OLD",
        "An older system on the same gold: show what changed since, count by count.",
        cases=True,
        matches=True,
    ),
    option(
        "--evaluation FILE",
        "A list of analyses as JSON, each of its own sets, types and features.",
        Input(),
        cases=True,
        excludes=("metric", "protocol"),
    ),
    option(
        "--each-type",
        "Match each --type alone, and show the mean over types.",
        bool,
        cases=True,
        needs=("types",),
        excludes=("evaluation",),
    ),
    of_parameter(MISSING),
    of_parameter(MATCH_BY, cases=True),
    option(
        "--score-feature NAME",
        "The feature with a response's score, if no field has it.",
        reader=True,
    ),
    option(
        "--texts PATH",
        "The texts of documents that have none in their file: an articles.jsonl, or a "
        "folder of .txt.",
        Input(),
        reader=True,
        cases=True,
    ),
    options.NO_TEXTS,
    option(
        "--write-differences FOLDER",
        "Write each system's documents with what is correct, missing and spurious marked.",
        Output(apart=True),
        cases=True,
    ),
    option(
        "--write-format",
        "The format for --write-differences.",
        WRITTEN,
        default="bdoc",
        needs=("write_differences",),
    ),
    family="annotations",
    formats={name: name for name in FORMATS},
    prepare=_prepare,
    finish=_write_differences,
)
def annotations_verb(run: Run) -> list[str]:
    """Score annotations of text, strict and lenient.

    GOLD and each PREDICTED are a file or a folder: an events.jsonl, whose spans point into
    articles, a JSONL of documents {"id": ..., "annotations": [{"type", "start", "end", "id",
    "features", "score"}]}, GATE XML or bdoc, brat, CoNLL, TimeML, TSV or Prodigy JSONL. To
    compare two annotation sets of one file, name them with --gold-set and --predicted-set. Name
    a system with NAME=PATH.

    Examples:
    chronoscore annotations demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl
    chronoscore annotations demo/gold.jsonl demo/quick.jsonl --thresholds 11 --by-type --texts
        demo/articles.jsonl --explain chernobyl-a1
    """
    from chronoscore.core.writing import write_file
    from chronoscore.reports.result_tables import breakdown_tables

    tables, output_format, path = _tables(run), run.args.output_format, run.args.tables
    if path:
        by_value = breakdown_tables(run.family, run.scored.result)
        write_file(path, tables_json([*by_value, *tables]))
        tell(f"the tables are in {path}")
    texts = render_result(run)
    if tables and output_format not in ("json", "plain"):
        texts.append(rendered(tables, output_format))
    return texts


def _prepare_lists(run: Run) -> None:
    """Make the metrics of candidate lists."""
    args = run.args
    if args.metric or args.protocol:
        raise UsageError("the options make the metrics; for others: chronoscore annotations -m")
    values = _parameters(args, LISTS)
    metrics = [write(name, values) for name in _OF_LISTS]
    if args.cut:
        metrics.append(write("candidates-curve", {**values, "by": args.cut}))
    args.metric = tuple(str(run.family.metric(name)) for name in metrics)


@scoring_verb(
    *LISTS,
    option("--cut", "Also score lists that are cut at each score or rank.", ("score", "rank")),
    option(
        "--matches",
        "Show where the answer is in each list.",
        bool,
        cases=True,
        not_printed_as=options.FOR_PROGRAMS,
    ),
    of_parameter(MISSING),
    options.NO_TEXTS,
    family="annotations",
    formats={name: name for name in FORMATS},
    prepare=_prepare_lists,
)
def candidates_verb(run: Run) -> list[str]:
    """Score ranked lists of candidates, such as those of a linker.

    A list is an annotation that names its candidates by their ids. Files are those that
    `chronoscore annotations` reads. Shown are precision and recall of each list's first
    candidate, the mean reciprocal rank, the recall that the best choice could reach, and how
    many lists have the answer among their first n.

    Examples:
    chronoscore candidates demo/places.jsonl demo/linked.jsonl --feature link
    chronoscore candidates demo/places.jsonl demo/linked.jsonl --feature link --cut rank --matches
    """
    from msgspec.structs import replace

    from chronoscore.annotations.candidates import first_matches
    from chronoscore.annotations.pages.tables import first_match_table, rank_table

    result, output_format = run.scored.result, run.args.output_format
    if output_format in ("json", "plain"):
        return render_result(run)
    others = (m for m in result.metrics if not m.name.startswith(_ACCURACY))
    labelled = tuple(replace(m, label=m.name.partition("(")[0]) for m in others)
    texts = [result_in_format(run.family, replace(result, metrics=labelled), run.args)]
    if output_format == "csv" and not run.args.matches:
        return texts
    name = next(m.name for m in result.metrics if m.name.startswith(_ACCURACY))
    tables = []
    for system in result.systems:
        (accuracy,) = (s for s in system.summaries if s.metric == name and not s.group)
        tables.append(rank_table(system.name, accuracy))
    setting = run.family.metric(name).setting
    for system_name, cases in run.scored.cases.items() if run.args.matches else ():
        documents = [run.family.compare(case, setting) for case in cases]
        ranked = [(document, first_matches(document)) for document in documents]
        tables.append(first_match_table(system_name, ranked))
    return [*texts, rendered(tables, output_format)]


@verb(
    argument("sets..."),
    option("--feature NAME...", "A feature that must agree as well as the type.", name="features"),
    option("--type NAME...", "Only this type.", name="types"),
    option(
        "--label FEATURE",
        "Also show the agreement on this feature's values where spans are the same.",
        excludes=("types_are_labels",),
    ),
    option("--labels", "Show the same for the types.", bool, name="types_are_labels"),
    options.LEVEL,
    options.TABLE_FORMAT,
    *options.READING,
)
def annotators_verb(args: Args) -> str:
    """Measure how far annotators agree on spans and labels.

    The score is the F1 of each pair of annotators, with intervals over documents. Each SET is what
    one annotator wrote, in any form that `chronoscore annotations` reads; name it with NAME=PATH. A
    single file is split by its annotation sets. Only documents that both annotators of a pair have
    are compared. --label or --labels add the confusion of labels, Cohen's kappa and Scott's pi.

    Examples:
    chronoscore annotators demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl
    chronoscore annotators ana=demo/careful.jsonl ben=demo/quick.jsonl --labels
    """
    from chronoscore.annotations.annotators import annotator_tables, label_tables, pairwise
    from chronoscore.annotations.labels import confusion, label_pairs
    from chronoscore.annotations.metrics import SPANS as SPANS_METRIC
    from chronoscore.annotations.name_checks import check_annotations

    if not 0 < args.level < 1:
        raise UsageError(f"--level is {args.level}, expected a number between 0 and 1")
    annotators = _annotators(args)
    metric = SPANS_METRIC(features=args.features, types=args.types)
    annotations = (
        annotation
        for documents in annotators.values()
        for document in documents.values()
        for annotation in document.annotations
    )
    check_annotations(metric, annotations, args.problems, by=(args.label,) if args.label else ())
    args.problems.check()
    if args.types:
        annotators = {
            name: _only(documents, "type", args.types) for name, documents in annotators.items()
        }
    pairs = pairwise(annotators, metric)
    for pair in pairs:
        if not pair.documents:
            raise DataError.of(f"{pair.one} and {pair.other} have no document in common")
        unshared = len(annotators[pair.one]) + len(annotators[pair.other]) - 2 * len(pair.documents)
        if unshared:
            args.problems.notice(
                f"{pair.one} and {pair.other}: {unshared} documents are in only one of the two"
            )
    args.check_files()
    tables = annotator_tables(pairs, args.level)
    if args.label or args.types_are_labels:
        confusions = {}
        for pair in pairs:
            one, other = (annotators[name] for name in (pair.one, pair.other))
            labels = (
                label_pairs(one[name].annotations, other[name].annotations, args.label or "")
                for name in pair.documents
            )
            confusions[pair.one, pair.other] = confusion(chain.from_iterable(labels))
        tables += label_tables(confusions, args.label or "")
    return tables_as(args.output_format, tables, lambda: tables_json(tables))


def _only(
    documents: Mapping[str, Document], field: str, values: Sequence[str]
) -> dict[str, Document]:
    """Return the documents with only those annotations whose field has one of these values."""
    return {
        name: replace(
            document,
            annotations=tuple(a for a in document.annotations if getattr(a, field) in values),
        )
        for name, document in documents.items()
    }


def _annotators(args: Args) -> dict[str, dict[str, Document]]:
    """Read the documents of each annotator: one file each, or the annotation sets of one file."""
    from chronoscore.annotations.formats.reading import read_documents

    annotators: dict[str, dict[str, Document]] = {}
    for name, path in named_paths(args.sets).items():
        annotators[name] = {
            key if len(golds) == 1 else f"{key}/{gold}": document
            for key, golds in read_documents(source_of(path), args.problems).items()
            for gold, document in golds.items()
        }
    args.problems.check()
    if len(annotators) > 1:
        return annotators
    (documents,) = annotators.values()
    names = sorted(
        {annotation.set for document in documents.values() for annotation in document.annotations}
    )
    if len(names) < 2:
        raise UsageError(
            "agreement needs two annotators: give two files, or one with several annotation sets"
        )
    return {name or "(default)": _only(documents, "set", [name]) for name in names}
