"""The tables and pages of judgements; each module is imported when it is shown."""
