"""A family: one question asked of timelines, with its catalogue of metrics and its protocols."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from chronoscore.core import names
from chronoscore.core.case import Case, CaseKeys
from chronoscore.core.evidence import Parts
from chronoscore.core.functions import late
from chronoscore.core.metric import Definition, Metric, Parameter
from chronoscore.errors import UnknownMetricError, UsageError, similar_name
from chronoscore.statistics import Undefined

if TYPE_CHECKING:
    from chronoscore.core.evidence_table import EvidenceTable
    from chronoscore.core.problems import Fact, Problems
    from chronoscore.core.result import Agreement

UNDEFINED_POLICIES: Mapping[Undefined, str] = {
    "skip": "left out of averages, shown as undefined",
    "zero": "counted as 0",
    "one": "counted as 1",
    "agree": "1 where there is nothing on either side, 0 where there is on one",
}


Texts = Mapping[str, tuple[str, ...]]
Times = Mapping[str, str]
"""Times as they are written, by the names that matches give their items."""
WHOLE_TEXT = "(text)"
"""The name of the text of a whole document among the texts of a case."""


@dataclass(frozen=True)
class Protocol:
    """Metrics, averaging and conventions under one name that people can cite."""

    name: str
    meaning: str
    citation: str
    metrics: tuple[str, ...]
    path: str
    undefined: Undefined
    options: Mapping[str, str] = field(default_factory=dict)
    """The family's own reading choices, such as which golds make a case."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """The names that its source prints for metrics, where they differ from ours."""
    aliases: tuple[str, ...] = ()
    """Other names that are accepted for it, such as earlier ones."""
    optional: tuple[str, ...] = ()
    """Metrics that may carry its name, but are scored only on request."""


@dataclass(frozen=True, eq=False, repr=False)
class Family:
    """One question, how its cases are compared, and everything that can be measured on them."""

    name: str
    home: str
    """Where other processes find it: `module:name`."""
    question: str
    levels: tuple[str, ...]
    """The tags of a case from the finest to the coarsest: what averaging paths run over."""
    compare: Callable[[Case[Any, Any], Hashable], Any]
    definitions: tuple[Definition, ...]
    aliases: Mapping[str, str]
    protocols: tuple[Protocol, ...]
    options: tuple[Parameter, ...]
    """Reading choices that change the score; all are words with choices."""
    read_cases: Callable[..., Mapping[str, Sequence[Case[Any, Any]]]]
    """Reads the cases of each system: from the source of the gold, the sources of the systems (a
    list for each where there are trials, or no gold), the problems, the options, and the words of
    the run as further arguments."""
    usual_protocol: Callable[[Mapping[str, str]], Protocol] | None = None
    """Returns the protocol where the user names none, from the options; else it is the first."""
    reader_options: Callable[[Sequence[Metric]], Mapping[str, str]] = lambda _: {}
    """What the reader must know of the metrics, as further options."""
    content: Callable[[Any], object] = lambda side: side
    """What a side of a case holds, as plain values, by which data are known again."""
    is_value: Callable[[Any], bool] | None = None
    """Whether a value in memory is one prediction, where the family reads values in any shape;
    None where it reads records."""
    sheet_of: Callable[[Collection[str]], str] = lambda _: ""
    """How records in memory with these fields are read: as a sheet with this suffix, or, if that is
    empty, as lines of JSON."""
    compare_many: Callable[[Sequence[Case[Any, Any]], Hashable], Sequence[Any]] | None = None
    """The same for many cases, where that takes less than one after the other."""
    cells: Callable[[Case[Any, Any]], int] | None = None
    """How many cells the tables of a comparison have, where they grow faster than the case."""
    cluster: str = ""
    """The tag of cases that are drawn as one unit by intervals and tests."""
    tags: tuple[str, ...] = ()
    """Further tags that every case has."""
    texts: Callable[[Case[Any, Any], Sequence[Hashable]], tuple[Texts, Texts]] | None = None
    """The texts of gold and prediction by the names that matches give them under these settings."""
    times: Callable[[Case[Any, Any], Sequence[Hashable]], tuple[Times, Times]] | None = None
    """The times of gold and prediction by the same names, where the names are no times."""
    tokeniser: Callable[[Metric, Mapping[str, str]], Any] | None = None
    """How a metric reads the sentences of a case with these tags (`elements.text.Tokeniser`), where
    its texts are sentences, which an explanation shows side by side."""
    case_keys: CaseKeys | None = None
    """Which case a line of JSONL belongs to, where files can be read in parts."""
    match_names: bool = False
    """Whether the names of golds and predictions may differ (`core.name_matching`)."""
    columns: frozenset[str] = frozenset()
    """The columns that its tables may have, where their rows are read as lines of JSONL."""
    configure: Callable[..., Family] | None = None
    """Makes the family of a run from its words, where they change it: by a codebook."""
    words: Mapping[str, str] = field(default_factory=dict)
    """The words that it was configured with."""
    check_names: (
        Callable[[Sequence[Metric], Mapping[Fact, int], Problems, Sequence[str]], None] | None
    ) = None
    """Reports what metrics, or the names of a breakdown, name and the data of no system have: from
    what the reader counted."""
    review: Callable[[Mapping[str, EvidenceTable], Mapping[Fact, int], Problems], None] | None = (
        None
    )
    """Reports what only the rows and facts of all chunks together show, where a run was cut."""
    divide: Callable[[Metric, Any, Sequence[str]], Sequence[Parts] | None] | None = None
    """Breaks the statistics of each case down by what its items are, such as the types of
    annotations: from a metric, the comparison of a case (or the columns of a batch) and the names
    to break down by. None for a metric that can't be broken down."""
    copy_advice: Callable[[Metric], str | None] = lambda _: ""
    """What to type where a prediction equals the gold and should not; None for a metric that
    compares different parts of one document, so that one file may be gold and prediction."""
    agree: Callable[[Mapping[str, EvidenceTable]], Sequence[Agreement]] | None = None
    """How far raters agree, from the rows of all systems; where there are raters."""
    always_counted: tuple[str, ...] = ()
    """Statistics that no score is computed from; tables show them however scores are averaged."""
    tables: Callable[[], Any] | None = None
    """Gives what its tables add to those of every result (`reports.result_tables.FamilyTables`);
    called when tables are printed, so that only then it is imported, see `late`."""
    pages: Callable[[], Any] | None = None
    """Gives its part of the HTML report (`reports.html.report.Pages`), when one is written."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy where it is found, since its functions can't be pickled."""
        return find_family, (self.home, dict(self.words))

    @property
    def default_options(self) -> dict[str, str]:
        """The default of each reading option."""
        return {option.name: str(option.default) for option in self.options}

    def metric(self, text: str) -> Metric:
        """Parse a metric's name, or a short name such as AR-1."""
        return _parsed_metric(self, text)

    def _parsed_metric(self, text: str) -> Metric:
        folded = {alias.lower(): target for alias, target in self.aliases.items()}
        typed, values = names.parse(text)
        name = typed
        if name.lower() in folded:
            name, fixed = names.parse(folded[name.lower()])
            values = {**fixed, **values}
        for definition in self.definitions:
            if name == definition.name or name in definition.presets:
                return definition.with_values({**definition.presets.get(name, {}), **values}, typed)
        known = self.metric_names
        message = f"unknown metric '{name}' in {self.name}; {_did_you_mean(name, known)}"
        raise UnknownMetricError(message, text)

    @property
    def metric_names(self) -> list[str]:
        """The short names of metrics, their names and those of presets."""
        known = [*self.aliases]
        for definition in self.definitions:
            known += [definition.name, *definition.presets]
        return list(dict.fromkeys(known))  # a preset may have its definition's own name

    def label(self, metric: Metric) -> str:
        """Return the short name that people use, where there is one, else the full name."""
        for alias, target in self.aliases.items():
            if self.metric(target) == metric:
                return alias
        return metric.brief

    def protocol(self, name: str) -> Protocol:
        """Look up a protocol by its name or an alias."""
        for protocol in self.protocols:
            if name in (protocol.name, *protocol.aliases):
                return protocol
        known = [protocol.name for protocol in self.protocols]
        raise UsageError(f"unknown protocol '{name}' in {self.name}; {_did_you_mean(name, known)}")


@lru_cache(maxsize=1024)
def _parsed_metric(family: Family, text: str) -> Metric:
    return family._parsed_metric(text)


def find_family(home: str, words: Mapping[str, Any]) -> Family:
    """Return the family at `module:name`, configured with the words of a run."""
    family: Family = late(home)()
    return family.configure(**words) if words and family.configure else family


def _did_you_mean(name: str, known: list[str]) -> str:
    similar = similar_name(name, known)
    listed = f"there are: {', '.join(known)}"
    return f"did you mean '{similar}'? {listed}" if similar else listed
