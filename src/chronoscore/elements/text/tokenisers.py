"""Ways from text to tokens by name, so that a metric's name says how its text was read."""

from collections.abc import Callable, Iterable
from functools import cache

from chronoscore.core.errors import UsageError
from chronoscore.elements.text import rouge155, words

Tokeniser = Callable[[Iterable[str]], list[str]]

NAMED: dict[str, Tokeniser] = {
    "rouge155": rouge155.tokens,
    "reimpl": words.reimpl,
    "plain": words.plain,
}
SNOWBALL = "snowball-"
KNOWN = (*NAMED, f"{SNOWBALL}LANGUAGE")


@cache
def tokeniser(name: str) -> Tokeniser:
    """Find a way by its name: rouge155, reimpl, plain, or snowball-LANGUAGE."""
    if name in NAMED:
        return NAMED[name]
    if not name.startswith(SNOWBALL):
        raise UsageError(f"unknown text processing '{name}'; there are: {', '.join(KNOWN)}")
    try:
        import Stemmer  # noqa: PLC0415  # an extra: most never need it
    except ImportError:
        raise UsageError(
            f"text={name} needs a package: pip install 'chronoscore[stemmers]'"
        ) from None
    language = name.removeprefix(SNOWBALL)
    if language not in Stemmer.algorithms():
        raise UsageError(
            f"no stemmer for '{language}'; there are: {', '.join(sorted(Stemmer.algorithms()))}"
        )
    stem = cache(Stemmer.Stemmer(language).stemWord)
    return lambda sentences: [stem(word) for word in words.plain(sentences)]
