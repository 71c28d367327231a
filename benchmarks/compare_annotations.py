"""Annotations: nervaluate 1.2.1 from spans, seqeval 1.2.2 from BIO tags; and we alone."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.frame import Bench, Comparison, Cost, Group, Row, Scale, growth

SEED = 23
LONG, SHORT = 1000, 100
"""Tokens of a document. nervaluate's time grows with the length, so that both are measured."""
TOKENS_A_SPAN = 8.5
"""About as many as `_document` takes."""
TYPES = ("EVENT", "TIMEX", "PLACE", "ACTOR")
SIZES = (1_000, 10_000, 100_000)
ALONE: dict[Scale, tuple[int, ...]] = {
    "tiny": (1_000,),
    "quick": (100_000,),
    "full": (1_000_000, 5_000_000),
}
GROWN: dict[Scale, tuple[int, ...]] = {
    "tiny": (100, 200),
    "quick": (500, 1_000, 2_000, 4_000),
    "full": (2_000, 4_000, 8_000, 16_000),
}
ONE_DOCUMENT: dict[Scale, int] = {"tiny": 200, "quick": 10_000, "full": 10_000}
SHARE: dict[Scale, float] = {"tiny": 0.002, "quick": 0.1, "full": 1}
"""How much of each size is run."""

Span = tuple[int, int, str]


def documents(spans: int, tokens: int) -> Callable[[Path, Scale], str]:
    """Flat documents of so many tokens, as spans of tokens and as BIO tags."""

    def make(folder: Path, scale: Scale) -> str:
        count = max(2, round(spans * SHARE[scale] * TOKENS_A_SPAN / tokens))
        _documents(folder / "trial", 2, tokens)
        size = _documents(folder, count, tokens)
        return f"{size:,} spans in {count:,} flat documents of {tokens:,} tokens"

    make.__name__ = f"documents_{spans}_{tokens}"
    return make


def _documents(folder: Path, count: int, tokens: int) -> int:
    source = random.Random(SEED)
    pairs = [_document(source, tokens) for _ in range(count)]
    folder.mkdir(parents=True, exist_ok=True)
    tags = {}
    for side, name in enumerate(("gold", "system")):
        lines = [
            json.dumps(
                {
                    "id": f"d{number:05}",
                    "annotations": [{"start": s, "end": e, "type": t} for s, e, t in pair[side]],
                }
            )
            for number, pair in enumerate(pairs)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        tags[name] = [_tags(pair[side], tokens) for pair in pairs]
    (folder / "tags.json").write_text(json.dumps(tags), encoding="utf-8")
    return sum(len(gold) for gold, _ in pairs)


def _document(source: random.Random, tokens: int) -> tuple[list[Span], list[Span]]:
    """Gold spans with gaps, and predictions: right, of wrong type or length, lost or invented.

    A prediction meets one gold span at most; where it meets two, the tools choose differently.
    """
    gold, predicted = [], []
    place = source.randrange(4)
    while place < tokens - 6:
        end = place + source.randint(1, 4)
        kind, luck = source.choice(TYPES), source.random()
        if luck < 0.9:
            gold.append((place, end, kind))
        if luck < 0.6 or luck >= 0.9:
            predicted.append((place, end, kind))
        elif luck < 0.7:
            predicted.append((place, end, source.choice(TYPES)))
        elif luck < 0.8:
            predicted.append((place, end + 1, kind))
        place = end + source.randint(2, 8)
    return gold, predicted


def _tags(spans: list[Span], tokens: int) -> list[str]:
    tags = ["O"] * tokens
    for start, end, kind in spans:
        tags[start:end] = [f"B-{kind}", *[f"I-{kind}"] * (end - start - 1)]
    return tags


def _against(spans: int, where: str, tokens: int = LONG) -> tuple[Comparison, Comparison]:
    """Both peers on so many spans: from files, or from what each has in memory."""
    memory = where == "in memory"
    return (
        Comparison(
            what=f"strict and lenient F1, {where}",
            make=documents(spans, tokens),
            ours="annotations_memory.py" if memory else "annotations.py",
            theirs="nervaluate_annotations.py",
            peer="nervaluate",
            label="nervaluate 1.2.1",
            arguments=("memory",) if memory else (),
            own_arguments=("lenient",) if memory else (),
            note=f"it always runs 4 schemes, over all and by type{_bar(spans, where, tokens)}",
        ),
        Comparison(
            what=f"strict F1, {where}",
            make=documents(spans, tokens),
            ours="annotations_memory.py" if memory else "annotations_strict.py",
            theirs="seqeval_annotations.py",
            peer="seqeval",
            label="seqeval 1.2.2",
            arguments=("memory",) if memory else (),
            note="it has no lenient score; ours is computed here too",
        ),
    )


def _bar(spans: int, where: str, tokens: int) -> str:
    """How far ahead of nervaluate we want to be, at 100,000 spans."""
    bars = {("in memory", SHORT): 200, ("from files", SHORT): 20}
    wanted = bars.get((where, tokens)) if spans == SIZES[-1] else None
    return f"; bar: {wanted} times our work" if wanted else ""


COMPARISONS = (
    *(one for spans in SIZES for one in _against(spans, "in memory")),
    *_against(SIZES[-1], "in memory", SHORT),
    *_against(SIZES[-1], "from files"),
    *_against(SIZES[-1], "from files", SHORT),
)


def alone(bench: Bench) -> Iterator[Row]:
    """What no peer is measured on: spans by the million in crowded documents, and their curve."""
    wanted = [("counts", size, 100) for size in ALONE[bench.scale]]
    wanted.append(("curve", ALONE[bench.scale][0], 100))
    wanted.append(("counts", ONE_DOCUMENT[bench.scale], 10_000))
    for what, size, a_document in wanted:
        text = f"{size:,} spans, {min(size, a_document):,} a document, a tenth in each other's way"
        yield Row(f"{what} after reading, {text}", "none", _counted(bench, what, size, a_document))


def _counted(bench: Bench, what: str, size: int, a_document: int) -> Cost:
    arguments = (what, str(size), str(a_document))
    return bench.drive_ours("annotations_alone.py", bench.folder("nothing"), arguments)


def growth_in_spans(bench: Bench) -> Iterator[Row]:
    """More documents, and longer ones."""
    for what, unit, a_document in (
        ("spans of many documents", "documents of 100 spans", 100),
        ("spans of one document", "spans", 0),
    ):
        yield growth(
            what,
            unit,
            GROWN[bench.scale],
            lambda size, each=a_document: _counted(
                bench, "counts", size * (each or 1), each or size
            ),  # type: ignore[misc]
        )


GROUP = Group(
    "annotations",
    "strict and lenient scores of spans against nervaluate and seqeval",
    COMPARISONS,
    (alone, growth_in_spans),
)
