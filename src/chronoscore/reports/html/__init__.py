"""A result as one HTML file that opens offline: the numbers, the reasons, the pictures."""

from chronoscore.reports.html.page import report, write_report

__all__ = ["report", "write_report"]
