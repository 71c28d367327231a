"""Renderings of a result: result in, text out."""

from chronoscore.reports.render import FORMATS, render, render_tables

__all__ = ["FORMATS", "render", "render_tables"]
