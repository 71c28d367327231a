"""Dates in words: what "last Monday" can mean, and what a sentence says of its event's date."""
