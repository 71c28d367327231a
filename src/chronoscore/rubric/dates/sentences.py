"""Whether a sentence supports a date of its event, contradicts it, or leaves it open.

A check that accuses people has to abstain where it can. A date is contradicted only if every time
word of the sentence is understood, some expression is the event's and not that of a verb of
saying, and the date lies in none of the readings of any of them, nor where an event that the
sentence mentions without a date may lie: before the dated one ("after", "had", "charged with"),
after it, or in the future.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from chronoscore.rubric.dates.clauses import (
    Clause,
    clause_of,
    is_past_form,
    is_possessive,
    is_saying,
    past_verbs,
    split_clauses,
    verbs_before,
)
from chronoscore.rubric.dates.expressions import Expression, count_from, find
from chronoscore.rubric.dates.lexicon import (
    AUXILIARIES,
    BEGINNING,
    CERTAIN_FUTURE,
    EVENT_NOUNS,
    EVENT_PREPOSITIONS,
    FUTURE,
    LOOKING_BACK,
    MAYBE_REPORTING,
    NIGHT_WORDS,
    RELATIVE_PRONOUNS,
    REPORTING,
    TIME_ZONES,
    UNSETTLED,
)
from chronoscore.rubric.dates.readings import Candidate, distinct, shift, widen

Verdict = Literal["supported", "contradicted", "open"]
_QUOTED = re.compile(r"[\"“]([^\"“”]*)[\"”]")
_OF = re.compile(r"(?<!hours )(?<!night )(?<!evening )(?<!morning )(?<!afternoon )\bof (?:the )?$")
_AHEAD = re.compile(r"\b(?:for|of|to|until|before|by|towards?|the) (?:the )?$")
_INFINITIVE = re.compile(r"\bto (?!have\b|the\b|an?\b)[a-z]")
_MAYBE_LENGTH = re.compile(r"in \S+ \w+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Assessment:
    """The verdict on a date, and what it rests on."""

    verdict: Verdict
    expressions: tuple[Expression, ...]
    """The expressions that may date the event, with their readings."""
    reasons: tuple[str, ...]
    """Why the date is open."""
    stated: bool = False
    """Whether the sentence has one expression with one meaning, and nothing else is possible."""

    @property
    def meanings(self) -> str:
        """Each expression and what it can mean, in words."""
        return "; ".join(
            f"'{one.text}' means {' or '.join(map(str, one.candidates))}"
            for one in self.expressions
        )


def assess(
    sentence: str,
    published: date,
    first: date,
    last: date,
    event: tuple[int, int] | None = None,
) -> Assessment:
    """Compare the days from `first` to `last` with what the sentence says about its event's date.

    `event` is the place of the event's words in the sentence, where it is known.

    >>> text = "Clashes over the weekend killed five people, police said on Monday."
    >>> [assess(text, date(2011, 2, 14), day, day).verdict
    ...  for day in (date(2011, 2, 12), date(2011, 2, 14))]
    ['supported', 'contradicted']
    """
    clauses = split_clauses(sentence)
    found = find(sentence, published)
    reasons = [*_not_understood(sentence, clauses, found)]
    dated = [one for one in found if one.kind in ("date", "bound")]
    saying = [one for one in dated if is_saying(sentence, one, clauses, REPORTING)]
    dates = [one for one in dated if one not in saying]
    if event and any(
        clause.start <= event[0] < clause.end and clause.has(REPORTING) for clause in clauses
    ):
        reasons.append("the event is in the clause of a verb of saying")
    if all(is_saying(sentence, one, clauses, MAYBE_REPORTING) for one in dates):
        reasons.append(
            "the only date may be that of a verb of saying"
            if dated
            else "no expression of time is understood"
        )
        return Assessment("open", tuple(dated), tuple(reasons))
    only = len(dates) == 1 and len(dates[0].candidates) == 1
    dates = [_directed(sentence, one, clauses, published) for one in dates]
    maybe = [one for one in dates if is_saying(sentence, one, clauses, MAYBE_REPORTING)]
    dates, quoted = _quotes(sentence, dates, [*saying, *maybe])
    reasons += quoted
    anchors = tuple(each for one in (*dates, *saying) for each in one.candidates)
    dates += [
        replace(one, candidates=distinct(count_from(anchors, *one.count)))
        for one in found
        if one.kind == "offset"
    ]
    words = [word for clause in clauses for _, word in clause.words]
    dates = [_by_night(one, words) for one in dates]
    elsewhere = [
        *_distances(found, anchors),
        *_undated(sentence, clauses, found, dates, published),
    ]
    if any(each.overlaps(first, last) for one in dates for each in one.candidates):
        verdict: Verdict = "open" if reasons else "supported"
        stated = verdict == "supported" and only and len(dates) == 1 and not elsewhere
        return Assessment(verdict, tuple(dates), tuple(reasons), stated)
    reasons += [each.reading for each in elsewhere if each.overlaps(first, last)]
    verdict = "open" if reasons else "contradicted"
    return Assessment(verdict, tuple(dates), tuple(dict.fromkeys(reasons)))


def _not_understood(sentence: str, clauses: list[Clause], found: list[Expression]) -> Iterator[str]:
    """Say which words leave every date open."""
    dated = [one for one in found if one.kind in ("date", "bound")]
    future = any(clause.has(CERTAIN_FUTURE) for clause in clauses)
    for one in found:
        clause = clause_of(one, clauses)
        if one.kind == "unknown":
            # "since" opens a clause with a date of its own: since the rig blew up on April 20
            if one.text.lower() == "since" and any(clause_of(d, clauses) is clause for d in dated):
                continue
            yield f"not understood: '{one.text.strip()}'"
        elif one in dated and _MAYBE_LENGTH.fullmatch(one.text) and not future:
            yield f"a date or a length of time: '{one.text}'"
    lower = sentence.lower()
    for words in UNSETTLED:
        if re.search(rf"\b{words}\b", lower):
            yield f"not settled: '{words}'"


def _directed(sentence: str, one: Expression, clauses: list[Clause], published: date) -> Expression:
    """Drop readings in the future where the clause speaks of the past, and the other way round."""
    clause, left = clause_of(one, clauses), sentence[: one.start]
    infinitive = _INFINITIVE.search(left, clause.start)
    ahead = is_possessive(sentence, one) or _AHEAD.search(left) or infinitive or one.kind == "bound"
    kept = one.candidates
    if past_verbs(clause) and not ahead and not any(each.has(FUTURE) for each in clauses):
        kept = tuple(each for each in kept if each.first <= published)
    elif clause.has(CERTAIN_FUTURE) and not any(past_verbs(each) for each in clauses):
        kept = tuple(each for each in kept if each.last >= published)
    return replace(one, candidates=kept) if kept else one


def _quotes(
    sentence: str, dates: list[Expression], saying: list[Expression]
) -> tuple[list[Expression], list[str]]:
    """Count what stands in quotation marks from the day it was said, too."""
    quotes = [match.span(1) for match in _QUOTED.finditer(sentence)]
    days = [each.first for one in saying for each in one.candidates]
    made, reasons = [], []
    for one in dates:
        candidates = list(one.candidates)
        if any(start <= one.start and one.end <= end for start, end in quotes):
            if not days:
                reasons.append(f"in quotation marks, without the day it was said: '{one.text}'")
            for day in days:
                again = find(one.text, day, alone=True)
                candidates += [each for found in again for each in found.candidates]
        made.append(replace(one, candidates=tuple(candidates)))
    return made, reasons


def _by_night(one: Expression, words: list[str]) -> Expression:
    """Add the next day to a night, and a day on both sides of midnight or in a time zone."""
    both = not TIME_ZONES.isdisjoint(words) or "local" in words or "midnight" in words
    after = both or not NIGHT_WORDS.isdisjoint(words)
    days = [
        (*widen(each.first, each.last, int(both), int(after)), each.reading)
        for each in one.candidates
    ]
    return replace(one, candidates=distinct(days))


def _distances(found: list[Expression], anchors: tuple[Candidate, ...]) -> Iterator[Candidate]:
    """The days as far from a date as an offset or a length of time in the sentence says."""
    for one in found:
        if one.kind not in ("duration", "offset"):
            continue
        number, unit = one.count
        reading = f"another event may be that far away: '{one.text}'"
        for anchor in anchors:
            for way in (-abs(number), abs(number)):
                for each in distinct(count_from((anchor,), way, unit)):
                    first, last = each.first, each.last
                    if one.kind == "duration":
                        first, last = min(first, anchor.first), max(last, anchor.last)
                    yield Candidate(first, last, reading)


def _undated(
    sentence: str,
    clauses: list[Clause],
    found: list[Expression],
    dates: list[Expression],
    published: date,
) -> Iterator[Candidate]:
    """The days on which an event may lie that the sentence mentions without a date."""
    begin = min(each.first for one in dates for each in one.candidates)
    end = max(each.last for one in dates for each in one.candidates)
    covered = {place for one in found for place in range(one.start, one.end)}
    words = {
        word: None for clause in clauses for place, word in clause.words if place not in covered
    }
    back = [word for word in words if word in LOOKING_BACK] + [*_undated_clauses(clauses, dates)]
    nouns = [*_undated_nouns(clauses, dates)]
    back += [*nouns, *(one.text for one in found if one.kind == "started")]
    if back:
        yield Candidate(date.min, end, f"an earlier event may be meant: '{back[0]}'")
    if "before" in words:
        yield Candidate(begin, date.max, "a later event may be meant: 'before'")
    lasting = [word for word in words if word in BEGINNING]
    if lasting:
        yield Candidate(begin, max(published, end), f"it may have gone on: '{lasting[0]}'")
    if all(_is_attached(sentence, one, clauses) for one in dates):
        reading = "the date may be that of another event than the main clause's"
        yield Candidate(begin, max(published, begin), reading)
    ahead = nouns or _INFINITIVE.search(sentence) or any(word in FUTURE for word in words)
    if end <= published < date.max and ahead:
        yield Candidate(shift(published, 1), date.max, "a future event may be meant")
    if begin > published and any(is_past_form(word) for word in words):
        yield Candidate(date.min, published, "a past event may be meant")
    if any(_has_no_date(part, dates) for part in _parts(clauses)):
        yield Candidate(date.min, date.max, "a part of the text has no date")


def _undated_nouns(clauses: list[Clause], dates: list[Expression]) -> Iterator[str]:
    """Name the events that follow a preposition and are not followed by a date."""
    for clause in clauses:
        for number, (place, word) in enumerate(clause.words):
            before = {near for _, near in clause.words[max(0, number - 4) : number]}
            dated = any(place < one.start <= place + len(word) + 8 for one in dates)
            if word in EVENT_NOUNS and not dated and not EVENT_PREPOSITIONS.isdisjoint(before):
                yield word


def _undated_clauses(clauses: list[Clause], dates: list[Expression]) -> Iterator[str]:
    """Name the words of a clause that speak of something it does not date."""
    for clause in clauses:
        starts = [one.start for one in dates if clause.start <= one.start < clause.end]
        until = min(starts, default=clause.end)
        words = [word for _, word in clause.words]
        forms = [
            word
            for word, before in zip(words, ["", *words], strict=False)
            if is_past_form(word) and before not in ("has", "have")
        ]
        if len(forms) > 1:  # a verb and a participle: hampered the hunt for an escaped lion
            yield forms[1]
        if clause.opener in RELATIVE_PRONOUNS and (not starts or verbs_before(clause, until) > 1):
            yield clause.opener
        if not starts and ("has" in words or "have" in words):
            yield "has" if "has" in words else "have"
        if not starts and clause.opener == "," and words and is_past_form(words[0]):
            yield words[0]


def _parts(clauses: list[Clause]) -> Iterator[list[Clause]]:
    """Put the clauses together that no full stop, semicolon or "but" divides."""
    part: list[Clause] = []
    for clause in clauses:
        if clause.opener in (".", "!", "?", ";", "but") and part:
            yield part
            part = []
        part.append(clause)
    yield part


def _has_no_date(part: list[Clause], dates: list[Expression]) -> bool:
    spoken = any(past_verbs(clause) or clause.has(AUXILIARIES) for clause in part)
    return spoken and not any(part[0].start < one.end <= part[-1].end for one in dates)


def _is_attached(sentence: str, one: Expression, clauses: list[Clause]) -> bool:
    """Whether a date belongs to a noun or a relative clause, not to the main verb."""
    clause = clause_of(one, clauses)
    relative = clause.opener in RELATIVE_PRONOUNS and verbs_before(clause, one.start) < 2
    return relative or is_possessive(sentence, one) or bool(_OF.search(sentence[: one.start]))
