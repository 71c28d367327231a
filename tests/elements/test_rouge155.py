"""The text processing of ROUGE-1.5.5, against what the Perl program gave, then as claims."""

import json
import re
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors_home import free, real

from chronoscore.elements.text import mostly_foreign, not_english, porter, token
from chronoscore.elements.text import rouge155 as tokens
from chronoscore.elements.text.porter import stem

STEMS = "timelines/stems.json"
TOKENS = "timelines/rouge_tokens.json"

# Letters, the characters with a meaning of their own, and everything else.
texts = st.text(st.sampled_from("abcdeginstyABK019 -^<&'._éK\u00a0\ud800") | st.characters())
documents = st.lists(texts, max_size=5)
words = st.text("abeilnostyz1", min_size=1, max_size=12)


def differing(expected: dict[str, str], given: dict[str, str]) -> dict[str, tuple[str, str]]:
    return {
        word: (given[word], expected[word]) for word in expected if given[word] != expected[word]
    }


def differing_documents(vectors: list[dict[str, Any]]) -> list[tuple[str, list[str], list[str]]]:
    answers = [(vector["text"], tokens([vector["text"]]), vector["tokens"]) for vector in vectors]
    return [answer for answer in answers if answer[1] != answer[2]]


# The original program's answers


def test_tokens_of_thirteen_thousand_words() -> None:
    expected = {word: as_used for word, (as_used, _) in free(STEMS).items()}
    assert len(expected) == 13_000
    assert differing(expected, {word: token(word) for word in expected}) == {}


def test_bare_stems_of_thirteen_thousand_words() -> None:
    expected = {word: bare for word, (_, bare) in free(STEMS).items()}
    assert len(expected) == 13_000
    assert differing(expected, {word: stem(word) for word in expected}) == {}


def test_tokens_of_our_own_texts() -> None:
    assert free(TOKENS)
    assert differing_documents(free(TOKENS)) == []


def test_tokens_of_public_texts() -> None:
    vectors = json.loads(real(TOKENS).read_text(encoding="utf-8"))
    assert vectors
    assert differing_documents(vectors) == []


def test_normalised_text_has_the_same_tokens_as_the_text() -> None:
    for vector in free(TOKENS):
        assert tokens([vector["normalised_text"]]) == vector["tokens"]


def test_counts_are_those_of_the_tokens_and_their_adjacent_pairs() -> None:
    for vector in free(TOKENS):
        count = len(tokens([vector["text"]]))
        assert count == vector["unigram_count"]
        assert max(count - 1, 0) == vector["bigram_count"]


# Words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("café naïve straße", "caf na ve stra"),
        ("中国 Москва", ""),
        ("İstanbul \u212aelvin", "stanbul elvin"),  # neither letter is an ASCII one
        ("half\ud800pair", "half pair"),
        ("ceasefire-line -- north-west", "ceasefir line north west"),
        ("$2.5bn 1,200 under_score", "2 5bn 1 200 score"),
        ("^ caret^ed", "circ caret circ ed"),
        ("&amp; &lt;", "amp lt"),
    ],
)
def test_only_ascii_letters_and_digits_make_words(text: str, expected: str) -> None:
    assert tokens([text]) == expected.split()


def test_a_less_than_sign_hides_the_rest_of_its_sentence_only() -> None:
    assert tokens(["profit <10% rise", "<b>bold</b>", "loss > gain"]) == ["profit", "loss", "gain"]


def test_sentences_may_come_from_any_iterable() -> None:
    assert tokens(iter(("troops", "leave"))) == tokens(["troops leave"])


# Stop words


@pytest.mark.parametrize("text", ["US", "The U.S.A.", "AT&T", "C++", "it's", "May well help new"])
def test_stop_words_and_single_letters_vanish(text: str) -> None:
    assert tokens([text]) == []


def test_residues_of_contractions_stay() -> None:
    assert tokens(["don't we've we'll"]) == ["don", "ve", "ll"]


def test_stop_words_are_removed_before_stemming() -> None:
    assert tokens(["helps means"]) == [stem("helps"), stem("means")] == ["help", "mean"]
    assert tokens(["help mean"]) == []


# Base forms and stems


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("gas", "gas"),  # three letters: not stemmed
        ("ran", "ran"),  # three letters: not looked up either
        ("children", "child"),
        ("comics", "comic_strip"),
        ("agreed", "agre"),  # regular, so not in WordNet's list
    ],
)
def test_irregular_words_have_base_forms_and_others_stems(word: str, expected: str) -> None:
    assert token(word) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("agreement", "agreem"),
        ("parliament", "parliam"),
        ("epicenter", "epic"),
        ("conditionally", "condit"),
        ("congressional", "congress"),
        ("fundamentally", "fundam"),
    ],
)
def test_the_fourth_step_is_a_cascade(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("sing", "sing"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("filing", "file"),
        ("sunday", "sundai"),
        ("sky", "sky"),
        ("possibly", "possibl"),
        ("archaeology", "archaeolog"),
        ("yearly", "yearli"),
        ("rate", "rate"),
        ("controlling", "control"),
        ("roll", "roll"),
        ("ys", "ys"),
        ("50s", "50"),
    ],
)
def test_the_other_steps_are_porters(word: str, expected: str) -> None:
    assert stem(word) == expected


@given(words)
def test_shapes_say_what_porters_patterns_say(word: str) -> None:
    consonants, vowels = "[^aeiou][^aeiouy]*", "[aeiouy][aeiou]*"
    marked = re.sub("^y", "Y", word)  # a consonant at the beginning
    measure = porter._measure(word)
    above_0 = re.match(f"({consonants})?{vowels}{consonants}", marked)
    exactly_1 = re.fullmatch(f"({consonants})?{vowels}{consonants}({vowels})?", marked)
    above_1 = re.match(f"({consonants})?({vowels}{consonants}){{2}}", marked)
    assert (measure > 0, measure == 1, measure > 1) == (
        bool(above_0),
        bool(exactly_1),
        bool(above_1),
    )
    assert porter._has_vowel(word) == bool(re.match(f"({consonants})?[aeiouy]", marked))
    assert porter._is_short(word) == bool(re.fullmatch(f"{consonants}[aeiouy][^aeiouwxy]", marked))


# Laws


@given(documents)
def test_any_text_has_plain_tokens(document: list[str]) -> None:
    assert all(re.fullmatch("[a-z0-9_]+", each) for each in tokens(document))


@given(documents)
def test_a_document_is_its_sentences_in_a_row(document: list[str]) -> None:
    assert tokens(document) == [each for sentence in document for each in tokens([sentence])]


@given(documents)
def test_sentence_boundaries_matter_only_where_a_less_than_sign_cuts(document: list[str]) -> None:
    cut = [sentence.split("<")[0] for sentence in document]
    assert tokens(document) == tokens([" ".join(cut)])


@given(documents)
def test_case_of_ascii_letters_changes_nothing(document: list[str]) -> None:
    capitals = [re.sub("[a-z]", lambda match: match[0].upper(), each) for each in document]
    assert tokens(capitals) == tokens(document)


@given(words)
def test_stems_are_not_empty_and_not_longer_than_their_words(word: str) -> None:
    assert 0 < len(stem(word)) <= len(word)


# Foreign text


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        ([], False),
        (["2011-01-25 — 50 %"], False),
        (["Le président a été réélu"], False),
        (["Москва", "中国"], True),
        (["ab", "яж"], False),  # exactly half
        (["ab", "яжя"], True),
    ],
)
def test_mostly_foreign_is_more_than_half_of_the_letters(
    sentences: list[str], expected: bool
) -> None:
    assert mostly_foreign(sentences) is expected


SPANISH = [
    "El presidente anuncia la retirada de las tropas.",
    "Miles de personas salen a la calle en Madrid.",
]
ITALIAN = [
    "Il governo dice che il bilancio della regione resta in ordine.",
    "Otto morti per il sisma.",
]
FRENCH = ["Le président a été réélu par les députés.", "La grève a été levée à l'été."]
POLISH = ["Rząd ogłosił, że żołnierze wrócą później.", "Świadkowie mówią o trzęsieniu ziemi."]
ENGLISH = [
    "José Mourinho leaves Real Madrid and flies to Zürich.",
    "The mayor of São Paulo meets Ursula von der Leyen at the château de la Muette.",
    "Protests begin in Los Angeles and in Rio de Janeiro.",
]


@pytest.mark.parametrize("sentences", [SPANISH, ITALIAN, FRENCH, POLISH])
def test_other_languages_in_latin_letters_are_not_english(sentences: list[str]) -> None:
    assert not_english(sentences * 6)
    assert not mostly_foreign(sentences)


@pytest.mark.parametrize(
    "sentences",
    [
        [],
        ENGLISH,
        *([sentence] for sentence in ENGLISH),
        ["José"],
        ["De la Rua resigns."],
    ],
)
def test_english_with_names_of_other_languages_is_english(sentences: list[str]) -> None:
    assert not not_english(sentences * 3)


# The lists


@pytest.mark.parametrize(
    ("name", "count"), [("smart_stop_words.txt", 596), ("wordnet_exceptions.txt", 5_930)]
)
def test_lists_are_complete_sorted_and_without_doubles(name: str, count: int) -> None:
    path = files("chronoscore.elements.text").joinpath("data", name)
    keys = [line.split()[0] for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(keys) == count
    assert keys == sorted(set(keys))


def test_later_lists_win_where_irregular_forms_have_several_bases() -> None:
    expected = {
        "best": "well",  # adjective, then adverb
        "better": "well",
        "testes": "testes",  # noun, then verb
        "involucra": "involucrum",  # two lines among the nouns
        "offer": "offer",
    }
    assert {word: token(word) for word in expected} == expected
