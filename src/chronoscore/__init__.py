"""Chronoscore scores event timelines."""

__version__ = "0.1.0"
