"""Plain ROUGE of pairs of texts: rouge-score-rs 0.2.1, which is compiled, and rouge-score 0.1.2."""

import json
import random
from pathlib import Path

from benchmarks.compare_timelines import demo_texts
from benchmarks.frame import Comparison, Group, Scale

SEED = 53
PAIRS: dict[Scale, int] = {"tiny": 5, "quick": 2_000, "full": 10_000}
WORDS = 60


def pairs(folder: Path, scale: Scale) -> str:
    """Pairs of texts; the trial has the first few."""
    for home, number in ((folder / "trial", 5), (folder, PAIRS[scale])):
        source, texts = random.Random(SEED), [text.split() for text in demo_texts()]
        sides = zip(*(_pair(source, texts) for _ in range(number)), strict=True)
        home.mkdir(parents=True, exist_ok=True)
        (home / "pairs.json").write_text(json.dumps([*sides]), encoding="utf-8")
    return f"{PAIRS[scale]:,} pairs of {WORDS} words"


def _pair(source: random.Random, texts: list[list[str]]) -> tuple[str, str]:
    """Runs of the demo data's words, of which a prediction has about half of the gold's."""
    gold: list[str] = []
    predicted: list[str] = []
    while len(gold) < WORDS or len(predicted) < WORDS:
        runs = []
        for _ in range(3):
            text = source.choice(texts)
            place = source.randrange(len(text))
            runs.append(text[place : place + source.randint(3, 12)])
        shared, one, two = runs
        gold += shared + one
        predicted += shared + two
    return " ".join(gold[:WORDS]), " ".join(predicted[:WORDS])


_DIFFERENCE = (
    "as it must be: ROUGE-1.5.5 drops stop words and looks up irregular forms, it keeps all words"
)


def _against(way: str, peer: str, label: str, bar: str = "", *, once: bool = False) -> Comparison:
    package = peer.replace("-", "_")
    plain = peer == "chronoscore"
    route = {"score": "chronoscore.score", "kernel": "the kernel alone"}[way]
    return Comparison(
        what=f"ROUGE-1 and 2 in memory, {route}",
        make=pairs,
        ours="rouge.py",
        own_arguments=(way,),
        theirs="counters_rouge.py" if plain else "rouge_pairs.py",
        peer=peer,
        arguments=() if plain else (package,),
        label=label,
        note=bar,
        difference="" if plain else _DIFFERENCE,
        once=once,
    )


_RUST, _RUST_LABEL = "rouge-score-rs", "rouge-score-rs 0.2.1, score_batch with stemmer"
_PLAIN = ("chronoscore", "a Counter a text, on our plain tokens")

GROUP = Group(
    "rouge",
    "plain ROUGE of pairs of texts against rouge-score-rs and rouge-score",
    (
        _against("score", _RUST, _RUST_LABEL, "bar: at least our work"),
        _against("kernel", _RUST, _RUST_LABEL, "bar: 1.3 times our work"),
        _against("score", "rouge-score", "rouge-score 0.1.2 with stemmer", once=True),
        _against("score", *_PLAIN),
        _against("kernel", *_PLAIN),
    ),
)
