"""`chronoscore events`: which events were found, and when; and the threshold of a match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronoscore.cli import options
from chronoscore.cli.options import Args, Input, argument, family_choices, of_parameter, option
from chronoscore.cli.output import tables_as, tell, tell_all
from chronoscore.cli.scoring import Run, render_result, scoring_verb
from chronoscore.cli.verb import named_systems, verb
from chronoscore.core.sources import sources_of
from chronoscore.core.writing import json_text
from chronoscore.elements.dated.options import FORMATS
from chronoscore.errors import UsageError
from chronoscore.events.options import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from chronoscore.engines.settings import Settings
    from chronoscore.events.threshold import ThresholdPlan

_ABOUT_NAMES = [one.name for one in OPTIONS].index("repeated")


def _prepare(run: Run) -> None:
    """Read the user's map of names."""
    args = run.args
    if args.rename:
        from chronoscore.core.name_matching.renaming import read_renaming

        args.rename = read_renaming(args.rename, args.problems)


@scoring_verb(
    *map(of_parameter, OPTIONS[:_ABOUT_NAMES]),
    options.RENAME,
    *map(of_parameter, OPTIONS[_ABOUT_NAMES:]),
    family="events",
    formats=FORMATS,
    trials=True,
    prepare=_prepare,
)
def events_verb(run: Run) -> list[str]:
    """Score events: which were found, and when (experimental).

    Gold and predicted events are matched one to one by their texts and dates together. GOLD and
    each PREDICTED are an events.jsonl, in which each record is an event, or anything that
    `chronoscore timelines` reads, cut into sentences. Tables show how well the topic's other golds
    do, where there are several. Name a system with NAME=PATH.

    Examples:
    chronoscore events demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl
    chronoscore events demo/gold.jsonl demo/quick.jsonl --explain suez-canal-blockage
    """
    return render_result(run)


_ENGLISH = "en"
_VERDICTS = ("verdicts",)


@verb(
    argument("golds", Input()),
    argument("predicted...", required=False),
    option(
        "-m --metric NAME",
        "A metric of events, whose similarity, tokens, closeness and time_weight are tried "
        "(default: event-timed, with tokens=words if a language other than English is declared).",
    ),
    option(
        "--chance",
        "The share of matches that may arise by chance.",
        float,
        default=0.05,
        excludes=_VERDICTS,
    ),
    option(
        "--near DAYS",
        "How far apart the dates of a match may be.",
        float,
        default=3.0,
        excludes=_VERDICTS,
    ),
    option(
        "--far DAYS",
        "Texts this many days apart or more are about different events.",
        float,
        default=30.0,
        excludes=_VERDICTS,
    ),
    option(
        "--draws N",
        "How often the texts of each gold are replaced.",
        int,
        default=5,
        least=1,
        excludes=_VERDICTS,
    ),
    option(
        "--verdicts FILE",
        "People's verdicts on pairs of events (JSON lines) of GOLDS and PREDICTED: choose the "
        "threshold of the best F1.",
        Input(),
    ),
    *options.VERDICT_COUNTS,
    option(
        "--confidence",
        "The confidence level of intervals.",
        float,
        default=0.95,
        needs=_VERDICTS,
    ),
    option("--lowest", "The lowest threshold to try.", float, default=0.1),
    option("--highest", "The highest threshold to try.", float, default=0.4),
    option("--step", "From one threshold to the next.", float, default=0.01),
    option("--seed", "Seed of the random number generator.", int, default=0),
    options.TABLE_FORMAT,
    *(of_parameter(one) for one in OPTIONS if one.name in (*options.FILE_CHOICES, "language")),
    *options.READING,
)
def events_threshold_verb(args: Args) -> str:
    """Choose the threshold above which two events can match (experimental).

    GOLDS has several golds of a topic, by different writers, in any form that `chronoscore events`
    reads. They are matched with each other at every threshold, and once more with texts that can't
    be right. The table shows how many matches arise by chance, and the smallest threshold with few
    of them. It never looks at a prediction that is scored.

    With --verdicts it takes people's verdicts on pairs of events of GOLDS and PREDICTED instead,
    and shows the threshold of the best F1, each topic by the threshold of the others, and
    intervals over topics.

    Examples:
    chronoscore events threshold demo/gold.jsonl
    chronoscore events threshold demo/gold.jsonl -m 'event-f1(similarity=rouge-1L)' --chance 0.1
        --seed 7
    """
    from chronoscore.events.threshold import ThresholdPlan

    plan = args.make(ThresholdPlan)
    plan.check()
    if args.verdicts is not None:
        return _threshold_by_verdicts(args, plan)
    if args.predicted:
        raise UsageError(
            f"'{args.predicted[0]}': predictions are for --verdicts FILE; without it the threshold "
            "is chosen from GOLDS alone"
        )
    from chronoscore.events.family import check_names, read_golds
    from chronoscore.events.threshold import chance_study
    from chronoscore.events.threshold_tables import chance_tables

    settings = _settings(args, ())
    golds, languages = read_golds(args.golds, args.problems, settings.reader_options)
    metric = _settings(args, languages.values()).metrics[0]
    check_names([metric], args.problems.facts, args.problems, ())
    args.check_files()
    study = chance_study(golds, metric, plan, languages)
    tell_all(study.notices)
    return tables_as(args.output_format, chance_tables(study), lambda: json_text(study))


def _threshold_by_verdicts(args: Args, plan: ThresholdPlan) -> str:
    """Choose the threshold from people's verdicts on pairs of events."""
    if not args.predicted:
        raise UsageError(
            "--verdicts needs the predictions whose events people judged: PREDICTED..."
        )
    from chronoscore.elements.verdicts import read_verdicts
    from chronoscore.events.family import check_names, read_cases
    from chronoscore.events.threshold import verdict_study
    from chronoscore.events.threshold_tables import verdict_tables

    reader_options = {**_settings(args, ()).reader_options, "other_golds": "hide"}
    predictions = sources_of(named_systems(args.predicted))
    cases = read_cases(args.golds, predictions, args.problems, reader_options)
    languages = {case.tags.get("language", "") for several in cases.values() for case in several}
    metric = _settings(args, languages).metrics[0]
    check_names([metric], args.problems.facts, args.problems, ())
    verdicts = [verdict for _, verdict in read_verdicts(args.verdicts, args.problems)]
    args.check_files()
    study = verdict_study(cases, verdicts, metric, plan)
    tell_all(study.notices)
    tables = verdict_tables(study)
    return tables_as(args.output_format, tables, lambda: json_text(study), slice(1))


def _settings(args: Args, languages: Iterable[str]) -> Settings:
    """Make the settings of the metric of the call, or of the one that the languages ask for."""
    from chronoscore.engines.settings import Settings
    from chronoscore.events.family import FAMILY
    from chronoscore.events.threshold import tried_setting

    foreign = sorted({*languages} - {"", _ENGLISH})
    if foreign and not args.metric:
        tell(f"tokens=words, since the declared language is {', '.join(foreign)}")
    metric = args.metric or ("event-timed(tokens=words)" if foreign else "event-timed")
    settings = Settings.make(FAMILY, metrics=[metric], options=family_choices(args, OPTIONS))
    tried_setting(settings.metrics[0])
    return settings
