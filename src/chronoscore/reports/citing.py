"""What to cite for a result: BibTeX of its metrics and protocol, and a sentence for the paper.

Metrics, protocols and coefficients name their source in words, such as Lin 2004. `references.bib`
holds the entry of each such name.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from chronoscore import __version__
from chronoscore.core.family import Family
from chronoscore.core.names import Signature, short_signature
from chronoscore.core.result import ResultDocument
from chronoscore.reports.rendering import escaped
from chronoscore.reports.table import joined_by_and
from chronoscore.reports.terminal import wrapped_lines
from chronoscore.statistics.agreement import COEFFICIENTS

TOOL = "Chronoscore"
_WIDTH = 80


@dataclass(frozen=True)
class Reference:
    """An entry of the bibliography."""

    name: str
    """How citations in words call it, such as Lin 2004."""
    key: str
    bibtex: str


@cache
def bibliography() -> tuple[Reference, ...]:
    """Read all entries."""
    text = files(__package__).joinpath("references.bib").read_text(encoding="utf-8")
    entries = re.findall(
        r"^% ([^\n]+)\n(@\w+\{([^,]+),\n.*?\n\}\n)", text, re.DOTALL | re.MULTILINE
    )
    return tuple(Reference(name, key, entry) for name, entry, key in entries)


def references(citation: str, *, variant: bool = True) -> list[Reference]:
    """Return the references that a citation names, in its order.

    A citation may end with the source of a variant, which is left out unless `variant` is set.

    >>> citation = "Luo 2005, On Metrics; with links: Ji et al. 2014"
    >>> [reference.key for reference in references(citation)]
    ['luo-2005', 'ji-etal-2014']
    >>> [reference.key for reference in references(citation, variant=False)]
    ['luo-2005']
    """
    if not variant:
        citation = re.split(r"; [\w +-]+: ", citation)[0]
    named = [reference for reference in bibliography() if reference.name in citation]
    return sorted(named, key=lambda reference: citation.index(reference.name))


@dataclass(frozen=True)
class Cited:
    """Something that a result uses, and where it comes from."""

    labels: tuple[str, ...]
    """Metrics or coefficients of one source, or a protocol."""
    citation: str
    references: tuple[Reference, ...]


@dataclass(frozen=True)
class Usage:
    """What one result uses."""

    metrics: tuple[Cited, ...]
    protocol: Cited | None
    agreement: tuple[Cited, ...]
    signature: str
    """The short form."""
    version: str

    @property
    def all(self) -> Iterator[Cited]:
        """Everything that the result uses."""
        yield from self.metrics
        yield from (self.protocol,) if self.protocol else ()
        yield from self.agreement


def usage(family: Family, result: ResultDocument) -> Usage:
    """Look up what a result uses and where that comes from."""
    signatures = [system.signature for system in result.systems]
    metrics = []
    for info in result.metrics:
        metric = family.metric(info.name)
        variant = str(metric) != metric.definition.name
        metrics.append((info.label, metric.definition.citation, variant))
    names = dict.fromkeys(one.coefficient for one in result.agreement)
    coefficients = [
        (name, COEFFICIENTS[name].citation, True) for name in names if name in COEFFICIENTS
    ]
    protocol = family.protocol(result.protocol) if result.protocol else None
    return Usage(
        tuple(_by_source(metrics)),
        next(_by_source([(protocol.name, protocol.citation, False)])) if protocol else None,
        tuple(_by_source(coefficients)),
        short_signature(*signatures),
        Signature.parse(signatures[0]).version,
    )


def _by_source(items: Iterable[tuple[str, str, bool]]) -> Iterator[Cited]:
    """Unite what has the same source."""
    labels: dict[tuple[str, tuple[Reference, ...]], list[str]] = {}
    for label, citation, variant in items:
        source = citation, tuple(references(citation, variant=variant))
        labels.setdefault(source, []).append(label)
    for (citation, found), united in labels.items():
        yield Cited(tuple(united), citation, found)


def cite(usages: Sequence[Usage], how: str) -> str:
    """Write what to cite for some results, as `bibtex` or `text`; for none, cite the tool alone."""
    return {"bibtex": _bibtex, "text": _text}[how](usages)


def _bibtex(usages: Sequence[Usage]) -> str:
    """Write the sentence as a comment, and the entries below it."""
    everything = [cited for one in usages for cited in one.all]
    tool = next(reference for reference in bibliography() if reference.name == TOOL)
    named = dict.fromkeys(
        (tool, *(reference for one in everything for reference in one.references))
    )
    sentence = _sentence(usages, _command, _command([tool]), escaped)
    unknown = dict.fromkeys(one.citation for one in everything if not one.references)
    comments = wrapped_lines(sentence, _WIDTH - 2, "")
    comments += [f"No entry is known for: {citation}" for citation in unknown]
    head = "".join(f"% {line}\n" for line in comments)
    version = _version(usages)
    entries = (_entry(reference.bibtex.replace("VERSION", version)) for reference in named)
    return "\n".join([head, *entries])


def _entry(text: str) -> str:
    """Break the long fields of an entry, as BibTeX allows."""
    lines = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        lines += wrapped_lines(line, _WIDTH, "    ", indent)
    return "\n".join(lines)


def _command(sources: Sequence[Reference]) -> str:
    return rf"~\cite{{{','.join(reference.key for reference in sources)}}}"


def _text(usages: Sequence[Usage]) -> str:
    """Write the sentence, and the sources in words."""
    sentence = _sentence(usages, _in_brackets, "", str)
    lines = [*wrapped_lines(sentence, _WIDTH, ""), ""]
    for cited in dict.fromkeys(cited for one in usages for cited in one.all):
        lines += wrapped_lines(f"{joined_by_and(cited.labels)}: {cited.citation}", _WIDTH)
    return "\n".join(lines).rstrip() + "\n"


def _in_brackets(sources: Sequence[Reference]) -> str:
    return f" ({'; '.join(reference.name for reference in sources)})"


def _sentence(
    usages: Sequence[Usage],
    cite: Callable[[Sequence[Reference]], str],
    tool: str,
    written: Callable[[str], str],
) -> str:
    """Say in one sentence what was computed, by what, under which settings."""
    version = _version(usages)
    if not usages:
        return f"We scored with {TOOL} {version}{tool}."

    def sources(items: Iterable[Cited]) -> str:
        return joined_by_and(
            [
                written(joined_by_and(item.labels))
                + (cite(item.references) if item.references else "")
                for item in items
            ]
        )

    clauses = []
    for one in usages:
        clause = sources(one.metrics)
        if one.protocol:
            clause += f" under the protocol {sources([one.protocol])}"
        if one.agreement:
            clause += f", and the agreement of raters by {sources(one.agreement)}"
        clauses.append(f"{clause} [signature {written(one.signature)}]")
    return f"We report {'; '.join(clauses)}; computed with {TOOL} {version}{tool}."


def _version(usages: Sequence[Usage]) -> str:
    """The version that made the results, which may be another than this.

    A saved result may name anything as its version: no more than a word gets into an entry.
    """
    versions = dict.fromkeys(re.sub(r"[^\w.+-]", "?", one.version) for one in usages)
    return " and ".join(versions) or __version__
