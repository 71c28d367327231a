"""Readers of coreference: CoNLL-2012, JSON, SemEval-2015 timelines, `events.jsonl`, links."""

from chronoscore.ordering.coreference.formats.links import LINK_FEATURE
from chronoscore.ordering.coreference.formats.reading import (
    Collection,
    read_clusterings,
)

__all__ = ["LINK_FEATURE", "Collection", "read_clusterings"]
