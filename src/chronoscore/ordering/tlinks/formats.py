"""Read temporal links: TimeML, brat, JSON lines, and tables of relations.

TimeML and brat have a file for each document. JSON lines are links, or events with their positions.
Tables have one relation a line, in our format, that of TimeBank-Dense, or that of MATRES. Released
classifiers of MATRES have layouts of their own: scores of four labels a line, and the gold as
attributes of XML elements.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from sys import intern
from typing import NamedTuple

import msgspec

from chronoscore.core.case import ONLY, put
from chronoscore.core.event import Event
from chronoscore.core.problems import Fact, Problems
from chronoscore.core.records import (
    check_columns,
    misspelt,
    read_records,
    real_number,
    refuse_header_only,
)
from chronoscore.core.sources import Source
from chronoscore.elements.brat import BratLines
from chronoscore.elements.timeml import (
    OUTSIDE,
    SUFFIXES,
    TIMEML_TAGS,
    TimemlDocument,
    timeml_of,
)
from chronoscore.elements.xml import XmlElement, parse_xml, read_xml
from chronoscore.ordering.awareness import KNOWN, relation_problem
from chronoscore.ordering.formats import Key, check_mentions, usable_events
from chronoscore.ordering.model import Link
from chronoscore.ordering.tlinks.model import VAGUE, Collection, Entity, Kind, LinkDocument

MOST_ENTITIES = 10_000
"""The most entities of a document: memory grows with their square, since all pairs are related."""
MOST_REPORTED = 20
"""How many lines with one kind of problem are reported before the others are only counted."""
_OUTPUT = ".output"
_TABLES = (".tsv", ".txt", _OUTPUT)
_BRAT = ".ann"
_LINKED = "chunks with links"
"""The fact that is counted if a file is read in chunks."""
_NO_LINKS = "there are no links in the file"
_Links = dict[Key, list[Link]]


def read_links(
    source: Source, problems: Problems, options: Mapping[str, str] | None = None
) -> Collection:
    """Read a file, or all files of a folder and the folders in it, by document.

    The ending of a file says whether it is TimeML (`.tml`, `.xml`, `.timeml`), brat (`.ann`), a
    table (`.tsv`, `.txt`, `.output`) or JSON lines (`.jsonl`); its first lines say which kind of
    table it is. In a folder, the `.txt` of a `.ann` is its text.
    """
    collection: Collection = {}
    reader = _LinkReader(problems, keep_vague=(options or {}).get("vague") == "keep")
    files = [(source.stem, source)]
    if not source.exists:
        problems.problem(source.absence("file or folder"), source)
        return collection
    if source.is_folder:
        known = (*SUFFIXES, _BRAT, *_TABLES, ".jsonl")
        found = {inside: file for inside, file in source.files() if inside.suffix in known}
        files = [
            (inside.with_suffix("").as_posix(), file)
            for inside, file in found.items()
            if inside.suffix != ".txt" or inside.with_suffix(_BRAT) not in found
        ]
        if not files:
            problems.problem(f"no links ({', '.join(known)}) in the folder", source)
    for name, file in files:
        before = len(problems.problems)
        documents = reader.read(file, name)
        linked = any(document.links or document.vague for document in documents.values())
        if problems.partial:
            problems.facts[_LINKED, file.name] += linked
        elif not linked and len(problems.problems) == before:  # problems may be the reason
            problems.notice(_NO_LINKS, file)
        for (key, gold), document in documents.items():
            entities = len({*document.names()})
            if entities > MOST_ENTITIES:
                problems.problem(
                    f"document '{key}' links {entities} entities, more than the {MOST_ENTITIES} "
                    "that can be compared; is the column with the document missing?",
                    file,
                )
            put(collection, key, gold, document, problems, file)
    reader.report()
    return collection


def check_links(facts: Mapping[Fact, int], problems: Problems) -> None:
    """Report files that were read in chunks and have links in none of them."""
    for fact, number in facts.items():
        if fact[0] == _LINKED and not number:
            problems.notice(_NO_LINKS, fact[1])


_ODD = {
    "case": (
        "relations that are not in capitals",
        "they are understood where links are put together, and only the same letters match",
    ),
    "unknown": ("unknown relations", "nothing follows from them, and only the same word matches"),
    "fields": ("lines with too few or too many fields", "they are left out"),
    "spaces": ("lines without tabs", "their fields are split at spaces"),
    "self": ("links from an entity to itself", "only that it equals itself can be so"),
    "double": ("duplicate links", "acl11 counts them twice, the others once"),
    "vague": (
        "pairs that are VAGUE",
        "only matres counts them (--vague keep makes VAGUE a relation)",
    ),
    "after": ("AFTER in brat", "the second event comes after the first, as in TimeSET"),
    "coexistence": ("COEX in brat", "it is read as SIMULTANEOUS"),
}
"""The kinds of odd lines and links, and how they are treated."""
_ACCEPTED = ("self", "double", "vague", "after", "coexistence")
"""The kinds that strict reading accepts, too."""


class _LinkReader:
    """Reads files of links, and counts odd lines and links until all files are read."""

    def __init__(self, problems: Problems, *, keep_vague: bool) -> None:
        self._problems = problems
        self._keep_vague = keep_vague
        self._odd: dict[str, tuple[Source, int | None, int]] = {}  # kind -> first place, count
        self._seen: set[tuple[Key, Link]] = set()

    def read(self, source: Source, name: str) -> dict[Key, LinkDocument]:
        """Read the documents of a file; `name` is for a file of one document: TimeML, brat."""
        if source.suffix in SUFFIXES:
            return self._xml(source, (name, ONLY))
        if source.suffix == _BRAT:
            return self._brat(source, (name, ONLY))
        if source.suffix != ".jsonl":
            links_of = self._table(source)
        elif '"relation"' in source.first_line(self._problems):
            links_of = self._relations(source)
        else:
            links_of = self._events(source)
        return {key: self._document(links) for key, links in links_of.items()}

    def _document(
        self, links: Iterable[Link], entities: Iterable[Entity] = (), text: str = ""
    ) -> LinkDocument:
        """Return a document; pairs that are VAGUE are kept apart, unless VAGUE is a relation."""
        links = list(links)
        if self._keep_vague:
            return LinkDocument(tuple(links), tuple(entities), text)
        clear = tuple(link for link in links if link.relation != VAGUE)
        vague = tuple(link for link in links if link.relation == VAGUE)
        return LinkDocument(clear, tuple(entities), text, vague)

    def report(self) -> None:
        """Report the counts, one message for each kind."""
        for kind, (source, line, number) in self._odd.items():
            what, consequence = _ODD[kind]
            if kind in _ACCEPTED or self._problems.options.lenient:
                message = f"{what}: {{count}}, the first here; {consequence}"
                first = [(line or 0, "")]
                self._problems.count(message, first, source, count=number, at_first=True)
            elif number > MOST_REPORTED:
                self._problems.accept_or_report(f"{what}: {number - MOST_REPORTED} more", source)

    def _count(self, kind: str, source: Source, line: int | None, problem: str = "") -> None:
        """Count an odd line or link; `problem` says why strict reading refuses it, if it does."""
        first, at, number = self._odd.get(kind, (source, line, 0))
        self._odd[kind] = (first, at, number + 1)
        if problem and not self._problems.options.lenient and number < MOST_REPORTED:
            self._problems.accept_or_report(problem, source, line)

    def _checked(self, key: Key, link: Link, source: Source, line: int | None) -> Link:
        if link.relation == VAGUE:
            if not self._keep_vague:
                self._count("vague", source, line)
        elif problem := relation_problem(link.relation):
            known = link.relation.upper() in KNOWN
            self._count("case" if known else "unknown", source, line, problem)
        if link.source == link.target:
            self._count("self", source, line)
        if (key, link) in self._seen:
            self._count("double", source, line)
        self._seen.add((key, link))
        return link

    def _xml(self, source: Source, key: Key) -> dict[Key, LinkDocument]:
        text = read_xml(source, self._problems)
        if text is None:
            return {}
        if not text.strip():
            return {key: LinkDocument()}  # an empty file was reported already
        parsed = parse_xml(text, source, self._problems)
        if parsed is None:
            return {}
        elements = [*parsed[0].inside()]
        if any(element.name in TIMEML_TAGS for element in elements):
            return self._timeml(timeml_of(*parsed, source, self._problems), source, key)
        kinds = {e.name for e in elements if e.attributes.keys() >= {*_PAIR_ATTRIBUTES}}
        if kinds:
            links_of = self._pairs((e for e in elements if e.name in kinds), source)
            return {key: self._document(links) for key, links in links_of.items()}
        self._problems.problem(
            f"XML of an unknown kind: '{elements[0].name[:40]}' holds no tags of TimeML (TLINK, "
            f"EVENT, TIMEX3) and no pairs with {', '.join(_PAIR_ATTRIBUTES)}, as those of MATRES",
            source,
            elements[0].line,
        )
        return {}

    def _timeml(
        self, document: TimemlDocument, source: Source, key: Key
    ) -> dict[Key, LinkDocument]:
        links = [
            self._checked(key, Link(start, end, _NONE.get(relation, relation)), source, line)
            for start, end, relation, line in document.links
        ]
        return {key: self._document(links, _entities(document), document.text)}

    def _pairs(self, elements: Iterable[XmlElement], source: Source) -> _Links:
        """Read pairs of events whose relation is an attribute, as in the gold of MATRES."""
        layout, links_of = TableLayout(COLUMNS, MATRES), _Links()
        for element in elements:
            try:
                fields = [element.attributes.get(name, "") for name in _PAIR_ATTRIBUTES]
                document, link = layout.link(fields)
            except ValueError as error:
                self._problems.problem(str(error), source, element.line)
                continue
            key = (document, ONLY)
            checked = self._checked(key, link, source, element.line)
            links_of.setdefault(key, []).append(checked)
        return links_of

    def _brat(self, source: Source, key: Key) -> dict[Key, LinkDocument]:
        """Read the relations of a `.ann`, and the events between which they hold."""
        lines = BratLines(lambda message, line: self._problems.problem(message, source, line))
        lines.read(source, self._problems)
        lines.check_references()
        links = []
        for kind, start, end, line in lines.relations:
            relation = _BRAT_WORDS.get(kind, kind)
            if relation != kind:
                self._count("after" if kind == "AFTER" else "coexistence", source, line)
            links.append(self._checked(key, Link(start, end, relation), source, line))
        plain = source.beside(".txt")
        text = lines.fitting(plain.exact_text(self._problems) if plain.is_file else None)
        linked = {end for link in links for end in link[:2]}
        triggers = {mark.trigger for mark in lines.marks.values()}
        entities = []
        for name, mark in lines.marks.items():
            if name in triggers or (not mark.trigger and name not in linked):
                continue
            span = lines.marks.get(mark.trigger, mark)
            inside = text is None or 0 <= span.start <= span.end <= len(text)
            if not inside or (text is not None and not span.fits(text)):
                message = f"the text of '{name}' is not '{(span.covered or '')[:60]}' there"
                self._problems.problem(message, source, mark.line)
            place = (mark.start, mark.end) if text is not None else (OUTSIDE, OUTSIDE)
            time: Kind = "time" if mark.kind.lower().startswith("time") else "event"
            entities.append(Entity(name, time, span.covered or "", *place, {}, (name,)))
        return {key: self._document(links, entities, text or "")}

    def _relations(self, source: Source) -> _Links:
        links: _Links = {}
        for line, record in read_records(source, Relation, self._problems):
            link = Link(*map(intern, (record.source, record.target, record.relation)))
            if not all(part.strip() for part in link):
                self._problems.problem("source, target or relation is empty", source, line)
                continue
            key = (record.document or source.stem, record.gold or ONLY)
            links.setdefault(key, []).append(self._checked(key, link, source, line))
        return links

    def _events(self, source: Source) -> _Links:
        """Link the mentions of events by the positions of the events."""
        placed: dict[Key, list[Event]] = {}
        for line, key, event in usable_events(
            source,
            self._problems,
            lambda event: bool(event.position),
            "{count} events have no position (or position 0) and are not linked, first '{first}'",
        ):
            if check_mentions(event, source, line, self._problems):
                placed.setdefault(key, []).append(event)
        return {key: _chain(events) for key, events in placed.items()}

    def _table(self, source: Source) -> _Links:
        """Read the links of a table by document, in the order of the lines."""
        problems, links_of = self._problems, _Links()
        columns, _, titled, separator = layout = _layout(source, problems)
        expected = ", ".join(columns)
        lines = ((number, line) for number, line in source.lines(problems) if line.strip())
        if titled:
            title, _ = next(lines)
            if not check_columns(
                columns, problems, source, needed=COLUMNS[1:], optional=COLUMNS, line=title
            ):
                return links_of
        header_only, left_out = titled, 0
        for number, line in lines:
            header_only = False
            fields = line.split(separator)
            if separator == "\t" and len(fields) == 1 and len(line.split()) == len(columns):
                message = "no tabs; fields are split at spaces"
                self._count("spaces", source, number, message)
                fields = line.split()
            if len(fields) != len(columns):
                many = f"{len(fields)} field{'s' * (len(fields) != 1)}"
                message = f"{many}, expected {expected}; the line is left out"
                self._count("fields", source, number, message)
                left_out += 1
                continue
            try:
                document, link = layout.link([field.strip() for field in fields])
            except ValueError as error:
                problems.problem(str(error), source, number)
                continue
            key = (document or source.stem, ONLY)
            links_of.setdefault(key, []).append(self._checked(key, link, source, number))
        if header_only:
            refuse_header_only("relation", problems, source)
        if left_out and not links_of and problems.options.lenient:
            problems.problem(f"no line has the fields {expected}: nothing is read", source)
        return links_of


def _entities(document: TimemlDocument) -> list[Entity]:
    """Return the events and times of a document.

    The attributes of an event are those of its last instance, overridden by its own, as in the
    toolkit of TempEval-3. An event that has instances and no place in the text is an event too.
    """
    names: dict[str, list[str]] = {}
    attributes: dict[str, dict[str, str]] = {}
    for instance in document.instances:
        names.setdefault(instance.eid, []).append(instance.eiid)
        attributes[instance.eid] = dict(instance.attributes)
    entities = []
    for event in document.events:
        event_attributes = {**attributes.get(event.id, {}), **event.attributes}
        eiids = tuple(names.pop(event.id, ()))
        place = (event.start, event.end)
        entities.append(Entity(event.id, "event", event.text, *place, event_attributes, eiids))
    entities += [
        Entity(eid, "event", attributes=attributes[eid], names=tuple(instances))
        for eid, instances in names.items()
    ]
    entities += [
        Entity(time.id, "time", time.text, time.start, time.end, time.attributes, (time.id,))
        for time in document.timexes
    ]
    return entities


class Relation(msgspec.Struct, frozen=True):
    """A link as a line of JSON."""

    source: str
    target: str
    relation: str
    document: str = ""
    gold: str = ""


def _chain(events: Sequence[Event]) -> list[Link]:
    """Link the mentions of each event by IDENTITY, and its first mention to the next event's."""
    ordered = sorted(events, key=lambda event: (event.position or 0, event.mentions))
    links = [
        Link(*mentions, "IDENTITY") for event in ordered for mentions in pairwise(event.mentions)
    ]
    for event, following in pairwise(ordered):
        relation = "SIMULTANEOUS" if event.position == following.position else "BEFORE"
        links.append(Link(event.mentions[0], following.mentions[0], relation))
    return links


# Tables

COLUMNS = ("document", "source", "target", "relation")
DENSE = {
    "a": "AFTER",
    "b": "BEFORE",
    "i": "INCLUDES",
    "ii": "IS_INCLUDED",
    "s": "SIMULTANEOUS",
    "v": VAGUE,
}
MATRES = {"BEFORE": "BEFORE", "AFTER": "AFTER", "EQUAL": "SIMULTANEOUS", VAGUE: VAGUE}
_SCORES = ("document", "source", "target", "index", *MATRES)
"""The columns of a classifier's output: the largest score decides; the index is not used."""
_MATRES_COLUMNS = ("document", "verb", "verb", "source", "target", "relation")
_LOOKED_AT = 50
_PAIR_ATTRIBUTES = ("DOCID", "SOURCE", "TARGET", "LABEL")
_NONE = {"NONE": VAGUE}
"""The word of TimeBank-Dense in TimeML for a pair without a clear relation."""
_BRAT_WORDS = {"AFTER": "BEFORE", "COEX": "SIMULTANEOUS"}
"""The relations of TimeSET: an arrow from an event to one after it, and coexistence, which its
authors extend to the relations of all events of a group."""
_EIID = re.compile(r"(?:ei)?[0-9]+")


class TableLayout(NamedTuple):
    """A kind of table: its columns, and its words for relations."""

    columns: Sequence[str]
    words: Mapping[str, str] = {}
    """The relation of each word; if empty, relations are read as they are written."""
    titled: bool = False
    separator: str = "\t"

    def link(self, fields: Sequence[str]) -> tuple[str, Link]:
        """Return the document, or "", and the link of a row; raise `ValueError` if it is wrong."""
        row = dict(zip(self.columns, fields, strict=True))
        ends = [row["source"], row["target"]]
        relation = row["relation"] if "relation" in row else _largest(row)
        if self.words and relation not in self.words:
            known = ", ".join(self.words)
            raise ValueError(f"relation is '{relation[:40]}', expected one of {known}")
        if "verb" in row:
            for name in ends:
                if not _EIID.fullmatch(name):
                    raise ValueError(f"'{name[:40]}' is not the number of an event instance")
            ends = [f"ei{name.removeprefix('ei')}" for name in ends]
        link = Link(*map(intern, (*ends, self.words.get(relation, relation))))
        document = row.get("document")
        if document == "" or not all(link):
            raise ValueError(f"a field is empty, expected {', '.join(self.columns)}")
        return document or "", link


def looks_like_links(lines: Iterable[str]) -> bool:
    """Whether the first lines of a file are those of a table of relations."""
    lines = [line.rstrip() for line in lines if line.strip()]
    rows = [line.split("\t") for line in lines]
    known = KNOWN | DENSE.keys() | MATRES.keys()
    return bool(rows) and (
        2 * sum(map(_has_scores, lines)) > len(lines)
        or _is_title([field.strip().lower() for field in rows[0]])
        or all(len(row) in (3, 4, 6) and row[-1].strip() in known for row in rows)
    )


def _has_scores(line: str) -> bool:
    """Whether a line is a pair of events with the scores of four labels."""
    fields = line.split(",")
    return len(fields) == len(_SCORES) and None not in map(real_number, fields[3:])


def _largest(row: Mapping[str, str]) -> str:
    """Return the label with the largest score; the first of equals."""
    scores = {label: real_number(row.get(label, "")) for label in MATRES}
    for label, score in scores.items():
        if score is None:
            raise ValueError(f"the score of {label} is '{row.get(label, '')[:40]}', not a number")
    return max(scores, key=lambda label: scores[label] or 0)


def _layout(source: Source, problems: Problems) -> TableLayout:
    """Return the kind of a table by its first lines."""
    lines = source.first_lines(problems, _LOOKED_AT)
    is_output = source.suffix == _OUTPUT and not any("\t" in line for line in lines)
    if is_output or 2 * sum(map(_has_scores, lines)) > len(lines):
        return TableLayout(_SCORES, MATRES, separator=",")
    rows = [
        [field.strip() for field in line.split("\t" if "\t" in line else None)] for line in lines
    ]
    title = [field.lower() for field in rows[0]] if rows else []
    if _is_title(title):
        return TableLayout(title, titled=True)
    for columns, words in ((_MATRES_COLUMNS, MATRES), (COLUMNS, DENSE)):
        matching = [row for row in rows if len(row) == len(columns) and row[-1] in words]
        if 2 * len(matching) > len(rows):  # one wrong line does not make another kind of table
            return TableLayout(columns, words)
    return TableLayout(COLUMNS[1:] if len(title) == 3 else COLUMNS)


def _is_title(fields: list[str]) -> bool:
    """Whether a row names the columns; one of them may be misspelt."""
    names = {"source", "target", "relation"}
    return len(names & {*fields, *misspelt(fields, names).values()}) == len(names)
