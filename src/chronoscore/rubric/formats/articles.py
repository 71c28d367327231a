"""The articles that events were extracted from: `articles.jsonl`, one in each line."""

import msgspec

from chronoscore.core.problems import Problems
from chronoscore.core.records import read_records
from chronoscore.core.sources import Source
from chronoscore.elements.text import language_code
from chronoscore.elements.time import TimeError
from chronoscore.elements.time.reading import read_day
from chronoscore.errors import UsageError


class Article(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A text that events point into, and the day it came out."""

    id: str
    published: str = ""
    """YYYY-MM-DD; relative dates are counted from this day."""
    title: str = ""
    text: str = ""
    topic: str = ""
    language: str = ""
    """BCP 47, such as en or pt-BR; where it is missing, the text shows whether it is English."""


def read_articles(source: Source, problems: Problems) -> list[Article]:
    """Read `articles.jsonl`; problems and unknown fields are reported."""
    articles: dict[str, tuple[int, Article]] = {}
    for line, article in read_records(source, Article, problems):
        if not article.id.strip():
            problems.problem("id is empty", source, line)
        elif article.id in articles:
            first = source.refer(articles[article.id][0], line)
            problems.problem(
                f"article id '{article.id}' is used twice, first in {first}", source, line
            )
        else:
            articles[article.id] = (line, article)
        if article.published:
            try:
                read_day(article.published)
            except TimeError as error:
                problems.problem(f"published: {error}", source, line)
        if article.language:
            try:
                language_code(article.language)
            except UsageError as error:
                problems.problem(str(error), source, line)
    return [article for _, article in articles.values()]
