"""A language is a file: what English means comes from its file, and another file is enough."""

import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from chronoscore.cli.main import command
from chronoscore.elements.time.expressions import lexicon
from chronoscore.elements.time.expressions.finding import find, resolve
from chronoscore.elements.time.expressions.lexicon import Lexicon, lexicon_for, load_lexicon
from chronoscore.elements.time.expressions.sentences import assess, sentence_span
from chronoscore.errors import UsageError
from chronoscore.rubric.contradictions import unknown_language

FILES = sorted(Path(lexicon.__file__).parent.glob("*.toml"))
# A few expressions of German, as a file of that language would have them.
GERMAN = r"""
name = "German"
cores = [
    {rule = "relative_day", pattern = '(?i:(?P<days>{days}))\b'},
    {rule = "weekday", pattern = '(?:(?P<step>{step}) )?(?P<weekday>{Weekdays})\b'},
    {rule = "period", pattern = '(?P<step>{step}) (?P<unit>Woche)\b'},
    {rule = "distance", pattern = '(?:(?P<ago>vor)|in) {amount} (?P<unit>{unit})\b'},
    {rule = "day_of_month", pattern = '(?P<date>[0-9]+)\. (?P<month>{Months})(?: {year})?\b'},
    {rule = "month", pattern = '(?P<month>{Months}) {year}\b'},
    {rule = "holiday", pattern = '(?i:(?P<holiday>{holiday}))\b'},
    {kind = "offset", pattern = '{amount} (?P<unit>{unit}) (?P<way>nach|vor)\b'},
]
modifiers = [{change = "late", pattern = '\b(?i:ende)\s+$'}]

[lists]
weekdays = "montag dienstag mittwoch donnerstag freitag samstag sonntag"
months = "januar februar märz april mai juni juli august september oktober november dezember"
numbers = "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"

[fragments]
year = '(?P<year>[12][0-9]{3})'
amount = '(?i:(?P<number>[0-9]+|{number}))'
unit = '(?i:{unit})'

[patterns]
preposition = '(?i)(?:(?:am|im|der|den|dem)\s+)*'
range = '\s+bis\s+(?:zum\s+)?'
sentence_end = '[.!?]\s+(?=[A-ZÄÖÜ])'
no_sentence_end = '\b(?:Dr|Hr|Fr)\.\s+$'

[other_numbers]
einem = 1
einer = 1

[values.days]
gestern = -1
vorgestern = -2
"übermorgen" = 2

[values.step]
letzten = "last"
"nächsten" = "next"
"nächste" = "next"

[values.unit]
tag = "day"
tage = "day"
tagen = "day"
woche = "week"
wochen = "week"
jahr = "year"
jahren = "year"

[values.way]
nach = 1
vor = -1

[values.holiday]
"karfreitag" = -2
"tag der deutschen einheit" = [[10, 3, 1]]

[words]
time = "tag tage woche kürzlich neulich"
"""


@pytest.fixture
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lexicon]:
    """German beside English, in a folder of its own: nothing but the file says that it is known."""
    for file in FILES:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "de.toml").write_text(GERMAN, encoding="utf-8")
    caches = (lexicon.load_lexicon, lexicon.known_languages, unknown_language)
    for each in caches:
        each.cache_clear()
    monkeypatch.setattr(lexicon, "files", lambda _: tmp_path)
    yield load_lexicon("de")
    for each in caches:
        each.cache_clear()


# 2011-02-18 is a Friday.
@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("gestern", ["2011-02-17"]),
        ("Übermorgen", ["2011-02-20"]),
        ("am Montag", ["2011-02-14", "2011-02-21"]),
        ("letzten Montag", ["2011-02-14", "2011-02-07"]),
        ("vor drei Tagen", ["2011-02-15"]),
        (
            "in einer Woche",
            ["2011-02-25", "2011-02-21..2011-02-27", "2011-02-22..2011-02-28"],
        ),
        ("am 3. Oktober 1990", ["1990-10-03"]),
        ("Ende März 2010", ["2010-03-16..2010-03-31"]),
        ("am Karfreitag", ["2010-04-02", "2011-04-22"]),
        ("zwei Tage nach dem 9. November 1989", ["1989-11-11"]),
        ("Montag bis Mittwoch", ["2011-02-14..2011-02-16", "2011-02-21..2011-02-23"]),
        ("last Monday", []),
        ("neulich", []),
    ],
)
def test_another_file_is_enough_for_another_language(
    expression: str, expected: list[str], german: Lexicon
) -> None:
    found = resolve(expression, date(2011, 2, 18), german)
    assert [str(each) for each in found] == expected


def test_a_sentence_of_another_language_is_read_by_its_own_words(german: Lexicon) -> None:
    text = "Es regnete. Dr. Weiß kam vorgestern. Sie ging."
    start, end = sentence_span(text, text.index("kam"), text.index("kam") + 3, german)
    assert text[start:end] == "Dr. Weiß kam vorgestern."
    judged = [date(2011, 2, 16), date(2011, 2, 17)]
    verdicts = [assess(text[start:end], date(2011, 2, 18), d, d, german).verdict for d in judged]
    assert verdicts == ["supported", "contradicted"]
    unknown = [one.text for one in find("Kürzlich kam er.", date(2011, 2, 18), german)]
    assert unknown == ["Kürzlich"]


def test_the_command_knows_every_language_that_has_a_file(german: Lexicon) -> None:
    words = ["rubric", "dates", "vor drei Tagen", "--published", "2011-02-18"]
    done = CliRunner().invoke(command, [*words, "--language", "de-AT"])
    assert done.stdout == "vor drei Tagen\t2011-02-15\tcounted in days to the day\n"
    assert german.name == "German"
    refused = CliRunner().invoke(command, [*words, "--language", "en"])
    assert "expected one German or English expression of a date" in str(refused.exception)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_language_has_the_tables_of_english(path: Path) -> None:
    english = tomllib.loads(path.with_name("en.toml").read_text(encoding="utf-8"))
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    assert tables.keys() == english.keys()
    for name in ("words", "values", "lists"):
        assert tables[name].keys() == english[name].keys()


@pytest.mark.parametrize(
    ("text", "code", "language"),
    [
        ("He left on Monday.", "", "en"),
        ("He left on Monday.", "en-GB", "en"),
        ("He left on Monday.", "de", None),
        ("Он уехал в понедельник.", "", None),
        ("Он уехал в понедельник.", "en", "en"),
        ("El gobierno anuncia la retirada de las tropas en la frontera. " * 6, "", None),
        ("", "", "en"),
    ],
)
def test_a_code_decides_before_the_look_of_a_text(
    text: str, code: str, language: str | None
) -> None:
    found = lexicon_for(text, code)
    assert (found.language if found else None) == language


@pytest.mark.parametrize("code", ["English", "e", "../en", "en/..", "12"])
def test_what_is_no_code_is_refused(code: str) -> None:
    with pytest.raises(UsageError, match="expected a code such as es or zh-Hant"):
        lexicon_for("He left on Monday.", code)
