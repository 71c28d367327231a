"""Timelines as tilse keeps them."""
