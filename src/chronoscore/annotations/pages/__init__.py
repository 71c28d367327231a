"""The tables and pages of annotations; each module is imported when it is shown."""
