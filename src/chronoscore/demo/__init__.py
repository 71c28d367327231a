"""Bundled data: seven topics of public history, two golds for some, three made-up systems."""

from importlib.resources import files
from pathlib import Path

SYSTEMS = ("careful", "quick", "lead")


def home() -> Path:
    """The folder of the bundled data."""
    return Path(str(files(__name__)))


def data_files() -> list[Path]:
    """The bundled data files, without this module."""
    return sorted(file for file in home().iterdir() if file.suffix in (".jsonl", ".csv", ".md"))
