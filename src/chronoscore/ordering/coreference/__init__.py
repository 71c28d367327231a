"""Coreference: which mentions are of the same event?"""

from chronoscore.ordering.coreference.family import FAMILY, read_cases
from chronoscore.ordering.coreference.formats import read_clusterings
from chronoscore.ordering.coreference.model import Clustering

__all__ = ["FAMILY", "Clustering", "read_cases", "read_clusterings"]
