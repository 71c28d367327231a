"""The rubric family: judged events as cases, EQS, and agreement between evaluators."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from chronoscore.core.case import Case, CaseKeys, digest, some, text_or_empty
from chronoscore.core.event import read_events
from chronoscore.core.evidence_table import Batch, EvidenceTable
from chronoscore.core.family import Family, Protocol
from chronoscore.core.functions import late
from chronoscore.core.problems import Fact, Problems
from chronoscore.core.sources import Source
from chronoscore.rubric.agreement.coefficients import agreement
from chronoscore.rubric.codebook import Codebook, event_quality
from chronoscore.rubric.formats import read_judgements
from chronoscore.rubric.formats.reading import report_rounds, rounds_counted
from chronoscore.rubric.judgements import (
    NO_NAME,
    UNNAMED_SYSTEM,
    Judgement,
    Judgements,
    chip_counts,
)
from chronoscore.rubric.metrics import compare, quality_metric, texts_of
from chronoscore.statistics.labels import Labels, grouped

EARLIER, SAMPLED = "judgements of earlier rounds", "samples of judge models"
"""Facts: kinds of judgements that are counted and not scored."""
_COMMENT = "comment"


def reader_words(codebook: Codebook, evaluator: str | None = None) -> dict[str, str]:
    """Return the options of `read_run` as texts, which can be sent to other processes."""
    words = {"evaluator": evaluator} if evaluator else {}
    if codebook != event_quality():
        words["codebook"] = msgspec.json.encode(codebook).decode()
    return words


@cache
def _codebook(text: str) -> Codebook:
    return msgspec.json.decode(text, type=Codebook) if text else event_quality()


def read_run(
    _: None,
    systems: Mapping[str, Sequence[Source]],
    problems: Problems,
    __: Mapping[str, str],
    *,
    codebook: str = "",
    evaluator: str = "",
    events: Iterable[str] | None = None,
) -> dict[str, Batch]:
    """Read the cases of a run, and count the facts that `review` adds up over chunks.

    All judgements of an event are in one chunk, which therefore shows the last round and duplicate
    judgements. `events` are the ids of the only events that may be judged.
    """
    book = _codebook(codebook)
    sheets = [source for sources in systems.values() for source in sources]
    judgements = read_judgements(sheets, book, problems, evaluator=evaluator or None, events=events)
    problems.check()
    cases = judged_cases(judgements, book, problems)
    for system, system_cases in cases.items():
        for text, times in chip_counts(system_cases.columns, book).items():
            if times:
                problems.facts[_COMMENT, system, text] += times
    if not problems.partial:
        _report_kinds([batch.tags for batch in cases.values()], problems)
    return cases


def read_cases(
    sheets: Sequence[Source],
    problems: Problems,
    *,
    evaluator: str | None = None,
    events: Sequence[Source] = (),
    codebook: Codebook | None = None,
) -> dict[str, Batch]:
    """Read sheets into one case for each event and evaluator, by system; the last round counts.

    Where files of `events` are given, judgements of other events are problems.
    """
    book = codebook or event_quality()
    event_ids = [event.id for source in events for event in read_events(source, problems)]
    expected = event_ids if events else None
    judgements = read_judgements(sheets, book, problems, evaluator=evaluator, events=expected)
    problems.check()
    return judged_cases(judgements, book, problems)


def judged_cases(
    judgements: Judgements, codebook: Codebook, problems: Problems
) -> dict[str, Batch]:
    """Make one case for each event and evaluator, by system; the last round counts."""
    last = judgements.last_rounds()
    dropped = _kinds(judgements) - _kinds(last)
    system_names = Labels.of(name or UNNAMED_SYSTEM for name in last.words["system"].names)
    system = system_names.take(last.words["system"].at)
    cases = {
        name: make_cases(last.take(system.at == system.names.index(name)), codebook)
        for name in system.used()
    }
    if problems.partial:  # `review` reports what all chunks add up to
        problems.facts += dropped
    else:
        tables = {name: (batch.tags, batch.columns.values) for name, batch in cases.items()}
        _report(tables, dropped, codebook, problems)
    return cases


def review(
    rows: Mapping[str, EvidenceTable],
    facts: Mapping[Fact, int],
    problems: Problems,
    codebook: Codebook,
) -> None:
    """Report the facts of all chunks of a run, as if the sheets were read in one piece."""
    report_rounds(rounds_counted(facts), problems)
    metric = codebook.score.lower()  # its first columns are the score and the number of judgements
    tables = {name: (table.tags, table.statistics[metric][:, 2:]) for name, table in rows.items()}
    _report(tables, facts, codebook, problems)
    _report_kinds([table.tags for table in rows.values()], problems)


def _kinds(judgements: Judgements) -> Counter[Fact]:
    """Count people's judgements and models' samples; a model's rounds are samples without order."""
    kinds = Counter(judgements.words["kind"].words())
    return Counter({(EARLIER,): kinds["person"], (SAMPLED,): kinds["llm"]})


def _report_kinds(tags: Iterable[Mapping[str, Labels]], problems: Problems) -> None:
    """Report that people and models are averaged together, where both judged."""
    if len({kind for columns in tags for kind in columns["kind"].used()}) > 1:
        problems.notice("people and judge models are averaged together: --by kind tells them apart")


def _report(
    systems: Mapping[str, tuple[Mapping[str, Labels], NDArray[Any]]],
    facts: Mapping[Fact, int],
    codebook: Codebook,
    problems: Problems,
) -> None:
    """Report judgements that are not scored, and articles that don't have one root event.

    `systems` holds the tags and the values of each system's judgements.
    """
    if earlier := facts.get((EARLIER,), 0):
        last = "are not counted, the last ones are"
        problems.notice(f"{earlier} judgements of earlier rounds {last}")
    if sampled := facts.get((SAMPLED,), 0):
        problems.notice(
            f"{sampled} judgements by judge models are not counted: of each event's samples "
            "(rounds) the last one is; `chronoscore calibrate` takes their mean"
        )
    names = [criterion.name for criterion in codebook.criteria]
    for system, (tags, values) in systems.items() if "root" in names else ():
        groups = grouped([tags["article"].at, tags["evaluator"].at], len(values))
        roots = np.add.reduceat(values[groups.order, names.index("root")], groups.starts)
        article = tags["article"].take(groups.firsts)
        for finding, flags in (("no root event", roots == 0), ("several root events", roots > 1)):
            articles = [name for name in article.take(flags).used() if name != NO_NAME]
            if articles:
                problems.notice(f"{system}: {finding} in {some(articles)}, by some evaluator")


def comment_counts(
    systems: Iterable[str], codebook: Codebook, facts: Mapping[Fact, int]
) -> dict[str, dict[str, int]]:
    """Return how often each frequent comment was made about each system, from the facts."""
    return {
        system: {chip.text: facts.get((_COMMENT, system, chip.text), 0) for chip in codebook.chips}
        for system in systems
    }


def make_cases(judgements: Judgements, codebook: Codebook) -> Batch:
    """Make one case for each judgement, with the codebook as its gold."""
    words = judgements.words
    standard = f"{codebook.name} {codebook.version}"
    events, evaluators = words["event"].words(), words["evaluator"].words()
    ids = [f"{event}/{who}" for event, who in zip(events, evaluators, strict=True)]
    tags = judgements.tags()

    def case(at: int) -> Case[str, Judgement]:
        labels = {name: column[at] or "" for name, column in tags.items()}
        return Case(ids[at], standard, judgements[at], labels)

    def digests() -> tuple[NDArray[np.bytes_], NDArray[np.bytes_]]:
        gold = np.full(len(ids), digest(standard).encode(), "S16")
        return gold, judgements.digests()

    return Batch(ids, tags, judgements, case, digests)


class _JudgementLine(msgspec.Struct, gc=False):
    """The field of a line that names the judged event."""

    event_id: Any = None


def rubric_family(codebook: Codebook) -> Family:
    """Make the family of a codebook: its score, its protocol, its agreement."""
    return Family(
        name="rubric",
        home="chronoscore.rubric.family:FAMILY",
        question="What do people think of it?",
        levels=("judgement", "event"),
        read_cases=read_run,
        configure=lambda codebook="", **_: rubric_family(_codebook(codebook)),
        words=reader_words(codebook),
        review=partial(review, codebook=codebook),
        compare=compare,
        cluster="article",
        tags=("evaluator",),
        definitions=(quality_metric(codebook),),
        aliases={codebook.score: codebook.score.lower()},
        protocols=(
            Protocol(
                name=codebook.name,
                meaning="evaluators are averaged within an event, then events",
                citation=codebook.source,
                metrics=(codebook.score.lower(),),
                path="judgement:mean-f>event:mean-f",
                undefined="skip",
            ),
        ),
        options=(),
        agree=partial(agreement, codebook=codebook),
        sheet_of=lambda _: ".csv",
        texts=texts_of,
        pages=late("chronoscore.rubric.pages.report:PAGES"),
        case_keys=CaseKeys(
            _JudgementLine, lambda line: text_or_empty(line.event_id).strip(), named_by_file=False
        ),
    )


FAMILY = rubric_family(event_quality())
