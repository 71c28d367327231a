"""The order of events: in which order did things happen?"""

from chronoscore.ordering.family import FAMILY, read_cases
from chronoscore.ordering.formats import check_names, read_orders
from chronoscore.ordering.model import Row, Timeline

__all__ = ["FAMILY", "Row", "Timeline", "check_names", "read_cases", "read_orders"]
