"""Keys of the judge page: its own come first, chips take theirs where these leave them free."""

from chronoscore.rubric.codebook import Chip, Codebook

OWN = frozenset("cfsnpug?0123456789")
"""Comment, flag, save, next, previous, undo, guidance, help, and the answers."""


def chip_keys(codebook: Codebook) -> list[tuple[Chip, str]]:
    """Each chip with its key, or a free letter of its text, or none.

    >>> from chronoscore.rubric.codebook import event_quality
    >>> [key for _, key in chip_keys(event_quality())]
    ['d', 'a', 'r', 't']
    """
    own = [chip.key.lower() for chip in codebook.chips]
    taken = set(OWN) | {key for key in own if key not in OWN}
    found = []
    for chip, key in zip(codebook.chips, own, strict=True):
        given = key
        if key in OWN:
            letters = (c for c in chip.text.lower() if c.isascii() and c.isalpha())
            given = next((c for c in letters if c not in taken), "")
            taken.add(given)
        found.append((chip, given))
    return found
