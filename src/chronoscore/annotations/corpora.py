"""Two corpora side by side: which documents belong together, and the texts of documents."""

import hashlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

import msgspec

from chronoscore.annotations.formats.documents import Collection
from chronoscore.annotations.metrics import shown
from chronoscore.annotations.model import Document
from chronoscore.annotations.parameters import SpanQuestion, compared_features
from chronoscore.core.case import Case
from chronoscore.core.family import WHOLE_TEXT, Texts
from chronoscore.core.problems import Problems
from chronoscore.core.records import read_records
from chronoscore.core.sources import Source

Documents = Mapping[str, Mapping[str, Document]]
_SHOWN = 20


def _digest(document: Document, _: int) -> str:
    return "" if document.text is None else hashlib.sha256(document.text.encode()).hexdigest()


_KEYS: Mapping[str, Callable[[Document, int], str]] = {
    "path": lambda document, _: document.id,
    "name": lambda document, _: PurePosixPath(document.id).name,
    "stored": lambda document, _: document.stored or document.id,
    "index": lambda _, place: str(place),
    "digest": _digest,
}
MATCH_BY = tuple(_KEYS)
"""By place in the folder, file name, the name inside, the place in order, or the text itself."""


def keyed(
    documents: Documents, match_by: str, problems: Problems, whose: str = ""
) -> dict[str, str]:
    """Return the ids of documents by the key that matches them; report keys that occur twice."""
    ids: dict[str, str] = {}
    before = f"{whose}: " if whose else ""
    for place, (key, versions) in enumerate(documents.items(), 1):
        name = _KEYS[match_by](next(iter(versions.values())), place)
        if not name:
            problems.problem(f"{before}document '{key}' has no text to be matched by")
        elif name in ids:
            shown = "the same text" if match_by == "digest" else f"the name '{name}'"
            problems.problem(f"{before}documents '{ids[name]}' and '{key}' both have {shown}")
        else:
            ids[name] = key
    return ids


def parallel(
    golds: Documents, predicted: Documents, match_by: str, problems: Problems, system: str
) -> Documents:
    """Return the predicted documents under the ids of the gold's; report texts that differ.

    Documents without gold keep their id, so that the caller can report them.
    """
    if match_by != "path":
        gold_ids = keyed(golds, match_by, problems, "gold")
        ids = keyed(predicted, match_by, problems, system)
        renamed = {ids[name]: gold_ids[name] for name in ids.keys() & gold_ids.keys()}
        unmatched = [key for key in predicted if key not in renamed]
        predicted = {
            **{renamed[key]: versions for key, versions in predicted.items() if key in renamed},
            **{f"{key} (no gold)" if key in golds else key: predicted[key] for key in unmatched},
        }
    for key, versions in golds.items():
        gold = next(iter(versions.values()))  # the golds of a document have one text
        for other in predicted.get(key, {}).values() if gold.text is not None else ():
            _compare(gold, other, problems, system)
    return predicted


def same_text(golds: Collection, problems: Problems) -> None:
    """Report golds of one document whose texts differ."""
    for versions in golds.values():
        first, *others = versions.values()
        for other in others:
            _compare(first, other, problems, "gold")


def _compare(gold: Document, other: Document, problems: Problems, system: str) -> None:
    if gold.text is None:
        return
    if other.text is not None and other.text != gold.text:
        problems.problem(
            f"{system}: document '{gold.id}' has another text than the gold: "
            f"{_difference(gold.text, other.text)}"
        )
    elif other.text is None:
        beyond = next((a for a in other.annotations if a.end > len(gold.text)), None)
        if beyond is not None:
            problems.problem(
                f"{system}: document '{gold.id}': annotation '{beyond.id}' ends at {beyond.end}, "
                f"the gold's text has {len(gold.text)} characters"
            )


def _difference(gold: str, other: str) -> str:
    """Say where two texts begin to differ.

    >>> _difference("The ship floats.", "The shop floats.")
    "at character 6 the gold has 'ip floats.', here is 'op floats.'"
    """
    place = next(
        (i for i, (a, b) in enumerate(zip(gold, other, strict=False)) if a != b),
        min(len(gold), len(other)),
    )
    expected, actual = gold[place : place + _SHOWN], other[place : place + _SHOWN]
    return f"at character {place} the gold has {expected!r}, here is {actual!r}"


def texts_of(
    case: Case[Document, Document], settings: Sequence[Hashable] = ()
) -> tuple[Texts, Texts]:
    """Return the text of the document, which both sides share, and the features that are compared.

    The text is with the gold, and nowhere if neither side has it. Features are those of each
    annotation, by the name that matches give it.
    """
    text = case.gold.text if case.gold.text is not None else case.predicted.text
    questions = [one for one in settings if type(one) is SpanQuestion]  # lists name other things
    pairs = [pair for one in questions for pair in compared_features(one.features).pairs]
    gold, predicted = (
        _features(document, [*dict.fromkeys(pair[side] for pair in pairs)])
        for side, document in enumerate((case.gold, case.predicted))
    )
    return {**({} if text is None else {WHOLE_TEXT: (text,)}), **gold}, predicted


def _features(document: Document, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the features of these names that each annotation has, as it is shown."""
    if not names:
        return {}
    features = {
        shown(one): tuple(f"{name}: {one.features[name]}" for name in names if name in one.features)
        for one in document.annotations
    }
    return {name: texts for name, texts in features.items() if texts}


def text_of(texts: Mapping[str, tuple[str, ...]]) -> str | None:
    """Return the text of a document from what `texts_of` returned, or None."""
    return "\n".join(texts[WHOLE_TEXT]) if WHOLE_TEXT in texts else None


class _Article(msgspec.Struct, frozen=True):
    """A line of `articles.jsonl`, of which only id and text are used."""

    id: str
    text: str
    title: str = ""
    published: str = ""
    topic: str = ""


def read_texts(source: Source, problems: Problems) -> dict[str, str]:
    """Read the texts of documents by id, from an `articles.jsonl` or a folder of `.txt` files."""
    texts: dict[str, str] = {}
    if source.is_folder:
        for inside, file in source.files():
            text = file.text(problems) if inside.suffix == ".txt" else None
            if text is not None:
                texts[inside.with_suffix("").as_posix()] = text
    else:
        for line, article in read_records(source, _Article, problems):
            if article.id in texts:
                problems.problem(f"document '{article.id}' is there twice", source, line)
            texts[article.id] = article.text
    if not texts and not problems.problems:
        problems.problem("there are no texts here", source)
    return texts


def with_texts(
    documents: Documents, texts: Mapping[str, str], source: Source, problems: Problems
) -> Collection:
    """Add the texts to documents that have none; report texts that do not fit."""
    lacking = [key for key in documents if key not in texts]
    if lacking and len(lacking) == len(documents):
        problems.problem(
            f"no text belongs to a document of the gold, such as '{lacking[0]}'", source
        )
    elif lacking:
        problems.notice(f"{len(lacking)} documents have no text, first '{lacking[0]}'", source)
    return {
        key: {
            name: _filled(document, texts.get(key), source, problems)
            for name, document in versions.items()
        }
        for key, versions in documents.items()
    }


def _filled(document: Document, text: str | None, source: Source, problems: Problems) -> Document:
    if text is None:
        return document
    if document.text is not None:
        if document.text != text:
            problems.problem(f"document '{document.id}' already has another text", source)
        return document
    for annotation in document.annotations:
        if annotation.end > len(text):
            problems.problem(
                f"annotation '{annotation.id}' of document '{document.id}' ends at "
                f"{annotation.end}, its text has {len(text)} characters",
                source,
            )
    return replace(document, text=text)
