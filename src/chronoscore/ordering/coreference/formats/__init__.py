"""Readers of coreference: CoNLL-2012 files, JSON, timelines of SemEval-2015, `events.jsonl`."""

from chronoscore.ordering.coreference.formats.reading import Collection, read_clusterings

__all__ = ["Collection", "read_clusterings"]
