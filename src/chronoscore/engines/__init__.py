"""Engines measure cases and unite their rows; the result does not depend on the engine."""
