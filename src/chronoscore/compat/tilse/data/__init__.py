"""Timelines with the names and behaviour of tilse."""
