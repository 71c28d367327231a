"""The names of a system's predictions: the user's map, the match with the golds, and its report."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from chronoscore.core.case import some
from chronoscore.core.name_matching.levels import (
    NameMatch,
    Names,
    Prediction,
    Target,
    find_matches,
    many,
    one_to_one,
    predictions_by_name,
    targets_by_name,
    tokens_of,
    written,
)
from chronoscore.core.problems import Fact, Problems, escaped
from chronoscore.core.sources import Source

SystemMatches = Mapping[str, Sequence[Mapping[Prediction, Target]]]
"""The gold of each prediction, for every trial of each system."""

LEAVE_OUT = "-"
"""What a prediction is renamed to that is left out on purpose."""
DECIDED: Mapping[str, str] = {"match": "exact", "extra": "skip"}
"""The options where names were matched already."""
NAME = "name"
"""A fact: the system, the name of a prediction, and the gold that it was matched with."""
MOST_PROPOSED = 3
"""The most golds that are proposed for a prediction."""
MOST_LISTED = 20
"""The most predictions for which golds are proposed."""


def folder_of(source: Source) -> str:
    """Return the name of the folder of a prediction."""
    return source.file_name if source.is_folder else source.folder_name


def trial_name(system: str, at: int, trials: Sequence[object]) -> str:
    """Return the name of a trial in messages."""
    return f"{system}, trial {at + 1}" if len(trials) > 1 else system


def match_systems(
    golds: Names,
    systems: Mapping[str, Sequence[Names]],
    problems: Problems,
    options: Mapping[str, str],
    folders: Mapping[str, Sequence[str]],
    rename: Mapping[str, str] | None = None,
) -> dict[str, list[dict[Prediction, Target]]]:
    """Return the gold of each prediction of every trial, and report how names were matched.

    `folders` are the folders of the trials, and `rename` is the user's own map of names.
    """
    rename = rename or {}
    trials = [trial for trials in systems.values() for trial in trials]
    names = {name for trial in trials for name in names_to_rename(trial)} if rename else ()
    check_renaming(rename, golds, names, problems)
    return {
        system: [
            match_system(
                golds,
                trial,
                problems,
                options,
                system=system,
                label=trial_name(system, at, trials),
                folder=folders[system][at],
                rename=rename,
            )
            for at, trial in enumerate(trials)
        ]
        for system, trials in systems.items()
    }


def match_system(
    golds: Names,
    predicted: Names,
    problems: Problems,
    options: Mapping[str, str],
    *,
    system: str,
    label: str = "",
    folder: str = "",
    rename: Mapping[str, str] | None = None,
) -> dict[Prediction, Target]:
    """Return the gold of each prediction of a trial, and report how their names were matched.

    A prediction without a gold is a problem, unless the option `extra`, or lenient reading, leaves
    it out; but some prediction must have one. `rename` comes first: from a name to a topic, a gold
    as TOPIC/GOLD, or `LEAVE_OUT`. `label` names the trial in messages, where there are several.
    """
    if not rename and predicted.keys() <= golds.keys() and _all_single(golds, predicted):
        return {(topic, name): (topic, None) for topic, (name,) in predicted.items()}
    label, targets = label or system, targets_by_name(golds)
    predictions = predictions_by_name(predicted, golds)
    every = {(topic, name) for topic in predicted for name in predicted[topic]}
    for topic, name in sorted(every.difference(predictions.values())):
        both = topic if topic in predictions else written((topic, name))
        problems.problem(
            f"{label}: two predictions are named '{both}', one by its topic: rename it"
        )
    decided = _decided(targets, predictions, problems, label, rename or {})
    fixed = {name: target for name, target in decided.items() if target}
    rest = [name for name in predictions if name in fixed or name not in decided]
    matches = find_matches(golds, rest, folder=folder, fixed=fixed)
    match, choice = matches[0], options.get("match", "")
    if choice == "affixes":
        match = matches[-1]
    elif not choice:
        match = [match, *(each for each in matches if each.automatic)][-1]
    for name, target in match.pairs.items():
        if targets.get(name) != target:
            problems.facts[NAME, system, name, written(target)] += 1
    if match.taken:
        problems.notice(f"{label}: matched {match.taken}")
    if match.unmatched:
        lenient = problems.options.lenient and not options.get("extra")
        if match.pairs and (lenient or options.get("extra") == "skip"):
            problems.count(
                f"{escaped(label)}: {{count}} prediction{{s}} without a gold left out: {{some}}",
                [(0, name) for name in match.unmatched],
            )
        else:
            has = "has no gold of its" if len(match.unmatched) == 1 else "have no gold of their"
            problems.problem(
                f"{label}: {many(len(match.unmatched), 'prediction')} {has} name",
                details=_advice(match, matches[-1], folder or label),
            )
    return {predictions[name]: target for name, target in match.pairs.items()}


def _all_single(golds: Names, predicted: Names) -> bool:
    """Whether every topic has one gold, and at most one prediction."""
    return {*map(len, golds.values()), *map(len, predicted.values())} <= {1}


def different_names(
    golds: Names, predicted: Names, pairs: Mapping[Prediction, Target]
) -> dict[str, str]:
    """Return the map of names that leads to these pairs, without names that are as written."""
    targets = targets_by_name(golds)
    return {
        written(one): written(pairs[one]) if one in pairs else LEAVE_OUT
        for name, one in predictions_by_name(predicted, golds).items()
        if one not in pairs or targets.get(name) != pairs[one]
    }


# The user's own map of names.


def names_to_rename(predicted: Names) -> set[str]:
    """Return the names by which a map may mean predictions.

    >>> sorted(names_to_rename({"egypt": ["ap"]}))
    ['egypt', 'egypt/ap']
    """
    alone = (topic for topic, names in predicted.items() if len(names) == 1)
    return {*alone, *(f"{topic}/{name}" for topic, names in predicted.items() for name in names)}


def _decided(
    targets: Mapping[str, Target],
    predictions: Mapping[str, Prediction],
    problems: Problems,
    label: str,
    rename: Mapping[str, str],
) -> dict[str, Target | None]:
    """Return what the user has decided for predictions: a gold, or None to leave them out."""
    decided: dict[str, Target | None] = {}
    for name, prediction in predictions.items():
        to = next((rename[key] for key in (name, written(prediction)) if key in rename), "")
        if to == LEAVE_OUT or to in targets:
            decided[name] = targets.get(to)
    pairs = {name: [target] for name, target in decided.items() if target}
    as_written = {name: [targets[name]] for name in predictions.keys() & targets.keys() - decided}
    claims = {**as_written, **pairs} if rename else {}
    unclear = sorted(claims.keys() - one_to_one(claims.items(), {}).keys())
    if not pairs.keys().isdisjoint(unclear):
        problems.problem(f"{label}: rename gives one gold to several predictions: {some(unclear)}")
    if decided and decided.keys() == predictions.keys() and not pairs:
        problems.problem(f"{label}: rename leaves out every prediction")
    return decided


def check_renaming(
    rename: Mapping[str, str], golds: Names, predicted: Collection[str], problems: Problems
) -> None:
    """Report names of a renaming that neither the golds nor any system have."""
    known = {LEAVE_OUT, *targets_by_name(golds)} if rename else ()
    for names, there_are, what in (
        (rename, predicted, "prediction"),
        (rename.values(), known, "gold"),
    ):
        if unknown := [*dict.fromkeys(name for name in names if name not in there_are)]:
            listed = some(sorted({*there_are} - {LEAVE_OUT}))
            problems.problem(f"rename names no {what}: {some(unknown)}; there are: {listed}")


def names_by_system(facts: Mapping[Fact, int]) -> dict[str, dict[str, str]]:
    """Return, for each system, the golds of predictions whose names differ from them."""
    names: dict[str, dict[str, str]] = {}
    for kind, *about in sorted(facts):
        if kind == NAME:
            system, name, gold = about
            names.setdefault(system, {})[name] = gold
    return names


# Proposals: what a person may have meant. They are printed, and never taken.


def _advice(match: NameMatch, accepted: NameMatch, folder: str) -> list[str]:
    """List the predictions without a gold, what they may be, and what to type.

    `folder` is where the predictions are. A map that gives one gold to several is not proposed.
    """
    listed = match.unmatched[:MOST_LISTED]
    proposed = proposals(listed, match, accepted)
    width = max(map(len, listed))
    lines = [
        f"{name:{width}}  perhaps {' or '.join(golds)}" if golds else name
        for name, golds in proposed.items()
    ]
    more = len(match.unmatched) - len(listed)
    lines += [f"... and {more} more"] * bool(more)
    taken = len(accepted.pairs) - len(match.pairs)
    if taken:
        whole = "all" if not accepted.unmatched else str(taken)
        lines.append(f"--match affixes accepts {whole} of these proposals")
    if match.pairs:
        lines.append("--extra skip, or --lenient, leaves them out")
    firsts = {name: golds[0] for name, golds in proposed.items() if golds}
    # Those that are not listed count too, so that several systems are seen however large they are.
    golds_left, rest = {*match.missing}, match.unmatched[MOST_LISTED:]
    inside = {name: gold for name in rest if (gold := name.partition("/")[2]) in golds_left}
    claimants: dict[str, list[str]] = {}
    for name, gold in {**firsts, **inside}.items():
        claimants.setdefault(gold, []).append(name)
    rivals = {gold: names for gold, names in claimants.items() if len(names) > 1}
    if systems := _systems(rivals.values()):
        listed_systems = " ".join(f"{folder}/{system}" for system in systems[:MOST_PROPOSED])
        return [
            *lines,
            f"{folder} seems to hold several systems: name each, as in {listed_systems}",
        ]
    if rivals:
        if all(name.startswith(f"{gold}/") for gold, names in rivals.items() for name in names):
            lines.append("Is the gold given as a prediction? GOLD comes first.")
        one = next(iter(rivals.values()))[-1]
        lines.append(f"a gold takes one prediction: --rename '{one}=-' leaves one out")
    copied = [f"{name}\t{gold}" for name, gold in firsts.items() if gold not in rivals]
    if rivals and not copied:
        return lines
    if copied:
        return [*lines, "--rename map.tsv, with these lines, decides:", *copied]
    golds = f" (golds without a prediction: {some([*match.missing])})" * bool(match.missing)
    return [*lines, f"--rename '{listed[0]}=TOPIC' names its gold{golds}"]


def _systems(rivals: Iterable[Sequence[str]]) -> list[str]:
    """Return the folders of systems, where names that claim one gold differ only in their folder.

    >>> _systems([["careful/egypt", "quick/egypt"]]), _systems([["egypt/ap", "egypt/bbc"]])
    (['careful', 'quick'], [])
    """
    systems: dict[str, None] = {}
    for names in rivals:
        parts = [name.partition("/") for name in names]
        if len({topic for _, _, topic in parts}) > 1 or not all(slash for _, slash, _ in parts):
            return []
        systems.update(dict.fromkeys(folder for folder, _, _ in parts))
    return [*systems]


def proposals(names: Iterable[str], match: NameMatch, accepted: NameMatch) -> dict[str, list[str]]:
    """Return, for each prediction, up to three golds without a prediction whose names resemble it.

    First the gold that would be matched if different affixes were accepted, then golds whose tokens
    include those of the prediction or are included, then those within two edits, then those that
    share half of the tokens.

    >>> golds, predicted = {"airbus_a380": ["1"], "boeing": ["1"]}, ["airbus", "boeing"]
    >>> match = find_matches(golds, predicted)[-1]
    >>> proposals(["airbus"], match, match)
    {'airbus': ['airbus_a380']}
    """
    missing = [(gold, {*tokens_of(gold)}) for gold in match.missing]
    spelled = [(gold, gold.casefold(), {*gold.casefold()}) for gold in match.missing]

    def resembling(name: str) -> Iterator[str]:
        if name in accepted.pairs:
            yield written(accepted.pairs[name])
        tokens, folded = {*tokens_of(name)}, name.casefold()
        for gold, others in missing:
            if tokens and others and (tokens <= others or others <= tokens):
                yield gold
        if len(name) >= 5:
            letters = {*folded}
            for gold, other, others in spelled:
                # An edit adds or removes at most two letters: this is quick, and rules out most.
                if len(letters ^ others) <= 4 and _within(folded, other, 2):
                    yield gold
        for gold, others in missing:
            if 2 * len(tokens & others) >= max(len(tokens), len(others), 1):
                yield gold

    return {name: [*dict.fromkeys(resembling(name))][:MOST_PROPOSED] for name in names}


def _within(one: str, other: str, edits: int) -> bool:
    """Whether one text becomes the other by at most `edits` edits of single characters."""
    if abs(len(one) - len(other)) > edits:
        return False
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if same is None:
        return True
    one, other = one[same:], other[same:]
    return bool(edits) and (
        _within(one[1:], other, edits - 1)
        or _within(one, other[1:], edits - 1)
        or _within(one[1:], other[1:], edits - 1)
    )
