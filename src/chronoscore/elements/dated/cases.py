"""The cases of timelines: golds and predictions read, matched by name, and paired.

Every family that reads dated texts makes its cases here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice

from msgspec import structs

from chronoscore.core.case import CEILING, Case, Missing, named_alike, pair_up
from chronoscore.core.metric import Metric
from chronoscore.core.name_matching.systems import (
    DECIDED,
    SystemMatches,
    folder_of,
    match_system,
    match_systems,
    names_to_rename,
    trial_name,
)
from chronoscore.core.problems import Fact, Problems
from chronoscore.core.sources import Source, ValueSource
from chronoscore.elements.dated.model import References, Timeline
from chronoscore.elements.dated.options import TOPICS
from chronoscore.elements.dated.reading import check_days, read_timelines
from chronoscore.elements.dated.values import (
    DATES_ONLY,
    LANGUAGE,
    ZONE,
    Policies,
    Role,
    Values,
)
from chronoscore.elements.text import has_newer_characters, language_code, seen_in

TimelineCase = Case[References, Timeline]
Timelines = Mapping[str, Mapping[str, Timeline]]
"""Timelines by topic and, within a topic, by name."""

SINGLE_TOPIC = "timeline"
"""The name of the topic of a value that names none."""
_ALL = "all"
"""The name of all golds of a topic together."""
_CEILING_CASES = "pairs of golds"
"""A fact about the golds."""
_OTHER_SCRIPT = "text that is mostly not ASCII"
_OTHER_LANGUAGE = "text that is not English"
_NEWER_CHARACTERS = "text that is newer than Unicode 14"
"""Facts about a topic."""
_TOPICS_AT_ONCE = 500


def read_cases(
    gold: Source,
    predictions: Mapping[str, Source | Sequence[Source]],
    problems: Problems,
    options: Mapping[str, str],
    *,
    ceiling: bool = False,
    further: Callable[[Timelines], Mapping[str, Timelines]] | None = None,
    rename: Mapping[str, str] | None = None,
    pairs: Mapping[str, Sequence[Mapping[str, str]]] | None = None,
) -> dict[str, list[TimelineCase]]:
    """Read golds and each system's predictions: one source, or a list with one for each trial.

    `ceiling` adds a system that predicts each gold by the other golds of its topic, and `further`
    makes more systems from the golds, such as baselines. `rename` is the user's own map of
    names. `pairs` are the names of every trial that were matched already, where only a chunk is
    read.
    """
    golds = read_side(gold, problems, options, "gold")
    predicted = {
        name: [
            read_prediction(golds, trial, gold, problems, options, rename or {})
            for trial in _trials(sources)
        ]
        for name, sources in predictions.items()
    }
    languages = languages_of(golds, problems, options.get("language", ""))
    problems.check()
    count_languages(golds, problems)
    for timelines in (golds, *(trial for trials in predicted.values() for trial in trials)):
        _count_newer_characters(timelines, problems)
    if pairs is not None:
        matches = {
            name: [
                match_system(golds, trial, Problems(), DECIDED, system=name, rename=to)
                for trial, to in zip(trials, pairs[name], strict=True)
            ]
            for name, trials in predicted.items()
        }
    else:
        folders = {name: [*map(folder_of, _trials(s))] for name, s in predictions.items()}
        matches = match_systems(golds, predicted, problems, options, folders, rename)
        problems.check()
    _report_other_languages(languages, matches, problems)
    matched = named_as_golds(golds, predicted, matches)
    cases = {
        name: pair_trials(golds, trials, problems, options, name)
        for name, trials in matched.items()
    }
    if ceiling:
        gold_pairs = ceiling_cases(golds)
        problems.facts[_CEILING_CASES,] += len(gold_pairs)
        if gold_pairs:
            cases[CEILING] = gold_pairs
    if further:
        for name, prediction in further(golds).items():
            cases[name] = pair_trials(golds, [prediction], problems, options, name)
    return {name: with_languages(several, languages) for name, several in cases.items()}


def with_languages(cases: list[TimelineCase], languages: Mapping[str, str]) -> list[TimelineCase]:
    """Tag the cases with the language of their topic, if there are languages."""
    if not languages:
        return cases
    return [
        structs.replace(case, tags={**case.tags, LANGUAGE: languages[case.tags["topic"]]})
        for case in cases
    ]


def read_side(
    source: Source, problems: Problems, options: Mapping[str, str], role: Role
) -> Timelines:
    """Read the timelines of a file, of a folder, or of a value."""
    if not isinstance(source, ValueSource):
        return read_timelines(source, problems, options, role)
    timelines = Values(problems, Policies(options, role)).collection(
        source.value, role, SINGLE_TOPIC
    )
    every = [timeline for named in timelines.values() for timeline in named.values()]
    if role == "gold" and not any(one.days or one.events or one.undated for one in every):
        problems.problem("there is no day to score against", role)
    return timelines


def read_prediction(
    golds: Timelines,
    source: Source,
    gold: Source,
    problems: Problems,
    options: Mapping[str, str],
    rename: Mapping[str, str],
) -> Timelines:
    """Read a prediction; one without a topic gets the gold's only topic."""
    if source.suffix == ".json" or isinstance(source, ValueSource):
        by_position = _read_result_file(golds, source, gold, problems, options)
        if by_position is not None:
            return by_position
    predicted = read_side(source, problems, options, "predicted")
    if not rename.keys().isdisjoint(names_to_rename(predicted)):
        return predicted
    if not isinstance(source, ValueSource) and not isinstance(gold, ValueSource):
        return named_alike(golds, predicted, gold, source, problems)
    if len(golds) == len(predicted) == 1 and SINGLE_TOPIC in (*golds, *predicted):
        return dict(zip(golds, predicted.values(), strict=True))
    return predicted


def _read_result_file(
    golds: Timelines,
    source: Source,
    gold: Source,
    problems: Problems,
    options: Mapping[str, str],
) -> Timelines | None:
    """Read a result file of news-tls, whose predictions belong to golds by position; else None."""
    from chronoscore.elements.dated.results import (  # noqa: PLC0415 - few predictions are one
        by_position,
        read_results,
    )

    results = read_results(source, problems)
    if results is None:
        return None
    if options.get("grain", "day") != "day":  # the dates inside are checked by the day
        by_day, unreported = {**options, "grain": "day"}, Problems(problems.options)
        by_position(results, read_side(gold, unreported, by_day, "gold"), source, problems, by_day)
    return by_position(results, golds, source, problems, options)


def named_as_golds(
    golds: Timelines, systems: Mapping[str, Sequence[Timelines]], matches: SystemMatches
) -> dict[str, list[dict[str, dict[str, Timeline]]]]:
    """Return the predictions of every trial under the names of the golds they were matched with."""
    named: dict[str, list[dict[str, dict[str, Timeline]]]] = {}
    for system, trials in systems.items():
        for trial, pairs in zip(trials, matches[system], strict=True):
            timelines: dict[str, dict[str, Timeline]] = {}
            for (topic, name), (gold_topic, gold) in pairs.items():
                for one in golds[gold_topic] if gold is None else (gold,):
                    timelines.setdefault(gold_topic, {})[one] = trial[topic][name]
            named.setdefault(system, []).append(timelines)
    return named


def pair_trials(
    golds: Timelines,
    trials: Sequence[Timelines],
    problems: Problems,
    options: Mapping[str, str],
    system: str,
) -> list[TimelineCase]:
    """Pair the golds with the predictions of every trial, named as their golds."""
    missing: Missing = options["missing"]  # type: ignore[assignment]  # one of the declared
    several = len(trials) > 1
    cases = []
    for number, predicted in enumerate(trials, 1):
        name = trial_name(system, number - 1, trials)
        pooled = options["golds"] == "pooled"
        trial_cases = pair_up(
            references_of(golds, options),
            _pooled(predicted, problems, name) if pooled else predicted,
            problems,
            level="topic",
            system=name,
            empty=lambda _: Timeline(),
            missing=missing,
            tags={"trial": str(number)},
            by_name=True,
        )
        if several:
            trial_cases = [structs.replace(case, id=f"{case.id}@{number}") for case in trial_cases]
        cases += trial_cases
    return cases


def references_of(golds: Timelines, options: Mapping[str, str]) -> dict[str, dict[str, References]]:
    """Return the references of each topic: each gold alone, or all golds together."""
    return {
        topic: {_ALL: tuple(named.values())}
        if options["golds"] == "pooled"
        else {name: (timeline,) for name, timeline in named.items()}
        for topic, named in golds.items()
    }


def _pooled(predicted: Timelines, problems: Problems, system: str) -> Timelines:
    """Return the one prediction of each topic; refuse predictions for single golds."""
    for topic, named in sorted(predicted.items()):
        if any(one is not timeline for one in named.values() for timeline in named.values()):
            names = ", ".join(sorted(named))
            problems.problem(
                f"{system}: '{topic}' has {len(named)} predictions ({names}), and golds that are "
                "pooled want one: use --golds each"
            )
    return {topic: {_ALL: next(iter(named.values()))} for topic, named in predicted.items()}


def ceiling_cases(golds: Timelines) -> list[TimelineCase]:
    """Pair each gold with every other gold of its topic, to show how well people do."""
    return [
        Case(
            f"{topic}/{name}~{other}",
            (reference,),
            predicted,
            {"topic": topic, "gold": f"{name}~{other}", "trial": "1"},
        )
        for topic, named in golds.items()
        for name, reference in named.items()
        for other, predicted in named.items()
        if other != name
    ]


def _trials(sources: Source | Sequence[Source]) -> Sequence[Source]:
    """Return the source of each trial."""
    return [sources] if isinstance(sources, Source) else sources


def content_of(side: References | Timeline) -> object:
    """Return the days of a timeline, or of the references of a case, as plain values."""
    return side.content if isinstance(side, Timeline) else [gold.content for gold in side]


def cells_of(case: TimelineCase) -> int:
    """Count the pairs of a predicted day and a gold day."""
    if len(case.gold) == 1:
        return len(case.predicted.dates) * len(case.gold[0].dates)
    golds = {day for reference in case.gold for day in reference.dates}
    return len(case.predicted.dates) * len(golds)


def languages_of(golds: Timelines, problems: Problems, chosen: str = "") -> dict[str, str]:
    """Return the language of each topic: that of the gold's field, or else of the option.

    There are none where neither names any.
    """
    usual = language_code(chosen) if chosen not in ("", TOPICS) else ""
    fields: dict[str, list[str]] = {}
    for fact in problems.facts:
        if fact[:2] == (LANGUAGE, "gold"):
            fields.setdefault(fact[2], []).append(fact[3])
    for topic, codes in fields.items():
        if len(codes) > 1:
            problems.problem(f"topic '{topic}' has several languages: {', '.join(sorted(codes))}")
    languages = {topic: fields.get(topic, [usual])[0] for topic in golds}
    return languages if any(languages.values()) else {}


def _report_other_languages(
    languages: Mapping[str, str], matches: SystemMatches, problems: Problems
) -> None:
    """Report the topics of which a prediction names another language than the gold."""
    trials = [pairs for trials in matches.values() for pairs in trials]
    topics = {(one, topic) for pairs in trials for (one, _), (topic, _) in pairs.items()}
    codes: dict[str, set[str]] = {}
    for fact in problems.facts:
        if fact[:2] == (LANGUAGE, "predicted"):
            codes.setdefault(fact[2], set()).add(fact[3])
    other = {topic for one, topic in topics if codes.get(one, set()) - {languages.get(topic, "")}}
    problems.count(
        "the language of {some} is another one in a prediction; the gold's counts",
        [(0, topic) for topic in sorted(other)],
    )


def count_languages(golds: Mapping[str, Mapping[str, Timeline]], problems: Problems) -> None:
    """Count the topics whose text is not in ASCII, or not in English."""
    by_topic = _texts_by_topic(golds)
    while several := dict(islice(by_topic, _TOPICS_AT_ONCE)):
        foreign, other = seen_in([" ".join(texts) for texts in several.values()])
        for topic, is_foreign, is_other in zip(several, foreign, other, strict=True):
            if is_foreign or is_other:
                problems.facts[_OTHER_SCRIPT if is_foreign else _OTHER_LANGUAGE, topic] += 1


def _count_newer_characters(timelines: Timelines, problems: Problems) -> None:
    """Count the topics that have characters newer than Unicode 14."""
    every = (one.texts for named in timelines.values() for one in named.values())
    if has_newer_characters(chain.from_iterable(chain.from_iterable(every))):  # seldom
        for topic, texts in _texts_by_topic(timelines):
            if has_newer_characters(texts):
                problems.facts[_NEWER_CHARACTERS, topic] += 1


def _texts_by_topic(timelines: Timelines) -> Iterator[tuple[str, list[str]]]:
    for topic, named in timelines.items():
        days = chain.from_iterable([one.texts for one in named.values()])
        yield topic, [*chain.from_iterable(days)]


def check_timelines(
    metrics: Sequence[Metric], facts: Mapping[Fact, int], problems: Problems, parameter: str
) -> None:
    """Report files without days, a ceiling without cases, and text that metrics can't process.

    `parameter` is that by which metrics name the text processing.
    """
    check_days(facts, problems)
    if readers := [str(metric) for metric in metrics if parameter in metric.values]:
        for _, _, file in (fact for fact in facts if fact[0] == DATES_ONLY):
            problems.problem(
                f"the texts of these timelines can't be divided by day, and {readers[0]} compares "
                "texts: only dates can be scored, as by -m Date-F1",
                file,
            )
    if facts.get((_CEILING_CASES,)) == 0:
        problems.notice("no topic has two golds: there is no human ceiling to show")
    if facts.get((ZONE, "named")) and (floating := facts.get((ZONE, "none"))):
        problems.notice(
            f"{floating} times name no zone and others do: they are taken for UTC unless a metric "
            "says zone=+HH:MM"
        )
    _report_languages(metrics, facts, problems, parameter)


_TEXT_NOTICES: tuple[tuple[str, Sequence[str], str, str], ...] = (
    (
        _OTHER_SCRIPT,
        ("rouge155", "reimpl"),
        "the text of {some} is mostly not ASCII: text=rouge155 and reimpl see only fragments of it",
        "; use text=words",
    ),
    (
        _OTHER_LANGUAGE,
        ("rouge155", "reimpl"),
        "the text of {some} does not look English, and text=rouge155 and reimpl stem it as English",
        "; use text=words, or text=stems-XX with the code of its language",
    ),
    *(
        (
            fact,
            ("content",),
            "the text of {some} does not look English, and text=content reads it as English",
            "; use text=words, or text=stems-XX with the code of its language",
        )
        for fact in (_OTHER_SCRIPT, _OTHER_LANGUAGE)
    ),
    (
        _NEWER_CHARACTERS,
        ("words", "stems", "content", "chars", "icu"),
        "the text of {some} has characters that are newer than Unicode 14: whether they are "
        "letters depends on the version of Python",
        "",
    ),
)
"""A fact about a topic, the modes that it is a problem for, the notice, and the way out."""


def _report_languages(
    metrics: Sequence[Metric], facts: Mapping[Fact, int], problems: Problems, parameter: str
) -> None:
    """Report these topics if a metric's text processing does not fit them."""
    used = {str(metric.values.get(parameter, "")) for metric in metrics}
    modes = {name.partition("-")[0] for name in used}
    for kind, unfit, message, way_out in _TEXT_NOTICES:
        topics = sorted(fact[1] for fact in facts if fact[0] == kind)
        if not modes.isdisjoint(unfit):
            taken = not modes.isdisjoint(("words", "stems"))
            words = (message + way_out * (not taken)).replace("text=", f"{parameter}=")
            problems.count(words, [(0, topic) for topic in topics])
    for name in sorted(name for name in used if name.startswith("snowball-")):
        problems.notice(
            f"text={name} is an old name that stems the words of text=plain, which cuts words at "
            "the marks of many scripts: text=stems-XX, with the code of the language, does not"
        )
