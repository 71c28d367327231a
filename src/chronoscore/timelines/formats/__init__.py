"""Timelines in files: every layout in use is read and written."""
