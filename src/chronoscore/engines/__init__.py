"""Engines measure cases and unite their rows; the result does not show which one was used."""
