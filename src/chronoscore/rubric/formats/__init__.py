"""Judgements in files: sheets, workbooks, JSON lines, and what annotation tools export."""

from chronoscore.elements.articles import Article, read_articles
from chronoscore.rubric.formats.label_studio import write_judged_project, write_label_studio
from chronoscore.rubric.formats.reading import read_judgements
from chronoscore.rubric.formats.sheets import FORMATS, write_judgements

__all__ = [
    "FORMATS",
    "Article",
    "read_articles",
    "read_judgements",
    "write_judged_project",
    "write_judgements",
    "write_label_studio",
]
