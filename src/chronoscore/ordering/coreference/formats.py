"""Read coreference: CoNLL-2012, JSON, SemEval-2015 timelines, `events.jsonl`, and links.

Links are annotations of documents (`.jsonl`) with a KB id or NIL id in a feature, or rows (`.tsv`,
`.tab`) in the format of neleval or in that of TAC. Mentions with the same id corefer, in all
documents. A NIL id begins with ``NIL`` and names a cluster that the knowledge base lacks. The last
column of a place in rows is the last character of the mention; in JSON it is the one after it.

JSON has documents ``{"id": ..., "clusters": [[mention, ...], ...]}``, one a line (`.jsonl`), or one
or a list of them in a file (`.json`); a mention is ``[start, end]`` or a text that names it. In
timelines, the mentions of one row, or of one event, corefer.

In the format of the CoNLL-2011 and 2012 shared tasks a document stands between
``#begin document (name); part 000`` and ``#end document``, a token a line. The last column of a
token says which mentions begin and end there: ``(7`` begins one of cluster 7, ``7)`` ends it,
``(7)`` is a mention of one token, and ``-`` (or ``_`` or ``*``) is nothing. Several are written
``(7|(3)`` or one after the other. A mention is identified by its first and last token; they are
numbered from 0 through the document.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from chronoscore.core.case import ONLY, put
from chronoscore.core.problems import Problems, escaped
from chronoscore.core.records import (
    JsonError,
    Whole,
    misfits,
    parse_json,
    read_records,
    real_number,
    whole_number,
)
from chronoscore.core.sources import Source
from chronoscore.ordering.coreference.model import (
    Clustering,
    ClusteringBuilder,
    LinkedClustering,
    MentionLink,
    span_name,
)
from chronoscore.ordering.formats import Key, read_tab_file, usable_events

Collection = dict[str, dict[str, Clustering]]
"""Clusterings by document and, where there are several golds, by name."""
NamedClustering = tuple[str, str, Clustering]
"""A document, the name of its gold, and its clusters."""
COLLECTION = "collection"
"""The case of clusters that span all documents, as those of links do."""
ROWS = (".tsv", ".tab")
LINK_FEATURE = "kbid"
_READ = (".conll", ".txt", ".json", ".jsonl", ".key", ".response", *ROWS)


def read_clusterings(
    source: Source, problems: Problems, link_feature: str = LINK_FEATURE
) -> Collection:
    """Read a file, or all files of a folder that may hold clusters.

    Links make clusters across documents, so that all files with links are one document.
    """
    collection: Collection = {}
    if not source.exists:
        problems.problem(source.absence("file or folder"), source)
        return collection
    files = [source]
    if source.is_folder:
        files = [file for file in source.children() if file.is_file and _may_hold(file)]
        if not files:
            problems.problem(f"no clusters ({', '.join(_READ)}, *_conll) in the folder", source)
    linked = [file for file in files if _holds_links(file, problems)]
    for name, clusters in read_links(linked, problems, link_feature):
        put(collection, COLLECTION, name, clusters, problems, source)
    for file in files:
        if file not in linked:
            for document, name, clustering in _documents(file, problems):
                put(collection, document, name, clustering, problems, file)
    return collection


def _holds_links(file: Source, problems: Problems) -> bool:
    if file.suffix == ".jsonl":
        first = file.first_line(problems)
        return '"annotations"' in first and '"clusters"' not in first
    return file.suffix in ROWS


def _may_hold(file: Source) -> bool:
    return not file.packing and (file.suffix in _READ or file.file_name.endswith("_conll"))


def _documents(source: Source, problems: Problems) -> Iterator[NamedClustering]:
    first = source.first_line(problems)
    if source.suffix == ".json":
        return _json_file(source, problems)
    if source.suffix == ".jsonl":
        clusters = '"clusters"' in first
        return _json_lines(source, problems) if clusters else _events(source, problems)
    if source.suffix == ".txt" and not first.startswith(BEGIN):
        return _rows(source, problems)
    return _conll(source, problems)


# JSON

Mention = str | tuple[int, int]


class ClusterRecord(msgspec.Struct, frozen=True):
    """A document in JSON."""

    clusters: tuple[tuple[Mention, ...], ...]
    id: str = ""


def _json_lines(source: Source, problems: Problems) -> Iterator[NamedClustering]:
    """Read one document a line."""
    for line, document in read_records(source, ClusterRecord, problems):
        if not document.id.strip():
            problems.problem("there is no 'id' that names the document", source, line)
            continue
        yield document.id, ONLY, _clustering(document, source, line, "", problems)


def _json_file(source: Source, problems: Problems) -> Iterator[NamedClustering]:
    """Read a document, or a list of them; one alone may be named by its file."""
    text = source.text(problems)
    if text is None:
        return
    try:
        raw = parse_json(text)
    except JsonError as error:
        problems.problem(str(error), source, error.line)
        return
    documents = raw if isinstance(raw, list) else [raw]
    if not documents:
        problems.accept_or_report("there is no document in the file", source)
    for number, item in enumerate(documents, 1):
        of = f"document {number}: " if isinstance(raw, list) else ""
        if not isinstance(item, Mapping):
            problems.problem(f'{of}expected an object: {{"id": ..., "clusters": [...]}}', source)
            continue
        for name in sorted(item.keys() - {"id", "clusters"}):
            problems.notice(f"{of}unknown field '{name}' is ignored", source)
        try:
            document = msgspec.convert(item, ClusterRecord)
        except msgspec.ValidationError:
            for misfit in misfits(item, ClusterRecord):
                problems.problem(f"{of}{misfit}", source)
            continue
        if isinstance(raw, list) and not document.id.strip():
            problems.problem(f"{of}there is no 'id' that names it", source)
            continue
        name = document.id if document.id.strip() else source.stem
        yield name, ONLY, _clustering(document, source, None, of, problems)


def _clustering(
    document: ClusterRecord, source: Source, line: int | None, of: str, problems: Problems
) -> Clustering:
    builder = ClusteringBuilder(problems, source)
    for number, cluster in enumerate(document.clusters):
        where = f"{of}clusters[{number}]"
        if not cluster:
            problems.accept_or_report(f"{where} is empty; it is left out", source, line)
        for mention in cluster:
            if isinstance(mention, str):
                name = mention
                if not name.strip():
                    problems.problem(f"{where} has a mention without a name", source, line)
            else:
                name, span = span_name(*mention), list(mention)
                if span != sorted(span):
                    wrong = f"{span} is not [start, end] with start <= end"
                    problems.problem(f"{where}: {wrong}", source, line)
            builder.add(name, number, line, of)
    return builder.done()


# Timelines


def _rows(source: Source, problems: Problems) -> Iterator[NamedClustering]:
    """Read each row of a SemEval-2015 timeline as a cluster, at any position."""
    builder = ClusteringBuilder(problems, source)
    for number, row in enumerate(read_tab_file(source, problems).rows, 1):
        for mention in row.mentions:
            if not mention.strip():
                problems.problem(f"row {number} has a mention without a name", source)
            builder.add(mention, number, None, f"row {number}: ")
    yield source.stem, ONLY, builder.done()


def _events(source: Source, problems: Problems) -> Iterator[NamedClustering]:
    """Read the mentions of each event as a cluster, by topic and gold."""
    builders: dict[Key, ClusteringBuilder] = {}
    for line, key, event in usable_events(
        source,
        problems,
        lambda event: bool(event.mentions),
        "{count} events have no mentions and are not scored, first '{first}'",
    ):
        builder = builders.setdefault(key, ClusteringBuilder(problems, source))
        for mention in event.mentions:
            if not mention.strip():
                problems.problem("a mention has no name", source, line)
            builder.add(mention, event.id, line)
    for (topic, timeline), builder in builders.items():
        yield topic, timeline, builder.done()


# CoNLL

BEGIN = "#begin document"
_END = "#end document"
_BEGINNING = re.compile(r"#begin document \((.+)\);?(?:\s*part\s+([0-9]+))?;?\s*")
_BLANKS = re.compile("[ \t]+")
_NOTHING = ("-", "_", "*")
_BRACKETS = re.compile(r"(?:\|?(?:\([0-9]+\)?|[0-9]+\)))+")
_BRACKET = re.compile(r"(\(?)([0-9]+)(\)?)")


@dataclass
class ConllDocument:
    """A document while it is read."""

    name: str
    line: int
    source: Source
    problems: Problems
    tokens: int = 0
    columns: int = 0
    """How many columns the lines of this sentence have; 0 before its first line."""
    spans: dict[str, list[tuple[int, int, int]]] = field(default_factory=dict)
    """For each cluster, in order of occurrence, the first and last token of its mentions, and the
    line where each ends."""
    open: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """For each cluster, the token and line of the mentions that have begun, the latest last."""

    def read_token(self, line: str, number: int) -> None:
        """Read the line of a token: which mentions begin and end there."""
        columns = _BLANKS.split(line)
        self.columns = self.columns or len(columns)
        if len(columns) != self.columns:
            many = f"{len(columns)} column{'s' * (len(columns) != 1)}, expected {self.columns}"
            message = f"{many} as before in this sentence; the last one is taken"
            self.problems.accept_or_report(message, self.source, number)
        token, self.tokens = self.tokens, self.tokens + 1
        last = columns[-1]
        if last in _NOTHING:
            return
        if not _BRACKETS.fullmatch(last):
            expected = "expected '-' or brackets such as (0, 0) or (0)"
            self._problem(f"the last column is '{last[:30]}', {expected}", number)
            return
        brackets = _BRACKET.findall(last)
        # Mentions begin before others end: where one of the same cluster does both, the reference
        # scorer takes the later beginning first, too.
        for begins, cluster, ends in brackets:
            spans = self.spans.setdefault(cluster, [])
            if begins and ends:
                spans.append((token, token, number))
            elif begins:
                self.open.setdefault(cluster, []).append((token, number))
        for begins, cluster, _ in brackets:
            if begins:
                continue
            if self.open.get(cluster):
                self.spans[cluster].append((self.open[cluster].pop()[0], token, number))
            else:
                self._problem(f"'{cluster})' ends a mention that did not begin", number)

    def clustering(self) -> Clustering:
        """Return the clusters of all mentions, and report mentions that do not end."""
        for cluster, waiting in self.open.items():
            for _, line in waiting:
                self._problem(f"'({cluster}' begins a mention that does not end", line)
        builder = ClusteringBuilder(self.problems, self.source)
        for cluster, spans in self.spans.items():
            for start, end, line in spans:
                builder.add(span_name(start, end), cluster, line)
        return builder.done()

    def _problem(self, message: str, line: int) -> None:
        self.problems.problem(message, self.source, line)


def _conll(source: Source, problems: Problems) -> Iterator[NamedClustering]:
    """Read the documents of a file by their names, ``name; part 000``."""
    before = len(problems.problems)
    lines = list(source.lines(problems))
    if len(problems.problems) > before:
        return  # lines are missing, and brackets that they hold would be reported as missing
    document: ConllDocument | None = None
    for number, raw in lines:
        line = raw.strip(" \t")
        if line.startswith(BEGIN):
            if document is not None:
                problems.problem(f"a document begins in '{document.name}'", source, number)
            name = _name(line, source, number, problems)
            document = ConllDocument(name, number, source, problems)
        elif line.startswith(_END):
            if document is None:
                problems.problem("a document ends that did not begin", source, number)
            else:
                yield document.name, ONLY, document.clustering()
            document = None
        elif document is None:
            if line:
                message = f"'{line[:30]}' is in no document, expected '{BEGIN} (name); part 000'"
                problems.problem(message, source, number)
                return  # or every further line of the file would be reported
        elif not line:
            document.columns = 0
        else:
            document.read_token(line, number)
    if document is not None:
        message = f"'{document.name}' has no '{_END}'; is the file cut?"
        problems.problem(message, source, document.line)
        yield document.name, ONLY, document.clustering()


def _name(line: str, source: Source, number: int, problems: Problems) -> str:
    match = _BEGINNING.fullmatch(line)
    if match is None:
        problems.problem(f"'{line[:50]}', expected '{BEGIN} (name); part 000'", source, number)
        return line
    name, part = match.groups()
    return f"{name}; part {part}" if part else name


# Links

NIL = "NIL"
_PLACE = re.compile(r"(.+):(\d+)-(\d+)")
_TAC_COLUMNS = 8
_EXPECTED = (
    "expected document, start, end, id (and score and type), or the eight columns of TAC: "
    "run, mention id, text, document:start-end, id, type, mention type, confidence"
)


class LinkAnnotation(msgspec.Struct, frozen=True):
    """An annotation that may link to a knowledge base."""

    start: Whole
    end: Whole
    type: str = ""
    features: dict[str, Any] = {}


class LinkedDocument(msgspec.Struct, frozen=True):
    """A document with its annotations, as a line of JSON."""

    id: str
    annotations: tuple[LinkAnnotation, ...]
    text: str | None = None
    features: dict[str, Any] = {}
    stored: str = ""
    timeline: str = ""


class _Mention(NamedTuple):
    """A mention with its place in a document, and what it links to."""

    document: str
    start: int
    end: int
    link: str
    type: str
    line: int
    timeline: str = ONLY

    @property
    def name(self) -> str:
        """The document and the place, which no other mention shares."""
        return f"{self.document} {span_name(self.start, self.end)}"


def read_links(
    sources: Iterable[Source], problems: Problems, feature: str
) -> Iterator[tuple[str, LinkedClustering]]:
    """Yield the clusters of the mentions of all files, one clustering for each gold's name."""
    builders: dict[str, ClusteringBuilder] = {}
    marks: dict[str, dict[str, MentionLink]] = {}
    for source in sources:
        rows = source.suffix in ROWS
        unnamed: list[tuple[int, str]] = []
        for mention in (
            _linked_rows(source, problems) if rows else _annotations(source, problems, feature)
        ):
            if not 0 <= mention.start < mention.end:
                problem = (
                    f"the span {mention.start} to {mention.end - rows} of '{mention.document}' has "
                    "no text, expected a start of 0 or more, before the end"
                )
                problems.problem(problem, source, mention.line)
                continue
            builder = builders.setdefault(mention.timeline, ClusteringBuilder(problems, source))
            builder.source = source
            builder.add(mention.name, mention.link, mention.line)
            mark = MentionLink(mention.type, "" if mention.link.startswith(NIL) else mention.link)
            marks.setdefault(mention.timeline, {}).setdefault(mention.name, mark)
            if mention.link == NIL:
                unnamed.append((mention.line, mention.name))
        notice = "{count} mentions have the id 'NIL' without more, and make one cluster, first "
        problems.count(notice + "'{first}'", unnamed, source)
    for name, builder in builders.items():
        yield name, LinkedClustering(builder.done().clusters, marks[name])


def looks_like_rows(line: str) -> bool:
    """Whether a line is a mention with its link, in the tab format of neleval or TAC."""
    try:
        _mention([cell.strip() for cell in line.split("\t")], 1)
    except ValueError:
        return False
    return True


def _annotations(source: Source, problems: Problems, feature: str) -> Iterator[_Mention]:
    """Read one document a line; only annotations with the feature are mentions."""
    without: list[tuple[int, str]] = []
    other_features: set[str] = set()
    has_mentions = False
    for line, document in read_records(source, LinkedDocument, problems):
        for annotation in document.annotations:
            link = annotation.features.get(feature)
            place, kind = (document.id, annotation.start, annotation.end), annotation.type
            timeline = document.timeline or ONLY
            mention = _Mention(*place, str(link).strip(), kind, line, timeline)
            if link is None:
                without.append((line, mention.name))
                other_features.update(annotation.features)
            elif not isinstance(link, str | int) or isinstance(link, bool) or not mention.link:
                value = msgspec.json.encode(link).decode()[:40]
                problem = f"feature '{feature}' is {value}, expected a KB id or a NIL id"
                problems.problem(problem, source, line)
            else:
                has_mentions = True
                yield mention
    if without and not has_mentions:
        listed = ", ".join(sorted(other_features))
        known = f"there are: {listed}" if listed else "there is no feature"
        problems.problem(
            f"no annotation has the feature '{feature}', which names what it links to; {known} "
            "(--link-feature NAME chooses one)",
            source,
        )
    elif without:
        lack = f"{{count}} annotations have no feature '{escaped(feature)}' and are not scored"
        problems.count(lack + ", first '{first}'", without, source)


def _linked_rows(source: Source, problems: Problems) -> Iterator[_Mention]:
    """Read a mention a row."""
    for line, text in source.lines(problems):
        if text.strip():
            cells = [cell.strip() for cell in text.rstrip("\r\n\t").split("\t")]
            try:
                yield _mention(cells, line)
            except ValueError as error:
                problems.problem(str(error), source, line)


def _mention(cells: Sequence[str], line: int) -> _Mention:
    place = _PLACE.fullmatch(cells[3]) if len(cells) >= _TAC_COLUMNS else None
    if place is not None:
        document, first, last = place.groups()
        link, kind = cells[4], cells[5]
    elif len(cells) < 4:
        raise ValueError(f"{len(cells)} columns, {_EXPECTED}")
    else:
        document, first, last = cells[:3]
        link, kind = _best(cells[3:])
    start, end = whole_number(first), whole_number(last)
    if start is None or end is None:
        raise ValueError(f"the span is '{first[:20]}' to '{last[:20]}', {_EXPECTED}")
    if not document or not link:
        raise ValueError(f"the {'id' if document else 'document'} is empty, {_EXPECTED}")
    return _Mention(document, start, end + 1, link, kind, line)


def _best(cells: Sequence[str]) -> tuple[str, str]:
    """Return id and type of the candidate with the highest score, the first of equals."""
    if len(cells) <= 2:
        return cells[0], ""
    if len(cells) % 3:
        raise ValueError(
            f"{len(cells)} columns after the span, expected an id, a score and a type for each "
            "candidate"
        )
    best, link, kind = -math.inf, "", ""
    for at in range(0, len(cells), 3):
        score = real_number(cells[at + 1])
        if score is None:
            raise ValueError(f"the score is '{cells[at + 1][:40]}', expected a number")
        if score > best:
            best, link, kind = score, cells[at], cells[at + 2]
    if not kind.startswith("{"):
        return link, kind
    try:  # a JSON object with more about the mention
        return link, str(parse_json(kind).get("type", ""))
    except JsonError as error:
        raise ValueError(f"the type is no JSON: {error}") from None
