"""What a judgement speaks of, for those who read its matches: the event, and what was said."""

from typing import NamedTuple

from chronoscore.core.case import Case
from chronoscore.core.family import Texts
from chronoscore.rubric.judgement import Judgement

_PARTS = ("article", "date", "type", "comment")


class About(NamedTuple):
    """The texts of one judgement; empty where there are none."""

    text: str = ""
    article: str = ""
    date: str = ""
    type: str = ""
    comment: str = ""


def texts_of(case: Case[str, Judgement]) -> tuple[Texts, Texts]:
    """The text of the event by its id, and the rest by `ID/article`, `ID/comment` and so on."""
    judgement = case.predicted
    found = {judgement.event: judgement.text}
    found |= {_name(judgement.event, part): str(getattr(judgement, part)) for part in _PARTS}
    return {}, {name: (text,) for name, text in found.items() if text.strip()}


def about(event: str, texts: Texts) -> About:
    """Read what `texts_of` wrote of an event.

    >>> about("e1", {"e1": ("It rained.",), "e1/comment": ("where?",)})
    About(text='It rained.', article='', date='', type='', comment='where?')
    """
    rest = {part: _joined(texts, _name(event, part)) for part in _PARTS}
    return About(text=_joined(texts, event), **rest)


def _name(event: str, part: str) -> str:
    return f"{event}/{part}"


def _joined(texts: Texts, name: str) -> str:
    return "\n".join(texts.get(name, ()))
