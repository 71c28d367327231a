"""Clusters of things that have no name yet: which of the prediction's are which of the gold's.

An entity linker says NIL1, NIL2, ... of things that are in no knowledge base. The numbers are its
own, so they can't be compared with the gold's. In each document the clusters of the two sides are
given to each other so that as many coextensive annotations of one type as possible agree.
"""

from collections import defaultdict
from dataclasses import replace

import numpy as np

from chronoscore.annotations.assigning import heaviest
from chronoscore.annotations.columns import Columns, Label, LabelCoder
from chronoscore.annotations.pairing import meetings
from chronoscore.annotations.question import Question, compared_features, nil_text, type_map

UNKNOWN = "\0"
"""Before the name of a cluster that no gold cluster was given to: it is equal to no gold value."""


def with_gold_clusters(keys: Columns, responses: Columns, question: Question) -> Columns:
    """The responses, with the names of the gold's clusters in place of their own."""
    renamed = type_map(question.types)
    ours, theirs = _clusters(keys, question, 0), _clusters(responses, question, 1)
    met = meetings(keys, responses)
    shared: dict[int, dict[tuple[str, str], int]] = defaultdict(lambda: defaultdict(int))
    for key, response in zip(
        met.key[met.coextensive].tolist(), met.response[met.coextensive].tolist(), strict=True
    ):
        left, right = keys.labels[keys.label[key]], responses.labels[responses.label[response]]
        if key in ours and response in theirs and left.type == renamed.get(right.type, right.type):
            shared[int(keys.document[key])][ours[key], theirs[response]] += 1
    names = {document: _assigned(weights) for document, weights in shared.items()}
    coder, codes = LabelCoder(), []
    for place, code in enumerate(responses.label.tolist()):
        label = responses.labels[code]
        if place in theirs:
            own = theirs[place]
            given = names.get(int(responses.document[place]), {}).get(own, UNKNOWN + own)
            label = _renamed(label, question, given)
        codes.append(coder.code(*label))
    return replace(responses, label=np.array(codes, np.int64), labels=coder.labels)


def _clusters(side: Columns, question: Question, which: int) -> dict[int, str]:
    """The cluster of each annotation that is in one."""
    names = {
        code: text
        for code, label in enumerate(side.labels)
        if (text := nil_text(label, question, which)) and text.startswith(question.nil_value)
    }
    codes = enumerate(side.label.tolist())
    return {place: names[code] for place, code in codes if code in names}


def _assigned(weights: dict[tuple[str, str], int]) -> dict[str, str]:
    golds = sorted({gold for gold, _ in weights})
    predicted = sorted({own for _, own in weights})
    rows = [
        [(golds.index(gold), n) for (gold, name), n in sorted(weights.items()) if name == own]
        for own in predicted
    ]
    answer = heaviest(rows, len(golds))
    return {own: golds[at] for own, at in zip(predicted, answer, strict=True) if at >= 0}


def _renamed(label: Label, question: Question, given: str) -> Label:
    type_ = type_map(question.types).get(label.type, label.type)
    (_, name), *_others = compared_features(question.features).of(type_)
    return label._replace(features={**label.features, name: given})
