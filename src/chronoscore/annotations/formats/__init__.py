"""Annotations in files: the formats of annotation tools, recognised by name and content."""
