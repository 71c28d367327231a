"""How far evaluators agree, on what they differ, and whether they drift."""
