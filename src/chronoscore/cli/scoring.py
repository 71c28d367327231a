"""Verbs that score: each is a `ScoringVerb`, and one function runs them all.

A run has four steps: make the settings from the call, let the engine measure, print and write
the result, and check the gates. Where a verb differs, its `ScoringVerb` names a function that
takes the run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from chronoscore import __version__
from chronoscore.cli import options
from chronoscore.cli.options import Args, Option, family_choices, is_set, option
from chronoscore.cli.output import (
    cases_to_explain,
    explain,
    paper_matrix,
    print_notices,
    report_run,
    result_in_format,
    tell,
    tell_all,
    watching,
    without_documents,
    write_report_file,
)
from chronoscore.cli.verb import Verb, flag, named_systems, on_command_line
from chronoscore.core.names import Signature
from chronoscore.core.sources import Source, sources_of
from chronoscore.engines.plan import Inputs, Plan
from chronoscore.errors import DataError, UnknownMetricError, UsageError, one_line
from chronoscore.families import families_with, family
from chronoscore.testing import Gate, judged_systems

if TYPE_CHECKING:
    from pathlib import Path

    from chronoscore.core.family import Family
    from chronoscore.core.result import ResultDocument
    from chronoscore.engines.scoring import Scored
    from chronoscore.engines.settings import Settings

BASELINE = "(baseline)"


@dataclass(eq=False, repr=False)
class Run:
    """One call of a scoring verb: its arguments, and what has been computed so far.

    What one function of the verb leaves for a later one is an attribute of `args`.
    """

    verb: ScoringVerb
    args: Args
    also_named: Sequence[str] = ()
    """Names of values that the data must have, in addition to those of the settings."""
    scored: Scored = field(init=False)

    @cached_property
    def family(self) -> Family:
        """The family of the run; the verb may build it from a codebook."""
        return self.verb.make_family(self)

    @cached_property
    def settings(self) -> Settings:
        """Everything except the data that scores depend on; `ScoringVerb.prepare` runs before."""
        try:
            return make_settings(self)
        except UnknownMetricError as error:
            raise _in_another_family(error, self.verb.family) from None

    @cached_property
    def systems(self) -> dict[str, list[Path]]:
        """The files of each system."""
        return named_systems(self.args.predicted, trials=self.verb.trials)

    def set_options(self) -> list[Option]:
        """Return the options that have a value."""
        declared = (item for item in self.verb.params if isinstance(item, Option))
        return [item for item in declared if is_set(getattr(self.args, item.name or "", None))]


def family_by_name(run: Run) -> Family:
    """Return the family that the verb names."""
    return family(run.verb.family)


def _in_another_family(error: UnknownMetricError, name: str) -> UsageError:
    """Return the error that names the verb of the family that has the metric, if one has."""
    from chronoscore.cli.main import find_verb

    homes = [home for home in families_with(error.metric) if home != name]
    if not homes:
        return error
    _, *arguments = find_verb(homes[0]).collect_usage_pieces(click.get_current_context())
    words = " ".join(["chronoscore", homes[0], *arguments, "-m", quote(error.metric)])
    return UsageError(f"'{error.metric}' is a metric of {' and '.join(homes)}: {words}")


def gold_and_predictions(run: Run) -> Inputs:
    """Return the sources of a verb that takes a gold and predictions, and its reader's options."""
    format = run.verb.formats.get(run.args.input_format or "", "")
    words = run.args.of(parameter for parameter in run.set_options() if parameter.reader)
    return Inputs(run.args.gold, sources_of(run.systems, format=format), words)


def render_result(run: Run) -> list[str]:
    """Render the tables that every scoring verb prints."""
    return [result_in_format(run.family, run.scored.result, run.args)]


def nothing(_: Run) -> None:
    """Do nothing: the default step of a verb that needs none."""


class ScoringVerb(Verb):
    """A verb that scores; its settings are everything that sets it apart from the others."""

    family: str
    arguments: Sequence[click.Argument] = (options.GOLD, options.PREDICTED)
    trials: bool = False
    """Whether a system may have several predictions."""
    prepare: Callable[[Run], None] = staticmethod(nothing)
    """Turns the verb's options into metrics, protocol and breakdown, and refuses those that
    contradict each other; or prints something else than the result, and exits."""
    make_family: Callable[[Run], Family] = staticmethod(family_by_name)
    inputs: Callable[[Run], Inputs] = staticmethod(gold_and_predictions)
    finish: Callable[[Run], None] = staticmethod(nothing)
    """Writes the verb's last files, even if a gate has failed."""

    def __init__(
        self,
        show: Callable[[Run], list[str]],
        specific_options: Sequence[click.Option],
        **settings: Any,
    ) -> None:
        """Make the verb of the function that renders the result, and what it adds to it.

        `specific_options` are the options that other verbs don't have.
        """
        vars(self).update(settings)
        self.show = show
        input_format = option(
            "--input-format",
            "The format of all files (default: recognised by their names and first lines). "
            "Standard input (-) and pipes need it.",
            tuple(self.formats),
        )
        parameters = (*self.arguments, *specific_options, *options.SCORE, input_format)
        run = partial(run_verb, self)
        super().__init__(run, (*parameters, *options.READING), show.__doc__ or "")


def scoring_verb(
    *specific_options: click.Option, **settings: Any
) -> Callable[[Callable[[Run], list[str]]], ScoringVerb]:
    """Make a scoring verb of the function that renders its result; the docstring is the help."""
    return lambda show: ScoringVerb(show, specific_options, **settings)


def run_of(name: str, arguments: Sequence[object], **values: Any) -> Run:
    """Make a run of a scoring verb for another verb; `values` replace the options' defaults."""
    from chronoscore.cli.main import find_verb

    verb = find_verb(name)
    assert isinstance(verb, ScoringVerb)
    whole_command = click.get_current_context().find_root()
    words = ["--", *map(str, arguments)]
    defaults = verb.make_context(name, words, parent=whole_command).params
    silent = {"progress": "none", "workers": 1}
    run = Run(verb, verb.make_args({**defaults, **silent, **values}))
    verb.prepare(run)
    return run


def run_verb(verb: ScoringVerb, args: Args) -> None:
    """Score, print, save, and check the gates."""
    run = Run(verb, args)
    verb.prepare(run)
    limits = read_limits(run.settings, args.fail_under)
    baseline = read_baseline(run.settings, args.no_worse_than)
    if args.columns or args.published_rows:
        paper_matrix(no_result(run), args)  # refuses unknown columns before anything is scored
    if args.verbose:
        describe_inputs(run)
    try:
        measure(run)
        if not any(system.rows for system in run.scored.result.systems):  # no gate could fail
            raise DataError.of("there is nothing to score")
    except DataError:
        args.tell_notices()  # they may say why there is nothing to score
        raise
    scored, result = run.scored, run.scored.result
    tell_all(result.notices)
    _compare_with_signature(result, args.from_signature)
    if args.explain:
        cases_to_explain(scored.matches, args.explain)  # refused before anything is written
    if args.save:
        from chronoscore.core.result import save, texts_path

        save(result, scored.matches, args.save, scored.texts)
        tell(f"saved {args.save}")
        texts = texts_path(args.save)
        if getattr(args, "no_texts", False) and not scored.texts and texts.exists():
            tell(f"{texts} has the texts of an earlier run: remove it if nobody shall read them")
    if args.report:
        from chronoscore.cli.heads import head_of_inputs

        write_report_file(run.family, scored, args.report, head_of_inputs(verb.inputs(run)))
    click.echo("\n".join(verb.show(run)), nl=False)
    explain(run.family, scored, args.explain, args.output_format, full=args.full)
    print_notices()
    failed = below_limits(result, limits, args.bound)
    failed += worse_than_baseline(run, baseline)
    for line in failed:
        label = click.style("gate failed", fg="red", bold=True)
        click.echo(f"{label}: {one_line(line)}", err=True)
    verb.finish(run)
    if failed:
        raise SystemExit(1)
    if scored.bad or scored.unread:
        raise SystemExit(4)


def describe_inputs(run: Run) -> None:
    """Print what is understood of each file, before anything is scored."""
    from chronoscore.cli.validate import description, description_lines

    inputs = run.verb.inputs(run)
    sources = {} if inputs.gold is None else {"gold": [inputs.gold]}
    for role, listed in {**sources, **inputs.systems}.items():
        for source in [listed] if isinstance(listed, Source) else listed:
            click.echo(f"{role}: {source}" if role else source, err=True)
            about = description(
                source,
                run.verb.family,
                run.args.problems.options,
                run.settings.reader_options,
                "gold" if role == "gold" else "predicted",
                run.args.codebook if run.verb.family == "rubric" else None,
            )
            click.echo("\n".join(description_lines(about)), err=True)


def measure(run: Run) -> None:
    """Let the engine score the sources; no other function of the command calls it."""
    from chronoscore.engines.scoring import score_sources

    set_options = run.set_options()
    read_whole = any(set_option.cases for set_option in set_options)
    for set_option in set_options:
        if read_whole and set_option.asks_chunks:
            raise UsageError(
                f"{set_option.flag} is for files that are read in chunks, and another option of "
                "this call needs all of them at once: leave it out"
            )
    engine = {name: value for name, value in run.args.of(options.ENGINE).items() if is_set(value)}
    plan, inputs = Plan(**engine, whole=read_whole), run.verb.inputs(run)
    progress = run.args.progress
    if not plan.cuts(inputs):
        progress = "auto" if progress == "json" else progress
        idle = options.ENGINE if progress == "none" else (*options.ENGINE, options.PROGRESS)
        for parameter in on_command_line(click.get_current_context()):
            if parameter in idle:
                tell(f"{flag(parameter)} does nothing here: the files are read as a whole")
    with watching(progress) as (notify, watch):
        run.scored = score_sources(
            run.settings,
            inputs,
            run.args.problems,
            plan,
            explain=any(set_option.matches for set_option in set_options),
            also_named=run.also_named,
            notify=notify,
            watch=watch,
        )
    if getattr(run.args, "no_texts", False):
        run.scored = without_documents(run.scored)
    report_run(run.scored, progress, run.args.work)


def no_result(run: Run) -> ResultDocument:
    """Return the result that a run would have without any system."""
    from chronoscore.engines.assemble import assemble

    return assemble(run.settings, {})


def make_settings(run: Run) -> Settings:
    """Make the settings of a run; the user must allow each function that a signature names."""
    from chronoscore.engines.settings import Settings

    args, family = run.args, run.family
    choices = family_choices(args, family.options)
    if args.output_format == "plain" and not args.by:
        args.by = (family.levels[1],)  # plain lines are written topic by topic
    if args.from_signature is None:
        names = ("protocol", "average", "undefined", "by")
        conventions = {name: getattr(args, name) for name in names}
        # A gate on the lower bound needs intervals too.
        method = args.interval or ("auto" if args.bound == "lower" else None)
        plan = args.interval_plan(method) if method else None
        return Settings.make(
            family, metrics=args.metric, options=choices, chance=plan, **conventions
        )
    fixed = ("protocol", "metric", "average", "undefined", "interval", "unit", "strata")
    clashing = [f"--{name}" for name in (*filter(args.__getattribute__, fixed), *choices)]
    if clashing:
        raise UsageError(f"--from-signature sets {', '.join(clashing)} already; leave that out")
    signature = Signature.parse(args.from_signature)
    settings = Settings.from_signature(family, signature, args.by, args.allow_function)
    settings.allowed_functions()
    return settings


def _compare_with_signature(result: ResultDocument, text: str | None) -> None:
    """Print how a repeated run differs from the run that the signature describes."""
    if text is None:
        return
    expected = Signature.parse(text)
    for system in result.systems:
        signature = Signature.parse(system.signature)
        for name, field_name in (("gold",) * 2, ("prediction", "predicted"), ("version",) * 2):
            before, now = getattr(expected, field_name), getattr(signature, field_name)
            if before and before != now:
                tell(f"{system.name}: the {name} is not the signature's ({now}, not {before})")


def read_limits(settings: Settings, texts: Sequence[str]) -> list[tuple[str, float]]:
    """Read the metrics of --fail-under and their limits; refuse limits that make no sense."""
    limits = []
    for text in texts:
        name, equals, number = text.rpartition("=")
        metric = settings.family.metric(name) if equals else settings.metrics[0]
        try:
            limit = float(number)
        except ValueError:
            limit = math.nan
        try:
            if metric not in settings.metrics:
                raise UsageError(f"'{name}' is not among the metrics of this run: add -m {name}")
            if not math.isfinite(limit):  # nothing is below NaN: the gate would never fail
                raise UsageError(
                    f"'{number}' is not a number; write METRIC=LIMIT, such as "
                    f"{settings.family.label(metric)}=0.5"
                )
            metric.check_limit(limit, settings.family.label(metric))
        except UsageError as error:
            raise UsageError(f"--fail-under {text}: {error}") from None
        limits.append((str(metric), limit))
    return limits


def below_limits(
    result: ResultDocument, limits: Sequence[tuple[str, float]], bound: str
) -> list[str]:
    """List the systems whose score, or the worse end of its interval, is beyond a limit."""
    metrics = {metric.name: metric for metric in result.metrics}
    failed = []
    for name, limit in limits:
        gate = Gate(metrics[name], limit)
        end, than = ("lower", "more") if gate.metric.better == "higher" else ("upper", "less")
        label = f"the {end} bound of {gate.metric.label}" if bound == "lower" else gate.metric.label
        for system in judged_systems(result):
            summary = gate.summary(system)
            value = gate.worse_end(summary) if bound == "lower" else gate.score(summary)
            if not gate.holds(value):
                value_text = "undefined" if value is None else f"{value:.6f}"
                failed.append(f"{system.name}: {label} is {value_text}, not {limit} or {than}")
    return failed


def read_baseline(settings: Settings, path: Path | None) -> ResultDocument | None:
    """Load the result that no system may be worse than; refuse one that can't be compared."""
    if path is None:
        return None
    from msgspec.structs import replace

    from chronoscore.core.result import load
    from chronoscore.engines.assemble import assemble
    from chronoscore.engines.contrasting import comparable
    from chronoscore.engines.verifying import verify

    baseline = load(path)
    ranked = [system for system in baseline.systems if system.is_ranked]
    if len(ranked) != 1:
        raise UsageError(f"--no-worse-than wants a result of one system, {path} has {len(ranked)}")
    compared = (replace(baseline, systems=tuple(ranked)), assemble(settings, {}))
    comparable(compared, names=("the baseline", "this run"))
    verify(settings.family, baseline, path)
    made_by = Signature.parse(ranked[0].signature).version
    if made_by != __version__:
        tell(
            f"{path} was made by Chronoscore {made_by}, this is {__version__}: a difference may "
            "come from the version; score the baseline anew to be sure"
        )
    return replace(baseline, systems=(replace(ranked[0], name=BASELINE),))


def worse_than_baseline(run: Run, baseline: ResultDocument | None) -> list[str]:
    """List the systems that are significantly worse than the baseline, by the paired test."""
    if baseline is None:
        return []
    from msgspec.structs import replace

    from chronoscore.engines.contrasting import Question, contrast

    question = Question(baseline=BASELINE, chance=run.args.interval_plan("auto", strata=""))
    failed = []
    result = run.scored.result
    ranked = replace(result, systems=tuple(one for one in result.systems if one.is_ranked))
    for metric in contrast(run.family, [baseline, ranked], question).metrics:
        for pair in metric.pairs:
            name, sign = (pair.two, 1) if pair.one == BASELINE else (pair.one, -1)
            lead = sign * (pair.difference or 0)  # of the baseline over the system
            worse = lead > 0 if metric.better == "higher" else lead <= 0
            if not worse:
                continue
            if pair.p_corrected is not None and pair.p_corrected < 0.05:
                failed.append(
                    f"{name}: {metric.label} is worse than the baseline's by "
                    f"{abs(pair.difference or 0):.4f} (p {pair.p_corrected:.4f})"
                )
    return failed
