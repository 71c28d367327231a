"""Pages as their readers have them: tables by their captions, and all text."""

from html.parser import HTMLParser
from itertools import pairwise

VOID = ("meta", "input", "br")


class ReadPage(HTMLParser):
    """The tables of a page, cell by cell, its elements, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.folded: set[str] = set()
        """The captions of tables that are there for those who open them."""
        self.text = ""
        self._open: list[str] = []
        self._caption = ""
        self._rows: list[list[str]] = []
        self.feed(page)

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((name, dict(attributes)))
        if name not in VOID:
            self._open.append(name)
        if name == "table":
            self._caption, self._rows = "", []
        elif name == "tr":
            self._rows.append([])
        elif name in ("td", "th"):
            self._rows[-1].append("")

    def handle_endtag(self, name: str) -> None:
        assert self._open.pop() == name, "elements are nested"
        if name == "table":
            assert self._caption not in self.tables, "tables have names of their own"
            self.tables[self._caption] = self._rows
            if "details" in self._open:
                self.folded.add(self._caption)

    def handle_data(self, text: str) -> None:
        if "style" in self._open or "script" in self._open:
            return
        self.text += f" {text}"
        if "caption" in self._open:
            self._caption += text
        elif "td" in self._open or "th" in self._open:
            self._rows[-1][-1] = f"{self._rows[-1][-1]} {text}".strip()

    def all(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for element, attributes in self.elements if element == name]


def check_page(page: str) -> ReadPage:
    """Read a page that asks for nothing, has no code but its own, and heads for all columns."""
    read = ReadPage(page)
    assert len(read.all("script")) == 1
    for element, attributes in read.elements:
        assert element not in ("link", "iframe", "img", "object", "base")
        assert not {"src", "style"} & attributes.keys()
        assert not [key for key in attributes if key.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")
    for caption, (head, *_) in read.tables.items():
        assert caption
        assert all(head), f"a head without words in {caption}"
    levels = [int(name[1]) for name, _ in read.elements if name[0] == "h" and name[1:].isdigit()]
    assert levels[0] == 1
    assert all(later - before <= 1 for before, later in pairwise(levels))
    assert len(read.elements) < 15_000
    return read
