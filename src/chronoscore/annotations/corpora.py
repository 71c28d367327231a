"""Two corpora side by side: which document of the one is which of the other, and the same text."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from chronoscore.annotations.formats import Collection
from chronoscore.annotations.model import Document
from chronoscore.core.reading import Reading

Documents = Mapping[str, Mapping[str, Document]]
_SHOWN = 20


def _digest(document: Document, _: int) -> str:
    return "" if document.text is None else hashlib.sha256(document.text.encode()).hexdigest()


_KEYS: Mapping[str, Callable[[Document, int], str]] = MappingProxyType(
    {
        "path": lambda document, _: document.id,
        "name": lambda document, _: PurePosixPath(document.id).name,
        "stored": lambda document, _: document.stored or document.id,
        "index": lambda _, place: str(place),
        "digest": _digest,
    }
)
MATCH_BY = tuple(_KEYS)
"""By place in the folder, file name, the name inside, the place in order, or the text itself."""


def keyed(documents: Documents, match_by: str, reading: Reading, whose: str = "") -> dict[str, str]:
    """The ids of documents by what they are matched by; what is there twice is a problem."""
    found: dict[str, str] = {}
    before = f"{whose}: " if whose else ""
    for place, (key, named) in enumerate(documents.items(), 1):
        name = _KEYS[match_by](next(iter(named.values())), place)
        if not name:
            reading.problem(f"{before}document '{key}' has no text to be matched by")
        elif name in found:
            shown = "the same text" if match_by == "digest" else f"the name '{name}'"
            reading.problem(f"{before}documents '{found[name]}' and '{key}' both have {shown}")
        else:
            found[name] = key
    return found


def parallel(
    golds: Collection, predicted: Documents, match_by: str, reading: Reading, system: str
) -> Collection:
    """The predicted documents under the ids of the gold's, with their texts compared.

    Documents that have no gold keep their id, so that they can be told.
    """
    if match_by != "path":
        ours = keyed(golds, match_by, reading, "gold")
        theirs = keyed(predicted, match_by, reading, system)
        renamed = {theirs[name]: ours[name] for name in theirs.keys() & ours.keys()}
        left = [key for key in predicted if key not in renamed]
        predicted = {
            **{renamed[key]: named for key, named in predicted.items() if key in renamed},
            **{f"{key} (no gold)" if key in golds else key: predicted[key] for key in left},
        }
    for key in golds.keys() & predicted.keys():
        gold = next(iter(golds[key].values()))  # the golds of a document have one text
        for other in predicted[key].values():
            _compare(gold, other, reading, system)
    return {key: dict(named) for key, named in predicted.items()}


def same_text(golds: Collection, reading: Reading) -> None:
    """Note golds of one document whose texts differ."""
    for named in golds.values():
        first, *others = named.values()
        for other in others:
            _compare(first, other, reading, "gold")


def _compare(gold: Document, other: Document, reading: Reading, system: str) -> None:
    if gold.text is None:
        return
    if other.text is not None and other.text != gold.text:
        reading.problem(
            f"{system}: document '{gold.id}' has another text than the gold: "
            f"{_difference(gold.text, other.text)}"
        )
    elif other.text is None:
        beyond = next((a for a in other.annotations if a.end > len(gold.text)), None)
        if beyond is not None:
            reading.problem(
                f"{system}: document '{gold.id}': annotation '{beyond.id}' ends at {beyond.end}, "
                f"the gold's text has {len(gold.text)} characters"
            )


def _difference(one: str, two: str) -> str:
    """Where two texts begin to differ.

    >>> _difference("The ship floats.", "The shop floats.")
    "at character 6 the gold has 'ip floats.', here is 'op floats.'"
    """
    place = next(
        (i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b),
        min(len(one), len(two)),
    )
    ours, theirs = one[place : place + _SHOWN], two[place : place + _SHOWN]
    return f"at character {place} the gold has {ours!r}, here is {theirs!r}"
