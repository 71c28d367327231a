"""Chores of the maintainers."""
