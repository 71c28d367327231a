"""Whether a sentence supports a date of its event, contradicts it, or leaves it open.

A check that accuses people has to abstain where it can. A date is contradicted only if every time
word of the sentence is understood, some expression is the event's and not that of a verb of
saying, and the date lies in none of the readings of any of them, nor where an event that the
sentence mentions without a date may lie: before the dated one ("after", "had", "charged with"),
after it, or in the future.

There is no parser: punctuation and the words that open a clause divide a sentence, and verbs are
known by the tables and the endings of the language's lexicon.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import pairwise, product
from typing import Literal

from chronoscore.elements.time.expressions.finding import Expression, count_from, find
from chronoscore.elements.time.expressions.lexicon import Lexicon
from chronoscore.elements.time.expressions.meanings import Candidate, distinct, shift, widen

Verdict = Literal["supported", "contradicted", "open"]
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence, what opens it, and its words with their places, in lower case."""

    start: int
    end: int
    opener: str
    words: tuple[tuple[int, str], ...]

    def has(self, words: Collection[str]) -> bool:
        """Whether it has one of the words."""
        return any(word in words for _, word in self.words)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every word after the word before it."""
        words = [word for _, word in self.words]
        return list(pairwise(["", *words]))


@dataclass(frozen=True)
class Sentence:
    """A sentence of an article, cut into clauses, and its expressions of time."""

    text: str
    published: date
    lexicon: Lexicon

    @cached_property
    def clauses(self) -> list[Clause]:
        """The sentence, cut at punctuation and at words that open a clause."""
        return split_clauses(self.text, self.lexicon)

    @cached_property
    def expressions(self) -> list[Expression]:
        """The expressions of time and the time words, in their order."""
        return find(self.text, self.published, self.lexicon)

    def has(self, words: Collection[str]) -> bool:
        """Whether it has one of the words."""
        return any(clause.has(words) for clause in self.clauses)

    def clause_of(self, expression: Expression) -> Clause:
        """The clause that an expression ends in."""
        return next(one for one in self.clauses if one.start < expression.end <= one.end)

    def is_possessive(self, expression: Expression) -> bool:
        """Whether an expression belongs to a noun: Friday's vote."""
        return bool(self.lexicon.patterns["possessive"].match(self.text, expression.end))

    def is_saying(self, expression: Expression, kind: str) -> bool:
        """Whether a date is that of a verb of saying: no other verb stands between the two."""
        words, start = self.clause_of(expression).words, expression.start
        places = [place for place, word in words if word in self.lexicon.words[kind]]
        if not places or self.is_possessive(expression):
            return False
        verb = max((place for place in places if place < start), default=start)
        between = (word for place, word in words if verb < place < start)
        maybe = self.lexicon.words["maybe_reporting"]
        return not any(self.is_verb(word) and word not in maybe for word in between)

    def is_past_form(self, word: str) -> bool:
        """Whether a word has the form of a past tense or a past participle."""
        words, form = self.lexicon.words, self.lexicon.patterns["past_form"]
        return word in words["irregular_pasts"] or (
            form.fullmatch(word) is not None and word not in words["no_pasts"]
        )

    def past_verbs(self, clause: Clause) -> list[str]:
        """The verbs in the past tense, without participles that stand before a noun."""
        words = self.lexicon.words
        return [
            word
            for before, word in clause.pairs
            if word in words["past_auxiliaries"]
            or (
                self.is_past_form(word)
                and before not in words["before_nouns"]
                and word not in words["looking_back"]
            )
        ]

    def is_verb(self, word: str) -> bool:
        """Whether a word is an auxiliary or has a past form."""
        return word in self.lexicon.words["auxiliaries"] or self.is_past_form(word)

    def verbs_before(self, clause: Clause, end: int) -> int:
        """Count the auxiliaries and past forms before a place; "had been seen" is one verb."""
        return sum(
            place < end and self.is_verb(word) and before not in self.lexicon.words["auxiliaries"]
            for (place, _), (before, word) in zip(clause.words, clause.pairs, strict=True)
        )


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
            f"'{expression.text}' means {' or '.join(map(str, expression.candidates))}"
            for expression in self.expressions
        )


def assess(
    sentence: str,
    published: date,
    first: date,
    last: date,
    lexicon: Lexicon,
    event: tuple[int, int] | None = None,
) -> Assessment:
    """Compare the days from `first` to `last` with what the sentence says about its event's date.

    `event` is the place of the event's words in the sentence, where it is known.

    >>> from chronoscore.elements.time.expressions.lexicon import load_lexicon
    >>> text = "Clashes over the weekend killed five people, police said on Monday."
    >>> [assess(text, date(2011, 2, 14), day, day, load_lexicon("en")).verdict
    ...  for day in (date(2011, 2, 12), date(2011, 2, 14))]
    ['supported', 'contradicted']
    """
    parsed = Sentence(sentence, published, lexicon)
    clauses, expressions = parsed.clauses, parsed.expressions
    reasons = [*_not_understood(parsed)]
    dated = [expression for expression in expressions if expression.is_dated]
    saying = [one for one in dated if parsed.is_saying(one, "reporting")]
    dates = [one for one in dated if one not in saying]
    around = [clause for clause in clauses if event and clause.start <= event[0] < clause.end]
    if any(clause.has(lexicon.words["reporting"]) for clause in around):
        reasons.append("the event is in the clause of a verb of saying")
    if all(parsed.is_saying(one, "maybe_reporting") for one in dates):
        may_be = "the only date may be that of a verb of saying"
        reasons.append(may_be if dated else "no expression of time is understood")
        return Assessment("open", tuple(dated), tuple(reasons))
    only = len(dates) == 1 and len(dates[0].candidates) == 1
    dates = [_directed(parsed, one) for one in dates]
    maybe = [one for one in dates if parsed.is_saying(one, "maybe_reporting")]
    dates, quoted = _quotes(parsed, dates, [*saying, *maybe])
    reasons += quoted
    anchors = tuple(each for expression in (*dates, *saying) for each in expression.candidates)
    dates += [
        replace(one, candidates=distinct(count_from(anchors, *one.count)))
        for one in expressions
        if one.kind == "offset"
    ]
    dates = [_by_night(parsed, expression) for expression in dates]
    elsewhere = [*_distances(expressions, anchors)]
    elsewhere += _undated(parsed, dates)
    if any(each.overlaps(first, last) for expression in dates for each in expression.candidates):
        verdict: Verdict = "open" if reasons else "supported"
        stated = verdict == "supported" and only and len(dates) == 1 and not elsewhere
        return Assessment(verdict, tuple(dates), tuple(reasons), stated)
    reasons += [each.reading for each in elsewhere if each.overlaps(first, last)]
    verdict = "open" if reasons else "contradicted"
    return Assessment(verdict, tuple(dates), tuple(dict.fromkeys(reasons)))


def _not_understood(sentence: Sentence) -> Iterator[str]:
    """Say which words leave every date open."""
    dated = [sentence.clause_of(one) for one in sentence.expressions if one.is_dated]
    lexicon = sentence.lexicon
    openers, length = lexicon.words["dated_clause_openers"], lexicon.patterns["maybe_length"]
    future = sentence.has(lexicon.words["certain_future"])
    for one in sentence.expressions:
        if one.kind == "unknown":
            if one.text.lower() not in openers or sentence.clause_of(one) not in dated:
                yield f"not understood: '{one.text.strip()}'"
        elif one.is_dated and length.fullmatch(one.text) and not future:
            yield f"a date or a length of time: '{one.text}'"
    lower = sentence.text.lower()
    for words in lexicon.unsettled:
        if re.search(rf"\b{words}\b", lower):
            yield f"not settled: '{words}'"


def _directed(sentence: Sentence, expression: Expression) -> Expression:
    """Drop readings in the future where the clause speaks of the past, and the other way round."""
    clause, preceding = sentence.clause_of(expression), sentence.text[: expression.start]
    words, patterns = sentence.lexicon.words, sentence.lexicon.patterns
    infinitive = patterns["infinitive"].search(preceding, clause.start)
    towards = patterns["ahead"].search(preceding) or infinitive or expression.kind == "bound"
    ahead = towards or sentence.is_possessive(expression)
    candidates, published = expression.candidates, sentence.published
    if sentence.past_verbs(clause) and not ahead and not sentence.has(words["future"]):
        candidates = tuple(each for each in candidates if each.first <= published)
    elif clause.has(words["certain_future"]) and not any(
        map(sentence.past_verbs, sentence.clauses)
    ):
        candidates = tuple(each for each in candidates if each.last >= published)
    return replace(expression, candidates=candidates) if candidates else expression


def _quotes(
    sentence: Sentence, dates: list[Expression], saying: list[Expression]
) -> tuple[list[Expression], list[str]]:
    """Count what stands in quotation marks from the day it was said, too."""
    lexicon = sentence.lexicon
    quotes = [match.span(1) for match in lexicon.patterns["quoted"].finditer(sentence.text)]
    days = [each.first for expression in saying for each in expression.candidates]
    widened, reasons = [], []
    for expression in dates:
        candidates = list(expression.candidates)
        if any(start <= expression.start and expression.end <= end for start, end in quotes):
            if not days:
                unsaid = "in quotation marks, without the day it was said"
                reasons.append(f"{unsaid}: '{expression.text}'")
            for day in days:
                reread = find(expression.text, day, lexicon, alone=True)
                candidates += [each for other in reread for each in other.candidates]
        widened.append(replace(expression, candidates=tuple(candidates)))
    return widened, reasons


def _by_night(sentence: Sentence, expression: Expression) -> Expression:
    """Add the next day to a night, and a day on both sides of midnight or in a time zone."""
    both = sentence.has(sentence.lexicon.words["two_days"])
    after = both or sentence.has(sentence.lexicon.words["night"])
    days = (
        (*widen(a, b, int(both), int(after)), reading) for a, b, reading in expression.candidates
    )
    return replace(expression, candidates=distinct(days))


def _distances(
    expressions: list[Expression], anchors: tuple[Candidate, ...]
) -> Iterator[Candidate]:
    """The days as far from a date as an offset or a length of time in the sentence says."""
    for expression in expressions:
        if expression.kind not in ("duration", "offset"):
            continue
        number, unit = abs(expression.count[0]), expression.count[1]
        reading = f"another event may be that far away: '{expression.text}'"
        for anchor, way in product(anchors, (-number, number)):
            for day in distinct(count_from((anchor,), way, unit)):
                ends = (*day[:2], *anchor[:2]) if expression.kind == "duration" else day[:2]
                yield Candidate(min(ends), max(ends), reading)


def _undated(sentence: Sentence, dates: list[Expression]) -> Iterator[Candidate]:
    """The days on which an event may lie that the sentence mentions without a date."""
    clauses, expressions = sentence.clauses, sentence.expressions
    published, known = sentence.published, sentence.lexicon.words
    begin = min(each.first for expression in dates for each in expression.candidates)
    end = max(each.last for expression in dates for each in expression.candidates)
    covered = {place for expression in expressions for place in expression.places}
    words = [word for clause in clauses for place, word in clause.words if place not in covered]
    nouns = [*_undated_nouns(sentence, dates)]
    back = [word for word in words if word in known["looking_back"]]
    back += [*_undated_clauses(sentence, dates), *nouns]
    back += [expression.text for expression in expressions if expression.kind == "started"]
    if back:
        yield Candidate(date.min, end, f"an earlier event may be meant: '{back[0]}'")
    later = [word for word in words if word in known["looking_ahead"]]
    if later:
        yield Candidate(begin, date.max, f"a later event may be meant: '{later[0]}'")
    lasting = [word for word in words if word in known["beginning"]]
    if lasting:
        yield Candidate(begin, max(published, end), f"it may have gone on: '{lasting[0]}'")
    if all(_is_attached(sentence, expression) for expression in dates):
        reading = "the date may be that of another event than the main clause's"
        yield Candidate(begin, max(published, begin), reading)
    infinitive = sentence.lexicon.patterns["infinitive"].search(sentence.text)
    ahead = nouns or infinitive or known["future"] & {*words}
    if end <= published < date.max and ahead:
        yield Candidate(shift(published, 1), date.max, "a future event may be meant")
    if begin > published and any(map(sentence.is_past_form, words)):
        yield Candidate(date.min, published, "a past event may be meant")
    if any(_has_no_date(sentence, part, dates) for part in _parts(sentence)):
        yield Candidate(date.min, date.max, "a part of the text has no date")


def _undated_nouns(sentence: Sentence, dates: list[Expression]) -> Iterator[str]:
    """Name the events that follow a preposition and are not followed by a date."""
    nouns = sentence.lexicon.words["event_nouns"]
    prepositions = sentence.lexicon.words["event_prepositions"]
    for clause in sentence.clauses:
        for number, (place, word) in enumerate(clause.words):
            before = {neighbour for _, neighbour in clause.words[max(0, number - 4) : number]}
            dated = any(place < expression.start <= place + len(word) + 8 for expression in dates)
            if word in nouns and before & prepositions and not dated:
                yield word


def _undated_clauses(sentence: Sentence, dates: list[Expression]) -> Iterator[str]:
    """Name the words of a clause that speak of something it does not date."""
    known, is_past_form = sentence.lexicon.words, sentence.is_past_form
    has = known["perfect_auxiliaries"]
    for clause in sentence.clauses:
        starts = [one.start for one in dates if clause.start <= one.start < clause.end]
        words = [word for _, word in clause.words]
        forms = [word for before, word in clause.pairs if is_past_form(word) and before not in has]
        if len(forms) > 1:  # a verb and a participle: hampered the hunt for an escaped lion
            yield forms[1]
        undated = not starts or sentence.verbs_before(clause, min(starts)) > 1
        if undated and clause.opener in known["relative_pronouns"]:
            yield clause.opener
        if not starts:
            yield from sorted(has.intersection(words))[:1]
            if clause.opener == "," and words and is_past_form(words[0]):
                yield words[0]


def _parts(sentence: Sentence) -> Iterator[list[Clause]]:
    """Put the clauses together that no full stop, semicolon or "but" divides."""
    clauses, openers = sentence.clauses, sentence.lexicon.words["part_openers"]
    opened = [n for n, clause in enumerate(clauses) if clause.opener in openers]
    for start, end in pairwise([0, *filter(None, opened), len(clauses)]):
        yield clauses[start:end]


def _has_no_date(sentence: Sentence, part: list[Clause], dates: list[Expression]) -> bool:
    auxiliaries = sentence.lexicon.words["auxiliaries"]
    has_verb = any(sentence.past_verbs(clause) or clause.has(auxiliaries) for clause in part)
    return has_verb and not any(part[0].start < one.end <= part[-1].end for one in dates)


def _is_attached(sentence: Sentence, expression: Expression) -> bool:
    """Whether a date belongs to a noun or a relative clause, not to the main verb."""
    clause, lexicon = sentence.clause_of(expression), sentence.lexicon
    is_relative = clause.opener in lexicon.words["relative_pronouns"]
    if is_relative and sentence.verbs_before(clause, expression.start) < 2:
        return True
    preceding = sentence.text[: expression.start]
    return sentence.is_possessive(expression) or bool(lexicon.patterns["of"].search(preceding))


def split_clauses(sentence: str, lexicon: Lexicon) -> list[Clause]:
    """Cut a text at punctuation and at words that open a clause."""
    cuts, no_end = [(0, "")], lexicon.patterns["no_clause_end"]
    for match in lexicon.patterns["clause"].finditer(sentence):
        if match[0] != "." or not no_end.search(sentence[: match.start()]):
            cuts.append((match.start(), match[0].strip().lower()))
    ends = [start for start, _ in cuts[1:]] + [len(sentence)]
    clauses = []
    for (start, opener), end in zip(cuts, ends, strict=True):
        words = _WORD.finditer(sentence, start, end)
        lower = tuple((word.start(), word[0].lower().replace("’", "'")) for word in words)
        clauses.append(Clause(start, end, opener, lower))
    return clauses


def sentence_span(text: str, start: int, end: int, lexicon: Lexicon) -> tuple[int, int]:
    """Find the sentence, or sentences, that a span lies in; (0, 0) if it is not in the text.

    >>> from chronoscore.elements.time.expressions.lexicon import load_lexicon
    >>> text = "He left. Mr. Smith came on Monday. She left."
    >>> text[slice(*sentence_span(text, 19, 23, load_lexicon("en")))]
    'Mr. Smith came on Monday.'
    """
    if not 0 <= start < end <= len(text):
        return 0, 0
    ends = _sentence_ends(text, lexicon)
    first = max((place for place in ends if place <= start), default=0)
    last = min((place for place in ends if place >= end), default=len(text))
    return first, first + len(text[first:last].rstrip())


def split_sentences(text: str, lexicon: Lexicon) -> list[str]:
    """Cut a text at the ends of its lines and sentences.

    >>> from chronoscore.elements.time.expressions.lexicon import load_lexicon
    >>> split_sentences("He left. Mr. Smith came.\\nShe left.", load_lexicon("en"))
    ['He left.', 'Mr. Smith came.', 'She left.']
    """
    places = pairwise([0, *_sentence_ends(text, lexicon), len(text)])
    return [part for first, last in places if (part := text[first:last].strip())]


def _sentence_ends(text: str, lexicon: Lexicon) -> list[int]:
    no_end = lexicon.patterns["no_sentence_end"]
    return [
        match.end()
        for match in lexicon.patterns["sentence_end"].finditer(text)
        if "\n" in match[0] or not no_end.search(text, max(0, match.start() - 8), match.end())
    ]
