"""Scores of timelines as tilse gives them."""
