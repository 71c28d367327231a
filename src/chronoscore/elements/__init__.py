"""What families share: dates, text, assignment, ratios."""
