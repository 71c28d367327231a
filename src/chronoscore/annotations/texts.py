"""The text that annotations are in, for those who read the matches of a document."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from chronoscore.annotations.model import Document
from chronoscore.core.case import Case
from chronoscore.core.family import Texts
from chronoscore.core.reading import Reading
from chronoscore.core.records import read_records

TEXT = "(text)"
"""What the text of a document is called among the texts of a case; no annotation is so called."""


def texts_of(case: Case[Document, Document]) -> tuple[Texts, Texts]:
    """The text of the document, which both sides share; nothing where it is not known."""
    text = case.gold.text if case.gold.text is not None else case.predicted.text
    return ({} if text is None else {TEXT: (text,)}), {}


def text_of(texts: Mapping[str, tuple[str, ...]]) -> str | None:
    """Read what `texts_of` wrote."""
    return "\n".join(texts[TEXT]) if TEXT in texts else None


class _Article(msgspec.Struct, frozen=True):
    """A line of `articles.jsonl`, of which only the text is wanted."""

    id: str
    text: str
    title: str = ""
    published: str = ""
    topic: str = ""


def read_texts(path: Path, reading: Reading) -> dict[str, str]:
    """The texts of documents by id: of an `articles.jsonl`, or of a folder of `.txt` files."""
    found: dict[str, str] = {}
    if path.is_dir():
        for file in sorted(path.rglob("*.txt")):
            text = reading.text(file)
            if text is not None:
                found[file.relative_to(path).with_suffix("").as_posix()] = text
    else:
        for line, article in read_records(path, _Article, reading):
            if article.id in found:
                reading.problem(f"document '{article.id}' is there twice", path, line)
            found[article.id] = article.text
    if not found and not reading.problems:
        reading.problem("there are no texts here", path)
    return found


def with_texts(
    documents: Mapping[str, Mapping[str, Document]],
    texts: Mapping[str, str],
    path: Path,
    reading: Reading,
) -> dict[str, dict[str, Document]]:
    """Give documents that have none their texts; what does not fit is a problem."""
    lacking = [key for key in documents if key not in texts]
    if lacking and len(lacking) == len(documents):
        reading.problem(f"no text is of a document of the gold, such as '{lacking[0]}'", path)
    elif lacking:
        reading.notice(f"{len(lacking)} documents have no text, first '{lacking[0]}'", path)
    return {
        key: {name: _filled(one, texts.get(key), path, reading) for name, one in several.items()}
        for key, several in documents.items()
    }


def _filled(document: Document, text: str | None, path: Path, reading: Reading) -> Document:
    if text is None:
        return document
    if document.text is not None:
        if document.text != text:
            reading.problem(f"the text of document '{document.id}' is not the one it has", path)
        return document
    for one in document.annotations:
        if one.end > len(text):
            reading.problem(
                f"annotation '{one.id}' of document '{document.id}' ends at {one.end}, its text "
                f"has {len(text)} characters",
                path,
            )
    return replace(document, text=text)
