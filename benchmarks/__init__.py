"""Chronoscore and its peers, run side by side on the same data: see README.md."""
