"""Writing brat standoff, and the notes that keep what brat has no place for.

A feature that brat could hold as an attribute is written as one. All else (numbers, texts with
blanks, ids, scores, sets) stands in a note `#1 chronoscore T1 {...}`, from which it is read again.
"""

import math
import re

import msgspec

from chronoscore.annotations.model import Annotation, Document, FeatureValue
from chronoscore.core.records import JsonError, parse_json

NOTE = "chronoscore"
_WORD = re.compile(r"[^\s:;|\x00-\x1f\x7f]+")
_TYPE = re.compile(r"[^\s:;\x00-\x1f\x7f]+")
_OWN = re.compile(r"T[0-9]+")


def unpacked(what: str, value: FeatureValue) -> dict[str, FeatureValue]:
    """The features that a line gives: one, or, from a note of ours, all that it keeps."""
    if what != NOTE or not isinstance(value, str):
        return {what: value}
    try:
        kept = parse_json(value)
    except JsonError:
        return {what: value}  # somebody else's note
    if not isinstance(kept, dict) or not isinstance(kept.get("features", {}), dict):
        return {what: value}
    own = {f"{NOTE}.{name}": kept[name] for name in _kinds_fit(kept)}
    features = {
        name: tuple(item) if isinstance(item, list) else item
        for name, item in kept.get("features", {}).items()
    }
    return {**own, **features}


def _kinds_fit(kept: dict[str, object]) -> list[str]:
    texts = [name for name in ("id", "type", "set") if isinstance(kept.get(name), str)]
    score = kept.get("score")
    number = isinstance(score, int | float) and not isinstance(score, bool) and math.isfinite(score)
    return [*texts, *(["score"] if number else [])]


def written_brat(document: Document) -> tuple[str, str]:
    """Write a document with a text as brat standoff: the text, and the lines beside it."""
    text = document.text or ""
    lines: list[str] = []
    attributes = notes = 0
    taken = {item.id for item in document.annotations if _OWN.fullmatch(item.id)}
    unique = len({item.id for item in document.annotations}) == len(document.annotations)
    following = iter(range(1, 10**9))
    for item in document.annotations:
        kept: dict[str, object] = {}
        if unique and item.id in taken:
            name = item.id
        else:
            name = next(f"T{n}" for n in following if f"T{n}" not in taken)
            kept["id"] = item.id
        kind = item.type
        if not _TYPE.fullmatch(kind):
            kind, kept["type"] = re.sub(r"[\s:;\x00-\x1f\x7f]", "_", kind), kind
        covered = re.sub(r"[\r\n\t]", " ", text[item.start : item.end])
        lines.append(f"{name}\t{kind} {item.start} {item.end}\t{covered}")
        for feature, value in _attributes(item).items():
            attributes += 1
            said = "" if value is True else f" {value}"
            lines.append(f"A{attributes}\t{feature} {name}{said}")
        kept |= _kept(item)
        if kept:
            notes += 1
            lines.append(f"#{notes}\t{NOTE} {name}\t{msgspec.json.encode(kept).decode()}")
    return text, "".join(f"{line}\n" for line in lines)


def _attributes(item: Annotation) -> dict[str, FeatureValue]:
    return {
        name: value
        for name, value in item.features.items()
        if _WORD.fullmatch(name)
        and name != NOTE
        and (value is True or (isinstance(value, str) and _WORD.fullmatch(value)))
    }


def _kept(item: Annotation) -> dict[str, object]:
    shown = _attributes(item)
    hidden = {name: value for name, value in item.features.items() if name not in shown}
    kept: dict[str, object] = {"features": hidden} if hidden else {}
    if item.set:
        kept["set"] = item.set
    if item.score is not None:
        kept["score"] = item.score
    return kept
