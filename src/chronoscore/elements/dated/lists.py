"""Lists of texts that a program wrote into one cell or line, as Python or JSON spells them."""

import re

_TEXT = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*(?:,|$)""", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_LAST_CHARACTER = 0x10FFFF


def listed(text: str) -> list[str] | None:
    """Return the texts of a list, with or without the quotes of a sheet around it; else None.

    Nothing is executed: only lists of quoted texts are read.

    >>> listed("['One .', \\"Two 's .\\"]"), listed('"[\\'One .\\']"'), listed("[]")
    (['One .', "Two 's ."], ['One .'], [])
    >>> listed("[2010-01-12]"), listed("['One .'"), listed("[sic] he said")
    (None, None, None)
    """
    bare = text.strip()
    if bare.startswith('"[') and bare.endswith(']"'):
        bare = bare[1:-1].replace('""', '"')
    if not (bare.startswith("[") and bare.endswith("]")):
        return None
    inside, at, texts = bare[1:-1].strip(), 0, []
    while at < len(inside):
        match = _TEXT.match(inside, at)
        if match is None:
            return None
        texts.append(_ESCAPE.sub(_character, match[1] if match[1] is not None else match[2]))
        at = match.end()
    # Outside the first plane, JSON writes a character as two halves.
    return [one.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for one in texts]


def _character(escape: re.Match[str]) -> str:
    *codes, letter = escape.groups()
    if letter is not None:
        return _LETTERS.get(letter, letter if letter in "'\"\\/" else escape[0])
    number = int(next(filter(None, codes)), 16)
    return chr(number) if number <= _LAST_CHARACTER else "\ufffd"
