"""Packed files for verbs that look at files themselves: plain ones, under the names people know."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from chronoscore.core.reading import Reading


def unpacked(paths: Iterable[Path], reading: Reading) -> list[Path]:
    """Give each file, or a plain copy of one that is packed, which goes when the command ends."""
    return [reading.plain(path) for path in paths]
