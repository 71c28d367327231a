"""`chronoscore ordering`, `tlinks` and `coreference`: how events stand to each other."""

from __future__ import annotations

from typing import Literal

from chronoscore.cli.options import Output, of_parameter, option
from chronoscore.cli.output import tell
from chronoscore.cli.scoring import Run, render_result, scoring_verb
from chronoscore.ordering.options import (
    CLUSTER_FORMATS,
    CLUSTERS,
    LINK_FORMATS,
    LINKS,
    ORDER_FORMATS,
    ORDERS,
)

ORDER_ONLY = ("SemEval-order", "pairwise(mode=order)")
METHODS = {"default": "tempeval3", "acl11": "tempeval3-acl11"}
"""The protocol of each method of `tlinks`."""


def _choose_order(run: Run) -> None:
    if run.args.no_anchors:
        run.args.metric = ORDER_ONLY


def _write_graphs(run: Run) -> None:
    target = run.args.write_graphs
    if target is None:
        return
    from chronoscore.ordering.formats import write_graphs

    mode: Literal["order", "full"] = "order" if run.args.no_anchors else "full"
    systems = run.scored.cases
    files = [
        file
        for name, cases in systems.items()
        for file in write_graphs(cases, target / name if len(systems) > 1 else target, mode)
    ]
    tell(f"{len(files)} graphs are in {target}")


def _choose_method(run: Run) -> None:
    if run.args.method is not None or run.args.closure is not None:
        protocol = METHODS[run.args.method or "default"]
        run.args.protocol = protocol + "-toolkit" * (run.args.closure == "toolkit")


@scoring_verb(
    *map(of_parameter, ORDERS),
    option(
        "--no-anchors --ord",
        "Score the order alone, without time anchors (--ord in the official script).",
        bool,
        excludes=("metric",),
    ),
    option(
        "--write-graphs DIR",
        "Write the graphs that are compared as TimeML: CASE_gold.tml and CASE_sys.tml.",
        Output(apart=True),
        cases=True,
    ),
    family="ordering",
    formats=ORDER_FORMATS,
    prepare=_choose_order,
    finish=_write_graphs,
)
def ordering_verb(run: Run) -> list[str]:
    """Score the order of events, as SemEval-2015 does.

    Timelines are scored with and without time anchors. GOLD and each PREDICTED are an events.jsonl,
    a file in the tab format of SemEval-2015 Task 4, a folder of such files, one for each target
    entity, or a folder of such folders. A PREDICTED that holds a folder for each run is scored run
    by run. Name a system with NAME=PATH.

    Examples:
    chronoscore ordering demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl
    chronoscore ordering demo/gold.jsonl demo/quick.jsonl -m SemEval-order --explain
        suez-canal-blockage
    """
    return render_result(run)


@scoring_verb(
    option(
        "--method",
        "Count links after reduction (default), or all and their inverses (acl11); for other "
        "metrics: -m 'awareness(method=acl11)'.",
        tuple(METHODS),
        excludes=("protocol", "metric", "from_signature"),
    ),
    option(
        "--closure",
        "Infer exactly what follows (default), or what the TempEval-3 toolkit infers, with its "
        "errors, as published numbers have it.",
        ("exact", "toolkit"),
        excludes=("protocol", "metric", "from_signature"),
    ),
    *map(of_parameter, LINKS),
    family="tlinks",
    formats=LINK_FORMATS,
    prepare=_choose_method,
)
def tlinks_verb(run: Run) -> list[str]:
    """Score temporal links, as TempEval-3 does.

    The scores are TempEval-3's awareness, all pairs, the labels of pairs as for MATRES, and the
    events and times themselves. GOLD and each PREDICTED are a TimeML file, a .ann of brat, a table
    or JSON lines of relations, a table of TimeBank-Dense or MATRES, the outputs of MATRES'
    classifiers and their gold in XML, an events.jsonl with positions, or a folder of such files.
    Name a system with NAME=PATH.

    Examples:
    chronoscore tlinks demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl
    chronoscore tlinks demo/gold.jsonl demo/quick.jsonl --method acl11 --explain suez-canal-blockage
    """
    return render_result(run)


@scoring_verb(
    *map(of_parameter, CLUSTERS),
    option(
        "--link-feature NAME",
        "The feature of annotations with the KB or NIL id.",
        default="kbid",
        reader=True,
    ),
    family="coreference",
    formats=CLUSTER_FORMATS,
)
def coreference_verb(run: Run) -> list[str]:
    """Score coreference and entity linking, as CoNLL-2012 does.

    The scores are MUC, B3, CEAF, BLANC, LEA and the CoNLL average. GOLD and each PREDICTED are a
    CoNLL-2012 file, JSON with clusters, an events.jsonl with mentions, a timeline in the tab format
    of SemEval-2015 Task 4 (the mentions of a row corefer), annotations with links (JSON lines with
    a feature for the KB id, or the tab format of neleval or TAC), or a folder of such files. Name a
    system with NAME=PATH.

    Examples:
    chronoscore coreference demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl
    chronoscore coreference demo/gold.jsonl demo/quick.jsonl -m LEA --singletons drop --explain
        chernobyl
    """
    return render_result(run)
