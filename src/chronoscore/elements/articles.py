"""Articles: `articles.jsonl`, one in each line, and the articles of public collections.

>>> articles_of([{"published": "2011-02-12", "text": "He resigned. Crowds cheered."}])[0].published
'2011-02-12'
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec

from chronoscore.core.problems import Problems
from chronoscore.core.records import JsonError, misfits, parse_json, read_records
from chronoscore.core.sources import Source, odd_character
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
    return [article for _, article in numbered_articles(source, problems)]


def numbered_articles(source: Source, problems: Problems) -> list[tuple[int, Article]]:
    """Read `articles.jsonl` as `read_articles` does, each article with its line."""
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
    return [*articles.values()]


# Collections


class CutArticle(Article, frozen=True, kw_only=True):
    """An article whose text is cut into sentences already, if it has any."""

    sentences: tuple[str, ...] = ()


class _RawSentence(msgspec.Struct, frozen=True):
    raw: str = ""


class _NewsTlsArticle(msgspec.Struct, frozen=True):
    """The fields of `articles.preprocessed.jsonl` that are used here; all others are skipped."""

    time: str
    id: str | int | None = None
    title: str | None = None
    text: str | None = None
    sentences: tuple[_RawSentence, ...] = ()

    def article(self) -> CutArticle:
        return CutArticle(
            id=str(self.id),
            published=self.time,
            title=self.title or "",
            text=self.text or "",
            sentences=tuple(sentence.raw for sentence in self.sentences),
        )


_FILES = ("articles.preprocessed.jsonl", "articles.tokenized.jsonl", "articles.jsonl")
"""The files of a topic, of which the first that it has is read."""
_INPUT_DOCS = "InputDocs"


def read_topics(source: Source, problems: Problems) -> dict[str, list[Article]]:
    """Read the articles of every topic, from a file or from the folders of a collection.

    A file is an `articles.jsonl`, or one of news-tls, whose topic is its folder. A folder has such
    a file in the folder of each topic, or texts in `TOPIC/InputDocs/DATE` or `TOPIC/DATE`. The
    topic of a single file that names none is empty.
    """
    topics: dict[str, list[Article]] = {}
    if not source.is_folder:
        for article in _read_file(source, problems):
            topics.setdefault(article.topic, []).append(article)
        return topics
    forms: dict[str, dict[int, list[tuple[PurePosixPath, Source]]]] = {}
    for path, file in source.files():
        form, topic = _place(PurePosixPath(source.file_name) / path, file)
        if topic:
            forms.setdefault(topic, {}).setdefault(form, []).append((path, file))
    for topic, by_form in forms.items():
        for path, file in by_form[min(by_form)]:
            articles = (
                _read_file(file, problems)
                if min(by_form) < len(_FILES)
                else _read_text(file, path, problems)
            )
            for article in articles:
                topics.setdefault(article.topic or topic, []).append(article)
    if not topics and not problems.problems:
        problems.problem(
            f"no articles in the folder, expected TOPIC/{_FILES[0]}, TOPIC/{_FILES[-1]} or "
            f"TOPIC/{_INPUT_DOCS}/DATE/*.txt",
            source,
        )
    return topics


def _place(path: PurePosixPath, file: Source) -> tuple[int, str]:
    """Return the number of a file's form, the best first, and its topic; no topic if it has none.

    >>> from chronoscore.core.sources import source_of
    >>> path = PurePosixPath("t17/egypt/InputDocs/2011-02-11/7.htm.txt")
    >>> _place(path, source_of(str(path)))
    (3, 'egypt')
    """
    folders = path.parent.parts
    if file.file_name in _FILES:
        return _FILES.index(file.file_name), folders[-1]
    if file.suffix == ".txt" and len(folders) > 1 and _is_day(folders[-1]):
        *outer, name = folders[:-1]
        if name != _INPUT_DOCS:
            return len(_FILES) + 1, name
        return len(_FILES), outer[-1] if outer else ""
    return 0, ""


def _is_day(name: str) -> bool:
    try:
        read_day(name)
    except TimeError:
        return False
    return True


def _read_file(source: Source, problems: Problems) -> Sequence[Article]:
    """Read a file of articles, ours or that of news-tls."""
    first = source.first_line(problems)
    if '"published"' in first or '"time"' not in first:
        return read_articles(source, problems)
    articles = []
    decode = msgspec.json.Decoder(_NewsTlsArticle).decode
    for number, line in source.lines(problems):
        if line.strip():
            try:
                article = decode(line).article()
                read_day(article.published)
            except TimeError as error:
                problems.problem(f"time: {error}", source, number)
            except msgspec.MsgspecError:
                for message in _misfits(line):
                    problems.problem(message, source, number)
            else:
                articles.append(article)
    return articles


def _misfits(line: str) -> list[str]:
    """Say in words why a line is no article of news-tls."""
    try:
        raw = parse_json(line)
    except JsonError as error:
        return [str(error)]
    place = "" if isinstance(raw, Mapping) else "the line"
    return [*misfits(raw, _NewsTlsArticle, place)]


def _read_text(source: Source, path: PurePosixPath, problems: Problems) -> list[Article]:
    """Read an article that is a text file in the folder of its day.

    Many articles of the old collections are empty, or have bytes that are not of their encoding,
    which become U+FFFD.
    """
    try:
        text = source.data().decode(problems.options.encoding, "replace").removeprefix("\ufeff")
    except OSError as error:
        problems.problem(f"can't be read: {error.strerror or error}", source)
        return []
    if odd := odd_character(text):
        problems.problem(f"the text {odd}", source)
        return []
    return [Article(id=path.name, published=path.parent.name, text=text)] if text.strip() else []


def articles_of(values: Iterable[Any]) -> list[Article]:
    """Make articles of articles, or of dicts with `published` (or `time`) and `text`.

    Dicts may have `sentences` as well.
    """
    return [*map(_article_of, values)]


def _article_of(value: Any) -> Article:
    if isinstance(value, Article):
        return value
    if not isinstance(value, Mapping):
        kind = type(value).__name__
        raise UsageError(f"an article is a {kind}, expected an Article or {{'published', 'text'}}")
    fields = {name: value[name] for name in CutArticle.__struct_fields__ if value.get(name)}
    published = value.get("published", value.get("time", ""))
    fields = {"id": "", **fields, "published": str(published)}
    if wrong := [*misfits(fields, CutArticle)]:
        raise UsageError(f"an article can't be read: {'; '.join(wrong)}")
    return msgspec.convert(fields, CutArticle)
