"""The articles that events were extracted from: `articles.jsonl`, one a line."""

from pathlib import Path

import msgspec

from chronoscore.core.reading import Reading
from chronoscore.core.records import read_records
from chronoscore.elements.dates import parse_day


class Article(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A text that events point into, and the day it came out."""

    id: str
    published: str = ""
    """YYYY-MM-DD; from it relative dates are counted."""
    title: str = ""
    text: str = ""
    topic: str = ""


def read_articles(path: Path, reading: Reading) -> list[Article]:
    """Read `articles.jsonl`; problems and unknown fields are noted in the reading."""
    articles: dict[str, tuple[int, Article]] = {}
    for line, article in read_records(path, Article, reading):
        if not article.id.strip():
            reading.problem("id is empty", path, line)
        elif article.id in articles:
            first = articles[article.id][0]
            message = f"article id '{article.id}' is used twice, first in line {first}"
            reading.problem(message, path, line)
        else:
            articles[article.id] = (line, article)
        if article.published:
            try:
                parse_day(article.published)
            except ValueError as error:
                reading.problem(f"published: {error}", path, line)
    return [article for _, article in articles.values()]
