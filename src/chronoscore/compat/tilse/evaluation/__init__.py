"""Scores of timelines with the names and behaviour of tilse."""
